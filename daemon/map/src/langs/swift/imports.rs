//! Finds the files that a Swift import names.
//!
//! A module is a target of a `Package.swift`, or, without one, a folder `Sources/X` or `Tests/X`. All other modules are
//! external, under their own names. Files outside every target are one module together: only Xcode knows which of them
//! a project of Xcode builds into which module.

use hob_base::FileId;

use crate::langs::rules::{ImportProject, ImportRules, ModuleTarget};
use crate::langs::support::project::join;

/// The import rules of Swift.
pub(super) struct SwiftImportRules;

/// Folders below which each folder is a module.
const ROOTS: &[&str] = &["Sources", "Tests", "Plugins"];

impl ImportRules for SwiftImportRules {
    fn resolve(&self, project: &dyn ImportProject, from: FileId, module: &str) -> ModuleTarget {
        let own = project.path(from);
        let mut homes: Vec<SwiftModuleHome> =
            declared_modules(project).into_iter().filter(|home| home.name == module).collect();
        homes.extend(conventional_module(own, module));
        let files =
            homes.iter().map(|home| files_below(project, &home.folder)).find(|files| !files.is_empty());
        match files {
            Some(files) => ModuleTarget::Files(files),
            None => ModuleTarget::External(module.to_owned()),
        }
    }

    /// Resolves `Module.Name`, if the file imports the module.
    fn resolve_path(
        &self,
        project: &dyn ImportProject,
        from: FileId,
        path: &str,
    ) -> Option<(ModuleTarget, usize)> {
        let first = path.split('.').next()?;
        let facts = project.facts(from)?;
        let imported = facts.imports.iter().any(|import| facts.name(import.module) == first);
        (imported || first == "Swift").then(|| (self.resolve(project, from, first), 1))
    }

    fn module_of(&self, project: &dyn ImportProject, file: FileId) -> Option<String> {
        let path = project.path(file);
        let below = |home: &SwiftModuleHome| {
            path.strip_prefix(&*home.folder).is_some_and(|rest| rest.starts_with('/'))
        };
        let home = declared_modules(project).into_iter().filter(below).max_by_key(|home| home.folder.len());
        let folder = home.map(|home| home.folder).or_else(|| conventional_home(path));
        Some(folder.unwrap_or_default())
    }
}

/// A module and its folder.
struct SwiftModuleHome {
    name: String,
    folder: String,
}

/// Returns the modules that manifests declare and whose folders exist.
fn declared_modules(project: &dyn ImportProject) -> Vec<SwiftModuleHome> {
    let mut homes = Vec::new();
    for (dir, facts) in project.manifests("Package.swift") {
        let pairs = facts.manifest.iter().filter(|(key, _)| facts.name(*key) == "target");
        let named = pairs.filter_map(|(_, value)| facts.name(*value).split_once('='));
        homes.extend(named.filter_map(|(name, folder)| {
            let folder = join(dir, folder).filter(|folder| project.has_dir(folder))?;
            Some(SwiftModuleHome { name: name.to_owned(), folder })
        }));
    }
    homes
}

/// Returns the folder `…/Sources/X` that a path lies in.
fn conventional_home(path: &str) -> Option<String> {
    let parts: Vec<&str> = path.split('/').collect();
    let at = parts.iter().rposition(|part| ROOTS.contains(part))?;
    (at + 2 < parts.len()).then(|| parts[..=at + 1].join("/"))
}

/// Returns the module `Sources/X` beside the `Sources/Y` or `Tests/Y` that the importing file is in.
fn conventional_module(own: &str, module: &str) -> Option<SwiftModuleHome> {
    let home = conventional_home(own)?;
    let (roots, _) = home.rsplit_once('/')?;
    let above = roots.rsplit_once('/').map_or("", |(above, _)| above);
    let folder = join(above, &format!("Sources/{module}"))?;
    Some(SwiftModuleHome { name: module.to_owned(), folder })
}

/// Returns the Swift files below a folder.
fn files_below(project: &dyn ImportProject, folder: &str) -> Vec<FileId> {
    let mut files = project.files_below(folder);
    files.retain(|file| project.path(*file).ends_with(".swift"));
    files
}
