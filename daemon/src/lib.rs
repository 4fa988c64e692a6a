//! `hobd`: the daemon that keeps code intelligence warm.
//!
//! Wiring and judgement over the parts in the sub-crates. Layers, each knowing only those before it: `host` (workspaces),
//! `investigate` (topics), `metrics` (counts), `tools` (handlers), `to_proto` and `budget` (answers), `dispatch` (one call), `session` (one connection),
//! `lifecycle` (the process).

pub mod budget;
pub mod calls;
pub mod dispatch;
mod editor;
mod entity;
pub mod host;
mod investigate;
pub mod lifecycle;
mod metrics;
mod paging;
pub mod session;
pub mod to_proto;
pub mod tools;
