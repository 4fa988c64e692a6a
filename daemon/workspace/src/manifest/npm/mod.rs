//! Reads JavaScript's `package.json`, and the lock files of npm, Yarn and pnpm.

mod package_lock;
mod pnpm;
mod yarn;

pub(super) use package_lock::package_lock;
pub(super) use pnpm::pnpm_lock;
pub(super) use yarn::yarn_lock;

use super::file::{Findings, RawDependency};
use super::json;

/// The tables of dependencies, and whether they are for development.
const TABLES: [(&str, bool); 4] = [
    ("dependencies", false),
    ("devDependencies", true),
    ("peerDependencies", false),
    ("optionalDependencies", false),
];

/// Prefixes of requirements that mean a folder of this machine.
const LOCAL: [&str; 4] = ["workspace:", "file:", "link:", "portal:"];

pub(super) fn package_json(text: &str, findings: &mut Findings) {
    let package = json::parse(text);
    for (table, dev) in TABLES {
        for member in package.members_of(table) {
            let asked = NpmRequirement::new(&member.key, member.value.text().unwrap_or(""));
            findings.add(RawDependency { at: member.at, dev, ..asked.to_dependency() });
        }
    }
}

/// A name with its requirement, an alias resolved.
struct NpmRequirement<'t> {
    name: &'t str,
    alias: Option<&'t str>,
    requirement: &'t str,
    local: bool,
}

impl<'t> NpmRequirement<'t> {
    /// Resolves an alias: `name` is the project's name, `requirement` is as written: `^1.0`, `npm:other@^1.0`,
    /// `workspace:*`.
    fn new(name: &'t str, requirement: &'t str) -> Self {
        let local = LOCAL.iter().any(|scheme| requirement.starts_with(scheme));
        match requirement.strip_prefix("npm:") {
            Some(other) => match split_descriptor(other) {
                (real, Some(requirement)) => Self { name: real, alias: Some(name), requirement, local },
                // Yarn writes `npm:` before every range of the registry; a name alone is an alias for any version.
                (range, None) if is_range(range) => Self { name, alias: None, requirement: range, local },
                (real, None) => Self { name: real, alias: Some(name), requirement: "", local },
            },
            None => Self { name, alias: None, requirement, local },
        }
    }

    fn to_dependency(&self) -> RawDependency<'t> {
        RawDependency {
            name: self.name.into(),
            alias: self.alias,
            requirement: Some(self.requirement),
            local: self.local,
            ..RawDependency::default()
        }
    }
}

fn is_range(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit() || "^~<>=*v".contains(c)) || text == "latest"
}

/// Splits `@scope/name@rest` into name and rest.
fn split_descriptor(text: &str) -> (&str, Option<&str>) {
    let from = usize::from(text.starts_with('@'));
    match text[from..].find('@') {
        Some(at) => (&text[..from + at], Some(&text[from + at + 1..])),
        None => (text, None),
    }
}
