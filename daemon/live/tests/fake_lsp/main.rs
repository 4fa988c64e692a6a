//! A language server that does as it is told: slow, silent, crashing, lying, flooding, never initialised.
//!
//! Its only argument is a script, a JSON object:
//! - `capabilities`: what `initialize` answers with;
//! - `answers`: for each method a list of steps, one for each time it is asked; the last one is repeated;
//! - `then`: messages sent once `initialized` has come, each after its `delayMs`;
//! - `judges`: says what is wrong with a file whenever it is opened or changed, after `delayMs`: each line that contains the
//!   word `bad` is an error. `version: false` leaves out what the verdict is about, `stale: true` sends an empty verdict on an
//!   earlier version first, `times` is how often it says anything at all;
//! - `record`: a file to which every message received is written, one to a line.
//!
//! A step is an object: `result` or `error` to answer with; `delayMs` before that; `silent` to say nothing; `crash` with an
//! exit code; `twice`; `wrongId`; `garbage`, text that is no message, before the answer; `items`, a number, to answer with
//! so many locations. `{"answers": {"initialize": [{"silent": true}]}}` never gets ready.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Write, stdin, stdout};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use hob_live::rpc::transport::{MessageReader, write_body};
use serde_json::{Value, json};

fn main() {
    let script = std::env::args().nth(1).expect("a script");
    let script: Value = serde_json::from_str(&script).expect("the script is JSON");
    let mut record = script["record"].as_str().map(|path| File::create(path).expect("a file"));
    let output = Arc::new(Mutex::new(stdout()));
    let mut judged = 0;
    let mut asked: HashMap<String, usize> = HashMap::new();
    let mut input = MessageReader::new(BufReader::new(stdin()));
    while let Ok(Some(body)) = input.next_body() {
        let message: Value = serde_json::from_slice(&body).expect("clients write JSON");
        if let Some(record) = &mut record {
            writeln!(record, "{message}").expect("the file can be written");
        }
        let Some(method) = message["method"].as_str() else { continue };
        match method {
            "exit" => std::process::exit(0),
            "initialized" => follow_up(&script["then"], &output),
            "textDocument/didOpen" | "textDocument/didChange" if script["judges"].is_object() => {
                judged += 1;
                if script["judges"]["times"].as_u64().is_none_or(|times| judged <= times) {
                    follow_up(&verdicts(&script["judges"], &message["params"]), &output);
                }
            }
            _ => {}
        }
        if message.get("id").is_some() {
            let count = asked.entry(method.to_owned()).or_default();
            let step = step(&script, method, *count);
            *count += 1;
            let (id, output) = (message["id"].clone(), Arc::clone(&output));
            thread::spawn(move || answer(&step, &id, &output));
        }
    }
}

fn step(script: &Value, method: &str, count: usize) -> Value {
    let steps = script["answers"][method].as_array();
    let step = steps.and_then(|steps| steps.get(count).or(steps.last())).cloned();
    step.unwrap_or_else(|| match method {
        "initialize" => json!({"result": {"capabilities": script["capabilities"]}}),
        _ => json!({"result": null}),
    })
}

fn answer(step: &Value, id: &Value, output: &Mutex<std::io::Stdout>) {
    pause(step);
    if let Some(code) = step["crash"].as_i64() {
        eprintln!("the fake server was told to crash");
        std::process::exit(i32::try_from(code).unwrap_or(1));
    }
    if step["silent"] == true {
        return;
    }
    let id = if step["wrongId"] == true { json!(987_654_321) } else { id.clone() };
    let message = match (&step["error"], step["items"].as_u64()) {
        (Value::Null, Some(count)) => json!({"jsonrpc": "2.0", "id": id, "result": locations(count)}),
        (Value::Null, None) => json!({"jsonrpc": "2.0", "id": id, "result": step["result"]}),
        (error, _) => json!({"jsonrpc": "2.0", "id": id, "error": error}),
    };
    let mut output = output.lock().expect("no panic");
    if let Some(garbage) = step["garbage"].as_str() {
        output.write_all(garbage.as_bytes()).expect("the client lives");
    }
    for _ in 0..if step["twice"] == true { 2 } else { 1 } {
        write_body(&mut *output, message.to_string().as_bytes()).expect("the client lives");
    }
}

fn locations(count: u64) -> Value {
    let at = |line: u64| json!({"line": line, "character": 0});
    (0..count)
        .map(|i| json!({"uri": format!("file:///f{}.py", i % 100), "range": {"start": at(i), "end": at(i)}}))
        .collect()
}

/// What the server thinks of a file's text.
fn verdicts(judges: &Value, params: &Value) -> Value {
    let document = &params["textDocument"];
    let text = document["text"].as_str().or(params["contentChanges"][0]["text"].as_str());
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

fn follow_up(messages: &Value, output: &Arc<Mutex<std::io::Stdout>>) {
    let messages = messages.as_array().cloned().unwrap_or_default();
    let output = Arc::clone(output);
    thread::spawn(move || {
        for mut message in messages {
            pause(&message);
            if let Some(fields) = message.as_object_mut() {
                fields.remove("delayMs");
                fields.insert("jsonrpc".to_owned(), json!("2.0"));
            }
            let mut output = output.lock().expect("no panic");
            if write_body(&mut *output, message.to_string().as_bytes()).is_err() {
                return;
            }
        }
    });
}

fn pause(step: &Value) {
    if let Some(millis) = step["delayMs"].as_u64() {
        thread::sleep(Duration::from_millis(millis));
    }
}
