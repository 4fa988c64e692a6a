//! Reads jars with sources: lists their packages, and unpacks their files into a folder of hob's cache.
//!
//! A jar is a zip file of other people's bytes: everything about it is bounded, and a file whose path is not plainly
//! below the jar's own folder is left out. The folder of a jar is named by the hash of the jar's directory, so projects
//! and repositories with the same jar share it. Its last use is noted next to it; [`collect`](super::collect) removes
//! folders that nobody has used for long.

mod jar;
mod unpacked;

pub(super) use jar::{JarListing, list_jar};
pub(super) use unpacked::{USED, UnpackedSources};
