//! Reads and parses the rule files of folders, and decides for a path whether it belongs.
//!
//! The `ignore` crate parses the lines and matches them. This module decides which files there are, in which order they
//! count and where a repository ends, as ripgrep decides it (its walk is the oracle of `tests/it/rules.rs`). It does so
//! because that crate opens every rule file, and a hostile project may have pipes, devices and links to endless files
//! in their place: this module skips such a file and names it in a note.
//!
//! What it is not: a cache that expires. Its owner drops it when a rule file has changed.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use hob_base::{AbsPath, WsPath, small};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder, Glob, gitconfig_excludes_path};

use crate::RuleOptions;
use crate::names;
use crate::sources::Linked;
use crate::unread::is_momentary;

/// Most folders whose rules are cached; beyond it the cache starts again. Paths that callers only ask about count too.
const MOST_FOLDERS: usize = 1 << 18;

/// Size limit of a rule file, in bytes; the longest that people wrote have some hundred kilobytes.
pub(crate) const LARGEST: u64 = 1 << 20;

/// Size limit of all rule files of one project together, in bytes: parsed, a byte of rules takes up to a hundred.
const LARGEST_TOGETHER: u64 = 16 << 20;

/// Size limit of a `.git` or `commondir` file, in bytes: it is a path.
const LONGEST_LINK: u64 = 16 << 10;

/// The answer of the rules for one path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum IgnoreDecision {
    Nothing,
    Ignored,
    Admitted,
}

impl IgnoreDecision {
    fn or_else(self, other: impl FnOnce() -> Self) -> Self {
        if self == Self::Nothing { other() } else { self }
    }
}

impl From<Match<&Glob>> for IgnoreDecision {
    fn from(found: Match<&Glob>) -> Self {
        match found {
            Match::None => Self::Nothing,
            Match::Ignore(_) => Self::Ignored,
            Match::Whitelist(_) => Self::Admitted,
        }
    }
}

/// The rules in one folder. A folder without rules shares its parent's.
#[derive(Debug)]
struct FolderRules {
    above: Option<Arc<FolderRules>>,
    custom: Gitignore,
    ignore: Gitignore,
    git_ignore: Gitignore,
    git_exclude: Gitignore,
    /// True if a repository begins here.
    has_git: bool,
    /// True if the folder lies in a repository.
    in_git: bool,
}

/// The rule files of one project, each as it was when it was first needed.
#[derive(Debug)]
pub(crate) struct RuleFiles {
    root: AbsPath,
    options: RuleOptions,
    global: Gitignore,
    folders: RwLock<HashMap<PathBuf, Arc<FolderRules>>>,
    /// For each folder, by its path, whether it and the folders above it belong.
    belongs: RwLock<HashMap<String, bool>>,
    /// Bytes of rules that may still be read before the limit.
    room: AtomicU64,
    passed_over: Mutex<BTreeSet<String>>,
    /// The reason why a rule file could not be read just now, if there was one: then nobody knows which files belong.
    unsure: OnceLock<String>,
    /// Collects rule files with another name.
    linked: Arc<Linked>,
}

impl RuleFiles {
    /// Reads git's global rules; the others are read when they are needed.
    pub(crate) fn new(root: &AbsPath, options: RuleOptions, linked: Arc<Linked>) -> Self {
        let mut files = Self {
            root: root.clone(),
            options,
            global: Gitignore::empty(),
            folders: RwLock::default(),
            belongs: RwLock::default(),
            room: AtomicU64::new(LARGEST_TOGETHER),
            passed_over: Mutex::default(),
            unsure: OnceLock::new(),
            linked,
        };
        // The crate says nothing when it cannot read git's settings.
        if let Err(error) = fs::File::open(root.as_path()).map(drop)
            && is_momentary(&error)
        {
            let _ = files.unsure.set(format!("git's settings: {error}"));
        }
        if let Some(path) = gitconfig_excludes_path().filter(|_| options.global) {
            // Git takes its patterns relative to the working directory; a daemon's means nothing.
            files.global = files.matcher_for(root.as_path(), &[path]);
        }
        files
    }

    /// Returns true if the path and every folder above it belong.
    pub(crate) fn admits(&self, path: &WsPath, is_dir: bool) -> bool {
        self.folder_belongs(path.dir()) && self.admits_here(self.root.join_ws(path).as_path(), is_dir, false)
    }

    /// Returns true if a path belongs that lies in a folder that belongs. `hidden` means that the system hides it,
    /// whatever its name.
    pub(crate) fn admits_here(&self, path: &Path, is_dir: bool, hidden: bool) -> bool {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return true };
        match self.decide_in_folder(&self.rules_of_folder(folder), path, is_dir) {
            IgnoreDecision::Ignored => false,
            IgnoreDecision::Admitted => true,
            IgnoreDecision::Nothing => !hidden && !name.as_encoded_bytes().starts_with(b"."),
        }
    }

    /// Lists the rule files that were skipped so far, each with the reason.
    pub(crate) fn passed_over(&self) -> BTreeSet<String> {
        self.passed_over.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the reason why a rule file could not be read just now, if there was one: then no answer of these rules
    /// counts.
    pub(crate) fn reason_unsure(&self) -> Option<String> {
        self.unsure.get().cloned()
    }

    /// Returns true if a rule file could not be read just now.
    pub(crate) fn is_unsure(&self) -> bool {
        self.unsure.get().is_some()
    }

    /// Returns the rules of these files alone, for paths below `base`.
    pub(crate) fn matcher_for(&self, base: &Path, files: &[PathBuf]) -> Gitignore {
        let mut builder = GitignoreBuilder::new(base);
        files.iter().for_each(|file| self.add(&mut builder, file));
        // Patterns that are too many or too large together count as none.
        builder.build().unwrap_or_else(|_| Gitignore::empty())
    }

    fn folder_belongs(&self, dir: &str) -> bool {
        if dir.is_empty() {
            return true;
        }
        let known = self.belongs.read().unwrap_or_else(PoisonError::into_inner).get(dir).copied();
        if let Some(known) = known {
            return known;
        }
        let parent = dir.rsplit_once('/').map_or("", |(parent, _)| parent);
        let belongs =
            self.folder_belongs(parent) && self.admits_here(&self.root.as_path().join(dir), true, false);
        let mut all = self.belongs.write().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST_FOLDERS {
            all.clear();
        }
        all.insert(dir.to_owned(), belongs);
        belongs
    }

    /// Decides by precedence: hob's and ripgrep's own files, `.ignore`, `.gitignore`, the private file of the
    /// repository, the global one; of each the nearest file. Git's rules end where a repository begins.
    fn decide_in_folder(&self, folder: &FolderRules, path: &Path, is_dir: bool) -> IgnoreDecision {
        let (mut custom, mut ignore) = (IgnoreDecision::Nothing, IgnoreDecision::Nothing);
        let (mut git_ignore, mut git_exclude) = (IgnoreDecision::Nothing, IgnoreDecision::Nothing);
        let in_git = !self.options.require_git || folder.in_git;
        let mut within = in_git;
        let mut next = Some(folder);
        while let Some(here) = next {
            let ask = |matcher: &Gitignore| match matcher.is_empty() {
                true => IgnoreDecision::Nothing,
                false => matcher.matched(path, is_dir).into(),
            };
            custom = custom.or_else(|| ask(&here.custom));
            ignore = ignore.or_else(|| ask(&here.ignore));
            if within {
                git_ignore = git_ignore.or_else(|| ask(&here.git_ignore));
                git_exclude = git_exclude.or_else(|| ask(&here.git_exclude));
            }
            within &= !here.has_git;
            next = here.above.as_deref();
        }
        let global = || match in_git {
            true => self.global.matched(path, is_dir).into(),
            false => IgnoreDecision::Nothing,
        };
        custom.or_else(|| ignore).or_else(|| git_ignore).or_else(|| git_exclude).or_else(global)
    }

    fn rules_of_folder(&self, dir: &Path) -> Arc<FolderRules> {
        if let Some(known) = self.folders.read().unwrap_or_else(PoisonError::into_inner).get(dir) {
            return Arc::clone(known);
        }
        let is_end = !self.options.above && dir == self.root.as_path();
        let above = dir.parent().filter(|_| !is_end).map(|above| self.rules_of_folder(above));
        let folder = self.load(dir, above);
        let mut folders = self.folders.write().unwrap_or_else(PoisonError::into_inner);
        if folders.len() >= MOST_FOLDERS {
            folders.clear();
            // The files are read anew, and would be counted a second time.
            self.room.store(LARGEST_TOGETHER, Ordering::Relaxed);
        }
        Arc::clone(folders.entry(dir.to_path_buf()).or_insert(folder))
    }

    fn load(&self, dir: &Path, above: Option<Arc<FolderRules>>) -> Arc<FolderRules> {
        let git = fs::metadata(dir.join(".git")).ok().map(|found| found.file_type());
        let has_git = self.options.require_git && (git.is_some() || dir.join(".jj").exists());
        let exclude =
            git.and_then(|git| common_folder(dir, git.is_file())).map(|git| git.join("info/exclude"));
        let folder = FolderRules {
            custom: self.matcher_for(dir, &names::CUSTOM_IGNORE.map(|name| dir.join(name))),
            ignore: self.matcher_for(dir, &[dir.join(names::IGNORE)]),
            git_ignore: self.matcher_for(dir, &[dir.join(names::GIT_IGNORE)]),
            git_exclude: self.matcher_for(dir, exclude.as_slice()),
            has_git,
            in_git: has_git || above.as_ref().is_some_and(|above| above.in_git),
            above,
        };
        let says_nothing = !has_git
            && [&folder.custom, &folder.ignore, &folder.git_ignore, &folder.git_exclude]
                .iter()
                .all(|rules| rules.is_empty());
        match &folder.above {
            Some(above) if says_nothing => Arc::clone(above),
            _ => Arc::new(folder),
        }
    }

    /// Adds the lines of a file, read as ripgrep reads them: up to the first that is not UTF-8, without those that are malformed.
    fn add(&self, builder: &mut GitignoreBuilder, file: &Path) {
        let text = match self.read(file) {
            Ok(text) => text,
            Err(error) if is_momentary(&error) => {
                let _ = self.unsure.set(format!("the rules in {}: {error}", self.name_of(file)));
                return;
            }
            Err(error) if is_silent(&error) => return,
            Err(error) => return self.pass_over(file, &error),
        };
        let room = self
            .room
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |room| room.checked_sub(text.len() as u64));
        if room.is_err() {
            let why = format!("the project's ignore files are over {} MiB together", LARGEST_TOGETHER >> 20);
            return self.pass_over(file, &io::Error::other(why));
        }
        let text = text.strip_suffix(b"\n").unwrap_or(&text);
        for (row, line) in text.split(|byte| *byte == b'\n').enumerate() {
            let Ok(line) = std::str::from_utf8(line.strip_suffix(b"\r").unwrap_or(line)) else { return };
            let line = if row == 0 { line.trim_start_matches('\u{feff}') } else { line };
            if let Err(error) = builder.add_line(None, line) {
                tracing::debug!(%error, file = %file.display(), row, "a malformed rule");
            }
        }
    }

    /// Reads a rule file. A file of the project may be a link within the project. Files of the user lead wherever the
    /// user wants, and so does git's private one, because several checkouts can share it by a link.
    fn read(&self, file: &Path) -> io::Result<Vec<u8>> {
        let root = self.root.as_path();
        self.linked.note_if_linked(file, &fs::symlink_metadata(file)?);
        match file.starts_with(root) && !file.ends_with(names::GIT_EXCLUDE) {
            true => small::read_within(root, file, LARGEST),
            false => small::read(file, LARGEST),
        }
    }

    fn name_of(&self, file: &Path) -> String {
        file.strip_prefix(self.root.as_path()).unwrap_or(file).to_string_lossy().into_owned()
    }

    fn pass_over(&self, file: &Path, error: &io::Error) {
        let why = match error.kind() {
            io::ErrorKind::FileTooLarge => format!("over {} MiB", LARGEST >> 20),
            _ => error.to_string(),
        };
        let note = format!("{} ({why})", self.name_of(file));
        self.passed_over.lock().unwrap_or_else(PoisonError::into_inner).insert(note);
    }
}

/// Returns true for an error that ripgrep does not report either: no file, a folder, a file that may not be read, a
/// link in circles or to nowhere.
fn is_silent(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidInput, IsADirectory, NotADirectory, NotFound, PermissionDenied};
    match error.kind() {
        NotFound | NotADirectory | IsADirectory => true,
        // Errors without a number of the system's are hob's own.
        PermissionDenied | InvalidInput => error.raw_os_error().is_some(),
        io::ErrorKind::FileTooLarge | io::ErrorKind::Other => false,
        _ => true,
    }
}

/// Returns the folder that a repository shares with its worktrees, from the folder in which `.git` lies. Only in
/// worktrees does a `.git` file lead there; for submodules and any other such file the result is `None`, as for
/// ripgrep.
pub(crate) fn common_folder(dir: &Path, is_file: bool) -> Option<PathBuf> {
    let git = dir.join(".git");
    if !is_file {
        return Some(git);
    }
    let own = dir.join(first_line(&git)?.strip_prefix("gitdir: ")?);
    Some(own.join(first_line(&own.join("commondir"))?))
}

fn first_line(path: &Path) -> Option<String> {
    let text = small::read_text(path, LONGEST_LINK).ok()?;
    text.lines().next().map(str::to_owned)
}
