//! Writes an image, in slices of time.
//!
//! A job begins with the present files and then copies names and lists one by one, under a lock that may be released
//! between any two, so that changes can come at any time. A changed file makes its entries wrong: at the end, after the
//! last list, the job compares every file with its state at the beginning, and gives changed ones a fingerprint that no
//! file has, so that a reader skips their entries. Computing fingerprints and ordering the bytes need no map.

use std::sync::Arc;

use hob_base::{FileId, WsPath};
use rayon::prelude::*;

use super::{VERSION, fingerprint};
use crate::facts::FileFacts;
use crate::index::NameId;
use crate::index::{FileEntry, Index, MapNameTable};
use crate::persist::flat::{put_sorted, put_varint};

/// Number of names that are copied between two checks of `go_on`.
const AT_ONCE: u32 = 256;

/// An image in progress.
#[derive(Debug, Default)]
pub struct ImageJob {
    /// The files, in order of path once [`ImageJob::arrange_files`] has been called.
    files: Vec<ImagedFile>,
    /// The index in `files` of each file, by file number.
    ranks: Vec<u32>,
    names: CopiedNames,
    defining: CopiedLists,
    mentioning: CopiedLists,
    /// Number of files whose names were counted.
    counted: usize,
    /// The definitions beyond the first that files have of a name: name, file, number.
    counts: Vec<(u32, u32, u32)>,
    modules: CopiedNames,
    importing: CopiedLists,
    /// Number of files that were compared at the end.
    compared: usize,
}

/// A file at the beginning of the job.
#[derive(Debug)]
struct ImagedFile {
    file: FileId,
    path: WsPath,
    facts: Arc<FileFacts>,
    has_changed: bool,
}

/// The names of a table that have been copied.
#[derive(Debug, Default)]
struct CopiedNames {
    /// Number of names that the table had at the beginning.
    all: u32,
    done: u32,
    text: Vec<u8>,
    lengths: Vec<u8>,
}

/// The lists that have been copied.
#[derive(Debug, Default)]
struct CopiedLists {
    lengths: Vec<u8>,
    gaps: Vec<u8>,
}

impl Index {
    /// Returns the names and lists as bytes. Uses all threads of the pool it is called in.
    pub(crate) fn image(&self) -> Vec<u8> {
        let mut job = self.image_job();
        self.image_while(&mut job, &|| true);
        job.into_bytes()
    }

    /// Begins an image of the present files.
    pub(crate) fn image_job(&self) -> ImageJob {
        let imaged = |(file, entry): (FileId, &FileEntry)| ImagedFile {
            file,
            path: entry.path.clone(),
            facts: Arc::clone(&entry.facts),
            has_changed: false,
        };
        let all_of = |names: &MapNameTable| CopiedNames { all: names.len() as u32, ..CopiedNames::default() };
        ImageJob {
            files: self.entries().map(imaged).collect(),
            names: all_of(&self.names),
            modules: all_of(&self.modules),
            ..ImageJob::default()
        }
    }

    /// Copies as long as `go_on` returns true. Returns true if everything is copied.
    pub(crate) fn image_while(&self, job: &mut ImageJob, go_on: &dyn Fn() -> bool) -> bool {
        job.arrange_files();
        let is_copied = self.copy_names(job, go_on) && self.copy_modules(job, go_on);
        is_copied && self.count_definitions(job, go_on) && self.compare_files(job, go_on)
    }

    fn copy_names(&self, job: &mut ImageJob, go_on: &dyn Fn() -> bool) -> bool {
        while let Some(name) = job.names.copy_next(&self.names) {
            job.defining.copy(self.defining.get(name), &job.ranks);
            job.mentioning.copy(self.mentioning.get(name), &job.ranks);
            if name.0 % AT_ONCE == 0 && !go_on() {
                return false;
            }
        }
        true
    }

    fn copy_modules(&self, job: &mut ImageJob, go_on: &dyn Fn() -> bool) -> bool {
        while let Some(module) = job.modules.copy_next(&self.modules) {
            job.importing.copy(self.importing.get(module), &job.ranks);
            if module.0 % AT_ONCE == 0 && !go_on() {
                return false;
            }
        }
        true
    }

    fn count_definitions(&self, job: &mut ImageJob, go_on: &dyn Fn() -> bool) -> bool {
        while let Some(imaged) = job.files.get_mut(job.counted) {
            match self.entry(imaged.file).filter(|entry| Arc::ptr_eq(&entry.facts, &imaged.facts)) {
                Some(entry) => {
                    let several = entry.defined_names().filter(|(_, defs)| defs.len() > 1);
                    let named = several.filter_map(|(name, defs)| {
                        let name = self.names.find(entry.facts.name(name))?;
                        Some((name.0, job.counted as u32, defs.len() as u32 - 1))
                    });
                    job.counts.extend(named);
                }
                None => imaged.has_changed = true,
            }
            job.counted += 1;
            if !go_on() {
                return false;
            }
        }
        true
    }

    /// Marks the files that have changed. It must run after the last list, since later changes are in no list.
    fn compare_files(&self, job: &mut ImageJob, go_on: &dyn Fn() -> bool) -> bool {
        while let Some(imaged) = job.files.get_mut(job.compared) {
            let entry = self.entry(imaged.file);
            let is_same =
                entry.is_some_and(|now| Arc::ptr_eq(&now.facts, &imaged.facts) && now.path == imaged.path);
            imaged.has_changed |= !is_same;
            job.compared += 1;
            if (job.compared as u32).is_multiple_of(AT_ONCE) && !go_on() {
                return false;
            }
        }
        true
    }
}

impl ImageJob {
    /// Sorts the files, unless that was done. It needs no map, so it is better done without the map's lock.
    pub fn arrange_files(&mut self) {
        if !self.ranks.is_empty() {
            return;
        }
        self.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        let end = self.files.iter().map(|imaged| imaged.file.index() + 1).max().unwrap_or(0);
        self.ranks = vec![u32::MAX; end];
        for (rank, imaged) in (0..).zip(&self.files) {
            self.ranks[imaged.file.index()] = rank;
        }
    }

    /// Returns the bytes of a complete image. Uses all threads of the pool it is called in.
    #[must_use]
    pub fn into_bytes(mut self) -> Vec<u8> {
        let print = |imaged: &ImagedFile| match fingerprint(&imaged.facts) {
            // No unchanged file has this fingerprint, so no reader believes it.
            print if imaged.has_changed => !print,
            print => print,
        };
        let fingerprints: Vec<u64> = self.files.par_iter().map(print).collect();
        self.counts.par_sort_unstable();
        let mut out = Vec::new();
        put_varint(&mut out, VERSION);
        put_sorted(&mut out, self.files.iter().map(|imaged| imaged.path.as_str()));
        fingerprints.iter().for_each(|print| out.extend(print.to_le_bytes()));
        let defining = [self.defining.into_bytes(), put_counts(&self.counts)].concat();
        for part in [self.names.into_bytes(), defining, self.mentioning.into_bytes()] {
            put_varint(&mut out, part.len() as u32);
            out.extend(part);
        }
        out.extend(self.modules.into_bytes());
        out.extend(self.importing.into_bytes());
        out
    }
}

impl CopiedNames {
    /// Copies the next of the names that existed at the beginning, and returns its number.
    fn copy_next(&mut self, names: &MapNameTable) -> Option<NameId> {
        if self.done == self.all {
            return None;
        }
        let name = NameId(self.done);
        let text = names.get(name);
        self.text.extend(text.as_bytes());
        put_varint(&mut self.lengths, text.len() as u32);
        self.done += 1;
        Some(name)
    }

    /// Returns the bytes of the names: their number and the length of their text, the text, the length of each name.
    fn into_bytes(self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.text.len() + self.lengths.len() + 10);
        put_varint(&mut out, self.done);
        put_varint(&mut out, self.text.len() as u32);
        out.extend(self.text);
        out.extend(self.lengths);
        out
    }
}

impl CopiedLists {
    /// Copies a list of files as their indexes in order of path, each as its distance from the one before. Files that
    /// were added later are skipped.
    fn copy(&mut self, files: &[u32], ranks: &[u32]) {
        let rank = |file: &u32| ranks.get(*file as usize).copied().filter(|rank| *rank != u32::MAX);
        let mut list: Vec<u32> = files.iter().filter_map(rank).collect();
        // Usually it is sorted already: if there are many files, they are numbered by path.
        list.sort_unstable();
        put_varint(&mut self.lengths, list.len() as u32);
        let mut next = 0;
        for rank in list {
            put_varint(&mut self.gaps, rank - next);
            next = rank + 1;
        }
    }

    /// Returns the bytes of the lists: the length of all lengths, the lengths, the distances.
    fn into_bytes(self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.lengths.len() + self.gaps.len() + 5);
        put_varint(&mut out, self.lengths.len() as u32);
        out.extend(self.lengths);
        out.extend(self.gaps);
        out
    }
}

fn put_counts(counts: &[(u32, u32, u32)]) -> Vec<u8> {
    let mut out = Vec::with_capacity(4 * counts.len());
    put_varint(&mut out, counts.len() as u32);
    let mut last = 0;
    for &(name, rank, more) in counts {
        [name - last, rank, more].into_iter().for_each(|number| put_varint(&mut out, number));
        last = name;
    }
    out
}
