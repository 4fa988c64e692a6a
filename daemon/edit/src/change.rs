//! Describes what an edit changes: replacements within one file, and whole files before and after.
//!
//! Edit kinds answer [`Splice`]s, because that is how editors and language servers speak; [`apply_splices`] makes whole contents of
//! them at once, so that from here on there is no arithmetic on positions left that could go wrong between preview and
//! apply. Not here: how a change looks (`preview`) or is written (`apply`).

use std::ops::Range;
use std::sync::Arc;

use hob_base::WsPath;

/// The replacement of a range of bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Splice {
    /// Bytes of the old contents; empty to insert.
    pub range: Range<usize>,
    /// The text that stands there afterwards.
    pub text: String,
}

/// A file before and after. A rename that also changes contents is one change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProposedFile {
    /// Where it is, or will be if it is new.
    pub path: WsPath,
    /// Where it goes, if it is moved.
    pub moved_to: Option<WsPath>,
    /// Its contents when the preview was made; `None` if the change creates it.
    pub before: Option<Arc<[u8]>>,
    /// Its contents afterwards; `None` if the change deletes it.
    pub after: Option<Arc<[u8]>>,
}

impl ProposedFile {
    /// New contents for a file that exists.
    #[must_use]
    pub fn of_existing(path: WsPath, before: impl Into<Arc<[u8]>>, after: impl Into<Arc<[u8]>>) -> Self {
        Self { path, moved_to: None, before: Some(before.into()), after: Some(after.into()) }
    }

    /// Returns true if the change makes no difference.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.before == self.after && self.moved_to.as_ref().is_none_or(|to| *to == self.path)
    }
}

/// A change that somebody may want, as an edit tool proposes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proposal {
    /// The edit in a few words: `Rename get to fetch in 12 files`.
    pub label: String,
    /// The tool that made it.
    pub tool: String,
    /// The files it touches, each once, in the order of their paths.
    pub changes: Vec<ProposedFile>,
}

/// Why replacements do not make contents.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SpliceError {
    /// Two of them want the same bytes.
    #[error("two replacements overlap at byte {0}")]
    Overlap(usize),
    /// A range ends before it starts, or beyond the contents.
    #[error("a replacement of the bytes {}..{} does not fit contents of {len}", .range.start, .range.end)]
    Outside {
        /// The range in bytes, as it was given.
        range: Range<usize>,
        /// Length of the contents.
        len: usize,
    },
}

/// The contents after all of `splices`, which may come in any order; those that insert at one place stay in theirs.
///
/// # Errors
/// [`SpliceError`] if they overlap or lie outside; then nothing is known about what was meant.
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
