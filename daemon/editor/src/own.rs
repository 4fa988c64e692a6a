//! Serves hob's own requests for editor plug-ins: tools under method names of the protocol.
//!
//! Their parameters are the tool's arguments, so that nobody has to learn them twice. But an editor knows the place of
//! its cursor and not a node's name, so the protocol's `textDocument` and `position` may stand for either. No model
//! reads an editor's answer: without a `tokenBudget` the answer may be as long as the tool's largest.

use std::sync::Arc;

use hob_base::{CancelToken, WsPath};
use hob_map::graph::NodeRef;
use hob_proto::tools::{self, check_args, same_name};
use serde_json::{Map, Value, json};

use super::fallback::{MapQuestion, node_ids};
use hob_host::{Phase, Workspace};

/// A tool call made from an editor's request.
#[derive(Debug, PartialEq)]
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) args: Map<String, Value>,
}

/// A document that a request names.
pub(crate) struct ToolDocument {
    pub(crate) workspace: Arc<Workspace>,
    pub(crate) path: WsPath,
    /// Its text as the editor has it; `None` if it is not open.
    pub(crate) text: Option<Arc<str>>,
}

/// The context of a request: the editor's documents and the cancel token.
pub(crate) struct ToolContext<'a> {
    /// Finds a document by its URI; `None` if it lies in no folder that the editor has open.
    pub(crate) find: &'a dyn Fn(&str) -> Option<ToolDocument>,
    /// The token that ends the work.
    pub(crate) cancel: &'a CancelToken,
}

/// The arguments of a tool for which a document and a position may stand.
#[derive(Clone, Copy)]
enum PlaceArguments {
    /// None: the tool asks about no place.
    Nothing,
    /// This argument, which is the node at the place.
    Node(&'static str),
    /// `file`, `line` and `col`.
    Place,
}

struct OwnRequest {
    method: &'static str,
    tool: &'static str,
    place: PlaceArguments,
}

const OWN: &[OwnRequest] = &[
    OwnRequest { method: "hob/flowTrace", tool: "flow_trace", place: PlaceArguments::Node("symbol") },
    OwnRequest { method: "hob/impact", tool: "impact", place: PlaceArguments::Node("symbol") },
    OwnRequest { method: "hob/neighbors", tool: "map_neighbors", place: PlaceArguments::Node("nodeId") },
    OwnRequest { method: "hob/regexSearch", tool: "regex_search", place: PlaceArguments::Nothing },
    OwnRequest { method: "hob/resolve", tool: "resolve", place: PlaceArguments::Place },
    OwnRequest { method: "hob/status", tool: "map_status", place: PlaceArguments::Nothing },
    OwnRequest { method: "hob/textSearch", tool: "text_search", place: PlaceArguments::Nothing },
];

/// Returns true if a request is one of hob's own.
pub(crate) fn is_own(method: &str) -> bool {
    OWN.iter().any(|own| own.method == method)
}

/// Converts a request of hob's own into a tool call; `None` if it is another request. May read files and wait for the
/// map, so only blocking threads may call it.
///
/// # Errors
/// A message for `InvalidParams`: the argument, what was expected, what to do.
pub(crate) fn tool_of(
    method: &str,
    params: &Value,
    asking: &ToolContext<'_>,
) -> Option<Result<Tool, String>> {
    OWN.iter().find(|own| own.method == method).map(|own| own.call(params, asking))
}

impl OwnRequest {
    fn call(&self, params: &Value, asking: &ToolContext<'_>) -> Result<Tool, String> {
        let mut args = tool_arguments(params)?;
        if !matches!(self.place, PlaceArguments::Nothing) {
            self.put_place(&mut args, asking)?;
        }
        let tool =
            tools::find(self.tool).ok_or_else(|| format!("`{}` is no tool of this build", self.tool))?;
        check_args(tool, &args).map_err(|error| self.in_words(&error.message, &error.hint))?;
        if !has_argument(&args, "tokenBudget") {
            args.insert("tokenBudget".to_owned(), tool.max_budget.into());
        }
        Ok(Tool { name: tool.name, args })
    }

    fn in_words(&self, message: &str, hint: &str) -> String {
        let instead = match self.place {
            PlaceArguments::Nothing => "",
            _ => " `textDocument` and `position` may stand for the place.",
        };
        let hint = hint.trim_end_matches('.');
        format!("{}: {}. {hint}.{instead}", self.method, message.trim_end_matches('.'))
    }

    /// Replaces the protocol's parameters by the tool's arguments.
    fn put_place(&self, args: &mut Map<String, Value>, asking: &ToolContext<'_>) -> Result<(), String> {
        let mut take = |name: &str| args.remove(name).filter(|value| !value.is_null());
        let (document, position) = (take("textDocument"), take("position"));
        let Some(document) = document else {
            let alone = "`position` is given without `textDocument`. Pass both, or neither.";
            return if position.is_none() { Ok(()) } else { Err(format!("{}: {alone}", self.method)) };
        };
        if let Some(twice) = self.own_words().iter().find(|name| has_argument(args, name)) {
            return Err(format!(
                "{}: `{twice}` and `textDocument` both say what is asked about. Pass one of them.",
                self.method
            ));
        }
        let found = self.named_document(&document, asking)?;
        let at = position.map(|position| self.place_in(&position)).transpose()?;
        match self.place {
            PlaceArguments::Nothing => {}
            PlaceArguments::Node(name) => {
                let id = self.node_at(&found, at, asking.cancel)?;
                args.insert(name.to_owned(), id.into());
            }
            PlaceArguments::Place => {
                let (line, col) = at.ok_or_else(|| self.bad_position())?;
                args.insert("file".to_owned(), found.path.as_str().into());
                args.insert("line".to_owned(), (line + 1).into());
                args.insert("col".to_owned(), (col + 1).into());
            }
        }
        if !has_argument(args, "root") {
            args.insert("root".to_owned(), found.workspace.root().to_string().into());
        }
        Ok(())
    }

    /// Returns the document that `textDocument` names.
    fn named_document(&self, named: &Value, asking: &ToolContext<'_>) -> Result<ToolDocument, String> {
        let Some(uri) = named.get("uri").and_then(Value::as_str) else {
            return Err(format!(
                "{}: `textDocument` must be an object with `uri`, a string. Pass the document's URI.",
                self.method
            ));
        };
        (asking.find)(uri).ok_or_else(|| {
            format!(
                "{}: `textDocument.uri` is `{uri}`, which lies in no folder that is open. Open the project's folder, or pass the \
                 tool's own arguments.",
                self.method
            )
        })
    }

    /// Returns the tool's own arguments for a place.
    fn own_words(&self) -> &'static [&'static str] {
        match self.place {
            PlaceArguments::Nothing => &[],
            PlaceArguments::Node("nodeId") => &["nodeId"],
            PlaceArguments::Node(_) => &["symbol"],
            PlaceArguments::Place => &["nodeId", "file", "line", "col", "subject"],
        }
    }

    fn bad_position(&self) -> String {
        format!(
            "{}: `position` must be an object with `line` and `character`, integers from 0. Pass the cursor's position.",
            self.method
        )
    }

    fn place_in(&self, position: &Value) -> Result<(u32, u32), String> {
        let figure = |name: &str| position.get(name)?.as_u64().and_then(|n| u32::try_from(n).ok());
        let place = figure("line").zip(figure("character"));
        // Tools count from 1.
        place.filter(|(line, col)| line.max(col) < &u32::MAX).ok_or_else(|| self.bad_position())
    }

    /// Returns the node that the name at a place means; without a place, the file's node.
    fn node_at(
        &self,
        document: &ToolDocument,
        at: Option<(u32, u32)>,
        cancel: &CancelToken,
    ) -> Result<String, String> {
        let ids = match at {
            None => file_id(document).into_iter().collect(),
            Some((line, character)) => node_ids(&MapQuestion {
                workspace: &document.workspace,
                path: Some(&document.path),
                text: document.text.as_deref(),
                params: &json!({"position": {"line": line, "character": character}}),
                cancel,
            }),
        };
        match &ids[..] {
            [one] => Ok(one.clone()),
            [] if document.workspace.progress.now().phase != Phase::Done => Err(format!(
                "{}: the map is still being built and has nothing at `position` yet. Ask again in a moment.",
                self.method
            )),
            [] => Err(format!(
                "{}: the map has nothing at `position` in `{}`. Put it on a name or into a definition that is saved, or pass a \
                 node ID.",
                self.method, document.path
            )),
            several => Err(format!(
                "{}: the name at `position` may mean any of {}. Pass one of them instead of `textDocument`.",
                self.method,
                several.join(", ")
            )),
        }
    }
}

fn file_id(document: &ToolDocument) -> Option<String> {
    let map = document.workspace.map();
    map.file_at(document.path.as_str()).map(|file| map.id(NodeRef::File(file)).to_string())
}

/// Returns the parameters without those that belong to the protocol alone.
fn tool_arguments(params: &Value) -> Result<Map<String, Value>, String> {
    let mut args = match params {
        Value::Object(args) => args.clone(),
        Value::Null => Map::new(),
        _ => {
            return Err("`params` must be an object with the tool's arguments. Pass them by name.".to_owned());
        }
    };
    for token in ["workDoneToken", "partialResultToken"] {
        args.remove(token);
    }
    Ok(args)
}

fn has_argument(args: &Map<String, Value>, name: &str) -> bool {
    args.iter().any(|(given, value)| same_name(given, name) && !value.is_null())
}

#[cfg(test)]
mod tests {
    use super::super::fallback::testing::TestProject;
    use super::*;

    #[test]
    fn every_request_is_a_tool() {
        for own in OWN {
            assert!(tools::find(own.tool).is_some(), "{}", own.method);
            assert!(is_own(own.method));
        }
        assert!(!is_own("hob/") && !is_own("textDocument/hover"));
    }

    fn tool_of_nowhere(method: &str, params: &Value) -> Result<Tool, String> {
        let asking = ToolContext { find: &|_| None, cancel: &CancelToken::default() };
        tool_of(method, params, &asking).expect("it is ours")
    }

    #[test]
    fn arguments_are_the_tools_own() {
        let params = json!({"pattern": "fn main", "workDoneToken": 7});
        let tool = tool_of_nowhere("hob/regexSearch", &params).expect("good arguments");
        assert_eq!(tool.name, "regex_search");
        assert_eq!(Value::Object(tool.args), json!({"pattern": "fn main", "tokenBudget": 10_000}));
        let small = tool_of_nowhere("hob/textSearch", &json!({"query": "boats", "token_budget": 500}));
        let small = small.expect("good arguments");
        assert!(small.args["token_budget"] == 500 && !small.args.contains_key("tokenBudget"));
        assert!(tool_of_nowhere("hob/status", &Value::Null).is_ok());
        let neighbors =
            tool_of_nowhere("hob/neighbors", &json!({"nodeId": "py:a.py#f"})).expect("good arguments");
        assert_eq!(neighbors.args["nodeId"], "py:a.py#f");
    }

    #[test]
    fn wrong_arguments_are_refused_with_what_to_do() {
        let words = |method: &str, params: Value| tool_of_nowhere(method, &params).expect_err("wrong");
        for (method, params, told) in [
            ("hob/regexSearch", json!(["x"]), "`params` must be an object"),
            ("hob/regexSearch", json!({}), "`pattern`"),
            ("hob/regexSearch", json!({"pattern": "x", "limitt": 3}), "limit"),
            ("hob/impact", json!({}), "`textDocument` and `position` may stand for the place"),
            ("hob/neighbors", json!({"nodeId": 7}), "`nodeId` must be a string, not a number"),
            ("hob/neighbors", json!({"position": {}}), "without `textDocument`"),
            ("hob/neighbors", json!({"textDocument": {}}), "with `uri`, a string"),
            ("hob/impact", json!({"textDocument": {"uri": "file:///x"}}), "in no folder that is open"),
            ("hob/impact", json!({"textDocument": {"uri": "file:///x"}, "symbol": "f"}), "Pass one of them"),
        ] {
            let refusal = words(method, params);
            assert!(refusal.contains(told), "{method}: {refusal}");
        }
    }

    #[test]
    fn the_cursor_stands_for_a_node_or_a_place() {
        let project = TestProject::with_files(&[
            ("a.py", "def boat():\n    pass\n"),
            ("b.py", "from a import boat\n\n\ndef sail():\n    boat()\n"),
        ]);
        let found = |uri: &str| {
            let path = WsPath::new(uri.strip_prefix("file:///")?).ok()?;
            let text = Some(Arc::from("from a import boat\n\nNEW = 1\n\n\ndef sail():\n    boat()\n"));
            Some(ToolDocument { workspace: Arc::clone(&project.workspace), path, text })
        };
        let asking = ToolContext { find: &found, cancel: &CancelToken::default() };
        let ask = |method: &str, position: Value| {
            let params = json!({"textDocument": {"uri": "file:///b.py"}, "position": position});
            tool_of(method, &params, &asking).expect("it is ours")
        };
        let arg = |method: &str, position: Value, name: &str| {
            let tool = ask(method, position).expect("a good place");
            assert_eq!(tool.args["root"], project.workspace.root().to_string());
            tool.args[name].clone()
        };
        let call = json!({"line": 6, "character": 5});
        assert_eq!(
            arg("hob/neighbors", call.clone(), "nodeId"),
            "py:a.py#boat",
            "it moved in the editor's text"
        );
        assert_eq!(arg("hob/impact", call.clone(), "symbol"), "py:a.py#boat");
        assert_eq!(arg("hob/flowTrace", json!({"line": 6, "character": 0}), "symbol"), "py:b.py#sail");
        assert_eq!(arg("hob/impact", Value::Null, "symbol"), "py:b.py", "the file, without a position");
        let resolve = ask("hob/resolve", call).expect("a good place");
        assert_eq!(
            (&resolve.args["file"], &resolve.args["line"], &resolve.args["col"]),
            (&json!("b.py"), &json!(7), &json!(6))
        );
        let refusal = ask("hob/impact", json!({"line": 2, "character": "x"})).expect_err("no position");
        assert!(refusal.contains("integers from 0"), "{refusal}");
        let refusal = ask("hob/impact", json!({"line": 400, "character": 0})).expect_err("no such line");
        assert!(refusal.contains("Put it on a name"), "{refusal}");
    }
}
