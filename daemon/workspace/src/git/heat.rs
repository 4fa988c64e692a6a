//! Counts the commits that changed each file since a moment: how hot the files are.
//!
//! A merge contributes only the commits of its other side, so that a change is counted once, where it was made. A file
//! that was moved starts from zero under its new path: following moves would need a comparison of contents, and a heat
//! map does not need that.

use std::collections::HashMap;

use hob_base::{CancelToken, WsPath};

use super::{GitError, Oid, Repository};

/// Most commits that are counted.
const COMMITS: usize = 50_000;

/// The commits that changed each file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeCounts {
    /// Number of commits by file; only files that changed.
    pub files: HashMap<WsPath, u32>,
    /// Number of commits that were looked at.
    pub commits: usize,
    /// True if commits are missing: the history is shallow or damaged there, or the time ran out.
    pub is_cut: bool,
}

impl Repository {
    /// Counts the commits that changed each file, among those since `since` (seconds since 1970) in the history of the
    /// checked-out one.
    ///
    /// # Errors
    /// [`GitError::Read`] if `HEAD` is damaged. A history that breaks off, and a deadline that passes, give the counts
    /// so far.
    pub fn count_changes(&self, since: i64, cancel: &CancelToken) -> Result<ChangeCounts, GitError> {
        let mut counts = ChangeCounts::default();
        let Some(head) = self.head()?.commit else { return Ok(counts) };
        let repository = self.open();
        let newest =
            gix::revision::walk::Sorting::ByCommitTimeCutoff { order: Default::default(), seconds: since };
        let walk = repository.rev_walk([head.0]).sorting(newest).all();
        let walk = walk.map_err(|error| GitError::of_object("the history of", head, &error))?;
        let reader = self.read_history();
        for step in walk {
            let Ok(step) = step else {
                counts.is_cut = true;
                break;
            };
            let commit = Oid(step.id);
            let Ok(parents) = reader.parents_of(commit) else {
                counts.is_cut = true;
                break;
            };
            if cancel.check().is_err() || counts.commits == COMMITS {
                counts.is_cut = true;
                break;
            }
            counts.is_cut |= parents.is_cut;
            // A merge changes nothing itself. The first commit of all adds every file, which is no change either.
            let [parent] = parents.present.as_slice() else { continue };
            let Ok(changed) = self.changed_between(*parent, commit, cancel) else {
                counts.is_cut = true;
                break;
            };
            counts.commits += 1;
            for change in changed {
                *counts.files.entry(change.path).or_default() += 1;
            }
        }
        Ok(counts)
    }
}
