//! Makes folders for the benchmark, with copies of the given tree in them.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::git;
use crate::rows::Failure;
use crate::world::run;

/// A folder that is removed in the end, or one that the user wants to keep.
pub(crate) struct Scratch {
    dir: PathBuf,
    _temporary: Option<TempDir>,
}

impl Scratch {
    /// Creates a temporary folder that is removed in the end.
    pub(crate) fn new() -> Result<Self, Failure> {
        let temporary = tempfile::tempdir()?;
        Ok(Self { dir: temporary.path().canonicalize()?, _temporary: Some(temporary) })
    }

    /// Uses a folder that is kept.
    pub(crate) fn kept(dir: &Path) -> Result<Self, Failure> {
        fs::create_dir_all(dir)?;
        Ok(Self { dir: dir.canonicalize()?, _temporary: None })
    }

    /// Returns a path in the folder.
    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// Returns a copy of `tree`, which is made if it does not exist yet. It is always a separate repository, so that it
    /// is not taken for a part of a repository above it.
    pub(crate) fn copy_of(&self, tree: &Path) -> Result<PathBuf, Failure> {
        let copy = self.at("tree");
        if copy.is_dir() {
            return Ok(copy);
        }
        // The copy is made under another name and then renamed, so that half a copy is never taken for a whole one.
        let beside = self.at("tree.new");
        let _ = fs::remove_dir_all(&beside);
        fs::create_dir_all(&beside)?;
        run(Command::new("cp").args(["-a", "--reflink=auto"]).arg(tree.join(".")).arg(&beside))?;
        // A work tree of another repository would write into that repository.
        if beside.join(".git").is_file() {
            fs::remove_file(beside.join(".git"))?;
        }
        git::init(&beside)?;
        fs::rename(&beside, &copy)?;
        Ok(copy)
    }
}

/// The bytes that a folder takes on disk, and the number of its files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) bytes: u64,
    pub(crate) files: u64,
}

/// Returns the size of a folder with everything below it. Files that vanish in the meantime are not counted.
pub(crate) fn size(folder: &Path) -> Size {
    let mut size = Size::default();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(meta) = fs::symlink_metadata(entry.path()) else { continue };
        if meta.is_dir() {
            let below = self::size(&entry.path());
            size = Size { bytes: size.bytes + below.bytes, files: size.files + below.files };
        } else {
            // Like du(1): the allocated size, in blocks of 512 bytes on any file system.
            size = Size { bytes: size.bytes + meta.blocks() * 512, files: size.files + 1 };
        }
    }
    size
}
