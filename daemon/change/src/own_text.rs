//! Prepares the text of a definition for comparisons: its own text, without the definitions in it, and the
//! whole text.
//!
//! Lines lose the indentation of their definition, so that a class may move into another one; further
//! indentation stays, because in some languages it has a meaning. Empty lines, and lines that only separate
//! members, do not count.

use std::hash::{Hash, Hasher};

use hob_map::facts::{Def, DefIdx, DefKind};
use rustc_hash::FxHasher;

use crate::scanner::{SplitText, comments_above};
use crate::sides::{ChangedParts, FileSide};

/// The placeholder for a definition's own name in its text.
const SELF: &str = "\u{1}";

/// The text of one definition, with its own name replaced.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct OwnText {
    pub(crate) signature: String,
    /// The own code, without comments and documentation.
    pub(crate) code: String,
    pub(crate) comments: String,
    /// Hashes of the lines of code, nested definitions included; sorted.
    pub(crate) lines: Vec<u64>,
    /// The length of all that code, in characters without white space.
    pub(crate) weight: usize,
}

impl OwnText {
    /// Reads the text of a definition.
    pub(crate) fn of_def(side: &FileSide, text: &str, idx: DefIdx) -> Self {
        let def = side.facts.def(idx);
        let name = side.facts.name(def.name);
        // The values that a function assigns, and the routes that it registers, belong to its own text.
        let is_apart =
            |child: &&Def| child.kind.is_callable() || child.kind.is_scope() || !def.kind.is_callable();
        let children = side.facts.defs.iter().filter(|child| child.parent == Some(idx));
        let children = children.filter(|child| child.kind != DefKind::Route).filter(is_apart);
        let own = split_text(side, text, def, children);
        let whole = split_text(side, text, def, [].iter());
        let indent = indentation(text, def.bytes.0 as usize);
        let above = comments_above(&side.facts, text, def.bytes.0 as usize);
        let code = replace_word(&tidy_lines(&own.code, indent), name);
        let whole = replace_word(&tidy_lines(&whole.code, indent), name);
        let mut lines: Vec<u64> = whole.lines().map(|line| hash_of(line.trim())).collect();
        lines.sort_unstable();
        Self {
            signature: replace_word(side.facts.signature(def), name),
            code,
            comments: tidy_comments(&format!("{above}\n{}", own.comments)),
            lines,
            weight: whole.chars().filter(|c| !c.is_whitespace()).count(),
        }
    }

    /// Reads the code of a file outside of all definitions.
    pub(crate) fn outside(side: &FileSide, text: &str) -> String {
        let mut split = SplitText::default();
        let defs = side.facts.defs.iter();
        for stretch in stretches(0..text.len(), defs) {
            split.add_stretch(&side.facts, text.get(stretch).unwrap_or_default(), "");
            split.code.push('\n');
        }
        tidy_lines(&split.code, "")
    }

    /// Compares two texts of one symbol part by part.
    pub(crate) fn parts_changed(&self, other: &Self) -> ChangedParts {
        let mut parts = ChangedParts {
            signature: self.signature != other.signature,
            body: false,
            docs: self.comments != other.comments,
        };
        if self.code == other.code {
            return parts;
        }
        match (self.around_header(), other.around_header()) {
            (Some(own), Some(others)) => {
                parts.signature |= own.0 != others.0;
                parts.body = own.1 != others.1;
            }
            _ => parts.body = true,
        }
        // The texts differ only in white space within a string.
        parts.body |= !parts.signature;
        parts
    }

    /// Returns the code before and behind the header, without white space; `None` if the header is not found
    /// literally.
    fn around_header(&self) -> Option<(String, String)> {
        let (code, header) = (squeeze(&self.code), squeeze(&self.signature));
        let at = code.find(&header).filter(|_| !header.is_empty())?;
        Some((code[..at].to_owned(), code[at + header.len()..].to_owned()))
    }

    /// Returns how alike two texts are: twice the number of common lines divided by the number of all lines,
    /// from 0 to 1.
    pub(crate) fn likeness(&self, other: &Self) -> f64 {
        let all = self.lines.len() + other.lines.len();
        if all == 0 {
            return 0.0;
        }
        2.0 * common(&self.lines, &other.lines) as f64 / all as f64
    }
}

/// Returns the number of values that two sorted lists share, each counted as often as both have it.
pub(crate) fn common(a: &[u64], b: &[u64]) -> usize {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => (i, j, count) = (i + 1, j + 1, count + 1),
        }
    }
    count
}

pub(crate) fn hash_of(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    text.hash(&mut hasher);
    hasher.finish()
}

fn split_text<'d>(side: &FileSide, text: &str, def: &Def, holes: impl Iterator<Item = &'d Def>) -> SplitText {
    let mut split = SplitText::default();
    let range = def.bytes.0 as usize..def.bytes.1 as usize;
    for stretch in stretches(range, holes) {
        split.add_stretch(&side.facts, text.get(stretch).unwrap_or_default(), side.facts.doc(def));
        split.code.push('\n');
    }
    split
}

/// Returns the parts of a range that are in none of the definitions.
fn stretches<'d>(
    range: std::ops::Range<usize>,
    holes: impl Iterator<Item = &'d Def>,
) -> Vec<std::ops::Range<usize>> {
    let mut holes: Vec<(usize, usize)> = holes
        .map(|def| (def.bytes.0 as usize, def.bytes.1 as usize))
        .filter(|hole| {
            hole.0 >= range.start && hole.1 <= range.end && (hole.0, hole.1) != (range.start, range.end)
        })
        .collect();
    holes.sort_unstable();
    let (mut found, mut at) = (Vec::new(), range.start);
    for (start, end) in holes {
        if start > at {
            found.push(at..start);
        }
        at = at.max(end);
    }
    found.push(at..range.end.max(at));
    found
}

/// Returns the white space before the byte `start` on its line.
fn indentation(text: &str, start: usize) -> &str {
    let head = text.get(..start).unwrap_or_default();
    let line = &head[head.rfind('\n').map_or(0, |at| at + 1)..];
    &line[..line.len() - line.trim_start().len()]
}

fn tidy_lines(code: &str, indent: &str) -> String {
    let is_telling = |line: &&str| line.chars().any(|c| !c.is_whitespace() && c != ',' && c != ';');
    let lines = code.lines().map(str::trim_end).filter(is_telling);
    lines.map(|line| line.strip_prefix(indent).unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

fn tidy_comments(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

fn squeeze(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Replaces a definition's name by [`SELF`] where it is first written, and where it is called. Elsewhere the
/// word may be a local variable of that name.
fn replace_word(text: &str, name: &str) -> String {
    if name.is_empty() {
        return text.to_owned();
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let (mut out, mut rest, mut is_first) = (String::with_capacity(text.len()), text, true);
    while let Some(at) = rest.find(name) {
        let end = at + name.len();
        let is_whole = !rest[..at].ends_with(is_word) && !rest[end..].starts_with(is_word);
        // A name directly behind a replaced one is part of a longer word.
        let is_whole = is_whole && !(at == 0 && out.ends_with(is_word));
        out.push_str(&rest[..at]);
        let is_own = is_whole && (is_first || rest[end..].starts_with('('));
        is_first &= !is_whole;
        out.push_str(if is_own { SELF } else { name });
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}
