//! Finds a node of the map in a server's outline.
//!
//! It compares the qualified name first. If that does not match, a server may only name the containers
//! differently, which can be decided when the map is current: then the place decides. Otherwise the last name
//! decides, if only one entry in the file has it: then the definition has moved, or its container was
//! renamed.

use hob_map::graph::NodeInfo;

use crate::names::{QualifiedEntry, last};
use crate::verify::{choose_entry, name_distance};

/// Most names given as hints.
const HINTS: usize = 20;

/// The definition to find in an outline.
#[derive(Clone, Copy, Debug)]
pub struct OutlineQuery<'w> {
    /// Its qualified name: the names from the outermost in, joined with dots.
    pub qualified: &'w str,
    /// The definition's number, from 1, among those of this name in the file.
    pub ordinal: u32,
    /// The definition of that name in the map, if any.
    pub def: Option<&'w NodeInfo>,
    /// True if the map has ingested the contents that the outline describes.
    pub current: bool,
}

/// The outcome of a search for a definition in an outline.
#[derive(Debug)]
pub enum OutlineMatch<'e, 'o> {
    /// The entry has the qualified name of the definition.
    Here(&'e QualifiedEntry<'o>),
    /// No entry has the qualified name, and this is the only one in the file with the last name.
    Relocated(&'e QualifiedEntry<'o>),
    /// The map, which is current, has the definition; the server does not list such definitions.
    Unlisted,
    /// The definition is not in the file. The names at the top level of the file, those with its last name
    /// first.
    Missing(Vec<String>),
}

/// Finds a definition in an outline.
#[must_use]
pub fn find<'e, 'o>(wanted: &OutlineQuery<'_>, entries: &'e [QualifiedEntry<'o>]) -> OutlineMatch<'e, 'o> {
    let at = wanted.def.filter(|_| wanted.current);
    let chain: Vec<&QualifiedEntry<'o>> =
        entries.iter().filter(|entry| entry.qualified == wanted.qualified).collect();
    if let Some(entry) = choose_entry(&chain, wanted.ordinal, at) {
        return OutlineMatch::Here(entry);
    }
    let name = last(wanted.qualified);
    let namesakes: Vec<&QualifiedEntry<'o>> = entries.iter().filter(|entry| entry.name() == name).collect();
    if let Some(def) = at {
        let on_its_line = |entry: &&&QualifiedEntry<'o>| {
            name_distance(entry.outline, def).is_some_and(|(class, _)| class == 0)
        };
        let placed = namesakes.iter().filter(on_its_line).copied();
        return placed.last().map_or(OutlineMatch::Unlisted, OutlineMatch::Here);
    }
    let Some(first) = namesakes.first() else {
        return OutlineMatch::Missing(name_hints(entries, &namesakes));
    };
    if namesakes.iter().any(|entry| entry.qualified != first.qualified) {
        return OutlineMatch::Missing(name_hints(entries, &namesakes));
    }
    let numbered = namesakes.get(wanted.ordinal.saturating_sub(1) as usize).unwrap_or(first);
    OutlineMatch::Relocated(numbered)
}

fn name_hints(entries: &[QualifiedEntry<'_>], namesakes: &[&QualifiedEntry<'_>]) -> Vec<String> {
    let top = entries.iter().filter(|entry| entry.parent.is_none());
    let mut names: Vec<String> = Vec::new();
    for entry in namesakes.iter().copied().chain(top) {
        if !names.contains(&entry.qualified) && names.len() < HINTS {
            names.push(entry.qualified.clone());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::flatten_outline;
    use crate::samples::{outline_entry, outline_with_children, sample_def, session_outline};

    fn wanted<'w>(qualified: &'w str, def: Option<&'w NodeInfo>, current: bool) -> OutlineQuery<'w> {
        OutlineQuery { qualified, ordinal: 1, def, current }
    }

    /// Formats an outcome with the line of its entry.
    fn outcome(found: &OutlineMatch<'_, '_>) -> String {
        match found {
            OutlineMatch::Here(entry) => format!("here {}", entry.outline.name_at.0),
            OutlineMatch::Relocated(entry) => format!("relocated {}", entry.outline.name_at.0),
            OutlineMatch::Unlisted => "unlisted".to_owned(),
            OutlineMatch::Missing(names) => format!("missing {}", names.join(" ")),
        }
    }

    #[test]
    fn the_whole_chain_leads_there() {
        let outline = session_outline("SessionStore");
        let entries = flatten_outline(&outline);
        assert_eq!(outcome(&find(&wanted("SessionStore.refresh", None, false), &entries)), "here 4");
        assert_eq!(outcome(&find(&wanted("Other.close", None, false), &entries)), "here 9");
    }

    #[test]
    fn a_renamed_container_or_a_moved_symbol_is_found_by_its_last_name() {
        let outline = session_outline("Store");
        let entries = flatten_outline(&outline);
        let old = sample_def("SessionStore.refresh", 1, (3, 5), 3);
        assert_eq!(
            outcome(&find(&wanted("SessionStore.refresh", Some(&old), false), &entries)),
            "relocated 4"
        );
        assert_eq!(outcome(&find(&wanted("refresh", None, false), &entries)), "relocated 4");
        assert_eq!(outcome(&find(&wanted("SessionStore", None, false), &entries)), "missing Store Other");
    }

    #[test]
    fn an_ambiguous_last_name_is_not_guessed() {
        let entries_of = session_outline("Store");
        let entries = flatten_outline(&entries_of);
        assert_eq!(
            outcome(&find(&wanted("SessionStore.close", None, false), &entries)),
            "missing Store.close Other.close Store Other"
        );
    }

    #[test]
    fn ordinals_count_in_the_order_of_the_file() {
        let outline = [
            outline_entry("f", "function", (1, 2)),
            outline_entry("g", "function", (4, 4)),
            outline_entry("f", "function", (6, 7)),
        ];
        let entries = flatten_outline(&outline);
        let nth = |ordinal| OutlineQuery { ordinal, ..wanted("f", None, false) };
        assert_eq!(outcome(&find(&nth(1), &entries)), "here 1");
        assert_eq!(outcome(&find(&nth(2), &entries)), "here 6");
        // The third is gone; both others have the name `f`.
        assert_eq!(outcome(&find(&nth(3), &entries)), "relocated 1");
    }

    #[test]
    fn overloads_are_told_apart_by_place_and_may_be_shown_as_one() {
        let third = sample_def("f", 3, (6, 8), 6);
        let overload = |current| OutlineQuery { ordinal: 3, ..wanted("f", Some(&third), current) };
        let all = [
            outline_entry("f", "function", (2, 2)),
            outline_entry("f", "function", (4, 4)),
            outline_entry("f", "function", (6, 8)),
            outline_entry("f", "function", (9, 9)),
        ];
        assert_eq!(outcome(&find(&overload(true), &flatten_outline(&all))), "here 6");
        let one = [outline_entry("f", "function", (2, 8))];
        assert_eq!(outcome(&find(&overload(true), &flatten_outline(&one))), "here 2");
    }

    #[test]
    fn containers_that_a_server_names_otherwise_are_seen_through() {
        let outline = [outline_with_children(
            "Repository<User>.Impl",
            "class",
            (1, 5),
            vec![outline_entry("save", "method", (3, 4))],
        )];
        let save = sample_def("Repository.save", 1, (3, 4), 3);
        let entries = flatten_outline(&outline);
        assert_eq!(outcome(&find(&wanted("Repository.save", Some(&save), true), &entries)), "here 3");
    }

    #[test]
    fn what_the_current_map_has_and_the_server_does_not_list_is_not_relocated() {
        let outline =
            [outline_with_children("Other", "class", (8, 9), vec![outline_entry("size", "field", (9, 9))])];
        let size = sample_def("Cart.size", 1, (2, 2), 2);
        let entries = flatten_outline(&outline);
        assert_eq!(outcome(&find(&wanted("Cart.size", Some(&size), true), &entries)), "unlisted");
        assert_eq!(outcome(&find(&wanted("Cart.size", Some(&size), false), &entries)), "relocated 9");
    }
}
