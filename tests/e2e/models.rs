//! Tests embedding models: the user adds one to hob, and questions find code that uses other words.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hob_embed::{Model, similarity};
use hob_tests::{Answer, FOREVER, Tree, World, outside};
use serde_json::{Value, json};

use super::ranked::ask;

const GARAGE: &str = "\
//- /garage.py
class Automobile:
    def honk(self):
        return 'beep'

def bake(flour):
    \"\"\"Makes a loaf.\"\"\"
    return flour

def unrelated():
    pass
//- /notes/kitchen.md
# House rules

## Cooking

Nobody does it on Sundays.
//- /notes/pets.md
# Hound

Feed him twice.
";

/// The vectors of words about vehicles, kitchens, animals and sounds.
const WORDS: &[(&str, [f32; 4])] = &[
    ("[UNK]", [5.0, 5.0, 5.0, 5.0]),
    ("car", [1.0, 0.0, 0.0, 0.0]),
    ("automobile", [0.9, 0.0, 0.0, 0.1]),
    ("limousine", [0.8, 0.0, 0.0, 0.2]),
    ("honk", [0.3, 0.0, 0.0, 0.9]),
    ("loud", [0.0, 0.0, 0.0, 1.0]),
    ("bread", [0.0, 1.0, 0.0, 0.0]),
    ("bake", [0.0, 0.9, 0.1, 0.0]),
    ("loaf", [0.0, 1.0, 0.0, 0.1]),
    ("cooking", [0.0, 0.8, 0.3, 0.0]),
    ("dog", [0.0, 0.0, 1.0, 0.0]),
    ("hound", [0.0, 0.0, 0.9, 0.1]),
];

/// Makes a model of [`WORDS`] in a folder. `turned` gives every word the meaning of another axis, that many axes
/// further.
fn model(world: &World, name: &str, turned: usize) -> PathBuf {
    let folder = world.path(name);
    fs::create_dir(&folder).expect("the test's own folder");
    let vocab: serde_json::Map<_, _> =
        WORDS.iter().enumerate().map(|(id, (word, _))| ((*word).to_owned(), id.into())).collect();
    let tokenizer = json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
        "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null, "decoder": null,
        "model": {"type": "WordLevel", "vocab": vocab, "unk_token": "[UNK]"}
    });
    let row = |row: &[f32; 4]| {
        let mut row = *row;
        row.rotate_right(turned);
        row.map(f32::to_le_bytes).concat()
    };
    let data: Vec<u8> = WORDS.iter().flat_map(|(_, numbers)| row(numbers)).collect();
    let header =
        json!({"embeddings": {"dtype": "F32", "shape": [WORDS.len(), 4], "data_offsets": [0, data.len()]}})
            .to_string();
    let table = [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &data].concat();
    fs::write(folder.join("tokenizer.json"), tokenizer.to_string()).expect("the test's own folder");
    fs::write(folder.join("model.safetensors"), table).expect("the test's own folder");
    folder
}

#[track_caller]
fn add(world: &World, folder: &Path) {
    let said = world.hob(&world.path("home"), &["model", "add", folder.to_str().expect("plain")]).success();
    assert!(said.contains("(active)"), "{said}");
}

fn models(world: &World) -> String {
    world.hob(&world.path("home"), &["model", "list"]).success()
}

/// Asks by meaning until everything has a vector, however slow the machine is.
fn meant(world: &World, tree: &Tree, args: Value) -> Answer {
    let mut args = args;
    args["use_embeddings"] = true.into();
    let since = Instant::now();
    loop {
        let answer = ask(world, tree, &args);
        if !answer.warnings().contains("still being made") || since.elapsed() > FOREVER {
            return answer;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[track_caller]
fn means(world: &World, tree: &Tree, query: &str, id: &str) {
    let answer = meant(world, tree, json!({"query": query}));
    assert_eq!(answer.texts("/results", "id").first(), Some(&id), "{query}{answer}");
    let _ = answer.without_warnings();
}

#[test]
fn models_are_added_listed_and_removed() {
    let world = World::new();
    assert!(models(&world).contains("no model"), "{}", models(&world));
    let (first, second) = (model(&world, "first", 0), model(&world, "second", 1));
    add(&world, &first);
    let said = world.hob(&world.path("home"), &["model", "add", "../second", "--name", "other"]).success();
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[0].starts_with("other (active): 4 dimensions, 12 tokens"), "{said}");
    assert!(lines[1].starts_with("first: 4 dimensions"), "{said}");
    // hob has its own copy of the added model, so the folder no longer matters.
    fs::remove_dir_all(first).and_then(|()| fs::remove_dir_all(second)).expect("the test's own folders");
    world.stop();
    assert_eq!(models(&world), said);
    let left = world.hob(&world.path("home"), &["model", "remove", "other"]).success();
    assert!(left.starts_with("first (active)") && !left.contains("other"), "{left}");
    let unknown = world.hob(&world.path("home"), &["model", "remove", "other"]).code(1);
    assert!(unknown.stderr.contains("there are first"), "{unknown}");
    let none = world.hob(&world.path("home"), &["model", "remove", "first"]).success();
    assert!(none.contains("no model"), "{none}");
}

#[test]
fn a_folder_that_is_no_model_is_told_what_it_lacks() {
    let world = World::new();
    let folder = model(&world, "half", 0);
    fs::remove_file(folder.join("tokenizer.json")).expect("the test's own file");
    let path = folder.to_str().expect("plain");
    let refused = world.hob(&world.path("home"), &["model", "add", path]).code(1);
    assert!(refused.stderr.contains("tokenizer.json") && refused.stderr.contains(path), "{refused}");
    let refused = world.hob(&world.path("home"), &["model", "add", "/no/such/folder"]).code(1);
    assert!(refused.stderr.contains("model.safetensors"), "{refused}");
    let refused = world.hob(&world.path("home"), &["model", "add", path, "--name", "../x"]).code(1);
    assert!(refused.stderr.contains("cannot be a model's name"), "{refused}");
    assert!(models(&world).contains("no model"));
    assert!(!world.dir().join("state/models/half").exists());
}

#[test]
fn without_a_model_words_decide_and_the_answer_says_so() {
    let world = World::new();
    let tree = world.tree(GARAGE);
    let plain = ask(&world, &tree, &json!({"query": "honk"}));
    let answer = meant(&world, &tree, json!({"query": "honk"}));
    assert_eq!(answer.list("/results"), plain.list("/results"), "{answer}");
    let _ = answer.says("No embedding model is installed");
    assert!(plain.warnings().is_empty(), "{plain}");
    assert!(meant(&world, &tree, json!({"query": "car"})).list("/results").is_empty());
}

#[test]
fn meaning_finds_what_is_called_otherwise() {
    let world = World::new();
    let tree = world.tree(GARAGE);
    // The workspace is open meanwhile, so it has to follow.
    assert!(ask(&world, &tree, &json!({"query": "car"})).list("/results").is_empty());
    add(&world, &model(&world, "tiny", 0));
    means(&world, &tree, "car", "py:garage.py#Automobile");
    means(&world, &tree, "bread", "py:garage.py#bake");
    means(&world, &tree, "a loud car", "py:garage.py#Automobile.honk");
    means(&world, &tree, "dog", "md:notes/pets.md#Hound");
    let both = meant(&world, &tree, json!({"query": "honk bread"}));
    let ids = both.texts("/results", "id");
    assert_eq!(ids[0], "py:garage.py#Automobile.honk", "found twice{both}");
    assert!(ids.contains(&"py:garage.py#bake"), "{both}");
    let first = &both.list("/results")[0];
    assert_eq!((&first["line"], &first["kind"]), (&json!(2), &json!("Symbol")), "{both}");
    // Without the argument nothing has changed.
    assert!(ask(&world, &tree, &json!({"query": "car"})).list("/results").is_empty());
    // The same question has the same answer, byte for byte.
    let again = meant(&world, &tree, json!({"query": "honk bread"}));
    assert_eq!(both.list("/results"), again.list("/results"));
}

#[test]
fn kinds_folders_limits_and_quotes_hold_for_meaning_too() {
    let world = World::new();
    let tree = world.tree(GARAGE);
    add(&world, &model(&world, "tiny", 0));
    let sections = meant(&world, &tree, json!({"query": "bread", "kinds": ["Section", "Note"]}));
    assert!(!sections.list("/results").is_empty(), "{sections}");
    assert!(sections.list("/results").iter().all(|found| found["kind"] != "Symbol"), "{sections}");
    let below = meant(&world, &tree, json!({"query": "bread", "path_prefix": "notes"}));
    let files = below.texts("/results", "file");
    assert!(!files.is_empty() && files.iter().all(|file| file.starts_with("notes/")), "{below}");
    let one = meant(&world, &tree, json!({"query": "bread", "limit": 1}));
    assert_eq!(one.texts("/results", "id"), ["py:garage.py#bake"], "{one}");
    let quoted = meant(&world, &tree, json!({"query": "bread \"makes a loaf\""}));
    assert_eq!(quoted.texts("/results", "id"), ["py:garage.py#bake"], "{quoted}");
    for strange in ["zyzzyva", "?!", "", "日本"] {
        let _ = meant(&world, &tree, json!({"query": strange})).ok();
    }
}

#[test]
fn an_edit_is_seen_by_the_next_question() {
    let world = World::new();
    let tree = world.tree(GARAGE);
    add(&world, &model(&world, "tiny", 0));
    means(&world, &tree, "car", "py:garage.py#Automobile");
    tree.write("garage.py", "def walk():\n    pass\n");
    tree.write("new/limo.py", "class Limousine:\n    pass\n");
    means(&world, &tree, "car", "py:new/limo.py#Limousine");
    tree.rename("new/limo.py", "new/long.py");
    means(&world, &tree, "car", "py:new/long.py#Limousine");
    tree.remove("new/long.py");
    let answer = meant(&world, &tree, json!({"query": "car"}));
    let ids = answer.texts("/results", "id");
    assert!(ids.iter().all(|id| !id.contains("Limousine") && !id.contains("Automobile")), "{answer}");
    for i in 0..20 {
        tree.write("new/turn.py", format!("{}def honk_car():\n    pass\n", "\n".repeat(i)));
        let answer = meant(&world, &tree, json!({"query": "automobile"}));
        assert_eq!(answer.list("/results")[0]["line"], i + 1, "{answer}");
    }
}

#[test]
fn a_restart_keeps_the_model_and_what_it_says() {
    let world = World::new();
    let tree = world.tree(GARAGE);
    add(&world, &model(&world, "tiny", 0));
    let before = meant(&world, &tree, json!({"query": "loud car"}));
    world.stop();
    let after = meant(&world, &tree, json!({"query": "loud car"}));
    assert_eq!(before.list("/results"), after.list("/results"));
    let _ = world.kill_daemon();
    means(&world, &tree, "bread", "py:garage.py#bake");
}

#[test]
fn another_model_means_otherwise_and_none_means_nothing() {
    let world = World::new();
    let tree = world.tree(GARAGE);
    add(&world, &model(&world, "tiny", 0));
    means(&world, &tree, "car", "py:garage.py#Automobile");
    // A model with the same name, but with other vectors.
    let turned = model(&world, "turned", 1);
    let path = turned.to_str().expect("plain");
    let _ = world.hob(&world.path("home"), &["model", "add", path, "--name", "tiny"]).success();
    means(&world, &tree, "car", "py:garage.py#Automobile");
    let bytes = |folder: &str| fs::read(world.path(folder).join("model.safetensors")).expect("it is there");
    assert_eq!(
        fs::read(world.dir().join("state/models/tiny/model.safetensors")).expect("kept"),
        bytes("turned")
    );
    let _ = world.hob(&world.path("home"), &["model", "remove", "tiny"]).success();
    let answer = meant(&world, &tree, json!({"query": "car"}));
    let _ = answer.says("No embedding model is installed");
    assert!(answer.list("/results").is_empty(), "{answer}");
}

#[test]
fn a_model_that_was_damaged_is_said_to_be() {
    let world = World::new();
    let tree = world.tree(GARAGE);
    add(&world, &model(&world, "tiny", 0));
    world.stop();
    fs::remove_file(world.dir().join("state/models/tiny/tokenizer.json")).expect("it was copied there");
    let answer = meant(&world, &tree, json!({"query": "honk"}));
    let _ = answer.says("`tiny` cannot be used").says("tokenizer.json");
    assert!(!answer.list("/results").is_empty(), "words still find it{answer}");
    assert!(models(&world).contains("tiny (active): the model `tiny` cannot be used"), "{}", models(&world));
}

/// A published model of 32,000 tokens, in the layout of its package.
#[test]
fn a_published_model_finds_paraphrases() {
    let world = World::new();
    let tree = world.tree(
        "\
//- /net.py
def fetch_with_retries(url):
    \"\"\"Request a page again when the connection fails.\"\"\"

def parse_invoice(text):
    \"\"\"Read amounts and taxes out of a bill.\"\"\"

class SessionStore:
    \"\"\"Keeps who is signed in.\"\"\"

def rotate_image(picture, angle):
    pass
//- /notes.md
# Operations

## Backups

Copies of the database are made at night.
",
    );
    let said = world.hob(&world.path("home"), &["model", "add", outside::wordllama()]).success();
    assert!(said.contains("256 dimensions, 32000 tokens"), "{said}");
    for (query, id) in [
        ("download attempts after network errors", "py:net.py#fetch_with_retries"),
        ("receipt accounting", "py:net.py#parse_invoice"),
        ("logged in users", "py:net.py#SessionStore"),
        ("turn a photo", "py:net.py#rotate_image"),
        ("save SQL data every evening", "md:notes.md#Operations/Backups"),
    ] {
        let answer = meant(&world, &tree, json!({"query": query}));
        assert_eq!(answer.texts("/results", "id").first(), Some(&id), "{query}{answer}");
    }
}

/// The expected vectors come from the package itself (0.4.0.post1): they are the first numbers that its own code
/// returns, normalised.
#[test]
fn vectors_are_those_of_the_package_itself() {
    let model = Model::open(Path::new(outside::wordllama())).expect("it is a model");
    let texts: [(&str, [f32; 5]); 5] = [
        ("download attempts after network errors", [-0.019745, -0.106362, 0.033590, -0.106310, 0.025946]),
        (
            "request a page again when the connection fails",
            [0.000821, 0.005129, -0.004096, -0.068931, -0.023890],
        ),
        ("über größe naïve", [-0.148088, 0.086699, -0.024251, -0.116625, 0.018661]),
        ("get object or 404 utf 8", [0.034304, 0.076929, -0.090697, -0.017672, 0.120893]),
        ("日本", [-0.066944, 0.055717, 0.051977, -0.100071, 0.041575]),
    ];
    for (text, expected) in texts {
        let vector = model.embed(text);
        let near = |(a, b): (&f32, &f32)| (a - b).abs() < 2e-6;
        assert!(vector.numbers().iter().zip(&expected).all(near), "{text}: {:?}", &vector.numbers()[..5]);
    }
    let like = similarity(&model.embed(texts[0].0), &model.embed(texts[1].0));
    assert!((like - 0.380_018).abs() < 1e-5, "{like}");
}
