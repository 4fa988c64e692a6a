//! Patterns that bring engines down end with an error that says what was expected, or with an answer that says whether it is
//! whole; others are served meanwhile. That something ends in time shows in that it ends at all.

use hob_tests::{Answer, Mcp, Tree, World};
use serde_json::{Value, json};

use super::nasty;

/// Text enough for a search to be stopped in.
fn large(world: &World) -> Tree {
    let tree = world.tree("//- /a.py\ndef f():\n    return 1\n");
    let mut rng = hob_tests::Rng::new(5);
    let text = nasty::text(&mut rng, 200_000);
    (0..60).for_each(|n| tree.write(&format!("d{}/f{n}.txt", n % 6), format!("file {n}\n{text}")));
    tree
}

fn words(number: usize) -> String {
    (0..number).map(|n| format!("w{n}")).collect::<Vec<_>>().join("|")
}

/// Either an answer, whole or with a warning, or a refusal that says what is too much.
#[track_caller]
fn ends_well(answer: &Answer) {
    match answer.envelope["ok"] == true {
        true if answer.ok()["complete"] == true => {}
        true => drop(answer.says("Out of time").ok()),
        false => drop(answer.error("BAD_PATTERN").clone()),
    }
}

#[test]
fn each_ends_with_an_answer_or_a_reason() {
    let world = World::new();
    let tree = large(&world);
    let mut mcp = world.mcp(&tree);
    let patterns = [
        "(a*)*b".to_owned(),
        "(a|a)*$".to_owned(),
        "(x+x+)+y".to_owned(),
        ".{1000}".to_owned(),
        r"\w{30,}".to_owned(),
        r"(?i)(\w+\s?){40}z".to_owned(),
        r"((a{100}){100}){100}".to_owned(),
        r"(?:(?:\pL{50}){50}){50}".to_owned(),
        words(10_000),
        format!("(?i){}", words(9_000)),
        format!("(?i)({}){{3}}", words(2_000)),
        "a?".repeat(5_000) + &"a".repeat(5_000),
        "[^x]*".repeat(2_000),
        "(".repeat(240) + &")".repeat(240),
    ];
    for pattern in patterns {
        for max_millis in [1, 1_000] {
            let answer = mcp.call("regex_search", json!({"pattern": pattern, "max_millis": max_millis}));
            ends_well(&answer);
        }
    }
}

/// One line of megabytes, in which a look at the clock between two lines is of no use.
#[test]
fn a_search_ends_within_a_line() {
    let world = World::new();
    let tree = world.tree("//- /a.py\ndef f():\n    return 1\n");
    let mut rng = hob_tests::Rng::new(7);
    let line: String = (0..5 << 20).map(|_| *rng.pick(&['a', 'a', 'a', 'b', ' '])).collect();
    tree.write("long.txt", &line);
    let mut mcp = world.mcp(&tree);
    for pattern in ["(a{1000}){1000}", r"\b(?:\w{1,40}\s?){30}ü", "(?:a?){4000}b{9}"] {
        let answer = mcp.call("regex_search", json!({"pattern": pattern, "max_millis": 700}));
        ends_well(&answer);
    }
    // Work ends with its client.
    let arguments = json!({"pattern": "(a{1000}){1000}", "max_millis": 60_000});
    mcp.send_request("tools/call", json!({"name": "regex_search", "arguments": arguments}));
    let under_way = || world.status().map_or(0, |status| status["calls"].as_u64().unwrap_or(0));
    while under_way() == 0 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    mcp.close();
    let left = std::time::Instant::now();
    while under_way() > 0 {
        assert!(left.elapsed().as_secs() < 30, "it goes on without its client");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[test]
fn what_is_too_long_is_told_so() {
    let world = World::new();
    let tree = world.tree("//- /a.py\ndef f():\n    return 1\n");
    let mut mcp = world.mcp(&tree);
    let long = "a/".repeat(200_000);
    for tool in ["regex_search", "text_search", "map_search"] {
        let words = json!({"pattern": "def", "query": "def", "path_prefix": long});
        let name = if tool == "regex_search" { "query" } else { "pattern" };
        let mut args = words.as_object().expect("an object").clone();
        args.remove(name);
        let answer = mcp.call(tool, args.into());
        let message = answer.error("BAD_ARGS")["message"].as_str().unwrap_or_default().to_owned();
        assert!(message.contains("takes at most 4096 bytes; it was given 400000"), "{message}");
    }
}

#[test]
fn what_is_too_large_is_told_so() {
    let world = World::new();
    let tree = world.tree("//- /a.py\ndef f():\n    return 1\n");
    let mut mcp = world.mcp(&tree);
    for (pattern, limit) in [
        ("a".repeat(1 << 20), "at most 65536"),
        (words(100_000), "at most 65536"),
        (r"(\w{100}){100}".to_owned(), "size limit"),
        ("(".repeat(300) + &")".repeat(300), "nest"),
    ] {
        let answer = mcp.call("regex_search", json!({"pattern": pattern}));
        let message = answer.error("BAD_PATTERN")["message"].as_str().unwrap_or_default().to_owned();
        assert!(message.contains(limit), "{message}");
        let counted = mcp.call("count_patterns", json!({"patterns": ["a", "b", pattern]}));
        let error = counted.error("BAD_PATTERN");
        assert_eq!(error["index"], 2, "{counted}");
        assert!(error["message"].as_str().is_some_and(|text| text.contains("item 3 of 3")), "{counted}");
    }
    assert_eq!(mcp.call("regex_search", json!({"pattern": "def"})).whole()["total_lines"], 1);
}

#[test]
fn every_position_can_match() {
    let world = World::new();
    let tree = world.tree("//- /a.txt\nab\n\nc\n//- /b.txt\nd\n");
    let mut mcp = world.mcp(&tree);
    for (pattern, lines, matches) in
        [("^", 4, 4), ("$", 4, 4), (".", 3, 4), ("(?:)", 4, 8), ("x*", 4, 8), (r"\b", 3, 6)]
    {
        let answer = mcp.call("regex_search", json!({"pattern": pattern}));
        assert_eq!(
            (&answer.whole()["total_lines"], &answer.ok()["total_matches"]),
            (&json!(lines), &json!(matches)),
            "{answer}"
        );
        let counted = mcp.call("count_patterns", json!({"patterns": [pattern]}));
        assert_eq!(counted.list("/patterns")[0]["total_matches"], matches, "{counted}");
    }
}

#[test]
fn a_search_out_of_time_says_so_whatever_it_shows() {
    let world = World::new();
    let tree = large(&world);
    let mut mcp = world.mcp(&tree);
    // Twelve megabytes take more than a millisecond on any machine.
    for more in [
        json!({}),
        json!({"output": "files"}),
        json!({"output": "count"}),
        json!({"kinds": ["File", "Symbol"]}),
    ] {
        let mut args = json!({"pattern": r"\w{30,}|[^e]z", "max_millis": 1});
        more.as_object().into_iter().flatten().for_each(|(name, value)| args[name] = value.clone());
        let answer = mcp.call("regex_search", args);
        assert_eq!(answer.says("Out of time").ok()["complete"], false, "{answer}");
    }
    let counted = mcp.call("count_patterns", json!({"patterns": [r"\w{30,}", ".", "e"], "max_millis": 1}));
    assert_eq!(counted.says("Out of time").ok()["complete"], false, "{counted}");
}

#[test]
fn thousands_of_patterns_are_refused_and_hundreds_counted() {
    let world = World::new();
    let tree = world.tree("//- /a.py\ndef needle7():\n    return needle8, needle8\n");
    let mut mcp = world.mcp(&tree);
    let patterns = |number: usize| (0..number).map(|n| format!("needle{n}\\b")).collect::<Vec<_>>();
    let refused = mcp.call("count_patterns", json!({"patterns": patterns(5_000)}));
    let message = refused.error("BAD_ARGS")["message"].as_str().unwrap_or_default().to_owned();
    assert!(message.contains("`patterns`") && message.contains("at most 256"), "{refused}");
    let counted = mcp.call("count_patterns", json!({"patterns": patterns(256), "tokenBudget": 10_000}));
    let counts: Vec<&Value> = counted.list("/patterns").iter().map(|found| &found["total_matches"]).collect();
    assert_eq!(
        (counts.len(), counts[6], counts[7], counts[8]),
        (256, &json!(0), &json!(1), &json!(2)),
        "{counted}"
    );
    let empty = mcp.call("count_patterns", json!({"patterns": []}));
    assert!(
        empty.error("BAD_ARGS")["message"].as_str().is_some_and(|text| text.contains("empty")),
        "{empty}"
    );
    let hostile: Vec<String> = (0..200).map(|n| format!(r"(?:\w{{9}}x{n}){{20}}")).collect();
    let answer = mcp.call("count_patterns", json!({"patterns": hostile}));
    let _ = answer.error("BAD_PATTERN");
}

/// A search that would take long, under way.
fn begun(mcp: &mut Mcp) -> u64 {
    mcp.send_call(
        "regex_search",
        &json!({"pattern": r"(\w+\W+){20}zz|(?i)[^e]{90}y", "max_millis": 60_000, "output": "count"}),
    )
}

#[test]
fn others_are_served_meanwhile_and_it_can_be_cancelled() {
    let world = World::new();
    let tree = large(&world);
    let (mut busy, mut other) = (world.mcp(&tree), world.mcp(&tree));
    let _ = other.call("map_status", json!({})).ok();
    let call = begun(&mut busy);
    assert_eq!(other.call("regex_search", json!({"pattern": r"def f\(\)"})).whole()["total_lines"], 1);
    let params = json!({"requestId": call, "reason": "test"});
    busy.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
    assert_eq!(busy.call("regex_search", json!({"pattern": r"def f\(\)"})).whole()["total_lines"], 1);
}
