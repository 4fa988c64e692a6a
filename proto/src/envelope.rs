//! The one shape that every tool answers in, on MCP, on the command line and on the IPC.
//!
//! The envelope is serialised once, by the daemon, after it was cut to its budget; what was measured is what is sent.
//! Everybody else passes the text on or reads it back with [`Envelope`].

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::ToolError;

/// Tokens asked for, used and allowed. A token is four characters of the serialised envelope, rounded up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenBudget {
    /// Most tokens that the caller allowed for this answer, after clamping.
    pub requested: u32,
    /// Tokens that this envelope costs; never more than `requested`.
    pub used: u32,
    /// The most that may be requested of this tool.
    pub max: u32,
}

/// The omission of an answer: the items that a limit left out, with the way to get them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    /// The items' kind in one plural word (`references`, `results`).
    pub kind: String,
    /// Number of items that were left out.
    pub count: u64,
    /// The narrowing argument that brings the rest back.
    pub note: String,
}

/// The notation that an answer is wanted in.
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
    /// Returns the form that `format` in a call's arguments asks for, or `otherwise` where `format` is missing or
    /// unreadable.
    #[must_use]
    pub fn asked_in(args: &Map<String, Value>, otherwise: Self) -> Self {
        match args.get("format").and_then(Value::as_str) {
            Some(word) if word.eq_ignore_ascii_case("json") => Self::Json,
            Some(word) if word.eq_ignore_ascii_case("text") => Self::Text,
            _ => otherwise,
        }
    }
}

/// The answer of every tool, whether it succeeded or failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Envelope {
    /// True if the call did what was asked.
    pub ok: bool,
    /// The tool's result, when `ok`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
    /// The error that ended the call; `None` when `ok`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ToolError>,
    /// The answer's budget and its cost, both in tokens.
    pub token_budget: TokenBudget,
    /// The workspace's generation that the answer is of; on the command line only, because agents would pay for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<u64>,
    /// True if a limit left any items out.
    pub truncated: bool,
    /// The items that were left out; `None` for a whole answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped: Option<Dropped>,
    /// Context that is not a failure.
    #[serde(default)]
    pub warnings: Vec<String>,
}

impl Envelope {
    /// An error and nothing else.
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

    /// The envelope as text, with `used` set to what that very text costs.
    #[must_use]
    pub fn to_text(&mut self) -> String {
        // `used` is part of what it measures. A value with one digit more costs at most one token more, so some number of
        // digits is right.
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

/// Begins the warning that says why an answer is partial; the text form has it in the place of that word.
pub const PARTIAL: &str = "Partial";

/// Characters that count as one token in every budget.
const CHARS_PER_TOKEN: usize = 4;

/// The cost of a text: characters / 4, rounded up.
#[must_use]
pub fn tokens_of(text: &str) -> u32 {
    tokens_of_chars(text.chars().count())
}

fn tokens_of_chars(chars: usize) -> u32 {
    u32::try_from(chars.div_ceil(CHARS_PER_TOKEN)).unwrap_or(u32::MAX)
}

/// The most characters that a text of so many tokens has.
#[must_use]
pub fn chars_of_tokens(tokens: u32) -> usize {
    tokens as usize * CHARS_PER_TOKEN
}
