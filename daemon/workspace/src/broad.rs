//! Folders that are no project, because they are around many: the home folder and what it lies in, the system's folders, those
//! for temporary files, those where programs keep their things.
//!
//! To index one of them takes in a life or a machine, so it needs the user's word ([`BroadFolders::with_allowed`]). Two grades: a home
//! folder and a folder for temporary files are refused whatever marks them, because a stray `package.json` or a repository of
//! dotfiles says nothing of the rest; `/etc` or `~/.config` under version control are what they say they are. Folders below any of
//! them are folders like all others.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use hob_base::AbsPath;

/// Folders for temporary files, everybody's.
const TEMPORARY: &[&str] = &["/tmp", "/var/tmp", "/dev/shm", "/private/tmp", "/private/var/tmp"];

/// The system's folders, and those that projects, disks and homes are put into.
const SYSTEM: &[&str] = &[
    "/Applications",
    "/Library",
    "/System",
    "/Users",
    "/Volumes",
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/gnu/store",
    "/home",
    "/lib",
    "/lib64",
    "/media",
    "/mnt",
    "/nix",
    "/nix/store",
    "/opt",
    "/private",
    "/private/etc",
    "/private/var",
    "/root",
    "/run",
    "/run/user",
    "/sbin",
    "/snap",
    "/srv",
    "/usr",
    "/usr/lib",
    "/usr/local",
    "/usr/local/lib",
    "/usr/local/share",
    "/usr/share",
    "/var",
    "/var/cache",
    "/var/lib",
    "/var/log",
    r"C:\Program Files",
    r"C:\Program Files (x86)",
    r"C:\ProgramData",
    r"C:\Users",
    r"C:\Windows",
];

/// Where programs keep their things, in the home folder.
const AT_HOME: &[&str] = &[
    ".cache",
    ".config",
    ".local",
    ".local/share",
    ".local/state",
    "AppData",
    "AppData/Local",
    "AppData/Roaming",
    "Library",
    "Library/Application Support",
    "Library/Caches",
];

/// The folders that are too broad to be a project, on this machine and for this user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BroadFolders {
    /// Refused whatever marks them.
    always: HashSet<PathBuf>,
    /// Refused unless they are a repository.
    unversioned: HashSet<PathBuf>,
    /// Taken all the same.
    allowed: HashSet<PathBuf>,
}

impl BroadFolders {
    /// For the user with this home folder, if it is known. Folders that are links count under both names.
    #[must_use]
    pub fn new(home: Option<&AbsPath>) -> Self {
        let known = |folders: &[&str]| -> HashSet<PathBuf> {
            folders.iter().flat_map(|folder| with_real_path(Path::new(folder))).collect()
        };
        let (mut always, mut unversioned) = (known(TEMPORARY), known(SYSTEM));
        for home in home.map(|home| with_real_path(home.as_path())).into_iter().flatten() {
            always.extend(home.ancestors().map(Path::to_path_buf));
            unversioned.extend(AT_HOME.iter().flat_map(|folder| with_real_path(&home.join(folder))));
        }
        Self { always, unversioned, allowed: HashSet::new() }
    }

    /// As this, but the user has said that these are projects.
    #[must_use]
    pub fn with_allowed(&self, folders: &[PathBuf]) -> Self {
        let allowed = folders.iter().flat_map(|folder| with_real_path(folder)).collect();
        Self { allowed, ..self.clone() }
    }

    /// Returns true if no file in `folder` makes it a project. The path has no links in it.
    #[must_use]
    pub fn is_never_project(&self, folder: &Path) -> bool {
        self.is_broad(folder, &self.always) || self.is_broad(folder, &self.unversioned)
    }

    /// Returns true if not even version control makes `folder` a project.
    pub(crate) fn is_never_repository(&self, folder: &Path) -> bool {
        self.is_broad(folder, &self.always)
    }

    fn is_broad(&self, folder: &Path, broad: &HashSet<PathBuf>) -> bool {
        let is_top = folder.parent().is_none();
        (is_top || broad.contains(folder)) && !self.allowed.contains(folder)
    }
}

impl Default for BroadFolders {
    fn default() -> Self {
        Self::new(None)
    }
}

/// A path as it is written and as it is without links.
fn with_real_path(path: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let real = fs::canonicalize(path).ok().filter(|real| real != path);
    std::iter::once(path.to_path_buf()).chain(real)
}
