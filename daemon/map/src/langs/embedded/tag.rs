//! Reads the attributes of one tag, with their places.

use std::ops::Range;

use memchr::memchr;

/// Most attributes of one tag that are read.
const ATTRIBUTES: usize = 64;

/// One attribute of a tag.
#[derive(Debug)]
pub(super) struct TagAttribute {
    /// Its name, in lower case.
    pub(super) name: String,
    pub(super) value: String,
    /// The bytes of the value in the file, without quotes.
    pub(super) place: Range<usize>,
}

/// The attributes of a tag, and its end.
#[derive(Debug, Default)]
pub(super) struct Tag {
    pub(super) attributes: Vec<TagAttribute>,
    /// The byte after `>`.
    pub(super) end: usize,
    /// True if the tag ends with `/>`.
    pub(super) closed: bool,
}

impl Tag {
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        let attribute = self.attributes.iter().find(|attribute| attribute.name == name);
        attribute.map(|attribute| attribute.value.as_str())
    }

    /// Returns true if the tag, a `<link>`, loads a style sheet.
    pub(super) fn is_sheet(&self) -> bool {
        let words = self.value("rel").unwrap_or("").split_ascii_whitespace();
        words.into_iter().any(|word| word.eq_ignore_ascii_case("stylesheet"))
    }
}

/// Reads attributes up to the `>` that is outside of all of them.
pub(super) fn read_tag(source: &[u8], from: usize) -> Tag {
    let mut found = Tag { end: source.len(), ..Tag::default() };
    let mut at = from;
    while let Some(&byte) = source.get(at) {
        match byte {
            b'>' => {
                found.end = at + 1;
                found.closed = source[..at].ends_with(b"/");
                break;
            }
            b'/' | b'=' => at += 1,
            _ if byte.is_ascii_whitespace() => at += 1,
            _ => at = read_attribute(source, at, &mut found),
        }
    }
    found
}

fn read_attribute(source: &[u8], from: usize, tag: &mut Tag) -> usize {
    let ends = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'=' | b'>' | b'/');
    let len = source[from..].iter().take_while(|b| !ends(b)).count().max(1);
    let name = String::from_utf8_lossy(&source[from..from + len]).to_lowercase();
    let blank = |at: usize| source[at..].iter().take_while(|b| b.is_ascii_whitespace()).count();
    let mut at = from + len;
    let equals = at + blank(at);
    let (mut value, mut place) = (String::new(), at..at);
    if source.get(equals) == Some(&b'=') {
        let start = equals + 1 + blank(equals + 1);
        let (text, end) = quoted_value(source, start);
        value = String::from_utf8_lossy(&source[text.clone()]).into_owned();
        place = text;
        at = end;
    }
    if tag.attributes.len() < ATTRIBUTES {
        tag.attributes.push(TagAttribute { name, value, place });
    }
    at
}

/// Returns the bytes of the value that starts here, and the byte behind it.
fn quoted_value(source: &[u8], start: usize) -> (Range<usize>, usize) {
    match source.get(start) {
        Some(&quote @ (b'"' | b'\'')) => {
            let end = memchr(quote, &source[start + 1..]).map_or(source.len(), |at| start + 1 + at);
            (start + 1..end, (end + 1).min(source.len()))
        }
        _ => {
            let rest = source.get(start..).unwrap_or(&[]);
            let len = rest.iter().take_while(|b| !b.is_ascii_whitespace() && **b != b'>').count();
            let start = start.min(source.len());
            (start..start + len, start + len)
        }
    }
}
