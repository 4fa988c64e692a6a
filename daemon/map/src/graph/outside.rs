//! Finds the packages outside the workspace that names lead to.
//!
//! The graph has one node for a package and nothing of what is in it. Whoever has a package's source asks here which package to look
//! into, and for which of the names in some lines; what the source says is no business of this map.

use std::ops::RangeInclusive;
use std::sync::Arc;

use hob_base::{FileId, WsPath};
use rustc_hash::FxHashSet;

use super::places::{file_of, ref_at};
use super::{Confidence, DefRef, Map, NodeRef};
use crate::facts::FileFacts;
use crate::langs::lang::Lang;
use crate::langs::rules::ModuleTarget;
use crate::locals::LocalName;
use crate::meaning::NameInFile;
use crate::resolve::{NameLookup, Resolution, Resolver, Thing};

/// A package outside the workspace, as a file of some language names it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct OutsidePackage {
    /// The language of the file.
    pub lang: Lang,
    /// The name of the package, as in the node's ID.
    pub name: String,
}

/// A reference to something in a package outside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutsideRef {
    /// The name, as it is written.
    pub name: String,
    /// 1-based line and UTF-16 column of the name.
    pub at: (u32, u32),
    /// The package.
    pub package: OutsidePackage,
}

/// A name at a place with what is written around it.
#[derive(Clone, Copy, Debug)]
pub struct WrittenName<'t> {
    /// The name and its place.
    pub name: NameInFile<'t>,
    /// The dotted path that ends with the name, as far as it is made of names; empty where its beginning is a variable.
    pub path: &'t str,
    /// The outcome of [`local_name_at`](crate::locals::local_name_at) for the place.
    pub local: Option<&'t LocalName>,
}

impl Map {
    /// Every mapped file with its path and facts, project files included, in the order of their numbers.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &WsPath, &Arc<FileFacts>)> {
        self.index.entries().map(|(file, entry)| (file, &entry.path, &entry.facts))
    }

    /// The package that a written name leads to, by an import or by the type that its file knows of the expression before it.
    #[must_use]
    pub fn package_meant_at(&self, written: WrittenName<'_>) -> Option<OutsidePackage> {
        let name = written.name;
        let file = self.file_at(name.path)?;
        let (_, facts) = self.file(file)?;
        let resolver = Resolver::new(&self.index);
        let found = ref_at(facts, (name.at.line, name.at.col), name.word);
        let bound = written.local.into_iter().flat_map(|local| {
            let lines = local.bindings.iter().map(|at| at.line);
            lines.map(|line| (line, local.name.as_str()))
        });
        let mut imports = std::iter::once((name.at.line, name.word)).chain(bound);
        let package = match found.map(|r| resolver.resolve(file, r)) {
            Some(Resolution::To(Thing::External(package), _)) => Some(package.to_string()),
            _ => imports.find_map(|(line, word)| self.package_imported_at(&resolver, name.path, line, word)),
        };
        let in_path = || match self.path_at(&resolver, written)? {
            Thing::External(package) => Some(package.to_string()),
            Thing::Module(module) => external_name(&module.target),
            Thing::Def(_) => None,
        };
        let name = package.or_else(in_path)?;
        Some(OutsidePackage { lang: facts.lang, name })
    }

    /// The node that a written name means as a module or as the end of a path: as an import binds it, in the path of an import, or in an
    /// expression that leads through modules.
    #[must_use]
    pub fn path_meant_at(&self, written: WrittenName<'_>) -> Option<NodeRef> {
        let bound = written.local.filter(|local| !local.is_variable);
        let imported = bound.and_then(|local| {
            let mut lines = local.bindings.iter().map(|at| at.line);
            lines.find_map(|line| self.imported_at(written.name.path, line, &local.name))
        });
        imported.filter(|node| matches!(node, NodeRef::File(_))).or_else(|| {
            let from = self.file_at(written.name.path)?;
            let thing = self.path_at(&Resolver::new(&self.index), written)?;
            self.node_of(from, &thing)
        })
    }

    fn path_at(&self, resolver: &Resolver<'_>, written: WrittenName<'_>) -> Option<Thing> {
        let name = written.name;
        let file = self.file_at(name.path)?;
        let entry = self.index.entry(file)?;
        let found = ref_at(&entry.facts, (name.at.line, name.at.col), name.word);
        if let Some(Resolution::To(module @ Thing::Module(_), _)) = found.map(|r| resolver.resolve(file, r)) {
            return Some(module);
        }
        let on_line = entry.facts.imports.iter().filter(|import| import.line == name.at.line);
        let mut paths = on_line.filter_map(|import| path_to(entry.facts.name(import.module), name.word));
        if let Some(path) = paths.next() {
            return Some(resolver.thing_of_module(file, path));
        }
        self.end_of_path(resolver, file, written.path)
    }

    /// The thing at the end of a path. A function may be a namespace of the same name as well, as in declarations of modules that are one
    /// function.
    fn end_of_path(&self, resolver: &Resolver<'_>, file: FileId, path: &str) -> Option<Thing> {
        let found = |path: &str| match resolver.path_in_file(file, path) {
            NameLookup::Thing(thing, sure) if sure < Confidence::Name => Some(thing),
            _ => None,
        };
        found(path).or_else(|| {
            let (before, last) = path.rsplit_once('.')?;
            let Thing::Def(function) = found(before)? else { return None };
            let entry = self.index.entry(function.file)?;
            let around = entry.facts.name(entry.facts.defs.get(function.def.index())?.qualified);
            let def = entry.def_qualified(&format!("{around}.{last}"), 1)?;
            Some(Thing::Def(DefRef { file: function.file, def }))
        })
    }

    fn package_imported_at(
        &self,
        resolver: &Resolver<'_>,
        path: &str,
        line: u32,
        word: &str,
    ) -> Option<String> {
        let (file, entry, import) = self.import_at(path, line, word)?;
        match resolver.binding(file, entry, import) {
            NameLookup::Thing(Thing::External(package), _) => Some(package.to_string()),
            _ => None,
        }
    }

    /// The files that a file imports, in the order of its imports.
    #[must_use]
    pub fn files_imported_by(&self, path: &str) -> Vec<&WsPath> {
        let entry = self.file_at(path).and_then(|file| Some((file, self.index.entry(file)?)));
        let Some((file, entry)) = entry else { return Vec::new() };
        let resolver = Resolver::new(&self.index);
        let target = |import: &crate::facts::Import| {
            let node = file_of(&resolver.resolve_module(file, entry, import.module).target)?;
            self.index.entry(node.file()?).map(|found| &found.path)
        };
        entry.facts.imports.iter().filter_map(target).collect()
    }

    /// The packages outside that a file imports, in the order of its imports.
    #[must_use]
    pub fn packages_imported_by(&self, path: &str) -> Vec<OutsidePackage> {
        let entry = self.file_at(path).and_then(|file| Some((file, self.index.entry(file)?)));
        let Some((file, entry)) = entry else { return Vec::new() };
        let (resolver, mut seen) = (Resolver::new(&self.index), FxHashSet::default());
        let mut found = Vec::new();
        for import in &entry.facts.imports {
            let module = resolver.resolve_module(file, entry, import.module);
            let ModuleTarget::External(name) = &*module.target else { continue };
            if seen.insert(name.clone()) {
                found.push(OutsidePackage { lang: entry.lang(), name: name.clone() });
            }
        }
        found
    }

    /// The references in some lines of a file that lead to packages outside; at most `most`.
    #[must_use]
    pub fn outside_refs_in(&self, path: &str, lines: RangeInclusive<u32>, most: usize) -> Vec<OutsideRef> {
        let Some(file) = self.file_at(path) else { return Vec::new() };
        let Some((_, facts)) = self.file(file) else { return Vec::new() };
        let resolver = Resolver::new(&self.index);
        let within = facts.refs.iter().filter(|r| lines.contains(&r.line));
        let outside = within.filter_map(|r| match resolver.resolve(file, r) {
            Resolution::To(Thing::External(package), _) => Some(OutsideRef {
                name: facts.name(r.name).to_owned(),
                at: (r.line, r.col),
                package: OutsidePackage { lang: facts.lang, name: package.to_string() },
            }),
            _ => None,
        });
        outside.take(most).collect()
    }
}

fn external_name(target: &ModuleTarget) -> Option<String> {
    match target {
        ModuleTarget::External(package) => Some(package.clone()),
        _ => None,
    }
}

/// The beginning of a module's path up to a segment of it, with its leading dots: `a.b` of `a.b.c` for `b`.
fn path_to<'p>(module: &'p str, segment: &str) -> Option<&'p str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let ends = module.match_indices(segment).map(|(at, _)| (at, at + segment.len()));
    let is_whole = |(from, to): &(usize, usize)| {
        !module[..*from].ends_with(is_part) && !module[*to..].starts_with(is_part)
    };
    let (_, end) = ends.into_iter().find(|span| !segment.is_empty() && is_whole(span))?;
    Some(&module[..end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::map;
    use crate::locals::{NamePlace, local_name_at};

    const APP: &str = "import requests\nfrom yaml import load as read\n\n\ndef run(session: requests.Session):\n    requests.get(1)\n    read(2)\n    session.post(3)\n";

    fn package_at(line: u32, col: u32, word: &str) -> Option<String> {
        let map = map(&format!("//- /app.py\n{APP}"));
        let at = NamePlace { line, col };
        let local = local_name_at(Some(Lang::Python), APP.as_bytes(), at, &|| true);
        let name = NameInFile { path: "app.py", at, word };
        let written = WrittenName { name, path: word, local: local.as_ref() };
        map.package_meant_at(written).map(|package| package.name)
    }

    #[test]
    fn names_lead_to_packages() {
        assert_eq!(package_at(1, 8, "requests").as_deref(), Some("requests"));
        assert_eq!(package_at(6, 5, "requests").as_deref(), Some("requests"));
        assert_eq!(package_at(6, 14, "get").as_deref(), Some("requests"));
        assert_eq!(package_at(7, 5, "read").as_deref(), Some("yaml"));
        assert_eq!(package_at(8, 13, "post").as_deref(), Some("requests"));
        assert_eq!(package_at(5, 5, "run"), None);
    }

    #[test]
    fn segments_of_paths_lead_to_modules() {
        assert_eq!(path_to("a.b.c", "b"), Some("a.b"));
        assert_eq!(path_to("clap::parser", "clap"), Some("clap"));
        assert_eq!(path_to("abc.b", "bc"), None);
        assert_eq!(path_to("a", ""), None);
        let map = map("//- /app.py\nfrom pack.inner import f\nimport pack\n\npack.inner.f()\n\
                       //- /pack/__init__.py\n//- /pack/inner.py\ndef f():\n    pass\n");
        let module_at = |line, col, path: &str| {
            let word = path.rsplit('.').next().unwrap_or(path);
            let name = NameInFile { path: "app.py", at: NamePlace { line, col }, word };
            let written = WrittenName { name, path, local: None };
            map.path_meant_at(written).map(|node| map.id(node).to_string())
        };
        assert_eq!(module_at(1, 6, "pack").as_deref(), Some("py:pack/__init__.py"));
        assert_eq!(module_at(1, 11, "inner").as_deref(), Some("py:pack/inner.py"));
        assert_eq!(module_at(4, 6, "pack.inner").as_deref(), Some("py:pack/inner.py"));
        assert_eq!(module_at(4, 12, "pack.inner.f").as_deref(), Some("py:pack/inner.py#f"));
        assert_eq!(module_at(4, 12, "pack.inner.g"), None);
    }

    #[test]
    fn a_file_has_packages_and_references_to_them() {
        let map = map(&format!("//- /app.py\n{APP}"));
        let names: Vec<String> = map.packages_imported_by("app.py").into_iter().map(|one| one.name).collect();
        assert_eq!(names, ["requests", "yaml"]);
        let refs: Vec<String> =
            map.outside_refs_in("app.py", 6..=7, 9).into_iter().map(|one| one.name).collect();
        assert!(refs.contains(&"get".to_owned()) && refs.contains(&"read".to_owned()), "{refs:?}");
        assert!(map.outside_refs_in("app.py", 6..=7, 1).len() == 1);
        assert_eq!(map.files().count(), 1);
    }
}
