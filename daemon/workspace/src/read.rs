//! Reading one file of a workspace, safely: never a pipe, a device or a link, never what a linked folder leads to outside of it, never
//! more than the limit.

use std::fs::{self, File};
use std::io::{self, Read};
use std::sync::Arc;

use hob_base::{AbsPath, Contents, WsPath};

use crate::{Stat, now_ns};

/// A file's bytes, and what was known when they were read.
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
/// Whatever the system says; `InvalidInput` for what is no regular file, `FileTooLarge` for one over the limit.
pub fn read_file(root: &AbsPath, path: &WsPath, limit: u64) -> io::Result<ReadFile> {
    let mut bytes = Vec::new();
    let (stat, read_at_ns) = read_file_into(root, path, limit, &mut bytes)?;
    Ok(ReadFile { bytes, stat, read_at_ns })
}

/// As [`read_file`], into a buffer that is used again; what it held is gone, also on an error.
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
    // It may grow while it is read; one byte more than allowed is enough to know.
    file.take(limit.saturating_add(1)).read_to_end(bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok((Stat::of(&metadata), read_at_ns))
}

/// Opens what really lies in the workspace: the kernel holds every step of the path to that, so that no folder that becomes a link
/// meanwhile leads elsewhere.
#[cfg(target_os = "linux")]
fn open_within(root: &AbsPath, path: &WsPath) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, ResolveFlags, open, openat2};
    use rustix::io::Errno;
    let folder = open(root.as_path(), OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    match openat2(&folder, path.as_str(), flags, Mode::empty(), ResolveFlags::BENEATH) {
        Ok(file) => Ok(file.into()),
        // An old kernel, a sandbox that does not know the call, or a link that is written as an absolute path.
        Err(Errno::NOSYS | Errno::PERM | Errno::XDEV) => open_by_name(root, path),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn open_within(root: &AbsPath, path: &WsPath) -> io::Result<File> {
    open_by_name(root, path)
}

/// The same by looking first, as exact as names are.
fn open_by_name(root: &AbsPath, path: &WsPath) -> io::Result<File> {
    let folder = WsPath::new(path.dir()).map_or_else(|_| root.clone(), |folder| root.join_ws(&folder));
    let real = AbsPath::new(fs::canonicalize(folder.as_path())?).map_err(io::Error::other)?;
    if !real.as_path().starts_with(root.as_path()) {
        let why = "it lies outside of the project, behind a linked folder";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    }
    open_plain(&real.join(path.file_name()))
}

/// Opens without following a last link and without waiting for the other end of a pipe.
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

/// The present bytes on disk, for parts that see files only through [`Contents`].
#[derive(Clone, Debug)]
pub struct DiskContents {
    /// The root of the workspace.
    pub root: AbsPath,
    /// No file over this many bytes is read.
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
