//! Finds ambiguous definitions: several of one name in one place, of which each build has one.
//!
//! Go has a file for each build (`//go:build purego`), Rust an `impl` for each platform or argument (`impl<V> Slim<V,
//! 2>`). The text does not say which one a use means, so all are candidates, and none is the answer.

use hob_base::FileId;

use super::Resolver;
use crate::facts::{Def, DefFlags};
use crate::index::FileEntry;
use crate::langs::semantics::ParallelBodies;
use crate::node::DefRef;

/// Most files that may define a name whose ambiguous definitions are collected: visiting more would cost too much.
const MANY: usize = 64;

impl Resolver<'_> {
    /// Returns the definitions that a use of this one may mean, including itself; empty if it cannot be ambiguous.
    pub(super) fn ambiguous_defs(&self, def: DefRef) -> Vec<DefRef> {
        let Some((entry, found)) = self.def(def) else { return Vec::new() };
        if found.flags.has(DefFlags::DECLARATION) || found.flags.has(DefFlags::TEST) {
            return Vec::new();
        }
        match entry.lang().semantics().twins {
            ParallelBodies::InFile if found.kind.is_callable() => {
                let named = entry.defs_named(entry.facts.name(found.name));
                let same = named.filter(|(_, other)| is_same(found, other));
                same.map(|(idx, _)| DefRef { file: def.file, def: idx }).collect()
            }
            ParallelBodies::InFolder => self.in_other_files(def, entry, found),
            ParallelBodies::InFile | ParallelBodies::None => Vec::new(),
        }
    }

    fn in_other_files(&self, def: DefRef, entry: &FileEntry, found: &Def) -> Vec<DefRef> {
        let qualified = entry.facts.name(found.qualified);
        let files = self.index.files_defining(entry.facts.name(found.name));
        if files.len() > MANY || !found.kind.is_callable() && !found.kind.is_type() {
            return Vec::new();
        }
        let package = |file: &FileEntry| file.facts.package.map(|id| file.facts.name(id).to_owned());
        let others = files.iter().map(|&file| FileId(file)).filter(|&file| file != def.file);
        let others = others.filter_map(|file| {
            let other = self.entry(file).filter(|other| other.lang() == entry.lang())?;
            let beside = other.path.dir() == entry.path.dir() && package(other) == package(entry);
            Some(DefRef { file, def: other.def_qualified(qualified, 1).filter(|_| beside)? })
        });
        std::iter::once(def).chain(others).collect()
    }
}

/// Returns true if both definitions are bodies of one name in one place.
fn is_same(one: &Def, other: &Def) -> bool {
    other.qualified == one.qualified && other.kind == one.kind && !other.flags.has(DefFlags::DECLARATION)
}

#[cfg(test)]
mod tests {
    use crate::fixture::{map, shown_uses};

    #[track_caller]
    fn uses_of(fixture: &str, name: &str) -> Vec<String> {
        shown_uses(&map(fixture))
            .into_iter()
            .filter(|edge| edge.contains(" calls ") && edge.contains(name))
            .collect()
    }

    const BUILDS: &str = "\
//- /go.mod
module a.b/c
//- /value/safe.go
//go:build purego
package value
func PointerOf() int { return 1 }
func Other() int { return 2 }
//- /value/unsafe.go
//go:build !purego
package value
func PointerOf() int { return 1 }
//- /main.go
package main
import \"a.b/c/value\"
func main() { value.PointerOf(); value.Other() }
";

    #[test]
    fn a_go_function_with_a_file_for_each_build_is_one_of_them() {
        let both = "main.go#main calls [value/safe.go#PointerOf value/unsafe.go#PointerOf] candidate";
        assert_eq!(uses_of(BUILDS, "PointerOf"), [both]);
        assert_eq!(uses_of(BUILDS, "Other"), ["main.go#main calls value/safe.go#Other import"]);
    }

    #[test]
    fn a_rust_method_in_an_impl_for_each_argument_is_one_of_them() {
        let code = "//- /src/lib.rs\nstruct Slim<const N: usize>;\n\
            impl Slim<1> { fn find(&self) { self.one(); } fn one(&self) {} }\n\
            impl Slim<2> { fn one(&self) {} fn only(&self) { self.only(); } }\n";
        assert!(
            uses_of(code, ".one").iter().all(|edge| !edge.contains("exact")),
            "{:?}",
            uses_of(code, ".one")
        );
        assert!(uses_of(code, ".only")[0].ends_with("exact"), "{:?}", uses_of(code, ".only"));
    }
}
