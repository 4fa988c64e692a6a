//! Reads JSON with byte offsets, as far as the text is valid.
//!
//! `serde_json` gives no positions of keys, and no result at all for a file that breaks off or has a comma too many.
//! This reader keeps the byte offset of every key and string, and stops at the first invalid byte with what it has
//! read. It reads only what manifests need: numbers, lists and `null` are not told apart.

use std::borrow::Cow;

/// Most levels of nested values; deeper ones are left out. Version 1 of `package-lock.json` nests two levels for each
/// folder.
const DEPTH: usize = 200;

/// A JSON value, as far as readers need it.
pub(super) enum ManifestJson<'t> {
    Text(Cow<'t, str>),
    Bool(bool),
    Object(Vec<ManifestJsonMember<'t>>),
    /// A number, `null`, or a list; no reader needs the values in a list.
    Other,
}

/// A key with its value.
pub(super) struct ManifestJsonMember<'t> {
    /// Byte offset of the key's quote.
    pub(super) at: usize,
    pub(super) key: Cow<'t, str>,
    pub(super) value: ManifestJson<'t>,
}

impl<'t> ManifestJson<'t> {
    /// Returns the value of `key`, if this is an object that has it.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        self.members().iter().find(|member| member.key == key).map(|member| &member.value)
    }

    /// Returns the members of an object, in the order of the text; empty for any other value.
    pub(super) fn members(&self) -> &[ManifestJsonMember<'t>] {
        if let Self::Object(members) = self { members } else { &[] }
    }

    /// Returns the members of the object at `key`.
    pub(super) fn members_of(&self, key: &str) -> &[ManifestJsonMember<'t>] {
        self.get(key).map_or(&[], Self::members)
    }

    pub(super) fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// Returns true if `key` is there and `true`.
    pub(super) fn is(&self, key: &str) -> bool {
        matches!(self.get(key), Some(Self::Bool(true)))
    }
}

/// Reads `text` as far as it is JSON.
pub(super) fn parse(text: &str) -> ManifestJson<'_> {
    Parser { text, at: 0, broken: false }.value(DEPTH)
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    /// True if an invalid byte has ended the reading.
    broken: bool,
}

impl<'t> Parser<'t> {
    fn value(&mut self, depth: usize) -> ManifestJson<'t> {
        match self.peek() {
            _ if depth == 0 => self.give_up(),
            Some(b'{') => self.read_object(depth),
            Some(b'[') => self.list(depth),
            Some(b'"') => self.read_string().map_or(ManifestJson::Other, ManifestJson::Text),
            Some(_) => self.read_word(),
            None => self.give_up(),
        }
    }

    fn read_object(&mut self, depth: usize) -> ManifestJson<'t> {
        self.at += 1;
        let mut members = Vec::new();
        while !self.take_end(b'}') {
            let at = self.at;
            let Some(key) = self.read_string() else { break };
            if !self.expect_byte(b':') {
                break;
            }
            // A value that breaks off is kept as far as it goes, because its key is there.
            let value = self.value(depth - 1);
            members.push(ManifestJsonMember { at, key, value });
            self.take_comma(b'}');
        }
        ManifestJson::Object(members)
    }

    fn list(&mut self, depth: usize) -> ManifestJson<'t> {
        self.at += 1;
        while !self.take_end(b']') {
            self.value(depth - 1);
            self.take_comma(b']');
        }
        ManifestJson::Other
    }

    /// Returns true if nothing more comes before `close`, and consumes `close`.
    fn take_end(&mut self, close: u8) -> bool {
        match self.peek() {
            _ if self.broken => true,
            Some(byte) if byte == close => {
                self.at += 1;
                true
            }
            None => {
                self.broken = true;
                true
            }
            Some(_) => false,
        }
    }

    /// Consumes the comma that must come unless `close` does.
    fn take_comma(&mut self, close: u8) {
        if !self.broken && !self.take_if(b',') && self.peek() != Some(close) {
            self.broken = true;
        }
    }

    fn expect_byte(&mut self, byte: u8) -> bool {
        let taken = self.take_if(byte);
        self.broken |= !taken;
        taken
    }

    fn take_if(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    /// Reads `true`, `false`, `null` or a number.
    fn read_word(&mut self) -> ManifestJson<'t> {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c)).unwrap_or(rest.len());
        if end == 0 {
            return self.give_up();
        }
        self.at += end;
        match &rest[..end] {
            "true" => ManifestJson::Bool(true),
            "false" => ManifestJson::Bool(false),
            _ => ManifestJson::Other,
        }
    }

    fn read_string(&mut self) -> Option<Cow<'t, str>> {
        if !self.expect_byte(b'"') {
            return None;
        }
        let start = self.at;
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b'"' => {
                    self.at += 1;
                    return Some(unescape(&self.text[start..self.at - 1]));
                }
                // The character behind a backslash never ends the string.
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at = self.text.len();
        self.broken = true;
        None
    }

    /// Returns the next byte that is no white space.
    fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        bytes.get(self.at).copied()
    }

    fn give_up(&mut self) -> ManifestJson<'t> {
        self.broken = true;
        ManifestJson::Other
    }
}

/// Returns the text of a string between its quotes. Unpaired surrogates become replacement characters: no name has one.
fn unescape(raw: &str) -> Cow<'_, str> {
    if !raw.contains('\\') {
        return Cow::Borrowed(raw);
    }
    let mut out = String::with_capacity(raw.len());
    let mut chars = raw.chars();
    while let Some(c) = chars.next() {
        match (c, if c == '\\' { chars.next() } else { None }) {
            ('\\', Some('u')) => {
                let digits: String = chars.by_ref().take(4).collect();
                let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                out.push(code.unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            ('\\', Some('n')) => out.push('\n'),
            ('\\', Some('t')) => out.push('\t'),
            ('\\', Some(other)) => out.push(other),
            ('\\', None) => {}
            (c, _) => out.push(c),
        }
    }
    Cow::Owned(out)
}
