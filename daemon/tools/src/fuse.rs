//! Fuses two rankings: the definitions that the words of a question find, and those that are near to its meaning.
//!
//! Their scores cannot be compared, so places count and not scores: reciprocal rank fusion, after G. V. Cormack, C. L.
//! A. Clarke and S. Büttcher, "Reciprocal rank fusion outperforms Condorcet and individual rank learning methods"
//! (2009).

use hob_base::{Deadline, FileId};
use hob_map::facts::Def;
use hob_map::graph::NodeRef;
use hob_proto::NodeId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

use super::ToolCall;
use super::text_search::RankedQuery;
use hob_host::Workspace;
use hob_results::text_search::MappedHit;

/// Damping of the weights by place, as in the paper: greater values make them fall more slowly.
const DAMPING: f32 = 60.0;

/// Factor that gives scores digits before the point.
const SCALE: f32 = 100.0;

/// Least number of hits of each ranking that take part.
pub(super) const DEPTH: usize = 50;

/// Finds definitions whose meaning is near to `text`, and warns if not all had vectors.
pub(super) fn find_near(
    call: &mut ToolCall<'_>,
    workspace: &Arc<Workspace>,
    text: &str,
    asked: &RankedQuery,
) -> Vec<MappedHit> {
    let below = asked.is_scoped().then(|| {
        let text = workspace.text();
        let inside = text.indexed_paths().filter(|(_, path)| asked.admits_file(path));
        inside.map(|(file, _)| file).collect::<FxHashSet<FileId>>()
    });
    let admits = |file: FileId, def: &Def| {
        let kind = hob_host::doc_kind(def.kind);
        below.as_ref().is_none_or(|below| below.contains(&file))
            && (asked.kinds.is_empty() || asked.kinds.contains(&kind))
    };
    let cancel = call.cancel.with_deadline(Deadline::after(super::BARRIER_PATIENCE));
    let nearest = workspace.nearest_of(text, asked.limit, Some(&admits), &cancel);
    call.notes.warnings.extend(nearest.state.vectors_warning());
    let mut hits =
        nearest.hits.into_iter().filter_map(|(id, found)| named_hit(workspace, &id, found)).collect();
    asked.keep(workspace, &mut hits);
    hits
}

fn named_hit(workspace: &Workspace, id: &NodeId, found: f32) -> Option<MappedHit> {
    let map = workspace.map();
    let Some(NodeRef::Def(at)) = map.node(id) else { return None };
    let (path, facts) = map.file(at.file)?;
    let def = facts.defs.get(at.def.index())?;
    Some(MappedHit {
        id: Some(id.to_string()),
        kind: hob_host::doc_kind(def.kind),
        title: facts.name(def.qualified).to_owned(),
        path: path.clone(),
        line: def.name_at.0,
        lines: def.lines,
        score: found,
        words: 0,
        stale: false,
    })
}

/// Fuses both rankings into one, best first; hits of only one ranking are in it too.
pub(super) fn fuse_rankings(rankings: [Vec<MappedHit>; 2]) -> Vec<MappedHit> {
    let key = |hit: &MappedHit| hit.id.clone().unwrap_or_else(|| hit.path.to_string());
    let (mut places, mut all): (FxHashMap<String, usize>, Vec<MappedHit>) = Default::default();
    for ranking in rankings {
        for (place, hit) in ranking.into_iter().enumerate() {
            let score = SCALE / (DAMPING + (place + 1) as f32);
            match places.get(&key(&hit)) {
                Some(known) => all[*known].score += score,
                None => {
                    places.insert(key(&hit), all.len());
                    all.push(MappedHit { score, ..hit });
                }
            }
        }
    }
    // The sort is stable: of equals, the hit that words found comes first.
    all.sort_by(|a, b| b.score.total_cmp(&a.score));
    all
}

#[cfg(test)]
mod tests {
    use hob_base::WsPath;
    use hob_text::ranked::DocKind;

    use super::*;

    fn ranking_of(names: &[&str]) -> Vec<MappedHit> {
        let one = |name: &&str| MappedHit {
            id: Some((*name).to_owned()),
            kind: DocKind::Symbol,
            title: (*name).to_owned(),
            path: WsPath::new("a.py").expect("relative"),
            line: 1,
            lines: (1, 1),
            score: 9.0,
            words: 0,
            stale: false,
        };
        names.iter().map(one).collect()
    }

    #[test]
    fn what_both_find_comes_first_and_nothing_is_lost() {
        let fused = fuse_rankings([ranking_of(&["a", "b", "c"]), ranking_of(&["d", "c"])]);
        let ids: Vec<_> = fused.iter().filter_map(|hit| hit.id.as_deref()).collect();
        assert_eq!(ids, ["c", "a", "d", "b"]);
    }
}
