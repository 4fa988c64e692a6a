//! Finds the places in a project that a question is about.
//!
//! A question is read part by part (`reading`). Each kind of evidence gives a ranking: `scoring` makes one
//! ranking of files from them and estimates the confidence of each, by the evidence and by the role of the
//! file (`file_role`); `fusion` makes one ranking of definitions. Words find seeds; the graph adds related
//! places (`rank`); the store keeps the findings for a day, so that a client can ask for their source later
//! (`bundle`). The tools render the findings and limit their size.

pub mod bundle;
pub mod file_role;
pub mod fusion;
pub mod rank;
pub mod reading;
pub mod scoring;
