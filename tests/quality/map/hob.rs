//! Asks the map through the tools that every client can call.

use std::collections::{BTreeMap, BTreeSet};

use hob_tests::Mcp;
use serde_json::{Value, json};

use super::server::{Answer, Symbol};

/// Every kind of edge that a use makes.
pub(super) const KINDS: [&str; 6] = ["calls", "references", "extends", "implements", "imports", "exports"];

/// The lines that refer to a definition, each with the highest confidence that the map has for it.
pub(super) type Lines = BTreeMap<(String, u64), &'static str>;

/// The confidences, from the highest to the lowest.
pub(super) const LEVELS: [&str; 5] = ["live", "exact", "import", "name", "candidate"];

/// The definitions that the map found.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    all: usize,
    missing: Vec<String>,
}

impl Definitions {
    pub(super) fn figures(&self) -> String {
        let there = self.all - self.missing.len();
        format!("definitions {there} of {}  {:.4}\n", self.all, there as f64 / self.all as f64)
    }

    pub(super) fn missing(&self) -> String {
        self.missing.iter().map(|one| format!("missing {one}\n")).collect()
    }
}

/// A daemon that is asked.
pub(super) struct Asked {
    mcp: Mcp,
    /// The node IDs by symbol.
    nodes: Vec<Option<String>>,
}

impl Asked {
    pub(super) fn new(mcp: Mcp) -> Self {
        let mut asked = Self { mcp, nodes: Vec::new() };
        // The first index may still be under way.
        while asked.mcp.call("map_status", json!({})).ok()["built"] != true {
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        asked
    }

    /// Finds the nodes of all symbols.
    pub(super) fn definitions(&mut self, symbols: &[Symbol]) -> Definitions {
        self.nodes = symbols.iter().map(|symbol| self.node(symbol)).collect();
        // If something has several declarations, the map may name one of them.
        let there = symbols.iter().zip(&self.nodes).filter(|(_, node)| node.is_some());
        let there: BTreeSet<_> = there.map(|(symbol, _)| symbol.home()).collect();
        let mut found = Definitions { all: symbols.len(), missing: Vec::new() };
        for symbol in symbols.iter().filter(|symbol| !there.contains(&symbol.home())) {
            let Symbol { file, line, col, name, within, kind, .. } = symbol;
            found.missing.push(format!("{file}:{line}:{col} {within}.{name} ({kind})"));
        }
        found
    }

    /// Finds the nodes of some symbols, and forgets all others.
    pub(super) fn find(&mut self, symbols: &[Symbol], which: &BTreeSet<usize>) {
        let node = |(at, symbol)| if which.contains(&at) { self.node(symbol) } else { None };
        self.nodes = symbols.iter().enumerate().map(node).collect();
    }

    /// Returns the node whose name is exactly at the symbol's position. For a name after a body (`typedef struct s { }
    /// name;`) it asks by ID.
    fn node(&mut self, symbol: &Symbol) -> Option<String> {
        let place = json!({"file": symbol.file, "line": symbol.line, "col": symbol.col, "fresh": false});
        let id = self.named(symbol, place.clone());
        id.or_else(|| {
            let answer = self.mcp.call("resolve", place);
            let file = answer.envelope["data"]["nodeId"].as_str()?.split('#').next()?.to_owned();
            self.named(symbol, json!({"nodeId": format!("{file}#{}", symbol.name), "fresh": false}))
        })
    }

    fn named(&mut self, symbol: &Symbol, args: Value) -> Option<String> {
        let answer = self.mcp.call("resolve", args);
        let id = answer.envelope["data"]["nodeId"].as_str()?.to_owned();
        let at = &answer.envelope["data"]["location"];
        let last = id.rsplit(['.', '#', '/']).next()?.split('~').next()?.to_owned();
        (last == symbol.name && at["line"] == symbol.line && at["col"] == symbol.col).then_some(id)
    }

    /// Returns the node and its namesakes in the same place, without variables.
    fn with_namesakes(&mut self, id: &str) -> Vec<String> {
        let base = id.split('~').next().unwrap_or(id).to_owned();
        let mut nodes = vec![id.to_owned()];
        for ordinal in 1.. {
            let other = if ordinal == 1 { base.clone() } else { format!("{base}~{ordinal}") };
            let args = json!({"nodeId": other, "direction": "in", "edgeKinds": ["contains"], "fresh": false});
            let answer = self.mcp.call("map_neighbors", args);
            let Some(kind) = answer.envelope["data"]["node"]["kind"].as_str() else { return nodes };
            if !matches!(kind, "variable" | "constant" | "field") {
                nodes.push(other);
            }
        }
        nodes
    }

    /// Returns every line that refers to a definition or to another declaration of it.
    pub(super) fn references(&mut self, symbols: &[Symbol], answer: &Answer) -> Lines {
        self.uses(symbols, answer, &KINDS)
    }

    /// Returns every line that does so by an edge of one of these kinds.
    pub(super) fn uses(&mut self, symbols: &[Symbol], answer: &Answer, kinds: &[&str]) -> Lines {
        let group = answer.group(symbols);
        let found: Vec<String> = group.filter_map(|at| self.nodes[at].clone()).collect();
        let nodes: BTreeSet<String> = found.iter().flat_map(|node| self.with_namesakes(node)).collect();
        let mut lines = Lines::new();
        for (node, kind) in nodes.iter().flat_map(|node| kinds.iter().map(move |kind| (node, kind))) {
            self.edges(node, kind, &mut lines);
        }
        lines
    }

    /// Collects all edges of one kind, page by page.
    fn edges(&mut self, node: &str, kind: &str, lines: &mut Lines) {
        let mut offset = 0;
        loop {
            let args = json!({
                "nodeId": node, "direction": "in", "edgeKinds": [kind], "maxNodes": 200, "offset": offset,
                "tokenBudget": 10_000, "fresh": false, "family": false,
            });
            let answer = self.mcp.call("map_neighbors", args);
            let shown = answer.list("/neighbors");
            shown.iter().for_each(|neighbor| note(neighbor, lines));
            offset += shown.len();
            if answer.envelope["truncated"] == false {
                return;
            }
            assert!(!shown.is_empty(), "a page shows something{answer}");
        }
    }
}

fn note(neighbor: &Value, lines: &mut Lines) {
    let file = neighbor["file"].as_str().unwrap_or_default();
    assert!(neighbor.get("siteCount").is_none(), "every line is shown: {neighbor}");
    // A call through a value, or by a framework, has another name in the text: no server lists it as a reference.
    if neighbor["confidence"] == "flow" || neighbor["confidence"] == "framework" {
        return;
    }
    let level =
        LEVELS.into_iter().find(|level| neighbor["confidence"] == *level).expect("a known confidence");
    for line in neighbor["sites"].as_array().into_iter().flatten().filter_map(Value::as_u64) {
        let known = lines.entry((file.to_owned(), line)).or_insert(level);
        *known = LEVELS.into_iter().find(|one| one == known || *one == level).expect("one of the two");
    }
}
