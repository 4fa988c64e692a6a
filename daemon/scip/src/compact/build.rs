//! Writes an imported index in one pass: names go to the file as their documents arrive, all other tables at
//! the end.
//!
//! Until the end it holds 8 bytes for each name and about 60 for each symbol and file. [`MOST_NAMES`] bounds
//! that to 128 MiB for names; an index of 208 MB by scip-typescript has 1.3 million names and 156,000
//! symbols, which take less than 25.

use std::io::{self, Write};

use hob_base::{ContentHash, WsPath};
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::document::{PlacedName, SymbolRelation};
use super::super::wire::ScipError;
use super::tables::{Table, end_bytes};
use super::{DEFINES, IndexTitle, Relation, SymbolKey};

/// Most names of one index.
const MOST_NAMES: u32 = 16 << 20;

/// The row of a file.
struct FileRow {
    path: WsPath,
    hash: ContentHash,
    first: u32,
    count: u32,
}

/// A use of a symbol; both are row numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct UseRow {
    symbol: u32,
    name: u32,
}

/// The relations of two symbols, which are row numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct RelationRow {
    from: u32,
    to: u32,
    kinds: u32,
}

/// Builds an imported index.
pub struct CompactBuilder<W> {
    to: W,
    hasher: blake3::Hasher,
    lengths: [u64; 9],
    names: u32,
    symbols: Vec<SymbolKey>,
    numbers: FxHashMap<SymbolKey, u32>,
    uses: Vec<UseRow>,
    files: Vec<FileRow>,
    paths: FxHashSet<WsPath>,
    relations: Vec<RelationRow>,
}

impl<W: Write> CompactBuilder<W> {
    /// Begins an imported index.
    pub fn new(to: W) -> Self {
        Self {
            to,
            hasher: blake3::Hasher::new(),
            lengths: [0; 9],
            names: 0,
            symbols: Vec::new(),
            numbers: FxHashMap::default(),
            uses: Vec::new(),
            files: Vec::new(),
            paths: FxHashSet::default(),
            relations: Vec::new(),
        }
    }

    /// Returns true if the index has a file already: a file that is added twice would give each answer twice.
    #[must_use]
    pub fn has_file(&self, path: &WsPath) -> bool {
        self.paths.contains(path)
    }

    /// Returns the numbers of files and of names so far.
    #[must_use]
    pub fn file_and_name_counts(&self) -> (usize, usize) {
        (self.files.len(), self.names as usize)
    }

    /// Adds a file with its names, which are sorted by place.
    ///
    /// # Errors
    /// [`ScipError::TooLarge`] beyond `MOST_NAMES` names, or the errors of the stream.
    pub fn add_file(
        &mut self,
        path: WsPath,
        hash: ContentHash,
        names: &[PlacedName],
    ) -> Result<(), ScipError> {
        let count = u32::try_from(names.len()).unwrap_or(u32::MAX);
        if self.names.checked_add(count).is_none_or(|all| all > MOST_NAMES) {
            return Err(ScipError::TooLarge(format!("it has more than {MOST_NAMES} names")));
        }
        let first = self.names;
        for name in names {
            self.add_name(name, path.as_str())?;
        }
        self.paths.insert(path.clone());
        self.files.push(FileRow { path, hash, first, count });
        Ok(())
    }

    /// Adds the relations that a file states about its symbols.
    pub fn add_relations(&mut self, path: &WsPath, relations: &[SymbolRelation]) {
        for one in relations {
            let bit = |is: bool, kind: Relation| if is { kind.bit() } else { 0 };
            let kinds = bit(one.is_definition, Relation::Definition)
                | bit(one.is_reference, Relation::Reference)
                | bit(one.is_implementation, Relation::Implementation);
            let from = self.number_of(SymbolKey::of(&one.from, path.as_str()));
            let to = self.number_of(SymbolKey::of(&one.to, path.as_str()));
            if kinds != 0 && from != to {
                self.relations.push(RelationRow { from, to, kinds });
            }
        }
    }

    /// Writes all other tables and the title, and returns the stream.
    ///
    /// # Errors
    /// The errors of the stream.
    pub fn finish(mut self, title: &IndexTitle) -> io::Result<W> {
        self.write_symbols()?;
        let texts = self.write_files(title)?;
        self.write_relations()?;
        self.write_row(Table::Texts, &texts)?;
        let end = end_bytes(&self.lengths, &self.hasher.finalize());
        self.to.write_all(&end)?;
        self.to.flush()?;
        Ok(self.to)
    }

    fn add_name(&mut self, name: &PlacedName, path: &str) -> io::Result<()> {
        let symbol = self.number_of(SymbolKey::of(&name.symbol, path));
        let roles = if name.is_definition { DEFINES } else { 0 };
        let row = [name.line, name.col, name.end_line, name.end_col, symbol, roles];
        self.write_numbers(Table::Names, &row)?;
        self.uses.push(UseRow { symbol, name: self.names });
        self.names += 1;
        Ok(())
    }

    fn number_of(&mut self, key: SymbolKey) -> u32 {
        let next = self.symbols.len() as u32;
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.symbols.push(key);
        }
        number
    }

    fn write_symbols(&mut self) -> io::Result<()> {
        self.uses.sort_unstable();
        let (uses, symbols) = (std::mem::take(&mut self.uses), std::mem::take(&mut self.symbols));
        let mut first = 0;
        for (number, key) in symbols.iter().enumerate() {
            let count = uses[first..].iter().take_while(|one| one.symbol as usize == number).count();
            let mut row = key.0.to_vec();
            row.extend([first as u32, count as u32].iter().flat_map(|number| number.to_le_bytes()));
            self.write_row(Table::Symbols, &row)?;
            first += count;
        }
        let mut by_key: Vec<u32> = (0..symbols.len() as u32).collect();
        by_key.sort_unstable_by_key(|number| symbols[*number as usize]);
        self.write_numbers(Table::SymbolsByKey, &by_key)?;
        uses.iter().try_for_each(|one| self.write_numbers(Table::Uses, &[one.name]))
    }

    /// Writes the rows of the files, and returns the texts that they point into, behind the title.
    fn write_files(&mut self, title: &IndexTitle) -> io::Result<Vec<u8>> {
        let mut texts = title_text(title).into_bytes();
        let files = std::mem::take(&mut self.files);
        for file in &files {
            let (start, path) = (texts.len() as u32, file.path.as_str());
            texts.extend_from_slice(path.as_bytes());
            let numbers = [start, path.len() as u32, file.first, file.count];
            let mut row: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
            row.extend_from_slice(file.hash.as_bytes());
            self.write_row(Table::Files, &row)?;
        }
        let mut by_path: Vec<u32> = (0..files.len() as u32).collect();
        by_path.sort_unstable_by_key(|number| files[*number as usize].path.as_str());
        self.write_numbers(Table::FilesByPath, &by_path)?;
        Ok(texts)
    }

    fn write_relations(&mut self) -> io::Result<()> {
        let mut relations = std::mem::take(&mut self.relations);
        relations.sort_unstable();
        relations.dedup();
        for one in &relations {
            self.write_numbers(Table::RelationsFrom, &[one.from, one.to, one.kinds])?;
        }
        relations.sort_unstable_by_key(|one| (one.to, one.from));
        let turned = relations.iter().map(|one| [one.to, one.from, one.kinds]);
        turned.into_iter().try_for_each(|row| self.write_numbers(Table::RelationsTo, &row))
    }

    fn write_numbers(&mut self, table: Table, numbers: &[u32]) -> io::Result<()> {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.write_row(table, &bytes)
    }

    fn write_row(&mut self, table: Table, row: &[u8]) -> io::Result<()> {
        self.hasher.update(row);
        self.lengths[table as usize] += row.len() as u64;
        self.to.write_all(row)
    }
}

/// Formats the title as the first lines of the texts; an empty line ends it.
fn title_text(title: &IndexTitle) -> String {
    let line = |text: &str| text.replace(['\n', '\r'], " ");
    format!(
        "{}\n{}\n{}\n{}\n{}\n",
        line(&title.tool),
        line(&title.tool_version),
        line(&title.source),
        title.read_at,
        title.documents
    )
}
