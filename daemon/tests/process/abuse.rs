//! Clients that break the rules end their own connection and nothing else.

use std::time::Duration;

use hob_daemon::lifecycle::Options;
use hob_daemon::session::ClientLimits;
use hob_proto::message::Call;
use hob_proto::{ClientMessage, ServerMessage, Welcome, frame};
use serde_json::Map;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::support::{Inside, Raw, World, call_of, connected, until};

fn call(id: u64, tool: &str) -> ClientMessage {
    let (tool, args) = (tool.to_owned(), Map::new());
    ClientMessage::Call(Call {
        id,
        tool,
        args,
        root: None,
        progress: false,
        deadline_ms: None,
        form: hob_proto::Form::Json,
        offers: Vec::new(),
        replies: Map::new(),
        followed: false,
    })
}

async fn still_serves(world: &World) {
    let answer = connected(world).await.call(&call_of("hello"), None).await.expect("served");
    assert_eq!(answer.envelope, "hello");
}

#[tokio::test(flavor = "multi_thread")]
async fn garbage_instead_of_a_greeting_is_refused() {
    let world = World::new();
    let _daemon = Inside::start(&world, Options::default());
    for garbage in [&b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"[..], &[4, 0, 0, 0, 0xc1, 0xc1, 0xc1, 0xc1]] {
        let mut raw = Raw::silent(&world).await;
        raw.writer.write_all(garbage).await.expect("written");
        let welcome: Welcome = frame::read(&mut raw.reader).await.expect("an answer");
        assert!(matches!(welcome, Welcome::Refused { retiring: false, .. }), "{welcome:?}");
        // Closed with something unread on the other side, the end may show as a reset.
        assert_eq!(raw.reader.read(&mut [0; 1]).await.unwrap_or(0), 0);
    }
    still_serves(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn oversized_and_malformed_frames_are_answered_with_a_goodbye() {
    let world = World::new();
    let _daemon = Inside::start(&world, Options::default());
    for (bytes, word) in [(u32::MAX.to_le_bytes().to_vec(), "exceeds"), (vec![1, 0, 0, 0, 0xc1], "malformed")]
    {
        let mut raw = world.raw().await;
        raw.writer.write_all(&bytes).await.expect("written");
        let (reason, retry) = raw.goodbye().await;
        assert!(reason.contains(word) && !retry, "{reason}");
    }
    still_serves(&world).await;
}

/// 4 is the place of `Shutdown` among the messages, and a `nil` after it was once not looked at.
#[tokio::test(flavor = "multi_thread")]
async fn rubbish_is_no_order() {
    let world = World::new();
    let _daemon = Inside::start(&world, Options::default());
    let shutdown = &frame::encode(&ClientMessage::Shutdown).expect("encoded")[4..];
    for body in [&[4][..], b"\x04rubbish", &[shutdown, b"rubbish"].concat(), &[shutdown, shutdown].concat()] {
        let mut raw = world.raw().await;
        let length = u32::try_from(body.len()).expect("short").to_le_bytes();
        raw.writer.write_all(&[&length, body].concat()).await.expect("written");
        let (reason, retry) = raw.goodbye().await;
        assert!(reason.contains("malformed") && !retry, "{reason}");
        still_serves(&world).await;
    }
}

/// The daemon reads nothing of a frame that is too large, nor of one that there is no room for.
#[tokio::test(flavor = "multi_thread")]
async fn large_messages_of_all_clients_share_one_room() {
    let world = World::new();
    let limits = ClientLimits {
        question_bytes: 1 << 20,
        messages_kib: 1 << 10,
        message_time: Duration::from_millis(300),
        ..ClientLimits::default()
    };
    let _daemon = Inside::start(&world, Options { limits, ..Options::default() });
    let announce = |bytes: u32| bytes.to_le_bytes();
    let mut large = world.raw().await;
    large.writer.write_all(&announce((1 << 20) + 1)).await.expect("written");
    assert!(large.goodbye().await.0.contains("exceeds the limit of 1048576"));
    // One that says it will send much and does not keeps the room for a moment only.
    let mut slow = world.raw().await;
    slow.writer.write_all(&announce(1 << 20)).await.expect("written");
    still_serves(&world).await;
    let (reason, retry) = slow.goodbye().await;
    assert!(reason.contains("did not arrive") && !retry, "{reason}");
    // One whose call runs keeps it, and small messages need none.
    let mut busy = world.raw().await;
    let mut wait = call(1, "wait");
    if let ClientMessage::Call(call) = &mut wait {
        call.args.insert("text".into(), "x".repeat(1_000_000).into());
    }
    busy.send(&wait).await;
    still_serves(&world).await;
    let mut other = world.raw().await;
    other.writer.write_all(&announce(1 << 20)).await.expect("written");
    let (reason, _) = other.goodbye().await;
    assert!(reason.contains("no room for a message of 1048576 bytes"), "{reason}");
    still_serves(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frame_cut_short_is_no_call() {
    let world = World::new();
    let daemon = Inside::start(&world, Options::default());
    let mut raw = world.raw().await;
    let frame = frame::encode(&call(1, "half")).expect("encoded");
    raw.writer.write_all(&frame[..frame.len() / 2]).await.expect("written");
    drop(raw);
    still_serves(&world).await;
    assert_eq!(daemon.calls.saw("half"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_id_that_is_in_use_ends_the_connection_and_its_calls() {
    let world = World::new();
    let daemon = Inside::start(&world, Options::default());
    let mut raw = world.raw().await;
    raw.send(&call(7, "wait")).await;
    daemon.calls.has_seen("wait", 1).await;
    raw.send(&call(7, "wait")).await;
    let (reason, _) = raw.goodbye().await;
    assert!(reason.contains('7'), "{reason}");
    daemon.calls.has_seen("stopped", 1).await;
    still_serves(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_id_may_be_used_again_after_its_answer() {
    let world = World::new();
    let _daemon = Inside::start(&world, Options::default());
    let mut raw = world.raw().await;
    for _ in 0..200 {
        raw.send(&call(7, "again")).await;
        assert!(matches!(raw.receive().await, ServerMessage::Answer { id: 7, ok: true, .. }));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn too_many_calls_end_the_connection() {
    let world = World::new();
    let limits = ClientLimits { calls_per_client: 3, ..ClientLimits::default() };
    let _daemon = Inside::start(&world, Options { limits, ..Options::default() });
    let mut raw = world.raw().await;
    for id in 0..4 {
        raw.send(&call(id, "wait")).await;
    }
    let (reason, _) = raw.goodbye().await;
    assert!(reason.contains("more than 3 calls"), "{reason}");
    still_serves(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_does_not_read_is_dropped() {
    let world = World::new();
    let limits = ClientLimits { unread_bytes: 4 << 20, ..ClientLimits::default() };
    let daemon = Inside::start(&world, Options { limits, ..Options::default() });
    let mut raw = world.raw().await;
    for id in 0..20 {
        raw.send(&call(id, "big")).await;
    }
    daemon.calls.has_seen("big", 5).await;
    let observer = connected(&world).await;
    until("the client's end", async || {
        let status = observer.status().await.expect("served");
        (status["clients"].as_array().expect("a list").len() == 1).then_some(())
    })
    .await;
    // What it finds when it reads at last is less than it asked for, and then the end.
    let mut unread = Vec::new();
    let _ = raw.reader.read_to_end(&mut unread).await;
    assert!(unread.len() < 20 << 20, "{}", unread.len());
    still_serves(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_client_too_many_is_told_so() {
    let world = World::new();
    let limits = ClientLimits { clients: 1, ..ClientLimits::default() };
    let _daemon = Inside::start(&world, Options { limits, ..Options::default() });
    let only = connected(&world).await;
    let mut raw = Raw::silent(&world).await;
    frame::write(&mut raw.writer, &world.settings().hello()).await.expect("written");
    let welcome: Welcome = frame::read(&mut raw.reader).await.expect("an answer");
    let Welcome::Refused { reason, .. } = welcome else { panic!("{welcome:?}") };
    assert!(reason.contains("1 clients"), "{reason}");
    drop(only);
    until("room", async || {
        let reached = hob_client::connect(&world.settings()).await.expect("reachable");
        matches!(reached, hob_client::Reached::Serving(_)).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_that_say_nothing_are_counted() {
    let world = World::new();
    let limits = ClientLimits { newcomers: 2, ..ClientLimits::default() };
    let _daemon = Inside::start(&world, Options { limits, ..Options::default() });
    let connected_before = connected(&world).await;
    let silent = (Raw::silent(&world).await, Raw::silent(&world).await);
    let mut third = Raw::silent(&world).await;
    let welcome: Welcome = frame::read(&mut third.reader).await.expect("an answer");
    let Welcome::Refused { reason, .. } = welcome else { panic!("{welcome:?}") };
    assert!(reason.contains("2 connections"), "{reason}");
    connected_before.call(&call_of("hello"), None).await.expect("who is in is served");
    drop(silent);
    until("room", async || {
        let reached = hob_client::connect(&world.settings()).await.ok()?;
        matches!(reached, hob_client::Reached::Serving(_)).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_editor_that_says_more_than_is_dealt_with_waits_and_loses_nothing() {
    let world = World::new();
    // Each message counts as 16 KiB at least.
    let limits = ClientLimits { editor_kib: 32, ..ClientLimits::default() };
    let daemon = Inside::start(&world, Options { limits, ..Options::default() });
    let mut raw = Raw::silent(&world).await;
    let hello = hob_proto::Hello { kind: hob_proto::ClientKind::Lsp, ..world.settings().hello() };
    frame::write(&mut raw.writer, &hello).await.expect("written");
    let welcome: Welcome = frame::read(&mut raw.reader).await.expect("a welcome");
    assert!(matches!(welcome, Welcome::Accepted { .. }), "{welcome:?}");
    for number in 0..6 {
        // The third is larger than there is room in all, and comes alone.
        let message = format!("{number}{}", " ".repeat(if number == 3 { 100 << 10 } else { 0 }));
        raw.send(&ClientMessage::Lsp { message }).await;
    }
    let undone = &daemon.calls.undone;
    for number in 0..6 {
        until("the next message", async || (undone.count() > 0).then_some(())).await;
        // Others are served meanwhile.
        still_serves(&world).await;
        assert!(undone.count() <= 2, "{} messages are kept", undone.count());
        assert_eq!(undone.deal_with_one().trim_end(), number.to_string());
    }
}

/// Saving that waits for something that never comes, as a thread that hangs in a file system does.
#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_ends_although_what_it_saves_hangs() {
    let world = World::new();
    let daemon = Inside::start(&world, Options { save: Duration::from_millis(200), ..Options::default() });
    *daemon.calls.hangs_at_the_end.lock().expect("not poisoned") = true;
    let calls = std::sync::Arc::clone(&daemon.calls);
    let connection = connected(&world).await;
    connection.shutdown().expect("told");
    daemon.join().await;
    assert_eq!((calls.saw("persist"), calls.saw("opened")), (1, 0), "it had begun, and was left");
    calls.open();
}
