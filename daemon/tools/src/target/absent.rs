//! Explains why the map does not have a name: a package defines it, or its class has other members.

use hob_map::Map;
use hob_map::graph::{Lookup, NodeRef};

use super::handle;

/// Most members of a class that are named in place of a missing one.
const MEMBERS: usize = 12;

/// Returns a sentence about a name that the map does not have; `None` if nothing is known.
pub(crate) fn why_absent(map: &Map, text: &str) -> Option<String> {
    let last = last_part(text);
    of_class(map, text, last).or_else(|| defined(map, last)).or_else(|| imported(map, last))
}

/// Explains like [`why_absent`], but not for names that the map has elsewhere.
pub(super) fn why_nowhere(map: &Map, text: &str) -> Option<String> {
    let last = last_part(text);
    of_class(map, text, last).or_else(|| imported(map, last).filter(|_| defined(map, last).is_none()))
}

/// Says where the name is defined elsewhere.
fn defined(map: &Map, name: &str) -> Option<String> {
    let node = match map.lookup(name) {
        Lookup::One(node) => node,
        Lookup::Ambiguous(nodes) => *nodes.first()?,
        Lookup::None => return None,
    };
    Some(format!("`{name}` is defined at {}.", handle(map, node)))
}

/// Returns the part of a target after the last separator.
pub(super) fn last_part(text: &str) -> &str {
    text.rsplit(['.', ':', '/', '#']).find(|part| !part.is_empty()).unwrap_or(text)
}

/// Names the members of a class that does not have one, those with similar names first: `Store has no ope; it has open,
/// load`.
fn of_class(map: &Map, text: &str, last: &str) -> Option<String> {
    let class = text.strip_suffix(last)?.trim_end_matches(['.', ':', '#', '/']);
    let Lookup::One(NodeRef::Def(class)) = map.lookup(class) else { return None };
    let name = map.info(class.into())?.qualified;
    let mut members: Vec<String> = map
        .outline(class.file)
        .filter(|(_, def)| def.parent == Some(class.def))
        .filter_map(|(def, _)| Some(map.info(def.into())?.name))
        .collect();
    members.sort_by_key(|member| !resembles(member, last));
    members.dedup();
    let more = members.len().saturating_sub(MEMBERS);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    members.truncate(MEMBERS);
    (!members.is_empty()).then(|| format!("`{name}` has no `{last}`; it has {}{more}.", members.join(", ")))
}

fn resembles(one: &str, other: &str) -> bool {
    let (one, other) = (one.to_lowercase(), other.to_lowercase());
    one.contains(&other) || other.contains(&one)
}

/// Says from which module a file of the project imports the name.
fn imported(map: &Map, name: &str) -> Option<String> {
    for (path, file) in map.mapped_files() {
        let (_, facts) = map.file(file)?;
        let is_meant = |id| facts.name(id) == name;
        let found = facts
            .imports
            .iter()
            .find(|import| import.name.is_some_and(is_meant) || import.local.is_some_and(is_meant));
        if let Some(import) = found {
            let module = facts.name(import.module);
            return Some(format!(
                "`{name}` is imported from `{module}` at {path}:{}, whose source is not in this project.",
                import.line
            ));
        }
    }
    None
}
