//! Tests `text_search`: words find the text that is about them, in its present form.

use std::fs;
use std::time::{Duration, Instant};

use hob_tests::{Answer, FOREVER, Tree, World};
use serde_json::{Value, json};

const SHOP: &str = "\
//- /shop/basket.py
\"\"\"What a customer is about to buy.\"\"\"

class Basket:
    def add_item(self, item):
        \"\"\"Put one more item into the basket.\"\"\"
        self.items.append(item)

    def total_price(self):
        return sum(item.price for item in self.items)
//- /shop/mail.py
def send_receipt(order):
    \"\"\"Mail the receipt of an order to its customer.\"\"\"
    deliver(order.customer, render(order))
//- /web/HTTPServer.ts
export class HTTPServer {
  /** Starts listening on the port. */
  startListening(port: number) { return port; }
}
//- /notes/guide.md
# The guide

Words about nothing.

## Refunds of broken goods

A zebra is refunded within a week.
//- /data.ini
colour = turquoise
";

/// Repeats the call until the index exists, however slow the machine is.
pub(crate) fn ask(world: &World, tree: &Tree, args: &Value) -> Answer {
    let since = Instant::now();
    loop {
        let answer = world.call(tree, "text_search", args);
        let is_late = answer.envelope["error"]["code"] == "MAP_NOT_BUILT" && since.elapsed() < FOREVER;
        if !is_late {
            return answer;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn search(world: &World, tree: &Tree, query: &str) -> Answer {
    ask(world, tree, &json!({"query": query, "tokenBudget": 10_000}))
}

#[track_caller]
fn finds_first(answer: &Answer, id: &str) {
    assert_eq!(answer.texts("/results", "id").first(), Some(&id), "{answer}");
}

#[track_caller]
fn finds_nothing(answer: &Answer) {
    assert!(answer.list("/results").is_empty() && answer.ok()["total"] == 0, "{answer}");
}

#[test]
fn words_find_what_is_about_them() {
    let world = World::new();
    let tree = world.tree(SHOP);
    for (query, id) in [
        ("put an item into the basket", "py:shop/basket.py#Basket.add_item"),
        ("adding items", "py:shop/basket.py#Basket.add_item"),
        ("totalPrice", "py:shop/basket.py#Basket.total_price"),
        ("mailing a receipt", "py:shop/mail.py#send_receipt"),
        ("http server", "ts:web/HTTPServer.ts#HTTPServer"),
        ("start listening", "ts:web/HTTPServer.ts#HTTPServer.startListening"),
    ] {
        finds_first(&search(&world, &tree, query), id);
    }
    let answer = search(&world, &tree, "put an item into the basket");
    let first = &answer.list("/results")[0];
    assert_eq!((&first["kind"], &first["line"]), (&json!("Symbol"), &json!(4)), "{answer}");
    assert!(first["snippet"].as_str().is_some_and(|text| text.contains("one more item")), "{answer}");
    let turquoise = search(&world, &tree, "turquoise");
    let file = &turquoise.list("/results")[0];
    assert_eq!(
        (&file["kind"], &file["file"], &file["line"]),
        (&json!("File"), &json!("data.ini"), &json!(1))
    );
    assert!(file.get("id").is_none(), "it is in no map{turquoise}");
}

#[test]
fn what_is_called_so_comes_before_what_speaks_of_it() {
    let world = World::new();
    let tree = world.tree(
        "\
//- /a.py
quagga = 1
//- /quagga.py
\"\"\"Quagga.\"\"\"

def quagga(stripes, neck, mane):
    return stripes
//- /b.py
def other():
    \"\"\"Paints a quagga, and a quagga, and a quagga.\"\"\"
",
    );
    let answer = search(&world, &tree, "quagga");
    finds_first(&answer, "py:quagga.py#quagga");
    assert_eq!(answer.ok()["total"], 4, "{answer}");
}

#[test]
fn kinds_and_folders_narrow() {
    let world = World::new();
    let tree = world.tree(SHOP);
    let narrowed = |args: Value| ask(&world, &tree, &args);
    let files = narrowed(json!({"query": "basket receipt server", "kinds": ["File"]}));
    assert!(files.list("/results").iter().all(|found| found["kind"] == "File"), "{files}");
    assert!(!files.list("/results").is_empty(), "{files}");
    let section = narrowed(json!({"query": "refunds zebra", "kinds": ["Section"]}));
    assert_eq!(
        section.list("/results")[0]["title"].as_str().map(|t| t.contains("Refunds")),
        Some(true),
        "{section}"
    );
    assert_eq!(section.list("/results")[0]["line"], 5, "{section}");
    let below = narrowed(json!({"query": "item customer port", "path_prefix": "shop"}));
    assert!(!below.list("/results").is_empty(), "{below}");
    assert!(below.texts("/results", "file").iter().all(|file| file.starts_with("shop/")), "{below}");
    let _ = narrowed(json!({"query": "a", "path_prefix": "../x"})).error("OUTSIDE_WORKSPACE");
}

#[test]
fn quotes_ask_for_words_in_a_row() {
    let world = World::new();
    let tree = world.tree(
        "//- /a.py\ndef one():\n    \"\"\"red blue car\"\"\"\n\ndef two():\n    \"\"\"blue red car\"\"\"\n",
    );
    let answer = search(&world, &tree, "\"red blue\" car");
    assert!(answer.texts("/results", "id").contains(&"py:a.py#one"), "{answer}");
    assert!(!answer.texts("/results", "id").contains(&"py:a.py#two"), "{answer}");
    let both = search(&world, &tree, "red blue");
    assert!(both.texts("/results", "id").contains(&"py:a.py#two"), "{both}");
    finds_nothing(&search(&world, &tree, "\"car red\""));
}

#[test]
fn every_question_is_one() {
    let world = World::new();
    let tree = world.tree("//- /a.py\ndef größe():\n    return 'мир 日本'\n\ndef where():\n    pass\n");
    for query in ["", " ", "?!.,;()[]{}\\\"'", "\"", "\"\"", "\"unclosed"] {
        finds_nothing(&search(&world, &tree, query));
    }
    let long = format!("{} größe", "wort ".repeat(2_000));
    let _ = search(&world, &tree, &long).ok();
    let _ = search(&world, &tree, &"x".repeat(10_000)).ok();
    for query in ["Größe", "МИР", "日本", "GRÖSSE größe"] {
        finds_first(&search(&world, &tree, query), "py:a.py#größe");
    }
    finds_first(&search(&world, &tree, "where"), "py:a.py#where");
}

#[test]
fn answers_are_of_now() {
    let world = World::new();
    let tree = world.tree(SHOP);
    finds_nothing(&search(&world, &tree, "giraffe"));
    tree.write("shop/mail.py", "def wrap():\n    pass\n\n\ndef send_giraffe():\n    pass\n");
    let edited = search(&world, &tree, "giraffe");
    finds_first(&edited, "py:shop/mail.py#send_giraffe");
    assert_eq!(edited.list("/results")[0]["line"], 5, "{edited}");
    finds_nothing(&search(&world, &tree, "receipt"));
    tree.write("shop/mail.py", "def send_giraffe():\n    pass\n");
    assert_eq!(search(&world, &tree, "giraffe").list("/results")[0]["line"], 1);
    tree.rename("shop/mail.py", "shop/post.py");
    let renamed = search(&world, &tree, "giraffe");
    assert!(renamed.texts("/results", "file").iter().all(|file| *file == "shop/post.py"), "{renamed}");
    finds_first(&renamed, "py:shop/post.py#send_giraffe");
    tree.remove("shop/post.py");
    finds_nothing(&search(&world, &tree, "giraffe"));
    tree.write("data.ini", "colour = magenta\n");
    finds_nothing(&search(&world, &tree, "turquoise"));
    assert_eq!(search(&world, &tree, "magenta").texts("/results", "file"), ["data.ini"]);
}

/// So many files that they are written to the index itself and not added as an overlay, twice.
#[test]
fn many_files_at_once_are_taken_in_and_forgotten() {
    let world = World::new();
    let tree = world.tree(SHOP);
    finds_nothing(&search(&world, &tree, "flamingo"));
    let write = |word: &str| {
        for i in 0..300 {
            tree.write(&format!("many/m{i}.py"), format!("def {word}_{i}():\n    pass\n"));
        }
    };
    write("flamingo");
    // If the barrier's time limit is exceeded, an answer may be partial, and says so.
    let settled = |query: &str, done: &dyn Fn(&Answer) -> bool| {
        let since = Instant::now();
        let mut answer = search(&world, &tree, query);
        while !done(&answer) && !answer.warnings().is_empty() && since.elapsed() < FOREVER {
            answer = search(&world, &tree, query);
        }
        assert!(done(&answer), "{answer}");
    };
    settled("flamingo", &|answer| answer.ok()["total"] == 300);
    write("pelican");
    settled("pelican", &|answer| answer.ok()["total"] == 300);
    settled("flamingo", &|answer| answer.ok()["total"] == 0);
    for i in 0..40 {
        tree.write("many/m0.py", format!("def heron_{i}():\n    pass\n"));
        finds_first(&search(&world, &tree, &format!("heron_{i}")), &format!("py:many/m0.py#heron_{i}"));
    }
    fs::remove_dir_all(tree.at("many")).expect("the test's own folder");
    settled("pelican heron", &|answer| answer.ok()["total"] == 0);
}

#[test]
fn a_restart_goes_on_with_what_was_there() {
    let world = World::new();
    let tree = world.tree(SHOP);
    finds_nothing(&search(&world, &tree, "okapi"));
    tree.write("web/okapi.py", "def okapi():\n    pass\n");
    finds_first(&search(&world, &tree, "okapi"), "py:web/okapi.py#okapi");
    world.stop();
    tree.write("shop/mail.py", "def lemur():\n    pass\n");
    tree.remove("shop/basket.py");
    finds_first(&search(&world, &tree, "okapi"), "py:web/okapi.py#okapi");
    finds_first(&search(&world, &tree, "lemur"), "py:shop/mail.py#lemur");
    finds_nothing(&search(&world, &tree, "basket"));
    finds_nothing(&search(&world, &tree, "receipt"));
}

/// Returns the folder of the only ranked index in this world.
fn index_folder(world: &World) -> std::path::PathBuf {
    let mut open = vec![world.dir().to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            if entry.file_name() == "ranked" {
                return entry.path();
            }
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                open.push(entry.path());
            }
        }
    }
    panic!("there is no ranked index in {}", world.dir().display());
}

#[test]
fn a_damaged_index_is_made_anew() {
    let world = World::new();
    let tree = world.tree(SHOP);
    finds_first(&search(&world, &tree, "mail receipt"), "py:shop/mail.py#send_receipt");
    let folder = index_folder(&world);
    let damages: [&dyn Fn(&std::path::Path); 3] = [
        &|file| fs::write(file, b"nothing").expect("the test's own file"),
        &|file| {
            let mut bytes = fs::read(file).expect("the test's own file");
            let middle = bytes.len() / 2;
            bytes.get_mut(middle).into_iter().for_each(|byte| *byte ^= 0x55);
            fs::write(file, bytes).expect("the test's own file");
        },
        &|file| fs::remove_file(file).expect("the test's own file"),
    ];
    for damage in damages {
        world.stop();
        let files = fs::read_dir(&folder).expect("it is there").flatten().map(|entry| entry.path());
        files.filter(|file| file.extension().is_some()).for_each(|file| damage(&file));
        finds_first(&search(&world, &tree, "mail receipt"), "py:shop/mail.py#send_receipt");
        finds_nothing(&search(&world, &tree, "giraffe"));
    }
}

#[test]
fn names_answer_a_subject_in_words_without_the_index_and_say_so() {
    let world = World::new();
    let tree = world.tree(SHOP);
    finds_first(&search(&world, &tree, "mail receipt"), "py:shop/mail.py#send_receipt");
    let folder = index_folder(&world);
    world.stop();
    fs::remove_dir_all(&folder).expect("the test's own folder");
    fs::write(&folder, "no folder").expect("the test's own file");
    let resolve = || world.call(&tree, "resolve", &json!({"subject": "what mails a customer"}));
    let by_names = resolve();
    assert!(
        by_names.says("Texts were not searched for the words").to_string().contains("send_receipt"),
        "{by_names}"
    );
    fs::remove_file(&folder).expect("the test's own file");
    let whole = resolve();
    assert!(whole.warnings().is_empty() && whole.to_string().contains("send_receipt"), "{whole}");
}

#[test]
fn the_budget_and_the_limit_say_what_they_left_out() {
    let world = World::new();
    let tree = world.tree("//- /a.py\npass\n");
    for i in 0..120 {
        tree.write(&format!("m{i}.py"), format!("def walrus_{i}():\n    return 'walrus'\n"));
    }
    let few = ask(&world, &tree, &json!({"query": "walrus", "limit": 3}));
    assert_eq!((few.list("/results").len(), &few.ok()["total"]), (3, &json!(120)), "{few}");
    let small = ask(&world, &tree, &json!({"query": "walrus", "limit": 100, "tokenBudget": 300}));
    let large = ask(&world, &tree, &json!({"query": "walrus", "limit": 100, "tokenBudget": 10_000}));
    let (small_ids, large_ids) = (small.texts("/results", "file"), large.texts("/results", "file"));
    assert!(!small_ids.is_empty() && large_ids.starts_with(&small_ids), "{small}");
    assert_eq!(small.envelope["dropped"]["kind"], "results", "{small}");
}
