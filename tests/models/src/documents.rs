//! Whose text of a document counts, and that the server has it (`daemon/live/src/views`).
//!
//! Two editors, three texts, a disk that others write to as well, and the queue of messages to the server. A change goes to the server as
//! a piece only where it leads from the text that the server was sent last.

use stateright::{Model, Property};

use crate::check::{broken, holds};

const EDITORS: usize = 2;
const TEXTS: u8 = 3;
/// Changes of any kind in one run.
const STEPS: u8 = 6;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Buffer {
    text: u8,
    /// When it began to differ from the disk by its editor's doing.
    dirty_since: Option<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Message {
    Whole(u8),
    Piece { from: u8, to: u8 },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    steps: u8,
    disk: u8,
    /// The disk as the overlay knows it.
    known: u8,
    buffers: [Option<Buffer>; EDITORS],
    owner: Option<usize>,
    sent: u8,
    queue: Vec<Message>,
    server: u8,
    /// A piece met another text than the one that it leads from.
    is_torn: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Open(usize),
    Change(usize, u8),
    Save(usize),
    Close(usize),
    WrittenByOthers(u8),
    LookAtDisk,
    ServerReads,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flaw {
    None,
    /// Every change goes as a piece.
    PiecesAlways,
    /// Who opens or changes last owns the document.
    LastOneOwns,
    /// A new owner's text is not sent.
    NewOwnerIsNotSent,
    /// An editor that saves stays the owner.
    SavingKeepsOwnership,
    /// The next owner is the one with the lowest number, not the one that differed first.
    AnyNextOwner,
}

struct Documents(Flaw);

impl Documents {
    fn counting(state: &State) -> u8 {
        state.owner.and_then(|owner| state.buffers[owner]).map_or(state.known, |buffer| buffer.text)
    }

    fn choose_owner(&self, state: &mut State) {
        let is_dirty = |editor: usize| state.buffers[editor].is_some_and(|buffer| buffer.dirty_since.is_some());
        if state.owner.is_some_and(is_dirty) {
            return;
        }
        if state.owner.is_some_and(|owner| state.buffers[owner].is_some()) && self.0 == Flaw::SavingKeepsOwnership {
            return;
        }
        let dirty = (0..EDITORS).filter_map(|editor| Some((state.buffers[editor]?.dirty_since?, editor)));
        state.owner = match self.0 {
            Flaw::AnyNextOwner => dirty.map(|(_, editor)| editor).min(),
            _ => dirty.min().map(|(_, editor)| editor),
        };
    }

    /// Takes the disk's text in: whoever has that text has nothing unsaved.
    fn disk_is(&self, state: &mut State) {
        state.known = state.disk;
        for buffer in state.buffers.iter_mut().flatten() {
            if buffer.text == state.known {
                buffer.dirty_since = None;
            }
        }
        self.choose_owner(state);
    }

    /// Brings the server what counts now; `piece` is the text that a change leads from.
    fn send(&self, state: &mut State, piece: Option<u8>, before: Option<usize>) {
        let counts = Self::counting(state);
        if self.0 == Flaw::NewOwnerIsNotSent && before != state.owner {
            return;
        }
        if counts == state.sent {
            return;
        }
        let leads_there = piece.filter(|from| *from == state.sent || self.0 == Flaw::PiecesAlways);
        state.queue.push(match leads_there {
            Some(from) => Message::Piece { from, to: counts },
            None => Message::Whole(counts),
        });
        state.sent = counts;
    }

    fn put(&self, state: &mut State, editor: usize, text: u8) {
        let before = state.owner;
        let old = state.buffers[editor];
        let since = old.and_then(|buffer| buffer.dirty_since).unwrap_or(state.steps);
        state.buffers[editor] = Some(Buffer { text, dirty_since: (text != state.known).then_some(since) });
        if self.0 == Flaw::LastOneOwns {
            state.owner = Some(editor);
        }
        self.choose_owner(state);
        let is_counting = Self::counting(state) == text;
        self.send(state, old.map(|buffer| buffer.text).filter(|_| is_counting), before);
    }
}

impl Model for Documents {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            steps: 0,
            disk: 0,
            known: 0,
            buffers: [None; EDITORS],
            owner: None,
            sent: 0,
            queue: Vec::new(),
            server: 0,
            is_torn: false,
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        actions.extend([Action::ServerReads, Action::LookAtDisk]);
        if state.steps == STEPS {
            return;
        }
        for editor in 0..EDITORS {
            actions.extend([Action::Open(editor), Action::Save(editor), Action::Close(editor)]);
            actions.extend((0..TEXTS).map(|text| Action::Change(editor, text)));
        }
        actions.extend((0..TEXTS).map(Action::WrittenByOthers));
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        if !matches!(action, Action::ServerReads | Action::LookAtDisk) {
            state.steps += 1;
        }
        match action {
            Action::Open(editor) => {
                state.buffers[editor].is_none().then_some(())?;
                let before = state.owner;
                self.disk_is(&mut state);
                self.send(&mut state, None, before);
                let text = state.known;
                self.put(&mut state, editor, text);
            }
            Action::Change(editor, text) => {
                state.buffers[editor].filter(|buffer| buffer.text != text)?;
                self.put(&mut state, editor, text);
            }
            Action::Save(editor) => {
                state.disk = state.buffers[editor]?.text;
                let before = state.owner;
                self.disk_is(&mut state);
                self.send(&mut state, None, before);
            }
            Action::Close(editor) => {
                state.buffers[editor]?;
                let before = state.owner;
                state.buffers[editor] = None;
                self.choose_owner(&mut state);
                self.send(&mut state, None, before);
            }
            Action::WrittenByOthers(text) => {
                (text != state.disk).then_some(())?;
                state.disk = text;
            }
            Action::LookAtDisk => {
                (state.known != state.disk).then_some(())?;
                let before = state.owner;
                self.disk_is(&mut state);
                self.send(&mut state, None, before);
            }
            Action::ServerReads => {
                (!state.queue.is_empty()).then_some(())?;
                match state.queue.remove(0) {
                    Message::Whole(text) => state.server = text,
                    Message::Piece { from, to } => {
                        state.is_torn |= from != state.server;
                        state.server = to;
                    }
                }
            }
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(SERVER, |_, state: &State| {
                !state.queue.is_empty() || state.server == Self::counting(state)
            }),
            Property::always(PIECES, |_, state: &State| !state.is_torn),
            Property::always(OWNER, |_, state: &State| {
                let dirty = |editor: usize| state.buffers[editor].and_then(|buffer| buffer.dirty_since);
                state.owner.is_none_or(|owner| dirty(owner).is_some())
            }),
            Property::always(EVERYBODY, |_, state: &State| {
                let is_dirty = |buffer: &Buffer| buffer.dirty_since.is_some();
                state.owner.is_some() || !state.buffers.iter().flatten().any(is_dirty)
            }),
            Property::sometimes("one waits for its turn behind another", |_, state: &State| {
                state.buffers.iter().flatten().filter(|buffer| buffer.dirty_since.is_some()).count() == EDITORS
            }),
        ]
    }
}

const SERVER: &str = "a server that has read everything has the text that counts";
const PIECES: &str = "a piece meets the text that it leads from";
const OWNER: &str = "an owner has something unsaved";
const EVERYBODY: &str = "who has something unsaved has an owner before it, or is it";

#[test]
fn the_server_has_what_counts() {
    holds(Documents(Flaw::None));
}

#[test]
fn no_flaw_goes_unseen() {
    for (flaw, property) in [
        (Flaw::PiecesAlways, PIECES),
        (Flaw::LastOneOwns, OWNER),
        (Flaw::NewOwnerIsNotSent, SERVER),
        (Flaw::SavingKeepsOwnership, OWNER),
    ] {
        let found = broken(Documents(flaw));
        assert!(found.contains(&property), "{flaw:?}: {found:?}");
    }
}

/// With two editors the next owner is the only one left, so this flaw changes nothing: the order is tested on the code, with three.
#[test]
fn two_editors_have_no_order_to_get_wrong() {
    assert_eq!(broken(Documents(Flaw::AnyNextOwner)), ["one waits for its turn behind another"]);
}
