//! Defines the protocol, the folders and the types on which two hob processes must agree.
//!
//! It has the frames and messages of the IPC, the handshake, the envelope of every tool's answer, node IDs,
//! positions, the places of files, and the one table of tools. All of it is plain data: no runtime of its
//! own, no global state, no tool logic. A change to the messages raises [`hello::PROTOCOL`] and extends its
//! ledger.

pub mod envelope;
pub mod error;
pub mod frame;
pub mod groups;
pub mod hello;
pub mod holder;
pub mod jsonrpc;
pub mod message;
pub mod node_id;
pub mod places;
pub mod position;
pub mod private_dir;
pub mod settings;
pub mod startup;
mod strict;
pub mod tools;
pub mod transport;
pub mod trust;
pub mod user_file;
#[cfg(all(unix, not(target_os = "macos")))]
mod usual;

pub use envelope::{Envelope, Form, Omission, TokenBudget};
pub use error::{ErrorCode, ToolError};
pub use hello::{Build, ClientKind, Hello, PROTOCOL, Welcome};
pub use message::{ClientMessage, ServerMessage};
pub use node_id::NodeId;
pub use position::Anchor;
pub use startup::Readiness;
