//! Parses JSON-RPC 2.0 messages as far as is needed to find their receiver.
//!
//! Parameters and results stay unparsed text until a receiver that knows their type needs them: an answer of ten
//! thousand locations is parsed once.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// The ID of a request. hob's IDs are numbers; a server's own may be text.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RequestId {
    /// A number as the ID.
    Number(i64),
    /// A text as the ID.
    Text(String),
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => text.fmt(f),
        }
    }
}

/// An error in the other side's answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, thiserror::Error)]
#[error("{message} (code {code})")]
pub struct ResponseError {
    /// The kind of error as a number; see [`codes`].
    pub code: i64,
    /// The error in words; may be empty.
    #[serde(default)]
    pub message: String,
    /// Further data of the error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

impl ResponseError {
    /// Creates an error with only a code and a message.
    #[must_use]
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// Returns true if the other side means that it has no project for the question: gopls where there is no `go`,
    /// tsserver for a file that it could not read. No error code says this.
    #[must_use]
    pub fn has_no_project(&self) -> bool {
        let words = self.message.to_ascii_lowercase();
        words.starts_with("no views") || words.contains("no project.")
    }
}

/// Error codes that decide what happens next.
pub mod codes {
    /// The method is not known to the receiver.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// The parameters make no sense to the receiver; some servers answer this for files that are not open.
    pub const INVALID_PARAMS: i64 = -32602;
    /// An internal error of the server.
    pub const INTERNAL_ERROR: i64 = -32603;
    /// The server was not initialised.
    pub const SERVER_NOT_INITIALIZED: i64 = -32002;
    /// Contents changed while the request was under way: asking again is right.
    pub const CONTENT_MODIFIED: i64 = -32801;
    /// hob cancelled the request itself.
    pub const REQUEST_CANCELLED: i64 = -32800;
    /// The server cancelled the request: asking again is right.
    pub const SERVER_CANCELLED: i64 = -32802;
    /// The request is valid and possible, but not now.
    pub const REQUEST_FAILED: i64 = -32803;
    /// The message may not come at this time.
    pub const INVALID_REQUEST: i64 = -32600;
}

/// A message from the other side.
#[derive(Debug)]
pub enum Incoming {
    /// A request: the other side waits for an answer.
    Request {
        /// The ID to return with the answer.
        id: RequestId,
        /// The method that the other side calls.
        method: String,
        /// Its parameters, if any.
        params: Option<Box<RawValue>>,
    },
    /// An answer to one of hob's requests.
    Response {
        /// ID of hob's request; `None` where the server could not read it.
        id: Option<RequestId>,
        /// The result; `None` stands for `null`.
        outcome: Result<Option<Box<RawValue>>, ResponseError>,
    },
    /// A notification: the other side waits for nothing.
    Notification {
        /// The method, which names the event.
        method: String,
        /// Its parameters, if any.
        params: Option<Box<RawValue>>,
    },
}

#[derive(Deserialize)]
struct LooseMessage {
    #[serde(default)]
    id: Option<RequestId>,
    #[serde(default)]
    method: Option<String>,
    #[serde(default)]
    params: Option<Box<RawValue>>,
    #[serde(default)]
    result: Option<Box<RawValue>>,
    #[serde(default)]
    error: Option<ResponseError>,
}

impl Incoming {
    /// Reads one message.
    ///
    /// # Errors
    /// The reason in words, when the body is not JSON-RPC.
    pub fn parse(body: &[u8]) -> Result<Self, String> {
        let LooseMessage { id, method, params, result, error } =
            serde_json::from_slice(body).map_err(|error| error.to_string())?;
        Ok(match (method, id) {
            (Some(method), Some(id)) => Self::Request { id, method, params },
            (Some(method), None) => Self::Notification { method, params },
            (None, None) if error.is_none() => return Err("neither a method nor a number".to_owned()),
            (None, id) => Self::Response { id, outcome: error.map_or(Ok(result), Err) },
        })
    }
}

/// Returns the text of a request or, without `id`, of a notification. Parameters that serialise to `null` are left out,
/// as the protocol demands.
///
/// # Errors
/// The error of `serde_json` when `params` cannot be written as JSON.
pub fn call(id: Option<i64>, method: &str, params: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    #[derive(Serialize)]
    struct OutgoingCall<'a> {
        jsonrpc: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<i64>,
        method: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        params: Option<&'a RawValue>,
    }
    let params = serde_json::value::to_raw_value(params)?;
    let params = Some(&*params).filter(|params| params.get() != "null");
    serde_json::to_vec(&OutgoingCall { jsonrpc: "2.0", id, method, params })
}

/// Works as [`call`], with parameters that are JSON text already.
#[must_use]
pub fn call_raw(id: Option<i64>, method: &str, params: Option<&RawValue>) -> Vec<u8> {
    let params = params.map(RawValue::get).filter(|params| *params != "null");
    let mut text = String::with_capacity(64 + method.len() + params.map_or(0, str::len));
    text.push_str(r#"{"jsonrpc":"2.0""#);
    if let Some(id) = id {
        text.push_str(r#","id":"#);
        text.push_str(&id.to_string());
    }
    text.push_str(r#","method":"#);
    text.push_str(&Value::from(method).to_string());
    if let Some(params) = params {
        text.push_str(r#","params":"#);
        text.push_str(params);
    }
    text.push('}');
    text.into_bytes()
}

/// Returns the text of an answer to a request of the server.
#[must_use]
pub fn answer_body(id: &RequestId, outcome: &Result<Value, ResponseError>) -> Vec<u8> {
    let message = match outcome {
        Ok(result) => serde_json::json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(error) => serde_json::json!({"jsonrpc": "2.0", "id": id, "error": error}),
    };
    message.to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_messages_are_told_apart() {
        let parse = |text: &str| Incoming::parse(text.as_bytes());
        assert!(matches!(parse(r#"{"id":"a","method":"m"}"#), Ok(Incoming::Request { params: None, .. })));
        assert!(matches!(parse(r#"{"method":"m","params":[]}"#), Ok(Incoming::Notification { .. })));
        assert!(matches!(
            parse(r#"{"id":3,"result":null}"#),
            Ok(Incoming::Response { id: Some(RequestId::Number(3)), outcome: Ok(None) })
        ));
        let refused = parse(r#"{"id":3,"error":{"code":-32601,"message":"no","data":{}},"result":null}"#);
        assert!(
            matches!(refused, Ok(Incoming::Response { outcome: Err(error), .. }) if error.code == -32601)
        );
        assert!(matches!(
            parse(r#"{"id":null,"error":{"code":1}}"#),
            Ok(Incoming::Response { id: None, .. })
        ));
        assert!(parse("[]").is_err() && parse("{").is_err());
    }

    #[test]
    fn a_notification_has_no_number() {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("JSON is text");
        assert_eq!(text(call(None, "exit", &()).expect("plain")), r#"{"jsonrpc":"2.0","method":"exit"}"#);
        let answered = answer_body(&RequestId::Text("x".into()), &Ok(serde_json::json!([1])));
        assert_eq!(text(answered), r#"{"jsonrpc":"2.0","id":"x","result":[1]}"#);
    }
}
