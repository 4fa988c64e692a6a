//! Tests the routing of messages: the server's requests and notifications, the diagnostics of documents, non-standard
//! requests, and columns in the unit that an editor uses.

use hob_tests::{Editor, EditorOptions, Reply, Tree, World};
use serde_json::{Value, json};

use super::{Scripted, server_has};

/// Two editors with one document open, on a server with this script.
struct Pair {
    one: Editor,
    other: Editor,
    tree: Tree,
    scripted: Scripted,
}

impl Pair {
    fn new(text: &str, script: &Value) -> Self {
        let scripted = Scripted::new(script);
        let tree = scripted.world.tree("//- /pyproject.toml\n[project]\nname = \"p\"\n");
        tree.write("a.py", text);
        let [mut one, mut other] = [(), ()].map(|()| Editor::start(&scripted.world, &tree));
        one.open("a.py");
        other.open("a.py");
        assert_eq!(server_has(&mut one, "a.py")["text"], text);
        assert_eq!(server_has(&mut other, "a.py")["text"], text);
        Self { one, other, tree, scripted }
    }
}

/// Makes the server ask the client something while it answers this editor. Returns the reply.
#[track_caller]
fn have_asked(editor: &mut Editor, method: &str, params: &Value) -> Value {
    let mut asked = editor.about("a.py");
    (asked["method"], asked["params"]) = (json!(method), params.clone());
    editor.result("test/ask", &asked)
}

#[test]
fn an_edit_goes_to_the_editor_that_ran_the_command() {
    let asks = json!({"method": "workspace/applyEdit", "params": {"label": "fix", "edit": {"changes": {}}}});
    let mut pair = Pair::new("x = 1\n", &json!({"answers": {"workspace/executeCommand": [{"asks": asks}]}}));
    pair.one.on("workspace/applyEdit", Reply::Result(json!({"applied": true})));
    pair.other.on("workspace/applyEdit", Reply::Result(json!({"applied": false, "failureReason": "mine"})));
    let fix = json!({"command": "fix", "arguments": []});
    // The editor that last did something else is not the one that is meant.
    let _ = pair.one.result("textDocument/hover", &pair.one.at("a.py", "x", 0));
    let got = pair.other.result("workspace/executeCommand", &fix);
    assert_eq!(got["result"]["failureReason"], "mine", "{got}");
    assert_eq!(pair.one.heard("workspace/applyEdit").len(), 0);
    let got = pair.one.result("workspace/executeCommand", &fix);
    assert_eq!(got["result"]["applied"], true, "{got}");
    assert_eq!(pair.one.heard("workspace/applyEdit").len(), 1);
    assert_eq!(pair.other.heard("workspace/applyEdit").len(), 1);
}

#[test]
fn who_works_is_asked_and_errors_of_editors_reach_the_server() {
    let mut pair = Pair::new("x = 1\n", &json!({}));
    let question = json!({"type": 3, "message": "really?", "actions": [{"title": "yes"}, {"title": "no"}]});
    let method = "window/showMessageRequest";
    pair.one.on(method, Reply::Result(json!({"title": "yes"})));
    pair.other.on(method, Reply::Error(json!({"code": -32803, "message": "out to lunch"})));
    let got = have_asked(&mut pair.one, method, &question);
    assert_eq!(got["result"]["title"], "yes", "{got}");
    assert_eq!(pair.other.heard(method).len(), 0);
    let got = have_asked(&mut pair.other, method, &question);
    assert!(got["result"].is_null(), "{got}");
    assert_eq!(pair.one.heard(method).len(), 1);
}

/// A server that waits for a reply which never comes would stop all other answers.
#[test]
fn an_editor_that_is_gone_leaves_no_server_waiting() {
    let mut pair = Pair::new("x = 1\n", &json!({}));
    let method = "window/showMessageRequest";
    pair.one.on(method, Reply::Silence);
    let mut asked = pair.one.about("a.py");
    (asked["method"], asked["params"]) = (json!(method), json!({"type": 3, "message": "still there?"}));
    pair.one.send("test/ask", &asked);
    let _ = pair.one.hear(method, |_| true);
    let next = Editor::start(&pair.scripted.world, &pair.tree);
    std::mem::replace(&mut pair.one, next).kill();
    assert_eq!(server_has(&mut pair.other, "a.py")["text"], "x = 1\n");
    assert_eq!(pair.other.heard(method).len(), 0, "nobody else is asked instead");
    pair.scripted.without_complaints();
}

#[test]
fn settings_are_answered_whoever_is_there() {
    let mut pair = Pair::new("x = 1\n", &json!({}));
    let items = json!({"items": [{"section": "python"}, {"section": "nobody.knows"}]});
    let got = have_asked(&mut pair.one, "workspace/configuration", &items);
    assert_eq!(got["result"].as_array().map(Vec::len), Some(2), "one for each: {got}");
    let got = have_asked(&mut pair.one, "workspace/workspaceFolders", &Value::Null);
    let root = pair.one.uri("");
    assert!(
        got["result"].as_array().is_some_and(|all| all.iter().any(|one| one["uri"] == root.as_str())),
        "{got}"
    );
    let got = have_asked(&mut pair.one, "client/registerCapability", &json!({"registrations": []}));
    assert!(got["error"].is_null(), "{got}");
}

#[test]
fn what_a_server_registers_is_told_to_everybody_and_to_who_comes_later() {
    let able = EditorOptions {
        capabilities: json!({"textDocument": {"formatting": {"dynamicRegistration": true}}}),
        ..EditorOptions::default()
    };
    let mut pair = Pair::new("x = 1\n", &json!({}));
    let mut third = Editor::start_with(&pair.scripted.world, &pair.tree, &able);
    third.open("a.py");
    let _ = server_has(&mut third, "a.py");
    let one = json!({"id": "7", "method": "textDocument/formatting", "registerOptions": {}});
    let got = have_asked(&mut pair.one, "client/registerCapability", &json!({"registrations": [one]}));
    assert!(got["error"].is_null(), "{got}");
    let is_it = |params: &Value| params["registrations"][0]["method"] == "textDocument/formatting";
    let _ = third.hear("client/registerCapability", is_it);
    assert_eq!(pair.other.heard("client/registerCapability").len(), 0, "it does not know such requests");
    let mut late = Editor::start_with(&pair.scripted.world, &pair.tree, &able);
    assert!(!late.greeting["capabilities"]["documentFormattingProvider"].is_null(), "{}", late.greeting);
    late.open("a.py");
    let _ = server_has(&mut late, "a.py");
    assert_eq!(late.heard("client/registerCapability").len(), 0, "and not a second time");
}

#[test]
fn what_nobody_standardised_passes_through() {
    let told = json!({"jsonrpc": "2.0", "method": "test/told", "params": {"n": [1, null, "é𝒳"]}});
    let refusal = json!({"error": {"code": -32050, "message": "not today", "data": {"until": "tomorrow"}}});
    let script =
        json!({"answers": {"test/poke": [{"tells": [told], "result": "poked"}], "test/no": [refusal]}});
    let mut pair = Pair::new("x = 1\n", &script);
    let mut params = pair.one.about("a.py");
    params["deep"] = json!({"list": [1, 2.5, null, {"é": "𝒳"}], "text": "\u{0}\u{7f}\\\""});
    assert_eq!(pair.one.result("test/echo", &params), params, "as it was written");
    assert_eq!(pair.one.result("test/poke", &pair.one.about("a.py")), "poked");
    for editor in [&mut pair.one, &mut pair.other] {
        let heard = editor.hear("test/told", |_| true);
        assert_eq!(heard, json!({"n": [1, null, "é𝒳"]}), "everybody is told");
    }
    let error = pair.one.request("test/no", &pair.one.about("a.py")).expect_err("it refuses");
    assert_eq!((&error["code"], &error["data"]["until"]), (&json!(-32050), &json!("tomorrow")), "{error}");
    pair.one.notify("test/heard", &pair.one.about("a.py"));
    let _ = server_has(&mut pair.one, "a.py");
    assert_eq!(pair.scripted.got("test/heard").len(), 1, "notifications too");
}

#[test]
fn verdicts_reach_everybody_who_has_the_document_with_the_number_of_their_own_text() {
    let mut pair = Pair::new("bad = 1\n", &json!({"judges": {}}));
    pair.one.replace("a.py", "good = 1\n");
    pair.one.replace("a.py", "bad = 1\n");
    let wrong = |count: usize, version: i64| {
        move |params: &Value| {
            params["diagnostics"].as_array().map(Vec::len) == Some(count)
                && (params["version"].is_null() || params["version"] == version)
        }
    };
    pair.one.hear_diagnostics("a.py", wrong(1, 3));
    pair.other.hear_diagnostics("a.py", wrong(1, 1));
    let mut late = Editor::start(&pair.scripted.world, &pair.tree);
    late.open("a.py");
    late.hear_diagnostics("a.py", wrong(1, 1));
    // From now on their texts differ, and diagnostics of one text do not apply to the other.
    pair.one.forget();
    pair.other.forget();
    pair.one.replace("a.py", "good = 1\nbad = 2\nbad = 3\n");
    pair.one.hear_diagnostics("a.py", wrong(2, 4));
    // Messages that were on their way to the other editor have arrived when it gets a later answer.
    let _ = pair.other.request("hob/status", &json!({}));
    for said in pair.other.heard("textDocument/publishDiagnostics") {
        let wrong = said["params"]["diagnostics"].as_array().map_or(0, Vec::len);
        assert!(wrong < 2, "about a text that it has not: {said}");
    }
    pair.one.save("a.py");
    pair.other.replace("a.py", "good = 1\nbad = 2\nbad = 3\n");
    pair.other.hear_diagnostics("a.py", wrong(2, 2));
}

#[test]
fn progress_reaches_editors_under_tokens_that_do_not_clash() {
    let begin = json!({"kind": "begin", "title": "indexing"});
    let then = json!([
        {"id": "p1", "method": "window/workDoneProgress/create", "params": {"token": "t"}},
        {"delayMs": 50, "method": "$/progress", "params": {"token": "t", "value": begin}},
        {"delayMs": 50, "method": "$/progress", "params": {"token": "t", "value": {"kind": "end"}}},
    ]);
    let mut pair = Pair::new("x = 1\n", &json!({"then": then}));
    let about = |params: &Value| params["value"]["title"] == "indexing";
    let token = pair.one.hear("$/progress", about)["token"].clone();
    let ends = |params: &Value| params["value"]["kind"] == "end" && params["token"] == token;
    pair.one.hear("$/progress", ends);
    let created = pair.one.heard("window/workDoneProgress/create");
    assert!(created.iter().any(|one| one["params"]["token"] == token), "{created:?}");
}

#[test]
fn columns_are_translated_for_an_editor_that_counts_bytes() {
    let range = json!({"start": {"line": 0, "character": 12}, "end": {"line": 0, "character": 16}});
    let hover = json!({"result": {"contents": "a name", "range": range}});
    let scripted = Scripted::new(&json!({"answers": {"textDocument/hover": [hover]}}));
    let tree = scripted.world.tree("//- /a.py\ns = '𝒳é' + name\n");
    let capabilities = json!({"general": {"positionEncodings": ["utf-8"]}});
    let options = EditorOptions { capabilities, ..EditorOptions::default() };
    let mut editor = Editor::start_with(&scripted.world, &tree, &options);
    assert_eq!(editor.greeting["capabilities"]["positionEncoding"], "utf-8", "{}", editor.greeting);
    editor.open("a.py");
    let _ = server_has(&mut editor, "a.py");
    let at = editor.at("a.py", "name", 0);
    assert_eq!(at["position"]["character"], 15, "the editor counts bytes");
    let told = editor.result("textDocument/hover", &at);
    let asked = scripted.got("textDocument/hover");
    assert_eq!(
        asked.last().map(|params| params["position"]["character"].clone()),
        Some(json!(12)),
        "{asked:?}"
    );
    assert_eq!(told["range"]["start"]["character"], 15, "{told}");
    assert_eq!(told["range"]["end"]["character"], 19, "{told}");
    editor.substitute("a.py", "é' + name", "日本' + 𝒳name");
    editor.substitute("a.py", "𝒳name", "other");
    assert_eq!(server_has(&mut editor, "a.py")["text"], "s = '𝒳日本' + other\n");
    scripted.without_complaints();
}

/// One editor, two projects: each project has its own server, and each document goes to the server of its project.
#[test]
fn an_editor_with_two_folders_is_served_in_both() {
    let scripted = Scripted::new(&json!({}));
    let folders = ["one", "two"];
    for folder in folders {
        let _ = Tree::new(&scripted.world.path(&format!("ws/{folder}")), "//- /a.py\nx = 1\n");
    }
    let above = Tree::unversioned(&scripted.world.path("ws"), "");
    let options = EditorOptions { folders: folders.map(String::from).to_vec(), ..EditorOptions::default() };
    let mut editor = Editor::start_with(&scripted.world, &above, &options);
    for folder in folders {
        let file = format!("{folder}/a.py");
        editor.open(&file);
        editor.substitute(&file, "1", folder);
    }
    for folder in folders {
        let has = server_has(&mut editor, &format!("{folder}/a.py"));
        assert_eq!(has["text"], format!("x = {folder}\n"), "{has}");
    }
    assert_eq!(scripted.starts(), 2, "one for each");
    scripted.without_complaints();
}

#[test]
fn hobs_own_questions_are_answered_beside_the_protocols() {
    let world = World::new().env("PATH", "/usr/bin:/bin");
    let tree = world.tree(
        "//- /a.py\ndef inner(): pass\ndef outer(): inner()\n//- /b.py\nfrom a import inner\ninner()\n",
    );
    let mut editor = Editor::start(&world, &tree);
    editor.open("a.py");
    let found = editor.result("hob/regexSearch", &json!({"pattern": "inner\\("}));
    assert!(found.to_string().contains("b.py"), "{found}");
    let meant = editor.result("hob/resolve", &json!({"subject": "inner"}));
    assert!(meant.to_string().contains("py:a.py#inner"), "{meant}");
    let around = editor.result("hob/neighbors", &json!({"nodeId": "py:a.py#inner"}));
    assert!(around.to_string().contains("py:a.py#outer"), "{around}");
    let touched = editor.result("hob/impact", &json!({"symbol": "py:a.py#inner"}));
    assert!(touched.to_string().contains("b.py"), "{touched}");
    let refused = editor.result("hob/regexSearch", &json!({"pattern": "("}));
    assert_eq!(refused["error"]["code"], "BAD_PATTERN", "a tool's failure is its answer: {refused}");
    let wrong = editor.request("hob/regexSearch", &json!({"words": "x"})).expect_err("no such argument");
    assert_eq!(wrong["code"], -32602, "{wrong}");
    let unknown = editor.request("hob/nothingOfTheKind", &json!({})).expect_err("there is none");
    assert_eq!(unknown["code"], -32601, "{unknown}");
}
