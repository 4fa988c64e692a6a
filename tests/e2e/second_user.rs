//! Tests another user of the same machine, who cannot connect to the daemon, cannot list or read hob's files at any
//! time, and has a separate daemon.
//!
//! The other user is a number without an account, which `setpriv` takes on. For the system this is as real as an
//! account, and nothing has to be added to the machine or removed from it. It needs root, as on the machines that run
//! these tests automatically. Without root, the tests print a message on standard error and check nothing. The tests
//! with `strace` need only permission to trace.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use hob_tests::{Output, Tree, World, binaries, run};
use serde_json::{Value, json};

const FIXTURE: &str =
    "//- /a.py\ndef found():\n    return 'SECRET_OF_THE_FIRST'\n\nfound()\n//- /b.md\n# Found\n";

/// A user ID without an account.
const SECOND: u32 = 54_321;

/// Returns a wrapper that traces the daemon, and the path of the trace; `None`, with a message, if tracing is not
/// possible.
pub(super) fn tracer(world: &World, calls: &str) -> Option<(PathBuf, PathBuf)> {
    let log = world.path("trace");
    let mut probe = Command::new("strace");
    probe.args(["-f", "-e", "trace=execve", "-o"]).arg(&log).arg("/bin/true");
    if !probe.output().is_ok_and(|output| output.status.success()) {
        eprintln!(
            "NOT TRIED: what the system sees (no `strace` here, or it may not trace; Debian: apt install strace)"
        );
        return None;
    }
    let (wrapper, hobd) = (world.path("traced-hobd"), binaries().join("hobd"));
    let text = format!(
        "#!/bin/sh\nexec strace -f -y -qq -s 4096 -e signal=none -e trace={calls} -A -o '{}' '{}' \"$@\"\n",
        log.display(),
        hobd.display()
    );
    fs::write(&wrapper, text).expect("written");
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).expect("just written");
    Some((wrapper, log))
}

/// Returns true if the tests can run as another user, and prints a message if not.
fn is_root() -> bool {
    let root = rustix::process::geteuid().is_root();
    let can =
        root && Command::new("setpriv").arg("--version").output().is_ok_and(|output| output.status.success());
    if !can {
        eprintln!("NOT TRIED: a second user (that takes root and `setpriv`)");
    }
    can
}

/// Runs a shell command as the second user.
fn as_second(world: &World, words: &str, env: &[(&str, &Path)]) -> Output {
    let mut command = Command::new("setpriv");
    world.clean(&mut command);
    let user = SECOND.to_string();
    command.args(["--reuid", &user, "--regid", &user, "--clear-groups", "/bin/sh", "-c", words]);
    run(command.envs(env.iter().copied()).current_dir("/"), b"")
}

fn owner(path: &Path) -> u32 {
    fs::metadata(path).map_or(0, |found| found.uid())
}

/// Returns a world that everybody may enter, so that only hob's own modes keep others out. `HOB_DIR` exists with
/// `mode`.
fn open_world(mode: u32) -> (World, Tree) {
    let world = World::new();
    let open = |path: &Path| fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("ours");
    open(world.path("x").parent().expect("the world's folder"));
    for name in ["", "cache", "state", "state/log", "cache/graphs", "cache/store"] {
        let path = world.dir().join(name);
        fs::create_dir_all(&path).expect("a folder");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("ours");
    }
    // The runtime folder is refused if others may write to it, and closed if they may read it.
    fs::create_dir(world.dir().join("run")).expect("a folder");
    open(&world.dir().join("run"));
    let tree = world.tree(FIXTURE);
    (world, tree)
}

/// Makes the daemon create every kind of file that it uses.
fn use_all(world: &World, tree: &Tree) {
    let mut mcp = super::edit::editor(world, tree);
    for (tool, args) in [
        ("map_search", json!({"query": "found"})),
        ("regex_search", json!({"pattern": "SECRET"})),
        ("resolve", json!({"subject": "found"})),
        ("investigate", json!({"query": "found"})),
        ("edit_text", json!({"file": "a.py", "old": "return", "new": "return  "})),
    ] {
        let answer = mcp.call(tool, args);
        assert_ne!(answer.envelope["error"]["code"], "INTERNAL", "{answer}");
    }
    let _ = world.hob(tree.root(), &["trust", "--yes"]).success();
    let _ = world.hob(tree.root(), &["graph", "--no-open"]);
}

fn below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        found.push(entry.path());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            below(&entry.path(), found);
        }
    }
}

#[test]
fn another_user_cannot_connect_list_or_read() {
    if !is_root() {
        return;
    }
    for mode in [0o755, 0o777] {
        let (world, tree) = open_world(mode);
        use_all(&world, &tree);
        let pid = world.daemon_pid().expect("it runs");
        let dir = world.dir();
        let mut all = Vec::new();
        below(dir, &mut all);
        assert!(all.iter().any(|path| path.ends_with("hobd.sock")) && all.len() > 10, "{all:?}");
        for folder in ["run", "cache", "state", "state/log", "cache/store", "cache/graphs", "state/edits"] {
            let said = as_second(&world, &format!("ls '{}'", dir.join(folder).display()), &[]);
            assert!(said.code != Some(0), "{folder} can be listed{said}");
        }
        for file in all.iter().filter(|path| path.is_file()) {
            let said = as_second(&world, &format!("cat '{}'", file.display()), &[]);
            assert!(said.code != Some(0), "it can be read: {}", file.display());
        }
        // Neither with the programs, which refuse to talk to another user's daemon, nor by hand.
        let home = world.path("second");
        fs::create_dir(&home).expect("a folder");
        std::os::unix::fs::chown(&home, Some(SECOND), Some(SECOND)).expect("root may");
        let hob = format!("'{}' status --json", binaries().join("hob").display());
        let said = as_second(&world, &hob, &[("HOME", &home)]);
        assert!(
            !said.stdout.contains(&format!("\"pid\":{pid}")) && !said.stdout.contains(&pid.to_string()),
            "{said}"
        );
        let socket = dir.join("run/hobd.sock");
        let connect = format!(
            "perl -MIO::Socket::UNIX -e 'exit(IO::Socket::UNIX->new(Peer => \"{}\") ? 0 : 1)'",
            socket.display()
        );
        assert_eq!(as_second(&world, &connect, &[]).code, Some(1), "the socket's folder keeps them out");
        // Even if the folder is open and the socket's mode changed, the daemon checks who connects.
        fs::set_permissions(dir.join("run"), fs::Permissions::from_mode(0o755)).expect("ours");
        fs::set_permissions(&socket, fs::Permissions::from_mode(0o666)).expect("ours");
        let greet = format!(
            "perl -MIO::Socket::UNIX -e '$s = IO::Socket::UNIX->new(Peer => \"{}\") or exit 1; exit(defined(getc $s) ? 0 : 2)'",
            socket.display()
        );
        let said = as_second(&world, &greet, &[]);
        assert_eq!(said.code, Some(2), "the connection is closed without a word{said}");
        assert_eq!(world.daemon_pid(), Some(pid), "the owner is served on");
    }
}

#[test]
fn another_user_has_another_daemon_and_another_users_folder_is_refused() {
    if !is_root() {
        return;
    }
    let (world, tree) = open_world(0o755);
    use_all(&world, &tree);
    let pid = world.daemon_pid().expect("it runs");
    let home = world.path("second");
    fs::create_dir(&home).expect("a folder");
    std::os::unix::fs::chown(&home, Some(SECOND), Some(SECOND)).expect("root may");
    let theirs = home.join("h");
    let env: &[(&str, &Path)] = &[("HOME", &home), ("HOB_DIR", &theirs), ("TMPDIR", &home)];
    let hob = binaries().join("hob");
    if as_second(&world, &format!("'{}' --version", hob.display()), env).code != Some(0) {
        eprintln!("NOT TRIED: the second user's own daemon (the programs lie where only their owner may go)");
        return;
    }
    let asked = format!(
        "cd '{0}' && mkdir p && echo 'def mine(): pass' > p/m.py && '{1}' call map_search --query mine --root p --json",
        home.display(),
        hob.display()
    );
    let said = as_second(&world, &asked, env).success();
    assert!(said.contains("py:m.py#mine"), "{said}");
    assert_eq!(
        (owner(&theirs), fs::metadata(theirs.join("run")).expect("there").mode() & 0o777),
        (SECOND, 0o700)
    );
    let status = as_second(&world, &format!("'{}' status --json", hob.display()), env).success();
    let status: Value = serde_json::from_str(&status).expect("JSON");
    assert_ne!(status["pid"].as_u64(), Some(u64::from(pid)), "a daemon of their own");
    let _ = as_second(&world, &format!("'{}' stop", hob.display()), env).success();

    // A cache that another user owns is not used.
    world.stop();
    std::os::unix::fs::chown(world.dir().join("cache"), Some(SECOND), Some(SECOND)).expect("root may");
    let refused = world.hob(tree.root(), &["call", "map_search", "--query", "found"]);
    assert!(refused.code != Some(0) && refused.stderr.contains("belongs to user 54321"), "{refused}");
    std::os::unix::fs::chown(world.dir().join("cache"), Some(0), Some(0)).expect("root may");
}

/// Parses a line of a trace that is about a new file: its mode and its name.
fn made(line: &str) -> Option<(u32, String)> {
    let (before, rest) = line.split_once('"')?;
    let name = rest.split('"').next()?;
    // The name may be relative to an open folder, whose own name precedes it.
    let folder = before.rsplit_once('<').and_then(|(_, rest)| rest.split('>').next()).unwrap_or_default();
    let name = if name.starts_with('/') { name.to_owned() } else { format!("{folder}/{name}") };
    let (call, done) = match line.split_once(" <unfinished") {
        Some((call, _)) => (call, true),
        None => {
            let (call, result) = line.rsplit_once(") = ")?;
            (call, !result.starts_with("-1"))
        }
    };
    let last = || u32::from_str_radix(call.rsplit_once(", ")?.1.trim(), 8).ok();
    match () {
        () if !done => None,
        () if line.contains(" mkdir") => Some((last()?, name)),
        () if line.contains("O_CREAT") => Some((last()?, name)),
        // A socket has the mode that the mask leaves.
        () if line.contains(" bind(") && name.starts_with('/') => Some((0o777, name)),
        () => None,
    }
}

#[test]
fn whatever_the_daemon_makes_is_private_from_the_first_instant() {
    for (umask, mode) in [("000", 0o755), ("022", 0o700)] {
        let (world, tree) = open_world(mode);
        let Some((wrapper, log)) =
            tracer(&world, "umask,open,openat,openat2,creat,mkdir,mkdirat,bind,chmod,fchmod,fchmodat")
        else {
            return;
        };
        let text = fs::read_to_string(&wrapper).expect("just written");
        fs::write(&wrapper, text.replace("exec strace", &format!("umask {umask}\nexec strace")))
            .expect("ours");
        let world = world.env("HOB_DAEMON", wrapper.display().to_string());
        // No language servers are found, because they have their own mask.
        let world = world.env("PATH", "/usr/bin:/bin");
        use_all(&world, &tree);
        world.stop();
        let seen = fs::read_to_string(&log).expect("strace has written");
        // Each process has the mask that it inherited until it changes it. All of these are threads of one process.
        let mut mask = u32::from_str_radix(umask, 8).expect("octal");
        let mut names: HashMap<String, u32> = HashMap::new();
        for line in seen.lines() {
            if let Some((_, rest)) = line.split_once(" umask(") {
                mask = u32::from_str_radix(rest.split(')').next().unwrap_or_default(), 8).unwrap_or(mask);
            }
            if let Some((mode, name)) = made(line) {
                *names.entry(name).or_default() |= mode & !mask;
            }
        }
        let own = world.dir().display().to_string();
        let ours: Vec<_> = names.iter().filter(|(name, _)| name.starts_with(&own)).collect();
        assert!(ours.len() > 10, "it makes things: {ours:?}");
        let open: Vec<_> = ours.iter().filter(|(_, mode)| **mode & 0o077 != 0).collect();
        assert!(open.is_empty(), "open to others when they were made, umask {umask}: {open:#?}");
        let mut all = Vec::new();
        below(world.dir(), &mut all);
        // hob restricts folders that existed before if it is their only user.
        for folder in ["run", "cache", "state", "state/log"] {
            let mode = fs::metadata(world.dir().join(folder)).expect("there").mode() & 0o777;
            assert_eq!(mode, 0o700, "{folder}");
        }
    }
}

/// A file that hob writes in a project keeps its mode, although the daemon's own files are private.
#[test]
fn an_edited_file_keeps_its_mode_but_for_rights_that_it_lent() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let mut mcp = super::edit::editor(&world, &tree);
    tree.write("tool.sh", "#!/bin/sh\necho old\n");
    fs::set_permissions(tree.at("tool.sh"), fs::Permissions::from_mode(0o6755)).expect("ours");
    let preview = mcp.call("edit_text", json!({"file": "tool.sh", "old": "old", "new": "new"}));
    let _ = preview.ok();
    let _ = mcp.call("resolve_action", json!({"action": "apply", "reason": "a test"})).ok();
    let mode = |path: &str| fs::metadata(tree.at(path)).expect("there").mode() & 0o7777;
    assert_eq!(tree.read("tool.sh"), "#!/bin/sh\necho new\n");
    assert_eq!(mode("tool.sh"), 0o755, "rights that were lent are not lent to new contents");
}

/// A language server gets only the variables that are meant for it.
#[test]
fn a_language_server_sees_only_what_is_passed_on() {
    let bin = tempfile::TempDir::new().expect("a folder");
    let seen = bin.path().join("seen");
    let script = json!({"capabilities": {"hoverProvider": true}, "answers": {"textDocument/hover": [{"result": {"contents": "here"}}]}});
    let fake = binaries().join("fake-lsp");
    let text = format!(
        "#!/bin/sh\n[ \"$1\" = server ] || {{ echo 'ty 9.0.0'; exit; }}\n/usr/bin/env -0 > '{0}'; umask > '{0}.umask'; ulimit -n > '{0}.files'\nexec '{1}' '{script}'\n",
        seen.display(),
        fake.display()
    );
    fs::write(bin.path().join("ty"), text).expect("written");
    fs::set_permissions(bin.path().join("ty"), fs::Permissions::from_mode(0o755)).expect("ours");
    let mut world = World::new().env("PATH", format!("{}:/usr/bin:/bin", bin.path().display()));
    // Variables that a shell, an agent or a build may have in its environment, and those that are passed on.
    let kept_out = [
        "API_KEY",
        "AWS_SECRET_ACCESS_KEY",
        "GITHUB_TOKEN",
        "SSH_AUTH_SOCK",
        "LD_PRELOAD_X",
        "PYTHONPATH",
        "NODE_OPTIONS",
        "RUSTC_WRAPPER",
        "GIT_DIR",
        "CARGO_BUILD_RUSTC",
        "HOB_MODEL_KEY",
        "BASH_ENV",
        "PERL5OPT",
    ];
    for name in kept_out {
        world = world.env(name, "NOT_FOR_SERVERS");
    }
    let passed = ["CARGO_HOME", "GOPATH", "XDG_CACHE_HOME", "LC_ALL", "HTTPS_PROXY", "JAVA_HOME"];
    for name in passed {
        world = world.env(name, "C.UTF-8");
    }
    let tree = world.tree(FIXTURE);
    let answer = world.call(&tree, "nav_type", &json!({"file": "a.py", "line": 1, "col": 5}));
    assert_eq!(answer.ok()["signature"], "here", "{answer}");
    let environment = fs::read_to_string(&seen).expect("the server ran");
    let mut names: Vec<&str> =
        environment.split('\0').filter_map(|it| it.split_once('=')).map(|(name, _)| name).collect();
    // These are set by the shell that runs as the server.
    names.retain(|name| !matches!(*name, "PWD" | "_" | "SHLVL" | "OLDPWD"));
    names.sort_unstable();
    let mut expected = [&["HOME", "LANG", "PATH", "TMPDIR"][..], &passed].concat();
    expected.sort_unstable();
    assert_eq!(names, expected, "and nothing else");
    assert!(!environment.contains("NOT_FOR_SERVERS"), "{environment}");
    let umask = |text: &str| u32::from_str_radix(text.trim(), 8).expect("octal");
    let files = fs::read_to_string(seen.with_extension("files")).expect("it ran");
    let users = run(Command::new("/bin/sh").args(["-c", "ulimit -n"]), b"").success();
    assert_eq!(files, users, "as many files as the user's programs may have open");
    let own = run(Command::new("/bin/sh").args(["-c", "umask"]), b"").success();
    let servers = fs::read_to_string(seen.with_extension("umask")).expect("it ran");
    assert_eq!(umask(&servers), umask(&own), "a server writes for the user, by the user's own mask");
    assert_ne!(umask(&own), 0o077, "or this says nothing");
}
