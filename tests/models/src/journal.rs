//! An edit of two files is carried out whole or not at all, whenever the process ends, and never takes what somebody else wrote
//! (`daemon/edit/src/journal.rs`).
//!
//! The steps are those of the journal's header. A crash may come after each of them, also while a recovery runs; somebody else may write to
//! a file at any moment before its exchange.

use stateright::{Model, Property};

use crate::check::{broken, holds};

const FILES: usize = 2;
/// Crashes in one run.
const CRASHES: u8 = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Content {
    Old,
    New,
    /// Somebody else's.
    Foreign,
}

/// What the process is about to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Step {
    Record,
    Mark,
    Exchange(usize),
    RemoveRecord,
    RemoveMark,
    /// Taking back: this file comes back as it was.
    PutBack(usize),
    Ended,
    /// The process has ended, and the next one has not looked yet.
    Down,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    step: Step,
    files: [Content; FILES],
    has_record: bool,
    has_mark: bool,
    crashes: u8,
    has_written: bool,
    /// What somebody else wrote has been taken away.
    is_lost: bool,
    /// The user was told that the edit is done.
    is_confirmed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Go,
    Crash,
    Recover,
    WrittenByOthers(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flaw {
    None,
    /// Files are exchanged before the mark says that the new contents count.
    ExchangesBeforeTheMark,
    /// The mark goes before the record does.
    RemovesTheMarkFirst,
    /// What is displaced is not compared with what was expected.
    DoesNotCompare,
    /// A recovery carries out whatever has a record.
    CarriesOutWithoutMark,
}

struct Journal(Flaw);

impl Journal {
    fn after_record(&self) -> Step {
        if self.0 == Flaw::ExchangesBeforeTheMark { Step::Exchange(0) } else { Step::Mark }
    }

    fn after_exchanges(&self) -> Step {
        match self.0 {
            Flaw::ExchangesBeforeTheMark => Step::Mark,
            Flaw::RemovesTheMarkFirst => Step::RemoveMark,
            _ => Step::RemoveRecord,
        }
    }

    fn go(&self, state: &mut State) -> Option<()> {
        state.step = match state.step {
            Step::Record => {
                state.has_record = true;
                self.after_record()
            }
            Step::Mark => {
                state.has_mark = true;
                if self.0 == Flaw::ExchangesBeforeTheMark { Step::RemoveRecord } else { Step::Exchange(0) }
            }
            Step::Exchange(file) => {
                match state.files[file] {
                    // Both exchange their names at once; what was displaced is looked at then, and goes back.
                    Content::Foreign if self.0 != Flaw::DoesNotCompare => {
                        // To take back in a running process removes the mark first.
                        state.has_mark = false;
                        state.step = Step::PutBack(0);
                        return Some(());
                    }
                    Content::Foreign => state.is_lost = true,
                    Content::Old | Content::New => {}
                }
                state.files[file] = Content::New;
                if file + 1 < FILES { Step::Exchange(file + 1) } else { self.after_exchanges() }
            }
            Step::RemoveRecord => {
                state.has_record = false;
                if state.has_mark && self.0 != Flaw::RemovesTheMarkFirst { Step::RemoveMark } else { Self::end(state) }
            }
            Step::RemoveMark => {
                state.has_mark = false;
                if state.has_record { Step::RemoveRecord } else { Self::end(state) }
            }
            Step::PutBack(file) => {
                if state.files[file] == Content::New {
                    state.files[file] = Content::Old;
                }
                if file + 1 < FILES { Step::PutBack(file + 1) } else { Step::RemoveRecord }
            }
            Step::Ended | Step::Down => return None,
        };
        Some(())
    }

    fn end(state: &mut State) -> Step {
        state.is_confirmed = state.files.contains(&Content::New);
        Step::Ended
    }
}

impl Model for Journal {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            step: Step::Record,
            files: [Content::Old; FILES],
            has_record: false,
            has_mark: false,
            crashes: 0,
            has_written: false,
            is_lost: false,
            is_confirmed: false,
        }]
    }

    fn actions(&self, _state: &State, actions: &mut Vec<Action>) {
        actions.extend([Action::Go, Action::Crash, Action::Recover]);
        actions.extend((0..FILES).map(Action::WrittenByOthers));
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        match action {
            Action::Go => self.go(&mut state)?,
            Action::Crash => {
                (state.crashes < CRASHES && !matches!(state.step, Step::Down | Step::Ended)).then_some(())?;
                state.crashes += 1;
                state.step = Step::Down;
            }
            Action::Recover => {
                (state.step == Step::Down).then_some(())?;
                state.step = match (state.has_record, state.has_mark) {
                    (true, true) => Step::Exchange(0),
                    (true, false) if self.0 == Flaw::CarriesOutWithoutMark => Step::Exchange(0),
                    (true, false) => Step::PutBack(0),
                    (false, true) => Step::RemoveMark,
                    (false, false) => Step::Ended,
                };
            }
            // Once, and only before the file is exchanged: later writes are to the new file.
            Action::WrittenByOthers(file) => {
                (!state.has_written && state.files[file] == Content::Old).then_some(())?;
                state.has_written = true;
                state.files[file] = Content::Foreign;
            }
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(WHOLE, |_, state: &State| {
                let has = |content| state.files.contains(&content);
                state.step != Step::Ended || state.has_written || !(has(Content::Old) && has(Content::New))
            }),
            Property::always(FOREIGN, |_, state: &State| !state.is_lost),
            Property::always(CLEAN, |_, state: &State| {
                state.step != Step::Ended || !(state.has_record || state.has_mark)
            }),
            Property::always(UNMARKED, |_, state: &State| {
                state.has_mark || state.crashes > 0 || state.has_written || state.step == Step::Ended || !state.files.contains(&Content::New)
            }),
            Property::sometimes("it is carried out", |_, state: &State| state.is_confirmed),
            Property::sometimes("it is taken back after a crash", |_, state: &State| {
                state.crashes > 0 && state.step == Step::Ended && !state.files.contains(&Content::New)
            }),
        ]
    }
}

const WHOLE: &str = "all files are old or all are new";
const FOREIGN: &str = "what somebody else wrote stays";
const CLEAN: &str = "nothing is left of the journal";
const UNMARKED: &str = "new contents are in place only when the mark says so";

#[test]
fn an_edit_is_whole_or_not_at_all() {
    holds(Journal(Flaw::None));
}

#[test]
fn no_flaw_goes_unseen() {
    for (flaw, property) in [
        (Flaw::ExchangesBeforeTheMark, UNMARKED),
        (Flaw::RemovesTheMarkFirst, UNMARKED),
        (Flaw::DoesNotCompare, FOREIGN),
    ] {
        let found = broken(Journal(flaw));
        assert!(found.contains(&property), "{flaw:?}: {found:?}");
    }
}

/// A recovery that carries out what has no mark is whole, too, but does what nobody was promised: the mark is what the user is told by.
#[test]
fn carrying_out_without_a_mark_never_takes_back() {
    assert!(!broken(Journal(Flaw::CarriesOutWithoutMark)).contains(&WHOLE));
}
