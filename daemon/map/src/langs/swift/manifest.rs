//! Reads the folders that are modules from a `Package.swift`.
//!
//! A manifest is a program; the reader takes what nearly all of them write as text: `.target(name: "X", path: "Y")` and
//! the like. Keys: `target` (`name=folder`; without a `path` one pair for each folder that SwiftPM looks in) and
//! `target.name`.

use crate::facts::FactsBuilder;

/// Longest text of one call that is read, in bytes.
const CALL_LIMIT: usize = 20_000;

/// The declarations that make modules, and the folders that these lie in by default.
const TARGETS: &[(&str, &[&str])] = &[
    (".target(", &["Sources", "Source", "src", "srcs"]),
    (".executableTarget(", &["Sources", "Source", "src", "srcs"]),
    (".macro(", &["Sources", "Source", "src", "srcs"]),
    (".plugin(", &["Plugins"]),
    (".testTarget(", &["Tests", "Sources", "Source", "src", "srcs"]),
];

/// Reads the targets of a `Package.swift` into facts.
pub fn read_package_swift(text: &str, facts: &mut FactsBuilder) {
    let code: String = text.lines().map(without_comment).collect::<Vec<_>>().join("\n");
    for (opening, folders) in TARGETS {
        for (at, _) in code.match_indices(opening) {
            let call = arguments_text(&code[at + opening.len()..]);
            // `.target(name: "X")` among dependencies names a target, too: the same one, so nothing is lost.
            let Some(name) = labelled_argument(call, "name:") else { continue };
            facts.add_manifest_pair("target.name", name);
            match labelled_argument(call, "path:") {
                Some(path) => facts.add_manifest_pair("target", &format!("{name}={path}")),
                None => {
                    for folder in *folders {
                        facts.add_manifest_pair("target", &format!("{name}={folder}/{name}"));
                    }
                }
            }
        }
    }
}

fn without_comment(line: &str) -> &str {
    match line.find("//") {
        Some(at) if !line[..at].ends_with(':') => &line[..at],
        _ => line,
    }
}

/// Returns the text up to the bracket that closes the call.
fn arguments_text(text: &str) -> &str {
    let mut depth = 1;
    for (at, byte) in text.bytes().enumerate().take(CALL_LIMIT) {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[..at];
        }
    }
    ""
}

/// Returns the string that a label of the call itself, not of an inner one, has.
fn labelled_argument<'c>(call: &'c str, label: &str) -> Option<&'c str> {
    let mut depth = 0;
    for (at, byte) in call.bytes().enumerate() {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            _ if depth == 0 && call[at..].starts_with(label) => {
                let value = call[at + label.len()..].trim_start().strip_prefix('"')?;
                return value.split_once('"').map(|(value, _)| value).filter(|value| !value.is_empty());
            }
            _ => {}
        }
    }
    None
}
