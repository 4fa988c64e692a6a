//! Compares the map with an outline: whether both have the same definition, and whether the map is outdated.

use hob_live::requests::ServerOutline;
use hob_map::graph::NodeInfo;

use crate::names::QualifiedEntry;

/// The map's facts for one file.
#[derive(Clone, Copy, Debug)]
pub struct KnownFile<'m> {
    /// The definitions of the file in source order.
    pub defs: &'m [NodeInfo],
    /// True if the map is known to have ingested the contents that the outline describes: then places can be
    /// compared.
    pub current: bool,
}

impl KnownFile<'_> {
    /// The value for a file that the map does not have.
    pub const NOTHING: Self = Self { defs: &[], current: false };
}

/// Returns true if the map has a definition at another place than the outline. Servers differ in where a
/// definition begins and ends, so only the line of its name counts.
#[must_use]
pub fn is_stale(entry: &ServerOutline, def: &NodeInfo, current: bool) -> bool {
    !current && entry.name_at.0 != def.name_at.0
}

/// Returns the distance of an entry from the map's place of a definition; less is nearer. On the line of the
/// name it counts columns; some servers give no place of names, so otherwise the entry's lines around it
/// count. `None` if neither applies.
pub(crate) fn name_distance(entry: &ServerOutline, def: &NodeInfo) -> Option<(u8, u32)> {
    let (line, col) = def.name_at;
    if entry.name_at.0 == line {
        Some((0, entry.name_at.1.abs_diff(col)))
    } else {
        (entry.lines.0..=entry.lines.1).contains(&line).then_some((1, 0))
    }
}

/// Chooses one of several entries with the definition's name: by place if places can be compared, else by
/// number.
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
