//! Computes hub scores: half normalised degree, half PageRank.
//!
//! PageRank by power iteration (Page, Brin, Motwani, Winograd 1999), damping 0.85, dangling mass spread evenly.
//! Packages outside take part in the flow but not in the normalisation, or one popular library would flatten every
//! score.

const DAMPING: f64 = 0.85;
const ITERATIONS: usize = 40;
const TOLERANCE: f64 = 1e-9;

/// A directed graph without repeated edges, stored by incoming edges.
#[derive(Debug)]
pub(super) struct Graph {
    /// The index in `sources` of each node's first source; one entry more than there are nodes.
    starts: Vec<u32>,
    sources: Vec<u32>,
    out_degree: Vec<u32>,
}

impl Graph {
    /// Builds the graph from the sources of each node, in any order and with repetitions; an edge from a node to
    /// itself does not count.
    pub(super) fn new<I: Iterator<Item = u32>>(nodes: usize, sources_of: impl Fn(u32) -> I) -> Self {
        let mut starts = Vec::with_capacity(nodes + 1);
        let (mut sources, mut out_degree, mut of_node) = (Vec::new(), vec![0; nodes], Vec::new());
        starts.push(0);
        for node in 0..nodes as u32 {
            of_node.extend(sources_of(node).filter(|source| *source != node));
            of_node.sort_unstable();
            of_node.dedup();
            of_node.iter().for_each(|source| out_degree[*source as usize] += 1);
            sources.append(&mut of_node);
            starts.push(sources.len() as u32);
        }
        Self { starts, sources, out_degree }
    }

    pub(super) fn edge_count(&self) -> usize {
        self.sources.len()
    }

    fn sources(&self, node: usize) -> &[u32] {
        &self.sources[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    fn degree(&self, node: usize) -> usize {
        self.sources(node).len() + self.out_degree[node] as usize
    }

    fn len(&self) -> usize {
        self.out_degree.len()
    }
}

/// The two groups of nodes that are scored separately: code and notes. No edge leads from one group to the other, so
/// the flow through a group depends on the other one only by a factor, which the normalisation removes.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// For each node, true if it is of the second group.
    second: Vec<bool>,
}

impl Groups {
    /// Assigns the next `count` nodes to a group.
    pub(super) fn push(&mut self, count: usize, second: bool) {
        self.second.resize(self.second.len() + count, second);
    }

    /// Returns true if `from` is of the second group and `to` is not.
    pub(super) fn are_apart(&self, from: u32, to: u32) -> bool {
        let is_second = |node: u32| self.second.get(node as usize).copied().unwrap_or(false);
        is_second(from) && !is_second(to)
    }
}

/// Returns the score of every node; nodes behind those of the groups are packages outside, and may exceed 1.
pub(super) fn hub_scores(graph: &Graph, groups: &Groups) -> Vec<f32> {
    let ranks = page_rank(graph);
    let floor = ranks.iter().copied().fold(f64::INFINITY, f64::min).min(1.0);
    let scales = [false, true].map(|group| Scale::for_group(graph, &ranks, floor, groups, group));
    let score = |node: usize| {
        let group = groups.second.get(node).copied().unwrap_or(false);
        scales[usize::from(group)].score(graph.degree(node), ranks[node] - floor)
    };
    (0..graph.len()).map(|node| ((score(node) * 1e4).round() / 1e4) as f32).collect()
}

/// The degree and the rank that count as 1 in a group.
struct Scale {
    degree: f64,
    spread: f64,
}

impl Scale {
    fn for_group(graph: &Graph, ranks: &[f64], floor: f64, groups: &Groups, group: bool) -> Self {
        let nodes = || (0..groups.second.len()).filter(|&node| groups.second[node] == group);
        let degree = nodes().map(|node| graph.degree(node)).max().unwrap_or(0).max(1) as f64;
        let max_rank = nodes().map(|node| ranks[node]).fold(floor, f64::max);
        Self { degree, spread: (max_rank - floor).max(f64::MIN_POSITIVE) }
    }

    /// Returns the score of a node; `rank` is its rank above that of an isolated node.
    fn score(&self, degree: usize, rank: f64) -> f64 {
        0.5 * degree as f64 / self.degree + 0.5 * rank / self.spread
    }
}

fn page_rank(graph: &Graph) -> Vec<f64> {
    let count = graph.len();
    let mut ranks = vec![1.0 / count.max(1) as f64; count];
    for _ in 0..ITERATIONS {
        let dangling: f64 =
            (0..count).filter(|&node| graph.out_degree[node] == 0).map(|node| ranks[node]).sum();
        let base = (1.0 - DAMPING + DAMPING * dangling) / count as f64;
        let share: Vec<f64> =
            ranks.iter().zip(&graph.out_degree).map(|(r, &d)| r / f64::from(d.max(1))).collect();
        let flow =
            |node: usize| graph.sources(node).iter().map(|&source| share[source as usize]).sum::<f64>();
        let mut change = 0.0;
        for (node, rank) in ranks.iter_mut().enumerate() {
            let next = base + DAMPING * flow(node);
            change += (next - *rank).abs();
            *rank = next;
        }
        if change < TOLERANCE {
            break;
        }
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph_of_edges(nodes: usize, edges: &[(u32, u32)]) -> Graph {
        Graph::new(nodes, |node| edges.iter().filter(move |(_, to)| *to == node).map(|(from, _)| *from))
    }

    #[test]
    fn edges_count_once_and_only_between_two() {
        let graph = graph_of_edges(3, &[(2, 1), (0, 1), (2, 1), (1, 1)]);
        assert_eq!((graph.edge_count(), graph.sources(1)), (2, &[0, 2][..]));
        assert_eq!((graph.degree(1), graph.degree(2)), (2, 1));
    }

    #[test]
    fn what_many_use_ranks_first_and_packages_flatten_nobody() {
        // 1..=4 use 0; all of them use the package 6; 5 is alone.
        let mut edges: Vec<(u32, u32)> = (1..5).map(|from| (from, 0)).collect();
        edges.extend((0..5).map(|from| (from, 6)));
        let mut groups = Groups::default();
        groups.push(6, false);
        let scores = hub_scores(&graph_of_edges(7, &edges), &groups);
        assert!((scores[0] - 1.0).abs() < 1e-3, "{scores:?}");
        assert!(scores[1] < 0.5 && scores[1] > 0.0);
        assert!(scores[5].abs() < 1e-6);
    }

    #[test]
    fn notes_do_not_move_the_scores_of_code() {
        let code: Vec<(u32, u32)> = vec![(1, 0), (2, 0), (2, 1), (3, 2)];
        let mut alone = Groups::default();
        alone.push(5, false);
        let before = hub_scores(&graph_of_edges(5, &code), &alone);
        let mut both = Groups::default();
        both.push(5, false);
        both.push(200, true);
        let links = (6..205).flat_map(|from| [(from, 5), (5, from)]);
        let after =
            hub_scores(&graph_of_edges(205, &code.into_iter().chain(links).collect::<Vec<_>>()), &both);
        for (old, new) in before.iter().zip(&after) {
            assert!((old - new).abs() < 2e-3, "{before:?} {:?}", &after[..5]);
        }
        assert!(after[5] > 0.9, "the page that everything links to is the hub of the notes");
    }
}
