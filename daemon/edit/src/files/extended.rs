//! Reads and sets extended attributes of files. Linux keeps access lists as such attributes.
//!
//! A new file in an old one's place needs the old one's attributes. Without the access list only the rights of the mode
//! are left, whose bits for the group are, on a file with a list, the most that any user may do; and a folder may give
//! its new files a list of its own. An attribute that cannot be given to a new file is a reason not to write the file.
//!
//! Attributes that vouch for contents are not carried over: capabilities and signatures of the kernel's, which a file
//! also loses when it is written in place. macOS keeps its access lists elsewhere, so this module does not see them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::sync::Arc;

use rustix::fs::{self, XattrFlags};
use rustix::io::Errno;

use super::Extended;

/// The error when no attribute has the name.
#[cfg(not(target_vendor = "apple"))]
const MISSING: Errno = Errno::NODATA;
#[cfg(target_vendor = "apple")]
const MISSING: Errno = Errno::NOATTR;

/// Attributes that are about a file's former contents, or that the system makes anew for each file.
const OF_THE_CONTENTS: [&str; 4] =
    ["security.capability", "security.ima", "security.evm", "com.apple.provenance"];

/// Access lists that a new file may get from the system, and that must not be mixed with another file's rights.
const LISTS: [&str; 3] = ["system.posix_acl_access", "system.nfs4_acl", "system.richacl"];

/// Returns the attributes of an open file, without those that are never carried over.
pub(super) fn read(file: &File) -> io::Result<Extended> {
    let mut all = BTreeMap::new();
    for name in attribute_names(file)? {
        if OF_THE_CONTENTS.iter().any(|bound| bound.as_bytes() == name) {
            continue;
        }
        match value(file, &name) {
            Ok(value) => drop(all.insert(name, value)),
            // The attribute was removed at this moment, or was listed without existing.
            Err(error) if error == MISSING => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(Extended(Arc::new(all)))
}

/// Gives an open file these attributes, and removes its own lists and the attributes that users gave it.
pub(super) fn write(file: &File, wanted: &Extended) -> io::Result<()> {
    let have = read(file)?;
    for (name, value) in wanted.0.iter().filter(|(name, value)| have.0.get(*name) != Some(*value)) {
        match fs::fsetxattr(file, &name[..], value, XattrFlags::empty()) {
            Ok(()) => {}
            // The system assigns security labels.
            Err(_) if name.starts_with(b"security.") => {}
            Err(error) => return Err(not_kept(name, error)),
        }
    }
    for name in have.0.keys().filter(|name| !wanted.0.contains_key(*name)) {
        if name.starts_with(b"user.") || is_list(name) {
            fs::fremovexattr(file, &name[..]).map_err(|error| not_kept(name, error))?;
        }
    }
    Ok(())
}

fn is_list(name: &[u8]) -> bool {
    LISTS.iter().any(|list| list.as_bytes() == name)
}

fn not_kept(name: &[u8], error: Errno) -> io::Error {
    let what = match is_list(name) {
        true => "its access list".to_owned(),
        false => format!("its extended attribute `{}`", String::from_utf8_lossy(name)),
    };
    io::Error::new(io::Error::from(error).kind(), format!("{what} cannot be kept: {error}"))
}

fn attribute_names(file: &File) -> io::Result<Vec<Vec<u8>>> {
    let list = match read_growing(|| fs::flistxattr_query(file), |room| fs::flistxattr(file, room)) {
        // The file system has no extended attributes.
        Err(Errno::NOTSUP | Errno::NOSYS) => Vec::new(),
        other => other?,
    };
    Ok(list.split(|byte| *byte == 0).filter(|name| !name.is_empty()).map(<[u8]>::to_vec).collect())
}

fn value(file: &File, name: &[u8]) -> Result<Vec<u8>, Errno> {
    read_growing(|| fs::fgetxattr_query(file, name), |room| fs::fgetxattr(file, name, room))
}

/// Asks for the size and then for the bytes, and again if they have grown in between.
fn read_growing(
    size: impl Fn() -> Result<usize, Errno>,
    read: impl Fn(&mut [u8]) -> Result<usize, Errno>,
) -> Result<Vec<u8>, Errno> {
    loop {
        let mut room = vec![0; size()?];
        match read(&mut room) {
            Err(Errno::RANGE) => {}
            other => {
                room.truncate(other?);
                return Ok(room);
            }
        }
    }
}
