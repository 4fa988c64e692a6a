//! Finds the edges that start at a node, by resolving the references in it.

use hob_base::FileId;
use rustc_hash::FxHashSet;

use super::edges::{Edge, Edges};
use super::{Confidence, DefRef, EdgeKind, EdgeKinds, Map, NodeRef};
use crate::facts::{DefIdx, Import, Ref, RefKind, StrId};
use crate::index::FileEntry;
use crate::langs::rules::ModuleTarget;
use crate::langs::semantics::PassedImports;
use crate::resolve::{NameLookup, Resolution, Resolver, Thing};

impl EdgeKind {
    /// Returns the kind of edge that a use of a name makes.
    pub(super) fn for_ref_kind(kind: RefKind) -> Self {
        match kind {
            RefKind::Call | RefKind::Framework | RefKind::Injected => Self::Calls,
            RefKind::Extends => Self::Extends,
            RefKind::Implements => Self::Implements,
            RefKind::Type | RefKind::Use | RefKind::Key => Self::References,
        }
    }
}

impl Map {
    /// Returns the edges that start at a node, in no particular order. Packages outside have none.
    #[must_use]
    pub fn edges_out(&self, node: NodeRef, kinds: EdgeKinds) -> Vec<Edge> {
        self.edges_out_with(&Resolver::new(&self.index), node, kinds)
    }

    /// Returns the definitions that the references in a node are known to mean, each once, in the order of the
    /// references. Calls through values are not followed: that costs many times as much, and ranking many definitions
    /// does not need it.
    #[must_use]
    pub fn written_targets(&self, node: NodeRef, kinds: EdgeKinds) -> Vec<DefRef> {
        let NodeRef::Def(from) = node else { return Vec::new() };
        let Some(entry) = self.index.entry(from.file) else { return Vec::new() };
        let resolver = Resolver::new(&self.index);
        let mut targets = Vec::new();
        for r in entry.facts.refs.iter().filter(|r| r.owner == Some(from.def) && is_asked(entry, r, kinds)) {
            let target = self.confirmed_meaning(&resolver, from.file, r).or_else(|| {
                match resolver.resolve(from.file, r) {
                    Resolution::To(Thing::Def(def), _) => Some(def),
                    _ => None,
                }
            });
            if let Some(target) = target.filter(|target| !targets.contains(target)) {
                targets.push(target);
            }
        }
        targets
    }

    pub(super) fn edges_out_with(
        &self,
        resolver: &Resolver<'_>,
        node: NodeRef,
        kinds: EdgeKinds,
    ) -> Vec<Edge> {
        let mut edges = Edges::default();
        let Some((file, entry)) = node.file().and_then(|file| Some((file, self.index.entry(file)?))) else {
            return Vec::new();
        };
        let owner = match node {
            NodeRef::Def(def) => Some(def.def),
            _ => None,
        };
        for r in entry.facts.refs.iter().filter(|r| r.owner == owner && is_asked(entry, r, kinds)) {
            self.add_use(resolver, file, r, &mut edges);
        }
        edges.retain_kinds(kinds);
        if kinds.has(EdgeKind::Calls) {
            self.add_calls_of_values(resolver, file, Some(owner), &mut edges);
        }
        if kinds.has(EdgeKind::Contains) {
            self.add_children(resolver, node, entry, &mut edges);
        }
        if owner.is_none() {
            self.add_imports(resolver, file, kinds, &mut edges);
        }
        edges.into_vec()
    }

    /// Returns the resolved edges of some kinds that start at a definition, as [`Self::edges_out_with`] does: those that the last
    /// derivation is sure of from there, the others computed. `refs` has the indexes of the references in the definition. `None` if
    /// nothing tells which those are, for calls, which a query may follow further than a derivation, and for containing.
    pub(crate) fn known_edges_out(
        &self,
        resolver: &Resolver<'_>,
        from: DefRef,
        refs: &[u32],
        kinds: EdgeKinds,
    ) -> Option<Vec<Edge>> {
        let is_known = !kinds.has(EdgeKind::Contains) && !kinds.has(EdgeKind::Calls);
        let around = self.surroundings().filter(|_| is_known)?;
        let entry = self.index.entry(from.file).filter(|entry| !entry.lang().is_prose())?;
        let (mut edges, mut open) = (Edges::default(), Edges::default());
        let sure = around.known_edges_from(from.into(), kinds)?.into_iter().filter(Edge::is_resolved);
        sure.for_each(|edge| edges.add(edge));
        for &at in refs {
            let r = &entry.facts.refs[at as usize];
            if is_asked(entry, r, kinds) && around.is_open(from.file, at as usize) {
                self.add_resolved_use(resolver, from.file, r, &mut open);
            }
        }
        open.retain_kinds(kinds);
        edges.merge_repeated(open);
        Some(edges.into_vec())
    }

    /// Returns the import and export edges of a file.
    pub(super) fn imports_of(&self, resolver: &Resolver<'_>, file: FileId, kinds: EdgeKinds) -> Vec<Edge> {
        let mut edges = Edges::default();
        self.add_imports(resolver, file, kinds, &mut edges);
        edges.into_vec()
    }

    /// Returns all edges that start in a file, except those from definitions to what they contain.
    pub(super) fn all_edges_of(&self, resolver: &Resolver<'_>, file: FileId, kinds: EdgeKinds) -> Vec<Edge> {
        let mut edges = Edges::default();
        let Some(entry) = self.index.entry(file) else { return Vec::new() };
        for r in entry.facts.refs.iter().filter(|r| is_asked(entry, r, kinds)) {
            self.add_use(resolver, file, r, &mut edges);
        }
        edges.retain_kinds(kinds);
        if kinds.has(EdgeKind::Calls) {
            self.add_calls_of_values(resolver, file, None, &mut edges);
        }
        self.add_imports(resolver, file, kinds, &mut edges);
        edges.into_vec()
    }

    /// Returns the resolved edge of a kind from one node to another, if there is one.
    pub(super) fn edge_between(
        &self,
        resolver: &Resolver<'_>,
        from: NodeRef,
        to: NodeRef,
        kind: EdgeKind,
    ) -> Option<Edge> {
        let mut edges = Edges::default();
        if kind == EdgeKind::Contains {
            edges.add_resolved(from, to, kind, Confidence::Exact, None);
            return edges.into_vec().pop();
        }
        let file = from.file()?;
        let entry = self.index.entry(file)?;
        let owner = if let NodeRef::Def(def) = from { Some(def.def) } else { None };
        let kinds = EdgeKinds::from_iter([kind]);
        for r in self.refs_to(entry, to).iter().filter(|r| r.owner == owner && is_asked(entry, r, kinds)) {
            self.add_use(resolver, file, r, &mut edges);
        }
        if kind == EdgeKind::Calls {
            self.add_calls_of_values(resolver, file, Some(owner), &mut edges);
        }
        if owner.is_none() {
            self.add_imports(resolver, file, EdgeKinds::from_iter([kind]), &mut edges);
        }
        edges.into_vec().into_iter().find(|edge| edge.to == to && edge.kind == kind && edge.is_resolved())
    }

    /// Returns the resolved edges of some kinds that lead from nodes of a file to any of some nodes, without containing. The
    /// language never renames.
    pub(super) fn edges_to_named(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        targets: &FxHashSet<NodeRef>,
        kinds: EdgeKinds,
    ) -> Vec<Edge> {
        let Some(entry) = self.index.entry(file) else { return Vec::new() };
        // Where imports are textual, nothing else leads to files and packages.
        let may_mean_any = !entry.lang().semantics().textual_imports
            && targets.iter().any(|target| !matches!(target, NodeRef::Def(_)));
        let names = self.names_in(entry, targets);
        let may_mean = |r: &&Ref| (may_mean_any || names.contains(&r.name)) && is_asked(entry, r, kinds);
        let mut edges = Edges::default();
        let refs = entry.facts.refs.iter().filter(may_mean);
        for r in refs {
            self.add_resolved_use(resolver, file, r, &mut edges);
        }
        edges.retain_kinds(kinds);
        if kinds.has(EdgeKind::Calls) {
            self.add_calls_of_values(resolver, file, None, &mut edges);
        }
        self.add_imports(resolver, file, kinds, &mut edges);
        let resolved = edges.into_vec().into_iter().filter(Edge::is_resolved);
        resolved.filter(|edge| targets.contains(&edge.to)).collect()
    }

    /// Returns the names of definitions that a file mentions.
    fn names_in(&self, entry: &FileEntry, defs: &FxHashSet<NodeRef>) -> FxHashSet<StrId> {
        let names = defs.iter().filter_map(|node| {
            let NodeRef::Def(def) = node else { return None };
            let facts = &self.index.entry(def.file)?.facts;
            entry.facts.names.find(facts.name(facts.defs.get(def.def.index())?.name))
        });
        names.collect()
    }

    /// Returns the references of a file that may mean a node. Some languages never rename: there only references of the
    /// node's own name.
    fn refs_to<'m>(&self, entry: &'m FileEntry, to: NodeRef) -> &'m [Ref] {
        let NodeRef::Def(to) = to else { return &entry.facts.refs };
        if !entry.lang().semantics().never_renames {
            return &entry.facts.refs;
        }
        let target = self.index.entry(to.file);
        let name = target.map(|target| target.facts.name(target.facts.def(to.def).name));
        name.and_then(|name| entry.facts.names.find(name)).map_or(&[], |name| entry.facts.refs_named(name))
    }

    fn add_use(&self, resolver: &Resolver<'_>, file: FileId, r: &Ref, edges: &mut Edges) {
        if self.index.entry(file).is_some_and(|entry| entry.lang().is_prose()) {
            return self.add_link(resolver, file, r, edges);
        }
        if self.add_resolved_use(resolver, file, r, edges) {
            return;
        }
        let (from, kind) = (owner_node(file, r.owner), EdgeKind::for_ref_kind(r.kind()));
        let candidates = resolver.candidates(file, r).list.into_iter().map(NodeRef::Def).collect();
        edges.add_unresolved(from, kind, candidates, r.line);
    }

    /// Adds the edges that a use in code is known to make. Returns false if its name is not resolved.
    fn add_resolved_use(&self, resolver: &Resolver<'_>, file: FileId, r: &Ref, edges: &mut Edges) -> bool {
        let (from, kind) = (owner_node(file, r.owner), EdgeKind::for_ref_kind(r.kind()));
        if let Some(to) = self.confirmed_meaning(resolver, file, r) {
            edges.add_resolved(from, to.into(), kind, Confidence::Live, Some(r.line));
            return true;
        }
        let found = resolver.resolve(file, r);
        if let Some(through) = self.through_values(resolver, file, r, &found) {
            for to in through.reached {
                edges.add_resolved(from, to.into(), kind, Confidence::Flow, Some(r.line));
            }
            if through.instead {
                // The call reads the variable.
                if let Resolution::To(thing, confidence) = found
                    && let Some(to) = self.used_node(file, r, &thing)
                {
                    edges.add_resolved(from, to, EdgeKind::References, confidence, Some(r.line));
                }
                return true;
            }
        }
        if let Resolution::To(thing, confidence) = &found
            && let Some(to) = self.used_node(file, r, thing)
        {
            edges.add_resolved(from, to, kind, *confidence, Some(r.line));
        }
        !matches!(found, Resolution::Unresolved)
    }

    fn add_children(&self, resolver: &Resolver<'_>, node: NodeRef, entry: &FileEntry, edges: &mut Edges) {
        let (file, parent) = match node {
            NodeRef::File(file) => (file, None),
            NodeRef::Def(def) => (def.file, Some(def.def)),
            NodeRef::External(_) => return,
        };
        for (def, found) in entry.facts.defs_indexed().filter(|(_, def)| def.parent == parent) {
            let child = DefRef { file, def };
            if !(entry.is_detached(found) && self.container(resolver, child).is_some_and(|at| at != node)) {
                edges.add_resolved(node, child.into(), EdgeKind::Contains, Confidence::Exact, None);
            }
        }
        if let NodeRef::Def(class) = node {
            for member in self.detached_members(resolver, class) {
                edges.add_resolved(node, member.into(), EdgeKind::Contains, Confidence::Exact, None);
            }
        }
    }

    /// Returns the members of a type that are written outside it.
    fn detached_members(&self, resolver: &Resolver<'_>, class: DefRef) -> Vec<DefRef> {
        let Some(entry) = self.index.entry(class.file) else { return Vec::new() };
        let qualified = entry.facts.name(entry.facts.def(class.def).qualified);
        let files = self.index.with_members_of(qualified).iter().map(|&file| FileId(file));
        let in_files = files.filter_map(|file| Some((file, self.index.entry(file)?)));
        let members = in_files.flat_map(|(file, entry)| {
            let members = entry
                .facts
                .defs_indexed()
                .filter(move |(_, def)| entry.qualifier(def) == qualified && entry.is_detached(def));
            members.map(move |(def, _)| DefRef { file, def })
        });
        members.filter(|&member| self.container(resolver, member) == Some(class.into())).collect()
    }

    /// Returns the container of a definition: its parent, the type it is a member of, or its file.
    pub(super) fn container(&self, resolver: &Resolver<'_>, def: DefRef) -> Option<NodeRef> {
        let entry = self.index.entry(def.file)?;
        let found = entry.facts.defs.get(def.def.index())?;
        if entry.is_detached(found)
            && let Some(owner) = resolver.owner_of_detached(entry, def)
        {
            return Some(owner.into());
        }
        Some(owner_node(def.file, found.parent))
    }

    fn add_imports(&self, resolver: &Resolver<'_>, file: FileId, kinds: EdgeKinds, edges: &mut Edges) {
        let Some(entry) = self.index.entry(file) else { return };
        for import in &entry.facts.imports {
            if kinds.has(EdgeKind::Imports) {
                self.add_import(resolver, file, entry, import, edges);
            }
            if kinds.has(EdgeKind::Exports) && passes_on(entry, import) {
                self.add_reexport(resolver, file, entry, import, edges);
            }
        }
        if kinds.has(EdgeKind::Exports) {
            self.add_renamed(file, entry, edges);
        }
    }

    fn add_import(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        entry: &FileEntry,
        import: &Import,
        edges: &mut Edges,
    ) {
        let from = NodeRef::File(file);
        let module = resolver.resolve_module(file, entry, import.module);
        let mut link = |to| {
            if to != from {
                edges.add_resolved(from, to, EdgeKind::Imports, Confidence::Import, Some(import.line));
            }
        };
        match &*module.target {
            ModuleTarget::File(target) | ModuleTarget::Inside(target, _) => link(NodeRef::File(*target)),
            ModuleTarget::Files(files) if import.name.is_none() => {
                files.iter().for_each(|&target| link(NodeRef::File(target)));
            }
            ModuleTarget::External(package) => {
                link(NodeRef::External(self.externals.package_number(entry.lang(), package)));
            }
            ModuleTarget::Files(_) | ModuleTarget::Unknown => {}
        }
        if import.name.is_some()
            && let NameLookup::Thing(thing, _) = resolver.binding(file, entry, import)
            && let Some(to) = self.node_of(file, &thing).filter(|to| !matches!(to, NodeRef::External(_)))
        {
            link(to);
        }
    }

    fn add_reexport(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        entry: &FileEntry,
        import: &Import,
        edges: &mut Edges,
    ) {
        if let NameLookup::Thing(thing, confidence) = resolver.binding(file, entry, import)
            && let Some(to) = self.node_of(file, &thing).filter(|to| *to != NodeRef::File(file))
        {
            edges.add_resolved(NodeRef::File(file), to, EdgeKind::Exports, confidence, Some(import.line));
        }
    }

    /// Adds edges to own definitions that the file exports under another name.
    fn add_renamed(&self, file: FileId, entry: &FileEntry, edges: &mut Edges) {
        for export in entry.facts.exports.iter().filter(|export| export.local != export.exported) {
            let mut own = entry.defs_named(entry.facts.name(export.local));
            if let Some((def, found)) = own.find(|(_, def)| def.parent.is_none()) {
                let (from, to) = (NodeRef::File(file), DefRef { file, def }.into());
                edges.add_resolved(from, to, EdgeKind::Exports, Confidence::Exact, Some(found.lines.0));
            }
        }
    }

    /// Returns the node that a use means. Naming a module on the way to something in it is no use of the module's file;
    /// the import says enough.
    pub(super) fn used_node(&self, file: FileId, r: &Ref, thing: &Thing) -> Option<NodeRef> {
        let names_module = r.kind() == RefKind::Use && matches!(thing, Thing::Module(_));
        let node = if names_module { None } else { self.node_of(file, thing) };
        node.filter(|node| *node != NodeRef::File(file))
    }

    /// Returns the node that stands for a resolved thing, as seen from a file.
    pub(super) fn node_of(&self, from: FileId, thing: &Thing) -> Option<NodeRef> {
        match thing {
            Thing::Def(def) => Some((*def).into()),
            Thing::External(package) => {
                let lang = self.index.entry(from)?.lang();
                Some(NodeRef::External(self.externals.package_number(lang, package)))
            }
            Thing::Module(module) => match &*module.target {
                ModuleTarget::File(file) => Some(NodeRef::File(*file)),
                ModuleTarget::Files(files) => files.first().map(|&file| NodeRef::File(file)),
                ModuleTarget::Inside(file, inner) => {
                    let def = self.index.entry(*file)?.def_qualified(inner, 1);
                    Some(def.map_or(NodeRef::File(*file), |def| DefRef { file: *file, def }.into()))
                }
                ModuleTarget::External(_) | ModuleTarget::Unknown => None,
            },
        }
    }
}

/// Returns true if a use can make an edge of one of these kinds: a call of a variable that is known to hold functions
/// makes a reference.
pub(super) fn is_asked(entry: &FileEntry, r: &Ref, kinds: EdgeKinds) -> bool {
    let is_read =
        r.kind() == RefKind::Call && kinds.has(EdgeKind::References) && !entry.facts.flows.is_empty();
    kinds.has(EdgeKind::for_ref_kind(r.kind())) || is_read
}

/// Returns the definition that encloses a use, or its file.
pub(super) fn owner_node(file: FileId, owner: Option<DefIdx>) -> NodeRef {
    owner.map_or(NodeRef::File(file), |def| DefRef { file, def }.into())
}

/// Returns true if the files that import a file get its import too.
pub(super) fn passes_on(entry: &FileEntry, import: &Import) -> bool {
    import.reexported
        && match entry.lang().semantics().passed_imports {
            PassedImports::Marked => true,
            PassedImports::InitFile => entry.path.file_name().starts_with("__init__."),
            PassedImports::None => false,
        }
}
