//! Describes why the daemon of a far side is not available, and what to do.

use std::io;

use hob_proto::ToolError;
use serde_json::Value;

use super::host::FarHost;

/// The reason why there is no answer from a far side.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct FarFailure {
    /// The far side, for people.
    pub place: String,
    /// The problem in words, most often those of `ssh` or of hob on the far side.
    pub problem: String,
    /// The next step; empty where hob knows none.
    pub hint: String,
    /// The last lines that the far daemon wrote, where they help.
    pub log_tail: Vec<String>,
}

impl FarFailure {
    pub(crate) fn new(host: &FarHost, problem: impl Into<String>) -> Self {
        let problem = problem.into();
        Self { place: host.to_string(), problem, hint: String::new(), log_tail: Vec::new() }
    }

    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: hint.into(), ..self }
    }

    /// Makes the failure of a program of this machine that cannot be run.
    pub(crate) fn not_started(host: &FarHost, program: &str, error: &io::Error) -> Self {
        let variable = match host {
            FarHost::Ssh { .. } => "HOB_SSH",
            FarHost::Container { .. } | FarHost::Devcontainer { .. } => "HOB_DOCKER",
            FarHost::Wsl { .. } => "HOB_WSL",
        };
        let problem = match error.kind() {
            io::ErrorKind::NotFound => format!("there is no program `{program}` here"),
            _ => format!("cannot run `{program}`: {error}"),
        };
        Self::new(host, problem).hint(format!("install it, or name it in {variable}"))
    }

    /// Makes the failure for an error that hob on the far side reported.
    pub(crate) fn of_far_hob(host: &FarHost, error: ToolError) -> Self {
        let tail = error.more.get("logTail").and_then(Value::as_array).into_iter().flatten();
        let log_tail = tail.filter_map(|line| line.as_str().map(str::to_owned)).collect();
        Self { log_tail, ..Self::new(host, error.message).hint(error.hint) }
    }

    /// Makes the failure for a connection that ended before hob on the far side answered; `said` has the lines on
    /// standard error.
    pub(crate) fn of_silence(host: &FarHost, said: &[String]) -> Self {
        let error = said.iter().find(|line| line.starts_with("error:")).or(said.last());
        let problem = error.map_or("the connection ended without a word", |line| line.trim());
        let text = said.join(" ");
        let hint = match host {
            _ if text.contains("unrecognized subcommand") => OLD,
            FarHost::Ssh { .. } if ASKS.iter().any(|words| text.contains(words)) => {
                "`ssh HOST true` must work without a question: log in once by hand to accept the host's key, and give your own key to an agent"
            }
            FarHost::Ssh { .. } => "try `ssh HOST true`; HOB_SSH names another ssh, or options",
            FarHost::Container { .. } | FarHost::Devcontainer { .. } => {
                "`docker ps` lists the containers that run"
            }
            FarHost::Wsl { .. } => "`wsl.exe --list` lists the distributions",
        };
        Self::new(host, problem).hint(hint)
    }
}

const OLD: &str = "the hob there is too old to be reached from here: install this version there";

/// Messages of `ssh` in cases in which it would have asked the user.
const ASKS: [&str; 3] = ["Permission denied", "Host key verification failed", "passphrase"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_ssh_decide_what_to_do() {
        let host = FarHost::Ssh { host: "devbox".into() };
        let said = ["Warning: x".to_owned(), "me@devbox: Permission denied (publickey).".to_owned()];
        let failure = FarFailure::of_silence(&host, &said);
        assert_eq!(failure.to_string(), "devbox: me@devbox: Permission denied (publickey).");
        assert!(failure.hint.contains("without a question"), "{failure:?}");
        let old = ["error: unrecognized subcommand 'proxy'".to_owned(), "For more, try '--help'.".to_owned()];
        let failure = FarFailure::of_silence(&host, &old);
        assert!(failure.problem.starts_with("error:") && failure.hint == OLD, "{failure:?}");
        assert!(FarFailure::of_silence(&host, &[]).problem.contains("without a word"));
    }
}
