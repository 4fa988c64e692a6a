//! Turns messages of servers into the form that an editor understands, and messages of the editor into the servers'
//! form.
//!
//! A server is shared: it was told once what *hob* can do, in UTF-16, and answers for the most able of editors.
//! [`abilities`] is what one editor said of itself, [`results`] turns answers into what it understands, [`translate`] its
//! columns into the servers' and back, and [`capabilities`] is what it is told that it may ask.
//!
//! Pure functions over JSON: nothing here waits, reads or knows who answers. JSON and not types of the protocol, because a
//! field that hob does not know must reach the editor as the server wrote it.

pub(crate) mod abilities;
pub(crate) mod capabilities;
pub(crate) mod code_actions;
pub(crate) mod completion;
mod diagnostics;
mod edits;
pub(crate) mod encoding;
mod folds;
mod kinds;
mod locations;
mod markdown;
pub(crate) mod methods;
pub(crate) mod offsets;
pub(crate) mod results;
mod signatures;
mod snippet;
mod symbols;
pub(crate) mod translate;
mod union;
