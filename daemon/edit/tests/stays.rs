//! Tests what an edit must not change of a file: its other names, its access list, its extended attributes; on the
//! real disk.
#![cfg(target_os = "linux")]

use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;
use std::time::SystemTime;

use hob_base::{AbsPath, WsPath};
use hob_edit::{EditError, Edits, Owner, Proposal, ProposedFile};
use rustix::fs::{XattrFlags, fgetxattr, fgetxattr_query, fsetxattr};
use rustix::io::Errno;

const ACCESS: &str = "system.posix_acl_access";
const DEFAULT: &str = "system.posix_acl_default";

struct StaysFolder {
    folder: tempfile::TempDir,
    edits: Edits,
}

impl StaysFolder {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("ws")).expect("a folder");
        let state = AbsPath::new(folder.path().join("state")).expect("absolute");
        let (edits, _) = Edits::open(&state, Box::new(SystemTime::now));
        let place = Self { folder, edits };
        for (name, text) in files {
            fs::write(place.file(name), text).expect("it can be written");
        }
        place
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join("ws").join(name)
    }

    fn root(&self) -> AbsPath {
        AbsPath::new(self.folder.path().join("ws")).expect("absolute")
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).expect("there")
    }

    fn apply(&self, path: &str, after: Option<&str>) -> Result<(), EditError> {
        self.apply_to(path, &self.read(path), after)
    }

    fn apply_to(&self, path: &str, before: &str, after: Option<&str>) -> Result<(), EditError> {
        let path = WsPath::new(path).expect("relative");
        let before = before.as_bytes();
        let after = after.map(|text| text.as_bytes().into());
        let change = ProposedFile { path, moved_to: None, before: Some(before.into()), after };
        let proposal = Proposal { label: "l".into(), tool: "edit_text".into(), changes: vec![change] };
        let owner = Owner { client: "one".into(), root: self.root() };
        let id = self.edits.propose(&owner, proposal)?.id;
        self.edits.apply(&id).map(drop)
    }

    fn undo(&self) {
        self.edits.undo(&self.root()).expect("it can be undone");
    }

    fn attribute_of(&self, name: &str, attribute: &str) -> Option<Vec<u8>> {
        let file = File::open(self.file(name)).expect("there");
        match fgetxattr_query(&file, attribute) {
            Err(Errno::NODATA) => None,
            size => {
                let mut value = vec![0; size.expect("it can be asked")];
                fgetxattr(&file, attribute, &mut value[..]).expect("it can be read");
                Some(value)
            }
        }
    }

    /// Sets an attribute; `false` where the file system has none of the kind.
    fn set(&self, name: &str, attribute: &str, value: &[u8]) -> bool {
        let file = File::open(self.file(name)).expect("there");
        match fsetxattr(&file, attribute, value, XattrFlags::empty()) {
            Err(Errno::NOTSUP) => false,
            other => other.map(|()| true).expect("it can be set"),
        }
    }

    fn mode_of(&self, name: &str) -> u32 {
        fs::metadata(self.file(name)).expect("there").permissions().mode() & 0o7777
    }
}

/// An access list as Linux has it: the owner, one user more, the owner's group, and the most that those two may.
fn list(user: u16, group: u16, mask: u16) -> Vec<u8> {
    const NOBODY: u32 = u32::MAX;
    let entries =
        [(1, 6, NOBODY), (2, user, 12345), (4, group, NOBODY), (0x10, mask, NOBODY), (0x20, 0, NOBODY)];
    let mut bytes = 2_u32.to_le_bytes().to_vec();
    for (tag, may, who) in entries {
        bytes.extend([u16::to_le_bytes(tag), u16::to_le_bytes(may)].concat());
        bytes.extend(u32::to_le_bytes(who));
    }
    bytes
}

#[test]
fn a_file_with_two_names_stays_one_file() {
    let place = StaysFolder::new(&[("a", "one\ntwo\nthree\n"), ("other", "1")]);
    fs::hard_link(place.file("a"), place.file("b")).expect("another name");
    let number = |name| fs::metadata(place.file(name)).expect("there").ino();
    let before = number("a");
    for text in ["short\n", "one\ntwo\nand\nmuch\nmore\nthan\nthere\nwas\n"] {
        let was = place.read("a");
        place.apply("a", Some(text)).expect("nothing is in the way");
        assert_eq!((place.read("a").as_str(), place.read("b").as_str()), (text, text));
        place.undo();
        assert_eq!((place.read("a"), place.read("b")), (was.clone(), was));
    }
    assert_eq!((number("a"), number("b")), (before, before));
    let error = place.apply("a", None).expect_err("an undo could not make it one file again");
    assert!(error.to_string().contains("several names (hard links)"), "{error}");
    assert_eq!(place.read("a"), place.read("b"));
    let left = fs::read_dir(place.file("")).expect("there").count();
    assert_eq!(left, 3, "nothing is left beside them");
}

#[test]
fn an_access_list_stays_and_its_rights_are_not_widened() {
    let place = StaysFolder::new(&[("a", "1")]);
    // The group's own entry gives it nothing, and the mask, which the mode shows in its place, gives the named user all.
    let wanted = list(6, 0, 6);
    if !place.set("a", ACCESS, &wanted) {
        return;
    }
    assert_eq!(place.mode_of("a"), 0o660);
    place.apply("a", Some("2")).expect("nothing is in the way");
    assert_eq!((place.attribute_of("a", ACCESS), place.mode_of("a")), (Some(wanted.clone()), 0o660));
    place.undo();
    assert_eq!((place.attribute_of("a", ACCESS), place.mode_of("a")), (Some(wanted.clone()), 0o660));
    place.apply("a", None).expect("it can go");
    place.undo();
    assert_eq!(place.attribute_of("a", ACCESS), Some(wanted), "it comes back as it was");
}

#[test]
fn a_folders_list_for_new_files_is_not_an_old_files() {
    let place = StaysFolder::new(&[("a", "1")]);
    fs::set_permissions(place.file("a"), fs::Permissions::from_mode(0o640)).expect("it is ours");
    if !place.set("", DEFAULT, &list(6, 6, 6)) {
        return;
    }
    place.apply("a", Some("2")).expect("nothing is in the way");
    assert_eq!(
        (place.attribute_of("a", ACCESS), place.mode_of("a")),
        (None, 0o640),
        "another user may read it now"
    );
}

#[test]
fn extended_attributes_stay() {
    let place = StaysFolder::new(&[("a", "1")]);
    if !place.set("a", "user.origin", b"\0somewhere") {
        return;
    }
    place.apply("a", Some("2")).expect("nothing is in the way");
    assert_eq!(place.attribute_of("a", "user.origin").as_deref(), Some(&b"\0somewhere"[..]));
    place.apply("a", None).expect("it can go");
    place.undo();
    assert_eq!(place.attribute_of("a", "user.origin").as_deref(), Some(&b"\0somewhere"[..]));
}

/// Another program that keeps the file open and writes while an edit is applied: its words are there, or the edit was refused.
#[test]
fn what_is_written_at_the_same_time_is_not_lost() {
    use std::io::Write as _;
    use std::sync::atomic::{AtomicBool, Ordering};
    let place = StaysFolder::new(&[("a", "0")]);
    let path = place.file("a");
    for round in 0..60 {
        fs::write(&path, round.to_string()).expect("it can be written");
        let go = AtomicBool::new(false);
        let theirs = format!("somebody's {round}");
        let done = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !go.load(Ordering::Acquire) {
                    std::hint::spin_loop();
                }
                // Different moments within the apply.
                std::thread::sleep(std::time::Duration::from_micros(round * 40));
                let mut file = File::create(&path).expect("there");
                file.write_all(theirs.as_bytes()).expect("it can be written");
            });
            go.store(true, Ordering::Release);
            place.apply_to("a", &round.to_string(), Some(&format!("ours {round}")))
        });
        // They wrote after all else, or before it; in the latter case it was noticed.
        let found = place.read("a");
        assert!(done.is_ok() || found == theirs, "{round}: {done:?} and {found:?}");
        assert!(found == theirs, "{round}: {done:?}, and their words are lost: {found:?}");
    }
}
