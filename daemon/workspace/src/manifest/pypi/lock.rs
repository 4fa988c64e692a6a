//! Reads `poetry.lock`, `uv.lock`, `pdm.lock` and `pylock.toml` (PEP 751), which are lists of packages with name and
//! version, and `Pipfile.lock`.

use ::toml::de::DeTable;

use super::super::Origin;
use super::super::file::{Findings, RawDependency};
use super::super::json::{self, ManifestJson};
use super::super::toml::{table_at, tables_of_list, text, text_at, with_document};
use super::requirement::pinned_version;

/// Keys of a package's source that mean a folder of this machine.
const LOCAL: [&str; 4] = ["virtual", "editable", "directory", "path"];

pub(in super::super) fn lock(source: &str, findings: &mut Findings) {
    with_document(source, |document| {
        for package in ["package", "packages"].iter().flat_map(|key| tables_of_list(document, key)) {
            let Some((at, name)) = text_at(package, "name") else { continue };
            findings.add(RawDependency {
                at,
                name: name.into(),
                version: text(package, "version"),
                dev: text(package, "category") == Some("dev"),
                local: is_local(package),
                origin: Origin::Lock,
                ..RawDependency::default()
            });
        }
    });
}

fn is_local(package: &DeTable<'_>) -> bool {
    let source = table_at(package, &["source"]);
    let folder = source.is_some_and(|source| {
        LOCAL.iter().any(|key| source.contains_key(*key)) || text(source, "type") == Some("directory")
    });
    folder || package.contains_key("directory")
}

pub(in super::super) fn pipfile_lock(text: &str, findings: &mut Findings) {
    let lock = json::parse(text);
    for (table, dev) in [("default", false), ("develop", true)] {
        for member in lock.members_of(table) {
            let version = member.value.get("version").and_then(ManifestJson::text);
            findings.add(RawDependency {
                at: member.at,
                name: member.key.as_ref().into(),
                version: version.map(|version| pinned_version(version).unwrap_or(version)),
                dev,
                origin: Origin::Lock,
                ..RawDependency::default()
            });
        }
    }
}
