//! A language server that does as it is told: slow, silent, crashing, lying, flooding, never initialised.
//!
//! Its only argument is a script, a JSON object:
//! - `capabilities`: what `initialize` answers with;
//! - `answers`: for each method a list of steps, one for each time it is asked; the last one is repeated;
//! - `then`: messages sent once `initialized` has come, each after its `delayMs`;
//! - `judges`: says what is wrong with a file whenever it is opened or changed, after `delayMs`: each line that contains the
//!   word `bad` is an error. `version: false` leaves out what the verdict is about, `stale: true` sends an empty verdict on an
//!   earlier version first, `times` is how often it says anything at all;
//! - `complaints`: a file to which it writes what is wrong about what it is told of documents. It keeps their texts then, and
//!   answers requests of its own about them (all with a `textDocument`): `test/text` with text and version, `test/echo` with its
//!   `params` after `delayMs`, unless it is cancelled; and `test/ask`, which sends a request with this `method` and `params` to
//!   the client, with what was replied;
//! - `record`: a file to which every message received is written, one to a line.
//!
//! A step is an object: `result` or `error` to answer with; `delayMs` before that; `silent` to say nothing; `crash` with an
//! exit code; `twice`; `wrongId`; `garbage`, text that is no message, before the answer; `items`, a number, to answer with
//! so many locations; `asks`, a request (`method`, `params`) that is sent to the
//! client first: what it replies is the result; `tells`, messages sent before the answer. `{"answers": {"initialize": [{"silent": true}]}}` never gets ready.

mod documents;

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Write, stdin, stdout};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use hob_live::rpc::transport::{MessageReader, write_body};
use serde_json::{Value, json};

use documents::FakeDocuments;

/// The way to the client, and who waits for word from there: requests that may be cancelled, and replies to the server's own.
struct FakeClient {
    output: Mutex<std::io::Stdout>,
    waiting: Mutex<HashMap<String, Sender<Value>>>,
}

impl FakeClient {
    /// Sends a message; whether the client lives.
    fn send(&self, message: &Value) -> bool {
        let mut output = self.output.lock().expect("no panic");
        write_body(&mut *output, message.to_string().as_bytes()).is_ok()
    }

    /// Returns the channel on which an answer comes for whoever waits under this name.
    fn wait_as(&self, name: String) -> Receiver<Value> {
        let (sender, receiver) = channel();
        self.waiting.lock().expect("no panic").insert(name, sender);
        receiver
    }

    fn deliver_message(&self, name: &str, message: Value) {
        let waiting = self.waiting.lock().expect("no panic").remove(name);
        // Whoever had waited may have its answer by other means.
        let _ = waiting.map(|sender| sender.send(message));
    }

    /// Sends a request; what is replied, result or error. `about` tells it from others under way.
    fn ask_client(&self, request: &Value, about: &Value) -> Value {
        let id = format!("ask-{about}");
        let reply = self.wait_as(format!("reply {}", json!(id)));
        let (method, params) = (&request["method"], &request["params"]);
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let reply = reply.recv().unwrap_or_default();
        json!({"result": reply["result"], "error": reply["error"]})
    }
}

fn main() {
    let script = std::env::args().nth(1).expect("a script");
    let script: Value = serde_json::from_str(&script).expect("the script is JSON");
    let mut record = script["record"].as_str().map(|path| File::create(path).expect("a file"));
    let mut documents = script["complaints"].as_str().map(FakeDocuments::new);
    let client = Arc::new(FakeClient { output: Mutex::new(stdout()), waiting: Mutex::default() });
    let mut judged = 0;
    let mut asked: HashMap<String, usize> = HashMap::new();
    let mut input = MessageReader::new(BufReader::new(stdin()));
    while let Ok(Some(body)) = input.next_body() {
        let message: Value = serde_json::from_slice(&body).expect("clients write JSON");
        if let Some(record) = &mut record {
            writeln!(record, "{message}").expect("the file can be written");
        }
        let Some(method) = message["method"].as_str() else {
            client.deliver_message(&format!("reply {}", message["id"]), message);
            continue;
        };
        if let Some(documents) = &mut documents {
            documents.handle_notification(method, &message["params"]);
        }
        match method {
            "exit" => std::process::exit(0),
            "initialized" => follow_up(&script["then"], &client),
            "$/cancelRequest" => {
                client.deliver_message(&format!("cancel {}", message["params"]["id"]), json!(true));
            }
            "textDocument/didOpen" | "textDocument/didChange" if script["judges"].is_object() => {
                judged += 1;
                if script["judges"]["times"].as_u64().is_none_or(|times| judged <= times) {
                    let verdicts =
                        scripted_diagnostics(&script["judges"], &message["params"], documents.as_ref());
                    follow_up(&verdicts, &client);
                }
            }
            _ => {}
        }
        if message.get("id").is_some() {
            let count = asked.entry(method.to_owned()).or_default();
            let step = answer_own_request(&message, documents.as_ref())
                .unwrap_or_else(|| script_step(&script, method, *count));
            *count += 1;
            let (id, client) = (message["id"].clone(), Arc::clone(&client));
            // Whoever waits for a cancellation does so before the next message is read.
            let cancelled = (step["cancellable"] == true).then(|| client.wait_as(format!("cancel {id}")));
            thread::spawn(move || send_answer(&step, &id, &client, cancelled));
        }
    }
}

/// Returns the answer to a request that only this server knows.
fn answer_own_request(message: &Value, documents: Option<&FakeDocuments>) -> Option<Value> {
    let (documents, params) = (documents?, &message["params"]);
    let uri = params["textDocument"]["uri"].as_str().unwrap_or_default();
    match message["method"].as_str()? {
        "test/text" => Some(json!({"result": documents.document_state(uri)})),
        "test/echo" => Some(json!({"result": params, "delayMs": params["delayMs"], "cancellable": true})),
        "test/ask" => Some(json!({"asks": {"method": params["method"], "params": params["params"]}})),
        _ => None,
    }
}

fn script_step(script: &Value, method: &str, count: usize) -> Value {
    let steps = script["answers"][method].as_array();
    let step = steps.and_then(|steps| steps.get(count).or(steps.last())).cloned();
    step.unwrap_or_else(|| match method {
        "initialize" => json!({"result": {"capabilities": script["capabilities"]}}),
        _ => json!({"result": null}),
    })
}

fn send_answer(step: &Value, id: &Value, client: &FakeClient, cancelled: Option<Receiver<Value>>) {
    let delay = Duration::from_millis(step["delayMs"].as_u64().unwrap_or_default());
    let is_cancelled = match cancelled {
        Some(cancelled) => cancelled.recv_timeout(delay).is_ok(),
        None => {
            thread::sleep(delay);
            false
        }
    };
    if let Some(code) = step["crash"].as_i64() {
        eprintln!("the fake server was told to crash");
        std::process::exit(i32::try_from(code).unwrap_or(1));
    }
    if step["silent"] == true {
        return;
    }
    let replied = step["asks"].is_object().then(|| client.ask_client(&step["asks"], id));
    for told in step["tells"].as_array().into_iter().flatten() {
        client.send(told);
    }
    let id = if step["wrongId"] == true { json!(987_654_321) } else { id.clone() };
    let mut message = json!({"jsonrpc": "2.0", "id": id});
    match (&step["error"], step["items"].as_u64()) {
        _ if is_cancelled => message["error"] = json!({"code": -32800, "message": "it was cancelled"}),
        (Value::Null, Some(count)) => message["result"] = many_locations(count),
        (Value::Null, None) => message["result"] = replied.unwrap_or_else(|| step["result"].clone()),
        (error, _) => message["error"] = error.clone(),
    }
    let mut output = client.output.lock().expect("no panic");
    if let Some(garbage) = step["garbage"].as_str() {
        output.write_all(garbage.as_bytes()).expect("the client lives");
    }
    for _ in 0..if step["twice"] == true { 2 } else { 1 } {
        write_body(&mut *output, message.to_string().as_bytes()).expect("the client lives");
    }
}

fn many_locations(count: u64) -> Value {
    let at = |line: u64| json!({"line": line, "character": 0});
    (0..count)
        .map(|i| json!({"uri": format!("file:///f{}.py", i % 100), "range": {"start": at(i), "end": at(i)}}))
        .collect()
}

/// Returns the diagnostics of a file's text: of the one that the server keeps, or of the one that it is told.
fn scripted_diagnostics(judges: &Value, params: &Value, documents: Option<&FakeDocuments>) -> Value {
    let document = &params["textDocument"];
    let kept = documents.and_then(|documents| documents.text(document["uri"].as_str()?));
    let text = kept.or(document["text"].as_str()).or(params["contentChanges"][0]["text"].as_str());
    let lines = text.unwrap_or_default().lines().enumerate();
    let at = |line: usize| json!({"line": line, "character": 0});
    let wrong = lines.filter(|(_, line)| line.contains("bad")).map(
        |(line, text)| json!({"range": {"start": at(line), "end": at(line)}, "severity": 1, "message": text}),
    );
    let say = |version: &Value, list: Value| {
        let mut params = json!({"uri": document["uri"], "diagnostics": list});
        if judges["version"] != false {
            params["version"] = version.clone();
        }
        let method = "textDocument/publishDiagnostics";
        json!({"delayMs": judges["delayMs"], "method": method, "params": params})
    };
    let version = &document["version"];
    let verdict = say(version, wrong.collect());
    if judges["stale"] == true {
        let earlier = json!(version.as_i64().unwrap_or_default() - 1);
        return json!([say(&earlier, json!([])), verdict]);
    }
    json!([verdict])
}

fn follow_up(messages: &Value, client: &Arc<FakeClient>) {
    let messages = messages.as_array().cloned().unwrap_or_default();
    let client = Arc::clone(client);
    thread::spawn(move || {
        for mut message in messages {
            if let Some(millis) = message["delayMs"].as_u64() {
                thread::sleep(Duration::from_millis(millis));
            }
            if let Some(fields) = message.as_object_mut() {
                fields.remove("delayMs");
                fields.insert("jsonrpc".to_owned(), json!("2.0"));
            }
            if !client.send(&message) {
                return;
            }
        }
    });
}
