//! Becoming the one daemon, and what stands in the way.

use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use hob_client::{Client, Unavailable};
use hob_proto::{Envelope, ErrorCode, Readiness};

use crate::support::{World, kill, must, noop, pid_in, pid_of, until};

#[tokio::test(flavor = "multi_thread")]
async fn twenty_clients_at_once_get_one_daemon() {
    let world = World::new();
    let start = Arc::new(tokio::sync::Barrier::new(20));
    let clients: Vec<Client> = (0..20).map(|_| world.client()).collect();
    let tasks = clients.iter().map(|client| {
        let (client, start) = (client.clone(), Arc::clone(&start));
        tokio::spawn(async move {
            start.wait().await;
            must(&client, &noop()).await;
            pid_of(&client).await
        })
    });
    let mut pids = Vec::new();
    for task in tasks.collect::<Vec<_>>() {
        pids.push(task.await.expect("answered"));
    }
    pids.dedup();
    assert_eq!(pids, [pid_in(&world.places.daemon_lock()).expect("a daemon")]);
    assert_eq!(world.daemons_started(), 1, "{}", world.log());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stale_socket_does_not_stand_in_the_way() {
    let world = World::new();
    std::fs::create_dir_all(&world.places.runtime).expect("created");
    drop(UnixListener::bind(&world.places.socket).expect("bound"));
    assert!(world.places.socket.exists());
    must(&world.client(), &noop()).await;
    assert_eq!(world.daemons_started(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_daemon_makes_is_for_its_user_alone() {
    let world = World::new();
    must(&world.client(), &noop()).await;
    let mode = |path: &Path| path.metadata().expect("it exists").permissions().mode() & 0o777;
    assert_eq!(mode(&world.places.runtime), 0o700);
    assert_eq!(mode(&world.places.socket), 0o600);
    assert_eq!(mode(&world.places.cache), 0o700);
    assert_eq!(mode(&world.places.logs_dir()), 0o700);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deep_folder_gets_a_short_socket() {
    let world = World::below(&"d".repeat(120));
    must(&world.client(), &noop()).await;
    let socket = world.places.socket.clone();
    assert!(socket.exists() && !socket.starts_with(&world.hob_dir), "{socket:?}");
    drop(world);
    assert!(!socket.exists(), "it is removed at the end");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_cannot_be_made_is_named() {
    let world = World::new();
    std::fs::write(&world.hob_dir, "not a folder").expect("written");
    let answer = world.client().call(&noop(), None).await;
    let envelope = Envelope::parse(&answer.envelope).expect("an envelope");
    let error = envelope.error.expect("an error");
    assert_eq!(error.code, ErrorCode::DaemonUnavailable);
    assert!(error.message.contains(&world.hob_dir.display().to_string()), "{error:?}");
    assert!(error.hint.contains("HOB_DIR"), "{error:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_others_may_write_to_is_not_trusted() {
    let world = World::new();
    std::fs::create_dir_all(&world.places.runtime).expect("created");
    std::fs::set_permissions(&world.places.runtime, std::fs::Permissions::from_mode(0o777)).expect("set");
    let error = world.client().connection().await.expect_err("not trusted");
    assert!(error.to_string().contains("other users"), "{error}");
    std::fs::set_permissions(&world.places.runtime, std::fs::Permissions::from_mode(0o755)).expect("set");
    must(&world.client(), &noop()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_program_is_said_to_be_missing() {
    let world = World::new();
    let nowhere = world.hob_dir.join("nowhere/hobd");
    let error = hob_client::reach_daemon(&world.settings_with(&nowhere)).await.expect_err("nothing to start");
    assert!(matches!(error, Unavailable::NoProgram { .. }), "{error:?}");
    assert!(error.to_string().contains("nowhere/hobd"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_that_dies_at_once_leaves_its_last_words() {
    let world = World::new();
    let script = world.script("echo 'libfoo.so: not found' >&2; exit 127");
    let error = hob_client::reach_daemon(&world.settings_with(&script)).await.expect_err("it died");
    let error = error.to_tool_error();
    assert!(error.message.contains("exit code 127"), "{error:?}");
    assert_eq!(error.more["logTail"][0], "libfoo.so: not found");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_that_gives_up_is_quoted() {
    let world = World::new();
    let script = world.script(r#"echo '{"failed":{"reason":"the disk is full"}}'; exit 1"#);
    let error = hob_client::reach_daemon(&world.settings_with(&script)).await.expect_err("it gave up");
    assert!(error.to_string().contains("the disk is full"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_that_never_gets_ready_is_given_up() {
    let world = World::new();
    let script = world.script("echo $$ > \"$HOB_DIR/pid\"; echo still loading >&2; exec sleep 1000");
    let mut settings = world.settings_with(&script);
    settings.patience.ready = Duration::from_millis(500);
    let error = hob_client::reach_daemon(&settings).await.expect_err("never ready");
    assert!(matches!(error, Unavailable::StartTimedOut { .. }), "{error:?}");
    assert_eq!(error.log_tail(), ["still loading"]);
    kill(pid_in(&world.hob_dir.join("pid")).expect("it runs"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_daemon_points_at_the_first() {
    let world = World::new();
    let first = pid_of(&world.client()).await;
    let output = Command::new(env!("CARGO_BIN_EXE_hobd"))
        .env("HOB_DIR", &world.hob_dir)
        .stdin(Stdio::null())
        .output()
        .expect("it runs");
    assert!(output.status.success(), "{output:?}");
    let readiness = Readiness::parse(&String::from_utf8_lossy(&output.stdout));
    assert_eq!(readiness, Some(Readiness::Running { pid: Some(first) }));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_leaves_the_terminal_of_its_client() {
    let world = World::new();
    let daemon = i32::try_from(pid_of(&world.client()).await).expect("it fits");
    let daemon = rustix::process::Pid::from_raw(daemon).expect("a process");
    // The daemon's own session, not another than ours: a test runner's session may have no number inside its namespace.
    assert_eq!(rustix::process::getsid(Some(daemon)), Ok(daemon));
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_keeps_nothing_that_its_client_had_open() {
    let world = World::new();
    let leaked = world.places.socket.with_file_name("leaked");
    std::fs::create_dir_all(&world.places.runtime).expect("created");
    let mut child = Command::new("sh")
        .args(["-c", r#"exec 7>"$0" 9>"$0"; exec "$1""#])
        .arg(&leaked)
        .arg(env!("CARGO_BIN_EXE_hobd"))
        .env("HOB_DIR", &world.hob_dir)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .expect("it runs");
    let pid = until("a daemon", async || {
        pid_in(&world.places.daemon_lock()).filter(|_| world.places.socket.exists())
    })
    .await;
    assert_eq!(pid, child.id());
    let open = std::fs::read_dir(format!("/proc/{pid}/fd")).expect("it lives");
    let open = open.filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok());
    assert!(open.into_iter().all(|path| path != leaked));
    drop(world);
    assert!(child.wait().expect("it ended").success());
}
