//! Finds the sources of npm's packages: in `node_modules` of the nearest folder that has them, as Node looks them up.

use std::path::PathBuf;

use super::{PackageSourceQuery, installing_folders};

/// Lists the folders that may have the package, the nearest first.
pub(super) fn source_folders(query: &PackageSourceQuery<'_>) -> Vec<PathBuf> {
    installing_folders(query).iter().map(|folder| folder.join("node_modules").join(query.name)).collect()
}
