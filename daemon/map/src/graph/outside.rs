//! Finds the packages outside the workspace that names lead to.
//!
//! The graph has one node for a package and nothing of what is in it. Whoever has a package's source asks here which package to look
//! into, and for which of the names in some lines; what the source says is no business of this map.

use std::ops::RangeInclusive;
use std::sync::Arc;

use hob_base::{FileId, WsPath};
use rustc_hash::FxHashSet;

use super::Map;
use super::places::ref_at;
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

impl Map {
    /// Every mapped file with its path and facts, project files included, in the order of their numbers.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &WsPath, &Arc<FileFacts>)> {
        self.index.entries().map(|(file, entry)| (file, &entry.path, &entry.facts))
    }

    /// The package that the name at a place leads to, by an import or by the type that its file knows of the expression before it.
    /// `local` is what [`local_name_at`](crate::locals::local_name_at) found at the place.
    #[must_use]
    pub fn package_meant_at(
        &self,
        name: NameInFile<'_>,
        local: Option<&LocalName>,
    ) -> Option<OutsidePackage> {
        let file = self.file_at(name.path)?;
        let (_, facts) = self.file(file)?;
        let resolver = Resolver::new(&self.index);
        let found = ref_at(facts, (name.at.line, name.at.col), name.word);
        if let Some(Resolution::To(Thing::External(package), _)) = found.map(|r| resolver.resolve(file, r)) {
            return Some(OutsidePackage { lang: facts.lang, name: package.to_string() });
        }
        let bound = local
            .into_iter()
            .flat_map(|local| local.bindings.iter().map(|at| (at.line, local.name.as_str())));
        let mut written = std::iter::once((name.at.line, name.word)).chain(bound);
        written.find_map(|(line, word)| self.package_imported_at(&resolver, name.path, line, word))
    }

    fn package_imported_at(
        &self,
        resolver: &Resolver<'_>,
        path: &str,
        line: u32,
        word: &str,
    ) -> Option<OutsidePackage> {
        let (file, entry, import) = self.import_at(path, line, word)?;
        match resolver.binding(file, entry, import) {
            NameLookup::Thing(Thing::External(package), _) => {
                Some(OutsidePackage { lang: entry.lang(), name: package.to_string() })
            }
            _ => None,
        }
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
        map.package_meant_at(name, local.as_ref()).map(|package| package.name)
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
