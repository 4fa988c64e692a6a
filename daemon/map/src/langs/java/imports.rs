//! Finds the files that a Java import names.
//!
//! A module is a package (`a.b`) or, for static imports and nested types, a type (`a.b.Type`). Packages are found by what
//! files declare, not by folders. A package that no file of the workspace declares is external, under its first two
//! segments (`java.util`, `org.junit`).

use hob_base::FileId;

use crate::langs::rules::{ImportProject, ImportRules, ModuleTarget};
use crate::langs::support::project::packages;

/// The import rules of Java.
pub(super) struct JavaImportRules;

impl ImportRules for JavaImportRules {
    fn resolve(&self, project: &dyn ImportProject, _from: FileId, module: &str) -> ModuleTarget {
        match packages::find(project, module) {
            ModuleTarget::Unknown if packages::longest_package(project, module).is_none() => {
                ModuleTarget::External(external_name(module))
            }
            found => found,
        }
    }

    fn resolve_path(
        &self,
        project: &dyn ImportProject,
        _from: FileId,
        path: &str,
    ) -> Option<(ModuleTarget, usize)> {
        packages::path_of(project, path)
    }
}

/// Returns the name by which an outside package is known: its first two segments, or one if the second is a type.
fn external_name(module: &str) -> String {
    let is_package = |part: &&str| !part.starts_with(char::is_uppercase);
    let package: Vec<&str> = module.split('.').take(2).take_while(is_package).collect();
    package.join(".")
}
