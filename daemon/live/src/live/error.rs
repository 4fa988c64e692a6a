//! Defines why a question to a language server has no answer.

use hob_base::{AbsPath, Stopped, WsPath};

use crate::find::Rejected;
use crate::pool::PoolError;
use crate::rpc::CallError;

/// Why a question has no answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LiveError {
    /// hob knows no server for such files.
    #[error("no language server is known for `{file}`")]
    NoSuchLanguage {
        /// Name of the file, without its folder.
        file: String,
    },
    /// hob knows servers for such files, and the user wants none of them.
    #[error("language servers for `{language}` are switched off ({from})")]
    SwitchedOff {
        /// The protocol's identifier of the language.
        language: &'static str,
        /// The place of the setting that says so.
        from: String,
    },
    /// hob knows servers for such files, and none is installed.
    #[error("{server} was not found on the search path")]
    NotInstalled {
        /// The preferred server.
        server: &'static str,
        /// A sentence that tells how to get the server.
        install: &'static str,
        /// Programs that were found and cannot be used, each with the reason.
        rejected: Vec<Rejected>,
    },
    /// The installed server runs only in a trusted project, which this one is not.
    #[error("{server} runs only if the project `{root}` is trusted")]
    Untrusted {
        /// The preferred server among those that would run in a trusted project.
        server: &'static str,
        /// The root of the project.
        root: AbsPath,
        /// A sentence that tells how to get a server that needs no trust.
        install: &'static str,
        /// Programs that were found, each with the reason why it may not run.
        rejected: Vec<Rejected>,
    },
    /// The server failed again and again.
    #[error("{server} failed repeatedly: {why}")]
    Failed {
        /// Name of the server in the catalogue.
        server: &'static str,
        /// Reason of the last failure, in words.
        why: String,
        /// The last lines of its standard error.
        stderr: Vec<String>,
    },
    /// The server could not be started.
    #[error("{server} failed: {why}")]
    NotStarted {
        /// Name of the server in the catalogue.
        server: &'static str,
        /// The program, and the event that ended the start, in words.
        why: String,
        /// The last lines of its standard error.
        stderr: Vec<String>,
    },
    /// hob ended the server because it did not answer, and is starting it again.
    #[error("{server} is being started again: {why}")]
    Restarting {
        /// Name of the server in the catalogue.
        server: &'static str,
        /// The question that the server did not answer, in words.
        why: String,
    },
    /// The server cannot answer such questions.
    #[error("{server} cannot answer `{question}`")]
    Unsupported {
        /// Name of the server in the catalogue.
        server: &'static str,
        /// The question, as the protocol calls it.
        question: &'static str,
    },
    /// The file that the question is about cannot be read.
    #[error("`{0}` cannot be read as text")]
    Unreadable(WsPath),
    /// The server answered with an error.
    #[error("{server}: {error}")]
    Refused {
        /// Name of the server in the catalogue.
        server: &'static str,
        /// The server's error, or the reason why its answer does not make sense.
        error: CallError,
    },
    /// The server refuses to rename the symbol.
    #[error("{}", refusal(.server, .why.as_deref()))]
    NotRenamable {
        /// Name of the server in the catalogue.
        server: &'static str,
        /// The server's own words; `None` where it has none, as at a place without a name.
        why: Option<String>,
    },
    /// The server's edit does not fit the files, or would change files that it must not.
    #[error("the edit that {server} gave cannot be used: {why}")]
    BadEdit {
        /// Name of the server in the catalogue.
        server: &'static str,
        /// The reason why the edit cannot be used, in words.
        why: String,
    },
    /// The server is still loading, and an answer now would be wrong.
    #[error("{server} has not loaded the project yet: {what}")]
    Loading {
        /// Name of the server in the catalogue.
        server: &'static str,
        /// Progress of the loading, as far as the server reports it.
        what: String,
    },
    /// The deadline passed, or the caller does not wait any more.
    #[error("{server}: {stopped}")]
    Stopped {
        /// Name of the server in the catalogue.
        server: &'static str,
        /// The reason why the wait ended.
        stopped: Stopped,
    },
    /// The daemon is ending.
    #[error("the daemon is ending")]
    Closing,
}

fn refusal(server: &str, why: Option<&str>) -> String {
    match why.map(|why| why.trim().trim_end_matches('.')) {
        Some(why) if !why.is_empty() => format!("{server}: {why}"),
        _ => format!("{server} finds nothing here that can be renamed"),
    }
}

pub(super) fn of_pool(server: &'static str, error: PoolError) -> LiveError {
    match error {
        PoolError::GivenUp { why, stderr } => LiveError::Failed { server, why, stderr },
        PoolError::Failed { why, stderr } => LiveError::NotStarted { server, why, stderr },
        PoolError::Silent { why } => LiveError::Restarting { server, why },
        PoolError::Stopped(stopped) => LiveError::Stopped { server, stopped },
        PoolError::Closing => LiveError::Closing,
    }
}

/// Converts a failed call to a server into a failed question.
pub(crate) fn of_call(server: &'static str, question: &'static str, error: CallError) -> LiveError {
    match error {
        CallError::Stopped(stopped) => LiveError::Stopped { server, stopped },
        error if error.is_unknown_method() => LiveError::Unsupported { server, question },
        error => LiveError::Refused { server, error },
    }
}
