//! Answers a running server's requests, and handles its notifications.
//!
//! Some servers stop for ever at a request that nobody answers, so every request gets an answer. If an attached editor
//! can answer, the request goes to that editor (see [`crate::multiplexer`]). Without one, no answer lets a server do
//! anything: edits are refused here, because hob writes nothing without a preview. The settings are hob's own, because
//! a server has one set of them for all its users.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::diagnostics::DiagnosticsStore;
use crate::multiplexer::Multiplexer;
use crate::ready::ReadyWatch;
use crate::rpc::{Peer, Reply, ResponseError, codes};
use crate::spec::ServerSpec;
use crate::uri;

/// Most characters of a server's message about its own state that are shown.
const MESSAGE: usize = 300;

/// The state of one running server beside its process and connection.
#[derive(Debug)]
pub struct ServerSession {
    /// The watch over the server's readiness.
    pub ready: ReadyWatch,
    /// The diagnostics that the server has pushed.
    pub diagnostics: DiagnosticsStore,
    /// The editors that use the server.
    pub multiplexer: Multiplexer,
    spec: Arc<ServerSpec>,
    folders: Value,
    settings: Value,
    /// Registrations of methods at run time, by their id.
    registered: Mutex<BTreeMap<String, String>>,
}

impl ServerSession {
    /// Creates the session of a server of this kind that works on `folders` (as the protocol writes them) with these
    /// settings.
    #[must_use]
    pub fn new(spec: Arc<ServerSpec>, folders: Value, settings: Value) -> Self {
        Self {
            ready: ReadyWatch::new(spec.ready),
            diagnostics: DiagnosticsStore::default(),
            multiplexer: Multiplexer::default(),
            spec,
            folders,
            settings,
            registered: Mutex::default(),
        }
    }

    /// Returns true if the server has registered a method at run time.
    #[must_use]
    pub fn has_registered(&self, method: &str) -> bool {
        self.lock_registrations().values().any(|registered| registered == method)
    }

    /// Returns the settings of the requested sections; `null` for a section without settings, which every server reads
    /// as its defaults.
    fn settings_of_sections(&self, params: &Value) -> Value {
        let items = params["items"].as_array().map_or(&[][..], Vec::as_slice);
        let setting = |item: &Value| match item["section"].as_str() {
            None | Some("") => self.settings.clone(),
            Some(section) => section
                .split('.')
                .try_fold(&self.settings, |at, key| at.get(key))
                .cloned()
                .unwrap_or(Value::Null),
        };
        items.iter().map(setting).collect()
    }

    fn add_registrations(&self, params: &Value) {
        let mut registered = self.lock_registrations();
        for one in params["registrations"].as_array().into_iter().flatten() {
            if let (Some(id), Some(method)) = (one["id"].as_str(), one["method"].as_str())
                && is_registrable(&registered, id, method)
            {
                registered.insert(id.to_owned(), method.to_owned());
            }
        }
    }

    fn remove_registrations(&self, params: &Value) {
        let mut registered = self.lock_registrations();
        // The protocol's own misspelling, and the correct word.
        for list in ["unregisterations", "unregistrations"] {
            for one in params[list].as_array().into_iter().flatten() {
                one["id"].as_str().map(|id| registered.remove(id));
            }
        }
    }

    fn handle_registration(&self, method: &str, params: Option<&RawValue>) {
        let parsed = value(params);
        if method == "client/registerCapability" {
            self.add_registrations(&parsed);
            self.multiplexer.add_registrations(params, &parsed);
        } else {
            self.remove_registrations(&parsed);
            self.multiplexer.remove_registrations(params, &parsed);
        }
    }

    fn lock_registrations(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        // Each entry is inserted or removed at once.
        self.registered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Most registrations of a server, and most bytes of one; further and larger ones do not count.
const MOST_REGISTERED: usize = 1_024;
const LONGEST_WORD: usize = 4_096;

fn is_registrable(registered: &BTreeMap<String, String>, id: &str, method: &str) -> bool {
    let is_short = id.len() <= LONGEST_WORD && method.len() <= LONGEST_WORD;
    is_short && (registered.len() < MOST_REGISTERED || registered.contains_key(id))
}

fn value(params: Option<&RawValue>) -> Value {
    params.and_then(|params| serde_json::from_str(params.get()).ok()).unwrap_or(Value::Null)
}

/// Returns a server's status with its message as one line of limited length, and with advice where there is any.
fn with_advice(mut status: Value, spec: &ServerSpec) -> Value {
    let message = status["message"].as_str().unwrap_or_default();
    if !message.is_empty() {
        let short: Vec<&str> = message.split_whitespace().collect();
        let short: String = short.join(" ").chars().take(MESSAGE).collect();
        let advice = spec.advice_on(message).map(|advice| format!("; {advice}"));
        status["message"] = Value::String(short + &advice.unwrap_or_default());
    }
    status
}

impl Peer for ServerSession {
    fn request(&self, method: &str, params: Option<&RawValue>, reply: Reply) {
        let asked = |reply| self.multiplexer.ask_one(method, params, reply);
        // `null` means "no choice was made", "seen", or "done", by method.
        let by_hob = match method {
            "workspace/configuration" => return reply.send(&Ok(self.settings_of_sections(&value(params)))),
            "workspace/workspaceFolders" => return reply.send(&Ok(self.folders.clone())),
            "client/registerCapability" | "client/unregisterCapability" => {
                self.handle_registration(method, params);
                return reply.send(&Ok(Value::Null));
            }
            "window/workDoneProgress/create" => {
                self.multiplexer.announce_progress(params);
                return reply.send(&Ok(Value::Null));
            }
            refresh if refresh.starts_with("workspace/") && refresh.ends_with("/refresh") => {
                self.multiplexer.ask_all(method, params);
                return reply.send(&Ok(Value::Null));
            }
            "workspace/applyEdit" => {
                Ok(json!({"applied": false, "failureReason": "edits are previewed and applied by the user"}))
            }
            "window/showDocument" => Ok(json!({"success": false})),
            "window/showMessageRequest" => Ok(Value::Null),
            unknown => {
                Err(ResponseError::new(codes::METHOD_NOT_FOUND, format!("hob does not know `{unknown}`")))
            }
        };
        if let Err(reply) = asked(reply) {
            reply.send(&by_hob);
        }
    }

    fn notification(&self, method: &str, params: Option<&RawValue>) {
        match method {
            "$/progress" => {
                let parsed = value(params);
                self.ready.handle_progress(&parsed);
                return self.multiplexer.pass_progress_on(params, &parsed);
            }
            "window/logMessage" | "window/showMessage" => {
                let params = value(params);
                let text = params["message"].as_str().unwrap_or_default();
                tracing::debug!(text, "a language server says");
                self.ready.handle_log_message(text);
            }
            "experimental/serverStatus" => self.ready.status(&with_advice(value(params), &self.spec)),
            "textDocument/publishDiagnostics" => {
                let parsed = params.and_then(|params| uri::read_json(params.get()).ok());
                if let Some(params) = parsed {
                    self.diagnostics.record_published(params);
                }
            }
            other => tracing::trace!(method = other, "a notification that hob has no use for"),
        }
        self.multiplexer.notify_all(method, params);
    }

    fn closed(&self, why: &str) {
        tracing::debug!(why, "a connection to a language server has ended");
        self.multiplexer.close_all(why);
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;
    use crate::catalogue;
    use crate::rpc::RpcClient;
    use crate::rpc::jsonrpc::Incoming;
    use crate::rpc::transport::{MessageReader, write_body};

    fn new_session() -> Arc<ServerSession> {
        let spec = Arc::new(ServerSpec::cautious_defaults());
        let settings = json!({"python": {"analysis": {"mode": "off"}}});
        Arc::new(ServerSession::new(spec, json!([{"uri": "file:///p", "name": "p"}]), settings))
    }

    /// Returns the session's answer, as it arrives at the server's end of a connection.
    fn ask_as_server(
        session: &Arc<ServerSession>,
        method: &str,
        params: &Value,
    ) -> Result<Value, ResponseError> {
        let (from_hob, to_server) = std::io::pipe().expect("a pipe");
        let (from_server, mut to_hob) = std::io::pipe().expect("a pipe");
        let peer: Arc<dyn Peer> = Arc::<ServerSession>::clone(session);
        let _client = RpcClient::start(to_server, from_server, peer).expect("threads");
        let question = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        write_body(&mut to_hob, question.as_bytes()).expect("hob reads");
        let mut reader = MessageReader::new(BufReader::new(from_hob));
        loop {
            let body = reader.next_body().expect("whole").expect("there is an answer");
            if let Ok(Incoming::Response { outcome, .. }) = Incoming::parse(&body) {
                return outcome.map(|raw| {
                    raw.map_or(Value::Null, |raw| serde_json::from_str(raw.get()).expect("JSON"))
                });
            }
        }
    }

    fn raw_params(value: &Value) -> Option<Box<RawValue>> {
        Some(serde_json::value::to_raw_value(value).expect("JSON"))
    }

    #[test]
    fn settings_are_answered_item_by_item() {
        let items = json!({"items": [
            {"section": "python.analysis"}, {"section": "python.other"}, {"section": "deno"}, {}
        ]});
        let answer = ask_as_server(&new_session(), "workspace/configuration", &items).expect("answered");
        assert_eq!(answer, json!([{"mode": "off"}, null, null, {"python": {"analysis": {"mode": "off"}}}]));
        assert_eq!(ask_as_server(&new_session(), "workspace/configuration", &json!(7)), Ok(json!([])));
    }

    #[test]
    fn registrations_come_and_go() {
        let session = new_session();
        let one = json!({"id": "1", "method": "textDocument/references"});
        assert_eq!(
            ask_as_server(&session, "client/registerCapability", &json!({"registrations": [one, 5]})),
            Ok(Value::Null)
        );
        assert!(session.has_registered("textDocument/references"));
        let gone = json!({"unregisterations": [{"id": "1", "method": "textDocument/references"}]});
        assert_eq!(ask_as_server(&session, "client/unregisterCapability", &gone), Ok(Value::Null));
        assert!(!session.has_registered("textDocument/references"));
    }

    #[test]
    fn a_known_complaint_comes_with_what_to_do() {
        let spec = catalogue::by_name("rust-analyzer").expect("it is known");
        let session = ServerSession::new(Arc::clone(spec), json!([]), Value::Null);
        let status = json!({"health": "warning", "quiescent": true,
            "message": "Workspace has sysroot errors:\n  can't find standard library sources in /x"});
        session.notification("experimental/serverStatus", raw_params(&status).as_deref());
        let said = session.ready.readiness().to_string();
        assert!(
            said.contains("errors: can't find") && said.contains("rustup component add rust-src"),
            "{said}"
        );
        let other = json!({"health": "error", "quiescent": true, "message": "x".repeat(4000)});
        session.notification("experimental/serverStatus", raw_params(&other).as_deref());
        assert!(session.ready.readiness().to_string().len() < 400);
    }

    #[test]
    fn no_server_may_edit_and_no_question_stays_open() {
        let edit = ask_as_server(&new_session(), "workspace/applyEdit", &json!({})).expect("answered");
        assert_eq!(edit["applied"], false);
        assert_eq!(
            ask_as_server(&new_session(), "workspace/semanticTokens/refresh", &json!(null)),
            Ok(Value::Null)
        );
        assert!(
            ask_as_server(&new_session(), "markdown/parse", &json!({}))
                .is_err_and(|e| e.code == codes::METHOD_NOT_FOUND)
        );
    }
}
