//! Proposes, applies and undoes the edits of one user: the interface for the rest of the daemon.
//!
//! Its folder has three folders: `pending`, `journal`, `undo`. One apply or undo at a time runs in a workspace. The
//! queue of pending edits has a lock of its own, which is held only while its files are read or written and never
//! together with a workspace's lock.

mod finish;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use hob_base::{AbsPath, WsPath};

use crate::Proposal;
use crate::apply::{Stopped, Writer};
use crate::error::{Conflict, EditError, cause_without_number};
use crate::files::{Disk, Files};
use crate::journal::Journal;
use crate::pending::{
    self, LIFE, Owner, Pending, PendingId, PendingKind, PendingOutcome, Queue, QueueFolder, Shown, Staged,
    Summary,
};
use crate::plan::{self, NoPlan, PlaceContents, WritePlan, real_root};
use crate::record::{EditSubject, Record, UndoRecord};
use crate::undo::{UndoUnavailable, Undos};

/// Number of workspaces whose locks are kept; beyond it, unused locks are dropped.
const MOST_ROOTS: usize = 1_024;

/// Tells the time. A parameter, so that tests can set it.
pub type Clock = Box<dyn Fn() -> SystemTime + Send + Sync>;

/// All pending edits, and the only code that writes a workspace's files. One per state folder; may be called from
/// several threads.
pub struct Edits {
    clock: Clock,
    files: Arc<dyn Files>,
    queue: Mutex<Queue>,
    /// The list of pending edits, for callers that must not wait for the queue.
    shown: Shown,
    journal: Journal,
    undos: Undos,
    /// One lock for each workspace in which an edit was applied.
    roots: Mutex<HashMap<AbsPath, Arc<Mutex<()>>>>,
}

/// The results of recovery at opening, as sentences for the log and for `map_status`; empty after an orderly end.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// Edits that an earlier process had begun, each with its result.
    pub recovered: Vec<String>,
    /// Records and files that could not be read, completed or used.
    pub warnings: Vec<String>,
}

/// An edit that is on the disk.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Applied {
    /// Label of the applied edit; for an undo, of the edit that was undone.
    pub label: String,
    /// The tool that made it.
    pub tool: String,
    /// Files with new contents, new files and removed files, in the order of their paths.
    pub files: Vec<WsPath>,
    /// Warnings about secondary failures, as sentences: that the edit cannot be undone, and why.
    pub warnings: Vec<String>,
}

/// The edit that `undo` would undo.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Undoable {
    /// Its name when it was pending.
    pub id: PendingId,
    /// Label of the edit, in a few words.
    pub label: String,
    /// When it was applied.
    pub applied: SystemTime,
    /// The files it touched.
    pub files: Vec<WsPath>,
}

impl Edits {
    /// Opens the state in `folder` (which is made if needed) and completes applies of an earlier process. Never fails:
    /// unreadable files are set aside, and if the folder cannot be used, every later call returns that error. One
    /// process at a time may have a folder open.
    #[must_use]
    pub fn open(folder: &AbsPath, clock: Clock) -> (Self, Report) {
        Self::with_files(Arc::new(Disk), folder, clock)
    }

    pub(crate) fn with_files(files: Arc<dyn Files>, folder: &AbsPath, clock: Clock) -> (Self, Report) {
        let folder = beyond_links(&*files, folder);
        let place = QueueFolder { files: Arc::clone(&files), folder: folder.as_path().join("pending") };
        let (queue, warnings) = Queue::open(place);
        let journal = Journal::new(Arc::clone(&files), folder.as_path().join("journal"));
        let undos = Undos::new(Arc::clone(&files), folder.as_path().join("undo"));
        let (shown, queue) = (queue.shown_list(), Mutex::new(queue));
        let edits = Self { clock, files, queue, shown, journal, undos, roots: Mutex::default() };
        let mut report = Report { warnings, ..Report::default() };
        edits.recover(None, &mut report);
        edits.lock_queue().expire_old((edits.clock)());
        (edits, report)
    }

    /// Queues a preview.
    ///
    /// # Errors
    /// [`EditError::Nothing`], [`EditError::Refused`], [`EditError::TooMuch`], [`EditError::State`].
    pub fn propose(&self, owner: &Owner, proposal: Proposal) -> Result<Summary, EditError> {
        let proposal = check_proposal(owner, proposal)?;
        let pending =
            self.lock_queue().put((owner.clone(), PendingKind::Preview), proposal, (self.clock)())?;
        Ok(pending.summary)
    }

    /// Adds to the change set of a client in a workspace, and makes the set if needed. Returns the whole set.
    ///
    /// # Errors
    /// As [`Self::propose`], and [`EditError::Staged`] where the change was not made from the file as the set leaves
    /// it. [`EditError::Nothing`] also if the set would become empty; it then stays as it is.
    pub fn stage(&self, owner: &Owner, proposal: Proposal) -> Result<Pending, EditError> {
        let proposal = check_proposal(owner, proposal)?;
        // The lock is held throughout, so that of two changes to one set neither is lost.
        let mut queue = self.lock_queue();
        let set = match queue.set(owner) {
            Some(id) => queue.load(&id)?,
            None => return queue.put((owner.clone(), PendingKind::ChangeSet), proposal, (self.clock)()),
        };
        let id = set.summary.id;
        let misfit = |misfit: pending::Misfit| EditError::Staged { path: misfit.path, why: misfit.why, id };
        let composed = pending::compose_set(&set.proposal, proposal).map_err(misfit)?;
        queue.put((owner.clone(), PendingKind::ChangeSet), check_proposal(owner, composed)?, (self.clock)())
    }

    /// Returns the contents of a file after a client's change set; `None` if the set does not touch the file. A change
    /// that is to be staged is made from these contents and not from the disk's.
    ///
    /// # Errors
    /// [`EditError::State`] if the change set cannot be read.
    pub fn staged_contents(&self, owner: &Owner, path: &WsPath) -> Result<Option<Staged>, EditError> {
        let mut queue = self.lock_queue();
        let Some(id) = queue.set(owner) else { return Ok(None) };
        Ok(pending::staged_in_set(&queue.load(&id)?.proposal, path))
    }

    /// Returns the pending edits for which `wanted` holds, newest first: one client's, one workspace's, all. Never
    /// waits, neither for the disk nor for another thread that does.
    #[must_use]
    pub fn pending_edits(&self, wanted: &dyn Fn(&Summary) -> bool) -> Vec<Arc<Summary>> {
        let all = Arc::clone(&self.shown.read().unwrap_or_else(PoisonError::into_inner));
        if all.is_empty() {
            return Vec::new();
        }
        let now = (self.clock)();
        let is_alive = |one: &Summary| now.duration_since(one.made).map_or(true, |age| age < LIFE);
        all.iter().filter(|one| is_alive(one) && wanted(one)).cloned().collect()
    }

    /// Finds the edit for a decision: the named one, whoever made it; else the newest preview of `owner`, else its
    /// change set.
    ///
    /// # Errors
    /// [`EditError::NothingPending`], [`EditError::Unknown`], [`EditError::Settled`], [`EditError::State`].
    pub fn find(&self, owner: &Owner, named: Option<&str>) -> Result<Pending, EditError> {
        let mut queue = self.lock_queue();
        let id = match named {
            Some(name) => PendingId::parse(name).ok_or_else(|| EditError::Unknown(name.to_owned()))?,
            None => queue.newest_of(owner).ok_or(EditError::NothingPending)?,
        };
        queue.load(&id)
    }

    /// Writes a pending edit. Either all of it is written and it is no longer pending, or nothing is and it stays
    /// pending.
    ///
    /// # Errors
    /// [`EditError::Conflict`], [`EditError::Failed`], [`EditError::Unfinished`], [`EditError::Refused`], and those of
    /// [`Self::find`].
    pub fn apply(&self, id: &PendingId) -> Result<Applied, EditError> {
        let owner = self.lock_queue().summary(id)?.owner;
        let root = real_root(&*self.files, &owner.root)?;
        let lock = self.lock_of(&root);
        let _one_at_a_time = lock.lock().unwrap_or_else(PoisonError::into_inner);
        let mut warnings = self.settle_earlier(&root)?;
        // Loaded only now: the former owner of the lock may have applied this edit.
        let Pending { summary, proposal } = self.lock_queue().load(id)?;
        let next = || format!("Discard `{id}` and make the preview again.");
        let plan = self.plan_writes(&root, &plan::wishes_of(&proposal)?, next)?;
        let subject =
            EditSubject { id: id.clone(), label: summary.label, tool: summary.tool, at: (self.clock)() };
        let record = new_record(&root, subject, plan);
        self.run(&record, next)?;
        warnings.extend(self.finish(&record));
        let mut files = touched_files(&record);
        files.extend(plan::wishes_of(&proposal)?.into_keys());
        files.sort();
        files.dedup();
        let EditSubject { label, tool, .. } = record.subject;
        Ok(Applied { label, tool, files, warnings })
    }

    /// Forgets a pending edit.
    ///
    /// # Errors
    /// The errors of [`Self::find`]: an applied edit cannot be discarded.
    pub fn discard(&self, id: &PendingId) -> Result<Summary, EditError> {
        let owner = self.lock_queue().summary(id)?.owner;
        let discard = || self.lock_queue().decide_edit(id, (PendingOutcome::Discarded, (self.clock)()));
        let Ok(root) = real_root(&*self.files, &owner.root) else {
            return discard();
        };
        // An edit that is being applied cannot be discarded.
        let lock = self.lock_of(&root);
        let _one_at_a_time = lock.lock().unwrap_or_else(PoisonError::into_inner);
        discard()
    }

    /// Returns true if a workspace's last edit can be undone, whether or not its folder exists.
    #[must_use]
    pub fn has_undo(&self, root: &AbsPath) -> bool {
        !matches!(self.undos.last(root), Err(UndoUnavailable::Nothing))
    }

    /// Discards all pending edits of a workspace, and the undo of its last edit. The workspace is not touched, and need
    /// not exist.
    ///
    /// # Errors
    /// [`EditError::State`].
    pub fn forget_workspace(&self, root: &AbsPath) -> Result<(), EditError> {
        for summary in self.pending_edits(&|one| one.owner.root == *root) {
            match self.discard(&summary.id) {
                // Another call has decided the edit meanwhile.
                Ok(_) | Err(EditError::Unknown(_) | EditError::Settled { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        let failed = |error| EditError::State {
            file: format!("what `hob undo` of {root} needs"),
            cause: cause_without_number(&error),
        };
        self.undos.forget_undo(root).map_err(failed)
    }

    /// Returns the edit that [`Self::undo`] would take back in a workspace; `None` if there is none.
    #[must_use]
    pub fn undoable_edit(&self, root: &AbsPath) -> Option<Undoable> {
        let root = real_root(&*self.files, root).ok()?;
        let UndoRecord { subject, files, entries, .. } = self.undos.last(&root).ok()?;
        entries.is_some().then_some(Undoable {
            id: subject.id,
            label: subject.label,
            applied: subject.at,
            files,
        })
    }

    /// Undoes the last apply in a workspace, once, while its files still have the contents that it gave them.
    ///
    /// # Errors
    /// [`EditError::NothingToUndo`], and those of [`Self::apply`].
    pub fn undo(&self, root: &AbsPath) -> Result<Applied, EditError> {
        let root = real_root(&*self.files, root)?;
        let lock = self.lock_of(&root);
        let _one_at_a_time = lock.lock().unwrap_or_else(PoisonError::into_inner);
        let mut warnings = self.settle_earlier(&root)?;
        let kept = self.undos.last(&root).map_err(no_undo)?;
        let too_large = || {
            let label = &kept.subject.label;
            EditError::NothingToUndo(format!(
                "`{label}` cannot be undone: it was too large for its old contents to be kept"
            ))
        };
        let wishes = kept.wishes_of_undo().ok_or_else(too_large)?;
        let next = || {
            format!(
                "`{}` can be undone only while its files have the contents it gave them.",
                kept.subject.label
            )
        };
        let plan = self.plan_writes(&root, &wishes, next)?;
        let mut record = new_record(&root, kept.subject.clone(), plan);
        record.undoes = true;
        record.old_folders.clone_from(&kept.new_folders);
        self.run(&record, next)?;
        warnings.extend(self.finish(&record));
        let files = touched_files(&record);
        let EditSubject { label, tool, .. } = record.subject;
        Ok(Applied { label, tool, files, warnings })
    }

    fn plan_writes(
        &self,
        root: &AbsPath,
        wishes: &BTreeMap<WsPath, PlaceContents>,
        next: impl Fn() -> String,
    ) -> Result<WritePlan, EditError> {
        plan::plan(&*self.files, root, wishes).map_err(|no_plan| match no_plan {
            NoPlan::Differ(files) => EditError::Conflict(Conflict { files, next: next() }),
            NoPlan::Error(error) => error,
        })
    }

    fn run(&self, record: &Record, next: impl Fn() -> String) -> Result<(), EditError> {
        let writer = Writer { files: &*self.files, journal: &self.journal };
        writer.run(record).map_err(|stopped| match stopped {
            Stopped::Changed(files) => EditError::Conflict(Conflict { files, next: next() }),
            Stopped::Error(error) => error,
        })
    }

    /// Locks the queue of pending edits, and removes what has expired.
    fn lock_queue(&self) -> MutexGuard<'_, Queue> {
        // An operation that a panic cut short is on the disk or not; the lists in memory change in one step.
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.expire_old((self.clock)());
        queue
    }

    fn lock_of(&self, root: &AbsPath) -> Arc<Mutex<()>> {
        let mut roots = self.roots.lock().unwrap_or_else(PoisonError::into_inner);
        if roots.len() >= MOST_ROOTS {
            roots.retain(|_, lock| Arc::strong_count(lock) > 1);
        }
        Arc::clone(roots.entry(root.clone()).or_default())
    }
}

/// Resolves the symbolic links of a folder, as far as it exists.
fn beyond_links(files: &dyn Files, folder: &AbsPath) -> AbsPath {
    let mut rest = Vec::new();
    let mut at = folder.as_path();
    loop {
        if let Some(real) = files.real(at).ok().and_then(|real| AbsPath::new(real).ok()) {
            return rest.iter().rev().fold(real, |path: AbsPath, name: &&std::ffi::OsStr| path.join(name));
        }
        match (at.parent(), at.file_name()) {
            (Some(parent), Some(name)) => {
                rest.push(name);
                at = parent;
            }
            _ => return folder.clone(),
        }
    }
}

/// Checks a proposal: it must have an effect, touch each file once, and touch no forbidden path.
fn check_proposal(owner: &Owner, mut proposal: Proposal) -> Result<Proposal, EditError> {
    proposal.changes.retain(|change| !change.is_nothing());
    if proposal.changes.is_empty() {
        return Err(EditError::Nothing);
    }
    if owner.root.as_path().to_str().is_none() {
        // The disk form is text.
        return Err(EditError::TooMuch(format!(
            "the path {} is not Unicode; nothing is edited there",
            owner.root
        )));
    }
    plan::wishes_of(&proposal)?;
    Ok(proposal)
}

fn new_record(root: &AbsPath, subject: EditSubject, plan: WritePlan) -> Record {
    let WritePlan { entries, new_folders } = plan;
    Record { root: root.clone(), subject, undoes: false, entries, new_folders, old_folders: Vec::new() }
}

fn touched_files(record: &Record) -> Vec<WsPath> {
    let mut files: Vec<WsPath> = record.entries.iter().map(|entry| entry.at.clone()).collect();
    files.sort();
    files
}

fn no_undo(why: UndoUnavailable) -> EditError {
    EditError::NothingToUndo(match why {
        UndoUnavailable::Nothing => {
            "nothing has been applied in this workspace that could be undone".to_owned()
        }
        UndoUnavailable::Disk(error) => {
            format!("what was applied last cannot be read: {}", cause_without_number(&error))
        }
        UndoUnavailable::Format(why) => format!("what was applied last cannot be read: {why}"),
    })
}
