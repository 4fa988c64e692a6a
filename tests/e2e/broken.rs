//! Tests sources that no compiler would accept: the daemon ingests them, finds their text and goes on with the other
//! files.
//!
//! The map's own test (`daemon/map/tests/mutated`) treats the parsers much worse, language by language. Here a few of
//! the worst cases are tried in every language, in files up to the largest size that the map accepts, and larger.

use hob_tests::{Rng, Tree, World};
use serde_json::json;

const ENDINGS: &[&str] = &[
    "py", "ts", "tsx", "js", "rs", "go", "java", "c", "h", "cpp", "md", "cs", "rb", "php", "kt", "swift",
    "scala", "lua", "sh", "vue", "html", "ipynb", "css", "ex", "dart",
];
/// The brackets and words that can be nested in some language. The other languages must cope with them as well.
const NESTS: &[&str] = &["(", "{", "[", "<", "f(", "- ", "if (a) ", "class A { ", "\"${"];
/// Deep enough to overflow the stack of any recursive walk. The map's own test tries greater depths, because it has
/// more time.
const DEEP: usize = 5_000;
/// The size of the largest file that the map accepts.
const LARGEST: usize = 1 << 20;

const WELL: &str = "//- /well.py\ndef found():\n    return 1\n";

/// Writes a file for each ending and kind of damage, with a needle in its first line and in its last. Returns the
/// number of files.
fn fill(tree: &Tree) -> usize {
    let mut rng = Rng::new(3);
    let mut files = 0;
    let mut write = |name: String, middle: &[u8]| {
        tree.write(&name, [b"needle one\n", middle, b"\nneedle two\n"].concat());
        files += 1;
    };
    for (number, ending) in ENDINGS.iter().enumerate() {
        let nest = NESTS[number % NESTS.len()];
        write(format!("deep/a.{ending}"), nest.repeat(DEEP.min(LARGEST / 2 / nest.len())).as_bytes());
        let noise: Vec<u8> = (0..20_000).map(|_| 1 + (rng.bits() % 255) as u8).collect();
        write(format!("noise/a.{ending}"), &noise);
        let part: Vec<&str> = (0..400).map(|_| *rng.pick(NESTS)).chain(["a = 1;\n"; 30]).collect();
        write(format!("mixed/a.{ending}"), part.concat().as_bytes());
    }
    for ending in ["js", "md", "c"] {
        write(format!("long/a.{ending}"), "f(1, [2, 3]); ".repeat(10 * LARGEST / 14).as_bytes());
    }
    files
}

#[test]
fn sources_beyond_repair_are_text_and_nothing_falls_over() {
    let world = World::new();
    let tree = world.tree(WELL);
    let files = fill(&tree);
    let _ = world.hob(tree.root(), &["index"]).success();
    let mut mcp = world.mcp(&tree);
    let found = json!({"query": "found"});
    assert_eq!(mcp.call("map_search", found.clone()).texts("/results", "id")[0], "py:well.py#found");
    let pid = world.daemon_pid().expect("it runs");
    for pattern in ["^needle one$", "^needle two$"] {
        let answer =
            mcp.call("regex_search", json!({"pattern": pattern, "output": "files", "max_millis": 60_000}));
        assert_eq!(answer.ok()["files_matched"], files, "{answer}");
    }
    // One of them is repaired, and another is ruined.
    tree.write("deep/a.go", "package a\n\nfunc Mended() {}\n");
    tree.write("well.py", "def found(:\n".repeat(5_000));
    let _ = world.hob(tree.root(), &["index"]).success();
    let mended = mcp.call("map_search", json!({"query": "Mended"}));
    assert_eq!(mended.texts("/results", "id"), ["go:deep/a.go#Mended"], "{mended}");
    let _ = mcp.call("map_search", found.clone()).ok();
    assert_eq!(world.daemon_pid(), Some(pid), "it is still the same daemon");
    // Their kept facts are read again.
    world.stop();
    let text =
        mcp.call("regex_search", json!({"pattern": "^needle", "output": "count", "max_millis": 60_000}));
    assert_eq!(text.whole()["total_lines"], 2 * (files - 1), "{text}");
    let mended = mcp.call("map_search", json!({"query": "Mended"}));
    assert_eq!(mended.texts("/results", "id"), ["go:deep/a.go#Mended"], "{mended}");
}
