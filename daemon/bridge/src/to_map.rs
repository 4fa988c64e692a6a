//! Finds the node of the map that encloses a position.
//!
//! The server's outline decides which entries enclose the position, the map gives their IDs. Local names of a
//! function are no nodes and are left out: a position on one belongs to the function.

use hob_live::requests::ServerOutline;
use hob_map::graph::NodeInfo;

use crate::names::{QualifiedEntry, flatten_outline};
use crate::verify::{KnownFile, is_stale, name_distance};

/// One of the symbols that enclose a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EnclosingLink {
    /// The name of the symbol.
    pub name: String,
    /// The kind of the symbol, as in `function`.
    pub kind: &'static str,
    /// 1-based line and column of the symbol's name.
    pub name_at: (u32, u32),
}

/// The symbols and nodes that enclose a position.
#[derive(Clone, Debug, Default)]
pub struct Enclosing<'m> {
    /// The symbols around the position, outermost first; empty at the top level of the file.
    pub chain: Vec<EnclosingLink>,
    /// The names of the chain, joined with dots.
    pub qualified: String,
    /// The innermost symbol's node in the map.
    pub node: Option<&'m NodeInfo>,
    /// If the map lacks that symbol: the nearest enclosing node that the map has.
    pub nearest: Option<&'m NodeInfo>,
    /// True if the map's facts for the position are older than the file.
    pub map_stale: bool,
}

impl Enclosing<'_> {
    /// Returns the place of the innermost symbol's name; `None` at the top level of the file.
    #[must_use]
    pub fn name_at(&self) -> Option<(u32, u32)> {
        self.chain.last().map(|link| link.name_at)
    }
}

/// Finds the symbols that enclose a 1-based line and column, by a server's outline.
#[must_use]
pub fn locate_in_outline<'m>(
    outline: &[ServerOutline],
    line: u32,
    col: u32,
    known: KnownFile<'m>,
) -> Enclosing<'m> {
    let entries = flatten_outline(outline);
    let mut chain = entries_around(&entries, (line, col));
    let nodes = |at: usize| node_of(&entries, at, known);
    while let Some((&innermost, outer)) = chain.split_last() {
        if nodes(innermost).is_some() || !is_local(&entries, innermost, outer, known.current) {
            break;
        }
        chain.pop();
    }
    let Some((&innermost, outer)) = chain.split_last() else { return Enclosing::default() };
    let node = nodes(innermost);
    let nearest = if node.is_some() { None } else { outer.iter().rev().find_map(|&at| nodes(at)) };
    let entry = &entries[innermost];
    Enclosing {
        chain: chain.iter().map(|&at| enclosing_link(&entries[at])).collect(),
        qualified: node.map_or_else(|| entry.qualified.clone(), |node| node.qualified.clone()),
        node,
        nearest,
        map_stale: node.map_or(!known.current, |node| is_stale(entry.outline, node, known.current)),
    }
}

/// Finds the definitions that enclose a line by the map alone, if no server can be asked.
#[must_use]
pub fn from_map(defs: &[NodeInfo], line: u32, col: u32) -> Enclosing<'_> {
    let spans = |def: &&NodeInfo| (def.lines.0..=def.lines.1).contains(&line);
    let before = |def: &NodeInfo| def.name_at <= (line, col);
    // In `typedef struct a { } b;` both span the whole line.
    let is_named_here = |def: &NodeInfo| {
        let end = def.name_at.1 as usize + def.name.encode_utf16().count();
        def.name_at.0 == line && (def.name_at.1 as usize..end).contains(&(col as usize))
    };
    let spanning: Vec<&NodeInfo> = defs.iter().filter(spans).collect();
    let innermost = spanning.iter().copied().enumerate().min_by_key(|(order, def)| {
        (!is_named_here(def), def.lines.1 - def.lines.0, !before(def), std::cmp::Reverse(*order))
    });
    let Some((_, innermost)) = innermost else { return Enclosing::default() };
    let holds = |def: &&&NodeInfo| {
        let rest = innermost.qualified.strip_prefix(&def.qualified);
        rest.is_some_and(|rest| rest.starts_with('.')) || def.id == innermost.id
    };
    let link = |def: &&NodeInfo| EnclosingLink {
        name: def.name.clone(),
        kind: def.kind.as_str(),
        name_at: def.name_at,
    };
    Enclosing {
        chain: spanning.iter().filter(holds).map(link).collect(),
        qualified: innermost.qualified.clone(),
        node: Some(innermost),
        nearest: None,
        map_stale: false,
    }
}

fn enclosing_link(entry: &QualifiedEntry<'_>) -> EnclosingLink {
    EnclosingLink { name: entry.name().to_owned(), kind: entry.outline.kind, name_at: entry.outline.name_at }
}

/// Returns the deepest chain of entries around a position, outermost first.
fn entries_around(entries: &[QualifiedEntry<'_>], at: (u32, u32)) -> Vec<usize> {
    let mut chain: Vec<usize> = Vec::new();
    loop {
        let parent = chain.last().copied();
        // An entry on its container's first line that begins behind the position does not enclose it. Columns
        // of ends are unknown, and on a line of its own only the entry's own text precedes its name.
        let crowded = parent.is_some_and(|parent| entries[parent].outline.lines.0 == at.0);
        let within = |entry: &QualifiedEntry<'_>| {
            entry.parent == parent
                && (entry.outline.lines.0..=entry.outline.lines.1).contains(&at.0)
                && !(crowded && entry.outline.name_at > at)
        };
        let inside = entries.iter().enumerate().filter(|(_, entry)| within(entry));
        // Of several entries on one line, the last one that begins before the position counts.
        let best = inside.max_by_key(|(index, entry)| {
            let begun = entry.outline.name_at <= at;
            (begun, if begun { entry.outline.name_at } else { (0, 0) }, std::cmp::Reverse(*index))
        });
        match best {
            Some((index, _)) => chain.push(index),
            None => return chain,
        }
    }
}

/// Returns the map's definition of an entry.
fn node_of<'m>(entries: &[QualifiedEntry<'_>], at: usize, known: KnownFile<'m>) -> Option<&'m NodeInfo> {
    let entry = &entries[at];
    let named: Vec<&NodeInfo> = known.defs.iter().filter(|def| def.qualified == entry.qualified).collect();
    let placed = |defs: &mut dyn Iterator<Item = &'m NodeInfo>, worst: u8| {
        let placed = defs.filter_map(|def| Some((name_distance(entry.outline, def)?, def)));
        placed.filter(|(at, _)| at.0 <= worst).min_by_key(|(at, _)| *at).map(|(_, def)| def)
    };
    // Overloads may be one definition in the map and several entries here.
    let only = named.first().copied().filter(|_| named.len() == 1);
    if known.current {
        let namesakes = &mut known.defs.iter().filter(|def| def.name == entry.name());
        return placed(&mut named.into_iter(), 1).or_else(|| placed(namesakes, 0)).or(only);
    }
    let before = entries[..at].iter().filter(|other| other.qualified == entry.qualified).count();
    named.get(before).copied().or(only)
}

/// Returns true if an entry that the map lacks is a local name of a function.
fn is_local(entries: &[QualifiedEntry<'_>], at: usize, outer: &[usize], current: bool) -> bool {
    let callable = |kind: &str| matches!(kind, "function" | "method" | "constructor");
    let data = matches!(
        entries[at].outline.kind,
        "variable" | "constant" | "property" | "field" | "value" | "type_parameter"
    );
    (current || data) && outer.iter().any(|&at| callable(entries[at].outline.kind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{outline_entry, outline_with_children, sample_def, session_outline};

    fn shape(enclosing: &Enclosing<'_>) -> String {
        let id = |node: Option<&NodeInfo>| node.map(|node| node.id.to_string()).unwrap_or_default();
        let chain: Vec<&str> = enclosing.chain.iter().map(|link| link.name.as_str()).collect();
        format!(
            "{}|{}|{}|{}",
            chain.join("/"),
            enclosing.qualified,
            id(enclosing.node),
            id(enclosing.nearest)
        )
    }

    fn sample_defs() -> Vec<NodeInfo> {
        vec![
            sample_def("Store", 1, (1, 6), 1),
            sample_def("Store.close", 1, (2, 3), 2),
            sample_def("Store.refresh", 1, (4, 6), 4),
            sample_def("Other", 1, (8, 10), 8),
        ]
    }

    #[test]
    fn the_deepest_chain_is_looked_up() {
        let (outline, defs) = (session_outline("Store"), sample_defs());
        let known = KnownFile { defs: &defs, current: true };
        let at = |line| shape(&locate_in_outline(&outline, line, 1, known));
        assert_eq!(at(5), "Store/refresh|Store.refresh|py:a.py#Store.refresh|");
        assert_eq!(at(1), "Store|Store|py:a.py#Store|");
        assert_eq!(at(7), "|||");
        // The map has not ingested the change.
        assert_eq!(at(9), "Other/close|Other.close||py:a.py#Other");
        assert_eq!(
            shape(&locate_in_outline(&outline, 5, 1, KnownFile::NOTHING)),
            "Store/refresh|Store.refresh||",
            "without a map what encloses is still said"
        );
    }

    #[test]
    fn a_map_that_is_behind_is_told_by_its_lines() {
        let outline = session_outline("Store");
        let moved = [
            sample_def("Store", 1, (1, 5), 1),
            sample_def("Store.refresh", 1, (3, 5), 3),
            sample_def("Other", 1, (7, 9), 7),
        ];
        let stale = |line, current| {
            locate_in_outline(&outline, line, 1, KnownFile { defs: &moved, current }).map_stale
        };
        assert!(stale(5, false), "the map has refresh a line higher");
        assert!(!stale(1, false), "the class is where the map says");
        assert!(stale(9, false), "the map lacks Other.close, and may be behind");
        assert!(!stale(9, true), "the map lacks it although it is current");
    }

    #[test]
    fn names_within_a_function_are_no_nodes() {
        let local = outline_entry("count", "variable", (2, 2));
        let helper = outline_entry("helper", "function", (3, 4));
        let outline = [outline_with_children("f", "function", (1, 5), vec![local, helper])];
        let defs = [sample_def("f", 1, (1, 5), 1)];
        let at =
            |line, current| shape(&locate_in_outline(&outline, line, 9, KnownFile { defs: &defs, current }));
        assert_eq!(at(2, true), "f|f|py:a.py#f|");
        assert_eq!(at(2, false), "f|f|py:a.py#f|");
        assert_eq!(at(3, true), "f|f|py:a.py#f|");
        assert_eq!(at(3, false), "f/helper|f.helper||py:a.py#f");
    }

    #[test]
    fn definitions_of_one_name_are_told_apart() {
        let outline = [outline_entry("f", "function", (1, 2)), outline_entry("f", "function", (4, 5))];
        let defs = [sample_def("f", 1, (1, 2), 1), sample_def("f", 2, (4, 5), 4)];
        for current in [true, false] {
            let known = KnownFile { defs: &defs, current };
            assert_eq!(shape(&locate_in_outline(&outline, 5, 1, known)), "f|f|py:a.py#f~2|");
            assert_eq!(shape(&locate_in_outline(&outline, 1, 1, known)), "f|f|py:a.py#f|");
        }
    }

    #[test]
    fn overloads_that_the_map_has_as_one_are_that_one() {
        let outline = [outline_entry("f", "function", (1, 1)), outline_entry("f", "function", (3, 5))];
        let defs = [sample_def("f", 1, (3, 5), 3)];
        for current in [true, false] {
            let known = KnownFile { defs: &defs, current };
            assert_eq!(shape(&locate_in_outline(&outline, 1, 1, known)), "f|f|py:a.py#f|");
        }
    }

    #[test]
    fn a_getter_and_a_setter_on_one_line_are_two() {
        let mut outline =
            [outline_entry("size", "property", (1, 1)), outline_entry("size", "property", (1, 1))];
        let mut defs = [sample_def("size", 1, (1, 1), 1), sample_def("size", 2, (1, 1), 1)];
        (outline[1].name_at, defs[1].name_at) = ((1, 40), (1, 40));
        let known = KnownFile { defs: &defs, current: true };
        assert_eq!(shape(&locate_in_outline(&outline, 1, 40, known)), "size|size|py:a.py#size~2|");
        assert_eq!(shape(&locate_in_outline(&outline, 1, 5, known)), "size|size|py:a.py#size|");
    }

    #[test]
    fn of_several_on_a_line_the_last_that_has_begun_is_meant() {
        let mut outline = [outline_entry("a", "variable", (1, 1)), outline_entry("b", "variable", (1, 1))];
        outline[1].name_at = (1, 12);
        let at = |col| locate_in_outline(&outline, 1, col, KnownFile::NOTHING).qualified;
        assert_eq!((at(1), at(6), at(12), at(40)), ("a".into(), "a".into(), "b".into(), "b".into()));
    }

    #[test]
    fn what_has_not_begun_on_its_containers_line_does_not_enclose() {
        let mut area = outline_entry("area", "method", (1, 1));
        area.name_at = (1, 26);
        let outline = [outline_with_children("Shape", "interface", (1, 1), vec![area])];
        let at = |col| locate_in_outline(&outline, 1, col, KnownFile::NOTHING).qualified;
        assert_eq!((at(1), at(18), at(26)), ("Shape".into(), "Shape".into(), "Shape.area".into()));
    }

    #[test]
    fn without_a_server_the_map_says_what_encloses() {
        let defs = sample_defs();
        assert_eq!(shape(&from_map(&defs, 5, 1)), "Store/refresh|Store.refresh|py:a.py#Store.refresh|");
        assert_eq!(shape(&from_map(&defs, 7, 1)), "|||");
    }

    #[test]
    fn a_name_behind_a_body_is_that_names() {
        let mut defs = [sample_def("node_t", 1, (1, 3), 3), sample_def("node", 1, (1, 3), 1)];
        defs[0].name_at = (3, 3);
        defs[1].name_at = (1, 16);
        let at = |line, col| from_map(&defs, line, col).qualified;
        assert_eq!(
            (at(3, 3), at(3, 8), at(1, 16), at(2, 1)),
            ("node_t".into(), "node_t".into(), "node".into(), "node".into())
        );
    }
}
