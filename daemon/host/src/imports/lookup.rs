//! Answers from the imported indexes of a workspace: where the symbol at a place is defined, used and implemented.
//!
//! Indexes are joined by their symbols: a package of a project that was indexed by itself defines what the index of another one uses.
//! Places in files that are not as they were indexed are left out on both sides. A place is looked up in every index, and each answer
//! is bounded by [`MOST_PLACES`].

use std::collections::BTreeSet;
use std::sync::Arc;

use hob_base::{ContentHash, WsPath};
use hob_scip::{NamedPlace, Relation, SymbolKey};

use super::state::ImportedIndex;

/// Most places of one answer.
const MOST_PLACES: usize = 100_000;

/// Most symbols that one place can stand for through relations.
const MOST_SYMBOLS: usize = 1_000;

/// A function that returns the hash of a file's present contents; `None` where it cannot be read.
pub type CurrentHash<'a> = &'a mut dyn FnMut(&WsPath) -> Option<ContentHash>;

/// A place that is asked about.
#[derive(Clone, Copy, Debug)]
pub struct PlaceInFile<'p> {
    /// The file of the place.
    pub path: &'p WsPath,
    /// The line, from 1.
    pub line: u32,
    /// The UTF-16 column, from 1.
    pub col: u32,
}

/// A place of a symbol in a file that is as it was indexed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct IndexedPlace {
    /// The file of the place.
    pub path: WsPath,
    /// The line, from 1.
    pub line: u32,
    /// The UTF-16 column, from 1.
    pub col: u32,
}

/// The symbols that a place names, with the indexes that know them.
#[derive(Debug)]
pub struct NamedSymbols {
    indexes: Arc<[ImportedIndex]>,
    symbols: BTreeSet<SymbolKey>,
}

/// Returns the symbols of the name at a place; `None` where no index that is believed has a name there.
pub fn symbols_named_at(
    indexes: Arc<[ImportedIndex]>,
    at: PlaceInFile<'_>,
    current: CurrentHash<'_>,
) -> Option<NamedSymbols> {
    let hash = current(at.path)?;
    let own = indexes.iter().filter_map(|one| {
        let file = one.index.file_at(at.path.as_str()).filter(|file| file.hash == hash)?;
        Some(one.index.symbols_at(file, at.line, at.col))
    });
    let symbols: BTreeSet<SymbolKey> = own.flatten().collect();
    (!symbols.is_empty()).then_some(NamedSymbols { indexes, symbols })
}

impl NamedSymbols {
    /// Returns the places at which the symbols are defined, by file and place. A symbol without a definition of its own
    /// borrows those of others.
    pub fn definitions(&self, current: CurrentHash<'_>) -> Vec<IndexedPlace> {
        let own = self.places_of(&self.symbols, true, current);
        if own.is_empty() {
            return self.places_of(&self.related_to(Relation::Definition), true, current);
        }
        own
    }

    /// Returns the places at which the symbols are used, by file and place, with those of symbols whose references count as theirs.
    pub fn uses(&self, current: CurrentHash<'_>) -> Vec<IndexedPlace> {
        let mut all = self.symbols.clone();
        all.extend(self.related_to(Relation::Reference));
        all.extend(self.related_from(Relation::Reference));
        all.extend(self.related_from(Relation::Definition));
        self.places_of(&all, false, current)
    }

    /// Returns the definitions of what implements or overrides the symbols, by file and place.
    pub fn implementations(&self, current: CurrentHash<'_>) -> Vec<IndexedPlace> {
        self.places_of(&self.related_from(Relation::Implementation), true, current)
    }

    /// Returns true if an index has these very contents of a file: no other source is needed then for names in it.
    #[must_use]
    pub fn has_file(&self, path: &WsPath, contents: ContentHash) -> bool {
        let of = |one: &ImportedIndex| one.index.file_at(path.as_str()).map(|file| file.hash);
        self.indexes.iter().any(|one| of(one) == Some(contents))
    }

    /// Returns the places of definitions or of uses in files that are as they were indexed.
    fn places_of(
        &self,
        symbols: &BTreeSet<SymbolKey>,
        is_definition: bool,
        current: CurrentHash<'_>,
    ) -> Vec<IndexedPlace> {
        let mut found = BTreeSet::new();
        for one in self.indexes.iter() {
            let places = symbols.iter().flat_map(|symbol| one.index.places_of(*symbol));
            let wanted = places.filter(|place| place.is_definition == is_definition).take(MOST_PLACES);
            found.extend(wanted.filter_map(|place| believed_place(&place, current)));
        }
        found.into_iter().collect()
    }

    fn related_to(&self, relation: Relation) -> BTreeSet<SymbolKey> {
        self.pairs()
            .flat_map(|(one, symbol)| one.index.related_to(symbol, relation))
            .take(MOST_SYMBOLS)
            .collect()
    }

    fn related_from(&self, relation: Relation) -> BTreeSet<SymbolKey> {
        self.pairs()
            .flat_map(|(one, symbol)| one.index.related_from(symbol, relation))
            .take(MOST_SYMBOLS)
            .collect()
    }

    fn pairs(&self) -> impl Iterator<Item = (&ImportedIndex, SymbolKey)> {
        self.indexes.iter().flat_map(|one| self.symbols.iter().map(move |symbol| (one, *symbol)))
    }
}

fn believed_place(place: &NamedPlace<'_>, current: CurrentHash<'_>) -> Option<IndexedPlace> {
    let path = WsPath::new(place.file.path).ok()?;
    let is_believed = current(&path)? == place.file.hash;
    is_believed.then_some(IndexedPlace { path, line: place.line, col: place.col })
}
