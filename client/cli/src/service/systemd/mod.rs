//! Installs the service of a user's systemd: a socket that systemd listens on, and the daemon that it starts for a
//! client that connects.
//!
//! It installs two files and the link that starts the socket at log-on; drop-ins are the user's. While the start of the
//! daemon is being handed over, no program of hob starts one: they wait for the start lock, and then find the service's
//! socket.

mod status;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hob_client::Settings;
use hob_client::autostart::let_nobody_start;
use serde_json::json;

use super::files::{self, FoundServiceFile};
use super::manager::Manager;
use super::unit::Units;
use super::{ServiceReport, surroundings};
use crate::CommandFailure;
use status::ServiceStatus;

const SERVICE: &str = "hobd.service";
const SOCKET: &str = "hobd.socket";

const SYSTEMCTL: Manager = Manager { command: "systemctl", first: &["--user", "--no-pager"] };

/// The user's systemd, and this user's hob.
pub(super) struct Systemd<'a> {
    settings: &'a Settings,
    /// The folder of the user's units.
    folder: PathBuf,
}

impl<'a> Systemd<'a> {
    /// Finds the user's systemd and hob by this process's environment.
    pub(super) fn of_process(settings: &'a Settings) -> Result<Self, CommandFailure> {
        let set = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let config = set("XDG_CONFIG_HOME").or_else(|| set("HOME").map(|home| home.join(".config")));
        let Some(config) = config else {
            return Err(CommandFailure::Usage(
                "no home folder is known: set HOME to an absolute path".to_owned(),
            ));
        };
        Ok(Self { settings, folder: config.join("systemd/user") })
    }

    fn service_path(&self) -> PathBuf {
        self.folder.join(SERVICE)
    }

    fn socket_path(&self) -> PathBuf {
        self.folder.join(SOCKET)
    }

    /// Returns the link that makes systemd create the socket from log-on.
    fn link_path(&self) -> PathBuf {
        self.folder.join("sockets.target.wants").join(SOCKET)
    }

    /// Writes the files, and starts the service unless it is to wait for the next log-on.
    pub(super) async fn install(&self, no_start: bool) -> Result<ServiceReport, CommandFailure> {
        let units = self.make_units()?;
        let reachable = self.check_reachable();
        if !no_start {
            reachable.as_ref().map_err(|why| CommandFailure::Daemon(why.clone()))?;
        }
        let changed = self.write(&units)?;
        if reachable.is_ok() {
            SYSTEMCTL.run(&["daemon-reload"])?;
        }
        let mut text = match changed {
            true => format!("wrote {} and {}\n", self.service_path().display(), self.socket_path().display()),
            false => format!(
                "{} and {} are up to date\n",
                self.service_path().display(),
                self.socket_path().display()
            ),
        };
        if !no_start {
            text.push_str(&self.take_over(true).await?);
        } else {
            text.push_str("the service starts at the next log-on, or with `hob service start`\n");
        }
        self.warnings().iter().for_each(|warning| text.push_str(&format!("note: {warning}\n")));
        let json = json!({
            "installed": true, "changed": changed, "started": !no_start, "program": units.program,
            "files": [self.service_path(), self.socket_path(), self.link_path()], "notes": self.warnings(),
        });
        Ok(ServiceReport { text, json })
    }

    fn make_units(&self) -> Result<Units, CommandFailure> {
        let socket = surroundings::path_text("the path of the socket", &self.settings.places.next_socket());
        let program = super::program_path(self.settings)?;
        if program.contains(['"', '\'', '\\']) {
            return Err(CommandFailure::Usage(format!(
                "systemd starts no program whose path has quotes or backslashes ({program}); put hob into another folder"
            )));
        }
        Ok(Units {
            program,
            socket: socket.map_err(CommandFailure::Usage)?,
            variables: super::process_variables()?,
            umask: surroundings::umask().unwrap_or(surroundings::USUAL_UMASK),
        })
    }

    /// Checks that the user's systemd can be reached; the error says what is missing.
    fn check_reachable(&self) -> Result<(), String> {
        let why = match SYSTEMCTL.run(&["show", "--property=Version"]) {
            Ok(_) => return Ok(()),
            Err(failure) => failure.to_string(),
        };
        let runs_systemd = Path::new("/run/systemd/system").is_dir();
        let hint = match (runs_systemd, std::env::var_os("XDG_RUNTIME_DIR")) {
            (false, _) => {
                "this system was not started by systemd (a container, perhaps); hob works without the service"
            }
            (true, None) => {
                "XDG_RUNTIME_DIR is not set: log in anew, not by `su` or `sudo` (`machinectl shell USER@` is a log-on too)"
            }
            (true, Some(_)) => {
                "no systemd runs for this user: log in anew, or see `systemctl status user@$(id -u)`"
            }
        };
        Err(format!(
            "the user's systemd cannot be reached: {hint}. `hob service install --no-start` writes the files all the same. {why}"
        ))
    }

    /// Writes the missing files; returns true if there were any.
    fn write(&self, units: &Units) -> Result<bool, CommandFailure> {
        for path in [self.service_path(), self.socket_path()] {
            match files::inspect_file(&path).map_err(|error| path_failure(&path, &error))? {
                FoundServiceFile::Nothing | FoundServiceFile::Ours(_) => {}
                FoundServiceFile::Changed(_) => {
                    return Err(not_as_written(&path, "was changed since `hob service install` wrote it"));
                }
                FoundServiceFile::Foreign => {
                    return Err(not_as_written(&path, "was not written by `hob service install`"));
                }
            }
        }
        let link = self.link_path();
        let there = fs::read_link(&link).ok();
        let is_linked = there.as_deref().is_some_and(|to| self.is_our_socket(to));
        if !is_linked && fs::symlink_metadata(&link).is_ok() {
            return Err(not_as_written(&link, "does not lead to the unit of hob"));
        }
        let service = files::write(&self.service_path(), &units.service_text(), 0)
            .map_err(|error| path_failure(&self.service_path(), &error))?;
        let made = files::make_folders(link.parent()).map_err(|error| path_failure(&link, &error))?;
        let socket = files::write(&self.socket_path(), &units.socket_text(), made)
            .map_err(|error| path_failure(&self.socket_path(), &error))?;
        if !is_linked {
            make_link(&self.socket_path(), &link).map_err(|error| path_failure(&link, &error))?;
        }
        Ok(service || socket || !is_linked)
    }

    fn is_our_socket(&self, target: &Path) -> bool {
        target == self.socket_path() || target == Path::new("..").join(SOCKET)
    }

    fn warnings(&self) -> Vec<String> {
        let mut warnings = self
            .drop_ins()
            .into_iter()
            .map(|path| format!("{} of yours goes on to count", path.display()))
            .collect::<Vec<_>>();
        warnings.extend(ends_with_session());
        warnings
    }

    /// Lists files of the user's that change the units.
    fn drop_ins(&self) -> Vec<PathBuf> {
        let folders = [SERVICE, SOCKET].map(|unit| self.folder.join(format!("{unit}.d")));
        let entries = folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
        let mut found: Vec<PathBuf> = entries
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "conf"))
            .collect();
        found.sort();
        found
    }

    fn is_installed(&self) -> bool {
        self.service_path().is_file() && self.socket_path().is_file()
    }

    fn must_be_installed(&self) -> Result<(), CommandFailure> {
        match self.is_installed() {
            true => self.check_reachable().map_err(CommandFailure::Daemon),
            false => Err(CommandFailure::Usage(
                "the service is not installed; `hob service install` does that".to_owned(),
            )),
        }
    }

    /// Starts the service in place of a daemon that clients started.
    pub(super) async fn start(&self) -> Result<ServiceReport, CommandFailure> {
        self.must_be_installed()?;
        let text = self.take_over(false).await?;
        Ok(ServiceReport { text, json: json!({"started": true}) })
    }

    /// Hands the start of the daemon over to systemd. With `anew` a daemon of the service is restarted too, with its
    /// new files.
    async fn take_over(&self, anew: bool) -> Result<String, CommandFailure> {
        let nobody_starts = let_nobody_start(self.settings).await?;
        let pid = self.main_pid();
        if pid.is_some() && !anew && self.settings.places.socket.exists() {
            return Ok(format!("the service runs already (process {})\n", pid.unwrap_or_default()));
        }
        // A socket cannot be restarted while its service runs, and a socket whose name another program took has to be
        // restarted.
        SYSTEMCTL.run(&["stop", SOCKET, SERVICE])?;
        let left = nobody_starts.retire_daemon(self.settings, "the service takes over").await?;
        SYSTEMCTL.try_run(&["reset-failed", SOCKET, SERVICE]);
        SYSTEMCTL.run(&["start", SOCKET, SERVICE]).map_err(|failure| {
            CommandFailure::Daemon(format!("{failure}\n`journalctl --user -u {SERVICE}` tells more"))
        })?;
        let before = left
            .map(|pid| format!("; process {pid}, which was started without it, made way"))
            .unwrap_or_default();
        let pid = self.main_pid().map(|pid| format!(" (process {pid})")).unwrap_or_default();
        Ok(format!("the service runs{pid}{before}\n"))
    }

    /// Stops the service and its socket.
    pub(super) fn stop(&self) -> Result<ServiceReport, CommandFailure> {
        self.must_be_installed()?;
        SYSTEMCTL.run(&["stop", SOCKET, SERVICE])?;
        let text = "stopped the service until the next log-on or `hob service start`; until then hob's programs start the daemon \
                    themselves\n";
        Ok(ServiceReport { text: text.to_owned(), json: json!({"stopped": true}) })
    }

    /// Removes what was installed.
    pub(super) async fn uninstall(&self) -> Result<ServiceReport, CommandFailure> {
        let reachable = self.check_reachable().is_ok();
        if reachable && (is_ours(&self.socket_path()) || is_ours(&self.service_path())) {
            SYSTEMCTL.run(&["stop", SOCKET, SERVICE])?;
        }
        let mut told = Vec::new();
        let folders = match files::inspect_file(&self.socket_path())
            .map_err(|error| path_failure(&self.socket_path(), &error))?
        {
            FoundServiceFile::Ours(folders) | FoundServiceFile::Changed(folders) => folders,
            _ => 0,
        };
        if fs::read_link(self.link_path()).is_ok_and(|to| self.is_our_socket(&to))
            && is_ours(&self.socket_path())
        {
            fs::remove_file(self.link_path())?;
            files::remove_folders(self.link_path().parent(), folders);
            told.push(format!("removed {}", self.link_path().display()));
        }
        for path in [self.socket_path(), self.service_path()] {
            let removed = files::remove(&path).map_err(|error| path_failure(&path, &error))?;
            told.extend(removed.describe(&path));
        }
        if reachable {
            SYSTEMCTL.run(&["daemon-reload"])?;
            SYSTEMCTL.try_run(&["reset-failed", SOCKET, SERVICE]);
            self.remove_socket()?;
        }
        told.extend(self.drop_ins().iter().map(|path| format!("{} is yours and stays", path.display())));
        if told.is_empty() {
            told.push("the service is not installed".to_owned());
        }
        let json = json!({"installed": false, "notes": told});
        Ok(ServiceReport { text: told.join("\n") + "\n", json })
    }

    /// Removes the name that systemd leaves when it no longer listens.
    fn remove_socket(&self) -> Result<(), CommandFailure> {
        if !hob_client::connect::is_running(self.settings)? {
            let _ = fs::remove_file(&self.settings.places.socket);
        }
        Ok(())
    }

    /// Returns the process that systemd takes for the daemon.
    fn main_pid(&self) -> Option<u32> {
        let said = SYSTEMCTL.run(&["show", SERVICE, "--property=MainPID", "--value"]).ok()?;
        said.trim().parse().ok().filter(|pid| *pid != 0)
    }

    /// Reports the state of the service, and inconsistencies.
    pub(super) async fn status(&self) -> Result<ServiceReport, CommandFailure> {
        let status = ServiceStatus::gather(self).await?;
        Ok(ServiceReport { text: status.text(), json: status.to_json() })
    }
}

fn is_ours(path: &Path) -> bool {
    matches!(files::inspect_file(path), Ok(FoundServiceFile::Ours(_) | FoundServiceFile::Changed(_)))
}

fn path_failure(path: &Path, error: &io::Error) -> CommandFailure {
    CommandFailure::Daemon(format!("{}: {error}", path.display()))
}

fn not_as_written(path: &Path, what: &str) -> CommandFailure {
    CommandFailure::Daemon(format!(
        "{} {what}, and is left alone; move it away, put what you need of it into a drop-in (`systemctl --user edit {SERVICE}`), and \
         install again",
        path.display()
    ))
}

#[cfg(unix)]
fn make_link(to: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(to, link)
}

#[cfg(not(unix))]
fn make_link(_to: &Path, _link: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Warns that the service ends with the user's last session, unless systemd lets this user's services go on.
fn ends_with_session() -> Option<String> {
    let warning = "the service ends with your last session; `loginctl enable-linger` has it run from boot on";
    (!lingers()).then(|| warning.to_owned())
}

/// Returns true if the user's systemd runs without a session, as systemd records it.
fn lingers() -> bool {
    let user = std::env::var("USER").or_else(|_| std::env::var("LOGNAME")).unwrap_or_default();
    !user.is_empty() && Path::new("/var/lib/systemd/linger").join(user).exists()
}
