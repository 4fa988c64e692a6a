//! Reaches the hob daemon from another process.
//!
//! Programs use [`Client`]: it starts the daemon when needed, survives its restarts and always returns an answer. Below
//! it are: [`mod@connect`] (one attempt), [`autostart`] (attempts, start lock, spawning, upgrade), [`request`] (a call
//! and its answer), [`connection`] (many calls on one stream), [`editor`] (messages that are no calls), [`reconnect`]
//! (repeating what is safe). [`work_tree`] looks at folders of git. [`far`] does the first two for a daemon elsewhere,
//! with [`proxy`] at the other end. No tool logic is here: calls pass unchanged. Layers use only those before them;
//! nothing here prints.

pub mod autostart;
pub mod connect;
pub mod connection;
pub mod editor;
pub mod edits;
pub mod envelope;
pub mod far;
mod launch;
mod locks;
pub mod manual;
pub mod pipes;
pub mod program;
pub mod proxy;
pub mod reconnect;
pub mod request;
mod routing;
pub mod settings;
pub mod shim;
mod tail;
pub mod unavailable;
pub mod work_tree;

pub use autostart::reach_daemon;
pub use connect::{Reached, connect};
pub use connection::{ConnectedDaemon, Connection};
pub use editor::{FromDaemon, Inbox};
pub use launch::Startup;
pub use program::Program;
pub use reconnect::Client;
pub use request::{DaemonAnswer, Lost, OnProgress, Progress, ToolRequest};
pub use settings::{Patience, Settings};
pub use unavailable::Unavailable;
