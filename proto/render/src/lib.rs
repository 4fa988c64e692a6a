//! Renders the text form of answers, which models read and the command line prints.
//!
//! [`fn@document`] turns a tool's typed result into a [`AnswerDocument`]: items in the order of their
//! importance, grouped under their common paths and symbols. [`fn@fit`] writes as many of them as a budget
//! holds, then one bracketed line for each fact that the reader has to know, so that the cost is bounded by
//! construction and no omission is silent. The crate knows results and their words, no index, no file, no
//! connection.

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
pub use notes::{NoteVocabulary, OmissionLine, command_for};
pub use one_line::one_line;
pub use places::AnswerPlace;
