//! Tests that a newer build of the daemon replaces an older one while calls continue, and never the reverse.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use hob_tests::{Mcp, Tree, World, copy_programs, is_alive};
use serde_json::json;

struct Installed {
    world: World,
    tree: Tree,
    old: PathBuf,
    new: PathBuf,
}

fn installed() -> Installed {
    let world = World::new();
    let names = ["hob", "hobd", "hob-mcp"];
    let old = copy_programs(&world.path("old"), &names, Duration::from_secs(7200));
    let new = copy_programs(&world.path("new"), &names, Duration::from_secs(3600));
    let tree = world.tree("//- /a.py\ndef found(): pass\n");
    Installed { world, tree, old, new }
}

impl Installed {
    /// Starts a shim from one of the installations.
    #[track_caller]
    fn shim(&self, installation: &Path) -> Mcp {
        Mcp::start_program(&self.world, &self.tree, &installation.join("hob-mcp"))
    }
}

#[track_caller]
fn pid_by(mcp: &mut Mcp) -> u32 {
    let answer = mcp.call("map_search", json!({"query": "found"}));
    assert_eq!(answer.texts("/results", "id"), ["py:a.py#found"], "{answer}");
    let status = mcp.call("map_status", json!({}));
    u32::try_from(status.ok()["daemon"]["pid"].as_u64().expect("a number")).expect("a process number")
}

#[test]
fn a_newer_build_replaces_an_older_one_without_a_failed_call() {
    let installed = installed();
    let mut old_shim = installed.shim(&installed.old);
    let old_daemon = pid_by(&mut old_shim);
    let done = AtomicBool::new(false);
    let (calls, new_daemon) = thread::scope(|scope| {
        let busy = scope.spawn(|| {
            let mut calls = 0_u32;
            // Each of these calls must succeed, no matter which daemon serves it.
            while !done.load(Ordering::Acquire) {
                let _ = pid_by(&mut old_shim);
                calls += 1;
            }
            calls
        });
        let mut new_shim = installed.shim(&installed.new);
        let new_daemon = pid_by(&mut new_shim);
        let again = pid_by(&mut new_shim);
        done.store(true, Ordering::Release);
        assert_eq!(again, new_daemon);
        (busy.join().expect("no call failed"), new_daemon)
    });
    assert!(calls > 0);
    assert_ne!(new_daemon, old_daemon, "the new build's own daemon serves");
    assert!(!is_alive(old_daemon), "the old one is gone");
    assert_eq!(pid_by(&mut old_shim), new_daemon, "the old shim is served by the new daemon");
}

#[test]
fn an_older_build_does_not_replace_a_newer_one() {
    let installed = installed();
    let newer = pid_by(&mut installed.shim(&installed.new));
    let older = pid_by(&mut installed.shim(&installed.old));
    assert_eq!(older, newer, "the older shim is served by the newer daemon");
    assert_eq!(installed.world.daemon_pid(), Some(newer));
}

#[test]
fn a_daemon_file_that_is_replaced_in_place_is_taken_up_by_the_next_client() {
    let installed = installed();
    let before = pid_by(&mut installed.shim(&installed.old));
    // As an installer does it: a new file with the same name.
    fs::rename(installed.new.join("hobd"), installed.old.join("hobd")).expect("it can be replaced");
    let after = pid_by(&mut installed.shim(&installed.old));
    assert_ne!(after, before);
}
