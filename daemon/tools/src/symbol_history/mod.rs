//! Answers `symbol_history`: the commits that changed a symbol, and the symbol at a revision.
//!
//! `walk` goes through the history; this file begins the walk at the present files, and writes the answer.

mod surrounded;
mod walk;

use std::time::{Duration, UNIX_EPOCH};

use hob_base::{CancelToken, Deadline, WsPath};
use hob_change::{FilePair, SymbolFate, SymbolPlace};
use hob_map::graph::NodeKind;
use hob_proto::ToolError;
use hob_proto::tools::history::{HistoryArgs, HistoryResult, SymbolCommit, SymbolThen};
use hob_proto::tools::impact::Changed;
use hob_workspace::git::{Oid, Repository};

use super::change_impact::{commit_named, git_failed, open_repository};
use super::flow_trace::{file_of, name_of};
use super::{NeededIndex, ToolCall, ToolOutcome, target, to_data};
use hob_host::Workspace;
use hob_results::current_bytes;
use walk::{HistoryStep, HistoryWalk, SymbolIdentity, WalkEnd, change_of, identity_of, read_side};

/// Longest time for a walk through the history.
const PATIENCE: Duration = Duration::from_secs(6);

/// Most bytes of the source of a symbol at a revision; more is cut at a line.
const SOURCE: usize = 12_000;

pub(super) fn symbol_history(call: &mut ToolCall<'_>) -> ToolOutcome {
    let args: HistoryArgs = call.parse_args()?;
    let workspace = call.workspace(NeededIndex::Map)?;
    let (symbol, identity) = asked_symbol(call, &workspace, &args.symbol)?;
    let repository = open_repository(&workspace)?;
    let cancel = call.cancel.with_deadline(Deadline::after(PATIENCE));
    let mut walk = HistoryWalk::new(&repository, &cancel);
    let head = repository.head().map_err(|error| git_failed(&error))?.commit;
    let Some(head) = head else {
        let ended = "there is no commit yet".to_owned();
        return to_data(&HistoryResult {
            symbol,
            uncommitted: added(),
            complete: true,
            ended,
            ..HistoryResult::default()
        });
    };
    let (uncommitted, committed) = committed_identity(&workspace, &mut walk, head, &identity);
    let end = match &committed {
        Some(identity) => walk.run(head, identity.clone(), args.limit).map_err(|error| git_failed(&error))?,
        None => WalkEnd::Whole,
    };
    let then = match &args.revision {
        Some(revision) => symbol_then(call, &repository, &mut walk, revision, &identity)?,
        None => None,
    };
    let result = HistoryResult {
        symbol,
        uncommitted,
        commits: walk.steps.iter().map(told_step).collect(),
        complete: end == WalkEnd::Whole,
        ended: if committed.is_none() { "no commit has it".to_owned() } else { end.as_str().to_owned() },
        walked: walk.walked,
        then,
    };
    to_data(&result)
}

fn added() -> Vec<String> {
    vec!["added".to_owned()]
}

/// Returns the symbol in the map, and its identity.
fn asked_symbol(
    call: &mut ToolCall<'_>,
    workspace: &Workspace,
    text: &str,
) -> Result<(Changed, SymbolIdentity), ToolError> {
    let map = workspace.map();
    let node = target::one(call, &map, workspace, text)?;
    let info = map.info(node).filter(|info| matches!(info.kind, NodeKind::Def(_)));
    let found = info.and_then(|info| Some((info.path.clone()?, info)));
    let Some((path, info)) = found else {
        return Err(ToolError::bad_args(
            "symbol: it names a file or a package, which has no history of its own here.",
        )
        .hint("Pass a definition: a name, Class.name or path:line."));
    };
    let symbol = Changed {
        uid: info.id.to_string(),
        name: name_of(&info),
        kind: info.kind.as_str().to_owned(),
        file: file_of(&info),
        line: Some(info.name_at.0),
    };
    Ok((symbol, SymbolIdentity { path, qualified: info.qualified }))
}

/// Returns the uncommitted changes of the symbol, and its identity in the last commit; `None` if that commit does not
/// have it.
fn committed_identity(
    workspace: &Workspace,
    walk: &mut HistoryWalk<'_>,
    head: Oid,
    identity: &SymbolIdentity,
) -> (Vec<String>, Option<SymbolIdentity>) {
    let now = current_bytes(workspace, &identity.path);
    let after = now.and_then(|bytes| read_side(&identity.path, bytes, &CancelToken::default()));
    let before = walk.side_at(head, &identity.path);
    match change_of(&[FilePair { before, after }], identity) {
        None => (Vec::new(), Some(identity.clone())),
        Some(change) if change.fate == SymbolFate::Added => (added(), None),
        Some(change) => {
            let mut words: Vec<String> = change.parts.words().into_iter().map(str::to_owned).collect();
            words.extend((change.fate != SymbolFate::Changed).then(|| change.fate.as_str().to_owned()));
            (words, change.before.as_ref().map(identity_of))
        }
    }
}

fn symbol_then(
    call: &mut ToolCall<'_>,
    repository: &Repository,
    walk: &mut HistoryWalk<'_>,
    revision: &str,
    identity: &SymbolIdentity,
) -> Result<Option<SymbolThen>, ToolError> {
    let commit = commit_named(repository, "revision", revision)?;
    let mut names = vec![identity.clone()];
    let earlier = walk.steps.iter().filter_map(|step| step.change.before.as_ref()).map(identity_of);
    names.extend(earlier);
    names.dedup();
    let Some((side, place)) = walk.find_at(commit.oid, &names) else {
        call.notes.warnings.push(format!(
            "{} does not have it, under no name that the commits shown give it.",
            commit.oid.short_hex()
        ));
        return Ok(None);
    };
    let def = side.facts.def(place.def);
    let text = String::from_utf8_lossy(&side.bytes);
    let source = text.get(def.bytes.0 as usize..def.bytes.1 as usize).unwrap_or_default();
    Ok(Some(SymbolThen {
        revision: commit.oid.short_hex(),
        file: place.path.to_string(),
        name: place.qualified.clone(),
        line: def.lines.0,
        source: cut_source(source).to_owned(),
    }))
}

/// Returns a source up to the last line that fits.
fn cut_source(source: &str) -> &str {
    if source.len() <= SOURCE {
        return source;
    }
    let end = (0..=SOURCE).rev().find(|at| source.is_char_boundary(*at)).unwrap_or(0);
    &source[..source[..end].rfind('\n').unwrap_or(end)]
}

fn told_step(step: &HistoryStep) -> SymbolCommit {
    let change = &step.change;
    let was =
        change.before.as_ref().filter(|_| matches!(change.fate, SymbolFate::Renamed | SymbolFate::Moved));
    SymbolCommit {
        commit: step.commit.oid.short_hex(),
        date: day_of(step.commit.time),
        author: step.commit.author.clone(),
        subject: step.commit.subject.clone(),
        change: change.fate.as_str().to_owned(),
        parts: change.parts.words().into_iter().map(str::to_owned).collect(),
        was: was.map(|was: &SymbolPlace| handle(&was.path, &was.qualified)),
    }
}

fn handle(path: &WsPath, qualified: &str) -> String {
    format!("{path}#{qualified}")
}

/// Returns the date of a time in seconds since 1970.
fn day_of(time: i64) -> String {
    let at = UNIX_EPOCH + Duration::from_secs(u64::try_from(time).unwrap_or(0).min(250_000_000_000));
    humantime::format_rfc3339_seconds(at).to_string().chars().take(10).collect()
}
