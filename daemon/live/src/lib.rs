//! Runs language servers, one for each project whoever asks, and describes how they behave: the live layer.
//!
//! Only this crate uses LSP types; its answers use the types of `hob-base`. It knows no tool, no map and no client: its
//! owner gives it files by path, changes in batches, and trust, settings and folders.

mod asked;
pub mod catalogue;
pub mod diagnostics;
pub mod documents;
pub mod find;
pub mod instance;
pub mod keep;
mod lately;
pub mod live;
pub mod multiplexer;
pub mod offer;
pub mod overlay;
pub mod pool;
pub mod preferences;
pub mod process;
pub mod ready;
pub mod requests;
pub mod rpc;
pub mod session;
pub mod spec;
pub mod uri;
