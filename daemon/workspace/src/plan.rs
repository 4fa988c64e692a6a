//! Turns marks into a plan: looks at the marked paths, and lists the files to read and the files that are gone.
//!
//! A mark is only a hint. The present state of its path decides: a file that belongs, a folder, something else, or
//! nothing; and each answer is right whatever the reason for the mark. So a lost, doubled or reordered event can cost
//! time, never truth.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::io;
use std::sync::Arc;

use hob_base::{CancelToken, FileId, Stopped, WsPath};

use crate::identity::FolderIdentity;
use crate::unread::{FailedAttempt, ReadFailure};
use crate::{
    Batch, FileTable, ReadPlan, Rules, Scan, ScanNote, ScanRequest, ScannedFile, Stat, Watcher, scan_tree,
};

/// The input of one [`refresh`]: the rules, the table and the means to work with.
pub struct Refresh<'a> {
    /// The rules that say which files belong.
    pub rules: &'a Rules,
    /// The known files; the table gives numbers to new files and is otherwise unchanged.
    pub table: &'a mut FileTable,
    /// Watches new folders; `None` without a watcher.
    pub watcher: Option<Arc<Watcher>>,
    /// Stops the work when it is cancelled.
    pub cancel: CancelToken,
    /// Called with the number of files seen so far, as [`ScanRequest::progress`].
    pub progress: Option<&'a (dyn Fn(u64) + Sync)>,
}

/// The result of one [`refresh`]: what to do, and what to tell users.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Refreshed {
    /// The files to read, and those that are gone.
    pub plan: ReadPlan,
    /// The notes of a sweep, which replace all notes before; `None` after anything else.
    pub notes: Option<Vec<ScanNote>>,
    /// After anything but a sweep that changed which files are left out: all notes about omissions, which replace the
    /// notes for which [`ScanNote::is_omission`] holds.
    pub omissions: Option<Vec<ScanNote>>,
    /// True if another folder has taken the root's place: whatever was started in the former one, such as a language
    /// server, is out of place.
    pub root_replaced: bool,
}

/// Looks at everything that `batch` marks.
///
/// After a sweep a degraded watcher has had its chance to recover.
///
/// # Errors
/// [`Stopped`] when cancelled or late; the caller then puts the batch back ([`crate::DirtySet::put_back`]).
pub fn refresh(batch: &Batch, context: Refresh<'_>) -> Result<Refreshed, Stopped> {
    if batch.sweep || is_root_in_doubt(&context) {
        return refresh_all(context);
    }
    let before = context.table.omitted.clone();
    let mut work =
        Looking { real_dirs: HashMap::new(), plan: ReadPlan::default(), nameless: BTreeSet::new(), context };
    for path in &batch.paths {
        if !is_covered(path, batch) {
            work.context.cancel.check()?;
            work.path(path)?;
        }
    }
    for tree in &batch.trees {
        if !is_covered(tree, batch) {
            work.refresh_tree(tree)?;
        }
    }
    work.other_names()?;
    if is_root_in_doubt(&work.context) {
        return refresh_all(work.context);
    }
    let (omitted, limit) = (&work.context.table.omitted, work.context.rules.options().read_max);
    let omissions = (*omitted != before).then(|| omitted.to_notes(limit));
    Ok(Refreshed { plan: work.finish(), omissions, ..Refreshed::default() })
}

/// Returns true if a missing path proves nothing, because the root is missing, or is not the folder that is watched.
fn is_root_in_doubt(context: &Refresh<'_>) -> bool {
    context.watcher.as_ref().is_some_and(|watcher| watcher.check_root() || !watcher.has_root())
}

/// Returns true if `path` lies below a marked tree other than itself.
fn is_covered(path: &WsPath, batch: &Batch) -> bool {
    if batch.trees.is_empty() {
        return false;
    }
    let mut rest = path.as_str();
    while let Some((dir, _)) = rest.rsplit_once('/') {
        if batch.trees.contains(dir) {
            return true;
        }
        rest = dir;
    }
    false
}

fn refresh_all(context: Refresh<'_>) -> Result<Refreshed, Stopped> {
    context.rules.reload_all();
    let root = context.rules.root().as_path();
    let before = FolderIdentity::of_folder(root);
    let token = context.watcher.as_ref().map(|watcher| watcher.begin_sweep());
    let root_replaced = token.is_some_and(|token| token.root_replaced);
    let scan = context.scan_below(&WsPath::root())?;
    // If the root is missing during a part of the walk, that does not mean that the project has lost its files.
    if before != FolderIdentity::of_folder(root)
        || scan.notes.iter().any(|note| matches!(note, ScanNote::RootGone { .. }))
    {
        context.watcher.as_ref().map(|watcher| watcher.check_root());
        return Ok(Refreshed { notes: Some(scan.notes), root_replaced, ..Refreshed::default() });
    }
    let plan = context.table.plan_reads(&scan, &WsPath::root(), context.rules);
    if let (Some(watcher), Some(token)) = (&context.watcher, token) {
        watcher.keep_only(&WsPath::root(), &scan);
        watcher.end_sweep(token, &scan);
    }
    context.table.omitted = scan.omitted;
    context.table.take_unread(&WsPath::root(), scan.unread);
    Ok(Refreshed { plan, notes: Some(scan.notes), omissions: None, root_replaced })
}

impl Refresh<'_> {
    fn scan_below(&self, below: &WsPath) -> Result<Scan, Stopped> {
        scan_tree(&ScanRequest {
            rules: self.rules,
            below: below.clone(),
            watcher: self.watcher.clone(),
            cancel: self.cancel.clone(),
            progress: self.progress,
        })
    }
}

/// Returns the system's facts about a path; `None` if nothing is there. The error means that the system cannot tell
/// just now.
fn unless_in_doubt(found: io::Result<fs::Metadata>) -> Result<Option<fs::Metadata>, ReadFailure> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) => ReadFailure::from_error(&error, FailedAttempt::Look).map_or(Ok(None), Err),
    }
}

/// The present state of a path.
enum PathState {
    File(Stat),
    Dir,
    /// The path has nothing that belongs to the workspace.
    Nothing,
    /// The state cannot be read just now.
    Unknown(ReadFailure),
}

struct Looking<'a> {
    context: Refresh<'a>,
    /// For each folder, whether it is a folder and not a link to one; each is looked up once a batch.
    real_dirs: HashMap<String, Result<bool, ReadFailure>>,
    plan: ReadPlan,
    /// Inodes of files that somebody perhaps wrote to without a name, or under one that is gone.
    nameless: BTreeSet<u64>,
}

impl Looking<'_> {
    fn path(&mut self, path: &WsPath) -> Result<(), Stopped> {
        match self.state_now(path) {
            PathState::Dir => return self.refresh_tree(path),
            PathState::File(stat) => {
                // The path may have been a folder before.
                self.gone_below(path, true);
                self.file(ScannedFile { path: path.clone(), stat });
            }
            PathState::Nothing => {
                self.gone_below(path, false);
                self.nameless.extend(self.inode_without_name(path));
            }
            PathState::Unknown(trouble) => self.keep_unknown(path, trouble),
        }
        Ok(())
    }

    /// Refreshes a path that is or was a folder.
    fn refresh_tree(&mut self, path: &WsPath) -> Result<(), Stopped> {
        match self.state_now(path) {
            PathState::Dir => {
                let scan = self.context.scan_below(path)?;
                let plan = self.context.table.plan_reads(&scan, path, self.context.rules);
                if let Some(watcher) = &self.context.watcher {
                    watcher.keep_only(path, &scan);
                }
                self.context.table.omitted.remove_below(path.as_str());
                self.context.table.omitted.merge(scan.omitted);
                self.context.table.take_unread(path, scan.unread);
                self.plan.read.extend(plan.read);
                self.plan.gone.extend(plan.gone);
                Ok(())
            }
            PathState::File(_) => self.path(path),
            PathState::Nothing => {
                self.gone_below(path, false);
                Ok(())
            }
            PathState::Unknown(trouble) => {
                self.keep_unknown(path, trouble);
                Ok(())
            }
        }
    }

    fn file(&mut self, found: ScannedFile) {
        let rules = self.context.rules;
        if found.stat.len > rules.options().read_max {
            self.gone_below(&found.path, false);
            self.context.table.omitted.too_large.insert(found.path.to_string());
        } else {
            self.plan.read.extend(self.context.table.read_if_changed(&found, rules));
        }
    }

    /// Returns the inode that an event under this name may concern, although nothing has the name now: of a file that
    /// has lost the name while somebody writes to it, or of one that was made without a name, which Linux reports by
    /// its number.
    fn inode_without_name(&self, path: &WsPath) -> Option<u64> {
        let made_without = path.file_name().strip_prefix('#').and_then(|number| number.parse().ok());
        let inode = made_without.unwrap_or_else(|| self.context.table.inode_once_at(path));
        (inode != 0).then_some(inode)
    }

    /// Looks at the other names of files to be read, because a write through one name gives no event for the others.
    fn other_names(&mut self) -> Result<(), Stopped> {
        let linked = self.plan.read.iter().filter(|read| read.stat.links > 1);
        let mut inodes: BTreeSet<u64> = linked.map(|read| read.stat.inode).collect();
        inodes.append(&mut self.nameless);
        let table = &self.context.table;
        let others: Vec<WsPath> = inodes.iter().flat_map(|inode| table.names_of(*inode)).cloned().collect();
        others.iter().try_for_each(|path| self.path(path))
    }

    /// Keeps the records of the path, and of paths below it, until the path can be read.
    fn keep_unknown(&mut self, path: &WsPath, trouble: ReadFailure) {
        self.context.table.take_unread(path, BTreeMap::from([(path.clone(), trouble)]));
    }

    fn gone_below(&mut self, path: &WsPath, strictly: bool) {
        self.context.table.omitted.remove_below(path.as_str());
        self.context.table.unread().remove_below(path);
        let below = self.context.table.files_below(path).filter(|(known, _)| !strictly || *known != path);
        self.plan.gone.extend(below.map(|(_, id)| id));
    }

    fn state_now(&mut self, path: &WsPath) -> PathState {
        self.look_at(path).unwrap_or_else(PathState::Unknown)
    }

    /// Returns the present state of a path; the error is the reason why it cannot be read just now.
    fn look_at(&mut self, path: &WsPath) -> Result<PathState, ReadFailure> {
        let rules = self.context.rules;
        if !self.is_real_dir(path.dir())? {
            return Ok(PathState::Nothing);
        }
        let Some(metadata) = unless_in_doubt(fs::symlink_metadata(rules.root().join_ws(path)))? else {
            return Ok(PathState::Nothing);
        };
        let admits = |is_dir| rules.check_admitted(path, is_dir).map_err(ReadFailure::of_rules);
        if metadata.is_file() && admits(false)? {
            Ok(PathState::File(Stat::of(&metadata)))
        } else if metadata.is_dir() && admits(true)? {
            Ok(PathState::Dir)
        } else {
            Ok(PathState::Nothing)
        }
    }

    /// Returns true if every part of `dir` is a folder itself and not a link to one: if a link replaces a folder, the
    /// folder's files leave the workspace, though their paths still lead to something.
    fn is_real_dir(&mut self, dir: &str) -> Result<bool, ReadFailure> {
        if dir.is_empty() {
            return Ok(true);
        }
        if let Some(known) = self.real_dirs.get(dir) {
            return known.clone();
        }
        let parent = dir.rsplit_once('/').map_or("", |(parent, _)| parent);
        let path = self.context.rules.root().as_path().join(dir);
        let here = unless_in_doubt(fs::symlink_metadata(path))
            .map(|found| found.is_some_and(|found| found.is_dir()));
        let real = match here {
            Ok(true) => self.is_real_dir(parent),
            other => other,
        };
        self.real_dirs.insert(dir.to_owned(), real.clone());
        real
    }

    fn finish(mut self) -> ReadPlan {
        self.plan.read.sort_by(|a, b| a.path.cmp(&b.path));
        self.plan.read.dedup_by(|a, b| a.file == b.file);
        self.plan.gone.sort_unstable();
        self.plan.gone.dedup();
        let reading: BTreeSet<FileId> = self.plan.read.iter().map(|read| read.file).collect();
        self.plan.gone.retain(|file| !reading.contains(file));
        self.plan
    }
}
