//! Says why a folder is no model that can be used.
//!
//! Every fault names its file, because a user copies these files by hand and can only repair what is named.

use std::io;
use std::path::PathBuf;

/// The reason why a folder is no usable model. Every message about the folder names the file.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// This build reads no models at all.
    #[error(
        "this hob was built without embedding models; packages have them, and so has `cargo build --release --features full`"
    )]
    NotBuilt,
    /// A file that every model has is missing.
    #[error("`{}` has no `{file}`{also}", folder.display())]
    Missing {
        /// The folder in which it was looked for.
        folder: PathBuf,
        /// The file name that was expected.
        file: &'static str,
        /// The other places in which it was looked for, as the end of the sentence.
        also: &'static str,
    },
    /// There are several files of which one is wanted.
    #[error("`{}` has several files that could be `{file}`; leave one", folder.display())]
    Several {
        /// The folder that has several candidates.
        folder: PathBuf,
        /// The file name that one of them would have.
        file: &'static str,
    },
    /// The system does not let the file be read.
    #[error("`{}` cannot be read: {source}", file.display())]
    Unreadable {
        /// The file that cannot be read.
        file: PathBuf,
        /// The error that the system reported.
        source: io::Error,
    },
    /// The file is not what its name says.
    #[error("`{}` is not {expected}: {why}", file.display())]
    Wrong {
        /// The file that is not as its name says.
        file: PathBuf,
        /// The format that the file should have, in words.
        expected: &'static str,
        /// The fault of the file, in words.
        why: String,
    },
}
