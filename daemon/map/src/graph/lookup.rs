//! Converts IDs, names and places into nodes, and nodes into the data that answers show.

use hob_base::{FileId, WsPath};
use hob_proto::node_id::NodeId;

use super::{DefRef, Lookup, Map, NodeInfo, NodeKind, NodeRef};
use crate::facts::{DefFlags, DefIdx};
use crate::index::FileEntry;
use crate::langs::lang::Lang;
use crate::resolve::Resolver;

/// Marks that may begin a name in source text (`.btn`, `#main`, `@keyframes spin`).
const MARKS: [char; 3] = ['.', '#', '@'];

impl Map {
    /// Returns the node that an ID names, if it exists.
    #[must_use]
    pub fn node(&self, id: &NodeId) -> Option<NodeRef> {
        if let NodeId::External { lang, package } = id {
            let lang = Lang::with_id(lang)?;
            return Some(NodeRef::External(self.externals.package_number(lang, package)));
        }
        let file = self.index.paths().file(id.path()?)?;
        let entry = self.index.entry(file).filter(|entry| entry.lang().id() == id.lang())?;
        match id {
            NodeId::Symbol { qualified, ordinal, .. } => {
                Some(DefRef { file, def: entry.def_qualified(qualified, *ordinal)? }.into())
            }
            _ => Some(NodeRef::File(file)),
        }
    }

    /// Returns the node ID of a node, which survives edits above it.
    #[must_use]
    pub fn id(&self, node: NodeRef) -> NodeId {
        let lang_and_path = |file: FileId| {
            let entry = self.index.entry(file);
            let lang = entry.map_or("none", |entry| entry.lang().id()).to_owned();
            (lang, entry.map_or("", |entry| entry.path.as_str()).to_owned())
        };
        match node {
            NodeRef::External(id) => self.externals.id(id),
            NodeRef::File(file) => {
                let (lang, path) = lang_and_path(file);
                NodeId::File { lang, path }
            }
            NodeRef::Def(DefRef { file, def }) => {
                let (lang, path) = lang_and_path(file);
                let entry = self.index.entry(file);
                let found =
                    entry.and_then(|e| e.facts.defs.get(def.index()).map(|d| (e.facts.name(d.qualified), d)));
                let (qualified, ordinal) = found.map_or(("", 1), |(name, def)| (name, def.ordinal));
                NodeId::Symbol { lang, path, qualified: qualified.to_owned(), ordinal }
            }
        }
    }

    /// Returns the data that answers show of a node; `None` if it is not of this generation.
    #[must_use]
    pub fn info(&self, node: NodeRef) -> Option<NodeInfo> {
        match node {
            NodeRef::File(file) => self.file_info(file),
            NodeRef::Def(def) => self.def_info(def),
            NodeRef::External(id) => {
                let (_, package) = self.externals.name(id)?;
                Some(self.bare_info(node, NodeKind::External, package))
            }
        }
    }

    fn bare_info(&self, node: NodeRef, kind: NodeKind, name: String) -> NodeInfo {
        NodeInfo {
            node,
            id: self.id(node),
            kind,
            name,
            qualified: String::new(),
            path: None,
            lines: (0, 0),
            bytes: (0, 0),
            name_at: (0, 0),
            signature: String::new(),
            doc: String::new(),
            flags: DefFlags::default(),
            score: self.score(node),
        }
    }

    fn file_info(&self, file: FileId) -> Option<NodeInfo> {
        let entry = self.index.entry(file)?;
        let name = entry.path.file_name().to_owned();
        let info = self.bare_info(NodeRef::File(file), NodeKind::File, name);
        Some(NodeInfo { path: Some(entry.path.clone()), lines: (1, 1), name_at: (1, 1), ..info })
    }

    fn def_info(&self, at: DefRef) -> Option<NodeInfo> {
        let entry = self.index.entry(at.file)?;
        let (facts, def) = (&entry.facts, entry.facts.defs.get(at.def.index())?);
        let info = self.bare_info(at.into(), NodeKind::Def(def.kind), facts.name(def.name).to_owned());
        Some(NodeInfo {
            qualified: facts.name(def.qualified).to_owned(),
            path: Some(entry.path.clone()),
            lines: def.lines,
            bytes: def.bytes,
            name_at: def.name_at,
            signature: facts.signature(def).to_owned(),
            doc: facts.doc(def).to_owned(),
            flags: def.flags,
            ..info
        })
    }

    /// Returns a file's definitions in source order.
    #[must_use]
    pub fn defs_of(&self, file: FileId) -> Vec<DefRef> {
        let count = self.index.entry(file).map_or(0, |entry| entry.facts.defs.len());
        (0..count as u32).map(|def| DefRef { file, def: DefIdx::new(def) }).collect()
    }

    /// Returns the innermost definition that spans a 1-based line.
    #[must_use]
    pub fn symbol_at(&self, file: FileId, line: u32) -> Option<DefRef> {
        let entry = self.index.entry(file)?;
        let spanning = entry.facts.defs_indexed().filter(|(_, d)| d.lines.0 <= line && line <= d.lines.1);
        let innermost = spanning.min_by_key(|(idx, d)| (d.lines.1 - d.lines.0, std::cmp::Reverse(*idx)))?;
        Some(DefRef { file, def: innermost.0 })
    }

    /// Looks up the nodes for which a target stands: a node ID (with or without `sym:`), a path, a bare name, a
    /// qualified name (`A.b`, `A::b`) or a name with its module before it (`pkg.mod.A.b`).
    #[must_use]
    pub fn lookup(&self, target: &str) -> Lookup {
        let target = target.trim();
        if NodeId::looks_like(target)
            && let Ok(id) = target.parse::<NodeId>()
        {
            return self.node(&id).map_or(Lookup::None, Lookup::One);
        }
        if let Ok(path) = WsPath::new(target)
            && let Some(file) = self.file_at(path.as_str())
        {
            return Lookup::One(NodeRef::File(file));
        }
        if target.starts_with(MARKS) {
            let found = self.by_written_name(target);
            if found != Lookup::None {
                return found;
            }
        }
        let found = dotted_spellings(target).into_iter().map(|name| self.by_dotted_name(&name));
        let found = found.into_iter().find(|found| *found != Lookup::None);
        found.unwrap_or_else(|| self.by_heading(target))
    }

    /// Looks up the definitions in code with exactly this name.
    fn by_written_name(&self, name: &str) -> Lookup {
        let files = self.index.files_defining(name).iter().map(|&file| FileId(file));
        let entries = files.filter_map(|file| Some((file, self.index.entry(file)?)));
        let found = entries
            .filter(|(_, entry)| !entry.lang().is_prose())
            .flat_map(|(file, entry)| entry.defs_named(name).map(move |(def, _)| DefRef { file, def }));
        let found: Vec<DefRef> = found.collect();
        if found.is_empty() { Lookup::None } else { self.told_apart(found) }
    }

    /// Looks up a heading, or a path of headings, whose text may contain dots and colons.
    fn by_heading(&self, target: &str) -> Lookup {
        let last = target.rsplit('/').next().unwrap_or(target).trim();
        let files = self.index.files_defining(last).iter().map(|&file| FileId(file));
        let entries = files.filter_map(|file| Some((file, self.index.entry(file)?)));
        let prose = entries.filter(|(_, entry)| entry.lang().is_prose());
        let found = prose.flat_map(|(file, entry)| {
            let named = entry.defs_named(last).filter(|(_, def)| {
                let rest = entry.facts.name(def.qualified).strip_suffix(target);
                rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
            });
            named.map(move |(def, _)| DefRef { file, def })
        });
        let found: Vec<DefRef> = found.collect();
        if found.is_empty() { Lookup::None } else { self.told_apart(found) }
    }

    fn by_dotted_name(&self, dotted: &str) -> Lookup {
        let last = dotted.rsplit('.').next().unwrap_or(dotted);
        let files = self.index.files_defining(last).iter().map(|&file| FileId(file));
        let entries = files.filter_map(|file| Some((file, self.index.entry(file)?)));
        let mut found: Vec<(u8, DefRef)> = entries
            .flat_map(|(file, entry)| {
                let named = entry.defs_named(last).filter(|_| !entry.lang().is_prose());
                named.filter_map(move |(def, d)| {
                    let class = match_class(entry, entry.facts.name(d.qualified), dotted)?;
                    Some((class, DefRef { file, def }))
                })
            })
            .collect();
        let Some(best) = found.iter().map(|hit| hit.0).min() else { return Lookup::None };
        found.retain(|hit| hit.0 == best);
        self.told_apart(found.into_iter().map(|hit| hit.1).collect())
    }

    /// Returns the one definition that remains once declarations are replaced by what they announce; otherwise all, by
    /// hub score.
    pub(super) fn told_apart(&self, found: Vec<DefRef>) -> Lookup {
        let resolver = Resolver::new(&self.index);
        let mut nodes: Vec<DefRef> = found.into_iter().map(|def| resolver.body_of(def)).collect();
        nodes.sort_unstable();
        nodes.dedup();
        if let [one] = nodes[..] {
            return Lookup::One(one.into());
        }
        nodes.sort_by_cached_key(|def| {
            let score = u32::MAX - self.score((*def).into()).max(0.0).to_bits();
            (score, self.index.entry(def.file).map(|entry| entry.path.clone()), def.def)
        });
        Lookup::Ambiguous(nodes.into_iter().map(NodeRef::Def).collect())
    }
}

/// Returns the dotted names that a text may be, the likeliest first. A `#` separates (`Class#method`) or begins a
/// private name of JavaScript (`Class.#method`); the separators of languages become dots.
pub(super) fn dotted_spellings(text: &str) -> Vec<String> {
    let text = text.trim_end_matches("()");
    let text = text.strip_prefix("crate::").unwrap_or(text);
    let dotted = text.replace("::", ".").replace("->", ".").replace('/', ".");
    let (separated, private) =
        (dotted.replace(".#", "#").replace('#', "."), dotted.replace(".#", "#").replace('#', ".#"));
    let mut all: Vec<String> = Vec::new();
    for name in [dotted, separated, private] {
        let name = name.trim_matches('.').to_owned();
        if !name.is_empty() && !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

/// Grades how well a dotted name fits a definition, 0 best; `None` if it does not.
fn match_class(entry: &FileEntry, qualified: &str, dotted: &str) -> Option<u8> {
    if qualified == dotted {
        return Some(0);
    }
    if ends_at_dot(qualified, dotted) {
        return Some(2);
    }
    let full = format!("{}.{qualified}", module_path(entry));
    if full == dotted {
        return Some(0);
    }
    if ends_at_dot(&full, dotted) {
        return Some(1);
    }
    // `pkg.f` for a name that `pkg` re-exports from a module of its own; crates are written with `_` for the `-` of
    // folders.
    let mut parts = full.split('.');
    let is_same =
        |have: &str, part: &str| have == part || (have.contains('-') && have.replace('-', "_") == part);
    let within = dotted.split('.').all(|part| parts.any(|have| is_same(have, part)));
    (within && dotted.contains('.')).then_some(3)
}

fn ends_at_dot(long: &str, short: &str) -> bool {
    long.strip_suffix(short).is_some_and(|rest| rest.ends_with('.'))
}

/// Returns the path of a file as a module: its package, or its path with dots.
fn module_path(entry: &FileEntry) -> String {
    if let Some(package) = module_of(entry) {
        return entry.facts.name(package).to_owned();
    }
    let path = entry.path.as_str();
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let stem = ["/__init__", "/index", "/mod"].iter().find_map(|end| stem.strip_suffix(end)).unwrap_or(stem);
    stem.replace('/', ".")
}

/// Returns the package that a file declares, if such a name stands for the file.
fn module_of(entry: &FileEntry) -> Option<crate::facts::StrId> {
    let is_named = |id: &crate::facts::StrId| !entry.facts.name(*id).is_empty();
    let is_part = entry.lang().semantics().named_packages;
    entry.facts.package.filter(|id| is_part && is_named(id))
}
