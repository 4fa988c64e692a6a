//! Gathers the facts for `hob service status`: the installed files, the running processes, and inconsistencies between
//! them.

use std::fs;
use std::path::{Path, PathBuf};

use hob_client::{Reached, Settings, connect};
use serde_json::{Value, json};

use super::super::files::{self, FoundServiceFile};
use super::super::unit;
use super::{SERVICE, SOCKET, SYSTEMCTL, Systemd, ends_with_session};
use crate::CommandFailure;

/// The facts that `hob service status` reports.
pub(super) struct ServiceStatus {
    /// The reason why the manager cannot be asked.
    unreachable: Option<String>,
    installed: bool,
    enabled: bool,
    program: Option<PathBuf>,
    units: Vec<(&'static str, String)>,
    main_pid: Option<u32>,
    /// The daemon that answers, as process ID and version.
    daemon: Option<(u32, String)>,
    problems: Vec<String>,
    notes: Vec<String>,
}

impl ServiceStatus {
    /// Gathers the facts from the files, systemd and the daemon.
    pub(super) async fn gather(systemd: &Systemd<'_>) -> Result<Self, CommandFailure> {
        let read = |path: PathBuf| fs::read_to_string(path).unwrap_or_default();
        let (service, socket) = (read(systemd.service_path()), read(systemd.socket_path()));
        let unreachable = systemd.check_reachable().err();
        let mut facts = Self {
            installed: systemd.is_installed(),
            enabled: fs::read_link(systemd.link_path()).is_ok(),
            program: unit::program_in(&service),
            units: Vec::new(),
            main_pid: None,
            daemon: running_daemon(systemd.settings).await?,
            problems: Vec::new(),
            notes: Vec::new(),
            unreachable,
        };
        if facts.unreachable.is_none() && facts.installed {
            let state = |unit| {
                let said = SYSTEMCTL
                    .run(&["show", unit, "--property=ActiveState,SubState,Result"])
                    .unwrap_or_default();
                said.lines()
                    .filter_map(|line| line.split_once('='))
                    .map(|(_, value)| value)
                    .collect::<Vec<_>>()
                    .join(", ")
            };
            facts.units = [SOCKET, SERVICE].map(|unit| (unit, state(unit))).into();
            facts.main_pid = systemd.main_pid();
        }
        facts.find_problems(systemd, &service, &socket);
        Ok(facts)
    }

    fn find_problems(&mut self, systemd: &Systemd<'_>, service: &str, socket: &str) {
        if !self.installed {
            return;
        }
        let ours = systemd.settings.places.next_socket();
        if let Some(theirs) = unit::socket_in(socket).filter(|theirs| *theirs != ours) {
            self.problems.push(format!(
                "the service listens on {}, but programs in this environment look at {}; run `hob service install` here, or set HOB_DIR \
                 and HOME as they were then",
                theirs.display(),
                ours.display()
            ));
        }
        for path in [systemd.service_path(), systemd.socket_path()] {
            match files::inspect_file(&path) {
                Ok(FoundServiceFile::Changed(_)) => self.problems.push(format!(
                    "{} was changed by hand; a drop-in would outlive the next installation",
                    path.display()
                )),
                Ok(FoundServiceFile::Foreign) => {
                    self.problems.push(format!("{} was not written by hob", path.display()));
                }
                _ => {}
            }
        }
        self.judge_program(systemd.settings);
        if let Some((pid, _)) = &self.daemon
            && self.unreachable.is_none()
            && self.main_pid != Some(*pid)
        {
            self.problems.push(format!("the daemon that runs (process {pid}) was not started by the service; `hob service start` changes that"));
        }
        let missing =
            std::env::var_os("PATH").map(|path| unit::missing_folders(service, &path)).unwrap_or_default();
        if !missing.is_empty() {
            let shown: Vec<String> =
                missing.iter().take(5).map(|folder| folder.display().to_string()).collect();
            let more = if missing.len() > shown.len() { ", ..." } else { "" };
            self.problems.push(format!(
                "{} of this PATH's folders are not in the service's, and servers there are not found: {}{more}; `hob service install` \
                 takes this PATH over",
                missing.len(),
                shown.join(", ")
            ));
        }
        self.notes
            .extend(systemd.drop_ins().iter().map(|path| format!("{} of yours counts", path.display())));
        self.notes.extend(ends_with_session());
    }

    fn judge_program(&mut self, settings: &Settings) {
        match &self.program {
            Some(program) if !program.is_file() => {
                self.problems.push(format!(
                    "{}, which the service starts, is not there; run `hob service install`",
                    program.display()
                ));
            }
            Some(program) if settings.program.path.as_ref().is_some_and(|ours| !is_same(ours, program)) => {
                let ours = settings.program.path.as_deref().unwrap_or(Path::new("")).display();
                self.problems.push(format!(
                    "the service starts {}, and this program would start {ours}; `hob service install` makes them one",
                    program.display()
                ));
            }
            _ => {}
        }
    }

    /// Renders the facts as lines for people.
    pub(super) fn text(&self) -> String {
        let mut lines = Vec::new();
        lines.push(match (self.installed, self.enabled) {
            (false, _) => "installed   no; `hob service install` does that".to_owned(),
            (true, true) => "installed   yes, starts at log-on".to_owned(),
            (true, false) => {
                "installed   yes, but does not start at log-on (`systemctl --user enable hobd.socket`)"
                    .to_owned()
            }
        });
        if let Some(program) = &self.program {
            lines.push(format!("program     {}", program.display()));
        }
        lines.extend(self.units.iter().map(|(unit, state)| format!("{unit:<11} {state}")));
        lines.push(match &self.daemon {
            Some((pid, version)) if self.main_pid == Some(*pid) => {
                format!("daemon      hob {version}, process {pid}, started by the service")
            }
            Some((pid, version)) => {
                format!("daemon      hob {version}, process {pid}, started by a program of hob")
            }
            None => "daemon      none runs".to_owned(),
        });
        if let Some(why) = &self.unreachable {
            lines.push(format!("note: {why}"));
        }
        lines.extend(self.problems.iter().map(|problem| format!("problem: {problem}")));
        lines.extend(self.notes.iter().map(|note| format!("note: {note}")));
        lines.join("\n") + "\n"
    }

    /// Renders the facts for scripts.
    pub(super) fn to_json(&self) -> Value {
        let units: serde_json::Map<String, Value> = self
            .units
            .iter()
            .map(|(unit, state)| ((*unit).to_owned(), Value::from(state.as_str())))
            .collect();
        json!({
            "installed": self.installed,
            "enabled": self.enabled,
            "program": self.program,
            "units": units,
            "managerUnreachable": self.unreachable,
            "daemon": self.daemon.as_ref().map(|(pid, version)| json!({
                "pid": pid, "version": version, "byService": self.main_pid == Some(*pid),
            })),
            "problems": self.problems,
            "notes": self.notes,
        })
    }
}

fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    real(one) == real(other)
}

/// Returns the daemon that answers; starts none.
async fn running_daemon(settings: &Settings) -> Result<Option<(u32, String)>, CommandFailure> {
    if !hob_client::connect::is_running(settings)? {
        return Ok(None);
    }
    Ok(match connect(settings).await? {
        Reached::Serving(connection) => {
            let server = connection.server();
            Some((server.pid, server.build.version.clone()))
        }
        _ => None,
    })
}
