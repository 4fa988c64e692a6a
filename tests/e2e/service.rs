//! Tests the daemon as a service: it uses systemd's socket and leaves it in place, it notifies systemd as required, and
//! `hob service install` writes correct files, which `uninstall` removes.
//!
//! No systemd runs a user's services here. Its own `systemd-socket-activate` takes its place: it waits for a connection
//! and then becomes the daemon. [`Socket`] holds the socket over several daemons, as systemd does.

use std::collections::BTreeMap;
use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime};

use hob_tests::{FOREVER, Mcp, Tree, World, binaries, copy_programs, is_alive, run, systemd};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

const FIXTURE: &str = "//- /a.py\ndef found(): pass\n";

/// Makes its standard input the first passed descriptor, and then runs the command that follows.
const HAND_OVER: &str = "exec 3<&0 </dev/null; export LISTEN_FDS=1 LISTEN_PID=$$; exec \"$@\"";

/// A socket that is held as by systemd: it is open even if there is no daemon, and a connection starts one.
struct Socket {
    stop: Arc<AtomicBool>,
    starts: Arc<AtomicU32>,
    process: Arc<Mutex<Option<u32>>>,
    thread: Option<JoinHandle<()>>,
}

impl Socket {
    /// Listens where clients of this world connect, for the daemon at `program`.
    fn of(world: &World, program: &Path, env: &[(&str, &str)]) -> Self {
        let listener = listen(&world.dir().join("run/hobd.sock"));
        let activate = activating(world, program, env);
        let (stop, starts) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU32::new(0)));
        let process = Arc::new(Mutex::new(None));
        let thread = thread::spawn({
            let (stop, starts, process) = (Arc::clone(&stop), Arc::clone(&starts), Arc::clone(&process));
            move || {
                loop {
                    let mut slot = process.lock().expect("no panic");
                    if stop.load(Ordering::Acquire) {
                        return;
                    }
                    let mut child = handed(&listener, &activate);
                    *slot = Some(child.id());
                    drop(slot);
                    // The process becomes the daemon on a connection, and ends when the daemon does.
                    let status = child.wait().expect("it is ours");
                    if !stop.load(Ordering::Acquire) {
                        assert!(status.success(), "the daemon of the service failed: {status}");
                    }
                    starts.fetch_add(1, Ordering::AcqRel);
                }
            }
        });
        Self { stop, starts, process, thread: Some(thread) }
    }

    /// Returns the number of daemons that have ended.
    fn ended(&self) -> u32 {
        self.starts.load(Ordering::Acquire)
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        let process = self.process.lock();
        self.stop.store(true, Ordering::Release);
        let pid = process.ok().and_then(|pid| *pid);
        if let Some(pid) = pid.and_then(|pid| i32::try_from(pid).ok()).and_then(Pid::from_raw) {
            let _ = kill_process(pid, Signal::TERM);
        }
        let ended = self.thread.take().map(JoinHandle::join);
        assert!(thread::panicking() || matches!(ended, Some(Ok(()))), "a daemon of the service failed");
    }
}

fn listen(path: &Path) -> UnixListener {
    let folder = path.parent().expect("a folder");
    fs::create_dir_all(folder).expect("it can be made");
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).expect("it is ours");
    let listener = UnixListener::bind(path).expect("nobody is there");
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).expect("it is ours");
    listener
}

/// Returns the command line of `systemd-socket-activate` for a daemon in this world. It passes on only variables that
/// are named.
fn activating(world: &World, program: &Path, more: &[(&str, &str)]) -> Vec<String> {
    let mut cleaned = Command::new("true");
    world.clean(&mut cleaned);
    let mut words =
        vec![systemd::tool("systemd-socket-activate").get_program().to_string_lossy().into_owned()];
    let own = cleaned.get_envs().filter_map(|(name, value)| Some((name.to_str()?, value?.to_str()?)));
    words.extend(own.chain(more.iter().copied()).map(|(name, value)| format!("--setenv={name}={value}")));
    words.push(program.display().to_string());
    words
}

fn handed(listener: &UnixListener, command: &[String]) -> Child {
    let socket = OwnedFd::from(listener.try_clone().expect("a copy"));
    let mut shell = Command::new("sh");
    shell.args(["-c", HAND_OVER, "sh"]).args(command).stdin(Stdio::from(socket));
    // Its messages are of no interest, and its environment must not look like a daemon's.
    shell.env_remove("HOB_DIR").stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a shell")
}

/// Copies the programs, and makes the daemon that many seconds old. Returns their folder.
fn install_programs(to: &Path, age: u64) -> PathBuf {
    copy_programs(to, &["hob", "hobd", "hob-mcp"], Duration::from_secs(age))
}

#[track_caller]
fn pid_by(mcp: &mut Mcp) -> u32 {
    let answer = mcp.call("map_search", json!({"query": "found"}));
    assert_eq!(answer.texts("/results", "id"), ["py:a.py#found"], "{answer}");
    let status = mcp.call("map_status", json!({}));
    u32::try_from(status.ok()["daemon"]["pid"].as_u64().expect("a number")).expect("a process number")
}

/// Returns the program that the service would start after the running daemon, or `None` if no service runs it.
#[track_caller]
fn service_program(world: &World) -> Option<PathBuf> {
    let status = world.status().expect("a daemon runs");
    status["serviceProgram"].as_str().map(PathBuf::from)
}

#[track_caller]
fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let until = SystemTime::now() + FOREVER;
    while !is_so() {
        assert!(SystemTime::now() < until, "{what}");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_question_starts_the_services_daemon_and_stop_leaves_its_socket() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let hobd = binaries().join("hobd");
    let service = Socket::of(&world, &hobd, &[]);
    let socket = world.dir().join("run/hobd.sock");
    let asleep = world.hob(tree.root(), &["status"]).success();
    assert!(asleep.contains("not running"), "asking how it is starts nothing: {asleep}");
    let answer = world.hob(tree.root(), &["search", "found"]).success();
    assert!(answer.contains("a.py"), "{answer}");
    assert_eq!(service_program(&world), Some(hobd.clone()), "the service's daemon answered");
    world.stop();
    wait_until("the stopped daemon ends", || service.ended() == 1);
    assert!(socket.exists(), "the socket is the service's");
    let answer = world.hob(tree.root(), &["search", "found"]).success();
    assert!(answer.contains("a.py"), "{answer}");
    assert_eq!(service_program(&world), Some(hobd), "and the service started the next one");
}

#[test]
fn clients_that_come_at_once_get_the_services_one_daemon() {
    const CLIENTS: usize = 8;
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let service = Socket::of(&world, &binaries().join("hobd"), &[]);
    let start = Barrier::new(CLIENTS);
    let pids: Vec<u32> = thread::scope(|scope| {
        let one = || {
            start.wait();
            pid_by(&mut world.mcp(&tree))
        };
        let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(one)).collect();
        clients.into_iter().map(|client| client.join().expect("it was answered")).collect()
    });
    assert!(pids.iter().all(|pid| *pid == pids[0]), "several daemons answered: {pids:?}");
    assert_eq!(service.ended(), 0, "only one was ever started");
    assert!(service_program(&world).is_some());
}

#[test]
fn a_service_that_is_upgraded_in_place_loses_no_call() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let installed = install_programs(&world.path("installed"), 7200);
    let newer = install_programs(&world.path("newer"), 3600);
    let service = Socket::of(&world, &installed.join("hobd"), &[]);
    let mut old_shim = Mcp::start_program(&world, &tree, &installed.join("hob-mcp"));
    let old_daemon = pid_by(&mut old_shim);
    fs::rename(newer.join("hobd"), installed.join("hobd")).expect("it can be replaced");
    let done = AtomicBool::new(false);
    let new_daemon = thread::scope(|scope| {
        let busy = scope.spawn(|| {
            // Each of these calls must succeed, no matter which daemon serves it.
            while !done.load(Ordering::Acquire) {
                let _ = pid_by(&mut old_shim);
            }
        });
        let new_daemon = pid_by(&mut Mcp::start_program(&world, &tree, &installed.join("hob-mcp")));
        done.store(true, Ordering::Release);
        busy.join().expect("no call failed");
        new_daemon
    });
    assert_ne!(new_daemon, old_daemon);
    assert!(!is_alive(old_daemon), "the old one is gone");
    assert_eq!(pid_by(&mut old_shim), new_daemon, "the old shim is served by the new daemon");
    assert_eq!(service_program(&world), Some(installed.join("hobd")), "which the service has started");
    assert_eq!(service.ended(), 1);
}

#[test]
fn a_service_with_an_older_daemon_is_used_and_the_user_is_told() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let older = install_programs(&world.path("older"), 7200);
    let newer = install_programs(&world.path("newer"), 3600);
    let service = Socket::of(&world, &older.join("hobd"), &[]);
    let first = pid_by(&mut Mcp::start_program(&world, &tree, &newer.join("hob-mcp")));
    let said =
        run(world.command(newer.join("hob")).args(["search", "found"]).current_dir(tree.root()), b"").code(0);
    assert!(said.stderr.contains("hob service install"), "{said}");
    assert_eq!(pid_by(&mut Mcp::start_program(&world, &tree, &newer.join("hob-mcp"))), first);
    assert_eq!(service.ended(), 0, "nobody had it end in vain");
}

#[test]
fn an_idle_daemon_ends_and_the_socket_brings_the_next() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let service = Socket::of(&world, &binaries().join("hobd"), &[("HOB_IDLE_MINUTES", "0.005")]);
    let first = pid_by(&mut world.mcp(&tree));
    wait_until("a daemon that nobody uses ends", || service.ended() == 1);
    assert!(world.dir().join("run/hobd.sock").exists());
    assert_ne!(pid_by(&mut world.mcp(&tree)), first);
}

#[test]
fn a_service_that_is_gone_is_done_without() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    drop(Socket::of(&world, &binaries().join("hobd"), &[]));
    assert!(world.dir().join("run/hobd.sock").exists(), "its name is still there, and nobody listens");
    let _ = pid_by(&mut world.mcp(&tree));
    assert_eq!(service_program(&world), None, "a shim has started the daemon");
}

#[test]
fn a_daemon_that_a_client_started_leaves_a_services_socket_alone() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let _service = Socket::of(&world, &binaries().join("hobd"), &[]);
    // Like a client that checked just before the service began to listen.
    let said = run(&mut world.command("hobd"), b"").success();
    assert!(said.contains("running"), "{said}");
    let _ = pid_by(&mut world.mcp(&tree));
    assert!(service_program(&world).is_some());
}

#[test]
fn a_socket_that_clients_do_not_look_at_is_refused_in_words() {
    let world = World::new();
    let elsewhere = world.path("elsewhere.sock");
    let listener = listen(&elsewhere);
    let mut shell = Command::new("sh");
    world.clean(&mut shell);
    shell.args(["-c", HAND_OVER, "sh"]).arg(binaries().join("hobd"));
    shell.stdin(Stdio::from(OwnedFd::from(listener))).stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = shell.spawn().expect("a shell").wait_with_output().expect("it ends");
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    for told in [elsewhere.to_str().expect("text"), "run/hobd.sock", "hob service install"] {
        assert!(stderr.contains(told), "{told} is not in: {stderr}");
    }
    assert_eq!(stdout, "", "what is said stands in the journal once");
}

/// Returns the next message from the daemon to systemd.
fn next_word(from: &UnixDatagram) -> String {
    let mut bytes = [0; 4096];
    let length = from.recv(&mut bytes).expect("the daemon says something");
    String::from_utf8_lossy(&bytes[..length]).into_owned()
}

#[test]
fn systemd_is_told_when_the_daemon_is_ready_alive_and_ending() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let path = world.path("notify");
    let told = UnixDatagram::bind(&path).expect("a socket");
    told.set_read_timeout(Some(FOREVER)).expect("a limit");
    let mut shell = Command::new("sh");
    world.clean(&mut shell);
    shell.env("NOTIFY_SOCKET", &path).env("WATCHDOG_USEC", "200000");
    shell
        .args(["-c", "export SYSTEMD_EXEC_PID=$$ WATCHDOG_PID=$$; exec \"$@\"", "sh"])
        .arg(binaries().join("hobd"));
    let mut daemon = shell.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a shell");
    wait_until("it is ready", || next_word(&told).contains("READY=1"));
    let _ = pid_by(&mut world.mcp(&tree));
    for _ in 0..3 {
        wait_until("it is alive", || next_word(&told).contains("WATCHDOG=1"));
    }
    world.stop();
    wait_until("it is about to end", || next_word(&told).contains("STOPPING=1"));
    assert!(daemon.wait().expect("it is ours").success());
}

#[test]
fn a_daemon_started_by_a_program_of_some_service_tells_that_service_nothing() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let path = world.path("notify");
    let told = UnixDatagram::bind(&path).expect("a socket");
    let mut hob = world.command("hob");
    hob.args(["search", "found"])
        .current_dir(tree.root())
        .env("NOTIFY_SOCKET", &path)
        .env("WATCHDOG_USEC", "1000");
    let _ = run(&mut hob, b"").success();
    assert_eq!(service_program(&world), None);
    world.stop();
    told.set_nonblocking(true).expect("it can be");
    assert!(told.recv(&mut [0; 64]).is_err(), "another's service was told something");
}

/// Installs the programs at a path that is difficult to quote.
fn oddly_installed(world: &World) -> PathBuf {
    let folder = world.path("my tools 100%");
    fs::create_dir_all(&folder).expect("a folder");
    for name in ["hob", "hobd"] {
        std::os::unix::fs::symlink(binaries().join(name), folder.join(name)).expect("a link");
    }
    folder
}

fn odd_world() -> World {
    let world = World::new();
    let dir = world.path("ho b 50%");
    world.hob_dir(dir)
}

/// Runs `hob service` with the daemon's path as it is written here, because the system would resolve links.
fn service(world: &World, programs: &Path, args: &[&str]) -> hob_tests::Output {
    let mut hob = world.command(programs.join("hob"));
    run(hob.env("HOB_DAEMON", programs.join("hobd")).arg("service").args(args), b"")
}

/// Returns every file, folder and link below a folder, with its contents and mode.
fn everything(folder: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(path) = open.pop() {
        let meta = fs::symlink_metadata(&path).expect("it was listed");
        let contents = match meta.file_type() {
            kind if kind.is_dir() => {
                open.extend(fs::read_dir(&path).expect("a folder").flatten().map(|entry| entry.path()));
                Vec::new()
            }
            kind if kind.is_symlink() => {
                fs::read_link(&path).expect("a link").into_os_string().into_encoded_bytes()
            }
            _ => fs::read(&path).expect("a file"),
        };
        found.insert(path, (meta.permissions().mode(), contents));
    }
    found
}

#[test]
fn systemd_understands_the_units_and_finds_nothing_to_complain_about() {
    let world = odd_world();
    let programs = oddly_installed(&world);
    let _ = service(&world, &programs, &["install", "--no-start"]).success();
    let units = world.path("home/.config/systemd/user");
    let mut verify = systemd::tool("systemd-analyze");
    world.clean(&mut verify);
    verify.env("XDG_RUNTIME_DIR", world.path("tmp"));
    verify
        .args(["--user", "verify", "--man=no"])
        .arg(units.join("hobd.service"))
        .arg(units.join("hobd.socket"));
    let said = run(&mut verify, b"").code(0);
    assert_eq!((said.stdout.as_str(), said.stderr.as_str()), ("", ""), "{said}");
    let status = service(&world, &programs, &["status", "--json"]).success();
    let status: Value = serde_json::from_str(&status).expect("JSON");
    assert_eq!(status["problems"], json!([]), "what is installed fits: {status}");
    assert_eq!(status["program"], programs.join("hobd").to_str().expect("text"));
    assert_eq!((&status["installed"], &status["enabled"]), (&json!(true), &json!(true)), "{status}");
}

#[test]
fn a_broken_path_is_what_the_check_of_units_would_find() {
    // The test above proves something only if the tool complains about a missing program.
    let world = odd_world();
    let programs = oddly_installed(&world);
    let _ = service(&world, &programs, &["install", "--no-start"]).success();
    fs::remove_file(programs.join("hobd")).expect("the link is ours");
    let units = world.path("home/.config/systemd/user");
    let mut verify = systemd::tool("systemd-analyze");
    world.clean(&mut verify);
    verify.env("XDG_RUNTIME_DIR", world.path("tmp"));
    let said = run(verify.args(["--user", "verify", "--man=no"]).arg(units.join("hobd.service")), b"");
    assert!(said.stderr.contains("hobd"), "{said}");
}

#[test]
fn what_install_made_uninstall_removes_and_nothing_else() {
    for there in ["", ".config", ".config/systemd/user", ".config/systemd/user/sockets.target.wants"] {
        let world = odd_world();
        let programs = oddly_installed(&world);
        fs::create_dir_all(world.path("home").join(there)).expect("made");
        let before = everything(&world.path("home"));
        let _ = service(&world, &programs, &["install", "--no-start"]).success();
        assert!(
            world.path("home/.config/systemd/user/sockets.target.wants/hobd.socket").exists(),
            "it is enabled"
        );
        let again = service(&world, &programs, &["install", "--no-start"]).success();
        assert!(again.contains("up to date"), "{again}");
        let _ = service(&world, &programs, &["uninstall"]).success();
        assert_eq!(everything(&world.path("home")), before, "with `{there}` there before");
    }
}

#[test]
fn what_is_not_hobs_or_was_changed_is_never_overwritten_or_lost() {
    let world = World::new();
    let programs = oddly_installed(&world);
    let units = world.path("home/.config/systemd/user");
    fs::create_dir_all(units.join("hobd.service.d")).expect("made");
    fs::write(units.join("hobd.service"), "[Service]\nExecStart=/bin/true\n").expect("written");
    let refused = service(&world, &programs, &["install", "--no-start"]).code(2);
    assert!(refused.stderr.contains("hobd.service") && refused.stderr.contains("drop-in"), "{refused}");
    let _ = service(&world, &programs, &["uninstall"]).success();
    assert!(units.join("hobd.service").exists(), "it is somebody else's");
    fs::remove_file(units.join("hobd.service")).expect("it is there");

    let drop_in = units.join("hobd.service.d/more.conf");
    fs::write(&drop_in, "[Service]\nMemoryMax=1G\n").expect("written");
    let told = service(&world, &programs, &["install", "--no-start"]).success();
    assert!(told.contains("more.conf"), "a drop-in is told of: {told}");
    let text = fs::read_to_string(units.join("hobd.service")).expect("written");
    fs::write(units.join("hobd.service"), text.replace("WatchdogSec=120", "WatchdogSec=1")).expect("written");
    let refused = service(&world, &programs, &["install", "--no-start"]).code(2);
    assert!(refused.stderr.contains("was changed"), "{refused}");
    let told = service(&world, &programs, &["uninstall"]).success();
    assert!(told.contains("hobd.service.changed"), "{told}");
    let kept = fs::read_to_string(units.join("hobd.service.changed")).expect("kept");
    assert!(kept.contains("WatchdogSec=1\n") && drop_in.exists());
}

#[test]
fn without_a_users_systemd_nothing_is_written_and_the_way_out_is_told() {
    let world = World::new();
    let programs = oddly_installed(&world);
    let before = everything(&world.path("home"));
    let refused = service(&world, &programs, &["install"]).code(2);
    assert!(refused.stderr.contains("--no-start"), "{refused}");
    assert_eq!(everything(&world.path("home")), before);
    for verb in ["start", "stop"] {
        let refused = service(&world, &programs, &[verb]).code(2);
        assert!(refused.stderr.contains("hob service install"), "{refused}");
    }
    let status = service(&world, &programs, &["status"]).success();
    assert!(status.contains("installed   no"), "{status}");
}

#[test]
fn status_tells_of_a_path_and_a_socket_that_do_not_fit() {
    let world = World::new();
    let programs = oddly_installed(&world);
    let _ = service(&world, &programs, &["install", "--no-start"]).success();
    let path = std::env::var("PATH").expect("a PATH");
    let more = format!("{path}:{}", programs.display());
    // Temporary folders make no difference; those of this world are where such folders usually are.
    let elsewhere = world.path("elsewhere");
    let mut hob = world.command(programs.join("hob"));
    hob.args(["service", "status"]).env("PATH", more).env("TMPDIR", "/nowhere").env("HOB_DIR", &elsewhere);
    let said = run(&mut hob, b"").success();
    for told in [programs.to_str().expect("text"), elsewhere.to_str().expect("text")] {
        assert!(said.contains(told), "{told} is not in: {said}");
    }
    let tree: Tree = world.tree(FIXTURE);
    let _ = pid_by(&mut world.mcp(&tree));
    let said = service(&world, &programs, &["status"]).success();
    assert!(said.contains("started by a program of hob"), "{said}");
}
