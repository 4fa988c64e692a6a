//! Updates the folder for an index.

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
use crate::trigram::view::TextView;

/// Saves indexes to one folder of its own.
#[derive(Debug)]
pub struct Saver {
    folder: PathBuf,
    /// The segments that the manifest is known to name; `None` before the first check.
    named: Option<Vec<Stored>>,
}

/// The outcome of a save, which the index installs.
#[derive(Debug, Default)]
pub struct Saved {
    /// The saved segments by key, mapped from their files.
    pub(in crate::trigram) segments: Vec<(u64, Arc<Segment>)>,
    /// Size of the written segment files in bytes.
    pub written: u64,
}

impl Saver {
    /// Creates a saver for a folder, which the first save creates.
    #[must_use]
    pub fn new(folder: &AbsPath) -> Self {
        Self { folder: folder.as_path().to_owned(), named: None }
    }

    /// Writes the segments that are not on disk yet, then a manifest of all, then deletes the files that it
    /// does not name. Runs without the index's lock. It costs nothing when no segment is new and none has
    /// gone; otherwise it flushes each new segment to the disk, so the host should wait for a lull, and for
    /// merges.
    ///
    /// # Errors
    /// [`DiskError`] when a file could not be written; the folder then has its former contents.
    pub fn save(&mut self, snapshot: &TextView) -> Result<Saved, DiskError> {
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

    /// Returns the file of a segment, and writes it if there is none.
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

    /// Writes one segment and opens the written file.
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
