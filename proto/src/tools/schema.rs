//! Makes JSON schemas from a [`ToolDef`].
//!
//! Input schemas are flat objects without `oneOf`, `anyOf` or `allOf`, because several model APIs refuse
//! those, and short, because every conversation pays for each of their tokens.

use serde_json::{Map, Value, json};

use super::notation;
use super::{ArgDef, ArgType, Default, ToolDef};

/// Returns the schema of a tool's arguments.
#[must_use]
pub fn input_schema(tool: &ToolDef) -> Map<String, Value> {
    let mut properties = Map::new();
    let mut required = Vec::new();
    // Every conversation would pay for each of these, and `offset` gets the next page.
    for arg in tool.all_args().filter(|arg| !super::same_name(arg.name, "tokenBudget")) {
        properties.insert(arg.name.to_owned(), Value::Object(property_schema(arg)));
        if matches!(arg.default, Default::Required | Default::Expected) {
            required.push(Value::from(arg.name));
        }
    }
    let mut schema = Map::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), properties.into());
    if !required.is_empty() {
        schema.insert("required".into(), required.into());
    }
    schema
}

fn property_schema(arg: &ArgDef) -> Map<String, Value> {
    let mut out = Map::new();
    let mut set = |key: &str, value: Value| drop(out.insert(key.to_owned(), value));
    match arg.ty {
        ArgType::Str { .. } => set("type", "string".into()),
        ArgType::Int { .. } | ArgType::IntOrAll { .. } => set("type", "integer".into()),
        ArgType::Bool => set("type", "boolean".into()),
        ArgType::Object => set("type", "object".into()),
        ArgType::Enum(words) => {
            set("type", "string".into());
            set("enum", json!(words));
        }
        ArgType::StrList => {
            set("type", "array".into());
            set("items", json!({"type": "string"}));
        }
        ArgType::EnumList(words) => {
            set("type", "array".into());
            set("items", json!({"type": "string", "enum": words}));
        }
    }
    set("description", arg.description.into());
    match arg.default {
        // These are the defaults that everybody expects.
        Default::Int(0) | Default::Bool(false) => {}
        Default::Int(n) => set("default", n.into()),
        Default::Str(s) => set("default", s.into()),
        Default::Bool(b) => set("default", b.into()),
        _ => {}
    }
    out
}

/// Returns the schema of the whole envelope around a tool's result.
///
/// # Panics
/// Never: a test reads every tool's notation.
#[must_use]
pub fn output_schema(tool: &ToolDef) -> Map<String, Value> {
    let data = notation::parse(tool.output).unwrap_or_else(|_| json!({"type": "object"}));
    let envelope = json!({
        "type": "object",
        "properties": {
            "ok": {"type": "boolean"},
            "data": data,
            "error": {
                "type": "object",
                "properties": {"code": {"type": "string"}, "message": {"type": "string"}, "hint": {"type": "string"}},
                "required": ["code", "message"],
            },
            "tokenBudget": {
                "type": "object",
                "properties": {"requested": {"type": "integer"}, "used": {"type": "integer"}, "max": {"type": "integer"}},
                "required": ["requested", "used", "max"],
            },
            "truncated": {"type": "boolean"},
            "dropped": {
                "type": "object",
                "properties": {"kind": {"type": "string"}, "count": {"type": "integer"}, "note": {"type": "string"}},
            },
            "warnings": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["ok", "tokenBudget", "truncated", "warnings"],
    });
    match envelope {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// Returns a tool as MCP's `tools/list` shows it, without an output schema. The protocol asks only writing
/// tools whether they destroy data, and whether a call may be repeated.
#[must_use]
pub fn tool_listing(tool: &ToolDef) -> Value {
    let mut annotations = json!({"readOnlyHint": tool.read_only});
    if !tool.read_only {
        annotations["destructiveHint"] = tool.destructive.into();
        annotations["idempotentHint"] = tool.idempotent.into();
    }
    annotations["openWorldHint"] = false.into();
    json!({
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": input_schema(tool),
        "annotations": annotations,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::TOOLS;

    #[test]
    fn schemas_are_flat_and_described() {
        for tool in TOOLS {
            let schema = input_schema(tool);
            assert_eq!(schema["type"], "object");
            assert!(["oneOf", "anyOf", "allOf"].iter().all(|key| !schema.contains_key(*key)));
            for (name, property) in schema["properties"].as_object().expect("properties") {
                assert!(
                    property["description"].as_str().is_some_and(|d| !d.is_empty()),
                    "{}.{name}",
                    tool.name
                );
            }
        }
    }

    #[test]
    fn every_output_notation_is_read() {
        for tool in TOOLS {
            let schema = notation::parse(tool.output).unwrap_or_else(|e| panic!("{}: {e}", tool.name));
            assert_eq!(schema["type"], "object", "{}", tool.name);
        }
    }
}
