//! Defines the errors that reading a repository can end with.

use hob_base::{AbsPath, Stopped};

use super::Oid;

/// Why a question to git has no answer. Absence is no error where the question allows it.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// There is a repository, but it cannot be used.
    #[error("the git repository of `{root}` cannot be opened: {why}. `git status` in that folder says more")]
    Open {
        /// The root of the workspace.
        root: AbsPath,
        /// The reason, in the library's words.
        why: String,
    },
    /// The text is no revision, or does not stand for one commit.
    #[error(
        "`{revision}` does not name a commit: {why}. Give a branch, a tag, a commit's ID or an expression like `HEAD~3`"
    )]
    BadRevision {
        /// The revision as the caller gave it.
        revision: String,
        /// The reason why it names no commit.
        why: String,
    },
    /// A short ID that several objects begin with.
    #[error("`{revision}` is the beginning of several IDs: {}. Give more digits", .candidates.join(", "))]
    Ambiguous {
        /// The revision as the caller gave it.
        revision: String,
        /// The objects, each with its kind and, for a commit, date and subject; commits first.
        candidates: Vec<String>,
    },
    /// An object that should be there is missing, damaged or of another kind.
    #[error(
        "{what} cannot be read from the git repository: {why}. `git fsck` says what is damaged or missing"
    )]
    Read {
        /// The object or file that could not be read.
        what: String,
        /// The reason, in the library's words.
        why: String,
    },
    /// The caller cancelled the question, or its deadline passed.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

impl GitError {
    /// Makes the error of reading `what`.
    pub(super) fn read(what: impl Into<String>, error: &gix::Error) -> Self {
        Self::Read { what: what.into(), why: why(error) }
    }

    /// Makes the error of reading the object `oid`, a `kind`.
    pub(super) fn of_object(kind: &str, oid: Oid, error: &gix::Error) -> Self {
        Self::read(format!("{kind} {oid}"), error)
    }
}

/// Returns the library's own words, the immediate and the deepest, on one line.
pub(super) fn why(error: &gix::Error) -> String {
    let (outer, cause) = (one_line(&error.to_string()), cause(error));
    if outer.contains(&cause) { outer } else { format!("{outer}: {cause}") }
}

/// Returns the library's words for the deepest cause; where there are several, for the failed operation.
pub(super) fn cause(error: &gix::Error) -> String {
    one_line(&error.probable_cause().to_string())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").trim_end_matches('.').to_owned()
}
