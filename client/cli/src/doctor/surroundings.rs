//! Gathers the facts that the checks examine, once, before the first check.
//!
//! This is the only file of the doctor that talks to a daemon, here or elsewhere. It does not connect if the socket's
//! folder is not private: connecting would make it private, and this command changes nothing.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hob_client::far::FarGreeting;
use hob_client::{ConnectedDaemon, Connection, Patience, Reached, Settings, ToolRequest, Unavailable};
use hob_proto::ClientKind;
use hob_proto::tools::org::OrgResult;
use hob_proto::tools::servers::ServersResult;
use serde_json::{Map, Value};

use super::entries::{self, Agent};
use super::org;
use crate::{CommandFailure, Common, ask, repository_top, show};

/// The longest time that the daemon may take for its status.
const STATUS_WITHIN: Duration = Duration::from_secs(10);
/// The longest time that the daemon may take to ask the programs of this machine for their versions.
const SERVERS_WITHIN: Duration = Duration::from_secs(120);

/// The result of contacting the daemon.
#[derive(Debug)]
pub(super) enum Daemon {
    /// The doctor did not try, for this reason.
    NotAsked(String),
    /// No daemon listens on the socket.
    Nobody,
    /// A daemon is ending, or too busy to take a connection.
    Leaving,
    /// A daemon does not serve this client.
    Refusing {
        /// The version of the daemon.
        version: String,
        /// The daemon's reason, as a sentence for people.
        reason: String,
    },
    /// Something on the socket cannot be talked to.
    Broken(Unavailable),
    /// A daemon serves this client.
    Serving(Box<ConnectedDaemon>),
    /// A daemon took the connection and then sent nothing useful.
    Mute(Box<ConnectedDaemon>),
}

/// The facts that the checks examine.
#[derive(Debug)]
pub(super) struct Surroundings {
    /// The path of this program, if it is known.
    pub(super) own: Option<PathBuf>,
    /// The folder that the command is about.
    pub(super) place: PathBuf,
    /// The settings for reaching the daemon, or the reason why there is no place for hob's files.
    pub(super) settings: Result<Settings, Unavailable>,
    /// The result of contacting the daemon.
    pub(super) daemon: Daemon,
    /// The daemon's status; null without one.
    pub(super) status: Value,
    /// The root of the project, if the daemon has it open.
    pub(super) open: Option<PathBuf>,
    /// The language servers of a project that is open.
    pub(super) servers: Option<ServersResult>,
    /// The code search of the organisation, if the settings name one.
    pub(super) org: Option<OrgResult>,
    /// Agents whose files name hob, or the reason why they are not known.
    pub(super) agents: Result<Vec<Agent>, String>,
    /// The far side that the command line names, if it names one.
    pub(super) far: Option<FarSurroundings>,
}

/// The facts about a far side.
#[derive(Debug)]
pub(super) struct FarSurroundings {
    /// The far side's name for people.
    pub(super) host: String,
    /// The greeting of hob there.
    pub(super) greeting: Result<FarGreeting, Unavailable>,
}

impl FarSurroundings {
    /// Gathers the facts about the far side; `start` allows to start a daemon there.
    async fn gather(common: &Common, start: bool) -> Result<Option<Self>, CommandFailure> {
        let Some(far) = common.far_side()? else { return Ok(None) };
        let settings = ask::client_settings(common)?;
        let mut greeting = far.check_greeting(&settings).await;
        if start && greeting.is_ok() {
            let reached = hob_client::reach_daemon(&settings).await;
            greeting = reached.and(greeting).map(|greeting| FarGreeting { running: true, ..greeting });
        }
        Ok(Some(Self { host: far.host.to_string(), greeting }))
    }
}

impl Surroundings {
    /// Gathers all facts; `start` allows to start a daemon and to have it open the project.
    pub(super) async fn gather(common: &Common, start: bool) -> Result<Self, CommandFailure> {
        let place = common.real_project_folder()?;
        let patience = Patience { welcome: Duration::from_secs(5), ..Patience::default() };
        let settings = Settings::from_process_env(ClientKind::Cli);
        let settings = settings.map(|settings| Settings { cwd: place.clone(), patience, ..settings });
        let mut around = Self {
            own: std::env::current_exe().ok(),
            place,
            settings,
            daemon: Daemon::Nobody,
            status: Value::Null,
            open: None,
            servers: None,
            org: None,
            agents: Ok(Vec::new()),
            far: FarSurroundings::gather(common, start).await?,
        };
        if let Some(connection) = around.reach_daemon(start).await {
            around.ask_daemon(&connection, start).await;
        }
        let starts_nothing_new = matches!(around.daemon, Daemon::Serving(_)) && !around.is_older();
        around.agents = entries::check_agents(common, around.root(), start || starts_nothing_new).await;
        Ok(around)
    }

    async fn reach_daemon(&mut self, start: bool) -> Option<Connection> {
        let settings = match &self.settings {
            Ok(settings) => settings,
            Err(why) => {
                self.daemon = Daemon::NotAsked(why.to_string());
                return None;
            }
        };
        if let Some(why) = not_private(settings.places.socket.parent().unwrap_or(Path::new("/"))) {
            self.daemon = Daemon::NotAsked(why);
            return None;
        }
        let reached = match (start, hob_client::connect::is_running(settings)) {
            (true, _) => hob_client::reach_daemon(settings).await.map(Reached::Serving),
            // Where a service manager listens for the daemon, connecting would start one.
            (false, Ok(false)) => Ok(Reached::Nobody),
            (false, Ok(true)) => hob_client::connect(settings).await,
            (false, Err(why)) => Err(why),
        };
        let (daemon, connection) = match reached {
            Ok(Reached::Serving(connection)) => {
                (Daemon::Serving(Box::new(connection.server().clone())), Some(connection))
            }
            Ok(Reached::Nobody) => (Daemon::Nobody, None),
            Ok(Reached::Leaving) => (Daemon::Leaving, None),
            Ok(Reached::Refusing(refusal)) => {
                (Daemon::Refusing { version: refusal.build.version.clone(), reason: refusal.reason }, None)
            }
            Err(why) => (Daemon::Broken(why), None),
        };
        self.daemon = daemon;
        connection
    }

    async fn ask_daemon(&mut self, connection: &Connection, start: bool) {
        if start {
            self.servers = ask_servers(connection, &self.place).await;
        }
        match tokio::time::timeout(STATUS_WITHIN, connection.status()).await {
            Ok(Ok(status)) => self.status = Value::Object(status),
            _ => {
                self.daemon = Daemon::Mute(Box::new(connection.server().clone()));
                return;
            }
        }
        if self.settings.as_ref().is_ok_and(org::is_named) {
            self.org = ask_org(connection).await;
        }
        self.open = open_root(&self.status, &self.place);
        if let (Some(root), false) = (&self.open, start) {
            self.servers = ask_servers(connection, root).await;
        }
    }

    /// Returns the folder of the project: the daemon's, else the nearest one with a `.git`, else the place itself.
    pub(super) fn root(&self) -> &Path {
        self.open.as_deref().or_else(|| repository_top(&self.place)).unwrap_or(&self.place)
    }

    /// Returns the project in the daemon's status.
    pub(super) fn workspace(&self) -> Option<&Value> {
        let root = self.open.as_deref()?.to_str()?;
        self.status["workspaces"].as_array()?.iter().find(|one| one["root"] == root)
    }

    /// Returns true if the running daemon is older than the one that would be started.
    pub(super) fn is_older(&self) -> bool {
        match (&self.daemon, &self.settings) {
            (Daemon::Serving(server) | Daemon::Mute(server), Ok(settings)) => {
                settings.build().is_newer_than(&server.build)
            }
            _ => false,
        }
    }

    /// Returns true if the daemon gave its status.
    pub(super) fn has_status(&self) -> bool {
        self.status.is_object()
    }
}

/// Returns the innermost of the daemon's projects around the place.
fn open_root(status: &Value, place: &Path) -> Option<PathBuf> {
    let roots = status["workspaces"].as_array()?.iter().filter_map(|one| one["root"].as_str());
    let around = roots.map(PathBuf::from).filter(|root| place.starts_with(root));
    around.max_by_key(|root| root.as_os_str().len())
}

/// Asks for the language servers of the project that `root` is or lies in. Opens it if it is not open.
async fn ask_servers(connection: &Connection, root: &Path) -> Option<ServersResult> {
    let request = ToolRequest::new("hob_servers", Map::new()).root(root.to_str()?).deadline(SERVERS_WITHIN);
    let asked = tokio::time::timeout(SERVERS_WITHIN, connection.call(&request, None));
    let answer = asked.await.ok()?.ok()?;
    show::result_of(&answer)
}

/// Asks whether the organisation's code search answers.
async fn ask_org(connection: &Connection) -> Option<OrgResult> {
    let request = ToolRequest::new("hob_org", Map::new()).deadline(SERVERS_WITHIN);
    let asked = tokio::time::timeout(SERVERS_WITHIN, connection.call(&request, None));
    show::result_of(&asked.await.ok()?.ok()?)
}

/// Returns the reason why a client would not use this folder, or would change it first.
#[cfg(unix)]
fn not_private(folder: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt as _;
    let meta = folder.symlink_metadata().ok()?;
    let ours = meta.uid() == rustix::process::geteuid().as_raw();
    let private = meta.is_dir() && ours && meta.mode() & 0o077 == 0;
    (!private).then(|| format!("the folder of its socket, {}, is not private (see places)", folder.display()))
}

#[cfg(not(unix))]
fn not_private(_folder: &Path) -> Option<String> {
    None
}
