//! Finds the interfaces that a type implements implicitly: those whose methods it has.
//!
//! A type fits an interface if it has a method of each name that the interface declares, its own or one of an embedded
//! type, with as many parameters. Types of parameters are not compared, because a package writes them without its own
//! name. An interface that embeds one from outside the project declares methods that the map does not have, so nothing
//! fits it: wrong is worse than unresolved.

use super::family::Families;
use super::{DefRef, Map};
use crate::facts::DefKind;
use crate::resolve::Resolver;

/// Most methods of an interface that is compared with types.
const MOST_METHODS: usize = 64;

impl Families<'_, '_> {
    /// Returns true if one of two types is an interface that the other implements implicitly.
    pub(super) fn implements_silently(&self, ty: DefRef, interface: DefRef) -> bool {
        let (map, resolver) = self.parts();
        let kind = |def: DefRef| {
            let entry =
                map.index.entry(def.file).filter(|entry| entry.lang().semantics().structural_interfaces)?;
            Some(entry.facts.defs.get(def.def.index())?.kind)
        };
        let is_pair = kind(interface) == Some(DefKind::Interface)
            && kind(ty).is_some_and(|kind| kind.is_type() && kind != DefKind::Interface);
        is_pair
            && demanded_methods(map, resolver, interface).is_some_and(|methods| {
                !methods.is_empty()
                    && methods.iter().all(|method| has_method_like(map, resolver, ty, *method))
            })
    }
}

/// Returns the methods that an interface and those that it embeds declare; `None` if they are not all known.
fn demanded_methods(map: &Map, resolver: &Resolver<'_>, interface: DefRef) -> Option<Vec<DefRef>> {
    let mut methods = Vec::new();
    for one in std::iter::once(interface).chain(resolver.types_above(interface)) {
        if resolver.bases(one).open {
            return None;
        }
        let entry = map.index.entry(one.file)?;
        let own = entry.facts.defs_indexed().filter(|(_, def)| def.parent == Some(one.def));
        let own = own.filter(|(_, def)| def.kind == DefKind::Method);
        methods.extend(own.map(|(def, _)| DefRef { file: one.file, def }));
    }
    (methods.len() <= MOST_METHODS).then_some(methods)
}

fn has_method_like(map: &Map, resolver: &Resolver<'_>, ty: DefRef, wanted: DefRef) -> bool {
    let name_and_count = |method: DefRef| {
        let entry = map.index.entry(method.file)?;
        let def = entry.facts.defs.get(method.def.index()).filter(|def| def.kind == DefKind::Method)?;
        let name = entry.facts.name(def.name);
        Some((name, count_parameters(entry.facts.signature(def), name)))
    };
    let Some((name, count)) = name_and_count(wanted) else { return false };
    let found = resolver.method_of_type(ty, name).and_then(name_and_count);
    found.is_some_and(|(_, other)| other == count)
}

/// Counts the parameters behind a name in a signature; `None` if it has none.
fn count_parameters(signature: &str, name: &str) -> Option<usize> {
    let behind = signature.match_indices(name).find_map(|(at, _)| {
        let rest = signature[at + name.len()..].trim_start();
        rest.strip_prefix('(')
    })?;
    let (mut depth, mut commas, mut has_any) = (1_usize, 0, false);
    for c in behind.chars() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 1 => commas += 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
        has_any |= !c.is_whitespace();
    }
    Some(if has_any { commas + 1 } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_counted_behind_the_name() {
        assert_eq!(
            count_parameters("func (s *Store) Get(key string, to func(a, b int)) error", "Get"),
            Some(2)
        );
        assert_eq!(count_parameters("Get() (string, error)", "Get"), Some(0));
        assert_eq!(count_parameters("func (g Getter) Get(a, b string)", "Get"), Some(2));
        assert_eq!(count_parameters("type Get struct", "Get"), None);
    }
}
