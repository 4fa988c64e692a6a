//! The text form of answers: what a model reads, and what the command line prints.
//!
//! [`fn@document`] turns a tool's typed result into a [`AnswerDocument`]: items in the order of their worth, grouped under the paths
//! and symbols that they share. [`fn@fit`] writes as many of them as a budget holds, then one bracketed line for each thing that
//! the reader has to know, so that the cost is bounded by construction and nothing is left out in silence. The crate knows
//! results and their words, no index, no file, no connection.

mod answers;
mod document;
mod failure;
mod fit;
mod marks;
mod notes;
mod one_line;
mod places;

pub use answers::document;
pub use document::{AnswerDocument, AnswerItem, BodySource, Section};
pub use failure::error_document;
pub use fit::{Fitted, Frame, fit};
pub use marks::Mark;
pub use notes::{LeftOut, Voice, command_for};
pub use one_line::one_line;
pub use places::AnswerPlace;
