//! From words to the places in a project that they are about.
//!
//! A question is read part by part (`reading`). Each kind of evidence makes a ranking, `fusion` makes one of them, and
//! `confidence` says how sure its first are. Words find seeds;
//! the graph says what else belongs to them (`rank`); what was found is kept for a day, so that a client can come back for the source
//! (`bundle`). How it is shown, and what it may cost, is the tools' part.

pub mod bundle;
pub mod confidence;
pub mod fusion;
pub mod rank;
pub mod reading;
