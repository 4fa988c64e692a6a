//! Changes one entry of a configuration file and nothing else.
//!
//! Each format has a parser that returns the places of values. The change itself cuts and inserts text, because writing
//! a parsed file anew would change its neighbours: blank lines, one-line objects, comments. So everything outside the
//! few places of [`Edit`] stays byte for byte by construction, and `put` and `take` check the outcome: it must parse,
//! have the same values as before except for the entry, and give the old text when the edits are undone. If it does
//! not, nothing is changed and the user is told.

mod json;
mod toml;
mod values;
mod yaml;

use std::ops::Range;

use serde_json::{Map, Value};

pub(crate) use self::values::{TakenValue, ValueAt};

/// Why a file cannot be changed, with the place of the problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {problem}")]
pub(crate) struct Broken {
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) problem: String,
}

impl Broken {
    /// Makes the error for a byte of the text; line and column count from one, the column in characters.
    fn at_byte(text: &str, byte: usize, problem: impl Into<String>) -> Self {
        let before = text.get(..byte).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.matches('\n').count() + 1;
        Self { line, column: before[line_start..].chars().count() + 1, problem: problem.into() }
    }
}

/// A range of a text, and its replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Edit {
    at: Range<usize>,
    with: String,
}

impl Edit {
    fn insert(at: usize, with: impl Into<String>) -> Self {
        Self { at: at..at, with: with.into() }
    }

    fn remove(at: Range<usize>) -> Self {
        Self { at, with: String::new() }
    }
}

/// A key in a table of the file: `mcpServers`, `hob`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot<'a> {
    pub(crate) container: &'a str,
    pub(crate) name: &'a str,
}

impl Slot<'_> {
    /// Returns the value of the slot in a file's `data`; `None` if it has none.
    pub(crate) fn value_in<'v>(&self, data: &'v Value) -> Option<&'v Value> {
        data.get(self.container)?.get(self.name)
    }
}

/// A file as text for parsers, with the bytes to restore around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConfigText {
    bom: bool,
    crlf: bool,
    /// The text without its mark, and with plain line ends if all were CRLF.
    pub(crate) text: String,
}

const BOM: &str = "\u{feff}";

impl ConfigText {
    /// # Errors
    /// The place of the first invalid byte, if the file is no UTF-8.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, Broken> {
        let whole = std::str::from_utf8(bytes).map_err(|error| {
            let good = String::from_utf8_lossy(bytes.get(..error.valid_up_to()).unwrap_or_default());
            Broken::at_byte(&good, good.len(), "this is no UTF-8 text; save the file as UTF-8")
        })?;
        let text = whole.strip_prefix(BOM).unwrap_or(whole);
        let pairs = text.matches("\r\n").count();
        let crlf = pairs > 0 && pairs == text.matches('\n').count();
        let plain = if crlf { text.replace("\r\n", "\n") } else { text.to_owned() };
        Ok(Self { bom: whole.len() > text.len(), crlf, text: plain })
    }

    /// Returns the bytes of the same file with another text.
    pub(crate) fn bytes_with(&self, text: &str) -> Vec<u8> {
        let mark = if self.bom { BOM } else { "" };
        let text = if self.crlf { text.replace('\n', "\r\n") } else { text.to_owned() };
        [mark.as_bytes(), text.as_bytes()].concat()
    }
}

/// The dialect of JSON that an agent's parser accepts. An agent's file with other additions counts as broken, whoever
/// put them there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// JSON without any additions.
    Plain,
    /// JSON with comments in it.
    Comments,
    /// Comments, and commas at the end of lists and objects.
    Commas,
}

/// The format of a client's configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// JSON; comments and trailing commas stay where they are.
    Json,
    Toml,
    Yaml,
}

impl Format {
    /// Returns the file's data; `{}` if the file is empty.
    ///
    /// # Errors
    /// The place where it is broken.
    pub(crate) fn parse(self, text: &str) -> Result<Value, Broken> {
        let data = match self {
            Self::Json => json::parse(text),
            Self::Toml => toml::parse(text),
            Self::Yaml => yaml::parse(text),
        }?;
        match data {
            Value::Null => Ok(Value::Object(Map::new())),
            Value::Object(_) => Ok(data),
            _ => Err(Broken::at_byte(
                text,
                0,
                "the file is a list or a single value, where a table of settings is expected",
            )),
        }
    }

    /// Parses as `parse` does, and refuses text that the agent itself would refuse.
    ///
    /// # Errors
    /// The place where it is broken.
    pub(crate) fn parse_for(self, text: &str, dialect: Dialect) -> Result<Value, Broken> {
        let data = self.parse(text)?;
        if self == Self::Json {
            json::check_dialect(text, dialect)?;
        }
        Ok(data)
    }

    /// Returns the text with `value` in `slot`.
    ///
    /// # Errors
    /// The place where it is broken, or has a form in which nothing can be added safely.
    pub(crate) fn put_value(self, text: &str, slot: Slot<'_>, value: &Value) -> Result<String, Broken> {
        let mut expected = self.parse(text)?;
        let edits = match self {
            Self::Json => json::edits_to_put(text, slot, value),
            Self::Toml => toml::edits_to_put(text, slot, value),
            Self::Yaml => yaml::edits_to_put(text, slot, value),
        }?;
        let container = child_object(&mut expected, slot.container);
        if let Some(container) = container.as_object_mut() {
            container.insert(slot.name.to_owned(), value.clone());
        }
        self.apply_checked(text, edits, &expected)
    }

    /// Returns the text without the value of `slot`; with `container_too`, also without its table, if that is empty
    /// then.
    ///
    /// # Errors
    /// The place where it is broken, or has a form in which nothing can be removed safely.
    pub(crate) fn take_value(
        self,
        text: &str,
        slot: Slot<'_>,
        container_too: bool,
    ) -> Result<String, Broken> {
        let mut expected = self.parse(text)?;
        let edits = self.removal_edits(text, &[slot.container, slot.name])?;
        let mut empty = false;
        if let Some(container) = expected.get_mut(slot.container).and_then(Value::as_object_mut) {
            container.remove(slot.name);
            empty = container.is_empty();
        }
        let text = self.apply_checked(text, edits, &expected)?;
        if !(container_too && empty) || self.parse(&text)?.get(slot.container).is_none() {
            return Ok(text);
        }
        let edits = self.removal_edits(&text, &[slot.container])?;
        if let Some(root) = expected.as_object_mut() {
            root.remove(slot.container);
        }
        self.apply_checked(&text, edits, &expected)
    }

    fn removal_edits(self, text: &str, path: &[&str]) -> Result<Vec<Edit>, Broken> {
        match self {
            Self::Json => json::edits_to_take(text, path),
            Self::Toml => toml::edits_to_take(text, path),
            Self::Yaml => yaml::edits_to_take(text, path),
        }
    }

    fn apply_checked(self, text: &str, edits: Vec<Edit>, expected: &Value) -> Result<String, Broken> {
        let (changed, back) = apply(text, &edits);
        let first = edits.first().map_or(0, |edit| edit.at.start);
        let unfit = || {
            Broken::at_byte(
                text,
                first,
                "the file is written in a form that hob cannot change safely; add the entry by hand",
            )
        };
        let is = self.parse(&changed).map_err(|_| unfit())?;
        let same = without_empty(&is) == without_empty(expected) && apply(&changed, &back).0 == text;
        if same { Ok(changed) } else { Err(unfit()) }
    }
}

/// Removes empty tables, which mean the same as no table: TOML has no way to write an empty one that only had
/// sub-tables.
fn without_empty(data: &Value) -> Value {
    let Value::Object(root) = data else { return data.clone() };
    let is_empty = |value: &Value| value.is_null() || value.as_object().is_some_and(Map::is_empty);
    root.iter()
        .filter(|(_, value)| !is_empty(value))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

fn child_object<'v>(root: &'v mut Value, name: &str) -> &'v mut Value {
    let child = &mut root[name];
    if child.is_null() {
        *child = Value::Object(Map::new());
    }
    child
}

/// Applies sorted edits, and returns the edits that undo them.
fn apply(text: &str, edits: &[Edit]) -> (String, Vec<Edit>) {
    let (mut changed, mut back, mut done) = (String::with_capacity(text.len() + 256), Vec::new(), 0);
    for Edit { at, with } in edits {
        changed.push_str(&text[done..at.start]);
        let start = changed.len();
        changed.push_str(with);
        back.push(Edit { at: start..changed.len(), with: text[at.clone()].to_owned() });
        done = at.end;
    }
    changed.push_str(&text[done..]);
    (changed, back)
}

/// Returns the first byte of the line in which `byte` is.
fn line_start(text: &str, byte: usize) -> usize {
    text[..byte].rfind('\n').map_or(0, |newline| newline + 1)
}

/// Returns the end of the line in which `byte` is, before its line break.
fn line_end(text: &str, byte: usize) -> usize {
    text[byte..].find('\n').map_or(text.len(), |newline| byte + newline)
}

/// Returns the white space with which the line of `byte` begins.
fn indentation(text: &str, byte: usize) -> &str {
    let line = &text[line_start(text, byte)..];
    let end = line.find(|c: char| c != ' ' && c != '\t').unwrap_or(line.len());
    &line[..end]
}

fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| byte == b' ' || byte == b'\t')
}
