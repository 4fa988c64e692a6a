//! Numbers the files of a workspace and remembers each file's stat and hash as of its last reading.
//!
//! A number belongs to a path for as long as the workspace is open: a file that is deleted and made again has its old
//! number. The table compares the stats of a scan with its records; it opens no file.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hob_base::{Change, ContentHash, FileId, WsPath};

use crate::omitted::SkippedPaths;
use crate::unread::ReadFailure;
use crate::{FileClass, Links, Rules, Scan, ScannedFile, Stat, Unread};

/// The facts about a file as of its last reading.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record {
    /// Its stat, taken before it was read.
    pub stat: Stat,
    /// When it was read, in nanoseconds since 1970; see [`Stat::is_racy`].
    pub read_at_ns: i64,
    /// Hash of the contents that were read.
    pub hash: ContentHash,
    /// The treatment of the file, by its size.
    pub class: FileClass,
}

/// A file that has to be read, because it is new or looks different.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ToRead {
    /// Number of the file in the table.
    pub file: FileId,
    /// The file's path, relative to the root.
    pub path: WsPath,
    /// Size, times and identity of the file before it is read.
    pub stat: Stat,
    /// The treatment of the file, by its size.
    pub class: FileClass,
}

/// The work that brings the table up to date.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReadPlan {
    /// Files to read and hash, in the order of their paths.
    pub read: Vec<ToRead>,
    /// Known files that are gone, or no longer belong.
    pub gone: Vec<FileId>,
}

impl ReadPlan {
    /// Returns true if nothing has to be done.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.read.is_empty() && self.gone.is_empty()
    }
}

#[derive(Debug)]
struct FileTableEntry {
    path: WsPath,
    /// The facts of the last reading; `None` if the file is not read yet, or gone.
    record: Option<Record>,
    /// The file's inode as of its last reading; zero where the platform has none.
    inode: u64,
}

/// The files of one workspace.
#[derive(Debug, Default)]
pub struct FileTable {
    /// All files, indexed by their number.
    entries: Vec<FileTableEntry>,
    /// Numbers by path; ordered, so that the files below a folder are neighbours.
    by_path: BTreeMap<WsPath, FileId>,
    /// Known files by inode, where the platform has inodes. Devices are not told apart: two files with one number cost
    /// a needless look.
    by_inode: BTreeSet<(u64, FileId)>,
    live: usize,
    /// Files that scans left out, by name.
    pub(crate) omitted: SkippedPaths,
    /// The files with more than one name, for calls that have no access to the table.
    links: Arc<Links>,
    /// Paths that could not be read, for calls that have no access to the table.
    unread: Arc<Unread>,
}

impl FileTable {
    /// Creates a table that knows no file.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an empty table that writes to lists that others hold.
    #[must_use]
    pub fn with_lists(links: Arc<Links>, unread: Arc<Unread>) -> Self {
        links.clear();
        unread.clear();
        Self { links, unread, ..Self::default() }
    }

    /// Returns the number of known files.
    #[must_use]
    pub fn len(&self) -> usize {
        self.live
    }

    /// Returns true if no file is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// Returns the number of `path`, known or once known.
    #[must_use]
    pub fn id(&self, path: &WsPath) -> Option<FileId> {
        self.by_path.get(path).copied()
    }

    /// Returns the path that `file` belongs to.
    #[must_use]
    pub fn path(&self, file: FileId) -> Option<&WsPath> {
        self.entries.get(file.index()).map(|entry| &entry.path)
    }

    /// Returns the facts about `file` as of its last reading; `None` when it is gone or not read yet.
    #[must_use]
    pub fn record(&self, file: FileId) -> Option<&Record> {
        self.entries.get(file.index())?.record.as_ref()
    }

    /// Returns all known files in the order of their paths.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &WsPath, &Record)> {
        self.by_path.iter().filter_map(|(path, &id)| Some((id, path, self.record(id)?)))
    }

    /// Returns the list of known files with more than one name. A write through another name gives no event, so a
    /// caller that promises freshness looks at these files every time.
    #[must_use]
    pub fn links(&self) -> &Arc<Links> {
        &self.links
    }

    /// Returns the list of paths that could not be read when that was due. Their records may be out of date, and a
    /// caller that promises freshness tries them again.
    #[must_use]
    pub fn unread(&self) -> &Arc<Unread> {
        &self.unread
    }

    /// Returns the known paths of the file with this inode.
    pub(crate) fn names_of(&self, inode: u64) -> impl Iterator<Item = &WsPath> {
        let names = self.by_inode.range((inode, FileId(0))..=(inode, FileId(u32::MAX)));
        names.filter_map(|(_, file)| self.path(*file))
    }

    /// Returns the inode of the file that was last read at `path`, there or not; zero if there is none.
    pub(crate) fn inode_once_at(&self, path: &WsPath) -> u64 {
        self.id(path).and_then(|file| self.entries.get(file.index())).map_or(0, |entry| entry.inode)
    }

    /// Gives `path` a number if it has none.
    pub fn allocate_id(&mut self, path: &WsPath) -> FileId {
        if let Some(id) = self.id(path) {
            return id;
        }
        let id = FileId(u32::try_from(self.entries.len()).expect("fewer than 2^32 files"));
        self.entries.push(FileTableEntry { path: path.clone(), record: None, inode: 0 });
        self.by_path.insert(path.clone(), id);
        id
    }

    /// Restores the record of an earlier run. The next sweep finds the changes since.
    pub fn restore_record(&mut self, path: &WsPath, record: Record) -> FileId {
        let id = self.allocate_id(path);
        self.set(id, Some(record));
        id
    }

    /// Records that the file was read. Returns the change; `None` when the contents are the same.
    pub fn was_read(&mut self, read: &ToRead, hash: ContentHash, read_at_ns: i64) -> Option<Change> {
        self.unread.remove(&read.path);
        let record = Record { stat: read.stat, read_at_ns, hash, class: read.class };
        let before = self.set(read.file, Some(record));
        let same = before.is_some_and(|before| before.hash == hash && before.class == read.class);
        let change = Change::Set { file: read.file, path: read.path.clone(), hash, len: read.stat.len };
        (!same).then_some(change)
    }

    /// Makes the next reading of the file count as a change, because the caller may not have the contents that it
    /// reported.
    pub fn distrust(&mut self, file: FileId) {
        if let Some(record) = self.entries.get_mut(file.index()).and_then(|entry| entry.record.as_mut()) {
            // This hash belongs to no contents, and the stat fits no file.
            record.hash = ContentHash::of(&[record.hash.as_bytes(), &b"doubted"[..]].concat());
            record.stat.len = u64::MAX;
        }
    }

    /// Removes the file, which is gone. `None` when it was not known.
    pub fn forget_file(&mut self, file: FileId) -> Option<Change> {
        if let Some(entry) = self.entries.get(file.index()) {
            self.unread.remove(&entry.path);
        }
        self.set(file, None).map(|_| Change::Remove { file })
    }

    /// Compares the walk of the tree at `below` with the records.
    pub fn plan_reads(&mut self, scan: &Scan, below: &WsPath, rules: &Rules) -> ReadPlan {
        let mut found = scan.files.iter().map(|file| &file.path).peekable();
        let gone = self.files_below(below).filter(|(path, _)| {
            while found.next_if(|next| next < path).is_some() {}
            found.peek() != Some(path) && !scan.is_unread(path)
        });
        let gone = gone.map(|(_, id)| id).collect();
        let read = scan.files.iter().filter_map(|file| self.read_if_changed(file, rules)).collect();
        ReadPlan { read, gone }
    }

    /// Replaces the list of unreadable paths at `below` by those of a walk.
    pub(crate) fn take_unread(&mut self, below: &WsPath, unread: BTreeMap<WsPath, ReadFailure>) {
        self.unread.remove_below(below);
        for (path, trouble) in unread {
            let was_known = self.files_below(&path).next().is_some();
            self.unread.insert(path, trouble.of_known(was_known));
        }
    }

    /// Returns the file to read if its stat differs from the record; `None` if it need not be read.
    pub(crate) fn read_if_changed(&mut self, found: &ScannedFile, rules: &Rules) -> Option<ToRead> {
        let file = self.allocate_id(&found.path);
        let class = rules.class_of_size(found.stat.len);
        let unchanged = self.record(file).is_some_and(|record| {
            record.stat.matches(&found.stat)
                && !record.stat.is_racy(record.read_at_ns)
                && record.class == class
        });
        (!unchanged).then(|| ToRead { file, path: found.path.clone(), stat: found.stat, class })
    }

    /// Returns the known files at or below `dir`, in the order of their paths.
    pub(crate) fn files_below<'t>(&'t self, dir: &'t WsPath) -> impl Iterator<Item = (&'t WsPath, FileId)> {
        // Between `a` and `a/b` lie paths such as `a-c`, which are skipped; there are few.
        let start_with = move |path: &WsPath| path.as_str().starts_with(dir.as_str());
        self.by_path
            .range(dir.clone()..)
            .take_while(move |(path, _)| start_with(path))
            .filter(move |(path, _)| path.is_below(dir))
            .map(|(path, &id)| (path, id))
            .filter(|(_, id)| self.record(*id).is_some())
    }

    fn set(&mut self, file: FileId, record: Option<Record>) -> Option<Record> {
        let entry = self.entries.get_mut(file.index())?;
        let before = std::mem::replace(&mut entry.record, record);
        entry.inode = record.map_or(entry.inode, |record| record.stat.inode);
        self.links.update(file, &entry.path, record.as_ref());
        let inode =
            |record: Option<Record>| record.map(|record| record.stat.inode).filter(|inode| *inode != 0);
        if inode(before) != inode(record) {
            inode(before).map(|inode| self.by_inode.remove(&(inode, file)));
            inode(record).map(|inode| self.by_inode.insert((inode, file)));
        }
        self.live = self.live + usize::from(record.is_some()) - usize::from(before.is_some());
        before
    }
}
