//! Translates the paths in calls, answers and messages of editors.
//!
//! Calls and messages are JSON, where a path is a text of its own: it is translated if the text begins with a mapped
//! folder, and the rest of the message stays unchanged. Fields with the texts of documents and with patterns are
//! skipped. In answers a sentence may have a path anywhere; lines that show source stay unchanged, because an edit has
//! to find exactly that text.

use std::borrow::Cow;

use hob_proto::envelope::tokens_of;
use hob_proto::{Envelope, Form};
use serde_json::{Map, Value};

use super::paths::{FarPaths, PathsTo};

/// Arguments whose text is not a path, whatever it begins with.
const FREE_ARGS: &[&str] = &[
    "about",
    "change",
    "new",
    "old",
    "pattern",
    "patterns",
    "query",
    "reason",
    "replacement",
    "rewrite",
    "source",
    "subject",
];

/// Fields of an editor's messages that hold the text of a document.
const DOCUMENT_TEXTS: &[&str] = &["text", "newText"];

/// Fields of answers that hold sentences.
const SENTENCES: &[&str] =
    &["fix", "hint", "label", "message", "note", "notes", "problem", "reason", "warnings"];

/// Translates the arguments of a call for the far side.
pub(crate) fn far_args(paths: &FarPaths, args: &Map<String, Value>) -> Map<String, Value> {
    let swap = |(name, value): (&String, &Value)| match FREE_ARGS.contains(&name.as_str()) {
        true => (name.clone(), value.clone()),
        false => (name.clone(), far_value(paths, value)),
    };
    args.iter().map(swap).collect()
}

fn far_value(paths: &FarPaths, value: &Value) -> Value {
    match value {
        Value::String(text) => far_text(paths, text).map_or_else(|| value.clone(), Value::from),
        Value::Array(items) => items.iter().map(|item| far_value(paths, item)).collect(),
        Value::Object(fields) => Value::Object(far_args(paths, fields)),
        other => other.clone(),
    }
}

/// Translates a text that is a path, or has one behind the mark of an excluding glob, or behind the name of a scope.
fn far_text(paths: &FarPaths, text: &str) -> Option<String> {
    let mark = ["!", "path:"].into_iter().find(|mark| text.starts_with(mark)).unwrap_or_default();
    paths.swap_start(&text[mark.len()..], PathsTo::Far).map(|path| format!("{mark}{path}"))
}

/// Translates the text of an answer for the near side. Paths may be longer there: an answer that would then cost more
/// than `budget` tokens keeps the far paths.
pub(crate) fn near_answer(paths: &FarPaths, answer: String, form: Form, budget: u32) -> String {
    if paths.is_empty() {
        return answer;
    }
    let changed = match form {
        Form::Json => near_envelope(paths, &answer),
        Form::Text => {
            let lines = answer.split_inclusive('\n');
            let near = lines.map(|line| if shows_source(line) { line.into() } else { paths.name_near(line) });
            Some(near.collect()).filter(|near: &String| tokens_of(near) <= budget.max(tokens_of(&answer)))
        }
    };
    changed.unwrap_or(answer)
}

/// Translates an envelope; `None` if it has no far paths, or would cost more than was requested.
fn near_envelope(paths: &FarPaths, answer: &str) -> Option<String> {
    let Cow::Owned(changed) = rewrite_strings(answer, &|name, text| near_string(paths, name, text)) else {
        return None;
    };
    let Ok(mut envelope) = Envelope::parse(&changed) else { return Some(changed) };
    // The envelope states its own cost, which has changed.
    let text = envelope.to_text();
    (envelope.token_budget.used <= envelope.token_budget.requested).then_some(text)
}

fn near_string(paths: &FarPaths, name: &str, text: &str) -> Option<String> {
    if !SENTENCES.contains(&name) {
        return paths.swap_start(text, PathsTo::Near);
    }
    match paths.name_near(text) {
        Cow::Owned(text) => Some(text),
        Cow::Borrowed(_) => None,
    }
}

/// Returns true for a row with its line number, and for a line of a diff.
fn shows_source(line: &str) -> bool {
    line.trim_start().starts_with(|c: char| c.is_ascii_digit() || "+-!".contains(c))
}

/// Translates a message of an editor for the far side.
pub(crate) fn far_message<'m>(paths: &FarPaths, message: &'m str) -> Cow<'m, str> {
    rewrite_message(paths, message, &|name, text| match name == "rootPath" || text.starts_with("file:") {
        true => paths.swap_start(text, PathsTo::Far),
        false => None,
    })
}

/// Translates a message for an editor, whose sentences may have links.
pub(crate) fn near_message<'m>(paths: &FarPaths, message: &'m str) -> Cow<'m, str> {
    rewrite_message(paths, message, &|_, text| match text.starts_with("file:") {
        true => paths.swap_start(text, PathsTo::Near),
        false if text.contains("file:") => Some(paths.name_near(text).into_owned()),
        false => None,
    })
}

fn rewrite_message<'m>(
    paths: &FarPaths,
    message: &'m str,
    change: &dyn Fn(&str, &str) -> Option<String>,
) -> Cow<'m, str> {
    if paths.is_empty() {
        return Cow::Borrowed(message);
    }
    rewrite_strings(message, &|name, text| match DOCUMENT_TEXTS.contains(&name) {
        true => None,
        false => change(name, text),
    })
}

/// Rewrites the texts of a JSON document, including the names of members, for which `change` returns another one.
/// `change` gets the field of a text, and the text. Everything else stays as it was written.
fn rewrite_strings<'t>(json: &'t str, change: &dyn Fn(&str, &str) -> Option<String>) -> Cow<'t, str> {
    let (mut out, mut done, mut at) = (String::new(), 0, 0);
    let mut name = Cow::Borrowed("");
    while let Some(start) = json[at..].find('"').map(|found| at + found) {
        let Some(end) = end_of_string(json.as_bytes(), start) else { break };
        at = end;
        let literal = &json[start..end];
        let is_name = json[end..].trim_start().starts_with(':');
        let text = text_of_literal(literal);
        let changed = text.as_deref().and_then(|text| change(if is_name { "" } else { &name }, text));
        if let Some(changed) = changed {
            out.push_str(&json[done..start]);
            out.push_str(&Value::from(changed).to_string());
            done = end;
        }
        if is_name {
            name = text.unwrap_or_default();
        }
    }
    if done == 0 { Cow::Borrowed(json) } else { Cow::Owned(out + &json[done..]) }
}

/// Returns the offset after the text that begins at `start`.
fn end_of_string(json: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        match json.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// Returns the text of a literal; `None` if it is not JSON.
fn text_of_literal(literal: &str) -> Option<Cow<'_, str>> {
    match literal.contains('\\') {
        true => serde_json::from_str::<String>(literal).ok().map(Cow::Owned),
        false => literal.get(1..literal.len() - 1).map(Cow::Borrowed),
    }
}

#[cfg(test)]
mod tests {
    use hob_proto::{TokenBudget, ToolError};
    use serde_json::json;

    use super::*;

    fn shop_paths() -> FarPaths {
        FarPaths::new(vec![("/srv/shop".to_owned(), "/home/me/shop".to_owned())], false)
    }

    #[test]
    fn a_calls_paths_go_to_the_far_side_and_its_texts_stay() {
        let args = json!({"root": ["/home/me/shop", "other"], "paths": ["!/home/me/shop/x/**"], "scope": "path:/home/me/shop/a",
            "target": "/home/me/shop/a.py:3", "pattern": "/home/me/shop", "hints": {"aliases": ["/home/me/shop"]}});
        let expected = json!({"root": ["/srv/shop", "other"], "paths": ["!/srv/shop/x/**"], "scope": "path:/srv/shop/a",
            "target": "/srv/shop/a.py:3", "pattern": "/home/me/shop", "hints": {"aliases": ["/srv/shop"]}});
        let args = args.as_object().expect("an object");
        assert_eq!(Value::from(far_args(&shop_paths(), args)), expected);
    }

    #[test]
    fn an_answer_names_near_paths_and_shows_source_as_it_is() {
        let text = "/srv/shop/a.py\n 3 open('/srv/shop/x') # /srv/shop\n- at /srv/shop\n[in /srv/shop; see /srv/shop/b.py:2]\n";
        let expected = "/home/me/shop/a.py\n 3 open('/srv/shop/x') # /srv/shop\n- at /srv/shop\n[in /home/me/shop; see /home/me/shop/b.py:2]\n";
        assert_eq!(near_answer(&shop_paths(), text.to_owned(), Form::Text, 1_000), expected);
        let json =
            r#"{"data":{"root":"/srv/shop","source":"x = '/srv/shop'"},"warnings":["in /srv/shop \"now\""]}"#;
        let expected = r#"{"data":{"root":"/home/me/shop","source":"x = '/srv/shop'"},"warnings":["in /home/me/shop \"now\""]}"#;
        assert_eq!(near_answer(&shop_paths(), json.to_owned(), Form::Json, 1_000), expected);
    }

    #[test]
    fn longer_paths_never_cost_more_than_was_requested() {
        let text = "/srv/shop\n".repeat(40);
        assert_eq!(near_answer(&shop_paths(), text.clone(), Form::Text, tokens_of(&text)), text);
        let near = near_answer(&shop_paths(), text.clone(), Form::Text, 10_000);
        assert!(near.starts_with("/home/me/shop\n"), "{near}");

        let mut envelope = Envelope::of_error(
            ToolError::bad_args(text),
            TokenBudget { requested: 10_000, used: 0, max: 10_000 },
        );
        let roomy = envelope.to_text();
        let near =
            Envelope::parse(&near_answer(&shop_paths(), roomy, Form::Json, 10_000)).expect("an envelope");
        assert!(near.error.expect("an error").message.starts_with("/home/me/shop\n"));
        assert!(near.token_budget.used > envelope.token_budget.used);
        envelope.token_budget.requested = envelope.token_budget.used;
        let full = envelope.to_text();
        assert_eq!(near_answer(&shop_paths(), full.clone(), Form::Json, 10_000), full);
    }

    #[test]
    fn an_editors_uris_change_and_its_documents_do_not() {
        let near = r#"{"params" : {"rootPath":"/home/me/shop","textDocument":{"uri":"file:\/\/\/home/me/shop/a","text":"file:///home/me/shop"}, "n":1.0}}"#;
        let far = r#"{"params" : {"rootPath":"/srv/shop","textDocument":{"uri":"file:///srv/shop/a","text":"file:///home/me/shop"}, "n":1.0}}"#;
        assert_eq!(far_message(&shop_paths(), near), far);
        let far = r#"{"changes":{"file:///srv/shop/a":[{"newText":"file:///srv/shop"}]},"value":"[b](file:///srv/shop/b#L3)"}"#;
        let near = r#"{"changes":{"file:///home/me/shop/a":[{"newText":"file:///srv/shop"}]},"value":"[b](file:///home/me/shop/b#L3)"}"#;
        assert_eq!(near_message(&shop_paths(), far), near);
    }

    #[test]
    fn what_is_no_json_is_passed_on() {
        for odd in ["", "\"", "\"\\", "{\"a\":\"file:///home/me/shop", "\"\\u12\""] {
            assert_eq!(far_message(&shop_paths(), odd), odd);
        }
    }
}
