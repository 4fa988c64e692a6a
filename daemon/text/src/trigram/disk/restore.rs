//! Restores an index from the files of an earlier run.

use std::path::Path;
use std::sync::Arc;

use hob_base::{AbsPath, ContentHash, FileId, WsPath};
use rayon::prelude::*;

use super::error::DiskError;
use super::manifest;
use super::segment::{SegmentFile, Stored, UNPAIRED};
use crate::trigram::index::TrigramIndex;
use crate::trigram::segment::{Doc, Segment};

/// The restored part of an index.
#[derive(Debug, Default)]
pub struct Restored {
    /// The index of the unchanged files.
    pub index: TrigramIndex,
    /// Unusable segments, whose files are not in the index; worth a warning each.
    pub rejected: Vec<DiskError>,
}

/// Returns a file's number in this run if it still has a content, else `None`.
type KeepDocument<'a> = dyn Fn(&WsPath, &ContentHash) -> Option<FileId> + 'a;

/// Restores the index that a [`Saver`](crate::Saver) left in `folder`. It passes each document to `keep`, in
/// no particular order and possibly several times with different contents; the document is in the index
/// exactly when `keep` returns a number, and has that number. The host indexes all other files anew;
/// [`TrigramIndex::contains`] tells which files the index has.
///
/// It reads and checks segments in parallel, on the rayon pool of the caller. A folder without a manifest
/// gives an empty index. Files that the manifest does not name are deleted.
///
/// # Errors
/// [`DiskError`] when there is a manifest that cannot be read or is damaged, foreign, or of another version.
/// The host then begins with an empty index, and its first save cleans up.
pub fn restore_index(folder: &AbsPath, keep: &KeepDocument<'_>) -> Result<Restored, DiskError> {
    let folder = folder.as_path();
    let named = match manifest::read(folder) {
        Err(error) if error.is_not_found() => Vec::new(),
        named => named?,
    };
    manifest::delete_others(folder, &named);
    let opened: Vec<_> = named.par_iter().map(|stored| open(folder, *stored)).collect();
    let mut restored = Restored::default();
    for result in opened {
        match result.and_then(|(file, paths)| renumber_documents(folder, file, paths, &restored.index, keep))
        {
            Ok((segment, is_live)) => restored.index.push_restored(segment, &is_live),
            Err(error) => restored.rejected.push(error),
        }
    }
    Ok(restored)
}

fn open(folder: &Path, stored: Stored) -> Result<(SegmentFile, Vec<WsPath>), DiskError> {
    let path = folder.join(stored.file_name());
    let file = SegmentFile::open(&path)?;
    file.is(stored).map_err(DiskError::format(&path))?;
    let paths = file.read_paths().map_err(DiskError::format(&path))?;
    Ok((file, paths))
}

/// Gives a segment's documents the numbers of this run, and decides which of them count.
fn renumber_documents(
    folder: &Path,
    file: SegmentFile,
    paths: Vec<WsPath>,
    index: &TrigramIndex,
    keep: &KeepDocument<'_>,
) -> Result<(Segment, Vec<bool>), DiskError> {
    let path = folder.join(file.stored.file_name());
    let (hashes, count) = (file.hashes(), paths.len());
    let mut taken = rustc_hash::FxHashSet::default();
    let numbered: Vec<Option<Doc>> = paths
        .into_iter()
        .zip(hashes.as_chunks().0)
        .map(|(path, hash)| {
            let file = keep(&path, &ContentHash(*hash))?;
            // Two segments may have the same file with the same content: it changed and changed back.
            (!index.contains(file) && taken.insert(file)).then_some(Doc { file, path })
        })
        .collect();
    let is_live = numbered.iter().map(Option::is_some).collect();
    let docs: Arc<[Doc]> = numbered.into_iter().map(|doc| doc.unwrap_or_else(Doc::placeholder)).collect();
    let segment = if docs.len() == count { file.into_segment(docs) } else { Err(UNPAIRED) };
    Ok((segment.map_err(DiskError::format(&path))?, is_live))
}
