//! Reads what `tsconfig.json` (or `jsconfig.json`) and `package.json` state about imports, as pairs of facts.
//!
//! | file | key | value |
//! |---|---|---|
//! | tsconfig | `extends` | another configuration, as written; once for each |
//! | tsconfig | `references` | a project that belongs to this one, as written; once for each |
//! | tsconfig | `baseUrl`, `rootDir`, `outDir` | a folder, as written |
//! | tsconfig | `rootDirs` | a folder that is one with the others, as written; once for each |
//! | tsconfig | `paths:PATTERN` | a target, as written; once for each, in order of preference |
//! | package | `name` | the name it is published by |
//! | package | `types`, `module`, `main`, `source` | the entry file |
//! | package | `exports:SUBPATH` | a target for the subpath (`.`, `./x`, `./*`); once for each, types first |
//! | package | `imports:#NAME` | a target for the inner name; likewise |

use serde_json::Value;

use super::json;
use crate::facts::FactsBuilder;

/// Most nested conditions that are read.
const DEPTH: usize = 6;
/// Conditions under which a target is likely to lead to sources, best first; others come after them.
const CONDITIONS: [&str; 7] = ["source", "types", "typings", "import", "module", "default", "require"];

/// Reads a `tsconfig.json` or `jsconfig.json`; see the table above.
pub fn read_tsconfig(text: &str, facts: &mut FactsBuilder) {
    let Some(config) = json::parse(text) else { return };
    match &config["extends"] {
        Value::String(base) => facts.add_manifest_pair("extends", base),
        Value::Array(bases) => {
            bases.iter().filter_map(Value::as_str).for_each(|base| facts.add_manifest_pair("extends", base));
        }
        _ => {}
    }
    let references = config["references"].as_array().into_iter().flatten();
    for path in references.filter_map(|reference| reference["path"].as_str()) {
        facts.add_manifest_pair("references", path);
    }
    let options = &config["compilerOptions"];
    for key in ["baseUrl", "rootDir", "outDir"] {
        if let Some(value) = options[key].as_str() {
            facts.add_manifest_pair(key, value);
        }
    }
    let roots = options["rootDirs"].as_array().into_iter().flatten();
    roots.filter_map(Value::as_str).for_each(|root| facts.add_manifest_pair("rootDirs", root));
    let Some(paths) = options["paths"].as_object() else { return };
    for (pattern, targets) in paths {
        for target in targets.as_array().into_iter().flatten().filter_map(Value::as_str) {
            facts.add_manifest_pair(&format!("paths:{pattern}"), target);
        }
    }
}

/// Reads a `package.json`; see the table above.
pub fn package_json(text: &str, facts: &mut FactsBuilder) {
    let Some(package) = json::parse(text) else { return };
    if let Some(name) = package["name"].as_str() {
        facts.add_manifest_pair("name", name);
    }
    let entries = [
        ("source", "source"),
        ("types", "types"),
        ("typings", "types"),
        ("module", "module"),
        ("main", "main"),
    ];
    for (key, as_key) in entries {
        if let Some(value) = package[key].as_str() {
            facts.add_manifest_pair(as_key, value);
        }
    }
    match &package["exports"] {
        Value::Object(map) if map.keys().any(|key| key.starts_with('.')) => {
            map.iter().for_each(|(subpath, target)| {
                record_targets(&format!("exports:{subpath}"), target, DEPTH, facts);
            });
        }
        Value::Null => {}
        target => record_targets("exports:.", target, DEPTH, facts),
    }
    if let Some(map) = package["imports"].as_object() {
        map.iter()
            .for_each(|(name, target)| record_targets(&format!("imports:{name}"), target, DEPTH, facts));
    }
}

/// Records every target below `value`, the likeliest first.
fn record_targets(key: &str, value: &Value, depth: usize, facts: &mut FactsBuilder) {
    match value {
        _ if depth == 0 => {}
        Value::String(target) => facts.add_manifest_pair(key, target),
        Value::Array(list) => list.iter().for_each(|value| record_targets(key, value, depth - 1, facts)),
        Value::Object(map) => {
            for value in CONDITIONS.iter().filter_map(|condition| map.get(*condition)) {
                record_targets(key, value, depth - 1, facts);
            }
            for (_, value) in map.iter().filter(|(name, _)| !CONDITIONS.contains(&name.as_str())) {
                record_targets(key, value, depth - 1, facts);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::FileFacts;

    fn manifest_pairs(name: &str, text: &str) -> Vec<String> {
        let facts: FileFacts = crate::langs::detect::manifest_facts(name, text.as_bytes());
        facts.manifest.iter().map(|(k, v)| format!("{} = {}", facts.name(*k), facts.name(*v))).collect()
    }

    #[test]
    fn tsconfig_with_comments() {
        let text = r#"{ // base
            "extends": ["./a.json", "@b/c"],
            "compilerOptions": { "baseUrl": ".", "paths": { "@/*": ["src/*", "gen/*"], } },
        }"#;
        let expected =
            ["extends = ./a.json", "extends = @b/c", "baseUrl = .", "paths:@/* = src/*", "paths:@/* = gen/*"];
        assert_eq!(manifest_pairs("tsconfig.json", text), expected);
    }

    #[test]
    fn package_entries_and_conditions() {
        let text = r##"{ "name": "@s/p", "main": "dist/i.js", "typings": "dist/i.d.ts",
            "exports": { ".": { "require": "./r.cjs", "types": "./t.d.ts", "node": { "import": "./n.js" } }, "./x/*": "./src/x/*.ts" },
            "imports": { "#in": ["./in.js"] } }"##;
        let expected = [
            "name = @s/p",
            "types = dist/i.d.ts",
            "main = dist/i.js",
            "exports:. = ./t.d.ts",
            "exports:. = ./r.cjs",
            "exports:. = ./n.js",
            "exports:./x/* = ./src/x/*.ts",
            "imports:#in = ./in.js",
        ];
        assert_eq!(manifest_pairs("package.json", text), expected);
    }

    #[test]
    fn broken_files_say_nothing() {
        for text in
            ["", "{", "[]", "3", "{\"exports\": {\"a\": {}}}", "{\"compilerOptions\": 1, \"extends\": 2}"]
        {
            assert!(
                manifest_pairs("tsconfig.json", text).is_empty()
                    && manifest_pairs("package.json", text).is_empty(),
                "{text}"
            );
        }
    }
}
