//! Finds the file that a shell script sources.
//!
//! `./x` is beside the script, or, because the shell means its own folder, at the root of the project or in a folder
//! around the script. `*/x` is a file whose path ends in `x`; of several, the nearest. A path that starts at the root
//! of the file system is outside.

use hob_base::FileId;

use crate::langs::rules::{ImportProject, ImportRules, ModuleTarget};
use crate::langs::support::project::{folder_of, join, shared_folders};

/// The import rules of shell scripts.
pub(super) struct Sources;

impl ImportRules for Sources {
    fn resolve(&self, project: &dyn ImportProject, from: FileId, module: &str) -> ModuleTarget {
        if module.starts_with(['/', '~']) {
            return ModuleTarget::External(module.to_owned());
        }
        let here = project.path(from).to_owned();
        let end = module.strip_prefix("*/");
        let wanted = end.unwrap_or(module);
        let folders =
            std::iter::successors(Some(folder_of(&here)), |dir| (!dir.is_empty()).then(|| folder_of(dir)));
        let places = folders.filter_map(|dir| join(dir, wanted));
        let exact = places.filter_map(|place| project.file(&place)).find(|file| *file != from);
        if let Some(file) = exact {
            return ModuleTarget::File(file);
        }
        end.and_then(|end| by_end(project, &here, end)).map_or(ModuleTarget::Unknown, ModuleTarget::File)
    }

    fn reads_facts(&self) -> bool {
        false
    }
}

/// Returns the file whose path ends in `end`; of several, the nearest.
fn by_end(project: &dyn ImportProject, here: &str, end: &str) -> Option<FileId> {
    let name = end.rsplit('/').next().unwrap_or(end);
    let fits = |file: &&FileId| {
        let path = project.path(**file);
        path != here && path.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    let mut found: Vec<FileId> = project.files_named(name).iter().filter(fits).copied().collect();
    let shared = |file: &FileId| shared_folders(project.path(*file), here);
    let most = found.iter().map(shared).max();
    found.retain(|file| Some(shared(file)) == most);
    match found[..] {
        [file] => Some(file),
        _ => None,
    }
}
