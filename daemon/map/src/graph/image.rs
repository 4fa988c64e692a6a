//! Coming back: a map from its files and, if there is one, an image of its lists.

use super::Map;
use crate::index::{ImageJob, Index, PreparedFile};
use crate::persist::PersistError;

/// A map that came back.
#[derive(Debug)]
pub struct RestoredMap {
    /// The map: equal to one that took the files in one by one.
    pub map: Map,
    /// Files that the image did not know as they are: their number says how much it has aged.
    pub unknown: usize,
    /// Why the image was not used, if it was not.
    pub rejected: Option<PersistError>,
}

impl Map {
    /// The names and lists of the map as bytes, for [`Map::restore`]. Reads everything once, on all threads of the pool it is
    /// called in; hub scores and clusters are not in it.
    #[must_use]
    pub fn image(&self) -> Vec<u8> {
        self.index.image()
    }

    /// Begins an image of the files there are now, for [`Map::image_while`].
    #[must_use]
    pub fn image_job(&self) -> ImageJob {
        self.index.image_job()
    }

    /// Copies the names and lists into an image that is under way, for as long as `go_on` says; true when they are copied to
    /// the end. The map may change between two calls: what the image says of files that did is not believed.
    pub fn image_while(&self, job: &mut ImageJob, go_on: &dyn Fn() -> bool) -> bool {
        self.index.image_while(job, go_on)
    }

    /// A map of `files`, whose numbers and paths are distinct. With an image of these files or most of them it
    /// costs a fraction of taking them in one by one, which is what is done without; any bytes may be given for one. Uses
    /// all threads of the pool it is called in.
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
