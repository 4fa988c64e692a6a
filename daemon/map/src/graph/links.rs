//! Makes edges of the links of notes: references from the section or note that contains a link to the note, section or
//! file that the link means.
//!
//! A broken link leads to a node outside, named as the link is written, so that it appears among the references of its
//! note, and a query for its users finds every note that links to it.

use hob_base::{CancelToken, FileId, Stopped};
use rustc_hash::FxHashSet;

use super::edges::{Edge, Edges};
use super::outbound::owner_node;
use super::uses::CHECK_EVERY;
use super::{Confidence, DefRef, EdgeKind, ExternalId, Map, NodeRef};
use crate::facts::Ref;
use crate::index::FileEntry;
use crate::langs::lang::Lang;
use crate::langs::markdown::target::{OWN, key, keys_of};
use crate::resolve::{ResolvedNoteLink, Resolver};

impl Map {
    /// Adds the edge of one link.
    pub(super) fn add_link(&self, resolver: &Resolver<'_>, file: FileId, r: &Ref, edges: &mut Edges) {
        let from = owner_node(file, r.owner);
        match resolver.resolve_link(file, r) {
            ResolvedNoteLink::To(to, confidence) if to != from && to != NodeRef::File(file) => {
                edges.add_resolved(from, to, EdgeKind::References, confidence, Some(r.line));
            }
            ResolvedNoteLink::OneOf(candidates) => {
                edges.add_unresolved(from, EdgeKind::References, candidates, r.line);
            }
            ResolvedNoteLink::Broken(name) => {
                let Some(entry) = self.index.entry(file) else { return };
                edges.add(Edge {
                    from,
                    to: NodeRef::External(self.externals.package_number(entry.lang(), &name)),
                    kind: EdgeKind::References,
                    confidence: Confidence::Candidate,
                    candidates: Vec::new(),
                    sites: vec![r.line],
                    site_count: 1,
                });
            }
            ResolvedNoteLink::To(..) | ResolvedNoteLink::Nothing => {}
        }
    }

    /// Returns the links that lead to a node, or may lead to it.
    pub(super) fn links_to(
        &self,
        resolver: &Resolver<'_>,
        node: NodeRef,
        cancel: &CancelToken,
    ) -> (Vec<Edge>, Option<Stopped>) {
        let mut edges = Edges::default();
        let (files, keys) = self.files_linking_to(node);
        for (count, file) in files.into_iter().enumerate() {
            if count % CHECK_EVERY == 0
                && let Err(stopped) = cancel.check()
            {
                return (edges.into_vec(), Some(stopped));
            }
            let Some(entry) = self.index.entry(file).filter(|entry| entry.lang().is_prose()) else {
                continue;
            };
            let mut found = Edges::default();
            for name in keys.iter().filter_map(|key| entry.facts.names.find(key)) {
                let links = entry.facts.refs_named(name).iter();
                links.for_each(|r| self.add_link(resolver, file, r, &mut found));
            }
            let leads = |edge: &Edge| edge.to == node || edge.candidates.contains(&node);
            found.into_vec().into_iter().filter(leads).for_each(|edge| edges.add(first(edge, node)));
        }
        (edges.into_vec(), None)
    }

    /// Returns the files with links that may mean a node, in order, and the keys of those links.
    fn files_linking_to(&self, node: NodeRef) -> (Vec<FileId>, Vec<String>) {
        let mut keys = Vec::new();
        let mut own = None;
        match node {
            NodeRef::External(id) => keys.extend(self.broken_key(id)),
            NodeRef::File(file) => keys.extend(self.index.entry(file).map(keys_of_entry).unwrap_or_default()),
            NodeRef::Def(DefRef { file, .. }) => {
                // Links never lead to a definition in code.
                if let Some(entry) = self.index.entry(file).filter(|entry| entry.lang().is_prose()) {
                    keys.extend(keys_of_entry(entry));
                    keys.push(OWN.to_owned());
                    own = Some(file);
                }
            }
        }
        // A note whose title is its file's name has one key twice.
        keys.sort_unstable();
        keys.dedup();
        let elsewhere = keys.iter().filter(|key| *key != OWN);
        let mut files: FxHashSet<u32> =
            elsewhere.flat_map(|key| self.index.files_mentioning(key).iter().copied()).collect();
        files.extend(own.map(|file| file.0));
        let mut files: Vec<FileId> = files.into_iter().map(FileId).collect();
        files.sort_unstable();
        (files, keys)
    }

    fn broken_key(&self, id: ExternalId) -> Option<String> {
        let (lang, name) = self.externals.name(id)?;
        Lang::with_id(&lang).is_some_and(Lang::is_prose).then(|| key(&name))
    }
}

fn keys_of_entry(entry: &FileEntry) -> Vec<String> {
    let mut keys = keys_of(entry.path.as_str());
    keys.extend(entry.title().map(key));
    keys
}

/// Puts the queried node first among the candidates of an unresolved edge.
fn first(mut edge: Edge, node: NodeRef) -> Edge {
    if edge.to != node {
        edge.candidates.retain(|candidate| *candidate != node);
        edge.candidates.insert(0, node);
        edge.to = node;
    }
    edge
}
