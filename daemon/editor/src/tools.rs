//! Runs a tool for an editor: the same call that an agent makes; the result is the call's envelope.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use hob_base::{AbsPath, CancelToken, Deadline, WsPath};
use hob_live::documents::Doc;
use hob_live::rpc::{ResponseError, codes};
use hob_proto::{ClientKind, Form};
use serde_json::{Map, Value};

use super::ServedEditor;
use super::begin::path_of;
use super::editor_session::{PromisedAnswer, Worker};
use super::own::{Tool, ToolContext, ToolDocument, tool_of};
use super::request::EditorRequest;
use super::shape::translate::{self, MessageDocuments};
use hob_calls::{CallRequest, EditorClient};
use hob_host::Host;

/// Longest time for a tool call of an editor.
const PATIENCE: Duration = Duration::from_secs(60);

/// The documents that the editor has open, by their URIs.
type OpenTexts = HashMap<String, (AbsPath, WsPath, Arc<str>)>;

impl ServedEditor {
    /// Runs the tool of a request of hob's own.
    pub(super) fn run_own_tool(&mut self, request: EditorRequest) {
        let Some(root) = self.any_root() else {
            let error = ResponseError::new(codes::REQUEST_FAILED, "the editor has no folder open");
            return self.editor_session.refuse_request(&request.id, &error);
        };
        let token = CancelToken::new(Deadline::after(PATIENCE));
        self.editor_session.set_worker(&request.id, Worker::Thread(token.clone()));
        let open = self.documents.iter().filter_map(|(uri, document)| match &document.doc {
            Doc::Inside(path) => {
                Some((uri.clone(), (document.root.clone(), path.clone(), Arc::clone(&document.text))))
            }
            Doc::Outside(_) => None,
        });
        let open: OpenTexts = open.collect();
        let (host, calls, editor_session) =
            (Arc::clone(&self.host), Arc::clone(&self.calls), Arc::clone(&self.editor_session));
        let (client, folders) = (self.client.clone(), self.folders.clone());
        let id = request.id.clone();
        let promise = PromisedAnswer::new(Arc::clone(&editor_session), id.clone());
        let encoding = self.editor_session.abilities_and_encoding().1;
        let run = move || {
            let _promise = promise;
            let params = request.value();
            let asked =
                params.pointer("/textDocument/uri").and_then(Value::as_str).unwrap_or_default().to_owned();
            let texts = |uri: &str| open.get(uri).map(|(_, _, text)| Arc::clone(text));
            let params =
                translate::to_server(params, encoding, MessageDocuments { asked: &asked, texts: &texts });
            let find = |uri: &str| find(&host, &open, &folders, uri);
            let asking = ToolContext { find: &find, cancel: &token };
            match tool_of(&request.method, &params, &asking) {
                Some(Ok(tool)) => {
                    let answer = calls.call(call(tool, &client, root, token.clone()));
                    editor_session.answer_raw(&request.id, &answer.envelope);
                }
                Some(Err(why)) => {
                    editor_session
                        .refuse_request(&request.id, &ResponseError::new(codes::INVALID_PARAMS, why));
                }
                None => editor_session.answer_raw(&request.id, "null"),
            }
        };
        self.editor_session.work_aside("hob-editor-own", &id, run);
    }
}

fn call(tool: Tool, client: &EditorClient, root: AbsPath, cancel: CancelToken) -> CallRequest {
    CallRequest {
        tool: tool.name.to_owned(),
        args: tool.args,
        root,
        cancel,
        progress: None,
        client: ClientKind::Lsp,
        caller: Arc::clone(&client.caller),
        clients: 1,
        identity: client.identity.clone(),
        // Editors edit by themselves.
        edits: false,
        form: Form::Json,
        offers: Vec::new(),
        replies: Map::new(),
        followed: false,
    }
}

fn find(host: &Host, open: &OpenTexts, folders: &[AbsPath], uri: &str) -> Option<ToolDocument> {
    if let Some((root, path, text)) = open.get(uri) {
        let workspace = host.workspace(root).ok()?;
        return Some(ToolDocument { workspace, path: path.clone(), text: Some(Arc::clone(text)) });
    }
    let path = path_of(&uri.into())?;
    let folder = folders.iter().find(|folder| path.relative_to(folder).is_ok())?;
    let workspace = host.workspace(folder).ok()?;
    let path = path.relative_to(workspace.root()).ok()?;
    Some(ToolDocument { workspace, path, text: None })
}
