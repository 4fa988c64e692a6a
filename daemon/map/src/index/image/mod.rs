//! The index's names and lists as bytes, so that a restart reads them instead of building them from every file's facts.
//!
//! An image is believed file by file: it says of each what its facts were like (a fingerprint of all that lists depend
//! on), and what it says of files that are gone or whose facts are others is passed over while it is read. So an image may be
//! older than the files, and costs the more the older it is, but never an answer. Its bytes are not trusted: whatever
//! they are, nothing is indexed out of bounds, and a sample of files is looked up under all its words before it is used, which
//! also finds out an image from a version of hob that kept other lists.
//!
//! Layout: version; the files' paths in their order, and their fingerprints; three parts, each with its length before it: names,
//! `defining` with the numbers of definitions that are not one, `mentioning`; then modules, `importing`. Files are
//! numbered in the order of their paths here, since a restart numbers them anew.
//!
//! Versions: 1, the first.

mod read;
mod write;

pub use write::ImageJob;

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use crate::facts::FileFacts;
use crate::index::FileEntry;
use hob_base::FileId;

/// The version written; to be raised with any change to the layout or to which words a file is listed under.
const VERSION: u32 = 1;

/// A file made ready for a map, with everything that can be found out about it alone.
#[derive(Debug)]
pub struct PreparedFile {
    pub(super) file: FileId,
    pub(super) entry: Box<FileEntry>,
    pub(super) fingerprint: u64,
}

impl PreparedFile {
    /// Prepares a file. Pure, and the larger part of the work: to be called for many files in parallel.
    #[must_use]
    pub fn new(file: FileId, path: hob_base::WsPath, facts: std::sync::Arc<FileFacts>) -> Self {
        let fingerprint = fingerprint(&facts);
        Self { file, entry: Box::new(FileEntry::new(path, facts)), fingerprint }
    }

    /// Returns the file's number in this run.
    #[must_use]
    pub fn file(&self) -> FileId {
        self.file
    }
}

/// A hash of everything in a file's facts that its words depend on.
pub(crate) fn fingerprint(facts: &FileFacts) -> u64 {
    let mut hasher = FxHasher::default();
    facts.lang.hash(&mut hasher);
    hasher.write(facts.names.text().as_bytes());
    hasher.write_usize(facts.names.len());
    facts.defs.iter().for_each(|def| (def.name, def.qualified, def.parent).hash(&mut hasher));
    hasher.write_usize(facts.defs.len());
    facts.refs.iter().for_each(|r| hasher.write_u32(r.name.0));
    facts.imports.iter().for_each(|i| (i.module, i.name, i.local).hash(&mut hasher));
    facts.exports.iter().for_each(|e| (e.local, e.exported).hash(&mut hasher));
    hasher.finish()
}
