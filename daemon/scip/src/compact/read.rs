//! Answers questions from an imported index: which symbol a place names, and where a symbol is.
//!
//! Each answer costs a few binary searches and a walk over its rows; nothing is decoded beforehand.

use std::collections::BTreeSet;

use hob_base::{ContentHash, Region};

use super::tables::{Table, Tables};
use super::{DEFINES, IndexTitle, Relation, SymbolKey};

/// A file of an imported index, with the hash of the indexed contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexedFile<'i> {
    /// The path relative to the workspace's root.
    pub path: &'i str,
    /// The hash of the contents that were indexed.
    pub hash: ContentHash,
    first: u32,
    count: u32,
}

/// A place at which a symbol is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedPlace<'i> {
    /// The file of the place.
    pub file: IndexedFile<'i>,
    /// The line, from 1.
    pub line: u32,
    /// The UTF-16 column, from 1.
    pub col: u32,
    /// True if the symbol is defined there.
    pub is_definition: bool,
    /// True if the place has no text, such as the beginning of a file that is a symbol itself.
    pub is_empty: bool,
}

/// The row of a name.
#[derive(Clone, Copy)]
struct NameRow {
    line: u32,
    col: u32,
    end_line: u32,
    end_col: u32,
    symbol: u32,
    roles: u32,
}

/// An imported index.
#[derive(Debug)]
pub struct CompactIndex {
    tables: Tables,
}

impl CompactIndex {
    /// Opens an imported index; `None` if the bytes are damaged, or of another version of the form.
    #[must_use]
    pub fn open(bytes: Region) -> Option<Self> {
        Tables::open(bytes).map(|tables| Self { tables })
    }

    /// Returns the title: the indexer and the origin of the index.
    #[must_use]
    pub fn title(&self) -> IndexTitle {
        let mut lines = self.tables.text(0, self.title_len()).lines();
        let mut next = || lines.next().unwrap_or_default().to_owned();
        let (tool, tool_version, source) = (next(), next(), next());
        let (read_at, documents) = (next().parse().unwrap_or(0), next().parse().unwrap_or(0));
        IndexTitle { tool, tool_version, source, read_at, documents }
    }

    /// Returns every file, in order of path.
    pub fn files(&self) -> impl Iterator<Item = IndexedFile<'_>> {
        let rows = 0..self.tables.len(Table::FilesByPath);
        rows.map(|row| self.file_row(self.tables.number(Table::FilesByPath, row, 0)))
    }

    /// Returns the numbers of names and of symbols.
    #[must_use]
    pub fn name_and_symbol_counts(&self) -> (u32, u32) {
        (self.tables.len(Table::Names), self.tables.len(Table::Symbols))
    }

    /// Returns the size of the file and of private memory, in bytes.
    #[must_use]
    pub fn disk_and_memory_bytes(&self) -> (usize, usize) {
        (self.tables.file_bytes(), self.tables.private_bytes())
    }

    /// Returns the file at a path; `None` if the index does not have it.
    #[must_use]
    pub fn file_at(&self, path: &str) -> Option<IndexedFile<'_>> {
        let of = |row: u32| self.file_row(self.tables.number(Table::FilesByPath, row, 0));
        let rows = 0..self.tables.len(Table::FilesByPath);
        let row = Tables::partition(rows.clone(), |row| of(row).path < path);
        rows.contains(&row).then(|| of(row)).filter(|file| file.path == path)
    }

    /// Returns the symbols of the name at a line and UTF-16 column, both from 1. Of nested names the shortest
    /// counts; a place at the end of a name belongs to it if no other name begins there.
    #[must_use]
    pub fn symbols_at(&self, file: IndexedFile<'_>, line: u32, col: u32) -> Vec<SymbolKey> {
        let rows = file.first..file.first.saturating_add(file.count);
        let start = Tables::partition(rows.clone(), |row| self.name_row(row).line < line);
        let on_line = (start..rows.end).map(|row| self.name_row(row)).take_while(|name| name.line == line);
        let touching = on_line.filter(|name| name.is_touched_by(line, col));
        let ranked: Vec<(u32, NameRow)> =
            touching.map(|name| (name.distance_from(line, col), name)).collect();
        let Some(best) = ranked.iter().map(|(rank, _)| *rank).min() else { return Vec::new() };
        let nearest = ranked.into_iter().filter(|(rank, _)| *rank == best);
        let keys: BTreeSet<SymbolKey> = nearest.filter_map(|(_, name)| self.key_of(name.symbol)).collect();
        keys.into_iter().collect()
    }

    /// Returns every place at which a symbol is named, by file and place.
    pub fn places_of(&self, symbol: SymbolKey) -> impl Iterator<Item = NamedPlace<'_>> {
        let number = self.number_of(symbol);
        let (first, count) = number.map_or((0, 0), |number| {
            (self.tables.number(Table::Symbols, number, 4), self.tables.number(Table::Symbols, number, 5))
        });
        (first..first.saturating_add(count)).map(|row| self.place_of(self.tables.number(Table::Uses, row, 0)))
    }

    /// Returns the symbols to which a symbol has a relation.
    #[must_use]
    pub fn related_to(&self, symbol: SymbolKey, relation: Relation) -> Vec<SymbolKey> {
        self.relations(Table::RelationsFrom, symbol, relation)
    }

    /// Returns the symbols that have a relation to a symbol.
    #[must_use]
    pub fn related_from(&self, symbol: SymbolKey, relation: Relation) -> Vec<SymbolKey> {
        self.relations(Table::RelationsTo, symbol, relation)
    }

    fn relations(&self, table: Table, symbol: SymbolKey, relation: Relation) -> Vec<SymbolKey> {
        let Some(number) = self.number_of(symbol) else { return Vec::new() };
        let rows = 0..self.tables.len(table);
        let start = Tables::partition(rows.clone(), |row| self.tables.number(table, row, 0) < number);
        let own = (start..rows.end).take_while(|row| self.tables.number(table, *row, 0) == number);
        let counts = own.filter(|row| self.tables.number(table, *row, 2) & relation.bit() != 0);
        counts.filter_map(|row| self.key_of(self.tables.number(table, row, 1))).collect()
    }

    fn number_of(&self, key: SymbolKey) -> Option<u32> {
        let of = |row: u32| self.tables.number(Table::SymbolsByKey, row, 0);
        let rows = 0..self.tables.len(Table::SymbolsByKey);
        let row = Tables::partition(rows.clone(), |row| self.key_of(of(row)) < Some(key));
        let found = rows.contains(&row).then(|| of(row))?;
        (self.key_of(found) == Some(key)).then_some(found)
    }

    fn key_of(&self, number: u32) -> Option<SymbolKey> {
        let bytes = self.tables.row(Table::Symbols, number).get(..16)?;
        bytes.try_into().ok().map(SymbolKey)
    }

    fn name_row(&self, row: u32) -> NameRow {
        let number = |at| self.tables.number(Table::Names, row, at);
        NameRow {
            line: number(0),
            col: number(1),
            end_line: number(2),
            end_col: number(3),
            symbol: number(4),
            roles: number(5),
        }
    }

    fn place_of(&self, row: u32) -> NamedPlace<'_> {
        let name = self.name_row(row);
        let files = 0..self.tables.len(Table::Files);
        let behind = Tables::partition(files, |file| self.tables.number(Table::Files, file, 2) <= row);
        NamedPlace {
            file: self.file_row(self.file_with_names(behind, row)),
            line: name.line,
            col: name.col,
            is_definition: name.roles & DEFINES != 0,
            is_empty: (name.line, name.col) == (name.end_line, name.end_col),
        }
    }

    /// Returns the file that a name belongs to. Files without names begin where the next file does, so the
    /// last file that begins there is not always the right one.
    fn file_with_names(&self, behind: u32, row: u32) -> u32 {
        let holds = |file: &u32| {
            let number = |at| self.tables.number(Table::Files, *file, at);
            (number(2)..number(2).saturating_add(number(3))).contains(&row)
        };
        (0..behind).rev().find(holds).unwrap_or(0)
    }

    fn file_row(&self, row: u32) -> IndexedFile<'_> {
        let number = |at| self.tables.number(Table::Files, row, at);
        let hash = self.tables.row(Table::Files, row).get(16..48).and_then(|bytes| bytes.try_into().ok());
        IndexedFile {
            path: self.tables.text(number(0), number(1)),
            hash: ContentHash(hash.unwrap_or_default()),
            first: number(2),
            count: number(3),
        }
    }

    /// Returns the length of the title in bytes: the texts before the first path.
    fn title_len(&self) -> u32 {
        match self.tables.len(Table::Files) {
            0 => self.tables.len(Table::Texts),
            _ => self.tables.number(Table::Files, 0, 0),
        }
    }
}

impl NameRow {
    fn is_touched_by(self, line: u32, col: u32) -> bool {
        self.col <= col && (self.end_line > line || self.end_col >= col)
    }

    /// Returns the rank of a name that touches a place: names around the place come first, the shortest
    /// before others; then names that end there; then empty ones.
    fn distance_from(self, line: u32, col: u32) -> u32 {
        const FAR: u32 = 1 << 20;
        if self.end_line > line {
            return FAR;
        }
        match self.end_col.saturating_sub(self.col) {
            0 => 4 * FAR,
            width if self.end_col > col => width.min(FAR - 1),
            width => 2 * FAR + width.min(FAR),
        }
    }
}

#[cfg(test)]
mod tests {
    use hob_base::WsPath;

    use super::super::super::document::{PlacedName, SymbolRelation};
    use super::super::CompactBuilder;
    use super::*;

    fn name(line: u32, cols: std::ops::Range<u32>, symbol: &str, is_definition: bool) -> PlacedName {
        PlacedName {
            line,
            col: cols.start,
            end_line: line,
            end_col: cols.end,
            symbol: symbol.to_owned(),
            is_definition,
        }
    }

    fn sample() -> Vec<u8> {
        let mut builder = CompactBuilder::new(Vec::new());
        let path = |text| WsPath::new(text).expect("relative");
        let files = [
            (
                "b.ts",
                vec![name(1, 1..1, "b.ts", true), name(1, 1..4, "local 1", true), name(2, 5..8, "f", true)],
            ),
            ("empty.ts", vec![]),
            (
                "a.ts",
                vec![name(1, 1..4, "local 1", false), name(3, 2..5, "f", false), name(3, 5..9, "g", true)],
            ),
        ];
        for (file, names) in files {
            let hash = ContentHash::of(file.as_bytes());
            builder.add_file(path(file), hash, &names).expect("memory");
        }
        let relation = SymbolRelation {
            from: "g".to_owned(),
            to: "f".to_owned(),
            is_implementation: true,
            ..SymbolRelation::default()
        };
        builder.add_relations(&path("a.ts"), &[relation]);
        assert!(builder.has_file(&path("empty.ts")));
        builder.finish(&title()).expect("memory")
    }

    fn title() -> IndexTitle {
        IndexTitle {
            tool: "scip-x".to_owned(),
            source: "/tmp/index.scip".to_owned(),
            read_at: 7,
            documents: 4,
            ..IndexTitle::default()
        }
    }

    fn opened() -> CompactIndex {
        CompactIndex::open(Region::Read(sample())).expect("whole")
    }

    fn places(index: &CompactIndex, key: SymbolKey) -> Vec<(&str, u32, u32, bool)> {
        index.places_of(key).map(|at| (at.file.path, at.line, at.col, at.is_definition)).collect()
    }

    #[test]
    fn a_place_leads_to_its_symbol_and_a_symbol_to_its_places() {
        let index = opened();
        assert_eq!(index.title(), title());
        let a = index.file_at("a.ts").expect("there");
        assert_eq!(a.hash, ContentHash::of(b"a.ts"));
        assert_eq!(index.file_at("c.ts"), None);
        let [f] = index.symbols_at(a, 3, 3)[..] else { panic!("one symbol") };
        assert_eq!(places(&index, f), [("b.ts", 2, 5, true), ("a.ts", 3, 2, false)]);
        let [g] = index.symbols_at(a, 3, 5)[..] else { panic!("the one that begins there") };
        assert_eq!(places(&index, g), [("a.ts", 3, 5, true)]);
        assert_eq!(index.symbols_at(a, 3, 9), [g], "its end touches it");
        assert!(index.symbols_at(a, 3, 10).is_empty());
        assert!(index.symbols_at(a, 2, 1).is_empty());
    }

    #[test]
    fn a_name_without_text_is_the_last_choice() {
        let index = opened();
        let b = index.file_at("b.ts").expect("there");
        let [local] = index.symbols_at(b, 1, 1)[..] else { panic!("one symbol") };
        assert_eq!(places(&index, local), [("b.ts", 1, 1, true)], "a local one is its file's alone");
    }

    #[test]
    fn relations_are_found_from_both_ends() {
        let index = opened();
        let (f, g) = (SymbolKey::of("f", ""), SymbolKey::of("g", ""));
        assert_eq!(index.related_to(g, Relation::Implementation), [f]);
        assert_eq!(index.related_from(f, Relation::Implementation), [g]);
        assert!(index.related_from(f, Relation::Reference).is_empty());
        assert!(index.related_from(g, Relation::Implementation).is_empty());
    }

    #[test]
    fn files_come_in_order_of_path() {
        let index = opened();
        assert_eq!(index.files().map(|file| file.path).collect::<Vec<_>>(), ["a.ts", "b.ts", "empty.ts"]);
        assert_eq!(index.name_and_symbol_counts(), (6, 5));
    }

    #[test]
    fn damage_is_noticed() {
        let whole = sample();
        for at in [0, whole.len() / 2, whole.len() - 1] {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            assert!(CompactIndex::open(Region::Read(damaged)).is_none(), "byte {at}");
        }
        assert!(CompactIndex::open(Region::Read(whole[..whole.len() - 9].to_vec())).is_none());
        assert!(CompactIndex::open(Region::Read(Vec::new())).is_none());
    }
}
