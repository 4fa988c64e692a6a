//! Holds the resolved edges as they were at the last derivation.
//!
//! Edges are computed on demand, which is too slow for a search that visits a hundred thousand nodes. A derivation goes
//! through every edge anyway; the skeleton keeps their ends and kinds in eight bytes an edge, and their confidence and
//! lines beside them ([`super::edge_sites`]). [`Changed`] lists the files for which it is out of date. While there are
//! none, [`super::surroundings`] answers from it; otherwise its results are checked in the map as it is now.

use std::sync::Arc;

use hob_base::paged::PagedStore;
use hob_base::{FileId, WsPath};
use rustc_hash::{FxHashMap, FxHashSet};

use super::adjacency::{Adjacency, EdgeList, NUMBER_BITS, number_of};
use super::edge_sites::{EdgeSites, EdgeUses};
use super::open_names::OpenNames;
use super::{Confidence, DefRef, EdgeKind, EdgeKinds, ExternalId, Map, NodeRef};
use crate::facts::{DefIdx, FileFacts};
use crate::persist::PersistError;
use crate::persist::flat::{Input, put_varint};

/// The number of the highest hub score.
const MOST_SCORE: u32 = 10_000;

/// The files whose facts differ from those of the derivation.
pub(super) type Changed = FxHashSet<FileId>;

/// The nodes of a file: the file itself, then its definitions.
#[derive(Debug)]
pub(super) struct FileNodes {
    pub(super) file: FileId,
    /// The number of the file's node.
    pub(super) first: u32,
    /// The number of the file's first reference.
    pub(super) first_ref: u32,
    pub(super) path: WsPath,
    pub(super) facts: Arc<FileFacts>,
}

impl FileNodes {
    /// Returns the number of a definition's node.
    pub(super) fn number_of_def(&self, def: DefIdx) -> u32 {
        self.first + 1 + def.number()
    }
}

/// A project file, which has no nodes, and on which edges depend.
#[derive(Debug)]
pub(super) struct ManifestFile {
    pub(super) file: FileId,
    pub(super) path: WsPath,
    pub(super) facts: Arc<FileFacts>,
}

/// The data that a skeleton is built from.
#[derive(Debug, Default)]
pub(super) struct SkeletonInput {
    /// The files, in order of their nodes.
    pub(super) stretches: Vec<FileNodes>,
    /// The number of nodes of these files.
    pub(super) nodes: usize,
    pub(super) manifests: Vec<ManifestFile>,
    /// Packages outside, which are numbered after all nodes.
    pub(super) externals: Vec<ExternalId>,
    /// The references that are left open, by number.
    pub(super) open: Marked,
    /// The files by the names that are open in them.
    pub(super) open_names: OpenNames,
    /// The uses of the edges that start at each node, without those of containing; `None` if questions must not be answered
    /// from them.
    pub(super) sites: Option<EdgeSites>,
}

/// A set of numbers, one bit each.
#[derive(Debug, Default)]
pub(super) struct Marked(Vec<u64>);

impl Marked {
    pub(super) fn mark(&mut self, number: usize) {
        if self.0.len() <= number / 64 {
            self.0.resize(number / 64 + 1, 0);
        }
        self.0[number / 64] |= 1 << (number % 64);
    }

    pub(super) fn unmark(&mut self, number: usize) {
        if let Some(word) = self.0.get_mut(number / 64) {
            *word &= !(1 << (number % 64));
        }
    }

    pub(super) fn has(&self, number: usize) -> bool {
        self.0.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    pub(super) fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Writes the set, for [`Marked::read`].
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        put_varint(out, self.0.len() as u32);
        self.0.iter().for_each(|word| out.extend(word.to_le_bytes()));
    }

    /// Reads a written set.
    pub(super) fn read(input: &mut Input<'_>) -> Result<Self, PersistError> {
        let words = input.read_number()?;
        let bytes = input.read_bytes(words.saturating_mul(8))?;
        Ok(Self(bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect()))
    }
}

/// All resolved edges at the last derivation, by node in both directions.
#[derive(Debug, Default)]
pub(super) struct Skeleton {
    input: SkeletonInput,
    at_file: FxHashMap<FileId, u32>,
    /// The hub score of each node, in ten thousandths.
    scores: Vec<u16>,
    out: Adjacency,
    inward: Adjacency,
}

impl Skeleton {
    /// Builds a skeleton from nodes and the edges between them.
    pub(super) fn new(input: SkeletonInput, edges: EdgeList) -> Self {
        let out = edges.into_adjacency(input.nodes + input.externals.len());
        Self::from_out_edges(input, out)
    }

    /// Builds a skeleton from nodes and the edges that start at each.
    pub(super) fn from_out_edges(input: SkeletonInput, out: Adjacency) -> Self {
        let at_file = input.stretches.iter().zip(0..).map(|(stretch, at)| (stretch.file, at)).collect();
        let inward = out.by_far_end();
        Self { input, at_file, scores: Vec::new(), out, inward }
    }

    /// Returns what the skeleton was built from.
    pub(super) fn built_from(&self) -> &SkeletonInput {
        &self.input
    }

    /// Returns the edges that start at each node.
    pub(super) fn out_edges(&self) -> &Adjacency {
        &self.out
    }

    /// Returns the index of a file among the files with nodes.
    pub(super) fn index_of_file(&self, file: FileId) -> Option<u32> {
        self.at_file.get(&file).copied()
    }

    /// The same skeleton with its edges in a store, if they are many.
    pub(super) fn placed_in(self, store: &PagedStore) -> Self {
        let SkeletonInput { sites, open_names, .. } = self.input;
        let input = SkeletonInput {
            sites: sites.map(|sites| sites.placed_in(store)),
            open_names: open_names.placed_in(store),
            ..self.input
        };
        Self { input, out: self.out.placed_in(store), inward: self.inward.placed_in(store), ..self }
    }

    /// Stores the hub scores of the nodes.
    pub(super) fn set_scores(&mut self, scores: &[f32]) {
        let nodes = scores.iter().take(self.input.nodes);
        self.scores = nodes.map(|score| (score * MOST_SCORE as f32).round() as u16).collect();
    }

    /// Writes the hub scores, for [`Skeleton::read_scores`].
    pub(super) fn write_scores(&self, out: &mut Vec<u8>) {
        self.scores.iter().for_each(|score| put_varint(out, u32::from(*score)));
    }

    /// Reads written hub scores of all nodes.
    pub(super) fn read_scores(&mut self, input: &mut Input<'_>) -> Result<(), PersistError> {
        self.scores = Vec::with_capacity(input.room_for(self.input.nodes as u32));
        for _ in 0..self.input.nodes {
            self.scores.push(input.read_number()?.min(MOST_SCORE) as u16);
        }
        Ok(())
    }

    /// Stores the uses of the edges, the references that are left open, and the names of these.
    pub(super) fn set_uses(&mut self, sites: EdgeSites, open: Marked, open_names: OpenNames) {
        (self.input.sites, self.input.open, self.input.open_names) = (Some(sites), open, open_names);
    }

    /// Stores the numbers of the packages outside, in order of their nodes.
    pub(super) fn set_externals(&mut self, externals: Vec<ExternalId>) {
        self.input.externals = externals;
    }

    /// Returns the number of nodes, without packages outside.
    pub(super) fn len(&self) -> usize {
        self.input.nodes
    }

    /// Yields the kinds and other ends of the edges that start at a node, or that end there. Ends may be packages
    /// outside.
    pub(super) fn edges(&self, node: u32, inward: bool) -> impl Iterator<Item = (EdgeKind, u32)> + '_ {
        let edges = if inward { self.inward.of_node(node) } else { self.out.of_node(node) };
        edges
            .iter()
            .filter_map(|&end| Some((*EdgeKind::ALL.get((end >> NUMBER_BITS) as usize)?, number_of(end))))
    }

    /// Drops the confidence and lines of all edges, so that it does not answer.
    pub(super) fn forget_sites(&mut self) {
        self.input.sites = None;
    }

    /// Returns true if it has the confidence and lines of its edges.
    pub(super) fn has_sites(&self) -> bool {
        self.input.sites.is_some()
    }

    /// Returns the uses that make an edge between numbered nodes; `None` if it is not there.
    pub(super) fn uses_of_edge(&self, from: u32, to: u32, kind: EdgeKind) -> Option<EdgeUses> {
        let mut edges = self.edges(from, false);
        if kind == EdgeKind::Contains {
            let contains = |(kind, end)| kind == EdgeKind::Contains && end == to;
            let uses =
                EdgeUses { confidence: Confidence::Exact, lines: Vec::new(), count: 0, has_open: false };
            return edges.any(contains).then_some(uses);
        }
        let index =
            edges.filter(|(kind, _)| *kind != EdgeKind::Contains).position(|end| end == (kind, to))?;
        self.input.sites.as_ref()?.uses_of_edge(from, index)
    }

    /// Yields the edges of some kinds that start at a node, with their uses; none if it has no uses, and without containing.
    pub(super) fn edges_with_uses(
        &self,
        node: u32,
        kinds: EdgeKinds,
    ) -> impl Iterator<Item = (EdgeKind, u32, EdgeUses)> + '_ {
        let edges = self.edges(node, false).filter(|(kind, _)| *kind != EdgeKind::Contains);
        let uses = self.input.sites.iter().flat_map(move |sites| sites.uses_of_node(node));
        edges
            .zip(uses)
            .filter(move |((kind, _), _)| kinds.has(*kind))
            .map(|((kind, to), uses)| (kind, to, uses))
    }

    /// Returns the files in which a name is open, ascending.
    pub(super) fn files_with_open(&self, name: &str) -> &[u32] {
        self.input.open_names.of_name(name)
    }

    /// Returns a node's hub score, in ten thousandths; 0 for packages.
    pub(super) fn score(&self, node: u32) -> u16 {
        self.scores.get(node as usize).copied().unwrap_or(0)
    }

    /// Yields the neighbours of a node over edges of some kinds, in either direction, without packages.
    pub(super) fn nodes_around(&self, node: u32, kinds: EdgeKinds) -> impl Iterator<Item = u32> + '_ {
        self.targets_of(node, kinds).chain(self.sources_of(node, kinds))
    }

    /// Yields the targets of a node's edges, without packages.
    fn targets_of(&self, node: u32, kinds: EdgeKinds) -> impl Iterator<Item = u32> + '_ {
        self.wanted_ends(self.out.of_node(node), kinds)
    }

    /// Yields the sources of a node's edges, without packages.
    pub(super) fn sources_of(&self, node: u32, kinds: EdgeKinds) -> impl Iterator<Item = u32> + '_ {
        self.wanted_ends(self.inward.of_node(node), kinds)
    }

    fn wanted_ends<'s>(&self, edges: &'s [u32], kinds: EdgeKinds) -> impl Iterator<Item = u32> + use<'s> {
        let nodes = self.input.nodes;
        let is_wanted = move |end: u32| {
            EdgeKind::ALL.get((end >> NUMBER_BITS) as usize).is_some_and(|kind| kinds.has(*kind))
        };
        let wanted = edges.iter().filter(move |&&end| is_wanted(end));
        // A search does not pass packages outside.
        wanted.map(|&end| number_of(end)).filter(move |&end| (end as usize) < nodes)
    }

    /// Returns true if the derivation left the reference at an index in the file's list open.
    pub(super) fn is_open(&self, file: FileId, reference: usize) -> bool {
        let stretch = self.stretch_of_file(file);
        stretch.is_none_or(|stretch| self.input.open.has(stretch.first_ref as usize + reference))
    }

    /// Returns a node's number. It is valid only while the file has the facts of the derivation.
    pub(super) fn node_number(&self, node: NodeRef) -> Option<u32> {
        if let NodeRef::External(package) = node {
            let at = self.input.externals.iter().position(|external| *external == package)?;
            return Some((self.input.nodes + at) as u32);
        }
        let stretch = self.stretch_of_file(node.file()?)?;
        match node {
            NodeRef::File(_) => Some(stretch.first),
            NodeRef::Def(def) => {
                (def.def.index() < stretch.facts.defs.len()).then(|| stretch.number_of_def(def.def))
            }
            NodeRef::External(_) => None,
        }
    }

    /// Returns the node with a number.
    pub(super) fn node(&self, number: u32) -> Option<NodeRef> {
        if let Some(at) = (number as usize).checked_sub(self.input.nodes) {
            return self.input.externals.get(at).copied().map(NodeRef::External);
        }
        let stretches = &self.input.stretches;
        let at = stretches.partition_point(|stretch| stretch.first <= number).checked_sub(1)?;
        let stretch = stretches.get(at)?;
        match number - stretch.first {
            0 => Some(NodeRef::File(stretch.file)),
            def => Some(NodeRef::Def(DefRef { file: stretch.file, def: DefIdx::new(def - 1) })),
        }
    }

    /// Returns the nodes of a file.
    pub(super) fn stretch_of_file(&self, file: FileId) -> Option<&FileNodes> {
        self.input.stretches.get(self.index_of_file(file)? as usize)
    }

    /// Returns the files that have changed since the derivation.
    pub(super) fn changed_files(&self, map: &Map) -> Changed {
        let manifests = &self.input.manifests;
        let manifests: FxHashMap<FileId, _> = manifests.iter().map(|one| (one.file, &one.facts)).collect();
        let is_same = |file: FileId| {
            let now = map.index.entry(file).map(|entry| &entry.facts);
            let then =
                self.stretch_of_file(file).map(|stretch| &stretch.facts).or(manifests.get(&file).copied());
            now.zip(then).is_some_and(|(now, then)| Arc::ptr_eq(now, then))
        };
        let files = self.input.stretches.iter().map(|stretch| stretch.file);
        files
            .chain(manifests.keys().copied())
            .chain(map.index.entries().map(|(file, _)| file))
            .filter(|file| !is_same(*file))
            .collect()
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.out.heap_bytes()
            + self.inward.heap_bytes()
            + self.input.stretches.capacity() * size_of::<FileNodes>()
            + self.scores.capacity() * 2
            + self.input.open.0.capacity() * 8
            + self.input.open_names.heap_bytes()
            + self.input.sites.as_ref().map_or(0, EdgeSites::heap_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_found_from_both_ends() {
        let mut strokes = EdgeList::default();
        strokes.add_edge(0, 2, EdgeKind::Calls);
        strokes.add_edge(0, 1, EdgeKind::References);
        strokes.add_edge(2, 0, EdgeKind::Contains);
        strokes.add_edge(0, 3, EdgeKind::Imports);
        let outline = SkeletonInput { nodes: 3, externals: vec![ExternalId(7)], ..SkeletonInput::default() };
        let skeleton = Skeleton::new(outline, strokes);
        let kinds = |mentions| match mentions {
            true => EdgeKinds::ALL,
            false => EdgeKinds::ALL.without(EdgeKind::References),
        };
        let around = |node, mentions| skeleton.nodes_around(node, kinds(mentions)).collect::<Vec<_>>();
        assert_eq!(around(0, true), [2, 1, 2]);
        assert_eq!(around(0, false), [2, 2]);
        assert_eq!(around(1, true), [0]);
        assert!(around(1, false).is_empty());
        assert!(around(9, true).is_empty());
        let edges = |node, inward| skeleton.edges(node, inward).collect::<Vec<_>>();
        assert_eq!(edges(2, true), [(EdgeKind::Calls, 0)]);
        assert_eq!(edges(0, false).last(), Some(&(EdgeKind::Imports, 3)));
        assert_eq!(edges(3, true), [(EdgeKind::Imports, 0)]);
        assert_eq!(skeleton.node(3), Some(NodeRef::External(ExternalId(7))));
        assert_eq!(skeleton.node_number(NodeRef::External(ExternalId(7))), Some(3));
    }
}
