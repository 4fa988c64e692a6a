//! The ranked index of one workspace: made when it is first asked for, and kept up with the map from then on.
//!
//! Most workspaces are never asked in words, so nothing is made, opened or counted before the first question: a first index costs
//! what it cost without this, and a restarted daemon does not open what the last one left. From then on the map's changes
//! are noted by file, in the moment in which they are applied. A question has the files noted before it taken in first; a
//! thread that lives as long as there is something to take in does it (`work`), and questions that only wait for one another
//! share it. Many changes at once are taken in without being asked for, so that no question has to wait for a branch switch.
//!
//! What a document points to is true of the map's state in which its file is not noted: so a question that finds such a file while
//! it holds the map says that it is out of date, and never takes one definition for another.
//!
//! Files: `state` is what a workspace holds, `ready` waits for it, `work` takes files in, `docs` makes documents of them.

mod docs;
mod ready;
pub(super) mod state;
mod work;

pub use docs::{kind_of as doc_kind, number_of as ranked_number};
pub use ready::NotReady;
pub use state::{Ranked, Taking};
