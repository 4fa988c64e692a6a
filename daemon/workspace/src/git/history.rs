//! Reads the history of single files: commits, their parents, and the contents that a path has in each.
//!
//! One reader serves one walk, so that the folders which many commits share are unpacked once.

use gix::objs::TreeRefIter;
use hob_base::WsPath;

use super::commits::Commit;
use super::{GitError, Oid, Repository};

/// The parents of a commit, as far as the repository has them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommitParents {
    /// The parents that are there, in their order.
    pub present: Vec<Oid>,
    /// True if some parents are missing: a shallow history ends here.
    pub is_cut: bool,
}

/// Reads commits, and single files in them.
pub struct HistoryReader {
    repository: gix::Repository,
    prefix: Vec<String>,
}

impl std::fmt::Debug for HistoryReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "HistoryReader({})", self.repository.git_dir().display())
    }
}

impl Repository {
    /// Returns a reader for one walk through the history.
    #[must_use]
    pub fn read_history(&self) -> HistoryReader {
        HistoryReader { repository: self.open(), prefix: self.prefix.clone() }
    }
}

impl HistoryReader {
    /// Returns the commit, as lists show it.
    ///
    /// # Errors
    /// [`GitError::Read`] for a missing or damaged commit.
    pub fn commit(&self, commit: Oid) -> Result<Commit, GitError> {
        let found = self.repository.find_commit(commit.0);
        Commit::from_commit(&found.map_err(|error| GitError::of_object("the commit", commit, &error))?)
    }

    /// Returns the parents of a commit.
    ///
    /// # Errors
    /// As [`Self::commit`].
    pub fn parents_of(&self, commit: Oid) -> Result<CommitParents, GitError> {
        let found = self.repository.find_commit(commit.0);
        let found = found.map_err(|error| GitError::of_object("the commit", commit, &error))?;
        let all: Vec<Oid> = found.parent_ids().map(|id| Oid(id.detach())).collect();
        let present: Vec<Oid> =
            all.iter().copied().filter(|parent| self.repository.has_object(parent.0)).collect();
        Ok(CommitParents { is_cut: present.len() < all.len(), present })
    }

    /// Returns the contents of the file at `path` in a commit; `None` if there is no file.
    ///
    /// # Errors
    /// [`GitError::Read`] for missing or damaged objects.
    pub fn blob_at(&self, commit: Oid, path: &WsPath) -> Result<Option<Oid>, GitError> {
        let damaged = |error| GitError::of_object("the commit", commit, &error);
        let found = self.repository.find_commit(commit.0).map_err(damaged)?;
        let mut id = found.tree_id().map_err(damaged)?.detach();
        let folders = self.prefix.iter().map(String::as_str);
        let names: Vec<&str> = folders.chain(path.as_str().split('/')).collect();
        for (at, name) in names.iter().enumerate() {
            let is_last = at + 1 == names.len();
            match self.entry(id, name, is_last)? {
                Some(found) => id = found,
                None => return Ok(None),
            }
        }
        Ok(Some(Oid(id)))
    }

    /// Returns the contents `oid`; `None` when they are longer than `max_bytes`.
    ///
    /// # Errors
    /// [`GitError::Read`] if the contents are missing or damaged, or `oid` is not a file's.
    pub fn read_blob(&self, oid: Oid, max_bytes: u64) -> Result<Option<Vec<u8>>, GitError> {
        let damaged = |error| GitError::of_object("the file contents", oid, &error);
        if self.repository.find_header(oid.0).map_err(damaged)?.size() > max_bytes {
            return Ok(None);
        }
        Ok(Some(self.repository.find_blob(oid.0).map_err(damaged)?.detach().data))
    }

    /// Returns the file or folder of this name in a tree.
    fn entry(
        &self,
        tree: gix::ObjectId,
        name: &str,
        is_file: bool,
    ) -> Result<Option<gix::ObjectId>, GitError> {
        let damaged = |error| GitError::of_object("the folder", Oid(tree), &error);
        let found = self.repository.find_tree(tree).map_err(damaged)?;
        for entry in TreeRefIter::from_bytes(&found.data, tree.kind()) {
            let entry = entry.map_err(|error| GitError::Read {
                what: format!("the folder {tree}"),
                why: error.to_string(),
            })?;
            let fits = if is_file { entry.mode.is_blob() } else { entry.mode.is_tree() };
            if fits && entry.filename == name {
                return Ok(Some(entry.oid.to_owned()));
            }
        }
        Ok(None)
    }
}
