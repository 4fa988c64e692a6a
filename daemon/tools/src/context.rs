//! Adds context to an agent's own search or reading, for `hob hook`: definitions and callers of searched names, the
//! definitions around found lines, and the uses of read definitions.
//!
//! An agent waits while its hook runs, so this handler does only quick work: the answer about a project that is not
//! open or not indexed is empty, the barrier has a short patience, and a number that cannot be counted whole in its
//! time is left out, because a wrong number would be worse than none.

use std::time::Duration;

use hob_base::{CancelToken, Deadline, FileId};
use hob_host::{Freshness, Phase, Workspace};
use hob_map::Map;
use hob_map::graph::{DefRef, EdgeKind, Lookup, NodeRef};
use hob_proto::tools::context::{ContextArgs, ContextResult, HitSymbol, NameContext, SymbolUse};
use rustc_hash::FxHashSet;

use super::map::confined_path;
use super::{ToolCall, ToolOutcome, enclosing, to_data};

/// Longest time at the barrier. If a write has not been ingested by then, the answer is empty.
const BARRIER_PATIENCE: Duration = Duration::from_millis(60);

/// Longest time for counting uses, all of them together.
const COUNTING: Duration = Duration::from_millis(40);

/// Most names and most found lines that are looked up.
const MOST_NAMES: usize = 2;
const MOST_HITS: usize = 12;

/// Most definitions that are shown for one name or file.
const SHOWN: usize = 2;

/// Tells about names, lines and a file from the map; `fresh: false` leaves out the barrier.
pub(super) fn answer_context(call: &mut ToolCall<'_>) -> ToolOutcome {
    let args: ContextArgs = call.parse_args()?;
    let open = call.services.host.workspace_if_open(&call.terms.start);
    let ready = open.filter(|workspace| is_ready(workspace, call.terms.fresh));
    let Some(workspace) = ready else { return to_data(&ContextResult::default()) };
    let cancel = call.cancel.with_deadline(Deadline::after(COUNTING));
    // Whatever reads the disk, or locks the map itself, comes before the map is held.
    let hits = hit_symbols(&workspace, &args.hits.unwrap_or_default());
    let file = args.file.as_deref().and_then(|file| confined_path(&workspace, Some(file)).ok()?);
    let map = workspace.map();
    let names = args.names.unwrap_or_default();
    let names = names.iter().take(MOST_NAMES).filter_map(|name| name_context(&map, name, &cancel)).collect();
    let file = file.and_then(|path| map.file_at(path.as_str()));
    let read = file.map(|file| read_uses(&map, file, args.from, &cancel)).unwrap_or_default();
    to_data(&ContextResult { names, hits, read })
}

/// Returns true if the map is complete and, with `fresh`, has every write that is done.
fn is_ready(workspace: &Workspace, fresh: bool) -> bool {
    workspace.progress.now().phase == Phase::Done
        && (!fresh || matches!(workspace.barrier(true, BARRIER_PATIENCE), Freshness::Fresh))
}

fn name_context(map: &Map, name: &str, cancel: &CancelToken) -> Option<NameContext> {
    let nodes = match map.lookup(name) {
        Lookup::One(node) => vec![node],
        Lookup::Ambiguous(nodes) => nodes,
        Lookup::None => return None,
    };
    let defs: Vec<DefRef> = nodes.into_iter().filter_map(code_definition(map)).collect();
    // For a name with many definitions, a list is better than counts.
    let counted = if defs.len() <= SHOWN { SHOWN } else { 0 };
    let shown = defs.iter().take(SHOWN).enumerate().filter_map(|(nth, def)| {
        let symbol = described(map, *def)?;
        Some(if nth < counted { with_uses(map, *def, symbol, cancel) } else { symbol })
    });
    let shown: Vec<SymbolUse> = shown.collect();
    (!shown.is_empty()).then(|| NameContext { name: name.to_owned(), definitions: defs.len(), shown })
}

/// Makes a filter that admits definitions in code, and no headings of documents.
fn code_definition(map: &Map) -> impl Fn(NodeRef) -> Option<DefRef> + '_ {
    move |node| match node {
        NodeRef::Def(at) => {
            let (_, facts) = map.file(at.file)?;
            facts.defs.get(at.def.index()).filter(|def| !def.kind.is_prose()).map(|_| at)
        }
        _ => None,
    }
}

fn described(map: &Map, at: DefRef) -> Option<SymbolUse> {
    let info = map.info(at.into())?;
    let file = info.path?.as_str().to_owned();
    Some(SymbolUse { symbol: info.qualified, file, line: info.name_at.0, callers: None, files: None })
}

/// Counts the users of a definition, if there is time for all of them.
fn with_uses(map: &Map, at: DefRef, symbol: SymbolUse, cancel: &CancelToken) -> SymbolUse {
    let (uses, outcome) = map.find_uses(at, cancel);
    if outcome.is_err() {
        return symbol;
    }
    let is_callable = map
        .file(at.file)
        .and_then(|(_, facts)| facts.defs.get(at.def.index()))
        .is_some_and(|def| def.kind.is_callable());
    let callers: FxHashSet<NodeRef> =
        uses.iter().filter(|one| one.kind == EdgeKind::Calls).map(|one| one.from).collect();
    let files: FxHashSet<FileId> = uses
        .iter()
        .filter(|one| one.kind != EdgeKind::Exports && one.file != at.file)
        .map(|one| one.file)
        .collect();
    SymbolUse { callers: is_callable.then_some(callers.len()), files: Some(files.len()), ..symbol }
}

/// Returns the definitions around found lines, as far as the map has the files' present state.
fn hit_symbols(workspace: &Workspace, hits: &[String]) -> Vec<HitSymbol> {
    let places = hits.iter().take(MOST_HITS).filter_map(|hit| {
        let (path, line) = hit.rsplit_once(':')?;
        let path = confined_path(workspace, Some(path)).ok()??;
        Some((path.as_str().to_owned(), line.parse().ok()?))
    });
    enclosing::symbols_around(workspace, &places.collect::<Vec<(String, u32)>>())
        .into_iter()
        .map(|(file, line, symbol)| HitSymbol { file, line, symbol })
        .collect()
}

/// Returns the definition in which reading began, or the most used definitions of a file that was read whole.
fn read_uses(map: &Map, file: FileId, from: Option<u32>, cancel: &CancelToken) -> Vec<SymbolUse> {
    let chosen: Vec<DefRef> = match from.filter(|from| *from > 1) {
        Some(from) => map.symbol_at(file, from).into_iter().collect(),
        None => {
            let mut all: Vec<DefRef> = map.outline(file).map(|(at, _)| at).collect();
            all.sort_by(|one, other| map.score((*other).into()).total_cmp(&map.score((*one).into())));
            all
        }
    };
    let code = chosen.into_iter().map(NodeRef::Def).filter_map(code_definition(map)).take(SHOWN);
    code.filter_map(|at| Some(with_uses(map, at, described(map, at)?, cancel))).collect()
}
