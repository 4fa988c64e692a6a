//! Shows uses that only the map knows in addition to a server's places.

use std::collections::BTreeMap;

use hob_base::LineIndex;
use hob_bridge::Missing;
use hob_live::uri::FileRef;
use hob_proto::Anchor;
use hob_proto::tools::nav::{Call, CallSite};

use super::super::ask::text_of;
use super::MapComparison;
use hob_host::Workspace;
use hob_results::FileLineCache;

/// Returns the missing uses as places with their lines.
pub(crate) fn missing_anchors(workspace: &Workspace, held: &MapComparison) -> Vec<Anchor> {
    let mut lines = FileLineCache::in_workspace(workspace);
    let anchor = |one: &Missing| Anchor {
        file: one.path.to_string(),
        line: one.line,
        col: one.col.unwrap_or_else(|| col_of(workspace, one, &held.name)),
        end_line: None,
        snippet: lines.line(&FileRef::Inside(one.path.clone()), one.line),
        external: false,
        from_map: Some(one.confidence.as_str().to_owned()),
        symbol: None,
    };
    held.missing.iter().map(anchor).collect()
}

/// Returns the column of the name in the line of an import; 1 if it is on another line.
fn col_of(workspace: &Workspace, one: &Missing, name: &str) -> u32 {
    let text = text_of(workspace, &one.path).unwrap_or_default();
    let range = LineIndex::new(text.as_bytes()).line_range(one.line);
    let line = range.and_then(|range| text.get(range)).unwrap_or_default();
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut places = line.match_indices(name).map(|(at, _)| at);
    let whole = places.find(|at| {
        let (before, after) = (&line[..*at], &line[at + name.len()..]);
        !before.ends_with(is_part) && !after.starts_with(is_part)
    });
    whole.map_or(1, |at| line[..at].encode_utf16().count() as u32 + 1)
}

/// Returns the callers of missing calls, each with its calls, by file and line.
pub(crate) fn calls_of_missing(missing: &[Missing]) -> Vec<Call> {
    let mut by_caller: BTreeMap<(String, (u32, u32)), Call> = BTreeMap::new();
    for one in missing {
        let (from, file) = (&one.from, one.path.to_string());
        let caller = by_caller.entry((file.clone(), from.name_at)).or_insert_with(|| Call {
            name: from.name.clone(),
            kind: from.kind.as_str().to_owned(),
            file,
            line: from.name_at.0.max(1),
            col: from.name_at.1.max(1),
            depth: 1,
            call_sites: Vec::new(),
            calls: Vec::new(),
            external: false,
            from_map: Some(one.confidence.as_str().to_owned()),
        });
        caller.call_sites.push(CallSite { line: one.line, col: one.col });
    }
    by_caller.into_values().collect()
}
