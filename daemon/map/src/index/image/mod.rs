//! Stores the index's names and lists as bytes, so that a restart reads them instead of building them from every file's
//! facts.
//!
//! An image is believed file by file. It has a fingerprint of each file's facts, of everything on which the lists
//! depend, and the reader skips entries of files that are gone or have other facts. So an image may be older than the
//! files, which costs time and never a right answer. Its bytes are not trusted: no bytes cause an index out of bounds.
//! Before an image is used, a sample of files is looked up under all their words, which also detects an image from a
//! version of hob with other lists.
//!
//! Layout: version; the files' paths in their order, and their fingerprints; three parts, each preceded by its length:
//! names, `defining` with the counts of names that a file defines more than once, `mentioning`; then modules,
//! `importing`. Files are numbered in the order of their paths here, since a restart numbers them anew.
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

/// The version written. Raise it with any change to the layout or to the words under which a file is listed.
const VERSION: u32 = 1;

/// A file prepared for a map, with everything that can be computed from it alone.
#[derive(Debug)]
pub struct PreparedFile {
    pub(super) file: FileId,
    pub(super) entry: Box<FileEntry>,
    pub(super) fingerprint: u64,
}

impl PreparedFile {
    /// Prepares a file. It is pure, and the larger part of the work, so it should be called for many files in parallel.
    #[must_use]
    pub fn new(file: FileId, path: hob_base::WsPath, facts: std::sync::Arc<FileFacts>) -> Self {
        let fingerprint = fingerprint(&facts);
        Self { file, entry: Box::new(FileEntry::new(path, facts)), fingerprint }
    }

    /// Returns the number of the file in this run.
    #[must_use]
    pub fn file(&self) -> FileId {
        self.file
    }
}

/// Returns a hash of everything in a file's facts on which its words depend.
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
