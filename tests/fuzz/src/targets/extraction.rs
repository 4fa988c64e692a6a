//! Extraction of facts from any bytes, and a map of several such files that is asked about.

use std::sync::Arc;

use hob_base::{CancelToken, FileId, WsPath};
use hob_map::facts::DefIdx;
use hob_map::graph::{Direction, EdgeKinds, KindFilter, NeighborsQuery, NodeRef, SearchQuery};
use hob_map::langs::{LangSpec, TABLE};
use hob_map::locals::NamePlace;
use hob_map::names_on_line::names_on_line;
use hob_map::place_reading::read_place;
use hob_map::{FileFacts, Lang, Map, MapChange, extract, held_at_most, may_hold, persist};

use crate::input::FuzzInput;

/// Most files in a map.
const FILES: usize = 8;
/// Most definitions of a file that are asked about.
const ASKED: usize = 4;

fn file_name(spec: &LangSpec, number: usize) -> String {
    let ending = spec.extensions.first().map(|ending| format!(".{ending}")).unwrap_or_default();
    format!("sample{number}{ending}")
}

/// Extracts a file: its facts are those of a file, survive being kept, and took no more memory than they may.
pub(crate) fn check_extraction(lang: Lang, bytes: &[u8]) {
    let Some(spec) = TABLE.iter().find(|spec| spec.lang == lang) else { return };
    let facts = extract(lang, &file_name(spec, 0), bytes);
    assert!(held_at_most() <= may_hold(bytes.len()), "{} bytes for {}", held_at_most(), bytes.len());
    check_facts_of(&facts, bytes);
    let kept = persist::decode(&persist::encode(&facts)).expect("what was just written can be read");
    assert!(kept == facts, "facts come back as they were kept");
    ask_about_places(lang, bytes, &facts);
}

fn check_facts_of(facts: &FileFacts, bytes: &[u8]) {
    let lines = 1 + bytes.iter().filter(|byte| **byte == b'\n').count() as u32;
    for (index, def) in facts.defs_indexed() {
        assert!(def.parent.is_none_or(|parent| parent < index), "a parent comes first: {def:?}");
        assert!(1 <= def.lines.0 && def.lines.0 <= def.lines.1 && def.lines.1 <= lines, "{def:?}");
        assert!(def.bytes.0 <= def.bytes.1 && def.bytes.1 as usize <= bytes.len(), "{def:?}");
        assert!(!facts.name(def.name).is_empty(), "{def:?}");
    }
    let is_known = |owner: Option<DefIdx>| owner.is_none_or(|owner| owner.index() < facts.defs.len());
    for found in &facts.refs {
        assert!(1 <= found.line && found.line <= lines && is_known(found.owner), "{found:?}");
    }
    assert!(facts.imports.iter().all(|import| import.line <= lines && is_known(import.owner)));
}

/// Asks what names mean on the line of the last definition and on the first line.
fn ask_about_places(lang: Lang, bytes: &[u8], facts: &FileFacts) {
    let last = facts.defs.iter().map(|def| def.lines.1).next_back().unwrap_or(1);
    let lang = Some(lang);
    for line in [1, last] {
        let names = names_on_line(lang, bytes, line, &|| true);
        for name in names.defined.iter().chain(&names.mentioned).take(1) {
            let at = NamePlace { line, col: name.col };
            let _ = read_place(lang, bytes, at, &|| true);
        }
    }
}

/// Asks a map of several files, each in the language that a byte says, before and after one of them is gone.
pub(crate) fn check_map(bytes: &[u8]) {
    let mut input = FuzzInput::new(bytes);
    let mut changes = Vec::new();
    while !input.rest().is_empty() && changes.len() < FILES {
        let spec = input.choose(TABLE);
        let name = file_name(spec, changes.len());
        let facts = extract(spec.lang, &name, input.take_part());
        let path = WsPath::new(&format!("src/{name}")).expect("a relative path");
        changes.push(MapChange::Set { file: FileId(changes.len() as u32), path, facts: Arc::new(facts) });
    }
    let files = changes.len() as u32;
    let mut map = Map::new();
    map.apply(changes);
    derive_all(&mut map);
    for file in (0..files).map(FileId) {
        ask_about_file(&map, file);
    }
    map.apply(vec![MapChange::Remove { file: FileId(0) }]);
    for file in (1..files).map(FileId) {
        ask_about_file(&map, file);
    }
    assert!(map.stats().files <= files as usize);
}

/// Computes the scores and clusters of a map.
pub(crate) fn derive_all(map: &mut Map) {
    let mut job = map.derive_job();
    while !map.derive_step(&mut job, 200) {}
    map.install_derived(job.finish());
}

/// Asks a map about some definitions of a file.
pub(crate) fn ask_about_file(map: &Map, file: FileId) {
    for def in map.defs_of(file).into_iter().rev().take(ASKED) {
        let Some(info) = map.info(NodeRef::Def(def)) else { panic!("a definition is known") };
        let query = SearchQuery { text: &info.name, kinds: KindFilter::Any, path_prefix: "", limit: 20 };
        let _ = map.search(&query);
        let _ = map.neighbors(&NeighborsQuery {
            node: NodeRef::Def(def),
            direction: Direction::Both,
            kinds: EdgeKinds::ALL,
            depth: 2,
            max_nodes: 50,
            family: false,
            cancel: CancelToken::default(),
        });
    }
}
