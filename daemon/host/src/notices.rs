//! Collects notices of events that no call has asked for, until users are shown them.

use std::sync::Mutex;

use hob_base::lock;

/// Notices that users should read; there is at most one of each kind.
#[derive(Debug, Default)]
pub(super) struct Notices {
    list: Mutex<Vec<(&'static str, String)>>,
}

impl Notices {
    /// Adds a notice unless one of this kind is there.
    pub(super) fn add_once(&self, kind: &'static str, text: String) {
        let mut list = lock(&self.list);
        if list.iter().all(|(other, _)| *other != kind) {
            tracing::warn!("{text}");
            list.push((kind, text));
        }
    }

    /// Returns the notices so far, oldest first.
    pub(super) fn all(&self) -> Vec<String> {
        lock(&self.list).iter().map(|(_, text)| text.clone()).collect()
    }
}
