//! Finds the folder that a `module` block means by its `source`.
//!
//! A source that begins with a dot is a folder beside the file; any other is a registry's or a repository's, outside
//! the project. A use of a module (`module.vpc.id`) may be in another file than the block, so every file of the folder
//! is asked for the block.

use hob_base::FileId;

use crate::langs::rules::{ImportProject, ImportRules, ModuleTarget};
use crate::langs::support::project::{folder_of, join};

/// The import rules of Terraform's modules.
pub(super) struct HclImportRules;

impl ImportRules for HclImportRules {
    fn resolve(&self, project: &dyn ImportProject, from: FileId, module: &str) -> ModuleTarget {
        if !module.starts_with('.') {
            let name = module.split('?').next().unwrap_or(module);
            return ModuleTarget::External(name.to_owned());
        }
        let Some(folder) = join(folder_of(project.path(from)), module) else { return ModuleTarget::Unknown };
        let mut files = project.files_in(&folder);
        files.retain(|file| is_module_file(project.path(*file)));
        if files.is_empty() { ModuleTarget::Unknown } else { ModuleTarget::Files(files) }
    }

    fn resolve_path(
        &self,
        project: &dyn ImportProject,
        from: FileId,
        path: &str,
    ) -> Option<(ModuleTarget, usize)> {
        path.strip_prefix("module.")?;
        let beside = project.files_in(folder_of(project.path(from)));
        let files = std::iter::once(from).chain(beside);
        let found = files.into_iter().find_map(|file| Some((file, source_of(project, file, path)?)));
        let (file, source) = found?;
        Some((self.resolve(project, file, source), 2))
    }

    fn reads_facts(&self) -> bool {
        false
    }
}

fn is_module_file(path: &str) -> bool {
    path.ends_with(".tf") || path.ends_with(".tofu")
}

/// Returns the source of a module's block in one file.
fn source_of<'p>(project: &'p dyn ImportProject, file: FileId, address: &str) -> Option<&'p str> {
    let facts = project.facts(file)?;
    let id = facts.names.find(address)?;
    let import = facts.imports.iter().find(|import| import.local == Some(id))?;
    Some(facts.name(import.module))
}
