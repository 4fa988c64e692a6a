//! Tests faults of servers, as an agent sees them: there is an error with a code, or an answer that states its
//! completeness. There is never a wrong answer or a false "none", and calls that do not need that server are not
//! affected.
//!
//! A scripted server is on the `PATH` under the name of a real one. The last test uses a real server and kills it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, Instant};

use hob_tests::{FOREVER, Mcp, Rng, Tree, World, binaries, is_alive, kill_hard};
use serde_json::{Value, json};

use super::nav::{path_with, ty_alone};

const TREE: &str = "\
//- /a.py
def f(): pass
//- /a.go
package a
//- /a.ts
let a = 1;
//- /a.c
int a;
";

/// Returns a world with these servers, each with the scripts for its first, second and further starts.
fn world(servers: &[(&str, &[Value])]) -> World {
    let world = World::new();
    let folder = world.path("bin");
    fs::create_dir(&folder).expect("a folder");
    for (name, scripts) in servers {
        stand_in(&world, name, scripts);
    }
    let path = format!("{}:/usr/bin:/bin", folder.display());
    world.env("PATH", path)
}

/// Puts a scripted server under this name on the `PATH`. Each start adds a line to `<name>.starts`.
pub(super) fn stand_in(world: &World, name: &str, scripts: &[Value]) {
    let starts = world.path(&format!("{name}.starts"));
    let fake = binaries().join("fake-lsp");
    let mut text =
        String::from("#!/bin/sh\ncase \"$1\" in --version|version) echo 'Version 9.0.0'; exit 0;; esac\n");
    text.push_str(&format!("echo start >> '{0}'\ncase $(wc -l < '{0}') in\n", starts.display()));
    let (last, first) = scripts.split_last().expect("a script");
    for (i, script) in first.iter().enumerate() {
        text.push_str(&format!("{}) exec '{}' '{script}';;\n", i + 1, fake.display()));
    }
    text.push_str(&format!("*) exec '{}' '{last}';;\nesac\n", fake.display()));
    let program = world.path("bin").join(name);
    fs::write(&program, text).expect("it can be written");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it can be made a program");
}

pub(super) fn starts(world: &World, name: &str) -> usize {
    fs::read_to_string(world.path(&format!("{name}.starts"))).unwrap_or_default().lines().count()
}

/// Returns the script of a server that can do everything, with these answers.
fn script(answers: Value) -> Value {
    let able = ["definition", "references", "hover", "implementation", "documentSymbol"];
    let capabilities: Value = able.iter().map(|what| (format!("{what}Provider"), json!(true))).collect();
    json!({"capabilities": capabilities, "answers": answers})
}

fn at(file: &str) -> Value {
    json!({"file": file, "line": 1, "col": 5})
}

fn hover(text: &str) -> Value {
    json!({"result": {"contents": text}})
}

#[test]
fn a_slow_answer_is_waited_for_or_cancelled() {
    let slow = json!({"delayMs": 1_500, "result": {"contents": "slow and right"}});
    let never = json!({"silent": true});
    let mut script = script(json!({"textDocument/hover": [slow, never, hover("still there")]}));
    let scratch = tempfile::TempDir::new().expect("a folder");
    let record = scratch.path().join("record");
    script["record"] = json!(record);
    let world = world(&[("ty", &[script])]);
    let tree = world.tree(TREE);
    let mut mcp = world.mcp(&tree);
    let answer = mcp.call("nav_type", at("a.py"));
    assert_eq!(answer.ok()["signature"], "slow and right", "{answer}");
    let told = || fs::read_to_string(&record).unwrap_or_default();
    let id = mcp.send_call("nav_type", &at("a.py"));
    until("it is asked", || told().matches("textDocument/hover").count() >= 2);
    let params = json!({"requestId": id, "reason": "test"});
    mcp.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
    until("the server hears of it", || told().contains("$/cancelRequest"));
    let answer = mcp.call("nav_type", at("a.py"));
    assert_eq!(answer.ok()["signature"], "still there", "{answer}");
    assert_eq!(starts(&world, "ty"), 1);
}

#[test]
fn a_server_that_cannot_start_is_given_up_with_its_last_words() {
    let world = world(&[("ty", &[script(json!({"initialize": [{"crash": 3}]}))])]);
    let tree = world.tree(TREE);
    let mut mcp = world.mcp(&tree);
    let answer = mcp.call("nav_references", at("a.py"));
    let words = json!(["the fake server was told to crash"]);
    let error = answer.error("LSP_FAILED");
    assert_eq!(error["stderrTail"], words, "{answer}");
    let program = world.path("bin/ty").display().to_string();
    let says = |text: &str| text.contains("exit code 3") && text.contains(&program);
    assert!(error["message"].as_str().is_some_and(says), "{answer}");
    assert_eq!(starts(&world, "ty"), 1, "it is said at once");
    until("it is given up", || {
        let answer = world.call(&tree, "nav_type", &at("a.py"));
        answer.error("LSP_FAILED")["message"].as_str().is_some_and(|text| text.contains("repeatedly"))
    });
    assert_eq!(starts(&world, "ty"), 5);
    let status = mcp.call("map_status", json!({}));
    let shown = &status.ok()["lsp"]["ty"];
    assert_eq!((&shown["state"], &shown["stderrTail"]), (&json!("failed"), &words), "{status}");
    assert_eq!(mcp.call("nav_type", at("a.py")).error("LSP_FAILED")["stderrTail"], words);
    assert_eq!(starts(&world, "ty"), 5, "it is not tried again");
    assert_eq!(mcp.call("regex_search", json!({"pattern": "def f"})).ok()["total_lines"], 1);
}

#[test]
fn a_server_that_dies_of_a_question_is_replaced() {
    let dying = script(json!({"textDocument/hover": [{"crash": 1}]}));
    let living = script(json!({"textDocument/hover": [hover("the second one")]}));
    let world = world(&[("ty", &[dying, living])]);
    let tree = world.tree(TREE);
    let answer = world.call(&tree, "nav_type", &at("a.py"));
    assert_eq!(answer.ok()["signature"], "the second one", "{answer}");
    assert_eq!(starts(&world, "ty"), 2);
}

#[test]
fn what_a_server_cannot_do_is_said() {
    let unknown = json!({"error": {"code": -32601, "message": "never heard of it"}});
    let refusal = json!({"error": {"code": -32603, "message": "it is Monday"}});
    let answers = json!({"textDocument/references": [unknown], "textDocument/hover": [refusal]});
    let mut able = script(answers);
    able["capabilities"]["implementationProvider"] = json!(false);
    let world = world(&[("ty", &[able])]);
    let tree = world.tree(TREE);
    let mut mcp = world.mcp(&tree);
    for tool in ["nav_implementations", "nav_references", "nav_callHierarchy"] {
        let answer = mcp.call(tool, at("a.py"));
        let code = answer.envelope["error"]["code"].as_str().unwrap_or("none");
        // A call hierarchy may use references instead, which this server cannot give either, and then the map.
        assert!(code == "LSP_UNSUPPORTED" || tool == "nav_callHierarchy", "{answer}");
    }
    let refused = mcp.call("nav_type", at("a.py"));
    refused.says("it is Monday").says("The map answers instead");
    let answer = refused.ok();
    assert_eq!((&answer["source"], &answer["completeness"]), (&json!("map"), &json!("partial")), "{refused}");
    assert_eq!(answer["signature"], "def f()", "{refused}");
    assert_eq!(starts(&world, "ty"), 1, "a refusal is no death");
}

#[test]
fn without_a_call_hierarchy_references_answer_and_without_those_the_map() {
    let world = world(&[]);
    let tree = world.tree("//- /a.py\ndef f():\n    pass\ndef g():\n    f()\n    f()\ndef h():\n    g()\n");
    let mut mcp = world.mcp(&tree);
    let ask = |mcp: &mut hob_tests::Mcp, line: u32, direction: &str| {
        let args = json!({"file": "a.py", "line": line, "col": 5, "direction": direction, "depth": 2});
        let answer = mcp.call("nav_callHierarchy", args);
        assert_eq!(answer.ok()["completeness"], "partial", "{answer}");
        answer.says("treat as approximate").ok().clone()
    };
    let of_map = ask(&mut mcp, 1, "incoming");
    assert_eq!((&of_map["source"], &of_map["root"]["name"]), (&json!("fallback-map"), &json!("f")));
    assert_eq!(of_map["calls"][0]["name"], "g", "{of_map}");
    assert_eq!(of_map["calls"][0]["callSites"], json!([{"line": 4}, {"line": 5}]), "{of_map}");
    assert_eq!(of_map["calls"][0]["calls"][0]["name"], "h", "{of_map}");
    let uri = format!("file://{}", tree.at("a.py").display());
    let at = |line: u32| {
        let place = |character: u32| json!({"line": line - 1, "character": character});
        json!({"uri": uri, "range": {"start": place(4), "end": place(5)}})
    };
    let answers = json!({"textDocument/references": [{"result": [at(4), at(5)]}, {"result": [at(7)]}]});
    stand_in(&world, "ty", &[script(answers)]);
    let found = ask(&mut mcp, 1, "incoming");
    assert_eq!(found["source"], "fallback-references", "{found}");
    assert_eq!(
        found["calls"][0]["callSites"],
        json!([{"line": 4, "col": 5}, {"line": 5, "col": 5}]),
        "{found}"
    );
    assert_eq!(found["calls"][0]["calls"][0]["name"], "h", "{found}");
    let outgoing = ask(&mut mcp, 3, "outgoing");
    assert_eq!((&outgoing["source"], &outgoing["calls"][0]["name"]), (&json!("fallback-map"), &json!("f")));
}

#[test]
fn an_early_answer_is_never_called_complete() {
    let begin = json!({"method": "$/progress", "params": {"token": "backgroundIndexProgress", "value": {
        "kind": "begin", "title": "indexing"}}});
    let mut loading = script(json!({"textDocument/references": [{"result": []}]}));
    loading["then"] = json!([begin]);
    let saying_nothing = script(json!({"textDocument/references": [{"items": 1}]}));
    let world = world(&[("clangd", &[loading]), ("pyright-langserver", &[saying_nothing])]);
    let tree = world.tree(TREE);
    let mut mcp = world.mcp(&tree);
    let ids = ["a.c", "a.py"].map(|file| (file, mcp.send_call("nav_references", &at(file))));
    let [early, unsaid] = ids.map(|(file, id)| mcp.wait_call(id, "nav_references", at(file)));
    assert_eq!(
        (&early.ok()["completeness"], &early.ok()["total"]),
        (&json!("partial"), &json!(0)),
        "{early}"
    );
    assert!(early.warnings().contains("indexing"), "{early}");
    assert_eq!(unsaid.ok()["completeness"], "unknown", "{unsaid}");
    assert!(unsaid.warnings().contains("has not said"), "{unsaid}");
}

const CALLED: &str = "\
//- /a.py
def f(): pass

def grow():
    return f()
//- /a.c
int f(void) { return 1; }
int grow(void) { return f(); }
";

#[test]
fn while_a_server_starts_the_map_answers_and_the_next_call_has_the_servers_answer() {
    let mut slow = script(json!({"textDocument/hover": [hover("word of ty")]}));
    slow["answers"]["initialize"] =
        json!([{"delayMs": 11_000, "result": {"capabilities": slow["capabilities"]}}]);
    let world = world(&[("ty", &[slow])]);
    let tree = world.tree(CALLED);
    let mut mcp = world.mcp(&tree);
    let _ = mcp.call("map_overview", json!({}));
    let asked = json!({"target": "a.py#f"});
    let early = mcp.call_once("nav_type", asked.clone());
    assert_eq!(
        (&early.ok()["signature"], &early.ok()["completeness"], &early.ok()["source"]),
        (&json!("def f()"), &json!("partial"), &json!("map")),
        "{early}"
    );
    let text = mcp.read("nav_references", json!({"target": "a.py#f"}));
    assert!(text.starts_with("a.py\n grow\n  4 return f()\n[partial: ty is starting; ask again"), "{text}");
    assert!(!text.contains("[partial]") && text.contains("[from the map]"), "{text}");
    let callers = mcp.call_once("nav_callHierarchy", asked.clone());
    assert_eq!(callers.texts("/calls", "name"), ["grow"], "{callers}");
    let later = mcp.call("nav_type", asked);
    assert_eq!(
        (&later.ok()["signature"], &later.ok()["source"]),
        (&json!("word of ty"), &json!("lsp")),
        "{later}"
    );
    assert_eq!(starts(&world, "ty"), 1);
}

#[test]
fn while_a_server_loads_the_map_answers_and_edits_do_not() {
    let progress = |value: Value| json!({"method": "$/progress", "params": {"token": "backgroundIndexProgress", "value": value}});
    let mut loading = script(json!({"textDocument/hover": [hover("word of ty")],
        "textDocument/definition": [{"result": []}]}));
    loading["capabilities"]["renameProvider"] = true.into();
    loading["then"] = json!([
        progress(json!({"kind": "begin", "title": "indexing"})),
        progress(json!({"kind": "report", "message": "3/9", "percentage": 33})),
    ]);
    let world = world(&[("clangd", &[loading])]);
    let tree = world.tree(CALLED);
    let mut mcp = world.mcp(&tree);
    let _ = mcp.call("map_overview", json!({}));
    for tool in ["nav_references", "nav_definition", "nav_type", "nav_callHierarchy"] {
        let early = mcp.call_once(tool, json!({"target": "a.c#f"}));
        assert_eq!(early.ok()["completeness"], "partial", "{early}");
        assert!(early.warnings().contains("Partial: clangd is loading, 3/9 33 %; ask again"), "{early}");
    }
    let named = mcp.call_once("nav_workspaceSymbols", json!({"query": "grow"}));
    assert_eq!(
        (&named.ok()["source"], &named.ok()["symbols"][0]["name"]),
        (&json!("map"), &json!("grow")),
        "{named}"
    );
    let unknown = mcp.call_once("nav_type", json!({"file": "a.c", "line": 1, "col": 1}));
    assert_eq!(
        unknown.ok()["signature"],
        "word of ty",
        "what the map does not know is waited for: {unknown}"
    );
    let mut editor = super::edit::editor(&world, &tree);
    let renamed = editor.call("edit_rename", json!({"nodeId": "a.c#f", "newName": "h"}));
    assert!(renamed.envelope["ok"] == false, "{renamed}");
}

#[test]
fn noise_and_floods_stay_within_the_budget() {
    let noisy = json!({"garbage": "a stray line\n", "result": {"contents": "through"},
        "twice": true});
    let nonsense = json!({"result": 5});
    let answers = json!({
        "textDocument/hover": [noisy],
        "textDocument/references": [{"items": 100_000}],
        "textDocument/definition": [nonsense],
        "textDocument/documentSymbol": [{"garbage": "Content-Length: many\r\n\r\n", "result": []}],
    });
    let world = world(&[("ty", &[script(answers)])]);
    let tree = world.tree(TREE);
    let mut mcp = world.mcp(&tree);
    assert_eq!(mcp.call("nav_type", at("a.py")).ok()["signature"], "through");
    let huge = mcp.call("nav_references", json!({"file": "a.py", "line": 1, "tokenBudget": 500}));
    assert_eq!(huge.ok()["total"], 100_000, "{huge}");
    let shown = huge.list("/locations").len() as u64;
    assert!(shown > 0 && huge.envelope["truncated"] == true, "{huge}");
    assert_eq!(huge.envelope["dropped"]["count"].as_u64(), Some(100_000 - shown), "{huge}");
    assert!(mcp.call("nav_definition", at("a.py")).error("LSP_FAILED")["message"].is_string());
    assert_eq!(starts(&world, "ty"), 1, "so far it was bearable");
    let lost = mcp.call("nav_symbols", json!({"file": "a.py"}));
    assert!(lost.error("LSP_FAILED")["hint"].is_string(), "{lost}");
    lost.says("not the language server protocol");
    assert_eq!(mcp.call("nav_type", at("a.py")).ok()["signature"], "through", "by a new one");
}

/// All three ways to say nothing at the same time, because each takes as long as a call may.
#[test]
fn silence_ends_in_a_timeout_and_holds_up_nobody_else() {
    let silent = script(json!({"textDocument/definition": [{"silent": true}]}));
    let elsewhere = script(json!({"textDocument/definition": [{"result": [], "wrongId": true}]}));
    let never = script(json!({"initialize": [{"silent": true}]}));
    let world = world(&[("ty", &[silent]), ("tsc", &[elsewhere]), ("gopls", &[never])]);
    let tree = world.tree(TREE);
    let mut mcp = world.mcp(&tree);
    let files = ["a.py", "a.ts", "a.go"];
    let ids = files.map(|file| (file, mcp.send_call("nav_definition", &at(file))));
    assert_eq!(mcp.call("regex_search", json!({"pattern": "def f"})).ok()["total_lines"], 1);
    let answer = mcp.call("nav_type", at("a.py"));
    assert_eq!(answer.ok()["signature"], "", "the silent server answers other questions: {answer}");
    for (file, id) in ids {
        let answer = mcp.wait_call(id, "nav_definition", at(file));
        // The map's answer replaces the error.
        answer.says("did not answer within 15 s");
    }
    for name in ["ty", "tsc", "gopls"] {
        assert_eq!(starts(&world, name), 1, "{name}: silence is no death");
    }
}

/// A server reads any file it likes. Files outside of the project are not shown, whatever path leads there.
#[test]
fn nothing_behind_a_linked_folder_is_shown() {
    let world = world(&[]);
    let tree = world.tree(TREE);
    let private = world.path("private");
    fs::create_dir(&private).expect("a folder");
    fs::write(private.join("key.py"), "KEY = 'hunter2'\n").expect("it can be written");
    std::os::unix::fs::symlink(&private, tree.at("lib")).expect("a link");
    std::os::unix::fs::symlink(private.join("key.py"), tree.at("key.py")).expect("a link");
    let start = json!({"line": 0, "character": 0});
    let place = |name: &str| json!({"uri": format!("file://{}", tree.at(name).display()), "range": {"start": start, "end": start}});
    let both = json!([{"result": [place("lib/key.py"), place("key.py"), place("a.py")]}]);
    let answers = json!({"textDocument/definition": both, "textDocument/references": both});
    stand_in(&world, "ty", &[script(answers)]);
    let mut mcp = world.mcp(&tree);
    let real = private.canonicalize().expect("it is there").join("key.py");
    for tool in ["nav_definition", "nav_references"] {
        let answer = mcp.call(tool, at("a.py"));
        assert!(!answer.text.contains("hunter2"), "{answer}");
        let shown = answer.list("/locations");
        assert_eq!(shown.len(), 2, "both links are the same file: {answer}");
        assert_eq!(
            (&shown[0]["file"], &shown[0]["snippet"]),
            (&json!("a.py"), &json!("def f(): pass")),
            "{answer}"
        );
        let outside = (&shown[1]["file"], &shown[1]["external"], shown[1].get("snippet"));
        assert_eq!(outside, (&json!(real.display().to_string()), &json!(true), None), "{answer}");
    }
}

/// A question that failed twice is not asked a third time: hob starts another server, and the map answers until it
/// runs.
#[test]
fn a_server_that_stops_answering_is_replaced_and_the_map_answers_meanwhile() {
    let stuck = script(json!({"textDocument/definition": [{"silent": true}]}));
    let mut slow = script(json!({"textDocument/definition": [{"result": []}]}));
    slow["answers"]["initialize"] =
        json!([{"delayMs": 15_000, "result": {"capabilities": slow["capabilities"]}}]);
    let world = world(&[("ty", &[stuck, slow])]);
    let tree = world.tree("//- /a.py\ndef f():\n    \"\"\"Says so.\"\"\"\n\ndef g():\n    return f()\n");
    let mut mcp = world.mcp(&tree);
    let used = json!({"file": "a.py", "line": 5, "col": 12});
    for _ in 0..2 {
        let answer = mcp.call("nav_definition", used.clone());
        assert_eq!(answer.says("did not answer").ok()["source"], "map", "{answer}");
    }
    let defined = mcp.call("nav_definition", used.clone());
    assert_eq!(defined.ok()["source"], "map", "{defined}");
    assert_eq!(defined.ok()["locations"][0]["line"], 1, "{defined}");
    assert!(defined.warnings().contains("without an answer"), "{defined}");
    let listed = mcp.call("nav_references", json!({"file": "a.py", "line": 1, "col": 5}));
    assert_eq!(
        (&listed.ok()["total"], &listed.ok()["locations"][0]["line"]),
        (&json!(1), &json!(5)),
        "{listed}"
    );
    let shown = mcp.call("nav_type", used.clone());
    assert_eq!(shown.ok()["signature"], "def f()", "{shown}");
    let outline = mcp.call("nav_symbols", json!({"file": "a.py"}));
    assert_eq!(outline.texts("/symbols", "name"), ["f", "g"], "{outline}");
    let wrong = mcp.call("nav_diagnostics", json!({"file": "a.py"}));
    assert_eq!(*wrong.ok(), json!({"diagnostics": [], "complete": false}), "nobody knows{wrong}");
    wrong.says("without an answer").says("nothing is known of what is wrong").says("ask again");
    for answer in [&defined, &listed, &shown, &outline] {
        assert_eq!(answer.ok()["completeness"], "partial", "{answer}");
    }
    until("the next server answers", || world.call(&tree, "nav_definition", &used).ok()["source"] == "lsp");
    assert_eq!(starts(&world, "ty"), 2);
}

fn until(what: &str, holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < FOREVER, "never: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

const SHOP: &str = "\
//- /pyproject.toml
[project]
name = \"shop\"
//- /shop.py
def total(items: list[int]) -> int:
    return sum(items)
//- /use.py
import shop
";

/// Returns the IDs of all processes below this one.
pub(super) fn below(pid: u32) -> Vec<u32> {
    let all: Vec<(u32, u32)> = fs::read_dir("/proc")
        .expect("Linux")
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(|pid: u32| Some((pid, parent(pid)?)))
        .collect();
    let mut found = vec![pid];
    let mut next = 0;
    while let Some(&at) = found.get(next) {
        found.extend(all.iter().filter(|(_, parent)| *parent == at).map(|(pid, _)| *pid));
        next += 1;
    }
    found.split_off(1)
}

fn parent(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Victim {
    Daemon,
    Shim,
    /// The server, or its guard.
    Server,
}

/// Agents on one project that ask all the time, while one of their processes is killed.
struct Siege {
    agents: Vec<Mcp>,
    world: World,
    tree: Tree,
    rng: Rng,
    callers: usize,
    /// The servers killed since the daemon was started. hob stops using a server that has died five times.
    servers: usize,
}

impl Siege {
    fn new(seed: u64) -> Self {
        let world = World::new().env("PATH", path_with(&ty_alone()));
        let tree = world.tree(SHOP);
        let agents = (0..3).map(|_| world.mcp(&tree)).collect();
        Self { agents, world, tree, rng: Rng::new(seed), callers: 0, servers: 0 }
    }

    fn victim(&mut self) -> Victim {
        match *self.rng.pick(&[Victim::Daemon, Victim::Shim, Victim::Server]) {
            Victim::Server if self.servers == 3 => Victim::Daemon,
            victim => victim,
        }
    }

    /// Writes a caller, makes every agent ask, kills a process, and checks all answers.
    fn strike(&mut self, round: u64) {
        let victim = self.victim();
        let daemon = self.world.daemon_pid().expect("a daemon runs");
        let servers = below(daemon);
        let text = self.tree.read("use.py");
        self.tree.write("use.py", format!("{text}shop.total([])\n"));
        self.callers += 1;
        let args = json!({"nodeId": "py:shop.py#total"});
        let mut asked: Vec<u64> =
            self.agents.iter_mut().map(|agent| agent.send_call("nav_references", &args)).collect();
        std::thread::sleep(Duration::from_millis(self.rng.below(60) as u64));
        let mut ends = Vec::new();
        match victim {
            Victim::Daemon => {
                kill_hard(daemon);
                (self.servers, ends) = (0, servers);
            }
            Victim::Shim => {
                let chosen = self.rng.below(self.agents.len());
                kill_hard(self.agents[chosen].pid());
                asked.remove(chosen);
                drop(self.agents.remove(chosen));
            }
            Victim::Server if servers.is_empty() => {}
            Victim::Server => {
                kill_hard(*self.rng.pick(&servers));
                self.servers += 1;
                ends = servers;
            }
        }
        for (agent, id) in self.agents.iter_mut().zip(asked) {
            let answer = agent.wait_call(id, "nav_references", args.clone());
            assert_eq!(answer.ok()["total"], self.callers, "round {round}, {victim:?}: {answer}");
        }
        while self.agents.len() < 3 {
            self.agents.push(self.world.mcp(&self.tree));
        }
        let next = self.agents[0].call("nav_references", args);
        assert_eq!(next.ok()["total"], self.callers, "round {round}, {victim:?}: {next}");
        assert_eq!(next.ok()["completeness"], "complete", "round {round}, {victim:?}: {next}");
        let gone = || ends.iter().all(|pid| !is_alive(*pid));
        until(&format!("round {round}: all of {ends:?} end with {victim:?}"), gone);
    }
}

/// `HOB_TEST_SERVER_KILLS` makes the series longer, and `HOB_TEST_KILLS_SEED` chooses another one.
#[test]
fn whatever_is_killed_nothing_is_left_and_the_next_answer_is_right() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let kills = number("HOB_TEST_SERVER_KILLS").unwrap_or(30);
    let mut siege = Siege::new(number("HOB_TEST_KILLS_SEED").unwrap_or(11));
    let first = siege.agents[0].call("nav_references", json!({"nodeId": "py:shop.py#total"}));
    assert_eq!(first.ok()["total"], 0, "{first}");
    for round in 0..kills {
        siege.strike(round);
    }
    let last = below(siege.world.daemon_pid().expect("a daemon runs"));
    siege.agents.clear();
    siege.world.stop();
    until(&format!("all of {last:?} end with the daemon"), || last.iter().all(|pid| !is_alive(*pid)));
}
