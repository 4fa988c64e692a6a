//! Tests several views of one project: agents see what an editor has not saved, and are warned. If two editors change
//! one document, the text of the first one counts, and the second one is told.

use hob_tests::{Editor, Mcp, Tree, World};
use serde_json::{Value, json};

use super::super::nav_faults::below;
use super::{Scripted, server_gets, server_has, until, with_pyright};

const SHOP: &str = "\
//- /pyproject.toml
[project]
name = \"shop\"
//- /shop.py
def total(items: list[int]) -> int:
    return sum(items)
//- /use.py
from shop import total

print(total([1]))
";

/// Returns the lines that refer to the definition in the first line of `shop.py`, by file, and the warnings.
fn references(mcp: &mut Mcp) -> (Vec<String>, String) {
    let answer = mcp.call("nav_references", json!({"file": "shop.py", "line": 1, "col": 5}));
    let one = |at: &Value| format!("{}:{}", at["file"].as_str().unwrap_or_default(), at["line"]);
    let places = answer.list("/locations").iter().map(one).collect();
    (places, answer.warnings())
}

fn signature(mcp: &mut Mcp) -> (String, String) {
    let answer = mcp.call("nav_type", json!({"file": "use.py", "line": 3, "col": 7}));
    (answer.ok()["signature"].as_str().unwrap_or_default().to_owned(), answer.warnings())
}

/// Renames a function in both files and adds a call, without saving.
fn rename_unsaved(editor: &mut Editor) {
    editor.open("shop.py");
    editor.open("use.py");
    editor.substitute("shop.py", "total", "grand_total");
    editor.substitute("use.py", "import total", "import grand_total");
    editor.substitute("use.py", "print(total([1]))", "print(grand_total([1]))\nprint(grand_total([2]))");
}

/// Returns the number of language server processes, including their guards.
fn servers(world: &World) -> usize {
    below(world.daemon_pid().expect("a daemon runs")).len()
}

#[test]
fn an_agent_sees_what_an_editor_has_not_saved_until_the_editor_is_gone() {
    let world = with_pyright();
    let tree = world.tree(SHOP);
    let mut agent = world.mcp(&tree);
    let (saved, warned) = references(&mut agent);
    assert_eq!(
        (saved.as_slice(), warned.contains("unsaved")),
        (&["use.py:1", "use.py:3"].map(String::from)[..], false)
    );
    let alone = servers(&world);
    let mut editor = Editor::start(&world, &tree);
    rename_unsaved(&mut editor);
    // Its own answer comes after its message, so the daemon knows the text by then.
    let own = editor.result("textDocument/definition", &editor.at("use.py", "grand_total([2])", 2));
    assert!(own.to_string().contains("shop.py"), "{own}");
    let (unsaved, warned) = references(&mut agent);
    assert_eq!(unsaved, ["use.py:1", "use.py:3", "use.py:4"], "{warned}");
    assert!(warned.contains("use.py") && warned.contains("shop.py"), "the buffers are named: {warned}");
    let (renamed, warned) = signature(&mut agent);
    assert!(renamed.contains("grand_total"), "{renamed}");
    assert!(warned.contains("use.py"), "{warned}");
    let defined = agent.call("nav_definition", json!({"file": "use.py", "line": 4, "col": 8}));
    assert_eq!(defined.texts("/locations", "file"), ["shop.py"], "a line that is on no disk{defined}");
    let status = agent.call("map_status", json!({}));
    assert_eq!(status.ok()["lsp"].as_object().map(|all| all.len()), Some(1), "one server{status}");
    assert_eq!(servers(&world), alone, "no process more than for the agent alone");
    editor.kill();
    until("the disk's references again", || references(&mut agent).0 == saved);
    let (back, warned) = signature(&mut agent);
    assert!(back.contains("total") && !back.contains("grand_total"), "{back}");
    assert!(!warned.contains("use.py"), "nothing is unsaved any more: {warned}");
}

#[test]
fn saving_makes_an_unsaved_text_the_disks_own() {
    let world = with_pyright();
    let tree = world.tree(SHOP);
    let mut editor = Editor::start(&world, &tree);
    rename_unsaved(&mut editor);
    let mut agent = world.mcp(&tree);
    let _ = editor.result("textDocument/hover", &editor.at("use.py", "grand_total([2])", 2));
    assert!(references(&mut agent).1.contains("use.py"));
    editor.save("shop.py");
    editor.save("use.py");
    let _ = editor.result("textDocument/hover", &editor.at("use.py", "grand_total([2])", 2));
    let (places, warned) = references(&mut agent);
    assert_eq!(places, ["use.py:1", "use.py:3", "use.py:4"]);
    assert!(!warned.contains("use.py"), "{warned}");
    editor.close("shop.py");
    editor.close("use.py");
    assert_eq!(references(&mut agent).0, places, "nothing changes by closing what is saved");
}

/// Two editors with one document open. The first one has changed it.
struct Two {
    first: Editor,
    second: Editor,
    _tree: Tree,
    scripted: Scripted,
}

impl Two {
    fn new() -> Self {
        let scripted = Scripted::new(&json!({}));
        let tree = scripted.world.tree("//- /a.py\nx = 1\n");
        let [mut first, mut second] = [(), ()].map(|()| Editor::start(&scripted.world, &tree));
        first.open("a.py");
        second.open("a.py");
        first.substitute("a.py", "1", "one");
        assert_eq!(server_has(&mut first, "a.py")["text"], "x = one\n");
        Self { first, second, _tree: tree, scripted }
    }

    /// Changes the document in the second editor too.
    fn disagree(&mut self) {
        self.second.substitute("a.py", "1", "two");
        let said = self.second.hear("window/showMessage", |params| {
            params["message"].as_str().is_some_and(|text| text.contains("a.py"))
        });
        assert!(said["type"].as_u64().is_some_and(|kind| kind <= 3), "it is worth a look: {said}");
        let refused = self.second.request("textDocument/hover", &self.second.at("a.py", "x", 0));
        assert_eq!(refused.expect_err("its text is not the server's")["code"], -32801);
        assert!(self.first.request("textDocument/hover", &self.first.at("a.py", "x", 0)).is_ok());
        assert_eq!(server_has(&mut self.first, "a.py")["text"], "x = one\n", "the first one counts");
    }

    /// Checks that the text of the second editor counts now.
    fn second_counts(&mut self) {
        server_gets(&mut self.second, "a.py", "x = two\n");
        assert!(self.second.request("textDocument/hover", &self.second.at("a.py", "x", 0)).is_ok());
        self.second.substitute("a.py", "two", "three");
        assert_eq!(server_has(&mut self.second, "a.py")["text"], "x = three\n");
        self.scripted.without_complaints();
    }
}

#[test]
fn of_two_editors_the_first_one_counts_until_it_saves() {
    let mut two = Two::new();
    two.disagree();
    let told = two.second.heard("window/showMessage").len();
    two.second.substitute("a.py", "two", "twoo");
    two.second.substitute("a.py", "twoo", "two");
    let _ = two.second.request("textDocument/hover", &two.second.at("a.py", "x", 0));
    assert_eq!(two.second.heard("window/showMessage").len(), told, "once is enough");
    two.first.save("a.py");
    two.second_counts();
}

#[test]
fn of_two_editors_the_first_one_counts_until_it_closes() {
    let mut two = Two::new();
    two.disagree();
    two.first.close("a.py");
    two.second_counts();
}

#[test]
fn of_two_editors_the_first_one_counts_until_it_undoes() {
    let mut two = Two::new();
    two.disagree();
    two.first.substitute("a.py", "one", "1");
    two.second_counts();
}

#[test]
fn of_two_editors_the_first_one_counts_until_it_is_killed() {
    let mut two = Two::new();
    two.disagree();
    let new = Editor::start(&two.scripted.world, &two._tree);
    std::mem::replace(&mut two.first, new).kill();
    two.second_counts();
}

/// If another program writes the file while an editor has it open unchanged, the server and the agent learn of it.
#[test]
fn what_is_written_under_an_unchanged_buffer_reaches_the_server() {
    let scripted = Scripted::new(&json!({}));
    let tree = scripted.world.tree("//- /a.py\nx = 1\n");
    let mut editor = Editor::start(&scripted.world, &tree);
    editor.open("a.py");
    assert_eq!(server_has(&mut editor, "a.py")["text"], "x = 1\n");
    tree.write("a.py", "x = 2\n");
    editor.replace("a.py", "x = 2\n");
    server_gets(&mut editor, "a.py", "x = 2\n");
    editor.substitute("a.py", "2", "3");
    tree.write("a.py", "x = 4\n");
    let mut agent = scripted.world.mcp(&tree);
    // After a call, the daemon has seen every write before it.
    let _ = agent.call("regex_search", json!({"pattern": "x"}));
    assert_eq!(server_has(&mut editor, "a.py")["text"], "x = 3\n", "what the user typed counts");
    editor.close("a.py");
    scripted.without_complaints();
}
