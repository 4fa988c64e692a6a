//! Answers from the imported indexes of a workspace: where the symbol at a place is defined, used and implemented.
//!
//! Indexes are joined by their symbols: a package of a project that was indexed by itself defines what the index of another one uses.
//! Places in files that are not as they were indexed are left out on both sides. A place is looked up in every index, and each answer
//! is bounded by [`MOST_PLACES`].

use std::collections::BTreeSet;

use hob_base::{ContentHash, WsPath};
use hob_scip::{NamedPlace, Relation, SymbolKey};

use super::state::ImportedIndex;

/// Most places of one answer.
const MOST_PLACES: usize = 100_000;

/// Most symbols that one place can stand for through relations.
const MOST_SYMBOLS: usize = 1_000;

/// Says which contents a file has now; `None` where it cannot be read.
pub type CurrentHash<'a> = &'a mut dyn FnMut(&WsPath) -> Option<ContentHash>;

/// A place of a symbol in a file that is as it was indexed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct IndexedPlace {
    /// The file of the place.
    pub path: WsPath,
    /// The line, from 1.
    pub line: u32,
    /// The UTF-16 column, from 1.
    pub col: u32,
    /// True if the symbol is defined there.
    pub is_definition: bool,
}

/// What the imported indexes say of the name at a place.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct NamedPlaces {
    /// Places of definition.
    pub definitions: Vec<IndexedPlace>,
    /// Places of use.
    pub uses: Vec<IndexedPlace>,
    /// Definitions of what implements or overrides it.
    pub implementations: Vec<IndexedPlace>,
}

/// Everything that is known of the name at a line and UTF-16 column of a file, both from 1; `None` where no index that is believed
/// has a name there.
pub fn places_named_at(
    indexes: &[ImportedIndex],
    at: (&WsPath, u32, u32),
    current: CurrentHash<'_>,
) -> Option<NamedPlaces> {
    let (path, line, col) = at;
    let hash = current(path)?;
    let own = indexes.iter().filter_map(|one| {
        let file = one.index.file_at(path.as_str()).filter(|file| file.hash == hash)?;
        Some(one.index.symbols_at(file, line, col))
    });
    let symbols: BTreeSet<SymbolKey> = own.flatten().collect();
    if symbols.is_empty() {
        return None;
    }
    let search = Search { indexes };
    let mut found = NamedPlaces::default();
    let mut defined = search.places_of(&symbols, current);
    if !defined.iter().any(|place| place.is_definition) {
        // A symbol without a definition of its own borrows those of others.
        defined.extend(search.places_of(&search.related_to(&symbols, Relation::Definition), current));
    }
    let with_family = search.with_references(&symbols);
    found.definitions = each_once(defined.into_iter().filter(|place| place.is_definition));
    let used = search.places_of(&with_family, current);
    found.uses = each_once(used.into_iter().filter(|place| !place.is_definition));
    let derived = search.places_of(&search.related_from(&symbols, Relation::Implementation), current);
    found.implementations = each_once(derived.into_iter().filter(|place| place.is_definition));
    Some(found)
}

fn each_once(places: impl Iterator<Item = IndexedPlace>) -> Vec<IndexedPlace> {
    let sorted: BTreeSet<IndexedPlace> = places.collect();
    sorted.into_iter().collect()
}

/// A search through all indexes of a workspace.
struct Search<'i> {
    indexes: &'i [ImportedIndex],
}

impl Search<'_> {
    /// Places of symbols in files that are as they were indexed.
    fn places_of(&self, symbols: &BTreeSet<SymbolKey>, current: CurrentHash<'_>) -> Vec<IndexedPlace> {
        let mut found = Vec::new();
        for one in self.indexes {
            let places = symbols.iter().flat_map(|symbol| one.index.places_of(*symbol));
            found.extend(places.take(MOST_PLACES).filter_map(|place| believed_place(&place, current)));
        }
        found
    }

    fn related_to(&self, symbols: &BTreeSet<SymbolKey>, relation: Relation) -> BTreeSet<SymbolKey> {
        let pairs = self.indexes.iter().flat_map(|one| symbols.iter().map(move |symbol| (one, symbol)));
        pairs.flat_map(|(one, symbol)| one.index.related_to(*symbol, relation)).take(MOST_SYMBOLS).collect()
    }

    fn related_from(&self, symbols: &BTreeSet<SymbolKey>, relation: Relation) -> BTreeSet<SymbolKey> {
        let pairs = self.indexes.iter().flat_map(|one| symbols.iter().map(move |symbol| (one, symbol)));
        pairs.flat_map(|(one, symbol)| one.index.related_from(*symbol, relation)).take(MOST_SYMBOLS).collect()
    }

    /// The symbols and those whose references count as theirs.
    fn with_references(&self, symbols: &BTreeSet<SymbolKey>) -> BTreeSet<SymbolKey> {
        let mut all = symbols.clone();
        all.extend(self.related_to(symbols, Relation::Reference));
        all.extend(self.related_from(symbols, Relation::Reference));
        all.extend(self.related_from(symbols, Relation::Definition));
        all
    }
}

fn believed_place(place: &NamedPlace<'_>, current: CurrentHash<'_>) -> Option<IndexedPlace> {
    let path = WsPath::new(place.file.path).ok()?;
    (current(&path)? == place.file.hash).then_some(IndexedPlace {
        path,
        line: place.line,
        col: place.col,
        is_definition: place.is_definition,
    })
}
