//! Finds the packages outside the workspace to which names lead.
//!
//! The graph has one node for a package and nothing of its contents. A caller that has a package's source asks this
//! module which package to search, and for which of the names in some lines; this map does not read that source.

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
    /// The name of the package, as in the node's ID. In languages whose files declare packages, as in Java, a node
    /// stands for many packages; this is the one that the file imports.
    pub name: String,
}

impl OutsidePackage {
    /// Returns true if the package is the one, or one of those, for which the external node of this name stands.
    #[must_use]
    pub fn is_of_node(&self, name: &str) -> bool {
        let rest = self.name.strip_prefix(name);
        rest.is_some_and(|rest| {
            rest.is_empty() || (self.lang.semantics().named_packages && rest.starts_with('.'))
        })
    }
}

/// A reference to something in a package outside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutsideRef {
    /// The name, as it is written.
    pub name: String,
    /// 1-based line and UTF-16 column of the name.
    pub at: (u32, u32),
    /// The package that the name leads to.
    pub package: OutsidePackage,
}

/// A name at a place with its surroundings.
#[derive(Clone, Copy, Debug)]
pub struct WrittenName<'t> {
    /// The name and its place.
    pub name: NameInFile<'t>,
    /// The dotted path that ends with the name, as far as it is made of names; empty if its beginning is a variable.
    pub path: &'t str,
    /// The outcome of [`local_name_at`](crate::locals::local_name_at) for the place.
    pub local: Option<&'t LocalName>,
}

impl Map {
    /// Yields every mapped file with its path and facts, project files included, in the order of their numbers.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &WsPath, &Arc<FileFacts>)> {
        self.index.entries().map(|(file, entry)| (file, &entry.path, &entry.facts))
    }

    /// Returns the packages to which a written name may lead, by an import or by the type that its file knows of the
    /// expression before it.
    #[must_use]
    pub fn packages_meant_at(&self, written: WrittenName<'_>) -> Vec<OutsidePackage> {
        let of_node = self.package_node_at(written).zip(self.file_at(written.name.path));
        of_node.map(|(node, file)| self.packages_of_node(file, &node, written.name.word)).unwrap_or_default()
    }

    /// Returns the packages for which a node stands in a file. If it stands for several, these are the packages that
    /// the file imports, or only the one that an import binds to `word`.
    fn packages_of_node(&self, file: FileId, node: &str, word: &str) -> Vec<OutsidePackage> {
        let Some(entry) = self.index.entry(file) else { return Vec::new() };
        let package = |name: String| OutsidePackage { lang: entry.lang(), name };
        let resolver = Resolver::new(&self.index);
        let mut found: Vec<(bool, OutsidePackage)> = Vec::new();
        let imports = entry.facts.imports.iter().filter(|_| entry.lang().semantics().named_packages);
        for import in imports {
            let module = resolver.resolve_module(file, entry, import.module);
            if external_name(&module.target).as_deref() == Some(node) {
                let binds = [import.local, import.name].into_iter().flatten();
                let is_it = binds.into_iter().any(|name| entry.facts.name(name) == word);
                found.push((is_it, package(package_of_import(&module.spec))));
            }
        }
        let is_bound = found.iter().any(|(is_it, _)| *is_it);
        let (mut seen, mut packages) = (FxHashSet::default(), Vec::new());
        packages.extend(found.into_iter().filter(|(is_it, _)| *is_it == is_bound).map(|(_, one)| one));
        packages.retain(|one: &OutsidePackage| seen.insert(one.name.clone()));
        if packages.is_empty() { vec![package(node.to_owned())] } else { packages }
    }

    /// Returns the name of the external package node to which a written name leads.
    fn package_node_at(&self, written: WrittenName<'_>) -> Option<String> {
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
        package.or_else(in_path)
    }

    /// Returns the node that a written name means as a module or as the end of a path: as an import binds it, within
    /// the path of an import, or in an expression that leads through modules.
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
        let is_textual = entry.lang().semantics().textual_imports;
        let mut paths = on_line.filter_map(|import| {
            let module = entry.facts.name(import.module);
            // The path of a header means one file, whichever part of it the name is.
            path_to(module, name.word).map(|part| if is_textual { module } else { part })
        });
        if let Some(path) = paths.next() {
            return Some(resolver.thing_of_module(file, path));
        }
        self.end_of_path(resolver, file, written.path)
    }

    /// Returns the thing at the end of a path. If a function may be a namespace of the same name as well, as in
    /// declarations of modules that are one function, its members count.
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

    /// Returns the paths of the files that a file imports, in the order of its imports.
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

    /// Returns the packages outside that a file imports, each once, in the order of its imports.
    #[must_use]
    pub fn packages_imported_by(&self, path: &str) -> Vec<OutsidePackage> {
        let entry = self.file_at(path).and_then(|file| Some((file, self.index.entry(file)?)));
        let Some((file, entry)) = entry else { return Vec::new() };
        let (resolver, mut seen) = (Resolver::new(&self.index), FxHashSet::default());
        let mut found = Vec::new();
        for import in &entry.facts.imports {
            let module = resolver.resolve_module(file, entry, import.module);
            let name = match &*module.target {
                ModuleTarget::External(_) if entry.lang().semantics().named_packages => {
                    package_of_import(&module.spec)
                }
                ModuleTarget::External(name) => name.clone(),
                _ => continue,
            };
            if seen.insert(name.clone()) {
                found.push(OutsidePackage { lang: entry.lang(), name });
            }
        }
        found
    }

    /// Returns the references in some lines of a file that lead to packages outside; at most `most`.
    #[must_use]
    pub fn outside_refs_in(&self, path: &str, lines: RangeInclusive<u32>, most: usize) -> Vec<OutsideRef> {
        let Some(file) = self.file_at(path) else { return Vec::new() };
        let Some((_, facts)) = self.file(file) else { return Vec::new() };
        let resolver = Resolver::new(&self.index);
        let within = facts.refs.iter().filter(|r| lines.contains(&r.line));
        let outside = within.filter_map(|r| match resolver.resolve(file, r) {
            Resolution::To(Thing::External(package), _) => Some(OutsideRef {
                name: facts.name(r.name).to_owned(),
                at: (r.line, r.col()),
                package: self.packages_of_node(file, &package, facts.name(r.name)).into_iter().next()?,
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

/// Returns the package in the module of an import; for a static import, which names a type, the part before the type.
fn package_of_import(module: &str) -> String {
    let is_package = |part: &&str| !part.starts_with(char::is_uppercase);
    let parts: Vec<&str> = module.trim_start_matches("_root_.").split('.').take_while(is_package).collect();
    parts.join(".")
}

/// Returns the beginning of a module's path up to a segment of it, with its leading dots: `a.b` of `a.b.c` for `b`.
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
        map.packages_meant_at(written).into_iter().next().map(|package| package.name)
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
    fn a_type_of_java_leads_to_the_package_that_is_imported() {
        let app = "import com.google.gson.Gson;\nimport com.google.common.base.Joiner;\nimport static com.google.common.truth.Truth.assertThat;\n\nclass App {\n    Gson gson;\n    void run() { gson.toJson(1); }\n}\n";
        let map = map(&format!("//- /App.java\n{app}"));
        let names = |packages: Vec<OutsidePackage>| {
            packages.into_iter().map(|package| package.name).collect::<Vec<_>>()
        };
        let at = |line, col, word| {
            let at = NamePlace { line, col };
            let written =
                WrittenName { name: NameInFile { path: "App.java", at, word }, path: "", local: None };
            names(map.packages_meant_at(written))
        };
        assert_eq!(at(1, 23, "Gson"), ["com.google.gson"]);
        assert_eq!(at(6, 5, "Gson"), ["com.google.gson"]);
        let imported = names(map.packages_imported_by("App.java"));
        assert_eq!(imported, ["com.google.gson", "com.google.common.base", "com.google.common.truth"]);
        assert_eq!(at(7, 23, "toJson"), imported, "any of those for which the node stands");
        let package = OutsidePackage { lang: Lang::Java, name: "com.google.gson".to_owned() };
        assert!(package.is_of_node("com.google") && !package.is_of_node("com.goo"));
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
    fn an_include_leads_to_its_header() {
        let map = map("//- /a.c\n#include <sys/types.h>\n#include \"own/b.h\"\n//- /own/b.h\nint f(void);\n");
        let at = |line, col, word| {
            let name = NameInFile { path: "a.c", at: NamePlace { line, col }, word };
            WrittenName { name, path: word, local: None }
        };
        let packages = map.packages_meant_at(at(1, 14, "types"));
        assert_eq!(packages.into_iter().map(|one| one.name).collect::<Vec<_>>(), ["sys/types.h"]);
        let own = map.path_meant_at(at(2, 11, "own")).map(|node| map.id(node).to_string());
        assert_eq!(own.as_deref(), Some("c:own/b.h"));
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
