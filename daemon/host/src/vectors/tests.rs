//! Tests vectors of small workspaces, with a model that the test makes.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use hob_base::{AbsPath, CancelToken, lock};
use hob_map::graph::NodeRef;
use serde_json::json;
use tempfile::TempDir;

use super::{Nearest, VectorState};
use crate::{Freshness, Host, HostOptions, Workspace};

/// Each of these words means something else, but for `boat` and `ship`.
const WORDS: [&str; 5] = ["?", "boat", "ship", "plane", "train"];

fn write_model(folder: &Path) {
    let vocab: serde_json::Map<_, _> =
        WORDS.iter().enumerate().map(|(id, word)| ((*word).to_owned(), id.into())).collect();
    let tokenizer = json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
        "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null, "decoder": null,
        "model": {"type": "WordLevel", "vocab": vocab, "unk_token": "?"}
    });
    let rows = [[0, 0, 0], [9, 1, 0], [9, 0, 1], [0, 9, 0], [0, 0, 9]];
    let data: Vec<u8> = rows.as_flattened().iter().map(|number: &i8| number.cast_unsigned()).collect();
    let header = json!({"embeddings": {"dtype": "I8", "shape": [5, 3], "data_offsets": [0, 15]}}).to_string();
    let table = [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &data].concat();
    fs::write(folder.join("tokenizer.json"), tokenizer.to_string()).expect("the test's own folder");
    fs::write(folder.join("model.safetensors"), table).expect("the test's own folder");
}

/// Returns a host with the test's model.
fn host_with_model(dir: &Path) -> Host {
    let options = HostOptions::in_folder(&AbsPath::new(dir).expect("absolute"));
    let host = Host::new(options).expect("threads can be started");
    let given = TempDir::new().expect("a folder");
    write_model(given.path());
    host.models().add(given.path(), "tiny").expect("it is a model");
    host
}

fn open(host: &Host, tree: &Path) -> Arc<Workspace> {
    let workspace = host.workspace(&AbsPath::new(tree).expect("absolute")).expect("the tree is there");
    let forever = CancelToken::default();
    workspace.progress.wait_past(crate::Phase::Map, &forever, &|_| {}).expect("nobody cancels");
    assert_eq!(workspace.barrier(true, Duration::from_secs(60)), Freshness::Fresh);
    workspace
}

fn tree_with_files(files: &[(&str, &str)]) -> TempDir {
    let tree = TempDir::new().expect("a folder");
    fs::create_dir(tree.path().join(".git")).expect("the test's own folder");
    for (name, text) in files {
        fs::write(tree.path().join(name), text).expect("the test's own folder");
    }
    tree
}

fn ids_of(nearest: &Nearest) -> Vec<String> {
    nearest.hits.iter().map(|(id, _)| id.to_string()).collect()
}

#[test]
fn equals_are_in_the_order_of_their_ids() {
    let (dir, text) = (TempDir::new().expect("a folder"), "def ship(): pass\n");
    let tree =
        tree_with_files(&[("c.py", text), ("a.py", text), ("b.py", "def ship(): pass\ndef plane(): pass\n")]);
    let host = host_with_model(dir.path());
    let workspace = open(&host, tree.path());
    let found = workspace.nearest_to_text("boat", 3, &CancelToken::default());
    assert_eq!(found.state, VectorState::Whole);
    assert_eq!(ids_of(&found), ["py:a.py#ship", "py:b.py#ship", "py:c.py#ship"]);
    assert!(found.hits[0].1 > 0.9, "{found:?}");
    assert_eq!(ids_of(&workspace.nearest_to_text("boat", 1, &CancelToken::default())), ["py:a.py#ship"]);
    let plane = workspace.nearest_to_text("plane", 10, &CancelToken::default());
    assert_eq!(ids_of(&plane)[0], "py:b.py#plane");
    assert!(workspace.nearest_to_text("?", 10, &CancelToken::default()).hits.is_empty(), "no word is known");
    host.close();
}

#[test]
fn past_the_limit_what_others_can_use_has_vectors() {
    let dir = TempDir::new().expect("a folder");
    let hidden: String = (0..20).map(|i| format!("fn ship_{i}() {{}}\n")).collect();
    let tree = tree_with_files(&[("a.rs", &hidden), ("b.rs", "pub fn boat() {}\npub fn ship() {}\n")]);
    let host = host_with_model(dir.path());
    let workspace = open(&host, tree.path());
    workspace.vectors.most.store(2, Ordering::Relaxed);
    // As if all files were new.
    workspace.vectors.files.write().expect("nobody panicked").clear();
    lock(&workspace.vectors.state).upto = None;
    let found = workspace.nearest_to_text("ship", 30, &CancelToken::default());
    assert_eq!(found.state, VectorState::Partial { kept: 2, total: 22 });
    assert_eq!(ids_of(&found), ["rs:b.rs#ship", "rs:b.rs#boat"]);
    assert!(found.state.vectors_warning().is_some_and(|warning| warning.contains("2 of 22")));
    host.close();
}

#[test]
fn who_does_not_wait_is_told_how_far_it_is() {
    let dir = TempDir::new().expect("a folder");
    let tree = tree_with_files(&[("a.py", "def ship(): pass\n")]);
    let host = host_with_model(dir.path());
    let workspace = open(&host, tree.path());
    let _ = workspace.nearest_to_text("ship", 1, &CancelToken::default());
    fs::write(tree.path().join("b.py"), "def boat(): pass\n").expect("the test's own folder");
    assert_eq!(workspace.barrier(true, Duration::from_secs(60)), Freshness::Fresh);
    let cancelled = CancelToken::default();
    cancelled.cancel();
    let early = workspace.nearest_to_text("ship", 5, &cancelled);
    assert!(matches!(early.state, VectorState::Building { .. }) || ids_of(&early).len() == 2, "{early:?}");
    assert!(ids_of(&early).contains(&"py:a.py#ship".to_owned()), "{early:?}");
    let late = workspace.nearest_to_text("ship", 5, &CancelToken::default());
    assert_eq!((ids_of(&late).len(), late.state), (2, VectorState::Whole));
    host.close();
}

#[test]
fn worktrees_hold_their_vectors_together() {
    let (dir, files) = (TempDir::new().expect("a folder"), [("a.py", "def ship(): pass\n")]);
    let (one, two) = (tree_with_files(&files), tree_with_files(&files));
    let host = host_with_model(dir.path());
    let codes = |tree: &TempDir| {
        let workspace = open(&host, tree.path());
        let _ = workspace.nearest_to_text("ship", 1, &CancelToken::default());
        let files = workspace.vectors.files();
        let all: Vec<_> = files.values().map(|vectors| Arc::clone(&vectors.codes)).collect();
        assert!(workspace.vector_bytes() > 0);
        all
    };
    let (one, two) = (codes(&one), codes(&two));
    assert_eq!(one.len(), 1);
    assert!(Arc::ptr_eq(&one[0], &two[0]));
    host.close();
}

#[test]
fn likeness_needs_no_vectors_to_be_there() {
    let dir = TempDir::new().expect("a folder");
    let tree = tree_with_files(&[("boat.py", "def ship(): pass\ndef plane(): pass\n")]);
    let host = host_with_model(dir.path());
    let workspace = open(&host, tree.path());
    let nodes: Vec<NodeRef> = {
        let map = workspace.map();
        let file = map.file_at("boat.py").expect("it is mapped");
        map.defs_of(file).into_iter().map(NodeRef::from).chain([NodeRef::File(file)]).collect()
    };
    let like = workspace.similarity_to_text("boat", &nodes).expect("there is a model");
    assert!(like[0] > like[1] && like[2] > 0.9, "{like:?}");
    host.models().remove("tiny").expect("it is there");
    assert_eq!(workspace.similarity_to_text("boat", &nodes), None);
    assert_eq!(workspace.nearest_to_text("boat", 1, &CancelToken::default()).state, VectorState::NoModel);
    host.close();
}
