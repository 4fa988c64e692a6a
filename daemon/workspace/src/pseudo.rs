//! Recognises folders in which the system shows itself as files, such as `/proc`: they are no projects.
//!
//! The kernel makes the contents of `/proc` and `/sys` when they are read. They differ from one reading to the next,
//! give no events and never end, and reading some of them has an effect. So hob refuses such folders as roots, wherever
//! they are mounted. *Within* a project it walks them as ripgrep does.

use std::path::Path;

/// Numbers of file systems from the kernel's `magic.h`, and what people call them.
#[cfg(target_os = "linux")]
const KINDS: [(u32, &str); 15] = [
    (0x9fa0, "proc"),
    (0x6265_6572, "sysfs"),
    (0x0027_e0eb, "cgroup"),
    (0x6367_7270, "cgroup2"),
    (0x6462_6720, "debugfs"),
    (0x7472_6163, "tracefs"),
    (0x7363_6673, "securityfs"),
    (0xf97c_ff8c, "selinuxfs"),
    (0x6265_6570, "configfs"),
    (0x6165_676c, "pstore"),
    (0xde5e_81e4, "efivarfs"),
    (0xcafe_4a11, "bpf"),
    (0x4249_4e4d, "binfmt_misc"),
    (0x1980_0202, "mqueue"),
    (0x1cd1, "devpts"),
];

/// Returns the kind of such a folder; `None` for any other folder.
#[cfg(target_os = "linux")]
pub(crate) fn kind(folder: &Path) -> Option<&'static str> {
    let number = rustix::fs::statfs(folder).ok()?.f_type;
    // The field's width and sign differ between platforms; the number does not.
    let number = number as u32;
    let kind = KINDS.iter().find(|(other, _)| *other == number).map(|(_, kind)| *kind);
    kind.or_else(|| is_of_devices(folder).then_some("devtmpfs"))
}

/// Returns true for the system's own `/dev`: devices lie in a file system in memory, like many other folders.
#[cfg(target_os = "linux")]
fn is_of_devices(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let device = |path: &Path| std::fs::metadata(path).ok().map(|found| found.dev());
    folder.starts_with("/dev") && device(folder) == device(Path::new("/dev"))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn kind(_folder: &Path) -> Option<&'static str> {
    None
}
