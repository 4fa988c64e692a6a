//! Ranks the definitions that a topic is about: those that its words found, and those near them in the graph.
//!
//! Words weigh more than the graph: the definitions that they found keep their order, except for a bonus for
//! those connected with the others, and the definitions that the graph adds follow. The same question about
//! the same files gives the same list on every machine: relevance is rounded before it is compared, and equal
//! ones are ordered by node ID.

use std::cmp::Ordering;

use hob_base::FileId;
use hob_map::Map;
use hob_map::graph::NodeRef;
use rustc_hash::FxHashMap;

/// The weights of the two sources of relevance: the words, and nearness in the graph.
const WORDS: f64 = 0.7;
const NEAR: f64 = 0.3;

/// The share of the highest nearness below which a node is not about the topic.
const NEAR_ENOUGH: f64 = 0.02;

/// The factor for each further place in the same file.
const AGAIN: f64 = 0.85;

/// Most entries of a bundle.
const MOST: usize = 60;

/// A definition that the words found, with its score.
#[derive(Clone, Copy, Debug)]
pub struct Seed {
    /// The definition.
    pub node: NodeRef,
    /// The score from the index.
    pub score: f32,
}

/// A place that the topic is about.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RankedPlace {
    /// The definition or the file.
    pub node: NodeRef,
    /// The relevance, 0 to 1, in thousandths.
    pub relevance: f64,
    /// True if the words of the topic found it; false for a neighbour of such a place.
    pub is_seed: bool,
}

/// Returns the places that a topic is about, most relevant first.
pub fn rank(map: &Map, seeds: &[Seed], admits: &dyn Fn(NodeRef) -> bool) -> Vec<RankedPlace> {
    let best = seeds.iter().map(|seed| f64::from(seed.score)).fold(f64::MIN_POSITIVE, f64::max);
    let mut words: FxHashMap<NodeRef, f64> = FxHashMap::default();
    for seed in seeds {
        let share = words.entry(seed.node).or_default();
        *share = share.max(f64::from(seed.score) / best);
    }
    // The seeds keep their order, because sums of fractions depend on it.
    let weighted: Vec<(NodeRef, f64)> =
        seeds.iter().filter_map(|seed| Some((seed.node, words.get(&seed.node)?.powi(2)))).collect();
    let near = map.nearby_nodes(&weighted);
    let nearest = near.first().map_or(f64::MIN_POSITIVE, |(_, rank)| *rank);
    let mut shares: FxHashMap<NodeRef, f64> = FxHashMap::default();
    for (node, rank) in near {
        let share = rank / nearest;
        let is_wanted = share >= NEAR_ENOUGH && matches!(node, NodeRef::Def(_)) && admits(node);
        if is_wanted || words.contains_key(&node) {
            shares.insert(node, share);
        }
    }
    let nodes: Vec<NodeRef> =
        words.keys().chain(shares.keys().filter(|node| !words.contains_key(node))).copied().collect();
    let place = |node: NodeRef| {
        let (said, close) = (words.get(&node), shares.get(&node).copied().unwrap_or(0.0));
        let relevance = WORDS * said.copied().unwrap_or(0.0) + NEAR * close;
        RankedPlace { node, relevance: (relevance * 1e3).round() / 1e3, is_seed: said.is_some() }
    };
    first(map, nodes.into_iter().map(place).collect())
}

/// Returns the first places in a total order; names are made only for places that may be among them.
fn first(map: &Map, mut places: Vec<RankedPlace>) -> Vec<RankedPlace> {
    places.sort_by(|a, b| b.relevance.total_cmp(&a.relevance));
    if let Some(last) = places.get(MOST - 1).map(|place| place.relevance) {
        places.retain(|place| place.relevance >= last);
    }
    let mut named: Vec<(String, RankedPlace)> =
        places.into_iter().map(|place| (map.id(place.node).to_string(), place)).collect();
    named.sort_by(|(name, a), (other, b)| match b.relevance.total_cmp(&a.relevance) {
        Ordering::Equal => name.cmp(other),
        unequal => unequal,
    });
    named.truncate(MOST);
    spread_over_files(named.into_iter().map(|(_, place)| place).collect())
}

/// Mixes places of other files into many places of one file: each further place of a file counts less, so
/// that the beginning of an answer shows how widely the topic is spread, and not one file in every detail.
fn spread_over_files(places: Vec<RankedPlace>) -> Vec<RankedPlace> {
    let mut seen: FxHashMap<Option<FileId>, i32> = FxHashMap::default();
    let mut worth: Vec<(f64, RankedPlace)> = Vec::with_capacity(places.len());
    for place in places {
        let before = seen.entry(place.node.file()).or_default();
        worth.push((place.relevance * AGAIN.powi(*before), place));
        *before += 1;
    }
    // The sort is stable, so that equal places keep their order.
    worth.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    worth.into_iter().map(|(_, place)| place).collect()
}
