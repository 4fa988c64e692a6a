//! Tests that the index of words is made, whoever asks for it first.

use std::fs;
use std::time::{Duration, Instant};

use hob_base::{AbsPath, CancelToken, Deadline};
use hob_host::{Host, HostOptions, NotReady, Phase, Ranked};
use tempfile::TempDir;

/// No machine takes as long for a project of one file.
const FOREVER: Duration = Duration::from_secs(60);

#[test]
fn a_question_that_cannot_wait_has_the_index_made_all_the_same() {
    let [state, tree] = [(); 2].map(|()| TempDir::new().expect("a temporary folder"));
    fs::write(tree.path().join("a.py"), "def send_receipt(): pass\n").expect("the test's own folder");
    let root = |folder: &TempDir| AbsPath::new(folder.path()).expect("absolute");
    let host = Host::new(HostOptions::in_folder(&root(&state))).expect("threads can be started");
    let workspace = host.workspace(&root(&tree)).expect("the tree is there");
    workspace.progress.wait_past(Phase::Map, &CancelToken::default(), &|_| {}).expect("nobody cancels");

    let late = CancelToken::new(Deadline::after(Duration::ZERO));
    let answer = Ranked::wait_until_ready(&workspace, &late, &|_| {});
    assert!(matches!(answer, Err(NotReady::Building(_))), "it waited");
    let since = Instant::now();
    while !workspace.ranked.is_built() {
        assert!(since.elapsed() < FOREVER, "nobody makes it");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(Ranked::wait_until_ready(&workspace, &late, &|_| {}).is_ok());
}
