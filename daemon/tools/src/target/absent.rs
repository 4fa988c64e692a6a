//! Says of a name that is not in the map where it may come from: an import of a package, or what its class has instead.

use hob_map::Map;
use hob_map::graph::{Lookup, NodeRef};

use super::handle;

/// Members of a class that are named where one is not there.
const MEMBERS: usize = 12;

/// Returns a sentence about a name that the map does not have, if there is one.
pub(crate) fn why_absent(map: &Map, text: &str) -> Option<String> {
    let last = last_part(text);
    of_class(map, text, last).or_else(|| defined(map, last)).or_else(|| imported(map, last))
}

/// As [`why_absent`], but nothing about names that the map has elsewhere.
pub(super) fn why_nowhere(map: &Map, text: &str) -> Option<String> {
    let last = last_part(text);
    of_class(map, text, last).or_else(|| imported(map, last).filter(|_| defined(map, last).is_none()))
}

/// Where the name is defined after all.
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

/// `Store has no ope; it has open, load`: those that resemble the name first.
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

/// Where a file of the project imports the name from.
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
