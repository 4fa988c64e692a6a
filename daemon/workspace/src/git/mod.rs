//! Reads a workspace's git data: refs, commits, and the files of a revision. Writes nothing.
//!
//! `gix` reads the repository's files itself, so that **nothing of the repository is ever executed**: no git, no hook,
//! no filter, no file-system monitor, no program that a configuration names. It reads the repository's own
//! configuration alone: includes, the user's and the system's files and the environment are ignored, and nothing is
//! fetched. Only this folder uses the library.
//!
//! Blobs are returned as git stores them. In a checkout, filters may change them (line ends, large-file pointers,
//! encodings), and filters are programs; [`compare_files()`] ignores differences in line ends.
//!
//! Names that are not UTF-8: files are left out (no answer could name them); names of refs and authors and the texts of
//! commits are shown with replacement characters.
//!
//! In use: [`Repository::discover`] for each question, which costs a few file reads and cannot be out of date; then
//! [`Repository::commit`] turns words into a commit, and the rest works with its [`Oid`]. Those few file reads are many where objects
//! are loose: whoever only wants to know whether a ref has a name asks [`list_ref_names`] first.

mod bases;
mod checkout;
mod commits;
mod compare;
mod error;
mod heat;
mod history;
mod names;
mod plain;
mod refs;
mod remotes;
mod trees;

use std::fmt;
use std::path::PathBuf;

use hob_base::AbsPath;

pub use bases::{BaseGuess, StagedFiles};
pub use checkout::Checkout;
pub use commits::{Commit, Commits};
pub use compare::{Comparison, Differences, compare_files};
pub use error::GitError;
pub use heat::ChangeCounts;
pub use history::{CommitParents, HistoryReader};
pub use names::{RefName, list_ref_names};
pub use refs::{Head, Ref, RefKind, Refs};
pub use trees::{TreeChange, TreeFile};

use error::why;

/// Bytes of unpacked objects that one question may cache, so that walks do not unpack the same delta chains again.
const CACHE: usize = 16 << 20;

/// The name of an object: of a commit, or of a file's contents.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Oid(gix::ObjectId);

impl Oid {
    /// Reads the 40 hexadecimal digits of a name; anything else is `None`.
    #[must_use]
    pub fn parse(hex: &str) -> Option<Self> {
        gix::ObjectId::from_hex(hex.as_bytes()).ok().map(Self)
    }

    /// Returns the name that git would give to a file with these `bytes`: SHA-1 of `blob`, the length, and the bytes.
    /// `None` for bytes that were made to collide, which git refuses as well.
    #[must_use]
    pub fn of_blob(bytes: &[u8]) -> Option<Self> {
        gix::objs::compute_hash(gix::hash::Kind::Sha1, gix::objs::Kind::Blob, bytes).ok().map(Self)
    }

    /// Returns the first digits, as people write them: mostly enough to name a commit, but not always unique.
    #[must_use]
    pub fn short_hex(&self) -> String {
        self.0.to_hex_with_len(10).to_string()
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Oid({})", self.0)
    }
}

/// The repository that a workspace lies in. Cheap to clone, usable from any thread.
#[derive(Clone)]
pub struct Repository {
    inner: gix::ThreadSafeRepository,
    /// The workspace's folder in the working tree: `a/b`, or nothing if the workspace is the whole tree.
    prefix: Vec<String>,
}

impl fmt::Debug for Repository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Repository({})", self.inner.git_dir().display())
    }
}

impl Repository {
    /// Returns the repository whose working tree holds the folder `root`: its own, one of a folder above it (on the
    /// same file system), or the one that a linked worktree or a submodule points to. `None` when there is none.
    ///
    /// # Errors
    /// [`GitError::Open`] for a repository that exists but cannot be used: it is damaged, or of an unknown format.
    pub fn discover(root: &AbsPath) -> Result<Option<Self>, GitError> {
        if let Some(why) = plain::find_obstacle(root) {
            return Err(GitError::Open { root: root.clone(), why });
        }
        let options = gix::open::Options::isolated();
        let trusted = gix::sec::trust::Mapping { full: options.clone(), reduced: options };
        let search = gix::discover::upwards::Options { dot_git_only: true, ..Default::default() };
        let found = gix::ThreadSafeRepository::discover_opts(root.as_path(), search, trusted);
        match found {
            Ok(inner) => match foreign_refs(&inner) {
                Some(why) => Err(GitError::Open { root: root.clone(), why }),
                None => Ok(prefix_of_root(&inner, root).map(|prefix| Self { inner, prefix })),
            },
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(GitError::Open { root: root.clone(), why: why(&error) }),
        }
    }

    /// Opens the repository for one question, on one thread.
    fn open(&self) -> gix::Repository {
        let mut repository = self.inner.to_thread_local();
        repository.object_cache_size(CACHE);
        repository
    }
}

/// Returns the reason why the refs cannot be read, if there is one: the library would silently find none.
fn foreign_refs(repository: &gix::ThreadSafeRepository) -> Option<String> {
    let storage = repository.to_thread_local().config_snapshot().string("extensions.refStorage")?.to_string();
    let is_known = storage.eq_ignore_ascii_case("files");
    (!is_known).then(|| format!("its refs are stored as `{storage}`, of which only git knows the form"))
}

fn is_absent(error: &gix::Error) -> bool {
    use gix::discover::upwards::Error::{
        NoGitRepository, NoGitRepositoryWithinCeiling, NoGitRepositoryWithinFs,
    };
    matches!(
        error.downcast_any_ref(),
        Some(NoGitRepository { .. } | NoGitRepositoryWithinCeiling { .. } | NoGitRepositoryWithinFs { .. })
    )
}

/// Returns the place of `root` in the working tree, by the names on the disk. `None` when it is outside: within `.git`,
/// or where `core.worktree` says that the files are elsewhere.
fn prefix_of_root(repository: &gix::ThreadSafeRepository, root: &AbsPath) -> Option<Vec<String>> {
    let real = |path: PathBuf| std::fs::canonicalize(&path).unwrap_or(path);
    let (tree, root) = (real(repository.work_dir()?.to_owned()), real(root.as_path().to_owned()));
    let git = real(repository.git_dir().to_owned());
    let within = root.strip_prefix(&tree).ok().filter(|_| !root.starts_with(&git))?;
    within.components().map(|part| part.as_os_str().to_str().map(str::to_owned)).collect()
}
