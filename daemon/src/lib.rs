//! `hobd`: the daemon's process: connections (`session`), one call from request to answer (`dispatch`), and start, end and
//! succession (`lifecycle`).
//!
//! Everything that a call means is in the crates beside this one; here they are put together.

mod call_place;
pub mod dispatch;
mod last_project;
pub mod lifecycle;
pub mod session;
