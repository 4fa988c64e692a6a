//! Notices file systems that are mounted in a workspace's tree or removed from it, and names those that give no events.
//!
//! A mount gives no event in the folder that it covers, and files behind it change without one where another machine
//! writes them. The kernel wakes a process that holds the list of mounts open when any of them has changed; then this
//! module compares the mounts below the root with those of the last sweep. A call pays one question to the kernel for
//! that.
//!
//! What it is not: a check whether the root is another folder, which `identity` makes, nor a look at folders that the
//! rules leave out. On other systems than Linux it sees nothing.

#[cfg(target_os = "linux")]
pub(crate) use linux::Mounts;

/// Sees no mounts on this platform.
#[cfg(not(target_os = "linux"))]
#[derive(Default)]
pub(crate) struct Mounts;

#[cfg(not(target_os = "linux"))]
impl Mounts {
    pub(crate) fn note_mounts(&self, _rules: &crate::Rules) -> Option<String> {
        None
    }

    pub(crate) fn have_changed(&self, _rules: &crate::Rules) -> bool {
        false
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::OsStr;
    use std::fs::File;
    use std::io::{Read as _, Seek as _, SeekFrom};
    use std::os::unix::ffi::OsStrExt as _;
    use std::path::{Path, PathBuf};
    use std::sync::Mutex;

    use hob_base::{WsPath, lock};
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    use crate::Rules;

    /// The kernel's list of this process's mounts.
    const TABLE: &str = "/proc/self/mountinfo";

    /// The mounts in one workspace's tree.
    #[derive(Default)]
    pub(crate) struct Mounts(Mutex<MountsSeen>);

    #[derive(Default)]
    struct MountsSeen {
        /// The list, held open because the kernel wakes only its holders; `None` where there is no such list.
        table: Option<File>,
        /// The mounts below the root at the last sweep.
        below: Vec<Mount>,
        /// True if the mounts have changed since then.
        have_changed: bool,
    }

    /// A mount below a root.
    #[derive(Clone, Debug, PartialEq, Eq)]
    struct Mount {
        place: WsPath,
        /// The kind of file system, as `mount` names it.
        kind: String,
        /// The device, and the folder on it.
        source: Vec<u8>,
    }

    impl Mounts {
        /// Notes the mounts at the beginning of a sweep. Returns the reason why the watcher cannot see every change in
        /// the tree, if there is one.
        pub(crate) fn note_mounts(&self, rules: &Rules) -> Option<String> {
            let mut seen = lock(&self.0);
            // Opened before it is read: a change from here on wakes the holder.
            seen.table = File::open(TABLE).ok();
            let text = seen.read_table();
            seen.below = mounts_below(&text, rules.root().as_path(), &|place| rules.admits_dir(place));
            seen.have_changed = false;
            let around = kind_around(&text, rules.root().as_path()).filter(|kind| gives_no_events(kind));
            if let Some(kind) = around {
                return Some(format!(
                    "changes made elsewhere on the file system of this folder, {kind}, give no events"
                ));
            }
            let silent = seen.below.iter().find(|mount| gives_no_events(&mount.kind))?;
            let (place, kind) = (&silent.place, &silent.kind);
            Some(format!(
                "changes made elsewhere in `{place}`, which is of the file system {kind}, give no events"
            ))
        }

        /// Returns true if other file systems are mounted below the root than at the last sweep.
        pub(crate) fn have_changed(&self, rules: &Rules) -> bool {
            let mut seen = lock(&self.0);
            if !seen.have_changed && seen.is_woken() {
                let text = seen.read_table();
                let admits = |place: &WsPath| rules.admits_dir(place);
                seen.have_changed = mounts_below(&text, rules.root().as_path(), &admits) != seen.below;
            }
            seen.have_changed
        }
    }

    impl MountsSeen {
        /// Asks the kernel whether any mount has changed since it was asked last.
        fn is_woken(&self) -> bool {
            let Some(table) = &self.table else { return false };
            let mut asked = [PollFd::new(table, PollFlags::PRI)];
            let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
            poll(&mut asked, Some(&at_once)).is_ok_and(|woken| woken > 0)
        }

        /// Returns the present text of the list; empty where it cannot be read.
        fn read_table(&mut self) -> Vec<u8> {
            let mut text = Vec::new();
            if let Some(table) = &mut self.table
                && table.seek(SeekFrom::Start(0)).and_then(|_| table.read_to_end(&mut text)).is_err()
            {
                text.clear();
            }
            text
        }
    }

    /// Returns the mounts strictly below `root` that `admits` accepts, from the text of `mountinfo`. Of several in one
    /// place the last covers the others.
    fn mounts_below(text: &[u8], root: &Path, admits: &dyn Fn(&WsPath) -> bool) -> Vec<Mount> {
        let mut below: Vec<Mount> = Vec::new();
        for line in lines_of(text) {
            let place = line.place.strip_prefix(root).ok().and_then(|place| WsPath::from_path(place).ok());
            let Some(place) = place.filter(|place| !place.is_root() && admits(place)) else { continue };
            below.retain(|other| other.place != place);
            below.push(Mount { place, kind: line.kind, source: line.source });
        }
        below
    }

    /// Returns the kind of the file system that `root` lies in.
    fn kind_around(text: &[u8], root: &Path) -> Option<String> {
        let around = lines_of(text).filter(|line| root.starts_with(&line.place));
        around.max_by_key(|line| line.place.components().count()).map(|line| line.kind)
    }

    /// The fields of a line of `mountinfo` that this module needs.
    struct MountLine {
        place: PathBuf,
        kind: String,
        source: Vec<u8>,
    }

    fn lines_of(text: &[u8]) -> impl Iterator<Item = MountLine> {
        text.split(|byte| *byte == b'\n').filter_map(read_line)
    }

    /// Reads `36 35 98:0 /folder /mnt options... - ext3 /dev/x ...`, where any number of fields may stand before the dash.
    fn read_line(line: &[u8]) -> Option<MountLine> {
        let mut fields = line.split(|byte| *byte == b' ');
        let (device, folder, place) = (fields.nth(2)?, fields.next()?, fields.next()?);
        let kind = fields.skip_while(|field| *field != b"-").nth(1)?;
        let source = [device, b" ", folder].concat();
        Some(MountLine {
            place: path_of_field(place),
            kind: String::from_utf8_lossy(kind).into_owned(),
            source,
        })
    }

    /// Decodes a path, in which octal numbers stand for blanks and backslashes.
    fn path_of_field(field: &[u8]) -> PathBuf {
        let (mut bytes, mut rest) = (Vec::with_capacity(field.len()), field);
        while let Some((first, tail)) = rest.split_first() {
            let code = tail.get(..3).and_then(|code| std::str::from_utf8(code).ok());
            let code = code.filter(|_| *first == b'\\').and_then(|code| u8::from_str_radix(code, 8).ok());
            bytes.push(code.unwrap_or(*first));
            rest = if code.is_some() { &tail[3..] } else { tail };
        }
        PathBuf::from(OsStr::from_bytes(&bytes))
    }

    /// Returns true for file systems to which others can write without an event: over a network, or from outside of a
    /// virtual machine (`9p` and `drvfs` are those of WSL, `fakeowner`, `grpcfuse` and `osxfs` those of Docker
    /// Desktop).
    fn gives_no_events(kind: &str) -> bool {
        const SILENT: [&str; 16] = [
            "9p",
            "afs",
            "ceph",
            "cifs",
            "drvfs",
            "fakeowner",
            "grpcfuse",
            "lustre",
            "ncpfs",
            "nfs",
            "nfs4",
            "osxfs",
            "smb3",
            "smbfs",
            "vboxsf",
            "virtiofs",
        ];
        SILENT.contains(&kind) || kind == "fuse" || kind.starts_with("fuse.") || kind == "fuseblk"
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        const TEXT: &[u8] = b"21 1 8:1 / / rw - ext4 /dev/sda1 rw\n\
            40 21 0:50 / /home/me/shop rw shared:1 - ext4 /dev/sdb rw\n\
            41 40 0:51 /data /home/me/shop/my\\040data rw shared:2 master:1 - nfs4 host:/data rw\n\
            42 40 8:1 /x /home/me/shop/bind rw - ext4 /dev/sda1 rw\n\
            43 42 8:1 /y /home/me/shop/bind rw - ext4 /dev/sda1 rw\n\
            44 21 0:52 / /home/me/shopping rw - tmpfs none rw\n\
            45 40 0:53 / /home/me/shop/target rw - fuse.sshfs x rw\n\
            nonsense\n";

        #[test]
        fn the_mounts_of_a_tree_are_read_and_the_last_covers_the_others() {
            let below = mounts_below(TEXT, Path::new("/home/me/shop"), &|place| place.as_str() != "target");
            let found: Vec<_> =
                below.iter().map(|mount| (mount.place.as_str(), mount.kind.as_str())).collect();
            assert_eq!(found, [("my data", "nfs4"), ("bind", "ext4")]);
            assert_eq!(below[1].source, b"8:1 /y");
            let around = |root: &str| kind_around(TEXT, Path::new(root));
            assert_eq!(around("/home/me/shop/src").as_deref(), Some("ext4"));
            assert_eq!(around("/home/me/shop/my data/x").as_deref(), Some("nfs4"));
            assert_eq!(around("/home/me/shopping").as_deref(), Some("tmpfs"));
        }

        #[test]
        fn what_others_write_to_unseen_gives_no_events() {
            assert!(
                ["nfs", "9p", "virtiofs", "fuse.sshfs", "fuseblk"].iter().all(|kind| gives_no_events(kind))
            );
            assert!(!["ext4", "overlay", "tmpfs", "fusectl"].iter().any(|kind| gives_no_events(kind)));
        }
    }
}
