//! What a user does and sees, by feature. Each test has a daemon of its own unless it says otherwise.

mod bad_input;
mod bad_store;
mod cli;
mod django;
mod envelope;
mod freshness;
mod incremental;
mod kills;
mod large;
mod lifecycle;
mod many;
mod map;
mod nav;
mod nav_diagnostics;
mod nav_faults;
mod oracle;
mod read;
mod resolve;
mod servers;
mod storm;
mod text;
mod trust;
mod settings;
mod upgrade;
mod watching;
