//! An edit of two files is carried out whole or not at all, whenever the process ends, and never takes what somebody else wrote
//! (`daemon/edit/src/journal.rs`).
//!
//! The steps are those of the journal's header. A crash may come after each of them, also while a recovery runs; somebody else may write to
//! a file at any moment before its exchange.

use stateright::{Model, Property};

use crate::check::{holds, is_broken};

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
struct JournalState {
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
enum JournalAction {
    Go,
    Crash,
    Recover,
    WrittenByOthers(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum JournalFlaw {
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

struct Journal(JournalFlaw);

impl Journal {
    fn after_record(&self) -> Step {
        if self.0 == JournalFlaw::ExchangesBeforeTheMark { Step::Exchange(0) } else { Step::Mark }
    }

    fn after_exchanges(&self) -> Step {
        match self.0 {
            JournalFlaw::ExchangesBeforeTheMark => Step::Mark,
            JournalFlaw::RemovesTheMarkFirst => Step::RemoveMark,
            _ => Step::RemoveRecord,
        }
    }

    fn go(&self, state: &mut JournalState) -> Option<()> {
        state.step = match state.step {
            Step::Record => {
                state.has_record = true;
                self.after_record()
            }
            Step::Mark => {
                state.has_mark = true;
                if self.0 == JournalFlaw::ExchangesBeforeTheMark {
                    Step::RemoveRecord
                } else {
                    Step::Exchange(0)
                }
            }
            Step::Exchange(file) => {
                match state.files[file] {
                    // Both exchange their names at once; what was displaced is looked at then, and goes back.
                    Content::Foreign if self.0 != JournalFlaw::DoesNotCompare => {
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
                if state.has_mark && self.0 != JournalFlaw::RemovesTheMarkFirst {
                    Step::RemoveMark
                } else {
                    Self::end(state)
                }
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

    fn end(state: &mut JournalState) -> Step {
        state.is_confirmed = state.files.contains(&Content::New);
        Step::Ended
    }
}

impl Model for Journal {
    type State = JournalState;
    type Action = JournalAction;

    fn init_states(&self) -> Vec<JournalState> {
        vec![JournalState {
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

    fn actions(&self, _state: &JournalState, actions: &mut Vec<JournalAction>) {
        actions.extend([JournalAction::Go, JournalAction::Crash, JournalAction::Recover]);
        actions.extend((0..FILES).map(JournalAction::WrittenByOthers));
    }

    fn next_state(&self, last: &JournalState, action: JournalAction) -> Option<JournalState> {
        let mut state = last.clone();
        match action {
            JournalAction::Go => self.go(&mut state)?,
            JournalAction::Crash => {
                (state.crashes < CRASHES && !matches!(state.step, Step::Down | Step::Ended)).then_some(())?;
                state.crashes += 1;
                state.step = Step::Down;
            }
            JournalAction::Recover => {
                (state.step == Step::Down).then_some(())?;
                state.step = match (state.has_record, state.has_mark) {
                    (true, true) => Step::Exchange(0),
                    (true, false) if self.0 == JournalFlaw::CarriesOutWithoutMark => Step::Exchange(0),
                    (true, false) => Step::PutBack(0),
                    (false, true) => Step::RemoveMark,
                    (false, false) => Step::Ended,
                };
            }
            // Once, and only before the file is exchanged: later writes are to the new file.
            JournalAction::WrittenByOthers(file) => {
                (!state.has_written && state.files[file] == Content::Old).then_some(())?;
                state.has_written = true;
                state.files[file] = Content::Foreign;
            }
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(WHOLE, |_, state: &JournalState| {
                let has = |content| state.files.contains(&content);
                state.step != Step::Ended || state.has_written || !(has(Content::Old) && has(Content::New))
            }),
            Property::always(FOREIGN, |_, state: &JournalState| !state.is_lost),
            Property::always(CLEAN, |_, state: &JournalState| {
                state.step != Step::Ended || !(state.has_record || state.has_mark)
            }),
            Property::always(UNMARKED, |_, state: &JournalState| {
                state.has_mark
                    || state.crashes > 0
                    || state.has_written
                    || state.step == Step::Ended
                    || !state.files.contains(&Content::New)
            }),
            Property::sometimes("it is carried out", |_, state: &JournalState| state.is_confirmed),
            Property::sometimes("it is taken back after a crash", |_, state: &JournalState| {
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
    holds(Journal(JournalFlaw::None));
}

#[test]
fn no_flaw_goes_unseen() {
    for (flaw, property) in [
        (JournalFlaw::ExchangesBeforeTheMark, UNMARKED),
        (JournalFlaw::RemovesTheMarkFirst, UNMARKED),
        (JournalFlaw::DoesNotCompare, FOREIGN),
    ] {
        assert!(is_broken(Journal(flaw), property), "{flaw:?}");
    }
}

/// A recovery that carries out what has no mark is whole, too, but does what nobody was promised: the mark is what the user is told by.
#[test]
fn carrying_out_without_a_mark_never_takes_back() {
    assert!(!is_broken(Journal(JournalFlaw::CarriesOutWithoutMark), WHOLE));
}
