//! Asks a language server on behalf of a call, in the way that all tools share.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use hob_base::{Deadline, WsPath};
use hob_live::instance::Instance;
use hob_live::live::LiveError;
use hob_live::requests::{self, ServerQueryContext};

use super::{ToolCall, unsaved};
use hob_host::Workspace;

/// Returns a file's present text as servers have it, unsaved changes of editors included; `None` for a file that is no
/// text, which servers do not get.
pub(super) fn text_of(workspace: &Workspace, path: &WsPath) -> Option<String> {
    let bytes = hob_results::current_bytes(workspace, path)?;
    std::str::from_utf8(&bytes).ok().map(str::to_owned)
}

/// Puts a question to the server of a file. If that server runs restricted, its answer comes with a warning of the
/// consequences.
pub(super) fn ask<T>(
    call: &mut ToolCall<'_>,
    workspace: &Workspace,
    file: &WsPath,
    patience: Duration,
    question: impl Fn(&Instance, ServerQueryContext<'_>) -> Result<T, LiveError>,
) -> Result<T, LiveError> {
    let cancel = call.cancel.with_deadline(Deadline::after(patience));
    let read = |path: &WsPath| text_of(workspace, path);
    let project = workspace.project();
    let asking = ServerQueryContext { read: &read, cancel: &cancel };
    let answered_by = Cell::new(None);
    let outcome = workspace.live().ask(&project, file, &cancel, |server| {
        answered_by.set(Some(server.launch_spec()));
        question(server, asking)
    });
    if let Some(spec) = answered_by.take().filter(|_| outcome.is_ok()) {
        call.warn_of_restriction(&project, &spec);
        let mut taken = unsaved::unsaved_files(workspace);
        taken.retain(|(path, _)| spec.language_of(path.file_name()).is_some());
        call.notes.warnings.extend(unsaved::taken_into_account(&taken));
    }
    outcome
}

/// Longest time that a call waits for a server that is starting or loading before the map answers.
pub(super) const LATE_AFTER: Duration = Duration::from_secs(2);

/// Longest time that a server has to start in the background, after the call was answered without it.
const ASIDE: Duration = Duration::from_secs(60);

/// Waits a moment for the server of a file to start and to load the project. The rest goes on in the background, so
/// that a later call finds it done.
pub(super) fn await_server(
    call: &ToolCall<'_>,
    workspace: &Arc<Workspace>,
    file: &WsPath,
) -> Result<(), LiveError> {
    let cancel = call.cancel.with_deadline(Deadline::after(LATE_AFTER));
    let read = |path: &WsPath| text_of(workspace, path);
    let asking = ServerQueryContext { read: &read, cancel: &cancel };
    let ready = |server: &Instance| requests::await_loaded_for(server, file, asking);
    let outcome = workspace.live().ask(&workspace.project(), file, &cancel, ready);
    if matches!(outcome, Err(LiveError::Stopped { .. })) {
        prepare_server(workspace, file);
    }
    outcome
}

/// Continues the start of a server in the background, and shows it a file, which makes it load the project.
fn prepare_server(workspace: &Arc<Workspace>, file: &WsPath) {
    let Some(preparing) = workspace.try_prepare() else { return };
    let file = file.clone();
    let body = move || {
        let workspace = preparing.workspace();
        let cancel = preparing.cancel().with_deadline(Deadline::after(ASIDE));
        let read = |path: &WsPath| text_of(workspace, path);
        let asking = ServerQueryContext { read: &read, cancel: &cancel };
        let ready = |server: &Instance| requests::await_loaded_for(server, &file, asking);
        let outcome = workspace.live().ask(&workspace.project(), &file, &cancel, ready);
        tracing::debug!(%file, ?outcome, "made a language server ready aside");
    };
    if let Err(error) = std::thread::Builder::new().name("hob-lsp-ahead".to_owned()).spawn(body) {
        tracing::debug!(%error, "no thread to make a language server ready on");
    }
}
