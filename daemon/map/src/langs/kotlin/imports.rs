//! Finds the files that a Kotlin import names: as in Java, but functions and properties of a package are imported like
//! types.

use hob_base::FileId;

use crate::langs::rules::{ImportProject, ImportRules, ModuleTarget};
use crate::langs::support::project::packages;

/// The import rules of Kotlin.
pub(super) struct KotlinImportRules;

impl ImportRules for KotlinImportRules {
    fn resolve(&self, project: &dyn ImportProject, _from: FileId, module: &str) -> ModuleTarget {
        match packages::find(project, module) {
            ModuleTarget::Unknown if packages::longest_package(project, module).is_none() => {
                ModuleTarget::External(packages::external_name(module))
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
