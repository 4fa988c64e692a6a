//! Reads `pyproject.toml`: the project's own table (PEP 621), groups (PEP 735), and the tables of Poetry, uv and PDM;
//! and `Pipfile`, whose tables look like Poetry's.

use ::toml::de::{DeTable, DeValue};

use super::super::file::{Findings, RawDependency};
use super::super::toml::{entries, strings_of_list, table_at, text, with_document};
use super::{is_development_group, requirement};

pub(in super::super) fn read_pyproject(source: &str, findings: &mut Findings) {
    with_document(source, |document| {
        read_standard(document, findings);
        read_poetry(document, findings);
        list_at(document, &["tool", "uv"], "dev-dependencies", findings);
        for (_, _, list) in entries(document, &["tool", "pdm", "dev-dependencies"]) {
            read_list(list, true, findings);
        }
    });
}

fn read_standard(document: &DeTable<'_>, findings: &mut Findings) {
    let project = table_at(document, &["project"]).and_then(|project| project.get("dependencies"));
    if let Some(list) = project {
        read_list(list.get_ref(), false, findings);
    }
    for (_, extra, list) in entries(document, &["project", "optional-dependencies"]) {
        read_list(list, is_development_group(extra), findings);
    }
    for (_, _, list) in entries(document, &["dependency-groups"]) {
        read_list(list, true, findings);
    }
    list_at(document, &["build-system"], "requires", findings);
}

/// Reads the list of development requirements at `key` of the table at `keys`.
fn list_at(document: &DeTable<'_>, keys: &[&str], key: &str, findings: &mut Findings) {
    if let Some(list) = table_at(document, keys).and_then(|table| table.get(key)) {
        read_list(list.get_ref(), true, findings);
    }
}

/// Reads requirements in the form of PEP 508; an entry that includes another group is no string.
fn read_list(list: &DeValue<'_>, dev: bool, findings: &mut Findings) {
    for (at, text) in strings_of_list(list) {
        if let Some(said) = requirement::parse_requirement(text) {
            findings.add(RawDependency { at, dev, ..said });
        }
    }
}

fn read_poetry(document: &DeTable<'_>, findings: &mut Findings) {
    const POETRY: [&str; 2] = ["tool", "poetry"];
    read_table(document, &["tool", "poetry", "dependencies"], false, findings);
    read_table(document, &["tool", "poetry", "dev-dependencies"], true, findings);
    for (_, group, _) in entries(document, &[&POETRY[..], &["group"]].concat()) {
        let keys = ["tool", "poetry", "group", group, "dependencies"];
        read_table(document, &keys, group != "main", findings);
    }
}

pub(in super::super) fn read_pipfile(source: &str, findings: &mut Findings) {
    with_document(source, |document| {
        read_table(document, &["packages"], false, findings);
        read_table(document, &["dev-packages"], true, findings);
    });
}

/// Reads a table of names: `name = "^1.0"`, `name = { version = "^1.0" }`, or a list of such for several platforms.
fn read_table(document: &DeTable<'_>, keys: &[&str], dev: bool, findings: &mut Findings) {
    for (at, name, value) in entries(document, keys) {
        if name == "python" {
            continue;
        }
        let first = value.as_array().and_then(|list| list.iter().next()).map_or(value, |item| item.get_ref());
        let said = RawDependency { at, name: name.into(), dev, ..RawDependency::default() };
        findings.add(match first {
            DeValue::String(asked) => RawDependency {
                requirement: Some(asked),
                version: requirement::pinned_version(asked),
                ..said
            },
            DeValue::Table(table) => with_details(said, table),
            _ => said,
        });
    }
}

fn with_details<'t>(said: RawDependency<'t>, table: &'t DeTable<'_>) -> RawDependency<'t> {
    let asked = ["version", "git", "url", "path"].iter().find_map(|key| text(table, key));
    RawDependency {
        requirement: asked,
        version: asked.and_then(requirement::pinned_version),
        local: text(table, "path").is_some(),
        ..said
    }
}
