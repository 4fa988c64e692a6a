//! From words to the places in a project that they are about.
//!
//! Words find seeds; the graph says what else belongs to them (`rank`); what was found is kept for a day, so that a client can
//! come back for the source (`bundle`). How it is shown, and what it may cost, is the tools' part.

pub mod bundle;
pub mod rank;
