//! The protocols that hob's promises rest on, each as a small state machine of which every state is visited: the barrier, who is the
//! daemon, whose text of a document counts, and the journal of edits.
//!
//! A model says what the code's header says, in steps as small as those between which something else can happen. Each has its invariants,
//! and *flaws*: changes of one step, each of which an invariant must catch. A flaw that nothing catches would mean that the model is too
//! coarse to speak for the code.
//!
//! What it is not: a test of the code. That the code takes these steps is tested where it stands, on the real thing.

#[cfg(test)]
mod barrier;
#[cfg(test)]
mod documents;
#[cfg(test)]
mod hand_over;
#[cfg(test)]
mod journal;

#[cfg(test)]
mod check {
    //! Explores a model, and looks for what must be found.

    use stateright::{Checker as _, Model};

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

    /// Returns the names of the properties that a flawed model breaks.
    pub(crate) fn broken<M>(model: M) -> Vec<&'static str>
    where
        M: Model + Send + Sync + 'static,
        M::State: std::fmt::Debug + std::hash::Hash + Send + Sync + Clone + PartialEq,
        M::Action: std::fmt::Debug + Send + Sync + Clone + PartialEq,
    {
        let checker = model.checker().threads(2).spawn_bfs().join();
        let mut names: Vec<&'static str> = checker.discoveries().into_keys().collect();
        names.sort_unstable();
        names
    }
}
