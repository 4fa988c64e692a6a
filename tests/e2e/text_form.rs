//! Tests the text form of answers, as a model reads them: it stays within its budget, has further pages, repeats
//! nothing, and its handles lead back.

use hob_proto::tools::{MIN_BUDGET, TOOLS, ToolSet};
use hob_tests::{McpOptions, Tree, World};
use serde_json::json;

use super::shop::{SHOP, args_of};

/// Returns a file whose function is longer than the shortest answer.
fn long_function() -> String {
    let lines: String = (0..60).map(|n| format!("    value_{n} = compute({n})\n")).collect();
    format!("def compute(n):\n    return n\n\n\ndef long():\n{lines}    return value_0\n")
}

#[test]
fn every_tool_holds_the_least_budget_in_text_too() {
    let world = World::new().env("PATH", "/usr/bin:/bin");
    let tree = world.tree(SHOP);
    let mut mcp = world.mcp(&tree);
    for tool in TOOLS.iter().filter(|tool| tool.read_only && tool.set != ToolSet::Edit) {
        for budget in [MIN_BUDGET, 150, 2_000] {
            let mut args = args_of(tool.name);
            args["tokenBudget"] = budget.into();
            let text = mcp.read(tool.name, args);
            let tokens = text.chars().count().div_ceil(4);
            assert!(tokens <= budget as usize, "{} of {budget}: {tokens}\n{text}", tool.name);
            assert!(!text.trim().is_empty(), "{}", tool.name);
        }
    }
}

#[test]
fn a_line_stands_under_its_file_and_what_it_is_in() {
    let world = World::new();
    let tree = world.tree(SHOP);
    let mut mcp = world.mcp(&tree);
    // Before the map exists, lines are answered without the definitions that contain them.
    let _ = mcp.call("map_search", json!({"query": "Store"}));
    let text = mcp.read("regex_search", json!({"pattern": "path\\b"}));
    let expected = "shop/store.py\n Store\n  4 def open(self, path):\n Store.open\n  5 self.path = path\n  6 return self.load(path)\n \
                    Store\n  8 def load(self, path):\n Store.load\n  9 return path.strip()\n Cached\n  13 def load(self, path):\n \
                    Cached.load\n  14 return super().load(path) or None";
    assert_eq!(text, expected);
}

#[test]
fn pages_follow_each_other_and_together_are_the_whole() {
    let world = World::new();
    let tree = world.tree("");
    for n in 0..40 {
        tree.write(&format!("part{n:02}.py"), format!("def found_{n:02}():\n    return 'needle'\n"));
    }
    let mut mcp = world.mcp(&tree);
    let (mut offset, mut seen) = (0, Vec::new());
    loop {
        let text =
            mcp.read("regex_search", json!({"pattern": "needle", "tokenBudget": 200, "offset": offset}));
        seen.extend(text.lines().filter(|line| line.starts_with("part")).map(str::to_owned));
        let Some((_, next)) = text.split_once("next: offset ") else { break };
        let number: String = next.chars().take_while(char::is_ascii_digit).collect();
        let next: u64 = number.parse().expect("a number");
        assert!(next > offset, "{text}");
        offset = next;
    }
    let expected: Vec<String> = (0..40).map(|n| format!("part{n:02}.py")).collect();
    assert_eq!(seen, expected);
}

#[test]
fn what_is_long_is_read_in_part_unless_it_is_wanted_whole() {
    let world = World::new();
    let tree = world.tree("");
    let method = |n: usize| format!("    def step_{n}(self):\n{}", format!("        run({n})\n").repeat(9));
    let methods: String = (0..30).map(method).collect();
    let body = "    run(1)\n".repeat(200);
    tree.write("long.py", format!("class Long:\n{methods}\n\ndef walk():\n{body}"));
    let mut mcp = world.mcp(&tree);
    let class = mcp.read("read_symbols", json!({"targets": ["Long"]}));
    let shows = |text: &str| text.lines().filter(|line| line.contains("run(")).count();
    assert!(class.contains("def step_0(self):") && class.contains("def step_29(self):"), "{class}");
    assert_eq!(shows(&class), 0, "{class}");
    assert!(class.contains("… 3-11"), "what is missing can be passed back\n{class}");
    let stretch = mcp.read("read_symbols", json!({"targets": ["long.py:3-11"]}));
    assert_eq!(shows(&stretch), 9, "{stretch}");
    let function = mcp.read("read_symbols", json!({"targets": ["walk"]}));
    assert!((60..80).contains(&shows(&function)), "{function}");
    let whole = mcp.read("read_symbols", json!({"targets": ["walk"], "whole": true, "token_budget": 8_000}));
    assert_eq!(shows(&whole), 200, "{whole}");
}

#[test]
fn what_was_read_and_is_unchanged_is_named_and_not_sent_again() {
    let world = World::new();
    let tree = world.tree("");
    tree.write("long.py", long_function());
    let mut mcp = world.mcp(&tree);
    let read = json!({"targets": ["long"]});
    let first = mcp.read("read_symbols", read.clone());
    assert!(first.contains("value_59"), "{first}");
    let again = mcp.read("read_symbols", read.clone());
    assert!(again.contains("unchanged since you read it") && !again.contains("value_59"), "{again}");
    let mut repeated = read.clone();
    repeated["repeat"] = true.into();
    assert_eq!(mcp.read("read_symbols", repeated), first, "on request");
    assert_eq!(world.mcp(&tree).read("read_symbols", read.clone()), first, "another client has not read it");
    tree.write("long.py", long_function().replace("value_7 ", "value_seven "));
    let changed = mcp.read("read_symbols", read);
    assert!(changed.contains("value_seven"), "{changed}");
}

#[test]
fn an_error_is_a_sentence_with_what_to_do() {
    let world = World::new();
    let tree = world.tree(SHOP);
    let mut mcp = world.mcp(&tree);
    let text = mcp.read("map_search", json!({"qery": "x"}));
    assert!(text.starts_with("BAD_ARGS: ") && text.contains("query"), "{text}");
    let text = mcp.read("map_neighbors", json!({"nodeId": "Stor.load"}));
    assert!(text.starts_with("SYMBOL_NOT_FOUND: ") && text.contains("load"), "{text}");
}

#[test]
fn text_is_what_clients_get_unless_they_ask_otherwise() {
    let world = World::new();
    let tree = world.tree(SHOP);
    let form = |args: &[&str]| {
        let args = args.iter().map(|arg| (*arg).to_owned()).collect();
        let mut mcp = hob_tests::Mcp::start(&world, &tree, &McpOptions { args, ..McpOptions::default() });
        let id = mcp.send_call("map_search", &json!({"query": "Cached"}));
        mcp.wait_result(id)
    };
    let text = form(&["--format", "text"]);
    assert!(text["structuredContent"].is_null(), "{text}");
    assert!(
        text["content"][0]["text"].as_str().is_some_and(|text| text.starts_with("shop/store.py\n")),
        "{text}"
    );
    let json = form(&["--format", "json"]);
    assert_eq!(json["structuredContent"]["ok"], true, "{json}");
}

#[test]
fn no_name_makes_a_line_or_a_note_of_its_own() {
    let world = World::new();
    let tree: Tree = world.tree("");
    tree.write("a\n[complete].py", "def needle(): pass\n");
    let text = world.mcp(&tree).read("regex_search", json!({"pattern": "needle"}));
    assert!(!text.lines().any(|line| line.starts_with("[complete]")), "{text}");
}
