//! Turns texts into vectors by a model that is a table: the vector of a text is the mean of the vectors of
//! its words.
//!
//! Others make such static models from large ones once; hob reads one from a folder, and maps its table
//! without a copy. hob runs no graph and fetches nothing: to embed a text is to look up some rows and add
//! them, in a fixed order, so that every machine gets the same numbers. This crate knows no workspace and no
//! map; the host decides which texts are worth a vector.

mod error;
mod files;
mod model;
mod table;
#[cfg_attr(not(feature = "tokenizers"), path = "no_tokenizer.rs")]
mod tokenizer;
mod vector;
mod words;

pub use error::ModelError;
pub use files::ModelFiles;
pub use model::{Embedder, Model};
pub use vector::{Codes, Vector, similarity};
pub use words::each_word;
