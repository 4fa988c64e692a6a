//! Sharing servers: one for everybody, replaced when it dies, given up when it keeps dying, stopped when idle.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hob_base::{AbsPath, Stopped, WsPath};
use hob_live::documents::FileChange;
use hob_live::pool::{Pool, PoolError, PoolOptions};
use hob_live::spec::{Launch, ReadySignal};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{fake_launch, within_millis};

fn new_pool() -> Arc<Pool> {
    Pool::new(None, PoolOptions::default())
}

fn held_launch(script: &Value, root: &Path) -> Launch {
    fake_launch(ReadySignal::Held, script, root)
}

fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(30);
    while !holds() {
        assert!(Instant::now() < end, "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Returns true if a process exists and does more than wait for its parent to collect it.
fn is_alive(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.trim_start().starts_with('Z'))
}

#[test]
fn everybody_shares_one_server_and_other_settings_get_another() {
    let dir = TempDir::new().expect("a folder");
    let (pool, script) = (new_pool(), json!({"answers": {"initialize": [{"delayMs": 100, "result": {}}]}}));
    let ask = || {
        let (pool, launch) = (Arc::clone(&pool), held_launch(&script, dir.path()));
        std::thread::spawn(move || {
            pool.get(&launch, &within_millis(20_000)).expect("it starts").process().pid()
        })
    };
    let asking: Vec<_> = (0..8).map(|_| ask()).collect();
    let mut pids: Vec<u32> = asking.into_iter().map(|thread| thread.join().expect("no panic")).collect();
    pids.dedup();
    assert_eq!(pids.len(), 1, "{pids:?}");
    let mut other = held_launch(&script, dir.path());
    other.settings = json!({"strict": true});
    let other = pool.get(&other, &within_millis(20_000)).expect("it starts").process().pid();
    assert_ne!(other, pids[0]);
    assert_eq!(pool.running_servers(&AbsPath::new(dir.path()).expect("absolute")).len(), 2);
    pool.close();
    assert!(!is_alive(other) && !is_alive(pids[0]), "nothing is left");
    assert_eq!(
        pool.get(&held_launch(&script, dir.path()), &within_millis(20_000)).expect_err("closed"),
        PoolError::Closing
    );
}

#[test]
fn a_server_that_dies_is_replaced_and_one_that_keeps_dying_is_given_up() {
    let dir = TempDir::new().expect("a folder");
    let pool = new_pool();
    let launch = held_launch(&json!({"answers": {"shutdown": [{"crash": 1}]}}), dir.path());
    let first = pool.get(&launch, &within_millis(20_000)).expect("it starts");
    first.process().kill();
    wait_until("its death shows", || first.reason_gone().is_some());
    let second = pool.get(&launch, &within_millis(20_000)).expect("it is started again");
    assert_ne!(first.process().pid(), second.process().pid());
    let hopeless = held_launch(&json!({"answers": {"initialize": [{"crash": 9}]}}), dir.path());
    let error = pool.get(&hopeless, &within_millis(60_000)).expect_err("it dies every time");
    let PoolError::Failed { why, stderr } = error else { panic!("{error:?}") };
    assert!(why.contains("exit code 9") && why.contains("fake-lsp"), "{why}");
    assert_eq!(stderr, ["the fake server was told to crash"]);
    let given_up = || matches!(pool.get(&hopeless, &within_millis(60_000)), Err(PoolError::GivenUp { .. }));
    wait_until("it is given up", given_up);
    let again = Instant::now();
    assert!(matches!(pool.get(&hopeless, &within_millis(60_000)), Err(PoolError::GivenUp { .. })));
    assert!(again.elapsed() < Duration::from_secs(5), "it is not tried again");
    let failed = pool.status().into_iter().find(|server| server.state == "failed").expect("it is shown");
    assert_eq!((failed.pid, failed.stderr_tail.len()), (None, 1));
    pool.close();
}

/// A server that works and is killed from outside, again and again, is not one that cannot work.
#[test]
fn a_server_that_answered_is_never_given_up() {
    let dir = TempDir::new().expect("a folder");
    let pool = new_pool();
    let launch = held_launch(&json!({}), dir.path());
    for _ in 0..8 {
        let server = pool.get(&launch, &within_millis(60_000)).expect("it is started again");
        server
            .ask_until_ready::<lsp_types::request::Shutdown>(&(), &within_millis(20_000))
            .expect("it answers");
        server.process().kill();
        wait_until("its death shows", || server.reason_gone().is_some());
    }
    pool.close();
}

#[test]
fn a_caller_that_gives_up_does_not_take_the_start_with_it() {
    let dir = TempDir::new().expect("a folder");
    let pool = new_pool();
    let slow = held_launch(&json!({"answers": {"initialize": [{"delayMs": 600, "result": {}}]}}), dir.path());
    let impatient = pool.get(&slow, &within_millis(50)).expect_err("too early");
    assert_eq!(impatient, PoolError::Stopped(Stopped::DeadlinePassed));
    assert_eq!(pool.status()[0].state, "starting");
    assert!(pool.get(&slow, &within_millis(20_000)).is_ok());
    pool.close();
}

#[test]
fn idle_servers_are_stopped_and_come_back() {
    let dir = TempDir::new().expect("a folder");
    let pool = Pool::new(None, PoolOptions { idle: Duration::from_millis(200) });
    let launch = held_launch(&json!({}), dir.path());
    let pid = pool.get(&launch, &within_millis(20_000)).expect("it starts").process().pid();
    wait_until("it is stopped", || pool.status()[0].state == "stopped");
    wait_until("it has ended", || !is_alive(pid));
    let again = pool.get(&launch, &within_millis(20_000)).expect("it is started again");
    assert_ne!(again.process().pid(), pid);
    pool.close();
}

#[test]
fn changes_reach_every_server_of_the_project() {
    let (dir, other) = (TempDir::new().expect("a folder"), TempDir::new().expect("a folder"));
    let pool = new_pool();
    let record = dir.path().join("record");
    let launch = held_launch(&json!({"record": record}), dir.path());
    pool.get(&launch, &within_millis(20_000)).expect("it starts");
    let changes = BTreeMap::from([(WsPath::new("a.py").expect("relative"), FileChange::Created)]);
    let root = |dir: &TempDir| AbsPath::new(dir.path()).expect("absolute");
    pool.announce(&root(&other), &changes, &|_| None);
    pool.announce(&root(&dir), &changes, &|_| None);
    let told = || std::fs::read_to_string(&record).unwrap_or_default();
    wait_until("it is told", || told().contains("workspace/didChangeWatchedFiles"));
    assert_eq!(told().matches("workspace/didChangeWatchedFiles").count(), 1);
    assert!(told().contains("a.py"));
    pool.close();
}
