//! Finds the edges that end at a node: imports of a file, uses of a package, and, in [`super::uses`], uses of a
//! definition.

use hob_base::{CancelToken, FileId, Stopped};
use rustc_hash::FxHashSet;

use super::answers::SOME_FILES;
use super::edges::{Edge, Edges};
use super::open_uses::OpenUses;
use super::outbound::owner_node;
use super::surroundings::Surroundings;
use super::uses::{CHECK_EVERY, Search};
use super::{DefRef, EdgeKind, EdgeKinds, Map, NodeRef};
use crate::facts::{RefKind, StrId};
use crate::index::FileEntry;
use crate::resolve::{Resolution, Resolver, Thing};

/// Number of importers of a package that are searched, where a search may leave some: each is resolved whole.
const SOME_IMPORTERS: usize = SOME_FILES / 4;

/// Words of modules that name a starting point, and no module.
const RELATIVE: [&str; 4] = ["", "crate", "super", "self"];

/// The edges that end at a node, and whether all were found.
#[derive(Debug, Default)]
pub(super) struct Inbound {
    pub(super) edges: Vec<Edge>,
    /// The reason why the search ended early, if it did.
    pub(super) stopped: Option<Stopped>,
    /// True if a bound ended the search for calls through values, so that callers may be missing.
    pub(super) is_cut: bool,
    /// True if users in other files were not looked for.
    pub(super) left_files: bool,
}

impl Inbound {
    fn of_edges(edges: Vec<Edge>) -> Self {
        Self { edges, ..Self::default() }
    }

    /// Adds the edges of another search, which may have ended otherwise.
    pub(super) fn merge(&mut self, other: Self) {
        self.edges.extend(other.edges);
        self.stopped = self.stopped.or(other.stopped);
        self.is_cut |= other.is_cut;
        self.left_files |= other.left_files;
    }
}

/// A query for the users of a definition.
pub(super) struct UsersQuery<'q, 'm> {
    pub(super) def: DefRef,
    /// Methods whose uses count as uses of `def`.
    pub(super) kin: &'q [NodeRef],
    pub(super) known: Option<KnownUsers<'m>>,
    pub(super) kinds: EdgeKinds,
    /// Most files that are searched for each name.
    pub(super) most_files: usize,
}

/// The edges to a definition and its family that a skeleton has, and where a search finds the other uses. Edges that are
/// not resolved have open uses alone.
pub(super) struct KnownUsers<'m> {
    pub(super) edges: Vec<Edge>,
    pub(super) open_uses: OpenUses<'m>,
}

impl Map {
    /// Returns the edges that end at a node, in no particular order.
    ///
    /// # Errors
    /// [`Stopped`] when cancelled or late.
    pub fn edges_in(
        &self,
        node: NodeRef,
        kinds: EdgeKinds,
        cancel: &CancelToken,
    ) -> Result<Vec<Edge>, Stopped> {
        let found = self.edges_in_with(&Resolver::new(&self.index), node, kinds, cancel);
        found.stopped.map_or(Ok(found.edges), Err)
    }

    pub(super) fn edges_in_with(
        &self,
        resolver: &Resolver<'_>,
        node: NodeRef,
        kinds: EdgeKinds,
        cancel: &CancelToken,
    ) -> Inbound {
        if let NodeRef::Def(def) = node {
            return self.edges_in_family_of(resolver, def, &[], kinds, cancel);
        }
        let known = self.surroundings_for(resolver);
        let known = known.and_then(|around| around.checked_edges_to(resolver, node, kinds));
        let is_known = known.is_some();
        let mut found = match (known, node) {
            (Some(edges), _) => Inbound::of_edges(edges),
            (None, NodeRef::File(file)) => self.file_inbound(resolver, file, kinds, usize::MAX),
            (None, _) => self.external_inbound(resolver, node, kinds, usize::MAX, cancel),
        };
        if kinds.has(EdgeKind::References) {
            self.add_links_to(resolver, node, is_known, cancel, &mut found);
        }
        found
    }

    /// Returns edges that end at a node, as [`Self::edges_in_with`] does: those from [`SOME_FILES`] files of each name that may
    /// mean the node.
    pub(super) fn some_edges_in(
        &self,
        resolver: &Resolver<'_>,
        node: NodeRef,
        kinds: EdgeKinds,
        cancel: &CancelToken,
    ) -> Inbound {
        let mut found = match node {
            NodeRef::Def(def) => {
                let query = UsersQuery { def, kin: &[], known: None, kinds, most_files: SOME_FILES };
                let mut found = self.users_of(resolver, query, cancel);
                if kinds.has(EdgeKind::Calls) && !found.left_files {
                    self.add_calls_that_lead_forwards(resolver, def, cancel, &mut found);
                }
                return found;
            }
            NodeRef::File(file) => self.file_inbound(resolver, file, kinds, SOME_FILES),
            NodeRef::External(_) => self.external_inbound(resolver, node, kinds, SOME_IMPORTERS, cancel),
        };
        if kinds.has(EdgeKind::References) {
            self.add_links_to(resolver, node, false, cancel, &mut found);
        }
        found
    }

    /// Adds the links that lead to a node, or only those that may, if the others are known.
    fn add_links_to(
        &self,
        resolver: &Resolver<'_>,
        node: NodeRef,
        is_known: bool,
        cancel: &CancelToken,
        found: &mut Inbound,
    ) {
        let (links, stopped) = self.links_to(resolver, node, cancel);
        found.edges.extend(links.into_iter().filter(|edge| !is_known || !edge.is_resolved()));
        found.stopped = found.stopped.or(stopped);
    }

    /// Returns the edges that end at a node, and the uses of other methods of its family, each with the method that it
    /// names as target.
    pub(super) fn edges_in_family(
        &self,
        resolver: &Resolver<'_>,
        node: NodeRef,
        kin: &[NodeRef],
        kinds: EdgeKinds,
        cancel: &CancelToken,
    ) -> Inbound {
        match node {
            NodeRef::Def(method) => self.edges_in_family_of(resolver, method, kin, kinds, cancel),
            _ => self.edges_in_with(resolver, node, kinds, cancel),
        }
    }

    fn edges_in_family_of(
        &self,
        resolver: &Resolver<'_>,
        def: DefRef,
        kin: &[NodeRef],
        kinds: EdgeKinds,
        cancel: &CancelToken,
    ) -> Inbound {
        let known = self.known_users(resolver, def, kin, kinds);
        let query = UsersQuery { def, kin, known, kinds, most_files: usize::MAX };
        let mut found = self.users_of(resolver, query, cancel);
        if kinds.has(EdgeKind::Calls) {
            self.add_calls_that_lead_forwards(resolver, def, cancel, &mut found);
        }
        found
    }

    /// Returns the edges that end at a definition, and the uses of other methods of its family, each with the method that
    /// it names as target.
    pub(super) fn users_of<'m>(
        &'m self,
        resolver: &Resolver<'m>,
        query: UsersQuery<'_, 'm>,
        cancel: &CancelToken,
    ) -> Inbound {
        let UsersQuery { def, kin, known, kinds, most_files } = query;
        let (known, open_uses) = known.map(|known| (known.edges, known.open_uses)).unzip();
        let is_known = known.is_some();
        let mut found = Inbound::default();
        let mut edges = Edges::default();
        known.into_iter().flatten().filter(Edge::is_resolved).for_each(|edge| edges.add(edge));
        let mut new = Edges::default();
        let parts = match kin {
            [] => vec![(kinds, kin)],
            _ => vec![(kinds.of_holders(), &[][..]), (kinds.of_users(), kin)],
        };
        for (kinds, kin) in parts.into_iter().filter(|(kinds, _)| kinds.count() > 0) {
            let search = Search::new(self, resolver, def, kinds).in_most_files(most_files);
            let mut search = search.for_family(kin).among_open_uses(open_uses.clone());
            found.stopped = found.stopped.or(search.run(cancel).err());
            found.left_files |= search.left_files;
            edges.merge_repeated(search.repeated);
            new.merge(search.edges);
        }
        edges.merge(new);
        found.edges = edges.into_vec();
        if kinds.has(EdgeKind::References) {
            self.add_links_to(resolver, def.into(), is_known, cancel, &mut found);
        }
        found
    }

    /// Returns what the skeleton knows of the users of a definition and its family, if it is up to date and has them.
    fn known_users(
        &self,
        resolver: &Resolver<'_>,
        def: DefRef,
        kin: &[NodeRef],
        kinds: EdgeKinds,
    ) -> Option<KnownUsers<'_>> {
        let around = self.surroundings_for(resolver)?;
        let mut edges = around.known_edges_to(def.into(), kinds)?;
        for method in kin {
            edges.extend(around.known_edges_to(*method, kinds.of_users())?);
        }
        let open_uses = around.open_uses(def, edges.iter().map(|edge| edge.from));
        Some(KnownUsers { edges, open_uses })
    }

    /// Returns the skeleton, if it is up to date, for a query; a pass over the whole map makes a new one.
    pub(super) fn surroundings_for(&self, resolver: &Resolver<'_>) -> Option<Surroundings<'_>> {
        self.surroundings().filter(|_| !resolver.is_passing())
    }

    /// Finds the edges of files that import a file: by imports whose module has a word that may mean it, and by
    /// imports of its name. Of these files it asks the first `most`.
    fn file_inbound(&self, resolver: &Resolver<'_>, file: FileId, kinds: EdgeKinds, most: usize) -> Inbound {
        let mut edges = Edges::default();
        let Some(entry) = self.index.entry(file) else { return Inbound::default() };
        let mut importers = FxHashSet::default();
        for word in self.module_words(entry) {
            importers.extend(self.index.imports_with(&word).flat_map(|(_, files)| files.iter().copied()));
            importers.extend(self.index.files_mentioning(&word).iter().copied());
        }
        for word in RELATIVE {
            let purely = self.index.imports_with(word).filter(|(module, _)| is_relative(module));
            importers.extend(purely.flat_map(|(_, files)| files.iter().copied()));
        }
        let wanted =
            [EdgeKind::Imports, EdgeKind::Exports].into_iter().filter(|kind| kinds.has(*kind)).collect();
        let mut importers: Vec<u32> = importers.into_iter().collect();
        let left_files = importers.len() > most;
        if left_files {
            importers.sort_unstable();
            importers.truncate(most);
        }
        for importer in importers.into_iter().map(FileId).filter(|importer| *importer != file) {
            let out = self.imports_of(resolver, importer, wanted);
            out.into_iter().filter(|edge| edge.to == NodeRef::File(file)).for_each(|edge| edges.add(edge));
            self.module_uses(resolver, importer, file, kinds, &mut edges);
        }
        Inbound { left_files, ..Inbound::of_edges(edges.into_vec()) }
    }

    /// Adds uses of a file under the local name that an import gives it as a module: `const f = require("./f"); f()`.
    fn module_uses(
        &self,
        resolver: &Resolver<'_>,
        importer: FileId,
        file: FileId,
        kinds: EdgeKinds,
        edges: &mut Edges,
    ) {
        let Some(entry) = self.index.entry(importer) else { return };
        let mut locals: Vec<StrId> = entry.facts.imports.iter().filter_map(|import| import.local).collect();
        locals.sort_unstable();
        locals.dedup();
        let uses = locals.iter().flat_map(|local| entry.facts.refs_named(*local));
        for r in uses.filter(|r| r.kind() != RefKind::Use && kinds.has(EdgeKind::for_ref_kind(r.kind()))) {
            if self.confirmed_meaning(resolver, importer, r).is_none()
                && let Resolution::To(thing @ Thing::Module(_), confidence) = resolver.resolve(importer, r)
                && self.node_of(importer, &thing) == Some(NodeRef::File(file))
            {
                let (from, to) = (owner_node(importer, r.owner), NodeRef::File(file));
                edges.add_resolved(from, to, EdgeKind::for_ref_kind(r.kind()), confidence, Some(r.line));
            }
        }
    }

    /// Returns the words that a module specifier of this file may contain.
    pub(super) fn module_words(&self, entry: &FileEntry) -> Vec<String> {
        let path = entry.path.as_str();
        let stem = entry.path.file_name().split('.').next().unwrap_or("");
        let mut words = vec![stem.to_owned()];
        let generated = entry.lang().semantics().generated.module_endings;
        words.extend(generated.iter().map(|ending| format!("{stem}{ending}")));
        let is_entrance = matches!(stem, "__init__" | "index" | "mod" | "lib" | "main");
        let is_package =
            entry.lang().spec().is_some_and(|s| s.package_scope != crate::langs::rules::PackageScope::File);
        if is_entrance || is_package {
            words.extend(path.rsplit('/').skip(1).take(3).map(str::to_owned));
            words.extend(self.published_names(path));
        }
        words.extend(
            entry.facts.package.map(|p| entry.facts.name(p).rsplit('.').next().unwrap_or("").to_owned()),
        );
        let modules = entry.facts.defs.iter().filter(|def| def.kind == crate::facts::DefKind::Module);
        words.extend(modules.map(|def| entry.facts.name(def.name).to_owned()));
        words.sort_unstable();
        words.dedup();
        words
    }

    /// Returns the words of the names under which project files above a path publish it.
    fn published_names(&self, path: &str) -> Vec<String> {
        let names = ["package.json", "Cargo.toml", "Package.swift"];
        let manifests = names.iter().flat_map(|name| {
            let files =
                self.index.paths().manifests_named(name).iter().filter_map(|&file| self.index.entry(file));
            files.filter(|manifest| is_below(path, manifest.path.dir()))
        });
        let values = manifests.flat_map(|manifest| {
            let facts = &manifest.facts;
            facts
                .manifest
                .iter()
                .filter(|(key, _)| facts.name(*key).ends_with("name"))
                .map(|(_, v)| facts.name(*v))
        });
        let words = values.flat_map(|value| value.split(['/', '@'])).filter(|word| !word.is_empty());
        words.flat_map(|word| [word.to_owned(), word.replace('-', "_")]).collect()
    }

    /// Finds the edges to a package, in the first `most` files that import it.
    fn external_inbound(
        &self,
        resolver: &Resolver<'_>,
        node: NodeRef,
        kinds: EdgeKinds,
        most: usize,
        cancel: &CancelToken,
    ) -> Inbound {
        let mut found = Inbound::default();
        let NodeRef::External(package) = node else { return found };
        let Some((_, name)) = self.externals.name(package) else { return found };
        let word = name.rsplit(['/', '.', ':', '@']).next().unwrap_or(&name);
        let mut files: Vec<u32> =
            self.index.imports_with(word).flat_map(|(_, files)| files.iter().copied()).collect();
        files.sort_unstable();
        files.dedup();
        found.left_files = files.len() > most;
        files.truncate(most);
        let mut edges = Edges::default();
        for (count, file) in files.into_iter().map(FileId).enumerate() {
            if count % CHECK_EVERY == 0
                && let Err(stopped) = cancel.check()
            {
                found.stopped = Some(stopped);
                break;
            }
            self.all_edges_of(resolver, file, kinds)
                .into_iter()
                .filter(|e| e.to == node)
                .for_each(|e| edges.add(e));
        }
        found.edges = edges.into_vec();
        found
    }
}

/// Returns true if a module specifier only names a place relative to its file or project: `..`, `super::super`,
/// `crate`.
fn is_relative(module: &str) -> bool {
    crate::index::words_of_module(module).iter().all(|word| RELATIVE.contains(word))
}

fn is_below(path: &str, dir: &str) -> bool {
    dir.is_empty() || path.strip_prefix(dir).is_some_and(|rest| rest.starts_with('/'))
}
