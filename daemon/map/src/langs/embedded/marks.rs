//! Reads the names in the tags of a page: ids, classes, and links to ids.
//!
//! Values that a template computes (`{{ kind }}`, `<%= kind %>`) are left out, and so are the words between their
//! marks.

use std::ops::Range;

use super::tag::Tag;

/// Most names of one page that are read.
const MOST: usize = 20_000;

/// The role of a name in a tag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MarkKind {
    /// An id: `id="main"`.
    Id,
    /// One class of `class="btn wide"`.
    Class,
    /// A link to an id: `href="#main"`, `for="main"`.
    Target,
}

/// One name in a tag; places are bytes of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PageMark {
    pub(super) kind: MarkKind,
    /// The name behind its mark: `.btn`, `#main`.
    pub(super) name: String,
    /// The byte at which the name begins.
    pub(super) at: usize,
    /// The bytes of the whole tag.
    pub(super) tag: Range<usize>,
}

/// Adds the names in a tag that opens at `open`.
pub(super) fn gather_marks(source: &[u8], open: usize, tag: &Tag, marks: &mut Vec<PageMark>) {
    for attribute in &tag.attributes {
        let (kind, place) = match attribute.name.as_str() {
            "id" => (MarkKind::Id, attribute.place.clone()),
            "class" => (MarkKind::Class, attribute.place.clone()),
            "for" => (MarkKind::Target, attribute.place.clone()),
            "href" | "xlink:href" if attribute.value.starts_with('#') => {
                (MarkKind::Target, attribute.place.start + 1..attribute.place.end)
            }
            _ => continue,
        };
        for (at, word) in plain_words(source, place) {
            if marks.len() >= MOST {
                return;
            }
            let mark = if kind == MarkKind::Class { '.' } else { '#' };
            marks.push(PageMark { kind, name: format!("{mark}{word}"), at, tag: open..tag.end });
            if kind != MarkKind::Class {
                break;
            }
        }
    }
}

/// Returns the words of a value, each with the byte at which it begins, without those that a template computes.
fn plain_words(source: &[u8], place: Range<usize>) -> Vec<(usize, &str)> {
    let value = source.get(place.clone()).unwrap_or(&[]);
    let (mut words, mut at, mut in_template) = (Vec::new(), place.start, false);
    for word in value.split(u8::is_ascii_whitespace) {
        let text = std::str::from_utf8(word).unwrap_or("");
        let opens = text.rfind(['{', '<']);
        let closes = text.rfind(['}', '>']);
        if !in_template && !text.is_empty() && !text.contains(['{', '}', '<', '>', '$', '(']) {
            words.push((at, text));
        }
        in_template = match (opens, closes) {
            (Some(open), Some(close)) => open > close,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => in_template,
        };
        at += word.len() + 1;
    }
    words
}
