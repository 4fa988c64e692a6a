//! Tests many clients that edit the same files at random: the files on disk must be what the applied edits make, one
//! after another.
//!
//! `HOB_TEST_EDITS` sets how many edits each client tries, and `HOB_TEST_EDIT_MINUTES` for how long it goes on at
//! least.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use hob_tests::{Mcp, Rng, Tree, World};
use serde_json::json;

use super::{editor, id};

const CLIENTS: u64 = 16;
const FILES: usize = 6;

/// An edit that was applied: the file, the old text and the new text.
type Applied = (String, String, String);

#[test]
fn sixteen_clients_lose_nothing() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<usize>().ok());
    let edits = number("HOB_TEST_EDITS").unwrap_or(12);
    let until =
        Instant::now() + Duration::from_secs(number("HOB_TEST_EDIT_MINUTES").unwrap_or(0) as u64 * 60);
    let world = World::new();
    let tree = world.tree("//- /README.md\nfiles\n");
    let name = |number: usize| format!("f{number}.py");
    let start: BTreeMap<String, String> = (0..FILES)
        .map(|number| (name(number), (0..20).map(|line| format!("v{line} = 0\n")).collect()))
        .collect();
    start.iter().for_each(|(path, text)| tree.write(path, text));
    let applied: Mutex<Vec<Applied>> = Mutex::default();
    let refused = Mutex::new(0_usize);
    let started = Instant::now();
    thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (world, tree, applied, refused) = (&world, &tree, &applied, &refused);
            scope.spawn(move || {
                let mut mcp = editor(world, tree);
                let mut rng = Rng::new(client);
                for number in (0..).take_while(|number| *number < edits || Instant::now() < until) {
                    try_one(&mut mcp, tree, &mut rng, &format!("{client}_{number}"), applied, refused);
                }
                mcp.close();
            });
        }
    });
    let took = started.elapsed().as_secs();
    let applied = applied.into_inner().expect("nobody panicked");
    let refused = refused.into_inner().expect("nobody panicked");
    println!("{} applied, {refused} conflicts, in {took} s", applied.len());
    assert!(applied.len() > CLIENTS as usize, "{} applied, {refused} refused", applied.len());
    for (path, text) in start {
        let mine: Vec<&Applied> = applied.iter().filter(|one| one.0 == path).collect();
        assert_eq!(tree.read(&path), replayed(text, mine), "{path}");
    }
    let waiting = world.hob(tree.root(), &["pending"]).success();
    assert_eq!(waiting, "Nothing is pending.\n");
}

/// Previews one random edit and applies it. On a conflict, discards it.
fn try_one(
    mcp: &mut Mcp,
    tree: &Tree,
    rng: &mut Rng,
    value: &str,
    applied: &Mutex<Vec<Applied>>,
    refused: &Mutex<usize>,
) {
    let path = format!("f{}.py", rng.below(FILES));
    let text = tree.read(&path);
    let lines: Vec<&str> = text.lines().collect();
    let old = rng.pick(&lines).to_string();
    let new = format!("{} = '{value}'", old.split(" = ").next().unwrap_or("v"));
    let preview =
        mcp.call("edit_text", json!({"file": path, "old": format!("{old}\n"), "new": format!("{new}\n")}));
    if preview.envelope["ok"] == false {
        // Another client has changed that line since it was read.
        let _ = preview.error("BAD_ARGS");
        *refused.lock().expect("nobody panicked") += 1;
        return;
    }
    let id = id(&preview);
    let decision = |action: &str| json!({"action": action, "reason": "at random", "pendingId": id});
    // Applying and noting are not one step, so the list may have another order. The order for one file is found below.
    let outcome = mcp.call("resolve_action", decision("apply"));
    if outcome.envelope["ok"] == true {
        applied.lock().expect("nobody panicked").push((path, old, new));
        return;
    }
    let _ = outcome.error("CONFLICT");
    *refused.lock().expect("nobody panicked") += 1;
    let _ = mcp.call("resolve_action", decision("discard")).ok();
}

/// Returns the text after all of these edits, in an order in which each edit finds the text that it replaces. Every new
/// line is written only once, so there is only one such order for each line.
#[track_caller]
fn replayed(start: String, mut edits: Vec<&Applied>) -> String {
    let mut text = start;
    while !edits.is_empty() {
        let fits = edits.iter().position(|(_, old, _)| text.lines().any(|line| line == old));
        let at =
            fits.unwrap_or_else(|| panic!("an edit was applied to what was never there: {edits:?}\n{text}"));
        let (_, old, new) = edits.remove(at);
        text = text
            .lines()
            .map(|line| if line == old { new } else { line })
            .fold(String::new(), |all, line| all + line + "\n");
    }
    text
}
