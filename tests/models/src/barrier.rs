//! The barrier: whoever asks after a write has completed gets an answer that has seen it (`daemon/workspace/src/barrier.rs`, `dirty.rs`).
//!
//! One file that is written to, the queue of the watcher's events, the marks, the indexer's batches, and two callers that share
//! cookies. The queue holds few events, so that it overflows as the system's does.

use stateright::{Model, Property};

use crate::check::{holds, is_broken};

const WRITES: u8 = 2;
const CALLERS: usize = 2;
/// Events that the queue holds; one more is lost, and an overflow is told instead.
const ROOM: usize = 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum WatcherEvent {
    Written,
    Cookie(u8),
    Overflow,
}

/// The indexer: it takes the marks, reads the file, and publishes what it has read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Batch {
    None,
    Taken { marks: u8 },
    Read { marks: u8, version: u8 },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Caller {
    Away,
    /// It came when the file had this version, waits for this cookie, and had seen so many overflows.
    Waiting {
        version: u8,
        cookie: u8,
        breaks: u8,
    },
    /// Its marks have to settle.
    Settling {
        version: u8,
        marks: u8,
    },
    Answered {
        version: u8,
        answer: u8,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct BarrierState {
    disk: u8,
    queue: Vec<WatcherEvent>,
    made: u8,
    seen: u8,
    breaks: u8,
    marks: u8,
    is_pending: bool,
    settled: u8,
    batch: Batch,
    /// What a flawed indexer has read before it takes the marks.
    read_before: u8,
    index: u8,
    callers: [Caller; CALLERS],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BarrierAction {
    Write,
    Deliver,
    Take,
    Read,
    Publish,
    Call(usize),
    MakeCookie(usize),
    Pass(usize),
    Answer(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BarrierFlaw {
    None,
    /// A caller does not wait until earlier events have arrived.
    NoCookie,
    /// A caller uses a cookie that was made before it came.
    CookieUnderWay,
    /// A batch settles what was marked while it was worked on.
    SettlesTheNewest,
    /// Lost events mark nothing.
    OverflowMarksNothing,
    /// Lost events do not reach callers that wait for a cookie.
    OverflowBreaksNothing,
    /// The file is read before the marks are taken.
    ReadsFirst,
}

struct Barrier(BarrierFlaw);

impl Barrier {
    fn push(state: &mut BarrierState, event: WatcherEvent) {
        match state.queue.len() {
            length if length < ROOM => state.queue.push(event),
            length if length == ROOM => state.queue.push(WatcherEvent::Overflow),
            _ => {}
        }
    }

    fn mark(state: &mut BarrierState) {
        state.marks += 1;
        state.is_pending = true;
    }
}

impl Model for Barrier {
    type State = BarrierState;
    type Action = BarrierAction;

    fn init_states(&self) -> Vec<BarrierState> {
        vec![BarrierState {
            disk: 0,
            queue: Vec::new(),
            made: 0,
            seen: 0,
            breaks: 0,
            marks: 0,
            is_pending: false,
            settled: 0,
            batch: Batch::None,
            read_before: 0,
            index: 0,
            callers: [Caller::Away; CALLERS],
        }]
    }

    fn actions(&self, state: &BarrierState, actions: &mut Vec<BarrierAction>) {
        actions.extend([
            BarrierAction::Write,
            BarrierAction::Deliver,
            BarrierAction::Take,
            BarrierAction::Read,
            BarrierAction::Publish,
        ]);
        for caller in 0..state.callers.len() {
            let of_caller =
                [BarrierAction::Call, BarrierAction::MakeCookie, BarrierAction::Pass, BarrierAction::Answer];
            actions.extend(of_caller.map(|action| action(caller)));
        }
    }

    fn next_state(&self, last: &BarrierState, action: BarrierAction) -> Option<BarrierState> {
        let mut state = last.clone();
        match action {
            BarrierAction::Write => {
                (state.disk < WRITES).then_some(())?;
                state.disk += 1;
                Self::push(&mut state, WatcherEvent::Written);
            }
            BarrierAction::Deliver => {
                (!state.queue.is_empty()).then_some(())?;
                match state.queue.remove(0) {
                    WatcherEvent::Written => Self::mark(&mut state),
                    WatcherEvent::Cookie(number) => state.seen = state.seen.max(number),
                    WatcherEvent::Overflow => {
                        if self.0 != BarrierFlaw::OverflowMarksNothing {
                            Self::mark(&mut state);
                        }
                        if self.0 != BarrierFlaw::OverflowBreaksNothing {
                            state.breaks += 1;
                        }
                        state.seen = state.made;
                    }
                }
            }
            BarrierAction::Take => {
                (state.is_pending && state.batch == Batch::None).then_some(())?;
                state.is_pending = false;
                state.batch = match self.0 {
                    BarrierFlaw::ReadsFirst => Batch::Read { marks: state.marks, version: state.read_before },
                    _ => Batch::Taken { marks: state.marks },
                };
            }
            BarrierAction::Read => match (state.batch, self.0) {
                (Batch::None, BarrierFlaw::ReadsFirst) => state.read_before = state.disk,
                (Batch::Taken { marks }, _) => state.batch = Batch::Read { marks, version: state.disk },
                _ => return None,
            },
            BarrierAction::Publish => {
                let Batch::Read { marks, version } = state.batch else { return None };
                state.index = version;
                state.settled = if self.0 == BarrierFlaw::SettlesTheNewest { state.marks } else { marks };
                state.batch = Batch::None;
            }
            BarrierAction::Call(caller) => {
                (state.callers[caller] == Caller::Away).then_some(())?;
                let is_under_way = state.seen < state.made;
                let cookie = match self.0 {
                    BarrierFlaw::CookieUnderWay if is_under_way => state.made,
                    _ => state.made + 1,
                };
                let version = state.disk;
                state.callers[caller] = match self.0 {
                    BarrierFlaw::NoCookie => Caller::Settling { version, marks: state.marks },
                    _ => Caller::Waiting { version, cookie, breaks: state.breaks },
                };
            }
            BarrierAction::MakeCookie(caller) => {
                let Caller::Waiting { cookie, breaks, .. } = state.callers[caller] else { return None };
                // At most one is under way; whose turn it is makes the next.
                let is_turn = state.seen == state.made && cookie > state.seen && breaks == state.breaks;
                is_turn.then_some(())?;
                state.made = cookie;
                Self::push(&mut state, WatcherEvent::Cookie(cookie));
            }
            BarrierAction::Pass(caller) => {
                let Caller::Waiting { version, cookie, breaks } = state.callers[caller] else { return None };
                if breaks != state.breaks {
                    // Nobody can say what happened in what order: everything is looked at.
                    Self::mark(&mut state);
                } else {
                    (state.seen >= cookie).then_some(())?;
                }
                state.callers[caller] = Caller::Settling { version, marks: state.marks };
            }
            BarrierAction::Answer(caller) => {
                let Caller::Settling { version, marks } = state.callers[caller] else { return None };
                (state.settled >= marks).then_some(())?;
                state.callers[caller] = Caller::Answered { version, answer: state.index };
            }
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("answers have seen every write before the call", |_, state: &BarrierState| {
                state.callers.iter().all(|caller| match caller {
                    Caller::Answered { version, answer } => answer >= version,
                    _ => true,
                })
            }),
            Property::sometimes("both callers have an answer", |_, state: &BarrierState| {
                state.callers.iter().all(|caller| matches!(caller, Caller::Answered { .. }))
            }),
            Property::sometimes("events are lost while a caller waits", |_, state: &BarrierState| {
                state.breaks > 0
                    && state.callers.iter().any(|caller| matches!(caller, Caller::Settling { .. }))
            }),
        ]
    }
}

const FRESH: &str = "answers have seen every write before the call";

#[test]
fn every_answer_has_seen_the_writes_before_it() {
    holds(Barrier(BarrierFlaw::None));
}

#[test]
fn no_flaw_goes_unseen() {
    for flaw in [
        BarrierFlaw::NoCookie,
        BarrierFlaw::CookieUnderWay,
        BarrierFlaw::SettlesTheNewest,
        BarrierFlaw::OverflowMarksNothing,
        BarrierFlaw::ReadsFirst,
    ] {
        assert!(is_broken(Barrier(flaw), FRESH), "{flaw:?}");
    }
}

/// An overflow marks everything itself, so that a caller which is not told is safe: the second look of those that are is there for
/// backends that lose events without saying at which place.
#[test]
fn telling_callers_of_an_overflow_is_a_second_guard() {
    assert!(!is_broken(Barrier(BarrierFlaw::OverflowBreaksNothing), FRESH));
}
