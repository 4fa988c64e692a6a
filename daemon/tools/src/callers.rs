//! Credits hits with words in the names of their callers: "recycle connections on checkout" asks for a function that
//! `checkout` calls, and that function need not have the word.
//!
//! A hit that another hit calls gains the words of the question that occur in the caller's name and that it lacks.

use std::collections::BTreeSet;

use hob_map::Map;
use hob_map::graph::{EdgeKind, NodeRef};
use hob_text::ranked::terms_of;
use rustc_hash::FxHashMap;

use hob_results::text_search::MappedHit;

/// Number of hits whose calls are examined.
pub(super) const DEPTH: usize = 40;

/// Most hits of one caller: a caller of more leads to all of them, and says little about each.
const FEW: usize = 3;

/// Weight of a caller's word, where one of the hit's own counts 1.
const WORTH: f32 = 0.5;

/// Raises the scores of hits that other hits call, and sorts all hits again.
pub(super) fn credit_callers(map: &Map, hits: &mut [MappedHit], rarities: &[(String, f32)]) {
    let nodes: Vec<Option<NodeRef>> =
        hits.iter().map(|hit| map.node(&hit.id.as_ref()?.parse().ok()?)).collect();
    let places: FxHashMap<NodeRef, usize> =
        nodes.iter().enumerate().filter_map(|(at, node)| Some(((*node)?, at))).collect();
    let mut added = vec![0_u32; hits.len()];
    for (at, node) in nodes.iter().enumerate().take(DEPTH) {
        let Some(node @ NodeRef::Def(_)) = *node else { continue };
        let said = in_name(&hits[at], rarities);
        if said == 0 || map.is_among_tests(node) {
            continue;
        }
        let called = map.written_targets(node, [EdgeKind::Calls].into_iter().collect());
        let called = called.into_iter().filter_map(|to| places.get(&NodeRef::Def(to)).copied());
        let lacking: BTreeSet<usize> =
            called.filter(|called| *called != at && said & !hits[*called].words != 0).collect();
        if lacking.len() <= FEW {
            lacking.iter().for_each(|called| added[*called] |= said & !hits[*called].words);
        }
    }
    for (hit, added) in hits.iter_mut().zip(added) {
        hit.score *= caller_factor(worth_of_words(hit.words, rarities), worth_of_words(added, rarities));
    }
    // The sort is stable: equals stay in their order.
    hits.sort_by(|a, b| b.score.total_cmp(&a.score));
}

/// Returns the words of the question that the last part of a hit's name has, one bit each.
fn in_name(hit: &MappedHit, rarities: &[(String, f32)]) -> u32 {
    let name = hit.title.rsplit(['.', ':']).next().unwrap_or(&hit.title);
    let place = |stem: &str| rarities.iter().position(|(word, _)| word == stem);
    terms_of(name).iter().filter_map(|term| place(&term.stem)).fold(0, |all, at| all | 1 << at)
}

fn worth_of_words(words: u32, rarities: &[(String, f32)]) -> f32 {
    let has = |at: usize| words & (1 << at) != 0;
    rarities.iter().enumerate().filter(|(at, _)| has(*at)).map(|(_, (_, rarity))| rarity).sum()
}

/// Returns the factor by which callers raise a hit's score: for the greater coverage of the question, as the index
/// counts it, and for the words themselves. `own` and `added` are the worth of the words in the hit and in its callers,
/// which count at most as much as the hit.
fn caller_factor(own: f32, added: f32) -> f32 {
    if own <= 0.0 || added <= 0.0 {
        return 1.0;
    }
    let share = (added / own).min(1.0);
    (1.0 + share).sqrt() * (1.0 + WORTH * share)
}
