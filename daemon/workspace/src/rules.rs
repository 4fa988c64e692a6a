//! Decides which files belong to a workspace: ripgrep's rules, plus `.hobignore`.
//!
//! Like `rg` without flags: `.gitignore` (inside a git repository), `.git/info/exclude`, git's global ignore file,
//! `.ignore`, `.rgignore`; hidden files skipped unless a rule admits them; symbolic links not followed, so there are no
//! loops. Two kinds of callers need the answer: a walk, which reads rule files afresh, and an event about a single path
//! ([`Rules::admits_file`], which caches them until [`Rules::reload_files`]). Both must agree with each other and with
//! ripgrep's own walk; a test compares them on every path of awkward trees. Whether a file is *binary* is not decided
//! here, because that takes its bytes.
//!
//! A repository within the workspace (nested, a submodule, a worktree that lies in it) is a folder like any other, as
//! it is for `rg`: its files belong, under its own rules and not those of the repository around it. A client that names
//! it gets a workspace of its own (`roots.rs`); both workspaces share facts, because facts are stored by content.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hob_base::{AbsPath, WsPath};

use crate::rule_files::RuleFiles;
use crate::sources::{Linked, Sources};
use crate::{DirtySet, UnreportedChange, names};

/// The treatment of a file, by its size alone.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FileClass {
    /// The file is searched and parsed.
    Parse,
    /// The file is searched, not parsed.
    TextOnly,
    /// The file is not read; the scan notes it.
    TooLarge,
}

/// The options of the rules. The default is ripgrep's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RuleOptions {
    /// Honour git's global ignore file (of the user that runs the daemon).
    pub global: bool,
    /// Honour `.gitignore` only inside a git repository.
    pub require_git: bool,
    /// Honour rule files in the folders above the root.
    pub above: bool,
    /// Files larger than this many bytes are not parsed.
    pub parse_max: u64,
    /// Files larger than this many bytes are not read.
    pub read_max: u64,
}

impl Default for RuleOptions {
    fn default() -> Self {
        Self { global: true, require_git: true, above: true, parse_max: 1 << 20, read_max: 256 << 20 }
    }
}

impl RuleOptions {
    /// Returns the options for the source of a package: the project around it ignores installed packages, and the built
    /// files are the ones in use.
    #[must_use]
    pub fn for_package() -> Self {
        Self { global: false, above: false, ..Self::default() }
    }
}

/// The rules of one workspace.
#[derive(Debug)]
pub struct Rules {
    root: AbsPath,
    options: RuleOptions,
    /// Caches the rule files of each folder that a caller asked about.
    files: Mutex<Option<Arc<RuleFiles>>>,
    /// Rule files in folders that are not watched.
    sources: Mutex<Sources>,
    /// Rule files that programs can write under another name.
    linked: Arc<Linked>,
}

impl Rules {
    /// Makes the rules for the workspace at `root`. Reads nothing yet.
    #[must_use]
    pub fn new(root: AbsPath, options: RuleOptions) -> Self {
        Self { root, options, files: Mutex::new(None), sources: Mutex::default(), linked: Arc::default() }
    }

    /// Returns the root of the workspace.
    #[must_use]
    pub fn root(&self) -> &AbsPath {
        &self.root
    }

    /// Returns the options that these rules were made with.
    #[must_use]
    pub fn options(&self) -> &RuleOptions {
        &self.options
    }

    /// Returns true if a file at `path` belongs to the workspace, as far as rules can be read just now. The file's
    /// existence, kind and size do not count.
    #[must_use]
    pub fn admits_file(&self, path: &WsPath) -> bool {
        self.check_admitted(path, false).unwrap_or(true)
    }

    /// Returns true if a folder at `path` belongs to the workspace, as far as rules can be read just now; the root
    /// always does.
    #[must_use]
    pub fn admits_dir(&self, path: &WsPath) -> bool {
        self.check_admitted(path, true).unwrap_or(true)
    }

    /// Returns the treatment of a file of `len` bytes.
    #[must_use]
    pub fn class_of_size(&self, len: u64) -> FileClass {
        match len {
            len if len > self.options.read_max => FileClass::TooLarge,
            len if len > self.options.parse_max => FileClass::TextOnly,
            _ => FileClass::Parse,
        }
    }

    /// Forgets all cached rule files. Callers do this when one changed, and when a folder came or went.
    pub fn reload_files(&self) {
        *self.files.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Forgets all cached rule files and notes the state of those outside the workspace. A sweep does this first.
    pub(crate) fn reload_all(&self) {
        *self.lock_sources() = Sources::stat_all(self);
        self.linked.clear();
        self.reload_files();
    }

    /// Marks everything if a rule file has changed in an unwatched folder, or under another name. Returns true if so.
    pub fn mark_changed(&self, dirty: &DirtySet) -> bool {
        let changed = self.lock_sources().any_changed() || self.linked.any_changed();
        if changed {
            dirty.mark_found(UnreportedChange::Everything);
        }
        changed
    }

    /// Reads the rule files as they are now, for one walk. A walk does not ask about its own root, so a walk that
    /// starts below the workspace's root asks [`Rules::admits_dir`] first.
    pub(crate) fn read_afresh(&self) -> RuleFiles {
        RuleFiles::new(&self.root, self.options, Arc::clone(&self.linked))
    }

    /// Returns true if a path belongs; the error says which rules could not be read just now.
    pub(crate) fn check_admitted(&self, path: &WsPath, is_dir: bool) -> Result<bool, String> {
        if path.is_root() {
            return Ok(is_dir);
        }
        // A rule such as `!.*` would admit hidden folders; version control's folders never belong.
        if path.as_str().split('/').any(names::is_vcs) {
            return Ok(false);
        }
        let files = self.cached_files();
        let admits = files.admits(path, is_dir);
        files.reason_unsure().map_or(Ok(admits), |why| {
            // The next caller reads them again.
            self.reload_files();
            Err(why)
        })
    }

    fn cached_files(&self) -> Arc<RuleFiles> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(files.get_or_insert_with(|| Arc::new(self.read_afresh())))
    }

    fn lock_sources(&self) -> MutexGuard<'_, Sources> {
        self.sources.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
