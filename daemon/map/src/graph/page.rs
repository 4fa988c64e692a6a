//! Collects the data for a picture of the whole map, file by file: definitions, and the nodes that they surely use.
//!
//! It resolves every reference of a file, so a picture costs what a derivation does. It excludes candidates, because a
//! picture of guesses says nothing, and packages outside the workspace, which would stand in the middle of everything.

use hob_base::{FileId, WsPath};

use super::{EdgeKind, EdgeKinds, Map, NodeRef};
use crate::resolve::Resolver;

/// A resolved edge to another node of the workspace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PictureEdge {
    /// A definition of the file, or the file.
    pub from: NodeRef,
    /// The node that the edge leads to.
    pub to: NodeRef,
    /// The kind of the edge.
    pub kind: EdgeKind,
    /// The number of places at which the edge is written.
    pub sites: usize,
    /// The line of the first of these places; 0 if the edge has none.
    pub line: u32,
}

impl Map {
    /// Returns the files that a picture shows, in order of path, to be passed to [`Map::picture_edges_from`].
    #[must_use]
    pub fn picture_files(&self) -> Vec<(WsPath, FileId)> {
        let mut files = self.export_order();
        files.retain(|(_, file)| self.index.entry(*file).is_some_and(|entry| !entry.lang().is_manifest()));
        files
    }

    /// Returns the resolved edges that start in a file and end in another node of the workspace, without `contains`, in
    /// a fixed order.
    #[must_use]
    pub fn picture_edges_from(&self, file: FileId) -> Vec<PictureEdge> {
        let resolver = Resolver::for_whole_map(&self.index);
        let kinds = EdgeKinds::ALL.without(EdgeKind::Contains);
        let edges = self.all_edges_of(&resolver, file, kinds).into_iter();
        let inside =
            edges.filter(|edge| edge.is_resolved() && edge.to.file().is_some() && edge.to != edge.from);
        let mut edges: Vec<PictureEdge> = inside
            .map(|edge| PictureEdge {
                from: edge.from,
                to: edge.to,
                kind: edge.kind,
                sites: edge.site_count,
                line: edge.sites.first().copied().unwrap_or(0),
            })
            .collect();
        edges.sort_by(|a, b| {
            let places = || self.compare_places(a.from, b.from).then_with(|| self.compare_places(a.to, b.to));
            places().then_with(|| a.kind.cmp(&b.kind))
        });
        edges
    }

    /// Returns the number of the cluster that contains a file; `None` before the first derivation.
    #[must_use]
    pub fn cluster_of(&self, file: FileId) -> Option<u32> {
        self.index.file_scores(file).cluster
    }

    /// Returns the clusters' labels in order of their numbers; none before the first derivation.
    #[must_use]
    pub fn cluster_labels(&self) -> Vec<&str> {
        self.standing.clusters.iter().flatten().map(|cluster| cluster.label.as_str()).collect()
    }
}
