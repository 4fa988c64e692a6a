//! Holds the services that all workspaces of a daemon share: thread pools, notices, language servers, settings, models and trust.

use std::sync::Arc;

use hob_live::live::Live;
use hob_settings::Settings;

use super::notices::Notices;
use super::trust::Trust;
use super::vectors::models::Models;

/// The services that all workspaces of a daemon share.
#[derive(Clone, Debug)]
pub(super) struct SharedServices {
    pub(super) pools: Arc<Pools>,
    pub(super) notices: Arc<Notices>,
    pub(super) live: Arc<Live>,
    pub(super) settings: Arc<Settings>,
    pub(super) models: Arc<Models>,
    pub(super) trust: Trust,
}

/// The thread pools. Indexing never takes the threads on which answers are computed.
#[derive(Debug)]
pub(super) struct Pools {
    pub(super) index: rayon::ThreadPool,
    pub(super) query: rayon::ThreadPool,
    /// One thread for background merges of the indexes, on which no answer waits.
    pub(super) merge: rayon::ThreadPool,
}

impl Pools {
    /// Starts the threads; `index_threads` is 0 for as many as there are processors.
    pub(super) fn new(index_threads: usize) -> Result<Self, rayon::ThreadPoolBuildError> {
        let pool = |name: &'static str, threads: usize| {
            let named = rayon::ThreadPoolBuilder::new().thread_name(move |i| format!("hob-{name}-{i}"));
            named.num_threads(threads).build()
        };
        // Zero is as many as there are processors.
        Ok(Self { index: pool("index", index_threads)?, query: pool("query", 0)?, merge: pool("merge", 1)? })
    }
}
