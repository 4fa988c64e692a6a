//! Says why a language server could not be started.

use std::time::Duration;

use hob_base::Stopped;

/// The reason why a server could not be started.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StartError {
    /// The program could not be run at all.
    #[error("`{program}` cannot be run: {why}")]
    Spawn {
        /// Path of the server's program.
        program: String,
        /// The system's reason, in words.
        why: String,
    },
    /// It ended, or refused to start, before it was initialised.
    #[error("`{program}` did not start: {why}")]
    Failed {
        /// Path of the server's program.
        program: String,
        /// The event that ended the start, in words.
        why: String,
        /// True if the server ended by itself or refused: then it will do so again.
        by_itself: bool,
        /// The last lines of its standard error, oldest first.
        stderr: Vec<String>,
    },
    /// It did not answer in time.
    #[error("`{program}` did not answer `initialize` for {} s", .waited.as_secs())]
    Silent {
        /// Path of the server's program.
        program: String,
        /// Time that hob waited for an answer.
        waited: Duration,
    },
    /// The caller does not wait any more.
    #[error(transparent)]
    Stopped(Stopped),
}
