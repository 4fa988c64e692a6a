//! Writes an apply's contents to a journal on the disk before it touches any file, so that any later process can finish
//! it or take it back.
//!
//! An apply goes through these steps, each of which is on the disk before the next begins:
//! 1. the *record*: contents and permissions of every file before and after, in hob's own folder;
//! 2. new contents beside their targets, and a second name for each old file;
//! 3. the *mark*, in hob's own folder: from here on the new contents count;
//! 4. each new file and its target exchange their names; a file that has to stay the same file, because it has other
//!    names or an owner who cannot be given it, is written over;
//! 5. record and mark are removed, the record first.
//!
//! A record without a mark is taken back, one with a mark is carried out. Both can begin from any mixture of old and
//! new files, because the record holds both sides. The files beside the targets save space when the disk is full, and
//! let an old file come back as the file that it was. The mark goes last, because a record without it would mean the
//! opposite. A running process that takes an apply back removes the mark first.
//!
//! A write over a file may be interrupted, and the file then has some of either contents. The record holds both whole,
//! so that recovery can tell such a file from another program's, and finish it. Until then the file is in pieces, which
//! never happens to a file that takes a name.
//!
//! Names beside the targets begin with a dot, so that neither hob nor the usual tools take them for files of the project.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use hob_base::{AbsPath, ContentHash};

use crate::files::{self, Files};
use crate::format::{self, FormatError};
use crate::record::Record;

const RECORD: &str = "journal";
const MARK: &str = "commit";

/// The folder of records and marks.
pub(crate) struct Journal {
    files: Arc<dyn Files>,
    folder: PathBuf,
}

/// A record that an earlier process, or a failure, left behind.
pub(crate) enum LeftRecord {
    /// The record is intact; `committed` if its mark is there.
    Record { record: Box<Record>, committed: bool },
    /// The record cannot be read, and was set aside.
    Damaged { name: String, why: FormatError },
}

impl Journal {
    pub(crate) fn new(files: Arc<dyn Files>, folder: PathBuf) -> Self {
        Self { files, folder }
    }

    /// Writes the record: step 1.
    pub(crate) fn begin(&self, record: &Record) -> io::Result<()> {
        files::ensure_folder(&*self.files, &self.folder)?;
        files::put(&*self.files, &self.path(record, RECORD), &format::encode(record))
    }

    /// Writes the mark: step 3.
    pub(crate) fn commit(&self, record: &Record) -> io::Result<()> {
        files::put(&*self.files, &self.path(record, MARK), record.subject.id.as_str().as_bytes())
    }

    /// Removes the mark: takes step 3 back.
    pub(crate) fn revoke_mark(&self, record: &Record) -> io::Result<()> {
        files::take_away(&*self.files, &self.path(record, MARK))
    }

    /// Removes record and mark: step 5.
    pub(crate) fn end(&self, record: &Record) -> io::Result<()> {
        files::take_away(&*self.files, &self.path(record, RECORD))?;
        self.revoke_mark(record)
    }

    /// Reads the records that are there: of one workspace, or all. Removes marks and drafts without a record.
    pub(crate) fn records_left(&self, root: Option<&AbsPath>) -> io::Result<Vec<LeftRecord>> {
        let mut names = match self.files.list(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            other => other?,
        };
        names.sort();
        if root.is_none() {
            self.remove_leftovers(&names)?;
        }
        let wanted = root.map(key).unwrap_or_default();
        let records = names.iter().filter(|name| name_ending(name) == RECORD && name.starts_with(&wanted));
        records.map(|name| self.read(name)).collect()
    }

    fn read(&self, name: &str) -> io::Result<LeftRecord> {
        let path = self.folder.join(name);
        match format::decode::<Record>(&self.files.read(&path)?) {
            Ok(record) => {
                let committed = match self.files.read(&self.path(&record, MARK)) {
                    Ok(mark) => mark == record.subject.id.as_str().as_bytes(),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => false,
                    Err(error) => return Err(error),
                };
                Ok(LeftRecord::Record { record: Box::new(record), committed })
            }
            Err(why) => {
                self.files.rename(&path, &path.with_extension("damaged"))?;
                Ok(LeftRecord::Damaged { name: name.to_owned(), why })
            }
        }
    }

    fn remove_leftovers(&self, names: &[String]) -> io::Result<()> {
        for name in names {
            let has_record = || names.contains(&format!("{}.{RECORD}", name_stem(name)));
            if name_ending(name) == files::TEMPORARY || name_ending(name) == MARK && !has_record() {
                files::gone(self.files.remove(&self.folder.join(name)))?;
            }
        }
        Ok(())
    }

    fn path(&self, record: &Record, ending: &str) -> PathBuf {
        self.folder.join(format!("{}-{}.{ending}", key(&record.root), record.subject.id))
    }
}

fn name_stem(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

fn name_ending(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// Returns a workspace's key for file names.
pub(crate) fn key(root: &AbsPath) -> String {
    ContentHash::of(root.to_string().as_bytes()).to_string()[..16].to_owned()
}
