//! Reads Rust's `Cargo.toml` and `Cargo.lock`.
//!
//! `[workspace.dependencies]` requires no package: it gives the version for members that write `workspace = true`, as
//! `dependencyManagement` does for Maven.

use ::toml::de::{DeTable, DeValue};

use super::Origin;
use super::file::{Findings, RawDependency};
use super::toml::{entries, tables_of_list, text, text_at, with_document};

/// The tables of dependencies, and whether they are for development.
const TABLES: [(&str, bool); 5] = [
    ("dependencies", false),
    ("build-dependencies", false),
    ("build_dependencies", false),
    ("dev-dependencies", true),
    ("dev_dependencies", true),
];

pub(super) fn read_manifest(source: &str, findings: &mut Findings) {
    with_document(source, |document| {
        read_tables(document, &[], findings);
        for (_, target, _) in entries(document, &["target"]) {
            read_tables(document, &["target", target], findings);
        }
        let offer = RawDependency { origin: Origin::Indirect, ..RawDependency::default() };
        read_table(document, &["workspace", "dependencies"], &offer, findings);
    });
}

fn read_tables(document: &DeTable<'_>, above: &[&str], findings: &mut Findings) {
    for (name, dev) in TABLES {
        read_table(
            document,
            &[above, &[name]].concat(),
            &RawDependency { dev, ..RawDependency::default() },
            findings,
        );
    }
}

fn read_table(document: &DeTable<'_>, keys: &[&str], kind: &RawDependency<'_>, findings: &mut Findings) {
    for (at, key, value) in entries(document, keys) {
        let said = RawDependency {
            at,
            name: key.into(),
            dev: kind.dev,
            origin: kind.origin,
            ..RawDependency::default()
        };
        findings.add(match value {
            DeValue::String(requirement) => RawDependency { requirement: Some(requirement), ..said },
            DeValue::Table(table) => with_details(said, key, table),
            _ => said,
        });
    }
}

/// Returns a dependency with more than a version.
fn with_details<'t>(said: RawDependency<'t>, key: &'t str, table: &'t DeTable<'_>) -> RawDependency<'t> {
    let renamed = text(table, "package");
    RawDependency {
        name: renamed.unwrap_or(key).into(),
        alias: renamed.map(|_| key),
        requirement: text(table, "version").or_else(|| text(table, "git")),
        local: text(table, "path").is_some(),
        ..said
    }
}

pub(super) fn lock(source: &str, findings: &mut Findings) {
    with_document(source, |document| {
        for package in tables_of_list(document, "package") {
            let Some((at, name)) = text_at(package, "name") else { continue };
            let version = text(package, "version");
            // A package that comes from no registry and no repository is a folder.
            let local = text(package, "source").is_none();
            findings.add(RawDependency {
                at,
                name: name.into(),
                version,
                local,
                origin: Origin::Lock,
                ..RawDependency::default()
            });
        }
    });
}
