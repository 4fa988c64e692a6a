//! Joins the two layers: the map, which covers every file by syntax, and a language server's outline, which
//! is exact about one file at present.
//!
//! It consists of pure functions over an outline and the map's definitions of the same file, so that each
//! case can be tested without a server. It asks no server, reads no file and knows no tool. Where the two
//! disagree, the outline is right about places and the map about IDs.

mod left_out;
mod names;
mod promote;
#[cfg(test)]
mod samples;
mod to_live;
mod to_map;
mod verify;

pub use left_out::{Listed, Missing, UnlistedUses, UsesQuestion, left_out};
pub use names::{QualifiedEntry, flatten_outline};
pub use promote::{AnsweredQuestion, derive_claims};
pub use to_live::{OutlineMatch, OutlineQuery, find};
pub use to_map::{Enclosing, EnclosingLink, from_map, locate_in_outline};
pub use verify::{KnownFile, is_stale};
