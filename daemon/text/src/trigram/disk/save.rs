//! Bringing the folder up to date with an index.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hob_base::AbsPath;

use super::error::DiskError;
use super::file::{self, UNFINISHED};
use super::manifest;
use super::segment::{self, SegmentFile, Stored};
use crate::trigram::parts::TrigramPart;
use crate::trigram::segment::Segment;
use crate::trigram::snapshot::Snapshot;

/// Saves indexes to one folder, which it has to itself.
#[derive(Debug)]
pub struct Saver {
    folder: PathBuf,
    /// The segments that the manifest is known to name; `None` before the first look.
    named: Option<Vec<Stored>>,
}

/// The changes that a saving made, to be given back to the index.
#[derive(Debug, Default)]
pub struct Saved {
    /// Segments by key, as they are used from their files.
    pub(in crate::trigram) segments: Vec<(u64, Arc<Segment>)>,
    /// Bytes of the segment files that were written.
    pub written: u64,
}

impl Saver {
    /// For a folder, which is created by the first saving.
    #[must_use]
    pub fn new(folder: &AbsPath) -> Self {
        Self { folder: folder.as_path().to_owned(), named: None }
    }

    /// Writes the segments that are not on disk yet, then a manifest of all, then deletes what it does not name. To be run off
    /// the index's lock. Costs nothing when no segment is new and none has gone; otherwise each new segment is flushed
    /// to the disk, so the host should wait for a lull, and for merges.
    ///
    /// # Errors
    /// [`DiskError`] when something could not be written; the folder then holds what it held before.
    pub fn save(&mut self, snapshot: &Snapshot) -> Result<Saved, DiskError> {
        let mut saved = Saved::default();
        file::create_folder(&self.folder).map_err(DiskError::io_at(&self.folder))?;
        let parts = snapshot.parts().iter();
        let names = parts.map(|part| self.ensure_saved(part, &mut saved)).collect::<Result<Vec<_>, _>>()?;
        if self.named.as_ref() != Some(&names) {
            self.named = None;
            manifest::write(&self.folder, &names)
                .map_err(DiskError::io_at(&self.folder.join(manifest::NAME)))?;
            manifest::delete_others(&self.folder, &names);
            self.named = Some(names);
        }
        Ok(saved)
    }

    /// The file of a segment, which is written if there is none.
    fn ensure_saved(&self, part: &TrigramPart, saved: &mut Saved) -> Result<Stored, DiskError> {
        let there = |stored: &Stored| self.folder.join(stored.file_name()).is_file();
        if let Some(stored) = part.segment.stored().filter(there) {
            return Ok(stored);
        }
        let (file, len) = self.write_segment(&part.segment)?;
        let (stored, path) = (file.stored, self.folder.join(file.stored.file_name()));
        let segment = file.into_segment(Arc::clone(&part.segment.docs)).map_err(DiskError::format(&path))?;
        saved.segments.push((part.key, Arc::new(segment)));
        saved.written += len;
        Ok(stored)
    }

    /// Writes one segment and opens what was written.
    fn write_segment(&self, segment: &Segment) -> Result<(SegmentFile, u64), DiskError> {
        let unfinished = self.folder.join(format!("segment{UNFINISHED}"));
        let stored = segment::write(segment, &unfinished).map_err(DiskError::io_at(&unfinished))?;
        let path = self.folder.join(stored.file_name());
        let len = rename(&unfinished, &path).map_err(DiskError::io_at(&path))?;
        Ok((SegmentFile::open(&path)?, len))
    }
}

fn rename(from: &Path, to: &Path) -> std::io::Result<u64> {
    let len = fs::metadata(from)?.len();
    fs::rename(from, to)?;
    Ok(len)
}
