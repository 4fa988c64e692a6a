//! Tests `hob debug bundle`: it contains and first shows what a bug report needs, and the doctor finds a crash.

use std::fs;

use hob_tests::World;

const FIXTURE: &str = "\
//- /.git/HEAD
ref: refs/heads/main
//- /ledger.py
def found():
    return 1
";

#[test]
fn a_killed_daemon_is_reported_and_a_bundle_tells_of_it_without_names() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let _ = world.hob(tree.root(), &["search", "found"]).code(0);
    world.kill_daemon();
    let _ = world.hob(tree.root(), &["search", "found"]).code(0);
    let report = world.hob(tree.root(), &["doctor"]).code(0);
    assert!(report.stdout.contains("ended without a word"), "{report}");
    assert!(report.stdout.contains("hob debug bundle"), "{report}");

    let shown = world.hob(tree.root(), &["debug", "bundle"]).code(0);
    assert!(shown.stderr.contains("nothing was written"), "{shown}");
    for title in ["versions", "doctor", "daemon", "statistics", "settings", "crashes", "log"] {
        assert!(shown.stdout.contains(&format!("== {title} ==")), "{title}: {shown}");
    }
    assert!(shown.stdout.contains(tree.root().to_str().expect("text")), "the log names the project: {shown}");

    let file = world.path("bundle.txt");
    let arguments = ["debug", "bundle", "--hash-names", "--yes", "--out", file.to_str().expect("text")];
    let _ = world.hob(tree.root(), &arguments).code(0);
    let text = fs::read_to_string(&file).expect("it was written");
    let world_name = world.dir().components().find_map(|part| {
        let name = part.as_os_str().to_str()?;
        name.starts_with("hob-").then(|| name.to_owned())
    });
    let world_name = world_name.expect("a world has a folder of its own");
    assert!(!text.contains(&world_name), "{world_name} is in {text}");
    assert!(text.contains("ended without a word") && text.contains("== log =="), "{text}");
    let again = world.hob(tree.root(), &arguments).code(2);
    assert!(again.stderr.contains("is there already"), "{again}");
}
