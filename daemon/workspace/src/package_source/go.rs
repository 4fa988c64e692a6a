//! Finds the sources of Go's modules: in `vendor` of the project, then in the module cache, which writes a capital as
//! `!` and the small letter.

use std::path::PathBuf;

use super::{PackageSourceQuery, installing_folders};

/// Lists the folders that may have the module.
pub(super) fn source_folders(query: &PackageSourceQuery<'_>) -> Vec<PathBuf> {
    let vendored = installing_folders(query).into_iter().map(|folder| folder.join("vendor").join(query.name));
    let cached = query.caches.go_modules.iter().flat_map(|cache| {
        let versioned = |version: &String| {
            let version = if version.starts_with('v') { version.clone() } else { format!("v{version}") };
            cache.join(format!("{}@{}", escape_path(query.name), escape_path(&version)))
        };
        query.versions.iter().map(versioned)
    });
    vendored.chain(cached).collect()
}

/// Escapes a module's path as the cache does, for file systems that do not tell capitals apart.
fn escape_path(path: &str) -> String {
    let mut escaped = String::with_capacity(path.len());
    for c in path.chars() {
        if c.is_ascii_uppercase() {
            escaped.push('!');
        }
        escaped.push(c.to_ascii_lowercase());
    }
    escaped
}
