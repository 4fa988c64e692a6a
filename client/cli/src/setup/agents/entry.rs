//! The entry that starts hob, and each client's notation for it.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// A program with its arguments and additions to its environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AgentEntry {
    pub(crate) command: String,
    pub(crate) args: Vec<String>,
    pub(crate) env: BTreeMap<String, String>,
}

/// A client's notation of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryShape {
    /// `command`, `args`, `env`: most have this.
    Plain,
    /// As `Plain`, with `"type": "stdio"`.
    Stdio,
    /// As `Plain`, with `"type": "local"` and the list of allowed tools.
    Copilot,
    /// `"type": "local"`, and one list for the program and its arguments.
    OpenCode,
    /// The notation of Goose's extensions.
    Goose,
}

impl AgentEntry {
    /// Writes the entry in the client's notation.
    pub(crate) fn to_client_value(&self, shape: EntryShape, name: &str) -> Value {
        let mut map = Map::new();
        let mut set = |name: &str, value: Value| drop(map.insert(name.to_owned(), value));
        match shape {
            EntryShape::Plain => {}
            EntryShape::Stdio => set("type", "stdio".into()),
            EntryShape::Copilot => {
                set("type", "local".into());
                set("tools", json!(["*"]));
            }
            EntryShape::OpenCode => {
                let all: Vec<&String> = [&self.command].into_iter().chain(&self.args).collect();
                set("type", "local".into());
                set("command", json!(all));
                set("enabled", true.into());
            }
            EntryShape::Goose => {
                set("enabled", true.into());
                set("type", "stdio".into());
                set("name", name.into());
                set("cmd", self.command.clone().into());
                set("args", json!(self.args));
                set("timeout", 300.into());
            }
        }
        if matches!(shape, EntryShape::Plain | EntryShape::Stdio | EntryShape::Copilot) {
            set("command", self.command.clone().into());
            set("args", json!(self.args));
        }
        if !self.env.is_empty() {
            set(env_word(shape), json!(self.env));
        }
        map.into()
    }

    /// Reads the program that a client would start for `value`; `None` if it starts no program, as for a remote server.
    pub(crate) fn read(value: &Value, shape: EntryShape) -> Option<Self> {
        let texts = |value: &Value| -> Option<Vec<String>> {
            value.as_array()?.iter().map(|item| item.as_str().map(str::to_owned)).collect()
        };
        let args = |value: Option<&Value>| value.map_or(Some(Vec::new()), texts);
        let (command, args) = match shape {
            EntryShape::OpenCode => {
                let mut all = texts(value.get("command")?)?.into_iter();
                (all.next()?, all.collect())
            }
            EntryShape::Goose => (value.get("cmd")?.as_str()?.to_owned(), args(value.get("args"))?),
            _ => (value.get("command")?.as_str()?.to_owned(), args(value.get("args"))?),
        };
        let pairs = value.get(env_word(shape)).and_then(Value::as_object).into_iter().flatten();
        let env =
            pairs.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect();
        Some(Self { command, args, env })
    }
}

fn env_word(shape: EntryShape) -> &'static str {
    match shape {
        EntryShape::OpenCode => "environment",
        EntryShape::Goose => "envs",
        _ => "env",
    }
}
