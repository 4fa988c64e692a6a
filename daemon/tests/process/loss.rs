//! Daemons that go away: killed, idle, cut off from their files. The caller sees a slower answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use hob_client::Client;
use tokio::task::JoinHandle;

use crate::support::{World, kill, must, noop, pid_of, until};

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_daemon_is_replaced_between_two_calls() {
    let world = World::new();
    let client = world.client();
    must(&client, &noop()).await;
    let first = pid_of(&client).await;
    kill(first);
    must(&client, &noop()).await;
    assert_ne!(pid_of(&client).await, first);
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_under_way_survive_a_killed_daemon() {
    let world = World::new();
    let clients: Vec<Client> = (0..4).map(|_| world.client()).collect();
    let stop = Arc::new(AtomicBool::new(false));
    let answered: Vec<_> = (0..8).map(|_| Arc::new(AtomicUsize::new(0))).collect();
    let tasks: Vec<_> = answered
        .iter()
        .enumerate()
        .map(|(n, answered)| {
            let (client, stop, answered) = (clients[n / 2].clone(), Arc::clone(&stop), Arc::clone(answered));
            tokio::spawn(async move {
                while !stop.load(Ordering::Relaxed) {
                    must(&client, &noop()).await;
                    answered.fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();
    for _ in 0..3 {
        // Everybody gets on between two kills: a call that loses every daemon it meets is given up, rightly.
        let before: Vec<_> = answered.iter().map(|answered| answered.load(Ordering::Relaxed)).collect();
        let all_got_on =
            || answered.iter().zip(&before).all(|(now, before)| now.load(Ordering::Relaxed) > before + 1);
        until("answers for all", async || {
            (all_got_on() || tasks.iter().any(JoinHandle::is_finished)).then_some(())
        })
        .await;
        kill(pid_of(&clients[0]).await);
    }
    stop.store(true, Ordering::Relaxed);
    for task in tasks {
        task.await.expect("every call was answered");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_daemon_goes_and_the_next_call_gets_another() {
    let world = World::new().env("HOB_IDLE_MINUTES", "0.001");
    let client = world.client();
    must(&client, &noop()).await;
    let first = pid_of(&client).await;
    assert!(world.has_daemon(), "a connected client keeps it");
    drop(client);
    until("its end", async || (!world.has_daemon()).then_some(())).await;
    assert!(!world.places.socket.exists());
    let client = world.client();
    must(&client, &noop()).await;
    assert_ne!(pid_of(&client).await, first);
}

/// The daemon goes away some 30 ms after each client, which is when the next one comes.
#[tokio::test(flavor = "multi_thread")]
async fn connecting_while_the_daemon_leaves_is_no_failure() {
    let world = World::new().env("HOB_IDLE_MINUTES", "0.0005");
    for pause in 0..20 {
        let client = world.client();
        must(&client, &noop()).await;
        drop(client);
        tokio::time::sleep(std::time::Duration::from_millis(22 + pause)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_whose_socket_was_removed_is_found_again() {
    let world = World::new();
    let first = world.client();
    must(&first, &noop()).await;
    std::fs::remove_file(&world.places.socket).expect("removed");
    let second = world.client();
    must(&second, &noop()).await;
    assert_eq!(pid_of(&second).await, pid_of(&first).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_whose_folder_was_removed_ends() {
    let world = World::new();
    let client = world.client();
    let connection = client.connection().await.expect("a daemon");
    std::fs::remove_dir_all(&world.places.runtime).expect("removed");
    assert!(connection.wait_for_end().await.contains("lock file was removed"));
    must(&client, &noop()).await;
}
