//! Finds the edges that end at a node: imports of a file, uses of a package, and, in [`super::uses`], uses of a
//! definition.

use hob_base::{CancelToken, FileId, Stopped};
use rustc_hash::FxHashSet;

use super::edges::{Edge, Edges};
use super::outbound::owner_node;
use super::skeleton_uses::UsesInSkeleton;
use super::uses::{CHECK_EVERY, Search};
use super::{DefRef, EdgeKind, EdgeKinds, ExternalId, Map, NodeRef};
use crate::facts::{RefKind, StrId};
use crate::index::FileEntry;
use crate::resolve::{Resolution, Resolver, Thing};

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
    }
}

/// A query for the users of a definition.
pub(super) struct UsersQuery<'q, 'm> {
    pub(super) def: DefRef,
    /// Methods whose uses count as uses of `def`.
    pub(super) kin: &'q [NodeRef],
    /// The uses that are looked at, if they are known; links of notes always are.
    pub(super) uses: Option<UsesInSkeleton<'m>>,
    pub(super) kinds: EdgeKinds,
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
        let mut found = self.uses_of(resolver, node, kinds, cancel);
        if kinds.has(EdgeKind::References) {
            let (links, stopped) = self.links_to(resolver, node, cancel);
            found.edges.extend(links);
            found.stopped = found.stopped.or(stopped);
        }
        found
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
        let (NodeRef::Def(method), false) = (node, kin.is_empty()) else {
            return self.edges_in_with(resolver, node, kinds, cancel);
        };
        let kin_defs =
            kin.iter().filter_map(|node| if let NodeRef::Def(def) = node { Some(*def) } else { None });
        let uses = self.known_uses(resolver, std::iter::once(method).chain(kin_defs));
        let mut found = self.users_of(resolver, UsersQuery { def: method, kin, uses, kinds }, cancel);
        if kinds.has(EdgeKind::Calls) {
            self.add_calls_that_lead_forwards(resolver, method, cancel, &mut found);
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
        let UsersQuery { def, kin, uses, kinds } = query;
        let mut found = Inbound::default();
        let parts = match kin {
            [] => vec![(kinds, kin)],
            _ => vec![(kinds.of_holders(), &[][..]), (kinds.of_users(), kin)],
        };
        for (kinds, kin) in parts.into_iter().filter(|(kinds, _)| kinds.count() > 0) {
            let mut search = Search::new(self, resolver, def, kinds).for_family(kin).among_uses(uses.clone());
            let stopped = search.run(cancel).err();
            found.merge(Inbound { edges: search.edges.into_vec(), stopped, is_cut: false });
        }
        if kinds.has(EdgeKind::References) {
            let (links, stopped) = self.links_to(resolver, def.into(), cancel);
            found.edges.extend(links);
            found.stopped = found.stopped.or(stopped);
        }
        found
    }

    /// Returns the uses that may mean some definitions, if the skeleton is up to date and has them.
    fn known_uses(
        &self,
        resolver: &Resolver<'_>,
        targets: impl IntoIterator<Item = DefRef>,
    ) -> Option<UsesInSkeleton<'_>> {
        let surroundings = self.surroundings().filter(|_| !resolver.is_passing())?;
        UsesInSkeleton::of_targets(surroundings.skeleton(), targets)
    }

    fn uses_of(
        &self,
        resolver: &Resolver<'_>,
        node: NodeRef,
        kinds: EdgeKinds,
        cancel: &CancelToken,
    ) -> Inbound {
        match node {
            NodeRef::File(file) => self.file_inbound(resolver, file, kinds),
            NodeRef::External(package) => self.external_inbound(resolver, package, kinds, cancel),
            NodeRef::Def(def) => {
                let uses = self.known_uses(resolver, [def]);
                let mut search = Search::new(self, resolver, def, kinds).among_uses(uses);
                let stopped = search.run(cancel).err();
                let mut found = Inbound { edges: search.edges.into_vec(), stopped, is_cut: false };
                if kinds.has(EdgeKind::Calls) {
                    self.add_calls_that_lead_forwards(resolver, def, cancel, &mut found);
                }
                found
            }
        }
    }

    /// Finds the edges of files that import a file: by imports whose module has a word that may mean it, and by
    /// imports of its name.
    fn file_inbound(&self, resolver: &Resolver<'_>, file: FileId, kinds: EdgeKinds) -> Inbound {
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
        for importer in importers.into_iter().map(FileId).filter(|importer| *importer != file) {
            let out = self.imports_of(resolver, importer, wanted);
            out.into_iter().filter(|edge| edge.to == NodeRef::File(file)).for_each(|edge| edges.add(edge));
            self.module_uses(resolver, importer, file, kinds, &mut edges);
        }
        Inbound::of_edges(edges.into_vec())
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

    fn external_inbound(
        &self,
        resolver: &Resolver<'_>,
        package: ExternalId,
        kinds: EdgeKinds,
        cancel: &CancelToken,
    ) -> Inbound {
        let mut found = Inbound::default();
        let Some((_, name)) = self.externals.name(package) else { return found };
        let word = name.rsplit(['/', '.', ':', '@']).next().unwrap_or(&name);
        let mut files: Vec<u32> =
            self.index.imports_with(word).flat_map(|(_, files)| files.iter().copied()).collect();
        files.sort_unstable();
        files.dedup();
        let mut edges = Edges::default();
        for (count, file) in files.into_iter().map(FileId).enumerate() {
            if count % CHECK_EVERY == 0
                && let Err(stopped) = cancel.check()
            {
                found.stopped = Some(stopped);
                break;
            }
            let node = NodeRef::External(package);
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
