//! Defines why text cannot be replaced; the errors say where the text is instead, or which text is nearest.

use std::fmt::Write as _;

/// Most lines that an error names.
const LINES_NAMED: usize = 10;
/// Most bytes that a file may have after an edit.
pub(super) const RESULT: usize = 64 * 1024 * 1024;

/// The reason why text cannot be replaced, in words for the caller.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TextEditError {
    /// The file has a byte that no text has.
    #[error("the file is binary: it has a NUL byte at {0}; text edits are for text")]
    Binary(usize),
    /// The file is not UTF-8.
    #[error("the file is not UTF-8 (byte {at}, line {line}); its encoding would not survive an edit")]
    NotUtf8 {
        /// Offset of the first wrong byte.
        at: usize,
        /// The 1-based line of that byte.
        line: usize,
    },
    /// The file is empty.
    #[error("the file is empty, so there is nothing to replace")]
    EmptyFile,
    /// The text to replace is empty.
    #[error("`old` is empty; quote the text that the new text belongs to, and repeat it in `new`")]
    EmptyOld,
    /// The file would stay as it is.
    #[error("nothing would change: what is there is already what would take its place")]
    NothingChanges,
    /// The text is not in the file.
    #[error("`old` does not occur in the file. {hint}")]
    NotFound {
        /// The nearest text in the file, or the next step.
        hint: String,
    },
    /// The piece is there, but not as often as the caller said.
    #[error("{}", count_message(.what, *.found, *.expected, .lines))]
    Count {
        /// The argument whose matches were counted: `old` or `pattern`.
        what: &'static str,
        /// Number of occurrences in the file.
        found: usize,
        /// Number of occurrences that the caller expects.
        expected: usize,
        /// The 1-based lines at which the occurrences begin.
        lines: Vec<usize>,
    },
    /// Two occurrences share bytes, so that not all can be replaced.
    #[error(
        "`old` occurs at lines {} and {}, and the two overlap; use a longer `old` for each place", .lines.0, .lines.1
    )]
    Overlap {
        /// 1-based lines of the first two.
        lines: (usize, usize),
    },
    /// The regex is invalid.
    #[error("the pattern is no Rust regex:\n{0}")]
    BadRegex(String),
    /// The regex would need too much memory.
    #[error("the pattern is too large: compiled it would take more than {0} bytes. Use smaller repetitions")]
    RegexTooLarge(usize),
    /// The regex matches nowhere.
    #[error("the pattern matches nowhere in the file{hint}")]
    NoMatch {
        /// A possible reason, or an empty text.
        hint: String,
    },
    /// The replacement names a group that the pattern lacks.
    #[error("{0}")]
    BadReplacement(String),
    /// The file would be larger than any source.
    #[error("the file would have more than {} MiB afterwards", RESULT >> 20)]
    TooLarge,
}

fn count_message(what: &str, found: usize, expected: usize, lines: &[usize]) -> String {
    let times = |count: usize| if count == 1 { "once".to_owned() } else { format!("{count} times") };
    let mut said = format!("`{what}` occurs {}, not {}: at line", times(found), times(expected));
    said.push_str(if lines.len() == 1 { " " } else { "s " });
    let named: Vec<String> = lines.iter().take(LINES_NAMED).map(ToString::to_string).collect();
    said.push_str(&named.join(", "));
    if lines.len() > LINES_NAMED {
        let _ = write!(said, " and {} more", lines.len() - LINES_NAMED);
    }
    let longer = match (what, expected) {
        ("old", 1) => "Use a longer `old` that occurs only at the place you mean, or pass",
        _ => "Pass",
    };
    let _ = write!(said, ". {longer} expected={found} to replace {}.", if found == 1 { "it" } else { "all" });
    said
}
