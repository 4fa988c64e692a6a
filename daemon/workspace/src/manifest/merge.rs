//! Merges the statements of all files of a workspace about each package.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use hob_base::WsPath;

use super::package::{Package, PackageMention};
use super::version::{compare_versions, meets_requirement};
use super::{Dependency, Ecosystem, Origin};

/// A statement with the file that makes it.
struct Statement {
    file: WsPath,
    said: Dependency,
}

/// Makes one [`Package`] for each name in `files` ([`super::read`]'s answers, by path), sorted by ecosystem and name.
///
/// A package that only lock files name is indirect. A folder that only a lock file names is the project itself or a
/// member that nothing requires, and is left out. The result does not depend on the order of `files`.
#[must_use]
pub fn merge(files: impl IntoIterator<Item = (WsPath, Vec<Dependency>)>) -> Vec<Package> {
    let mut groups: BTreeMap<(Ecosystem, String), Vec<Statement>> = BTreeMap::new();
    for (file, said) in files {
        for said in said {
            let key = (said.ecosystem, said.name.clone());
            groups.entry(key).or_default().push(Statement { file: file.clone(), said });
        }
    }
    groups.into_values().filter_map(merge_statements).collect()
}

/// Merges the statements about one name into one package.
fn merge_statements(mut statements: Vec<Statement>) -> Option<Package> {
    // The sort is stable: within one file, and for one origin, the file's order decides.
    statements.sort_by(Statement::compare_weight);
    let named = statements.iter().filter(|one| one.said.origin != Origin::Lock).count();
    let (stated, locked) = statements.split_at(named);
    let best = statements.first()?;
    if named == 0 && locked.iter().all(|one| one.said.local) {
        return None;
    }
    let asking = if named == 0 { locked } else { stated };
    let direct = best.said.origin == Origin::Manifest;
    let needs = asking.iter().filter(|one| !direct || one.said.origin == Origin::Manifest);
    let dev = needs.into_iter().all(|one| one.said.dev);
    let requirement = stated.iter().find_map(|one| one.said.requirement.clone());
    let aliases: BTreeSet<&String> = statements.iter().filter_map(|one| one.said.alias.as_ref()).collect();
    Some(Package {
        ecosystem: best.said.ecosystem,
        name: best.said.name.clone(),
        aliases: aliases.into_iter().cloned().collect(),
        version: version(best, requirement.as_deref(), stated, locked),
        versions: locked_versions(locked),
        requirement,
        direct,
        dev,
        local: best.said.local,
        manifest: best.file.clone(),
        line: best.said.line,
        places: asking[..if named == 0 { 1 } else { named }].iter().map(Statement::to_mention).collect(),
    })
}

impl Statement {
    fn compare_weight(&self, other: &Self) -> Ordering {
        let key = |one: &Self| (one.said.origin, one.said.dev, one.file.as_str().matches('/').count());
        key(self).cmp(&key(other)).then_with(|| self.file.cmp(&other.file))
    }

    fn to_mention(&self) -> PackageMention {
        PackageMention {
            manifest: self.file.clone(),
            line: self.said.line,
            requirement: self.said.requirement.clone(),
            dev: self.said.dev,
        }
    }
}

/// Chooses the version for `best`: from the nearest lock file, else a version that some file pins.
fn version(
    best: &Statement,
    requirement: Option<&str>,
    stated: &[Statement],
    locked: &[Statement],
) -> Option<String> {
    let nearest = nearest_locked(&best.file, locked);
    let chosen = match requirement {
        Some(requirement) if !stated.is_empty() => choose_locked(requirement, &nearest),
        _ => nearest.first().copied(),
    };
    let pinned = || stated.iter().find_map(|one| one.said.version.clone());
    chosen.and_then(|one| one.said.version.clone()).or_else(pinned)
}

/// Returns the statements of the nearest lock file above `manifest`; of any lock file if there is none above.
fn nearest_locked<'s>(manifest: &WsPath, locked: &'s [Statement]) -> Vec<&'s Statement> {
    let is_above = |file: &WsPath| {
        let (above, own) = (file.dir(), manifest.dir());
        above.is_empty() || own == above || own.strip_prefix(above).is_some_and(|rest| rest.starts_with('/'))
    };
    let usable = locked.iter().filter(|one| one.said.version.is_some());
    let file =
        usable.clone().map(|one| &one.file).filter(|file| is_above(file)).max_by_key(|file| file.dir().len());
    let Some(file) = file.or_else(|| usable.clone().map(|one| &one.file).next()) else { return Vec::new() };
    usable.filter(|one| one.file == *file).collect()
}

/// Chooses among several locked versions: the one locked for exactly this requirement, else the first that meets it
/// (npm, where the outer folder comes first) or the highest (all others).
fn choose_locked<'s>(requirement: &str, locked: &[&'s Statement]) -> Option<&'s Statement> {
    let exactly = |one: &&&Statement| one.said.requirement.as_deref() == Some(requirement);
    if let Some(one) = locked.iter().find(exactly) {
        return Some(one);
    }
    let text = |one: &Statement| one.said.version.clone().unwrap_or_default();
    let mut may = locked.iter().copied().filter(|one| meets_requirement(requirement, &text(one)));
    let chosen = match locked.first()?.said.ecosystem {
        Ecosystem::Npm => may.next(),
        _ => may.max_by(|a, b| compare_versions(&text(a), &text(b))),
    };
    chosen.or_else(|| locked.first().copied())
}

fn locked_versions(locked: &[Statement]) -> Vec<String> {
    let mut versions: Vec<String> = locked.iter().filter_map(|one| one.said.version.clone()).collect();
    versions.sort_by(|a, b| compare_versions(a, b).then_with(|| a.cmp(b)));
    versions.dedup();
    versions
}
