//! Measures the cost of the text form: for a call whose answer is empty, and for the longest answer.

use std::hint::black_box;

use hob_render::{Frame, document, fit};
use serde_json::{Value, json};

use super::{Failure, Lab, timed};
use crate::Args;
use crate::mcp::Server;
use crate::stats::{Times, compare, difference, show};

/// The characters of the longest answer: 10,000 tokens.
const LONGEST: usize = 40_000;

/// The most pages of matches that are combined for it.
const PAGES: usize = 40;

/// Measures a no-op in both forms, and the longest text answer: by the renderer alone, and by the daemon with
/// everything else that it does for a call.
pub(super) fn render(args: &Args, lab: &Lab) -> Result<(), Failure> {
    println!("\nrendering: a no-op in both forms, and a text answer of 10,000 tokens");
    let mut server = lab.world.server()?;
    noop(args, &mut server)?;
    let Some(data) = longest(&mut server)? else {
        println!("  (nothing in this tree fills 10,000 tokens)");
        return Ok(());
    };
    alone(args, &data);
    in_daemon(args, &mut server)
}

fn noop(args: &Args, server: &mut Server) -> Result<(), Failure> {
    let (mut text, mut json) = (Times::default(), Times::default());
    server.call("hob_noop", &json!({}))?;
    for _ in 0..args.rounds * 25 {
        timed(&mut text, || server.call("hob_noop", &json!({"format": "text"})))?;
        timed(&mut json, || server.call("hob_noop", &json!({"format": "json"})))?;
    }
    compare(("no-op as text", &text), ("no-op as JSON", &json));
    Ok(())
}

fn question(more: &Value) -> Value {
    let mut asked = json!({"pattern": "[a-z]{3}", "max_millis": 60_000, "tokenBudget": 10_000});
    if let (Some(asked), Some(more)) = (asked.as_object_mut(), more.as_object()) {
        asked.extend(more.clone());
    }
    asked
}

/// Returns more matches than the longest answer contains: pages of the JSON form, combined.
fn longest(server: &mut Server) -> Result<Option<Value>, Failure> {
    let mut all: Vec<Value> = Vec::new();
    for _ in 0..PAGES {
        let answer = server.ask("regex_search", &question(&json!({"offset": all.len(), "limit": 200})))?;
        let matches = answer.data()["matches"].as_array().cloned().unwrap_or_default();
        if matches.is_empty() {
            break;
        }
        all.extend(matches);
        let mut data = answer.data().clone();
        data["matches"] = all.clone().into();
        let frame = Frame { max_chars: usize::MAX, ..Frame::default() };
        if fit(&document("regex_search", &data), &frame).text.chars().count() > LONGEST {
            return Ok(Some(data));
        }
    }
    Ok(None)
}

/// Measures the rendering from the typed result to the text, as the daemon does it, in this process.
fn alone(args: &Args, data: &Value) {
    let frame = Frame { max_chars: LONGEST, ..Frame::default() };
    let mut times = Times::default();
    for _ in 0..args.rounds * 5 {
        let _ = timed(&mut times, || Ok(black_box(fit(&document("regex_search", black_box(data)), &frame))));
    }
    let text = fit(&document("regex_search", data), &frame).text;
    show(&format!("hob-render, {} characters (goal: under 1 ms)", text.chars().count()), &times);
}

/// Measures the same call with a large budget and a small one. The time that the longer answer takes in addition is
/// that of making, rendering and sending its rows.
fn in_daemon(args: &Args, server: &mut Server) -> Result<(), Failure> {
    let asked = |form: &str, tokens: u32| {
        question(&json!({"limit": 2_000, "format": form, "tokenBudget": tokens, "repeat": true}))
    };
    let (mut text, mut json, mut little) = (Times::default(), Times::default(), Times::default());
    let length = server.call("regex_search", &asked("text", 10_000))?.chars().count();
    for _ in 0..args.rounds {
        timed(&mut text, || server.call("regex_search", &asked("text", 10_000)))?;
        timed(&mut json, || server.call("regex_search", &asked("json", 10_000)))?;
        timed(&mut little, || server.call("regex_search", &asked("text", 100)))?;
    }
    show(&format!("regex_search, text of {length} characters"), &text);
    show("the same as JSON", &json);
    show("the same as text in 100 tokens", &little);
    difference(("10,000 tokens", &text), ("100 tokens", &little));
    Ok(())
}
