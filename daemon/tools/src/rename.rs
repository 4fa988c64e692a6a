//! Asks language servers for the edits that `edit_rename` needs for another name or another place of a file, and for
//! the diagnostics of files before and after an edit.
//!
//! Nothing is written here. A server's edit counts only if no file has changed while it was made, because it would miss
//! a new use that the server did not see.

use std::collections::BTreeMap;
use std::sync::Arc;

use hob_base::{Deadline, LineIndex, WsPath};
use hob_bridge::{Listed, Missing, UsesQuestion};
use hob_live::instance::{Completeness as Whole, Instance, ServerAnswer};
use hob_live::live::LiveError;
use hob_live::requests::{self, FileDiagnostics, Renaming, ServerQueryContext};
use hob_live::uri::FileRef;
use hob_map::graph::NodeKind;
use hob_proto::ToolError;
use hob_proto::tools::nav::{Completeness, PositionArgs};

use super::ask::{ask, text_of};
use super::nav::{LONG_PATIENCE, completeness_of};
use super::nav_query::{NavQuery, revision_of_call};
use super::target::{TargetMeaning, has_line, look_up};
use super::{NeededIndex, ToolCall, left_out};
use hob_host::{Freshness, Workspace, WorkspaceRevision};
use hob_results::errors;

/// Most attempts at a rename where files change while the server answers.
const ATTEMPTS: usize = 3;

/// The reason why a file without a server has no diagnostics.
const NOBODY: &str = "no language server runs for it";

/// The changes that a rename would make.
pub(super) struct Renamed {
    /// The workspace in which the names are changed.
    pub(super) workspace: Arc<Workspace>,
    /// The edits of the rename; for a file, the move itself too.
    pub(super) renaming: Renaming,
    /// The completeness of the edits; the call's warnings say what may be missing.
    pub(super) completeness: Completeness,
    /// Sure uses of the map that would keep the old name.
    pub(super) left_behind: Vec<Missing>,
}

/// The consequence of uses that the server would not rename, for a warning.
const LEFT_BEHIND: &str = "they keep the old name (`details.leftBehind`) and would break; change them too.";

/// Asks for the edits that rename the thing at `target`, or, if `target` is a file, that move it: `new_name` is then
/// its new name, or with a `/` its new path. Notes of the server become warnings.
///
/// # Errors
/// The errors of the `nav_*` tools; `SYMBOL_NOT_FOUND` where nothing can be renamed, `BAD_ARGS` with the server's words
/// if it refuses, `LSP_TIMEOUT` if it has not loaded the project in time, `CONFLICT` if files keep changing meanwhile.
pub(super) fn rename(
    call: &mut ToolCall<'_>,
    target: &PositionArgs,
    new_name: &str,
) -> Result<Renamed, ToolError> {
    // An answer may be old, but an edit must not be.
    call.terms.fresh = true;
    let renamed = match file_of(call, target)? {
        Some((workspace, file)) => rename_file(call, workspace, &file, new_name)?,
        None => rename_symbol(call, target, new_name)?,
    };
    let notes = renamed.renaming.notes.iter().map(|note| hob_results::to_sentence(note));
    call.notes.warnings.extend(notes);
    Ok(renamed)
}

/// Returns the file that a target means; `None` if it means a place in a file.
fn file_of(
    call: &mut ToolCall<'_>,
    target: &PositionArgs,
) -> Result<Option<(Arc<Workspace>, WsPath)>, ToolError> {
    let text = target.node_id.as_ref().xor(target.target.as_ref());
    let is_whole = |text: &&String| target.file.is_none() && !has_line(text);
    let Some(text) = text.filter(is_whole) else { return Ok(None) };
    let workspace = call.workspace(NeededIndex::Map)?;
    let map = workspace.map();
    let file = match look_up(call, &map, &workspace, text) {
        TargetMeaning::One(meant) => {
            let info = map.info(meant.node).filter(|info| info.kind == NodeKind::File);
            info.and_then(|info| info.path)
        }
        TargetMeaning::Text(path, None) => Some(path),
        TargetMeaning::Text(..) | TargetMeaning::Several(_) | TargetMeaning::Nothing => None,
    };
    drop(map);
    Ok(file.map(|file| (workspace, file)))
}

fn rename_symbol(
    call: &mut ToolCall<'_>,
    target: &PositionArgs,
    new_name: &str,
) -> Result<Renamed, ToolError> {
    if new_name.trim().is_empty() || new_name.chars().any(char::is_control) {
        return Err(errors::bad_new_name(new_name));
    }
    let inquiry = left_out::UsesInquiry {
        question: UsesQuestion::Rename,
        patience: LONG_PATIENCE,
        listed: &changed_lines,
        with_declarations: None,
        about: &left_out::what_was_asked,
    };
    for _ in 0..ATTEMPTS {
        let asked = NavQuery::new(call, target)?;
        let (answer, held) = left_out::ask(call, &asked, &inquiry, |server, at, asking| {
            requests::rename(server, at, new_name, asking)
        })?;
        if answer.value.old_name == new_name {
            return Err(errors::bad_new_name(new_name));
        }
        if is_unchanged(call, &asked.workspace, asked.revision) {
            let completeness = completeness_of(call, &answer);
            let completeness = held.judge_completeness(call, completeness, LEFT_BEHIND);
            let (workspace, renaming) = (asked.workspace, answer.value);
            return Ok(Renamed { workspace, renaming, completeness, left_behind: held.missing });
        }
    }
    Err(errors::keeps_changing())
}

/// The consequence of imports that the server would not change, for a warning.
const LEFT_ALONE: &str = "they keep the old path (`details.leftBehind`) and would break; change them too.";

/// Returns the lines that a rename changes.
fn changed_lines(renaming: &Renaming) -> Listed {
    let mut listed = Listed::default();
    for file in &renaming.files {
        let lines = LineIndex::new(file.text.as_bytes());
        let path = FileRef::Inside(file.path.clone());
        for (range, _) in &file.edits {
            listed.add(&path, lines.line_of(u32::try_from(range.start).unwrap_or(u32::MAX)));
        }
    }
    listed
}

fn rename_file(
    call: &mut ToolCall<'_>,
    workspace: Arc<Workspace>,
    from: &WsPath,
    new_name: &str,
) -> Result<Renamed, ToolError> {
    let to = new_path(&workspace, from, new_name)?;
    let moves = [(from.clone(), to)];
    for _ in 0..ATTEMPTS {
        let revision = revision_of_call(call, &workspace);
        let answer = ask_about_move(call, &workspace, &moves)?;
        if is_unchanged(call, &workspace, revision) {
            let completeness = completeness_of(call, &answer);
            let mut renaming = answer.value;
            let held = left_out::find_importers(call, from, &changed_lines(&renaming));
            let completeness = held.judge_completeness(call, completeness, LEFT_ALONE);
            if !renaming.moves.contains(&moves[0]) {
                renaming.moves.extend(moves);
            }
            return Ok(Renamed { workspace, renaming, completeness, left_behind: held.missing });
        }
    }
    Err(errors::keeps_changing())
}

/// Asks a server for the edits that a move requires. Without a server that can answer, only the file itself is moved,
/// and the answer says so.
fn ask_about_move(
    call: &mut ToolCall<'_>,
    workspace: &Workspace,
    moves: &[(WsPath, WsPath)],
) -> Result<ServerAnswer<Renaming>, ToolError> {
    let question = |server: &Instance, asking: ServerQueryContext<'_>| {
        left_out::show_other_projects(workspace, &moves[0].0, server, asking)?;
        requests::will_rename_files(server, moves, asking)
    };
    let alone = |why: String| ServerAnswer {
        value: Renaming::default(),
        completeness: Whole::Unknown(format!("nothing that refers to the file is changed, as {why}")),
    };
    match ask(call, workspace, &moves[0].0, LONG_PATIENCE, question) {
        Ok(answer) => Ok(answer),
        Err(LiveError::Unsupported { server, .. }) => {
            Ok(alone(format!("{server} does not say what depends on where files are")))
        }
        Err(error @ (LiveError::NoSuchLanguage { .. } | LiveError::NotInstalled { .. })) => {
            Ok(alone(error.to_string()))
        }
        Err(error) => Err(errors::server_failed(&error, LONG_PATIENCE)),
    }
}

fn new_path(workspace: &Workspace, from: &WsPath, new_name: &str) -> Result<WsPath, ToolError> {
    let text = match (new_name.contains('/'), from.dir()) {
        (true, _) | (_, "") => new_name.to_owned(),
        (false, folder) => format!("{folder}/{new_name}"),
    };
    let to = hob_workspace::confine(workspace.root(), &text)
        .map_err(|error| errors::outside_workspace(&error, workspace.root()))?;
    let is_taken = workspace.root().join_ws(&to).as_path().symlink_metadata().is_ok();
    if to.is_root() || is_taken || new_name.trim().is_empty() || new_name.ends_with('/') {
        return Err(errors::bad_new_path(&to));
    }
    Ok(to)
}

/// Returns true if no write since `revision` has changed the contents.
fn is_unchanged(
    _call: &mut ToolCall<'_>,
    workspace: &Workspace,
    revision: Option<WorkspaceRevision>,
) -> bool {
    match (revision, workspace.barrier(false, super::BARRIER_PATIENCE)) {
        (Some(revision), Freshness::Fresh) => workspace.current_revision() == Some(revision),
        // A warning has said that the view may be old; the contents are compared byte by byte before they are written.
        _ => true,
    }
}

/// Returns the present diagnostics of the running servers for files; starts no server.
pub(super) fn judge(call: &ToolCall<'_>, workspace: &Workspace, files: &[WsPath]) -> FileDiagnostics {
    let cancel = call.cancel.with_deadline(Deadline::after(LONG_PATIENCE));
    let read = |path: &WsPath| text_of(workspace, path);
    let asking = ServerQueryContext { read: &read, cancel: &cancel };
    // Files that do not exist yet have no diagnostics.
    let mut rest: Vec<WsPath> = files.iter().filter(|file| is_there(workspace, file)).cloned().collect();
    let mut all = FileDiagnostics::default();
    for server in workspace.live().pool().running_servers(workspace.root()) {
        let (its, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(|file| is_served_by(&server, file));
        rest = others;
        let judgement = requests::judge(&server, &its, asking);
        all.files.extend(judgement.files);
        all.unjudged.extend(judgement.unjudged);
    }
    all.unjudged.extend(rest.into_iter().map(|file| (file, NOBODY.to_owned())));
    all
}

/// Compares the present diagnostics of files with `before`, and returns what is worse, and the present diagnostics.
/// `moves` are pairs of old and new paths, because a file is judged at its present path. Warns when a running server
/// could not answer.
pub(super) fn worse(
    call: &mut ToolCall<'_>,
    workspace: &Workspace,
    before: &FileDiagnostics,
    moves: &[(WsPath, WsPath)],
) -> (Vec<requests::WorseFile>, FileDiagnostics) {
    let moved: BTreeMap<&WsPath, &WsPath> = moves.iter().map(|(from, to)| (from, to)).collect();
    let files: Vec<WsPath> = before
        .files
        .keys()
        .map(|file| moved.get(file).map_or_else(|| file.clone(), |to| (*to).clone()))
        .filter(|file| is_there(workspace, file))
        .collect();
    let after = judge_again(call, workspace, files);
    call.notes.warnings.extend(unknown_note(before, &after));
    let origins = moves.iter().map(|(from, to)| (to.clone(), from.clone())).collect();
    (requests::worse(before, &after, &origins), after)
}

/// Asks for diagnostics like [`judge`], of files that were judged before. A server that restarts when they change, as
/// clangd does, is waited for.
fn judge_again(call: &ToolCall<'_>, workspace: &Workspace, mut rest: Vec<WsPath>) -> FileDiagnostics {
    let cancel = call.cancel.with_deadline(Deadline::after(LONG_PATIENCE));
    let read = |path: &WsPath| text_of(workspace, path);
    let asking = ServerQueryContext { read: &read, cancel: &cancel };
    let (project, mut all) = (workspace.project(), FileDiagnostics::default());
    while let Some(first) = rest.first().cloned() {
        let outcome = workspace.live().ask(&project, &first, &cancel, |server| {
            let its: Vec<WsPath> = rest.iter().filter(|file| is_served_by(server, file)).cloned().collect();
            Ok(requests::judge(server, &its, asking))
        });
        match outcome {
            Ok(judgement) => {
                all.files.extend(judgement.files);
                all.unjudged.extend(judgement.unjudged);
            }
            Err(error) => drop(all.unjudged.insert(first.clone(), error.to_string())),
        }
        rest.retain(|file| {
            *file != first && !all.files.contains_key(file) && !all.unjudged.contains_key(file)
        });
    }
    all
}

/// Returns a sentence that names the changed files of which it is unknown whether they are worse, though a server
/// runs for them; `None` if there are none.
fn unknown_note(before: &FileDiagnostics, after: &FileDiagnostics) -> Option<String> {
    let mut unknown: BTreeMap<&WsPath, &String> = before.unjudged.iter().chain(&after.unjudged).collect();
    unknown.retain(|_, why| *why != NOBODY);
    let (count, (file, why)) = (unknown.len(), unknown.first_key_value()?);
    let of = if count == 1 { file.to_string() } else { format!("{count} files, such as {file}") };
    Some(hob_results::to_sentence(&format!("what the edit made worse is not known of {of}: {why}")))
}

fn is_there(workspace: &Workspace, file: &WsPath) -> bool {
    workspace.root().join_ws(file).as_path().exists()
}

fn is_served_by(server: &Instance, file: &WsPath) -> bool {
    server.spec().language_of(file.file_name()).is_some()
}

/// Tells the running servers about moved files.
pub(super) fn announce_moves(workspace: &Workspace, moves: &[(WsPath, WsPath)]) {
    for server in workspace.live().pool().running_servers(workspace.root()) {
        let its: Vec<_> = moves.iter().filter(|(from, _)| is_served_by(&server, from)).cloned().collect();
        if let Err(error) = requests::renamed_files(&server, &its) {
            tracing::debug!(%error, "a server was not told that files went elsewhere");
        }
    }
}
