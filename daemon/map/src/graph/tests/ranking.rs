//! Tests the order of nodes before scores are derived, and the figures that a restart restores.

use std::sync::Arc;

use crate::fixture::{derived_map, map, set};
use crate::graph::{KindFilter, Map, Ranked, SearchQuery};
use crate::{PreparedFile, RankingJob, persist};

const PROJECT: &str = r#"
//- /app/a.py
from lib.core import open_store, open_file
import requests
def run():
    open_store(); open_file(); requests.get()
//- /app/b.py
from lib.core import open_store
def other():
    open_store()
//- /app/c.py
from lib.core import open_store
def third():
    open_store()
//- /lib/core.py
def open_a(): pass
def open_file(): pass
def open_store(): pass
class Store:
    def open_it(self): pass
//- /README.md
# Notes
"#;

/// Returns the hits of a query with their scores.
fn found_scores(map: &Map, text: &str) -> Vec<(String, f32)> {
    let query = SearchQuery { text, kinds: KindFilter::Function, path_prefix: "", limit: 10 };
    map.search(&query).hits.into_iter().map(|hit| (hit.info.name, hit.info.score)).collect()
}

fn cluster_figures(map: &Map) -> Vec<(String, usize, Vec<String>)> {
    let clusters = map.overview(None, 5).clusters.into_iter();
    clusters
        .map(|cluster| {
            (cluster.label, cluster.files, cluster.hubs.iter().map(|hub| hub.id.to_string()).collect())
        })
        .collect()
}

/// Returns the files of a map in a map of the next run, with other numbers and without scores.
pub(super) fn reopened_map(map: &Map) -> Map {
    let files = map.index.entries().map(|(file, entry)| {
        let facts = persist::decode(&persist::encode(&entry.facts)).expect("just written");
        PreparedFile::new(hob_base::FileId(20 - file.0), entry.path.clone(), Arc::new(facts))
    });
    Map::restore(files.collect(), None).map
}

#[test]
fn without_scores_what_many_files_mention_comes_first() {
    let map = map(PROJECT);
    assert_eq!(map.ranking_origin(), Ranked::No);
    let names: Vec<String> = found_scores(&map, "open").into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["open_store", "open_file", "open_a"]);
    assert!(map.ranking_bytes().is_none(), "there is nothing to keep");
}

#[test]
fn scores_and_clusters_come_back_as_they_were() {
    let before = derived_map(PROJECT);
    let kept = before.ranking_bytes().expect("derived");
    let mut after = reopened_map(&before);
    after.restore_ranking(&kept).expect("just written");
    assert_eq!(after.ranking_origin(), Ranked::Earlier { unknown: 0 });
    assert!(found_scores(&before, "open")[0].1 > 0.0);
    assert_eq!(found_scores(&after, "open"), found_scores(&before, "open"));
    assert_eq!(cluster_figures(&after), cluster_figures(&before));
    assert_eq!(after.stats().edges, before.stats().edges);
    let score = |map: &Map| map.node(&"ext:py:requests".parse().expect("an ID")).map(|node| map.score(node));
    assert_eq!(score(&after), score(&before));
    let mut job = after.derive_job();
    while !after.derive_step(&mut job, 100) {}
    after.install_derived(job.finish());
    assert_eq!(after.ranking_origin(), Ranked::Derived);
    assert_eq!(found_scores(&after, "open"), found_scores(&before, "open"));
    assert_eq!(after.ranking_bytes(), Some(kept), "the same from scratch");
}

/// Scores that were collected one file at a time, with a change in between, are still those of the files that did not
/// change.
#[test]
fn scores_are_collected_while_the_map_changes() {
    let mut before = derived_map(PROJECT);
    let mut job = RankingJob::default();
    assert!(!before.ranking_while(&mut job, &|| false), "no file is collected yet");
    let left = std::cell::Cell::new(3);
    let go_on = || left.replace(left.get() - 1) > 0;
    assert!(!before.ranking_while(&mut job, &go_on));
    let file = before.file_at("app/c.py").expect("it is there");
    before.apply(vec![set(file.0, "app/c.py", "def other_third(): pass\n")]);
    assert!(before.ranking_while(&mut job, &|| true));
    let mut after = reopened_map(&before);
    after.restore_ranking(&job.into_bytes().expect("derived")).expect("just written");
    assert_eq!(found_scores(&after, "open"), found_scores(&before, "open"));
    assert_eq!(cluster_figures(&after), cluster_figures(&before));
}

#[test]
fn files_that_changed_meanwhile_are_counted_and_the_others_keep_theirs() {
    let before = derived_map(PROJECT);
    let mut after = reopened_map(&before);
    after.apply(vec![
        set(30, "app/b.py", "def other_one(): pass\ndef open_new(): pass\n"),
        set(31, "app/new.py", "def open_more(): pass\n"),
    ]);
    after.restore_ranking(&before.ranking_bytes().expect("derived")).expect("just written");
    assert_eq!(after.ranking_origin(), Ranked::Earlier { unknown: 2 });
    let scores = found_scores(&after, "open");
    assert_eq!(scores[0], found_scores(&before, "open")[0]);
    assert!(
        scores.contains(&("open_new".to_owned(), 0.0)) && scores.contains(&("open_more".to_owned(), 0.0))
    );
}

/// Another version of hob reads other facts.
#[test]
fn scores_of_which_nothing_is_left_are_not_taken_over() {
    let kept = derived_map(PROJECT).ranking_bytes().expect("derived");
    let mut other = Map::new();
    other.restore_ranking(&kept).expect("well written");
    assert_eq!(other.ranking_origin(), Ranked::No);
    other.apply(vec![
        set(1, "app/a.py", "def open_a(): pass\n"),
        set(2, "b.py", "from app.a import open_a\n"),
    ]);
    assert_eq!(other.ranking_origin(), Ranked::No);
}

#[test]
fn damaged_bytes_change_nothing_or_harm_nobody() {
    let before = derived_map(PROJECT);
    let kept = before.ranking_bytes().expect("derived");
    for at in 0..kept.len() {
        let mut map = reopened_map(&before);
        assert!(map.restore_ranking(&kept[..at]).is_err());
        assert_eq!(map.ranking_origin(), Ranked::No);
        let mut bad = kept.clone();
        bad[at] ^= 0x11;
        let _ = map.restore_ranking(&bad);
        let _ = (found_scores(&map, "open"), cluster_figures(&map));
    }
}
