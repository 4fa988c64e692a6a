//! Checks that a map restored from an image equals one to which its files were applied, whatever happened to files or
//! image meanwhile.

use std::sync::Arc;

use hob_base::FileId;
use proptest::prelude::*;

use crate::fixture::{files, map, set};
use crate::graph::{KindFilter, Map, MapChange, RestoredMap, SearchQuery};
use crate::{PreparedFile, persist};

const PROJECT: &str = r#"
//- /a.py
from b import g as h
class A:
    def f(self): return h()
    def f(self): return self.f()
def main(): A().f()
//- /b.py
import c.d
def g(): return c.d.x()
def g(): pass
//- /c/d.py
def x(): pass
y = 1
//- /s.cpp
#include "s.h"
void Shape::draw() { size(); }
void Shape::draw(int) { size(); }
int size() { return 0; }
//- /s.h
class Shape { public: void draw(); };
//- /src/lib.rs
use crate::m::Thing;
impl Thing { fn own(&self) -> u32 { helper() } }
fn helper() -> u32 { 1 }
mod m;
//- /src/m.rs
pub struct Thing;
//- /Cargo.toml
[package]
name = "p"
"#;

/// Returns the files of a map with new numbers.
fn prepared_files(map: &Map, number: impl Fn(u32) -> u32) -> Vec<PreparedFile> {
    let entries = map.index.entries();
    let prepare = |(file, entry): (FileId, &crate::index::FileEntry)| {
        PreparedFile::new(FileId(number(file.0)), entry.path.clone(), Arc::clone(&entry.facts))
    };
    entries.map(prepare).collect()
}

/// Returns everything that users see: the export, the hits of searches, and figures.
fn seen_from_outside(map: &Map) -> (Vec<String>, Vec<String>, usize) {
    let names = ["f", "g", "x", "draw", "size", "own", "Thing", "new", "a", "e"];
    let search = |text: &&str| {
        let query = SearchQuery { text, kinds: KindFilter::Any, path_prefix: "", limit: 50 };
        let answer = map.search(&query);
        let mut ids: Vec<String> = answer.hits.iter().map(|hit| hit.info.id.to_string()).collect();
        ids.sort();
        format!("{text}: {} {ids:?}", answer.total)
    };
    (map.export(), names.iter().map(search).collect(), map.stats().symbols)
}

#[track_caller]
fn assert_same(a: &Map, b: &Map) {
    let (a, b) = (seen_from_outside(a), seen_from_outside(b));
    assert_eq!(a.0, b.0);
    assert_eq!((a.1, a.2), (b.1, b.2));
}

#[test]
fn an_image_and_its_files_make_the_same_map() {
    let map = map(PROJECT);
    let image = map.image();
    // With the files in the same order, in another, and with gaps.
    for number in [|n| n, |n| 20 - n, |n| (n * 7 + 3) % 11] {
        let RestoredMap { map: back, unknown, rejected } =
            Map::restore(prepared_files(&map, number), Some(&image));
        assert!(unknown == 0 && rejected.is_none(), "{unknown} {rejected:?}");
        assert_same(&back, &map);
        assert_same(&Map::restore(prepared_files(&map, number), None).map, &map);
    }
}

#[test]
fn an_image_of_nothing_is_one_too() {
    let back = Map::restore(Vec::new(), Some(&Map::new().image()));
    assert!(back.rejected.is_none() && back.map.export().is_empty());
}

#[test]
fn changes_go_on_from_what_came_back() {
    let mut map = map(PROJECT);
    let mut back = Map::restore(prepared_files(&map, |n| 20 - n), Some(&map.image())).map;
    let number = |map: &Map, path: &str| map.file_at(path).unwrap_or(FileId(30)).0;
    let texts =
        [("b.py", "def new(): pass\n"), ("s.cpp", "int size();\n"), ("n.py", "from b import new\nnew()\n")];
    for (path, text) in texts {
        for map in [&mut map, &mut back] {
            map.apply(vec![set(number(map, path), path, text)]);
        }
        assert_same(&back, &map);
    }
    let all: Vec<MapChange> = back.index.entries().map(|(file, _)| MapChange::Remove { file }).collect();
    back.apply(all);
    assert_eq!(back.stats().symbols, 0);
    assert!(back.export().is_empty());
    map.apply(vec![]);
    back.apply(
        map.index
            .entries()
            .map(|(file, entry)| MapChange::Set {
                file,
                path: entry.path.clone(),
                facts: Arc::clone(&entry.facts),
            })
            .collect(),
    );
    assert_same(&back, &map);
}

#[test]
fn facts_survive_the_disk_and_the_image_together() {
    let map = map(PROJECT);
    let stored = map.index.entries().map(|(file, entry)| {
        let facts = persist::decode(&persist::encode(&entry.facts)).expect("just written");
        PreparedFile::new(file, entry.path.clone(), Arc::new(facts))
    });
    let back = Map::restore(stored.collect(), Some(&map.image()));
    assert_eq!(back.unknown, 0);
    assert_same(&back.map, &map);
}

proptest! {
    /// The image may be old: some files are gone, some have other contents, some are new.
    #[test]
    fn an_old_image_does_no_harm(now in prop::collection::vec(0usize..4, 8), turn in any::<bool>()) {
        let old = map(PROJECT);
        let all = files(PROJECT);
        let mut changes = Vec::new();
        for (at, (path, text)) in all.iter().enumerate() {
            let other = &all[(at + 1) % all.len()].1;
            match now[at] {
                0 => {}
                1 => changes.push(set(at as u32, path, other)),
                2 => changes.push(set(at as u32, &format!("moved/{path}"), text)),
                _ => changes.push(set(at as u32, path, text)),
            }
        }
        let mut wanted = Map::new();
        wanted.apply(changes);
        let number = |n| if turn { 20 - n } else { n };
        let back = Map::restore(prepared_files(&wanted, number), Some(&old.image()));
        prop_assert!(back.rejected.is_none());
        prop_assert_eq!(seen_from_outside(&back.map), seen_from_outside(&wanted));
        let again = Map::restore(prepared_files(&wanted, |n| n), Some(&back.map.image()));
        prop_assert_eq!(again.unknown, 0);
        prop_assert_eq!(seen_from_outside(&again.map), seen_from_outside(&wanted));
    }

    /// Changes may come while an image is copied: the image counts for other files, and is not believed for these.
    #[test]
    fn changes_between_two_slices_of_an_image_do_no_harm(
        steps in prop::collection::vec((0usize..10, 0usize..8, 0usize..4), 0..6),
        slice in 1u32..40,
    ) {
        let mut map = map(PROJECT);
        let all = files(PROJECT);
        let mut job = map.image_job();
        let (mut steps, mut slices, mut touched) = (steps.into_iter(), 0, std::collections::BTreeSet::new());
        loop {
            let left = std::cell::Cell::new(slice);
            let go_on = || left.replace(left.get().saturating_sub(1)) > 1;
            if map.image_while(&mut job, &go_on) {
                break;
            }
            slices += 1;
            let Some((pause, at, how)) = steps.next() else { continue };
            if slices % (pause + 1) != 0 {
                continue;
            }
            let ((path, text), (_, other)) = (&all[at], &all[(at + 1) % all.len()]);
            touched.insert(at);
            map.apply(vec![match how {
                0 => MapChange::Remove { file: FileId(at as u32) },
                1 => set(at as u32, path, other),
                // The same contents again: the facts are another object, so the file counts as changed.
                2 => set(at as u32, path, text),
                _ => set(20 + at as u32, &format!("new/{path}"), text),
            }]);
        }
        let image = job.into_bytes();
        let back = Map::restore(prepared_files(&map, |n| n), Some(&image));
        prop_assert!(back.rejected.is_none(), "{:?}", back.rejected);
        prop_assert!(back.unknown <= 2 * touched.len(), "{} of {:?}", back.unknown, touched);
        prop_assert_eq!(seen_from_outside(&back.map), seen_from_outside(&map));
    }

    /// A damaged image is rejected, or leads to a map that answers every query.
    #[test]
    fn damage_never_panics(at in any::<prop::sample::Index>(), value in any::<u8>(), cut in any::<bool>()) {
        let map = map(PROJECT);
        let mut image = map.image();
        let at = at.index(image.len());
        if cut {
            image.truncate(at);
            prop_assert!(Map::restore(prepared_files(&map, |n| n), Some(&image)).rejected.is_some());
        } else {
            image[at] = value;
        }
        let mut back = Map::restore(prepared_files(&map, |n| n), Some(&image)).map;
        // The host has a checksum; here the map only must not panic.
        let _ = seen_from_outside(&back);
        back.apply(vec![set(0, "a.py", "def f(): pass\n"), MapChange::Remove { file: FileId(3) }]);
        prop_assert_eq!(back.stats().files, 6);
    }

    #[test]
    fn any_image_may_be_given(image in prop::collection::vec(any::<u8>(), 0..200)) {
        let map = map(PROJECT);
        let back = Map::restore(prepared_files(&map, |n| n), Some(&image));
        if back.rejected.is_some() {
            prop_assert_eq!(back.map.export(), map.export());
        }
    }
}
