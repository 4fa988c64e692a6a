//! Answers from the map in place of a language server that has no answer: none is installed or may run, it lacks the
//! capability, it did not answer in time, it refuses (gopls without Go has no view of any project), or it is being
//! replaced.
//!
//! If the user has imported an index that a compiler made, that index comes first, as far as it is believed
//! (`imported`). The map's answer is better than an error, and worth less than a server's: it says that it is the
//! map's, why, and what to do about it, and is never complete. If the map knows nothing either, the error is returned.

use hob_base::{CancelToken, WsPath};
use hob_bridge::{Listed, Missing, UsesQuestion, left_out};
use hob_live::requests::RequestPosition;
use hob_map::Map;
use hob_map::graph::{
    Confidence, DefRef, Direction, EdgeKind, KindFilter, NeighborsQuery, NodeInfo, NodeKind, SearchQuery,
};
use hob_map::locals::{LocalName, NamePlace};
use hob_proto::envelope::PARTIAL;
use hob_proto::tools::nav::{
    Completeness, DiagnosticsResult, LocationsResult, NameRange, OutlineEntry, SymbolHit, SymbolsResult,
    TypeResult,
};
use hob_proto::{Anchor, ErrorCode, ToolError};

use hob_results::FileLineCache;

use super::imported::{ImportedAnswer, SCIP, anchors_of};
use super::meaning::{self, NameMeaning, bound_name_at, meaning_at};
use super::nav_query::{NavQuery, word_at};
use super::package_meaning::{self, PackageDefinition};
use super::{
    NeededIndex, ToolCall, ToolOutcome, enclosing, left_out as held, map::with_graph_deadline, to_data,
};
use hob_host::{IndexedPlace, Workspace};
use hob_results::errors;

/// Most neighbours that are examined for unsure uses.
const MOST_GUESSES: usize = 200;

/// A function that returns true if the call asks about a line of a file.
type InScope<'a> = &'a dyn Fn(&WsPath, u32) -> bool;

/// The word for answers of the map.
pub(super) const MAP: &str = "map";

/// Returns true if the map may answer instead of this error: there is no server for the question, or none that answers
/// it. The failure of a server stays an error, so that somebody sees it.
pub(super) fn may_answer(error: &ToolError) -> bool {
    use ErrorCode as E;
    match error.code {
        E::LspUnavailable | E::UntrustedWorkspace | E::LspUnsupported | E::LspTimeout => true,
        E::LspFailed => is_for_now(error),
        _ => false,
    }
}

/// Returns the warning for an answer of the map in place of an error.
pub(super) fn stand_in_warning(error: &ToolError) -> String {
    warning_with(error, "The map answers instead: something may be missing")
}

/// Returns the warning for an answer in place of an error; `who` says who answers.
fn warning_with(error: &ToolError, who: &str) -> String {
    if is_late(error) {
        return format!("{PARTIAL}: {}; ask again for its answer.", error.message);
    }
    let hint = match error.code {
        // `hob doctor` tells at length what else can be done.
        ErrorCode::LspUnavailable => error.hint.split(". ").next().unwrap_or_default(),
        ErrorCode::UntrustedWorkspace => error.hint.as_str(),
        // Nobody can do anything about a refusal.
        _ => "",
    };
    let rejected = error.more.get("rejected").and_then(serde_json::Value::as_array).into_iter().flatten();
    let sentences = [error.message.as_str(), who, hint].into_iter();
    let sentences = sentences.chain(rejected.filter_map(serde_json::Value::as_str));
    let ended =
        sentences.filter(|text| !text.is_empty()).map(|text| format!("{}.", text.trim_end_matches('.')));
    ended.collect::<Vec<_>>().join(" ")
}

/// Says who answers in place of a server.
fn source_sentence(answer: &serde_json::Value) -> &'static str {
    match answer.get("source").and_then(serde_json::Value::as_str) {
        Some(SCIP) => {
            "An imported index answers instead, and the map where files are not as they were indexed"
        }
        _ => "The map answers instead: something may be missing",
    }
}

/// Returns the outcome of `from_map` if the map may answer in place of the error and knows something, else the error
/// itself.
fn answer_from_map(
    call: &mut ToolCall<'_>,
    error: ToolError,
    from_map: impl FnOnce(&mut ToolCall<'_>) -> ToolOutcome,
) -> ToolOutcome {
    if !may_answer(&error) {
        return Err(error);
    }
    let warnings = call.notes.warnings.len();
    match from_map(call) {
        Ok(answer) if !is_for_now(&error) && knows_nothing(&answer) => {
            call.notes.warnings.truncate(warnings);
            Err(error)
        }
        Ok(answer) => {
            call.notes.warnings.insert(warnings, warning_with(&error, source_sentence(&answer)));
            Ok(answer)
        }
        // Without a map, the server's error is more informative.
        Err(_) if !is_for_now(&error) => Err(error),
        Err(other) => Err(other),
    }
}

/// Returns true if a server is only starting or loading, and will have the answer later.
pub(super) fn is_late(error: &ToolError) -> bool {
    error.more.contains_key(errors::LOADING)
}

/// Returns true if a running server has no answer now, and may have one in a moment.
fn is_for_now(error: &ToolError) -> bool {
    [errors::REFUSAL, errors::RESTARTING].iter().any(|field| error.more.contains_key(*field))
}

/// Returns true if an answer of the map has nothing in it.
fn knows_nothing(answer: &serde_json::Value) -> bool {
    let is_empty =
        |field: &str| answer.get(field).and_then(serde_json::Value::as_array).is_some_and(Vec::is_empty);
    is_empty("locations") || is_empty("symbols") || answer.get("signature").is_some_and(|text| text == "")
}

/// Answers with the definition of the thing at the place.
pub(super) fn definition(call: &mut ToolCall<'_>, asked: &NavQuery, error: ToolError) -> ToolOutcome {
    answer_from_map(call, error, |call| {
        let imported = ImportedAnswer::at(&asked.workspace, &asked.at);
        let places = imported.map(|mut imported| imported.definitions()).unwrap_or_default();
        if !places.is_empty() {
            return locations_of(anchors_of(&asked.workspace, &places), None, SCIP);
        }
        let workspace = call.workspace(NeededIndex::Map)?;
        let found = meaning_at(&workspace, &asked.at, &call.cancel);
        let outside = package_meaning::definitions_beyond(call, &workspace, &asked.at, &found);
        if !outside.is_empty() {
            return locations_of_map(outside.iter().map(PackageDefinition::anchor).collect(), None);
        }
        let locations = match found {
            NameMeaning::Local(local) => local_anchors(&workspace, &asked.at, &local.reaching),
            NameMeaning::Nodes(nodes) => {
                nodes.iter().filter_map(|one| definition_anchor(&workspace, &one.info, one.sure)).collect()
            }
        };
        locations_of_map(locations, None)
    })
}

/// Answers with types and methods that are derived from the thing at the place, on lines that `counts` admits.
pub(super) fn implementations(
    call: &mut ToolCall<'_>,
    asked: &NavQuery,
    error: ToolError,
    counts: InScope<'_>,
) -> ToolOutcome {
    answer_from_map(call, error, |call| {
        let (workspace, mut found) = find_uses(call, asked, UsesQuestion::Implementations)?;
        found.missing.retain(|one| counts(&one.path, one.line));
        if let Some(mut imported) = ImportedAnswer::at(&workspace, &asked.at) {
            let mut places = imported.implementations();
            places.retain(|place| counts(&place.path, place.line));
            if !places.is_empty() {
                return with_map(&workspace, imported, places, found, false);
            }
        }
        locations_of_map(held::missing_anchors(&workspace, &found), None)
    })
}

/// Answers with the uses of the thing at the place, on lines that `counts` admits.
pub(super) fn references(
    call: &mut ToolCall<'_>,
    asked: &NavQuery,
    error: ToolError,
    counts: InScope<'_>,
    with_declaration: bool,
) -> ToolOutcome {
    answer_from_map(call, error, |call| {
        let imported = ImportedAnswer::at(&asked.workspace, &asked.at);
        let workspace = call.workspace(NeededIndex::Map)?;
        if let Some(imported) = imported {
            return imported_references(call, asked, imported, counts, with_declaration);
        }
        if let Some(local) = bound_name_at(&workspace, &asked.at, &call.cancel) {
            let mut places = if with_declaration { local.bindings } else { Vec::new() };
            places.extend(local.uses);
            places.retain(|place| counts(&asked.at.file, place.line));
            return local_references(&workspace, asked, places);
        }
        let (workspace, mut found) = find_uses(call, asked, UsesQuestion::References)?;
        add_guesses(&workspace, asked, &mut found.missing, &with_graph_deadline(&call.cancel));
        found.missing.retain(|one| counts(&one.path, one.line));
        let files = found.missing.chunk_by(|a, b| a.path == b.path).count();
        let declared = meant_definition(&workspace, asked).filter(|_| with_declaration);
        let declared = declared.and_then(|info| definition_anchor(&workspace, &info, Confidence::Exact));
        let mut locations: Vec<Anchor> =
            declared.into_iter().chain(held::missing_anchors(&workspace, &found)).collect();
        enclosing::fill_places(&workspace, &mut locations);
        locations_of_map(locations, Some(files))
    })
}

/// Answers with the uses in imported indexes, and with the map's in files about which these are not believed.
fn imported_references(
    call: &mut ToolCall<'_>,
    asked: &NavQuery,
    mut imported: ImportedAnswer<'_>,
    counts: InScope<'_>,
    with_declaration: bool,
) -> ToolOutcome {
    let mut places = imported.uses();
    if with_declaration {
        places.append(&mut imported.definitions());
    }
    places.retain(|place| counts(&place.path, place.line));
    let is_local = bound_name_at(&asked.workspace, &asked.at, &call.cancel).is_some();
    let (workspace, mut found) = find_uses(call, asked, UsesQuestion::References)?;
    add_guesses(&workspace, asked, &mut found.missing, &with_graph_deadline(&call.cancel));
    found.missing.retain(|one| !is_local && counts(&one.path, one.line));
    with_map(&workspace, imported, places, found, true)
}

/// Answers with places of imported indexes, and with the map's in files about which the indexes are not believed; with
/// their number for references.
fn with_map(
    workspace: &Workspace,
    mut imported: ImportedAnswer<'_>,
    places: Vec<IndexedPlace>,
    mut found: held::MapComparison,
    are_references: bool,
) -> ToolOutcome {
    found.missing.retain(|one| !imported.is_of(&one.path));
    let mut locations = anchors_of(workspace, &places);
    locations.extend(held::missing_anchors(workspace, &found));
    locations.sort_by(|a, b| (&a.file, a.line, a.col).cmp(&(&b.file, b.line, b.col)));
    enclosing::fill_places(workspace, &mut locations);
    let files = are_references.then(|| locations.chunk_by(|a, b| a.file == b.file).count());
    locations_of(locations, files, SCIP)
}

/// Answers with the map's signature and documentation of the thing at the place.
pub(super) fn type_of(call: &mut ToolCall<'_>, asked: &NavQuery, error: ToolError) -> ToolOutcome {
    answer_from_map(call, error, |call| {
        let workspace = call.workspace(NeededIndex::Map)?;
        let found = meaning_at(&workspace, &asked.at, &call.cancel);
        let mut outside = package_meaning::definitions_beyond(call, &workspace, &asked.at, &found);
        let (signature, docs) = match found {
            _ if outside.len() == 1 => {
                outside.pop().map(|one| (one.info.signature, one.info.doc)).unwrap_or_default()
            }
            NameMeaning::Local(local) => (binding_line(&workspace, &asked.at, &local), String::new()),
            NameMeaning::Nodes(nodes) => {
                let only = if nodes.len() == 1 { nodes.into_iter().next() } else { None };
                only.map(|one| (one.info.signature, one.info.doc)).unwrap_or_default()
            }
        };
        let completeness = of_map(signature.is_empty());
        to_data(&TypeResult {
            signature,
            docs,
            range: None::<NameRange>,
            completeness,
            source: MAP.to_owned(),
        })
    })
}

/// Answers with a file's definitions from the map.
pub(super) fn symbols(call: &mut ToolCall<'_>, asked: &NavQuery, error: ToolError) -> ToolOutcome {
    answer_from_map(call, error, |call| {
        let workspace = call.workspace(NeededIndex::Map)?;
        let map = workspace.map();
        let defs = map.file_at(asked.at.file.as_str()).map(|file| map.defs_of(file)).unwrap_or_default();
        let infos: Vec<NodeInfo> = defs.into_iter().filter_map(|def| map.info(def.into())).collect();
        let symbols = outline_tree(&infos);
        let completeness = of_map(symbols.is_empty());
        to_data(&SymbolsResult { symbols, completeness, source: MAP.to_owned() })
    })
}

/// Answers that no diagnostics of a file are known while its server is being replaced. The map has none.
pub(super) fn diagnostics(call: &mut ToolCall<'_>, error: ToolError) -> ToolOutcome {
    if !error.more.contains_key(errors::RESTARTING) {
        return Err(error);
    }
    let unknown =
        "Until there is another one nothing is known of what is wrong there: ask again in a moment.";
    call.notes.warnings.push(format!("{} {unknown}", error.message));
    to_data(&DiagnosticsResult { diagnostics: Vec::new(), complete: false })
}

/// Returns definitions by name, if no running server has an answer.
pub(super) fn definitions_by_name(
    call: &mut ToolCall<'_>,
    query: &str,
    limit: usize,
) -> Result<Vec<SymbolHit>, ToolError> {
    let workspace = call.workspace(NeededIndex::Map)?;
    let query = SearchQuery { text: query, kinds: KindFilter::Any, path_prefix: "", limit };
    let hits = workspace.map().search(&query).hits;
    let defs = hits.into_iter().map(|hit| hit.info).filter(|info| matches!(info.kind, NodeKind::Def(_)));
    Ok(defs.filter_map(symbol_hit).collect())
}

fn symbol_hit(info: NodeInfo) -> Option<SymbolHit> {
    let container = info.qualified.rsplit_once('.').map(|(container, _)| container.to_owned());
    let (line, col) = info.name_at;
    let (kind, file) = (info.kind.as_str().to_owned(), info.path?.to_string());
    Some(SymbolHit { name: info.name, kind, container, file, line, col, external: false })
}

fn of_map(is_empty: bool) -> Completeness {
    if is_empty { Completeness::Unknown } else { Completeness::Partial }
}

fn locations_of_map(locations: Vec<Anchor>, files: Option<usize>) -> ToolOutcome {
    locations_of(locations, files, MAP)
}

fn locations_of(locations: Vec<Anchor>, files: Option<usize>, source: &str) -> ToolOutcome {
    let (total, completeness) = (files.map(|_| locations.len()), of_map(locations.is_empty()));
    to_data(&LocationsResult { locations, total, files, completeness, source: source.to_owned() })
}

/// Returns the definition whose name is at the place of the question, or that is meant there.
fn meant_definition(workspace: &Workspace, asked: &NavQuery) -> Option<NodeInfo> {
    let word = word_at(workspace, &asked.at);
    let map = workspace.map();
    map.info(def_at(&map, asked, &word)?.into())
}

fn def_at(map: &Map, asked: &NavQuery, word: &str) -> Option<DefRef> {
    meaning::def_at(map, &asked.at, word)
}

/// Returns places of a local name as places of an answer.
fn local_anchors(workspace: &Workspace, at: &RequestPosition, places: &[NamePlace]) -> Vec<Anchor> {
    let mut lines = FileLineCache::in_workspace(workspace);
    let file = hob_live::uri::FileRef::Inside(at.file.clone());
    let anchor = |place: &NamePlace| Anchor {
        file: at.file.to_string(),
        line: place.line,
        col: place.col,
        end_line: None,
        snippet: lines.line(&file, place.line),
        external: false,
        from_map: Some(Confidence::Exact.as_str().to_owned()),
        symbol: None,
    };
    places.iter().map(anchor).collect()
}

/// Answers with places of a local name. No other file can have any.
fn local_references(workspace: &Workspace, asked: &NavQuery, mut places: Vec<NamePlace>) -> ToolOutcome {
    places.sort_unstable();
    let mut locations = local_anchors(workspace, &asked.at, &places);
    enclosing::fill_places(workspace, &mut locations);
    let files = usize::from(!locations.is_empty());
    locations_of_map(locations, Some(files))
}

/// Returns the first line that binds a local name, trimmed.
fn binding_line(workspace: &Workspace, at: &RequestPosition, local: &LocalName) -> String {
    let line = local_anchors(workspace, at, local.bindings.get(..1).unwrap_or_default()).pop();
    line.and_then(|anchor| anchor.snippet).map(|text| text.trim().to_owned()).unwrap_or_default()
}

fn find_uses(
    call: &mut ToolCall<'_>,
    asked: &NavQuery,
    question: UsesQuestion,
) -> Result<(std::sync::Arc<Workspace>, held::MapComparison), ToolError> {
    let workspace = call.workspace(NeededIndex::Map)?;
    let (cancel, word) = (with_graph_deadline(&call.cancel), word_at(&workspace, &asked.at));
    let map = workspace.map();
    let found = def_at(&map, asked, &word)
        .map(|def| left_out(&map, def, question, &Listed::default(), &|_| true, &cancel));
    drop(map);
    Ok((workspace, held::MapComparison::of_map(found.unwrap_or_default())))
}

/// Adds the uses that only the graph has, each with its confidence: candidates, and uses of another method of the
/// family.
fn add_guesses(workspace: &Workspace, asked: &NavQuery, found: &mut Vec<Missing>, cancel: &CancelToken) {
    let word = word_at(workspace, &asked.at);
    let map = workspace.map();
    let Some(def) = def_at(&map, asked, &word) else { return };
    let query = NeighborsQuery {
        node: def.into(),
        direction: Direction::In,
        kinds: [EdgeKind::Calls, EdgeKind::References].into_iter().collect(),
        depth: 1,
        max_nodes: MOST_GUESSES,
        family: true,
        cancel: cancel.clone(),
    };
    let around = map.neighbors(&query).map(|answer| answer.neighbors).unwrap_or_default();
    for one in around {
        let Some(path) = one.info.path.clone() else { continue };
        for line in &one.sites {
            if !found.iter().any(|other| other.path == path && other.line == *line) {
                // A use of another method of the family may mean this one.
                let of_family = if one.names.is_some() { Confidence::Candidate } else { one.confidence };
                let (line, confidence, from) = (*line, one.confidence.max(of_family), one.info.clone());
                found.push(Missing { path: path.clone(), line, col: None, confidence, from });
            }
        }
    }
    found.sort_by(|a, b| (&a.path, a.line, a.col).cmp(&(&b.path, b.line, b.col)));
}

fn definition_anchor(workspace: &Workspace, info: &NodeInfo, sure: Confidence) -> Option<Anchor> {
    let path = info.path.clone()?;
    // A file has no name in itself, so it begins at its first line.
    let (line, col) = if info.name_at.0 == 0 { (1, 1) } else { info.name_at };
    let file = path.to_string();
    let snippet = FileLineCache::in_workspace(workspace).line(&hob_live::uri::FileRef::Inside(path), line);
    let from_map = Some(sure.as_str().to_owned());
    Some(Anchor { file, line, col, end_line: None, snippet, external: false, from_map, symbol: None })
}

/// Makes a tree of definitions: each definition is below the one around it.
fn outline_tree(infos: &[NodeInfo]) -> Vec<OutlineEntry> {
    let within = |prefix: &str, info: &NodeInfo| {
        let rest = info.qualified.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('.'));
        rest.is_some_and(|rest| !rest.contains('.'))
    };
    let is_below_one = |info: &&NodeInfo| infos.iter().any(|other| within(&other.qualified, info));
    let entry = |info: &NodeInfo| outline_branch(infos, info, &within);
    infos.iter().filter(|info| !is_below_one(info)).map(entry).collect()
}

fn outline_branch(
    infos: &[NodeInfo],
    info: &NodeInfo,
    within: &dyn Fn(&str, &NodeInfo) -> bool,
) -> OutlineEntry {
    let children = infos.iter().filter(|child| within(&info.qualified, child));
    OutlineEntry {
        name: info.name.clone(),
        kind: info.kind.as_str().to_owned(),
        line: info.name_at.0,
        col: info.name_at.1,
        end_line: info.lines.1,
        start_line: Some(info.lines.0).filter(|first| *first < info.name_at.0),
        detail: Some(info.signature.clone()).filter(|text| !text.is_empty()),
        children: children.map(|child| outline_branch(infos, child, within)).collect(),
    }
}
