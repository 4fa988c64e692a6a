//! Finds the meanings of a name in a document, by the map's own edges.
//!
//! The map answers for references that it knows. Where the editor's text is ahead of the disk there are two ways to an
//! answer: the text's own scopes, which no other file can change, and the map's answer for the same reference on the
//! disk (the same name after the same text, in the same definition). A reference with neither is not guessed.

use std::sync::Arc;

use hob_base::FileId;
use hob_map::FileFacts;
use hob_map::facts::{DefFlags, DefIdx, DefKind, Receiver, Ref, RefKind};
use hob_map::graph::{Confidence, DefRef, Edge, EdgeKind, EdgeKinds, Lookup, Map, MapChange, NodeRef};

use super::document::{DocumentSpot, MapDocument, module_words};
use super::text::Word;
use super::twins::{twin_def, twin_import, twin_ref};

/// Most definitions of a name, where nothing but the name is known.
const NAMESAKES: usize = 10;

/// A meaning of a name: a definition in the document itself, or a node of the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sense {
    /// A definition of the document, by its present facts.
    Here(DefIdx),
    /// A node of the map, in another file.
    There(NodeRef),
}

/// The meanings of a name, certain or possible.
#[derive(Debug, Default)]
pub(super) struct Senses {
    pub(super) list: Vec<Sense>,
    /// True if the meaning is certain, and not only one of several candidates.
    pub(super) is_sure: bool,
}

impl Senses {
    fn from_certain(list: Vec<Sense>) -> Self {
        Self { list, is_sure: true }
    }
}

/// A document together with the map, for one question under one lock.
pub(super) struct DocumentReading<'m> {
    pub(super) document: &'m MapDocument,
    pub(super) map: &'m Map,
    /// The document in the map.
    pub(super) disk: Option<(FileId, Arc<FileFacts>)>,
    /// A map of the document alone, if the map has another text of it.
    alone: Option<Map>,
}

/// The document's number in its own map.
const ALONE: FileId = FileId(0);

impl<'m> DocumentReading<'m> {
    pub(super) fn new(document: &'m MapDocument, map: &'m Map) -> Self {
        let file = map.file_at(document.path.as_str());
        let disk = file.and_then(|file| Some((file, Arc::clone(map.file(file)?.1))));
        let alone = (!document.is_mapped).then(|| {
            let (path, facts) = (document.path.clone(), Arc::clone(&document.facts));
            let mut alone = Map::new();
            alone.apply(vec![MapChange::Set { file: ALONE, path, facts }]);
            alone
        });
        Self { document, map, disk, alone }
    }

    /// Returns the meanings of the thing at a place.
    pub(super) fn senses_at(&self, spot: DocumentSpot, word: Option<&Word>) -> Senses {
        match spot {
            DocumentSpot::Def(def) => Senses::from_certain(vec![self.of_def(def)]),
            DocumentSpot::Ref(at) => {
                let r = self.document.facts.refs[at];
                self.of_ref(&r).unwrap_or_else(|| self.senses_by_name(self.document.name(r.name)))
            }
            DocumentSpot::Imported(at) => self.of_import(at, false),
            DocumentSpot::Module(at) => self.of_import(at, true),
            // In a known language, a name without facts is a local name, or none.
            DocumentSpot::Nothing if self.document.is_source => Senses::default(),
            DocumentSpot::Nothing => word.map(|word| self.senses_by_name(&word.text)).unwrap_or_default(),
        }
    }

    /// Returns a definition, or the one that it declares.
    fn of_def(&self, def: DefIdx) -> Sense {
        let on_disk = self.disk.as_ref().and_then(|(file, facts)| {
            let def = if self.document.is_mapped { def } else { twin_def(&self.document.facts, def, facts)? };
            Some(DefRef { file: *file, def })
        });
        let body = on_disk.map(|def| NodeRef::Def(self.map.body_of(def)));
        body.and_then(|body| self.sense_of_node(body)).unwrap_or(Sense::Here(def))
    }

    /// Returns the meanings of a reference; `None` if the map does not know it.
    fn of_ref(&self, r: &Ref) -> Option<Senses> {
        if let Some(own) = self.own_definition(r) {
            return Some(Senses::from_certain(vec![Sense::Here(own)]));
        }
        let (file, facts) = self.disk.as_ref()?;
        let twin = if self.document.is_mapped { r } else { twin_ref(&self.document.facts, r, facts)? };
        let (nodes, is_sure) = meant_nodes(self.map, *file, facts, twin);
        let list = nodes.into_iter().filter_map(|node| self.sense_of_node(node)).collect();
        Some(Senses { list, is_sure })
    }

    /// Returns the definition that a reference resolves to by the document's own scopes, where the document is ahead of
    /// the map.
    pub(super) fn own_definition(&self, r: &Ref) -> Option<DefIdx> {
        let edges = edges_at(self.alone.as_ref()?, ALONE, &self.document.facts, r);
        let mut exact = edges.iter().filter(|edge| edge.confidence == Confidence::Exact);
        exact.find_map(|edge| if let NodeRef::Def(def) = edge.to { Some(def.def) } else { None })
    }

    /// Returns the meanings of an import: the definition that it binds, or the file that it imports.
    fn of_import(&self, at: usize, wants_module: bool) -> Senses {
        let found = self.disk.as_ref().and_then(|(file, facts)| {
            let at = if self.document.is_mapped { at } else { twin_import(&self.document.facts, at, facts)? };
            Some((*file, facts, facts.imports.get(at)?))
        });
        let Some((file, facts, import)) = found else { return Senses::default() };
        let edges = self.map.edges_out(NodeRef::File(file), EdgeKinds::from_iter([EdgeKind::Imports]));
        let led = edges.into_iter().filter(|edge| edge.sites.contains(&import.line)).map(|edge| edge.to);
        let (files, defs): (Vec<NodeRef>, Vec<NodeRef>) = led.partition(|to| matches!(to, NodeRef::File(_)));
        let name = import.name.map(|name| facts.name(name));
        let named = |node: &NodeRef| name.is_some_and(|name| self.is_named(*node, &[name]));
        let bound: Vec<NodeRef> = defs.into_iter().filter(named).collect();
        let module = facts.name(import.module);
        let files = self.files_of(files, name.unwrap_or_default(), module);
        let list = if wants_module || bound.is_empty() { files } else { bound };
        Senses::from_certain(list.into_iter().filter_map(|node| self.sense_of_node(node)).collect())
    }

    /// Returns the files, among those that a line imports, whose paths match the last words of a module best.
    fn files_of(&self, files: Vec<NodeRef>, name: &str, module: &str) -> Vec<NodeRef> {
        let mut words: Vec<&str> = module_words(module).collect();
        words.push(name);
        let path = |node: &NodeRef| {
            let path = node.file().and_then(|file| self.map.file(file)).map(|(path, _)| path.to_string());
            path.unwrap_or_default()
        };
        let fits = |node: &NodeRef, word: &str| module_words(&path(node)).any(|part| part == word);
        for word in words.into_iter().rev() {
            let fitting: Vec<NodeRef> = files.iter().filter(|node| fits(node, word)).copied().collect();
            if !fitting.is_empty() {
                return fitting;
            }
        }
        files
    }

    /// Returns the definitions of exactly this name.
    fn senses_by_name(&self, name: &str) -> Senses {
        let nodes = match self.map.lookup(name) {
            Lookup::One(node) => vec![node],
            Lookup::Ambiguous(nodes) => nodes,
            Lookup::None => Vec::new(),
        };
        let fits = |node: &NodeRef| self.is_named(*node, &[name]) && self.is_kindred(*node);
        let named = nodes.into_iter().filter(fits);
        let list = named.filter_map(|node| self.sense_of_node(node)).take(NAMESAKES).collect();
        Senses { list, is_sure: false }
    }

    /// Returns true if the document's language can refer to definitions in the language of a node.
    fn is_kindred(&self, node: NodeRef) -> bool {
        let lang =
            node.file().and_then(|file| self.map.file(file)).map(|(_, facts)| facts.lang.language_group());
        !self.document.is_source || lang == Some(self.document.facts.lang.language_group())
    }

    fn is_named(&self, node: NodeRef, names: &[&str]) -> bool {
        is_named(self.map, node, names)
    }

    /// Returns a node as a meaning in the document; `None` for packages outside, and for definitions that the document
    /// has no more.
    pub(super) fn sense_of_node(&self, node: NodeRef) -> Option<Sense> {
        match (node, &self.disk) {
            (NodeRef::External(_), _) => None,
            (NodeRef::Def(def), Some((file, facts))) if def.file == *file => {
                let here = if self.document.is_mapped {
                    Some(def.def)
                } else {
                    twin_def(facts, def.def, &self.document.facts)
                };
                here.map(Sense::Here)
            }
            _ => Some(Sense::There(node)),
        }
    }
}

/// Returns the nodes that a reference leads to, and true if they are resolved; otherwise they are candidates.
fn meant_nodes(map: &Map, file: FileId, facts: &FileFacts, r: &Ref) -> (Vec<NodeRef>, bool) {
    let edges = edges_at(map, file, facts, r);
    let is_sure = edges.iter().any(Edge::is_resolved);
    let mut nodes: Vec<NodeRef> = Vec::new();
    for edge in edges.iter().filter(|edge| edge.is_resolved() == is_sure) {
        let ends = if is_sure { std::slice::from_ref(&edge.to) } else { &edge.candidates[..] };
        for end in ends {
            let end = if let NodeRef::Def(def) = *end { map.body_of(def).into() } else { *end };
            if !nodes.contains(&end) {
                nodes.push(end);
            }
        }
    }
    (nodes, is_sure)
}

/// Returns the edges of a reference. Edges know only their lines, so names tell several edges on one line apart.
fn edges_at(map: &Map, file: FileId, facts: &FileFacts, r: &Ref) -> Vec<Edge> {
    let owner = r.owner.map_or(NodeRef::File(file), |def| DefRef { file, def }.into());
    let mut edges = map.edges_out(owner, EdgeKinds::from_iter([edge_kind(r.kind())]));
    edges.retain(|edge| edge.sites.contains(&r.line));
    let fits = |edge: &Edge, r: &Ref| is_meant_by(map, edge.to, facts, r);
    if edges.iter().any(|edge| fits(edge, r)) {
        edges.retain(|edge| fits(edge, r));
        return edges;
    }
    // The node has another name there, or the edge belongs to no reference that the map knows. Only alone on its line
    // is the former certain.
    let is_beside = |other: &Ref| {
        let same = other.line == r.line && other.owner == r.owner && other.name != r.name;
        same && edge_kind(other.kind()) == edge_kind(r.kind())
    };
    if facts.refs.iter().any(is_beside) {
        edges.clear();
    }
    edges
}

/// Returns the kind of edge that a reference makes.
pub(super) fn edge_kind(kind: RefKind) -> EdgeKind {
    match kind {
        RefKind::Call | RefKind::Framework | RefKind::Injected => EdgeKind::Calls,
        RefKind::Extends => EdgeKind::Extends,
        RefKind::Implements => EdgeKind::Implements,
        RefKind::Type | RefKind::Use | RefKind::Key => EdgeKind::References,
    }
}

/// Returns true if a reference's name in its file is a name of the node.
fn is_meant_by(map: &Map, node: NodeRef, facts: &FileFacts, r: &Ref) -> bool {
    let aliases = facts.imports.iter().filter(|import| import.local == Some(r.name));
    if facts.lang.is_prose() {
        return is_linked(map, node, facts, r);
    }
    if matches!(node, NodeRef::File(_)) {
        return aliases.count() > 0;
    }
    let mut names = vec![facts.name(r.name)];
    names.extend(aliases.filter_map(|import| import.name).map(|name| facts.name(name)));
    is_named(map, node, &names)
}

/// Returns true if a link may lead to a node, by the name of the file; a link without a file leads to its own. A link
/// with a heading leads to a heading.
pub(super) fn is_linked(map: &Map, node: NodeRef, facts: &FileFacts, r: &Ref) -> bool {
    let (Receiver::Path(spec), Some(file)) = (r.receiver(), node.file()) else { return false };
    let Some((path, linked)) = map.file(file) else { return false };
    let kind = if let NodeRef::Def(def) = node { Some(linked.def(def.def).kind) } else { None };
    // A mark before it shows the form in which the link is written.
    let written = facts.name(spec).trim_start_matches(['[', ']', '(']);
    let (written, heading) = written.split_once('#').unwrap_or((written, ""));
    if heading.is_empty() && kind.is_some_and(|kind| kind != DefKind::Note) {
        return false;
    }
    let name = written.rsplit('/').next().unwrap_or_default();
    let stem = |name: &str| name.split('.').next().unwrap_or_default().to_lowercase();
    let is_file = if name.is_empty() { is_same(linked, facts) } else { stem(path.file_name()) == stem(name) };
    is_file && (heading.is_empty() || kind.is_some())
}

fn is_same(a: &FileFacts, b: &FileFacts) -> bool {
    std::ptr::eq(a, b)
}

fn is_named(map: &Map, node: NodeRef, names: &[&str]) -> bool {
    let NodeRef::Def(def) = node else { return false };
    let Some((_, facts)) = map.file(def.file) else { return false };
    let Some(found) = facts.defs.get(def.def.index()) else { return false };
    names.contains(&facts.name(found.name))
        || (found.flags.has(DefFlags::DEFAULT) && names.contains(&"default"))
}
