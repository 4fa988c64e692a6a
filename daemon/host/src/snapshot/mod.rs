//! Saves what a workspace leaves on disk, so that the next daemon begins where this one ended.
//!
//! Five things are kept: the file table (what each file was when it was last read), the text index's segments, the map's
//! names and lists (of large projects) and its hub scores, and, in the store, the facts by content. Coming back, a file counts as known only if its
//! segment is there, and is mapped anew if its facts are not; the sweep that follows looks at every file's stat and
//! reads what changed meanwhile. So a lost, torn, foreign or old snapshot costs time and never an answer: everything is
//! checked by content hash or read again. Table and text are back first; the map follows aside.
//!
//! Saving happens in the background after a lull and once more at the end. The table is replaced as a whole, by renaming.
//! It is as large as the tree, whatever changed, so the rest between two savings is a multiple of what one takes: what a
//! kill loses is that files changed since are read again. Names and lists are saved again only when some per cent
//! of the files have changed.
//!
//! Files: `saving` and `restoring` act on a workspace, `map_restoring` brings the map back aside; `folder` and `comeback` hold what a
//! workspace keeps of that; `format` and `image` are the disk forms.

mod atomic;
mod claims;
pub(super) mod comeback;
mod discard;
pub(super) mod folder;
mod format;
mod image;
mod map_restoring;
mod restoring;
mod saving;

pub(super) use claims::read_claims;
pub(super) use restoring::restore;
pub(super) use saving::{keep_contents, save, save_last_ranking, save_ranking};
