//! `read_symbols`.

use std::collections::HashSet;

use hob_base::{Contents, LineIndex};
use hob_map::Map;
use hob_map::graph::{Lookup, NodeInfo, NodeKind, NodeRef};
use hob_proto::NodeId;
use hob_proto::tools::read::{Ambiguous, Candidate, ReadSymbolsArgs, ReadSymbolsResult, SymbolSource};

use super::{Needs, Outcome, ToolCall, data};
use crate::host::Workspace;

/// Candidates named for an ambiguous target.
const CANDIDATES: usize = 20;

/// A definition to read.
struct Chosen {
    info: NodeInfo,
    is_neighbor: bool,
}

/// What the targets came to, before any file is read.
#[derive(Default)]
struct Choice {
    chosen: Vec<Chosen>,
    ambiguous: Vec<Ambiguous>,
    not_found: Vec<String>,
    seen: HashSet<NodeRef>,
}

pub(super) fn read_symbols(call: &mut ToolCall<'_>) -> Outcome {
    let args: ReadSymbolsArgs = call.args()?;
    if args.targets.is_empty() {
        return Err(hob_proto::ToolError::bad_args("`targets` is empty").hint("Pass node IDs or names."));
    }
    let workspace = call.workspace(Needs::Map)?;
    let mut choice = choose(&workspace.map(), &args);
    let files = choice.chosen.iter().filter_map(|chosen| chosen.info.path.as_ref());
    call.warn_of_unmapped(&workspace.map(), files.map(hob_base::WsPath::as_str));
    if !choice.not_found.is_empty() {
        call.warn_of_unmapped_anywhere(&workspace.map());
    }
    let mut symbols = Vec::new();
    for Chosen { info, is_neighbor } in choice.chosen {
        match source(&workspace, &info) {
            Some(text) => symbols.push(symbol(&info, text, is_neighbor)),
            None => {
                let id = info.id.to_string();
                call.warnings.push(format!("`{id}` is in the map but its file cannot be read now."));
                choice.not_found.push(id);
            }
        }
    }
    data(&ReadSymbolsResult { symbols, ambiguous: choice.ambiguous, not_found: choice.not_found })
}

/// Decides under one lock of the map; files are read after it is released.
fn choose(map: &Map, args: &ReadSymbolsArgs) -> Choice {
    let mut choice = Choice::default();
    for target in &args.targets {
        match lookup(map, target) {
            Lookup::One(node) => take_with_neighbors(map, &mut choice, node, args.include_neighbors),
            Lookup::Ambiguous(nodes) => choice.ambiguous.push(ambiguous(map, target, &nodes)),
            Lookup::None => choice.not_found.push(target.clone()),
        }
    }
    choice
}

/// A malformed ID is looked up as a name, which is what it then is.
pub(super) fn lookup(map: &Map, target: &str) -> Lookup {
    match target.parse::<NodeId>().ok().filter(|_| NodeId::looks_like(target)).and_then(|id| map.node(&id)) {
        Some(node) => Lookup::One(node),
        None => map.lookup(target),
    }
}

fn take_with_neighbors(map: &Map, choice: &mut Choice, node: NodeRef, neighbors: usize) {
    take(map, choice, node, false);
    let (NodeRef::Def(def), true) = (node, neighbors > 0) else { return };
    let all = map.defs_of(def.file);
    let Some(at) = all.iter().position(|other| *other == def) else { return };
    let around = at.saturating_sub(neighbors)..(at + neighbors + 1).min(all.len());
    all[around].iter().for_each(|other| take(map, choice, NodeRef::Def(*other), true));
}

fn take(map: &Map, choice: &mut Choice, node: NodeRef, is_neighbor: bool) {
    if choice.seen.insert(node)
        && let Some(info) = map.info(node)
    {
        choice.chosen.push(Chosen { info, is_neighbor });
    }
}

pub(super) fn ambiguous(map: &Map, target: &str, nodes: &[NodeRef]) -> Ambiguous {
    let infos = nodes.iter().take(CANDIDATES).filter_map(|node| map.info(*node));
    let candidates = infos.map(|info| Candidate {
        uid: info.id.to_string(),
        kind: info.kind.as_str().to_owned(),
        file: info.path.as_ref().map(ToString::to_string).unwrap_or_default(),
        line: info.name_at.0,
    });
    Ambiguous { target: target.to_owned(), candidates: candidates.collect() }
}

/// The definition's lines, whole; a file node is the whole file; an external package has no source here.
fn source(workspace: &Workspace, info: &NodeInfo) -> Option<(String, (u32, u32))> {
    let bytes = workspace.contents().read(info.path.as_ref()?).ok()?;
    let index = LineIndex::new(&bytes);
    let last = index.line_count();
    let (first, end) = match info.kind {
        NodeKind::File => (1, last),
        _ => (info.lines.0, info.lines.1.min(last)),
    };
    let from = index.line_range(first)?.start;
    let to = index.line_range(end)?.end;
    Some((String::from_utf8_lossy(bytes.get(from..to)?).into_owned(), (first, end)))
}

fn symbol(info: &NodeInfo, (source, lines): (String, (u32, u32)), is_neighbor: bool) -> SymbolSource {
    let name = if info.qualified.is_empty() { &info.name } else { &info.qualified };
    SymbolSource {
        uid: info.id.to_string(),
        name: name.clone(),
        kind: info.kind.as_str().to_owned(),
        file: info.path.as_ref().map(ToString::to_string).unwrap_or_default(),
        start_line: lines.0,
        end_line: lines.1,
        source,
        body_complete: true,
        is_neighbor,
    }
}
