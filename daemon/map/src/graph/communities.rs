//! Groups files that use each other more than others, by Louvain's method (Blondel, Guillaume, Lambiotte, Lefebvre
//! 2008).
//!
//! Nodes are visited in an order shuffled by a fixed seed; ties go to the smaller community. The input is numbered by
//! path, so the outcome is the same on every machine. After each level, communities that fell apart are split into
//! their connected parts, which is the defect of Louvain that Leiden (Traag, Waltman, van Eck 2019) repairs.

use rustc_hash::FxHashMap;

const SEED: u64 = 42;
/// Most passes over the nodes in one level, and most levels.
const MAX_PASSES: usize = 20;
const MAX_LEVELS: usize = 12;

/// An undirected weighted graph.
#[derive(Debug)]
pub(super) struct FileGraph {
    /// The neighbours of each node with the weights, sorted by neighbour.
    links: Vec<Vec<(u32, f64)>>,
    /// The weight within each node that stands for several; 0 otherwise.
    inner: Vec<f64>,
}

impl FileGraph {
    /// Builds the graph from the weights of pairs of distinct nodes, each pair once.
    pub(super) fn new(nodes: usize, weights: &FxHashMap<(u32, u32), f32>) -> Self {
        let mut links = vec![Vec::new(); nodes];
        for (&(a, b), &weight) in weights {
            links[a as usize].push((b, f64::from(weight)));
            links[b as usize].push((a, f64::from(weight)));
        }
        links.iter_mut().for_each(|list| list.sort_unstable_by_key(|link| link.0));
        Self { links, inner: vec![0.0; nodes] }
    }

    fn len(&self) -> usize {
        self.links.len()
    }

    fn strength(&self, node: usize) -> f64 {
        2.0 * self.inner[node] + self.links[node].iter().map(|link| link.1).sum::<f64>()
    }

    /// Returns the graph whose nodes are this one's communities.
    fn condense(&self, community: &[u32], count: usize) -> Self {
        let mut inner = vec![0.0; count];
        let mut sums: Vec<FxHashMap<u32, f64>> = vec![FxHashMap::default(); count];
        for node in 0..self.len() {
            let home = community[node];
            inner[home as usize] += self.inner[node];
            for &(other, weight) in &self.links[node] {
                let there = community[other as usize];
                if there == home {
                    inner[home as usize] += weight / 2.0;
                } else {
                    *sums[home as usize].entry(there).or_default() += weight;
                }
            }
        }
        let mut links: Vec<Vec<(u32, f64)>> = sums.into_iter().map(|sum| sum.into_iter().collect()).collect();
        links.iter_mut().for_each(|list| list.sort_unstable_by_key(|link| link.0));
        Self { links, inner }
    }
}

/// Returns the community of each node, numbered by size, 0 for the largest; ties by first node.
pub(super) fn detect_communities(graph: &FileGraph) -> Vec<u32> {
    let mut membership: Vec<u32> = (0..graph.len() as u32).collect();
    let mut level: Option<FileGraph> = None;
    for _ in 0..MAX_LEVELS {
        let current = level.as_ref().unwrap_or(graph);
        let moved = move_nodes(current);
        let (community, count) = connected_parts(current, &moved);
        if count == current.len() {
            break;
        }
        membership.iter_mut().for_each(|at| *at = community[*at as usize]);
        level = Some(current.condense(&community, count));
    }
    by_size(&membership)
}

/// Moves each node to the neighbouring community that gains most modularity, until none gains.
fn move_nodes(graph: &FileGraph) -> Vec<u32> {
    let mut community: Vec<u32> = (0..graph.len() as u32).collect();
    let strength: Vec<f64> = (0..graph.len()).map(|node| graph.strength(node)).collect();
    let mut total = strength.clone();
    let all: f64 = strength.iter().sum();
    if all <= 0.0 {
        return community;
    }
    let order = shuffled_order(graph.len());
    let mut towards: FxHashMap<u32, f64> = FxHashMap::default();
    for _ in 0..MAX_PASSES {
        let mut moves = 0;
        for &node in &order {
            let home = community[node];
            towards.clear();
            for &(other, weight) in &graph.links[node] {
                *towards.entry(community[other as usize]).or_default() += weight;
            }
            total[home as usize] -= strength[node];
            let gain = |c: u32, weight: f64| weight - strength[node] * total[c as usize] / all;
            let stay = (gain(home, towards.get(&home).copied().unwrap_or(0.0)), home);
            let best = towards.iter().map(|(&c, &weight)| (gain(c, weight), c)).fold(stay, better_gain);
            total[best.1 as usize] += strength[node];
            if best.1 != home {
                community[node] = best.1;
                moves += 1;
            }
        }
        if moves == 0 {
            break;
        }
    }
    community
}

/// Returns the larger gain; between gains that differ by rounding alone, the smaller community.
fn better_gain(a: (f64, u32), b: (f64, u32)) -> (f64, u32) {
    let difference = b.0 - a.0;
    if difference > 1e-9 || (difference > -1e-9 && b.1 < a.1) { b } else { a }
}

/// Splits communities into connected parts, numbered in order of first node. Returns the community of each node, and
/// the number of communities.
fn connected_parts(graph: &FileGraph, community: &[u32]) -> (Vec<u32>, usize) {
    let mut part = vec![u32::MAX; graph.len()];
    let mut count = 0;
    for start in 0..graph.len() {
        if part[start] != u32::MAX {
            continue;
        }
        part[start] = count;
        let mut stack = vec![start];
        while let Some(node) = stack.pop() {
            for &(other, _) in &graph.links[node] {
                let other = other as usize;
                if part[other] == u32::MAX && community[other] == community[start] {
                    part[other] = count;
                    stack.push(other);
                }
            }
        }
        count += 1;
    }
    (part, count as usize)
}

fn by_size(membership: &[u32]) -> Vec<u32> {
    let mut sizes: FxHashMap<u32, (usize, usize)> = FxHashMap::default();
    for (node, community) in membership.iter().enumerate() {
        sizes.entry(*community).or_insert((0, node)).0 += 1;
    }
    let mut order: Vec<(u32, (usize, usize))> = sizes.into_iter().collect();
    order.sort_unstable_by_key(|(_, (size, first))| (std::cmp::Reverse(*size), *first));
    let number: FxHashMap<u32, u32> = order.iter().enumerate().map(|(i, (c, _))| (*c, i as u32)).collect();
    membership.iter().map(|community| number[community]).collect()
}

/// Returns the numbers below `count` in an order that a fixed seed decides (SplitMix64, Fisher-Yates).
fn shuffled_order(count: usize) -> Vec<usize> {
    let mut state = SEED;
    let mut random = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let mut order: Vec<usize> = (0..count).collect();
    for i in (1..count).rev() {
        order.swap(i, (random() % (i as u64 + 1)) as usize);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file_graph(nodes: usize, pairs: &[(u32, u32)]) -> FileGraph {
        FileGraph::new(nodes, &pairs.iter().map(|&pair| (pair, 1.0)).collect())
    }

    #[test]
    fn two_cliques_joined_by_one_edge_are_two_communities() {
        let clique = |from: u32, size: u32| {
            (from..from + size).flat_map(move |a| (a + 1..from + size).map(move |b| (a, b)))
        };
        let mut pairs: Vec<(u32, u32)> = clique(0, 5).chain(clique(5, 4)).collect();
        pairs.push((4, 5));
        assert_eq!(detect_communities(&file_graph(10, &pairs)), [0, 0, 0, 0, 0, 1, 1, 1, 1, 2]);
    }

    #[test]
    fn files_without_ties_stay_alone() {
        assert_eq!(detect_communities(&file_graph(3, &[])), [0, 1, 2]);
        assert_eq!(detect_communities(&file_graph(0, &[])), [0u32; 0]);
    }
}
