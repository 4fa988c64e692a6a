//! Stores what hob remembers between runs: typed trees of bytes, versioned as a whole, rebuilt when damaged.
//!
//! Everything in the store can be computed again from the sources, so the store is a cache: opening it never
//! fails (a folder that cannot be used gives a store in memory and a [`StoreNotice`]), and it sets a damaged
//! or foreign folder aside and begins anew. Keys and values are plain bytes; their owners define what they
//! mean, each in a `persist` or `format` file of its own. This crate knows no facts, no paths of a workspace
//! and no threads.

mod disk;
mod files;
mod format;
mod memory;
mod open;
mod sled;
mod trees;

pub use format::{FORMAT_LEDGER, FORMAT_VERSION};
pub use memory::MemoryStore;
pub use open::{OpenedStore, StoreNotice, open};
pub use trees::{Store, StoreError, StoreOperation, StoreTree};
