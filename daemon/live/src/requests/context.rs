//! Prepares a question to a server about a file: checks that the server can answer it, knows the file and has loaded
//! what it needs.

use std::time::Duration;

use lsp_types::request::Request;

use hob_base::{CancelToken, WsPath};

use super::place::RequestPosition;
use crate::documents::ReadText;
use crate::instance::{Instance, ServerAnswer};
use crate::live::{LiveError, of_call};

/// Longest time that a question waits for a server that is still loading.
pub(super) const READY_WITHIN: Duration = Duration::from_secs(8);

/// The parts that every question has: a reader of files, and a token that ends it.
#[derive(Clone, Copy)]
pub struct ServerQueryContext<'a> {
    /// Reads the present contents of files of the workspace.
    pub read: ReadText<'a>,
    /// Ends the question when it is cancelled.
    pub cancel: &'a CancelToken,
}

impl ServerQueryContext<'_> {
    /// Sends a question about a place in a file, after opening the file if the server needs that.
    pub(super) fn ask_about_place<R: Request>(
        &self,
        instance: &Instance,
        at: &RequestPosition,
        question: (&str, &R::Params),
    ) -> Result<ServerAnswer<R::Result>, LiveError> {
        let (capability, params) = question;
        self.about_within::<R>(instance, at, capability, params, READY_WITHIN)
    }

    /// Sends a question as [`ServerQueryContext::ask_about_place`] does, but waits at most `patience` for a server that
    /// is still loading.
    pub(super) fn about_within<R: Request>(
        &self,
        instance: &Instance,
        at: &RequestPosition,
        capability: &str,
        params: &R::Params,
        patience: Duration,
    ) -> Result<ServerAnswer<R::Result>, LiveError> {
        let server = instance.spec().name;
        if !instance.has_capability(capability, R::METHOD) {
            return Err(LiveError::Unsupported { server, question: R::METHOD });
        }
        self.open(instance, &at.file, R::METHOD)?;
        let answer = instance.ask_whole::<R>(params, patience, self.cancel);
        answer.map_err(|error| of_call(server, R::METHOD, error))
    }

    /// Opens a file, if the server needs files open for questions about them, or does not know this one.
    pub(super) fn open(
        &self,
        instance: &Instance,
        file: &WsPath,
        question: &'static str,
    ) -> Result<(), LiveError> {
        if !instance.spec().open.wants_asked_file() && instance.version(file).is_some() {
            return Ok(());
        }
        let server = instance.spec().name;
        let opened = instance.open(file, self.read).map_err(|error| of_call(server, question, error))?;
        if opened { Ok(()) } else { Err(LiveError::Unreadable(file.clone())) }
    }
}

/// Waits until a server has loaded what it needs for questions about a file, as long as `asking` allows.
///
/// # Errors
/// [`LiveError::Loading`] if it has not loaded by then.
pub fn await_loaded_for(
    instance: &Instance,
    file: &WsPath,
    asking: ServerQueryContext<'_>,
) -> Result<(), LiveError> {
    asking.open(instance, file, "textDocument/didOpen")?;
    await_project_loaded(instance, asking.cancel)
}

/// Waits as [`await_loaded_for`] does, for questions about no file.
///
/// # Errors
/// As [`await_loaded_for`].
pub fn await_project_loaded(instance: &Instance, cancel: &CancelToken) -> Result<(), LiveError> {
    let server = instance.spec().name;
    match instance.session().ready.await_loaded(cancel) {
        Err(stopped) => Err(LiveError::Stopped { server, stopped }),
        Ok(Some(what)) => Err(LiveError::Loading { server, what }),
        Ok(None) => Ok(()),
    }
}
