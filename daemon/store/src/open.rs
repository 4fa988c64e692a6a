//! Opens the store: always succeeds, and reports what was lost.
//!
//! A folder that holds something else, another version or damage is moved aside (one earlier copy is kept for
//! inspection) and begun anew. A folder that cannot be used at all, because it is read-only, full or held by
//! another process, gives a store in memory: hob works as usual, but forgets its contents at the end.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use crate::disk::DiskStore;
use crate::files::{StoreFiles, remove_any};
use crate::format::{self, FORMAT_VERSION, FormatState};
use crate::memory::MemoryStore;
use crate::sled::SledStore;
use crate::trees::{Store, StoreError};

/// A store, and what the user should know about it.
#[derive(Debug)]
pub struct OpenedStore {
    /// The store, ready for use.
    pub store: Arc<dyn Store>,
    /// The unexpected event, if there was one; becomes a warning.
    pub notice: Option<StoreNotice>,
}

/// An unexpected event while the store was opened. Each prints as a warning for users.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreNotice {
    /// The store was damaged; it is empty now.
    #[error("the store was damaged and has been rebuilt ({why}); the next index takes as long as the first")]
    Rebuilt {
        /// The damage that was found, in words.
        why: String,
    },
    /// Another version of hob wrote the store; it is empty now.
    #[error(
        "the store had format {found}, this version of hob uses {FORMAT_VERSION}; it has been rebuilt and the next \
         index takes as long as the first"
    )]
    OtherVersion {
        /// The version on disk.
        found: u32,
    },
    /// The folder cannot be used; the store is in memory and lost when hob ends.
    #[error("the store at `{folder}` cannot be used ({why}); nothing is remembered after this run")]
    InMemory {
        /// The folder that cannot be used.
        folder: String,
        /// The reason as the system gave it.
        why: String,
    },
}

/// Why the store cannot use a folder as it is.
enum FolderProblem {
    /// The store must begin anew; the notice says why.
    Rebuild(StoreNotice),
    /// The folder cannot be used and must be left alone.
    Unusable(io::Error),
}

impl From<StoreError> for FolderProblem {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Io(e) => Self::Unusable(e),
            StoreError::Damaged(why) => Self::Rebuild(StoreNotice::Rebuilt { why }),
        }
    }
}

/// Opens the store in `folder`, making it if absent. Never fails: see [`StoreNotice`].
#[must_use]
pub fn open(folder: &Path) -> OpenedStore {
    let places = StoreFiles::new(folder);
    let first = try_open(&places);
    let (second, notice) = match first {
        Ok(store) => return OpenedStore { store, notice: None },
        Err(FolderProblem::Unusable(e)) => return in_memory(folder, &e),
        Err(FolderProblem::Rebuild(notice)) => {
            tracing::warn!(%notice, "rebuilding the store");
            (rebuild_store(&places), notice)
        }
    };
    match second {
        Ok(store) => OpenedStore { store, notice: Some(notice) },
        Err(e) => in_memory(folder, &e),
    }
}

fn in_memory(folder: &Path, error: &io::Error) -> OpenedStore {
    let notice = StoreNotice::InMemory { folder: folder.display().to_string(), why: error.to_string() };
    tracing::warn!(%notice, "no store on disk");
    OpenedStore { store: Arc::new(MemoryStore::new()), notice: Some(notice) }
}

fn try_open(places: &StoreFiles) -> Result<Arc<dyn Store>, FolderProblem> {
    fs::create_dir_all(places.folder()).map_err(FolderProblem::Unusable)?;
    let stamp = match fs::read(places.stamp_file()) {
        Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
        Err(e) if e.kind() == io::ErrorKind::NotFound => None,
        Err(e) => return Err(FolderProblem::Unusable(e)),
    };
    let stamped = match &stamp {
        None => None,
        Some(text) => {
            Some(format::parse_stamp(text).ok_or_else(|| rebuild_trouble("its stamp is not readable"))?)
        }
    };
    let number = stamped.map_or(0, |stamp| stamp.number);
    if let Ok(why) = fs::read_to_string(places.damage_mark(number)) {
        return Err(rebuild_trouble(&why));
    }
    if fs::symlink_metadata(places.data_folder(number)).is_ok_and(|data| !data.is_dir()) {
        return Err(rebuild_trouble("a file stands in its place"));
    }
    let opened = SledStore::open(&places.data_folder(number), places.damage_mark(number));
    let store = match (opened, stamped) {
        // The process that created the database was killed: nothing is lost.
        (Err(StoreError::Damaged(_)), None) => {
            places.remove_database(number).map_err(FolderProblem::Unusable)?;
            SledStore::open(&places.data_folder(number), places.damage_mark(number))?
        }
        (opened, _) => opened?,
    };
    match format::judge_format(stamped.map(|stamp| stamp.version), &store)? {
        FormatState::Current if stamped.is_some() => {}
        FormatState::New | FormatState::Current => begin(places, &store)?,
        FormatState::Other(found) => return Err(FolderProblem::Rebuild(StoreNotice::OtherVersion { found })),
        FormatState::Damaged(why) => return Err(rebuild_trouble(why)),
    }
    // Not earlier: until here, the folder might have belonged to another process.
    places.remove_others(number);
    Ok(Arc::new(DiskStore::new(places.clone(), number, store)))
}

fn rebuild_trouble(why: &str) -> FolderProblem {
    FolderProblem::Rebuild(StoreNotice::Rebuilt { why: why.to_owned() })
}

/// Writes the record first and the stamp last: if the process is killed in between, the folder still opens
/// (see `format::judge_format`).
fn begin(places: &StoreFiles, store: &SledStore) -> Result<(), StoreError> {
    format::write_version(store)?;
    store.flush()?;
    Ok(format::write_stamp(places.stamp_file(), 0)?)
}

fn rebuild_store(places: &StoreFiles) -> io::Result<Arc<dyn Store>> {
    remove_any(places.aside_folder())?;
    let stamp = fs::read_to_string(places.stamp_file()).ok();
    let number = stamp.as_deref().and_then(format::parse_stamp).map_or(0, |stamp| stamp.number);
    match fs::rename(places.data_folder(number), places.aside_folder()) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
        _ => {}
    }
    // If the process is killed before the mark is gone, the next start begins the rebuild again.
    remove_any(&places.damage_mark(number))?;
    remove_any(places.stamp_file())?;
    // Without a stamp the first database counts.
    places.remove_database(0)?;
    try_open(places).map_err(|trouble| match trouble {
        FolderProblem::Unusable(e) => e,
        FolderProblem::Rebuild(notice) => io::Error::other(notice.to_string()),
    })
}
