//! Compares what two daemons know about the same tree.

use serde_json::{Value, json};

use crate::{Answer, Mcp, Tree, World};

/// The lines that are shown of each side if they differ.
const SHOWN: usize = 12;

/// Returns the digests of everything that the daemon of `world` knows about `tree`.
///
/// # Panics
///
/// Panics if it does not return them or does not come to rest.
#[track_caller]
#[must_use]
pub fn known(world: &World, tree: &Tree) -> Value {
    digest(&mut world.mcp(tree), json!({})).ok().clone()
}

/// Checks that the daemon of `world` knows the same as a daemon that sees `tree` for the first time.
///
/// # Panics
///
/// Panics with the first lines that differ.
#[track_caller]
pub fn knows_what_a_newcomer_knows(world: &World, tree: &Tree, when: &str) {
    let newcomer = World::new();
    let (mut old, mut new) = (world.mcp(tree), newcomer.mcp(tree));
    let (got, wanted) = (digest(&mut old, json!({})), digest(&mut new, json!({})));
    assert!(wanted.ok()["map"]["count"].as_u64() > Some(0), "{when}: there is something to compare{wanted}");
    for part in ["files", "map", "text"] {
        if got.ok()[part] != wanted.ok()[part] {
            let at = first_difference(&mut old, &mut new, part);
            let args = json!({"list": part, "from": at, "limit": 1, "tokenBudget": 10_000});
            let (got, wanted) = (lines(&mut old, &args), lines(&mut new, &args));
            let only = |these: &[String], others: &[String]| {
                let odd: Vec<&str> =
                    these.iter().filter(|line| !others.contains(line)).map(String::as_str).collect();
                odd[..odd.len().min(SHOWN)].join("\n  ")
            };
            panic!(
                "{when}: {part} differs at its file {at}\nonly known here:\n  {}\nonly known to a newcomer:\n  {}\n{got:#?}",
                only(&got, &wanted),
                only(&wanted, &got),
            );
        }
    }
    assert_eq!(got.ok(), wanted.ok(), "{when}: everything is the same{got}");
}

/// Returns the index of the first file, in the order of paths, about which the two differ. It compares digests of the
/// first files only, by bisection.
fn first_difference(old: &mut Mcp, new: &mut Mcp, part: &str) -> u64 {
    let mut same = |files: u64| {
        let args = json!({"limit": files});
        digest(old, args.clone()).ok()[part]["digest"] == digest(new, args).ok()[part]["digest"]
    };
    let (mut equal, mut differ) = (0, 1);
    while same(differ) && differ < u64::from(u32::MAX) {
        equal = differ;
        differ *= 2;
    }
    while differ - equal > 1 {
        let middle = equal.midpoint(differ);
        if same(middle) { equal = middle } else { differ = middle }
    }
    equal
}

#[track_caller]
fn digest(mcp: &mut Mcp, args: Value) -> Answer {
    // The barrier waits two seconds for a large change, which includes the first index of a new daemon.
    for _ in 0..40 {
        let answer = mcp.call("hob_digest", args.clone());
        if answer.envelope["ok"] == true && answer.warnings().is_empty() {
            return answer;
        }
        std::thread::sleep(std::time::Duration::from_millis(250));
    }
    let answer = mcp.call("hob_digest", args);
    answer.without_warnings();
    answer
}

#[track_caller]
fn lines(mcp: &mut Mcp, args: &Value) -> Vec<String> {
    let answer = mcp.call("hob_digest", args.clone());
    answer.list("/lines").iter().filter_map(|line| line.as_str().map(str::to_owned)).collect()
}
