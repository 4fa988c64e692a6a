//! Measures the cost of a row: ten matching lines compared with what ripgrep prints for them, and the callers of a
//! function with many callers.

use std::collections::BTreeMap;

use hob_tests::{Tree, World, outside, run};
use serde_json::json;

use super::tree;

/// The number of words to ask for. Each is on exactly ten lines of a project.
const WORDS: usize = 30;

/// The most that ten hits may cost compared with `rg --heading -n`, in hundredths.
const MOST: usize = 130;

/// The most that ten hits may cost on average, in hundredths.
const USUAL: usize = 105;

/// One of this many words may cost more, if every line is in a separate definition whose name is longer than the line.
const EXCEPTION: usize = 20;

/// The most characters that a row of callers may cost, including its share of everything else.
const ROW: usize = 60;

fn ripgrep(tree: &Tree, options: &[&str]) -> String {
    let mut command = std::process::Command::new(outside::ripgrep());
    run(command.args(options).arg("./").current_dir(tree.root()), b"").success().replace("./", "")
}

/// Returns words that are on exactly ten lines, spread over the alphabet.
fn words_on_ten_lines(tree: &Tree) -> Vec<String> {
    let all = ripgrep(tree, &["--no-filename", "--no-line-number", "."]);
    let mut lines: BTreeMap<&str, usize> = BTreeMap::new();
    for line in all.lines() {
        let mut words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        words.sort_unstable();
        words.dedup();
        for word in words.into_iter().filter(|word| word.len() > 3 && word.is_ascii()) {
            *lines.entry(word).or_default() += 1;
        }
    }
    let ten: Vec<String> =
        lines.into_iter().filter(|(_, count)| *count == 10).map(|(word, _)| word.to_owned()).collect();
    let step = (ten.len() / WORDS).max(1);
    ten.into_iter().step_by(step).take(WORDS).collect()
}

#[test]
fn ten_hits_cost_little_more_than_ripgrep_prints() {
    let world = World::new().env("PATH", "/usr/bin:/bin");
    for project in ["click", "flask", "rxjs"] {
        let tree = tree(&world, project);
        let mut mcp = world.mcp(&tree);
        let _ = mcp.call("map_overview", json!({}));
        let words = words_on_ten_lines(&tree);
        assert!(words.len() >= WORDS / 2, "{project}: {words:?}");
        let (mut all, mut all_printed, mut dear) = (0, 0, Vec::new());
        let exceptions = words.len() / EXCEPTION;
        for word in words {
            let pattern = format!(r"\b{word}\b");
            let printed = ripgrep(&tree, &["--heading", "-n", "--sort", "path", &pattern]);
            let text = mcp.read("regex_search", json!({"pattern": pattern}));
            let (cost, most) = (text.chars().count(), printed.chars().count() * MOST / 100);
            dear.extend((cost > most).then(|| format!("{word}: {cost} of {most}\n{text}\n")));
            all += cost;
            all_printed += printed.chars().count();
        }
        assert!(dear.len() <= exceptions, "{project}: {}", dear.join("\n"));
        assert!(all * 100 <= all_printed * USUAL, "{project}: {all} beside {all_printed}");
    }
}

/// Returns forty callers in eight modules, with names and calls as people write them.
fn shop() -> String {
    let mut out = String::from(
        "//- /shop/storage.py\nclass Storage:\n    def remember(self, order, *, until=None):\n        return order\n",
    );
    let modules =
        ["orders", "invoices", "returns", "deliveries", "customers", "warehouse", "reports", "webhooks"];
    let verbs = ["create", "cancel", "replace_with", "confirm_payment_of", "archive_everything_before"];
    for module in modules {
        out.push_str(&format!(
            "//- /shop/services/{module}.py\nfrom shop.storage import Storage\n\n\nclass {module}Service:\n"
        ));
        for verb in verbs {
            out.push_str(&format!(
                "    def {verb}_{module}(self, storage: Storage, order):\n        \
                 remembered = storage.remember(order, until=self.clock.now() + self.patience)\n        return remembered\n\n"
            ));
        }
    }
    out
}

#[test]
fn a_caller_among_forty_costs_a_short_row() {
    let world = World::new().env("PATH", "/usr/bin:/bin");
    let tree = world.tree(&shop());
    let mut mcp = world.mcp(&tree);
    let _ = mcp.call("map_overview", json!({}));
    let callers = json!({"nodeId": "Storage.remember", "direction": "in", "edgeKinds": ["calls"]});
    let text = mcp.read("map_neighbors", callers);
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with(' ')).collect();
    assert_eq!(rows.len(), 40, "{text}");
    assert!(rows.iter().all(|row| row.chars().count() <= ROW), "{text}");
    assert!(rows.iter().filter(|row| row.contains(": remember(")).count() >= 16, "{text}");
    assert!(text.chars().count() <= 40 * ROW, "{} characters\n{text}", text.chars().count());
}
