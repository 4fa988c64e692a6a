//! Defines a check and its findings.
//!
//! A check examines the [`Surroundings`], which were gathered once, and returns its findings. It changes nothing and
//! starts nothing but programs of hob, to ask for their version. `groups` has the list of all checks.

use super::surroundings::Surroundings;

/// The severity of a finding, from good to bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// As it should be.
    Ok,
    /// Worth knowing; nothing is wrong.
    Note,
    /// It works, but not as well as it could, or not for much longer.
    Warning,
    /// Something does not work.
    Problem,
}

impl Level {
    /// Returns the word for people and programs.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Problem => "problem",
        }
    }
}

/// A finding of one check about one thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    /// The severity of the finding.
    pub(super) level: Level,
    /// The finding in one sentence without a full stop.
    pub(super) text: String,
    /// A command, or the change to make; set for every level but [`Level::Ok`], unless nothing can be done.
    pub(super) fix: Option<String>,
}

impl Finding {
    /// Creates a finding that everything is right.
    pub(super) fn ok(text: impl Into<String>) -> Self {
        Self { level: Level::Ok, text: text.into(), fix: None }
    }

    /// Creates a finding that is worth knowing.
    pub(super) fn note(text: impl Into<String>) -> Self {
        Self { level: Level::Note, ..Self::ok(text) }
    }

    /// Creates a finding that something could be better.
    pub(super) fn warning(text: impl Into<String>) -> Self {
        Self { level: Level::Warning, ..Self::ok(text) }
    }

    /// Creates a finding that something does not work.
    pub(super) fn problem(text: impl Into<String>) -> Self {
        Self { level: Level::Problem, ..Self::ok(text) }
    }

    /// Adds the command or change that repairs it.
    pub(super) fn with_fix(self, fix: impl Into<String>) -> Self {
        Self { fix: Some(fix.into()), ..self }
    }
}

/// One check of one thing.
pub(super) struct Check {
    /// Its name in its group.
    pub(super) name: &'static str,
    /// The function that makes the check and returns its findings.
    pub(super) run: fn(&Surroundings) -> Vec<Finding>,
}

/// Checks of one kind.
pub(super) struct Group {
    /// The name of the group, as `--json` has it.
    pub(super) name: &'static str,
    /// The checks, in the order in which they are shown.
    pub(super) checks: &'static [Check],
}

/// A finding with the names of its group and check.
pub(super) struct NamedFinding {
    /// The name of the finding's group.
    pub(super) group: &'static str,
    /// The name of the finding's check.
    pub(super) check: &'static str,
    /// The finding of the check.
    pub(super) finding: Finding,
}
