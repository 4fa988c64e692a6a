//! Restricts a text search to the lines of nodes of some kinds: symbols, sections, notes.
//!
//! The lines of a symbol are its signature and body. The lines of a section are its heading and the text up to the next
//! heading of the same level. For a note whose title is a heading, they are the lines of that section. `File` selects
//! every line.

use hob_base::FileId;
use hob_map::Map;
use hob_map::facts::{Def, DefKind};
use hob_map::graph::DefRef;
use hob_text::LineSet;

/// The kinds that a caller named. If there are none, nothing is restricted; the same holds for `File`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Kinds {
    file: bool,
    symbol: bool,
    section: bool,
    note: bool,
}

impl Kinds {
    pub(super) fn from_words(words: &[String]) -> Self {
        let has = |word: &str| words.iter().any(|given| given == word);
        let file = words.is_empty() || has("File");
        Self { file, symbol: has("Symbol"), section: has("Section"), note: has("Note") }
    }

    /// Returns true if the map is needed to select the lines.
    pub(super) fn ask_map(self) -> bool {
        self.symbol || self.section || self.note
    }

    /// Returns the lines of a file that are selected.
    pub(super) fn lines(self, map: &Map, file: FileId) -> LineSet {
        if self.file {
            LineSet::every_line()
        } else {
            LineSet::from_stretches(self.nodes_of_kinds(map, file).map(|(_, _, lines)| lines))
        }
    }

    /// Returns the node that a line belongs to: its kind and, unless it is only the file, the innermost node of a named
    /// kind.
    pub(super) fn node_at(self, map: &Map, file: FileId, line: u32) -> (&'static str, Option<DefRef>) {
        let named =
            self.nodes_of_kinds(map, file).filter(|(_, _, (first, last))| (*first..=*last).contains(&line));
        let innermost =
            named.min_by_key(|(node, _, (first, last))| (last - first, std::cmp::Reverse(node.def)));
        innermost.map_or(("File", None), |(node, kind, _)| (kind, Some(node)))
    }

    /// Returns every node of a file that is of a named kind, with the word for the kind and the lines of the node.
    fn nodes_of_kinds(
        self,
        map: &Map,
        file: FileId,
    ) -> impl Iterator<Item = (DefRef, &'static str, (u32, u32))> {
        map.outline(file).flat_map(move |(node, def)| {
            self.of_def(def).into_iter().flatten().map(move |(kind, lines)| (node, kind, lines))
        })
    }

    fn of_def(self, def: &Def) -> [Option<(&'static str, (u32, u32))>; 2] {
        let title = (def.name_at.0, def.name_at.0);
        // A title in front matter is the heading of no section; its range is the whole note.
        let is_heading = def.kind == DefKind::Section || def.lines.0 == def.name_at.0;
        match def.kind {
            DefKind::Section | DefKind::Note => [
                (self.note && def.kind == DefKind::Note).then_some(("Note", title)),
                (self.section && is_heading).then_some(("Section", def.lines)),
            ],
            _ => [self.symbol.then_some(("Symbol", def.lines)), None],
        }
    }
}
