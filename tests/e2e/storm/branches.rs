//! Tests what git does to a tree: thousands of files change, appear, vanish and swap places with folders at once.
//!
//! After git has returned, an answer is right or says that it is not fresh. Known contents are not parsed again. Both
//! branches contain an empty file, because a file is empty for a moment while git writes it.
//!
//! `HOB_STORM_FILES` sets the number of files in which the branches differ; the project promises 5,000. Run it like the
//! storm, with the filter `storm::branches`.

use std::collections::BTreeSet;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use hob_tests::{Answer, Mcp, Rng, Tree, World, knows_what_a_newcomer_knows, run};
use serde_json::{Value, json};

use super::{Client, StopOnDrop, given, says_not_fresh};

/// The number of files in which the branches differ.
const FILES: usize = 600;

/// The number of files that are the same on both branches.
const SAME: usize = 300;

/// The number of clients at the same time.
const CLIENTS: usize = 4;

/// The questions of each client after git has returned.
const QUESTIONS: usize = 12;

/// The commits of the branch that is rebased, and the files in each.
const COMMITS: usize = 30;
const FILES_A_COMMIT: usize = 8;

/// A repository with the branches `b1` and `b2`.
struct Repository<'w> {
    world: &'w World,
    tree: Tree,
    files: usize,
    /// The client that asks first after git has returned. It uses a shim, which outlives its daemon.
    first: Mutex<Client>,
}

/// Returns the path of file `i` on a branch, if it exists there. Most files are on both branches, some on one, and some
/// are a folder on the other.
fn path(branch: usize, i: usize) -> Option<String> {
    let folder = format!("d{}/e{}", i % 37, i % 7);
    match i % 20 {
        12..15 if branch == 2 => None,
        15..18 if branch == 1 => None,
        18 | 19 if (branch + i).is_multiple_of(2) => Some(format!("{folder}/x{i}.py/inner.py")),
        _ => Some(format!("{folder}/x{i}.py")),
    }
}

/// Returns the name that file `i` defines on a branch.
fn name(branch: usize, i: usize) -> String {
    format!("b{branch}f{i:06}")
}

fn text(branch: usize, i: usize) -> String {
    let name = name(branch, i);
    format!(
        "from lib import common\n\n\ndef {name}():\n    return common({i})\n\n\nclass K{i}:\n    def {name}(self):\n        pass\n"
    )
}

impl<'w> Repository<'w> {
    fn new(world: &'w World) -> Self {
        let tree = world.tree("//- /lib.py\ndef common(x):\n    return x\n//- /empty.py\n");
        tree.write("empty.py", "");
        let first = Mutex::new(Client::new(world, &tree, 0));
        let repository = Self { world, tree, files: given("HOB_STORM_FILES", FILES), first };
        repository.git(&["init", "-q", "-b", "b1"]);
        for (key, value) in [("user.name", "x"), ("user.email", "x@localhost"), ("gc.auto", "0")] {
            repository.git(&["config", key, value]);
        }
        for i in 0..SAME {
            repository.tree.write(&format!("same/s{i}.py"), format!("def same_{i}():\n    return {i}\n"));
        }
        repository.write_branch(1);
        repository.commit("one");
        repository.git(&["checkout", "-q", "-b", "b2"]);
        for i in 0..repository.files {
            if let Some(path) = path(1, i) {
                let _ = std::fs::remove_file(repository.tree.at(&path));
                let _ = std::fs::remove_dir(repository.tree.at(&path).parent().expect("it lies in a folder"));
            }
        }
        repository.write_branch(2);
        repository.commit("two");
        repository
    }

    fn write_branch(&self, branch: usize) {
        for i in 0..self.files {
            if let Some(path) = path(branch, i) {
                self.tree.write(&path, text(branch, i));
            }
        }
    }

    #[track_caller]
    fn git(&self, args: &[&str]) {
        let mut git = Command::new("git");
        self.world.clean(&mut git);
        let _ = run(git.args(args).current_dir(self.tree.root()), b"").success();
    }

    fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", message]);
    }

    /// Runs git while clients ask without a pause, and then checks their answers.
    fn while_asked(&self, what: &str, args: &[&str], now: &dyn Now) {
        let stop = AtomicBool::new(false);
        let took = std::thread::scope(|scope| {
            for number in 0..CLIENTS {
                let (stop, this) = (&stop, &self);
                scope.spawn(move || this.ask_on(number, stop));
            }
            let guard = StopOnDrop(&stop);
            let start = Instant::now();
            self.git(args);
            drop(guard);
            start.elapsed()
        });
        self.check(&format!("{what}, which took git {took:.1?}"), now);
    }

    /// Asks until `stop`. While git is at work, any revision of the tree may be answered, but there must be an answer.
    fn ask_on(&self, number: usize, stop: &AtomicBool) {
        let mut client = Client::new(self.world, &self.tree, number);
        let mut rng = Rng::new(number as u64);
        while !stop.load(Ordering::Relaxed) {
            let question = rng.below(self.files);
            let _ = client.call("map_search", json!({"query": name(1, question)})).ok();
            let _ = client.call("regex_search", json!({"pattern": name(2, question)})).ok();
        }
    }

    /// Asks first with one client and then with several. Each answer must be right, or say that it is not fresh.
    fn check(&self, what: &str, now: &dyn Now) {
        let start = Instant::now();
        let mut first = self.first.lock().expect("no check has failed");
        let not_fresh = self.ask_freshly(&mut first, what, 2, self.files / 2, now);
        let took = start.elapsed();
        let more: usize = std::thread::scope(|scope| {
            let clients: Vec<_> =
                (0..CLIENTS).map(|number| scope.spawn(move || self.ask_all(number, what, now))).collect();
            clients.into_iter().map(|client| client.join().expect("a client was content")).sum()
        });
        eprintln!(
            "{what}: a fresh answer {took:.1?} later, {not_fresh} not fresh before, {more} not fresh after"
        );
    }

    fn ask_all(&self, number: usize, what: &str, now: &dyn Now) -> usize {
        let mut client = Client::new(self.world, &self.tree, number);
        let mut rng = Rng::new(number as u64 + 77);
        let questions = (0..QUESTIONS).map(|_| (rng.below(3), rng.below(self.files)));
        questions.map(|(way, i)| self.ask_freshly(&mut client, what, way, i, now)).sum()
    }

    /// Asks about file `i` until the answer is fresh. Returns the number of answers that were not fresh. A fresh one
    /// must be right.
    fn ask_freshly(&self, client: &mut Client, what: &str, way: usize, i: usize, now: &dyn Now) -> usize {
        for not_fresh in 0..60 {
            let (answer, expected, got) = ask(client, way, i, now);
            if !says_not_fresh(&answer) {
                assert_eq!(got, expected, "{what}: file {i}{answer}");
                return not_fresh;
            }
        }
        panic!("{what}: no answer becomes fresh\n{}", self.world.log());
    }
}

/// The present contents of a tree.
trait Now: Sync {
    /// Returns the path of file `i` and the name that it defines.
    fn file(&self, i: usize) -> Option<(String, String)>;
}

/// A branch as it was committed.
impl Now for usize {
    fn file(&self, i: usize) -> Option<(String, String)> {
        Some((path(*self, i)?, name(*self, i)))
    }
}

/// A branch whose first files were changed.
struct Changed {
    branch: usize,
    files: usize,
}

impl Now for Changed {
    fn file(&self, i: usize) -> Option<(String, String)> {
        let (path, name) = self.branch.file(i)?;
        Some((path, if i < self.files { format!("{name}_changed") } else { name }))
    }
}

impl Changed {
    fn write(&self, tree: &Tree) {
        for (path, name) in (0..self.files).filter_map(|i| self.file(i)) {
            tree.write(&path, format!("def {name}():\n    return 0\n"));
        }
    }
}

/// Asks about file `i`. Returns the answer, what it must say and what it says.
fn ask(
    client: &mut Client,
    way: usize,
    i: usize,
    now: &dyn Now,
) -> (Answer, BTreeSet<String>, BTreeSet<String>) {
    let here = now.file(i);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let all = |answer: &Answer, list: &str, field: &str| -> BTreeSet<String> {
        answer.texts(list, field).into_iter().map(str::to_owned).collect()
    };
    let names = [name(1, i), name(2, i)];
    let names = names.iter().flat_map(|name| [name.clone(), format!("{name}_changed")]);
    if way == 0 {
        // Each file defines a function and, unless it was changed, a method with that name.
        let pattern = format!(r"def ({})\(\)", names.collect::<Vec<_>>().join("|"));
        let answer = client.call("regex_search", json!({"pattern": pattern}));
        let lines = answer.list("/matches").iter();
        let got = lines.map(|line| format!("{} {}", text(&line["file"]), text(&line["text"]))).collect();
        let expected = here.map(|(path, name)| format!("{path} def {name}():")).into_iter().collect();
        return (answer, expected, got);
    }
    let id = |(path, name): (String, String)| format!("py:{path}#{name}");
    let expected: BTreeSet<String> = here.map(id).into_iter().collect();
    if way == 1 {
        let ids = [1, 2].map(|branch| Some(id((path(branch, i)?, name(branch, i)))));
        let targets: Vec<String> = ids.into_iter().flatten().chain(expected.iter().cloned()).collect();
        let answer = client.call("read_symbols", json!({"targets": targets}));
        let got = all(&answer, "/symbols", "uid");
        return (answer, expected, got);
    }
    let query =
        expected.first().and_then(|id| id.rsplit('#').next()).map_or_else(|| name(1, i), str::to_owned);
    let answer = client.call("map_search", json!({"query": query, "limit": 20}));
    let functions =
        answer.list("/results").iter().filter(|hit| hit["name"] == query.as_str() && hit["kind"] != "method");
    let got = functions.map(|hit| text(&hit["id"])).collect();
    (answer, expected, got)
}

fn extracted(mcp: &mut Mcp) -> u64 {
    let status = mcp.call("map_status", json!({}));
    status.ok()["memory"]["factsExtracted"].as_u64().expect("it is counted")
}

#[test]
fn git_may_change_thousands_of_files_at_once() {
    let world = World::new();
    let repository = Repository::new(&world);
    let mut mcp = world.mcp(&repository.tree);
    let _ = mcp.call("map_search", json!({"query": "common"})).ok();
    repository.check("as it was found", &2);
    repository.while_asked("the first visit of b1", &["checkout", "-q", "b1"], &1);
    let before = extracted(&mut mcp);
    for _ in 0..2 {
        repository.while_asked("another visit of b2", &["checkout", "-q", "b2"], &2);
        repository.while_asked("another visit of b1", &["checkout", "-q", "b1"], &1);
    }
    assert_eq!(extracted(&mut mcp), before, "what was seen before is not parsed again");
    // Switches to the other branch, and there and back again, while nobody asks.
    repository.git(&["checkout", "-q", "b2"]);
    repository.check("switched quietly", &2);
    repository.git(&["checkout", "-q", "b1"]);
    repository.git(&["checkout", "-q", "b2"]);
    repository.git(&["checkout", "-q", "b1"]);
    repository.check("there and back", &1);
    knows_what_a_newcomer_knows(&world, &repository.tree, "after switching");
    stash(&repository);
    rebase(&repository);
    knows_what_a_newcomer_knows(&world, &repository.tree, "after rebasing");
    drop(mcp);
    world.stop();
    repository.git(&["checkout", "-q", "b2"]);
    let mut mcp = world.mcp(&repository.tree);
    let _ = mcp.call("map_search", json!({"query": "common"})).ok();
    repository.check("switched while nobody looked", &2);
    assert_eq!(extracted(&mut mcp), 0, "what an earlier run has seen is not parsed again");
    drop(mcp);
    world.kill_daemon();
    repository.git(&["checkout", "-q", "b1"]);
    knows_what_a_newcomer_knows(&world, &repository.tree, "after a crash and a switch");
}

fn stash(repository: &Repository<'_>) {
    let changed = Changed { branch: 1, files: repository.files / 3 };
    changed.write(&repository.tree);
    repository.check("a third was changed", &changed);
    repository.while_asked("changes were stashed", &["stash", "-q"], &1);
    repository.while_asked("changes came back", &["stash", "pop", "-q"], &changed);
    repository.git(&["checkout", "-q", "."]);
    repository.check("changes were thrown away", &1);
}

fn rebase(repository: &Repository<'_>) {
    repository.git(&["checkout", "-q", "-b", "topic"]);
    for commit in 0..COMMITS {
        for file in 0..FILES_A_COMMIT {
            let name = format!("topic_{commit}_{file}");
            repository.tree.write(&format!("topic/t{file}/{name}.py"), format!("def {name}():\n    pass\n"));
        }
        // The same file many times.
        repository.tree.write("topic/log.py", format!("def logged_{commit}():\n    pass\n"));
        repository.commit(&format!("step {commit}"));
    }
    repository.check("on a branch of many commits", &1);
    // The topic starts two branches away: all commits of `b2` are placed below it.
    repository.while_asked("rebased onto b2", &["rebase", "-q", "--onto", "b2", "b1", "topic"], &2);
    let mut client = Client::new(repository.world, &repository.tree, 1);
    let last = format!("logged_{}", COMMITS - 1);
    let answer = client.call("regex_search", json!({"pattern": r"\blogged_\d+"}));
    let found: Vec<&str> = answer.texts("/matches", "text");
    assert_eq!(found, [format!("def {last}():")], "{answer}");
    repository.git(&["checkout", "-q", "b1"]);
}
