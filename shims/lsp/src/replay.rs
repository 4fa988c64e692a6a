//! Keeps the messages of an editor for the next daemon: its `initialize`, its settings, its documents, and its
//! unanswered requests. Pure: texts in, texts out.
//!
//! A document is its `didOpen` and the changes since. This module does not apply changes to texts. The daemon does, and
//! from time to time sends a `didOpen` that replaces all earlier messages, so that a long session does not accumulate
//! them.

use std::collections::HashMap;

use crate::json;
use crate::message::{self, EditorMessage, Id, KnownNotification, MessageError, RequestMethod};

/// The ID of the `initialize` for the next daemon; its answer is not for the editor.
const GREETING: &str = r#""hob-lsp:initialize""#;
/// Most unannounced losses that a request may be part of: a daemon that dies may do so because of it.
const CRASHES: u32 = 2;

/// The error code of LSP's `RequestFailed`.
const REQUEST_FAILED: i32 = -32803;
/// The error code of LSP's `RequestCancelled`.
const REQUEST_CANCELLED: i32 = -32800;

/// The messages of one editor that the next daemon gets again.
#[derive(Default)]
pub(crate) struct Replay {
    greeting: Option<Greeting>,
    initialized: Option<String>,
    configuration: Option<String>,
    folders: Vec<String>,
    documents: HashMap<String, ReplayedDocument>,
    requests: HashMap<Id, ReplayedRequest>,
    /// Number of documents and requests so far, which orders them.
    came: u64,
}

struct Greeting {
    id: Id,
    message: String,
    answered: bool,
}

struct ReplayedDocument {
    came: u64,
    open: String,
    changes: Vec<String>,
    /// Number of this connection's changes that `open` contains.
    contained: u64,
}

struct ReplayedRequest {
    came: u64,
    message: String,
    asking: RequestMethod,
    cancelled: bool,
    /// Number of unannounced losses since it was sent.
    crashes: u32,
}

impl Replay {
    /// Keeps a message of the editor, if the next daemon needs it after a reconnect.
    pub(crate) fn keep(&mut self, said: EditorMessage, message: String) {
        self.came += 1;
        match said {
            // The daemon refuses a second one, which changes nothing.
            EditorMessage::Request(id, RequestMethod::Initialize) if !self.is_greeted() => {
                self.greeting = Some(Greeting { id, message, answered: false });
            }
            EditorMessage::Request(id, asking) => {
                let request =
                    ReplayedRequest { came: self.came, message, asking, cancelled: false, crashes: 0 };
                self.requests.insert(id, request);
            }
            EditorMessage::Notification(telling) => self.keep_notification(telling, message),
            EditorMessage::Answer(_) => {}
        }
    }

    fn is_greeted(&self) -> bool {
        self.greeting.as_ref().is_some_and(|greeting| greeting.answered)
    }

    fn keep_notification(&mut self, telling: KnownNotification, message: String) {
        match telling {
            KnownNotification::Initialized => self.initialized = Some(message),
            KnownNotification::Configuration => self.configuration = Some(message),
            KnownNotification::Folders => self.folders.push(message),
            KnownNotification::Open(uri) => {
                let document =
                    ReplayedDocument { came: self.came, open: message, changes: Vec::new(), contained: 0 };
                self.documents.insert(uri, document);
            }
            KnownNotification::Change(uri) => {
                if let Some(document) = self.documents.get_mut(&uri) {
                    document.changes.push(message);
                }
            }
            KnownNotification::Close(uri) => drop(self.documents.remove(&uri)),
            KnownNotification::Cancel(id) => {
                if let Some(request) = self.requests.get_mut(&id) {
                    request.cancelled = true;
                }
            }
            KnownNotification::Exit | KnownNotification::Other => {}
        }
    }

    /// Replaces a document by the daemon's `didOpen`. One that does not fit (the document was closed meanwhile, and
    /// opened again) is ignored.
    pub(crate) fn replace(&mut self, uri: &str, changes: u64, open: String) {
        let Some(document) = self.documents.get_mut(uri) else { return };
        let more = changes.checked_sub(document.contained).and_then(|more| usize::try_from(more).ok());
        let Some(more) = more.filter(|more| (1..=document.changes.len()).contains(more)) else { return };
        document.changes.drain(..more);
        document.contained = changes;
        document.open = open;
    }

    /// Records that the daemon has answered; returns true if the answer is for the editor.
    pub(crate) fn note_answer(&mut self, id: &str, failed: bool) -> bool {
        if id == GREETING {
            if failed {
                tracing::warn!("the new daemon does not take the editor");
            }
            return false;
        }
        if let Some(greeting) = self.greeting.as_mut().filter(|greeting| !greeting.answered)
            && greeting.id == id
        {
            greeting.answered = true;
            if failed {
                self.greeting = None;
            }
            return true;
        }
        self.requests.remove(id);
        true
    }

    /// Records the loss of the daemon. Returns the answers to the requests that are not sent again.
    pub(crate) fn note_loss(&mut self, orderly: bool) -> Vec<String> {
        let mut answers = Vec::new();
        for request in self.requests.values_mut() {
            request.crashes += u32::from(!orderly);
        }
        self.requests.retain(|id, request| {
            let answer = request.answer_instead(id);
            let again = answer.is_none();
            answers.extend(answer);
            again
        });
        answers
    }

    /// Returns the answer to every request, with this error, because no daemon is available.
    pub(crate) fn give_up(&mut self, reason: &str) -> Vec<String> {
        let mut answers = Vec::new();
        if let Some(greeting) = self.greeting.take_if(|greeting| !greeting.answered) {
            answers.push(unavailable_answer(&greeting.id, RequestMethod::Initialize, reason));
        }
        answers.extend(
            self.requests.drain().map(|(id, request)| unavailable_answer(&id, request.asking, reason)),
        );
        answers
    }

    /// Returns the messages for a new daemon, in their order.
    pub(crate) fn messages_to_repeat(&mut self) -> Vec<String> {
        let mut all = Vec::new();
        if let Some(greeting) = &self.greeting {
            all.push(match greeting.answered {
                true => json::set(&greeting.message, &["id"], GREETING),
                false => greeting.message.clone(),
            });
        }
        all.extend(self.initialized.iter().chain(&self.configuration).chain(&self.folders).cloned());
        let mut documents: Vec<&mut ReplayedDocument> = self.documents.values_mut().collect();
        documents.sort_unstable_by_key(|document| document.came);
        for document in documents {
            document.contained = 0;
            all.push(document.open.clone());
            all.extend(document.changes.iter().cloned());
        }
        let mut requests: Vec<&ReplayedRequest> = self.requests.values().collect();
        requests.sort_unstable_by_key(|request| request.came);
        all.extend(requests.into_iter().map(|request| request.message.clone()));
        all
    }
}

impl ReplayedRequest {
    /// Returns the answer to a request that was under way when its daemon was lost, unless the request is sent again.
    fn answer_instead(&self, id: &str) -> Option<String> {
        let failed = |code, reason: &str| {
            Some(message::error(Some(id), &MessageError { code, reason: reason.into(), id: None }))
        };
        match self.asking {
            RequestMethod::Shutdown => Some(message::null_answer(id)),
            _ if self.cancelled => failed(REQUEST_CANCELLED, "cancelled"),
            RequestMethod::Command => failed(
                REQUEST_FAILED,
                "the hob daemon was restarted while this command was under way: it may or may not have been carried out",
            ),
            _ if self.crashes > CRASHES => failed(
                REQUEST_FAILED,
                "the hob daemon went away every time that it was asked this (`hob logs` shows its log)",
            ),
            _ => None,
        }
    }
}

/// Returns the answer to a request while no daemon is available.
pub(crate) fn unavailable_answer(id: &str, asking: RequestMethod, reason: &str) -> String {
    let wrong = MessageError { code: REQUEST_FAILED, reason: reason.to_owned(), id: None };
    match asking {
        RequestMethod::Shutdown => message::null_answer(id),
        RequestMethod::Initialize => message::error_to_retry(id, &wrong),
        RequestMethod::Command | RequestMethod::Other => message::error(Some(id), &wrong),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a replay that has got these messages.
    fn replay_of(messages: &[&str]) -> Replay {
        let mut replay = Replay::default();
        for message in messages {
            replay.keep(EditorMessage::read(message).expect("a message"), (*message).to_owned());
        }
        replay
    }

    const INITIALIZE: &str = r#"{"id":0,"method":"initialize","params":{}}"#;
    const INITIALIZED: &str = r#"{"method":"initialized","params":{}}"#;

    fn open(uri: &str) -> String {
        format!(r#"{{"method":"textDocument/didOpen","params":{{"textDocument":{{"uri":"{uri}"}}}}}}"#)
    }

    fn change(uri: &str, version: u32) -> String {
        format!(
            r#"{{"method":"textDocument/didChange","params":{{"textDocument":{{"uri":"{uri}","version":{version}}}}}}}"#
        )
    }

    #[test]
    fn a_new_daemon_hears_what_counts_in_the_order_in_which_it_was_said() {
        let close = r#"{"method":"textDocument/didClose","params":{"textDocument":{"uri":"b"}}}"#;
        let settings =
            |n| format!(r#"{{"method":"workspace/didChangeConfiguration","params":{{"settings":{n}}}}}"#);
        let folders = r#"{"method":"workspace/didChangeWorkspaceFolders","params":{}}"#;
        let hover = r#"{"id":1,"method":"textDocument/hover"}"#;
        let saved = r#"{"method":"textDocument/didSave","params":{"textDocument":{"uri":"a"}}}"#;
        let (open_a, open_b, open_c) = (open("a"), open("b"), open("c"));
        let (first, second) = (change("a", 2), change("a", 3));
        let (one, two) = (settings(1), settings(2));
        let mut replay = replay_of(&[
            INITIALIZE,
            INITIALIZED,
            &open_c,
            &one,
            hover,
            &open_a,
            folders,
            &first,
            &open_b,
            saved,
            &second,
            close,
            &two,
        ]);
        assert!(replay.note_answer("0", false), "the first answer is for the editor");
        let greeting = r#"{"id":"hob-lsp:initialize","method":"initialize","params":{}}"#;
        let expected = [greeting, INITIALIZED, &two, folders, &open_c, &open_a, &first, &second, hover];
        assert_eq!(replay.messages_to_repeat(), expected);
        assert!(!replay.note_answer(r#""hob-lsp:initialize""#, false), "the second is not");
        assert!(replay.note_answer("1", false));
        assert_eq!(
            replay.messages_to_repeat().len(),
            expected.len() - 1,
            "what is answered is not asked again"
        );
    }

    #[test]
    fn a_greeting_that_was_not_answered_is_the_editors_own() {
        let mut replay = replay_of(&[INITIALIZE]);
        assert_eq!(replay.messages_to_repeat(), [INITIALIZE]);
        assert!(replay.note_answer("0", true), "a refusal is for the editor");
        assert!(replay.messages_to_repeat().is_empty(), "and leaves nothing to say again");
    }

    #[test]
    fn what_the_daemon_keeps_takes_the_place_of_the_changes_that_it_contains() {
        let mut replay = replay_of(&[&open("a"), &change("a", 2), &change("a", 3), &change("a", 4)]);
        replay.replace("a", 2, "two".into());
        assert_eq!(replay.messages_to_repeat(), ["two".to_owned(), change("a", 4)]);
        // On the next connection the changes are counted from its own opening of the document.
        replay.replace("a", 1, "three".into());
        replay.keep(EditorMessage::Notification(KnownNotification::Change("a".into())), "5".into());
        replay.keep(EditorMessage::Notification(KnownNotification::Change("a".into())), "6".into());
        replay.replace("a", 3, "five".into());
        assert_eq!(replay.messages_to_repeat()[0], "five", "2 more are contained");
        assert_eq!(replay.messages_to_repeat().len(), 1);
    }

    #[test]
    fn what_is_kept_of_an_earlier_opening_is_left() {
        let close = r#"{"method":"textDocument/didClose","params":{"textDocument":{"uri":"a"}}}"#;
        let mut replay = replay_of(&[&open("a"), &change("a", 2), &change("a", 3), close]);
        replay.replace("a", 2, "old".into());
        assert!(replay.messages_to_repeat().is_empty());
        replay.keep(EditorMessage::Notification(KnownNotification::Open("a".into())), "new".into());
        replay.keep(EditorMessage::Notification(KnownNotification::Change("a".into())), "2".into());
        replay.replace("a", 2, "old".into());
        replay.replace("a", 0, "old".into());
        assert_eq!(replay.messages_to_repeat(), ["new", "2"]);
    }

    #[test]
    fn requests_that_must_not_be_made_twice_are_answered() {
        let command = r#"{"id":"c","method":"workspace/executeCommand"}"#;
        let cancel = r#"{"method":"$/cancelRequest","params":{"id":2}}"#;
        let hover = r#"{"id":1,"method":"textDocument/hover"}"#;
        let symbols = r#"{"id":2,"method":"workspace/symbol"}"#;
        let shutdown = r#"{"id":3,"method":"shutdown"}"#;
        let mut replay = replay_of(&[hover, symbols, cancel, command, shutdown]);
        let mut answers = replay.note_loss(true);
        answers.sort_unstable();
        assert!(answers[0].contains(r#""id":"c","error":{"code":-32803"#), "{answers:?}");
        assert!(answers[1].contains(r#""id":2,"error":{"code":-32800"#), "{answers:?}");
        assert!(answers[2].contains(r#""id":3,"result":null"#), "{answers:?}");
        assert_eq!(replay.messages_to_repeat(), [hover]);
    }

    #[test]
    fn a_request_under_which_daemons_die_is_not_asked_for_ever() {
        let mut replay = replay_of(&[r#"{"id":1,"method":"x"}"#]);
        assert!((0..9).all(|_| replay.note_loss(true).is_empty()), "a goodbye is no crash");
        assert!(replay.note_loss(false).is_empty() && replay.note_loss(false).is_empty());
        assert_eq!(replay.note_loss(false).len(), 1);
        assert!(replay.messages_to_repeat().is_empty());
    }

    #[test]
    fn without_a_daemon_every_request_is_answered_with_the_reason() {
        let mut replay = replay_of(&[INITIALIZE, r#"{"id":1,"method":"x"}"#]);
        let answers = replay.give_up("no \"daemon\"");
        assert_eq!(answers.len(), 2);
        assert!(answers.iter().all(|answer| answer.contains(r#"no \"daemon\""#)), "{answers:?}");
        assert!(answers[0].contains(r#""retry":true"#), "{answers:?}");
        assert!(replay.messages_to_repeat().is_empty());
    }
}
