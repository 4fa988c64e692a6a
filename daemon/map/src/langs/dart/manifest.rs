//! Reads the name of a package from its `pubspec.yaml`.
//!
//! Key: `name`. The name stands on a line of its own at the margin, so no YAML parser is needed.

use crate::facts::FactsBuilder;

/// Reads the package's name into facts.
pub(super) fn read_pubspec(text: &str, facts: &mut FactsBuilder) {
    let name = text.lines().find_map(|line| line.strip_prefix("name:"));
    let name = name.map_or("", |name| name.split(" #").next().unwrap_or(name).trim());
    let name = name.trim_matches(['"', '\'']);
    if !name.is_empty() {
        facts.add_manifest_pair("name", name);
    }
}
