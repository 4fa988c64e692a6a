//! Keeps pending edits on the disk: a file each, and a list of recently decided ones.
//!
//! Memory holds only their descriptions; contents are read when somebody decides. A file that cannot be read is set
//! aside under another name and reported, and the others stay usable.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use super::id::PendingId;
use super::outcome::{PendingOutcome, Settled};
use super::summary::{Owner, Pending, PendingKind, Queued, Summary};
use crate::change::Proposal;
use crate::error::{EditError, cause_without_number};
use crate::files::{self, Files};
use crate::format;

/// Longest time for which an edit is pending.
pub const LIFE: Duration = Duration::from_secs(24 * 60 * 60);
/// Time for which hob remembers how an edit was decided.
const MEMORY: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// Most decided edits that are remembered.
const REMEMBERED: usize = 500;
/// Most previews and change sets of one client.
pub(crate) const MAX_OF_CLIENT: usize = 64;
/// Most files in one edit.
pub(crate) const MAX_FILES: usize = 10_000;
/// Most bytes of one edit, before and after.
pub(crate) const MAX_BYTES: u64 = 128 << 20;
/// Most bytes of all pending edits.
pub(crate) const MAX_ALL: u64 = 512 << 20;

const EDIT: &str = "edit";

/// The folder of pending edits, and the operations on its files.
pub(crate) struct QueueFolder {
    pub(crate) files: Arc<dyn Files>,
    pub(crate) folder: PathBuf,
}

/// The pending edits, newest first, for callers that must not wait while files are read or written.
pub(crate) type Shown = Arc<RwLock<Arc<Vec<Arc<Summary>>>>>;

/// Pending edits, and recently decided ones.
pub(crate) struct Queue {
    place: QueueFolder,
    shown: Shown,
    items: BTreeMap<PendingId, QueuedItem>,
    /// Decided edits, oldest first.
    settled: VecDeque<Settled>,
    /// Serial number of the newest edit.
    serial: u64,
}

struct QueuedItem {
    summary: Arc<Summary>,
    serial: u64,
}

impl Queue {
    /// Reads the queue from the disk. The sentences name the files that could not be read.
    pub(crate) fn open(place: QueueFolder) -> (Self, Vec<String>) {
        let (items, settled) = (BTreeMap::new(), VecDeque::new());
        let mut queue = Self { place, shown: Shown::default(), items, settled, serial: 0 };
        let mut warnings = Vec::new();
        let names = match queue.place.files.list(&queue.place.folder) {
            Ok(names) => names,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => {
                warnings.push(format!("pending edits cannot be listed: {}", cause_without_number(&error)));
                Vec::new()
            }
        };
        for name in names {
            warnings.extend(queue.load_change(&name));
        }
        warnings.extend(queue.read_settled());
        queue.update_shown();
        (queue, warnings)
    }

    /// Returns the shared list of pending edits, which follows each change.
    pub(crate) fn shown_list(&self) -> Shown {
        Arc::clone(&self.shown)
    }

    fn update_shown(&self) {
        let mut items: Vec<&QueuedItem> = self.items.values().collect();
        items.sort_by_key(|item| std::cmp::Reverse(item.serial));
        let all = items.into_iter().map(|item| Arc::clone(&item.summary)).collect();
        *self.shown.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(all);
    }

    fn load_change(&mut self, name: &str) -> Option<String> {
        let path = self.place.folder.join(name);
        match name.rsplit_once('.') {
            Some((_, files::TEMPORARY)) => {
                let _ = self.place.files.remove(&path);
                None
            }
            Some((stem, EDIT)) => {
                let id = PendingId::parse(stem)?;
                match self.read(&id) {
                    Ok(Queued { pending, serial }) => {
                        self.serial = self.serial.max(serial);
                        self.items.insert(id, QueuedItem { summary: Arc::new(pending.summary), serial });
                        None
                    }
                    Err(why) => Some(why),
                }
            }
            _ => None,
        }
    }

    fn read_settled(&mut self) -> Option<String> {
        let path = self.settled_path();
        let bytes = match self.place.files.read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => {
                return Some(format!("what became of earlier edits: {}", cause_without_number(&error)));
            }
        };
        match format::decode::<Vec<Settled>>(&bytes) {
            Ok(settled) => {
                self.settled = settled.into();
                // The edit was decided, but its file outlived a crash.
                for one in &self.settled {
                    if self.items.remove(&one.id).is_some() {
                        let _ = files::take_away(&*self.place.files, &self.path(&one.id));
                    }
                }
                None
            }
            Err(why) => {
                let _ = self.place.files.rename(&path, &path.with_extension("damaged"));
                Some(format!("what became of earlier edits is not known any more: {why}"))
            }
        }
    }

    /// Reads a file, and sets it aside if it is invalid.
    fn read(&self, id: &PendingId) -> Result<Queued, String> {
        let path = self.path(id);
        let bytes = self
            .place
            .files
            .read(&path)
            .map_err(|error| format!("`{id}`: {}", cause_without_number(&error)))?;
        let decoded = format::decode::<Queued>(&bytes).map_err(|why| why.to_string());
        let right = decoded.and_then(|queued| match queued.pending.summary.id == *id {
            true => Ok(queued),
            false => Err("it is another edit's".to_owned()),
        });
        right.map_err(|why| {
            let aside = path.with_extension("damaged");
            let _ = self.place.files.rename(&path, &aside);
            format!("the pending edit `{id}` cannot be used: {why}; its file is kept as {}", aside.display())
        })
    }

    /// Returns the newest preview of `owner`, else its change set.
    pub(crate) fn newest_of(&self, owner: &Owner) -> Option<PendingId> {
        let own = self.items.values().filter(|item| item.summary.owner == *owner);
        let newest = own.max_by_key(|item| (item.summary.kind == PendingKind::Preview, item.serial));
        newest.map(|item| item.summary.id.clone())
    }

    /// Returns the change set of `owner`.
    pub(crate) fn set(&self, owner: &Owner) -> Option<PendingId> {
        let is_set =
            |item: &&QueuedItem| item.summary.owner == *owner && item.summary.kind == PendingKind::ChangeSet;
        self.items.values().find(is_set).map(|item| item.summary.id.clone())
    }

    /// Returns the description of `id`, if it is pending.
    pub(crate) fn summary(&self, id: &PendingId) -> Result<Summary, EditError> {
        match self.items.get(id) {
            Some(item) => Ok(Summary::clone(&item.summary)),
            None => Err(self.error_missing(id)),
        }
    }

    /// Loads a pending edit with its contents.
    pub(crate) fn load(&mut self, id: &PendingId) -> Result<Pending, EditError> {
        if !self.items.contains_key(id) {
            return Err(self.error_missing(id));
        }
        match self.read(id) {
            Ok(queued) => Ok(queued.pending),
            Err(cause) => {
                self.items.remove(id);
                self.update_shown();
                Err(EditError::State { file: self.path(id).display().to_string(), cause })
            }
        }
    }

    fn error_missing(&self, id: &PendingId) -> EditError {
        match self.settled.iter().rev().find(|one| one.id == *id) {
            Some(Settled { id, label, outcome, .. }) => {
                EditError::Settled { id: id.clone(), label: label.clone(), outcome: *outcome }
            }
            None => EditError::Unknown(id.to_string()),
        }
    }

    /// Stores an edit: a new one, or a change set that replaces its former state.
    pub(crate) fn put(
        &mut self,
        whose: (Owner, PendingKind),
        proposal: Proposal,
        now: SystemTime,
    ) -> Result<Pending, EditError> {
        let known = if whose.1 == PendingKind::ChangeSet { self.set(&whose.0) } else { None };
        let id = known.unwrap_or_else(|| self.unused_id());
        let summary = Summary::summary_of(id, whose, &proposal, now);
        self.limit(&summary)?;
        let serial = self.serial + 1;
        let queued = Queued { pending: Pending { summary, proposal }, serial };
        let (files, path) = (&*self.place.files, self.path(&queued.pending.summary.id));
        files::ensure_folder(files, &self.place.folder)
            .and_then(|()| files::put(files, &path, &format::encode(&queued)))
            .map_err(|error| EditError::State {
                file: path.display().to_string(),
                cause: cause_without_number(&error),
            })?;
        self.serial = serial;
        let summary = Arc::new(queued.pending.summary.clone());
        self.items.insert(summary.id.clone(), QueuedItem { summary, serial });
        self.update_shown();
        Ok(queued.pending)
    }

    fn unused_id(&self) -> PendingId {
        loop {
            let id = PendingId::random_id();
            if !self.items.contains_key(&id) && self.settled.iter().all(|one| one.id != id) {
                return id;
            }
        }
    }

    fn limit(&self, summary: &Summary) -> Result<(), EditError> {
        let others = || self.items.values().filter(|item| item.summary.id != summary.id);
        let of_client = others().filter(|item| item.summary.owner.client == summary.owner.client).count();
        let all: u64 = others().map(|item| item.summary.bytes).sum();
        let text = if summary.files.len() > MAX_FILES {
            format!(
                "the edit changes {} files, at most {MAX_FILES} go into one; do it in parts",
                summary.files.len()
            )
        } else if summary.bytes > MAX_BYTES {
            format!(
                "the edit has {} MiB of contents, at most {} go into one; do it in parts",
                to_mib(summary.bytes),
                to_mib(MAX_BYTES)
            )
        } else if of_client >= MAX_OF_CLIENT {
            format!(
                "{of_client} edits of this client are pending, which is as many as may be; apply or discard some of them"
            )
        } else if all + summary.bytes > MAX_ALL {
            format!(
                "{} MiB of edits are pending, at most {} may be; `hob pending` lists them, apply or discard some",
                to_mib(all),
                to_mib(MAX_ALL)
            )
        } else {
            return Ok(());
        };
        Err(EditError::TooMuch(text))
    }

    /// Records how an edit was decided; from now on it is not pending. Returns sentences about failures on the disk.
    pub(crate) fn decide_edit(
        &mut self,
        id: &PendingId,
        how: (PendingOutcome, SystemTime),
    ) -> Result<Summary, EditError> {
        let item = self.items.get(id).ok_or_else(|| self.error_missing(id))?;
        let (summary, (outcome, at)) = (Summary::clone(&item.summary), how);
        self.note_settled(Settled { id: id.clone(), label: summary.label.clone(), outcome, at })?;
        Ok(summary)
    }

    /// Records a decision as [`Self::decide_edit`] does, for an edit that may not be known any more.
    pub(crate) fn note_settled(&mut self, settled: Settled) -> Result<(), EditError> {
        let id = settled.id.clone();
        self.items.remove(&id);
        self.update_shown();
        let old = |one: &Settled| settled.at.duration_since(one.at).is_ok_and(|age| age > MEMORY);
        while self.settled.len() >= REMEMBERED || self.settled.front().is_some_and(old) {
            self.settled.pop_front();
        }
        self.settled.retain(|one| one.id != id);
        self.settled.push_back(settled);
        let (files, list) = (&*self.place.files, self.settled_path());
        let rows: Vec<Settled> = self.settled.iter().cloned().collect();
        // The list is written first: an edit in the list is not pending, whatever happens to its file.
        files::ensure_folder(files, &self.place.folder)
            .and_then(|()| files::put(files, &list, &format::encode(&rows)))
            .and_then(|()| files::take_away(files, &self.path(&id)))
            .map_err(|error| EditError::State {
                file: list.display().to_string(),
                cause: cause_without_number(&error),
            })
    }

    /// Expires the edits that nobody has decided in time.
    pub(crate) fn expire_old(&mut self, now: SystemTime) {
        let old = |item: &QueuedItem| now.duration_since(item.summary.made).is_ok_and(|age| age >= LIFE);
        let expired: Vec<PendingId> =
            self.items.iter().filter(|(_, item)| old(item)).map(|(id, _)| id.clone()).collect();
        for id in expired {
            if let Err(error) = self.decide_edit(&id, (PendingOutcome::Expired, now)) {
                tracing::warn!("an edit that expired: {error}");
            }
        }
    }

    fn path(&self, id: &PendingId) -> PathBuf {
        self.place.folder.join(format!("{id}.{EDIT}"))
    }

    fn settled_path(&self) -> PathBuf {
        self.place.folder.join("settled.list")
    }
}

fn to_mib(bytes: u64) -> u64 {
    bytes >> 20
}
