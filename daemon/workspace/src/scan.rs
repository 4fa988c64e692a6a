//! The parallel walk: every file that belongs to the workspace, with its stat.
//!
//! One walk serves three callers: the first index, a sweep (everything may have changed) and a rescan of one folder.
//! With a [`Watcher`], each folder is watched *before* it is listed, so that nothing that happens in between is lost:
//! it is either in the list or in an event.
//!
//! Files are only looked at, never opened. Links, pipes, sockets and devices are passed over without a word, as by `rg`.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use hob_base::{CancelToken, PathError, Stopped, WsPath};
use ignore::{DirEntry, ParallelVisitor, ParallelVisitorBuilder, WalkBuilder, WalkState};

use crate::explain;
use crate::names;
use crate::omitted::Omitted;
use crate::rule_files::RuleFiles;
use crate::{FileClass, Rules, ScanNote, Stat, Watcher};

/// Progress is reported every so many files.
const PROGRESS_STEP: u64 = 256;

/// What to walk, and how.
#[derive(Clone)]
pub struct ScanRequest<'a> {
    /// The rules, which also name the root.
    pub rules: &'a Rules,
    /// The folder to walk; the root for everything.
    pub below: WsPath,
    /// If given, each folder is watched before it is listed.
    pub watcher: Option<Arc<Watcher>>,
    /// Stops the walk.
    pub cancel: CancelToken,
    /// Called now and then, from several threads, with the number of files seen so far.
    pub progress: Option<&'a (dyn Fn(u64) + Sync)>,
}

impl<'a> ScanRequest<'a> {
    /// A walk of everything, unwatched, that nobody follows or cancels.
    #[must_use]
    pub fn new(rules: &'a Rules) -> Self {
        Self { rules, below: WsPath::root(), watcher: None, cancel: CancelToken::default(), progress: None }
    }
}

/// A file that belongs to the workspace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// Where it is.
    pub path: WsPath,
    /// What the system says about it.
    pub stat: Stat,
}

/// What a walk found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Scan {
    /// The files, sorted by path. None is over the size limit.
    pub files: Vec<Found>,
    /// The folders, sorted by path, with the one where the walk began.
    pub dirs: Vec<WsPath>,
    /// What else a user should know. Only a walk of everything explains why there are no files.
    pub notes: Vec<ScanNote>,
    /// By name what the notes say is left out.
    pub(crate) omitted: Omitted,
}

/// Walks the tree.
///
/// Whatever cannot be read becomes a note, and what vanishes meanwhile is left out.
///
/// # Errors
/// [`Stopped`] when cancelled or late.
pub fn scan(request: &ScanRequest<'_>) -> Result<Scan, Stopped> {
    let rules = request.rules;
    let start = rules.root().join_ws(&request.below);
    if let Some(watcher) = &request.watcher {
        watcher.add_dir(&request.below);
    }
    if let Err(e) = fs::read_dir(&start) {
        return Ok(unreadable_start(request, &e));
    }
    let seen = Arc::new(Seen::default());
    let files = Arc::new(rules.afresh());
    let mut walk = WalkBuilder::new(start);
    // Rule files are read by `files` alone.
    walk.standard_filters(false).filter_entry(gate(request, Arc::clone(&seen), Arc::clone(&files)));
    let counter = AtomicU64::new(0);
    walk.build_parallel().visit(&mut Collectors { request, seen: &seen, counter: &counter });
    request.cancel.check()?;
    let mut found = std::mem::take(&mut *seen.0.lock().unwrap_or_else(PoisonError::into_inner));
    found.omitted.rules = files.passed_over();
    Ok(found.finish(request))
}

fn unreadable_start(request: &ScanRequest<'_>, error: &io::Error) -> Scan {
    let mut scan = Scan::default();
    match error.kind() {
        _ if request.below.is_root() => scan.notes.push(ScanNote::RootGone { why: error.to_string() }),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {}
        _ => {
            scan.omitted.unreadable.insert(request.below.to_string());
            scan.notes = scan.omitted.notes(request.rules.options().read_max);
        }
    }
    scan
}

/// Decides on each entry, before it is descended into.
fn gate(
    request: &ScanRequest<'_>,
    seen: Arc<Seen>,
    files: Arc<RuleFiles>,
) -> impl Fn(&DirEntry) -> bool + Send + Sync + 'static {
    let watcher = request.watcher.clone();
    let root = request.rules.root().clone();
    move |entry| {
        if entry.depth() == 0 {
            return true;
        }
        if !files.admits_here(entry.path(), is_dir(entry), is_hidden(entry)) {
            return false;
        }
        let Some(name) = entry.file_name().to_str() else {
            seen.with(|found| {
                found.omitted.not_unicode.insert(relative_lossy(root.as_path(), entry.path()));
            });
            return false;
        };
        if names::is_vcs(name) {
            return false;
        }
        if let (Some(watcher), true) = (&watcher, is_dir(entry))
            && let Ok(path) = relative(root.as_path(), entry.path())
        {
            watcher.add_dir(&path);
        }
        true
    }
}

fn is_dir(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_dir())
}

/// Whether the system hides it, whatever its name.
#[cfg(windows)]
fn is_hidden(entry: &DirEntry) -> bool {
    use std::os::windows::fs::MetadataExt as _;
    const HIDDEN: u32 = 2;
    entry.metadata().is_ok_and(|metadata| metadata.file_attributes() & HIDDEN != 0)
}

/// Whether the system hides it, whatever its name: here none does.
#[cfg(not(windows))]
fn is_hidden(_entry: &DirEntry) -> bool {
    false
}

fn relative(root: &Path, path: &Path) -> Result<WsPath, PathError> {
    WsPath::from_path(path.strip_prefix(root).unwrap_or(path))
}

fn relative_lossy(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned()
}

/// The results of all threads.
#[derive(Default)]
struct Seen(Mutex<FoundSoFar>);

impl Seen {
    fn with(&self, change: impl FnOnce(&mut FoundSoFar)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

#[derive(Default)]
struct FoundSoFar {
    files: Vec<Found>,
    dirs: Vec<WsPath>,
    omitted: Omitted,
}

impl FoundSoFar {
    fn merge(&mut self, mut other: Self) {
        self.files.append(&mut other.files);
        self.dirs.append(&mut other.dirs);
        self.omitted.merge(other.omitted);
    }

    fn finish(mut self, request: &ScanRequest<'_>) -> Scan {
        self.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        self.dirs.sort_unstable();
        let all_kept = (self.files.len() + self.omitted.too_large.len()) as u64;
        let mut notes = self.omitted.notes(request.rules.options().read_max);
        if request.below.is_root() {
            notes.extend(explain::absence(request.rules, all_kept));
        }
        Scan { files: self.files, dirs: self.dirs, notes, omitted: self.omitted }
    }
}

/// Makes one [`Collector`] for each thread of the walk.
struct Collectors<'s> {
    request: &'s ScanRequest<'s>,
    seen: &'s Seen,
    counter: &'s AtomicU64,
}

impl<'s> ParallelVisitorBuilder<'s> for Collectors<'s> {
    fn build(&mut self) -> Box<dyn ParallelVisitor + 's> {
        Box::new(Collector {
            request: self.request,
            seen: self.seen,
            counter: self.counter,
            found: FoundSoFar::default(),
        })
    }
}

/// Collects what one thread sees, without locking, and hands it over at the end.
struct Collector<'s> {
    request: &'s ScanRequest<'s>,
    seen: &'s Seen,
    counter: &'s AtomicU64,
    found: FoundSoFar,
}

impl Collector<'_> {
    fn entry(&mut self, entry: &DirEntry) {
        let root = self.request.rules.root().as_path();
        // The gate let no name through that is not Unicode.
        let (Some(kind), Ok(path)) = (entry.file_type(), relative(root, entry.path())) else { return };
        if kind.is_dir() {
            self.found.dirs.push(path);
        } else if kind.is_file()
            && let Ok(metadata) = entry.metadata()
        {
            self.file(path, Stat::of(&metadata));
        }
    }

    fn file(&mut self, path: WsPath, stat: Stat) {
        let count = self.counter.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some(progress) = self.request.progress
            && count.is_multiple_of(PROGRESS_STEP)
        {
            progress(count);
        }
        match self.request.rules.class(stat.len) {
            FileClass::TooLarge => {
                self.found.omitted.too_large.insert(path.to_string());
            }
            FileClass::Parse | FileClass::TextOnly => self.found.files.push(Found { path, stat }),
        }
    }

    fn error(&mut self, error: &ignore::Error) {
        let absent = error.io_error().is_none_or(|e| {
            // Vanished meanwhile, or became a file.
            matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
        });
        match path_of(error) {
            Some(path) if !absent => {
                let name = relative_lossy(self.request.rules.root().as_path(), path);
                self.found.omitted.unreadable.insert(name);
            }
            _ => tracing::debug!(%error, "while scanning"),
        }
    }
}

impl ParallelVisitor for Collector<'_> {
    fn visit(&mut self, entry: Result<DirEntry, ignore::Error>) -> WalkState {
        match entry {
            Ok(entry) => self.entry(&entry),
            Err(error) => self.error(&error),
        }
        if self.request.cancel.check().is_err() { WalkState::Quit } else { WalkState::Continue }
    }
}

impl Drop for Collector<'_> {
    fn drop(&mut self) {
        let found = std::mem::take(&mut self.found);
        self.seen.with(|all| all.merge(found));
    }
}

fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        _ => None,
    }
}
