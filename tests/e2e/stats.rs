//! Tests the counts of calls, costs and savings: they are right, survive a restart, and are never more than can be
//! proved.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use hob_proto::envelope::tokens_of;
use hob_tests::{Answer, Mcp, Tree, World};
use serde_json::{Value, json};

/// Returns two files. The smaller one has exactly 100 bytes, and so 25 tokens.
fn project(world: &World) -> Tree {
    let tree = world.tree("//- /small.py\n");
    let small = "def small(): pass\n";
    tree.write("small.py", format!("{small}{}\n", "#".repeat(100 - small.len() - 1)));
    tree.write("large.py", format!("def large(): pass\n{}", "# not needed\n".repeat(1_000)));
    tree
}

fn report(mcp: &mut Mcp) -> Value {
    mcp.call("metrics_report", json!({})).whole().clone()
}

/// Returns the part of a report about a tool.
fn of(span: &Value, tool: &str) -> Value {
    let all = span["perTool"].as_array().expect("a list");
    all.iter().find(|one| one["tool"] == tool).cloned().unwrap_or_default()
}

fn cost(answer: &Answer) -> u64 {
    u64::from(tokens_of(&answer.text))
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("a whole number: {value}"))
}

fn file(world: &World) -> PathBuf {
    world.dir().join("state/metrics.json")
}

#[test]
fn known_calls_are_counted_with_what_they_cost_and_what_they_name() {
    let world = World::new();
    let tree = project(&world);
    let mut mcp = world.mcp(&tree);
    let found = mcp.call("map_search", json!({"query": "small"}));
    let nothing = mcp.call("map_search", json!({"query": "nowhere_to_be_found"}));
    let failed = mcp.call("map_search", json!({}));
    let _ = failed.error("BAD_ARGS");
    let both = mcp.call("read_symbols", json!({"targets": ["small", "large"]}));
    let grep = mcp.call("regex_search", json!({"pattern": "needed"}));
    let told = report(&mut mcp);
    for span in [&told["session"], &told["cumulative"]] {
        let search = of(span, "map_search");
        assert_eq!((&search["calls"], &search["failed"]), (&json!(3), &json!(1)), "{told}");
        assert_eq!(search["actualTokens"], json!(cost(&found) + cost(&nothing) + cost(&failed)), "{told}");
        // The named file counts once. The empty answer and the failure name no file.
        assert_eq!(search["baselineTokens"], 25, "{told}");
        let lost = number(&search["baselineTokens"]) - number(&search["actualTokens"]);
        assert_eq!(number(&search["savedTokens"]), lost, "a loss is told as one: {told}");
        assert!(lost < 0, "{told}");
        let read = of(span, "read_symbols");
        let large = fs::metadata(tree.root().join("large.py")).expect("it is there").len();
        assert_eq!(read["baselineTokens"], json!(25 + large.div_ceil(4)), "{told}");
        assert_eq!(read["actualTokens"], json!(cost(&both)), "{told}");
        let search = of(span, "regex_search");
        assert_eq!(search["baselineTokens"], json!(cost(&grep)), "grep would have said as much: {told}");
        assert_eq!((&search["savedTokens"], &search["savedPct"]), (&json!(0), &json!(0.0)), "{told}");
        let sum = |field: &str| -> i64 {
            span["perTool"].as_array().into_iter().flatten().map(|one| number(&one[field])).sum()
        };
        for field in ["calls", "failed", "actualTokens", "baselineTokens", "savedTokens"] {
            assert_eq!(number(&span["totals"][field]), sum(field), "{field}: {told}");
        }
        let totals = &span["totals"];
        let share = totals["savedPct"].as_f64().expect("a number");
        #[allow(clippy::cast_precision_loss)]
        let exact = number(&totals["savedTokens"]) as f64 * 100.0 / number(&totals["baselineTokens"]) as f64;
        assert!((share - exact).abs() <= 0.051, "{share} {exact}");
    }
    assert!(told["since"].as_str().is_some_and(|since| since.starts_with("20")), "{told}");
}

#[test]
fn a_file_is_weighed_once_in_an_answer_and_anew_in_the_next() {
    let world = World::new();
    let tree = world.tree("//- /a.py\n");
    let text = "def one(): pass\ndef two(): one()\ndef three(): one()\n";
    tree.write("a.py", text);
    let mut mcp = world.mcp(&tree);
    let whole = text.len().div_ceil(4) as u64;
    for times in 1..=3 {
        let found = mcp.call("map_neighbors", json!({"nodeId": "py:a.py#one"}));
        assert!(found.list("/neighbors").len() >= 2, "{found}");
        let told = report(&mut mcp);
        assert_eq!(of(&told["session"], "map_neighbors")["baselineTokens"], json!(whole * times), "{told}");
    }
}

#[test]
fn a_session_is_a_connection_and_a_restart_keeps_the_sum() {
    let world = World::new();
    let tree = project(&world);
    let mut first = world.mcp(&tree);
    let mut second = world.mcp(&tree);
    let _ = first.call("map_search", json!({"query": "small"}));
    let _ = second.call("map_search", json!({"query": "large"}));
    let told = report(&mut second);
    assert_eq!(of(&told["session"], "map_search")["calls"], 1, "{told}");
    assert_eq!(of(&told["cumulative"], "map_search")["calls"], 2, "{told}");
    let since = told["since"].clone();
    let before = of(&told["cumulative"], "map_search");
    world.stop();
    let mode = fs::metadata(file(&world)).expect("it was written").permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "for the user alone");
    let told = report(&mut first);
    assert_eq!(told["session"]["totals"]["calls"], 0, "another daemon, another connection: {told}");
    assert_eq!(of(&told["cumulative"], "map_search"), before, "{told}");
    assert_eq!(told["since"], since);
}

#[test]
fn a_damaged_file_is_begun_anew_and_that_is_said_to_people() {
    let world = World::new();
    let tree = project(&world);
    fs::create_dir_all(world.dir().join("state")).expect("a folder");
    fs::write(file(&world), "{\"version\": 1, \"tools\": {\"map_search\": {\"calls\": -1").expect("written");
    let mut mcp = world.mcp(&tree);
    let found = mcp.call("map_search", json!({"query": "small"}));
    assert_eq!(found.warnings(), "", "no agent pays for it{found}");
    assert_eq!(report(&mut mcp)["cumulative"]["totals"]["calls"], 1);
    let status = world.hob(tree.root(), &["status"]).success();
    assert!(status.contains("statistics") && status.contains("begun anew"), "{status}");
    let stats = world.hob(tree.root(), &["stats"]).success();
    assert!(stats.contains("begun anew"), "{stats}");
    assert!(world.dir().join("state/metrics.damaged").is_file(), "what was there can still be looked at");
    world.stop();
    let text = fs::read_to_string(file(&world)).expect("it was written");
    let kept: Value = serde_json::from_str(&text).expect("whole");
    assert_eq!(kept["tools"]["map_search"]["calls"], 1, "{kept}");
}

#[test]
fn people_see_tools_times_and_caches_and_can_begin_anew() {
    let world = World::new();
    let tree = project(&world);
    let mut mcp = world.mcp(&tree);
    for _ in 0..3 {
        let _ = mcp.call("map_search", json!({"query": "small"}));
    }
    let _ = world.hob(tree.root(), &["call", "hob_noop"]).code(0);
    let stats = world.hob(tree.root(), &["stats"]).success();
    for part in ["map_search", "hob_noop", "upper bound", "sent nowhere", "saved at most", "caches"] {
        assert!(stats.contains(part), "{part}: {stats}");
    }
    let told = world.hob(tree.root(), &["stats", "--json", "--tool", "map_search"]).code(0);
    let told: Value = serde_json::from_str(&told.stdout).unwrap_or_else(|error| panic!("{error}{told}"));
    let data = &told["data"];
    let tools: Vec<&Value> =
        data["perTool"].as_array().into_iter().flatten().map(|one| &one["tool"]).collect();
    assert_eq!(tools, ["map_search"], "{told}");
    let counted: i64 = data["times"].as_array().into_iter().flatten().map(|one| number(&one["calls"])).sum();
    assert_eq!(counted, 3, "{told}");
    let one = &data["perTool"][0];
    let time = |field: &str| one[field].as_f64().unwrap_or_else(|| panic!("{field}: {one}"));
    assert!(time("p50Ms") > 0.0 && time("p50Ms") <= time("p99Ms") && time("p99Ms") <= time("maxMs"), "{one}");
    let bars = world.hob(tree.root(), &["stats", "--tool", "map_search"]).success();
    assert!(bars.contains("up to") && bars.contains("####"), "{bars}");
    let wrong = world.hob(tree.root(), &["stats", "--tool", "map_serch"]).code(1);
    assert!(wrong.stderr.contains("did you mean `map_search`"), "{wrong}");

    let last = world.hob(tree.root(), &["stats", "--reset"]).success();
    assert!(last.contains("map_search"), "they are shown once more: {last}");
    let told = report(&mut mcp);
    assert_eq!(told["cumulative"]["totals"]["calls"], 0, "{told}");
    let status = world.status().expect("it runs");
    let metrics = &status["metrics"];
    assert_eq!(of(metrics, "map_search"), Value::Null, "{metrics}");
    assert_eq!(metrics["running"], 0, "{metrics}");
    for field in ["sinceMs", "calls", "failed", "actualTokens", "baselineTokens", "savedTokens"] {
        assert!(metrics[field].is_i64() || metrics[field].is_u64(), "{field}: {metrics}");
    }
    assert!(metrics["latencyMs"]["p99"].is_number() && metrics["caches"].is_array(), "{metrics}");
}

#[test]
fn nothing_outside_the_project_is_weighed_and_a_folder_in_the_way_stops_nothing() {
    let world = World::new();
    let tree = project(&world);
    // A folder is where the file should be: counting continues, and nothing is damaged.
    fs::create_dir_all(file(&world).join("in the way")).expect("a folder");
    let mut mcp = world.mcp(&tree);
    let _ = mcp.call("read_symbols", json!({"targets": ["../outside.py#f", "/etc/passwd"]})).ok();
    let told = report(&mut mcp);
    assert_eq!(of(&told["session"], "read_symbols")["baselineTokens"], 0, "{told}");
    world.stop();
    assert_eq!(report(&mut mcp)["session"]["totals"]["calls"], 0, "another daemon counts as well");
}
