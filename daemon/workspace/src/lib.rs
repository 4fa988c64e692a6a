//! Tracks which files a workspace has, and which of them may have changed.
//!
//! [`find_root`] finds the [`Root`], [`Rules`] say which files belong to it, [`scan_tree()`] lists them, the
//! [`FileTable`] remembers each file's stat and hash as of its last reading, the [`Watcher`] marks in the [`DirtySet`]
//! the paths that may have changed since, and [`Watcher::barrier`] waits until everything written before a call has
//! been marked. [`refresh`] turns marks into a [`ReadPlan`]: which files to read, which are gone.
//!
//! In use, for one workspace:
//! - [`Watcher::start`] marks everything; from then on one thread of the owner loops over [`DirtySet::next_batch`]: it
//!   calls [`refresh`], reads the files of the plan ([`read::read_file`]), tells the table ([`FileTable::was_read`],
//!   [`FileTable::forget_file`]), hands on the resulting [`hob_base::Change`]s and, when those have taken effect, calls
//!   [`DirtySet::settle`]. The first batch is the first index; a batch that fails goes back ([`DirtySet::put_back`]).
//! - A call that wants a fresh answer asks [`Watcher::barrier`]; if that is [`BarrierError::Unordered`], it calls
//!   [`DirtySet::mark_sweep`] and takes [`DirtySet::mark_count`] instead. Then it waits in [`DirtySet::wait_settled`].
//!   Last it looks for changes that give no event with [`Links::mark_changed`], [`Rules::mark_changed`],
//!   [`Unread::mark_again`] and [`Watcher::check_root`], and waits again for the changes that it or another call found
//!   ([`DirtySet::found_count`]).
//!
//! Two more modules read names that are no code: [`manifest`] the packages that a project depends on, and [`git`] refs,
//! commits and the files of a revision. Neither takes part in the above.
//!
//! This crate reads folders and, through [`read`], single files, never parses code, and writes nothing but cookies into
//! a folder that its owner names. It has no runtime: threads of the caller wait on a `Condvar`.

mod barrier;
mod broad;
mod confine;
mod dirty;
mod explain;
pub mod git;
mod identity;
mod links;
pub mod manifest;
mod mapped;
mod mounts;
mod names;
mod notes;
mod omitted;
pub mod package_source;
mod plan;
mod pseudo;
pub mod read;
mod roots;
mod rule_files;
mod rules;
mod scan;
mod sources;
mod stat;
mod sync;
mod table;
mod unread;
pub mod watch;

pub use barrier::{BarrierError, Passed};
pub use broad::BroadFolders;
pub use confine::{ConfineError, confine};
pub use dirty::{Batch, Debounce, DirtySet, NotSettled, RescanGuard, UnreportedChange};
pub use links::{Links, MANY as MANY_LINKS};
pub use mapped::mapped_for_writing;
pub use notes::{Examples, ScanNote};
pub use plan::{Refresh, Refreshed, refresh};
pub use roots::{ResolvedFolder, Root, RootError, RootKind, find_root, place_of, root_around};
pub use rules::{FileClass, RuleOptions, Rules};
pub use scan::{Scan, ScanRequest, ScannedFile, scan_tree};
pub use stat::{Stat, now_ns};
pub use table::{FileTable, ReadPlan, Record, ToRead};
pub use unread::{Unread, is_gone};
pub use watch::{SharedWatch, SweepToken, WatchSetup, Watcher, WatcherState};
