//! Defines the reasons why a process cannot become the daemon, in words for the user who started it.

use hob_proto::private_dir::PrivateDirError;

/// Why there is no daemon.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The folder of socket and locks cannot be used.
    #[error(transparent)]
    Folder(#[from] PrivateDirError),
    /// The lock could not be opened or taken.
    #[error("cannot lock `{path}`: {source}")]
    Lock {
        /// The path of the lock file.
        path: String,
        /// The error that the system gave.
        source: std::io::Error,
    },
    /// Another daemon holds the lock but does not answer.
    #[error("another hob daemon{} holds `{path}` but does not answer", pid.map(|pid| format!(" (process {pid})")).unwrap_or_default())]
    Stuck {
        /// The path of the lock file.
        path: String,
        /// The other daemon's process ID, if known.
        pid: Option<u32>,
    },
    /// Another daemon uses the folders that this one would use.
    #[error("`{folder}` is in use by another hob daemon{holder}")]
    InUse {
        /// The folder that is in use.
        folder: String,
        /// A description of the other daemon: its ID, its state, and the way out.
        holder: String,
    },
    /// The socket could not be made.
    #[error("cannot listen on `{path}`: {source}")]
    Listen {
        /// The path of the socket.
        path: String,
        /// The error that the system gave.
        source: std::io::Error,
    },
    /// A service manager passed a socket that is not the one that clients look for.
    #[error(
        "the service manager listens on {got}, but clients look for the daemon at {expected}; `hob service install`, run where \
         the clients run, writes the service anew"
    )]
    InheritedDescriptors {
        /// The path where clients look.
        expected: String,
        /// The path of the passed socket.
        got: String,
    },
    /// The system provided no threads, no event queue or no signal handlers.
    #[error("cannot start the runtime: {0}")]
    Runtime(std::io::Error),
    /// The tools could not be made ready.
    #[error("{0}")]
    Calls(String),
}
