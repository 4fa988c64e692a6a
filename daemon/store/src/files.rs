//! Names the files of a store on disk, and removes those of databases that do not count.
//!
//! A folder holds a stamp, the database that the stamp names, perhaps an unfinished or replaced copy of it,
//! and perhaps an older store that was set aside. `format` and `sled` know the contents of the files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The files of a store, all within its folder.
#[derive(Clone, Debug)]
pub(crate) struct StoreFiles {
    folder: PathBuf,
    stamp: PathBuf,
    aside: PathBuf,
}

const DATA: &str = "data";
const DAMAGED: &str = "damaged";

impl StoreFiles {
    pub(crate) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_path_buf(), stamp: folder.join("format"), aside: folder.join("data.old") }
    }

    /// Returns the folder that holds all of them.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the folder of a store that was set aside.
    pub(crate) fn aside_folder(&self) -> &Path {
        &self.aside
    }

    /// Returns the file that says which database counts.
    pub(crate) fn stamp_file(&self) -> &Path {
        &self.stamp
    }

    /// Returns the folder of a database.
    pub(crate) fn data_folder(&self, number: u32) -> PathBuf {
        self.folder.join(numbered_name(DATA, number))
    }

    /// Returns the file that a store leaves beside a database when damage shows.
    pub(crate) fn damage_mark(&self, number: u32) -> PathBuf {
        self.folder.join(numbered_name(DAMAGED, number))
    }

    /// Removes a database that does not count.
    pub(crate) fn remove_database(&self, number: u32) -> io::Result<()> {
        remove_any(&self.data_folder(number))?;
        remove_any(&self.damage_mark(number))
    }

    /// Removes the unfinished and replaced databases of earlier copies. A database that cannot be removed
    /// stays for the next time.
    pub(crate) fn remove_others(&self, number: u32) {
        let ours = [numbered_name(DATA, number), numbered_name(DAMAGED, number)];
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let known = [DATA, DAMAGED].iter().any(|kind| is_numbered(&name, kind));
            if known && !ours.contains(&name) {
                let _ = remove_any(&entry.path());
            }
        }
    }
}

/// Names a database or its mark; the first database has no number in its name.
fn numbered_name(kind: &str, number: u32) -> String {
    if number == 0 { kind.to_owned() } else { format!("{kind}-{number}") }
}

fn is_numbered(name: &str, kind: &str) -> bool {
    let rest = name.strip_prefix(kind);
    rest.is_some_and(|rest| {
        rest.is_empty() || rest.strip_prefix('-').is_some_and(|n| n.parse::<u32>().is_ok())
    })
}

/// Removes whatever is at `path`, if anything.
pub(crate) fn remove_any(path: &Path) -> io::Result<()> {
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
