//! Defines the handshake, and the rule which daemon serves which client.
//!
//! ## Protocol ledger
//! | version | what changed |
//! |---|---|
//! | 1 | first version |
//! | 2 | messages of editors (`Lsp`, `Keep`) |
//!
//! A daemon serves every client whose protocol lies in `MIN_PROTOCOL..=PROTOCOL`. Among builds of the same protocol the
//! newer daemon wins: a client that carries a newer daemon asks the running one to retire; a client that carries an older
//! one is served, and told so. Nothing ever replaces a newer daemon by an older one, so two installations cannot
//! take turns killing each other's daemon.
//!
//! [`Hello`], [`Welcome`] and `ClientMessage::Retire` never change their form, only gain fields: a client whose protocol is
//! not served may still ask an older daemon to retire, on the connection that refused it.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

/// The protocol this build speaks. Raise it with a line in the ledger above.
pub const PROTOCOL: u32 = 2;

/// The oldest protocol a daemon of this build still serves.
pub const MIN_PROTOCOL: u32 = 1;

/// Identifies a daemon program: its version, and for builds of the same version the time of its file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// The version as `major.minor.patch`, without the protocol's number.
    pub version: String,
    /// Modification time of the daemon's executable, milliseconds since 1970; 0 when unknown.
    pub stamp: u64,
}

impl Build {
    /// Returns this build's version with the stamp of the daemon executable at `path`. The daemon passes its
    /// own file; a client passes the file that it would start.
    #[must_use]
    pub fn from_executable(path: &Path) -> Self {
        let modified = std::fs::metadata(path).and_then(|meta| meta.modified()).ok();
        let stamp = modified.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let stamp = stamp.and_then(|d| u64::try_from(d.as_millis()).ok()).unwrap_or(0);
        Self { version: env!("CARGO_PKG_VERSION").to_owned(), stamp }
    }

    /// Returns true if this build should replace `other`. A build of unknown date replaces nothing of its own
    /// version.
    #[must_use]
    pub fn is_newer_than(&self, other: &Self) -> bool {
        match version_numbers(&self.version).cmp(&version_numbers(&other.version)) {
            Ordering::Greater => true,
            Ordering::Less => false,
            Ordering::Equal => other.stamp != 0 && self.stamp > other.stamp,
        }
    }
}

fn version_numbers(version: &str) -> Vec<u64> {
    let core = version.split(['-', '+']).next().unwrap_or("");
    core.split('.').map(|part| part.parse().unwrap_or(0)).collect()
}

/// The kind of program that connects to the daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClientKind {
    /// `hob-mcp`, the shim that serves an agent.
    Mcp,
    /// `hob-lsp`, the shim that serves an editor.
    Lsp,
    /// `hob`, the command line that a person runs.
    Cli,
}

/// The first message of a client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hello {
    /// The [`PROTOCOL`] that the client speaks.
    pub protocol: u32,
    /// The daemon build the client would start.
    pub build: Build,
    /// The kind of program that the client is.
    pub kind: ClientKind,
    /// Its process id; for status only, never for liveness.
    pub pid: u32,
    /// Its working directory, absolute: where the daemon looks for a workspace when a call names none.
    pub cwd: String,
    /// The client's identity across connections: pending changes outlive both the connections and the daemon.
    /// Empty for a client without one.
    #[serde(default)]
    pub identity: String,
    /// True if the user had allowed the client to edit when it was started.
    #[serde(default)]
    pub edits: bool,
}

/// The daemon's first message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Welcome {
    /// The daemon serves this client.
    Accepted {
        /// The [`PROTOCOL`] that the daemon speaks.
        protocol: u32,
        /// The build of the daemon.
        build: Build,
        /// The daemon's process ID, for status.
        pid: u32,
        /// A notice for the client's user (the client is older than the daemon).
        notice: Option<String>,
        /// The program that a service manager starts when this daemon has ended; `None` if only clients start
        /// daemons.
        #[serde(default)]
        successor: Option<PathBuf>,
    },
    /// The daemon does not serve the client; the connection ends.
    Refused {
        /// The [`PROTOCOL`] that the daemon speaks.
        protocol: u32,
        /// The build of the daemon.
        build: Build,
        /// The reason, and what to do about it.
        reason: String,
        /// True if the daemon is about to end, so that it helps to wait for its end and to start another.
        retiring: bool,
        /// The program that a service manager starts next, as in [`Welcome::Accepted`].
        #[serde(default)]
        successor: Option<PathBuf>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_builds_replace_older_ones_and_never_the_reverse() {
        let build = |version: &str, stamp| Build { version: version.into(), stamp };
        assert!(build("0.2.0", 1).is_newer_than(&build("0.1.9", 9)));
        assert!(build("0.10.0", 1).is_newer_than(&build("0.9.0", 1)));
        assert!(build("0.1.0", 2).is_newer_than(&build("0.1.0", 1)));
        assert!(!build("0.1.0", 1).is_newer_than(&build("0.1.0", 1)));
        assert!(!build("0.1.0", 1).is_newer_than(&build("0.1.0", 2)));
        assert!(!build("0.1.0", 0).is_newer_than(&build("0.1.0", 1)));
        assert!(!build("0.1.0", 5).is_newer_than(&build("0.1.0", 0)));
    }
}
