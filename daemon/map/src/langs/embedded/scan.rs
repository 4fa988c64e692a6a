//! Finds scripts, styles, elements that may be components, and the names in tags; all other text is passed over.
//!
//! It follows the parsers of HTML as far as scripts are concerned: comments are passed over, and a script ends at the
//! first `</script`, whatever the script says.

use memchr::{memchr, memmem};

use super::marks::{PageMark, gather_marks};
use super::tag::{Tag, read_tag};
use crate::langs::lang::Lang;

/// Most pieces of one page; people write a handful.
const MOST: usize = 2_000;

/// The kind of page that is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum EmbeddedPageKind {
    /// A component of Vue or Svelte.
    Component,
    Astro,
    Html,
}

/// A piece of a page; places are bytes of the whole file.
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
        /// The first byte of the tag.
        at: usize,
        /// The address of the script, as written.
        module: String,
    },
    /// The inside of a style that is plain CSS.
    Style {
        /// First byte of the style in the file.
        from: usize,
        /// End of the style in the file, exclusive.
        to: usize,
    },
    /// A style sheet that is loaded from elsewhere.
    Sheet {
        /// The first byte of the tag.
        at: usize,
        /// The address of the sheet, as written.
        module: String,
    },
    /// An element that HTML does not have.
    Element {
        /// The first byte of its name.
        at: usize,
        /// Its name, as written.
        name: String,
    },
}

/// The pieces and names of a page, in the order of the text.
#[derive(Debug, Default)]
pub(super) struct PageScan {
    pub(super) pieces: Vec<PagePiece>,
    pub(super) marks: Vec<PageMark>,
}

/// Scans a whole page.
pub(super) fn scan_page(source: &[u8], page: EmbeddedPageKind) -> PageScan {
    let mut scan = PageScan::default();
    let mut at = 0;
    if page == EmbeddedPageKind::Astro
        && let Some((from, to)) = front_range(source)
    {
        scan.pieces.push(PagePiece::Script { lang: Lang::TypeScript, from, to });
        at = to;
    }
    while let Some(open) = memchr(b'<', source.get(at..).unwrap_or(&[])).map(|found| at + found) {
        if scan.pieces.len() >= MOST {
            break;
        }
        at = if source[open..].starts_with(b"<!--") {
            end_after(source, open + 4, b"-->")
        } else {
            scan_element(source, open, page, &mut scan)
        };
    }
    scan
}

/// Returns the range of the text between two lines of three dashes at the top.
fn front_range(source: &[u8]) -> Option<(usize, usize)> {
    let blank = source.iter().take_while(|b| b.is_ascii_whitespace()).count();
    let from = blank + source.get(blank..)?.strip_prefix(b"---").map(|_| 3)?;
    let end = memmem::find(source.get(from..)?, b"\n---")?;
    Some((from, from + end))
}

/// Returns the byte behind the next `end`; the end of the file if there is none.
fn end_after(source: &[u8], from: usize, end: &[u8]) -> usize {
    memmem::find(source.get(from..).unwrap_or(&[]), end).map_or(source.len(), |at| from + at + end.len())
}

/// Scans one tag that opens at `open`; returns the byte at which the scan goes on.
fn scan_element(source: &[u8], open: usize, page: EmbeddedPageKind, scan: &mut PageScan) -> usize {
    let name = name_at(source, open + 1);
    let end = open + 1 + name.len();
    match name.to_ascii_lowercase().as_str() {
        "" => open + 1,
        "script" => scan_script(source, open, end, page, &mut scan.pieces),
        "style" => scan_style(source, end, &mut scan.pieces),
        _ => {
            let own = name.starts_with(|c: char| c.is_ascii_uppercase()) || name.contains('-');
            if page != EmbeddedPageKind::Html && own {
                scan.pieces.push(PagePiece::Element { at: open + 1, name: name.to_owned() });
            }
            let tag = read_tag(source, end);
            if page == EmbeddedPageKind::Html && name.eq_ignore_ascii_case("link") && tag.is_sheet() {
                let module = tag.value("href").unwrap_or("").to_owned();
                scan.pieces.push(PagePiece::Sheet { at: open, module });
            }
            gather_marks(source, open, &tag, &mut scan.marks);
            tag.end
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

/// Adds a style, if it is plain CSS; returns the byte at which its text ends.
fn scan_style(source: &[u8], from: usize, pieces: &mut Vec<PagePiece>) -> usize {
    let tag = read_tag(source, from);
    let to = close(source, tag.end, "</style");
    let is_css = |value: Option<&str>| matches!(value, None | Some("" | "css" | "postcss" | "text/css"));
    if is_css(tag.value("lang")) && is_css(tag.value("type")) && to > tag.end {
        pieces.push(PagePiece::Style { from: tag.end, to });
    }
    to
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

/// Returns the byte at which the text of an element ends: that of its closing tag, in either case.
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

/// Returns the language of a script; `None` if it is no program (data, templates, import maps) or in another language.
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
