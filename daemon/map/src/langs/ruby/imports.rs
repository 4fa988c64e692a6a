//! Finds the file that a Ruby import names.
//!
//! `./x` is a file beside the one that requires it. Other names are looked up below the folders that are on the load
//! path by convention (`lib`, `app/*`, `test`, `spec`, and the root), the nearest first. A name that is not found there
//! is a library outside, under its first part.

use hob_base::FileId;

use crate::langs::rules::{ImportProject, ImportRules, ModuleTarget};
use crate::langs::support::project::{folder_of, join, shared_folders};

/// Folders whose files are required by their path from there.
const ROOTS: &[&str] = &["lib", "test", "spec", "tests", "app", "ext", "src"];

/// The import rules of Ruby.
pub(super) struct LoadPath;

impl ImportRules for LoadPath {
    fn resolve(&self, project: &dyn ImportProject, from: FileId, module: &str) -> ModuleTarget {
        let here = project.path(from).to_owned();
        let with_ending = if module.ends_with(".rb") { module.to_owned() } else { format!("{module}.rb") };
        if module.starts_with('.') {
            let place = join(folder_of(&here), &with_ending);
            let file = place.and_then(|place| project.file(&place));
            return file.filter(|file| *file != from).map_or(ModuleTarget::Unknown, ModuleTarget::File);
        }
        let name = with_ending.rsplit('/').next().unwrap_or(&with_ending);
        let on_path = |file: &&FileId| root_of(project.path(**file), &with_ending).is_some_and(is_root);
        let found = project.files_named(name).iter().filter(on_path).copied();
        let shared = |file: &FileId| shared_folders(project.path(*file), &here);
        // Of several equally near files, the one that is least deep counts, then the first by path.
        match found.filter(|file| *file != from).max_by_key(|file| {
            let path = project.path(*file);
            (shared(file), std::cmp::Reverse((path.matches('/').count(), path)))
        }) {
            Some(file) => ModuleTarget::File(file),
            None => beside(project, from, &with_ending)
                .map_or_else(|| self.target_of_missing(project, module), ModuleTarget::File),
        }
    }

    fn reads_facts(&self) -> bool {
        false
    }
}

impl LoadPath {
    /// Returns the target of a missing part of a library: unknown if the library is here, because the part is generated
    /// or gone; else a package outside.
    fn target_of_missing(&self, project: &dyn ImportProject, module: &str) -> ModuleTarget {
        let first = module.split('/').next().unwrap_or(module);
        let own =
            project.has_dir(&format!("lib/{first}")) || project.file(&format!("lib/{first}.rb")).is_some();
        if own || first.is_empty() {
            ModuleTarget::Unknown
        } else {
            ModuleTarget::External(first.trim_end_matches(".rb").to_owned())
        }
    }
}

/// Returns the part of a path before `end`, without the slash between them; `None` if the path does not end so.
fn root_of<'p>(path: &'p str, end: &str) -> Option<&'p str> {
    let root = path.strip_suffix(end)?;
    if root.is_empty() { Some(root) } else { root.strip_suffix('/') }
}

/// Returns the file beside a script that is in no folder of the load path: such scripts are run with their own folder
/// on it.
fn beside(project: &dyn ImportProject, from: FileId, name: &str) -> Option<FileId> {
    let folder = folder_of(project.path(from));
    let is_script = !folder.split('/').any(|part| ROOTS.contains(&part));
    let place = join(folder, name).filter(|_| is_script)?;
    project.file(&place).filter(|file| *file != from)
}

fn is_root(root: &str) -> bool {
    let mut parts = root.rsplit('/');
    let last = parts.next().unwrap_or("");
    root.is_empty() || ROOTS.contains(&last) || parts.next() == Some("app")
}
