//! Words as vectors, by a model that is a table: what a text means is the mean of what its words mean.
//!
//! Such static models are made from large ones once, by others; here one is read from a folder, its table mapped and never
//! copied. No graph is run and nothing is fetched: embedding a text is looking up some rows and adding them, in a fixed
//! order, so that every machine gets the same numbers. This crate knows no workspace and no map; which texts are worth a vector
//! is the host's business.

mod files;
mod model;
mod table;
mod vector;
mod words;

use std::io;
use std::path::PathBuf;

pub use files::ModelFiles;
pub use model::{Embedder, Model};
pub use vector::{Codes, Vector, similarity};
pub use words::each_word;

/// Why a folder is no model that can be used. Every message names the file.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// A file that every model has is not there.
    #[error("`{}` has no `{file}`{also}", folder.display())]
    Missing {
        /// Where it was looked for.
        folder: PathBuf,
        /// The file name that was expected.
        file: &'static str,
        /// Where else it was looked for, as the end of the sentence.
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
    /// The system does not let it be read.
    #[error("`{}` cannot be read: {source}", file.display())]
    Unreadable {
        /// The file that cannot be read.
        file: PathBuf,
        /// The error that the system reported.
        source: io::Error,
    },
    /// It is not what its name says.
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

impl ModelError {
    /// The same about the files that were copied, for whoever knows only those.
    #[must_use]
    pub fn with_original_paths(self, copied: &ModelFiles) -> Self {
        match self {
            Self::Unreadable { file, source } => Self::Unreadable { file: copied.original_of(&file), source },
            Self::Wrong { file, expected, why } => {
                Self::Wrong { file: copied.original_of(&file), expected, why }
            }
            other => other,
        }
    }
}
