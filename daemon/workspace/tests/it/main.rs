//! The crate on real folders: rules, scans, plans, and the watcher with its barrier.

mod confine;
mod dirty;
mod git;
mod plan;
mod roots;
mod rules;
mod scan;
mod support;
mod watch_fake;
mod watch_real;
#[cfg(any(target_os = "linux", target_os = "android"))]
mod watch_shared;
