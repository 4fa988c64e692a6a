//! Defines the reasons why a folder is no usable model.
//!
//! Every error names its file, because a user copies these files by hand and can only repair a file that the
//! error names.

use std::io;
use std::path::PathBuf;

/// The reason why a folder is no usable model. Every message about the folder names the file.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// This build can read no model.
    #[error(
        "this hob was built without embedding models; packages have them, and so has `cargo build --release --features full`"
    )]
    NotBuilt,
    /// A required file is missing.
    #[error("`{}` has no `{file}`{also}", folder.display())]
    Missing {
        /// The folder that lacks the file.
        folder: PathBuf,
        /// The file name that was expected.
        file: &'static str,
        /// The other places where hob looked for it, as the end of the sentence.
        also: &'static str,
    },
    /// Several files could be the one that the model needs.
    #[error("`{}` has several files that could be `{file}`; leave one", folder.display())]
    Several {
        /// The folder that has several candidates.
        folder: PathBuf,
        /// The file name that one of them would have.
        file: &'static str,
    },
    /// The system denies access to the file.
    #[error("`{}` cannot be read: {source}", file.display())]
    Unreadable {
        /// The file that cannot be read.
        file: PathBuf,
        /// The error that the system reported.
        source: io::Error,
    },
    /// The file has not the format of its name.
    #[error("`{}` is not {expected}: {why}", file.display())]
    Wrong {
        /// The file with the wrong format.
        file: PathBuf,
        /// The format that the file should have, in words.
        expected: &'static str,
        /// The fault of the file, in words.
        why: String,
    },
}
