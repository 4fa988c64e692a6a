//! Tests the crate's behaviour through its public interface, in one test binary.

mod common;
mod contents;
mod count;
mod disk;
mod incremental;
mod likeliest;
mod search;
mod truth;
mod unindexed;
