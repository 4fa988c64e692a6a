//! Holds the confidence and the lines of the edges of the last derivation: mostly a byte for an edge, and one or two for
//! each line.
//!
//! A derivation resolves uses of names, so it knows where an edge is written and how sure it is. A query that resolved
//! them again would follow the values of every call near its node. The bytes lie beside the edges of the
//! [`super::skeleton`], in the same order; containing a definition has no line, and no bytes.
//!
//! Uses that a derivation leaves open ([`super::derived_uses`]) are not among the lines: a query resolves them again.
//!
//! For each edge: the number of its sure uses above a bit for open ones and three bits of confidence, then the lines of
//! the sure uses in ascending order, the first [`MAX_SITES`], each as its distance from the one before. All numbers are
//! varints.

use hob_base::paged::PagedStore;

use super::{Confidence, MAX_SITES};
use crate::facts::Column;
use crate::persist::PersistError;
use crate::persist::flat::{Input, put_varint};

/// The number of bits of the confidence.
const CONFIDENCE_BITS: u32 = 3;
/// The number of bits below the number of uses: the confidence and the bit for open uses.
const HEAD_BITS: u32 = CONFIDENCE_BITS + 1;

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
    /// The confidence of the sure uses; [`Confidence::Candidate`] if there are none.
    pub(super) confidence: Confidence,
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
    /// Adds the next edge of a node, with all lines of its sure uses. Nodes must come in ascending order; returns false,
    /// and adds nothing, if this one does not, or if there are 4 GiB already.
    pub(super) fn add_edge(
        &mut self,
        node: u32,
        confidence: Confidence,
        lines: &[u32],
        has_open: bool,
    ) -> bool {
        let Ok(start) = u32::try_from(self.bytes.len()) else { return false };
        if self.starts.len() > node as usize + 1 {
            return false;
        }
        self.starts.resize(node as usize + 1, start);
        let count = (lines.len() as u32).min(u32::MAX >> HEAD_BITS);
        let open = u32::from(has_open) << CONFIDENCE_BITS;
        put_varint(&mut self.bytes, count << HEAD_BITS | open | confidence as u32);
        let mut before = 0;
        for &line in lines.iter().take(MAX_SITES) {
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

    /// Writes all uses, for [`EdgeSites::read`].
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        self.starts.windows(2).for_each(|bounds| put_varint(out, bounds[1] - bounds[0]));
        out.extend_from_slice(&self.bytes);
    }

    /// Reads the written uses of `nodes` nodes.
    pub(super) fn read(input: &mut Input<'_>, nodes: usize) -> Result<Self, PersistError> {
        let mut starts = Vec::with_capacity(input.room_for(nodes as u32) + 1);
        let mut end = 0u32;
        starts.push(end);
        for _ in 0..nodes {
            end = end.saturating_add(input.read_number()?);
            starts.push(end);
        }
        Ok(Self { starts: starts.into(), bytes: input.read_bytes(end)?.to_vec().into() })
    }

    /// Returns the uses of the edge at an index among those of a node; `None` if the node has no such edge.
    pub(super) fn uses_of_edge(&self, node: u32, index: usize) -> Option<EdgeUses> {
        let mut input = Input::new(self.bytes_of(node)?);
        for _ in 0..index {
            let count = input.read_number().ok()? >> HEAD_BITS;
            for _ in 0..(count as usize).min(MAX_SITES) {
                input.read_number().ok()?;
            }
        }
        read_uses(&mut input)
    }

    /// Yields the uses of a node's edges, in their order.
    pub(super) fn uses_of_node(&self, node: u32) -> impl Iterator<Item = EdgeUses> + '_ {
        let mut input = Input::new(self.bytes_of(node).unwrap_or_default());
        std::iter::from_fn(move || read_uses(&mut input))
    }

    fn bytes_of(&self, node: u32) -> Option<&[u8]> {
        let bounds = self.starts.get(node as usize).zip(self.starts.get(node as usize + 1));
        bounds.and_then(|(&start, &end)| self.bytes.get(start as usize..end as usize))
    }
}

/// Reads the uses of one edge; `None` at the end, and if the bytes are damaged.
fn read_uses(input: &mut Input<'_>) -> Option<EdgeUses> {
    let head = input.read_number().ok()?;
    let confidence = *CONFIDENCES.get((head & ((1 << CONFIDENCE_BITS) - 1)) as usize)?;
    let count = (head >> HEAD_BITS) as usize;
    let has_open = head >> CONFIDENCE_BITS & 1 == 1;
    let mut line = 0u32;
    let lines = (0..count.min(MAX_SITES)).map(|_| {
        line = line.checked_add(input.read_number().ok()?)?;
        Some(line)
    });
    Some(EdgeUses { confidence, lines: lines.collect::<Option<_>>()?, count, has_open })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_edge_has_its_uses() {
        let mut builder = EdgeSitesBuilder::default();
        assert!(builder.add_edge(1, Confidence::Exact, &[3, 3, 70_000], false));
        assert!(builder.add_edge(1, Confidence::Candidate, &[], true));
        let many: Vec<u32> = (1..=2_000).collect();
        assert!(builder.add_edge(4, Confidence::Flow, &many, true));
        assert!(!builder.add_edge(3, Confidence::Flow, &[1], false), "a node after a later one");
        let sites = builder.into_sites(6).expect("few bytes");
        let uses = |confidence, lines: &[u32], count, has_open| {
            Some(EdgeUses { confidence, lines: lines.into(), count, has_open })
        };
        assert_eq!(sites.uses_of_edge(1, 0), uses(Confidence::Exact, &[3, 3, 70_000], 3, false));
        assert_eq!(sites.uses_of_edge(1, 1), uses(Confidence::Candidate, &[], 0, true));
        assert_eq!(sites.uses_of_edge(4, 0), uses(Confidence::Flow, &many[..MAX_SITES], 2_000, true));
        for (node, index) in [(0, 0), (1, 2), (2, 0), (3, 0), (4, 1), (5, 0), (6, 0), (99, 0)] {
            assert_eq!(sites.uses_of_edge(node, index), None, "edge {index} of {node}");
        }
        assert_eq!(sites.uses_of_node(1).collect::<Vec<_>>().len(), 2);
        assert_eq!(sites.uses_of_node(4).next(), sites.uses_of_edge(4, 0));
        assert!(sites.uses_of_node(5).next().is_none());
        let mut bytes = Vec::new();
        sites.write(&mut bytes);
        let again = EdgeSites::read(&mut Input::new(&bytes), 6).expect("just written");
        assert_eq!((&again.starts, &again.bytes), (&sites.starts, &sites.bytes));
        assert!(EdgeSites::read(&mut Input::new(&bytes[..bytes.len() - 1]), 6).is_err(), "cut off");
    }
}
