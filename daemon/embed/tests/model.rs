//! Tests models in a folder, which the test makes: their vectors, and the errors for folders that are no
//! model.

use std::fs;
use std::path::Path;

use hob_embed::{Model, similarity};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Words with their vectors: animals lie along the first axis, vehicles along the second, colours along the
/// third.
const WORDS: [(&str, [f32; 4]); 7] = [
    ("[UNK]", [9.0, 9.0, 9.0, 9.0]),
    ("dog", [1.0, 0.0, 0.0, 0.0]),
    ("hound", [0.9, 0.1, 0.0, 0.0]),
    ("car", [0.0, 1.0, 0.0, 0.0]),
    ("truck", [0.0, 0.8, 0.2, 0.0]),
    ("red", [0.0, 0.0, 1.0, 0.0]),
    ("dogs", [1.0, 0.0, 0.0, 0.1]),
];

fn tokenizer_json() -> Value {
    let vocab: serde_json::Map<_, _> =
        WORDS.iter().enumerate().map(|(id, (word, _))| ((*word).to_owned(), id.into())).collect();
    json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
        "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null, "decoder": null,
        "model": {"type": "WordLevel", "vocab": vocab, "unk_token": "[UNK]"}
    })
}

/// Makes a file of tensors, each with its name, kind, shape and bytes.
fn tensors_file(all: &[(&str, &str, Vec<usize>, Vec<u8>)]) -> Vec<u8> {
    let (mut header, mut data) = (serde_json::Map::new(), Vec::new());
    for (name, kind, shape, bytes) in all {
        let range = [data.len(), data.len() + bytes.len()];
        header.insert((*name).to_owned(), json!({"dtype": kind, "shape": shape, "data_offsets": range}));
        data.extend(bytes);
    }
    let header = Value::Object(header).to_string();
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &data].concat()
}

fn table_file(name: &str) -> Vec<u8> {
    let bytes = WORDS.iter().flat_map(|(_, row)| row).flat_map(|number| number.to_le_bytes()).collect();
    tensors_file(&[(name, "F32", vec![WORDS.len(), 4], bytes)])
}

fn write(folder: &Path, files: &[(&str, Vec<u8>)]) {
    for (name, bytes) in files {
        let file = folder.join(name);
        fs::create_dir_all(file.parent().expect("below the folder")).expect("the test's own folder");
        fs::write(file, bytes).expect("the test's own folder");
    }
}

fn open_model(files: &[(&str, Vec<u8>)]) -> Model {
    let folder = TempDir::new().expect("a folder");
    write(folder.path(), files);
    Model::open(folder.path()).unwrap_or_else(|error| panic!("{error}"))
}

fn usual_model() -> Model {
    open_model(&[
        ("model.safetensors", table_file("embeddings")),
        ("tokenizer.json", tokenizer_json().to_string().into_bytes()),
    ])
}

fn open_complaint(files: &[(&str, Vec<u8>)]) -> String {
    let folder = TempDir::new().expect("a folder");
    write(folder.path(), files);
    let said = Model::open(folder.path()).expect_err("it is no model").to_string();
    assert!(said.contains(&folder.path().display().to_string()), "it names the file: {said}");
    said
}

#[test]
fn what_means_the_same_is_near() {
    let model = usual_model();
    let near = |a: &str, b: &str| similarity(&model.embed(a), &model.embed(b));
    assert!(near("dog", "hound") > 0.9 && near("car", "truck") > 0.9);
    assert!(near("dog", "car") < 0.1);
    assert!(near("red dog", "red hound") > near("red dog", "red car"));
    assert_eq!((model.dims(), model.tokens()), (4, 7));
}

#[test]
fn identifiers_are_taken_apart() {
    let model = usual_model();
    for (identifier, words) in [("redDog", "red dog"), ("red_dog", "red dog"), ("REDDog2", "red dog")] {
        assert_eq!(model.embed(identifier), model.embed(words), "{identifier}");
    }
}

#[test]
fn unknown_words_do_not_count() {
    let model = usual_model();
    assert_eq!(model.embed("dog zyzzyva"), model.embed("dog"));
    for text in ["zyzzyva", "", "?!", "日本"] {
        assert!(model.embed(text).is_nothing(), "{text}");
    }
    let _ = model.embed(&"dog ".repeat(100_000));
}

#[test]
fn every_width_of_numbers_says_the_same() {
    let halves = |convert: fn(f32) -> u16| -> Vec<u8> {
        WORDS.iter().flat_map(|(_, row)| row).flat_map(|number| convert(*number).to_le_bytes()).collect()
    };
    // Truncation is near enough: these are small numbers of few digits.
    let half = |number: f32| match number.to_bits() {
        0 => 0,
        bits => ((bits >> 13) - (112 << 10)) as u16,
    };
    let brain = |number: f32| (number.to_bits() >> 16) as u16;
    let bytes = WORDS.iter().flat_map(|(_, row)| row).map(|number| (number * 10.0).round() as i8 as u8);
    let tokenizer = || ("tokenizer.json", tokenizer_json().to_string().into_bytes());
    let exact = usual_model().embed("red truck");
    for (kind, data) in [("F16", halves(half)), ("BF16", halves(brain)), ("I8", bytes.collect())] {
        let file = tensors_file(&[("embeddings", kind, vec![7, 4], data)]);
        let found = open_model(&[("model.safetensors", file), tokenizer()]).embed("red truck");
        assert!(similarity(&exact, &found) > 0.999, "{kind}: {found:?}");
    }
}

#[test]
fn weights_and_shared_rows_count() {
    let rows = [[1.0_f32, 0.0], [0.0, 1.0]].concat().iter().flat_map(|number| number.to_le_bytes()).collect();
    let numbers = |all: [f64; 7]| all.iter().flat_map(|number| number.to_le_bytes()).collect();
    let places = |all: [i64; 7]| all.iter().flat_map(|number| number.to_le_bytes()).collect();
    let file = tensors_file(&[
        ("embeddings", "F32", vec![2, 2], rows),
        ("mapping", "I64", vec![7], places([0, 0, 0, 1, 1, 99, -1])),
        ("weights", "F64", vec![7], numbers([1.0, 3.0, 1.0, 4.0, 1.0, 1.0, 1.0])),
    ]);
    let tokenizer = tokenizer_json().to_string().into_bytes();
    let model = open_model(&[("model.safetensors", file), ("tokenizer.json", tokenizer)]);
    assert_eq!(model.embed("dog car").numbers(), [0.6, 0.8]);
    assert_eq!(model.embed("hound").numbers(), [1.0, 0.0]);
    assert!(model.embed("red dogs").is_nothing(), "rows that are not there");
}

#[test]
fn other_layouts_are_models_too() {
    let tokenizer = || tokenizer_json().to_string().into_bytes();
    let expected = usual_model().embed("red dog");
    for files in [
        [
            ("weights/some_4.safetensors", table_file("embedding.weight")),
            ("tokenizers/some_tokenizer_config.json", tokenizer()),
        ],
        [
            ("wordllama/weights/some_4.safetensors", table_file("embedding.weight")),
            ("wordllama/tokenizers/some_tokenizer_config.json", tokenizer()),
        ],
        [
            ("0_StaticEmbedding/model.safetensors", table_file("embedding.weight")),
            ("0_StaticEmbedding/tokenizer.json", tokenizer()),
        ],
    ] {
        assert_eq!(open_model(&files).embed("red dog"), expected);
    }
}

#[test]
fn the_fingerprint_is_of_the_contents() {
    let other = |files: &[(&str, Vec<u8>)]| open_model(files).fingerprint();
    let tokenizer = || tokenizer_json().to_string().into_bytes();
    let same = other(&[
        ("weights/x.safetensors", table_file("embeddings")),
        ("tokenizers/x_tokenizer_config.json", tokenizer()),
    ]);
    assert_eq!(usual_model().fingerprint(), same);
    let named = other(&[("model.safetensors", table_file("0")), ("tokenizer.json", tokenizer())]);
    assert_ne!(usual_model().fingerprint(), named);
}

#[test]
fn a_folder_that_is_no_model_is_told_why() {
    let tokenizer = || ("tokenizer.json", tokenizer_json().to_string().into_bytes());
    let weights = |bytes: Vec<u8>| ("model.safetensors", bytes);
    for (files, says) in [
        (vec![], "has no `model.safetensors`"),
        (vec![tokenizer()], "has no `model.safetensors`"),
        (vec![weights(table_file("embeddings"))], "has no `tokenizer.json`"),
        (vec![weights(Vec::new()), tokenizer()], "is not a table of embeddings"),
        (vec![weights(b"no such thing as a table".to_vec()), tokenizer()], "is not a table of embeddings"),
        (vec![weights(table_file("others")), tokenizer()], "none of the tensors embeddings"),
        (
            vec![weights(tensors_file(&[("embeddings", "F32", vec![4], vec![0; 16])])), tokenizer()],
            "1 dimensions",
        ),
        (vec![weights(tensors_file(&[("embeddings", "F32", vec![0, 4], vec![])])), tokenizer()], "0 rows"),
        (
            vec![weights(tensors_file(&[("embeddings", "I64", vec![1, 1], vec![0; 8])])), tokenizer()],
            "are I64",
        ),
        (
            vec![weights(tensors_file(&[("embeddings", "F32", vec![2, 4], vec![0; 32])])), tokenizer()],
            "has 7 tokens",
        ),
        (vec![weights(table_file("embeddings")), ("tokenizer.json", b"{}".to_vec())], "is not a tokenizer"),
    ] {
        let said = open_complaint(&files);
        assert!(said.contains(says), "{said}");
    }
    let missing = Model::open(Path::new("/no/such/folder")).expect_err("it is not there").to_string();
    assert!(missing.contains("/no/such/folder"), "{missing}");
}

/// Cuts and changes a file anywhere: it is refused or is another model, and the process goes on.
#[test]
fn damaged_tables_do_no_harm() {
    let whole = table_file("embeddings");
    let tokenizer = tokenizer_json().to_string().into_bytes();
    let folder = TempDir::new().expect("a folder");
    write(folder.path(), &[("tokenizer.json", tokenizer)]);
    let damaged = (0..whole.len()).step_by(3).flat_map(|at| {
        let mut changed = whole.clone();
        changed[at] ^= 0x55;
        [whole[..at].to_vec(), changed]
    });
    for bytes in damaged {
        // The file has another name each time, because a mapped file may not change.
        let _ = fs::remove_file(folder.path().join("model.safetensors"));
        write(folder.path(), &[("model.safetensors", bytes)]);
        if let Ok(model) = Model::open(folder.path()) {
            let vector = model.embed("red dog car truck hound");
            assert!(vector.numbers().iter().all(|number| number.is_finite()), "{vector:?}");
        }
    }
}
