//! Finds the files that a C# `using` names.
//!
//! A module is a namespace (`A.B`), found by what files declare, or, for `using static` and nested types, a type
//! (`A.B.Type`). Names may be relative to the enclosing namespaces. A namespace that holds only other namespaces of the
//! project has no files; one that the project does not have is external, under its first two segments (`System.Linq`).

use hob_base::FileId;

use crate::langs::rules::{ImportProject, ImportRules, ModuleTarget};
use crate::langs::support::project::packages;

/// The import rules of C#.
pub(super) struct Namespaces;

/// Files that hold the usings of a whole project by convention.
const GLOBALS: [&str; 5] =
    ["GlobalUsings.cs", "GlobalUsing.cs", "Usings.cs", "GlobalUsings.g.cs", "_GlobalUsings.cs"];

impl ImportRules for Namespaces {
    fn resolve(&self, project: &dyn ImportProject, from: FileId, module: &str) -> ModuleTarget {
        let package = packages::of_file(project, from);
        let relative = packages::packages_around(package).map(|outer| format!("{outer}.{module}"));
        let written = std::iter::once(module.to_owned()).chain(relative);
        for name in written {
            match packages::find(project, &name) {
                ModuleTarget::Unknown => {}
                found => return found,
            }
        }
        let first = module.split('.').next().unwrap_or(module);
        match package.split('.').next() == Some(first) {
            true => ModuleTarget::Unknown,
            false => ModuleTarget::External(packages::external_name(module)),
        }
    }

    fn resolve_path(
        &self,
        project: &dyn ImportProject,
        from: FileId,
        path: &str,
    ) -> Option<(ModuleTarget, usize)> {
        let package = packages::of_file(project, from);
        let relative = packages::packages_around(package).map(|outer| (format!("{outer}.{path}"), outer));
        let written = std::iter::once((path.to_owned(), "")).chain(relative);
        for (name, outer) in written {
            if let Some((files, taken)) = packages::longest_package(project, &name) {
                let before = outer.split('.').filter(|part| !part.is_empty()).count();
                if taken > before {
                    return Some((ModuleTarget::Files(files.to_vec()), taken - before));
                }
            }
        }
        let outside = path.contains('.') && matches!(path.split('.').next(), Some("System" | "Microsoft"));
        outside.then(|| (ModuleTarget::External(packages::external_name(path)), 2))
    }

    fn submodule(&self, module: &str, name: &str) -> Option<String> {
        Some(format!("{module}.{name}"))
    }

    fn project_wide(&self, project: &dyn ImportProject, _from: FileId) -> Vec<FileId> {
        GLOBALS.iter().flat_map(|name| project.files_named(name)).copied().collect()
    }
}
