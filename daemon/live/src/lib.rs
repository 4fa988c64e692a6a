//! The live layer: language servers, one for each project whoever asks, and what hob knows about how they behave.
//!
//! The only part with LSP types; it answers in the words of `hob-base`. It knows no tool, no map and no client: files reach
//! it by path, changes as batches, and trust, settings and folders from whoever owns it.

mod asked;
pub mod catalogue;
pub mod diagnostics;
pub mod documents;
pub mod find;
pub mod instance;
pub mod keep;
mod lately;
pub mod live;
pub mod offer;
pub mod pool;
pub mod preferences;
pub mod process;
pub mod ready;
pub mod requests;
pub mod rpc;
pub mod session;
pub mod share;
pub mod spec;
pub mod uri;
pub mod views;
