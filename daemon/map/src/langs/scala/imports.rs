//! Finds the files that a Scala import names: packages and objects, absolute or relative to the enclosing packages.

use hob_base::FileId;

use crate::langs::rules::{ImportProject, ImportRules, ModuleTarget};
use crate::langs::support::project::packages;

/// The import rules of Scala.
pub(super) struct ScalaImportRules;

/// Stands for the module of a path that starts at a value, which is unknown.
pub(super) const UNTOLD: &str = "?";

impl ImportRules for ScalaImportRules {
    fn resolve(&self, project: &dyn ImportProject, from: FileId, module: &str) -> ModuleTarget {
        if module.starts_with(UNTOLD) {
            return ModuleTarget::Unknown;
        }
        let rooted = module.strip_prefix("_root_.");
        let package = if rooted.is_some() { "" } else { packages::of_file(project, from) };
        let module = rooted.unwrap_or(module);
        let relative = packages::packages_around(package).map(|outer| format!("{outer}.{module}"));
        for name in relative.chain([module.to_owned()]) {
            match packages::find(project, &name) {
                ModuleTarget::Unknown => {}
                found => return found,
            }
        }
        let is_own = packages::longest_package(project, module).is_some()
            || module.starts_with(|c: char| c.is_uppercase());
        if is_own { ModuleTarget::Unknown } else { ModuleTarget::External(packages::external_name(module)) }
    }

    fn resolve_path(
        &self,
        project: &dyn ImportProject,
        from: FileId,
        path: &str,
    ) -> Option<(ModuleTarget, usize)> {
        if let Some(found) = packages::path_of(project, path) {
            return Some(found);
        }
        let around = packages::packages_around(packages::of_file(project, from));
        around.into_iter().find_map(|outer| {
            let (files, taken) = packages::longest_package(project, &format!("{outer}.{path}"))?;
            let before = outer.split('.').count();
            (taken > before).then(|| (ModuleTarget::Files(files.to_vec()), taken - before))
        })
    }

    fn submodule(&self, module: &str, name: &str) -> Option<String> {
        Some(format!("{module}.{name}"))
    }
}
