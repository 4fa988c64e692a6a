//! Domain answers as tool results, one file per family; every error's code, message and hint in one place.
//!
//! Knows the domain and the wire's types, and no tool: a handler asks here for the form of what it found.

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

/// A note as a warning.
pub fn to_sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", chars.as_str())
}
