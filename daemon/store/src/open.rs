//! Opening the store: always successful, and honest about what it cost.
//!
//! A folder that holds something else, another version or damage is moved aside (one earlier copy is kept, for whoever
//! wants to look) and begun anew. A folder that cannot be used at all, because it is read-only, full or held by another
//! process, gives a store in memory: hob works as usual and only forgets at its end.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::format::{self, FORMAT_VERSION, Verdict};
use crate::sled::SledStore;
use crate::{MemoryStore, Store, StoreError};

/// A store, and what the user should know about it.
#[derive(Debug)]
pub struct Opened {
    /// The store, ready for use.
    pub store: Arc<dyn Store>,
    /// What went otherwise than expected; becomes a warning.
    pub notice: Option<StoreNotice>,
}

/// What went otherwise than expected while opening the store. Each prints as a warning for users.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreNotice {
    /// It was damaged; it is empty now.
    #[error("the store was damaged and has been rebuilt ({why}); the next index takes as long as the first")]
    Rebuilt {
        /// What was wrong, in words.
        why: String,
    },
    /// It had been written by another version of hob; it is empty now.
    #[error(
        "the store had format {found}, this version of hob uses {FORMAT_VERSION}; it has been rebuilt and the next \
         index takes as long as the first"
    )]
    OtherVersion {
        /// The version on disk.
        found: u32,
    },
    /// The folder cannot be used; everything is kept in memory and forgotten at the end.
    #[error("the store at `{folder}` cannot be used ({why}); nothing is remembered after this run")]
    InMemory {
        /// The folder.
        folder: String,
        /// The system's reason.
        why: String,
    },
}

/// The files of a store, all within its folder.
struct Places {
    folder: PathBuf,
    data: PathBuf,
    stamp: PathBuf,
    damage_mark: PathBuf,
    aside: PathBuf,
}

impl Places {
    fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_path_buf(),
            data: folder.join("data"),
            stamp: folder.join("format"),
            damage_mark: folder.join("damaged"),
            aside: folder.join("data.old"),
        }
    }
}

/// Why a folder cannot be used as it is.
enum Trouble {
    /// Begin anew; the notice says why.
    Rebuild(StoreNotice),
    /// Leave it alone.
    Unusable(io::Error),
}

impl From<StoreError> for Trouble {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Io(e) => Self::Unusable(e),
            StoreError::Damaged(why) => Self::Rebuild(StoreNotice::Rebuilt { why }),
        }
    }
}

/// Opens the store in `folder`, making it if absent. Never fails: see [`StoreNotice`].
#[must_use]
pub fn open(folder: &Path) -> Opened {
    let places = Places::new(folder);
    let first = try_open(&places);
    let (second, notice) = match first {
        Ok(store) => return Opened { store, notice: None },
        Err(Trouble::Unusable(e)) => return in_memory(folder, &e),
        Err(Trouble::Rebuild(notice)) => {
            tracing::warn!(%notice, "rebuilding the store");
            (rebuild(&places), notice)
        }
    };
    match second {
        Ok(store) => Opened { store, notice: Some(notice) },
        Err(e) => in_memory(folder, &e),
    }
}

fn in_memory(folder: &Path, error: &io::Error) -> Opened {
    let notice = StoreNotice::InMemory { folder: folder.display().to_string(), why: error.to_string() };
    tracing::warn!(%notice, "no store on disk");
    Opened { store: Arc::new(MemoryStore::new()), notice: Some(notice) }
}

fn try_open(places: &Places) -> Result<Arc<dyn Store>, Trouble> {
    fs::create_dir_all(&places.folder).map_err(Trouble::Unusable)?;
    if let Ok(why) = fs::read_to_string(&places.damage_mark) {
        return Err(Trouble::Rebuild(StoreNotice::Rebuilt { why }));
    }
    if fs::symlink_metadata(&places.data).is_ok_and(|data| !data.is_dir()) {
        return Err(Trouble::Rebuild(StoreNotice::Rebuilt { why: "a file stands in its place".to_owned() }));
    }
    let stamp = match fs::read(&places.stamp) {
        Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
        Err(e) if e.kind() == io::ErrorKind::NotFound => None,
        Err(e) => return Err(Trouble::Unusable(e)),
    };
    let store = SledStore::open(&places.data, places.damage_mark.clone())?;
    match format::judge(stamp.as_deref(), &store)? {
        Verdict::Current if stamp.is_some() => {}
        Verdict::New | Verdict::Current => begin(places, &store)?,
        Verdict::Other(found) => return Err(Trouble::Rebuild(StoreNotice::OtherVersion { found })),
        Verdict::Damaged(why) => {
            return Err(Trouble::Rebuild(StoreNotice::Rebuilt { why: why.to_owned() }));
        }
    }
    Ok(Arc::new(store))
}

/// Record first, stamp last: killed in between, the folder still opens (see `format::judge`).
fn begin(places: &Places, store: &SledStore) -> Result<(), StoreError> {
    format::write_version(store)?;
    store.flush()?;
    Ok(fs::write(&places.stamp, format::stamp())?)
}

fn rebuild(places: &Places) -> io::Result<Arc<dyn Store>> {
    remove_any(&places.aside)?;
    match fs::rename(&places.data, &places.aside) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
        _ => {}
    }
    remove_any(&places.stamp)?;
    // Last: killed before this, the next start begins the rebuild again.
    remove_any(&places.damage_mark)?;
    try_open(places).map_err(|trouble| match trouble {
        Trouble::Unusable(e) => e,
        Trouble::Rebuild(notice) => io::Error::other(notice.to_string()),
    })
}

fn remove_any(path: &Path) -> io::Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(e) => Err(e),
    };
    match removed {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}
