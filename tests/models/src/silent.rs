//! Changes of which no event tells: whoever asks after one gets an answer that has seen it (`daemon/workspace/src/dirty.rs`, and
//! `barrier` in `daemon/host/src/workspace.rs`).
//!
//! One file is written to without an event. The indexer and `map_rebuild` read it, and the record of what was read last is new from
//! that moment on, while the index is new only when they have published it. Callers compare the file with the record. In between,
//! a caller finds nothing to wait for by itself. The event queue has a model of its own; here an event is a mark.

use stateright::{Model, Property};

use crate::check::{holds, is_broken};

const WRITES: u8 = 2;
const EVENTS: u8 = 1;
const CALLERS: usize = 2;

/// Whoever reads the file and publishes it; two of them never do so at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Reader {
    Idle,
    /// It has begun, with the marks up to this count in its hands.
    Begun {
        marks: u8,
    },
    Read {
        marks: u8,
        version: u8,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Caller {
    Away,
    /// It came when the file had this version; what was marked by then has to settle.
    Settling {
        version: u8,
        marks: u8,
    },
    /// It compares the file with the record next.
    Looking {
        version: u8,
    },
    /// It found nothing itself; nobody may be reading in place of the indexer.
    WaitingForRescan {
        version: u8,
    },
    /// It waits for what it found, or for what others did.
    WaitingForFound {
        version: u8,
        marks: u8,
    },
    Answered {
        version: u8,
        answer: u8,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct SilentState {
    disk: u8,
    /// The version that was read last, by whomever.
    record: u8,
    index: u8,
    events: u8,
    marks: u8,
    is_pending: bool,
    found: u8,
    taken: u8,
    settled: u8,
    indexer: Reader,
    rescan: Reader,
    callers: [Caller; CALLERS],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SilentAction {
    Write,
    Event,
    TakeBatch,
    ReadBatch,
    PublishBatch,
    BeginRescan,
    ReadRescan,
    PublishRescan,
    Call(usize),
    Proceed(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SilentFlaw {
    None,
    /// A caller that finds nothing answers at once.
    FoundByOthersIsIgnored,
    /// A caller waits for what others found, and not for a batch that was taken for an event.
    BatchInHandIsIgnored,
    /// The same, as long as nobody has found anything.
    BatchInHandIsIgnoredAtFirst,
    /// A caller does not wait for `map_rebuild`.
    RescanIsIgnored,
    /// A caller looks before what is marked has settled, and never again.
    NobodyLooks,
}

struct Silent(SilentFlaw);

impl Silent {
    /// Marks the file; returns the count that whoever marked it waits for.
    fn mark(state: &mut SilentState) -> u8 {
        if !state.is_pending {
            state.is_pending = true;
            state.marks += 1;
        }
        state.marks
    }

    /// The count up to which callers that find nothing wait.
    fn found_count(&self, state: &SilentState) -> u8 {
        match self.0 {
            SilentFlaw::FoundByOthersIsIgnored => 0,
            SilentFlaw::BatchInHandIsIgnored => state.found,
            SilentFlaw::BatchInHandIsIgnoredAtFirst if state.found == 0 => 0,
            _ => state.found.max(state.taken),
        }
    }

    fn proceed(&self, state: &mut SilentState, caller: usize) -> Option<()> {
        state.callers[caller] = match state.callers[caller] {
            Caller::Settling { version, marks } => {
                (state.settled >= marks).then_some(())?;
                match self.0 {
                    SilentFlaw::NobodyLooks => Caller::WaitingForRescan { version },
                    _ => Caller::Looking { version },
                }
            }
            Caller::Looking { version } if state.disk != state.record => {
                let marks = Self::mark(state);
                state.found = marks;
                Caller::WaitingForFound { version, marks }
            }
            Caller::Looking { version } => Caller::WaitingForRescan { version },
            Caller::WaitingForRescan { version } => {
                let is_over = state.rescan == Reader::Idle || self.0 == SilentFlaw::RescanIsIgnored;
                is_over.then_some(())?;
                Caller::WaitingForFound { version, marks: self.found_count(state) }
            }
            Caller::WaitingForFound { version, marks } => {
                (state.settled >= marks).then_some(())?;
                Caller::Answered { version, answer: state.index }
            }
            Caller::Away | Caller::Answered { .. } => return None,
        };
        Some(())
    }
}

fn is_reading(reader: Reader) -> bool {
    matches!(reader, Reader::Read { .. })
}

impl Model for Silent {
    type State = SilentState;
    type Action = SilentAction;

    fn init_states(&self) -> Vec<SilentState> {
        vec![SilentState {
            disk: 0,
            record: 0,
            index: 0,
            events: 0,
            marks: 0,
            is_pending: false,
            found: 0,
            taken: 0,
            settled: 0,
            indexer: Reader::Idle,
            rescan: Reader::Idle,
            callers: [Caller::Away; CALLERS],
        }]
    }

    fn actions(&self, _: &SilentState, actions: &mut Vec<SilentAction>) {
        actions.extend([
            SilentAction::Write,
            SilentAction::Event,
            SilentAction::TakeBatch,
            SilentAction::ReadBatch,
            SilentAction::PublishBatch,
            SilentAction::BeginRescan,
            SilentAction::ReadRescan,
            SilentAction::PublishRescan,
        ]);
        actions.extend(
            (0..CALLERS).flat_map(|caller| [SilentAction::Call(caller), SilentAction::Proceed(caller)]),
        );
    }

    fn next_state(&self, last: &SilentState, action: SilentAction) -> Option<SilentState> {
        let mut state = last.clone();
        match action {
            SilentAction::Write => {
                (state.disk < WRITES).then_some(())?;
                state.disk += 1;
            }
            SilentAction::Event => {
                (state.events < EVENTS).then_some(())?;
                state.events += 1;
                let _ = Self::mark(&mut state);
            }
            SilentAction::TakeBatch => {
                (state.is_pending && state.indexer == Reader::Idle).then_some(())?;
                state.is_pending = false;
                state.taken = state.marks;
                state.indexer = Reader::Begun { marks: state.marks };
            }
            SilentAction::ReadBatch => {
                let Reader::Begun { marks } = state.indexer else { return None };
                (!is_reading(state.rescan)).then_some(())?;
                state.record = state.disk;
                state.indexer = Reader::Read { marks, version: state.disk };
            }
            SilentAction::PublishBatch => {
                let Reader::Read { marks, version } = state.indexer else { return None };
                state.index = version;
                state.settled = marks;
                state.indexer = Reader::Idle;
            }
            SilentAction::BeginRescan => {
                (state.rescan == Reader::Idle).then_some(())?;
                state.rescan = Reader::Begun { marks: 0 };
            }
            SilentAction::ReadRescan => {
                (matches!(state.rescan, Reader::Begun { .. }) && !is_reading(state.indexer)).then_some(())?;
                state.record = state.disk;
                state.rescan = Reader::Read { marks: 0, version: state.disk };
            }
            SilentAction::PublishRescan => {
                let Reader::Read { version, .. } = state.rescan else { return None };
                state.index = version;
                state.rescan = Reader::Idle;
            }
            SilentAction::Call(caller) => {
                (state.callers[caller] == Caller::Away).then_some(())?;
                state.callers[caller] = Caller::Settling { version: state.disk, marks: state.marks };
            }
            SilentAction::Proceed(caller) => self.proceed(&mut state, caller)?,
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(FRESH, |_, state: &SilentState| {
                state.callers.iter().all(|caller| match caller {
                    Caller::Answered { version, answer } => answer >= version,
                    _ => true,
                })
            }),
            Property::sometimes("both callers have an answer", |_, state: &SilentState| {
                state.callers.iter().all(|caller| matches!(caller, Caller::Answered { .. }))
            }),
            Property::sometimes("a caller looks while somebody has read it", |_, state: &SilentState| {
                let reads = is_reading(state.indexer) || is_reading(state.rescan);
                reads && state.callers.iter().any(|caller| matches!(caller, Caller::Looking { .. }))
            }),
        ]
    }
}

const FRESH: &str = "answers have seen every silent write before the call";

#[test]
fn every_answer_has_seen_the_silent_writes_before_it() {
    holds(Silent(SilentFlaw::None));
}

#[test]
fn no_flaw_goes_unseen() {
    for flaw in [
        SilentFlaw::FoundByOthersIsIgnored,
        SilentFlaw::BatchInHandIsIgnored,
        SilentFlaw::BatchInHandIsIgnoredAtFirst,
        SilentFlaw::RescanIsIgnored,
        SilentFlaw::NobodyLooks,
    ] {
        assert!(is_broken(Silent(flaw), FRESH), "{flaw:?}");
    }
}
