//! Finds the package that a Go import path names.
//!
//! `go.mod` says which path a folder has; a package is the folder's files without its tests. `replace` directives that
//! lead into the workspace are followed, also those of a `go.work`, and so is a `vendor` folder. All other packages are
//! external, under the repository that they come from (`github.com/a/b`), or under their path if they belong to the
//! standard library.

use hob_base::FileId;

use crate::facts::FileFacts;
use crate::langs::rules::{ImportProject, ImportRules, ModuleTarget};
use crate::langs::support::project::join;

/// The import rules of Go.
pub(super) struct GoImportRules;

impl ImportRules for GoImportRules {
    fn resolve(&self, project: &dyn ImportProject, from: FileId, module: &str) -> ModuleTarget {
        let manifests = project.manifests("go.mod");
        if manifests.is_empty() || module == "C" {
            return ModuleTarget::External(external_name(module).to_owned());
        }
        let own = project.path(from);
        // A workspace's replacements hold for all of its modules.
        let all = [manifests.clone(), project.manifests("go.work")].concat();
        let folders = candidate_folders(&all, own, module);
        for folder in &folders {
            let files = package_files(project, folder);
            if !files.is_empty() {
                return ModuleTarget::Files(files);
            }
        }
        let inside =
            manifests.iter().any(|(_, facts)| path_below(module, values(facts, "module").next()).is_some());
        if inside { ModuleTarget::Unknown } else { ModuleTarget::External(external_name(module).to_owned()) }
    }
}

/// Returns the folders that a path may mean, the likeliest first.
fn candidate_folders(manifests: &[(&str, &FileFacts)], own: &str, module: &str) -> Vec<String> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let above = |dir: &str| dir.is_empty() || own.strip_prefix(dir).is_some_and(|rest| rest.starts_with('/'));
    for (dir, facts) in manifests {
        for name in values(facts, "module") {
            let std = (name == "std").then_some(module);
            if let Some(rest) = path_below(module, Some(name)).or(std) {
                found.extend(join(dir, rest).map(|folder| (name.len(), folder)));
            }
        }
        if !above(dir) {
            continue;
        }
        for replace in values(facts, "replace") {
            let Some((old, new)) = replace.split_once('=') else { continue };
            if let Some(rest) = path_below(module, Some(old)) {
                found.extend(join(dir, &format!("{new}/{rest}")).map(|folder| (usize::MAX, folder)));
            }
        }
        found.extend(join(dir, &format!("vendor/{module}")).map(|folder| (0, folder)));
    }
    found.sort_by_key(|(length, _)| std::cmp::Reverse(*length));
    found.into_iter().map(|(_, folder)| folder).collect()
}

/// Returns the part of `path` below `module`: empty for the module itself, `None` if `path` is not in it.
fn path_below<'p>(path: &'p str, module: Option<&str>) -> Option<&'p str> {
    let rest = path.strip_prefix(module?)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

fn package_files(project: &dyn ImportProject, folder: &str) -> Vec<FileId> {
    let mut files = project.files_in(folder);
    files.retain(|file| {
        let path = project.path(*file);
        path.ends_with(".go") && !path.ends_with("_test.go")
    });
    files
}

fn values<'f>(facts: &'f FileFacts, key: &'static str) -> impl Iterator<Item = &'f str> {
    facts.manifest.iter().filter(move |(k, _)| facts.name(*k) == key).map(|(_, value)| facts.name(*value))
}

/// Returns the name by which an outside package is known: its repository, or its path if it is of the standard library.
fn external_name(module: &str) -> &str {
    let host = module.split('/').next().unwrap_or(module);
    if !host.contains('.') {
        return module;
    }
    let segments = if host == "gopkg.in" { 2 } else { 3 };
    module.match_indices('/').nth(segments - 1).map_or(module, |(at, _)| &module[..at])
}

/// Returns the name that an import binds if it gives none: the last part of the path that looks like a package's name.
pub(super) fn local_name(module: &str) -> &str {
    let mut parts = module.rsplit('/');
    let last = parts.next().unwrap_or(module);
    let is_version = |part: &str| {
        part.strip_prefix('v').is_some_and(|v| !v.is_empty() && v.bytes().all(|b| b.is_ascii_digit()))
    };
    let last = if is_version(last) { parts.next().unwrap_or(last) } else { last };
    // `gopkg.in/yaml.v3`, `github.com/x/go-yaml`, `github.com/x/yaml.go`.
    let last = last.split_once(".v").map_or(last, |(name, _)| name);
    let last = last.strip_prefix("go-").unwrap_or(last);
    last.strip_suffix("-go").or_else(|| last.strip_suffix(".go")).unwrap_or(last)
}
