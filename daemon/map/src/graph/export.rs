//! Writes the map as lines of text, for comparing one map with another.

use hob_base::{FileId, WsPath};

use super::{DefRef, EdgeKinds, Map, NodeRef};
use crate::resolve::Resolver;

impl Map {
    /// Returns the whole map as sorted lines that depend on paths and contents alone: one per node and one per edge,
    /// unresolved ones included. It resolves every reference.
    #[must_use]
    pub fn export(&self) -> Vec<String> {
        let resolver = Resolver::for_whole_map(&self.index);
        let files = self.index.entries().map(|(file, _)| file);
        let mut lines: Vec<String> = files.flat_map(|file| self.export_with(&resolver, file)).collect();
        lines.sort_unstable();
        lines
    }

    /// Returns the mapped files in order of path, to be passed to [`Map::export_file`].
    #[must_use]
    pub fn export_order(&self) -> Vec<(WsPath, FileId)> {
        let entries = self.index.entries().map(|(file, entry)| (entry.path.clone(), file));
        let mut files: Vec<_> = entries.collect();
        files.sort_unstable();
        files
    }

    /// Returns the lines of [`Map::export`] that are about one file, for maps that are too large to be exported as a whole.
    #[must_use]
    pub fn export_file(&self, file: FileId) -> Vec<String> {
        let mut lines = self.export_with(&Resolver::for_whole_map(&self.index), file);
        lines.sort_unstable();
        lines
    }

    fn export_with(&self, resolver: &Resolver<'_>, file: FileId) -> Vec<String> {
        let mut lines = Vec::new();
        self.export_node(resolver, NodeRef::File(file), &mut lines);
        for def in self.defs_of(file) {
            self.export_node(resolver, def.into(), &mut lines);
        }
        lines
    }

    fn export_node(&self, resolver: &Resolver<'_>, node: NodeRef, lines: &mut Vec<String>) {
        let Some(info) = self.info(node) else { return };
        lines.push(format!(
            "node {} {} {}-{} {:?} {} | {}",
            info.id,
            info.kind.as_str(),
            info.lines.0,
            info.lines.1,
            info.name_at,
            info.signature,
            info.doc
        ));
        for edge in self.edges_out_with(resolver, node, EdgeKinds::ALL) {
            let ids = |nodes: &[NodeRef]| {
                nodes.iter().map(|n| self.id(*n).to_string()).collect::<Vec<_>>().join(" ")
            };
            let to = if edge.is_resolved() { self.id(edge.to).to_string() } else { ids(&edge.candidates) };
            lines.push(format!(
                "edge {} {} {} {to} x{} {:?}",
                info.id,
                edge.kind.as_str(),
                edge.confidence.as_str(),
                edge.site_count,
                edge.sites
            ));
        }
    }

    /// Returns the ancestors of a definition, outermost first, for labels and breadcrumbs.
    #[must_use]
    pub fn ancestors_of(&self, def: DefRef) -> Vec<DefRef> {
        let Some(entry) = self.index.entry(def.file) else { return Vec::new() };
        let parent = |at: &DefRef| {
            let parent = entry.facts.defs.get(at.def.index())?.parent?;
            Some(DefRef { file: def.file, def: parent })
        };
        let mut chain: Vec<DefRef> = std::iter::successors(parent(&def), parent).collect();
        chain.reverse();
        chain
    }
}
