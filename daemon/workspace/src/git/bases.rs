//! Finds the commits at which a change begins (parents, merge bases, the branch that a branch came from), and the
//! staged files.

use gix::index::entry::{Mode, Stage};
use hob_base::WsPath;

use super::{GitError, Oid, Repository, TreeFile};

/// Branch names to try where neither an upstream nor `origin/HEAD` is known.
const USUAL: [&str; 4] =
    ["refs/remotes/origin/main", "refs/remotes/origin/master", "refs/heads/main", "refs/heads/master"];

/// The revision that a branch is compared with, and why it is that one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseGuess {
    /// The short name of the ref, as in `origin/main`.
    pub name: String,
    /// The commit that the ref leads to.
    pub commit: Oid,
}

/// The files of git's index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StagedFiles {
    /// The files with their staged contents, sorted by path.
    pub files: Vec<TreeFile>,
    /// Files in conflict, of which the index has several versions.
    pub conflicted: Vec<WsPath>,
}

impl Repository {
    /// Returns the parents of a commit; none for the first one, or where a shallow history ends.
    ///
    /// # Errors
    /// [`GitError::Read`] for a missing or damaged commit.
    pub fn parents_of(&self, commit: Oid) -> Result<Vec<Oid>, GitError> {
        Ok(self.read_history().parents_of(commit)?.present)
    }

    /// Returns the best common ancestor of two commits; `None` if they have none.
    ///
    /// # Errors
    /// [`GitError::Read`] for a damaged history.
    pub fn merge_base(&self, one: Oid, two: Oid) -> Result<Option<Oid>, GitError> {
        let repository = self.open();
        let found = repository.merge_base(one.0, two.0);
        let found = found.map_err(|error| GitError::of_object("the common history of", one, &error))?;
        Ok(found.map(|id| Oid(id.detach())))
    }

    /// Returns the commit of a local or remote branch with this name; `None` for tags, IDs and expressions.
    #[must_use]
    pub fn branch_commit(&self, name: &str) -> Option<Oid> {
        let repository = self.open();
        let full = [format!("refs/heads/{name}"), format!("refs/remotes/{name}")];
        full.iter().find_map(|full| commit_of(&repository, full))
    }

    /// Guesses which branch `branch` (or the checked-out commit) came from: its upstream, unless that is the same branch of the
    /// remote; then `origin/HEAD`; then `main` or `master`; at last its upstream all the same. `None` if there is none of them.
    #[must_use]
    pub fn guess_base(&self, branch: Option<&str>) -> Option<BaseGuess> {
        let repository = self.open();
        let own = branch.map(|branch| format!("refs/heads/{branch}"));
        let upstream = own.as_deref().and_then(|own| upstream_of(&repository, own));
        let is_other = |full: &String| branch.is_none_or(|branch| !is_ref_of(full, branch));
        let default = symbolic_target(&repository, "refs/remotes/origin/HEAD");
        let usual = USUAL.iter().map(|name| (*name).to_owned());
        let others = upstream.clone().into_iter().chain(default).chain(usual).filter(is_other);
        // For a branch that all others come from, the change is the commits that are not pushed.
        let candidates = others.chain(upstream);
        candidates.into_iter().find_map(|full| {
            let commit = commit_of(&repository, &full)?;
            let short = full.strip_prefix("refs/heads/").or_else(|| full.strip_prefix("refs/remotes/"));
            Some(BaseGuess { name: short.unwrap_or(&full).to_owned(), commit })
        })
    }

    /// Returns the files of the index: what the next commit would have.
    ///
    /// # Errors
    /// [`GitError::Read`] for a damaged index.
    pub fn staged_files(&self) -> Result<StagedFiles, GitError> {
        let repository = self.open();
        let index = repository.index_or_load_from_head_or_empty();
        let index = index.map_err(|error| GitError::read("the index", &error))?;
        let prefix: String = self.prefix.iter().map(|part| format!("{part}/")).collect();
        let mut staged = StagedFiles::default();
        for entry in index.entries() {
            let is_file = entry.mode == Mode::FILE || entry.mode == Mode::FILE_EXECUTABLE;
            let path =
                std::str::from_utf8(entry.path(&index)).ok().and_then(|path| path.strip_prefix(&prefix));
            let Some(path) = path.filter(|_| is_file).and_then(|path| WsPath::new(path).ok()) else {
                continue;
            };
            match entry.stage() {
                Stage::Unconflicted => staged.files.push(TreeFile { path, blob: Oid(entry.id) }),
                _ => staged.conflicted.push(path),
            }
        }
        staged.files.sort_by(|a, b| a.path.cmp(&b.path));
        staged.conflicted.sort();
        staged.conflicted.dedup();
        Ok(staged)
    }
}

/// Returns true if a ref has the name of `branch`, here or at a remote.
fn is_ref_of(full: &str, branch: &str) -> bool {
    let remote = full.strip_prefix("refs/remotes/").and_then(|rest| rest.split_once('/'));
    full.strip_prefix("refs/heads/") == Some(branch) || remote.is_some_and(|(_, name)| name == branch)
}

fn commit_of(repository: &gix::Repository, full: &str) -> Option<Oid> {
    let mut reference = repository.try_find_reference(full).ok()??;
    reference.peel_to_commit().ok().map(|commit| Oid(commit.id))
}

fn upstream_of(repository: &gix::Repository, full: &str) -> Option<String> {
    let name: gix::refs::FullName = full.try_into().ok()?;
    let found = repository.branch_remote_tracking_ref_name(name.as_ref(), gix::remote::Direction::Fetch)?;
    found.ok().map(|name| name.as_bstr().to_string())
}

fn symbolic_target(repository: &gix::Repository, full: &str) -> Option<String> {
    let reference = repository.try_find_reference(full).ok()??;
    match reference.target() {
        gix::refs::TargetRef::Symbolic(name) => Some(name.as_bstr().to_string()),
        gix::refs::TargetRef::Object(_) => None,
    }
}
