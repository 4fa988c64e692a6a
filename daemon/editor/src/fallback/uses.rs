//! Finds the uses of a name by the map's edges, and places them in the text.
//!
//! Edges know lines, and the facts of each file know the columns of its references. Only for imports does this read a
//! file's text, after the map's lock is released. A use without a place is left out.

use std::collections::HashMap;

use hob_base::{CancelToken, Contents as _, FileId, Stopped, WsPath};
use hob_map::FileFacts;
use hob_map::facts::{DefFlags, Import, Ref, StrId};
use hob_map::graph::{Confidence, DefRef, Edge, EdgeKind, EdgeKinds, Map, NodeRef};

use super::document::{MapDocument, module_words};
use super::place::{FilePlace, MOST_PLACES, Spans};
use super::senses::{DocumentReading, Sense, edge_kind, is_linked};
use super::text::{LinedText, utf16_width_of};
use super::twins::{twin_def, twin_import, twin_ref};
use hob_host::Workspace;

/// A use, before the texts of files are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// A use at this place.
    At(FilePlace),
    /// A use in the import that begins on this line, at the place of this name.
    Imported { path: WsPath, line: u32, name: String },
}

/// The node of the map whose uses are searched, and the names by which files refer to it.
struct SoughtNode<'m> {
    map: &'m Map,
    node: NodeRef,
    /// Its own name; a file's without its ending.
    name: &'m str,
    is_default: bool,
}

impl<'m> SoughtNode<'m> {
    fn new(map: &'m Map, node: NodeRef) -> Option<Self> {
        let (path, facts) = map.file(node.file()?)?;
        let found = if let NodeRef::Def(def) = node { facts.defs.get(def.def.index()) } else { None };
        let stem = path.file_name().split('.').next().unwrap_or_default();
        let name = found.map_or(stem, |def| facts.name(def.name));
        Some(Self { map, node, name, is_default: found.is_some_and(|def| def.flags.has(DefFlags::DEFAULT)) })
    }

    /// Returns true if an import imports the node.
    fn is_imported(&self, facts: &FileFacts, import: &Import) -> bool {
        let name = import.name.map(|name| facts.name(name));
        match self.node {
            NodeRef::File(_) => {
                module_words(facts.name(import.module)).chain(name).any(|word| word == self.name)
            }
            _ => name.is_some_and(|name| name == self.name || (self.is_default && name == "default")),
        }
    }

    /// Returns the names that a file may use for the node.
    fn names_in(&self, facts: &FileFacts) -> Vec<StrId> {
        let imports = facts.imports.iter().filter(|import| self.is_imported(facts, import));
        facts.names.find(self.name).into_iter().chain(imports.filter_map(|import| import.local)).collect()
    }

    /// Returns the references of a file from which an edge comes.
    fn refs_of_edge<'f>(&self, facts: &'f FileFacts, edge: &Edge) -> Vec<&'f Ref> {
        let owner = if let NodeRef::Def(def) = edge.from { Some(def.def) } else { None };
        let belongs = |r: &&Ref| {
            r.owner == owner && edge_kind(r.kind()) == edge.kind && edge.sites.binary_search(&r.line).is_ok()
        };
        let names = self.names_in(facts);
        let mut refs: Vec<&Ref> = facts.refs.iter().filter(belongs).collect();
        // The reference may use another name, if it is the only one on the line.
        let is_alone: HashMap<u32, usize> = refs.iter().fold(HashMap::new(), |mut lines, r| {
            *lines.entry(r.line).or_default() += 1;
            lines
        });
        let is_it = |r: &Ref| match facts.lang.is_prose() {
            true => is_linked(self.map, self.node, facts, r),
            false => names.contains(&r.name),
        };
        refs.retain(|r| is_it(r) || is_alone[&r.line] == 1);
        refs
    }
}

impl DocumentReading<'_> {
    /// Returns the uses of a meaning, at most [`MOST_PLACES`].
    ///
    /// # Errors
    /// [`Stopped`] when the caller cancels, or the search takes too long.
    pub(super) fn uses_of(&self, sense: Sense, cancel: &CancelToken) -> Result<Vec<Use>, Stopped> {
        let mut found = Vec::new();
        if let Some(sought) = self.node_of(sense).and_then(|node| SoughtNode::new(self.map, node)) {
            let kinds = EdgeKinds::ALL.without(EdgeKind::Contains).without(EdgeKind::Exports);
            let mut edges = self.map.edges_in(sought.node, kinds, cancel)?;
            // A call through values may be no reference of the name, so it does not stand for the possible ones.
            let is_sure = edges.iter().any(|edge| edge.is_resolved() && edge.confidence != Confidence::Flow);
            edges.retain(|edge| (edge.is_resolved() || !is_sure) && edge.to == sought.node);
            edges.sort_by_key(|edge| edge.from);
            self.follow_edges(&sought, &edges, &mut found);
        }
        if let Sense::Here(def) = sense {
            let refs = self.document.facts.refs.iter().filter(|_| !self.document.is_mapped);
            let named = refs.filter(|r| self.may_be(def, r));
            found.extend(named.filter(|r| self.own_definition(r) == Some(def)).map(|r| self.use_here(r)));
        }
        found.truncate(MOST_PLACES);
        Ok(found)
    }

    /// Returns the node of the map for a meaning.
    pub(super) fn node_of(&self, sense: Sense) -> Option<NodeRef> {
        match (sense, &self.disk) {
            (Sense::There(node), _) => Some(node),
            (Sense::Here(def), Some((file, _))) if self.document.is_mapped => {
                Some(DefRef { file: *file, def }.into())
            }
            (Sense::Here(def), Some((file, facts))) => {
                let def = twin_def(&self.document.facts, def, facts)?;
                Some(DefRef { file: *file, def }.into())
            }
            (Sense::Here(_), None) => None,
        }
    }

    fn follow_edges(&self, sought: &SoughtNode<'_>, edges: &[Edge], found: &mut Vec<Use>) {
        for edge in edges {
            if found.len() >= MOST_PLACES {
                return;
            }
            let Some((file, (path, facts))) =
                edge.from.file().and_then(|file| Some((file, self.map.file(file)?)))
            else {
                continue;
            };
            let is_behind = !self.document.is_mapped && self.is_document(file);
            match (edge.kind, is_behind) {
                (EdgeKind::Imports, false) => add_imported_uses(sought, edge, path, facts, found),
                (EdgeKind::Imports, true) => self.imported_here(sought, edge, facts, found),
                (_, false) => {
                    let refs = sought.refs_of_edge(facts, edge).into_iter();
                    found.extend(
                        refs.map(|r| Use::At(FilePlace { path: path.clone(), spans: span(facts, r) })),
                    );
                }
                (_, true) => self.add_moved_uses(&sought.refs_of_edge(facts, edge), facts, found),
            }
        }
    }

    fn is_document(&self, file: FileId) -> bool {
        self.disk.as_ref().is_some_and(|(disk, _)| *disk == file)
    }

    /// Adds the uses that the map knows from the disk, at their places in the editor's text.
    fn add_moved_uses(&self, on_disk: &[&Ref], facts: &FileFacts, found: &mut Vec<Use>) {
        let document = self.document;
        for r in &document.facts.refs {
            let twin = twin_ref(&document.facts, r, facts);
            let is_meant = twin.is_some_and(|twin| on_disk.contains(&twin));
            if is_meant && self.own_definition(r).is_none() {
                found.push(self.use_here(r));
            }
        }
    }

    fn imported_here(&self, sought: &SoughtNode<'_>, edge: &Edge, disk: &FileFacts, found: &mut Vec<Use>) {
        let facts = &self.document.facts;
        for (at, import) in facts.imports.iter().enumerate() {
            let twin = twin_import(facts, at, disk).and_then(|at| disk.imports.get(at));
            let is_meant = twin.is_some_and(|twin| edge.sites.contains(&twin.line));
            if is_meant && sought.is_imported(facts, import) {
                found.push(use_of(sought, &self.document.path, facts, import));
            }
        }
    }

    fn use_here(&self, r: &Ref) -> Use {
        Use::At(FilePlace { path: self.document.path.clone(), spans: self.document.span_of(r) })
    }

    fn may_be(&self, def: hob_map::facts::DefIdx, r: &Ref) -> bool {
        r.name == self.document.facts.def(def).name
    }
}

fn add_imported_uses(
    sought: &SoughtNode<'_>,
    edge: &Edge,
    path: &WsPath,
    facts: &FileFacts,
    found: &mut Vec<Use>,
) {
    let on_lines = facts.imports.iter().filter(|import| edge.sites.contains(&import.line));
    let of_it = on_lines.filter(|import| sought.is_imported(facts, import));
    found.extend(of_it.map(|import| use_of(sought, path, facts, import)));
}

fn use_of(sought: &SoughtNode<'_>, path: &WsPath, facts: &FileFacts, import: &Import) -> Use {
    let written = import.name.map(|name| facts.name(name)).filter(|name| *name == sought.name);
    let local = import.local.map(|name| facts.name(name));
    let is_file = matches!(sought.node, NodeRef::File(_));
    let name = written.or(if is_file { None } else { local }).unwrap_or(sought.name);
    Use::Imported { path: path.clone(), line: import.line, name: name.to_owned() }
}

fn span(facts: &FileFacts, r: &Ref) -> Spans {
    let width = if facts.lang.is_prose() { 0 } else { utf16_width_of(facts.name(r.name)) };
    Spans { at: (r.line, r.col()), width }
}

/// Converts uses to places, sorted, without repeats.
pub(super) fn uses_to_places(
    workspace: &Workspace,
    document: &MapDocument,
    uses: Vec<Use>,
) -> Vec<FilePlace> {
    let mut texts: HashMap<WsPath, Option<LinedText>> = HashMap::new();
    texts.insert(document.path.clone(), Some(document.text.clone()));
    let read = |path: &WsPath| workspace.disk_contents().read(path).ok().map(LinedText::new);
    let mut places: Vec<FilePlace> = Vec::with_capacity(uses.len());
    for one in uses {
        let (path, line, name) = match one {
            Use::At(place) => {
                places.push(place);
                continue;
            }
            Use::Imported { path, line, name } => (path, line, name),
        };
        let text = texts.entry(path.clone()).or_insert_with(|| read(&path)).as_ref();
        if let Some(at) = text.and_then(|text| text.mention_in_import(line, &name)) {
            places.push(FilePlace { path, spans: Spans { at, width: utf16_width_of(&name) } });
        }
    }
    places.sort_unstable();
    places.dedup();
    places
}
