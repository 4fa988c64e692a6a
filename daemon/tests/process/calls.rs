//! Calls in a daemon: side by side, cancelled, queued, finished before the end.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hob_client::{Client, Connection, DaemonAnswer, Progress, ToolRequest};
use hob_daemon::lifecycle::Options;
use hob_daemon::session::ClientLimits;
use hob_proto::Envelope;
use serde_json::Map;
use tokio::task::JoinHandle;

use crate::support::{Inside, World, call_of, connected, must, noop, until};

fn begin(connection: &Connection, tool: &str) -> JoinHandle<DaemonAnswer> {
    let (connection, request) = (connection.clone(), call_of(tool));
    tokio::spawn(async move { connection.call(&request, None).await.expect("answered") })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_call_does_not_hold_up_the_others() {
    let world = World::new();
    let daemon = Inside::start(&world, Options::default());
    let connection = connected(&world).await;
    let slow = begin(&connection, "wait");
    daemon.calls.has_seen("wait", 1).await;
    for n in 0..100 {
        let answer = begin(&connection, &n.to_string()).await.expect("no panic");
        assert_eq!(answer.envelope, n.to_string());
    }
    daemon.calls.open();
    assert!(slow.await.expect("no panic").ok);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_is_given_up_is_cancelled() {
    let world = World::new();
    let daemon = Inside::start(&world, Options::default());
    let connection = connected(&world).await;
    let call = begin(&connection, "wait");
    daemon.calls.has_seen("wait", 1).await;
    call.abort();
    daemon.calls.has_seen("stopped", 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_leaves_takes_its_calls_along() {
    let world = World::new();
    let daemon = Inside::start(&world, Options::default());
    let connection = connected(&world).await;
    let (one, two) = (begin(&connection, "wait"), begin(&connection, "wait"));
    daemon.calls.has_seen("wait", 2).await;
    one.abort();
    two.abort();
    drop(connection);
    daemon.calls.has_seen("stopped", 2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deadline_reaches_the_tool() {
    let world = World::new();
    let _daemon = Inside::start(&world, Options::default());
    let request = call_of("wait").deadline(Duration::from_millis(20));
    let answer = connected(&world).await.call(&request, None).await.expect("answered");
    assert_eq!(answer.envelope, "stopped");
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_over_the_limit_wait_their_turn_and_can_be_cancelled_there() {
    let world = World::new();
    let limits = ClientLimits { running_per_client: 1, ..ClientLimits::default() };
    let daemon = Inside::start(&world, Options { limits, ..Options::default() });
    let connection = connected(&world).await;
    let running = begin(&connection, "wait");
    daemon.calls.has_seen("wait", 1).await;
    let (given_up, queued) = (begin(&connection, "resolve_action"), begin(&connection, "queued"));
    let other = connected(&world).await.call(&call_of("other"), None).await.expect("answered");
    assert_eq!(other.envelope, "other", "another client has places of its own");
    until("both in the daemon", async || {
        let status = connection.status().await.expect("served");
        (status["calls"] == 3).then_some(())
    })
    .await;
    assert_eq!(daemon.calls.saw("queued"), 0);
    given_up.abort();
    daemon.calls.has_seen("stopped", 1).await;
    daemon.calls.open();
    assert!(running.await.expect("no panic").ok);
    assert_eq!(queued.await.expect("no panic").envelope, "queued");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_ends_its_call_alone() {
    let world = World::new();
    let _daemon = Inside::start(&world, Options::default());
    let connection = connected(&world).await;
    let answer = begin(&connection, "panic").await.expect("no panic here");
    let envelope = Envelope::parse(&answer.envelope).expect("an envelope");
    assert!(!answer.ok && envelope.error.is_some());
    assert_eq!(begin(&connection, "next").await.expect("no panic").envelope, "next");
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_comes_thinned_out_and_ends_with_the_last_step() {
    let world = World::new();
    let _daemon = Inside::start(&world, Options::default());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let keep = Arc::clone(&seen);
    let progress = Arc::new(move |progress: Progress| keep.lock().expect("not poisoned").push(progress.done));
    let connection = connected(&world).await;
    connection.call(&call_of("steps"), Some(progress)).await.expect("answered");
    let seen = seen.lock().expect("not poisoned");
    assert!(seen.len() < 1_000 && seen.is_sorted() && seen.last() == Some(&1_000), "{seen:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_looks_for_its_workspace_where_it_says_or_where_the_client_is() {
    let world = World::new();
    let _daemon = Inside::start(&world, Options::default());
    let connection = connected(&world).await;
    let root = async |request: ToolRequest| connection.call(&request, None).await.expect("answered").envelope;
    assert_eq!(root(call_of("root")).await, world.settings().cwd.display().to_string());
    assert_eq!(root(call_of("root").root("/some/where")).await, "/some/where");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_status_has_the_daemon_its_clients_and_what_the_tools_know() {
    let world = World::new();
    let daemon = Inside::start(&world, Options::default());
    let connection = connected(&world).await;
    let call = begin(&connection, "wait");
    daemon.calls.has_seen("wait", 1).await;
    let status = connected(&world).await.status().await.expect("served");
    assert_eq!(status["tools"], "test");
    assert_eq!(status["pid"], std::process::id());
    assert!(status.contains_key("version") && status.contains_key("uptimeS"), "{status:?}");
    let clients = status["clients"].as_array().expect("a list");
    let calls: Vec<_> = clients.iter().map(|client| client["calls"].as_u64().expect("a number")).collect();
    assert_eq!((clients.len(), calls.iter().sum::<u64>()), (2, 1), "{clients:?}");
    call.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_under_way_are_answered_before_the_daemon_ends() {
    let world = World::new();
    let daemon = Inside::start(&world, Options { drain: Duration::from_secs(600), ..Options::default() });
    let connection = connected(&world).await;
    let call = begin(&connection, "wait");
    daemon.calls.has_seen("wait", 1).await;
    connection.shutdown().expect("sent");
    until("the socket's end", async || (!world.places.socket.exists()).then_some(())).await;
    until("word of it", async || (!connection.takes_calls()).then_some(())).await;
    assert!(world.has_daemon());
    daemon.calls.open();
    assert!(call.await.expect("no panic").ok);
    assert!(connection.wait_for_end().await.contains("stopped"));
    let calls = Arc::clone(&daemon.calls);
    daemon.join().await;
    assert_eq!(calls.saw("persist"), 1);
    assert!(!world.has_daemon());
}

/// The daemon in the test's process gives up the call; the real one that is started next answers it.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_takes_too_long_to_finish_is_answered_by_the_next_daemon() {
    let world = World::new();
    let daemon = Inside::start(&world, Options { drain: Duration::ZERO, ..Options::default() });
    let client = world.client();
    let call = {
        let client = client.clone();
        tokio::spawn(async move { client.call(&call_of("wait"), None).await })
    };
    daemon.calls.has_seen("wait", 1).await;
    connected(&world).await.shutdown().expect("sent");
    // The next daemon knows no such tool, and says so: it was asked.
    let answer = call.await.expect("no panic");
    let error = Envelope::parse(&answer.envelope).expect("an envelope").error.expect("an error");
    assert!(error.message.contains("wait"), "{error:?}");
    daemon.join().await;
    must(&client, &noop()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_never_ends_does_not_keep_the_daemon() {
    let world = World::new();
    let daemon = Inside::start(&world, Options { drain: Duration::ZERO, ..Options::default() });
    let connection = connected(&world).await;
    let call = {
        let connection = connection.clone();
        tokio::spawn(async move { connection.call(&call_of("deaf"), None).await })
    };
    daemon.calls.has_seen("deaf", 1).await;
    connection.shutdown().expect("sent");
    let lost = call.await.expect("no panic").expect_err("not answered");
    assert!(lost.sent && lost.orderly, "{lost:?}");
    let calls = Arc::clone(&daemon.calls);
    daemon.join().await;
    assert_eq!(calls.saw("persist"), 1);
    calls.open();
}

#[tokio::test(flavor = "multi_thread")]
async fn many_calls_at_once_get_each_its_own_answer() {
    let world = World::new();
    let _daemon = Inside::start(&world, Options::default());
    let client = Client::new(world.settings());
    let calls: Vec<_> = (0..500)
        .map(|n| {
            let client = client.clone();
            tokio::spawn(async move {
                (n, client.call(&ToolRequest::new(format!("t{n}"), Map::new()), None).await)
            })
        })
        .collect();
    for call in calls {
        let (n, answer) = call.await.expect("no panic");
        assert_eq!(answer.envelope, format!("t{n}"));
    }
}
