//! Reads what must be known of a message to pass it on: whether it asks, answers or tells, its ID, and for a few
//! methods the document or request that it concerns. Everything else in it stays unread.
//!
//! The editor's messages are read to their end, because they may be no JSON at all. The daemon's are JSON, so an answer is read
//! only up to its result.

use hob_proto::jsonrpc::IdScan;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

/// An id, or a token, in the one form in which equal ones are equal texts. It is valid JSON.
pub(crate) type Id = String;

/// An error in a message, with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wrong {
    /// JSON-RPC's code for it.
    pub(crate) code: i32,
    /// The reason of the error, as a sentence for people.
    pub(crate) reason: String,
    /// The ID of the faulty request, where it can be read.
    pub(crate) id: Option<Id>,
}

impl Wrong {
    /// The text is no JSON.
    pub(crate) fn unreadable(reason: impl Into<String>) -> Self {
        Self { code: -32700, reason: reason.into(), id: None }
    }

    /// It is JSON, but no message.
    pub(crate) fn invalid(reason: impl Into<String>) -> Self {
        Self { code: -32600, reason: reason.into(), id: None }
    }
}

/// A message of an editor, by what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// It wants an answer.
    Request(Id, Asking),
    /// A notification, which needs no answer.
    Notification(Telling),
    /// It answers a request of the daemon.
    Answer(Id),
}

/// Requests that are not all the same here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asking {
    /// A request of the method `initialize`.
    Initialize,
    /// A request of the method `shutdown`.
    Shutdown,
    /// `workspace/executeCommand`: it may do something, so it is not asked twice.
    Command,
    /// A request of any other method.
    Other,
}

/// Notifications that are not all the same here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Telling {
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

impl Said {
    /// Reads what an editor wrote.
    pub(crate) fn read(message: &str) -> Result<Self, Wrong> {
        let mut head = Head::default();
        let mut json = serde_json::Deserializer::from_str(message);
        let read = Reading { head: &mut head, hurry: false }.deserialize(&mut json).and_then(|()| json.end());
        if let Err(error) = read {
            let what = format!("the message is not readable: {error}");
            let wrong = if error.is_data() { Wrong::invalid(what) } else { Wrong::unreadable(what) };
            // The id may come after what is wrong.
            let id = head.id.or_else(|| IdScan::of(message.as_bytes()));
            return Err(Wrong { id, ..wrong });
        }
        match (head.id, head.method) {
            (Some(id), Some(method)) => Ok(Self::Request(id, asking(&method))),
            (None, Some(method)) => Ok(Self::Notification(telling(&method, head.params))),
            (Some(id), None) if head.answers => Ok(Self::Answer(id)),
            (None, None) if head.answers => Ok(Self::Notification(Telling::Other)),
            (id, _) => {
                let wrong = Wrong::invalid("the message is no JSON-RPC request, notification or answer");
                Err(Wrong { id, ..wrong })
            }
        }
    }
}

fn asking(method: &str) -> Asking {
    match method {
        "initialize" => Asking::Initialize,
        "shutdown" => Asking::Shutdown,
        "workspace/executeCommand" => Asking::Command,
        _ => Asking::Other,
    }
}

fn telling(method: &str, params: Option<&RawValue>) -> Telling {
    let told = match method {
        "initialized" => Some(Telling::Initialized),
        "exit" => Some(Telling::Exit),
        "workspace/didChangeConfiguration" => Some(Telling::Configuration),
        "workspace/didChangeWorkspaceFolders" => Some(Telling::Folders),
        "textDocument/didOpen" => document(params).map(Telling::Open),
        "textDocument/didChange" => document(params).map(Telling::Change),
        "textDocument/didClose" => document(params).map(Telling::Close),
        "$/cancelRequest" => cancelled(params).map(Telling::Cancel),
        _ => None,
    };
    told.unwrap_or(Telling::Other)
}

fn document(params: Option<&RawValue>) -> Option<String> {
    #[derive(Deserialize)]
    struct Params {
        #[serde(rename = "textDocument")]
        document: Document,
    }
    #[derive(Deserialize)]
    struct Document {
        uri: String,
    }
    parse::<Params>(params).map(|params| params.document.uri)
}

/// The request that `$/cancelRequest` is about.
pub(crate) fn cancelled(params: Option<&RawValue>) -> Option<Id> {
    #[derive(Deserialize)]
    struct Params<'p> {
        #[serde(borrow)]
        id: &'p RawValue,
    }
    parse::<Params<'_>>(params).and_then(|params| id_of(params.id))
}

/// Params in the form in which they are wanted, if they have it.
pub(crate) fn parse<'p, T: Deserialize<'p>>(params: Option<&'p RawValue>) -> Option<T> {
    params.and_then(|params| serde_json::from_str(params.get()).ok())
}

/// The id in its one form; `None` for `null` and for what can be none.
pub(crate) fn id_of(raw: &RawValue) -> Option<Id> {
    let value: Value = serde_json::from_str(raw.get()).ok()?;
    (value.is_string() || value.is_number()).then(|| value.to_string())
}

/// The outside of a message.
#[derive(Debug, Default)]
pub(crate) struct Head<'m> {
    /// `null` counts as none.
    pub(crate) id: Option<Id>,
    pub(crate) method: Option<String>,
    pub(crate) params: Option<&'m RawValue>,
    /// There is a result or an error.
    pub(crate) answers: bool,
    /// There is an error.
    pub(crate) failed: bool,
}

impl<'m> Head<'m> {
    /// Reads the head of a message of the daemon, which is JSON. Of an answer whose id comes first, nothing after it.
    pub(crate) fn of(message: &'m str) -> Self {
        let mut head = Self::default();
        let mut json = serde_json::Deserializer::from_str(message);
        // To stop half-way is an error to the reader, and what was read is there.
        let _ = Reading { head: &mut head, hurry: true }.deserialize(&mut json);
        head
    }
}

struct Reading<'h, 'm> {
    head: &'h mut Head<'m>,
    /// Stop when it is clear what the message is.
    hurry: bool,
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum Key {
    Id,
    Method,
    Params,
    Result,
    Error,
    #[serde(other)]
    Other,
}

impl<'m> DeserializeSeed<'m> for Reading<'_, 'm> {
    type Value = ();

    fn deserialize<D: Deserializer<'m>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'m> Visitor<'m> for Reading<'_, 'm> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a message, which is an object")
    }

    fn visit_map<A: MapAccess<'m>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key()? {
            match key {
                Key::Id => self.head.id = id_of(map.next_value()?),
                Key::Method => self.head.method = Some(map.next_value()?),
                Key::Params => self.head.params = Some(map.next_value()?),
                Key::Result => {
                    self.head.answers = true;
                    if self.hurry && self.head.id.is_some() {
                        return Ok(());
                    }
                    let _: &RawValue = map.next_value()?;
                }
                Key::Error => {
                    let error: &RawValue = map.next_value()?;
                    self.head.answers = true;
                    // Beside a result, `null` is one way to say that there is none.
                    self.head.failed = error.get() != "null";
                }
                Key::Other => {
                    let _: &RawValue = map.next_value()?;
                }
            }
        }
        Ok(())
    }
}

/// An error as the answer to a request; to none in particular if there is no id.
pub(crate) fn error(id: Option<&str>, wrong: &Wrong) -> String {
    refusal(id, wrong, "")
}

/// As [`error`], to a request that may be made again if the user likes; for `initialize`.
pub(crate) fn error_to_retry(id: &str, wrong: &Wrong) -> String {
    refusal(Some(id), wrong, r#","data":{"retry":true}"#)
}

fn refusal(id: Option<&str>, Wrong { code, reason, .. }: &Wrong, data: &str) -> String {
    let (id, reason) = (id.unwrap_or("null"), crate::json::text(reason));
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{reason}{data}}}}}"#)
}

/// An answer that says nothing but that it is done.
pub(crate) fn nothing(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":null}}"#)
}

/// A notification. `params` is JSON.
pub(crate) fn notification(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#)
}

/// A request. `id` and `params` are JSON.
pub(crate) fn request(id: &str, method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(message: &str) -> Said {
        Said::read(message).expect("a message")
    }

    #[test]
    fn requests_answers_and_notifications_are_told_apart() {
        assert_eq!(
            read(r#"{"jsonrpc":"2.0","id":1,"method":"x"}"#),
            Said::Request("1".into(), Asking::Other)
        );
        let late = read(r#"{"params":{"id":9},"method":"workspace/executeCommand","id":"a\u0062"}"#);
        assert_eq!(late, Said::Request("\"ab\"".into(), Asking::Command));
        assert_eq!(read(r#"{"id":7,"result":null}"#), Said::Answer("7".into()));
        assert_eq!(read(r#"{"method":"x","id":null}"#), Said::Notification(Telling::Other));
        assert_eq!(read(r#"{"id":null,"error":{}}"#), Said::Notification(Telling::Other));
        let cancel = read(r#"{"method":"$/cancelRequest","params":{"id":"q"}}"#);
        assert_eq!(cancel, Said::Notification(Telling::Cancel("\"q\"".into())));
    }

    #[test]
    fn documents_are_known_by_their_uri() {
        let change = r#"{"method":"textDocument/didChange","params":{"contentChanges":[{"text":"\"uri\""}],
            "textDocument":{"version":2,"uri":"file:///a%20b"}}}"#;
        assert_eq!(read(change), Said::Notification(Telling::Change("file:///a%20b".into())));
        let without = r#"{"method":"textDocument/didOpen","params":[1]}"#;
        assert_eq!(read(without), Said::Notification(Telling::Other), "the daemon says what is wrong");
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
            assert_eq!(Said::read(text).expect_err(text).code, code, "{text}");
        }
        for text in [r#"{"id":1,"method":7}"#, r#"{"params":[1,],"method":"x","id":1}"#, r#"{"id":1}"#] {
            let wrong = Said::read(text).expect_err("it is no message");
            assert_eq!(wrong.id.as_deref(), Some("1"), "whoever asked is told: {text}");
        }
        let deep = format!(r#"{{"method":"x","params":{}{}}}"#, "[".repeat(200_000), "]".repeat(200_000));
        assert_eq!(read(&deep), Said::Notification(Telling::Other));
    }

    #[test]
    fn an_answer_is_read_up_to_its_result() {
        let head = Head::of(r#"{"jsonrpc":"2.0","id":5,"result":{{{ unread"#);
        assert_eq!((head.id.as_deref(), head.answers, head.failed), (Some("5"), true, false));
        let head = Head::of(r#"{"error":{"code":1},"id":5}"#);
        assert_eq!((head.id.as_deref(), head.failed), (Some("5"), true));
        let head = Head::of(r#"{"result":1,"error":null,"id":5}"#);
        assert_eq!((head.id.as_deref(), head.answers, head.failed), (Some("5"), true, false));
        let head = Head::of(r#"{"method":"m","params":{"result":1},"id":"late"}"#);
        assert_eq!((head.id.as_deref(), head.method.as_deref()), (Some("\"late\""), Some("m")));
    }
}
