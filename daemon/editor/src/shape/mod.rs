//! Turns messages of servers into the form that an editor understands, and messages of the editor into the servers'
//! form.
//!
//! A server is shared: it knows the abilities of *hob*, in UTF-16, and answers for the most able of editors.
//! [`abilities`] reads one editor's declaration, [`results`] reduces answers to the form that it understands,
//! [`translate`] converts its columns to the servers' and back, and [`capabilities`] computes what it is offered.
//!
//! Pure functions over JSON: nothing here waits, reads or knows servers. They use JSON and not the protocol's types,
//! because a field that hob does not know must reach the editor as the server wrote it.

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
