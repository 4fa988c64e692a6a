//! Runs `hobd`, the daemon's process: connections (`session`), one call from request to answer (`dispatch`),
//! and start, end and succession (`lifecycle`).
//!
//! The crates beside this one implement the calls; this crate only joins them.

mod call_place;
pub mod dispatch;
mod last_project;
pub mod lifecycle;
pub mod session;
