//! Reads a small file that another program may have put there, without waiting and without reading on for
//! ever.
//!
//! hob looks for files that steer a tool (rules, settings, manifests) by name, and in a hostile project a
//! pipe, a device or a link to an endless file may have that name. So this module opens only regular files,
//! with an open that does not wait, and reads up to a limit. It does IO in this crate because every part
//! needs it and no part may know another.
//!
//! It does not read sources. Those are listed first and never reached through a link (`hob_workspace::read`).

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::path::AbsPath;

/// Reads the regular file at `path` whole, following links, if it has at most `limit` bytes.
///
/// # Errors
/// The system's own error; `InvalidInput` for anything but a regular file, `IsADirectory` for a folder,
/// `FileTooLarge` for a file over the limit.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    check_kind(&fs::metadata(path)?)?;
    let file = open_patiently(path)?;
    // The file that was checked may not be the file that was opened.
    let metadata = file.metadata()?;
    check_kind(&metadata)?;
    if metadata.len() > limit {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
    // Files of the system itself report length 0 and are not empty; one byte more than the limit is enough to
    // know.
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}

/// Reads a file as [`read`] does, as text.
///
/// # Errors
/// As [`read`], and `InvalidData` for a file that is not UTF-8.
pub fn read_text(path: &Path, limit: u64) -> io::Result<String> {
    String::from_utf8(read(path, limit)?).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Reads a file as [`read`] does, but a link at `path` may not lead out of `folder`, which is canonical.
///
/// # Errors
/// As [`read`], and `PermissionDenied` for a link that leads elsewhere.
pub fn read_within(folder: &Path, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    if !fs::symlink_metadata(path)?.is_symlink() {
        return read(path, limit);
    }
    let real = AbsPath::new(fs::canonicalize(path)?).map_err(io::Error::other)?;
    if !real.as_path().starts_with(folder) {
        let why = "it is a link that leads out of the project";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    }
    read(real.as_path(), limit)
}

fn check_kind(metadata: &fs::Metadata) -> io::Result<()> {
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    match metadata.is_file() {
        true => Ok(()),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file")),
    }
}

/// Opens a file, and tries again while another program that works on the file (a file server, say) has a
/// lease of it: such a file exists and counts. The system ends the lease before this function gives up. A
/// pipe never gets here twice: opening one to read succeeds at once.
fn open_patiently(path: &Path) -> io::Result<File> {
    const PAUSE: Duration = Duration::from_millis(20);
    let since = Instant::now();
    loop {
        match open(path) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && since.elapsed() < LEASE => {
                std::thread::sleep(PAUSE);
            }
            done => return done,
        }
    }
}

/// Longer than a lease is left to its holder once somebody else wants the file (Linux: 45 s, `fs.lease-break-time`).
const LEASE: Duration = Duration::from_secs(60);

/// Opens without waiting for the other end of a pipe, and without taking a terminal.
#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt as _;
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    fs::OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

// Linux alone has a safe call that makes a pipe.
#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_up_to_the_limit_are_read() {
        let dir = tempfile::tempdir().expect("a folder");
        let root = dir.path().canonicalize().expect("it is there");
        let at = |name: &str| root.join(name);
        fs::write(at("file"), "abc").expect("written");
        assert_eq!(read(&at("file"), 3).expect("small enough"), b"abc");
        assert_eq!(read(&at("file"), 2).expect_err("too large").kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(read(&root, 9).expect_err("a folder").kind(), io::ErrorKind::IsADirectory);
        rustix::fs::mkfifoat(rustix::fs::CWD, at("pipe"), rustix::fs::Mode::from_raw_mode(0o600))
            .expect("a pipe");
        assert_eq!(read(&at("pipe"), 9).expect_err("a pipe").kind(), io::ErrorKind::InvalidInput);
        let link = |to: &Path, name: &str| std::os::unix::fs::symlink(to, at(name)).expect("a link");
        link(Path::new("/dev/zero"), "endless");
        assert_eq!(read(&at("endless"), 9).expect_err("a device").kind(), io::ErrorKind::InvalidInput);
        link(&at("file"), "inside");
        assert_eq!(read_within(&root, &at("inside"), 9).expect("it stays inside"), b"abc");
        fs::create_dir(at("sub")).expect("a folder");
        link(&at("file"), "sub/outside");
        assert_eq!(read(&at("sub/outside"), 9).expect("followed"), b"abc");
        let refused = read_within(&at("sub"), &at("sub/outside"), 9).expect_err("it leads out");
        assert_eq!(refused.kind(), io::ErrorKind::PermissionDenied);
    }
}
