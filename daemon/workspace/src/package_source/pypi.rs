//! Finds the sources of Python's packages in the project's own environment, where each package's metadata lists the
//! installed files.
//!
//! A distribution and the package that files import may have different names (`PyYAML` is `yaml`), so the list of
//! installed files decides.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::{PackageSource, PackageSourceQuery, installing_folders};
use crate::manifest::Ecosystem;

/// Usual folder names of a project's environment.
const ENVIRONMENTS: &[&str] = &[".venv", "venv", "env", "__pypackages__"];

/// Finds the source that the distribution installed: its largest package, or its only module.
pub(super) fn find_installed(query: &PackageSourceQuery<'_>) -> PackageSource {
    let folders = site_packages(query);
    for folder in &folders {
        let installed = metadata_of(folder, query.name).and_then(|metadata| installed_by(folder, &metadata));
        if let Some(found) = installed.or_else(|| package_called(folder, query.name)) {
            return if found.is_dir() { PackageSource::Folder(found) } else { PackageSource::File(found) };
        }
    }
    let looked = if folders.is_empty() { environments(query) } else { folders };
    PackageSource::Absent(looked)
}

/// Finds a module or package by the name that files import.
pub(super) fn find_module(query: &PackageSourceQuery<'_>) -> PackageSource {
    let folders = site_packages(query);
    for folder in &folders {
        let package = folder.join(query.name);
        if package.is_dir() {
            return PackageSource::Folder(package);
        }
        let module = [".py", ".pyi"].iter().map(|ending| folder.join(format!("{}{ending}", query.name)));
        if let Some(file) = module.into_iter().find(|file| file.is_file()) {
            return PackageSource::File(file);
        }
    }
    let looked = if folders.is_empty() { environments(query) } else { folders };
    PackageSource::Absent(looked)
}

/// Returns the distribution that installed a module into a folder of packages, with its version: `PyYAML 6.0.1`.
pub(super) fn distribution_of(site: &Path, module: &str) -> Option<String> {
    let mut found: Vec<(bool, String)> = Vec::new();
    for metadata in children(site) {
        let name = metadata.file_name().and_then(|name| name.to_str()).unwrap_or("");
        let Some((name, version)) = name.strip_suffix(".dist-info").and_then(|stem| stem.rsplit_once('-'))
        else {
            continue;
        };
        let is_called_so = Ecosystem::PyPi.normalise_name(name) == Ecosystem::PyPi.normalise_name(module);
        if is_called_so || has_installed(&metadata, module) {
            found.push((!is_called_so, format!("{name} {version}")));
        }
    }
    found.into_iter().min().map(|(_, title)| title)
}

/// Returns true if a distribution's list of files has a module.
fn has_installed(metadata: &Path, module: &str) -> bool {
    let record = fs::read_to_string(metadata.join("RECORD")).unwrap_or_default();
    record.lines().any(|line| {
        let rest = line.strip_prefix(module).unwrap_or("");
        rest.starts_with('/') || rest.starts_with(".py")
    })
}

fn environments(query: &PackageSourceQuery<'_>) -> Vec<PathBuf> {
    let named = |folder: PathBuf| ENVIRONMENTS.iter().map(move |name| folder.join(name));
    installing_folders(query).into_iter().flat_map(named).collect()
}

/// Returns the folders of installed packages of the project's environments.
fn site_packages(query: &PackageSourceQuery<'_>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for environment in environments(query) {
        found.push(environment.join("Lib/site-packages"));
        for versions in [environment.join("lib"), environment.clone()] {
            for version in children(&versions) {
                found.push(version.join("site-packages"));
                found.push(version.join("lib"));
            }
        }
    }
    found.retain(|folder| folder.is_dir());
    found
}

/// Finds the folder of metadata of a distribution.
fn metadata_of(folder: &Path, name: &str) -> Option<PathBuf> {
    let is_it = |path: &PathBuf| {
        let file = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
        let distribution = file.strip_suffix(".dist-info").and_then(|stem| stem.rsplit_once('-'));
        distribution.is_some_and(|(of, _)| Ecosystem::PyPi.normalise_name(of) == name)
    };
    children(folder).into_iter().find(is_it)
}

/// Returns the package with the most files in the metadata's list, or the module if there is no package.
fn installed_by(folder: &Path, metadata: &Path) -> Option<PathBuf> {
    let record = fs::read_to_string(metadata.join("RECORD")).ok()?;
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    let mut modules = Vec::new();
    for path in record.lines().filter_map(|line| line.split(',').next()) {
        match path.split_once('/') {
            Some((top, rest)) if rest.ends_with(".py") || rest.ends_with(".pyi") => {
                *sizes.entry(top).or_default() += 1;
            }
            None if path.ends_with(".py") && super::is_plain_path(path) => modules.push(path),
            _ => {}
        }
    }
    let largest =
        sizes.into_iter().filter(|(top, _)| super::is_plain_path(top)).max_by_key(|(_, files)| *files);
    let top = largest.map(|(top, _)| top).or_else(|| modules.first().copied())?;
    Some(folder.join(top)).filter(|path| path.exists())
}

/// Finds a package or module with the distribution's own name, for distributions without metadata.
fn package_called(folder: &Path, name: &str) -> Option<PathBuf> {
    let module = name.replace('-', "_");
    [folder.join(&module), folder.join(format!("{module}.py"))].into_iter().find(|path| path.exists())
}

/// Lists the entries of a folder, sorted; none if it cannot be listed.
fn children(folder: &Path) -> Vec<PathBuf> {
    let listed = fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = listed.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths
}
