//! MCP as clients speak it: real clients, every revision by hand, bad messages; and the daemon's own socket.

mod clients;
mod conformance;
mod frames;
mod ipc;
mod revisions;
