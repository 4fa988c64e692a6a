//! Hub scores: half normalised degree, half PageRank.
//!
//! PageRank by power iteration (Page, Brin, Motwani, Winograd 1999), damping 0.85, dangling mass spread evenly. Packages
//! outside take part in the flow but not in the normalisation, or one popular library would flatten everybody's score.

const DAMPING: f64 = 0.85;
const ITERATIONS: usize = 40;
const TOLERANCE: f64 = 1e-9;

/// A directed graph without repeated edges, incoming edges side by side.
#[derive(Debug)]
pub(super) struct Graph {
    /// Where each node's sources start in `sources`; one more than there are nodes.
    starts: Vec<u32>,
    sources: Vec<u32>,
    out_degree: Vec<u32>,
}

impl Graph {
    pub(super) fn new(nodes: usize, mut edges: Vec<(u32, u32)>) -> Self {
        edges.sort_unstable_by_key(|&(from, to)| (to, from));
        edges.dedup();
        let mut starts = vec![0; nodes + 1];
        let mut out_degree = vec![0; nodes];
        for &(from, to) in &edges {
            starts[to as usize + 1] += 1;
            out_degree[from as usize] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        Self { starts, sources: edges.into_iter().map(|(from, _)| from).collect(), out_degree }
    }

    pub(super) fn edge_count(&self) -> usize {
        self.sources.len()
    }

    fn sources(&self, node: usize) -> &[u32] {
        &self.sources[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    fn len(&self) -> usize {
        self.out_degree.len()
    }
}

/// The score of every node; those from `inside` on are outside and may exceed 1.
pub(super) fn hub_scores(graph: &Graph, inside: usize) -> Vec<f32> {
    let ranks = page_rank(graph);
    let degree = |node: usize| graph.sources(node).len() + graph.out_degree[node] as usize;
    let max_degree = (0..inside).map(degree).max().unwrap_or(0).max(1) as f64;
    let floor = ranks.iter().copied().fold(f64::INFINITY, f64::min).min(1.0);
    let max_rank = ranks[..inside].iter().copied().fold(floor, f64::max);
    let spread = (max_rank - floor).max(f64::MIN_POSITIVE);
    // What even an isolated node has counts as nothing.
    let score = |node: usize| 0.5 * degree(node) as f64 / max_degree + 0.5 * (ranks[node] - floor) / spread;
    (0..graph.len()).map(|node| ((score(node) * 1e4).round() / 1e4) as f32).collect()
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
        let next: Vec<f64> = (0..count).map(|node| base + DAMPING * flow(node)).collect();
        let change: f64 = next.iter().zip(&ranks).map(|(a, b)| (a - b).abs()).sum();
        ranks = next;
        if change < TOLERANCE {
            break;
        }
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_many_use_ranks_first_and_packages_flatten_nobody() {
        // 1..=4 use 0; all of them use the package 6; 5 is alone.
        let mut edges: Vec<(u32, u32)> = (1..5).map(|from| (from, 0)).collect();
        edges.extend((0..5).map(|from| (from, 6)));
        let scores = hub_scores(&Graph::new(7, edges), 6);
        assert!((scores[0] - 1.0).abs() < 1e-3, "{scores:?}");
        assert!(scores[1] < 0.5 && scores[1] > 0.0);
        assert!(scores[5].abs() < 1e-6);
    }
}
