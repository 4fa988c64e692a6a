//! Finds a user's folders if `HOB_DIR` names none, on systems with the XDG folders.
//!
//! Programs of one user have different environments: a client that filters its own passes on `HOME` and
//! `PATH` at most. So the place of the daemon depends only on the user and the home folder. There are two
//! such places, because `/run/user/UID` is the better one (on a local disk, gone at log-off) but does not
//! exist before log-on: a daemon that runs in either is *the* daemon, and a new one takes the first that
//! exists.
//!
//! `XDG_CONFIG_HOME`, `XDG_STATE_HOME` and `XDG_CACHE_HOME` may move the folders of stored files. A file in
//! the home folder names the last daemon's folders, for programs that do not have these variables, and while
//! that daemon runs all programs use them.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::holder;
use crate::private_dir;

/// The places of the system's records of users; tests have their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct System {
    /// The folder that has a folder for each logged-on user, by number.
    pub(crate) sessions: PathBuf,
    /// The file that lists the users.
    pub(crate) users: PathBuf,
}

impl Default for System {
    fn default() -> Self {
        Self { sessions: "/run/user".into(), users: "/etc/passwd".into() }
    }
}

/// The folders of files that hob keeps, by how long the files matter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Folders {
    pub(crate) config: PathBuf,
    pub(crate) state: PathBuf,
    pub(crate) cache: PathBuf,
}

/// The fixed facts about one user's folders; which of the folders exist may change under a program that lives long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SessionFolders {
    pub(crate) user: String,
    /// The user's folder for the time of a session. `None` for a home folder that is not the user's own: it
    /// has its own daemon.
    session: Option<PathBuf>,
    /// hob's own folder in the home folder, wherever the state folder is.
    base: PathBuf,
    /// The folders that this environment names.
    named: [Option<PathBuf>; 3],
    default: Folders,
}

impl SessionFolders {
    /// Creates the facts of the user with this number and home folder.
    pub(crate) fn new(
        env: &dyn Fn(&str) -> Option<OsString>,
        user: &str,
        home: &Path,
        system: &System,
    ) -> Self {
        let is_own = home_of(user, &system.users).is_none_or(|own| is_same_folder(&own, home));
        let named = |name| {
            env(name).map(PathBuf::from).filter(|path| path.is_absolute()).map(|path| path.join("hob"))
        };
        let base = home.join(".local/state/hob");
        Self {
            user: user.to_owned(),
            session: is_own.then(|| system.sessions.join(user)),
            named: ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"].map(named),
            default: Folders {
                config: home.join(".config/hob"),
                state: base.clone(),
                cache: home.join(".cache/hob"),
            },
            base,
        }
    }

    /// Returns the folder of socket and locks, existing or not, and the folders of stored files.
    pub(crate) fn runtime_and_folders(&self) -> (PathBuf, Folders) {
        let theirs = self.runtime_folders().into_iter().find(|runtime| is_daemons(runtime));
        let folders = self.folders_to_use(theirs.is_some());
        (theirs.unwrap_or_else(|| self.preferred_runtime()), folders)
    }

    /// Returns the folders in which a daemon of this user may be, the best place first.
    pub(crate) fn runtime_folders(&self) -> Vec<PathBuf> {
        let session = self.session.iter().map(|session| session.join("hob"));
        session.chain([self.base.join("run")]).collect()
    }

    /// Returns the folder of the next daemon.
    pub(crate) fn preferred_runtime(&self) -> PathBuf {
        let session = self.session.as_deref().filter(|session| is_session(session, &self.user));
        session.map_or_else(|| self.base.join("run"), |session| session.join("hob"))
    }

    fn folders_to_use(&self, is_running: bool) -> Folders {
        let [config, state, cache] = self.named.clone();
        match self.remembered_folders() {
            Some(theirs) if is_running => theirs,
            remembered => {
                let there = |of: fn(&Folders) -> &PathBuf| {
                    remembered.as_ref().map(of).filter(|folder| folder.is_dir()).cloned()
                };
                let default = self.default.clone();
                Folders {
                    config: config.or_else(|| there(|f| &f.config)).unwrap_or(default.config),
                    state: state.or_else(|| there(|f| &f.state)).unwrap_or(default.state),
                    cache: cache.or_else(|| there(|f| &f.cache)).unwrap_or(default.cache),
                }
            }
        }
    }

    /// Returns the file that names the last daemon's folders.
    pub(crate) fn memory_file(&self) -> PathBuf {
        self.base.join("folders.json")
    }

    fn remembered_folders(&self) -> Option<Folders> {
        let folders: Folders = serde_json::from_slice(&std::fs::read(self.memory_file()).ok()?).ok()?;
        [&folders.config, &folders.state, &folders.cache]
            .iter()
            .all(|folder| folder.is_absolute())
            .then_some(folders)
    }

    /// Makes other programs use these folders.
    pub(crate) fn remember_folders(&self, folders: &Folders) -> io::Result<()> {
        if self.remembered_folders().as_ref() == Some(folders) {
            return Ok(());
        }
        private_dir::ensure(&self.base).map_err(io::Error::other)?;
        let new = self.base.join(format!("folders.{}.new", std::process::id()));
        std::fs::write(&new, serde_json::to_vec(folders).map_err(io::Error::other)?)?;
        std::fs::rename(&new, self.memory_file())
    }
}

/// Returns true if a daemon has its socket and locks in `runtime`.
fn is_daemons(runtime: &Path) -> bool {
    holder::is_held(&runtime.join(crate::places::DAEMON_LOCK)).unwrap_or(false)
}

/// Returns true if `folder` is the one that the system makes for a user's session: it belongs to the user,
/// and others have no access.
fn is_session(folder: &Path, user: &str) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::symlink_metadata(folder)
        .is_ok_and(|meta| meta.is_dir() && meta.uid().to_string() == user && meta.mode() & 0o077 == 0)
}

/// Returns the home folder in the system's list of users; `None` for users who are listed elsewhere.
fn home_of(user: &str, users: &Path) -> Option<PathBuf> {
    let list = std::fs::read(users).ok()?;
    let line = String::from_utf8_lossy(&list).lines().find_map(|line| {
        let fields: Vec<&str> = line.split(':').collect();
        (fields.get(2) == Some(&user)).then(|| fields.get(5).map(PathBuf::from))
    });
    line.flatten()
}

fn is_same_folder(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    real(one) == real(other)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    struct Machine {
        temp: tempfile::TempDir,
        system: System,
        user: String,
    }

    impl Machine {
        fn new() -> Self {
            let temp = tempfile::tempdir().expect("a folder");
            let system = System { sessions: temp.path().join("run/user"), users: temp.path().join("passwd") };
            let user = crate::places::current_user();
            let home = temp.path().join("home");
            fs::create_dir(&home).expect("made");
            fs::write(
                &system.users,
                format!("x:x:4294967294:1::/nowhere:\nann:x:{user}:1:Ann:{}:/bin/sh\n", home.display()),
            )
            .expect("written");
            Self { temp, system, user }
        }

        fn home(&self) -> PathBuf {
            self.temp.path().join("home")
        }

        fn usual(&self, home: &Path, env: &[(&str, &Path)]) -> SessionFolders {
            let find = |name: &str| {
                env.iter().find(|(known, _)| *known == name).map(|(_, path)| path.as_os_str().to_owned())
            };
            SessionFolders::new(&find, &self.user, home, &self.system)
        }

        fn log_on(&self, mode: u32) -> PathBuf {
            let session = self.system.sessions.join(&self.user);
            fs::create_dir_all(&session).expect("made");
            fs::set_permissions(&session, fs::Permissions::from_mode(mode)).expect("set");
            session.join("hob")
        }
    }

    /// Takes the lock of a running daemon.
    fn hold_daemon_lock(runtime: &Path) -> File {
        fs::create_dir_all(runtime).expect("made");
        let lock = File::create(runtime.join(crate::places::DAEMON_LOCK)).expect("created");
        lock.lock().expect("locked");
        lock
    }

    #[test]
    fn no_variable_moves_the_meeting_place() {
        let machine = Machine::new();
        let session = machine.log_on(0o700);
        let elsewhere = machine.temp.path().join("x");
        let odd = machine
            .usual(&machine.home(), &[("XDG_RUNTIME_DIR", &elsewhere), ("XDG_STATE_HOME", &elsewhere)]);
        assert_eq!(odd.runtime_and_folders().0, session);
        assert_eq!(machine.usual(&machine.home(), &[]).runtime_and_folders().0, session);
    }

    #[test]
    fn a_session_folder_that_others_may_enter_is_passed_over() {
        let machine = Machine::new();
        machine.log_on(0o755);
        assert_eq!(
            machine.usual(&machine.home(), &[]).runtime_and_folders().0,
            machine.home().join(".local/state/hob/run")
        );
    }

    #[test]
    fn whichever_place_has_a_daemon_is_the_place() {
        let machine = Machine::new();
        let usual = machine.usual(&machine.home(), &[]);
        let before_log_on = usual.runtime_and_folders().0;
        let daemon = hold_daemon_lock(&before_log_on);
        let session = machine.log_on(0o700);
        assert_eq!(usual.runtime_and_folders().0, before_log_on);
        assert_eq!(usual.preferred_runtime(), session);
        drop(daemon);
        assert_eq!(usual.runtime_and_folders().0, session);
    }

    #[test]
    fn another_home_has_another_daemon() {
        let machine = Machine::new();
        machine.log_on(0o700);
        let other = machine.temp.path().join("other");
        fs::create_dir(&other).expect("made");
        assert_eq!(machine.usual(&other, &[]).runtime_and_folders().0, other.join(".local/state/hob/run"));
    }

    #[test]
    fn the_last_daemons_folders_are_everybodys() {
        let machine = Machine::new();
        let moved = machine.temp.path().join("state");
        let full = machine.usual(&machine.home(), &[("XDG_STATE_HOME", &moved)]);
        let bare = machine.usual(&machine.home(), &[]);
        assert_eq!(bare.runtime_and_folders().1.state, machine.home().join(".local/state/hob"));
        fs::create_dir_all(moved.join("hob")).expect("made");
        full.remember_folders(&full.runtime_and_folders().1).expect("remembered");
        assert_eq!(bare.runtime_and_folders().1, full.runtime_and_folders().1);
        // A running daemon that started without the variable takes precedence.
        let started = Folders { state: machine.home().join("s"), ..bare.runtime_and_folders().1 };
        bare.remember_folders(&started).expect("remembered");
        assert_eq!(full.runtime_and_folders().1.state, moved.join("hob"));
        let _daemon = hold_daemon_lock(&full.runtime_and_folders().0);
        assert_eq!((full.runtime_and_folders().1, bare.runtime_and_folders().1), (started.clone(), started));
    }
}
