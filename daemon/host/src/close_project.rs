//! Closes one project at the user's request, which frees its memory and its language servers immediately.
//!
//! The project is saved before, so the next question opens it again without a new index. Unlike `purge`, this removes
//! nothing from the disk.

use hob_base::{AbsPath, lock};

use super::registry::Host;

/// A project that was closed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClosedProject {
    /// The root of the project.
    pub root: AbsPath,
    /// True if it was open.
    pub was_open: bool,
    /// The memory that its map and texts took, in bytes.
    pub freed: u64,
    /// Language servers that were ended with it.
    pub servers: Vec<String>,
}

impl Host {
    /// Closes the project that `start` is or is in, as an eviction does.
    #[must_use]
    pub fn close_project(&self, start: &AbsPath) -> ClosedProject {
        let root = self.open_root_around(start);
        // Under the lock: a workspace must not be opened again before it has been saved.
        let mut open = lock(&self.open);
        let gone = open.remove(&root);
        let freed = gone.as_ref().map_or(0, |gone| gone.workspace.heap_bytes());
        if let Some(gone) = &gone {
            tracing::info!(%root, "closing a workspace because its user says so");
            gone.workspace.close();
        }
        drop(open);
        let servers = self.end_servers_of(&root);
        ClosedProject { root, was_open: gone.is_some(), freed, servers }
    }

    /// Ends the language servers of a project, and returns their names once they have ended.
    pub(super) fn end_servers_of(&self, root: &AbsPath) -> Vec<String> {
        let pool = self.shared.live.pool();
        let keys = pool.keys(root);
        keys.iter().for_each(|key| pool.stop(key));
        keys.iter().map(|key| key.server.to_owned()).collect()
    }

    /// Returns the innermost open project around a path, which may be gone from the disk; else the root that hob would
    /// choose.
    fn open_root_around(&self, start: &AbsPath) -> AbsPath {
        let found = self.root_of(start).ok();
        let open = lock(&self.open);
        let is_open = |root: &AbsPath| open.contains_key(root);
        if let Some(root) = found.as_ref().filter(|root| is_open(root)) {
            return root.clone();
        }
        let around = open.keys().filter(|root| start.as_path().starts_with(root.as_path()));
        let innermost = around.max_by_key(|root| root.as_path().components().count()).cloned();
        innermost.or(found).unwrap_or_else(|| start.clone())
    }
}
