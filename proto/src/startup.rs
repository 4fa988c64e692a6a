//! Defines the line that a starting daemon writes for the process that started it.
//!
//! The daemon writes one [`Readiness`] as a line of JSON to its standard output and then closes that. A pipe
//! that ends without a line means that the daemon died first. Field and variant names never change, because
//! an older client may start a newer daemon.

use serde::{Deserialize, Serialize};

/// The variable that names the daemon program a client should start.
pub const DAEMON_PROGRAM_VAR: &str = "HOB_DAEMON";

/// The outcome of a daemon's start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Readiness {
    /// The daemon accepts connections.
    Ready {
        /// Its process id, for people.
        pid: u32,
    },
    /// Another daemon already runs, and answers.
    Running {
        /// Its process id if known, for people.
        pid: Option<u32>,
    },
    /// No daemon runs; the reason is given.
    Failed {
        /// The actual cause, with the path or the limit that it concerns.
        reason: String,
    },
}

impl Readiness {
    /// Formats the line, with its newline.
    #[must_use]
    pub fn to_line(&self) -> String {
        let mut line = serde_json::to_string(self).unwrap_or_default();
        line.push('\n');
        line
    }

    /// Reads a line back; `None` for anything else.
    #[must_use]
    pub fn parse(line: &str) -> Option<Self> {
        serde_json::from_str(line.trim()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_readiness_is_one_line() {
        let failed = Readiness::Failed { reason: "no\nspace".into() };
        let line = failed.to_line();
        assert_eq!(line.matches('\n').count(), 1);
        assert_eq!(Readiness::parse(&line), Some(failed));
        assert_eq!(Readiness::parse("Segmentation fault"), None);
    }
}
