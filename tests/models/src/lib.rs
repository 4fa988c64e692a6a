//! The protocols that hob's promises rest on, each as a small state machine of which every state is visited: the barrier, changes
//! without an event, who is the daemon, whose text of a document counts, and the journal of edits.
//!
//! A model says what the code's header says, in steps as small as those between which something else can happen. Each has its invariants,
//! and *flaws*: changes of one step, each of which an invariant must catch. A flaw that nothing catches would mean that the model is too
//! coarse to speak for the code.
//!
//! What it is not: a test of the code. That the code takes these steps is tested where it stands, on the real thing. One part is explored
//! itself: `dirty_set` runs the dirty set's own code under schedules of threads that are drawn by chance.

#[cfg(test)]
mod barrier;
#[cfg(test)]
mod documents;
#[cfg(test)]
mod hand_over;
#[cfg(test)]
mod journal;
#[cfg(test)]
mod silent;

/// The dirty set's own code, with locks whose schedule the exploration chooses.
#[cfg(test)]
#[path = "../../../daemon/workspace/src/dirty.rs"]
#[allow(dead_code, unreachable_pub, reason = "the code of another crate")]
mod dirty;
#[cfg(test)]
mod dirty_set;
#[cfg(test)]
mod sync {
    //! In place of `daemon/workspace/src/sync.rs`.

    pub(crate) use std::sync::PoisonError;

    pub(crate) use shuttle::sync::{Condvar, Mutex, MutexGuard};
}

#[cfg(test)]
mod check {
    //! Explores a model, and looks for what must be found.

    use stateright::{Checker as _, HasDiscoveries, Model};

    /// Visits every state; all invariants hold. Prints how many there are.
    pub(crate) fn holds<M>(model: M)
    where
        M: Model + Send + Sync + 'static,
        M::State: std::fmt::Debug + std::hash::Hash + Send + Sync + Clone + PartialEq,
        M::Action: std::fmt::Debug + Send + Sync + Clone + PartialEq,
    {
        let checker = model.checker().threads(2).spawn_bfs().join();
        println!("{} states, {} of them different", checker.state_count(), checker.unique_state_count());
        checker.assert_properties();
    }

    /// Returns true if a flawed model breaks a property; looks no further then.
    pub(crate) fn is_broken<M>(model: M, property: &'static str) -> bool
    where
        M: Model + Send + Sync + 'static,
        M::State: std::fmt::Debug + std::hash::Hash + Send + Sync + Clone + PartialEq,
        M::Action: std::fmt::Debug + Send + Sync + Clone + PartialEq,
    {
        let found = HasDiscoveries::AnyOf([property].into());
        let checker = model.checker().threads(2).finish_when(found).spawn_bfs().join();
        checker.discovery(property).is_some()
    }
}
