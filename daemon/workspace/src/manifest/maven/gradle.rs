//! Reads Gradle's dependencies as far as that is possible without running it: `configuration "group:artifact:version"`
//! in a build file, the table of libraries in a version catalogue, and `gradle.lockfile`.
//!
//! A build file is a program. The reader takes lines that state a dependency plainly, and ignores dependencies that the
//! program composes.

use std::borrow::Cow;

use ::toml::de::{DeTable, DeValue};

use super::super::Origin;
use super::super::file::{Findings, RawDependency, lines};
use super::super::toml::{entries, table_at, text, with_document};

/// Endings of the names of configurations: `implementation`, `testImplementation`, `debugApi`.
const CONFIGURATIONS: [&str; 9] = [
    "implementation",
    "api",
    "compileonly",
    "runtimeonly",
    "annotationprocessor",
    "kapt",
    "ksp",
    "compile",
    "classpath",
];

pub(in super::super) fn read_build_file(text: &str, findings: &mut Findings) {
    for (at, line) in lines(text) {
        let words = line.trim_start();
        let end = words.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(words.len());
        let configuration = words[..end].to_lowercase();
        if !CONFIGURATIONS.iter().any(|name| configuration.ends_with(name)) {
            continue;
        }
        let dev = configuration.starts_with("test") || configuration.starts_with("androidtest");
        let rest = words[end..].split("//").next().unwrap_or("");
        let strings: Vec<&str> = quoted_strings(rest).collect();
        let named = if rest.contains("group") {
            join_coordinates(&strings)
        } else {
            strings.first().copied().and_then(parse_coordinates)
        };
        let Some((name, version)) = named else { continue };
        let literal = version.filter(|version| !version.contains(['$', '+', '[']));
        findings.add(RawDependency {
            at,
            name,
            requirement: version,
            version: literal,
            dev,
            ..RawDependency::default()
        });
    }
}

/// A name and, if the file states it, a version.
type GradleCoordinates<'t> = (Cow<'t, str>, Option<&'t str>);

/// Reads `group:artifact` or `group:artifact:version`; `:classifier` and `@type` may follow.
fn parse_coordinates(text: &str) -> Option<GradleCoordinates<'_>> {
    let text = text.split('@').next().unwrap_or(text);
    let mut parts = text.split(':');
    let (group, artifact) = (parts.next()?, parts.next()?);
    let plain = |part: &str| !part.is_empty() && !part.contains(['$', ' ', '/']);
    if !plain(group) || !plain(artifact) {
        return None;
    }
    let name = &text[..group.len() + 1 + artifact.len()];
    Some((name.into(), parts.next().filter(|version| !version.is_empty())))
}

/// Reads `group: "g", name: "a", version: "v"` from its strings, in this order.
fn join_coordinates<'t>(strings: &[&'t str]) -> Option<GradleCoordinates<'t>> {
    let [group, artifact, version @ ..] = strings else { return None };
    Some((format!("{group}:{artifact}").into(), version.first().copied()))
}

/// Returns the quoted strings of a line.
fn quoted_strings(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        let start = rest.find(['"', '\''])?;
        let quote = char::from(rest.as_bytes()[start]);
        let (text, after) = rest[start + 1..].split_once(quote)?;
        rest = after;
        Some(text)
    })
}

pub(in super::super) fn gradle_lock(text: &str, findings: &mut Findings) {
    for (at, line) in lines(text) {
        let Some((locked, configurations)) = line.split_once('=') else { continue };
        let Some((name, Some(version))) = parse_coordinates(locked.trim()).filter(|_| !line.starts_with('#'))
        else {
            continue;
        };
        let dev = configurations.split(',').all(|name| name.trim().starts_with("test"));
        findings.add(RawDependency {
            at,
            name,
            version: Some(version),
            dev,
            origin: Origin::Lock,
            ..RawDependency::default()
        });
    }
}

pub(in super::super) fn read_catalogue(source: &str, findings: &mut Findings) {
    with_document(source, |document| {
        for (at, alias, library) in entries(document, &["libraries"]) {
            let Some((name, asked)) = library_of(document, library) else { continue };
            let version = asked.filter(|asked| !asked.contains(['+', '[', '(']));
            findings.add(RawDependency {
                at,
                name,
                alias: Some(alias),
                requirement: asked,
                version,
                ..RawDependency::default()
            });
        }
    });
}

/// Reads `"g:a:v"`, `{ module = "g:a", version = "v" }` or `{ group = "g", name = "a", version.ref = "key" }`.
fn library_of<'d>(document: &'d DeTable<'_>, library: &'d DeValue<'_>) -> Option<GradleCoordinates<'d>> {
    if let Some(text) = library.as_str() {
        return parse_coordinates(text);
    }
    let library = library.as_table()?;
    let own = text(library, "version");
    let named = table_at(library, &["version"]).and_then(|version| text(version, "ref"));
    let shared = named.and_then(|key| text(table_at(document, &["versions"])?, key));
    let name = match text(library, "module") {
        Some(module) => module.into(),
        None => format!("{}:{}", text(library, "group")?, text(library, "name")?).into(),
    };
    Some((name, own.or(shared)))
}
