//! Reads one file of a workspace safely: never a pipe, a device or a link, never a file outside that a linked folder
//! leads to, never more than the limit.

use std::fs::{self, File};
use std::io::{self, Read};
use std::sync::Arc;

use hob_base::{AbsPath, Contents, WsPath};

use crate::{Stat, now_ns};

/// A file's bytes, with its stat and the time of the reading.
#[derive(Clone, Debug)]
pub struct ReadFile {
    /// All bytes of the file.
    pub bytes: Vec<u8>,
    /// The stat of the very file that was read, taken before the first byte.
    pub stat: Stat,
    /// When reading began, in nanoseconds since 1970.
    pub read_at_ns: i64,
}

/// Reads the file at `path` whole, if it is a regular file of at most `limit` bytes.
///
/// # Errors
/// The system's error; `InvalidInput` for anything but a regular file, `FileTooLarge` for a file over the limit.
pub fn read_file(root: &AbsPath, path: &WsPath, limit: u64) -> io::Result<ReadFile> {
    let mut bytes = Vec::new();
    let (stat, read_at_ns) = read_file_into(root, path, limit, &mut bytes)?;
    Ok(ReadFile { bytes, stat, read_at_ns })
}

/// Reads as [`read_file`] does, into a buffer that is used again; its former contents are gone, also on an error.
fn read_file_into(root: &AbsPath, path: &WsPath, limit: u64, bytes: &mut Vec<u8>) -> io::Result<(Stat, i64)> {
    bytes.clear();
    // The time first: a change while reading must look newer than the reading.
    let read_at_ns = now_ns();
    let file = open_within(root, path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    if metadata.len() > limit {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    bytes.reserve(usize::try_from(metadata.len()).unwrap_or(0));
    // The file may grow meanwhile; one byte more than the limit is enough to know.
    file.take(limit.saturating_add(1)).read_to_end(bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok((Stat::of(&metadata), read_at_ns))
}

/// Opens a file that really lies in the workspace: the kernel checks every step of the path, so that a folder that
/// becomes a link meanwhile leads nowhere else.
#[cfg(target_os = "linux")]
fn open_within(root: &AbsPath, path: &WsPath) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, ResolveFlags, open, openat2};
    use rustix::io::Errno;
    let folder = open(root.as_path(), OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    match openat2(&folder, path.as_str(), flags, Mode::empty(), ResolveFlags::BENEATH) {
        Ok(file) => Ok(file.into()),
        // The kernel is old, a sandbox does not know the call, or a link is written as an absolute path.
        Err(Errno::NOSYS | Errno::PERM | Errno::XDEV) => open_by_name(root, path),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn open_within(root: &AbsPath, path: &WsPath) -> io::Result<File> {
    open_by_name(root, path)
}

/// Opens the file after a check of its path, without the kernel's help. The check is as exact as names are.
fn open_by_name(root: &AbsPath, path: &WsPath) -> io::Result<File> {
    let folder = WsPath::new(path.dir()).map_or_else(|_| root.clone(), |folder| root.join_ws(&folder));
    let real = AbsPath::new(fs::canonicalize(folder.as_path())?).map_err(io::Error::other)?;
    if !real.as_path().starts_with(root.as_path()) {
        let why = "it lies outside of the project, behind a linked folder";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    }
    open_plain(&real.join(path.file_name()))
}

/// Opens a file without following a last link and without waiting for the other end of a pipe.
#[cfg(unix)]
fn open_plain(path: &AbsPath) -> io::Result<File> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    fs::OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path)
}

#[cfg(not(unix))]
fn open_plain(path: &AbsPath) -> io::Result<File> {
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    File::open(path)
}

/// Reads the present bytes from disk, for modules that see files only through [`Contents`].
#[derive(Clone, Debug)]
pub struct DiskContents {
    /// The root of the workspace.
    pub root: AbsPath,
    /// Size limit in bytes; larger files are not read.
    pub limit: u64,
}

impl Contents for DiskContents {
    fn read(&self, path: &WsPath) -> io::Result<Arc<[u8]>> {
        read_file(&self.root, path, self.limit).map(|read| read.bytes.into())
    }

    fn read_into(&self, path: &WsPath, buffer: &mut Vec<u8>) -> io::Result<()> {
        read_file_into(&self.root, path, self.limit, buffer).map(drop)
    }
}
