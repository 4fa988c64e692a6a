//! Describes why the daemon is not available, and what to do.
//!
//! Every cause is a variant with the facts that the user needs; only [`Unavailable::to_tool_error`] turns one into an
//! error of an envelope.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use hob_proto::places::PlacesError;
use hob_proto::private_dir::PrivateDirError;
use hob_proto::{ErrorCode, ToolError};

use crate::far::FarFailure;

/// Why no daemon has answered. Cheap to clone: many calls may wait for the same attempt.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Unavailable {
    /// hob's files have no place.
    #[error(transparent)]
    NoPlaces(#[from] PlacesError),
    /// The folder of the socket cannot be made, or must not be trusted.
    #[error("{0}")]
    Folder(Arc<PrivateDirError>),
    /// The system refused to lock a file.
    #[error("cannot lock `{}`: {source}", path.display())]
    Lock {
        /// The lock file that cannot be used.
        path: PathBuf,
        /// The error that the system reported.
        source: Arc<io::Error>,
    },
    /// Another client has been starting the daemon for too long.
    #[error("another hob process{} has been starting the daemon for more than {seconds} s", of_pid(*.pid))]
    StartLockBusy {
        /// The process ID of the lock's holder, if it is known.
        pid: Option<u32>,
        /// Time that this client waited, in seconds.
        seconds: u64,
    },
    /// An earlier daemon neither answers nor goes.
    #[error("the earlier hob daemon{} does not answer, and has not ended within {seconds} s", of_pid(*.pid))]
    StillHeld {
        /// The process ID of the daemon, if it is known.
        pid: Option<u32>,
        /// Time that this client waited, in seconds.
        seconds: u64,
    },
    /// No `hobd` was found.
    #[error("the daemon program `hobd` was not found (looked at: {})", list(.looked))]
    NoProgram {
        /// The places that were searched.
        looked: Vec<PathBuf>,
    },
    /// `hobd` could not be run.
    #[error("cannot run `{}`: {source}", program.display())]
    Spawn {
        /// The program that could not be started.
        program: PathBuf,
        /// The error that the system reported.
        source: Arc<io::Error>,
    },
    /// `hobd` started and gave up, or died, before it was ready.
    #[error("the hob daemon did not start: {reason}")]
    StartFailed {
        /// The daemon's own words, or how it died.
        reason: String,
        /// The last lines it wrote.
        log_tail: Vec<String>,
    },
    /// `hobd` runs but was not ready in time.
    #[error("the hob daemon was not ready within {seconds} s")]
    StartTimedOut {
        /// Time that this client waited, in seconds.
        seconds: u64,
        /// The last lines it wrote.
        log_tail: Vec<String>,
    },
    /// Connecting failed, although something listens.
    #[error("cannot connect to `{}`: {source}", socket.display())]
    Connect {
        /// The socket that could not be connected to.
        socket: PathBuf,
        /// The error that the system reported.
        source: Arc<io::Error>,
    },
    /// The daemon accepted the connection and sent nothing, or an invalid answer.
    #[error("the hob daemon{} {problem}", of_pid(*.pid))]
    NotAnswering {
        /// The process ID of the daemon, if it is known.
        pid: Option<u32>,
        /// The behaviour of the daemon in words, after "the daemon".
        problem: String,
    },
    /// The daemon does not serve this client.
    #[error("the running hob daemon refused this client: {reason}")]
    Refused {
        /// The daemon's reason in its own words.
        reason: String,
    },
    /// The daemon went away under a call too often to repeat it again.
    #[error("the hob daemon went away {times} times while answering this call; the last time: {reason}")]
    LostRepeatedly {
        /// Number of times that the call was lost.
        times: u32,
        /// The way in which the last connection ended, in words.
        reason: String,
        /// The last lines of its log.
        log_tail: Vec<String>,
    },
    /// The daemon went away under a call that must not be repeated.
    #[error(
        "the hob daemon went away while `{tool}` was under way, and whether it was carried out is not known ({reason})"
    )]
    NotRepeated {
        /// The name of the tool that was called.
        tool: String,
        /// The way in which the connection ended, in words.
        reason: String,
    },
    /// The far side cannot be reached, or its daemon is not available.
    #[error(transparent)]
    Far(Arc<FarFailure>),
    /// There was no answer within the caller's time limit.
    #[error("the hob daemon did not answer within {seconds} s")]
    TooSlow {
        /// The time limit, in seconds.
        seconds: u64,
    },
}

impl From<PrivateDirError> for Unavailable {
    fn from(error: PrivateDirError) -> Self {
        Self::Folder(Arc::new(error))
    }
}

impl From<FarFailure> for Unavailable {
    fn from(failure: FarFailure) -> Self {
        Self::Far(Arc::new(failure))
    }
}

impl Unavailable {
    /// Converts the cause to `DAEMON_UNAVAILABLE`, with a hint if there is a next step, and the log's last lines as
    /// `logTail`.
    #[must_use]
    pub fn to_tool_error(&self) -> ToolError {
        let error = ToolError::new(ErrorCode::DaemonUnavailable, self.to_string()).hint(self.hint());
        let tail = self.log_tail();
        if tail.is_empty() { error } else { error.with_field("logTail", tail.to_vec()) }
    }

    /// Returns the last lines of the daemon's output, for causes where they help.
    #[must_use]
    pub fn log_tail(&self) -> &[String] {
        match self {
            Self::StartFailed { log_tail, .. }
            | Self::StartTimedOut { log_tail, .. }
            | Self::LostRepeatedly { log_tail, .. } => log_tail,
            Self::Far(failure) => &failure.log_tail,
            _ => &[],
        }
    }

    fn hint(&self) -> String {
        match self {
            Self::NoProgram { .. } => {
                "install `hobd` beside this program, or set HOB_DAEMON to its absolute path".into()
            }
            Self::Folder(error) => folder_hint(error),
            Self::Far(failure) => failure.hint.clone(),
            Self::Lock { source, .. } | Self::Spawn { source, .. } | Self::Connect { source, .. } => {
                io_hint(source.kind()).into()
            }
            Self::StillHeld { pid, .. } | Self::NotAnswering { pid, .. } => stuck_hint(*pid),
            Self::StartLockBusy { pid: Some(pid), .. } => {
                format!("end process {pid} if it hangs, then try again")
            }
            Self::NotRepeated { .. } => {
                "look at the files it would have changed, then preview again if needed".into()
            }
            Self::StartFailed { .. } | Self::StartTimedOut { .. } | Self::LostRepeatedly { .. } => {
                "`hob logs` shows the daemon's log".into()
            }
            _ => String::new(),
        }
    }
}

fn folder_hint(error: &PrivateDirError) -> String {
    match error {
        PrivateDirError::Create { source, .. } => io_hint(source.kind()).into(),
        PrivateDirError::WritableByOthers { path, .. } => format!("run `chmod 700 {}`", path.display()),
        _ => "set HOB_DIR to an absolute path of your own".into(),
    }
}

fn stuck_hint(pid: Option<u32>) -> String {
    pid.map(|pid| format!("if it hangs, end process {pid}; the next call starts another")).unwrap_or_default()
}

fn io_hint(kind: io::ErrorKind) -> &'static str {
    use io::ErrorKind as Kind;
    match kind {
        Kind::StorageFull | Kind::QuotaExceeded => "free some space, or set HOB_DIR to a folder with space",
        Kind::ReadOnlyFilesystem | Kind::PermissionDenied | Kind::NotADirectory => {
            "set HOB_DIR to an absolute path of a folder you may write to"
        }
        Kind::Unsupported => "set HOB_DIR to a folder on a local disk",
        _ => "",
    }
}

fn of_pid(pid: Option<u32>) -> String {
    pid.map(|pid| format!(" (process {pid})")).unwrap_or_default()
}

fn list(paths: &[PathBuf]) -> String {
    let shown: Vec<String> = paths.iter().take(6).map(|path| path.display().to_string()).collect();
    let more = if paths.len() > shown.len() { ", ..." } else { "" };
    format!("{}{more}", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_becomes_one_error_with_what_to_do() {
        let tail = vec!["ERROR disk".to_owned()];
        let error =
            Unavailable::StartFailed { reason: "no space left".into(), log_tail: tail }.to_tool_error();
        assert_eq!(error.code, ErrorCode::DaemonUnavailable);
        assert!(error.message.contains("no space left") && error.hint.contains("hob logs"), "{error:?}");
        assert_eq!(error.more["logTail"][0], "ERROR disk");

        let full = Arc::new(io::Error::from(io::ErrorKind::StorageFull));
        let error = Unavailable::Lock { path: "/x/start.lock".into(), source: full }.to_tool_error();
        assert!(
            error.message.contains("/x/start.lock") && error.hint.contains("free some space"),
            "{error:?}"
        );
    }
}
