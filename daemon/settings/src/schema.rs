//! Writes the table of keys as a JSON schema, for editors that complete and check TOML, and as the tables of
//! `docs/settings.md`.

use serde_json::{Map, Value, json};

use super::keys::{self, KEYS, KeyDef, KeyPlaces, MEMORY_PATTERN, OTHER_VARIABLES, ValueKind};

/// Returns the schema of the user's own file, or of a project's.
pub(super) fn settings_schema(of_project: bool) -> Value {
    let mut properties = Map::new();
    let file = if of_project { ".hob.toml" } else { "config.toml" };
    if !of_project {
        properties.extend(keys::of_section("").map(property_schema));
        properties.insert("daemon".into(), table_schema("The daemon. Counts when it starts.", "daemon", &[]));
        let model = table_schema(
            "The language model that hob may ask. Without it hob connects to nobody.",
            "model",
            &["endpoint", "name"],
        );
        properties.insert("model".into(), model);
        let org = table_schema(
            "The code search of your organisation, which in: \"org\" asks. Without it hob asks none.",
            "org",
            &["url"],
        );
        properties.insert("org".into(), org);
    }
    properties.extend(in_projects());
    if !of_project {
        let mut one: Map<String, Value> =
            keys::of_section("").filter(|key| key.at != KeyPlaces::User).map(property_schema).collect();
        one.extend(in_projects());
        let one = json!({"type": "object", "additionalProperties": false, "properties": one});
        let about = "What counts in single projects, by their folder.";
        properties.insert(
            "workspaces".into(),
            json!({"description": about, "type": "object", "propertyNames": {"pattern": "^(~/|/|[A-Za-z]:)"}, "additionalProperties": one}),
        );
    }
    let languages = by_name(served_languages(), "#/definitions/language");
    let servers = by_name(keys::server_names(), "#/definitions/server");
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": format!("hob settings ({file})"),
        "description": "Generated: `hob config schema`. See docs/settings.md.",
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
        "definitions": {
            "languages": languages,
            "servers": servers,
            "language": table_schema("What is wanted for a language.", "languages.*", &[]),
            "server": table_schema("What is wanted of a language server.", "servers.*", &[]),
        },
    })
}

/// Returns the sections that a project's own file may have too.
fn in_projects() -> [(String, Value); 2] {
    ["languages", "servers"].map(|name| (name.to_owned(), json!({"$ref": format!("#/definitions/{name}")})))
}

fn by_name(names: Vec<&'static str>, what: &str) -> Value {
    let each: Map<String, Value> =
        names.into_iter().map(|name| (name.to_owned(), json!({"$ref": what}))).collect();
    json!({"type": "object", "additionalProperties": false, "properties": each})
}

/// Returns the identifiers of all languages that have a server.
pub(super) fn served_languages() -> Vec<&'static str> {
    let files = hob_live::catalogue::all_specs().iter().flat_map(|spec| spec.files);
    let sorted: std::collections::BTreeSet<&str> = files.map(|(_, language)| *language).collect();
    sorted.into_iter().collect()
}

fn table_schema(about: &str, section: &str, required: &[&str]) -> Value {
    let properties: Map<String, Value> = keys::of_section(section).map(property_schema).collect();
    let mut table = json!({"description": about, "type": "object", "additionalProperties": false, "properties": properties});
    if !required.is_empty() {
        table["required"] = json!(required);
        let secret = if section == "org" { ["token_env", "token_file"] } else { ["key_env", "key_file"] };
        table["not"] = json!({"required": secret});
    }
    table
}

fn property_schema(key: &KeyDef) -> (String, Value) {
    let mut property = match key.takes {
        ValueKind::Truth => json!({"type": "boolean"}),
        ValueKind::Number { min, max } => json!({"type": "number", "minimum": min, "maximum": max}),
        ValueKind::Whole { min, max } => json!({"type": "integer", "minimum": min, "maximum": max}),
        ValueKind::Text { pattern, .. } => json!({"type": "string", "pattern": pattern}),
        ValueKind::Memory => json!({"type": "string", "pattern": MEMORY_PATTERN}),
        ValueKind::Filter => json!({"type": "string", "minLength": 1}),
        ValueKind::Texts => json!({"type": "array", "items": {"type": "string"}}),
        ValueKind::Folders => {
            json!({"type": "array", "items": {"type": "string", "pattern": "^(~$|~/|/|[A-Za-z]:)"}})
        }
        ValueKind::Servers => json!({"type": "array", "items": {"enum": keys::server_names()}}),
        ValueKind::Variables => json!({"type": "object", "additionalProperties": {"type": "string"}}),
        ValueKind::Anything => json!({"type": "object"}),
    };
    property["description"] = key.why.into();
    if let Some(default) = key.default_value() {
        property["default"] = default;
    }
    (key.name.to_owned(), property)
}

/// Returns the tables of the documentation page.
pub(super) fn page() -> String {
    let mut out = String::new();
    let mut section = None;
    for key in KEYS {
        if section != Some(key.section) {
            section = Some(key.section);
            let name = match key.section {
                "" => "On top".to_owned(),
                "daemon" | "model" | "org" => format!("`[{}]`", key.section),
                named => format!("`[{}NAME]`", named.trim_end_matches('*')),
            };
            out.push_str(&format!(
                "\n### {name}\n\n| key | takes | such as | default | why |\n|---|---|---|---|---|\n"
            ));
        }
        let such_as = format!("`{}`", key.example);
        let cells =
            [format!("`{}`", key.name), key.takes.in_words(), such_as, default(key), key.why.to_owned()];
        out.push_str(&format!("| {} |\n", cells.map(|cell| cell.replace('|', "\\|")).join(" | ")));
    }
    out.push_str("\n### Environment\n\n| variable | looked at by | says |\n|---|---|---|\n");
    for key in KEYS {
        let Some(variable) = key.variable else { continue };
        let over =
            key.option.map(|option| format!("; the option `{option}` goes before it")).unwrap_or_default();
        let says = if variable.denies { "`1` for `false`, `0` for `true`" } else { "its value" };
        out.push_str(&format!("| `{}` | `hobd` | `{}`: {says}{over} |\n", variable.name, key.path()));
    }
    for (name, who, says) in OTHER_VARIABLES {
        out.push_str(&format!("| `{name}` | {who} | {says} |\n"));
    }
    out
}

fn default(key: &KeyDef) -> String {
    match key.default.strip_prefix('(').and_then(|words| words.strip_suffix(')')) {
        Some(words) => words.to_owned(),
        None => format!("`{}`", key.default),
    }
}
