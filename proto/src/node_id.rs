//! Parses and writes node IDs: `<lang>:<posix-relpath>[#qualifiedName[~ordinal]]`, and `<lang>:ext:<package>`
//! for packages outside the workspace.
//!
//! An ID never holds a position, so it survives edits above the symbol. The characters of the grammar itself
//! (`#`, `~`, `%`) and control characters are percent-encoded in paths and names; all others are written
//! literally. `~1` is never written: the first definition of a name has no ordinal. `sym:` before an ID is
//! accepted and dropped.

use std::fmt::{self, Write};
use std::str::FromStr;

/// The grammar of a node ID, which an error about a malformed ID quotes.
pub const GRAMMAR: &str =
    "<lang>:<relpath>[#qualifiedName[~ordinal]], e.g. py:src/auth/session.py#SessionStore.refresh";

/// A parsed node ID.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NodeId {
    /// A file of the workspace, in one language.
    File {
        /// Language prefix (`py`, `ts`, `rs`, ...).
        lang: String,
        /// Path relative to the workspace root, `/`-separated.
        path: String,
    },
    /// A definition in a file of the workspace.
    Symbol {
        /// The prefix of the definition's language, as in `py`.
        lang: String,
        /// Path relative to the workspace root.
        path: String,
        /// The qualified name, with dots between its parts: `Outer.inner`.
        qualified: String,
        /// 1 for the first definition of that name in the file.
        ordinal: u32,
    },
    /// A package outside the workspace.
    External {
        /// The prefix of the package's language, as in `py`.
        lang: String,
        /// The package's published name.
        package: String,
    },
}

/// Why a text is no node ID.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a node ID: {reason}; expected {GRAMMAR}")]
pub struct BadNodeId {
    /// The text as given, shortened.
    pub text: String,
    /// The part of the grammar that the ID violates, in words.
    pub reason: &'static str,
}

impl NodeId {
    /// Returns the prefix of the node's language, as in `py`.
    #[must_use]
    pub fn lang(&self) -> &str {
        match self {
            Self::File { lang, .. } | Self::Symbol { lang, .. } | Self::External { lang, .. } => lang,
        }
    }

    /// Returns the file of the node; `None` for external packages.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::File { path, .. } | Self::Symbol { path, .. } => Some(path),
            Self::External { .. } => None,
        }
    }

    /// Returns true if a text looks like a node ID rather than a bare or qualified name: a short lower-case prefix, a
    /// colon that is not doubled, and something after it.
    #[must_use]
    pub fn looks_like(text: &str) -> bool {
        let text = text.strip_prefix("sym:").unwrap_or(text);
        text.split_once(':')
            .is_some_and(|(lang, rest)| is_lang(lang) && !rest.is_empty() && !rest.starts_with(':'))
    }
}

fn is_lang(lang: &str) -> bool {
    (1..=12).contains(&lang.len()) && lang.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
}

impl FromStr for NodeId {
    type Err = BadNodeId;

    fn from_str(text: &str) -> Result<Self, BadNodeId> {
        parse(text.strip_prefix("sym:").unwrap_or(text))
            .map_err(|reason| BadNodeId { text: text.chars().take(120).collect(), reason })
    }
}

fn parse(text: &str) -> Result<NodeId, &'static str> {
    let (lang, rest) = text.split_once(':').ok_or("there is no `:` after the language")?;
    if !is_lang(lang) {
        return Err("the language before the first `:` must be a short lower-case word");
    }
    let lang = lang.to_owned();
    if let Some(package) = rest.strip_prefix("ext:") {
        let package = decode(package)?;
        return if package.is_empty() {
            Err("the package is empty")
        } else {
            Ok(NodeId::External { lang, package })
        };
    }
    let (path, symbol) = match rest.split_once('#') {
        Some((path, symbol)) => (path, Some(symbol)),
        None => (rest, None),
    };
    let path = check_path(decode(path)?)?;
    let Some(symbol) = symbol else { return Ok(NodeId::File { lang, path }) };
    let (name, ordinal) = match symbol.split_once('~') {
        None => (symbol, 1),
        Some((name, digits)) => (
            name,
            digits.parse().ok().filter(|n| *n >= 1).ok_or("the ordinal after `~` must be a number from 1")?,
        ),
    };
    let qualified = decode(name)?;
    if qualified.is_empty() {
        return Err("the name after `#` is empty");
    }
    Ok(NodeId::Symbol { lang, path, qualified, ordinal })
}

fn check_path(path: String) -> Result<String, &'static str> {
    if path.is_empty() {
        return Err("the path is empty");
    }
    if path.starts_with('/') || path.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return Err("the path must be relative to the workspace root, without `.` and `..`");
    }
    Ok(path)
}

fn decode(text: &str) -> Result<String, &'static str> {
    if !text.contains('%') {
        return Ok(text.to_owned());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        if byte != b'%' {
            bytes.push(byte);
            rest = tail;
            continue;
        }
        let hex = tail.get(..2).and_then(|h| std::str::from_utf8(h).ok()).filter(|h| !h.starts_with('+'));
        bytes.push(
            hex.and_then(|h| u8::from_str_radix(h, 16).ok())
                .ok_or("`%` must be followed by two hex digits")?,
        );
        rest = &tail[2..];
    }
    String::from_utf8(bytes).map_err(|_| "the percent-encoded bytes are not UTF-8")
}

struct Encoded<'a>(&'a str);

impl fmt::Display for Encoded<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '#' | '~' | '%' => write!(f, "%{:02X}", c as u32)?,
                c if c.is_control() => {
                    let mut buffer = [0; 4];
                    c.encode_utf8(&mut buffer).bytes().try_for_each(|b| write!(f, "%{b:02X}"))?;
                }
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { lang, path } => write!(f, "{lang}:{}", Encoded(path)),
            Self::External { lang, package } => write!(f, "{lang}:ext:{}", Encoded(package)),
            Self::Symbol { lang, path, qualified, ordinal } => {
                write!(f, "{lang}:{}#{}", Encoded(path), Encoded(qualified))?;
                if *ordinal > 1 { write!(f, "~{ordinal}") } else { Ok(()) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_print_as_they_parse() {
        for text in [
            "py:src/a.py",
            "py:src/a.py#A.b",
            "rs:x.rs#A.b~2",
            "js:ext:@scope/pkg",
            "py:we%23ird%25/na%7Eme%0A.py#f",
            "c:ärger/ü.c#naïve",
            "go:ext:golang.org/x/tools",
        ] {
            assert_eq!(text.parse::<NodeId>().expect(text).to_string(), text);
        }
        let with_prefix: NodeId = "sym:py:a.py#f~1".parse().expect("sym: is accepted");
        assert_eq!(with_prefix.to_string(), "py:a.py#f");
    }

    #[test]
    fn bad_ids_say_what_was_expected() {
        for text in [
            "",
            "a.py",
            "py:",
            "py:a.py#",
            "py:a.py#f~0",
            "py:a.py#f~x",
            "py:/etc/passwd",
            "py:../a",
            "py:a%2",
            "PY:a",
            "py:ext:",
        ] {
            let error = text.parse::<NodeId>().expect_err(text).to_string();
            assert!(error.contains("expected <lang>:<relpath>"), "{error}");
        }
        assert!(!NodeId::looks_like("std::fs::File") && NodeId::looks_like("rs:a.rs#x"));
    }
}
