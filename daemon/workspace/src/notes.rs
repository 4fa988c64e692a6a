//! Describes what users should know about a scan besides its files: each note prints as a warning.

use std::fmt;

/// Most examples that a note keeps.
const EXAMPLES: usize = 3;

/// A count and the first few names, so that a warning can be checked without being flooded.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Examples {
    /// Number of all items, named or not.
    pub count: u64,
    /// Some of the items, in a printable form.
    pub names: Vec<String>,
}

impl Examples {
    /// Counts one more item; keeps the alphabetically first, so that the note is the same on every run.
    pub(crate) fn add(&mut self, name: impl Into<String>) {
        self.count += 1;
        self.names.push(name.into());
        self.trim();
    }

    fn trim(&mut self) {
        self.names.sort();
        self.names.truncate(EXAMPLES);
    }
}

impl fmt::Display for Examples {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.names.join(", "))?;
        match self.count.saturating_sub(self.names.len() as u64) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

/// Something a user should know about the tree that was scanned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ScanNote {
    /// The workspace's folder has gone, or cannot be read.
    RootGone {
        /// The system's reason, in words.
        why: String,
    },
    /// Files and folders that could not be read, each with the reason.
    Unreadable(Examples),
    /// Names that are not Unicode; such files are left out, with everything below such folders.
    NotUnicode(Examples),
    /// Files over the size limit; they are left out.
    TooLarge {
        /// The limit in bytes.
        limit: u64,
        /// The files over the limit, with their number.
        files: Examples,
    },
    /// Ignore files that were not read, each with the reason.
    RulesPassedOver(Examples),
    /// Ignore files exclude everything except what they list.
    IgnoredByDefault {
        /// Number of files that are left.
        kept: u64,
        /// The ignore files responsible, relative to the root where they lie below it.
        by: Vec<String>,
    },
    /// The workspace has no files.
    Empty,
}

impl ScanNote {
    /// Returns true if the note tells of omitted files; [`crate::Refreshed::omissions`] replaces exactly these notes.
    #[must_use]
    pub fn is_omission(&self) -> bool {
        matches!(self, Self::NotUnicode(_) | Self::TooLarge { .. } | Self::RulesPassedOver(_))
    }
}

impl fmt::Display for ScanNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RootGone { why } => write!(f, "the workspace's folder cannot be read: {why}"),
            Self::Unreadable(names) => write!(
                f,
                "{} file(s) or folder(s) cannot be read, and what was known of them before still counts: {names}",
                names.count
            ),
            Self::NotUnicode(names) => {
                write!(f, "{} name(s) are not valid Unicode and are left out: {names}", names.count)
            }
            Self::TooLarge { limit, files } => {
                write!(f, "{} file(s) over {} MiB are left out: {files}", files.count, limit >> 20)
            }
            Self::RulesPassedOver(files) => {
                write!(f, "{} ignore file(s) do not count: {files}", files.count)
            }
            Self::IgnoredByDefault { kept, by } => {
                write!(f, "all files but those listed are ignored because of {}", by.join(", "))?;
                match kept {
                    0 => f.write_str("; the workspace appears empty"),
                    kept => write!(f, "; {kept} file(s) are left"),
                }
            }
            Self::Empty => f.write_str("the workspace has no files"),
        }
    }
}
