//! Servers that do not answer: which are given up, and which are borne.

use std::sync::Arc;
use std::time::Duration;

use hob_base::Stopped;
use hob_live::instance::Instance;
use hob_live::pool::{Pool, PoolError, PoolOptions};
use hob_live::rpc::CallError;
use hob_live::spec::ReadySignal;
use lsp_types::request::{HoverRequest, References};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::instance::{hover, references};
use crate::support::{fake_launch, start, within_millis};

/// A question that has to wait for longer than one that says nothing of the server.
const PATIENCE: u64 = 5_500;

#[track_caller]
fn miss_deadline(server: &Instance) {
    let outcome = server.ask_until_ready::<HoverRequest>(&hover(), &within_millis(PATIENCE));
    assert_eq!(outcome, Err(CallError::Stopped(Stopped::DeadlinePassed)));
}

fn silent_script(more: &Value) -> Value {
    let mut script = json!({"answers": {"textDocument/hover": [{"silent": true}]}});
    script.as_object_mut().expect("an object").extend(more.as_object().cloned().expect("an object"));
    script
}

#[test]
fn after_two_questions_in_a_row_it_is_ended_and_replaced() {
    let dir = TempDir::new().expect("a folder");
    let pool = Pool::new(None, PoolOptions::default());
    let launch = fake_launch(ReadySignal::Held, &silent_script(&json!({})), dir.path());
    let first = pool.get(&launch, &within_millis(20_000)).expect("it starts");
    miss_deadline(&first);
    assert_eq!(first.reason_gone(), None, "one may have been too much for it");
    miss_deadline(&first);
    assert!(
        first.reason_gone().is_some_and(|why| why.contains("2 questions in a row")),
        "{:?}",
        first.reason_gone()
    );
    assert!(first.process().end_if_ended().is_some());
    let next = || match pool.get(&launch, &within_millis(20_000)) {
        Ok(next) => Some(next),
        Err(PoolError::Silent { why }) => {
            assert!(why.contains("without an answer"), "{why}");
            std::thread::sleep(Duration::from_millis(20));
            None
        }
        Err(error) => panic!("{error:?}"),
    };
    assert!(next().is_none(), "nobody waits for the next");
    let second = std::iter::repeat_with(next).flatten().next().expect("there is one in the end");
    miss_deadline(&second);
    assert!(second.reason_gone().is_some(), "the second one is not borne for as long");
    pool.close();
}

#[test]
fn an_answer_or_any_other_word_in_between_and_it_is_borne() {
    let dir = TempDir::new().expect("a folder");
    let speaking = |delay: u64| json!({"delayMs": delay, "method": "window/logMessage", "params": {"type": 3, "message": "busy"}});
    let talks =
        silent_script(&json!({"then": [speaking(2_000), speaking(3_000), speaking(3_000), speaking(3_000)]}));
    let talking = std::thread::spawn({
        let root = dir.path().to_path_buf();
        move || {
            let server = start(ReadySignal::Held, &talks, &root).expect("it starts");
            miss_deadline(&server);
            miss_deadline(&server);
            assert_eq!(server.reason_gone(), None, "it says that it works");
        }
    });
    let server = start(ReadySignal::Held, &silent_script(&json!({})), dir.path()).expect("it starts");
    miss_deadline(&server);
    server.ask_until_ready::<References>(&references(), &within_millis(20_000)).expect("it answers this");
    miss_deadline(&server);
    assert_eq!(server.reason_gone(), None, "they were not in a row");
    let sides: Vec<_> = std::thread::scope(|scope| {
        let asking: Vec<_> = (0..4).map(|_| scope.spawn(|| miss_deadline(&server))).collect();
        asking.into_iter().map(|thread| thread.join()).collect()
    });
    assert!(
        sides.iter().all(Result::is_ok) && server.reason_gone().is_some(),
        "of those side by side one counts"
    );
    talking.join().expect("no panic");
}

#[test]
fn one_that_never_gets_ready_is_no_longer_waited_for() {
    let dir = TempDir::new().expect("a folder");
    let pool: Arc<Pool> = Pool::new(None, PoolOptions::default());
    let launch =
        fake_launch(ReadySignal::Held, &json!({"answers": {"initialize": [{"silent": true}]}}), dir.path());
    let error = pool.get(&launch, &within_millis(55_000)).expect_err("it never answers");
    let PoolError::Silent { why } = error else { panic!("{error:?}") };
    assert!(why.contains("`initialize`") && why.contains("fake-lsp"), "{why}");
    assert!(
        matches!(pool.get(&launch, &within_millis(10)), Err(PoolError::Silent { .. })),
        "nor is the next"
    );
    pool.close();
}
