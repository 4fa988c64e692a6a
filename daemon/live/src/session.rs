//! Answers what a server asks while it lives, and takes what it tells.
//!
//! Some servers stop for ever at a question that nobody answers, so every question has an answer. What an attached editor can answer
//! is asked there (see [`crate::share`]); without one, nothing lets a server do anything: edits are refused here, because hob
//! writes nothing that was not previewed. Its settings are hob's own, because it has one set of them, whoever uses it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::diagnostics::Verdicts;
use crate::ready::ReadyWatch;
use crate::rpc::{Peer, Reply, ResponseError, codes};
use crate::share::Share;
use crate::spec::ServerSpec;
use crate::uri;

/// Characters of a server's message about its own state that are shown.
const MESSAGE: usize = 300;

/// The state of one running server beside its process and connection.
#[derive(Debug)]
pub struct Session {
    /// The watch over the server's readiness.
    pub ready: ReadyWatch,
    /// The diagnostics that the server has pushed.
    pub verdicts: Verdicts,
    /// The editors that use it.
    pub share: Share,
    spec: Arc<ServerSpec>,
    folders: Value,
    settings: Value,
    /// Registrations of methods at run time, by their id.
    registered: Mutex<BTreeMap<String, String>>,
}

impl Session {
    /// For a server of a kind that works on `folders` (as the protocol writes them) with these settings.
    #[must_use]
    pub fn new(spec: Arc<ServerSpec>, folders: Value, settings: Value) -> Self {
        Self {
            ready: ReadyWatch::new(spec.ready),
            verdicts: Verdicts::default(),
            share: Share::default(),
            spec,
            folders,
            settings,
            registered: Mutex::default(),
        }
    }

    /// Returns true if the server has registered a method at run time.
    #[must_use]
    pub fn has_registered(&self, method: &str) -> bool {
        self.registrations().values().any(|registered| registered == method)
    }

    /// The settings of the sections asked for; `null` for one that has none, which every server takes for its defaults.
    fn configuration(&self, params: &Value) -> Value {
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

    fn register(&self, params: &Value) {
        let mut registered = self.registrations();
        for one in params["registrations"].as_array().into_iter().flatten() {
            if let (Some(id), Some(method)) = (one["id"].as_str(), one["method"].as_str()) {
                registered.insert(id.to_owned(), method.to_owned());
            }
        }
    }

    fn unregister(&self, params: &Value) {
        let mut registered = self.registrations();
        // The protocol's own spelling, and what it should have been.
        for list in ["unregisterations", "unregistrations"] {
            for one in params[list].as_array().into_iter().flatten() {
                one["id"].as_str().map(|id| registered.remove(id));
            }
        }
    }

    fn registers(&self, method: &str, params: Option<&RawValue>) {
        let parsed = value(params);
        if method == "client/registerCapability" {
            self.register(&parsed);
            self.share.register(params, &parsed);
        } else {
            self.unregister(&parsed);
            self.share.unregister(params, &parsed);
        }
    }

    fn registrations(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        // Entries are inserted and removed whole.
        self.registered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn value(params: Option<&RawValue>) -> Value {
    params.and_then(|params| serde_json::from_str(params.get()).ok()).unwrap_or(Value::Null)
}

/// A server's status with its message in one line of a sane length, and with what to do about it where that is known.
fn advised(mut status: Value, spec: &ServerSpec) -> Value {
    let message = status["message"].as_str().unwrap_or_default();
    if !message.is_empty() {
        let short: Vec<&str> = message.split_whitespace().collect();
        let short: String = short.join(" ").chars().take(MESSAGE).collect();
        let advice = spec.advice_on(message).map(|advice| format!("; {advice}"));
        status["message"] = Value::String(short + &advice.unwrap_or_default());
    }
    status
}

impl Peer for Session {
    fn request(&self, method: &str, params: Option<&RawValue>, reply: Reply) {
        let asked = |reply| self.share.ask_one(method, params, reply);
        // `null` is "no choice was made", "seen", or "done", as the method has it.
        let by_hob = match method {
            "workspace/configuration" => return reply.send(&Ok(self.configuration(&value(params)))),
            "workspace/workspaceFolders" => return reply.send(&Ok(self.folders.clone())),
            "client/registerCapability" | "client/unregisterCapability" => {
                self.registers(method, params);
                return reply.send(&Ok(Value::Null));
            }
            "window/workDoneProgress/create" => {
                self.share.created(params);
                return reply.send(&Ok(Value::Null));
            }
            refresh if refresh.starts_with("workspace/") && refresh.ends_with("/refresh") => {
                self.share.ask_all(method, params);
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
                self.ready.progress(&parsed);
                return self.share.progress(params, &parsed);
            }
            "window/logMessage" | "window/showMessage" => {
                let params = value(params);
                let text = params["message"].as_str().unwrap_or_default();
                tracing::debug!(text, "a language server says");
                self.ready.log(text);
            }
            "experimental/serverStatus" => self.ready.status(&advised(value(params), &self.spec)),
            "textDocument/publishDiagnostics" => {
                let parsed = params.and_then(|params| uri::read_json(params.get()).ok());
                if let Some(params) = parsed {
                    self.verdicts.take_in(params);
                }
            }
            other => tracing::trace!(method = other, "a notification that hob has no use for"),
        }
        self.share.tell(method, params);
    }

    fn closed(&self, why: &str) {
        tracing::debug!(why, "a connection to a language server has ended");
        self.share.closed(why);
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;
    use crate::catalogue;
    use crate::rpc::Client;
    use crate::rpc::jsonrpc::Incoming;
    use crate::rpc::transport::{MessageReader, write_body};

    fn session() -> Arc<Session> {
        let spec = Arc::new(ServerSpec::cautious());
        let settings = json!({"python": {"analysis": {"mode": "off"}}});
        Arc::new(Session::new(spec, json!([{"uri": "file:///p", "name": "p"}]), settings))
    }

    /// Returns the session's answer, as it arrives at the server's end of a connection.
    fn ask(session: &Arc<Session>, method: &str, params: &Value) -> Result<Value, ResponseError> {
        let (from_hob, to_server) = std::io::pipe().expect("a pipe");
        let (from_server, mut to_hob) = std::io::pipe().expect("a pipe");
        let peer: Arc<dyn Peer> = Arc::<Session>::clone(session);
        let _client = Client::start(to_server, from_server, peer).expect("threads");
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

    fn raw(value: &Value) -> Option<Box<RawValue>> {
        Some(serde_json::value::to_raw_value(value).expect("JSON"))
    }

    #[test]
    fn settings_are_answered_item_by_item() {
        let items = json!({"items": [
            {"section": "python.analysis"}, {"section": "python.other"}, {"section": "deno"}, {}
        ]});
        let answer = ask(&session(), "workspace/configuration", &items).expect("answered");
        assert_eq!(answer, json!([{"mode": "off"}, null, null, {"python": {"analysis": {"mode": "off"}}}]));
        assert_eq!(ask(&session(), "workspace/configuration", &json!(7)), Ok(json!([])));
    }

    #[test]
    fn registrations_come_and_go() {
        let session = session();
        let one = json!({"id": "1", "method": "textDocument/references"});
        assert_eq!(
            ask(&session, "client/registerCapability", &json!({"registrations": [one, 5]})),
            Ok(Value::Null)
        );
        assert!(session.has_registered("textDocument/references"));
        let gone = json!({"unregisterations": [{"id": "1", "method": "textDocument/references"}]});
        assert_eq!(ask(&session, "client/unregisterCapability", &gone), Ok(Value::Null));
        assert!(!session.has_registered("textDocument/references"));
    }

    #[test]
    fn a_known_complaint_comes_with_what_to_do() {
        let spec = catalogue::by_name("rust-analyzer").expect("it is known");
        let session = Session::new(Arc::clone(spec), json!([]), Value::Null);
        let status = json!({"health": "warning", "quiescent": true,
            "message": "Workspace has sysroot errors:\n  can't find standard library sources in /x"});
        session.notification("experimental/serverStatus", raw(&status).as_deref());
        let said = session.ready.now().to_string();
        assert!(
            said.contains("errors: can't find") && said.contains("rustup component add rust-src"),
            "{said}"
        );
        let other = json!({"health": "error", "quiescent": true, "message": "x".repeat(4000)});
        session.notification("experimental/serverStatus", raw(&other).as_deref());
        assert!(session.ready.now().to_string().len() < 400);
    }

    #[test]
    fn no_server_may_edit_and_no_question_stays_open() {
        let edit = ask(&session(), "workspace/applyEdit", &json!({})).expect("answered");
        assert_eq!(edit["applied"], false);
        assert_eq!(ask(&session(), "workspace/semanticTokens/refresh", &json!(null)), Ok(Value::Null));
        assert!(
            ask(&session(), "markdown/parse", &json!({})).is_err_and(|e| e.code == codes::METHOD_NOT_FOUND)
        );
    }
}
