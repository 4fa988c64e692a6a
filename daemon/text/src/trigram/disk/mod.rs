//! Stores the index on disk: immutable segment files, and a manifest that says which of them count.
//!
//! No file is ever changed in place. A segment is written once, under a name that is its checksum; the
//! manifest is replaced as a whole; files that it does not name are deleted afterwards. So at every moment,
//! also after a kill or a power cut, the folder holds one complete index, and at worst some files that the
//! next save or restore removes.
//!
//! The files do *not* record which documents are alive and which number each file has: a restored document
//! counts exactly when the host says that its file still has the same content. Trigrams are a function of
//! content, so nothing else matters; a stale manifest costs work, never a wrong answer.
//!
//! One process uses a folder at a time; the host ensures that (it has a lock for its store anyway).
//!
//! Files: `section` (bytes in place), `frame` (the beginning and end of both kinds of file), `file` (atomic
//! writing), `segment` and `manifest` (the formats), `save`, `restore`.

mod error;
mod file;
mod frame;
mod manifest;
mod restore;
mod save;
mod section;
mod segment;
#[cfg(test)]
mod tests;

pub use error::{DiskError, FormatError};
pub use restore::{Restored, restore_index};
pub use save::{Saved, Saver};

pub(crate) use file::{create, create_folder};
pub(super) use section::Section;
pub(super) use segment::Stored;
