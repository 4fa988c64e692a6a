//! Lists the references of a file one by one, each with the definition that it surely means, for exporting the map
//! place by place.
//!
//! It excludes guesses, because a reader of such a list cannot tell them from what is known, and calls through values,
//! because the name written there means the variable.

use hob_base::FileId;

use super::{Confidence, DefRef, EdgeKinds, Map, NodeRef};
use crate::resolve::{NameLookup, Resolution, Resolver, Thing};

/// A reference that surely means a definition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SureReference {
    /// The 1-based line of the name.
    pub line: u32,
    /// The 1-based UTF-16 column of the name; `None` for imports, for which facts record only the line.
    pub col: Option<u32>,
    /// The name as it is written.
    pub name: String,
    /// The definition that the reference means.
    pub to: DefRef,
}

impl Map {
    /// Returns the references of a file that mean a definition with [`Confidence::Import`] or better, imports included,
    /// in order of place.
    #[must_use]
    pub fn sure_references(&self, file: FileId) -> Vec<SureReference> {
        let resolver = Resolver::new(&self.index);
        let mut found = self.sure_names(&resolver, file);
        found.extend(self.sure_imports(&resolver, file));
        found.sort_by(|a, b| (a.line, a.col, &a.name, a.to).cmp(&(b.line, b.col, &b.name, b.to)));
        found.dedup();
        found
    }

    /// Returns the types from which a type is derived, and the methods that a method overrides.
    #[must_use]
    pub fn derived_from(&self, def: DefRef) -> Vec<DefRef> {
        let kinds = EdgeKinds::from_iter([super::EdgeKind::Extends, super::EdgeKind::Implements]);
        let edges = self.edges_out(def.into(), kinds).into_iter();
        let sure = edges.filter(|edge| edge.confidence <= Confidence::Import).map(|edge| edge.to);
        let types = sure.filter_map(|node| if let NodeRef::Def(base) = node { Some(base) } else { None });
        let family = self.family(def.into()).into_iter();
        let overridden = family.filter(|one| one.kinship == super::Kinship::Overridden);
        types.chain(overridden.map(|one| one.method)).collect()
    }

    fn sure_names(&self, resolver: &Resolver<'_>, file: FileId) -> Vec<SureReference> {
        let Some(entry) = self.index.entry(file) else { return Vec::new() };
        let mut found = Vec::new();
        for r in &entry.facts.refs {
            let to = self.confirmed_meaning(resolver, file, r).or_else(|| match resolver.resolve(file, r) {
                Resolution::To(Thing::Def(def), sure) if sure <= Confidence::Import => Some(def),
                _ => None,
            });
            if let Some(to) = to {
                let name = entry.facts.name(r.name).to_owned();
                found.push(SureReference { line: r.line, col: Some(r.col()), name, to });
            }
        }
        found
    }

    fn sure_imports(&self, resolver: &Resolver<'_>, file: FileId) -> Vec<SureReference> {
        let Some(entry) = self.index.entry(file) else { return Vec::new() };
        let mut found = Vec::new();
        for import in &entry.facts.imports {
            let Some(name) = import.name else { continue };
            if let NameLookup::Thing(Thing::Def(to), _) = resolver.binding(file, entry, import) {
                let name = entry.facts.name(name).to_owned();
                found.push(SureReference { line: import.line, col: None, name, to });
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::map;

    fn told(map: &Map, path: &str) -> Vec<(u32, Option<u32>, String)> {
        let file = map.file_at(path).expect("mapped");
        let sure = map.sure_references(file);
        sure.iter().map(|one| (one.line, one.col, map.id(one.to.into()).to_string())).collect()
    }

    #[test]
    fn references_are_listed_with_their_places_and_guesses_are_not() {
        let map = map(
            "//- /a.py\nclass Base:\n    def run(self): pass\nclass Sub(Base):\n    def run(self): pass\n//- /b.py\nfrom a import Sub\n\
             def go(x):\n    Sub()\n    x.run()\n",
        );
        let sub = "py:a.py#Sub".to_owned();
        assert_eq!(told(&map, "b.py"), [(1, None, sub.clone()), (3, Some(5), sub)]);
        let def = |name| map.definition("a.py", name, 1).expect("defined");
        assert_eq!(map.derived_from(def("Sub")), [def("Base")]);
        assert_eq!(map.derived_from(def("Sub.run")), [def("Base.run")]);
        assert!(map.derived_from(def("Base")).is_empty());
    }
}
