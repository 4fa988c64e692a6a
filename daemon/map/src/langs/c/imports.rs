//! Finds the file that an `#include` names.
//!
//! The rules look for a header where the compiler would look first (beside the including file), then in the include
//! paths that a `compile_commands.json` of the workspace gives, if they lead to one file, and then anywhere in the
//! workspace, for a file whose path ends in the whole path written after `#include`. Of several such files the nearest
//! counts (most folders in common, then fewest folders), if it is nearer than all others. A file that matches only part
//! of the written path is never chosen.
//!
//! A module is written as in the source, quotes or angle brackets included.

use std::cmp::Reverse;

use hob_base::FileId;

use crate::langs::rules::{ImportProject, ImportRules, ModuleTarget};
use crate::langs::support::project::{folder_of, join, shared_folders};

/// The import rules of C.
pub(crate) struct Includes;

impl ImportRules for Includes {
    fn resolve(&self, project: &dyn ImportProject, from: FileId, module: &str) -> ModuleTarget {
        include_target(project, from, module)
    }
}

/// Returns the file that `"path"` or `<path>` includes.
pub(crate) fn include_target(project: &dyn ImportProject, from: FileId, module: &str) -> ModuleTarget {
    let Some((quoted, path)) = parse_include_path(module) else { return ModuleTarget::Unknown };
    let own = project.path(from);
    let beside = join(folder_of(own), path).and_then(|path| project.file(&path));
    if quoted && let Some(file) = beside {
        return ModuleTarget::File(file);
    }
    if let Some(file) = on_include_path(project, own, path) {
        return ModuleTarget::File(file);
    }
    // A path that leads upwards means something to the including file alone.
    let Some(path) = join("", path) else { return ModuleTarget::Unknown };
    match nearest_header(project, own, &path) {
        CIncludeMatch::One(file) => ModuleTarget::File(file),
        CIncludeMatch::Several => ModuleTarget::Unknown,
        CIncludeMatch::None => ModuleTarget::External(path),
    }
}

/// Returns the one file that the build's include paths lead to; `None` if they lead to several.
fn on_include_path(project: &dyn ImportProject, own: &str, path: &str) -> Option<FileId> {
    let mut databases = project.manifests("compile_commands.json");
    databases.sort_by_key(|(dir, _)| Reverse(shared_folders(own, &format!("{dir}/x"))));
    let (_, facts) = databases.first()?;
    let named = facts.manifest.iter().filter(|(key, _)| facts.name(*key) == "include");
    let folders = named.filter_map(|(_, folder)| folder_in_workspace(project, facts.name(*folder)));
    let mut found = folders.filter_map(|folder| project.file(&join(folder, path)?));
    let first = found.next()?;
    found.all(|file| file == first).then_some(first)
}

/// Returns the longest end of an absolute folder that is a folder of the workspace, wherever the workspace lies.
fn folder_in_workspace<'f>(project: &dyn ImportProject, folder: &'f str) -> Option<&'f str> {
    let ends = folder.match_indices('/').map(|(at, _)| &folder[at + 1..]);
    std::iter::once(folder).chain(ends).find(|end| project.has_dir(end))
}

/// Splits a module into true if it is in quotes, false if in angle brackets, and the path between them.
fn parse_include_path(module: &str) -> Option<(bool, &str)> {
    if let Some(path) = module.strip_prefix('"') {
        return Some((true, path.strip_suffix('"')?));
    }
    Some((false, module.strip_prefix('<')?.strip_suffix('>')?))
}

enum CIncludeMatch {
    None,
    One(FileId),
    Several,
}

fn nearest_header(project: &dyn ImportProject, own: &str, path: &str) -> CIncludeMatch {
    let file_name = path.rsplit('/').next().unwrap_or(path);
    let mut best = None;
    let mut tied = false;
    for &file in project.files_named(file_name) {
        let candidate = project.path(file);
        if !is_suffix(candidate, path) {
            continue;
        }
        let near = (shared_folders(own, candidate), Reverse(candidate.matches('/').count()));
        match best {
            Some((other, _)) if near < other => {}
            Some((other, _)) if near == other => tied = true,
            _ => (best, tied) = (Some((near, file)), false),
        }
    }
    match best {
        None => CIncludeMatch::None,
        Some(_) if tied => CIncludeMatch::Several,
        Some((_, file)) => CIncludeMatch::One(file),
    }
}

/// Returns true if `path` is the end of `candidate`, at a folder's border.
fn is_suffix(candidate: &str, path: &str) -> bool {
    candidate.strip_suffix(path).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}
