//! Reads the parts of a message that the relay needs: whether it is a request, an answer or a notification, its ID, and
//! for a few methods the document or request that it concerns. Everything else in it stays unread.
//!
//! The editor's messages are read to their end, because they may be invalid JSON. The daemon's are valid, so an answer
//! is read only up to its result.

use hob_proto::jsonrpc::IdScan;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

/// An ID, or a token, in a form in which equal ones are equal texts. It is valid JSON.
pub(crate) type Id = String;

/// An error in a message, with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MessageError {
    /// JSON-RPC's code for it.
    pub(crate) code: i32,
    /// The reason of the error, as a sentence for people.
    pub(crate) reason: String,
    /// The ID of the faulty request, where it can be read.
    pub(crate) id: Option<Id>,
}

impl MessageError {
    /// Makes the error for a text that is no JSON.
    pub(crate) fn unreadable(reason: impl Into<String>) -> Self {
        Self { code: -32700, reason: reason.into(), id: None }
    }

    /// Makes the error for JSON that is no message.
    pub(crate) fn invalid(reason: impl Into<String>) -> Self {
        Self { code: -32600, reason: reason.into(), id: None }
    }
}

/// A message of an editor, by its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EditorMessage {
    /// A request, which needs an answer.
    Request(Id, RequestMethod),
    /// A notification, which needs no answer.
    Notification(KnownNotification),
    /// An answer to a request of the daemon.
    Answer(Id),
}

/// The methods of requests that the relay treats differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestMethod {
    /// A request of the method `initialize`.
    Initialize,
    /// A request of the method `shutdown`.
    Shutdown,
    /// `workspace/executeCommand`: a command may have effects, so it is not sent twice.
    Command,
    /// A request of any other method.
    Other,
}

/// The notifications that the relay treats differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum KnownNotification {
    /// A notification of the method `initialized`.
    Initialized,
    /// A notification of the method `exit`.
    Exit,
    /// A notification of the method `workspace/didChangeConfiguration`.
    Configuration,
    /// A notification of the method `workspace/didChangeWorkspaceFolders`.
    Folders,
    /// `textDocument/didOpen` of this document.
    Open(String),
    /// `textDocument/didChange` of this document.
    Change(String),
    /// `textDocument/didClose` of this document.
    Close(String),
    /// `$/cancelRequest` of this request.
    Cancel(Id),
    /// A notification of any other method.
    Other,
}

impl EditorMessage {
    /// Reads a message of the editor.
    pub(crate) fn read(message: &str) -> Result<Self, MessageError> {
        let mut head = Head::default();
        let mut json = serde_json::Deserializer::from_str(message);
        let read =
            HeadReading { head: &mut head, hurry: false }.deserialize(&mut json).and_then(|()| json.end());
        if let Err(error) = read {
            let what = format!("the message is not readable: {error}");
            let wrong =
                if error.is_data() { MessageError::invalid(what) } else { MessageError::unreadable(what) };
            // The ID may follow the faulty part.
            let id = head.id.or_else(|| IdScan::find_id(message.as_bytes()));
            return Err(MessageError { id, ..wrong });
        }
        match (head.id, head.method) {
            (Some(id), Some(method)) => Ok(Self::Request(id, request_kind(&method))),
            (None, Some(method)) => Ok(Self::Notification(notification_kind(&method, head.params))),
            (Some(id), None) if head.answers => Ok(Self::Answer(id)),
            (None, None) if head.answers => Ok(Self::Notification(KnownNotification::Other)),
            (id, _) => {
                let wrong =
                    MessageError::invalid("the message is no JSON-RPC request, notification or answer");
                Err(MessageError { id, ..wrong })
            }
        }
    }
}

fn request_kind(method: &str) -> RequestMethod {
    match method {
        "initialize" => RequestMethod::Initialize,
        "shutdown" => RequestMethod::Shutdown,
        "workspace/executeCommand" => RequestMethod::Command,
        _ => RequestMethod::Other,
    }
}

fn notification_kind(method: &str, params: Option<&RawValue>) -> KnownNotification {
    let told = match method {
        "initialized" => Some(KnownNotification::Initialized),
        "exit" => Some(KnownNotification::Exit),
        "workspace/didChangeConfiguration" => Some(KnownNotification::Configuration),
        "workspace/didChangeWorkspaceFolders" => Some(KnownNotification::Folders),
        "textDocument/didOpen" => document_uri(params).map(KnownNotification::Open),
        "textDocument/didChange" => document_uri(params).map(KnownNotification::Change),
        "textDocument/didClose" => document_uri(params).map(KnownNotification::Close),
        "$/cancelRequest" => cancelled_id(params).map(KnownNotification::Cancel),
        _ => None,
    };
    told.unwrap_or(KnownNotification::Other)
}

fn document_uri(params: Option<&RawValue>) -> Option<String> {
    #[derive(Deserialize)]
    struct DocumentParams {
        #[serde(rename = "textDocument")]
        document: DocumentUri,
    }
    #[derive(Deserialize)]
    struct DocumentUri {
        uri: String,
    }
    parse::<DocumentParams>(params).map(|params| params.document.uri)
}

/// Returns the ID of the request that `$/cancelRequest` cancels.
pub(crate) fn cancelled_id(params: Option<&RawValue>) -> Option<Id> {
    #[derive(Deserialize)]
    struct CancelParams<'p> {
        #[serde(borrow)]
        id: &'p RawValue,
    }
    parse::<CancelParams<'_>>(params).and_then(|params| id_of(params.id))
}

/// Parses params as `T`; `None` if they do not have its form.
pub(crate) fn parse<'p, T: Deserialize<'p>>(params: Option<&'p RawValue>) -> Option<T> {
    params.and_then(|params| serde_json::from_str(params.get()).ok())
}

/// Returns the ID in its one form; `None` for `null` and for values that cannot be an ID.
pub(crate) fn id_of(raw: &RawValue) -> Option<Id> {
    let value: Value = serde_json::from_str(raw.get()).ok()?;
    (value.is_string() || value.is_number()).then(|| value.to_string())
}

/// The head of a message.
#[derive(Debug, Default)]
pub(crate) struct Head<'m> {
    /// The message's ID; `None` for `null`.
    pub(crate) id: Option<Id>,
    pub(crate) method: Option<String>,
    pub(crate) params: Option<&'m RawValue>,
    /// True if it has a result or an error.
    pub(crate) answers: bool,
    /// True if it has an error.
    pub(crate) failed: bool,
}

impl<'m> Head<'m> {
    /// Reads the head of a message of the daemon, which is JSON. If the ID of an answer comes first, nothing after it
    /// is read.
    pub(crate) fn read_head(message: &'m str) -> Self {
        let mut head = Self::default();
        let mut json = serde_json::Deserializer::from_str(message);
        // The reader reports an error for stopping half-way, but the head has been read.
        let _ = HeadReading { head: &mut head, hurry: true }.deserialize(&mut json);
        head
    }
}

struct HeadReading<'h, 'm> {
    head: &'h mut Head<'m>,
    /// True if reading ends once the kind of the message is clear.
    hurry: bool,
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum HeadKey {
    Id,
    Method,
    Params,
    Result,
    Error,
    #[serde(other)]
    Other,
}

impl<'m> DeserializeSeed<'m> for HeadReading<'_, 'm> {
    type Value = ();

    fn deserialize<D: Deserializer<'m>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'m> Visitor<'m> for HeadReading<'_, 'm> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a message, which is an object")
    }

    fn visit_map<A: MapAccess<'m>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key()? {
            match key {
                HeadKey::Id => self.head.id = id_of(map.next_value()?),
                HeadKey::Method => self.head.method = Some(map.next_value()?),
                HeadKey::Params => self.head.params = Some(map.next_value()?),
                HeadKey::Result => {
                    self.head.answers = true;
                    if self.hurry && self.head.id.is_some() {
                        return Ok(());
                    }
                    let _: &RawValue = map.next_value()?;
                }
                HeadKey::Error => {
                    let error: &RawValue = map.next_value()?;
                    self.head.answers = true;
                    // Beside a result, an error of `null` means that there is none.
                    self.head.failed = error.get() != "null";
                }
                HeadKey::Other => {
                    let _: &RawValue = map.next_value()?;
                }
            }
        }
        Ok(())
    }
}

/// Returns an error as the answer to a request; without an ID, to no particular request.
pub(crate) fn error(id: Option<&str>, wrong: &MessageError) -> String {
    refusal_text(id, wrong, "")
}

/// Returns an [`error`] for a request that the user may try again; for `initialize`.
pub(crate) fn error_to_retry(id: &str, wrong: &MessageError) -> String {
    refusal_text(Some(id), wrong, r#","data":{"retry":true}"#)
}

fn refusal_text(id: Option<&str>, MessageError { code, reason, .. }: &MessageError, data: &str) -> String {
    let (id, reason) = (id.unwrap_or("null"), crate::json::text(reason));
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{reason}{data}}}}}"#)
}

/// Returns an answer with the result `null`.
pub(crate) fn null_answer(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":null}}"#)
}

/// Returns a notification. `params` is JSON.
pub(crate) fn notification(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#)
}

/// Returns a request. `id` and `params` are JSON.
pub(crate) fn request(id: &str, method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(message: &str) -> EditorMessage {
        EditorMessage::read(message).expect("a message")
    }

    #[test]
    fn requests_answers_and_notifications_are_told_apart() {
        assert_eq!(
            read(r#"{"jsonrpc":"2.0","id":1,"method":"x"}"#),
            EditorMessage::Request("1".into(), RequestMethod::Other)
        );
        let late = read(r#"{"params":{"id":9},"method":"workspace/executeCommand","id":"a\u0062"}"#);
        assert_eq!(late, EditorMessage::Request("\"ab\"".into(), RequestMethod::Command));
        assert_eq!(read(r#"{"id":7,"result":null}"#), EditorMessage::Answer("7".into()));
        assert_eq!(
            read(r#"{"method":"x","id":null}"#),
            EditorMessage::Notification(KnownNotification::Other)
        );
        assert_eq!(read(r#"{"id":null,"error":{}}"#), EditorMessage::Notification(KnownNotification::Other));
        let cancel = read(r#"{"method":"$/cancelRequest","params":{"id":"q"}}"#);
        assert_eq!(cancel, EditorMessage::Notification(KnownNotification::Cancel("\"q\"".into())));
    }

    #[test]
    fn documents_are_known_by_their_uri() {
        let change = r#"{"method":"textDocument/didChange","params":{"contentChanges":[{"text":"\"uri\""}],
            "textDocument":{"version":2,"uri":"file:///a%20b"}}}"#;
        assert_eq!(
            read(change),
            EditorMessage::Notification(KnownNotification::Change("file:///a%20b".into()))
        );
        let without = r#"{"method":"textDocument/didOpen","params":[1]}"#;
        assert_eq!(
            read(without),
            EditorMessage::Notification(KnownNotification::Other),
            "the daemon says what is wrong"
        );
    }

    #[test]
    fn what_is_no_message_has_the_code_for_it() {
        for (text, code) in [
            ("", -32700),
            ("{", -32700),
            (r#"{"id":1,"method":"x"} {}"#, -32700),
            (r#"{"id":1,"method":"x","params":[1,]}"#, -32700),
            ("[]", -32600),
            ("7", -32600),
            ("{}", -32600),
            (r#"{"id":1,"method":7}"#, -32600),
        ] {
            assert_eq!(EditorMessage::read(text).expect_err(text).code, code, "{text}");
        }
        for text in [r#"{"id":1,"method":7}"#, r#"{"params":[1,],"method":"x","id":1}"#, r#"{"id":1}"#] {
            let wrong = EditorMessage::read(text).expect_err("it is no message");
            assert_eq!(wrong.id.as_deref(), Some("1"), "whoever asked is told: {text}");
        }
        let deep = format!(r#"{{"method":"x","params":{}{}}}"#, "[".repeat(200_000), "]".repeat(200_000));
        assert_eq!(read(&deep), EditorMessage::Notification(KnownNotification::Other));
    }

    #[test]
    fn an_answer_is_read_up_to_its_result() {
        let head = Head::read_head(r#"{"jsonrpc":"2.0","id":5,"result":{{{ unread"#);
        assert_eq!((head.id.as_deref(), head.answers, head.failed), (Some("5"), true, false));
        let head = Head::read_head(r#"{"error":{"code":1},"id":5}"#);
        assert_eq!((head.id.as_deref(), head.failed), (Some("5"), true));
        let head = Head::read_head(r#"{"result":1,"error":null,"id":5}"#);
        assert_eq!((head.id.as_deref(), head.answers, head.failed), (Some("5"), true, false));
        let head = Head::read_head(r#"{"method":"m","params":{"result":1},"id":"late"}"#);
        assert_eq!((head.id.as_deref(), head.method.as_deref()), (Some("\"late\""), Some("m")));
    }
}
