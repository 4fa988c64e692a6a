//! Finds the files that a PHP import names.
//!
//! A module is a namespace (`A.B`), found by what files declare first, else by what one declares after another
//! namespace, or a file (`./a.php`). A namespace that no file of the workspace declares is the project's own all the
//! same if `composer.json` says so or it begins like the file's own; else it is external, under its first two names
//! (`Psr.Log`).

use hob_base::FileId;

use super::ROOT;
use crate::facts::{Def, DefKind, FileFacts};
use crate::langs::lang::Lang;
use crate::langs::rules::{ImportProject, ImportRules, ModuleTarget};
use crate::langs::support::project::{folder_of, join, shared_folders};

/// The import rules of PHP.
pub(super) struct Namespaces;

impl ImportRules for Namespaces {
    fn resolve(&self, project: &dyn ImportProject, from: FileId, module: &str) -> ModuleTarget {
        if module.contains('/') || module.ends_with(".php") || module.ends_with(".inc") {
            return resolve_include(project, from, module);
        }
        let files = project.files_of_package(module);
        if !files.is_empty() {
            return ModuleTarget::Files(files.to_vec());
        }
        if let Some(file) = further_file(project, module) {
            return ModuleTarget::Inside(file, module.to_owned());
        }
        if is_own(project, from, module) { ModuleTarget::Unknown } else { external_target(module) }
    }

    /// Resolves a complete path, which begins with `\`, to the longest beginning of it that is a namespace of the
    /// workspace.
    fn resolve_path(
        &self,
        project: &dyn ImportProject,
        from: FileId,
        path: &str,
    ) -> Option<(ModuleTarget, usize)> {
        let full = path.strip_prefix(ROOT)?.strip_prefix('.')?;
        let ends = full.match_indices('.').map(|(at, _)| at).chain([full.len()]);
        let known = ends.filter_map(|end| Some((end, namespace_target(project, &full[..end])?))).last();
        if let Some((end, target)) = known {
            return Some((target, full[..end].split('.').count() + 1));
        }
        let (before, _) = full.rsplit_once('.')?;
        let target =
            if is_own(project, from, before) { ModuleTarget::Unknown } else { external_target(before) };
        Some((target, before.split('.').count() + 1))
    }
}

/// Returns the files of a namespace, else the file that declares it after another.
fn namespace_target(project: &dyn ImportProject, namespace: &str) -> Option<ModuleTarget> {
    let files = project.files_of_package(namespace);
    if !files.is_empty() {
        return Some(ModuleTarget::Files(files.to_vec()));
    }
    Some(ModuleTarget::Inside(further_file(project, namespace)?, namespace.to_owned()))
}

/// Returns the first file that declares a namespace after another.
fn further_file(project: &dyn ImportProject, namespace: &str) -> Option<FileId> {
    let declares = |facts: &FileFacts| {
        let is_it = |def: &Def| def.kind == DefKind::Module && facts.name(def.qualified) == namespace;
        facts.lang == Lang::Php && facts.defs.iter().any(is_it)
    };
    let files = project.files_defining(namespace);
    files.into_iter().find(|file| project.facts(*file).is_some_and(declares))
}

/// Returns true if a namespace without files belongs to the project.
fn is_own(project: &dyn ImportProject, from: FileId, module: &str) -> bool {
    let first = |path: &str| path.split('.').next().unwrap_or("").to_owned();
    let package = project.facts(from).and_then(|facts| facts.package.map(|id| first(facts.name(id))));
    let begins = |long: &str, short: &str| long == short || long.starts_with(&format!("{short}."));
    let mut declared = false;
    for (_, facts) in project.manifests("composer.json") {
        for (key, prefix) in &facts.manifest {
            if matches!(facts.name(*key), "psr-4" | "psr-0") {
                declared = true;
                let prefix = facts.name(*prefix);
                if begins(module, prefix) || begins(prefix, module) {
                    return true;
                }
            }
        }
    }
    !declared && package.is_some_and(|package| package == first(module))
}

fn external_target(module: &str) -> ModuleTarget {
    ModuleTarget::External(module.split('.').take(2).collect::<Vec<_>>().join("."))
}

/// Finds a file that is included: beside the one that includes it, from the root of the project, or by the end of its
/// path.
fn resolve_include(project: &dyn ImportProject, from: FileId, path: &str) -> ModuleTarget {
    let here = project.path(from).to_owned();
    let end = path.strip_prefix("*/");
    let beside = join(folder_of(&here), path).filter(|_| end.is_none());
    let from_root = join("", end.unwrap_or(path)).filter(|_| !path.starts_with('.'));
    let exact = [beside, from_root].into_iter().flatten().find_map(|place| project.file(&place));
    if let Some(file) = exact.filter(|file| *file != from) {
        return ModuleTarget::File(file);
    }
    let Some(end) = end else { return ModuleTarget::Unknown };
    let name = end.rsplit('/').next().unwrap_or(end);
    let fits = |file: &&FileId| {
        project.path(**file).strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    let mut found: Vec<FileId> = project.files_named(name).iter().filter(fits).copied().collect();
    let shared = |file: &FileId| shared_folders(project.path(*file), &here);
    let most = found.iter().map(shared).max();
    found.retain(|file| Some(shared(file)) == most);
    match found[..] {
        [file] => ModuleTarget::File(file),
        _ => ModuleTarget::Unknown,
    }
}
