//! Asking a language server on behalf of a call: what every tool that does so has in common.

use std::cell::Cell;
use std::time::Duration;

use hob_base::{Deadline, WsPath};
use hob_live::instance::Instance;
use hob_live::live::LiveError;
use hob_live::requests::Asking;

use super::{ToolCall, unsaved};
use crate::host::Workspace;

/// A file's present text as servers have it, unsaved changes of editors included; servers are given nothing that is no text.
pub(super) fn text_of(workspace: &Workspace, path: &WsPath) -> Option<String> {
    let bytes = unsaved::bytes(workspace, path)?;
    std::str::from_utf8(&bytes).ok().map(str::to_owned)
}

/// Puts a question to the server that a file belongs to. What it costs that this one runs restricted is said with its answer.
pub(super) fn ask<T>(
    call: &mut ToolCall<'_>,
    (workspace, file): (&Workspace, &WsPath),
    patience: Duration,
    question: impl Fn(&Instance, Asking<'_>) -> Result<T, LiveError>,
) -> Result<T, LiveError> {
    let cancel = call.cancel.with_deadline(Deadline::after(patience));
    let read = |path: &WsPath| text_of(workspace, path);
    let project = workspace.project();
    let asking = Asking { read: &read, cancel: &cancel };
    let answered_by = Cell::new(None);
    let outcome = workspace.live().ask(&project, file, &cancel, |server| {
        answered_by.set(Some(server.launch_spec()));
        question(server, asking)
    });
    if let Some(spec) = answered_by.take().filter(|_| outcome.is_ok()) {
        call.warn_of_restriction(&project, &spec);
        let mut taken = unsaved::of(workspace);
        taken.retain(|(path, _)| spec.language_of(path.file_name()).is_some());
        call.warnings.extend(unsaved::taken_into_account(&taken));
    }
    outcome
}
