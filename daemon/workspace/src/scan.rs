//! Walks a workspace in parallel and lists every file that belongs to it, with its stat.
//!
//! One walk serves three callers: the first index, a sweep (everything may have changed) and a rescan of one folder.
//! With a [`Watcher`], each folder is watched *before* it is listed, so that no change in between is lost: it shows
//! either in the list or in an event.
//!
//! The walk takes stats and never opens a file. Like `rg`, it skips links, pipes, sockets and devices silently.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use hob_base::{CancelToken, PathError, Stopped, WsPath};
use ignore::{DirEntry, ParallelVisitor, ParallelVisitorBuilder, WalkBuilder, WalkState};

use crate::explain;
use crate::names;
use crate::omitted::SkippedPaths;
use crate::rule_files::RuleFiles;
use crate::unread::{FailedAttempt, ReadFailure, is_momentary};
use crate::{FileClass, Rules, ScanNote, Stat, Watcher};

/// Number of files between two reports of progress.
const PROGRESS_STEP: u64 = 256;

/// The input of one walk: the rules, the folder, and the means to work with.
#[derive(Clone)]
pub struct ScanRequest<'a> {
    /// The rules, which also name the root.
    pub rules: &'a Rules,
    /// The folder to walk; the root for everything.
    pub below: WsPath,
    /// If given, each folder is watched before it is listed.
    pub watcher: Option<Arc<Watcher>>,
    /// Stops the walk when it is cancelled.
    pub cancel: CancelToken,
    /// Called now and then, from several threads, with the number of files seen so far.
    pub progress: Option<&'a (dyn Fn(u64) + Sync)>,
}

impl<'a> ScanRequest<'a> {
    /// Requests a walk of everything, unwatched, without progress or cancellation.
    #[must_use]
    pub fn new(rules: &'a Rules) -> Self {
        Self { rules, below: WsPath::root(), watcher: None, cancel: CancelToken::default(), progress: None }
    }
}

/// A file that belongs to the workspace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScannedFile {
    /// The file's path, relative to the root.
    pub path: WsPath,
    /// Size, times and identity of the file, as the system gives them.
    pub stat: Stat,
}

/// The result of one walk.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Scan {
    /// The files, sorted by path. None is over the size limit.
    pub files: Vec<ScannedFile>,
    /// The folders, sorted by path, including the one where the walk began.
    pub dirs: Vec<WsPath>,
    /// Notes for users, which the list of files does not show. Only a walk of everything explains why there are no
    /// files.
    pub notes: Vec<ScanNote>,
    /// The files that the notes say are left out, by name.
    pub(crate) omitted: SkippedPaths,
    /// Paths that could not be read, with the reason: nothing below them was found, and nothing below them counts as
    /// gone.
    pub(crate) unread: BTreeMap<WsPath, ReadFailure>,
}

impl Scan {
    /// Returns true if the walk could not read this path.
    pub(crate) fn is_unread(&self, path: &WsPath) -> bool {
        !self.unread.is_empty() && self.unread.keys().any(|unread| path.is_below(unread))
    }
}

/// Walks the tree.
///
/// Paths that cannot be read become notes, and files that vanish meanwhile are left out.
///
/// # Errors
/// [`Stopped`] when cancelled or late.
pub fn scan_tree(request: &ScanRequest<'_>) -> Result<Scan, Stopped> {
    let rules = request.rules;
    let start = rules.root().join_ws(&request.below);
    if let Some(watcher) = &request.watcher {
        watcher.add_dir(&request.below);
    }
    if let Err(e) = fs::read_dir(&start) {
        return Ok(unreadable_start(request, &e));
    }
    let seen = Arc::new(ScanResults::default());
    let files = Arc::new(rules.read_afresh());
    let mut walk = WalkBuilder::new(start);
    // Only `files` reads rule files.
    walk.standard_filters(false).filter_entry(entry_gate(request, Arc::clone(&seen), Arc::clone(&files)));
    let counter = AtomicU64::new(0);
    walk.build_parallel().visit(&mut Collectors { request, seen: &seen, counter: &counter });
    request.cancel.check()?;
    let mut found = std::mem::take(&mut *seen.0.lock().unwrap_or_else(PoisonError::into_inner));
    found.omitted.rules = files.passed_over();
    found.discard_if_unsure(request, &files);
    Ok(found.finish(request))
}

fn unreadable_start(request: &ScanRequest<'_>, error: &io::Error) -> Scan {
    let mut scan = Scan::default();
    match error.kind() {
        _ if request.below.is_root() && !is_momentary(error) => {
            scan.notes.push(ScanNote::RootGone { why: error.to_string() });
        }
        _ => scan.unread.extend(
            ReadFailure::from_error(error, FailedAttempt::Folder)
                .map(|trouble| (request.below.clone(), trouble)),
        ),
    }
    scan
}

/// Decides for each entry whether the walk keeps it and descends into it.
fn entry_gate(
    request: &ScanRequest<'_>,
    seen: Arc<ScanResults>,
    files: Arc<RuleFiles>,
) -> impl Fn(&DirEntry) -> bool + Send + Sync + 'static {
    let watcher = request.watcher.clone();
    let root = request.rules.root().clone();
    move |entry| {
        if entry.depth() == 0 {
            return true;
        }
        if !files.admits_here(entry.path(), is_dir(entry), is_hidden(entry)) || files.is_unsure() {
            return false;
        }
        let Some(name) = entry.file_name().to_str() else {
            seen.with_found(|found| {
                found.omitted.not_unicode.insert(relative_lossy(root.as_path(), entry.path()));
            });
            return false;
        };
        if names::is_vcs(name) {
            return false;
        }
        if let (Some(watcher), true) = (&watcher, is_dir(entry))
            && let Ok(path) = relative_path(root.as_path(), entry.path())
        {
            watcher.add_dir(&path);
        }
        true
    }
}

fn is_dir(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_dir())
}

/// Returns true if the system hides the entry, whatever its name.
#[cfg(windows)]
fn is_hidden(entry: &DirEntry) -> bool {
    use std::os::windows::fs::MetadataExt as _;
    const HIDDEN: u32 = 2;
    entry.metadata().is_ok_and(|metadata| metadata.file_attributes() & HIDDEN != 0)
}

/// Returns false: on this platform the system hides no entry whatever its name.
#[cfg(not(windows))]
fn is_hidden(_entry: &DirEntry) -> bool {
    false
}

fn relative_path(root: &Path, path: &Path) -> Result<WsPath, PathError> {
    WsPath::from_path(path.strip_prefix(root).unwrap_or(path))
}

fn relative_lossy(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned()
}

/// The results of all threads.
#[derive(Default)]
struct ScanResults(Mutex<ScanFindings>);

impl ScanResults {
    fn with_found(&self, change: impl FnOnce(&mut ScanFindings)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

#[derive(Default)]
struct ScanFindings {
    files: Vec<ScannedFile>,
    dirs: Vec<WsPath>,
    omitted: SkippedPaths,
    unread: BTreeMap<WsPath, ReadFailure>,
}

impl ScanFindings {
    fn merge(&mut self, mut other: Self) {
        self.files.append(&mut other.files);
        self.dirs.append(&mut other.dirs);
        self.omitted.merge(other.omitted);
        self.unread.append(&mut other.unread);
    }

    /// Discards the results if rules could not be read: then nobody knows which files belong.
    fn discard_if_unsure(&mut self, request: &ScanRequest<'_>, files: &RuleFiles) {
        if let Some(why) = files.reason_unsure() {
            *self = Self::default();
            self.unread.insert(request.below.clone(), ReadFailure::of_rules(why));
        }
    }

    fn finish(mut self, request: &ScanRequest<'_>) -> Scan {
        self.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        self.dirs.sort_unstable();
        let all_kept = (self.files.len() + self.omitted.too_large.len()) as u64;
        let mut notes = self.omitted.to_notes(request.rules.options().read_max);
        if request.below.is_root() && self.unread.is_empty() {
            notes.extend(explain::explain_absence(request.rules, all_kept));
        }
        let Self { files, dirs, omitted, unread } = self;
        Scan { files, dirs, notes, omitted, unread }
    }
}

/// Makes one [`Collector`] for each thread of the walk.
struct Collectors<'s> {
    request: &'s ScanRequest<'s>,
    seen: &'s ScanResults,
    counter: &'s AtomicU64,
}

impl<'s> ParallelVisitorBuilder<'s> for Collectors<'s> {
    fn build(&mut self) -> Box<dyn ParallelVisitor + 's> {
        Box::new(Collector {
            request: self.request,
            seen: self.seen,
            counter: self.counter,
            found: ScanFindings::default(),
        })
    }
}

/// Collects the entries of one thread, without locking, and hands them over at the end.
struct Collector<'s> {
    request: &'s ScanRequest<'s>,
    seen: &'s ScanResults,
    counter: &'s AtomicU64,
    found: ScanFindings,
}

impl Collector<'_> {
    fn add_entry(&mut self, entry: &DirEntry) {
        let root = self.request.rules.root().as_path();
        // The gate rejects names that are not Unicode.
        let (Some(kind), Ok(path)) = (entry.file_type(), relative_path(root, entry.path())) else { return };
        if kind.is_dir() {
            self.found.dirs.push(path);
        } else if kind.is_file() {
            match entry.metadata() {
                Ok(metadata) => self.file(path, Stat::of(&metadata)),
                Err(error) => self.note_unread(path, error.io_error(), FailedAttempt::Look),
            }
        }
    }

    /// Notes a path that could not be read, unless it has vanished meanwhile.
    fn note_unread(&mut self, path: WsPath, error: Option<&io::Error>, tried: FailedAttempt) {
        let trouble = error.and_then(|error| ReadFailure::from_error(error, tried));
        self.found.unread.extend(trouble.map(|trouble| (path, trouble)));
    }

    fn file(&mut self, path: WsPath, stat: Stat) {
        let count = self.counter.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some(progress) = self.request.progress
            && count.is_multiple_of(PROGRESS_STEP)
        {
            progress(count);
        }
        match self.request.rules.class_of_size(stat.len) {
            FileClass::TooLarge => {
                self.found.omitted.too_large.insert(path.to_string());
            }
            FileClass::Parse | FileClass::TextOnly => self.found.files.push(ScannedFile { path, stat }),
        }
    }

    fn error(&mut self, error: &ignore::Error) {
        tracing::debug!(%error, "while scanning");
        let root = self.request.rules.root().as_path();
        if let Some(path) = path_of(error).and_then(|path| relative_path(root, path).ok()) {
            self.note_unread(path, error.io_error(), FailedAttempt::Folder);
        }
    }
}

impl ParallelVisitor for Collector<'_> {
    fn visit(&mut self, entry: Result<DirEntry, ignore::Error>) -> WalkState {
        match entry {
            Ok(entry) => self.add_entry(&entry),
            Err(error) => self.error(&error),
        }
        if self.request.cancel.check().is_err() { WalkState::Quit } else { WalkState::Continue }
    }
}

impl Drop for Collector<'_> {
    fn drop(&mut self) {
        let found = std::mem::take(&mut self.found);
        self.seen.with_found(|all| all.merge(found));
    }
}

fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        _ => None,
    }
}
