//! Keeps the ranked index of one workspace: makes it for the first question, and keeps it up with the map from then on.
//!
//! Most workspaces are never asked in words, so nothing is made, opened or counted before the first question: a first
//! index costs no more than without this, and a restarted daemon does not open the index that the last one left. From
//! then on the map's changes are noted by file, at the moment in which they are applied. A question has the files
//! ingested that were noted before it; a thread that lives as long as there are noted files does it (`work`), and
//! questions at the same time share it. Many simultaneous changes are ingested before any question, so that none has to
//! wait for a branch switch.
//!
//! A document's places are those of the map as long as its file is not noted. A question that finds a noted file while
//! it holds the map says that the file is out of date, so it never takes one definition for another.
//!
//! Files: `state` is what a workspace holds, `ready` waits for it, `work` ingests files, `rounds` in such
//! portions that few documents wait, `docs` makes documents of them.

mod docs;
mod ready;
mod rounds;
pub(super) mod state;
mod work;

pub use docs::{kind_of as doc_kind, number_of as ranked_number};
pub use ready::{NotReady, SufficientFiles};
pub use state::{IngestProgress, Ranked};
