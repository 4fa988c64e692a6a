//! Tests who is asked if scores do not decide: language servers, and the model that the user configured.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use hob_tests::World;
use serde_json::json;

use super::super::nav::servers;
use super::{FILES, entity, resolve};

#[test]
fn authority_is_a_language_server_that_confirms() {
    let world = servers();
    let tree = world.tree(FILES);
    let args = json!({"subject": "place_order", "constraints": {"require_authority": true}});
    let answer = resolve(&world, &tree, &args);
    assert_eq!(entity(&answer), "py:shop/order.py#Order.place_order", "{answer}");
    assert_eq!(answer.ok()["entity"]["attributes"]["verified"], true, "{answer}");
    let step = answer.list("/resolution_path").iter().find(|step| step["phase"] == "verify");
    assert!(step.is_some_and(|step| step["source"] == "live"), "{answer}");
    // Now that the server runs, it is a separate source as well.
    let args = json!({"subject": "place_order", "constraints": {"allowed_sources": ["live"]}});
    let answer = resolve(&world, &tree, &args);
    assert_eq!(entity(&answer), "py:shop/order.py#Order.place_order", "{answer}");
    assert_eq!(answer.ok()["entity"]["source"], "live", "{answer}");
    let args = json!({"subject": "left-pad", "constraints": {"require_authority": true}});
    assert_eq!(resolve(&world, &tree, &args).ok()["status"], "not_found", "no server confirms a package");
}

#[test]
fn without_a_server_nothing_is_confirmed_and_that_is_said() {
    let world = World::new().env("PATH", "/usr/bin:/bin");
    let tree = world.tree(FILES);
    let args = json!({"subject": "place_order", "constraints": {"require_authority": true}});
    let answer = resolve(&world, &tree, &args);
    assert_eq!(
        (&answer.ok()["status"], &answer.ok()["error"]["code"]),
        (&json!("error"), &json!("NOT_CONFIRMED")),
        "{answer}"
    );
    assert!(answer.ok()["error"]["message"].as_str().is_some_and(|why| !why.is_empty()), "{answer}");
}

/// Starts an endpoint that always gives the same answer. Returns its address and the requests that it receives.
fn endpoint(says: &str) -> (String, std::sync::mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}/v1", listener.local_addr().expect("it has one"));
    let body = json!({"choices": [{"message": {"role": "assistant", "content": says}}]}).to_string();
    let (sender, asked) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let (mut seen, mut buffer) = (Vec::new(), [0; 4096]);
            while let Ok(count) = stream.read(&mut buffer) {
                seen.extend_from_slice(&buffer[..count]);
                let text = String::from_utf8_lossy(&seen).to_lowercase();
                let length = text
                    .split("content-length: ")
                    .nth(1)
                    .and_then(|rest| rest.split("\r\n").next()?.parse().ok());
                let rest = text.split_once("\r\n\r\n").map_or(0, |(_, body)| body.len());
                if count == 0
                    || length.is_some_and(|length: usize| text.contains("\r\n\r\n") && rest >= length)
                {
                    break;
                }
            }
            let answer = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            );
            let _ = stream.write_all(answer.as_bytes());
            let _ = sender.send(String::from_utf8_lossy(&seen).into_owned());
        }
    });
    (address, asked)
}

fn configured(says: &str) -> (World, std::sync::mpsc::Receiver<String>) {
    let world = World::new();
    let (address, asked) = endpoint(says);
    let folder = world.dir().join("config");
    std::fs::create_dir_all(&folder).expect("a folder");
    let text = format!("[model]\nendpoint = \"{address}\"\nname = \"tiny\"\n");
    std::fs::write(folder.join("config.toml"), text).expect("it can be written");
    (world, asked)
}

#[test]
fn a_configured_model_chooses_where_it_may() {
    let (world, asked) = configured("2");
    let tree = world.tree(FILES);
    let shown = resolve(&world, &tree, &json!({"subject": "total"}));
    assert_eq!(shown.ok()["status"], "ambiguous", "it is asked only where that is wanted: {shown}");
    assert!(asked.try_recv().is_err(), "nothing was sent");
    let second = shown.list("/candidates")[1]["id"].as_str().expect("an ID").to_owned();
    for strategy in [json!({"use_llm_fallback": true}), json!({"mode": "llm_select"})] {
        let answer = resolve(&world, &tree, &json!({"subject": "total", "strategy": strategy}));
        assert_eq!(entity(&answer), second, "{answer}");
        let step = answer.list("/resolution_path").last().expect("steps");
        assert_eq!((&step["phase"], &step["action"]), (&json!("select"), &json!("chosen")), "{answer}");
        let sent = asked.recv().expect("it was asked");
        assert!(
            sent.contains("/v1/chat/completions") && sent.contains("tiny") && sent.contains("total"),
            "{sent}"
        );
    }
    let sure =
        resolve(&world, &tree, &json!({"subject": "place_order", "strategy": {"use_llm_fallback": true}}));
    assert_eq!(entity(&sure), "py:shop/order.py#Order.place_order", "{sure}");
    assert!(asked.try_recv().is_err(), "what is sure needs no model");
}

#[test]
fn a_model_that_does_not_help_leaves_the_candidates() {
    for (says, why) in [("0", "none is meant"), ("I cannot say", "named none"), ("99", "named none")] {
        let (world, _asked) = configured(says);
        let tree = world.tree(FILES);
        let answer = resolve(&world, &tree, &json!({"subject": "total", "strategy": {"mode": "llm_select"}}));
        assert_eq!(answer.ok()["status"], "ambiguous", "{says}: {answer}");
        assert!(answer.list("/candidates").len() >= 2, "{answer}");
        assert!(answer.ok()["resolution_path"].to_string().contains(why), "{says}: {answer}");
    }
}
