//! The daemon as a process and its connections, seen from the client library.
//!
//! Real `hobd` processes where starting, dying and replacing matter; the lifecycle inside the test process, with a few
//! lines of tools, where a test must know what a call is doing; a scripted daemon where the client is the one to watch.

#![cfg(unix)]

mod abuse;
mod calls;
mod guard;
mod loss;
mod replay;
mod start;
mod support;
mod upgrade;
