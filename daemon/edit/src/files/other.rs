//! The real disk where there is no Unix: the standard library's operations by path. Read, never run: see `docs/platforms.md`.
//!
//! There folders cannot be synced and files have no owners. Before hob creates or renames a file, it compares the path
//! with its real path; that leaves a moment in which another program could put a link there. Other names of a file are
//! not seen, and neither are access lists: they stay with the old file. An operation on a file that another program has
//! open for a moment (a virus scanner, an indexer, an editor) is tried again (`patience.rs`).

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use hob_base::AbsPath;

use super::patience::patiently;
use super::{Attrs, Files, Meta, NodeKind, replace_in};

/// The real disk, through the standard library.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Disk;

/// The bit of [`Attrs::mode`] that makes a file read-only.
const READ_ONLY: u32 = 1;

fn confined(path: &Path) -> io::Result<()> {
    let folder = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    match real(folder)? == folder {
        true => Ok(()),
        false => Err(io::Error::other("its folder is a symbolic link")),
    }
}

/// Returns the real path in the form of [`AbsPath`], which callers use, and not in the long form that the system
/// returns.
fn real(path: &Path) -> io::Result<PathBuf> {
    let real = AbsPath::new(fs::canonicalize(path)?).map_err(io::Error::other)?;
    Ok(real.as_path().to_path_buf())
}

impl Files for Disk {
    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        real(path)
    }

    fn meta(&self, path: &Path) -> io::Result<Option<Meta>> {
        let found = match fs::symlink_metadata(path) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let kind = match found.file_type() {
            kind if kind.is_file() => NodeKind::File,
            kind if kind.is_dir() => NodeKind::Folder,
            kind if kind.is_symlink() => NodeKind::Link,
            _ => NodeKind::Other,
        };
        let mode = if found.permissions().readonly() { READ_ONLY } else { 0 };
        let attrs = Attrs { mode, ..Attrs::default() };
        Ok(Some(Meta { kind, attrs, names: 1 }))
    }

    fn attrs(&self, path: &Path) -> io::Result<Attrs> {
        let found = self.meta(path)?.ok_or(io::ErrorKind::NotFound)?;
        Ok(found.attrs)
    }

    fn can_give(&self, _attrs: &Attrs) -> bool {
        true
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        patiently(|| fs::read(path))
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        let names = fs::read_dir(path)?.map(|entry| Ok(entry?.file_name().into_string().ok()));
        names.filter_map(Result::transpose).collect()
    }

    fn create(&self, path: &Path, _private: bool) -> io::Result<()> {
        confined(path)?;
        OpenOptions::new().write(true).create_new(true).open(path).map(drop)
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut file = patiently(|| OpenOptions::new().write(true).truncate(true).open(path))?;
        file.write_all(bytes)
    }

    fn may_write(&self, path: &Path) -> io::Result<()> {
        OpenOptions::new().write(true).open(path).map(drop)
    }

    fn overwrite(&self, path: &Path, from: &[u8], to: &[u8]) -> io::Result<bool> {
        replace_in(patiently(|| OpenOptions::new().read(true).write(true).open(path))?, from, to)
    }

    fn set_attrs(&self, path: &Path, attrs: &Attrs) -> io::Result<()> {
        let mut permissions = fs::metadata(path)?.permissions();
        permissions.set_readonly(attrs.mode & READ_ONLY != 0);
        fs::set_permissions(path, permissions)
    }

    fn sync(&self, path: &Path) -> io::Result<()> {
        // A read-only file cannot be flushed either.
        match OpenOptions::new().write(true).open(path) {
            Ok(file) => file.sync_all(),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn sync_folder(&self, _folder: &Path) -> io::Result<()> {
        Ok(())
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        confined(to)?;
        fs::hard_link(from, to)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        confined(to)?;
        patiently(|| fs::rename(from, to))
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        match self.meta(to)? {
            Some(_) => Err(io::ErrorKind::AlreadyExists.into()),
            None => self.rename(from, to),
        }
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        confined(path)?;
        patiently(|| fs::remove_file(path))
    }

    fn make_folder(&self, path: &Path, _private: bool) -> io::Result<()> {
        confined(path)?;
        fs::create_dir(path)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        confined(path)?;
        patiently(|| fs::remove_dir(path))
    }
}
