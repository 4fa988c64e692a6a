//! Reads `package-lock.json` and `npm-shrinkwrap.json`, versions 1 to 3.
//!
//! From version 2 on, `packages` lists every folder that npm makes, by path; version 1 nests `dependencies` like the
//! folders. Version 2 has both, with the same contents, so `packages` is read where it exists. Packages directly in the
//! project's own `node_modules` come first, because the project's imports find those.

use super::super::Origin;
use super::super::file::{Findings, RawDependency};
use super::super::json::{self, ManifestJson, ManifestJsonMember};

const FOLDER: &str = "node_modules/";

pub(in super::super) fn package_lock(text: &str, findings: &mut Findings) {
    let lock = json::parse(text);
    let packages = lock.members_of("packages");
    match packages.is_empty() {
        true => read_nested_lock(&lock, findings),
        false => read_flat_lock(packages, findings),
    }
}

fn read_flat_lock(packages: &[ManifestJsonMember<'_>], findings: &mut Findings) {
    let mut entries: Vec<_> =
        packages.iter().filter_map(|member| Some((member.key.rsplit_once(FOLDER)?, member))).collect();
    entries.sort_by_key(|((above, _), _)| !above.is_empty());
    for ((_, folder), member) in entries {
        // An alias is installed under its own name, and the entry names the package.
        let named = member.value.get("name").and_then(ManifestJson::text);
        let alias = named.map(|_| folder);
        let said = RawDependency { alias, local: member.value.is("link"), ..locked_dependency(member) };
        findings.add(RawDependency { name: named.unwrap_or(folder).into(), ..said });
    }
}

/// Reads version 1: outer folders before inner ones.
fn read_nested_lock(lock: &ManifestJson<'_>, findings: &mut Findings) {
    let mut level: Vec<&ManifestJsonMember<'_>> = lock.members_of("dependencies").iter().collect();
    while !level.is_empty() {
        for member in &level {
            // `"version": "npm:other@1.0.0"` is an alias.
            let version = member.value.get("version").and_then(ManifestJson::text).unwrap_or("");
            let asked = super::NpmRequirement::new(&member.key, version);
            let requirement = None;
            let version = Some(asked.requirement);
            findings.add(RawDependency {
                name: asked.name.into(),
                alias: asked.alias,
                local: asked.local,
                requirement,
                version,
                ..locked_dependency(member)
            });
        }
        level = level.into_iter().flat_map(|member| member.value.members_of("dependencies")).collect();
    }
}

fn locked_dependency<'t>(member: &'t ManifestJsonMember<'_>) -> RawDependency<'t> {
    RawDependency {
        at: member.at,
        version: member.value.get("version").and_then(ManifestJson::text),
        dev: member.value.is("dev"),
        origin: Origin::Lock,
        ..RawDependency::default()
    }
}
