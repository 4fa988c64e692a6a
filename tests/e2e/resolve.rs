//! Tests `resolve` between the map and the language servers: from a node to its present place, and from a place to its
//! node. There is one test for each way in which this can fail.

use std::path::PathBuf;

use hob_tests::{Answer, Mcp, World, outside};
use serde_json::{Value, json};

const PYTHON: &str = "\
//- /pyproject.toml
[project]
name = \"shop\"
//- /src/session.py
from typing import overload


class SessionStore:
    limit = 3

    def refresh(self, token: str) -> str | None:
        found = self.find(token)
        return found

    def find(self, token: str) -> str | None:
        return token or None


class Other:
    def find(self) -> None:
        pass


@overload
def size(of: str) -> int: ...
@overload
def size(of: bytes) -> int: ...
def size(of):
    return len(of)


if size(''):
    def pick() -> int:
        return 1
else:
    def pick() -> int:
        return 2
";

const TYPESCRIPT: &str = "\
//- /tsconfig.json
{\"compilerOptions\": {\"strict\": true}}
//- /src/shape.ts
export interface Shape { area(): number }
export class Square implements Shape {
  constructor(private side: number) {}
  area() {
    const sides = [1, 2].map(one => one * this.side);
    return sides[0];
  }
}
export function sum(shapes: Shape[]) { return shapes.reduce((all, one) => all + one.area(), 0); }
";

const REFRESH: &str = "py:src/session.py#SessionStore.refresh";

fn world_with(folders: &[PathBuf]) -> World {
    let rest = std::env::var_os("PATH").unwrap_or_default();
    let all = folders.iter().cloned().chain(std::env::split_paths(&rest));
    let path = std::env::join_paths(all).expect("plain paths").into_string().expect("plain paths");
    World::new().env("PATH", path)
}

/// Returns a world with every server that the tests have.
fn servers() -> World {
    world_with(outside::servers())
}

fn ty_alone() -> World {
    let folders: Vec<PathBuf> =
        outside::servers().iter().filter(|folder| folder.ends_with("venv/bin")).cloned().collect();
    world_with(&folders)
}

fn no_servers() -> World {
    World::new().env("PATH", "/usr/bin:/bin")
}

fn node(mcp: &mut Mcp, id: &str) -> Answer {
    mcp.call("resolve", json!({"nodeId": id}))
}

fn position(mcp: &mut Mcp, file: &str, at: (u32, u32)) -> Answer {
    mcp.call("resolve", json!({"file": file, "line": at.0, "col": at.1}))
}

fn place(data: &Value) -> String {
    let at = &data["location"];
    format!("{}:{}:{}", at["file"].as_str().unwrap_or_default(), at["line"], at["col"])
}

#[test]
fn a_node_becomes_a_verified_place_and_back() {
    let world = ty_alone();
    let tree = world.tree(PYTHON);
    let mut mcp = world.mcp(&tree);
    let answer = node(&mut mcp, REFRESH);
    let data = answer.without_warnings().ok();
    assert_eq!(place(data), "src/session.py:7:9", "{answer}");
    assert_eq!((&data["verified"], &data["inMap"]), (&json!(true), &json!(true)), "{answer}");
    assert_eq!(data["mapStale"], false, "{answer}");
    assert!(data.get("mapRange").is_none() && data.get("relocated").is_none(), "{answer}");
    assert_eq!((&data["symbol"]["name"], &data["symbol"]["kind"]), (&json!("refresh"), &json!("method")));
    let signature = data["symbol"]["signature"].as_str().expect("text");
    assert!(signature.contains("token: str"), "{answer}");

    let back = position(&mut mcp, "src/session.py", (9, 9));
    let data = back.without_warnings().ok();
    assert_eq!(data["nodeId"], REFRESH, "{back}");
    assert_eq!(data["qualifiedName"], "SessionStore.refresh", "{back}");
    assert_eq!(back.texts("/enclosingSymbols", "name"), ["SessionStore", "refresh"], "{back}");
    assert_eq!(
        back.list("/enclosingSymbols")[0],
        json!({"name": "SessionStore", "kind": "class", "line": 4})
    );
    assert_eq!(place(data), "src/session.py:7:9", "{back}");
    assert_eq!((&data["inMap"], &data["mapStale"]), (&json!(true), &json!(false)), "{back}");

    let file = node(&mut mcp, "py:src/session.py");
    assert_eq!((place(file.ok()), &file.ok()["verified"]), ("src/session.py:1:1".into(), &json!(true)));
    let top = position(&mut mcp, "src/session.py", (2, 1));
    assert_eq!(top.ok()["nodeId"], "py:src/session.py", "{top}");
    assert_eq!(top.ok()["qualifiedName"], "", "{top}");
}

/// Checks that every definition in the map is where its server says, and that this place leads to its node.
fn there_and_back(mcp: &mut Mcp, file: &str, ids: &[&str]) {
    for id in ids {
        let there = node(mcp, id);
        assert_eq!(there.ok()["verified"], true, "{there}");
        let at = &there.ok()["location"];
        let number = |field: &str| at[field].as_u64().expect("a number") as u32;
        let back = position(mcp, file, (number("line"), number("col")));
        assert_eq!(back.ok()["nodeId"], *id, "{there}{back}");
    }
}

#[test]
fn overloads_and_ordinals_lead_there_and_back() {
    let world = ty_alone();
    let tree = world.tree(PYTHON);
    let mut mcp = world.mcp(&tree);
    let (size, pick) = ("py:src/session.py#size", "py:src/session.py#pick");
    let ids = [REFRESH, "py:src/session.py#Other", "py:src/session.py#Other.find", size, pick];
    there_and_back(&mut mcp, "src/session.py", &ids);
    there_and_back(&mut mcp, "src/session.py", &[&format!("{pick}~2")]);
    let second = node(&mut mcp, &format!("{pick}~2"));
    assert_eq!(place(second.ok()), "src/session.py:32:9", "{second}");
    // Every overload leads to the function.
    for line in [21, 23, 24] {
        let overload = position(&mut mcp, "src/session.py", (line, 5));
        assert_eq!(overload.ok()["nodeId"], size, "{overload}");
    }
}

#[test]
fn typescript_leads_there_and_back() {
    let world = servers();
    let tree = world.tree(TYPESCRIPT);
    let mut mcp = world.mcp(&tree);
    let file = "src/shape.ts";
    let ids = [
        "ts:src/shape.ts#Square",
        "ts:src/shape.ts#Square.area",
        "ts:src/shape.ts#sum",
        "ts:src/shape.ts#Shape",
    ];
    there_and_back(&mut mcp, file, &ids);
    let area = node(&mut mcp, "ts:src/shape.ts#Square.area");
    assert_eq!(place(area.ok()), "src/shape.ts:4:3", "{area}");
    // A name that exists only while a method runs is not a node: it belongs to the method.
    let local = position(&mut mcp, file, (5, 11));
    assert_eq!(local.ok()["nodeId"], "ts:src/shape.ts#Square.area", "{local}");
    assert_eq!(local.ok()["inMap"], true, "{local}");
}

#[test]
fn an_edit_a_moment_ago_is_in() {
    let world = ty_alone();
    let tree = world.tree(PYTHON);
    let mut mcp = world.mcp(&tree);
    for round in 1..=5_u32 {
        let text = tree.read("src/session.py");
        tree.write("src/session.py", format!("# a line more\n{text}"));
        let answer = node(&mut mcp, REFRESH);
        assert_eq!(place(answer.ok()), format!("src/session.py:{}:9", 7 + round), "{answer}");
        assert_eq!((&answer.ok()["verified"], &answer.ok()["mapStale"]), (&json!(true), &json!(false)));
    }
    let text = tree.read("src/session.py");
    tree.write("src/session.py", format!("{text}\n\ndef newest():\n    pass\n"));
    let lines = tree.read("src/session.py").lines().count() as u32;
    let answer = position(&mut mcp, "src/session.py", (lines, 5));
    assert_eq!(answer.ok()["nodeId"], "py:src/session.py#newest", "{answer}");
}

#[test]
fn a_symbol_whose_container_was_renamed_is_relocated() {
    let world = ty_alone();
    let tree = world.tree(PYTHON);
    let mut mcp = world.mcp(&tree);
    let _ = node(&mut mcp, REFRESH).ok();
    let text = tree.read("src/session.py").replace("SessionStore", "Store");
    tree.write("src/session.py", text);
    let answer = node(&mut mcp, REFRESH);
    let data = answer.ok();
    assert_eq!((&data["relocated"], &data["mapStale"]), (&json!(true), &json!(true)), "{answer}");
    assert_eq!((&data["verified"], &data["inMap"]), (&json!(true), &json!(false)), "{answer}");
    assert_eq!(place(data), "src/session.py:7:9", "{answer}");
    assert_eq!(data["currentNodeId"], "py:src/session.py#Store.refresh", "{answer}");
    // `find` is in both classes.
    let ambiguous = node(&mut mcp, "py:src/session.py#SessionStore.find");
    let error = ambiguous.error("SYMBOL_NOT_FOUND");
    assert_eq!(error["sameFile"][0], "Store.find", "{ambiguous}");
    assert_eq!(error["sameFile"][1], "Other.find", "{ambiguous}");
}

#[test]
fn a_symbol_that_is_gone_comes_with_names_of_the_file() {
    let world = ty_alone();
    let tree = world.tree(PYTHON);
    let mut mcp = world.mcp(&tree);
    let _ = node(&mut mcp, REFRESH).ok();
    tree.write("src/session.py", tree.read("src/session.py").replace("refresh", "renew"));
    let answer = node(&mut mcp, REFRESH);
    let error = answer.error("SYMBOL_NOT_FOUND");
    assert_eq!(error["mapStale"], true, "{answer}");
    assert_eq!(error["sameFile"], json!(["SessionStore", "Other", "size", "pick"]), "{answer}");
}

#[test]
fn a_file_that_is_gone_sends_to_map_search() {
    let world = ty_alone();
    let tree = world.tree(PYTHON);
    let mut mcp = world.mcp(&tree);
    let _ = node(&mut mcp, REFRESH).ok();
    tree.rename("src/session.py", "src/moved.py");
    let answer = node(&mut mcp, REFRESH);
    let hint = answer.error("FILE_DELETED")["hint"].as_str().expect("a hint");
    assert!(hint.contains("map_search {\"query\": \"refresh\"}"), "{answer}");
    let search = mcp.call("map_search", json!({"query": "refresh"}));
    assert_eq!(search.ok()["results"][0]["file"], "src/moved.py", "the hint leads there: {search}");
    assert!(position(&mut mcp, "src/session.py", (1, 1)).error("FILE_DELETED")["hint"].is_string());
}

#[test]
fn without_a_server_the_map_answers_unverified() {
    let world = no_servers();
    let tree = world.tree(PYTHON);
    let mut mcp = world.mcp(&tree);
    let answer = node(&mut mcp, REFRESH);
    let data = answer.says("LSP_UNAVAILABLE").ok();
    assert_eq!((&data["verified"], &data["inMap"]), (&json!(false), &json!(true)), "{answer}");
    assert_eq!(place(data), "src/session.py:7:9", "{answer}");
    assert_eq!(data["mapRange"], json!({"line": 7, "endLine": 9}), "{answer}");
    assert!(answer.warnings().contains("npm install -g pyright"), "how to get one is said: {answer}");
    let back = position(&mut mcp, "src/session.py", (8, 9));
    let data = back.says("LSP_UNAVAILABLE").ok();
    assert_eq!((&data["nodeId"], &data["verified"]), (&json!(REFRESH), &json!(false)), "{back}");
    assert_eq!(back.texts("/enclosingSymbols", "name"), ["SessionStore", "refresh"], "{back}");
    let gone = node(&mut mcp, "py:src/session.py#SessionStore.gone");
    assert!(gone.error("NODE_NOT_FOUND")["sameFile"].is_array(), "{gone}");
}

#[cfg(unix)]
#[test]
fn a_silent_server_is_a_timeout_with_the_maps_range() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    let program = world.path("silent/ty");
    std::fs::create_dir_all(program.parent().expect("a folder")).expect("it can be made");
    let script = "#!/bin/sh\ncase $1 in --version) echo ty 1.0.0;; *) exec cat >/dev/null;; esac\n";
    std::fs::write(&program, script).expect("it can be written");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("ours");
    let folder = program.parent().expect("a folder").display().to_string();
    let world = world.env("PATH", format!("{folder}:/usr/bin:/bin"));
    let tree = world.tree(PYTHON);
    let mut mcp = world.mcp(&tree);
    let answer = node(&mut mcp, REFRESH);
    let error = answer.error("LSP_TIMEOUT");
    assert_eq!(error["mapRange"], json!({"line": 7, "endLine": 9}), "{answer}");
    assert!(error["hint"].as_str().is_some_and(|hint| hint.contains("Ask again")), "{answer}");
}

/// Makes whoever opens a file wait, for as long as the kernel allows or until this is dropped. The former is longer
/// than a call waits for the first index.
#[cfg(target_os = "linux")]
struct Held(std::process::Child);

#[cfg(target_os = "linux")]
impl Held {
    /// Holds a file, or returns `None` if the file system does not support leases.
    fn file(path: &std::path::Path) -> Option<Self> {
        use std::io::Read;
        use std::process::{Command, Stdio};
        const LEASE: &str = "import fcntl, os, signal, sys
signal.signal(signal.SIGIO, signal.SIG_IGN)
file = os.open(sys.argv[1], os.O_RDWR)
fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
print('held', flush=True)
sys.stdin.read()
";
        let mut command = Command::new(outside::python());
        command.args(["-c", LEASE]).arg(path).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("Python runs");
        let mut said = [0; 4];
        let out = child.stdout.as_mut().expect("piped");
        let given = out.read_exact(&mut said).is_ok();
        let held = Self(child);
        given.then_some(held)
    }
}

#[cfg(target_os = "linux")]
impl Drop for Held {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        drop(self.0.wait());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn without_a_map_a_position_still_gets_what_encloses_it() {
    let world = ty_alone();
    let tree = world.tree(PYTHON);
    // Rules are read before anything is listed.
    tree.write("rules/.hobignore", "*.log\n");
    let Some(held) = Held::file(&tree.at("rules/.hobignore")) else {
        return eprintln!("not tested: this file system gives no leases");
    };
    let mut mcp = world.mcp(&tree);
    // Both at the same time: each waits for the first index as long as any call does.
    let (to_map, to_live) = (json!({"file": "src/session.py", "line": 8}), json!({"nodeId": REFRESH}));
    let sent = [&to_map, &to_live].map(|args| mcp.send_call("resolve", args));
    let answer = mcp.wait_call(sent[0], "resolve", to_map);
    let data = answer.says("MAP_NOT_BUILT").ok();
    assert_eq!(answer.texts("/enclosingSymbols", "name"), ["SessionStore", "refresh"], "{answer}");
    assert_eq!((&data["nodeId"], &data["inMap"]), (&Value::Null, &json!(false)), "{answer}");
    assert_eq!((&data["verified"], &data["mapStale"]), (&json!(true), &json!(false)), "{answer}");
    let map_to_live = mcp.wait_call(sent[1], "resolve", to_live);
    assert!(map_to_live.error("MAP_NOT_BUILT")["progress"].is_object(), "{map_to_live}");
    drop(held);
    assert_eq!(position(&mut mcp, "src/session.py", (8, 9)).ok()["nodeId"], REFRESH);
}

#[test]
fn arguments_that_cannot_be_meant_are_refused() {
    let world = no_servers();
    let tree = world.tree(PYTHON);
    let mut mcp = world.mcp(&tree);
    let mut ask = |args: Value| mcp.call("resolve", args);
    for args in [
        json!({}),
        json!({"file": "src/session.py"}),
        json!({"line": 3}),
        json!({"nodeId": REFRESH, "file": "src/session.py", "line": 3}),
        json!({"nodeId": REFRESH, "line": 3}),
    ] {
        let answer = ask(args);
        let message = answer.error("BAD_ARGS")["message"].as_str().expect("text");
        assert!(message.contains("`nodeId`") && message.contains("`file`"), "{answer}");
    }
    let action = ask(json!({"action": "apply", "reason": "done"}));
    assert!(
        action.error("BAD_ARGS")["message"].as_str().is_some_and(|it| it.contains("`resolve_action`")),
        "{action}"
    );
    let malformed = ask(json!({"nodeId": "py:/src/session.py"}));
    malformed.says("<lang>:<relpath>[#qualifiedName[~ordinal]]");
    assert!(malformed.error("BAD_NODE_ID")["hint"].is_string());
    let past_the_end = ask(json!({"file": "src/session.py", "line": 5000}));
    assert!(past_the_end.error("BAD_ARGS")["message"].as_str().is_some_and(|it| it.contains("lines")));
    assert!(ask(json!({"nodeId": "py:ext:requests"})).error("BAD_ARGS")["message"].is_string());
    assert!(ask(json!({"nodeId": "ts:src/session.py#size"})).error("NODE_NOT_FOUND")["message"].is_string());
    assert!(ask(json!({"file": "../a.py", "line": 1})).error("OUTSIDE_WORKSPACE")["message"].is_string());
}
