//! Names in the tags of a page: ids, classes, and links to ids.
//!
//! Values that a template computes (`{{ kind }}`, `<%= kind %>`) name nothing that is known here, nor do the words between their
//! marks.

use std::ops::Range;

use super::tag::Tag;

/// Most names of one page that are read.
const MOST: usize = 20_000;

/// The role of a name in a tag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MarkKind {
    /// `id="main"`
    Id,
    /// One word of `class="btn wide"`.
    Class,
    /// `href="#main"`, `for="main"`
    Target,
}

/// One name in a tag, in bytes of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PageMark {
    pub(super) kind: MarkKind,
    /// The name behind its mark: `.btn`, `#main`.
    pub(super) name: String,
    /// Where the name begins.
    pub(super) at: usize,
    /// The whole tag.
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

/// Returns the words of a value with the places where they begin, without those that a template computes.
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
