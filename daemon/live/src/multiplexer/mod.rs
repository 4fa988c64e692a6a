//! Lets several editors use one server's connection: decides which editors get its messages, and which one answers its
//! requests.
//!
//! All editors get the messages that concern all: diagnostics, messages, progress of the server's own work,
//! registrations. A request of the server goes to one editor: an edit to the editor that runs a command, anything else
//! to the editor that was active last. Where no editor can answer, hob does, as it does without editors. Progress that
//! an editor asked for goes to that editor alone, under the token that it chose. An editor that comes late gets the
//! messages that still hold.

mod tokens;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use crate::documents::EditorId;
use crate::rpc::Reply;
use tokens::Tokens;

/// Most registrations that a server may have at once, and most bytes of one; further and larger ones do not count.
const MOST_REGISTERED: usize = 1_024;
const LONGEST_REGISTRATION: usize = 256 << 10;

/// An editor that is attached to a server. Its methods run on the thread that reads from the server, and must not wait.
pub trait Observer: Send + Sync {
    /// Returns the number of the editor.
    fn editor(&self) -> EditorId;

    /// Returns true if the editor can answer a request of this method.
    fn answers(&self, method: &str) -> bool;

    /// Handles a notification of the server.
    fn notification(&self, method: &str, params: Option<&RawValue>);

    /// Handles a request of the server. Without `reply` the request goes to all editors, and nobody waits for the
    /// answer.
    fn request(&self, method: &str, params: Option<&RawValue>, reply: Option<Reply>);

    /// Records that the server is gone.
    fn closed(&self, why: &str);
}

struct Attachment {
    observer: Arc<dyn Observer>,
    /// The time of its last activity: a place in the order of all such times.
    active: u64,
    /// Number of its commands that the server is carrying out.
    commands: usize,
}

#[derive(Default)]
struct MultiplexerState {
    attached: Vec<Attachment>,
    now: u64,
    /// The server's registrations at run time, by its ids for them.
    registered: BTreeMap<String, Value>,
    tokens: Tokens,
}

/// The editors of one server.
#[derive(Default)]
pub struct Multiplexer {
    state: Mutex<MultiplexerState>,
}

impl std::fmt::Debug for Multiplexer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Share").field("editors", &self.lock().attached.len()).finish()
    }
}

impl Multiplexer {
    /// Attaches an editor, and tells it of the registrations and the progress under way.
    pub fn attach_editor(&self, observer: Arc<dyn Observer>) {
        let mut state = self.lock();
        if !state.registered.is_empty() {
            let all: Vec<&Value> = state.registered.values().collect();
            let params = to_raw_value(&json!({"registrations": all})).ok();
            observer.request("client/registerCapability", params.as_deref(), None);
        }
        for (create, begin) in state.tokens.under_way() {
            observer.request("window/workDoneProgress/create", Some(create), None);
            if let Some(begin) = begin {
                observer.notification("$/progress", Some(begin));
            }
        }
        state.now += 1;
        let active = state.now;
        state.attached.push(Attachment { observer, active, commands: 0 });
    }

    /// Detaches an editor, and drops its tokens.
    pub fn detach_editor(&self, editor: EditorId) {
        let mut state = self.lock();
        state.attached.retain(|it| it.observer.editor() != editor);
        state.tokens.forget_editor(editor);
    }

    /// Returns the number of attached editors.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lock().attached.len()
    }

    /// Returns true if no editor is attached.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Records an editor's activity: the server's next request is probably for this editor. With `command`, the
    /// server's edits are for it until [`Multiplexer::command_ended`].
    pub fn note_activity(&self, editor: EditorId, command: bool) {
        let mut state = self.lock();
        state.now += 1;
        let now = state.now;
        if let Some(it) = state.attached.iter_mut().find(|it| it.observer.editor() == editor) {
            it.active = now;
            it.commands += usize::from(command);
        }
    }

    /// Records that a command of an editor has ended.
    pub fn command_ended(&self, editor: EditorId) {
        let mut state = self.lock();
        if let Some(it) = state.attached.iter_mut().find(|it| it.observer.editor() == editor) {
            it.commands = it.commands.saturating_sub(1);
        }
    }

    /// Returns the parameters of an editor's request with its own tokens replaced by unique ones; `None` if there are
    /// no tokens. The second value lists the tokens to forget when the request is answered.
    #[must_use]
    pub fn with_own_tokens(
        &self,
        editor: EditorId,
        params: &RawValue,
    ) -> Option<(Box<RawValue>, Vec<String>)> {
        tokens::may_have(params).then(|| self.lock().tokens.replace(editor, params)).flatten()
    }

    /// Forgets the tokens of a request that is answered.
    pub fn forget_tokens(&self, tokens: &[String]) {
        let mut state = self.lock();
        tokens.iter().for_each(|token| state.tokens.forget_token(token));
    }

    /// Returns the server's own token for the progress that an editor knows as `token`.
    #[must_use]
    pub fn servers_token(&self, token: &Value) -> Option<Value> {
        self.lock().tokens.server_token(token)
    }

    /// Returns the full registrations of a method.
    #[must_use]
    pub fn registrations_of(&self, method: &str) -> Vec<Value> {
        let state = self.lock();
        state.registered.values().filter(|it| it["method"] == method).cloned().collect()
    }

    /// Returns all registrations.
    #[must_use]
    pub fn all_registrations(&self) -> Vec<Value> {
        self.lock().registered.values().cloned().collect()
    }

    pub(crate) fn add_registrations(&self, params: Option<&RawValue>, parsed: &Value) {
        let mut state = self.lock();
        let is_short = params.is_none_or(|params| params.get().len() <= LONGEST_REGISTRATION);
        let mut counts = is_short;
        for one in parsed["registrations"].as_array().into_iter().flatten().filter(|_| is_short) {
            let Some(id) = one["id"].as_str() else { continue };
            if state.registered.len() < MOST_REGISTERED || state.registered.contains_key(id) {
                state.registered.insert(id.to_owned(), one.clone());
            } else {
                counts = false;
            }
        }
        drop(state);
        match counts {
            true => self.ask_all("client/registerCapability", params),
            false => tracing::warn!("a language server registers more than is kept; that does not count"),
        }
    }

    pub(crate) fn remove_registrations(&self, params: Option<&RawValue>, parsed: &Value) {
        let mut state = self.lock();
        for list in ["unregisterations", "unregistrations"] {
            for one in parsed[list].as_array().into_iter().flatten() {
                one["id"].as_str().map(|id| state.registered.remove(id));
            }
        }
        drop(state);
        self.ask_all("client/unregisterCapability", params);
    }

    pub(crate) fn announce_progress(&self, params: Option<&RawValue>) {
        if let Some(params) = params {
            self.lock().tokens.note_created(params);
        }
        self.ask_all("window/workDoneProgress/create", params);
    }

    pub(crate) fn pass_progress_on(&self, params: Option<&RawValue>, parsed: &Value) {
        let owner = self.lock().tokens.owner_of_report(parsed);
        match (owner, params) {
            (Some((editor, token)), _) => {
                let mut mine = parsed.clone();
                mine["token"] = token;
                let observer = self.lock().find(editor);
                if let (Some(observer), Ok(mine)) = (observer, to_raw_value(&mine)) {
                    observer.notification("$/progress", Some(&mine));
                }
            }
            (None, Some(raw)) => {
                self.lock().tokens.note_progress(raw, parsed);
                self.notify_all("$/progress", params);
            }
            (None, None) => {}
        }
    }

    /// Sends a notification to every editor.
    pub(crate) fn notify_all(&self, method: &str, params: Option<&RawValue>) {
        for observer in self.attached_editors() {
            observer.notification(method, params);
        }
    }

    /// Sends a request to every editor, and waits for no answer.
    pub(crate) fn ask_all(&self, method: &str, params: Option<&RawValue>) {
        for observer in self.attached_editors() {
            observer.request(method, params, None);
        }
    }

    /// Sends a request to the editor that it concerns; returns the reply if there is none.
    pub(crate) fn ask_one(&self, method: &str, params: Option<&RawValue>, reply: Reply) -> Result<(), Reply> {
        let concerned = {
            let state = self.lock();
            let able = state.attached.iter().filter(|it| it.observer.answers(method));
            able.max_by_key(|it| (it.commands > 0, it.active)).map(|it| Arc::clone(&it.observer))
        };
        match concerned {
            Some(observer) => {
                observer.request(method, params, Some(reply));
                Ok(())
            }
            None => Err(reply),
        }
    }

    pub(crate) fn close_all(&self, why: &str) {
        let gone = std::mem::take(&mut self.lock().attached);
        gone.iter().for_each(|it| it.observer.closed(why));
    }

    fn attached_editors(&self) -> Vec<Arc<dyn Observer>> {
        self.lock().attached.iter().map(|it| Arc::clone(&it.observer)).collect()
    }

    fn lock(&self) -> MutexGuard<'_, MultiplexerState> {
        // Each entry is inserted or removed at once.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MultiplexerState {
    fn find(&self, editor: EditorId) -> Option<Arc<dyn Observer>> {
        let found = self.attached.iter().find(|it| it.observer.editor() == editor);
        found.map(|it| Arc::clone(&it.observer))
    }
}
