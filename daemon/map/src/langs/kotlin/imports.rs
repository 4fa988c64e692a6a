//! Finds the files that a Kotlin import names: as in Java, and functions and properties of a package are imported
//! like types.

use hob_base::FileId;

use crate::langs::support::project::packages;
use crate::langs::{ImportRules, ModuleTarget, Project};

/// The rules for Kotlin.
pub(super) struct Packages;

impl ImportRules for Packages {
    fn resolve(&self, project: &dyn Project, _from: FileId, module: &str) -> ModuleTarget {
        match packages::find(project, module) {
            ModuleTarget::Unknown if packages::longest(project, module).is_none() => {
                ModuleTarget::External(packages::outside(module))
            }
            found => found,
        }
    }

    fn resolve_path(
        &self,
        project: &dyn Project,
        _from: FileId,
        path: &str,
    ) -> Option<(ModuleTarget, usize)> {
        packages::path_of(project, path)
    }
}
