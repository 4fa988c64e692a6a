//! Tests everything that git, editors and people do to a tree: the next call is right, without a warning.
//!
//! Each test is a table of steps. After each step, one call lists the lines of all files that begin with `line `, which
//! must be those on disk in the files that the rules admit. A second call asks the map for one function.

use std::fs::{self, File};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use hob_tests::{Answer, Mcp, Tree, World};
use serde_json::json;

use super::many::git;

/// A daemon that follows one tree.
struct Watched<'w> {
    tree: &'w Tree,
    mcp: Mcp,
}

impl<'w> Watched<'w> {
    #[track_caller]
    fn new(world: &World, tree: &'w Tree) -> Self {
        Self { tree, mcp: world.mcp(tree) }
    }

    /// Returns the lines `line ...`, each with its file.
    #[track_caller]
    fn lines(&mut self) -> Vec<String> {
        let args = json!({"pattern": "^line .*", "tokenBudget": 10_000});
        let answer = fresh(&mut self.mcp, "regex_search", &args);
        let _ = answer.without_warnings().whole();
        let found = answer.list("/matches").iter();
        let mut lines: Vec<String> =
            found.map(|hit| format!("{}: {}", text(&hit["file"]), text(&hit["text"]))).collect();
        lines.sort();
        lines
    }

    /// Makes a change and checks the lines after it.
    #[track_caller]
    fn step(&mut self, what: &str, stroke: impl FnOnce(&Tree), expected: &[&str]) {
        stroke(self.tree);
        assert_eq!(self.lines(), expected, "after: {what}");
    }

    /// Returns the places where the map has a function with this name.
    #[track_caller]
    fn defined(&mut self, name: &str) -> Vec<String> {
        let answer = fresh(&mut self.mcp, "map_search", &json!({"query": name}));
        let hits = answer.without_warnings().list("/results").iter().filter(|hit| hit["name"] == name);
        hits.map(|hit| text(&hit["id"]).to_owned()).collect()
    }

    #[track_caller]
    fn status(&mut self) -> serde_json::Value {
        self.mcp.call("map_status", json!({})).ok().clone()
    }

    #[track_caller]
    fn is_live(&mut self) {
        assert_eq!(self.status()["watcher"]["state"], "live");
    }
}

/// Makes a call and repeats it until its answer is fresh. On a busy machine an answer may be late and say so. That is
/// not a fault here, because the tests check that no answer is wrong without saying so.
#[track_caller]
pub(super) fn fresh(mcp: &mut Mcp, tool: &str, args: &serde_json::Value) -> Answer {
    for _ in 0..60 {
        let answer = mcp.call(tool, args.clone());
        if !answer.warnings().contains("Not fresh") {
            return answer;
        }
    }
    panic!("no answer is ever fresh: {tool} {args}");
}

fn text(value: &serde_json::Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn write(path: &'static str, line: &'static str) -> impl Fn(&Tree) {
    move |tree| tree.write(path, format!("line {line}\n"))
}

#[test]
fn what_editors_do() {
    let world = World::new();
    let tree = world.tree("//- /a.py\nline 1\n//- /d/b.py\nline 1\n");
    let mut watched = Watched::new(&world, &tree);
    watched.step("nothing", |_| {}, &["a.py: line 1", "d/b.py: line 1"]);
    watched.step("write and rename", atomic_save, &["a.py: line 2", "d/b.py: line 1"]);
    watched.step(
        "vim: keep the old, write the new, drop the old",
        backup_save,
        &["a.py: line 3", "d/b.py: line 1"],
    );
    watched.step("the same length in the same moment", rewrite_often, &["a.py: line 9", "d/b.py: line 1"]);
    watched.step("cut to nothing", |tree| tree.write("a.py", ""), &["d/b.py: line 1"]);
    let mut open = File::options().append(true).open(tree.at("a.py")).expect("it is there");
    watched.step("a descriptor is open", |_| {}, &["d/b.py: line 1"]);
    let append = |_: &Tree| open.write_all(b"line late\n").expect("it is open");
    watched.step("a write through it, which stays open", append, &["a.py: line late", "d/b.py: line 1"]);
    watched.step("a write in its middle", write_in_place, &["a.py: line LATE", "d/b.py: line 1"]);
    watched.step("the time set back", older, &["a.py: line past", "d/b.py: line 1"]);
    watched.step(
        "moved away",
        |tree| tree.rename("a.py", "d/a.py"),
        &["d/a.py: line past", "d/b.py: line 1"],
    );
    watched.is_live();
}

fn atomic_save(tree: &Tree) {
    tree.write(".a.py.swp", "line 2\n");
    tree.rename(".a.py.swp", "a.py");
}

fn backup_save(tree: &Tree) {
    tree.rename("a.py", "a.py~");
    tree.write("a.py", "line 3\n");
    tree.remove("a.py~");
}

fn rewrite_often(tree: &Tree) {
    (0..10).for_each(|i| tree.write("a.py", format!("line {i}\n")));
}

fn write_in_place(tree: &Tree) {
    let mut file = File::options().write(true).open(tree.at("a.py")).expect("it is there");
    file.seek(SeekFrom::Start(5)).expect("it is a file");
    file.write_all(b"LATE").expect("it is open");
}

/// Writes a file like `cp -p` or `touch -d` of an older copy: the same size, but an older time.
fn older(tree: &Tree) {
    tree.write("a.py", "line past\n");
    let file = File::options().write(true).open(tree.at("a.py")).expect("it is there");
    file.set_modified(SystemTime::now() - Duration::from_secs(1_000_000)).expect("its time can be set");
}

#[test]
fn what_people_do_to_trees() {
    let world = World::new();
    let tree = world.tree("//- /a/x.py\nline 1\n//- /a/deep/y.py\nline 2\n//- /b.py\nline 3\n");
    let outside = Tree::unversioned(&world.path("outside"), "//- /z/z.py\nline 4\n");
    let mut watched = Watched::new(&world, &tree);
    watched.step("nothing", |_| {}, &["a/deep/y.py: line 2", "a/x.py: line 1", "b.py: line 3"]);
    watched.step(
        "a tree renamed",
        |tree| tree.rename("a", "c"),
        &["b.py: line 3", "c/deep/y.py: line 2", "c/x.py: line 1"],
    );
    watched.step(
        "and written to",
        write("c/deep/y.py", "5"),
        &["b.py: line 3", "c/deep/y.py: line 5", "c/x.py: line 1"],
    );
    let case = |tree: &Tree| tree.rename("b.py", "B.py");
    watched.step("another case", case, &["B.py: line 3", "c/deep/y.py: line 5", "c/x.py: line 1"]);
    let out = |tree: &Tree| fs::rename(tree.at("c"), outside.at("c")).expect("it can be moved");
    watched.step("a tree moved out", out, &["B.py: line 3"]);
    outside.write("c/x.py", "line 6\n");
    watched.step("and written to", |_| {}, &["B.py: line 3"]);
    let back = |tree: &Tree| fs::rename(outside.at("c"), tree.at("c")).expect("it can be moved");
    watched.step("and back in", back, &["B.py: line 3", "c/deep/y.py: line 5", "c/x.py: line 6"]);
    let swap = |tree: &Tree| {
        fs::remove_dir_all(tree.at("c")).expect("it can be removed");
        tree.write("c", "line 7\n");
    };
    watched.step("a folder becomes a file", swap, &["B.py: line 3", "c: line 7"]);
    let swap = |tree: &Tree| {
        tree.remove("c");
        tree.write("c/x.py", "line 8\n");
    };
    watched.step("and a folder again", swap, &["B.py: line 3", "c/x.py: line 8"]);
    watched.step("and written to", write("c/x.py", "9"), &["B.py: line 3", "c/x.py: line 9"]);
    #[cfg(target_os = "linux")]
    exchange_names(&mut watched);
    replace_root(&world, &mut watched);
    watched.is_live();
}

/// Exchanges two names in one step, so that each leads to the other's contents: two folders, and a folder and a file.
#[cfg(target_os = "linux")]
#[track_caller]
fn exchange_names(watched: &mut Watched<'_>) {
    let exchange = |one: &'static str, other: &'static str| {
        move |tree: &Tree| {
            let (one, other) = (tree.at(one), tree.at(other));
            let flags = rustix::fs::RenameFlags::EXCHANGE;
            rustix::fs::renameat_with(rustix::fs::CWD, one, rustix::fs::CWD, other, flags)
                .expect("the file system can exchange names");
        }
    };
    watched.step(
        "another folder",
        write("d/y.py", "10"),
        &["B.py: line 3", "c/x.py: line 9", "d/y.py: line 10"],
    );
    watched.step("exchanged", exchange("c", "d"), &["B.py: line 3", "c/y.py: line 10", "d/x.py: line 9"]);
    watched.step(
        "and written to",
        write("d/x.py", "8"),
        &["B.py: line 3", "c/y.py: line 10", "d/x.py: line 8"],
    );
    watched.step(
        "a file and a folder",
        exchange("B.py", "d"),
        &["B.py/x.py: line 8", "c/y.py: line 10", "d: line 3"],
    );
    watched.step(
        "and written to",
        write("B.py/x.py", "7"),
        &["B.py/x.py: line 7", "c/y.py: line 10", "d: line 3"],
    );
    watched.step("and back", exchange("B.py", "d"), &["B.py: line 3", "c/y.py: line 10", "d/x.py: line 7"]);
    watched.step(
        "a name in another case",
        write("D/x.py", "6"),
        &["B.py: line 3", "D/x.py: line 6", "c/y.py: line 10", "d/x.py: line 7"],
    );
    watched.step(
        "exchanged",
        exchange("D", "d"),
        &["B.py: line 3", "D/x.py: line 7", "c/y.py: line 10", "d/x.py: line 6"],
    );
}

/// Runs `mv ws old; mv new ws`. Calls name the path, so the new folder becomes the workspace.
#[track_caller]
fn replace_root(world: &World, watched: &mut Watched<'_>) {
    let new = Tree::new(&world.path("new"), "//- /fresh.py\nline 10\n");
    let replace = |tree: &Tree| {
        fs::rename(tree.root(), world.path("old")).expect("it can be moved");
        fs::rename(new.root(), tree.root()).expect("it can be moved");
    };
    watched.step("the root replaced", replace, &["fresh.py: line 10"]);
    watched.step("and written to", write("fresh.py", "11"), &["fresh.py: line 11"]);
    fs::write(world.path("old/B.py"), "line 12\n").expect("it is there");
    watched.step("a write to the old root", |_| {}, &["fresh.py: line 11"]);
}

/// Links are not followed: neither their targets nor changes of these are part of the tree. A write through a link is a
/// write to the file.
#[cfg(unix)]
#[test]
fn symbolic_links() {
    use std::os::unix::fs::symlink;
    let world = World::new();
    let tree = world.tree("//- /real/a.py\nline 1\n");
    let outside = Tree::unversioned(&world.path("outside"), "//- /o.py\nline 2\n");
    let mut watched = Watched::new(&world, &tree);
    let link = |tree: &Tree| {
        symlink(tree.at("real/a.py"), tree.at("link.py")).expect("a link");
        symlink(tree.at("real"), tree.at("folder")).expect("a link");
        symlink(outside.root(), tree.at("away")).expect("a link");
    };
    watched.step("links to a file, a folder and the outside", link, &["real/a.py: line 1"]);
    watched.step("a write through a link", write("link.py", "3"), &["real/a.py: line 3"]);
    watched.step("a write through a linked folder", write("folder/a.py", "4"), &["real/a.py: line 4"]);
    let retarget = |tree: &Tree| {
        tree.remove("away");
        symlink(tree.at("real"), tree.at("away")).expect("a link");
    };
    watched.step("a link that leads elsewhere now", retarget, &["real/a.py: line 4"]);
    let replace = |tree: &Tree| {
        fs::rename(tree.at("real"), outside.at("real")).expect("it can be moved");
        symlink(outside.at("real"), tree.at("real")).expect("a link");
    };
    watched.step("a folder replaced by a link to it", replace, &[]);
    let real = |tree: &Tree| {
        tree.remove("real");
        fs::rename(outside.at("real"), tree.at("real")).expect("it can be moved");
    };
    watched.step("and put back", real, &["real/a.py: line 4"]);
    watched.step("and written to", write("real/a.py", "5"), &["real/a.py: line 5"]);
}

/// A write through another name causes no event for the name in the tree.
#[cfg(unix)]
#[test]
fn hard_links() {
    let world = World::new();
    let tree =
        world.tree("//- /.gitignore\nignored/\n//- /a.py\nline 1\n//- /d/keep.py\n\n//- /ignored/i.txt\n\n");
    let outside = Tree::unversioned(&world.path("outside"), "//- /o.py\nline 2\n");
    let mut watched = Watched::new(&world, &tree);
    watched.step("nothing", |_| {}, &["a.py: line 1"]);
    let link = |tree: &Tree| fs::hard_link(tree.at("a.py"), tree.at("d/b.py")).expect("a link");
    watched.step("a second name", link, &["a.py: line 1", "d/b.py: line 1"]);
    watched.step("a write to the one", write("a.py", "3"), &["a.py: line 3", "d/b.py: line 3"]);
    watched.step("a write to the other", write("d/b.py", "4"), &["a.py: line 4", "d/b.py: line 4"]);
    let link = |tree: &Tree| {
        tree.remove("d/b.py");
        fs::hard_link(tree.at("a.py"), tree.at("ignored/a.py")).expect("a link");
        // The daemon should look at the file while it has two names.
        older_by_touch(&tree.at("a.py"));
    };
    watched.step("a name that is ignored", link, &["a.py: line 4"]);
    watched.step("a write to that", write("ignored/a.py", "5"), &["a.py: line 5"]);
    let link = |tree: &Tree| fs::hard_link(outside.at("o.py"), tree.at("o.py")).expect("a link");
    watched.step("a file from outside", link, &["a.py: line 5", "o.py: line 2"]);
    for i in 0..20 {
        outside.write("o.py", format!("line outside {i}\n"));
        assert_eq!(watched.lines(), ["a.py: line 5".to_owned(), format!("o.py: line outside {i}")]);
    }
    outside.write("o.py", "def from_outside():\n    pass\n");
    assert_eq!(watched.defined("from_outside"), ["py:o.py#from_outside"]);
    watched.is_live();
}

fn older_by_touch(path: &Path) {
    let file = File::options().write(true).open(path).expect("it is there");
    file.set_modified(SystemTime::now() - Duration::from_secs(3_600)).expect("its time can be set");
}

#[test]
fn rules_that_change() {
    let world = World::new();
    let tree = world.tree("//- /a.py\nline 1\n//- /gen/b.py\nline 2\n//- /gen/sub/c.py\nline 3\n");
    let mut watched = Watched::new(&world, &tree);
    let all = ["a.py: line 1", "gen/b.py: line 2", "gen/sub/c.py: line 3"];
    watched.step("nothing", |_| {}, &all);
    for file in [".gitignore", ".ignore", ".hobignore", ".git/info/exclude"] {
        watched.step(file, |tree| tree.write(file, "gen/\n"), &all[..1]);
        watched.step("a write to what is ignored", write("gen/b.py", "0"), &all[..1]);
        tree.write("gen/b.py", "line 2\n");
        watched.step("another rule", |tree| tree.write(file, "sub/\n"), &all[..2]);
        watched.step("none", |tree| tree.remove(file), &all);
    }
    watched.step(
        "a rule that is moved in",
        |tree| {
            tree.write("other", "*.py\n");
            tree.rename("other", "gen/.gitignore");
        },
        &all[..1],
    );
    watched.step("and away", |tree| tree.rename("gen/.gitignore", "other"), &all);
}

#[test]
fn sizes_that_change() {
    let world = World::new();
    let tree = world.tree("//- /a.py\nline 1\n");
    let mut watched = Watched::new(&world, &tree);
    let defines = |tree: &Tree| tree.write("big.py", "def big(): pass\nline 2\n");
    watched.step("small", defines, &["a.py: line 1", "big.py: line 2"]);
    assert_eq!(watched.defined("big"), ["py:big.py#big"]);
    let grow =
        |tree: &Tree| tree.write("big.py", "def big(): pass\nline 2\n".to_owned() + &"#\n".repeat(600_000));
    watched.step("over the limit of parsing", grow, &["a.py: line 1", "big.py: line 2"]);
    assert_eq!(watched.defined("big"), Vec::<String>::new(), "it is not parsed");
    // A hole takes no space on disk.
    let huge = |tree: &Tree| {
        let file = File::options().write(true).open(tree.at("big.py")).expect("it is there");
        file.set_len(300 << 20).expect("it can grow");
    };
    watched.step("over the limit of reading", huge, &["a.py: line 1"]);
    let noted = |watched: &mut Watched<'_>| watched.status()["notes"].to_string();
    assert!(noted(&mut watched).contains("big.py"), "{}", noted(&mut watched));
    watched.step("small again", defines, &["a.py: line 1", "big.py: line 2"]);
    assert_eq!(watched.defined("big"), ["py:big.py#big"]);
    assert!(!noted(&mut watched).contains("big.py"), "{}", noted(&mut watched));
}

#[test]
fn what_git_does() {
    let world = World::new();
    let tree = Tree::unversioned(
        &world.path("ws"),
        "//- /a.py\nline 1\n//- /swap/f.py\nline 2\n//- /gone.py\nline 3\n",
    );
    let git = |line: &str| git(&world, tree.root(), line);
    git("init -q -b main");
    git("add .");
    git("commit -q -m one");
    git("checkout -q -b other");
    tree.write("a.py", "line 1 of other\n");
    fs::remove_dir_all(tree.at("swap")).expect("it can be removed");
    tree.write("swap", "line 4\n");
    tree.remove("gone.py");
    tree.write("new/n.py", "line 5\n");
    git("add -A");
    git("commit -q -m two");
    let main = ["a.py: line 1", "gone.py: line 3", "swap/f.py: line 2"];
    let other = ["a.py: line 1 of other", "new/n.py: line 5", "swap: line 4"];
    let mut watched = Watched::new(&world, &tree);
    let mut step =
        |what: &str, expected: &[&str]| watched.step(what, |_| what.split("; ").for_each(git), expected);
    step("status", &other);
    for _ in 0..3 {
        step("checkout -q main", &main);
        step("checkout -q other", &other);
    }
    tree.write("a.py", "line mine\n");
    tree.write("untracked.py", "line untracked\n");
    step("stash -q -u", &other);
    step("checkout -q main; checkout -q -b third", &main);
    step(
        "stash -q; checkout -q other; stash pop -q",
        &["a.py: line mine", "new/n.py: line 5", "swap: line 4", "untracked.py: line untracked"],
    );
    step("clean -q -f -d", &["a.py: line mine", "new/n.py: line 5", "swap: line 4"]);
    step("reset -q --hard", &other);
    step("reset -q --hard main", &main);
    step("reset -q --hard ORIG_HEAD", &other);
    step("checkout -q third", &main);
    tree.write("third.py", "line 6\n");
    step(
        "add -A; commit -q -m three",
        &["a.py: line 1", "gone.py: line 3", "swap/f.py: line 2", "third.py: line 6"],
    );
    step(
        "rebase -q other",
        &["a.py: line 1 of other", "new/n.py: line 5", "swap: line 4", "third.py: line 6"],
    );
    step("sparse-checkout set --no-cone /new/ /a.py", &["a.py: line 1 of other", "new/n.py: line 5"]);
    step(
        "sparse-checkout disable",
        &["a.py: line 1 of other", "new/n.py: line 5", "swap: line 4", "third.py: line 6"],
    );
    step(
        "mv new moved",
        &["a.py: line 1 of other", "moved/n.py: line 5", "swap: line 4", "third.py: line 6"],
    );
    // Far more events than the system's queue holds do not make answers wrong.
    step("reset -q --hard; checkout -q main", &main);
    watched.is_live();
}

/// While the daemon is stopped, more events happen than the system's queue holds.
#[cfg(target_os = "linux")]
#[test]
fn an_overflow_of_the_queue_costs_no_truth() {
    use rustix::process::{Pid, Signal, kill_process};
    let held = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap_or_default();
    let held: usize = held.trim().parse().unwrap_or(16_384);
    let world = World::new();
    let tree = world
        .tree("//- /a.py\nline 1\n//- /d/b.py\nline 2\n//- /busy/x.txt\nnothing\n//- /busy/y.txt\nnothing\n");
    let mut watched = Watched::new(&world, &tree);
    watched.step("nothing", |_| {}, &["a.py: line 1", "d/b.py: line 2"]);
    let daemon = world.daemon_pid().and_then(|pid| Pid::from_raw(pid.cast_signed())).expect("a daemon runs");
    let storm = |tree: &Tree| {
        kill_process(daemon, Signal::STOP).expect("it is ours");
        // The two files take turns, because an event that equals the one before it is dropped.
        let open = |path| File::options().append(true).open(tree.at(path)).expect("it is there");
        let mut busy = [open("busy/x.txt"), open("busy/y.txt")];
        for i in 0..held + 2_000 {
            busy[i % 2].write_all(b"n").expect("it is open");
        }
        // These changes have no event any more.
        tree.remove("a.py");
        tree.write("d/b.py", "line 3\n");
        tree.write("new/deep/c.py", "line 4\n");
        kill_process(daemon, Signal::CONT).expect("it is ours");
    };
    watched.step("a flood", storm, &["d/b.py: line 3", "new/deep/c.py: line 4"]);
    if !world.log().contains("overflow") {
        // If the machine is slow to stop the daemon, the daemon empties the queue.
        return eprintln!("not tested: the queue did not overflow");
    }
    watched.step(
        "a write in a folder of the flood",
        write("new/deep/c.py", "5"),
        &["d/b.py: line 3", "new/deep/c.py: line 5"],
    );
    watched.is_live();
}

#[cfg(target_os = "linux")]
#[test]
fn without_room_for_watches_it_says_so_and_recovers_by_itself() {
    limited("watches", 20);
}

#[cfg(target_os = "linux")]
#[test]
fn without_a_watcher_it_says_so_and_recovers_by_itself() {
    limited("instances", 0);
}

/// A shell in a separate user namespace, whose limits can be lowered for one daemon only.
#[cfg(target_os = "linux")]
struct Namespace {
    shell: std::process::Child,
    input: Option<std::process::ChildStdin>,
    said: std::io::Lines<std::io::BufReader<std::process::ChildStdout>>,
}

#[cfg(target_os = "linux")]
impl Namespace {
    /// Starts a shell, or returns `None` if the system allows no namespace or no change of its limits.
    fn new(world: &World) -> Option<Self> {
        use std::io::BufRead as _;
        let mut unshare = Command::new("unshare");
        world.clean(&mut unshare);
        unshare.args(["-U", "-r", "sh"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut shell = unshare.spawn().ok()?;
        let said = std::io::BufReader::new(shell.stdout.take().expect("it is piped")).lines();
        let input = shell.stdin.take();
        let mut namespace = Self { shell, input, said };
        namespace.run("test -w /proc/sys/user/max_inotify_watches").then_some(namespace)
    }

    /// Runs a command and returns true if it succeeded.
    fn run(&mut self, command: &str) -> bool {
        let line = format!("if {command} >/dev/null; then echo yes; else echo no; fi\n");
        let sent = self.input.as_mut().is_some_and(|input| input.write_all(line.as_bytes()).is_ok());
        sent && self.said.next().is_some_and(|said| said.is_ok_and(|said| said == "yes"))
    }

    fn limit(&mut self, kind: &str, count: u32) {
        // In a subshell, because otherwise the redirection of `run` would not be the last one.
        let set = format!("sh -c 'echo {count} > /proc/sys/user/max_inotify_{kind}'");
        assert!(self.run(&set), "the limit of {kind} can be set to {count}");
    }
}

#[cfg(target_os = "linux")]
impl Drop for Namespace {
    fn drop(&mut self) {
        // A shell ends when its input is closed.
        self.input = None;
        let _ = self.shell.wait();
    }
}

#[cfg(target_os = "linux")]
#[track_caller]
fn limited(kind: &str, few: u32) {
    let world = World::new();
    let tree = world.tree("//- /a.py\nline 1\n");
    (0..30).for_each(|i| tree.write(&format!("d{i}/e/f.txt"), "nothing\n"));
    let Some(mut namespace) = Namespace::new(&world) else {
        // A scripted backend runs out of watches on every system.
        return eprintln!("no user namespace to be had: limits of the system are not tested here");
    };
    namespace.limit(kind, few);
    let hob = world.command("hob").get_program().to_string_lossy().into_owned();
    let index = format!("'{hob}' index --root '{}'", tree.root().display());
    assert!(namespace.run(&index), "a daemon starts there\n{}", world.log());
    let mut watched = Watched::new(&world, &tree);
    let degraded = watched.status()["watcher"].clone();
    assert_eq!(degraded["state"], "degraded", "{degraded}");
    assert!(text(&degraded["note"]).contains(&format!("max_user_{kind}")), "{degraded}");
    for i in 0..30 {
        let path = format!("d{i}/e/f.txt");
        tree.write(&path, format!("line {i}\n"));
        assert_eq!(watched.lines(), ["a.py: line 1".to_owned(), format!("{path}: line {i}")]);
        tree.write(&path, "nothing\n");
    }
    let note = watched.status()["watcher"]["note"].clone();
    assert!(text(&note).contains("looks at all files, which took the last one "), "its cost is said: {note}");
    namespace.limit(kind, 10_000);
    // The daemon gets no signal that the limit has changed. The next call tries again.
    watched.step("nothing", |_| {}, &["a.py: line 1"]);
    watched.is_live();
    watched.step(
        "a write where nothing was watched",
        write("d29/e/f.txt", "2"),
        &["a.py: line 1", "d29/e/f.txt: line 2"],
    );
}
