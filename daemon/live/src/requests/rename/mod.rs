//! Asks a server for the changes that a new name of a symbol, or a new place of a file, needs.
//!
//! An incomplete list of places is still of use, but an edit that leaves places out breaks the project. So hob waits
//! for a server that is still loading, and then returns an error rather than a partial answer; only where a server can
//! never know better does it return an answer, with the missing part named. Edits refer to contents that the server has
//! seen; an edit that does not fit the present contents is refused with the reason. Nothing is written here.

mod left;
mod plan;
mod positions;
mod renaming;
mod wire;

use std::ops::Range;
use std::time::{Duration, Instant};

use hob_base::{LineIndex, WsPath};
use lsp_types::request::{PrepareRenameRequest, Request};
use lsp_types::{PrepareRenameResponse, RenameParams};
use serde_json::{Value, json};

use self::plan::RenamePlan;
use self::wire::WorkspaceEdit;
use super::context::ServerQueryContext;
use super::place::RequestPosition;
use crate::instance::{Completeness, Instance, ServerAnswer};
use crate::live::{LiveError, of_call};
use crate::ready::Readiness;
use crate::rpc::CallError;
use crate::spec::ReadySignal;
use crate::uri;

pub use self::renaming::{FileEdits, Renaming};

/// Time for a server to answer once it has loaded.
const TO_ANSWER: Duration = Duration::from_secs(10);

/// Longest time that hob waits for a server to load, for a caller without a deadline.
const LOADED_WITHIN: Duration = Duration::from_secs(20);

/// Pause before hob repeats a question to a server that never signals that it has loaded.
const SETTLES: Duration = Duration::from_millis(700);

/// Pause before hob repeats a question that came while the server was loading.
const AGAIN: Duration = Duration::from_millis(50);

/// The protocol's own request, with a type of edit that loses nothing.
enum Rename {}

impl Request for Rename {
    type Params = RenameParams;
    type Result = Option<WorkspaceEdit>;
    const METHOD: &'static str = "textDocument/rename";
}

enum WillRenameFiles {}

impl Request for WillRenameFiles {
    type Params = Value;
    type Result = Option<WorkspaceEdit>;
    const METHOD: &'static str = "workspace/willRenameFiles";
}

/// The field of a server's capabilities for renames.
const RENAME: &str = "renameProvider";

/// Returns the changes that give the definition at `at` another name. While the server is loading the result is an
/// error, never a partial answer.
///
/// # Errors
/// [`LiveError`]; [`LiveError::NotRenamable`] with the server's words if the server refuses, [`LiveError::BadEdit`] if
/// its edit does not fit the files, [`LiveError::Loading`] if it has not loaded the project in time.
pub fn rename(
    instance: &Instance,
    at: &RequestPosition,
    new_name: &str,
    asking: ServerQueryContext<'_>,
) -> Result<ServerAnswer<Renaming>, LiveError> {
    let old_name = prepare_rename(instance, at, asking)?;
    let params = RenameParams {
        text_document_position: at.to_lsp_params(instance.root()),
        new_name: new_name.to_owned(),
        work_done_progress_params: Default::default(),
    };
    let answer = asking.when_loaded(instance, |patience| {
        asking.about_within::<Rename>(instance, at, RENAME, &params, patience)
    })?;
    let nothing = || LiveError::NotRenamable { server: instance.spec().name, why: None };
    let edit = answer.value.ok_or_else(nothing)?;
    let mut renaming = read(instance, edit, asking)?;
    if renaming.is_nothing() {
        return Err(nothing());
    }
    check_names(instance, &mut renaming, &old_name)?;
    renaming.old_name = old_name;
    let completeness = match answer.completeness {
        Completeness::Complete => left::completeness_by_references(instance, at, &renaming, asking)?,
        other => other,
    };
    Ok(ServerAnswer { value: renaming, completeness })
}

/// Returns the changes that moves of files need; each move is (from, to). The moves themselves are not among them.
///
/// # Errors
/// The errors of [`rename`]; [`LiveError::Unsupported`] for a server that does not handle moves.
pub fn will_rename_files(
    instance: &Instance,
    moves: &[(WsPath, WsPath)],
    asking: ServerQueryContext<'_>,
) -> Result<ServerAnswer<Renaming>, LiveError> {
    let (server, question) = (instance.spec().name, WillRenameFiles::METHOD);
    if !instance.offers_file_operation("willRename", question) {
        return Err(LiveError::Unsupported { server, question });
    }
    let failed = |error| of_call(server, question, error);
    // Some servers have no project before they have a file. A folder cannot be opened.
    let first = moves.first().map(|(from, _)| instance.open(from, asking.read));
    first.transpose().map_err(failed)?;
    let params = files_params(instance, moves);
    let answer = asking.when_loaded(instance, |patience| {
        instance.ask_whole::<WillRenameFiles>(&params, patience, asking.cancel).map_err(failed)
    })?;
    let renaming = read(instance, answer.value.unwrap_or_default(), asking)?;
    Ok(ServerAnswer { value: renaming, completeness: answer.completeness })
}

/// Tells a server that files were moved, if it wants to know.
///
/// # Errors
/// [`LiveError::Refused`] if the server is gone.
pub fn renamed_files(instance: &Instance, moves: &[(WsPath, WsPath)]) -> Result<(), LiveError> {
    const METHOD: &str = "workspace/didRenameFiles";
    if moves.is_empty() || !instance.offers_file_operation("didRename", METHOD) {
        return Ok(());
    }
    let told = instance.notify(METHOD, &files_params(instance, moves));
    told.map_err(|error| of_call(instance.spec().name, METHOD, error))
}

fn files_params(instance: &Instance, moves: &[(WsPath, WsPath)]) -> Value {
    let uri = |path: &WsPath| uri::of_path(&instance.root().join_ws(path)).as_str().to_owned();
    let files: Vec<Value> =
        moves.iter().map(|(from, to)| json!({"oldUri": uri(from), "newUri": uri(to)})).collect();
    json!({"files": files})
}

/// Returns the name at `at`, once the server has said that it may be renamed.
fn prepare_rename(
    instance: &Instance,
    at: &RequestPosition,
    asking: ServerQueryContext<'_>,
) -> Result<String, LiveError> {
    let unreadable = || LiveError::Unreadable(at.file.clone());
    let text = (asking.read)(&at.file).ok_or_else(unreadable)?;
    let lines = LineIndex::new(text.as_bytes());
    let params = at.to_lsp_params(instance.root());
    let here = positions::offset(&text, &lines, params.position);
    let around = here.map_or("", |here| positions::name_at(&text, here)).to_owned();
    if instance.capability("/renameProvider/prepareProvider") != &Value::Bool(true) {
        return Ok(around);
    }
    let asked = asking.when_loaded(instance, |patience| {
        asking.about_within::<PrepareRenameRequest>(instance, at, RENAME, &params, patience)
    });
    let prepared = match asked {
        // The server declares that it can be asked first, but cannot.
        Err(LiveError::Unsupported { .. }) => return Ok(around),
        outcome => outcome?.value,
    };
    let bytes = |range: lsp_types::Range| {
        let start = positions::offset(&text, &lines, range.start).ok()?;
        text.get(start..positions::offset(&text, &lines, range.end).ok()?)
    };
    let name = match prepared {
        None | Some(PrepareRenameResponse::DefaultBehavior { default_behavior: false }) => {
            return Err(LiveError::NotRenamable { server: instance.spec().name, why: None });
        }
        Some(PrepareRenameResponse::DefaultBehavior { .. }) => None,
        Some(
            PrepareRenameResponse::Range(range) | PrepareRenameResponse::RangeWithPlaceholder { range, .. },
        ) => bytes(range),
    };
    Ok(name.map_or(around, str::to_owned))
}

/// Converts a server's edit into a [`Renaming`].
fn read(
    instance: &Instance,
    edit: WorkspaceEdit,
    asking: ServerQueryContext<'_>,
) -> Result<Renaming, LiveError> {
    let bad = |why: String| LiveError::BadEdit { server: instance.spec().name, why };
    let seen = |path: &WsPath| instance.sent_version(path);
    let mut plan = RenamePlan::new(instance.root(), asking.read, &seen);
    let confirm = edit.to_confirm();
    for step in edit.into_steps().map_err(|uri| bad(format!("it would change `{uri}`, which is no file")))? {
        plan.add_step(&step).map_err(bad)?;
    }
    let mut renaming = plan.finish().map_err(bad)?;
    let wants = |label: String| format!("the server wants this to be confirmed: {label}");
    renaming.notes.extend(confirm.into_iter().map(wants));
    Ok(renaming)
}

/// Refuses an edit that begins or ends within a name: the server saw other contents, unless it always replaces parts of
/// names.
fn check_names(instance: &Instance, renaming: &mut Renaming, old_name: &str) -> Result<(), LiveError> {
    let all =
        || renaming.files.iter().flat_map(|file| file.edits.iter().map(move |(range, _)| (file, range)));
    let is_name = |(file, range): &(&FileEdits, &Range<usize>)| &file.text[(*range).clone()] == old_name;
    if old_name.is_empty() || !all().any(|one| is_name(&one)) {
        return Ok(());
    }
    let others: Vec<_> = all().filter(|one| !is_name(one)).collect();
    if let Some((file, range)) = others.iter().find(|(file, range)| positions::cuts_a_name(&file.text, range))
    {
        let why = format!(
            "at byte {} of `{}` it would cut a name in two, as if the file had other contents",
            range.start, file.path
        );
        return Err(LiveError::BadEdit { server: instance.spec().name, why });
    }
    renaming.notes.extend(note_on_odd(&others, old_name));
    Ok(())
}

/// Makes a note of replacements whose old text does not contain the name, with the first as an example.
fn note_on_odd(others: &[(&FileEdits, &Range<usize>)], old_name: &str) -> Option<String> {
    let odd = |(file, range): &&(&FileEdits, &Range<usize>)| {
        !range.is_empty() && !file.text[(*range).clone()].contains(old_name)
    };
    let odd: Vec<_> = others.iter().filter(odd).collect();
    let (file, range) = odd.first()?;
    let line = LineIndex::new(file.text.as_bytes()).line_of(u32::try_from(range.start).unwrap_or(u32::MAX));
    let shown: String = file.text[(*range).clone()].chars().take(60).collect();
    let count = odd.len();
    Some(format!(
        "{count} replacements are of something else than `{old_name}`: `{shown}` at {}:{line}",
        file.path
    ))
}

impl ServerQueryContext<'_> {
    /// Asks, and asks again until the server has loaded the project; earlier answers do not count.
    fn when_loaded<T: PartialEq>(
        self,
        instance: &Instance,
        ask: impl Fn(Duration) -> Result<ServerAnswer<T>, LiveError>,
    ) -> Result<ServerAnswer<T>, LiveError> {
        let server = instance.spec().name;
        let rest = self.cancel.deadline().remaining();
        let until = Instant::now() + rest.map_or(LOADED_WITHIN, |rest| rest.saturating_sub(TO_ANSWER));
        let mut last: Option<T> = None;
        loop {
            let patience = until.saturating_duration_since(Instant::now());
            let outcome = ask(patience);
            match (what_is_missing(instance, &outcome), outcome) {
                (Some(what), _) if patience.is_zero() => return Err(LiveError::Loading { server, what }),
                // The missing part may have been loaded meanwhile.
                (Some(_), _) => std::thread::sleep(AGAIN),
                (None, Err(error)) => return Err(with_refusal(error)),
                (None, Ok(answer)) if instance.spec().ready != ReadySignal::Settles => return Ok(answer),
                (None, Ok(answer)) if last.as_ref() == Some(&answer.value) => {
                    let why = "the server never says whether it has loaded the project".to_owned();
                    return Ok(ServerAnswer {
                        value: answer.value,
                        completeness: Completeness::Unknown(why),
                    });
                }
                (None, Ok(answer)) => {
                    last = Some(answer.value);
                    std::thread::sleep(SETTLES);
                }
            }
        }
    }
}

/// Returns the text of what a server was still loading when it answered, if that may be missing from the answer.
fn what_is_missing<T>(instance: &Instance, outcome: &Result<ServerAnswer<T>, LiveError>) -> Option<String> {
    match (outcome, instance.readiness()) {
        (Ok(answer), _) if answer.is_complete() => None,
        (_, Readiness::Impaired(_)) | (Ok(_), Readiness::Silent) => None,
        (Ok(answer), _) => match &answer.completeness {
            Completeness::Partial(why) | Completeness::Unknown(why) => Some(why.clone()),
            Completeness::Complete => None,
        },
        (Err(LiveError::Refused { error: CallError::Refused(_), .. }), Readiness::Loading(what)) => {
            Some(what)
        }
        (Err(_), _) => None,
    }
}

/// Turns a refusal into an error with the server's own words.
fn with_refusal(error: LiveError) -> LiveError {
    match error {
        LiveError::Refused { server, error: CallError::Refused(refusal) } => {
            LiveError::NotRenamable { server, why: Some(refusal.message) }
        }
        other => other,
    }
}
