//! Finds script elements, and elements that may be components, in text that is otherwise not understood.
//!
//! It follows what the parsers of HTML do as far as scripts are concerned: comments are passed over, and a script ends at the
//! first `</script`, whatever the script says.

use memchr::{memchr, memmem};

use crate::langs::lang::Lang;

/// Most pieces of one page; people write a handful.
const MOST: usize = 2_000;
/// Most attributes of one tag that are looked at.
const ATTRIBUTES: usize = 64;

/// The kind of page that is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum EmbeddedPageKind {
    /// A component of Vue or Svelte.
    Component,
    Astro,
    Html,
}

/// Something found, in bytes of the whole file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum PagePiece {
    /// The inside of a script.
    Script {
        /// The language that the script is written in.
        lang: Lang,
        /// First byte of the script in the file.
        from: usize,
        /// End of the script in the file, exclusive.
        to: usize,
    },
    /// A script that is loaded from elsewhere.
    Source {
        /// Where the tag starts.
        at: usize,
        /// From where, as written.
        module: String,
    },
    /// An element that no HTML has.
    Element {
        /// Where its name starts.
        at: usize,
        /// Its name, as written.
        name: String,
    },
}

/// Everything of interest, in order.
pub(super) fn scan_page(source: &[u8], page: EmbeddedPageKind) -> Vec<PagePiece> {
    let mut pieces = Vec::new();
    let mut at = 0;
    if page == EmbeddedPageKind::Astro
        && let Some((from, to)) = front_range(source)
    {
        pieces.push(PagePiece::Script { lang: Lang::TypeScript, from, to });
        at = to;
    }
    while let Some(open) = memchr(b'<', source.get(at..).unwrap_or(&[])).map(|found| at + found) {
        if pieces.len() >= MOST {
            break;
        }
        at = if source[open..].starts_with(b"<!--") {
            end_after(source, open + 4, b"-->")
        } else {
            scan_element(source, open, page, &mut pieces)
        };
    }
    pieces
}

/// The text between two lines of three dashes at the top.
fn front_range(source: &[u8]) -> Option<(usize, usize)> {
    let blank = source.iter().take_while(|b| b.is_ascii_whitespace()).count();
    let from = blank + source.get(blank..)?.strip_prefix(b"---").map(|_| 3)?;
    let end = memmem::find(source.get(from..)?, b"\n---")?;
    Some((from, from + end))
}

/// Where the next `end` ends; the end of the file if there is none.
fn end_after(source: &[u8], from: usize, end: &[u8]) -> usize {
    memmem::find(source.get(from..).unwrap_or(&[]), end).map_or(source.len(), |at| from + at + end.len())
}

/// One tag that opens at `open`; gives where to go on.
fn scan_element(source: &[u8], open: usize, page: EmbeddedPageKind, pieces: &mut Vec<PagePiece>) -> usize {
    let name = name_at(source, open + 1);
    let end = open + 1 + name.len();
    match name.to_ascii_lowercase().as_str() {
        "" => open + 1,
        "script" => scan_script(source, open, end, page, pieces),
        "style" => close(source, read_tag(source, end).end, "</style"),
        _ => {
            let own = name.starts_with(|c: char| c.is_ascii_uppercase()) || name.contains('-');
            if page != EmbeddedPageKind::Html && own {
                pieces.push(PagePiece::Element { at: open + 1, name: name.to_owned() });
            }
            end
        }
    }
}

fn name_at(source: &[u8], from: usize) -> &str {
    let rest = source.get(from..).unwrap_or(&[]);
    let len =
        rest.iter().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_')).count();
    let name = std::str::from_utf8(&rest[..len]).unwrap_or("");
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name } else { "" }
}

fn scan_script(
    source: &[u8],
    open: usize,
    from: usize,
    page: EmbeddedPageKind,
    pieces: &mut Vec<PagePiece>,
) -> usize {
    let tag = read_tag(source, from);
    let end = if tag.closed { tag.end } else { close(source, tag.end, "</script") };
    if let Some(module) = tag.value("src") {
        pieces.push(PagePiece::Source { at: open, module: module.to_owned() });
    } else if let Some(lang) = language(&tag, page).filter(|_| end > tag.end) {
        pieces.push(PagePiece::Script { lang, from: tag.end, to: end });
    }
    end
}

/// Where the text of an element ends: at its closing tag, in either case.
fn close(source: &[u8], from: usize, closing: &str) -> usize {
    let mut at = from;
    while let Some(found) = memmem::find(source.get(at..).unwrap_or(&[]), b"</") {
        let here = at + found;
        let text = source.get(here..here + closing.len()).unwrap_or(&[]);
        if text.eq_ignore_ascii_case(closing.as_bytes()) {
            return here;
        }
        at = here + 2;
    }
    source.len()
}

/// The language of a script; `None` if it is no program (data, templates, import maps) or in another language.
fn language(tag: &Tag, page: EmbeddedPageKind) -> Option<Lang> {
    let plain = if page == EmbeddedPageKind::Astro { Lang::TypeScript } else { Lang::JavaScript };
    if let Some(lang) = tag.value("lang") {
        return match lang {
            "ts" | "typescript" => Some(Lang::TypeScript),
            "tsx" => Some(Lang::Tsx),
            "js" | "jsx" | "javascript" | "" => Some(Lang::JavaScript),
            _ => None,
        };
    }
    match tag.value("type").unwrap_or("") {
        "" | "module" | "text/javascript" | "application/javascript" | "text/ecmascript" => Some(plain),
        "text/babel" | "text/jsx" => Some(Lang::JavaScript),
        "ts" | "text/typescript" | "application/typescript" => Some(Lang::TypeScript),
        _ => None,
    }
}

/// The attributes of a tag, and where it ends.
#[derive(Debug, Default)]
struct Tag {
    attributes: Vec<(String, String)>,
    /// The byte after `>`.
    end: usize,
    /// True if the tag ends with `/>`.
    closed: bool,
}

impl Tag {
    fn value(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(have, _)| have == name).map(|(_, value)| value.as_str())
    }
}

/// Reads attributes up to the `>` that is in none of them.
fn read_tag(source: &[u8], from: usize) -> Tag {
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
    let mut value = String::new();
    if source.get(equals) == Some(&b'=') {
        let start = equals + 1 + blank(equals + 1);
        let (text, end) = quoted_value(source, start);
        value = String::from_utf8_lossy(text).into_owned();
        at = end;
    }
    if tag.attributes.len() < ATTRIBUTES {
        tag.attributes.push((name, value));
    }
    at
}

/// The value that starts here, and the byte after it.
fn quoted_value(source: &[u8], start: usize) -> (&[u8], usize) {
    match source.get(start) {
        Some(&quote @ (b'"' | b'\'')) => {
            let end = memchr(quote, &source[start + 1..]).map_or(source.len(), |at| start + 1 + at);
            (&source[start + 1..end], (end + 1).min(source.len()))
        }
        _ => {
            let rest = source.get(start..).unwrap_or(&[]);
            let len = rest.iter().take_while(|b| !b.is_ascii_whitespace() && **b != b'>').count();
            (&rest[..len], start + len)
        }
    }
}
