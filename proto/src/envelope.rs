//! Defines the envelope, the one shape of every tool's answer, on MCP, on the command line and on the IPC.
//!
//! The daemon cuts the answer to its budget and then serialises the envelope once, so the measured text is
//! the text that it sends. All other programs pass the text on or read it back with [`Envelope`].

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::ToolError;

/// The requested, used and allowed tokens. A token is four characters of the serialised envelope, rounded up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenBudget {
    /// Most tokens that the caller allows for this answer, after clamping.
    pub requested: u32,
    /// Tokens of this envelope; never more than `requested`.
    pub used: u32,
    /// The highest budget that a call of this tool may request.
    pub max: u32,
}

/// The omission of an answer: the items that a limit left out, with the way to get them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Omission {
    /// A plural word for the items (`references`, `results`).
    pub kind: String,
    /// Number of omitted items.
    pub count: u64,
    /// The narrowing argument that returns the others.
    pub note: String,
}

/// The notation of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// The serialised [`Envelope`], for programs.
    #[default]
    Json,
    /// The same answer as lines of text, for models and people.
    Text,
}

impl Form {
    /// Returns the form that `format` in a call's arguments requests, or `otherwise` if `format` is missing
    /// or unreadable.
    #[must_use]
    pub fn asked_in(args: &Map<String, Value>, otherwise: Self) -> Self {
        match args.get("format").and_then(Value::as_str) {
            Some(word) if word.eq_ignore_ascii_case("json") => Self::Json,
            Some(word) if word.eq_ignore_ascii_case("text") => Self::Text,
            _ => otherwise,
        }
    }
}

/// The answer of a tool, whether it succeeded or failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Envelope {
    /// True if the call succeeded.
    pub ok: bool,
    /// The tool's result, when `ok`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
    /// The error that ended the call; `None` when `ok`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ToolError>,
    /// The answer's budget and its cost, both in tokens.
    pub token_budget: TokenBudget,
    /// The workspace's generation of the answer; on the command line only, because agents would pay for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<u64>,
    /// True if a limit left any items out.
    pub truncated: bool,
    /// The omitted items; `None` for a complete answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped: Option<Omission>,
    /// Remarks that are no failure.
    #[serde(default)]
    pub warnings: Vec<String>,
}

impl Envelope {
    /// Creates an envelope with an error and nothing else.
    #[must_use]
    pub fn of_error(error: ToolError, token_budget: TokenBudget) -> Self {
        Self {
            ok: false,
            data: None,
            error: Some(error),
            token_budget,
            generation: None,
            truncated: false,
            dropped: None,
            warnings: Vec::new(),
        }
    }

    /// Serialises the envelope, with `used` set to the cost of that very text.
    #[must_use]
    pub fn to_text(&mut self) -> String {
        // `used` is part of the measured text. A value with one digit more costs at most one token more, so
        // some number of digits is right.
        self.token_budget.used = 0;
        let without = self.to_json().chars().count().saturating_sub(1);
        let used = (1..=10).map(|digits| (digits, tokens_of_chars(without + digits)));
        let used = used
            .into_iter()
            .find(|(digits, used)| used.to_string().len() == *digits)
            .map_or(0, |(_, used)| used);
        self.token_budget.used = used;
        self.to_json()
    }

    fn to_json(&self) -> String {
        // Plain data with string keys always serialises.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads an envelope back from its text.
    ///
    /// # Errors
    /// When the text is not an envelope.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }
}

/// The word with which a warning begins that explains a partial answer; the text form replaces the word by
/// that warning.
pub const PARTIAL: &str = "Partial";

/// Characters that count as one token in every budget.
const CHARS_PER_TOKEN: usize = 4;

/// Returns the cost of a text in tokens: characters / 4, rounded up.
#[must_use]
pub fn tokens_of(text: &str) -> u32 {
    tokens_of_chars(text.chars().count())
}

fn tokens_of_chars(chars: usize) -> u32 {
    u32::try_from(chars.div_ceil(CHARS_PER_TOKEN)).unwrap_or(u32::MAX)
}

/// Returns the most characters that a text of `tokens` tokens has.
#[must_use]
pub fn chars_of_tokens(tokens: u32) -> usize {
    tokens as usize * CHARS_PER_TOKEN
}
