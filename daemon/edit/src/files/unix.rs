//! Performs the operations on the real disk of a Unix system.
//!
//! Every operation opens the folders of its path one by one from the root and follows no symbolic link on the way, nor
//! at the end. Paths were made real before; a link on the way was put there since, and hob does not write through it.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};

use rustix::fd::OwnedFd;
use rustix::fs::{self, AtFlags, FileType, Gid, Mode, OFlags, Uid};
use rustix::io::Errno;

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
use super::extended;
use super::{Attrs, Extended, Files, Meta, NodeKind, replace_in};

/// The real disk, through Unix calls.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Disk;

/// Passing through a folder needs no permission to list it, where the system tells the two apart.
#[cfg(target_os = "linux")]
const PASS: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const PASS: OFlags = OFlags::RDONLY;

const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

fn open(at: &OwnedFd, name: &OsStr, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
    Ok(rustix::io::retry_on_intr(|| fs::openat(at, name, flags, mode))?)
}

/// Opens a folder by way of `PASS`.
fn open_folder(path: &Path) -> io::Result<OwnedFd> {
    let mut at = fs::open("/", PASS | FOLDER, Mode::empty())?;
    for part in path.components() {
        match part {
            Component::RootDir => {}
            Component::Normal(name) => at = open(&at, name, PASS | FOLDER, Mode::empty())?,
            _ => return Err(io::ErrorKind::InvalidInput.into()),
        }
    }
    Ok(at)
}

/// Opens the folder of a path; returns it with the name in it.
fn split(path: &Path) -> io::Result<(OwnedFd, &OsStr)> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    Ok((open_folder(path.parent().unwrap_or(path))?, name))
}

fn file(path: &Path, flags: OFlags) -> io::Result<File> {
    let (at, name) = split(path)?;
    Ok(open(&at, name, flags | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?.into())
}

/// Opens a regular file. Opening a pipe would wait for a process at its other end.
fn open_regular(path: &Path, flags: OFlags) -> io::Result<File> {
    let file = file(path, flags | OFlags::NONBLOCK)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("it is no regular file")),
    }
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn extended_of(file: &File) -> io::Result<Extended> {
    extended::read(file)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn extended_of(_file: &File) -> io::Result<Extended> {
    Ok(Extended::default())
}

impl Files for Disk {
    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        std::fs::canonicalize(path)
    }

    fn meta(&self, path: &Path) -> io::Result<Option<Meta>> {
        let Some(name) = path.file_name() else {
            return Ok(Some(meta_of_stat(&fs::stat(path)?)));
        };
        let stat = open_folder(path.parent().unwrap_or(path))
            .and_then(|at| Ok(fs::statat(&at, name, AtFlags::SYMLINK_NOFOLLOW)?));
        match stat {
            Ok(stat) => Ok(Some(meta_of_stat(&stat))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn attrs(&self, path: &Path) -> io::Result<Attrs> {
        let file = open_regular(path, OFlags::RDONLY)?;
        let Meta { attrs, .. } = meta_of_stat(&fs::fstat(&file)?);
        Ok(Attrs { extended: extended_of(&file)?, ..attrs })
    }

    fn can_give(&self, attrs: &Attrs) -> bool {
        use rustix::process::{getegid, geteuid, getgroups};
        let is_ours = |gid: u32| {
            getegid().as_raw() == gid
                || getgroups().is_ok_and(|all| all.iter().any(|one| one.as_raw() == gid))
        };
        geteuid().is_root() || geteuid().as_raw() == attrs.uid && is_ours(attrs.gid)
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        open_regular(path, OFlags::RDONLY)?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        let names = std::fs::read_dir(path)?.map(|entry| Ok(entry?.file_name().into_string().ok()));
        names.filter_map(Result::transpose).collect()
    }

    fn create(&self, path: &Path, private: bool) -> io::Result<()> {
        let (at, name) = split(path)?;
        let mode = Mode::from_raw_mode(if private { 0o600 } else { 0o666 });
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
        let made = open(&at, name, flags, mode)?;
        match by_users_mask(mode).filter(|_| !private) {
            Some(mode) => Ok(fs::fchmod(&made, mode)?),
            None => Ok(()),
        }
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        file(path, OFlags::WRONLY | OFlags::TRUNC)?.write_all(bytes)
    }

    fn may_write(&self, path: &Path) -> io::Result<()> {
        open_regular(path, OFlags::RDWR).map(drop)
    }

    fn overwrite(&self, path: &Path, from: &[u8], to: &[u8]) -> io::Result<bool> {
        replace_in(open_regular(path, OFlags::RDWR)?, from, to)
    }

    fn set_attrs(&self, path: &Path, attrs: &Attrs) -> io::Result<()> {
        let file = file(path, OFlags::RDONLY | OFlags::NONBLOCK)?;
        let stat = fs::fstat(&file)?;
        if (stat.st_uid, stat.st_gid) != (attrs.uid, attrs.gid) {
            give_to_owner(&file, attrs)?;
        }
        #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
        extended::write(&file, &attrs.extended)?;
        // The user who writes the contents is not the one who lent the rights, so those bits go, as they do when a file
        // is written in place.
        Ok(fs::fchmod(&file, Mode::from_raw_mode(attrs.mode as fs::RawMode & 0o1777))?)
    }

    fn sync(&self, path: &Path) -> io::Result<()> {
        file(path, OFlags::RDONLY | OFlags::NONBLOCK)?.sync_all()
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        let at = open_folder(path)?;
        let opened = open(&at, OsStr::new("."), OFlags::RDONLY | FOLDER, Mode::empty())?;
        match rustix::io::retry_on_intr(|| fs::fsync(&opened)) {
            // The file system does not sync folders.
            Err(Errno::INVAL | Errno::NOTSUP) => Ok(()),
            other => Ok(other?),
        }
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        let ((from, old), (to, new)) = (split(from)?, split(to)?);
        Ok(fs::linkat(&from, old, &to, new, AtFlags::empty())?)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let ((from, old), (to, new)) = (split(from)?, split(to)?);
        Ok(fs::renameat(&from, old, &to, new)?)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        #[cfg(any(target_os = "linux", target_vendor = "apple"))]
        {
            let ((at, old), (folder, new)) = (split(from)?, split(to)?);
            match fs::renameat_with(&at, old, &folder, new, fs::RenameFlags::NOREPLACE) {
                Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
                other => return Ok(other?),
            }
        }
        // The file system cannot do it at once: the check comes first, and a file that appears in between is lost.
        match self.meta(to)? {
            Some(_) => Err(Errno::EXIST.into()),
            None => self.rename(from, to),
        }
    }

    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()> {
        let ((at, old), (folder, new)) = (split(one)?, split(other)?);
        match fs::renameat_with(&at, old, &folder, new, fs::RenameFlags::EXCHANGE) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Err(io::ErrorKind::Unsupported.into()),
            done => Ok(done?),
        }
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let (at, name) = split(path)?;
        Ok(fs::unlinkat(&at, name, AtFlags::empty())?)
    }

    fn make_folder(&self, path: &Path, private: bool) -> io::Result<()> {
        let (at, name) = split(path)?;
        let mode = Mode::from_raw_mode(if private { 0o700 } else { 0o777 });
        fs::mkdirat(&at, name, mode)?;
        match by_users_mask(mode).filter(|_| !private) {
            Some(mode) => Ok(fs::fchmod(open(&at, name, OFlags::RDONLY | FOLDER, Mode::empty())?, mode)?),
            None => Ok(()),
        }
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        let (at, name) = split(path)?;
        Ok(fs::unlinkat(&at, name, AtFlags::REMOVEDIR)?)
    }
}

/// Returns the mode for a user's new file, where the daemon's own mask would be wrong.
#[allow(clippy::unnecessary_cast, clippy::cast_lossless, reason = "modes have other widths on other systems")]
fn by_users_mask(mode: Mode) -> Option<Mode> {
    let mask = hob_base::umask::users_mask()?;
    Some(mode.difference(Mode::from_raw_mode(mask as fs::RawMode)))
}

/// Gives a file to its old owner. Only root may give a file to another user, and a user may only give it to a group of
/// their own. Files of others are written in place; one that is made anew nevertheless, such as a moved one, becomes
/// the editing user's, as with any editor that writes a new file. A group other than the old one gets no rights by
/// that.
fn give_to_owner(file: &File, attrs: &Attrs) -> io::Result<()> {
    let (uid, gid) = (Uid::from_raw(attrs.uid), Gid::from_raw(attrs.gid));
    let given = fs::fchown(file, Some(uid), Some(gid)).or_else(|_| fs::fchown(file, None, Some(gid)));
    match given {
        Err(Errno::PERM | Errno::INVAL | Errno::NOSYS) if attrs.mode & 0o070 == 0 => Ok(()),
        Err(error) => {
            let why = format!("its group, which has rights to it, cannot be kept: {error}");
            Err(io::Error::new(io::Error::from(error).kind(), why))
        }
        Ok(()) => Ok(()),
    }
}

#[allow(clippy::unnecessary_cast, clippy::cast_lossless, reason = "these have other widths on other systems")]
fn meta_of_stat(stat: &fs::Stat) -> Meta {
    let kind = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => NodeKind::File,
        FileType::Directory => NodeKind::Folder,
        FileType::Symlink => NodeKind::Link,
        _ => NodeKind::Other,
    };
    let mode = Mode::from_raw_mode(stat.st_mode).as_raw_mode() as u32 & 0o7777;
    let attrs = Attrs { mode, uid: stat.st_uid, gid: stat.st_gid, extended: Extended::default() };
    Meta { kind, attrs, names: stat.st_nlink as u64 }
}
