//! How a Java import finds its files.
//!
//! A module is a package (`a.b`) or, for static imports and nested types, a type (`a.b.Type`). Packages are found by what
//! files declare, not by folders. A package that no file of the workspace declares is external, under its first two
//! segments (`java.util`, `org.junit`).

use hob_base::FileId;

use crate::langs::{ImportRules, ModuleTarget, Project};

/// The rules for Java.
pub(super) struct Packages;

impl ImportRules for Packages {
    fn resolve(&self, project: &dyn Project, _from: FileId, module: &str) -> ModuleTarget {
        let files = project.files_of_package(module);
        if !files.is_empty() {
            return ModuleTarget::Files(files.to_vec());
        }
        match longest_package(project, module) {
            Some((package, rest)) => type_in(project, package, rest),
            None => ModuleTarget::External(outside(module)),
        }
    }

    fn resolve_path(
        &self,
        project: &dyn Project,
        _from: FileId,
        path: &str,
    ) -> Option<(ModuleTarget, usize)> {
        if !path.starts_with(|c: char| c.is_lowercase()) {
            return None;
        }
        let whole = project.files_of_package(path);
        let (package, files) = match longest_package(project, path) {
            _ if !whole.is_empty() => (path, whole),
            Some((package, _)) => (package, project.files_of_package(package)),
            None => return foreign(path),
        };
        Some((ModuleTarget::Files(files.to_vec()), package.split('.').count()))
    }
}

/// The longest beginning of a path that is a package of the workspace, and the rest.
fn longest_package<'m>(project: &dyn Project, module: &'m str) -> Option<(&'m str, &'m str)> {
    let cuts = module.match_indices('.').map(|(at, _)| (&module[..at], &module[at + 1..]));
    cuts.filter(|(package, _)| !project.files_of_package(package).is_empty()).last()
}

fn type_in(project: &dyn Project, package: &str, path: &str) -> ModuleTarget {
    let defines = |file: &&FileId| {
        project.facts(**file).is_some_and(|facts| {
            let id = facts.names.find(path);
            id.is_some_and(|id| facts.defs.iter().any(|def| def.qualified == id && def.kind.is_type()))
        })
    };
    match project.files_of_package(package).iter().find(defines) {
        Some(file) => ModuleTarget::Inside(*file, path.to_owned()),
        None => ModuleTarget::Unknown,
    }
}

/// A path that starts with two or more names of packages and then a type: `java.util.List`.
fn foreign(path: &str) -> Option<(ModuleTarget, usize)> {
    let packages = path.split('.').take_while(|part| part.starts_with(|c: char| c.is_lowercase())).count();
    let has_type = packages < path.split('.').count();
    (packages > 1 && has_type).then(|| (ModuleTarget::External(outside(path)), packages))
}

/// The name an outside package is known by.
fn outside(module: &str) -> String {
    module
        .split('.')
        .take(2)
        .take_while(|part| part.starts_with(|c: char| !c.is_uppercase()))
        .collect::<Vec<_>>()
        .join(".")
}
