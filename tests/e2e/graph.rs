//! `hob graph`: the page in a real browser, and the image.

use std::path::{Path, PathBuf};

use hob_tests::browser::Browser;
use hob_tests::{Tree, World};
use serde_json::{Value, json};

const PROJECT: &str = r#"
//- /core/store.py
class Store:
    """Keeps things."""

    def save(self):
        return flush()


def flush():
    return 1
//- /app/main.py
from core.store import Store


def start():
    store = Store()
    store.save()


def stop():
    start()
//- /test_app.py
from app.main import start


def test_start():
    start()
"#;

/// Writes the page of a tree, and opens it.
#[track_caller]
fn opened(world: &World, tree: &Tree) -> (Browser, PathBuf) {
    let page = world.path("page.html");
    let said = world.hob(tree.root(), &["graph", "--out", &page.display().to_string()]).success();
    assert!(said.contains("page.html") && said.contains("symbol"), "{said}");
    let mut browser = Browser::open(&page);
    browser.wait_for("document.documentElement.dataset.drawn");
    (browser, page)
}

#[track_caller]
fn text(browser: &mut Browser, selector: &str) -> String {
    let found = browser.value(&format!("document.querySelector({})?.innerText", json!(selector)));
    found.as_str().unwrap_or_else(|| panic!("nothing at {selector}")).to_owned()
}

/// Types into the search box, key by key.
#[track_caller]
fn type_in(browser: &mut Browser, words: &str) {
    browser.press("Escape", "");
    browser.press("/", "/");
    for c in words.chars() {
        browser.press(&c.to_string(), &c.to_string());
    }
}

#[test]
fn a_symbol_is_searched_chosen_and_its_neighbours_are_read() {
    let world = World::new();
    let tree = world.tree(PROJECT);
    let (mut browser, _) = opened(&world, &tree);
    assert!(text(&mut browser, "header").contains("3 files"));
    let bubbles = browser.value("document.querySelectorAll('#stage .bubble').length");
    assert_eq!(Some(bubbles), browser.value("Number(document.documentElement.dataset.drawn)").into());
    type_in(&mut browser, "start");
    browser.wait_for("document.getElementById('found')");
    assert_eq!(text(&mut browser, "#panel .item").lines().next(), Some("start function app/main.py:4"));
    browser.click("#panel .item");
    browser.wait_for("document.getElementById('node')?.innerText === 'start'");
    assert_eq!(text(&mut browser, "#node-id"), "py:app/main.py#start");
    let (users, uses) = (text(&mut browser, "#users"), text(&mut browser, "#uses"));
    assert!(users.contains("stop calls") && users.contains("test_start calls"), "{users}");
    assert!(uses.contains("Store calls") && uses.contains("Store.save calls"), "{uses}");
    assert!(!uses.contains("stop"), "{uses}");
    // Through to a neighbour, and to the one behind it, by click in the picture and by keys alone.
    browser.click("#around g[data-node] circle");
    browser.wait_for("document.getElementById('node')?.innerText !== 'start'");
    browser.value("history.back()");
    browser.wait_for("document.getElementById('node')?.innerText === 'start'");
    browser.press("Escape", "");
    browser.wait_for("!document.getElementById('node')");
    type_in(&mut browser, "flush");
    browser.wait_for("document.querySelector('#panel .item')?.innerText.startsWith('flush')");
    browser.press("Enter", "\r");
    browser.wait_for("document.getElementById('node')?.innerText === 'flush'");
    assert!(text(&mut browser, "#users").contains("Store.save calls"));
    browser.click("#back");
    browser.wait_for("!document.getElementById('node')");
    browser.click("#panel .item");
    browser.wait_for("document.querySelector('#panel h3')?.innerText.startsWith('Symbols')");
    assert_eq!(browser.fetched(), Vec::<String>::new(), "nothing is loaded from elsewhere");
    assert!(browser.complaints().is_empty(), "{:?}", browser.complaints());
}

#[test]
fn dark_and_light_differ() {
    let world = World::new();
    let tree = world.tree(PROJECT);
    let (mut browser, page) = opened(&world, &tree);
    let back = "getComputedStyle(document.body).backgroundColor";
    let light = browser.value(back);
    browser.prefers("dark");
    assert_ne!(browser.value(back), light);
    let html = std::fs::read_to_string(&page).expect("written");
    assert!(
        !html.contains("https://") && !html.contains("src=") && !html.contains("<link"),
        "nothing from elsewhere"
    );
}

/// Names, docs and paths that would do harm if they were taken for markup.
fn hostile(world: &World) -> Tree {
    let tree =
        world.tree("//- /ok.py\ndef fine():\n    \"\"\"</script><script>window.hacked=1</script>\"\"\"\n");
    tree.write("a<img src=x onerror=window.hacked=2>.py", "def f():\n    pass\n");
    tree.write("dir\"><svg onload=window.hacked=3>/b.py", "def g(x=\"<!--<script>\"):\n    '''--><b>'''\n");
    tree.write(
        "notes.md",
        "# <img src=x onerror=window.hacked=4> & \u{2028} ${alert(1)} `]]>\n\n[l](ok.py)\n",
    );
    tree.write("c.js", "export class A { ['<iframe src=\"javascript:window.hacked=5\">']() {} }\n");
    tree
}

#[test]
fn what_a_hostile_project_is_called_stays_text() {
    let world = World::new();
    let tree = hostile(&world);
    let (mut browser, page) = opened(&world, &tree);
    let html = std::fs::read_to_string(&page).expect("written");
    for markup in ["<img", "<iframe", "<svg onload", "<script>window", "<!--", "\u{2028}"] {
        assert!(!html.contains(markup), "{markup}");
    }
    // Every view of everything, so that all of it has been shown. The page hears of a new hash some time after it was set.
    browser.value("window.turns = 0; addEventListener('hashchange', () => { window.turns += 1; }); 0");
    let hashes = [
        "#c=0", "#c=1", "#n=0", "#n=1", "#n=2", "#n=3", "#n=4", "#n=5", "#n=6", "#n=7", "#n=8", "#n=99",
        "#x=<b>",
    ];
    for (turn, hash) in hashes.iter().enumerate() {
        browser.value(&format!("location.hash = {}", json!(hash)));
        browser.wait_for(&format!("window.turns > {turn} && document.querySelector('#panel h2')"));
    }
    type_in(&mut browser, "onerror");
    browser.wait_for("document.getElementById('found')");
    let found = text(&mut browser, "#panel");
    assert!(found.contains("<img src=x onerror=window.hacked=2>"), "it is shown as it is written: {found}");
    assert_eq!(browser.value("window.hacked"), Value::Null);
    assert_eq!(browser.value("document.querySelectorAll('img, iframe, b').length"), json!(0));
    assert!(browser.complaints().is_empty(), "{:?}", browser.complaints());
    let svg = image(&world, &tree, "hostile.svg");
    assert!(
        !svg.contains("<img") && !svg.contains("onload=window.hacked=3>") && !svg.contains("<script"),
        "{svg}"
    );
}

#[track_caller]
fn image(world: &World, tree: &Tree, name: &str) -> String {
    let file = world.path(name);
    let _ = world.hob(tree.root(), &["graph", "--svg", &file.display().to_string()]).success();
    std::fs::read_to_string(file).expect("written")
}

#[test]
fn an_image_is_the_same_every_time() {
    let world = World::new();
    let tree = world.tree(PROJECT);
    let first = image(&world, &tree, "one.svg");
    assert!(
        first.starts_with("<svg xmlns=") && first.contains("Store") && first.contains("<circle"),
        "{first}"
    );
    let second = image(&world, &tree, "two.svg");
    let picture = |svg: &str| {
        svg.lines().filter(|line| !line.starts_with("<title>")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(picture(&first), picture(&second));
    let copy = Tree::new(&world.path("again/ws"), PROJECT);
    assert_eq!(picture(&first), picture(&image(&world, &copy, "three.svg")), "whichever folder it lies in");
    let mut browser = Browser::open(&world.path("one.svg"));
    browser.wait_for(
        "document.documentElement?.tagName === 'svg' && document.querySelectorAll('circle').length > 1",
    );
}

#[test]
fn the_command_says_where_it_wrote_and_what() {
    let world = World::new();
    let tree = world.tree(PROJECT);
    let said = world.hob(tree.root(), &["graph", "--json"]).success();
    let written: Value = serde_json::from_str(&said).expect("one JSON value");
    let page = written["out"].as_str().expect("a path");
    assert!(Path::new(page).starts_with(world.dir()), "a folder of hob's own, not the project: {page}");
    assert!(std::fs::read_to_string(page).is_ok_and(|html| html.starts_with("<!doctype html>")), "{page}");
    assert_eq!((&written["files"], &written["svg"]), (&json!(3), &Value::Null), "{said}");
    assert!(written["symbols"].as_u64() >= Some(6), "{said}");
    let refused = world.hob(tree.root(), &["graph", "--out", "/dev/null/x.html"]).code(2);
    assert!(refused.stderr.contains("/dev/null/x.html"), "{refused}");
    let nowhere = world.hob(tree.root(), &["--root", "/no/such/place", "graph"]).code(1);
    assert!(nowhere.stderr.contains("/no/such/place"), "{nowhere}");
    let help = world.hob(tree.root(), &["graph", "--help"]).success();
    assert!(["--out", "--svg", "--open"].iter().all(|option| help.contains(option)), "{help}");
    let listed = world.hob(tree.root(), &["tools"]).success();
    assert!(!listed.contains("hob_graph") && listed.contains("flow_trace"), "{listed}");
}

/// A project of several thousand symbols: lists are paged, and nothing is left out in silence.
#[test]
fn many_symbols_are_all_there() {
    let world = World::new();
    let tree = world.tree("//- /hub.py\ndef hub():\n    return 1\n");
    for file in 0..40 {
        let defs =
            (0..100).map(|n| format!("def work_{file}_{n}():\n    return hub()\n")).collect::<String>();
        tree.write(&format!("part{}/m{file}.py", file % 4), format!("from hub import hub\n{defs}"));
    }
    let (mut browser, _) = opened(&world, &tree);
    type_in(&mut browser, "work_");
    browser.wait_for("document.getElementById('found')?.innerText === '4,000 matches'");
    assert_eq!(browser.value("document.querySelectorAll('#panel .item').length"), json!(100));
    let more = "[...document.querySelectorAll('#panel .plain')].find(b => b.innerText.includes('more row') && !b.hidden)";
    assert_eq!(browser.value(&format!("{more}.innerText")), json!("3,900 more rows"));
    browser.value(&format!("{more}.click()"));
    assert_eq!(browser.value("document.querySelectorAll('#panel .item').length"), json!(200));
    type_in(&mut browser, "hub");
    browser.wait_for("document.querySelector('#panel .item')?.innerText.startsWith('hub')");
    browser.press("Enter", "\r");
    browser.wait_for("document.getElementById('node')");
    let heading = browser.value(
        "[...document.querySelectorAll('#panel h3')].map(h => h.innerText).find(t => t.startsWith('Used'))",
    );
    assert_eq!(heading, json!("Used by (4040)"), "4,000 calls and 40 imports");
}
