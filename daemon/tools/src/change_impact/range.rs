//! Reads which two sides of a change a question is about.
//!
//! A branch is compared from its merge base, so that later commits of the base are no part of the change; `A..B` are
//! its two ends, as for `git diff`. A commit is compared with its first parent.

use hob_proto::ToolError;
use hob_proto::tools::change::ChangeArgs;
use hob_workspace::git::{Commit, GitError, Oid, Repository};

use hob_host::Workspace;

/// One side of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SideSource {
    /// The files of a commit.
    Commit(Oid),
    /// No files: the side before the first commit.
    Nothing,
    /// The files of git's index.
    Index,
    /// The files on disk.
    Worktree,
}

/// The two sides of a change, and a description of them.
#[derive(Clone, Debug)]
pub(super) struct ChangeRange {
    pub(super) before: SideSource,
    pub(super) after: SideSource,
    pub(super) words: String,
}

/// Returns true if the argument is a diff rather than the name of a change.
pub(super) fn is_diff(text: &str) -> bool {
    text.starts_with("diff --git ")
        || text.starts_with("--- ")
        || text.contains("\n@@ ")
        || text.contains("\n--- ")
}

/// Opens the repository of a workspace.
///
/// # Errors
/// `BAD_ARGS` where there is none, or it cannot be used.
pub(crate) fn open_repository(workspace: &Workspace) -> Result<Repository, ToolError> {
    let found = Repository::discover(workspace.root()).map_err(|error| git_failed(&error))?;
    found.ok_or_else(|| {
        ToolError::bad_args(format!(
            "`{}` is in no git repository, so there is no history to compare with.",
            workspace.root()
        ))
        .hint("Pass a unified diff as change.")
    })
}

/// Converts an error of git to one of a tool.
pub(crate) fn git_failed(error: &GitError) -> ToolError {
    match error {
        GitError::Stopped(_) => hob_results::errors::cancelled(),
        _ => ToolError::bad_args(hob_results::to_sentence(&error.to_string())),
    }
}

/// Finds the commit that a revision means.
///
/// # Errors
/// `BAD_ARGS` that names the argument, if it means no commit.
pub(crate) fn commit_named(repository: &Repository, arg: &str, revision: &str) -> Result<Commit, ToolError> {
    let found =
        repository.commit(revision).map_err(|error| ToolError::bad_args(format!("{arg}: {error}.")))?;
    found.ok_or_else(|| {
        let shown: String = revision.chars().take(80).collect();
        ToolError::bad_args(format!("{arg}: there is no revision `{shown}`."))
            .hint("Pass a branch, a tag, a commit or an expression such as HEAD~3; for change also worktree, staged, branch, A..B or a diff.")
    })
}

/// Reads the range that the arguments name.
///
/// # Errors
/// `BAD_ARGS` if a name means no commit, or a branch has no base.
pub(super) fn parse_range(repository: &Repository, args: &ChangeArgs) -> Result<ChangeRange, ToolError> {
    let reader = RangeReader { repository, base: args.base.as_deref().map(str::trim) };
    let change = args.change.as_deref().map_or("", str::trim);
    match change {
        "" if reader.base.is_some() => reader.current_branch(),
        "branch" => reader.current_branch(),
        "" | "worktree" => reader.against_head(SideSource::Worktree, "working tree"),
        "staged" => reader.against_head(SideSource::Index, "staged files"),
        _ => match (change.split_once("..."), change.split_once("..")) {
            (Some((from, to)), _) => reader.since_merge_base(from, to),
            (_, Some((from, to))) => reader.ends(from, to),
            _ => reader.named(change),
        },
    }
}

struct RangeReader<'a> {
    repository: &'a Repository,
    base: Option<&'a str>,
}

impl RangeReader<'_> {
    fn against_head(&self, after: SideSource, words: &str) -> Result<ChangeRange, ToolError> {
        let head = self.repository.head().map_err(|error| git_failed(&error))?;
        let Some(commit) = head.commit else {
            let words = format!("{words} against nothing: there is no commit yet");
            return Ok(ChangeRange { before: SideSource::Nothing, after, words });
        };
        let words = format!("{words} against HEAD {}", commit.short_hex());
        Ok(ChangeRange { before: SideSource::Commit(commit), after, words })
    }

    /// Returns the range of the checked-out branch with all uncommitted changes, from where it left its base.
    fn current_branch(&self) -> Result<ChangeRange, ToolError> {
        let head = self.repository.head().map_err(|error| git_failed(&error))?;
        let Some(commit) = head.commit else {
            return self.against_head(SideSource::Worktree, "working tree");
        };
        let (base, words) = self.base_of(head.branch.as_deref(), commit)?;
        let branch = head.branch.unwrap_or_else(|| "HEAD".to_owned());
        let words = format!("{branch} with the working tree against {words}");
        Ok(ChangeRange { before: SideSource::Commit(base), after: SideSource::Worktree, words })
    }

    /// Returns the merge base of a branch and its base, with a description of it.
    fn base_of(&self, branch: Option<&str>, tip: Oid) -> Result<(Oid, String), ToolError> {
        let (name, commit) = match self.base {
            Some(name) => (name.to_owned(), commit_named(self.repository, "base", name)?.oid),
            None => {
                let guess = self.repository.guess_base(branch).ok_or_else(no_base)?;
                (guess.name, guess.commit)
            }
        };
        let base = self.merge_base(commit, tip)?;
        Ok((base, format!("{name} at {}", base.short_hex())))
    }

    fn merge_base(&self, one: Oid, two: Oid) -> Result<Oid, ToolError> {
        let found = self.repository.merge_base(one, two).map_err(|error| git_failed(&error))?;
        found.ok_or_else(|| {
            ToolError::bad_args("The two revisions have no common ancestor.")
                .hint("Pass A..B to compare the two as they are.")
        })
    }

    fn since_merge_base(&self, from: &str, to: &str) -> Result<ChangeRange, ToolError> {
        let (from, to) = (self.commit_or_head(from)?, self.commit_or_head(to)?);
        let base = self.merge_base(from.oid, to.oid)?;
        let words = format!("{} against {}, where they part", to.oid.short_hex(), base.short_hex());
        Ok(ChangeRange { before: SideSource::Commit(base), after: SideSource::Commit(to.oid), words })
    }

    fn ends(&self, from: &str, to: &str) -> Result<ChangeRange, ToolError> {
        let (from, to) = (self.commit_or_head(from)?, self.commit_or_head(to)?);
        let words = format!("{} against {}", told_commit(&to), told_commit(&from));
        Ok(ChangeRange { before: SideSource::Commit(from.oid), after: SideSource::Commit(to.oid), words })
    }

    fn commit_or_head(&self, revision: &str) -> Result<Commit, ToolError> {
        let revision = if revision.trim().is_empty() { "HEAD" } else { revision };
        commit_named(self.repository, "change", revision)
    }

    /// Returns the range of a branch from where it left its base, or of any other revision from its first parent.
    fn named(&self, change: &str) -> Result<ChangeRange, ToolError> {
        if self.base.is_some() || self.repository.branch_commit(change).is_some() {
            let tip = commit_named(self.repository, "change", change)?.oid;
            // A branch into which everything is merged has no base itself, so its last commit is meant.
            match self.base_of(Some(change), tip) {
                Ok((base, words)) if base != tip || self.base.is_some() => {
                    let words = format!("{change} {} against {words}", tip.short_hex());
                    let (before, after) = (SideSource::Commit(base), SideSource::Commit(tip));
                    return Ok(ChangeRange { before, after, words });
                }
                Err(error) if self.base.is_some() => return Err(error),
                _ => {}
            }
        }
        let commit = commit_named(self.repository, "change", change)?;
        let parents = self.repository.parents_of(commit.oid).map_err(|error| git_failed(&error))?;
        let merge = if parents.len() > 1 { ", a merge, against its first parent" } else { "" };
        let words = format!("commit {}{merge}", told_commit(&commit));
        let before = parents.first().map_or(SideSource::Nothing, |parent| SideSource::Commit(*parent));
        Ok(ChangeRange { before, after: SideSource::Commit(commit.oid), words })
    }
}

fn no_base() -> ToolError {
    ToolError::bad_args("base: the branch that this one came from cannot be told: there is no upstream, origin/HEAD, main or master.")
        .hint("Pass base, such as develop.")
}

/// Describes a commit by its hash and its subject, which is cut.
fn told_commit(commit: &Commit) -> String {
    let subject: String = commit.subject.chars().take(60).collect();
    format!("{} ({subject})", commit.oid.short_hex())
}
