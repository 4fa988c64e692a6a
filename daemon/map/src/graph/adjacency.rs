//! Lists the edges of numbered nodes by node: eight bytes an edge while they are collected, four in each direction then.
//!
//! The lists know nothing of files: [`super::skeleton`] says what the numbers mean.
//!
//! On the disk a node has the number of its edges, then for each the distance of its end from the end before it (of the first from the
//! node itself), above three bits of kind. Files refer mostly to what is near, so that an edge takes two to three bytes.

use hob_base::paged::PagedStore;

use super::EdgeKind;
use crate::facts::Column;
use crate::persist::PersistError::{self, Damaged};
use crate::persist::flat::{Input, put_varint};

/// The number of bits of a node's number; the kind of the edge is in the bits above.
pub(super) const NUMBER_BITS: u32 = 29;
/// The number of bits of a kind.
const KIND_BITS: u32 = 32 - NUMBER_BITS;
const NUMBER_MASK: u32 = (1 << NUMBER_BITS) - 1;

/// Returns the number of the node at the end of an edge.
pub(super) fn number_of(end: u32) -> u32 {
    end & NUMBER_MASK
}

/// A list of edges between numbered nodes, before they are sorted by node.
#[derive(Debug, Default)]
pub(super) struct EdgeList {
    /// The start of each edge, and its end with the kind.
    ends: Vec<(u32, u32)>,
}

impl EdgeList {
    /// Adds an edge. Returns false, and adds none, for nodes whose number needs more bits: files cannot have half a
    /// billion nodes.
    pub(super) fn add_edge(&mut self, from: u32, to: u32, kind: EdgeKind) -> bool {
        let has_room = from.max(to) >> NUMBER_BITS == 0;
        if has_room {
            self.ends.push((from, to | (kind as u32) << NUMBER_BITS));
        }
        has_room
    }

    /// Returns the edges that start at each of `nodes` nodes, in the order in which they were added.
    pub(super) fn into_adjacency(self, nodes: usize) -> Adjacency {
        Adjacency::from_edges(nodes, self.ends.iter().copied())
    }
}

/// The far ends of each node's edges, stored by node.
#[derive(Debug, Default)]
pub(super) struct Adjacency {
    /// The index in `far` of each node's first edge; one entry more than there are nodes.
    starts: Column<u32>,
    far: Column<u32>,
}

impl Adjacency {
    /// The same edges in a store, if they are many.
    pub(super) fn placed_in(self, store: &PagedStore) -> Self {
        Self { starts: self.starts.placed_alone_in(store), far: self.far.placed_alone_in(store) }
    }

    /// Groups edges by their near end, in the order in which they come.
    fn from_edges(nodes: usize, edges: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut starts = vec![0u32; nodes + 2];
        for (near, _) in edges.clone() {
            starts[near as usize + 2] += 1;
        }
        for at in 2..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut far = vec![0; starts[nodes + 1] as usize];
        for (near, end) in edges {
            let place = &mut starts[near as usize + 1];
            far[*place as usize] = end;
            *place += 1;
        }
        starts.pop();
        Self { starts: starts.into(), far: far.into() }
    }

    /// Returns the same edges by their other ends, those of a node in order of the nodes at which they start.
    pub(super) fn by_far_end(&self) -> Self {
        let nodes = self.node_count();
        let edges = (0..nodes as u32).flat_map(|node| {
            self.of_node(node).iter().map(move |&end| (number_of(end), node | (end - number_of(end))))
        });
        Self::from_edges(nodes, edges)
    }

    fn node_count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Returns the far ends of a node's edges, each with its kind; none for a node that is not there.
    pub(super) fn of_node(&self, node: u32) -> &[u32] {
        let bounds = self.starts.get(node as usize).zip(self.starts.get(node as usize + 1));
        bounds.and_then(|(&start, &end)| self.far.get(start as usize..end as usize)).unwrap_or(&[])
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.starts.heap_bytes() + self.far.heap_bytes()
    }

    /// Writes the edges of all nodes, for [`Adjacency::read`].
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        for node in 0..self.node_count() as u32 {
            let edges = self.of_node(node);
            put_varint(out, edges.len() as u32);
            let mut before = node;
            for &end in edges {
                let distance = fold_distance(number_of(end).wrapping_sub(before) & NUMBER_MASK);
                put_varint(out, distance << KIND_BITS | end >> NUMBER_BITS);
                before = number_of(end);
            }
        }
    }

    /// Reads the written edges of `nodes` nodes.
    pub(super) fn read(input: &mut Input<'_>, nodes: usize) -> Result<Self, PersistError> {
        let mut starts = Vec::with_capacity(input.room_for(nodes as u32) + 1);
        let mut far = Vec::new();
        for node in 0..nodes as u32 {
            starts.push(far.len() as u32);
            let mut before = node;
            for _ in 0..input.read_number()? {
                let packed = input.read_number()?;
                let number = before.wrapping_add(unfold_distance(packed >> KIND_BITS)) & NUMBER_MASK;
                let kind = packed & ((1 << KIND_BITS) - 1);
                if number as usize >= nodes || kind as usize >= EdgeKind::ALL.len() {
                    return Err(Damaged("an edge has no end"));
                }
                far.push(number | kind << NUMBER_BITS);
                before = number;
            }
        }
        starts.push(u32::try_from(far.len()).map_err(|_| Damaged("there are too many edges"))?);
        Ok(Self { starts: starts.into(), far: far.into() })
    }
}

/// Encodes a distance modulo 2^[`NUMBER_BITS`] as a number that is small if the distance is, in either direction.
fn fold_distance(distance: u32) -> u32 {
    let is_backwards = distance >> (NUMBER_BITS - 1) == 1;
    if is_backwards { ((distance ^ NUMBER_MASK) << 1) | 1 } else { distance << 1 }
}

/// Decodes the result of [`fold_distance`].
fn unfold_distance(folded: u32) -> u32 {
    if folded & 1 == 1 { (folded >> 1) ^ NUMBER_MASK } else { folded >> 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_edges_are_read_and_damaged_ones_refused() {
        let last = 3_000;
        let mut edges = EdgeList::default();
        let all = [(0, last, EdgeKind::Calls), (0, 0, EdgeKind::References), (7, 6, EdgeKind::Contains)];
        for (from, to, kind) in all.into_iter().chain([(last, 1, EdgeKind::Imports)]) {
            assert!(edges.add_edge(from, to, kind));
        }
        let nodes = last as usize + 1;
        let edges = edges.into_adjacency(nodes);
        let mut bytes = Vec::new();
        edges.write(&mut bytes);
        let read = |bytes, nodes| Adjacency::read(&mut Input::new(bytes), nodes);
        let again = read(&bytes, nodes).expect("just written");
        for (is, was) in [(&again, &edges), (&again.by_far_end(), &edges.by_far_end())] {
            assert_eq!((&is.starts, &is.far), (&was.starts, &was.far));
        }
        assert!(read(&bytes[..bytes.len() - 1], nodes).is_err(), "cut off");
        assert!(read(&bytes, nodes - 1).is_err(), "an end beyond the nodes");
        assert!(read(&[1, 7], 1).is_err(), "a kind that there is not");
    }

    #[test]
    fn distances_fold_in_both_directions() {
        for distance in [0, 1, 2, NUMBER_MASK >> 1, (NUMBER_MASK >> 1) + 1, NUMBER_MASK - 1, NUMBER_MASK] {
            let folded = fold_distance(distance);
            assert!(folded <= NUMBER_MASK, "{distance}");
            assert_eq!(unfold_distance(folded), distance);
        }
        assert_eq!((fold_distance(3), fold_distance(NUMBER_MASK)), (6, 1));
    }
}
