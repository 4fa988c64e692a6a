//! Reads the facts of a `go.mod`.
//!
//! Keys: `module` (the module's path), `replace` (`old=./folder`, for replacements by a folder), `require` (the paths
//! of required modules).

use crate::facts::FactsBuilder;

/// Reads a `go.mod` into facts, line by line.
pub fn read_go_mod(text: &str, facts: &mut FactsBuilder) {
    let mut block = "";
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or(line).trim();
        if line == ")" {
            block = "";
            continue;
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        if rest.trim() == "(" {
            block = word;
        } else if block.is_empty() {
            record_directive(word, rest.trim(), facts);
        } else {
            record_directive(block, line, facts);
        }
    }
}

fn record_directive(word: &str, rest: &str, facts: &mut FactsBuilder) {
    let first = rest.split_whitespace().next().unwrap_or("").trim_matches('"');
    match word {
        _ if first.is_empty() => {}
        "module" => facts.add_manifest_pair("module", first),
        "require" => facts.add_manifest_pair("require", first),
        "replace" => {
            let target = rest.split_once("=>").map_or("", |(_, target)| target.trim());
            let folder = target.split_whitespace().next().unwrap_or("").trim_matches('"');
            if folder.starts_with('.') {
                facts.add_manifest_pair("replace", &format!("{first}={folder}"));
            }
        }
        _ => {}
    }
}
