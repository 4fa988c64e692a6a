//! Tests that the daemon starts when it is needed, only once, starts again after it was killed, and ends when it is
//! told to.

use std::os::unix::fs::PermissionsExt as _;
use std::sync::Barrier;
use std::thread;

use hob_tests::{Mcp, McpOptions, Tree, World, is_alive, kill_hard};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use super::map::hit;

const FIXTURE: &str = r#"
//- /a.py
from b import there


def here():
    return there()
//- /b.py
def there():
    return 1
"#;

#[track_caller]
fn answers(mcp: &mut Mcp) {
    let answer = mcp.call("map_search", json!({"query": "there"}));
    assert_eq!(hit(&answer, "py:b.py#there")["line"], 1, "{answer}");
}

fn signal(pid: u32, signal: Signal) {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).expect("a process number");
    kill_process(pid, signal).expect("the process is there");
}

#[test]
fn twenty_shims_at_once_get_one_daemon() {
    const SHIMS: usize = 20;
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let start = Barrier::new(SHIMS);
    let daemons: Vec<u64> = thread::scope(|scope| {
        let shims: Vec<_> = (0..SHIMS).map(|_| scope.spawn(|| one_of_many(&world, &tree, &start))).collect();
        shims.into_iter().map(|shim| shim.join().expect("a shim got its answer")).collect()
    });
    assert!(daemons.iter().all(|pid| *pid == daemons[0]), "several daemons answered: {daemons:?}");
    assert_eq!(world.daemon_pid().map(u64::from), Some(daemons[0]));
}

fn one_of_many(world: &World, tree: &Tree, start: &Barrier) -> u64 {
    start.wait();
    let mut mcp = world.mcp(tree);
    answers(&mut mcp);
    let status = mcp.call("map_status", json!({}));
    status.ok()["daemon"]["pid"].as_u64().expect("a status names its daemon")
}

#[test]
fn a_killed_daemon_costs_no_answer() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let mut mcp = world.mcp(&tree);
    answers(&mut mcp);
    for _ in 0..3 {
        let killed = world.kill_daemon();
        answers(&mut mcp);
        assert_ne!(world.daemon_pid().expect("another one runs"), killed);
    }
}

#[test]
fn a_daemon_killed_under_a_call_costs_no_answer() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    for i in 0..500 {
        tree.write(&format!("more/m{i}.py"), format!("def f{i}():\n    return {i}\n").repeat(20));
    }
    let mut mcp = world.mcp(&tree);
    let _ = mcp.call("hob_noop", json!({"fresh": false}));
    // It dies during the first index.
    let id = mcp.send_call("map_search", &json!({"query": "there"}));
    world.kill_daemon();
    let answer = mcp.wait_call(id, "map_search", json!({"query": "there"}));
    assert_eq!(hit(&answer, "py:b.py#there")["line"], 1, "{answer}");
}

#[test]
fn a_stopped_daemon_comes_back_for_the_next_question() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let mut mcp = world.mcp(&tree);
    answers(&mut mcp);
    let before = world.daemon_pid();
    world.stop();
    assert!(!world.dir().join("run/hobd.sock").exists(), "a daemon that goes takes its socket along");
    answers(&mut mcp);
    assert_ne!(world.daemon_pid(), before);
}

#[test]
fn a_daemon_told_to_terminate_ends_and_keeps_what_it_knows() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    answers(&mut world.mcp(&tree));
    let pid = world.daemon_pid().expect("it runs");
    signal(pid, Signal::TERM);
    while is_alive(pid) {
        thread::yield_now();
    }
    let mut mcp = world.mcp(&tree);
    answers(&mut mcp);
    let status = mcp.call("map_status", json!({}));
    let (fresh, kept) = (&status.ok()["memory"]["factsExtracted"], &status.ok()["memory"]["factsFromStore"]);
    assert_eq!((fresh, kept), (&json!(0), &json!(2)), "facts are read back, not extracted again{status}");
}

#[test]
fn a_daemon_outlives_its_shim_and_shims_end_as_clients_want_them_to() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let mut mcp = world.mcp(&tree);
    answers(&mut mcp);
    let daemon = world.daemon_pid().expect("it runs");
    assert_eq!(mcp.close(), Some(0), "the end of input ends a shim");
    for end in [Signal::INT, Signal::TERM] {
        let mut mcp = world.mcp(&tree);
        signal(mcp.pid(), end);
        assert_eq!(mcp.wait_end(), Some(0), "{end:?} ends a shim");
    }
    let mut mcp = world.mcp(&tree);
    answers(&mut mcp);
    kill_hard(mcp.pid());
    answers(&mut world.mcp(&tree));
    assert_eq!(world.daemon_pid(), Some(daemon), "one daemon served them all");
}

#[test]
fn a_daemon_serves_several_projects_and_shims_keep_theirs_apart() {
    let world = World::new();
    let one = Tree::new(&world.path("one"), "//- /x.py\ndef only_one(): pass\n");
    let two = Tree::new(&world.path("two"), "//- /x.py\ndef only_two(): pass\n");
    let (mut first, mut second) = (world.mcp(&one), world.mcp(&two));
    for (mcp, own, other) in [(&mut first, "only_one", "only_two"), (&mut second, "only_two", "only_one")] {
        let found = mcp.call("map_search", json!({"query": own}));
        assert_eq!(hit(&found, &format!("py:x.py#{own}"))["line"], 1);
        let foreign = mcp.call("regex_search", json!({"pattern": other}));
        assert_eq!(foreign.ok()["total_lines"], 0, "{foreign}");
    }
    let elsewhere = first.call("map_search", json!({"query": "only_two", "root": two.root()}));
    assert_eq!(hit(&elsewhere, "py:x.py#only_two")["line"], 1, "`root` names another project{elsewhere}");
    let options =
        McpOptions { args: vec!["--root".into(), two.root().display().to_string()], ..McpOptions::default() };
    let mut fixed = Mcp::start(&world, &one, &options);
    let found = fixed.call("map_search", json!({"query": "only_two"}));
    assert_eq!(hit(&found, "py:x.py#only_two")["line"], 1, "--root goes before the working directory{found}");
}

#[test]
fn nobody_else_can_read_what_the_daemon_keeps() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    answers(&mut world.mcp(&tree));
    let mode = |name: &str| {
        let meta =
            std::fs::symlink_metadata(world.dir().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        meta.permissions().mode() & 0o777
    };
    assert_eq!(mode("run"), 0o700);
    assert_eq!(mode("run/hobd.sock"), 0o600);
    for entry in std::fs::read_dir(world.dir()).expect("it is there").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        assert_eq!(mode(&name) & 0o077, 0, "{name} is open to others");
    }
}
