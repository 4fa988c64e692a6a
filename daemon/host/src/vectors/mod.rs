//! Keeps vectors of the meaning of a workspace's symbols and sections: made aside once there is a model, and kept up
//! with the map.
//!
//! A file's vectors are computed from its facts and its path alone, and hold as long as the map has these very facts: that is what is
//! compared, so nothing has to be noted when the map changes, and what is found is always true of the map that names it. They are in
//! memory only: a restart makes them anew, a hundred thousand in a second or two, and nobody waits for that.
//!
//! A question waits for what changed before it as long as its token lets it, and is then answered from what is there, which it is told.
//!
//! Files: `state` is what a workspace holds, `nearest` answers questions by way of `scan`, `work` makes vectors of the texts of `text`;
//! `models` are those that the user has added, `shared` is what several workspaces have in common.

mod answer;
pub(super) mod models;
mod nearest;
mod scan;
mod shared;
pub(super) mod state;
mod text;
mod work;

pub use answer::{Admits, Nearest, VectorState};
pub use models::{InstalledModel, Models, ModelsError};

#[cfg(test)]
mod tests;
