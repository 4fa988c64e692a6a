//! Talks to a language server: framing, JSON-RPC, and calls over one connection.
//!
//! Knows no server and no question; `instance` decides which messages are sent when.

pub mod client;
pub mod jsonrpc;
pub mod transport;

pub use client::{CallError, OnOutcome, Peer, Reply, RequestOutcome, RpcClient};
pub use jsonrpc::{RequestId, ResponseError, codes};
