//! Holds the answers that wait for promotion, and remembers those that need not be promoted again.
//!
//! The thread that promotes them is in `promote`; this file knows of no workspace, so that a workspace can hold it.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use hob_base::lock;
use hob_bridge::AnsweredQuestion;
use rustc_hash::FxHashSet;

use crate::revision::WorkspaceRevision;

/// Most answers of one revision that are remembered; beyond it all are forgotten, and promoted once more.
const MOST_REMEMBERED: usize = 1024;

/// Answers on their way into the map.
#[derive(Debug, Default)]
pub(crate) struct Promoter {
    pub(super) waiting: Mutex<PromotionQueue>,
    /// The stamp up to which confirmed edges have been stored.
    pub(super) saved: AtomicU64,
    /// Number of changes of the map when the store was last searched.
    pub(super) recalled: AtomicU64,
}

/// The answers that wait, and those that need not be promoted again.
#[derive(Debug, Default)]
pub(super) struct PromotionQueue {
    /// Answers, first come first.
    pub(super) answers: VecDeque<WaitingAnswer>,
    /// True while a thread promotes answers.
    pub(super) working: bool,
    pub(super) repeats: Repeats,
}

/// An answer that waits for promotion.
#[derive(Debug)]
pub(super) struct WaitingAnswer {
    pub(super) answered: AnsweredQuestion,
    pub(super) revision: WorkspaceRevision,
    pub(super) hash: u64,
}

/// The hashes of the answers of one revision that have been handed in. Two answers with the same hash by chance cost an
/// edge.
#[derive(Debug, Default)]
pub(super) struct Repeats {
    revision: Option<WorkspaceRevision>,
    hashes: FxHashSet<u64>,
}

impl Repeats {
    /// Notes an answer. Returns true if it is a new one.
    pub(super) fn is_new(&mut self, hash: u64, revision: WorkspaceRevision) -> bool {
        if self.revision != Some(revision) || self.hashes.len() >= MOST_REMEMBERED {
            self.hashes.clear();
            self.revision = Some(revision);
        }
        self.hashes.insert(hash)
    }

    /// Forgets an answer that was not promoted after all.
    pub(super) fn forget_answer(&mut self, hash: u64, revision: WorkspaceRevision) {
        if self.revision == Some(revision) {
            self.hashes.remove(&hash);
        }
    }
}

impl Promoter {
    /// Forgets which edges were saved and which answers were promoted, because the map was started again.
    pub(crate) fn start_over(&self) {
        self.saved.store(0, Ordering::Relaxed);
        lock(&self.waiting).repeats = Repeats::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_new_once_at_each_moment() {
        let mut repeats = Repeats::default();
        let (now, later) = (WorkspaceRevision(1), WorkspaceRevision(2));
        assert!(repeats.is_new(7, now) && !repeats.is_new(7, now) && repeats.is_new(8, now));
        assert!(repeats.is_new(7, later), "something has changed");
        repeats.forget_answer(7, now);
        assert!(!repeats.is_new(7, later), "what failed was another moment's");
        repeats.forget_answer(7, later);
        assert!(repeats.is_new(7, later), "it was not taken in");
    }

    #[test]
    fn remembering_has_an_end() {
        let mut repeats = Repeats::default();
        let many = MOST_REMEMBERED as u64 + 1;
        assert!((0..many).all(|hash| repeats.is_new(hash, WorkspaceRevision(1))));
        assert!(repeats.hashes.len() <= MOST_REMEMBERED);
    }
}
