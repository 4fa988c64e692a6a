//! Saves the data that a workspace leaves on disk, so that the next daemon begins where this one ended.
//!
//! A snapshot has five parts: the file table (the state of each file when it was last read), the text index's segments,
//! the map's names and lists (of large projects), its hub scores and its edges; the store has the facts by content. When a
//! snapshot is restored, a file counts as known only if its segment is there, and is mapped again if its facts are not;
//! the sweep that follows compares every file's stat and reads the files that changed meanwhile. So a lost, torn,
//! foreign or old snapshot costs time and never an answer: everything is checked by content hash or read again. Table
//! and text are restored first; the map follows in the background.
//!
//! Saving happens in the background after a lull and once more at the end. The table is replaced as a whole, by
//! renaming. It is as large as the tree, whatever changed, so the pause between two savings is a multiple of what one
//! takes; after a kill, files changed since the last saving are read again. Names and lists are saved again only when
//! some per cent of the files have changed.
//!
//! Files: `saving`, `restoring` and `derivation` act on a workspace, `map_restoring` restores the map; `folder` and `restoring_map` hold
//! the state of that in a workspace; `format` and `image` are the disk forms.

mod atomic;
mod claims;
mod derivation;
mod discard;
pub(super) mod folder;
mod format;
mod image;
mod map_restoring;
mod restoring;
pub(super) mod restoring_map;
mod saving;

pub(super) use claims::read_claims;
pub(super) use derivation::{
    derivation_due, note_restored, restore_edges, save_derivation, save_last_derivation,
};
pub(super) use restoring::restore;
pub(super) use saving::{keep_contents, save, save_large_text};
