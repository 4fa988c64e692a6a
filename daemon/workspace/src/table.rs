//! The file table: which number a file has, and what it was when it was last read.
//!
//! A number belongs to a path for as long as the workspace is open: a file that is deleted and made again has its old
//! number. The table compares what a scan found with what it remembers; it opens nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hob_base::{Change, ContentHash, FileId, WsPath};

use crate::omitted::Omitted;
use crate::unread::Trouble;
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
    /// To read and hash, in the order of their paths.
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
    /// `None`: not read yet, or gone.
    record: Option<Record>,
    /// Its number on its device when it was last read; zero where it has none.
    inode: u64,
}

/// The files of one workspace.
#[derive(Debug, Default)]
pub struct FileTable {
    /// All files, at the place of their number.
    entries: Vec<FileTableEntry>,
    /// Ordered, so that the files below a folder are neighbours.
    by_path: BTreeMap<WsPath, FileId>,
    /// Known files by inode, where there are such. Devices are not told apart: a number that two share costs a look.
    by_inode: BTreeSet<(u64, FileId)>,
    live: usize,
    /// Files that a walk or a look left out, by name.
    pub(crate) omitted: Omitted,
    /// Those with more than one name, for calls that have no access to the table.
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

    /// An empty table that goes on writing the lists that others hold.
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

    /// The number of `path`, known or once known.
    #[must_use]
    pub fn id(&self, path: &WsPath) -> Option<FileId> {
        self.by_path.get(path).copied()
    }

    /// The path that `file` belongs to.
    #[must_use]
    pub fn path(&self, file: FileId) -> Option<&WsPath> {
        self.entries.get(file.index()).map(|entry| &entry.path)
    }

    /// Returns the facts about `file` as of its last reading; `None` when it is gone or not read yet.
    #[must_use]
    pub fn record(&self, file: FileId) -> Option<&Record> {
        self.entries.get(file.index())?.record.as_ref()
    }

    /// All known files in the order of their paths.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &WsPath, &Record)> {
        self.by_path.iter().filter_map(|(path, &id)| Some((id, path, self.record(id)?)))
    }

    /// The known files with more than one name. Writing through another name gives no event, so a caller that promises
    /// freshness looks at these every time.
    #[must_use]
    pub fn links(&self) -> &Arc<Links> {
        &self.links
    }

    /// Returns the list of what could not be read when it was due: what is known of it may be out of date, and a
    /// caller that promises freshness has it tried again.
    #[must_use]
    pub fn unread(&self) -> &Arc<Unread> {
        &self.unread
    }

    /// The known paths of the file with this inode.
    pub(crate) fn names_of(&self, inode: u64) -> impl Iterator<Item = &WsPath> {
        let names = self.by_inode.range((inode, FileId(0))..=(inode, FileId(u32::MAX)));
        names.filter_map(|(_, file)| self.path(*file))
    }

    /// The number on its device of the file that was last read at `path`, there or not; zero if there is none.
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

    /// Takes over what was known from an earlier run. The next sweep finds out what changed since.
    pub fn restore_record(&mut self, path: &WsPath, record: Record) -> FileId {
        let id = self.allocate_id(path);
        self.set(id, Some(record));
        id
    }

    /// The file was read: remembers it. `None` when its contents are what they were.
    pub fn was_read(&mut self, read: &ToRead, hash: ContentHash, read_at_ns: i64) -> Option<Change> {
        self.unread.remove(&read.path);
        let record = Record { stat: read.stat, read_at_ns, hash, class: read.class };
        let before = self.set(read.file, Some(record));
        let same = before.is_some_and(|before| before.hash == hash && before.class == read.class);
        let change = Change::Set { file: read.file, path: read.path.clone(), hash, len: read.stat.len };
        (!same).then_some(change)
    }

    /// The caller may not have the contents that it said it read: whatever the next look finds counts as changed.
    pub fn distrust(&mut self, file: FileId) {
        if let Some(record) = self.entries.get_mut(file.index()).and_then(|entry| entry.record.as_mut()) {
            // The hash of no contents anybody has, and a stat that fits no file.
            record.hash = ContentHash::of(&[record.hash.as_bytes(), &b"doubted"[..]].concat());
            record.stat.len = u64::MAX;
        }
    }

    /// The file is gone. `None` when it was not known.
    pub fn forget_file(&mut self, file: FileId) -> Option<Change> {
        if let Some(entry) = self.entries.get(file.index()) {
            self.unread.remove(&entry.path);
        }
        self.set(file, None).map(|_| Change::Remove { file })
    }

    /// Compares the walk of the tree at `below` with what is known.
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

    /// Takes over what the walk of the tree at `below` could not read.
    pub(crate) fn take_unread(&mut self, below: &WsPath, unread: BTreeMap<WsPath, Trouble>) {
        self.unread.remove_below(below);
        for (path, trouble) in unread {
            let was_known = self.files_below(&path).next().is_some();
            self.unread.insert(path, trouble.of_known(was_known));
        }
    }

    /// Returns what to read if a file that was found looks different from what is known of it; `None` if it need not
    /// be read.
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

    /// The known files at or below `dir`, in the order of their paths.
    pub(crate) fn files_below<'t>(&'t self, dir: &'t WsPath) -> impl Iterator<Item = (&'t WsPath, FileId)> {
        // Between `a` and `a/b` lie paths such as `a-c`, which are passed over; there are few.
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
