//! Tests `investigate` and its follow-up tools: words lead to the code that they are about, within a budget, and to the
//! same code every time.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use hob_tests::{Answer, FOREVER, Tree, World};
use serde_json::{Value, json};

const FILES: &str = "\
//- /device/pairing.py
from device.store import save_device
from core.crypto import handshake

class Pairing:
    \"\"\"Pairs a new device with this account.\"\"\"

    def start(self, device):
        \"\"\"Begins pairing: the code is shown on both.\"\"\"
        self.secret = handshake(device)
        return self.confirm(device)

    def confirm(self, device):
        save_device(device, self.secret)
        return True
//- /device/store.py
def save_device(device, secret):
    \"\"\"Remembers a device.\"\"\"
    return write_row(\"devices\", device, secret)

def write_row(table, *values):
    return (table, values)
//- /core/crypto.py
def handshake(peer):
    return derive(peer)

def derive(peer):
    return hash(peer)
//- /shop/basket.py
def total(items):
    \"\"\"What a basket costs.\"\"\"
    return sum(items)
//- /notes/guide.md
# Guide

## Pairing a device

Hold the button for three seconds; the device is paired then.
";

/// Repeats the call until the index exists, however slow the machine is.
fn ask(world: &World, tree: &Tree, tool: &str, args: &Value) -> Answer {
    let since = Instant::now();
    loop {
        let answer = world.call(tree, tool, args);
        let is_late = answer.envelope["error"]["code"] == "MAP_NOT_BUILT" && since.elapsed() < FOREVER;
        let is_derived = !answer.warnings().contains("still being derived");
        if !is_late && (is_derived || since.elapsed() > FOREVER) {
            return answer;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn investigate(world: &World, tree: &Tree, query: &str) -> Answer {
    ask(world, tree, "investigate", &json!({"query": query}))
}

fn bundle(answer: &Answer) -> String {
    answer.ok()["bundle_id"].as_str().expect("a bundle has a name").to_owned()
}

/// Returns the entry of a node.
#[track_caller]
fn entry<'a>(answer: &'a Answer, list: &str, uid: &str) -> &'a Value {
    let found = answer.list(list).iter().find(|entry| entry["uid"] == uid);
    found.unwrap_or_else(|| panic!("no entry {uid}{answer}"))
}

#[test]
fn a_topic_leads_to_its_code_and_to_what_that_is_connected_with() {
    let world = World::new();
    let tree = world.tree(FILES);
    let answer = investigate(&world, &tree, "how is a device paired");
    let first = &answer.list("/entries")[0];
    assert!(first["location"].as_str().is_some_and(|at| at.starts_with("device/pairing.py:")), "{answer}");
    assert_eq!((&first["asset_id"], &first["is_seed"]), (&json!("a1"), &json!(true)), "{answer}");
    assert_eq!(first["body_complete"], true, "the surest has its source: {answer}");
    assert!(first["inline_body"].as_str().is_some_and(|body| body.contains("device")), "{answer}");
    let sure = first["confidence"].as_f64().expect("the first is so sure");
    assert!((0.1..=1.0).contains(&sure) && first["reason"] == "has the words", "{answer}");
    // None of its names resemble the topic, but the graph leads to it.
    let handshake = entry(&answer, "/entries", "py:core/crypto.py#handshake");
    assert_eq!((&handshake["is_seed"], handshake.get("inline_body")), (&json!(false), None), "{answer}");
    assert!(
        answer.list("/entries").iter().all(|entry| entry["uid"] != "py:shop/basket.py#total"),
        "{answer}"
    );
    // Entries are best first within a file. Many places in one file do not hide the other files.
    let mut by_file: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for entry in answer.list("/entries") {
        let file = entry["location"].as_str().and_then(|at| at.rsplit_once(':')).expect("a place").0;
        by_file.entry(file).or_default().push(entry["relevance"].as_f64().expect("a number"));
    }
    assert!(by_file.values().all(|file| file.is_sorted_by(|a, b| a >= b) && file[0] <= 1.0), "{answer}");
    let best = by_file.values().map(|file| file[0]).fold(0.0, f64::max);
    assert_eq!(answer.list("/entries")[0]["relevance"], best, "{answer}");
    let data = answer.ok();
    assert_eq!(data["returned"].as_u64(), Some(answer.list("/entries").len() as u64));
    assert!(data["total"].as_u64() >= data["returned"].as_u64(), "{answer}");
    let mut members: Vec<&str> = Vec::new();
    for domain in answer.list("/domains") {
        assert!(domain["label"].as_str().is_some_and(|label| !label.is_empty()), "{answer}");
        entry(&answer, "/entries", domain["entry_point"].as_str().expect("a node"));
        members.extend(domain["members"].as_array().into_iter().flatten().filter_map(Value::as_str));
    }
    members.sort_unstable();
    let mut assets = answer.texts("/entries", "asset_id");
    assets.sort_unstable();
    assert_eq!(members, assets, "every entry is in one domain: {answer}");
}

/// An issue as people write them: it never names the faulty function, and its words occur everywhere.
const ISSUE: &str = "\
### Remembered devices are lost

<!-- Search existing issues before you open a new one. -->
- [x] I have searched the existing issues

After the account is opened again the basket and the guide are there, the device is not. I pair it and press the button, \
see https://github.com/acme/app/blob/main/device/store.py#L3 and \"total\".

```python
from device.pairing import Pairing
Pairing().start(device)
```

### Environment
Python 3.8.1
requests==2.31.0
";

#[test]
fn an_issue_is_read_part_by_part() {
    let world = World::new();
    let tree = world.tree(FILES);
    tree.write(
        "tests/test_pairing.py",
        "def test_remembered_devices_are_lost():\n    assert remembered_devices\n",
    );
    let answer = investigate(&world, &tree, ISSUE);
    let mut files: Vec<&str> = Vec::new();
    for entry in answer.list("/entries") {
        let file = entry["location"].as_str().and_then(|at| at.rsplit_once(':')).expect("a place").0;
        if !files.contains(&file) {
            files.push(file);
        }
    }
    assert_eq!(
        files[..2].iter().collect::<BTreeSet<_>>(),
        BTreeSet::from([&"device/store.py", &"device/pairing.py"]),
        "{answer}"
    );
    assert!(
        files.iter().position(|file| file.starts_with("tests/")) > Some(1),
        "tests stand apart: {answer}"
    );
    let reason = |uid: &str| entry(&answer, "/entries", uid)["reason"].clone();
    assert_eq!(reason("py:device/pairing.py#Pairing"), "named in the question", "{answer}");
    // A caller who asks for tests gets them.
    let answer = investigate(&world, &tree, "the test of remembered devices that are lost");
    let first = answer.list("/entries")[0]["location"].as_str().unwrap_or_default();
    assert!(first.starts_with("tests/test_pairing.py"), "{answer}");
}

#[test]
fn a_place_outside_of_the_scope_is_left_out_even_if_it_is_named() {
    let world = World::new();
    let tree = world.tree(FILES);
    let query = "the device is lost\n  File \"/srv/core/crypto.py\", line 2, in handshake\n";
    let named = investigate(&world, &tree, query);
    assert_eq!(named.list("/entries")[0]["uid"], "py:core/crypto.py#handshake", "{named}");
    assert_eq!(named.list("/entries")[0]["reason"], "named by place", "{named}");
    let scoped = ask(&world, &tree, "investigate", &json!({"query": query, "scope": "path:device"}));
    let outside = |entry: &Value| !entry["location"].as_str().is_some_and(|at| at.starts_with("device/"));
    assert!(!scoped.list("/entries").iter().any(outside), "{scoped}");
}

#[test]
fn questions_of_any_length_and_kind_have_an_answer_or_a_clear_error() {
    let world = World::new();
    let tree = world.tree(FILES);
    let long =
        format!("{ISSUE}\n{}", "The account was opened again and again, and nothing was there. ".repeat(400));
    let answer = investigate(&world, &tree, &long);
    assert!(!answer.list("/entries").is_empty(), "{answer}");
    let echoed = answer.ok()["query"].as_str().map_or(0, |query| query.chars().count());
    assert!(echoed <= 201, "the query is repeated at the answer's cost: {answer}");
    let log = "2026-01-01T00:00:00Z ERROR device save_device failed: table locked\n".repeat(1_500);
    let answer = investigate(&world, &tree, &log);
    entry(&answer, "/entries", "py:device/store.py#save_device");
    assert!(answer.warnings().contains("64 KiB"), "{answer}");
    for foreign in [
        "Gerät wird nicht gespeichert: save_device",
        "デバイスが保存されません save_device",
        "جهاز save_device",
    ] {
        let answer = investigate(&world, &tree, foreign);
        entry(&answer, "/entries", "py:device/store.py#save_device");
    }
    let rubbish: String = (1..2_000u32).filter_map(|code| char::from_u32(code * 37 % 0x3000)).collect();
    let answer = ask(&world, &tree, "investigate", &json!({"query": rubbish}));
    let code = &answer.envelope["error"]["code"];
    assert!(answer.envelope["ok"] == true || code == "BAD_ARGS", "{answer}");
    let answer = ask(&world, &tree, "investigate", &json!({"query": "?!… \u{0} ---"}));
    assert_eq!(answer.envelope["error"]["code"], "BAD_ARGS", "{answer}");
}

#[test]
fn the_same_question_gives_the_same_bytes() {
    let world = World::new();
    let tree = world.tree(FILES);
    let first = investigate(&world, &tree, "device pairing");
    assert_eq!(investigate(&world, &tree, "device pairing").text, first.text);
    let _ = world.call(&tree, "map_rebuild", &json!({})).ok();
    assert_eq!(investigate(&world, &tree, "device pairing").text, first.text);
    world.stop();
    assert_eq!(investigate(&world, &tree, "device pairing").text, first.text);
}

#[test]
fn a_bundle_is_expanded_and_filled_also_by_a_later_daemon() {
    let world = World::new();
    let tree = world.tree(FILES);
    let answer = investigate(&world, &tree, "device pairing");
    let (bundle, total) = (bundle(&answer), answer.ok()["total"].as_u64().expect("a number"));
    world.stop();
    let targets = json!(["a1", "py:device/store.py#write_row", "nobody", "a999"]);
    let expanded =
        ask(&world, &tree, "investigate_expand", &json!({"bundle_id": bundle, "targets": targets}));
    assert_eq!(expanded.list("/expanded").len(), 2, "{expanded}");
    assert!(expanded.list("/expanded").iter().all(|entry| entry["body_complete"] == true), "{expanded}");
    assert_eq!(expanded.ok()["unresolved"], json!(["nobody", "a999"]), "{expanded}");
    let called = expanded.list("/neighbors").iter().find(|beside| {
        beside["of"] == "py:device/store.py#write_row" && beside["uid"] == "py:device/store.py#save_device"
    });
    assert_eq!(called.map(|beside| &beside["relation"]), Some(&json!("called by")), "{expanded}");

    let (mut seen, mut pages) = (0, 0);
    loop {
        let page =
            ask(&world, &tree, "investigate_hydrate", &json!({"bundle_id": bundle, "token_budget": 300}));
        let data = page.ok();
        let hydrated = data["hydrated"].as_u64().expect("a number");
        assert_eq!(hydrated, page.list("/entries").len() as u64, "{page}");
        for entry in page.list("/entries") {
            assert!(entry["inline_body"].as_str().is_some_and(|body| !body.is_empty()), "{page}");
        }
        let done = hydrated + data["already_hydrated"].as_u64().expect("a number");
        assert_eq!(done + data["skipped"].as_u64().expect("a number"), total, "{page}");
        (seen, pages) = (seen + hydrated, pages + 1);
        if data["skipped"] == 0 {
            break;
        }
        assert!(hydrated > 0, "every page has something: {page}");
        page.says("call again");
    }
    assert!(seen > 0 && pages > 1, "{seen} in {pages}");
}

#[test]
fn what_has_changed_since_says_so_and_is_read_anew() {
    let world = World::new();
    let tree = world.tree(FILES);
    let bundle = bundle(&investigate(&world, &tree, "device pairing"));
    tree.write("device/store.py", "def save_device(device, secret):\n    return None  # forgotten\n");
    let targets = json!(["py:device/store.py#save_device", "py:core/crypto.py#handshake"]);
    let expanded =
        ask(&world, &tree, "investigate_expand", &json!({"bundle_id": bundle, "targets": targets}));
    let changed = entry(&expanded, "/expanded", "py:device/store.py#save_device");
    assert_eq!(changed["changed"], true, "{expanded}");
    assert!(changed["inline_body"].as_str().is_some_and(|body| body.contains("forgotten")), "{expanded}");
    let same = entry(&expanded, "/expanded", "py:core/crypto.py#handshake");
    assert!(same.get("changed").is_none(), "{expanded}");
    tree.write("core/crypto.py", "def handshake(peer):\n    return hash(peer)\n");
    let page =
        ask(&world, &tree, "investigate_hydrate", &json!({"bundle_id": bundle, "token_budget": 16_000}));
    page.says("investigate again");
}

#[test]
fn a_scope_narrows_and_a_wrong_one_is_told() {
    let world = World::new();
    let tree = world.tree(&format!("{FILES}//- /web/package.json\n{{\"name\": \"@x/web\"}}\n//- /web/pair.ts\nexport function pairDevice() {{}}\n"));
    let locations = |scope: &str| {
        let args = json!({"query": "pair a device", "scope": scope});
        let answer = ask(&world, &tree, "investigate", &args);
        answer.texts("/entries", "location").into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let all_below = |scope: &str, prefix: &str| {
        let found = locations(scope);
        assert!(!found.is_empty() && found.iter().all(|at| at.starts_with(prefix)), "{scope}: {found:?}");
    };
    all_below("path:device", "device/");
    all_below("project:device", "device/");
    all_below("project:@x/web", "web/");
    all_below("vault", "notes/");
    let name = tree.root().file_name().expect("a folder").to_string_lossy().into_owned();
    assert_eq!(locations(&format!("repo:{name}")), locations("all"));
    for (scope, said) in [
        ("everything", "repo:<name>"),
        ("repo:nowhere", "nowhere"),
        ("project:nothing", "nothing"),
        ("path:../x", "../x"),
    ] {
        let answer = ask(&world, &tree, "investigate", &json!({"query": "device", "scope": scope}));
        assert_eq!(answer.envelope["ok"], false, "{answer}");
        answer.says(said);
    }
}

#[test]
fn what_makes_no_sense_is_told() {
    let world = World::new();
    let tree = world.tree(FILES);
    for query in ["?", "\u{1}"] {
        let _ = investigate(&world, &tree, query).error("BAD_ARGS");
    }
    let nothing = investigate(&world, &tree, "zeppelin");
    assert!(nothing.list("/entries").is_empty() && nothing.ok()["total"] == 0, "{nothing}");
    let long = investigate(&world, &tree, &"device pairing ".repeat(7_000));
    assert!(!long.list("/entries").is_empty(), "{long}");
    let gone = ask(&world, &tree, "investigate_hydrate", &json!({"bundle_id": "b0000000000"}));
    gone.says("24 hours").says("investigate again");
    let _ = gone.error("BUNDLE_NOT_FOUND");
    let found = bundle(&investigate(&world, &tree, "device"));
    let _ = ask(&world, &tree, "investigate_expand", &json!({"bundle_id": found, "targets": []}))
        .error("BAD_ARGS");
    for budget in [100, 150, 300, 1_000, 16_000] {
        let args = json!({"query": "device pairing", "token_budget": budget});
        let answer = ask(&world, &tree, "investigate", &args);
        assert!(answer.envelope["tokenBudget"]["used"].as_u64() <= Some(budget), "{answer}");
        for entry in answer.ok()["entries"].as_array().into_iter().flatten() {
            let has_all = entry["body_complete"] == true;
            assert!(!has_all || entry["inline_body"].is_string(), "{answer}");
        }
    }
}
