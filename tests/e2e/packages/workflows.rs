//! Tests the CI files: they can be parsed, pin what they run, ask for no more permissions than they need, and name only
//! existing things.

use std::collections::BTreeSet;

use hob_tests::{World, outside, repository, run};
use saphyr::{LoadableYamlNode as _, Yaml};

use super::text_of;

const FILES: [&str; 2] = [".github/workflows/ci.yml", ".github/workflows/release.yml"];

/// Collects all values of keys with this name, as text.
fn values(node: &Yaml<'_>, key: &str, found: &mut Vec<String>) {
    if let Some(map) = node.as_mapping() {
        for (name, value) in map {
            if name.as_str() == Some(key)
                && let Some(text) = value.as_str()
            {
                found.push(text.to_owned());
            }
            values(value, key, found);
        }
    }
    for part in node.as_sequence().into_iter().flatten() {
        values(part, key, found);
    }
}

fn found(text: &str, key: &str) -> Vec<String> {
    let documents = Yaml::load_from_str(text).unwrap_or_else(|error| panic!("{error}"));
    let mut all = Vec::new();
    documents.iter().for_each(|document| values(document, key, &mut all));
    all
}

#[test]
fn actions_are_pinned_and_rights_are_few() {
    for file in FILES {
        let text = text_of(file);
        let used = found(&text, "uses");
        assert!(!used.is_empty(), "{file}");
        for action in used {
            let (name, commit) = action.split_once('@').unwrap_or_else(|| panic!("{file}: {action}"));
            let hash = commit.len() == 40 && commit.chars().all(|c| c.is_ascii_hexdigit());
            assert!(hash && name.starts_with("actions/"), "{file}: {action} is not pinned to a commit");
        }
        assert!(
            text.contains("\npermissions:\n  contents: read\n"),
            "{file} begins with no more than reading"
        );
        let writes: Vec<&str> = text.lines().filter(|line| line.contains(": write")).collect();
        let allowed = if file.ends_with("release.yml") { 1 } else { 0 };
        assert_eq!(writes.len(), allowed, "{file}: {writes:?}");
        assert!(!text.contains("pull_request_target") && !text.contains("secrets."), "{file}");
        let keeps = text.matches("persist-credentials: false").count();
        assert_eq!(keeps, text.matches("actions/checkout@").count(), "{file}: no step inherits a token");
        for step in found(&text, "run") {
            let injected = ["github.head_ref", "github.event."].iter().any(|word| step.contains(word));
            assert!(!injected, "{file}: somebody else's text becomes a command: {step}");
        }
    }
}

#[test]
fn commands_name_what_exists() {
    let world = World::new();
    let packages: BTreeSet<String> = packages();
    let mut release = std::process::Command::new(outside::python());
    world.clean(&mut release);
    let known =
        run(release.current_dir(repository()).args(["-B", "packaging/release", "--help"]), b"").success();
    for file in FILES {
        for step in found(&text_of(file), "run") {
            let words: Vec<&str> =
                step.split([' ', '\n', '"', ';', '(', ')']).filter(|word| !word.is_empty()).collect();
            for (at, word) in words.iter().enumerate() {
                let path = ["packaging/", ".ci/"].iter().any(|start| word.starts_with(start));
                assert!(!path || repository().join(word).exists(), "{file}: {word} does not exist");
                let next = words.get(at + 1).copied().unwrap_or_default();
                if ["--exclude", "-p", "--package"].contains(word) {
                    assert!(packages.contains(next), "{file}: {next} is no package of the workspace");
                }
                if *word == "packaging/release" {
                    assert!(known.contains(next), "{file}: `packaging/release {next}`");
                }
            }
        }
    }
}

fn packages() -> BTreeSet<String> {
    let lock = text_of("Cargo.lock");
    lock.lines()
        .filter_map(|line| line.strip_prefix("name = \""))
        .map(|name| name.trim_end_matches('"').to_owned())
        .collect()
}

#[test]
fn the_release_is_built_for_every_platform_that_packages_know() {
    let text = text_of(".github/workflows/release.yml");
    let built: BTreeSet<String> = found(&text, "target").into_iter().collect();
    let facts = text_of("packaging/release/facts.py");
    let (_, table) = facts.split_once("TARGETS = {\n").expect("the table");
    let lines = table.lines().take_while(|line| !line.starts_with('}'));
    let known: BTreeSet<String> =
        lines.filter_map(|line| line.split('"').nth(1)).map(str::to_owned).collect();
    assert_eq!(built, known);
    let npm: serde_json::Value = serde_json::from_str(&text_of("packaging/npm/package.json")).expect("JSON");
    assert_eq!(npm["optionalDependencies"].as_object().map(serde_json::Map::len), Some(known.len()));
}
