//! Decides where hob keeps its files.
//!
//! `HOB_DIR=/some/dir` puts everything under one folder (tests and benchmarks use that); otherwise the
//! platform's conventions decide: `usual` on systems with XDG folders, `directories` elsewhere. Callers pass
//! the environment: this module does not read it itself, except through `directories`.
//!
//! A Unix socket's path must fit in 104 bytes on some systems. If the runtime folder's path is too long, the
//! socket moves to a short private folder whose name is derived from the long one, so that every client finds
//! the same place.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

#[cfg(all(unix, not(target_os = "macos")))]
use crate::usual::{Folders, SessionFolders, System};

/// The longest socket path that every supported system accepts, in bytes, with its terminating zero.
pub const SOCKET_PATH_MAX: usize = 103;

/// The folders of one user's hob.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// The folder of the configuration that the user writes.
    pub config: PathBuf,
    /// The folder of files that must survive: trust, receipts, pending changes.
    pub state: PathBuf,
    /// The folder of files that can be rebuilt: facts, indexes.
    pub cache: PathBuf,
    /// The folder of socket and locks; private to the user.
    pub runtime: PathBuf,
    /// The socket, or on Windows the name of the pipe.
    pub socket: PathBuf,
    /// The rules that gave the folders above: at another time they may give others.
    #[cfg(all(unix, not(target_os = "macos")))]
    usual: Option<SessionFolders>,
}

/// The file name of [`Places::daemon_lock`] in a runtime folder.
pub(crate) const DAEMON_LOCK: &str = "daemon.lock";

/// Why no places could be found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlacesError {
    /// `HOB_DIR` is set to a relative path.
    #[error("HOB_DIR must be an absolute path, not `{0}`")]
    RelativeHobDir(String),
    /// The platform gives no home folder.
    #[error("no home folder is known for this user; set HOB_DIR to an absolute path")]
    NoHome,
}

impl Places {
    /// Finds the places from the environment: `env` looks a variable up, `user` distinguishes the users of a
    /// shared temporary folder (the numeric user ID on Unix).
    ///
    /// # Errors
    /// [`PlacesError`].
    pub fn find(env: &dyn Fn(&str) -> Option<OsString>, user: &str) -> Result<Self, PlacesError> {
        let set = |name: &str| env(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        if let Some(dir) = set("HOB_DIR") {
            if !dir.is_absolute() {
                return Err(PlacesError::RelativeHobDir(dir.display().to_string()));
            }
            return Ok(Self::in_folder(&dir, user));
        }
        Self::of_platform(env, user)
    }

    #[cfg(all(unix, not(target_os = "macos")))]
    fn of_platform(env: &dyn Fn(&str) -> Option<OsString>, user: &str) -> Result<Self, PlacesError> {
        let home = env("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
        // Without `HOME`, `directories` asks the user database.
        let listed = || directories::BaseDirs::new().map(|dirs| dirs.home_dir().to_path_buf());
        let home = home.or_else(listed).filter(|home| home.is_absolute()).ok_or(PlacesError::NoHome)?;
        Ok(Self::of_usual(SessionFolders::new(env, user, &home, &System::default())))
    }

    #[cfg(all(unix, not(target_os = "macos")))]
    fn of_usual(usual: SessionFolders) -> Self {
        let (runtime, Folders { config, state, cache }) = usual.runtime_and_folders();
        let socket = socket_path(&runtime, &usual.user);
        Self { config, state, cache, runtime, socket, usual: Some(usual) }
    }

    #[cfg(not(all(unix, not(target_os = "macos"))))]
    fn of_platform(_env: &dyn Fn(&str) -> Option<OsString>, user: &str) -> Result<Self, PlacesError> {
        let dirs = directories::ProjectDirs::from("", "", "hob").ok_or(PlacesError::NoHome)?;
        let state = dirs.state_dir().unwrap_or_else(|| dirs.data_local_dir()).to_path_buf();
        // Not the temporary folder: it can differ between two programs of one user, who would then have two daemons.
        let runtime = state.join("run");
        let socket = socket_path(&runtime, user);
        let (config, cache) = (dirs.config_dir().to_path_buf(), dirs.cache_dir().to_path_buf());
        Ok(Self { config, state, cache, runtime, socket })
    }

    fn in_folder(dir: &Path, user: &str) -> Self {
        let runtime = dir.join("run");
        let socket = socket_path(&runtime, user);
        Self {
            config: dir.join("config"),
            state: dir.join("state"),
            cache: dir.join("cache"),
            runtime,
            socket,
            #[cfg(all(unix, not(target_os = "macos")))]
            usual: None,
        }
    }

    /// Finds the places from this process's environment.
    ///
    /// # Errors
    /// [`PlacesError`].
    pub fn from_process_env() -> Result<Self, PlacesError> {
        Self::find(&|name| std::env::var_os(name), &current_user())
    }

    /// Returns the present places: a daemon may have started in another of this user's runtime folders since,
    /// or the user has logged on.
    #[must_use]
    pub fn current_places(&self) -> Self {
        #[cfg(all(unix, not(target_os = "macos")))]
        if let Some(usual) = &self.usual {
            return Self::of_usual(usual.clone());
        }
        self.clone()
    }

    /// Returns the socket of the next daemon; [`Places::socket`] belongs to the running one, if any.
    #[must_use]
    pub fn next_socket(&self) -> PathBuf {
        #[cfg(all(unix, not(target_os = "macos")))]
        if let Some(usual) = &self.usual {
            return socket_path(&usual.preferred_runtime(), &usual.user);
        }
        self.socket.clone()
    }

    /// Returns the other runtime folders of this user in which a daemon could be, besides
    /// [`Places::runtime`].
    #[must_use]
    pub fn other_runtimes(&self) -> Vec<PathBuf> {
        #[cfg(all(unix, not(target_os = "macos")))]
        if let Some(usual) = &self.usual {
            return usual.runtime_folders().into_iter().filter(|runtime| *runtime != self.runtime).collect();
        }
        Vec::new()
    }

    /// Returns the file that names the last daemon's folders, for programs whose environment gives other
    /// ones.
    #[must_use]
    pub fn memory_file(&self) -> Option<PathBuf> {
        #[cfg(all(unix, not(target_os = "macos")))]
        return self.usual.as_ref().map(SessionFolders::memory_file);
        #[cfg(not(all(unix, not(target_os = "macos"))))]
        return None;
    }

    /// Makes all programs of this user use these folders; the daemon calls it.
    ///
    /// # Errors
    /// The system's error.
    pub fn remember_folders(&self) -> io::Result<()> {
        #[cfg(all(unix, not(target_os = "macos")))]
        if let Some(usual) = &self.usual {
            let folders =
                Folders { config: self.config.clone(), state: self.state.clone(), cache: self.cache.clone() };
            return usual.remember_folders(&folders);
        }
        Ok(())
    }

    /// Returns the lock that the daemon holds as long as it lives; this lock is the sign of life, never a
    /// process ID.
    #[must_use]
    pub fn daemon_lock(&self) -> PathBuf {
        self.runtime.join(DAEMON_LOCK)
    }

    /// Returns the lock of the daemon that uses the folder `kept`, which is one of these: no other daemon may
    /// use it, wherever its socket is.
    #[must_use]
    pub fn in_use_lock(kept: &Path) -> PathBuf {
        kept.join("in-use.lock")
    }

    /// Returns the lock of a process that starts or replaces the daemon.
    #[must_use]
    pub fn start_lock(&self) -> PathBuf {
        self.runtime.join("start.lock")
    }

    /// Returns the folder of the language servers that hob installed, each in a folder of its own.
    #[must_use]
    pub fn servers_dir(&self) -> PathBuf {
        self.state.join("servers")
    }

    /// Returns the file that lists the projects that the user trusts; see [`crate::trust`].
    #[must_use]
    pub fn trust_file(&self) -> PathBuf {
        self.state.join("trust.json")
    }

    /// Returns the file that lists the user's groups of projects; see [`crate::groups`].
    #[must_use]
    pub fn groups_file(&self) -> PathBuf {
        self.state.join("groups.json")
    }

    /// Returns the user's settings, written by hand.
    #[must_use]
    pub fn settings_file(&self) -> PathBuf {
        self.config.join("config.toml")
    }

    /// Returns the file in which the daemon keeps its counts of calls; see `hob stats`.
    #[must_use]
    pub fn metrics_file(&self) -> PathBuf {
        self.state.join("metrics.json")
    }

    /// Returns the folder of the reports that crashes of the daemon leave, whose names are in the order of time.
    #[must_use]
    pub fn crashes_dir(&self) -> PathBuf {
        self.state.join("crashes")
    }

    /// Returns the file that a daemon has as long as it lives: a leftover one shows that its daemon did not
    /// end properly.
    #[must_use]
    pub fn life_sign(&self) -> PathBuf {
        self.state.join("alive.json")
    }

    /// Returns the folder of the daemon's log files.
    #[must_use]
    pub fn logs_dir(&self) -> PathBuf {
        self.state.join("log")
    }
}

#[cfg(unix)]
fn socket_path(runtime: &Path, user: &str) -> PathBuf {
    let path = runtime.join("hobd.sock");
    if path.as_os_str().len() < SOCKET_PATH_MAX {
        return path;
    }
    let name = fnv1a(runtime.as_os_str().as_encoded_bytes());
    PathBuf::from(format!("/tmp/hob-{user}/{name:016x}.sock"))
}

#[cfg(windows)]
fn socket_path(runtime: &Path, _user: &str) -> PathBuf {
    PathBuf::from(pipe_name(&runtime.to_string_lossy()))
}

/// Returns the pipe of the daemon with this runtime folder. The folder belongs to one user, so its name
/// identifies the user; different spellings give one name.
#[cfg(any(windows, test))]
fn pipe_name(runtime: &str) -> String {
    let plain = runtime.strip_prefix(r"\\?\").unwrap_or(runtime).replace('/', r"\").to_lowercase();
    format!(r"\\.\pipe\hob-{:016x}", fnv1a(plain.trim_end_matches('\\').as_bytes()))
}

/// Computes FNV-1a, 64 bits (Fowler, Noll, Vo). It is not for security: it only has to be the same in every
/// build of hob.
#[must_use]
pub fn fnv1a(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Returns the text that identifies this user: the numeric ID on Unix, the name elsewhere.
#[must_use]
pub fn current_user() -> String {
    #[cfg(unix)]
    return rustix::process::getuid().as_raw().to_string();
    #[cfg(not(unix))]
    return std::env::var("USERNAME").unwrap_or_else(|_| "user".to_owned());
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn one_folder_has_one_pipe_however_it_is_written() {
        let name = pipe_name(r"C:\Users\Ann\AppData\Local\hob\run");
        assert!(name.starts_with(r"\\.\pipe\hob-") && name.len() < 256, "{name}");
        for same in [r"c:/users/ann/AppData/Local/hob/run", r"\\?\C:\Users\Ann\AppData\Local\hob\run\"] {
            assert_eq!(pipe_name(same), name, "{same}");
        }
        assert_ne!(pipe_name(r"C:\Users\Bob\AppData\Local\hob\run"), name);
    }

    fn find(dir: &str) -> Result<Places, PlacesError> {
        let dir = dir.to_owned();
        Places::find(&move |name| (name == "HOB_DIR").then(|| dir.clone().into()), "7")
    }

    #[test]
    fn hob_dir_holds_everything() {
        let places = find("/x/y").expect("absolute");
        assert_eq!(places.socket, Path::new("/x/y/run/hobd.sock"));
        assert!([&places.config, &places.state, &places.cache].iter().all(|p| p.starts_with("/x/y")));
        assert_eq!(find("x"), Err(PlacesError::RelativeHobDir("x".into())));
    }

    #[test]
    fn a_deep_folder_still_has_a_short_socket() {
        let deep = format!("/{}", "d".repeat(200));
        let socket = find(&deep).expect("absolute").socket;
        assert!(socket.as_os_str().len() < SOCKET_PATH_MAX, "{socket:?}");
        assert_eq!(socket, find(&deep).expect("absolute").socket);
        assert_ne!(socket, find(&format!("{deep}x")).expect("absolute").socket);
    }
}
