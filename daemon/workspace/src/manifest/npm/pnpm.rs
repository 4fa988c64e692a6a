//! Reads `pnpm-lock.yaml`, versions 5 to 9, line by line.
//!
//! pnpm writes one fixed subset of YAML: maps by two spaces of indentation, keys plain or quoted, scalars on the key's
//! line. This module reads only that subset, so it needs no YAML parser with anchors and tags.
//!
//! | where | version | what |
//! |---|---|---|
//! | `importers.FOLDER.dependencies.NAME` | all, in a workspace | a direct dependency |
//! | `dependencies.NAME` | 5, 6, outside one | likewise |
//! | below that: `specifier`, `version` | 6, 9 | what was asked, what was chosen |
//! | the scalar itself, and `specifiers.NAME` | 5 | likewise |
//! | `packages.KEY` | all | everything: `/a/1.0.0`, `/a@1.0.0(peer)`, `a@1.0.0` |

use std::collections::HashMap;

use super::super::Origin;
use super::super::file::{Findings, RawDependency, lines};
use super::{NpmRequirement, split_descriptor};

const TABLES: [&str; 3] = ["dependencies", "devDependencies", "optionalDependencies"];

/// A direct dependency, as far as it has been read.
struct Direct<'t> {
    at: usize,
    name: &'t str,
    requirement: Option<&'t str>,
    version: Option<&'t str>,
    dev: bool,
}

#[derive(Default)]
struct PnpmReading<'t> {
    /// The keys above the line, with their indentation.
    path: Vec<(usize, &'t str)>,
    specifiers: HashMap<&'t str, &'t str>,
    direct: Vec<Direct<'t>>,
}

pub(in super::super) fn pnpm_lock(text: &str, findings: &mut Findings) {
    let mut reading = PnpmReading::default();
    for (at, line) in lines(text) {
        let Some((key, value)) = key_and_value(line.trim_start()) else { continue };
        let indent = line.len() - line.trim_start().len();
        while reading.path.last().is_some_and(|(above, _)| *above >= indent) {
            reading.path.pop();
        }
        reading.path.push((indent, key));
        reading.line(at, value, findings);
    }
    reading.finish(findings);
}

impl<'t> PnpmReading<'t> {
    fn line(&mut self, at: usize, value: &'t str, findings: &mut Findings) {
        let keys: Vec<&'t str> = self.path.iter().map(|(_, key)| *key).collect();
        match &keys[..] {
            ["packages", key] => add_locked(at, key, findings),
            ["packages", _, "dev"] if value == "true" => {
                if let Some(last) = findings.last() {
                    last.dev = true;
                }
            }
            ["importers", _, table @ ..] => self.read_importer_line(at, table, value),
            table => self.read_importer_line(at, table, value),
        }
    }

    /// Reads a line about what one package of the workspace requires; `keys` begin with the table.
    fn read_importer_line(&mut self, at: usize, keys: &[&'t str], value: &'t str) {
        match keys {
            ["specifiers"] => self.specifiers.clear(),
            ["specifiers", name] => {
                self.specifiers.insert(name, value);
            }
            [table, name] if TABLES.contains(table) => self.direct.push(Direct {
                at,
                name,
                requirement: self.specifiers.get(name).copied(),
                version: Some(value).filter(|value| !value.is_empty()),
                dev: *table == "devDependencies",
            }),
            [table, _, word] if TABLES.contains(table) => {
                let Some(last) = self.direct.last_mut() else { return };
                match *word {
                    "specifier" => last.requirement = Some(value),
                    "version" => last.version = Some(value),
                    _ => {}
                }
            }
            _ => {}
        }
    }

    fn finish(self, findings: &mut Findings) {
        for direct in self.direct {
            let asked = NpmRequirement::new(direct.name, direct.requirement.unwrap_or(""));
            let version = direct.version.map(without_peers);
            let local = asked.local || version.is_some_and(|version| version.starts_with("link:"));
            let version = version.map(plain_version);
            findings.add(RawDependency {
                at: direct.at,
                version: version.filter(|_| !local),
                dev: direct.dev,
                local,
                origin: Origin::Lock,
                ..asked.to_dependency()
            });
        }
    }
}

/// Adds an entry of `packages`.
fn add_locked(at: usize, key: &str, findings: &mut Findings) {
    let Some((name, version)) = name_and_version(without_peers(key)) else { return };
    findings.add(RawDependency {
        at,
        name: name.into(),
        version: Some(version),
        origin: Origin::Lock,
        ..RawDependency::default()
    });
}

/// Splits `/a/1.0.0`, `/@s/a/1.0.0_peer@2.0.0`, `/a@1.0.0` or `a@1.0.0` into name and version.
fn name_and_version(key: &str) -> Option<(&str, &str)> {
    let plain = key.strip_prefix('/').unwrap_or(key);
    let scope = if plain.starts_with('@') { plain.find('/').map_or(plain.len(), |at| at + 1) } else { 0 };
    match plain[scope..].split_once('/') {
        Some((name, version)) if key.starts_with('/') && !name.contains('@') => {
            Some((&plain[..scope + name.len()], version.split('_').next().unwrap_or(version)))
        }
        _ => split_descriptor(plain).1.map(|version| (split_descriptor(plain).0, version)),
    }
}

/// Returns the version alone: an alias has `/other@1.0.0` or `other@1.0.0`, and peers may follow, `1.0.0_react@18.0.0`.
fn plain_version(text: &str) -> &str {
    match text.starts_with(|c: char| c.is_ascii_digit()) {
        true => text.split('_').next().unwrap_or(text),
        false => name_and_version(text).map_or(text, |(_, version)| version),
    }
}

/// Removes the peers for which a version was built: `1.0.0(react@18.0.0)`.
fn without_peers(text: &str) -> &str {
    text.split('(').next().unwrap_or(text)
}

/// Splits `key: value` or `key:`; the key may be quoted and may have colons.
fn key_and_value(line: &str) -> Option<(&str, &str)> {
    if line.starts_with('#') || line.starts_with("- ") {
        return None;
    }
    let quote = line.chars().next().filter(|c| *c == '\'' || *c == '"');
    let (key, value) = match quote {
        Some(quote) => {
            let (key, rest) = line[1..].split_once(quote)?;
            (key, rest.trim_start().strip_prefix(':')?)
        }
        None => match line.strip_suffix(':') {
            Some(key) => (key, ""),
            None => line.split_once(": ")?,
        },
    };
    Some((key, value.trim().trim_matches(['\'', '"'])))
}
