//! Asks hob and the server a question, and brings both answers into one form: lines that are equal if they mean the
//! same.
//!
//! The protocol's answers are parsed by separate code, on purpose, because hob's own code is under test.

use std::collections::{BTreeMap, BTreeSet};

use hob_tests::lsp::Lsp;
use hob_tests::{Answer, Mcp};
use serde_json::{Value, json};

use super::one_based;

/// The kind of a question.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(in crate::e2e) enum Kind {
    /// The uses, without the declaration.
    References,
    /// The definition.
    Definition,
    /// The type and the documentation.
    Type,
    /// The implementations of the definition.
    Implementations,
    /// The symbols of the file.
    Symbols,
    /// The callers of the function.
    Callers,
    /// The functions that the function calls.
    Callees,
}

impl Kind {
    /// Returns the server's capability for it.
    pub(super) fn capability(self) -> &'static str {
        match self {
            Self::References => "referencesProvider",
            Self::Definition => "definitionProvider",
            Self::Type => "hoverProvider",
            Self::Implementations => "implementationProvider",
            Self::Symbols => "documentSymbolProvider",
            Self::Callers | Self::Callees => "callHierarchyProvider",
        }
    }

    /// Returns hob's tool and the protocol's method.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::References => ("nav_references", "textDocument/references"),
            Self::Definition => ("nav_definition", "textDocument/definition"),
            Self::Type => ("nav_type", "textDocument/hover"),
            Self::Implementations => ("nav_implementations", "textDocument/implementation"),
            Self::Symbols => ("nav_symbols", "textDocument/documentSymbol"),
            Self::Callers | Self::Callees => ("nav_callHierarchy", "textDocument/prepareCallHierarchy"),
        }
    }
}

/// A question about a place. The line and the column are 1-based, the column in UTF-16 units.
#[derive(Clone, Debug)]
pub(in crate::e2e) struct Question {
    pub kind: Kind,
    pub file: String,
    pub line: usize,
    pub col: usize,
}

impl Question {
    /// Asks hob, with the largest budget that an answer may have.
    #[track_caller]
    pub(super) fn ask_hob(&self, mcp: &mut Mcp) -> Answer {
        let mut args = json!({"file": self.file, "tokenBudget": 10_000});
        if self.kind != Kind::Symbols {
            (args["line"], args["col"]) = (json!(self.line), json!(self.col));
        }
        if self.kind == Kind::Callees {
            args["direction"] = json!("outgoing");
        }
        mcp.call_busy(self.kind.names().0, &args)
    }

    /// Asks the server itself, with the file open in it.
    #[track_caller]
    pub(super) fn ask_server(&self, lsp: &mut Lsp) -> Vec<String> {
        self.try_server(lsp).unwrap_or_else(|error| panic!("{self:?}: {error}"))
    }

    /// Asks like [`Question::ask_server`], for servers that refuse some questions.
    ///
    /// # Errors
    ///
    /// Returns the error with which it refused.
    #[track_caller]
    pub(super) fn try_server(&self, lsp: &mut Lsp) -> Result<Vec<String>, Value> {
        lsp.open(&self.file);
        let document = json!({"uri": lsp.uri(&self.file)});
        let position = json!({"line": self.line - 1, "character": self.col - 1});
        let mut params = json!({"textDocument": document});
        if self.kind != Kind::Symbols {
            params["position"] = position;
        }
        if self.kind == Kind::References {
            params["context"] = json!({"includeDeclaration": false});
        }
        let result = lsp.ask(self.kind.names().1, &params)?;
        let said = match self.kind {
            Kind::References | Kind::Definition | Kind::Implementations => {
                list(&result).iter().map(|at| server_place(lsp, at)).collect()
            }
            Kind::Type => hover_lines(&hover_text(&result["contents"])),
            Kind::Symbols => server_outline(&result),
            Kind::Callers => server_calls(lsp, &result, "callHierarchy/incomingCalls", "from")?,
            Kind::Callees => server_calls(lsp, &result, "callHierarchy/outgoingCalls", "to")?,
        };
        Ok(in_order(said))
    }

    /// Returns hob's answer in the same form, and false if hob says that it left something out.
    #[track_caller]
    pub(super) fn read(&self, answer: &Answer) -> (Vec<String>, bool) {
        let data = answer.ok();
        let said = match self.kind {
            Kind::References | Kind::Definition | Kind::Implementations => {
                answer.list("/locations").iter().filter(is_servers).map(hob_place).collect()
            }
            Kind::Type => {
                let text = |field: &str| data[field].as_str().unwrap_or_default().to_owned();
                hover_lines(&format!("{}\n{}", text("signature"), text("docs")))
            }
            Kind::Symbols => hob_outline(&data["symbols"]),
            Kind::Callers | Kind::Callees => hob_calls(data),
        };
        (in_order(said), answer.envelope["truncated"] == false)
    }

    /// Returns the files with places in hob's answer.
    pub(super) fn files(&self, answer: &Answer) -> BTreeSet<String> {
        let list = match self.kind {
            Kind::References | Kind::Definition | Kind::Implementations => "/locations",
            Kind::Callers | Kind::Callees => "/calls",
            Kind::Type | Kind::Symbols => return BTreeSet::new(),
        };
        let inside = answer.list(list).iter().filter(|item| item["external"] != true);
        inside.filter_map(|item| item["file"].as_str()).map(str::to_owned).collect()
    }

    /// Returns true if hob's complete answer has everything that all of the server's answers have, and nothing that
    /// none of them has.
    ///
    /// If a server omits different things each time, it has more answers than can be collected. A few answers show
    /// which things vary.
    #[track_caller]
    pub(super) fn is_between(&self, answer: &Answer, server: &[Vec<String>]) -> bool {
        let (hob, whole) = self.read(answer);
        let ever = |one: &String| server.iter().any(|said| said.contains(one));
        let always = |one: &&String| server.iter().all(|said| said.contains(*one));
        let mut demanded = server.iter().flatten().filter(always);
        is_honest(answer) && hob.iter().all(ever) && (!whole || demanded.all(|one| hob.contains(one)))
    }

    /// Returns the fault of hob's answer compared with the server's, or `None` if there is none.
    #[track_caller]
    pub(super) fn difference(&self, answer: &Answer, server: &[String]) -> Option<String> {
        let (hob, whole) = self.read(answer);
        let surplus: Vec<&String> = hob.iter().filter(|one| !server.contains(one)).collect();
        let missing: Vec<&String> = server.iter().filter(|one| !hob.contains(one)).collect();
        let added = added(answer);
        let total = answer.ok()["total"].as_u64().map_or(server.len(), |total| total as usize - added);
        // Items that do not fit into the budget are counted nevertheless.
        let all_there = if whole { missing.is_empty() } else { total == server.len() };
        let completeness = &answer.ok()["completeness"];
        if surplus.is_empty() && all_there && total == server.len() && is_honest(answer) {
            return None;
        }
        let short =
            |list: &[&String]| list.iter().take(8).map(|one| format!("\n    {one}")).collect::<String>();
        Some(format!(
            "{self:?}: {completeness}, hob {} (total {total}), server {}\n  only hob:{}\n  only the server:{}",
            hob.len(),
            server.len(),
            short(&surplus),
            short(&missing)
        ))
    }
}

/// Returns true if an item comes from the server and not from the map.
fn is_servers(item: &&Value) -> bool {
    item.get("fromMap").is_none()
}

/// Returns the number of places that the map knows and the server did not list, as hob reports it.
pub(super) fn added(answer: &Answer) -> usize {
    let warnings = answer.warnings();
    let count =
        warnings.split_once(" does not list ").and_then(|(_, rest)| rest.split(' ').next()?.parse().ok());
    count.unwrap_or(0)
}

/// Returns true if an answer is complete, or incomplete only because the map knows more.
fn is_honest(answer: &Answer) -> bool {
    let completeness = &answer.ok()["completeness"];
    completeness == "complete" || (completeness == "partial" && added(answer) > 0)
}

/// Sorts an answer and removes duplicates: servers return items in any order, and sometimes twice.
fn in_order(mut said: Vec<String>) -> Vec<String> {
    said.sort();
    said.dedup();
    said
}

/// Returns a result as a list, which may be one item, several or none.
fn list(result: &Value) -> Vec<Value> {
    match result {
        Value::Null => Vec::new(),
        Value::Array(all) => all.clone(),
        one => vec![one.clone()],
    }
}

fn server_place(lsp: &Lsp, at: &Value) -> String {
    let (uri, range) = match at.get("targetUri") {
        Some(uri) => (uri, &at["targetSelectionRange"]),
        None => (&at["uri"], &at["range"]),
    };
    let ((line, col), (end, _)) = (one_based(&range["start"]), one_based(&range["end"]));
    format!("{}:{line}:{col}-{end}", lsp.file(uri.as_str().unwrap_or_default()))
}

fn hob_place(at: &Value) -> String {
    let end = at.get("endLine").unwrap_or(&at["line"]);
    format!("{}:{}:{}-{end}", at["file"].as_str().unwrap_or_default(), at["line"], at["col"])
}

fn hover_text(contents: &Value) -> String {
    match contents {
        Value::String(text) => text.clone(),
        Value::Array(all) => all.iter().map(|one| hover_text(one) + "\n").collect(),
        other => other["value"].as_str().unwrap_or_default().to_owned(),
    }
}

/// Returns the lines of a hover text without pure formatting.
fn hover_lines(text: &str) -> Vec<String> {
    let looks =
        |line: &&str| line.is_empty() || line.starts_with("```") || matches!(*line, "---" | "***" | "___");
    text.lines().map(str::trim).filter(|line| !looks(line)).map(str::to_owned).collect()
}

fn server_outline(result: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    list(result).iter().for_each(|symbol| outline_of_server(symbol, 0, &mut lines));
    lines
}

fn outline_of_server(symbol: &Value, depth: usize, lines: &mut Vec<String>) {
    let range = symbol.get("range").unwrap_or(&symbol["location"]["range"]);
    let ((first, _), (last, end)) = (one_based(&range["start"]), one_based(&range["end"]));
    // A range that ends at the start of a line does not include that line.
    let last = if end == 1 && last > first { last - 1 } else { last };
    let (line, col) = one_based(&symbol.get("selectionRange").unwrap_or(range)["start"]);
    let name = symbol["name"].as_str().unwrap_or_default();
    lines.push(format!("{depth} {name} {line}:{col} {first}-{last}"));
    list(&symbol["children"]).iter().for_each(|child| outline_of_server(child, depth + 1, lines));
}

fn hob_outline(symbols: &Value) -> Vec<String> {
    fn walk(symbol: &Value, depth: usize, lines: &mut Vec<String>) {
        let name = symbol["name"].as_str().unwrap_or_default();
        let first = symbol.get("startLine").unwrap_or(&symbol["line"]);
        lines.push(format!(
            "{depth} {name} {}:{} {first}-{}",
            symbol["line"], symbol["col"], symbol["endLine"]
        ));
        list(&symbol["children"]).iter().for_each(|child| walk(child, depth + 1, lines));
    }
    let mut lines = Vec::new();
    list(symbols).iter().for_each(|symbol| walk(symbol, 0, &mut lines));
    lines
}

/// Returns the callers or callees with the places of the calls. The function that is asked about comes first.
#[track_caller]
fn server_calls(lsp: &mut Lsp, prepared: &Value, method: &str, other: &str) -> Result<Vec<String>, Value> {
    let roots = list(prepared);
    let Some(root) = roots.first() else { return Ok(Vec::new()) };
    let named = |lsp: &Lsp, item: &Value| {
        let (line, col) = one_based(&item["selectionRange"]["start"]);
        let file = lsp.file(item["uri"].as_str().unwrap_or_default());
        format!("{file}:{line}:{col} {}", item["name"].as_str().unwrap_or_default())
    };
    // Entries that overloads have in common appear only once.
    let mut calls: BTreeMap<String, BTreeSet<(u64, u64)>> = BTreeMap::new();
    for item in &roots {
        for call in list(&lsp.ask(method, &json!({"item": item}))?) {
            let sites = calls.entry(named(lsp, &call[other])).or_default();
            sites.extend(list(&call["fromRanges"]).iter().map(|range| one_based(&range["start"])));
        }
    }
    let shown = |(name, sites): (String, BTreeSet<(u64, u64)>)| {
        format!("{name} {:?}", sites.into_iter().collect::<Vec<_>>())
    };
    let root = format!("root {}", named(lsp, root));
    Ok(std::iter::once(root).chain(calls.into_iter().map(shown)).collect())
}

fn hob_calls(data: &Value) -> Vec<String> {
    let named = |item: &Value| {
        let text = |field: &str| item[field].as_str().unwrap_or_default();
        format!("{}:{}:{} {}", text("file"), item["line"], item["col"], text("name"))
    };
    let number = |site: &Value, field: &str| site[field].as_u64().unwrap_or(0);
    let mut said = vec![format!("root {}", named(&data["root"]))];
    for call in list(&data["calls"]).iter().filter(is_servers) {
        let sites = list(&call["callSites"]);
        let mut sites: Vec<_> =
            sites.iter().map(|site| (number(site, "line"), number(site, "col"))).collect();
        sites.sort_unstable();
        sites.dedup();
        said.push(format!("{} {sites:?}", named(call)));
    }
    said
}
