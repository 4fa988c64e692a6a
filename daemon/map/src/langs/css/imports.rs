//! Finds the style sheet that an `@import` names.
//!
//! A path is relative to the file; with `/` at its front, to the root that a server serves: the workspace, or a folder
//! with a name for that. A path without a file that does not begin with a dot is a package that a bundler knows.

use hob_base::FileId;

use crate::langs::rules::{ImportProject, ImportRules, ModuleTarget};
use crate::langs::support::project::{folder_of, join};

/// Folders that servers serve as their root by custom.
const SERVED: &[&str] = &["", "public", "static"];

/// The import rules of style sheets.
pub(super) struct StyleSheets;

impl ImportRules for StyleSheets {
    fn resolve(&self, project: &dyn ImportProject, from: FileId, module: &str) -> ModuleTarget {
        let path = module.split(['?', '#']).next().unwrap_or(module);
        let found = match path.strip_prefix('/') {
            Some(rooted) => SERVED.iter().find_map(|folder| sheet_at(project, folder, rooted)),
            None => sheet_at(project, folder_of(project.path(from)), path.trim_start_matches('~')),
        };
        match found.filter(|file| *file != from) {
            Some(file) => ModuleTarget::File(file),
            None => package_of(path).map_or(ModuleTarget::Unknown, ModuleTarget::External),
        }
    }

    fn reads_facts(&self) -> bool {
        false
    }
}

fn sheet_at(project: &dyn ImportProject, folder: &str, path: &str) -> Option<FileId> {
    let path = join(folder, path)?;
    project.file(&path).or_else(|| project.file(&format!("{path}.css")))
}

/// Returns the package that a path begins with: `@scope/name/x.css`, `name/x.css`, or a name without an ending.
fn package_of(path: &str) -> Option<String> {
    let path = path.trim_start_matches('~');
    let mut parts = path.split('/');
    let first = parts.next().filter(|first| !first.is_empty() && !first.starts_with('.'))?;
    if first.starts_with('@') {
        return parts.next().map(|name| format!("{first}/{name}"));
    }
    let is_file = parts.next().is_none() && first.ends_with(".css");
    (!is_file).then(|| first.to_owned())
}
