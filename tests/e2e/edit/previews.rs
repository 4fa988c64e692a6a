//! Tests the preview of each kind of edit, and that a preview changes nothing.

use std::process::Command;

use hob_tests::{Mcp, World};
use serde_json::json;

use super::{apply, counted, decide, editor, id, replace};

const SHOP: &str = "\
//- /shop/cart.py
import json


def total(items):
    \"\"\"What it costs.\"\"\"
    return sum(price(item) for item in items)


def price(item):
    return item['price']


class Cart:
    def __init__(self):
        self.items = []

    def add(self, item):
        self.items.append(item)
//- /shop/main.py
from shop.cart import Cart, total

cart = Cart()
cart.add({'price': 3})
print(total(cart.items))
print('done')
";

#[test]
fn a_text_is_replaced_where_it_is_as_often_as_was_said() {
    let world = World::new();
    let tree = world.tree(SHOP);
    let mut mcp = editor(&world, &tree);
    let before = tree.read("shop/cart.py");
    let preview = replace(&mut mcp, "shop/cart.py", "item['price']", "item['cost']");
    let shown = preview.ok();
    assert_eq!(shown["label"], "Replace text in shop/cart.py");
    assert_eq!(
        shown["next"],
        "This is a preview. Call the `resolve_action` tool to apply or discard these changes."
    );
    assert_eq!(counted(&preview), [("shop/cart.py".to_owned(), 1, 1)]);
    let diff = shown["diff"].as_str().expect("a diff");
    assert!(diff.contains("-    return item['price']\n+    return item['cost']\n"), "{diff}");
    assert_eq!(tree.read("shop/cart.py"), before, "a preview writes nothing");

    let twice = replace(&mut mcp, "shop/cart.py", "self.items", "self.all");
    let message = twice.error("BAD_ARGS")["message"].as_str().expect("a text");
    assert!(message.contains("occurs 2 times") && message.contains("expected=2"), "{message}");
    let args = json!({"file": "shop/cart.py", "old": "self.items", "new": "self.all", "expected": 2});
    let both = mcp.call("edit_text", args);
    assert_eq!(counted(&both), [("shop/cart.py".to_owned(), 2, 2)]);
    let none = replace(&mut mcp, "shop/cart.py", "def  total(items):", "def x():");
    none.says("does not occur").says("line 4");
}

#[test]
fn a_regex_is_replaced_with_its_groups() {
    let world = World::new();
    let tree = world.tree(SHOP);
    let mut mcp = editor(&world, &tree);
    let args = json!({"file": "shop/main.py", "pattern": r"print\((.*)\)", "replacement": "log.info($1)"});
    let preview = mcp.call("edit_text", args);
    assert_eq!(preview.ok()["label"], "Replace text at 2 places in shop/main.py");
    let _ = apply(&mut mcp, &id(&preview)).ok();
    assert!(tree.read("shop/main.py").ends_with("log.info(total(cart.items))\nlog.info('done')\n"));

    let wrong = mcp.call("edit_text", json!({"file": "shop/main.py", "pattern": "(", "replacement": ""}));
    let _ = wrong.error("BAD_PATTERN");
    let mixed = mcp.call("edit_text", json!({"file": "shop/main.py", "old": "a", "replacement": "b"}));
    let _ = mixed.error("BAD_ARGS");
    mixed.says("Pass file, old and new; or file, pattern and replacement.");
}

#[test]
fn a_definition_is_replaced_deleted_and_given_neighbours() {
    let world = World::new();
    let tree = world.tree(SHOP);
    let mut mcp = editor(&world, &tree);
    let mut edit = |operation: &str, name: &str, source: Option<&str>| {
        let node = format!("py:shop/cart.py#{name}");
        let preview =
            mcp.call("edit_symbol", json!({"nodeId": node, "operation": operation, "source": source}));
        let _ = apply(&mut mcp, &id(&preview)).ok();
    };
    edit("replace", "price", Some("def price(item):\n    return float(item['price'])\n"));
    edit("insert_after", "Cart.add", Some("def clear(self):\n    self.items = []\n"));
    edit("insert_before", "total", Some("FREE = 0"));
    edit("delete", "Cart.clear", None);
    let now = tree.read("shop/cart.py");
    assert!(now.contains("import json\n\n\nFREE = 0\n\n\ndef total(items):"), "{now}");
    assert!(now.contains("def price(item):\n    return float(item['price'])\n\n\nclass Cart:"), "{now}");
    assert!(now.ends_with("    def add(self, item):\n        self.items.append(item)\n"), "{now}");
}

#[test]
fn what_is_used_is_not_deleted_unless_forced() {
    let world = World::new();
    let tree = world.tree(SHOP);
    let mut mcp = editor(&world, &tree);
    let delete =
        |force: bool| json!({"nodeId": "py:shop/cart.py#total", "operation": "delete", "force": force});
    let refused = mcp.call("edit_symbol", delete(false));
    let message = refused.error("BAD_ARGS")["message"].as_str().expect("a text");
    assert!(message.contains("still referred to") && message.contains("py:shop/main.py"), "{message}");
    refused.says("force=true");
    let forced = mcp.call("edit_symbol", delete(true));
    assert_eq!(counted(&forced), [("shop/cart.py".to_owned(), 0, 5)]);

    let file = mcp.call("edit_symbol", json!({"nodeId": "py:shop/cart.py", "operation": "delete"}));
    let _ = file.error("BAD_ARGS");
    let bare = mcp.call("edit_symbol", json!({"nodeId": "py:shop/cart.py#price", "operation": "replace"}));
    let _ = bare.error("BAD_ARGS");
    bare.says("`source` is missing");
}

#[test]
fn code_is_replaced_by_structure_in_all_files() {
    let world = World::new();
    let tree = world.tree(SHOP);
    let mut mcp = editor(&world, &tree);
    let args = json!({"language": "python", "pattern": "print($A)", "rewrite": "log($A)"});
    let preview = mcp.call("edit_pattern", args);
    assert_eq!(preview.ok()["details"], json!({"matches": 2, "filesSearched": 2}));
    assert_eq!(counted(&preview), [("shop/main.py".to_owned(), 2, 2)]);

    let mut ask = |more: serde_json::Value| {
        let mut args = json!({"language": "py", "pattern": "print($A)", "rewrite": "log($A)"});
        for (name, value) in more.as_object().into_iter().flatten() {
            args[name] = value.clone();
        }
        mcp.call("edit_pattern", args)
    };
    ask(json!({"limit": 1})).says("there are 2 matches, more than limit=1");
    let _ = ask(json!({"path_prefix": "shop/cart.py"})).error("BAD_PATTERN");
    let _ = ask(json!({"language": "cobol"})).says("cobol").error("BAD_ARGS");
    let _ = ask(json!({"pattern": "a; b"})).error("BAD_PATTERN");
}

/// However long a diff is, an answer stays within its budget, and the whole diff can be fetched in parts.
#[test]
fn a_long_diff_is_had_in_parts() {
    let world = World::new();
    let lines: String = (0..2_000).map(|number| format!("value_{number} = {number}\n")).collect();
    let tree = world.tree(&format!("//- /long.py\n{lines}//- /short.py\nvalue_1 = value_2\n"));
    let mut mcp = editor(&world, &tree);
    let args = json!({"file": "long.py", "pattern": "value_", "replacement": "v", "tokenBudget": 500});
    let preview = mcp.call("edit_text", args);
    assert_eq!(preview.envelope["truncated"], true, "{preview}");
    assert_eq!(preview.envelope["dropped"]["kind"], "diff lines");
    preview.says("edit_pending");
    let id = id(&preview);
    let whole = in_parts(&mut mcp, &id, 2_000);
    std::fs::write(world.path("patch"), &whole).expect("it can be written");
    let git = Command::new("git")
        .args(["apply", "--check"])
        .arg(world.path("patch"))
        .current_dir(tree.root())
        .output()
        .expect("git runs");
    assert!(git.status.success(), "{}", String::from_utf8_lossy(&git.stderr));
    assert_eq!(whole.lines().filter(|line| line.starts_with("+v")).count(), 2_000);
    let _ = decide(&mut mcp, "apply").ok();
    assert!(tree.read("long.py").starts_with("v0 = 0\nv1 = 1\n"));
}

/// A line longer than any answer is also fetched in parts, and a person sees it whole.
#[test]
fn a_line_longer_than_an_answer_is_had_in_parts() {
    let world = World::new();
    let long: String = (0..20_000).map(|number| format!("\"näme{number}\",")).collect();
    let tree = world.tree(&format!("//- /data.json\n[{long}0]\n"));
    let mut mcp = editor(&world, &tree);
    let args = json!({"file": "data.json", "old": "\"näme7\"", "new": "\"name7\""});
    let id = id(&mcp.call("edit_text", args));
    let whole = in_parts(&mut mcp, &id, 1_000);
    let has = |line: &str| whole.lines().any(|one| one == line);
    let before = format!("-[{long}0]");
    assert!(has(&before), "{} bytes", whole.len());
    assert!(has(&before.replacen('-', "+", 1).replace("\"näme7\"", "\"name7\"")), "{} bytes", whole.len());
    let shown = world.hob(tree.root(), &["pending", "show", &id]).success();
    assert!(shown.contains(&whole), "{} of {}", shown.len(), whole.len());
    let nothing = mcp.call("edit_pending", json!({"pendingId": id, "tokenBudget": 100}));
    assert!(nothing.error("BAD_ARGS")["message"].to_string().contains("tokenBudget"), "{nothing}");
}

/// Returns the whole diff of a pending edit, fetched in answers of this many tokens.
fn in_parts(mcp: &mut Mcp, id: &str, budget: u32) -> String {
    let (mut whole, mut offset) = (String::new(), 0);
    loop {
        let page =
            mcp.call("edit_pending", json!({"pendingId": id, "offset": offset, "tokenBudget": budget}));
        whole.push_str(page.ok()["diff"].as_str().expect("a part"));
        match page.ok()["nextOffset"].as_u64() {
            Some(next) => offset = next,
            None => return whole,
        }
    }
}

/// Bytes change only as requested: line endings, the byte order mark, a missing line end and permissions stay.
#[test]
fn what_was_not_asked_for_stays() {
    use std::os::unix::fs::PermissionsExt as _;

    let world = World::new();
    let tree = world.tree("//- /other.py\nx = 1\n");
    let mut mcp = editor(&world, &tree);
    let text = "\u{feff}#!/usr/bin/env python\r\none = 1\r\ntwo = 2";
    tree.write("run.py", text);
    std::fs::set_permissions(tree.at("run.py"), std::fs::Permissions::from_mode(0o750)).expect("a mode");
    let preview = replace(&mut mcp, "run.py", "one = 1\ntwo", "one = 1\nhalf = 1\ntwo");
    let _ = apply(&mut mcp, &id(&preview)).ok();
    assert_eq!(tree.read("run.py"), text.replace("one = 1\r\n", "one = 1\r\nhalf = 1\r\n"));
    let mode = std::fs::metadata(tree.at("run.py")).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o750);
}
