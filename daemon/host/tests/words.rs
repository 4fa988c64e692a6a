//! Tests that the index of words is made, whoever asks for it first.

use std::fs;
use std::time::{Duration, Instant};

use hob_base::{AbsPath, CancelToken, Deadline, WsPath};
use hob_host::{Host, HostOptions, NotReady, Phase, Ranked, SufficientFiles};
use hob_text::ranked::{RankedQuestion, RankedRequest};
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
    let answer = Ranked::wait_until_ready(&workspace, None, &late, &|_| {});
    assert!(matches!(answer, Err(NotReady::Building(_))), "it waited");
    let since = Instant::now();
    while !workspace.ranked.is_built() {
        assert!(since.elapsed() < FOREVER, "nobody makes it");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(Ranked::wait_until_ready(&workspace, None, &late, &|_| {}).is_ok());
}

#[test]
fn the_files_that_a_question_wants_are_in_the_index_before_the_others() {
    let [state, tree] = [(); 2].map(|()| TempDir::new().expect("a temporary folder"));
    // More than are committed at once, so that the rest takes another commit.
    for number in 0..12_000 {
        fs::write(tree.path().join(format!("f{number}.py")), format!("def function_{number}(): pass\n"))
            .expect("the test's own folder");
    }
    let root = |folder: &TempDir| AbsPath::new(folder.path()).expect("absolute");
    let host = Host::new(HostOptions::in_folder(&root(&state))).expect("threads can be started");
    let workspace = host.workspace(&root(&tree)).expect("the tree is there");
    workspace.progress.wait_past(Phase::Map, &CancelToken::default(), &|_| {}).expect("nobody cancels");

    let wanted = WsPath::new("f11999.py").expect("a path");
    let text = workspace.text();
    let file = text.indexed_paths().find(|(_, path)| **path == wanted).expect("it is indexed").0;
    let sufficient = SufficientFiles { files: &[file], all_until: Deadline::after(Duration::ZERO) };
    let answer = Ranked::wait_until_ready(&workspace, Some(sufficient), &CancelToken::default(), &|_| {});
    let Err(NotReady::Partial(index, progress)) = answer else { panic!("not from a part: {answer:?}") };
    assert!(progress.done < progress.total, "{progress:?}");
    let question = RankedQuestion::parse("function_11999");
    let request =
        RankedRequest { question: &question, kinds: &[], admits: None, limit: 1, counts_all: false };
    let (found, _) = index.search(&request, &CancelToken::default()).expect("the index can be read");
    let best = found.hits.first().and_then(|hit| workspace.ranked.file(hit.file));
    assert_eq!(best, Some((file, true)));

    assert!(Ranked::wait_until_ready(&workspace, None, &CancelToken::default(), &|_| {}).is_ok());
}
