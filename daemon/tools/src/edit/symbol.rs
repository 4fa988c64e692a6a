//! Answers `edit_symbol`: replaces or deletes a definition, or inserts code next to it.
//!
//! The place of the definition is found again in the very contents that are edited: the map may be a moment old, and a
//! change set may have moved the definition.

use std::ops::Range;

use hob_base::WsPath;
use hob_edit::{Proposal, SymbolOperation, SymbolPlace, edit_symbol};
use hob_map::facts::FileFacts;
use hob_map::graph::{Confidence, Direction, EdgeKind, EdgeKinds, NeighborsQuery, NodeInfo, NodeRef};
use hob_map::langs::Lang;
use hob_map::{Map, extract};
use hob_proto::tools::edit::{Operation, SymbolArgs};
use hob_proto::{ErrorCode, NodeId, ToolError};
use serde_json::json;

use super::super::{NeededIndex, ToolCall, ToolOutcome, target};
use super::{EditDraft, guard};
use hob_results::errors;

const TOOL: &str = "edit_symbol";

/// Most references that a refusal names.
const NAMED: usize = 5;

/// Most references to one definition that are read before it may be deleted.
const LOOKED_AT: usize = 200;

/// Most definitions within one that are examined.
const PARTS: usize = 500;

pub(crate) fn symbol(call: &mut ToolCall<'_>) -> ToolOutcome {
    let args: SymbolArgs = call.parse_args()?;
    let operation = parse_operation(&args)?;
    let workspace = call.workspace(NeededIndex::Map)?;
    let desk = EditDraft::new(call, workspace, args.stage)?;
    let (info, lang) = definition(call, &desk, &args.node_id)?;
    let path = info.path.clone().ok_or_else(|| errors::node_without_file(&args.node_id))?;
    let path = guard::real_path(&desk.workspace, path.as_str())?;
    if args.operation == Operation::Delete && !args.force {
        refuse_if_used(call, &desk.workspace.map(), &info)?;
    }
    let before = desk.contents_before(call, &path)?;
    let facts = extract(lang, path.file_name(), &before);
    let bytes = definition_range(&facts, &info).ok_or_else(|| symbol_not_in_file(&args.node_id, &path))?;
    let place = SymbolPlace { bytes, language: lang.id() };
    let splices = edit_symbol(&before, &place, operation)
        .map_err(|error| ToolError::bad_args(format!("`{path}`: {error}")))?;
    let label = format!("{} {} in {path}", verb_of(args.operation), info.qualified);
    let changes = EditDraft::change_of(path, before, &splices)?.into_iter().collect();
    desk.propose(call, Proposal { label, tool: TOOL.to_owned(), changes }, None)
}

fn verb_of(operation: Operation) -> &'static str {
    match operation {
        Operation::Replace => "Replace",
        Operation::InsertBefore => "Insert before",
        Operation::InsertAfter => "Insert after",
        Operation::Delete => "Delete",
    }
}

fn parse_operation(args: &SymbolArgs) -> Result<SymbolOperation<'_>, ToolError> {
    let source = || {
        let missing = || {
            ToolError::bad_args("`source` is missing: the code to put there")
                .hint("Only `delete` goes without `source`.")
        };
        args.source.as_deref().ok_or_else(missing)
    };
    Ok(match args.operation {
        Operation::Replace => SymbolOperation::Replace(source()?),
        Operation::InsertBefore => SymbolOperation::InsertBefore(source()?),
        Operation::InsertAfter => SymbolOperation::InsertAfter(source()?),
        Operation::Delete if args.source.is_some() => {
            return Err(ToolError::bad_args("`delete` takes no `source`")
                .hint("To put something else there, use `replace`."));
        }
        Operation::Delete => SymbolOperation::Delete,
    })
}

fn definition(call: &mut ToolCall<'_>, desk: &EditDraft, text: &str) -> Result<(NodeInfo, Lang), ToolError> {
    let map = desk.workspace.map();
    let node = target::one(call, &map, &desk.workspace, text)?;
    let NodeRef::Def(def) = node else {
        return Err(ToolError::bad_args(format!("`{text}` is no definition within a file"))
            .hint("Pass a definition; for other edits of a file use edit_text."));
    };
    let lang = map.file(def.file).map(|(_, facts)| facts.lang);
    match (map.info(node), lang) {
        (Some(info), Some(lang)) => Ok((info, lang)),
        _ => Err(errors::node_not_found(text)),
    }
}

fn ordinal_of(id: &NodeId) -> u32 {
    match id {
        NodeId::Symbol { ordinal, .. } => *ordinal,
        _ => 1,
    }
}

/// Returns the range of the definition in the file with these facts.
fn definition_range(facts: &FileFacts, info: &NodeInfo) -> Option<Range<usize>> {
    let ordinal = ordinal_of(&info.id);
    let same =
        |def: &&hob_map::facts::Def| facts.name(def.qualified) == info.qualified && def.ordinal == ordinal;
    let (start, end) = facts.defs.iter().find(same)?.bytes;
    Some(start as usize..end as usize)
}

fn symbol_not_in_file(id: &str, path: &WsPath) -> ToolError {
    ToolError::new(ErrorCode::SymbolNotFound, format!("`{id}` is not in `{path}` as it is now."))
        .hint("Look with map_search where it went, and pass that nodeId.")
}

/// Refuses while code outside of the definition refers to it or to a definition in it. Candidates only cause a warning.
fn refuse_if_used(call: &mut ToolCall<'_>, map: &Map, info: &NodeInfo) -> Result<(), ToolError> {
    let inside = |other: &NodeInfo| {
        other.path == info.path && other.lines.0 >= info.lines.0 && other.lines.1 <= info.lines.1
    };
    let file = info.node.file();
    let parts = file.into_iter().flat_map(|file| map.defs_of(file)).map(NodeRef::from);
    let parts = parts.filter(|part| map.info(*part).is_some_and(|part| inside(&part))).take(PARTS);
    let (mut users, mut count, mut possible) = (Vec::new(), 0, 0);
    for part in parts {
        let Some(answer) = map.neighbors(&users_of(call, part)) else { continue };
        let outside = answer.neighbors.iter().filter(|one| !inside(&one.info));
        let (unsure, sure): (Vec<_>, Vec<_>) =
            outside.partition(|one| one.confidence == Confidence::Candidate);
        count += sure.len() + answer.omitted;
        possible += unsure.len();
        users.extend(sure.iter().map(|one| one.info.id.to_string()));
    }
    if count == 0 {
        if possible > 0 {
            let what = format!(
                "{possible} other definitions may refer to `{}`: hob is not sure (map_neighbors).",
                info.id
            );
            call.notes.warnings.push(what);
        }
        return Ok(());
    }
    users.sort();
    users.dedup();
    let named = users.iter().take(NAMED).map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ");
    let message = format!("`{}` is still referred to, {count} times: by {named}.", info.id);
    Err(ToolError::bad_args(message)
        .hint("Change those first (map_neighbors lists them all), or pass force=true.")
        .with_field("references", json!(users)))
}

fn users_of(call: &ToolCall<'_>, node: NodeRef) -> NeighborsQuery {
    NeighborsQuery {
        node,
        direction: Direction::In,
        kinds: EdgeKinds::ALL.without(EdgeKind::Contains),
        depth: 1,
        max_nodes: LOOKED_AT,
        family: false,
        cancel: call.cancel.clone(),
    }
}
