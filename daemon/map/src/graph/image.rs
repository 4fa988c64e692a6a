//! Restores a map from its files and, if there is one, an image of its lists.

use super::Map;
use crate::index::{ImageJob, Index, PreparedFile};
use crate::persist::PersistError;

/// A restored map.
#[derive(Debug)]
pub struct RestoredMap {
    /// The map: equal to one to which the files were applied one by one.
    pub map: Map,
    /// The number of files that the image did not have as they are now: a measure of its age.
    pub unknown: usize,
    /// The reason for which the image was not used; `None` if it was, or none was given.
    pub rejected: Option<PersistError>,
}

impl Map {
    /// Returns the names and lists of the map as bytes, for [`Map::restore`]. It reads everything once, on all threads
    /// of the pool it is called in. Hub scores and clusters are not included.
    #[must_use]
    pub fn image(&self) -> Vec<u8> {
        self.index.image()
    }

    /// Begins an image of the present files, for [`Map::image_while`].
    #[must_use]
    pub fn image_job(&self) -> ImageJob {
        self.index.image_job()
    }

    /// Copies names and lists into an image in progress, as long as `go_on` returns true. Returns true if the copy is
    /// complete. The map may change between two calls: what the image says about changed files is not believed.
    pub fn image_while(&self, job: &mut ImageJob, go_on: &dyn Fn() -> bool) -> bool {
        self.index.image_while(job, go_on)
    }

    /// Restores a map of `files`, whose numbers and paths are distinct. With an image of most of these files it costs a
    /// fraction of applying them one by one, which it does without an image; `image` may be any bytes. Uses all threads
    /// of the pool it is called in.
    #[must_use]
    pub fn restore(files: Vec<PreparedFile>, image: Option<&[u8]>) -> RestoredMap {
        let (mut index, mut unknown, rejected) = match image {
            None => (Index::default(), files, None),
            Some(image) => match Index::restore(files, image) {
                Ok((index, unknown)) => (index, unknown, None),
                Err((error, files)) => (Index::default(), files, Some(error)),
            },
        };
        let count = unknown.len();
        // In order of number the lists grow at their ends.
        unknown.sort_unstable_by_key(PreparedFile::file);
        unknown.into_iter().for_each(|file| index.set_prepared(file));
        index.shrink();
        RestoredMap { map: Self { index, ..Self::default() }, unknown: count, rejected }
    }
}
