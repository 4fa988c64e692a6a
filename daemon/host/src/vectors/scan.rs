//! Searches all vectors for the nearest.
//!
//! Every vector is compared: at some hundred thousand that takes some milliseconds, is exact, and needs no index that
//! an edit would have to change. The hits are in the same order in every run, on any number of threads.

use hob_base::FileId;
use hob_embed::Codes;
use hob_map::facts::DefIdx;
use hob_map::graph::DefRef;
use hob_map::{FileFacts, Map};
use hob_proto::node_id::NodeId;
use rayon::prelude::*;

use super::answer::Admits;
use super::state::FileVectors;
use super::text::vector_worth;
use crate::workspace::Workspace;

/// Hits that are found beyond those asked for, because some may have changed meanwhile.
const SLACK: usize = 32;

/// The similarity of a vector, and its definition.
type Hit = (f32, DefRef);

/// Returns the `k` nearest definitions that the map still has.
pub(super) fn nearest_in_map(
    workspace: &Workspace,
    query: &Codes,
    k: usize,
    admits: Option<Admits<'_>>,
) -> Vec<(NodeId, f32)> {
    let all = collect_hits(workspace, query, admits);
    let best = best_with_equals(all, k.saturating_add(SLACK));
    let map = workspace.map();
    let files = workspace.vectors.files();
    let is_there = |at: DefRef| {
        let vectors = files.get(&at.file);
        map.file(at.file).zip(vectors).is_some_and(|((_, facts), vectors)| vectors.are_of(facts))
    };
    let there = best.into_iter().filter(|(_, at)| is_there(*at));
    let mut named: Vec<_> = there.map(|(found, at)| (map.id(at.into()), found)).collect();
    drop((files, map));
    named.sort_by(|(a, x), (b, y)| y.total_cmp(x).then_with(|| a.cmp(b)));
    named.truncate(k);
    named
}

fn collect_hits(workspace: &Workspace, query: &Codes, admits: Option<Admits<'_>>) -> Vec<Hit> {
    let files = workspace.vectors.files();
    let one = |(file, vectors): (&FileId, &FileVectors)| {
        let mut hits = Vec::new();
        // The facts are held meanwhile, so that `admits` finds the definition.
        let facts = admits.and_then(|_| vectors.facts.upgrade());
        let is_meant = |def: DefIdx| match (admits, &facts) {
            (Some(admits), Some(facts)) => admits(*file, facts.def(def)),
            (admits, _) => admits.is_none(),
        };
        vectors.codes.compare(query, |place, found| {
            let def = vectors.defs[place];
            if found > 0.0 && is_meant(def) {
                hits.push((found, DefRef { file: *file, def }));
            }
        });
        hits
    };
    workspace.query_pool().install(|| files.par_iter().flat_map_iter(one).collect())
}

/// Returns the best hits, and all that are as good as the last of them.
fn best_with_equals(mut all: Vec<Hit>, most: usize) -> Vec<Hit> {
    if all.len() > most && most > 0 {
        all.select_nth_unstable_by(most - 1, |(x, _), (y, _)| y.total_cmp(x));
        let last = all[most - 1].0;
        all.retain(|(found, _)| *found >= last);
    }
    all
}

/// Returns the definitions of a file that are worth a vector.
pub(super) fn worthy_definitions(
    map: &Map,
    file: FileId,
    facts: &FileFacts,
    least: Option<u64>,
) -> Vec<DefIdx> {
    let all = facts.defs_indexed();
    let is_worthy = |(def, found): &(DefIdx, &hob_map::facts::Def)| {
        let node = DefRef { file, def: *def }.into();
        least.is_none_or(|least| vector_worth(map, facts, node, found) > least)
    };
    all.filter(is_worthy).map(|(def, _)| def).collect()
}
