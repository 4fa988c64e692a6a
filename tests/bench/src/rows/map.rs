//! Measures questions to the warm map: `map_search`, `map_neighbors` and `map_path` as multiples of a call that does
//! nothing, and questions in words to `resolve` and `investigate`.
//!
//! The definitions to ask about are drawn evenly from the tree's own files, so that small and large, often and rarely
//! used ones are among them. The same tree always gives the same questions. Each kind of question is counted
//! separately, because a mean over "found at once" and "not found anywhere" says nothing. Each question comes after a
//! no-op, so that other work of the machine affects both. If the 99th percentile of the no-ops is many times their
//! median, that of the questions says little.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use super::{Failure, Lab, timed};
use crate::Args;
use crate::mcp::Server;
use crate::stats::{Times, show};

/// The files that definitions are drawn from.
const FILES: usize = 100;
/// The definitions that are drawn from each file.
const PER_FILE: usize = 3;

/// A definition that is asked about.
struct Known {
    id: String,
    name: String,
}

pub(super) fn map(args: &Args, lab: &Lab) -> Result<(), Failure> {
    println!("\nmap: warm questions through hob-mcp, barrier included, as multiples of a no-op call");
    let mut server = Server::start(&mut lab.world.shim())?;
    lab.world.rest()?;
    words_ready(&mut server)?;
    let known = draw(&mut server, lab.world.tree())?;
    println!("  {} definitions drawn", known.len());
    for (what, tool, questions) in questions(&known) {
        let (mut times, mut noop) = (Times::default(), Times::default());
        for question in &questions {
            timed(&mut noop, || server.call("hob_noop", &json!({})))?;
            timed(&mut times, || server.call(tool, question))?;
        }
        show(&format!("{tool} {what}"), &times);
        let unit = noop.median();
        let [p50, p99, own] = [times.median(), times.quantile(0.99), noop.quantile(0.99)].map(|at| at / unit);
        println!("  => p50 {p50:.1}, p99 {p99:.1} no-op calls of {unit:.3} ms (their own p99: {own:.1})");
        args.sheet.note_multiple("map", &format!("{tool} {what}"), &times, ("no-op", &noop));
    }
    Ok(())
}

/// Returns the questions by their kind.
fn questions(known: &[Known]) -> Vec<(&'static str, &'static str, Vec<Value>)> {
    let search = |text: &dyn Fn(&str) -> String| -> Vec<Value> {
        known.iter().map(|known| json!({"query": text(&known.name)})).collect()
    };
    let around = |more: &Value| -> Vec<Value> {
        let asked = |known: &Known| {
            let mut asked = json!({"nodeId": known.id});
            more.as_object().into_iter().flatten().for_each(|(key, value)| asked[key] = value.clone());
            asked
        };
        known.iter().map(asked).collect()
    };
    let pairs = known.iter().zip(known.iter().rev().skip(known.len() / 3));
    let near = known.windows(2);
    vec![
        ("whole names", "map_search", search(&str::to_owned)),
        ("beginnings", "map_search", search(&|name| cut(name, 0, 0.6))),
        ("fragments", "map_search", search(&|name| cut(name, 0.3, 0.8))),
        ("three letters", "map_search", search(&|name| name.chars().take(3).collect())),
        ("a letter missing", "map_search", search(&misspelt)),
        ("absent", "map_search", search(&|name| format!("zq{}", name.chars().rev().collect::<String>()))),
        (
            "functions in a folder",
            "map_search",
            known
                .iter()
                .map(|known| {
                    let folder = known.id.split_once(':').map_or("", |(_, rest)| rest);
                    let folder = folder.split_once('/').map_or("", |(folder, _)| folder);
                    json!({"query": cut(&known.name, 0, 0.6), "kind": "function", "pathPrefix": folder})
                })
                .collect(),
        ),
        ("both ways", "map_neighbors", around(&json!({}))),
        ("callers", "map_neighbors", around(&json!({"direction": "in", "edgeKinds": ["calls"]}))),
        ("depth 2", "map_neighbors", around(&json!({"depth": 2}))),
        ("far", "map_path", pairs.map(|(a, b)| json!({"from": a.id, "to": b.id})).collect()),
        ("near", "map_path", near.map(|pair| json!({"from": pair[0].id, "to": pair[1].id})).collect()),
        ("names", "resolve", subjects(known, &str::to_owned)),
        ("names, quick", "resolve", quick(subjects(known, &str::to_owned))),
        ("a letter missing", "resolve", subjects(known, &misspelt)),
        ("words", "resolve", subjects(known, &words)),
        ("words with one of another", "resolve", mixed(known).map(|text| json!({"subject": text})).collect()),
        (
            "words with one of another",
            "investigate",
            mixed(known).map(|text| json!({"query": text})).collect(),
        ),
    ]
}

fn subjects(known: &[Known], text: &dyn Fn(&str) -> String) -> Vec<Value> {
    known.iter().map(|known| json!({"subject": text(&known.name)})).collect()
}

fn quick(mut questions: Vec<Value>) -> Vec<Value> {
    questions.iter_mut().for_each(|question| question["strategy"] = json!({"mode": "quick"}));
    questions
}

/// Returns the words of a name, as one would say them.
fn words(name: &str) -> String {
    let mut said = String::new();
    for c in name.chars() {
        match c {
            '_' => said.push(' '),
            c if c.is_uppercase() => said.extend([' ', c.to_ascii_lowercase()]),
            c => said.push(c),
        }
    }
    said.trim().to_owned()
}

/// Returns phrases that match no name: the words of a name and the last word of the next name.
fn mixed(known: &[Known]) -> impl Iterator<Item = String> {
    known.windows(2).map(|pair| {
        let other = words(&pair[1].name);
        format!("{} {}", words(&pair[0].name), other.rsplit(' ').next().unwrap_or_default())
    })
}

/// Waits for the word index, which the first question builds, and for the graph.
fn words_ready(server: &mut Server) -> Result<(), Failure> {
    loop {
        let answer = server.ask("investigate", &json!({"query": "first last next"}))?;
        let text = answer.text();
        if !text.contains("MAP_NOT_BUILT") && !text.contains("still being derived") {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(500));
    }
}

/// Returns a part of a name, given as fractions of its length; at least three letters.
fn cut(name: &str, from: impl Into<f64>, to: f64) -> String {
    let letters: Vec<char> = name.chars().collect();
    let at = |share: f64| (letters.len() as f64 * share) as usize;
    let start = at(from.into()).min(letters.len().saturating_sub(3));
    let end = at(to).max(start + 3).min(letters.len());
    letters[start..end].iter().collect()
}

fn misspelt(name: &str) -> String {
    let middle = name.chars().count() / 2;
    name.chars().enumerate().filter(|(at, _)| *at != middle).map(|(_, letter)| letter).collect()
}

/// Returns definitions from files that are spread evenly over the tree.
fn draw(server: &mut Server, tree: &Path) -> Result<Vec<Known>, Failure> {
    let mut files = Vec::new();
    list(tree, &mut files);
    files.sort();
    let mut known = Vec::new();
    let (mut drawn, mut at) = (0, 0);
    let step = (files.len() / (FILES * 4)).max(1);
    while drawn < FILES && at < files.len() {
        let path = files[at].strip_prefix(tree)?.to_string_lossy().into_owned();
        at += step;
        let found = definitions(server, &path)?;
        drawn += usize::from(!found.is_empty());
        let every = (found.len() / PER_FILE).max(1);
        known.extend(found.into_iter().step_by(every).take(PER_FILE));
    }
    match known.is_empty() {
        true => Err("the tree has no definitions".into()),
        false => Ok(known),
    }
}

fn definitions(server: &mut Server, path: &str) -> Result<Vec<Known>, Failure> {
    let asked = json!({"query": path, "kind": "file", "limit": 5});
    let answer = server.ask("map_search", &asked)?;
    let hits = answer.data()["results"].as_array().cloned().unwrap_or_default();
    let Some(file) = hits.iter().find(|hit| hit["file"] == path) else { return Ok(Vec::new()) };
    let asked = json!({
        "nodeId": file["id"], "direction": "out", "edgeKinds": ["contains"], "maxNodes": 200, "tokenBudget": 10_000
    });
    let answer = server.ask("map_neighbors", &asked)?;
    let inside = answer.data()["neighbors"].as_array().cloned().unwrap_or_default();
    let known = inside.iter().filter_map(|node| {
        let id = node["id"].as_str()?;
        let name = id.rsplit(['#', '.', ':', '/']).next()?;
        let name: String = name.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        (name.len() >= 4).then(|| Known { id: id.to_owned(), name })
    });
    Ok(known.collect())
}

/// Lists the files of a tree, without links and hidden folders.
fn list(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| !entry.file_name().as_encoded_bytes().starts_with(b".")) {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => list(&entry.path(), files),
            Ok(kind) if kind.is_file() => files.push(entry.path()),
            _ => {}
        }
    }
}
