//! Holds the settings that a client needs before it can reach a daemon: places, its identity, the daemon that it would
//! start, its time limits.
//!
//! Only [`Settings::from_process_env`] reads the environment; everything else uses its arguments, so that tests can run
//! several daemons side by side.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hob_proto::places::Places;
use hob_proto::startup::DAEMON_PROGRAM_VAR;
use hob_proto::{Build, ClientKind, Hello, PROTOCOL};

use crate::far::FarSide;
use crate::program::Program;
use crate::unavailable::Unavailable;

/// The settings with which a client reaches the daemon.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The places of socket, locks and logs.
    pub places: Places,
    /// The kind of program that this client is.
    pub kind: ClientKind,
    /// The folder in which to look for a workspace when a call names none; absolute.
    pub cwd: PathBuf,
    /// The daemon's program that this client would start.
    pub program: Program,
    /// The time limits of this client.
    pub patience: Patience,
    /// The client's identity across connections and daemons: the owner of previews that wait for a decision.
    pub identity: String,
    /// True if the user has allowed this program to edit.
    pub edits: bool,
    /// The far side that has the daemon; `None` for this machine.
    pub far: Option<Arc<FarSide>>,
}

/// Time limits. They end only waits that would otherwise never end; they make nothing slow.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For the daemon's first message after connecting.
    pub welcome: Duration,
    /// For the start lock, while another client starts or replaces the daemon.
    pub start_lock: Duration,
    /// For a started daemon to say that it is ready.
    pub ready: Duration,
    /// For a retiring daemon to finish its calls and go.
    pub hand_over: Duration,
    /// For one call's reconnecting and repeating, all attempts together, not counting the call's own work.
    pub recovery: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            welcome: Duration::from_secs(10),
            start_lock: Duration::from_secs(60),
            ready: Duration::from_secs(30),
            hand_over: Duration::from_secs(20),
            recovery: Duration::from_secs(90),
        }
    }
}

impl Settings {
    /// Returns the settings of this process: places and daemon program from its environment, and its working directory.
    ///
    /// # Errors
    /// [`Unavailable::NoPlaces`]. A missing daemon program is no error yet, because a daemon may be running.
    pub fn from_process_env(kind: ClientKind) -> Result<Self, Unavailable> {
        let places = Places::from_process_env()?;
        let program = Program::find(&|name| std::env::var_os(name), std::env::current_exe().ok().as_deref());
        let identity = identity_for(kind);
        let patience = Patience::default();
        Ok(Self {
            places,
            kind,
            cwd: working_directory(),
            program,
            patience,
            identity,
            edits: false,
            far: None,
        })
    }

    /// Returns the settings with the present places: the daemon's place may have changed since this process began.
    #[must_use]
    pub fn with_current_places(&self) -> Self {
        Self { places: self.places.current_places(), ..self.clone() }
    }

    /// Returns the first message on every connection.
    #[must_use]
    pub fn hello(&self) -> Hello {
        Hello {
            protocol: PROTOCOL,
            build: self.build(),
            kind: self.kind,
            pid: std::process::id(),
            cwd: self.cwd.to_string_lossy().into_owned(),
            identity: self.identity.clone(),
            edits: self.edits,
        }
    }

    /// Returns the build of the daemon that this client would start, as it is on disk now.
    #[must_use]
    pub fn build(&self) -> Build {
        Build::from_executable(self.program.path.as_deref().unwrap_or(DAEMON_PROGRAM_VAR.as_ref()))
    }
}

/// Returns an identity: a new one for every process that an agent starts, and the same for all commands that a person
/// types.
fn identity_for(kind: ClientKind) -> String {
    if kind == ClientKind::Cli {
        return "cli".to_owned();
    }
    let since = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    format!("{}-{since:x}", std::process::id())
}

#[allow(clippy::disallowed_methods, reason = "a client's own directory is what it has to report")]
fn working_directory() -> PathBuf {
    // If the folder was deleted under the process, it has no name; calls then need a `root`.
    std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"))
}
