//! Tests `resolve` if scores do not decide: the client's user or a model chooses, for every way to ask them. Also tests
//! what remains if nobody answers.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread::JoinHandle;

use hob_tests::{Answer, FOREVER, Mcp, McpOptions, Tree, World};
use serde_json::{Value, json};

const TREE: &str = "\
//- /.git/HEAD
ref: refs/heads/main
//- /shop/a.py
class Ledger:
    def post(self): pass
//- /bank/b.py
class Ledger:
    def post(self): pass
";

fn world() -> (World, Tree) {
    let world = World::new();
    let tree = world.tree(TREE);
    (world, tree)
}

/// Returns a client of an older revision of the protocol, with these capabilities.
fn client(world: &World, tree: &Tree, capabilities: &Value) -> Mcp {
    let mut mcp = Mcp::start(world, tree, &McpOptions { handshake: false, ..McpOptions::default() });
    let who = json!({"name": "hob-tests", "version": "0"});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": who});
    let _ = mcp.request("initialize", params);
    mcp.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    mcp
}

fn args(mode: &str) -> Value {
    json!({"subject": "Ledger", "strategy": {"mode": mode}})
}

/// Makes a call and answers its one question with `reply`. Returns the parameters of the question, and the answer of
/// the call.
fn asked(mcp: &mut Mcp, mode: &str, method: &str, reply: &dyn Fn(&Value) -> Value) -> (Value, Answer) {
    let id = mcp.send_call("resolve", &args(mode));
    let question = mcp.receive(FOREVER).expect("a question");
    assert_eq!(question["method"], method, "{question}");
    let result = reply(&question["params"]);
    mcp.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": result}));
    (question["params"].clone(), mcp.wait_call(id, "resolve", args(mode)))
}

/// Returns the value of the option for the class in this file.
fn option(params: &Value, file: &str) -> Value {
    let field = &params["requestedSchema"]["properties"]["choice"];
    let titles = field["enumNames"].as_array().expect("titles").iter();
    let at = titles.enumerate().find(|(_, title)| title.as_str().is_some_and(|title| title.contains(file)));
    field["enum"][at.expect("it is among them").0].clone()
}

/// Returns the number of the class in this file, in the list that a model is given.
fn number(prompt: &str, file: &str) -> String {
    let line = prompt.lines().find(|line| line.contains(file) && line.contains("Ledger"));
    line.and_then(|line| line.split('.').next()).expect("it is among them").trim().to_owned()
}

fn chosen(answer: &Answer, file: &str, by: &str) {
    let data = answer.ok();
    assert_eq!(data["status"], "resolved", "{data}");
    assert!(data["entity"]["id"].as_str().is_some_and(|id| id.contains(file)), "{data}");
    let steps = data["resolution_path"].as_array().expect("steps");
    assert!(steps.iter().any(|step| step["action"] == "chosen" && step["source"] == by), "{data}");
}

/// Checks that the candidates are returned as they were, and that the path contains this reason.
fn stands(answer: &Answer, why: &str) {
    let data = answer.ok();
    assert_eq!(data["status"], "ambiguous", "{data}");
    assert_eq!(data["candidates"].as_array().map(|all| all.len() >= 2), Some(true), "{data}");
    assert!(data["resolution_path"].to_string().contains(why), "{why}: {data}");
}

#[test]
fn the_user_chooses_in_a_form() {
    let (world, tree) = world();
    let mut mcp = client(&world, &tree, &json!({"elicitation": {}}));
    for file in ["bank/b.py", "shop/a.py"] {
        let accept =
            |params: &Value| json!({"action": "accept", "content": {"choice": option(params, file)}});
        let (question, answer) = asked(&mut mcp, "interactive", "elicitation/create", &accept);
        assert!(question["message"].as_str().is_some_and(|text| text.contains("Ledger")), "{question}");
        chosen(&answer, file, "user");
    }
    for reply in
        [json!({"action": "decline"}), json!({"action": "accept", "content": {"choice": 1}}), json!({})]
    {
        let (_, answer) = asked(&mut mcp, "interactive", "elicitation/create", &|_| reply.clone());
        stands(&answer, "nobody chose");
    }
    let made_up = |_: &Value| json!({"action": "accept", "content": {"choice": "no.py:Such"}});
    let (_, answer) = asked(&mut mcp, "interactive", "elicitation/create", &made_up);
    stands(&answer, "no longer a candidate");
    // Nobody is asked if the caller does not want it.
    let _ = mcp.call("resolve", args("ranked")).ok();
}

#[test]
fn cancelling_while_the_user_thinks_ends_the_call() {
    let (world, tree) = world();
    let mut mcp = client(&world, &tree, &json!({"elicitation": {}}));
    let id = mcp.send_call("resolve", &args("interactive"));
    let question = mcp.receive(FOREVER).expect("a question");
    mcp.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
    let withdrawn = mcp.receive(FOREVER).expect("a notification");
    assert_eq!(withdrawn["method"], "notifications/cancelled", "{withdrawn}");
    assert_eq!(withdrawn["params"]["requestId"], question["id"]);
    let _ = mcp.call("hob_noop", json!({})).ok();
}

#[test]
fn the_clients_model_chooses_where_none_is_configured() {
    let (world, tree) = world();
    let mut mcp = client(&world, &tree, &json!({"sampling": {}}));
    let says =
        |text: String| json!({"role": "assistant", "model": "m", "content": {"type": "text", "text": text}});
    let prompt =
        |params: &Value| params["messages"][0]["content"]["text"].as_str().expect("a text").to_owned();
    let picks = |params: &Value| says(format!("Number {}.", number(&prompt(params), "bank/b.py")));
    let (_, answer) = asked(&mut mcp, "llm_select", "sampling/createMessage", &picks);
    chosen(&answer, "bank/b.py", "client's model");
    let (_, answer) = asked(&mut mcp, "llm_select", "sampling/createMessage", &|_| says("0".to_owned()));
    stands(&answer, "none is meant");
    let (_, answer) = asked(&mut mcp, "llm_select", "sampling/createMessage", &|_| json!("?"));
    stands(&answer, "gave no answer");
}

#[test]
fn without_sessions_the_call_is_repeated_with_the_choice() {
    let (world, tree) = world();
    let mut mcp = Mcp::start(&world, &tree, &McpOptions { handshake: false, ..McpOptions::default() });
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "hob-tests", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}}});
    let first = json!({"name": "resolve", "arguments": args("interactive"), "_meta": meta});
    let result = mcp.request("tools/call", first.clone());
    assert_eq!(result["resultType"], "input_required", "{result}");
    let form = &result["inputRequests"]["choice"];
    assert_eq!(form["method"], "elicitation/create", "{result}");
    let repeated = |reply: Value| {
        let mut params = first.clone();
        params["inputResponses"] = json!({"choice": reply});
        params["requestState"] = result["requestState"].clone();
        params
    };
    let choice = option(&form["params"], "bank/b.py");
    let accept = json!({"action": "accept", "content": {"choice": choice}});
    let answered = mcp.request("tools/call", repeated(accept));
    let data = &answered["structuredContent"]["data"];
    assert_eq!((&data["status"], &data["entity"]["id"]), (&json!("resolved"), &choice), "{answered}");
    let answered = mcp.request("tools/call", repeated(json!({"action": "cancel"})));
    assert_eq!(answered["structuredContent"]["data"]["status"], "ambiguous", "{answered}");
}

#[test]
fn a_client_that_cannot_ask_gets_the_candidates_and_is_told_the_way() {
    let (world, tree) = world();
    let mut mcp = client(&world, &tree, &json!({}));
    stands(&mcp.call("resolve", args("interactive")), "preferred_id");
    stands(&mcp.call("resolve", args("llm_select")), "no model is configured");
}

/// Starts a model for one question. It responds with this status and with what `answer` makes of the prompt.
fn model(world: &World, status: &'static str, answer: fn(&str) -> String) -> JoinHandle<Value> {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("bound");
    let folder = world.dir().join("config");
    fs::create_dir_all(&folder).expect("a folder");
    let settings = format!("[model]\nendpoint = 'http://{address}/v1'\nname = 'tiny'\ntimeout_ms = 60000\n");
    fs::write(folder.join("config.toml"), settings).expect("it can be written");
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a question");
        let asked = body(&stream);
        let text = answer(asked["messages"][1]["content"].as_str().expect("a prompt"));
        let reply = json!({"choices": [{"message": {"role": "assistant", "content": text}}]}).to_string();
        let length = reply.len();
        let reply = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n\r\n{reply}");
        stream.write_all(reply.as_bytes()).expect("it is read");
        asked
    })
}

/// Returns the body of a request, as JSON.
fn body(stream: &TcpStream) -> Value {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert_ne!(reader.read_line(&mut head).expect("a line"), 0, "{head}");
    }
    let head = head.to_ascii_lowercase();
    let length = head.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
    let mut body = vec![0; length.expect("a length").parse().expect("a number")];
    reader.read_exact(&mut body).expect("the body");
    serde_json::from_slice(&body).expect("JSON")
}

#[test]
fn the_configured_model_chooses_whoever_calls() {
    let (world, tree) = world();
    // This also holds for a client that offers a model: the user's setting comes first.
    let mut mcp = client(&world, &tree, &json!({"sampling": {}}));
    let serving = model(&world, "200 OK", |prompt| number(prompt, "bank/b.py"));
    chosen(&mcp.call("resolve", args("llm_select")), "bank/b.py", "model endpoint");
    let asked = serving.join().expect("it was asked");
    assert_eq!((&asked["model"], &asked["temperature"]), (&json!("tiny"), &json!(0)), "{asked}");
    assert!(!asked.to_string().contains("def post"), "no source is sent: {asked}");

    let serving = model(&world, "503 Busy", |_| "come back later".to_owned());
    stands(&mcp.call("resolve", args("llm_select")), "answered 503");
    let _ = serving.join().expect("it was asked");
    let serving = model(&world, "200 OK", |_| "I cannot tell".to_owned());
    stands(&mcp.call("resolve", args("llm_select")), "named none of them");
    let _ = serving.join().expect("it was asked");
    // Nobody listens there any more.
    stands(&mcp.call("resolve", args("llm_select")), "cannot be reached");
}

#[test]
fn a_mistake_in_the_section_is_told_and_leaves_no_model() {
    let (world, tree) = world();
    let folder = world.dir().join("config");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("config.toml"), "[model]\nname = 'tiny'\nendpoint = 'here'\n").expect("written");
    let mut mcp = client(&world, &tree, &json!({}));
    stands(&mcp.call("resolve", args("llm_select")), "no model is configured");
    let told = world.hob(tree.root(), &["status"]).success();
    assert!(told.contains("config.toml:3: `endpoint` must"), "{told}");
}
