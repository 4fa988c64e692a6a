//! Stores what hob remembers between runs: typed trees of bytes, versioned as a whole, rebuilt when damaged.
//!
//! Everything in here can be computed again from the sources, so the store is a cache with manners: it never fails to
//! open (a folder that cannot be used gives a store in memory and a [`StoreNotice`]), and a damaged or foreign folder
//! is set aside and begun anew. Keys and values are plain bytes; what they mean is the owner's business, in a
//! `persist` or `format` file of its own. This crate knows no facts, no paths of a workspace and no threads.

mod disk;
mod files;
mod format;
mod memory;
mod open;
mod sled;
mod trees;

pub use format::{FORMAT_LEDGER, FORMAT_VERSION};
pub use memory::MemoryStore;
pub use open::{Opened, StoreNotice, open};
pub use trees::{Op, Store, StoreError, StoreTree};
