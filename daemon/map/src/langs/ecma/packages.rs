//! Finds packages of the workspace, and resolves path aliases of its configurations, from the pairs that `manifest`
//! recorded.

use hob_base::FileId;

use super::probe::{path_below, probe_entry, probe_file};
use crate::facts::FileFacts;
use crate::langs::rules::{ImportProject, ModuleTarget};
use crate::langs::support::project::{folder_of, join};

/// Most configurations that may extend each other in a row.
const EXTENDS: usize = 6;
/// Most references of one configuration that are followed.
const REFERENCES: usize = 64;

/// Yields the values of a manifest's key.
fn values<'f>(facts: &'f FileFacts, key: &str) -> impl Iterator<Item = &'f str> {
    let id = facts.names.find(key);
    facts.manifest.iter().filter(move |(k, _)| Some(*k) == id).map(|(_, value)| facts.name(*value))
}

/// Yields the manifest's pairs whose key starts with `prefix`, by the rest of the key.
fn entries<'f>(facts: &'f FileFacts, prefix: &'static str) -> impl Iterator<Item = (&'f str, &'f str)> {
    let pairs = facts.manifest.iter().map(|(key, value)| (facts.name(*key), facts.name(*value)));
    pairs.filter_map(move |(key, value)| Some((key.strip_prefix(prefix)?, value)))
}

/// Returns the part of a name that the star of a pattern stands for: `a*c` matches `abc` with `b`.
fn match_pattern<'n>(pattern: &str, name: &'n str) -> Option<&'n str> {
    match pattern.split_once('*') {
        None => (pattern == name).then_some(""),
        Some((before, after)) => name.strip_prefix(before)?.strip_suffix(after),
    }
}

/// Returns the targets of the pattern that fits best (the exact one, else the one with the longest beginning), with the
/// star filled in.
fn best_targets<'f>(entries: impl Iterator<Item = (&'f str, &'f str)>, name: &str) -> Vec<String> {
    let mut best: Option<(usize, Vec<String>)> = None;
    for (pattern, target) in entries {
        let Some(star) = match_pattern(pattern, name) else { continue };
        let rank = if pattern.contains('*') { pattern.find('*').unwrap_or(0) } else { usize::MAX };
        let target = target.replacen('*', star, 1);
        match &mut best {
            Some((known, list)) if *known == rank => list.push(target),
            Some((known, _)) if *known > rank => {}
            _ => best = Some((rank, vec![target])),
        }
    }
    best.map_or(Vec::new(), |(_, list)| list)
}

/// Returns the nearest project file above `path` with one of these names: its folder and its facts.
fn nearest_manifest<'p>(
    project: &'p dyn ImportProject,
    path: &str,
    names: &[&str],
) -> Option<(String, &'p FileFacts)> {
    let mut at = folder_of(path);
    loop {
        for name in names {
            if let Some(facts) = project.file(&path_below(at, name)).and_then(|file| project.facts(file)) {
                return Some((at.to_owned(), facts));
            }
        }
        if at.is_empty() {
            return None;
        }
        at = folder_of(at);
    }
}

/// Resolves a specifier by the `paths` and `baseUrl` of the nearest configuration, or of one that it refers to: a
/// configuration may hold nothing but references to those of its parts (`tsconfig.app.json`).
pub(super) fn by_config(project: &dyn ImportProject, from: &str, module: &str) -> Option<FileId> {
    let (at, facts) = nearest_manifest(project, from, &["tsconfig.json", "jsconfig.json"])?;
    let own = by_chain(project, at.clone(), facts, module);
    own.or_else(|| {
        let parts = values(facts, "references").take(REFERENCES);
        let mut parts = parts.filter_map(|part| config_at(project, &join(&at, part)?));
        parts.find_map(|(path, part)| by_chain(project, folder_of(&path).to_owned(), part, module))
    })
}

/// Returns the configuration that a path in another one means: the file, with or without its ending, or the one in the
/// folder.
fn config_at<'p>(project: &'p dyn ImportProject, path: &str) -> Option<(String, &'p FileFacts)> {
    let files = [path.to_owned(), format!("{path}.json"), path_below(path, "tsconfig.json")];
    files.into_iter().find_map(|path| {
        let facts = project.facts(project.file(&path)?)?;
        Some((path, facts))
    })
}

/// Returns the path that the `extends` of a configuration leads to, directly or in a package of the workspace.
fn extended_config(project: &dyn ImportProject, at: &str, base: &str) -> Option<String> {
    if base.starts_with('.') {
        return join(at, base);
    }
    let name = package_name(base);
    let mut manifests = project.manifests("package.json").into_iter();
    let (home, _) = manifests.find(|(_, facts)| values(facts, "name").any(|n| n == name))?;
    join(home, base.get(name.len() + 1..).unwrap_or("tsconfig.json"))
}

/// Resolves a specifier by a configuration, then by those that it extends.
fn by_chain<'p>(
    project: &'p dyn ImportProject,
    mut at: String,
    mut facts: &'p FileFacts,
    module: &str,
) -> Option<FileId> {
    for _ in 0..EXTENDS {
        if let Some(file) = by_one_config(project, &at, facts, module) {
            return Some(file);
        }
        let says = facts.manifest.iter().any(|(key, _)| facts.name(*key).starts_with("paths:"));
        let mut bases = values(facts, "extends").filter(|_| !says);
        let (path, next) =
            bases.find_map(|base| config_at(project, &extended_config(project, &at, base)?))?;
        at = folder_of(&path).to_owned();
        facts = next;
    }
    None
}

fn by_one_config(project: &dyn ImportProject, at: &str, facts: &FileFacts, module: &str) -> Option<FileId> {
    let base_url = values(facts, "baseUrl").next();
    let base = match base_url {
        Some(url) => join(at, url)?,
        None => at.to_owned(),
    };
    let found = best_targets(entries(facts, "paths:"), module);
    let by_paths = found.iter().find_map(|target| probe_file(project, &join(&base, target)?));
    by_paths.or_else(|| {
        base_url?;
        probe_file(project, &join(&base, module)?)
    })
}

/// Resolves a path below one of the folders that the nearest configuration joins into one (`rootDirs`) in the others.
pub(super) fn in_other_root(project: &dyn ImportProject, from: &str, path: &str) -> Option<FileId> {
    let (at, facts) = nearest_manifest(project, from, &["tsconfig.json", "jsconfig.json"])?;
    let roots: Vec<String> = values(facts, "rootDirs").filter_map(|root| join(&at, root)).collect();
    let mut below = roots.iter().filter_map(|root| path.strip_prefix(&**root)?.strip_prefix('/'));
    below.find_map(|rest| roots.iter().find_map(|other| probe_file(project, &path_below(other, rest))))
}

/// Returns the folder of the nearest package.
pub(super) fn package_root(project: &dyn ImportProject, from: &str) -> Option<String> {
    nearest_manifest(project, from, &["package.json"]).map(|(at, _)| at)
}

/// Resolves `#name` by the `imports` of the nearest package.
pub(super) fn resolve_package_import(
    project: &dyn ImportProject,
    from: &str,
    module: &str,
) -> Option<FileId> {
    let (at, facts) = nearest_manifest(project, from, &["package.json"])?;
    let found = best_targets(entries(facts, "imports:"), module);
    found.iter().find_map(|target| probe_entry(project, &at, target))
}

/// Resolves a specifier that names a package of the workspace. `None`: no package here has that name.
pub(super) fn workspace(project: &dyn ImportProject, module: &str) -> Option<ModuleTarget> {
    let name = package_name(module);
    let manifests = project.manifests("package.json");
    let mut found = None;
    for (at, facts) in manifests.into_iter().filter(|(_, facts)| values(facts, "name").any(|n| n == name)) {
        let target = package_entry(project, at, facts, module.get(name.len() + 1..));
        if let Some(file) = target {
            return Some(ModuleTarget::File(file));
        }
        found = Some(ModuleTarget::Unknown);
    }
    found
}

fn package_entry(
    project: &dyn ImportProject,
    at: &str,
    facts: &FileFacts,
    subpath: Option<&str>,
) -> Option<FileId> {
    let wanted = subpath.map_or(".".to_owned(), |subpath| format!("./{subpath}"));
    let exported = best_targets(entries(facts, "exports:"), &wanted);
    let by_exports = exported.iter().find_map(|target| probe_entry(project, at, target));
    if by_exports.is_some() {
        return by_exports;
    }
    if let Some(subpath) = subpath {
        return probe_entry(project, at, subpath)
            .or_else(|| probe_file(project, &join(at, &path_below("src", subpath))?));
    }
    let keys = ["source", "types", "module", "main"];
    let entries = keys.iter().flat_map(|key| values(facts, key));
    let by_keys = entries.into_iter().find_map(|target| probe_entry(project, at, target));
    by_keys
        .or_else(|| ["src/index", "index"].iter().find_map(|path| probe_file(project, &path_below(at, path))))
}

/// Returns the package that a specifier names: its first segment, or two of `@scope/name`.
pub(super) fn package_name(module: &str) -> &str {
    let segments = if module.starts_with('@') { 2 } else { 1 };
    let end = module.match_indices('/').nth(segments - 1).map_or(module.len(), |(at, _)| at);
    &module[..end]
}
