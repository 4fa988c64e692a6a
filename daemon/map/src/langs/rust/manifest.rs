//! Reads the crates that a `Cargo.toml` describes.
//!
//! Keys: `package` (the package's name), `lib.name`, `lib.path`, `bin.path` (one for each), `member` (one for each
//! pattern of `workspace.members`), `dependency` (`name` or `name=package` when renamed, one for each). The reader
//! knows lines, not TOML: tables, `key = "value"`, inline tables and arrays of strings, which is what manifests are
//! made of.

use crate::facts::FactsBuilder;

/// Reads a `Cargo.toml` into facts, line by line.
pub fn read_cargo_toml(text: &str, facts: &mut FactsBuilder) {
    let mut table = String::new();
    let mut array = String::new();
    for line in text.lines() {
        let line = line.trim();
        if let Some(header) = line.strip_prefix('[').filter(|_| array.is_empty()) {
            table = header.trim_start_matches('[').split(']').next().unwrap_or("").trim().replace('"', "");
            if let Some(name) = named_dependency(&table) {
                record_dependency(name, None, facts);
            }
            continue;
        }
        if !array.is_empty() {
            quoted_strings(line).for_each(|member| facts.add_manifest_pair("member", member));
            if line.contains(']') {
                array.clear();
            }
            continue;
        }
        let Some((key, value)) = line.split_once('=').filter(|_| !line.starts_with('#')) else { continue };
        let (key, value) = (key.trim().trim_matches('"'), value.trim());
        if table == "workspace" && key == "members" {
            quoted_strings(value).for_each(|member| facts.add_manifest_pair("member", member));
            array = if value.contains(']') { String::new() } else { key.to_owned() };
        } else {
            record_pair(&table, key, value, facts);
        }
    }
}

fn record_pair(table: &str, key: &str, value: &str, facts: &mut FactsBuilder) {
    let text = quoted_strings(value).next().unwrap_or("");
    match (table, key) {
        ("package", "name") => facts.add_manifest_pair("package", text),
        ("lib", "name") => facts.add_manifest_pair("lib.name", text),
        ("lib", "path") => facts.add_manifest_pair("lib.path", text),
        ("bin", "path") => facts.add_manifest_pair("bin.path", text),
        _ if is_dependencies(table) => {
            let name = key.split('.').next().unwrap_or(key);
            let renamed = value.split_once("package").and_then(|(_, rest)| quoted_strings(rest).next());
            record_dependency(name, renamed, facts);
        }
        (_, "package") => {
            if let Some(name) = named_dependency(table) {
                record_dependency(name, Some(text), facts);
            }
        }
        _ => {}
    }
}

/// Returns the name in the header of a table `[dependencies.name]`.
fn named_dependency(table: &str) -> Option<&str> {
    let (tables, name) = table.rsplit_once('.')?;
    is_dependencies(tables).then_some(name)
}

fn record_dependency(name: &str, package: Option<&str>, facts: &mut FactsBuilder) {
    match package {
        Some(package) => facts.add_manifest_pair("dependency", &format!("{name}={package}")),
        None => facts.add_manifest_pair("dependency", name),
    }
}

fn is_dependencies(table: &str) -> bool {
    let last = table.rsplit('.').next().unwrap_or(table);
    matches!(last, "dependencies" | "dev-dependencies" | "build-dependencies")
}

/// Yields the quoted strings of a line.
fn quoted_strings(text: &str) -> impl Iterator<Item = &str> {
    let quote = if text.contains('"') { '"' } else { '\'' };
    text.split(quote).skip(1).step_by(2)
}
