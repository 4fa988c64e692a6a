//! Finds the files that Dart's imports, exports and parts name.
//!
//! `package:shop/cart.dart` is `lib/cart.dart` beside the `pubspec.yaml` with the name `shop`; a package that no
//! `pubspec.yaml` of the project has is outside. Any other address is relative to the file, and `dart:async` belongs to
//! the language.

use hob_base::FileId;

use crate::facts::{FileFacts, ImportKind};
use crate::langs::rules::{ImportProject, ImportRules, ModuleTarget};
use crate::langs::support::project::{folder_of, join, shared_folders};

/// The beginning of a module that stands for the library of a part.
pub(super) const PART_OF: &str = "part of ";

/// The import rules of Dart.
pub(super) struct DartImportRules;

impl ImportRules for DartImportRules {
    fn resolve(&self, project: &dyn ImportProject, from: FileId, module: &str) -> ModuleTarget {
        if let Some(library) = module.strip_prefix(PART_OF) {
            return library_of_part(project, from, library).map_or(ModuleTarget::Unknown, ModuleTarget::File);
        }
        if module.starts_with("dart:") {
            return ModuleTarget::External(module.to_owned());
        }
        match module.strip_prefix("package:") {
            Some(path) => in_package(project, from, path),
            None => relative(project, from, module).map_or(ModuleTarget::Unknown, ModuleTarget::File),
        }
    }

    fn scope_file(&self, project: &dyn ImportProject, file: FileId) -> Option<FileId> {
        let facts = project.facts(file)?;
        let library = facts.imports.iter().find_map(|import| {
            let named = facts.name(import.module).strip_prefix(PART_OF);
            named.filter(|_| import.kind == ImportKind::Effect)
        })?;
        library_of_part(project, file, library)
    }
}

fn relative(project: &dyn ImportProject, from: FileId, uri: &str) -> Option<FileId> {
    project.file(&join(folder_of(project.path(from)), uri)?)
}

/// Finds a file of a package: of the nearest one, if several of the project have the name.
fn in_package(project: &dyn ImportProject, from: FileId, path: &str) -> ModuleTarget {
    let (package, rest) = path.split_once('/').unwrap_or((path, ""));
    let named = |facts: &FileFacts| {
        facts.manifest.iter().any(|(key, value)| facts.name(*key) == "name" && facts.name(*value) == package)
    };
    let own = project.path(from);
    let mut homes: Vec<&str> = project
        .manifests("pubspec.yaml")
        .into_iter()
        .filter(|(_, facts)| named(facts))
        .map(|(folder, _)| folder)
        .collect();
    if homes.is_empty() {
        return ModuleTarget::External(package.to_owned());
    }
    homes.sort_by_key(|folder| (usize::MAX - shared_folders(&format!("{folder}/x"), own), *folder));
    let mut files =
        homes.into_iter().filter_map(|folder| project.file(&join(folder, &format!("lib/{rest}"))?));
    files.next().map_or(ModuleTarget::Unknown, ModuleTarget::File)
}

/// Returns the library that a part belongs to, by its address or, in older code, by its name. A name counts only if the
/// library of that name lists the part.
fn library_of_part(project: &dyn ImportProject, part: FileId, library: &str) -> Option<FileId> {
    if library.ends_with(".dart") {
        let found = match DartImportRules.resolve(project, part, library) {
            ModuleTarget::File(file) => Some(file),
            _ => None,
        };
        return found.filter(|file| *file != part);
    }
    let lists = |file: &FileId| {
        let Some(facts) = project.facts(*file) else { return false };
        let mut stars = facts.imports.iter().filter(|import| import.kind == ImportKind::Star);
        stars.any(|import| relative(project, *file, facts.name(import.module)) == Some(part))
    };
    project.files_of_package(library).iter().copied().find(|file| *file != part && lists(file))
}
