//! Tests the order of the results of `map_search`, from the first answer of a daemon on.

use std::fmt::Write as _;

use hob_tests::{Answer, World};
use serde_json::json;

/// Returns a project of files that use each other's functions, some of which are used everywhere.
fn project() -> String {
    let mut fixture =
        "//- /core.py\ndef task_rare(): pass\ndef task_run(): pass\ndef task_stop(): pass\n".to_owned();
    for file in 0..600 {
        write!(fixture, "//- /part{}/m{file}.py\nfrom core import task_run, task_stop\n", file % 20)
            .expect("memory");
        for number in 0..20 {
            write!(
                fixture,
                "def task_{file}_{number}():\n    task_run()\n    return task_{file}_{}()\n",
                number / 2
            )
            .expect("memory");
        }
    }
    fixture
}

fn scores(answer: &Answer) -> Vec<f64> {
    answer.list("/results").iter().filter_map(|hit| hit["score"].as_f64()).collect()
}

const QUERY: &str = "task_";

#[test]
fn a_restarted_daemon_ranks_as_the_one_before_it_from_its_first_answer_on() {
    let world = World::new();
    let tree = world.tree(&project());
    let mut mcp = world.mcp(&tree);
    // The overview waits for scores.
    let _ = mcp.call("map_overview", json!({}));
    let before = mcp.call("map_search", json!({"query": QUERY, "limit": 50}));
    assert_eq!(before.texts("/results", "name")[0], "task_run", "{before}");
    assert!(scores(&before)[0] > 0.5, "{before}");
    for _ in 0..3 {
        world.stop();
        let after = mcp.call("map_search", json!({"query": QUERY, "limit": 50}));
        assert_eq!(after.texts("/results", "id"), before.texts("/results", "id"));
        assert_eq!(scores(&after), scores(&before));
        after.without_warnings();
    }
}

#[test]
fn the_first_answers_of_all_are_in_a_sensible_order_and_say_what_is_missing() {
    let world = World::new();
    let tree = world.tree(&project());
    let mut mcp = world.mcp(&tree);
    let found = mcp.call("map_search", json!({"query": QUERY, "limit": 50}));
    assert_eq!(found.texts("/results", "name")[0], "task_run", "{found}");
    let unscored = scores(&found).iter().all(|score| *score == 0.0);
    assert_eq!(found.warnings().contains("Hub scores are still being computed"), unscored, "{found}");
}
