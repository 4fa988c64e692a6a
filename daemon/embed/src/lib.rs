//! Turns texts into vectors by a model that is a table: what a text means is the mean of what its words mean.
//!
//! Such static models are made from large ones once, by others; here one is read from a folder, its table mapped and never
//! copied. No graph is run and nothing is fetched: embedding a text is looking up some rows and adding them, in a fixed
//! order, so that every machine gets the same numbers. This crate knows no workspace and no map; which texts are worth a vector
//! is the host's business.

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
