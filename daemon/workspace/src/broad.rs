//! Lists folders that are no project, because they surround many: the home folder and the folders around it, the
//! system's folders, folders for temporary files, and folders where programs keep their data.
//!
//! Indexing one of them would index all files of a user or a machine, so it needs the user's word
//! ([`BroadFolders::with_allowed`]). Two grades: a home folder and a folder for temporary files are refused whatever
//! marks them, because a stray `package.json` or a repository of dotfiles says nothing about the rest; `/etc` or
//! `~/.config` under version control are projects. Folders below any of them are folders like all others.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use hob_base::AbsPath;

/// Folders for temporary files that all users share.
const TEMPORARY: &[&str] = &["/tmp", "/var/tmp", "/dev/shm", "/private/tmp", "/private/var/tmp"];

/// The system's folders, and those in which projects, disks and home folders lie.
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

/// Folders in the home folder where programs keep their data.
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
    /// Folders that are refused whatever marks them.
    always: HashSet<PathBuf>,
    /// Folders that are refused unless they are a repository.
    unversioned: HashSet<PathBuf>,
    /// Folders that the user has allowed.
    allowed: HashSet<PathBuf>,
}

impl BroadFolders {
    /// Lists the folders for the user with this home folder, if it is known. Folders that are links count under both
    /// names.
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

    /// Returns a copy in which the user has said that `folders` are projects.
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

/// Returns a path as it is written and with its links resolved.
fn with_real_path(path: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let real = fs::canonicalize(path).ok().filter(|real| real != path);
    std::iter::once(path.to_path_buf()).chain(real)
}
