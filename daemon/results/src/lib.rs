//! Turns domain answers into tool results, one file per family, and defines every error's code, message and
//! hint.
//!
//! This crate knows the domain and the wire's types, and no tool: a handler calls it to convert its findings.

pub mod edit;
pub mod errors;
mod file_lines;
pub mod live;
pub mod map;
pub mod org;
pub mod org_errors;
pub mod packages;
pub mod path;

pub mod resolve;
pub mod text;
pub mod text_only;
pub mod text_search;

pub use file_lines::{FileLineCache, current_bytes};

/// Turns a note into a sentence, for a warning.
pub fn to_sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", chars.as_str())
}
