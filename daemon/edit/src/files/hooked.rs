//! Calls a hook before each operation, which may refuse it or end the process. For tests only.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Attrs, Files, Meta};

/// The operation that is about to be done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FileOperation {
    Look,
    Create,
    Write,
    Overwrite,
    SetAttrs,
    Sync,
    SyncFolder,
    Link,
    Rename,
    Exchange,
    Remove,
    MakeFolder,
    RemoveFolder,
}

/// The function that is called before each operation; its error becomes the operation's.
pub(crate) type Hook = Box<dyn Fn(FileOperation, &Path) -> io::Result<()> + Send + Sync>;

pub(crate) struct HookedFiles {
    pub(crate) inner: Arc<dyn Files>,
    pub(crate) hook: Hook,
}

impl Files for HookedFiles {
    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        (self.hook)(FileOperation::Look, path)?;
        self.inner.real(path)
    }

    fn meta(&self, path: &Path) -> io::Result<Option<Meta>> {
        (self.hook)(FileOperation::Look, path)?;
        self.inner.meta(path)
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        (self.hook)(FileOperation::Look, path)?;
        self.inner.read(path)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        (self.hook)(FileOperation::Look, folder)?;
        self.inner.list(folder)
    }

    fn create(&self, path: &Path, private: bool) -> io::Result<()> {
        (self.hook)(FileOperation::Create, path)?;
        self.inner.create(path, private)
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        // A write that fails has written a part.
        (self.hook)(FileOperation::Write, path).inspect_err(|_| {
            let _ = self.inner.write(path, &bytes[..bytes.len() / 2]);
        })?;
        self.inner.write(path, bytes)
    }

    fn attrs(&self, path: &Path) -> io::Result<Attrs> {
        (self.hook)(FileOperation::Look, path)?;
        self.inner.attrs(path)
    }

    fn can_give(&self, attrs: &Attrs) -> bool {
        self.inner.can_give(attrs)
    }

    fn may_write(&self, path: &Path) -> io::Result<()> {
        (self.hook)(FileOperation::Look, path)?;
        self.inner.may_write(path)
    }

    fn overwrite(&self, path: &Path, from: &[u8], to: &[u8]) -> io::Result<bool> {
        // An overwrite that fails has written a part, and the old contents follow it.
        (self.hook)(FileOperation::Overwrite, path).inspect_err(|_| {
            let mut half = to[..to.len() / 2].to_vec();
            half.extend(from.iter().skip(half.len()));
            let _ = self.inner.overwrite(path, from, &half);
        })?;
        self.inner.overwrite(path, from, to)
    }

    fn set_attrs(&self, path: &Path, attrs: &Attrs) -> io::Result<()> {
        (self.hook)(FileOperation::SetAttrs, path)?;
        self.inner.set_attrs(path, attrs)
    }

    fn sync(&self, path: &Path) -> io::Result<()> {
        (self.hook)(FileOperation::Sync, path)?;
        self.inner.sync(path)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        (self.hook)(FileOperation::SyncFolder, folder)?;
        self.inner.sync_folder(folder)
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        (self.hook)(FileOperation::Link, to)?;
        self.inner.link(from, to)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        (self.hook)(FileOperation::Rename, to)?;
        self.inner.rename(from, to)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        (self.hook)(FileOperation::Rename, to)?;
        self.inner.rename_new(from, to)
    }

    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()> {
        (self.hook)(FileOperation::Exchange, other)?;
        self.inner.exchange(one, other)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        (self.hook)(FileOperation::Remove, path)?;
        self.inner.remove(path)
    }

    fn make_folder(&self, path: &Path, private: bool) -> io::Result<()> {
        (self.hook)(FileOperation::MakeFolder, path)?;
        self.inner.make_folder(path, private)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        (self.hook)(FileOperation::RemoveFolder, path)?;
        self.inner.remove_folder(path)
    }
}
