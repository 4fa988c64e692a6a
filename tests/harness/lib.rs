//! An isolated world for end-to-end tests: real programs, separate folders, and nothing of the user's.
//!
//! A [`World`] is one `HOB_DIR` with the daemon that may run in it, and a [`Tree`] is a project in it. [`Mcp`] and
//! [`World::hob`] are the two ways to ask. All of them panic with the call, the tree and the daemon's log if they do
//! not get what a test expects, so that a failure can be understood without another run.

#![cfg(unix)]

mod answer;
mod binaries;
mod command;
mod copy;
pub mod debian;
mod direct;
mod editor;
pub mod editors_debian;
pub mod far;
mod known;
pub mod lsp;
mod mcp;
pub mod oracles;
pub mod outside;
mod processes;
pub mod projects;
pub mod projects_native;
pub mod projects_small;
mod rng;
pub mod systemd;
mod tree;
mod world;

pub use answer::Answer;
pub use binaries::{binaries, copy_programs, repository, target_dir};
pub use command::{Output, run};
pub use copy::copy_folder;
pub use direct::Direct;
pub use editor::{Document, Editor, EditorOptions, Reply};
pub use known::{known, knows_what_a_newcomer_knows};
pub use mcp::{Mcp, McpOptions};
pub use processes::{children_of, ends, is_alive, kill_hard};
pub use rng::Rng;
pub use tree::Tree;
pub use world::World;

use std::time::Duration;

/// The longest time that anything may take before a test gives up. It makes nothing slower and measures nothing: it
/// only ends what would otherwise hang forever.
pub const FOREVER: Duration = Duration::from_secs(180);
