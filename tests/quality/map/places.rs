//! Finds the imports and comments in a file by its text alone.
//!
//! It does not use hob's grammars, because what is left out of the comparison must not depend on what is compared.

use std::collections::BTreeSet;

use super::rows::Words;

/// The imports and comments of a file, and the beginnings of its lines.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// The lines of import and export statements, from 1.
    imports: BTreeSet<u64>,
    /// The byte ranges of comments.
    comments: Vec<(usize, usize)>,
    /// The offsets in bytes at which lines begin.
    starts: Vec<usize>,
}

impl Places {
    pub(super) fn of(text: &str, words: Words) -> Self {
        let line_starts = text.match_indices('\n').map(|(at, _)| at + 1);
        let starts: Vec<usize> = std::iter::once(0).chain(line_starts).collect();
        let (imports, comments) = match words {
            Words::Python => (statements(text, is_python_import, python_ends), Vec::new()),
            Words::Ecma => (statements(text, is_ecma_import, ecma_ends), c_comments(text, false)),
            Words::C => (statements(text, is_define, define_ends), c_comments(text, false)),
            Words::Go => (statements(text, is_go_import, go_ends), c_comments(text, false)),
            Words::Rust => (
                statements(text, is_rust_import, |statement| statement.contains(';')),
                c_comments(text, true),
            ),
        };
        Self { imports, comments, starts }
    }

    pub(super) fn is_import(&self, line: u64) -> bool {
        self.imports.contains(&line)
    }

    /// Returns true if a place is inside a comment. The column counts bytes from 1, which is accurate enough.
    pub(super) fn is_comment(&self, line: u64, col: u64) -> bool {
        let Some(start) = self.starts.get(line as usize - 1) else { return false };
        let at = start + col as usize - 1;
        self.comments.iter().any(|(from, to)| (*from..*to).contains(&at))
    }
}

/// Returns the lines of statements that begin with a line for which `begins` is true, and end when `ends` is true for
/// the statement so far.
fn statements(text: &str, begins: fn(&str) -> bool, ends: fn(&str) -> bool) -> BTreeSet<u64> {
    let mut found = BTreeSet::new();
    let mut statement = String::new();
    for (number, line) in (1..).zip(text.lines()) {
        if statement.is_empty() && !begins(line.trim_start()) {
            continue;
        }
        found.insert(number);
        statement.push_str(line);
        statement.push('\n');
        if ends(&statement) {
            statement.clear();
        }
    }
    found
}

fn is_python_import(line: &str) -> bool {
    let from = line.starts_with("from ") && line.contains(" import");
    from || line.starts_with("import ") || line.starts_with("__all__")
}

fn python_ends(statement: &str) -> bool {
    let code: String =
        statement.lines().map(|line| line.split('#').next().unwrap_or("").trim_end()).collect();
    let count = |open: char| code.matches(open).count();
    count('(') <= count(')') && count('[') <= count(']') && !code.ends_with('\\')
}

fn is_ecma_import(line: &str) -> bool {
    let starts = |words: &[&str]| words.iter().any(|word| line.starts_with(word));
    let import = ["import ", "import{", "import\"", "import'", "import*"];
    let export = ["export {", "export{", "export *", "export type {", "export type *"];
    let default = line.strip_prefix("export default ").or_else(|| line.strip_prefix("export = "));
    let is_name = |rest: &str| {
        let name = rest.trim_end().trim_end_matches(';');
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$')
    };
    starts(&import) || starts(&export) || default.is_some_and(is_name)
}

fn ecma_ends(statement: &str) -> bool {
    let count = |brace: char| statement.matches(brace).count();
    let code = statement.trim_end();
    count('{') <= count('}') && (code.ends_with([';', '"', '\'', '}']) || !code.ends_with(','))
}

/// Returns true if a line defines a macro: its text has a meaning only where the macro is expanded, and a server lists
/// it there.
fn is_define(line: &str) -> bool {
    line.strip_prefix('#').is_some_and(|rest| rest.trim_start().starts_with("define"))
}

fn define_ends(statement: &str) -> bool {
    !statement.trim_end_matches('\n').trim_end_matches('\r').ends_with('\\')
}

fn is_go_import(line: &str) -> bool {
    line.starts_with("import ") || line.starts_with("import(")
}

fn go_ends(statement: &str) -> bool {
    !statement.contains('(') || statement.contains(')')
}

fn is_rust_import(line: &str) -> bool {
    let line = line.strip_prefix("pub").map_or(line, |rest| {
        let rest = rest.trim_start();
        rest.strip_prefix('(')
            .and_then(|inside| inside.split_once(')'))
            .map_or(rest, |(_, rest)| rest)
            .trim_start()
    });
    line.starts_with("use ") || line.starts_with("extern crate ")
}

/// Returns the ranges of `//` and `/* */` comments outside of strings. With `lifetimes`, a quote need not begin a
/// character.
fn c_comments(text: &str, lifetimes: bool) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let end_of = |mark: &str| text[at..].find(mark).map_or(bytes.len(), |length| at + length);
        at = match (bytes[at], bytes.get(at + 1)) {
            (b'/', Some(b'/')) => {
                let end = end_of("\n");
                found.push((at, end));
                end
            }
            (b'/', Some(b'*')) => {
                let end = (end_of("*/") + 2).min(bytes.len());
                found.push((at, end));
                end
            }
            (b'\'', Some(next)) if lifetimes && *next != b'\\' && bytes.get(at + 2) != Some(&b'\'') => at + 1,
            (quote @ (b'"' | b'\''), _) => string_end(bytes, at + 1, quote),
            _ => at + 1,
        };
        while !text.is_char_boundary(at) {
            at += 1;
        }
    }
    found
}

/// Returns the offset after the end of a string. The end of a line also ends it, so that a stray quote does no harm.
fn string_end(bytes: &[u8], mut at: usize, quote: u8) -> usize {
    while at < bytes.len() && bytes[at] != quote && bytes[at] != b'\n' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}
