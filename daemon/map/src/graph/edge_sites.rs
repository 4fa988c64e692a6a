//! Holds the confidence and the lines of the edges of the last derivation: mostly a byte for an edge, and one or two for
//! each line.
//!
//! A derivation resolves uses of names, so it knows where an edge is written and how sure it is. A query that resolved
//! them again would follow the values of every call near its node. The bytes lie beside the edges of the
//! [`super::skeleton`], in the same order; containing a definition has no line, and no bytes.
//!
//! Uses that a derivation leaves open ([`super::derived_uses`]) are not among the lines: a query resolves them again.
//!
//! For each edge: the number of its sure uses above a bit for sure uses of different confidence, a bit for open ones and
//! three bits of confidence, then the lines of the sure uses in ascending order, the first [`MAX_SITES`], each as its distance from the one before. All numbers are
//! varints.

use hob_base::paged::PagedStore;

use super::{Confidence, MAX_SITES};
use crate::facts::Column;
use crate::persist::flat::{Input, put_varint};

/// The number of bits of the confidence.
const CONFIDENCE_BITS: u32 = 3;
/// The number of bits below the number of uses: the confidence, the bit for open uses and that for mixed ones.
const HEAD_BITS: u32 = CONFIDENCE_BITS + 2;

/// The confidences by their number.
const CONFIDENCES: [Confidence; 7] = [
    Confidence::Live,
    Confidence::Exact,
    Confidence::Import,
    Confidence::Flow,
    Confidence::Framework,
    Confidence::Name,
    Confidence::Candidate,
];

/// The uses that make one edge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct EdgeUses {
    /// The confidence of the surest use; [`Confidence::Candidate`] if no use is sure.
    pub(super) confidence: Confidence,
    /// True if other sure uses have another confidence.
    pub(super) is_mixed: bool,
    /// The lines of the sure uses in ascending order, the first [`MAX_SITES`].
    pub(super) lines: Vec<u32>,
    /// The number of all sure uses with a line.
    pub(super) count: usize,
    /// True if the edge has open uses too: a query may find that these mean something else.
    pub(super) has_open: bool,
}

/// The uses of all edges of some nodes, by node.
#[derive(Debug, Default)]
pub(super) struct EdgeSites {
    /// The index in `bytes` of each node's first edge; one entry more than there are nodes.
    starts: Column<u32>,
    bytes: Column<u8>,
}

/// Builds [`EdgeSites`] from nodes in ascending order.
#[derive(Debug, Default)]
pub(super) struct EdgeSitesBuilder {
    starts: Vec<u32>,
    bytes: Vec<u8>,
}

impl EdgeSitesBuilder {
    /// Adds the next edge of a node. Nodes must come in ascending order; returns false, and adds nothing, if this one does
    /// not, or if there are 4 GiB already.
    pub(super) fn add_edge(&mut self, node: u32, uses: &EdgeUses) -> bool {
        let Ok(start) = u32::try_from(self.bytes.len()) else { return false };
        if self.starts.len() > node as usize + 1 {
            return false;
        }
        self.starts.resize(node as usize + 1, start);
        let count = (uses.count as u32).min(u32::MAX >> HEAD_BITS);
        let open = u32::from(uses.has_open) << CONFIDENCE_BITS;
        let mixed = u32::from(uses.is_mixed) << (CONFIDENCE_BITS + 1);
        put_varint(&mut self.bytes, count << HEAD_BITS | mixed | open | uses.confidence as u32);
        let mut before = 0;
        for &line in uses.lines.iter().take(MAX_SITES) {
            put_varint(&mut self.bytes, line.saturating_sub(before));
            before = line;
        }
        true
    }

    /// Returns the uses of `nodes` nodes; `None` if there are more than 4 GiB.
    pub(super) fn into_sites(mut self, nodes: usize) -> Option<EdgeSites> {
        let end = u32::try_from(self.bytes.len()).ok()?;
        self.starts.resize(nodes + 1, end);
        Some(EdgeSites { starts: self.starts.into(), bytes: self.bytes.into() })
    }
}

impl EdgeSites {
    /// The same uses in a store, if they are many.
    pub(super) fn placed_in(self, store: &PagedStore) -> Self {
        Self { starts: self.starts.placed_alone_in(store), bytes: self.bytes.placed_alone_in(store) }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.starts.heap_bytes() + self.bytes.heap_bytes()
    }

    /// Returns the uses of the edge at an index among those of a node; `None` if the node has no such edge.
    pub(super) fn uses_of_edge(&self, node: u32, index: usize) -> Option<EdgeUses> {
        let bounds = self.starts.get(node as usize).zip(self.starts.get(node as usize + 1));
        let bytes = bounds.and_then(|(&start, &end)| self.bytes.get(start as usize..end as usize))?;
        let mut input = Input::new(bytes);
        for _ in 0..index {
            let count = input.read_number().ok()? >> HEAD_BITS;
            for _ in 0..(count as usize).min(MAX_SITES) {
                input.read_number().ok()?;
            }
        }
        read_uses(&mut input)
    }

    /// Yields the uses of a node's edges, in the order of the edges.
    pub(super) fn uses_of_node(&self, node: u32) -> impl Iterator<Item = EdgeUses> + '_ {
        let bounds = self.starts.get(node as usize).zip(self.starts.get(node as usize + 1));
        let bytes = bounds.and_then(|(&start, &end)| self.bytes.get(start as usize..end as usize));
        let mut input = Input::new(bytes.unwrap_or_default());
        std::iter::from_fn(move || read_uses(&mut input))
    }
}

/// Reads the uses of one edge; `None` at the end.
fn read_uses(input: &mut Input<'_>) -> Option<EdgeUses> {
    let head = input.read_number().ok()?;
    let confidence = *CONFIDENCES.get((head & ((1 << CONFIDENCE_BITS) - 1)) as usize)?;
    let count = (head >> HEAD_BITS) as usize;
    let has_open = head >> CONFIDENCE_BITS & 1 == 1;
    let is_mixed = head >> (CONFIDENCE_BITS + 1) & 1 == 1;
    let mut line = 0;
    let lines = (0..count.min(MAX_SITES)).map(|_| {
        line += input.read_number().ok()?;
        Some(line)
    });
    Some(EdgeUses { confidence, is_mixed, lines: lines.collect::<Option<_>>()?, count, has_open })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_edge_has_its_uses() {
        let mut builder = EdgeSitesBuilder::default();
        let uses = |confidence, lines: &[u32], has_open| EdgeUses {
            confidence,
            is_mixed: lines.len() == 3,
            lines: lines.into(),
            count: lines.len(),
            has_open,
        };
        let many: Vec<u32> = (1..=2_000).collect();
        let some = uses(Confidence::Exact, &[3, 3, 70_000], false);
        let none = uses(Confidence::Candidate, &[], true);
        assert!(builder.add_edge(1, &some) && builder.add_edge(1, &none));
        assert!(builder.add_edge(4, &uses(Confidence::Flow, &many, true)));
        assert!(!builder.add_edge(3, &none), "a node after a later one");
        let sites = builder.into_sites(6).expect("few bytes");
        assert_eq!(sites.uses_of_edge(1, 0), Some(some));
        assert_eq!(sites.uses_of_edge(1, 1), Some(none));
        let first = EdgeUses { lines: many[..MAX_SITES].into(), ..uses(Confidence::Flow, &many, true) };
        assert_eq!(sites.uses_of_edge(4, 0), Some(first));
        let all: Vec<EdgeUses> = sites.uses_of_node(1).collect();
        assert_eq!(
            (sites.uses_of_edge(1, 0), sites.uses_of_edge(1, 1)),
            (Some(all[0].clone()), Some(all[1].clone()))
        );
        assert_eq!((all.len(), sites.uses_of_node(3).count(), sites.uses_of_node(99).count()), (2, 0, 0));
        for (node, index) in [(0, 0), (1, 2), (2, 0), (3, 0), (4, 1), (5, 0), (6, 0), (99, 0)] {
            assert_eq!(sites.uses_of_edge(node, index), None, "edge {index} of {node}");
        }
    }
}
