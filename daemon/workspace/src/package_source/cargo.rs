//! Finds the sources of Cargo's packages: in `vendor` of the project, then where Cargo has unpacked them from its
//! registries.

use std::fs;
use std::path::PathBuf;

use super::{PackageSourceQuery, installing_folders};

/// Lists the folders that may have the package, those of the locked version first.
pub(super) fn source_folders(query: &PackageSourceQuery<'_>) -> Vec<PathBuf> {
    let names = query.versions.iter().map(|version| format!("{}-{version}", query.name));
    let names: Vec<String> = names.chain([query.name.to_owned()]).collect();
    let vendors = installing_folders(query).into_iter().map(|folder| folder.join("vendor"));
    let places: Vec<PathBuf> = vendors.chain(registries(query)).collect();
    names.iter().flat_map(|name| places.iter().map(move |place| place.join(name))).collect()
}

/// Returns the folders of Cargo's registries, sorted.
fn registries(query: &PackageSourceQuery<'_>) -> Vec<PathBuf> {
    let Some(home) = &query.caches.cargo_home else { return Vec::new() };
    let listed = fs::read_dir(home.join("registry/src")).into_iter().flatten();
    let mut folders: Vec<PathBuf> = listed.filter_map(|entry| Some(entry.ok()?.path())).collect();
    folders.sort();
    folders
}
