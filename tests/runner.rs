//! The one binary of all end-to-end tests.
//!
//! One binary, because the programs are built and the outside world is fetched once per process; modules by what a user
//! would say is broken. What can be said below the surface of the programs is tested there, in the crates.

#![cfg(unix)]

mod e2e;
mod links;
mod protocol;
mod quality;
mod regression;
mod tidy;
mod tour;
mod words;
