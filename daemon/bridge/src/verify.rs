//! Compares the map with an outline: whether both have the same definition, and whether the map is behind.

use hob_live::requests::ServerOutline;
use hob_map::graph::NodeInfo;

use crate::names::QualifiedEntry;

/// The map's record of one file.
#[derive(Clone, Copy, Debug)]
pub struct KnownFile<'m> {
    /// Its definitions in source order.
    pub defs: &'m [NodeInfo],
    /// True if the map is known to have taken in the contents that the outline is of: then places can be compared.
    pub current: bool,
}

impl KnownFile<'_> {
    /// Nothing is known of the file.
    pub const NOTHING: Self = Self { defs: &[], current: false };
}

/// Returns true if the map has a definition elsewhere than the outline. Servers differ in where a definition begins
/// and ends, so only the line of its name counts.
#[must_use]
pub fn is_stale(entry: &ServerOutline, def: &NodeInfo, current: bool) -> bool {
    !current && entry.name_at.0 != def.name_at.0
}

/// Returns the distance of an entry from the map's place of a definition, nearest least: on the line of its name by
/// columns, or else, since some servers give no place of names, around it; `None` when neither.
pub(crate) fn name_distance(entry: &ServerOutline, def: &NodeInfo) -> Option<(u8, u32)> {
    let (line, col) = def.name_at;
    if entry.name_at.0 == line {
        Some((0, entry.name_at.1.abs_diff(col)))
    } else {
        (entry.lines.0..=entry.lines.1).contains(&line).then_some((1, 0))
    }
}

/// One of several entries with the definition's name: the one at its place if places can be compared, else by number.
pub(crate) fn choose_entry<'e, 'o>(
    named: &[&'e QualifiedEntry<'o>],
    ordinal: u32,
    at: Option<&NodeInfo>,
) -> Option<&'e QualifiedEntry<'o>> {
    let near = |def: &NodeInfo| {
        let placed = named.iter().filter_map(|entry| Some((name_distance(entry.outline, def)?, *entry)));
        placed.min_by_key(|(distance, _)| *distance).map(|(_, entry)| entry)
    };
    let numbered = || named.get(ordinal.saturating_sub(1) as usize).copied();
    // Servers that show the overloads of a function once have one entry for all of them.
    let only = || named.first().copied().filter(|_| named.len() == 1 && at.is_some());
    at.and_then(near).or_else(numbered).or_else(only)
}
