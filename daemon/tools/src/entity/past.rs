//! Reads the project at a git revision, without touching the working tree.
//!
//! Unchanged files are in the map already, and facts are a function of contents alone. So only files that differ are
//! read from git, and only those are parsed that have one of the words; they become a small map of their own, which is
//! searched like the present one. Edges are not needed, so this is enough.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hob_base::{CancelToken, Deadline, FileId, WsPath};
use hob_map::graph::MapChange;
use hob_map::{Map, extract_within, language_of};
use hob_proto::tools::entity::EntityFailure;
use hob_workspace::Stat;
use hob_workspace::git::{Comparison, Differences, GitError, Repository, TreeFile, compare_files};
use rustc_hash::FxHashSet;

use super::request::SubjectRequest;
use hob_host::Workspace;
use hob_words::entity::candidate::Candidate;

/// Longest time for parsing the files that differ.
const PATIENCE: Duration = Duration::from_secs(8);

/// Largest size in bytes of a file that is mapped, as in the present map.
const LARGEST: u64 = 1 << 20;

/// Number of bytes at a file's beginning that decide its language where the name does not.
const HEAD: usize = 1_000;

/// The project at a revision.
pub(super) struct PastRevision {
    /// The full ID of the commit.
    pub(super) commit: String,
    /// Present files that were different at the revision.
    pub(super) hidden: FxHashSet<String>,
    /// Every file of the revision.
    pub(super) files: Vec<WsPath>,
    /// Definitions of the files that differ and have one of the words.
    pub(super) map: Map,
    /// A note on the search, for the answer's `resolution_path`.
    pub(super) note: String,
}

impl PastRevision {
    /// Marks a candidate as one of the revision, with a URI of git.
    pub(super) fn mark_as_past(&self, mut candidate: Candidate) -> Candidate {
        let line = candidate.attributes.get("line").map(|line| format!("#L{line}")).unwrap_or_default();
        candidate.uri = format!("git:{}:{}{line}", self.commit, candidate.path);
        candidate.attributes.insert("revision".to_owned(), self.commit.clone().into());
        candidate
    }
}

/// Reads the project as of a revision, or returns the reason why that cannot be done.
pub(super) fn as_of(
    workspace: &Workspace,
    request: &SubjectRequest,
    revision: &str,
    cancel: &CancelToken,
) -> Result<PastRevision, EntityFailure> {
    let failure = |code: &str, message: String| EntityFailure { code: code.to_owned(), message };
    let git = |error: GitError| match error {
        GitError::Ambiguous { .. } | GitError::BadRevision { .. } => {
            failure("BAD_REVISION", error.to_string())
        }
        other => failure("GIT_FAILED", other.to_string()),
    };
    let repository = Repository::discover(workspace.root()).map_err(git)?.ok_or_else(|| {
        let message = format!("`{}` is no git repository: leave context.time out", workspace.root());
        failure("NO_REPOSITORY", message)
    })?;
    let commit = repository.commit(revision).map_err(git)?.ok_or_else(|| {
        let message =
            format!("there is no revision `{revision}`: pass a branch, a tag, a commit, or e.g. HEAD~3");
        failure("REVISION_NOT_FOUND", message)
    })?;
    let then = repository.files_at(commit.oid, cancel).map_err(git)?;
    let now = files_of_now(workspace);
    let question = Comparison {
        then: &then,
        now: &now,
        checkout: &repository.read_checkout(),
        contents: &workspace.disk_contents(),
    };
    let differences = compare_files(&question, cancel)
        .map_err(|_| failure("CANCELLED", "there was no time to compare".to_owned()))?;
    let (map, parsed, left) = parse(&repository, request, &differences, cancel);
    let mut note = format!(
        "{} ({}): {} files as now, {} changed since, {} gone, {} new; {parsed} of those with the words were parsed",
        commit.oid.short_hex(),
        commit.subject,
        differences.same,
        differences.changed.len(),
        differences.gone.len(),
        differences.new.len(),
    );
    if left > 0 {
        note.push_str(&format!("; {left} files were not looked at, because time ran out"));
    }
    let changed = differences.changed.iter().map(|file| file.path.as_str().to_owned());
    let hidden = changed.chain(differences.new.iter().map(|path| path.as_str().to_owned())).collect();
    let files = then.into_iter().map(|file| file.path).collect();
    Ok(PastRevision { commit: commit.oid.to_string(), hidden, files, map, note })
}

fn files_of_now(workspace: &Workspace) -> Vec<(WsPath, Option<Stat>)> {
    let text = workspace.text();
    let stat = |path: &WsPath| {
        let path: std::path::PathBuf = workspace.root().join_ws(path).as_path().to_path_buf();
        Path::symlink_metadata(&path).ok().map(|metadata| Stat::of(&metadata))
    };
    text.indexed_paths().map(|(_, path)| (path.clone(), stat(path))).collect()
}

/// Returns a map of the files that differ and have one of the words, the number of files in it, and the number of files
/// that were not read.
fn parse(
    repository: &Repository,
    request: &SubjectRequest,
    differences: &Differences,
    cancel: &CancelToken,
) -> (Map, usize, usize) {
    let cancel = cancel.with_deadline(Deadline::after(PATIENCE));
    let files: Vec<&TreeFile> = differences.changed.iter().chain(&differences.gone).collect();
    let words: Vec<&str> = request.subject.content.iter().map(|term| term.word.as_str()).collect();
    let (mut changes, mut looked_at) = (Vec::new(), 0);
    for file in &files {
        if cancel.check().is_err() {
            break;
        }
        looked_at += 1;
        let Ok(Some(bytes)) = repository.read_blob(file.blob, LARGEST) else { continue };
        let Some(lang) = language_of(file.path.file_name(), &bytes[..bytes.len().min(HEAD)]) else {
            continue;
        };
        if !has_any(&bytes, &words) && !has_any(file.path.as_str().as_bytes(), &words) {
            continue;
        }
        let facts = extract_within(lang, file.path.file_name(), &bytes, &|| cancel.check().is_ok());
        let number = FileId(u32::try_from(changes.len()).unwrap_or(u32::MAX));
        changes.push(MapChange::Set { file: number, path: file.path.clone(), facts: Arc::new(facts) });
    }
    let parsed = changes.len();
    let mut map = Map::new();
    map.apply(changes);
    (map, parsed, files.len() - looked_at)
}

/// Returns true if a text has the first or the last letters of any of the words, whatever its case, so that misspelt
/// words are found as well.
fn has_any(text: &[u8], words: &[&str]) -> bool {
    /// Number of letters that are compared.
    const FIRST: usize = 4;
    let lower = text.to_ascii_lowercase();
    words.iter().any(|word| {
        let begin: String = word.chars().take(FIRST).collect();
        memchr::memmem::find(&lower, begin.as_bytes()).is_some()
            || word.len() > FIRST
                && memchr::memmem::find(&lower, &word.as_bytes()[word.len() - FIRST..]).is_some()
    })
}
