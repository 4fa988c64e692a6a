//! Finds the declaration of a name that a C or C++ file sees first through its includes.
//!
//! Resolution asks how many definitions a name has in all files, because that is quick. Among the headers of a system
//! nearly every name has several, so this module follows the includes instead, nearest first. It answers for one name
//! at a time.

use std::ops::RangeInclusive;

use rustc_hash::FxHashSet;

use super::places::ref_at;
use super::{Confidence, DefRef, Map, NodeRef};
use crate::facts::{Def, DefIdx, DefKind, Receiver, RefKind};
use crate::index::FileEntry;
use crate::resolve::{Resolution, Resolver};

/// Most aliases that are followed in a row.
const MOST_ALIASES: usize = 4;

/// Most headers that are followed from one file.
const MOST: usize = 4_096;

impl Map {
    /// Finds the definition of a name that is no member of a type, or of a dotted path through namespaces
    /// (`std.string`). Returns it from the first file that has one, in the order of the includes of `from`; `from`
    /// itself does not count. `None` for languages without `#include`.
    #[must_use]
    pub fn first_included(&self, from: &str, path: &str) -> Option<NodeRef> {
        // `std` takes most of C's names from the global namespace (`using ::getenv;`).
        let plain = || self.first_reached(from, path.strip_prefix("std.")?);
        self.first_reached(from, path).or_else(plain)
    }

    /// Returns true if a line of a file is an `#include`.
    #[must_use]
    pub fn has_include_on(&self, path: &str, line: u32) -> bool {
        let facts = self.file_at(path).and_then(|file| self.file(file)).map(|(_, facts)| facts);
        facts.is_some_and(|facts| {
            facts.lang.semantics().textual_imports && facts.imports.iter().any(|import| import.line == line)
        })
    }

    /// Returns the method that a call at a place means, if the file writes the type of its receiver and a header
    /// declares that type.
    #[must_use]
    pub fn included_method(&self, from: &str, at: (u32, u32), word: &str) -> Option<NodeRef> {
        let (_, facts) = self.file(self.file_at(from)?)?;
        let Receiver::Typed(ty) = ref_at(facts, at, word)?.receiver() else { return None };
        let mut path = plain_path(facts.name(ty));
        for _ in 0..MOST_ALIASES {
            let NodeRef::Def(found) = self.first_included(from, &path)? else { return None };
            let entry = self.index.entry(found.file)?;
            let def = entry.facts.def(found.def);
            if def.kind != DefKind::TypeAlias {
                return Resolver::new(&self.index).method_of_type(found, word).map(NodeRef::Def);
            }
            let around = path.rsplit_once('.').map_or("", |(around, _)| around);
            path = join_path(around, &aliased_path(entry.facts.signature(def))?);
        }
        None
    }

    fn first_reached(&self, from: &str, path: &str) -> Option<NodeRef> {
        let start = self.file_at(from)?;
        let is_textual = self.index.entry(start)?.lang().semantics().textual_imports;
        let resolver = Resolver::new(&self.index);
        let reached = if is_textual { resolver.follow_includes(start, MOST) } else { Vec::new() };
        let mut forward = None;
        for file in reached.into_iter().skip(1) {
            let Some(entry) = self.index.entry(file) else { continue };
            let Some((def, is_whole)) = best_in(entry, path) else { continue };
            let node = NodeRef::Def(DefRef { file, def });
            if is_whole {
                return Some(node);
            }
            forward = forward.or(Some(node));
        }
        forward
    }
}

impl Map {
    /// Returns the places of calls of plain names, in some lines of a file, that resolve to no definition of the
    /// project: headers outside may declare them. One place for each name, at most `most`; none for languages without
    /// `#include`.
    #[must_use]
    pub fn calls_into_headers(&self, path: &str, lines: RangeInclusive<u32>, most: usize) -> Vec<(u32, u32)> {
        let found = self.file_at(path).and_then(|file| Some((file, self.index.entry(file)?)));
        let Some((file, entry)) = found.filter(|(_, entry)| entry.lang().semantics().textual_imports) else {
            return Vec::new();
        };
        let (resolver, mut seen) = (Resolver::new(&self.index), FxHashSet::default());
        let calls = entry.facts.refs.iter().filter(|r| {
            r.kind() == RefKind::Call && r.receiver() == Receiver::None && lines.contains(&r.line)
        });
        let outside = calls.filter(
            |r| !matches!(resolver.resolve(file, r), Resolution::To(_, sure) if sure < Confidence::Name),
        );
        let once = outside.filter(|r| seen.insert(r.name));
        once.take(most).map(|r| (r.line, r.col())).collect()
    }
}

/// Returns the name of a type as a dotted path, without type arguments, qualifiers, `&` and `*`.
fn plain_path(text: &str) -> String {
    let name = text.trim_start_matches('=').split(['<', '&', '*']).next().unwrap_or_default();
    let name = name.trim().trim_start_matches("const ").trim_start_matches("struct ");
    name.replace("::", ".").replace(' ', "")
}

/// Returns the type for which an alias stands: `typedef basic_string<char> string;`, `using text = basic_string<char>;`.
fn aliased_path(signature: &str) -> Option<String> {
    let text = match signature.split_once('=') {
        Some((_, target)) => target.trim().to_owned(),
        None => {
            let target = signature.trim_start().strip_prefix("typedef ")?.trim_start();
            let end = target.find('<').or_else(|| target.rfind(' '))?;
            target[..end].to_owned()
        }
    };
    Some(plain_path(&text)).filter(|path| !path.is_empty())
}

/// Prefixes a path with a namespace, unless the path names its own.
fn join_path(around: &str, path: &str) -> String {
    if around.is_empty() || path.contains('.') { path.to_owned() } else { format!("{around}.{path}") }
}

/// Returns the definition of a path in one file, and true if it is more than the forward declaration of a type.
fn best_in(entry: &FileEntry, path: &str) -> Option<(DefIdx, bool)> {
    let name = path.rsplit('.').next()?;
    let all = entry.defs_named(name).filter(|(_, def)| is_reached_by(entry, def, path));
    all.max_by_key(|(at, def)| (rank_of(def), *at)).map(|(at, def)| (at, !is_announced(def)))
}

/// Returns true if a path names a definition: in full from the outermost namespace, or without the inner namespaces
/// that a library hides.
fn is_reached_by(entry: &FileEntry, def: &Def, path: &str) -> bool {
    let qualified = entry.facts.name(def.qualified);
    if def.kind == DefKind::Module || is_its_own_name(entry, def) {
        return false;
    }
    if qualified == path {
        return true;
    }
    let mut parents = std::iter::successors(def.parent, |at| entry.facts.def(*at).parent);
    let is_free = parents.all(|at| entry.facts.def(at).kind == DefKind::Module);
    let (Some((within, _)), Some((around, _))) = (path.rsplit_once('.'), qualified.rsplit_once('.')) else {
        return false;
    };
    let mut rest = around.strip_prefix(within).unwrap_or("?").split('.');
    is_free && rest.all(|inner| inner.is_empty() || inner.starts_with('_') || within.ends_with(inner))
}

/// Returns true if a macro only announces that a name exists: `#define errno errno`.
fn is_its_own_name(entry: &FileEntry, def: &Def) -> bool {
    let text = entry.facts.signature(def).trim_start_matches(['#', ' ']);
    let words: Vec<&str> = text.split_whitespace().collect();
    def.kind == DefKind::Macro && matches!(words[..], [_, name, value] if name == value)
}

/// Ranks definitions, the best last: of types the first one that is more than a forward declaration, of functions the
/// first one, of macros and aliases the last one, which is what conditions leave.
fn rank_of(def: &Def) -> (bool, std::cmp::Reverse<u32>) {
    let is_first = def.kind != DefKind::Macro && def.kind != DefKind::TypeAlias;
    (!is_announced(def), std::cmp::Reverse(if is_first { def.lines.0 } else { 0 }))
}

fn is_announced(def: &Def) -> bool {
    def.kind.is_type() && def.kind != DefKind::TypeAlias && length_of(def) == 0
}

/// Returns the number of lines after the first one of a type; 0 for anything else.
fn length_of(def: &Def) -> u32 {
    if def.kind.is_type() { def.lines.1 - def.lines.0 } else { 0 }
}

#[cfg(test)]
mod tests {
    use crate::fixture::map;

    #[test]
    fn methods_of_types_in_headers_are_found_through_aliases() {
        let map = map(
            "//- /a.cpp\n#include \"b.h\"\nint f(const std::text& t, std::list<int>& l) {\n  return t.size() + l.size();\n}\n\
                       //- /b.h\nnamespace std {\ntemplate<typename T> struct base { int size(); };\n\
                       template<typename T> struct basic : base<T> {\n  int at();\n};\ntypedef basic<char> text;\n\
                       template<typename T> class list {\npublic:\n  int size();\n};\n}\n",
        );
        let method = |col| {
            let info = map.info(map.included_method("a.cpp", (3, col), "size")?)?;
            Some(format!("{}:{}", info.path?, info.name_at.0))
        };
        assert_eq!(method(12).as_deref(), Some("b.h:2"));
        assert_eq!(method(23).as_deref(), Some("b.h:9"));
        assert_eq!(super::aliased_path("using text = std::basic<char>").as_deref(), Some("std.basic"));
        assert_eq!(super::aliased_path("struct text"), None);
    }

    #[test]
    fn the_nearest_header_that_has_a_name_says_what_it_is() {
        let map = map(
            "//- /a.cpp\n#include \"b.h\"\n#include \"c.h\"\n//- /b.h\n#include \"d.h\"\nclass Late;\n\
                       //- /c.h\nint f(void);\nnamespace std { namespace pmr { class string; } namespace __hidden { class string { int a;\n}; } }\nclass Late {\n  int a;\n};\n\
                       //- /d.h\nint f(void);\n#ifdef X\n#define M 1\n#else\n#define M 2\n#endif\n//- /e.h\nint g(void);\n",
        );
        let first = |path: &str| {
            let node = map.first_included("a.cpp", path)?;
            let info = map.info(node)?;
            Some(format!("{}:{}", info.path?, info.name_at.0))
        };
        assert_eq!(first("f").as_deref(), Some("c.h:1"));
        assert_eq!(first("M").as_deref(), Some("d.h:5"));
        assert_eq!(first("Late").as_deref(), Some("c.h:4"));
        assert_eq!(first("std.string").as_deref(), Some("c.h:2"));
        let calls = |text: &str| {
            let map = crate::fixture::map(&format!(
                "//- /a.c\nint own(void) {{ return 1; }}\nint run(void) {{ return own() + {text}; }}\n"
            ));
            map.calls_into_headers("a.c", 2..=2, 9).len()
        };
        assert_eq!((calls("getpid()"), calls("getpid() + getpid()"), calls("1")), (1, 1, 0));
        assert_eq!((first("g"), first("string"), first("std.nothing")), (None, None, None));
    }
}
