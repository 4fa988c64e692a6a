//! SCIP: indexes of other programs, and the form in which hob keeps them.

use std::io::{BufReader, Cursor};

use hob_base::{ContentHash, Region, WsPath};
use hob_scip::{
    CompactBuilder, CompactIndex, IndexPart, IndexTitle, Relation, ScipError, SymbolKey, is_valid_symbol,
    place_names, read_index,
};

use crate::input::FuzzInput;

const TEXT: &[u8] =
    b"class A:\n    def f(self):\n        return g(1) # \xc3\xbc \xf0\x9f\x98\x80 x\n\na = A()\n";

/// Imports any bytes as an index, keeps what can be read, and asks it.
pub(crate) fn check_scip(bytes: &[u8]) {
    let mut builder = CompactBuilder::new(Vec::new());
    let read = read_index::<ScipError>(&mut BufReader::new(Cursor::new(bytes)), &mut |part| {
        let IndexPart::Document(document) = part else { return Ok(()) };
        let Ok(path) = WsPath::new(&document.path) else { return Ok(()) };
        if builder.has_file(&path) {
            return Ok(());
        }
        document.names.iter().for_each(|name| drop(is_valid_symbol(&name.symbol).to_string()));
        let relations = document.relations.clone();
        let Ok(mut names) = place_names(document, TEXT) else { return Ok(()) };
        names.sort_by_key(|name| (name.line, name.col));
        builder.add_file(path.clone(), ContentHash::of(TEXT), &names)?;
        builder.add_relations(&path, &relations);
        Ok(())
    });
    let _ = read;
    let kept = builder.finish(&IndexTitle::default()).expect("memory can be written");
    let index = CompactIndex::open(Region::Read(kept)).expect("what was just kept can be opened");
    ask_index(&index);
}

fn ask_index(index: &CompactIndex) {
    let _ = (index.title(), index.name_and_symbol_counts());
    let files: Vec<_> = index.files().take(8).collect();
    for file in files {
        assert!(index.file_at(file.path).is_some(), "{}", file.path);
        for line in 1..6 {
            let keys = index.symbols_at(file, line, 1 + line);
            keys.into_iter().for_each(|key| ask_symbol(index, key));
        }
    }
}

fn ask_symbol(index: &CompactIndex, key: SymbolKey) {
    let _ = index.places_of(key).take(20).count();
    for relation in [Relation::Definition, Relation::Reference, Relation::Implementation] {
        let _ = (index.related_to(key, relation), index.related_from(key, relation));
    }
}

/// The end of a kept index: a checksum of the tables and the name of the format, behind the lengths of the tables.
const LENGTHS: usize = 9 * 8;
const FORMAT: &[u8] = b"hobscip1";

/// Opens any bytes as a kept index; behind an even byte they are sealed as hob seals them.
pub(crate) fn check_kept_index(bytes: &[u8]) {
    let mut input = FuzzInput::new(bytes);
    let is_sealed = input.take_byte().is_multiple_of(2);
    let mut file = input.rest().to_vec();
    if is_sealed {
        let sum = ContentHash::of(&file[..file.len().saturating_sub(LENGTHS)]);
        file.extend(sum.as_bytes());
        file.extend(FORMAT);
    }
    let Some(index) = CompactIndex::open(Region::Read(file)) else { return };
    let _ = (index.title(), index.name_and_symbol_counts());
    for file in index.files().take(8).collect::<Vec<_>>() {
        for line in 1..6 {
            let keys = index.symbols_at(file, line, 1 + line);
            keys.into_iter().for_each(|key| ask_symbol(&index, key));
        }
    }
}
