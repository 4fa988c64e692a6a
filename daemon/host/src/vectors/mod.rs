//! Keeps vectors of the meaning of a workspace's symbols and sections: makes them in the background once there is a
//! model, and keeps them up with the map.
//!
//! A file's vectors are computed from its facts and its path alone, and hold as long as the map has these very facts. A
//! search compares the facts, so nothing has to be noted when the map changes, and every hit is true of the map that
//! names it. Vectors are in memory only: a restart makes them again, a hundred thousand in a second or two, and nobody
//! waits for that.
//!
//! A question waits within its token until earlier changes are in, and is then answered from the vectors at hand, with
//! their state.
//!
//! Files: `state` is what a workspace holds, `nearest` answers questions by way of `scan`, `work` makes vectors of the
//! texts of `text`; `models` are those that the user has added, `shared` is what several workspaces share.

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
