//! The graph as it was when scores were last derived: who is connected to whom, and nothing else.
//!
//! Edges are computed when they are asked for, which is right for a node's neighbours and too slow for a search that meets
//! a hundred thousand nodes. A derivation goes through every edge anyhow; this keeps their ends, in eight bytes an edge. It is
//! never an answer: what it leads to is looked at again in the map as it is now, and [`Changed`] says of which files it no longer
//! speaks.

use std::sync::Arc;

use hob_base::FileId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{DefRef, Map, NodeRef};
use crate::facts::{DefIdx, FileFacts};

/// Marks an edge that is there only because a name is mentioned.
const MENTION: u32 = 1 << 31;

/// The files whose facts are others than those a skeleton was drawn from.
pub(super) type Changed = FxHashSet<FileId>;

/// A file's nodes: the file itself, then its definitions.
#[derive(Debug)]
pub(super) struct Stretch {
    pub(super) file: FileId,
    /// The number of the file's node.
    pub(super) first: u32,
    pub(super) facts: Arc<FileFacts>,
}

/// Edges between numbered nodes, collected before they are laid out.
#[derive(Debug, Default)]
pub(super) struct Strokes {
    /// From, and to with its mark.
    ends: Vec<(u32, u32)>,
}

impl Strokes {
    pub(super) fn add(&mut self, from: u32, to: u32, only_mentioned: bool) {
        self.ends.push((from, if only_mentioned { to | MENTION } else { to }));
    }
}

/// See the file's header.
#[derive(Debug, Default)]
pub(super) struct Skeleton {
    /// By first number.
    stretches: Vec<Stretch>,
    at_file: FxHashMap<FileId, u32>,
    nodes: usize,
    out: Adjacency,
    inward: Adjacency,
}

/// The far ends of each node's edges, side by side.
#[derive(Debug, Default)]
struct Adjacency {
    /// Where each node's begin; one more than there are nodes.
    starts: Vec<u32>,
    far: Vec<u32>,
}

impl Adjacency {
    /// Lays out edges by their near end, in the order in which they come.
    fn of(nodes: usize, edges: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
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
        Self { starts, far }
    }

    fn of_node(&self, node: u32) -> &[u32] {
        let bounds = self.starts.get(node as usize).zip(self.starts.get(node as usize + 1));
        bounds.and_then(|(&start, &end)| self.far.get(start as usize..end as usize)).unwrap_or(&[])
    }

    fn heap_bytes(&self) -> usize {
        4 * (self.starts.capacity() + self.far.capacity())
    }
}

impl Skeleton {
    /// From files in order of their nodes, of which there are `nodes`, and edges between these.
    pub(super) fn new(stretches: Vec<Stretch>, nodes: usize, strokes: &Strokes) -> Self {
        let out = Adjacency::of(nodes, strokes.ends.iter().copied());
        let turned = strokes.ends.iter().map(|&(from, to)| (to & !MENTION, from | (to & MENTION)));
        let inward = Adjacency::of(nodes, turned);
        let at_file = stretches.iter().zip(0..).map(|(stretch, at)| (stretch.file, at)).collect();
        Self { stretches, at_file, nodes, out, inward }
    }

    /// How many nodes there are.
    pub(super) fn len(&self) -> usize {
        self.nodes
    }

    /// The nodes that one is connected with, whichever way; those by mention only if they are wanted.
    pub(super) fn around(&self, node: u32, mentions: bool) -> impl Iterator<Item = u32> + '_ {
        self.onwards(node, mentions).chain(self.backwards(node, mentions))
    }

    /// The nodes that edges lead to.
    fn onwards(&self, node: u32, mentions: bool) -> impl Iterator<Item = u32> + '_ {
        ends(self.out.of_node(node), mentions)
    }

    /// The nodes that edges come from.
    pub(super) fn backwards(&self, node: u32, mentions: bool) -> impl Iterator<Item = u32> + '_ {
        ends(self.inward.of_node(node), mentions)
    }

    /// A node's number. It holds only while the file has the facts that this was drawn from.
    pub(super) fn number(&self, node: NodeRef) -> Option<u32> {
        let stretch = self.stretch(node.file()?)?;
        match node {
            NodeRef::File(_) => Some(stretch.first),
            NodeRef::Def(def) => {
                (def.def.index() < stretch.facts.defs.len()).then_some(stretch.first + 1 + def.def.0)
            }
            NodeRef::External(_) => None,
        }
    }

    /// The node of a number.
    pub(super) fn node(&self, number: u32) -> Option<NodeRef> {
        let at = self.stretches.partition_point(|stretch| stretch.first <= number).checked_sub(1)?;
        let stretch = self.stretches.get(at)?;
        match number - stretch.first {
            0 => Some(NodeRef::File(stretch.file)),
            def => Some(NodeRef::Def(DefRef { file: stretch.file, def: DefIdx(def - 1) })),
        }
    }

    /// The nodes of a file.
    pub(super) fn stretch(&self, file: FileId) -> Option<&Stretch> {
        self.stretches.get(*self.at_file.get(&file)? as usize)
    }

    /// The files that are not as they were when this was drawn.
    pub(super) fn changed(&self, map: &Map) -> Changed {
        let is_same = |file: FileId| {
            let now = map.index.entry(file).map(|entry| &entry.facts);
            let then = self.stretch(file).map(|stretch| &stretch.facts);
            now.zip(then).is_some_and(|(now, then)| Arc::ptr_eq(now, then))
        };
        let drawn = self.stretches.iter().map(|stretch| stretch.file);
        drawn.chain(map.index.entries().map(|(file, _)| file)).filter(|file| !is_same(*file)).collect()
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.out.heap_bytes() + self.inward.heap_bytes() + self.stretches.capacity() * size_of::<Stretch>()
    }
}

fn ends(edges: &[u32], mentions: bool) -> impl Iterator<Item = u32> + '_ {
    edges.iter().filter(move |&&end| mentions || end & MENTION == 0).map(|end| end & !MENTION)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_found_from_both_ends() {
        let mut strokes = Strokes::default();
        strokes.add(0, 2, false);
        strokes.add(0, 1, true);
        strokes.add(2, 0, false);
        let skeleton = Skeleton::new(Vec::new(), 3, &strokes);
        let around = |node, mentions| skeleton.around(node, mentions).collect::<Vec<_>>();
        assert_eq!(around(0, true), [2, 1, 2]);
        assert_eq!(around(0, false), [2, 2]);
        assert_eq!(around(1, true), [0]);
        assert!(around(1, false).is_empty());
        assert!(around(9, true).is_empty());
    }
}
