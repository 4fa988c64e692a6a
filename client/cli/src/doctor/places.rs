//! Checks hob's folders: whether they exist, are private and writable, and lie on a suitable disk with room.

use std::path::{Path, PathBuf};

use hob_proto::places::Places;

use super::check::{Check, Finding};
use super::surroundings::Surroundings;
use crate::render;

pub(super) const CHECKS: &[Check] = &[
    Check { name: "hob-dir", run: |around| of_places(around, hob_dir) },
    Check {
        name: "config",
        run: |around| of_places(around, |p| vec![check_folder("folder for settings", &p.config, false)]),
    },
    Check {
        name: "state",
        run: |around| of_places(around, |p| vec![check_folder("folder for state", &p.state, true)]),
    },
    Check {
        name: "cache",
        run: |around| of_places(around, |p| vec![check_folder("cache folder", &p.cache, true)]),
    },
    Check { name: "runtime", run: |around| of_places(around, check_runtime) },
    Check { name: "disk", run: |around| of_places(around, check_disk) },
    Check { name: "file-system", run: file_systems },
];

/// Free bytes below which the daemon cannot store anything.
const NO_ROOM: u64 = 100 << 20;
/// Free bytes below which the room will not last long.
const LITTLE_ROOM: u64 = 1 << 30;
/// Size of the cache, in bytes, above which the doctor mentions it.
const LARGE_CACHE: u64 = 20 << 30;
/// Most files of the cache that are counted.
const MOST_FILES: usize = 500_000;

fn of_places(around: &Surroundings, look: impl Fn(&Places) -> Vec<Finding>) -> Vec<Finding> {
    around.settings.as_ref().map(|settings| look(&settings.places)).unwrap_or_default()
}

fn hob_dir(_: &Places) -> Vec<Finding> {
    let set = std::env::var_os("HOB_DIR").filter(|value| !value.is_empty());
    set.map(|dir| Finding::ok(format!("HOB_DIR is set: everything is in {}", Path::new(&dir).display())))
        .into_iter()
        .collect()
}

/// Checks the runtime folder, and the folder of the socket if that is another one.
fn check_runtime(places: &Places) -> Vec<Finding> {
    let mut findings = vec![check_folder("folder of socket and locks", &places.runtime, true)];
    if let Some(other) = places.socket.parent().filter(|folder| cfg!(unix) && *folder != places.runtime) {
        findings.push(check_folder("folder of the socket", other, true));
    }
    findings
}

/// Checks one folder. With `private`, others must not even be able to read it.
fn check_folder(what: &str, path: &Path, private: bool) -> Finding {
    let shown = path.display();
    let Ok(meta) = path.symlink_metadata() else { return absent_finding(what, path) };
    // hob follows only one link: the user's own for a folder of settings, state or cache.
    let meta = if meta.is_symlink() { path.metadata().unwrap_or(meta) } else { meta };
    if !meta.is_dir() {
        let text = format!("the {what}, {shown}, is not a folder");
        return Finding::problem(text).with_fix(format!(
            "mv {} {}",
            shell_quoted(path),
            shell_quoted(&path.with_extension("old"))
        ));
    }
    access(what, path, &meta, private).unwrap_or_else(|| Finding::ok(format!("the {what} is {shown}")))
}

fn absent_finding(what: &str, path: &Path) -> Finding {
    let above = path.ancestors().skip(1).find(|folder| folder.exists());
    match above {
        Some(folder) if !is_writable(folder) => {
            let text = format!(
                "the {what}, {}, cannot be made: {} is not writable",
                path.display(),
                folder.display()
            );
            Finding::problem(text)
                .with_fix("set HOB_DIR to an absolute path of a folder that you may write to")
        }
        _ => Finding::ok(format!("the {what}, {}, will be made when it is needed", path.display())),
    }
}

#[cfg(unix)]
fn access(what: &str, path: &Path, meta: &std::fs::Metadata, private: bool) -> Option<Finding> {
    use std::os::unix::fs::MetadataExt as _;
    let (shown, mode) = (path.display(), meta.mode() & 0o777);
    let ours = rustix::process::geteuid().as_raw();
    if meta.uid() != ours {
        let text = format!("the {what}, {shown}, belongs to user {}, not to you ({ours})", meta.uid());
        return Some(Finding::problem(text).with_fix(format!("sudo chown -R {ours} {}", shell_quoted(path))));
    }
    let fix = format!("chmod 700 {}", shell_quoted(path));
    if mode & 0o022 != 0 {
        let text = format!("other users can write to the {what}, {shown} (mode {mode:o})");
        return Some(Finding::problem(text).with_fix(fix));
    }
    if mode & 0o077 != 0 && private {
        let text = format!("other users can look into the {what}, {shown} (mode {mode:o})");
        return Some(Finding::warning(text).with_fix(fix));
    }
    let text = format!("the {what}, {shown}, cannot be written to");
    (!is_writable(path))
        .then(|| Finding::problem(text).with_fix(format!("chmod u+rwx {}", shell_quoted(path))))
}

#[cfg(not(unix))]
fn access(_what: &str, _path: &Path, _meta: &std::fs::Metadata, _private: bool) -> Option<Finding> {
    // The user's own profile is private on Windows.
    None
}

#[cfg(unix)]
fn is_writable(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
fn is_writable(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| !meta.permissions().readonly())
}

/// Quotes a path for a shell.
pub(super) fn shell_quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@%".contains(c);
    if text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

fn check_disk(places: &Places) -> Vec<Finding> {
    let Some(free) = free_bytes(&nearest_existing(&places.cache)) else { return Vec::new() };
    let (files, bytes) = size(&places.cache);
    let least = if files >= MOST_FILES { "more than " } else { "" };
    let text = format!(
        "{} free for the cache, which takes {least}{} ({})",
        render::bytes_text(free),
        render::bytes_text(bytes),
        places.cache.display()
    );
    let fix =
        format!("free some room, or hob stop && rm -r {}: it is made anew", shell_quoted(&places.cache));
    vec![match free {
        0..NO_ROOM => Finding::problem(format!("the disk is full: {text}")).with_fix(fix),
        NO_ROOM..LITTLE_ROOM => {
            Finding::warning(format!("there is little room on the disk: {text}")).with_fix(fix)
        }
        _ if bytes > LARGE_CACHE => Finding::note(format!("the cache is large: {text}")).with_fix(fix),
        _ => Finding::ok(text),
    }]
}

/// Returns the folder or the nearest existing one above it.
fn nearest_existing(path: &Path) -> PathBuf {
    path.ancestors().find(|folder| folder.exists()).unwrap_or(path).to_path_buf()
}

#[cfg(unix)]
fn free_bytes(path: &Path) -> Option<u64> {
    rustix::fs::statvfs(path).ok().map(|stat| stat.f_bavail.saturating_mul(stat.f_frsize))
}

#[cfg(not(unix))]
fn free_bytes(_path: &Path) -> Option<u64> {
    None
}

/// Returns the number and bytes of the files below; links are not followed.
fn size(folder: &Path) -> (usize, u64) {
    let (mut files, mut bytes, mut open) = (0, 0, vec![folder.to_path_buf()]);
    while let Some(entries) = open.pop().filter(|_| files < MOST_FILES).map(std::fs::read_dir) {
        for entry in entries.into_iter().flatten().filter_map(Result::ok) {
            let Ok(meta) = entry.metadata() else { continue };
            match meta.is_dir() {
                true => open.push(entry.path()),
                false => (files, bytes) = (files + 1, bytes + meta.len()),
            }
        }
    }
    (files, bytes)
}

/// Checks the file systems: disks of other machines lock and map files in their own ways, and layers of containers are
/// lost with the container.
fn file_systems(around: &Surroundings) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Ok(settings) = &around.settings {
        let places = &settings.places;
        for (what, path) in [("cache folder", &places.cache), ("folder of socket and locks", &places.runtime)]
        {
            let Some((name, FileSystemKind::Remote)) = file_system(&nearest_existing(path)) else { continue };
            let text = format!("the {what}, {}, is on a network file system ({name})", path.display());
            findings.push(Finding::warning(text).with_fix("set HOB_DIR to a folder on a local disk"));
        }
        if let Some((name, FileSystemKind::Layer)) = file_system(&nearest_existing(&places.cache)) {
            let text =
                format!("the cache is in a container's own layer ({name}), and is gone with the container");
            findings
                .push(Finding::note(text).with_fix(format!("mount a volume for {}", places.cache.display())));
        }
    }
    if let Some((name, FileSystemKind::Remote)) = file_system(around.root()) {
        let text = format!(
            "this project is on a network file system ({name}): what other machines change gives no event, so it is noticed late"
        );
        findings.push(Finding::warning(text).with_fix("hob index looks at every file again"));
    }
    if findings.is_empty() {
        findings.push(Finding::ok("folders and project are on local disks"));
    }
    findings
}

/// The property of a file system that matters to hob.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FileSystemKind {
    Remote,
    Layer,
}

/// Returns names and kinds by the numbers of `statfs(2)`.
#[cfg(target_os = "linux")]
fn file_system(path: &Path) -> Option<(&'static str, FileSystemKind)> {
    const KNOWN: &[(u32, &str, FileSystemKind)] = &[
        (0x6969, "nfs", FileSystemKind::Remote),
        (0xff53_4d42, "cifs", FileSystemKind::Remote),
        (0xfe53_4d42, "smb", FileSystemKind::Remote),
        (0x517b, "smb", FileSystemKind::Remote),
        (0x0102_1997, "9p", FileSystemKind::Remote),
        (0x00c3_6400, "ceph", FileSystemKind::Remote),
        (0x5346_414f, "afs", FileSystemKind::Remote),
        (0x6573_5546, "fuse", FileSystemKind::Remote),
        (0x794c_7630, "overlay", FileSystemKind::Layer),
    ];
    // The numbers have 32 bits, in a field that is wider on some systems and signed on others.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the low 32 bits are the number"
    )]
    let number = rustix::fs::statfs(path).ok()?.f_type as u32;
    KNOWN.iter().find(|(known, ..)| *known == number).map(|(_, name, kind)| (*name, *kind))
}

#[cfg(not(target_os = "linux"))]
fn file_system(_path: &Path) -> Option<(&'static str, FileSystemKind)> {
    None
}
