//! Domain answers into tool results, one file per family; and every error's code, message and hint in one place.

pub(crate) mod edit;
pub mod errors;
pub mod live;
pub mod map;
pub mod path;
pub mod ranked;
pub mod resolve;
pub mod text;
