//! Tests the diagnostics of a file directly after it was written: they are never those of its earlier contents.

use hob_tests::{Answer, Mcp, Tree, World};
use serde_json::json;

use super::nav::{path_with, servers, ty_alone};

/// The number of times that a file is broken and repaired.
const ROUNDS: usize = 20;

fn ask(mcp: &mut Mcp, file: &str) -> Answer {
    let answer = mcp.call("nav_diagnostics", json!({"file": file, "severity": "error"}));
    assert_eq!(answer.ok()["complete"], true, "{answer}");
    answer
}

/// Breaks a file and repairs it, and asks immediately each time. The error is in another line each time.
fn break_and_mend(mut mcp: Mcp, tree: &Tree, (file, good, bad): (&str, &str, &str)) {
    assert!(ask(&mut mcp, file).list("/diagnostics").is_empty(), "it begins well");
    for round in 1..=ROUNDS {
        let start = good.repeat(round);
        tree.write(file, format!("{start}{bad}"));
        let answer = ask(&mut mcp, file);
        let [one] = answer.list("/diagnostics") else { panic!("round {round}: one error{answer}") };
        assert_eq!((&one["file"], &one["line"]), (&json!(file), &json!(round + 1)), "{answer}");
        assert!(one["message"].as_str().is_some_and(|text| !text.is_empty()), "{answer}");
        tree.write(file, start);
        let mended = ask(&mut mcp, file);
        assert!(mended.list("/diagnostics").is_empty(), "round {round}: it was mended{mended}");
    }
}

const PYTHON: &str = "//- /pyproject.toml\n[project]\nname = \"p\"\n//- /a.py\nx: int = 1\n";
const PYTHON_EDITS: (&str, &str, &str) = ("a.py", "x: int = 1\n", "y: int = \"text\"\n");

#[test]
fn ty_is_asked() {
    let world = World::new().env("PATH", path_with(&ty_alone()));
    let tree = world.tree(PYTHON);
    break_and_mend(world.mcp(&tree), &tree, PYTHON_EDITS);
}

#[test]
fn pyright_is_listened_to() {
    let world = servers();
    let tree = world.tree(PYTHON);
    break_and_mend(world.mcp(&tree), &tree, PYTHON_EDITS);
}

#[test]
fn typescript_is_asked() {
    let world = servers();
    let tree = world.tree("//- /tsconfig.json\n{}\n//- /a.ts\nconsole.log(1);\n");
    let edits = ("a.ts", "console.log(1);\n", "const y: number = 'text';\n");
    break_and_mend(world.mcp(&tree), &tree, edits);
}

#[test]
fn an_error_that_another_file_makes_is_found() {
    let world = World::new().env("PATH", path_with(&ty_alone()));
    let tree = world.tree("//- /pyproject.toml\n[project]\nname = \"p\"\n//- /a.py\nfrom b import f\nf(1)\n");
    let mut mcp = world.mcp(&tree);
    for _ in 0..5 {
        tree.write("b.py", "def f(a: int) -> None: ...\n");
        assert!(ask(&mut mcp, "a.py").list("/diagnostics").is_empty());
        tree.write("b.py", "def f(a: str) -> None: ...\n");
        let answer = ask(&mut mcp, "a.py");
        assert_eq!(answer.list("/diagnostics").len(), 1, "{answer}");
    }
    let everywhere = mcp.call("nav_diagnostics", json!({}));
    assert_eq!(everywhere.ok()["complete"], false, "b.py was not judged");
    assert_eq!(everywhere.texts("/diagnostics", "file"), ["a.py"], "{everywhere}");
    assert!(everywhere.warnings().contains("asked about"), "{everywhere}");
}
