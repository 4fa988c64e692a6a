//! Tracks files with more than one name (hard links): a write through another name gives no event for ours.
//!
//! The other name may lie outside the workspace, be ignored, or lie in another of its folders; inotify reports only the
//! name that the writer used. So a call that wants freshness looks at the stat of each such file itself. The table
//! keeps the list of them up to date, record by record, so that a tree without hard links costs one look at an empty
//! list.
//!
//! The list has no size limit: 8,900 such files (a tree that was copied with `cp -al`) cost a call some 25 ms on two
//! busy cores, still far less than a sweep. From [`MANY`] files on, `map_status` tells users of the cost.
//!
//! A file that has had several names stays in the list when only one is left: somebody may have it open by a name that is gone.
//!
//! What it is not: knowledge of names that are *made* elsewhere. A second name that somebody makes outside the
//! workspace gives no event inside, so such a file joins the list when the table next looks at it for another reason. The same
//! holds for a second name inside that is made, written through and removed before the indexer looks at it: its events name a
//! path at which nothing, or another file, is left.

use std::collections::HashMap;
use std::fs;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::thread;

use hob_base::{AbsPath, FileId, WsPath};

use crate::table::Record;
use crate::{DirtySet, Stat, UnreportedChange};

/// Number of files from which several threads share the looking, and `map_status` tells users the cost. One look takes
/// a microsecond or two.
pub const MANY: usize = 2_000;

#[derive(Clone, Debug)]
struct Linked {
    file: FileId,
    path: WsPath,
    stat: Stat,
    read_at_ns: i64,
}

impl Linked {
    /// Returns true if the file's bytes may differ from those that were read.
    fn may_have_changed(&self, root: &AbsPath) -> bool {
        let now = fs::symlink_metadata(root.join_ws(&self.path)).map(|metadata| Stat::of(&metadata));
        now.map_or(true, |now| !self.stat.matches(&now) || self.stat.is_racy(self.read_at_ns))
    }
}

#[derive(Debug, Default)]
struct List {
    items: Vec<Linked>,
    /// The index in `items` of each file.
    at: HashMap<FileId, usize>,
}

impl List {
    fn remove(&mut self, file: FileId) {
        let Some(at) = self.at.remove(&file) else { return };
        self.items.swap_remove(at);
        if let Some(moved) = self.items.get(at) {
            self.at.insert(moved.file, at);
        }
    }

    fn insert(&mut self, linked: Linked) {
        self.at.insert(linked.file, self.items.len());
        self.items.push(linked);
    }
}

/// The known files with more than one name. The table writes it; calls look.
#[derive(Debug, Default)]
pub struct Links(RwLock<List>);

impl Links {
    /// Returns the number of files in the list.
    #[must_use]
    pub fn len(&self) -> usize {
        self.read().items.len()
    }

    /// Returns true if no file is in the list.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.read().items.is_empty()
    }

    /// Looks at each file in the workspace at `root` and marks those that may have changed since they were read.
    /// Returns true if there was one.
    pub fn mark_changed(&self, root: &AbsPath, dirty: &DirtySet) -> bool {
        // Held while looking, so that nothing has to be copied; the indexer waits that long at most.
        let list = self.read();
        let changed = changed_files(&list.items, root);
        drop(list);
        let any = !changed.is_empty();
        changed.into_iter().for_each(|path| dirty.mark_found(UnreportedChange::Path(path)));
        any
    }

    /// Updates the list for a new `record` of `file`: adds the file, replaces it or takes it out.
    pub(crate) fn update(&self, file: FileId, path: &WsPath, record: Option<&Record>) {
        let is_linked = record.is_some_and(|record| record.stat.links > 1);
        // Mostly the file is not in the list, and readers share their lock.
        if !is_linked && !self.read().at.contains_key(&file) {
            return;
        }
        let mut list = self.write();
        list.remove(file);
        if let Some(record) = record {
            list.insert(Linked {
                file,
                path: path.clone(),
                stat: record.stat,
                read_at_ns: record.read_at_ns,
            });
        }
    }

    /// Forgets all files, for a table that begins afresh.
    pub(crate) fn clear(&self) {
        *self.write() = List::default();
    }

    fn read(&self) -> RwLockReadGuard<'_, List> {
        // Nothing that can panic runs between the writes of one change.
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, List> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

fn changed_files(items: &[Linked], root: &AbsPath) -> Vec<WsPath> {
    let look = |items: &[Linked]| -> Vec<WsPath> {
        items.iter().filter(|item| item.may_have_changed(root)).map(|item| item.path.clone()).collect()
    };
    if items.len() < MANY {
        return look(items);
    }
    // Asked only where it matters: on Linux the answer takes a dozen files to read.
    let threads = thread::available_parallelism().map_or(1, usize::from);
    if threads == 1 {
        return look(items);
    }
    thread::scope(|scope| {
        let parts = items.chunks(items.len().div_ceil(threads));
        let looking: Vec<_> = parts.map(|part| (part, scope.spawn(move || look(part)))).collect();
        // A thread that panicked has proved nothing: its files count as changed.
        let all = |part: &[Linked]| part.iter().map(|item| item.path.clone()).collect();
        looking.into_iter().flat_map(|(part, look)| look.join().unwrap_or_else(|_| all(part))).collect()
    })
}
