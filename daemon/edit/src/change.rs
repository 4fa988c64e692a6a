//! Describes what an edit changes: replacements within one file, and whole files before and after.
//!
//! Edit kinds return [`Splice`]s, because editors and language servers use them too; [`apply_splices`] turns them into
//! whole contents at once, so that no arithmetic on positions can go wrong between preview and apply. `preview` shows a
//! change and `apply` writes it.

use std::ops::Range;
use std::sync::Arc;

use hob_base::WsPath;

/// The replacement of a range of bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Splice {
    /// Range of bytes in the old contents; empty to insert.
    pub range: Range<usize>,
    /// The new text for the range.
    pub text: String,
}

/// A file before and after. A rename that also changes contents is one change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProposedFile {
    /// The present path, or the future one of a new file.
    pub path: WsPath,
    /// The path to which the file is moved, if it is.
    pub moved_to: Option<WsPath>,
    /// Its contents when the preview was made; `None` if the change creates it.
    pub before: Option<Arc<[u8]>>,
    /// Its contents afterwards; `None` if the change deletes it.
    pub after: Option<Arc<[u8]>>,
}

impl ProposedFile {
    /// Creates the change that gives an existing file new contents.
    #[must_use]
    pub fn of_existing(path: WsPath, before: impl Into<Arc<[u8]>>, after: impl Into<Arc<[u8]>>) -> Self {
        Self { path, moved_to: None, before: Some(before.into()), after: Some(after.into()) }
    }

    /// Returns true if the change has no effect.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.before == self.after && self.moved_to.as_ref().is_none_or(|to| *to == self.path)
    }
}

/// A change that an edit tool proposes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proposal {
    /// The edit in a few words: `Rename get to fetch in 12 files`.
    pub label: String,
    /// The tool that made it.
    pub tool: String,
    /// The files it touches, each once, in the order of their paths.
    pub changes: Vec<ProposedFile>,
}

/// Why replacements cannot be applied.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SpliceError {
    /// Two of them replace the same bytes.
    #[error("two replacements overlap at byte {0}")]
    Overlap(usize),
    /// A range ends before it starts, or beyond the contents.
    #[error("a replacement of the bytes {}..{} does not fit contents of {len}", .range.start, .range.end)]
    Outside {
        /// The range in bytes, as the caller gave it.
        range: Range<usize>,
        /// Length of the contents.
        len: usize,
    },
}

/// Returns the contents after all of `splices`, which may come in any order; insertions at one place keep theirs.
///
/// # Errors
/// [`SpliceError`] if they overlap or lie outside: then their meaning is unknown.
pub fn apply_splices(before: &[u8], splices: &[Splice]) -> Result<Vec<u8>, SpliceError> {
    let mut ordered: Vec<&Splice> = splices.iter().collect();
    ordered.sort_by_key(|one| (one.range.start, one.range.end));
    let mut after = Vec::with_capacity(before.len());
    let mut done = 0;
    for one in ordered {
        let Range { start, end } = one.range;
        if start > end || end > before.len() {
            return Err(SpliceError::Outside { range: one.range.clone(), len: before.len() });
        }
        if start < done {
            return Err(SpliceError::Overlap(start));
        }
        after.extend_from_slice(&before[done..start]);
        after.extend_from_slice(one.text.as_bytes());
        done = end;
    }
    after.extend_from_slice(&before[done..]);
    Ok(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn splice_at(range: Range<usize>, text: &str) -> Splice {
        Splice { range, text: text.to_owned() }
    }

    #[test]
    fn replacements_in_any_order_make_one_text() {
        let after = apply_splices(
            b"one two three",
            &[splice_at(8..13, "3"), splice_at(0..3, "1"), splice_at(4..4, "and "), splice_at(4..4, "then ")],
        );
        assert_eq!(after.as_deref(), Ok(&b"1 and then two 3"[..]));
        assert_eq!(apply_splices(b"kept", &[]).as_deref(), Ok(&b"kept"[..]));
    }

    #[test]
    fn what_overlaps_or_lies_outside_is_refused() {
        assert_eq!(
            apply_splices(b"abcdef", &[splice_at(0..3, ""), splice_at(2..4, "")]),
            Err(SpliceError::Overlap(2))
        );
        assert!(matches!(
            apply_splices(b"abc", &[splice_at(2..9, "")]),
            Err(SpliceError::Outside { len: 3, .. })
        ));
    }
}
