//! Prepares changes: does everything slow about adding them to the index, without the index's lock.

use std::sync::Arc;

use hob_base::{ContentHash, FileId, WsPath};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::build::{NewDoc, build};
use super::grams::FileGrams;
use super::segment::{Doc, Segment};

/// Fewest and most files of one segment when a large batch is split; merges join them later.
const SHARE: (usize, usize) = (512, 4096);
/// Number of trigrams at which a segment is also closed (bounds memory and list offsets).
const MAX_GRAMS: usize = 32 << 20;

/// The change of one file, with the index's data about its new contents.
#[derive(Clone, Debug)]
pub enum GramChange {
    /// The file exists with these trigrams (new, or different from before).
    Set {
        /// Number of the file in the file table.
        file: FileId,
        /// The file's path, relative to the root.
        path: WsPath,
        /// Hash of the file's bytes, by which a restored index knows that it is current.
        hash: ContentHash,
        /// The trigrams of its bytes.
        grams: FileGrams,
    },
    /// The file is gone.
    Remove {
        /// The number of the file in the file table.
        file: FileId,
    },
}

impl GramChange {
    fn file(&self) -> FileId {
        match self {
            Self::Set { file, .. } | Self::Remove { file } => *file,
        }
    }
}

/// Prepared changes.
#[derive(Debug, Default)]
pub struct TextBatch {
    /// Every changed file, once.
    pub(super) touched: Vec<FileId>,
    pub(super) segments: Vec<Arc<Segment>>,
}

impl TextBatch {
    /// Indexes the changes, in parallel when they are many. Of several changes to one file the last one
    /// counts.
    ///
    /// For a whole tree, prepare batches of some thousand files as the scan finds them, so that the trigrams
    /// of all files are not in memory at once (they take nearly half of the text).
    #[must_use]
    pub fn from_changes(changes: Vec<GramChange>) -> Self {
        let last: FxHashMap<FileId, usize> =
            changes.iter().enumerate().map(|(at, change)| (change.file(), at)).collect();
        let mut files = Vec::with_capacity(last.len());
        for (at, change) in changes.into_iter().enumerate() {
            if let GramChange::Set { file, path, hash, grams } = change
                && last.get(&file) == Some(&at)
            {
                files.push(NewDoc { doc: Doc { file, path }, hash, grams });
            }
        }
        files.par_sort_unstable_by(|NewDoc { doc: a, .. }, NewDoc { doc: b, .. }| {
            (&a.path, a.file).cmp(&(&b.path, b.file))
        });
        let segments = split_by_thread(files).into_par_iter().map(|files| Arc::new(build(files))).collect();
        Self { touched: last.into_keys().collect(), segments }
    }
}

fn split_by_thread(files: Vec<NewDoc>) -> Vec<Vec<NewDoc>> {
    let share = files.len().div_ceil(rayon::current_num_threads()).clamp(SHARE.0, SHARE.1);
    let mut chunks: Vec<Vec<_>> = Vec::new();
    let (mut docs, mut grams) = (share, 0);
    for file in files {
        if docs >= share || grams >= MAX_GRAMS {
            chunks.push(Vec::new());
            (docs, grams) = (0, 0);
        }
        docs += 1;
        grams += file.grams.len();
        chunks.last_mut().expect("the first file opens a chunk").push(file);
    }
    chunks
}
