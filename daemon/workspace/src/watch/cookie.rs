//! Makes the barrier's cookie: one file that is renamed from number to number.
//!
//! Renaming needs no room on a full disk and leaves nothing to clean up, and no event of an earlier number looks the
//! same. If somebody has emptied the folder, the file is made again, and its event serves as well.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const PREFIX: &str = "cookie-";

#[derive(Debug)]
pub(super) struct CookieFile {
    dir: PathBuf,
}

impl CookieFile {
    pub(super) fn new(dir: PathBuf) -> Self {
        Self { dir }
    }

    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Makes the folder, and removes cookies of an earlier run.
    pub(super) fn prepare_folder(&self) -> io::Result<()> {
        fs::create_dir_all(&self.dir)?;
        for entry in fs::read_dir(&self.dir)?.flatten() {
            if number_in(&entry.path()).is_some() {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    /// Makes cookie `number` by renaming the one before, or as a new file if that is gone.
    pub(super) fn make_cookie(&self, number: u64) -> io::Result<()> {
        match fs::rename(self.path(number - 1), self.path(number)) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => fs::write(self.path(number), b""),
            result => result,
        }
    }

    /// Returns the number of the cookie at `path`, if it is one of this folder's.
    pub(super) fn number_of(&self, path: &Path) -> Option<u64> {
        number_in(path).filter(|_| path.parent() == Some(&self.dir))
    }

    fn path(&self, number: u64) -> PathBuf {
        self.dir.join(format!("{PREFIX}{number}"))
    }
}

fn number_in(path: &Path) -> Option<u64> {
    path.file_name()?.to_str()?.strip_prefix(PREFIX)?.parse().ok()
}
