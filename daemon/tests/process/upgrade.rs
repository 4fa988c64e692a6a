//! One daemon hands over to the next.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hob_client::Client;
use hob_proto::{ClientMessage, Welcome, frame};

use crate::support::{Raw, World, must, noop, pid_of, until};

const OLD: Duration = Duration::from_secs(7_200);
const NEW: Duration = Duration::from_secs(3_600);

#[tokio::test(flavor = "multi_thread")]
async fn a_newer_build_takes_over_and_an_older_one_does_not() {
    let world = World::new();
    let old = Client::new(world.settings_with(&world.build_of_age(OLD)));
    must(&old, &noop()).await;
    let first = pid_of(&old).await;

    let new = Client::new(world.settings_with(&world.build_of_age(NEW)));
    must(&new, &noop()).await;
    let second = pid_of(&new).await;
    assert_ne!(first, second);

    must(&old, &noop()).await;
    assert_eq!(pid_of(&old).await, second, "the older client is served by the newer daemon");
    assert_eq!(world.daemons_started(), 2, "{}", world.log());
}

#[tokio::test(flavor = "multi_thread")]
async fn no_call_fails_while_daemons_change() {
    let world = World::new();
    let old = world.settings_with(&world.build_of_age(OLD));
    let clients: Vec<Client> = (0..6).map(|_| Client::new(old.clone())).collect();
    let first = pid_of(&clients[0]).await;
    let stop = Arc::new(AtomicBool::new(false));
    let tasks: Vec<_> = clients
        .iter()
        .map(|client| {
            let (client, stop) = (client.clone(), Arc::clone(&stop));
            tokio::spawn(async move {
                while !stop.load(Ordering::Relaxed) {
                    must(&client, &noop()).await;
                }
                pid_of(&client).await
            })
        })
        .collect();
    // Several newer clients at once: one of them replaces the daemon, once.
    let new = world.settings_with(&world.build_of_age(NEW));
    let upgrading: Vec<_> = (0..3)
        .map(|_| {
            let client = Client::new(new.clone());
            tokio::spawn(async move {
                must(&client, &noop()).await;
                pid_of(&client).await
            })
        })
        .collect();
    let mut second = first;
    for task in upgrading {
        second = task.await.expect("answered");
        assert_ne!(second, first);
    }
    until("the old clients at the new daemon", async || (pid_of(&clients[0]).await == second).then_some(()))
        .await;
    stop.store(true, Ordering::Relaxed);
    for task in tasks {
        assert_eq!(task.await.expect("no call failed"), second);
    }
    assert_eq!(world.daemons_started(), 2, "{}", world.log());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_protocol_that_is_not_spoken_is_refused_with_advice() {
    let world = World::new();
    let client = world.client();
    must(&client, &noop()).await;
    let mut hello = world.settings().hello();
    hello.protocol = 99;
    let mut raw = Raw::silent(&world).await;
    frame::write(&mut raw.writer, &hello).await.expect("written");
    let welcome: Welcome = frame::read(&mut raw.reader).await.expect("an answer");
    let Welcome::Refused { reason, retiring: false, .. } = welcome else { panic!("{welcome:?}") };
    assert!(reason.contains("99") && reason.contains("restart"), "{reason}");
    must(&client, &noop()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_too_old_to_serve_a_client_makes_room_for_it() {
    let world = World::new();
    let client = world.client();
    let connection = client.connection().await.expect("a daemon");
    let mut hello = world.settings().hello();
    hello.protocol = 99;
    hello.build.version = "99.0.0".into();
    let mut raw = Raw::silent(&world).await;
    frame::write(&mut raw.writer, &hello).await.expect("written");
    let _: Welcome = frame::read(&mut raw.reader).await.expect("an answer");
    raw.send(&ClientMessage::Retire { reason: "hob 99 wants to serve".into() }).await;
    assert_eq!(connection.wait_for_end().await, "hob 99 wants to serve");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_does_not_retire_for_an_equal() {
    let world = World::new();
    let client = world.client();
    must(&client, &noop()).await;
    let mut raw = world.raw().await;
    raw.send(&ClientMessage::Retire { reason: "me".into() }).await;
    let (reason, _) = raw.goodbye().await;
    assert!(reason.contains("newer build"), "{reason}");
    must(&client, &noop()).await;
    assert_eq!(world.daemons_started(), 1);
}
