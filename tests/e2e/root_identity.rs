//! Tests projects whose path stays the same while the folder behind it changes: the next call is about the present
//! contents.
//!
//! Folders above it are renamed, links changed, permissions removed and restored, and file systems mounted over the
//! root and unmounted. None of this causes an event in the watched folder. Each test lists the lines of all files that
//! begin with `line `.

#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use hob_tests::{Mcp, Tree, World, binaries};
use serde_json::json;

use super::watching::fresh;

/// Returns the lines in the project at `root`.
#[track_caller]
fn lines(mcp: &mut Mcp, root: &Path) -> Vec<String> {
    let args = json!({"pattern": "^line .*", "root": root});
    let answer = fresh(mcp, "regex_search", &args);
    let mut found = answer.without_warnings().texts("/matches", "text");
    found.sort_unstable();
    found.into_iter().map(str::to_owned).collect()
}

/// Returns the number of functions with this name in the map.
#[track_caller]
fn defined(mcp: &mut Mcp, root: &Path, name: &str) -> usize {
    let answer = fresh(mcp, "map_search", &json!({"query": name, "root": root}));
    answer.without_warnings().list("/results").iter().filter(|hit| hit["name"] == name).count()
}

fn rename(from: &Path, to: &Path) {
    fs::rename(from, to).expect("it can be moved");
}

#[test]
fn the_folder_above_is_renamed_and_another_put_there() {
    let world = World::new();
    let [up, away, next] = ["up", "away", "next"].map(|name| world.path(name));
    let first = Tree::new(&up.join("ws"), "//- /a.py\nline 1\n\ndef first(): pass\n");
    let _ = Tree::new(&next.join("ws"), "//- /b.py\nline 2\n\ndef second(): pass\n");
    let mut mcp = world.mcp(&first);
    let root = up.join("ws");
    assert_eq!(lines(&mut mcp, &root), ["line 1"]);
    rename(&up, &away);
    rename(&next, &up);
    assert_eq!(lines(&mut mcp, &root), ["line 2"]);
    assert_eq!((defined(&mut mcp, &root, "first"), defined(&mut mcp, &root, "second")), (0, 1));
    fs::write(root.join("b.py"), "line 3\n\ndef third(): pass\n").expect("it is there");
    assert_eq!(defined(&mut mcp, &root, "third"), 1, "it is watched");
    assert_eq!(lines(&mut mcp, &root), ["line 3"]);
    fs::write(away.join("ws/a.py"), "line 4\n").expect("it is there");
    assert_eq!(lines(&mut mcp, &root), ["line 3"], "the other is not");
    rename(&up, &next);
    rename(&away, &up);
    assert_eq!(lines(&mut mcp, &root), ["line 4"]);
    fs::create_dir(root.join("new")).expect("it is ours");
    fs::write(root.join("new/c.py"), "line 5\n").expect("it is ours");
    assert_eq!(lines(&mut mcp, &root), ["line 4", "line 5"]);
}

/// Long enough for the daemon to look at changed folders. If it is too short, a test checks less, but does not fail.
const PAUSE: Duration = Duration::from_millis(600);

#[test]
fn a_project_that_is_moved_away_and_back_is_as_it_is_then() {
    let world = World::new();
    let [up, away] = ["up", "away"].map(|name| world.path(name));
    let root = up.join("ws");
    let tree = Tree::new(&root, "//- /a.py\nline 1\n//- /d/b.py\nline 2\n//- /keep.py\nline 3\n");
    let mut mcp = world.mcp(&tree);
    assert_eq!(lines(&mut mcp, &root), ["line 1", "line 2", "line 3"]);
    for (round, moved) in [&up, &root].into_iter().enumerate() {
        let elsewhere = if moved == &up { away.join("ws") } else { away.clone() };
        rename(moved, &away);
        fs::write(elsewhere.join("a.py"), format!("line 1 {round}\n")).expect("it is there");
        fs::create_dir(elsewhere.join(format!("new{round}"))).expect("it is ours");
        fs::write(elsewhere.join(format!("new{round}/c.py")), "line 4\n").expect("it is ours");
        std::thread::sleep(PAUSE);
        let answer = mcp.call("regex_search", json!({"pattern": "line", "root": root}));
        let message = answer.error("BAD_ARGS")["message"].to_string();
        assert!(message.contains("does not exist"), "{message}");
        rename(&away, moved);
        let mut expected = vec![format!("line 1 {round}"), "line 2".to_owned(), "line 3".to_owned()];
        expected.extend(vec!["line 4".to_owned(); round + 1]);
        assert_eq!(lines(&mut mcp, &root), expected);
        fs::write(root.join(format!("new{round}/c.py")), "line five\n").expect("it is ours");
        expected.pop();
        expected.push("line five".to_owned());
        assert_eq!(lines(&mut mcp, &root), expected, "and it is watched");
        fs::write(root.join(format!("new{round}/c.py")), "line 4\n").expect("it is ours");
    }
}

#[test]
fn a_link_as_root_is_followed_at_every_call() {
    let world = World::new();
    let current = world.path("current");
    let world = world.env("CLAUDE_PROJECT_DIR", current.display().to_string());
    let one = Tree::new(&world.path("r1"), "//- /a.py\nline 1\n");
    let other = Tree::new(&world.path("r2"), "//- /a.py\nline 2\n");
    symlink(one.root(), &current).expect("a link");
    // The root comes from the client or from the call.
    let mut mcp = world.mcp(&other);
    let own = |mcp: &mut Mcp| {
        let answer = fresh(mcp, "regex_search", &json!({"pattern": "^line .*"}));
        answer.texts("/matches", "text").concat()
    };
    for round in 0..3 {
        assert_eq!(
            (lines(&mut mcp, &current), own(&mut mcp)),
            (vec!["line 1".into()], "line 1".into()),
            "{round}"
        );
        // As deployments do it: a new link replaces the old one.
        symlink(other.root(), world.path("next")).expect("a link");
        rename(&world.path("next"), &current);
        assert_eq!(
            (lines(&mut mcp, &current), own(&mut mcp)),
            (vec!["line 2".into()], "line 2".into()),
            "{round}"
        );
        symlink(one.root(), world.path("next")).expect("a link");
        rename(&world.path("next"), &current);
    }
}

/// Makes a daemon that is started by these words, which end with `exec`.
fn wrapped(world: World, words: &str) -> World {
    let (wrapper, hobd) = (world.path("wrapped-hobd"), binaries().join("hobd"));
    fs::write(&wrapper, format!("#!/bin/sh\n{words} '{}' \"$@\"\n", hobd.display())).expect("written");
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).expect("just written");
    world.env("HOB_DAEMON", wrapper.display().to_string())
}

/// Returns a world whose daemon may not read what file modes forbid. For root this needs the removal of two of its
/// capabilities.
pub(super) fn world_of_modes() -> Option<World> {
    if !rustix::process::geteuid().is_root() {
        return Some(World::new());
    }
    let without = "setpriv --bounding-set=-dac_override,-dac_read_search";
    let mut probe = Command::new("sh");
    probe.args(["-c", &format!("{without} /bin/true")]);
    if !probe.output().is_ok_and(|output| output.status.success()) {
        eprintln!("NOT TRIED: what modes forbid (as root that takes `setpriv`)");
        return None;
    }
    Some(wrapped(World::new(), &format!("exec {without}")))
}

#[test]
fn rights_are_taken_and_given_back() {
    let Some(world) = world_of_modes() else { return };
    let root = world.path("up/ws");
    let tree = Tree::new(&root, "//- /a.py\nline 1\n//- /d/b.py\nline 2\n");
    let mut mcp = world.mcp(&tree);
    assert_eq!(lines(&mut mcp, &root), ["line 1", "line 2"]);
    for (round, closed) in [world.path("up"), root.clone()].iter().enumerate() {
        let mode = |mode| fs::set_permissions(closed, fs::Permissions::from_mode(mode)).expect("it is ours");
        // Root can write whatever the modes are. Another user writes through an open file.
        let mut open = fs::File::create(root.join("a.py")).expect("it is ours");
        mode(0);
        std::io::Write::write_all(&mut open, format!("line 1 {round}\n").as_bytes()).expect("it is open");
        drop(open);
        std::thread::sleep(PAUSE);
        let answer = mcp.call("regex_search", json!({"pattern": "line", "root": root}));
        let message = answer.error("BAD_ARGS")["message"].to_string();
        assert!(message.contains("cannot be read"), "{message}");
        mode(0o755);
        assert_eq!(lines(&mut mcp, &root), [format!("line 1 {round}"), "line 2".to_owned()]);
        fs::write(root.join("d/b.py"), "line three\n").expect("it is ours");
        assert_eq!(lines(&mut mcp, &root), [format!("line 1 {round}"), "line three".to_owned()]);
        fs::write(root.join("d/b.py"), "line 2\n").expect("it is ours");
    }
}

/// A daemon with its own mounts, which no other process sees.
struct Mounts {
    world: World,
    pid: String,
}

impl Mounts {
    /// Returns `None`, with a message, if the system does not allow this.
    fn new(root: &Path, world: World, tree: &Tree) -> Option<(Self, Mcp)> {
        let probe = Command::new("unshare").args(["-m", "mount", "-t", "tmpfs", "none"]).arg(root).output();
        let can_enter = Command::new("nsenter").arg("--version").output().is_ok();
        if !can_enter || !probe.is_ok_and(|output| output.status.success()) {
            eprintln!("NOT TRIED: mounts (they take root, `unshare` and `nsenter`)");
            return None;
        }
        let world = wrapped(world, "exec unshare -m --propagation private");
        let mut mcp = world.mcp(tree);
        // The first call starts the daemon.
        let _ = lines(&mut mcp, root);
        let pid = world.daemon_pid().expect("it runs").to_string();
        Some((Self { world, pid }, mcp))
    }

    #[track_caller]
    fn run(&self, words: &str) {
        let mut command = Command::new("nsenter");
        self.world.clean(&mut command);
        command.args(["-t", &self.pid, "-m", "sh", "-e", "-c", words]);
        let output = command.output().expect("it was tried");
        assert!(output.status.success(), "{words}: {output:?}");
    }
}

#[test]
fn something_is_mounted_in_the_tree_and_taken_away() {
    let world = World::new();
    let tree = world
        .tree("//- /a.py\nline 1\n//- /sub/b.py\nline 2\n//- /.gitignore\nbuilt\n//- /built/c.py\nline 9\n");
    let outside = Tree::unversioned(&world.path("outside"), "//- /b.py\nline 3\n\ndef outside(): pass\n");
    let (root, other) = (tree.root().to_path_buf(), outside.root().to_path_buf());
    let Some((mounts, mut mcp)) = Mounts::new(&root, world, &tree) else { return };
    assert_eq!(lines(&mut mcp, &root), ["line 1", "line 2"]);
    let (sub, other) = (root.join("sub"), other.display());
    for mount in [
        format!("mount --bind '{other}' '{}'", sub.display()),
        format!("mount -t overlay none -o 'lowerdir={other}:{}' '{0}'", sub.display()),
    ] {
        mounts.run(&mount);
        assert_eq!(lines(&mut mcp, &root), ["line 1", "line 3"], "{mount}");
        assert_eq!(defined(&mut mcp, &root, "outside"), 1, "{mount}");
        mounts.run(&format!("umount '{}'", sub.display()));
        assert_eq!(lines(&mut mcp, &root), ["line 1", "line 2"], "{mount}");
        // The folders below are watched again.
        tree.write("sub/b.py", "line 4\n\ndef below(): pass\n");
        assert_eq!(
            (defined(&mut mcp, &root, "below"), defined(&mut mcp, &root, "outside")),
            (1, 0),
            "{mount}"
        );
        tree.write("sub/b.py", "line 2\n");
    }
    mounts.run(&format!("mount -t tmpfs none '{}'", root.join("built").display()));
    assert_eq!(lines(&mut mcp, &root), ["line 1", "line 2"], "what is ignored does not count");
}

#[test]
fn something_is_mounted_over_the_root_or_a_folder_above() {
    let world = World::new();
    let root: PathBuf = world.path("up/ws");
    let tree = Tree::new(&root, "//- /a.py\nline 1\n");
    let Some((mounts, mut mcp)) = Mounts::new(&root, world, &tree) else { return };
    assert_eq!(lines(&mut mcp, &root), ["line 1"]);
    for over in [root.clone(), mounts.world.path("up")] {
        let (over, ws) = (over.display(), root.display());
        mounts
            .run(&format!("mount -t tmpfs none '{over}'; mkdir -p '{ws}/.git'; echo 'line 2' > '{ws}/b.py'"));
        assert_eq!(lines(&mut mcp, &root), ["line 2"], "{over}");
        // A search reads the files, so its result does not show if they are watched. The map's does.
        mounts.run(&format!("printf 'line 3\\n\\ndef mounted(): pass\\n' > '{ws}/b.py'"));
        assert_eq!(defined(&mut mcp, &root, "mounted"), 1, "it is watched: {over}");
        assert_eq!(lines(&mut mcp, &root), ["line 3"], "{over}");
        mounts.run(&format!("umount '{over}'"));
        assert_eq!(lines(&mut mcp, &root), ["line 1"], "{over}");
        // The tests and the daemon see the same file again.
        fs::write(root.join("a.py"), "line 4\n\ndef again(): pass\n").expect("it is ours");
        assert_eq!(
            (defined(&mut mcp, &root, "again"), defined(&mut mcp, &root, "mounted")),
            (1, 0),
            "{over}"
        );
        fs::write(root.join("a.py"), "line 1\n").expect("it is ours");
    }
}
