//! Promotes answers of language servers to edges of the map.
//!
//! A tool passes the answer on and continues; a thread that lives as long as there are answers does the rest. An answer
//! was made at certain contents, and the map must have exactly these: the thread passes the barrier, so that every
//! write until now has been noticed, and goes on only if no file has changed since the question was put. The long part
//! of the work reads the map and is given up when somebody wants to change it; then it begins again, and counts only if
//! there was no change.
//!
//! Clients ask the same question many times, and while nothing changes its answer says nothing new. So the answers
//! of one revision are remembered, and only the first of each is promoted.
//!
//! `queue` holds the answers that wait, `keep` stores confirmed edges and reads them back, `format` defines their disk
//! form.

mod format;
mod keep;
pub(super) mod queue;

use std::hash::BuildHasher as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hob_bridge::{AnsweredQuestion, derive_claims};
use rustc_hash::FxBuildHasher;

use super::freshness::Freshness;
use super::progress::Phase;
use super::revision::WorkspaceRevision;
use super::workspace::Workspace;
pub(super) use format::{content_of, seconds_of};
use hob_base::lock;
pub(super) use keep::{recall_confirmed, save};
use queue::{PromotionQueue, WaitingAnswer};

/// Most answers that wait; further ones are dropped.
const MOST_WAITING: usize = 64;

/// Longest time that the map may take to reach the contents at which the question was put.
const PATIENCE: Duration = Duration::from_secs(10);

/// Most attempts to promote an answer without a change of the map in between.
const ATTEMPTS: usize = 20;

impl Workspace {
    /// Returns the present revision if it is known: in a first index once the text is indexed, even if the map is not.
    #[must_use]
    pub fn current_revision(&self) -> Option<WorkspaceRevision> {
        (self.progress.now().phase > Phase::Text).then(|| self.contents_revision())
    }

    /// Promotes a server's complete answer to a question that was put at `revision`. Returns immediately.
    pub fn promote_answer(self: &Arc<Self>, answered: AnsweredQuestion, revision: WorkspaceRevision) {
        let view = self.live().pool().known_view(self.root());
        if view.is_some_and(|view| !view.unsaved_files().is_empty()) {
            // The answer is about texts that no file has.
            return;
        }
        let hash = FxBuildHasher.hash_one(&answered);
        // In a first index, the map may lack the definitions of the answer, and a repetition of the answer may find
        // them.
        let indexed = self.progress.now().phase == Phase::Done;
        let mut waiting = lock(&self.promoter.waiting);
        if waiting.answers.len() >= MOST_WAITING || (indexed && !waiting.repeats.is_new(hash, revision)) {
            return;
        }
        waiting.answers.push_back(WaitingAnswer { answered, revision, hash });
        if waiting.working {
            return;
        }
        let held = Arc::clone(self);
        let body = move || {
            if catch_unwind(AssertUnwindSafe(|| work_off_answers(&held))).is_err() {
                tracing::error!(root = %held.root(), "promoting hit a bug; the edges stay as they were");
                // The next answer starts again.
                *lock(&held.promoter.waiting) = PromotionQueue::default();
            }
        };
        // If no thread can be started, the map gains no edges and stays right.
        waiting.working = std::thread::Builder::new().name("hob-promoter".to_owned()).spawn(body).is_ok();
    }
}

fn work_off_answers(workspace: &Workspace) {
    loop {
        let next = {
            let mut waiting = lock(&workspace.promoter.waiting);
            let next = waiting.answers.pop_front().filter(|_| workspace.closing.check().is_ok());
            waiting.working = next.is_some();
            next
        };
        let Some(WaitingAnswer { answered, revision, hash }) = next else { return };
        let fresh = workspace.barrier(true, PATIENCE) == Freshness::Fresh;
        if !(fresh && apply_promotion(workspace, &answered, revision)) {
            lock(&workspace.promoter.waiting).repeats.forget_answer(hash, revision);
        }
    }
}

/// Adds the edges of an answer to the map. Returns true if all edges of the answer are in.
fn apply_promotion(workspace: &Workspace, answered: &AnsweredQuestion, revision: WorkspaceRevision) -> bool {
    let start = Instant::now();
    let go_on = || !workspace.is_map_wanted() && !workspace.closing.is_cancelled();
    for _ in 0..ATTEMPTS {
        if workspace.closing.is_cancelled() {
            return false;
        }
        let examined = {
            let map = workspace.map();
            // The map is held for this: text is always ahead of it, so the map's contents are of this revision or
            // older, and no older ones are still to come.
            if workspace.contents_revision() != revision {
                return false;
            }
            map.examine(&derive_claims(&map, answered), &go_on)
        };
        let Some(examined) = examined else {
            workspace.map.give_way();
            continue;
        };
        if examined.is_empty() || workspace.install_confirmed(examined) {
            tracing::debug!(root = %workspace.root(), took = ?start.elapsed(), "took an answer into the map");
            return true;
        }
    }
    false
}
