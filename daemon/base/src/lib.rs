//! Defines the types that hob's daemon parts share.
//!
//! Paths, content hashes, file numbers, changes, deadlines and cancellation are the types that let
//! `workspace`, `map` and `text` name the same file without knowing each other. They are plain values and two
//! small traits; nothing here opens a socket, reads an environment variable or knows what a tool is. Only
//! [`small`], [`region`] and [`paged`] do IO; [`umask`] and [`open_files`] change what the system allows the process.

pub mod cancel;
pub mod change;
pub mod contents;
pub mod hash;
pub mod line_index;
pub mod open_files;
pub mod paged;
pub mod path;
pub mod region;
pub mod small;
pub mod sync;
pub mod umask;

pub use cancel::{CancelToken, Deadline, SharedWait, Stopped};
pub use change::{Change, FileId, Generation};
pub use contents::Contents;
pub use hash::ContentHash;
pub use line_index::{LineIndex, Utf16Position};
pub use path::{AbsPath, PathError, WsPath};
pub use region::Region;
pub use sync::lock;
