//! Promotion: what language servers answered becomes edges of the map.
//!
//! A tool hands the answer in and goes on; a thread that lives as long as there are answers does the rest. An answer was made
//! at certain contents, and the map must have exactly these: the thread passes the barrier, so that every write until now has
//! been noticed, and then goes on only if no file has changed since the question was put. The work that takes time
//! is done while reading the map and given up when somebody wants to change it; then it begins again, and counts only
//! if there was no change.
//!
//! The same question is asked again and again, and while nothing changes its answer says nothing new. So those of one moment
//! are remembered, and only the first of each is taken in.
//!
//! `queue` holds the answers that wait, `keep` brings what was confirmed to the store and back, `format` says in which form.

mod format;
mod keep;
pub(super) mod queue;

use std::hash::BuildHasher as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hob_bridge::{Answered, derive_claims};
use rustc_hash::FxBuildHasher;

use super::freshness::Freshness;
use super::progress::Phase;
use super::revision::Moment;
use super::workspace::Workspace;
pub(super) use format::{content_of, seconds_of};
use hob_base::lock;
pub(super) use keep::{recall_confirmed, save};
use queue::{HandedIn, PromotionQueue};

/// Answers that wait; more are not worth waiting for.
const MOST_WAITING: usize = 64;

/// Longest time that the map may take to reach the contents at which the question was put.
const PATIENCE: Duration = Duration::from_secs(10);

/// Most times that changes of the map may get in between.
const ATTEMPTS: usize = 20;

impl Workspace {
    /// The contents of now, if they are known: in a first index the text is, the map may be on its way.
    #[must_use]
    pub fn current_revision(&self) -> Option<Moment> {
        (self.progress.now().phase > Phase::Text).then(|| self.contents_moment())
    }

    /// Takes over what a server answered completely to a question put at `moment`. Returns at once.
    pub fn promote_answer(self: &Arc<Self>, answered: Answered, moment: Moment) {
        let view = self.live().pool().known_view(self.root());
        if view.is_some_and(|view| !view.unsaved_files().is_empty()) {
            // It is of texts that no file has.
            return;
        }
        let hash = FxBuildHasher.hash_one(&answered);
        // In a first index the map may lack what the answer is about, and the next such answer may find it.
        let indexed = self.progress.now().phase == Phase::Done;
        let mut waiting = lock(&self.promoter.waiting);
        if waiting.answers.len() >= MOST_WAITING || (indexed && !waiting.repeats.is_new(hash, moment)) {
            return;
        }
        waiting.answers.push_back(HandedIn { answered, moment, hash });
        if waiting.working {
            return;
        }
        let held = Arc::clone(self);
        let body = move || {
            if catch_unwind(AssertUnwindSafe(|| work_off_answers(&held))).is_err() {
                tracing::error!(root = %held.root(), "promoting hit a bug; the edges stay as they were");
                // The next answer begins anew.
                *lock(&held.promoter.waiting) = PromotionQueue::default();
            }
        };
        // Without a thread the map learns nothing, and says nothing wrong.
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
        let Some(HandedIn { answered, moment, hash }) = next else { return };
        let fresh = workspace.barrier(true, PATIENCE) == Freshness::Fresh;
        if !(fresh && take_in(workspace, &answered, moment)) {
            lock(&workspace.promoter.waiting).repeats.forget_answer(hash, moment);
        }
    }
}

/// Adds the edges of an answer to the map; returns true if everything that there is to be had from the answer is in.
fn take_in(workspace: &Workspace, answered: &Answered, moment: Moment) -> bool {
    let start = Instant::now();
    let go_on = || !workspace.is_map_wanted() && !workspace.closing.is_cancelled();
    for _ in 0..ATTEMPTS {
        if workspace.closing.is_cancelled() {
            return false;
        }
        let examined = {
            let map = workspace.map();
            // With the map in hand: text is always ahead of it, so what the map has is of this moment or older, and
            // nothing older is left to come.
            if workspace.contents_moment() != moment {
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
