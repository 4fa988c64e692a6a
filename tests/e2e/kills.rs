//! Tests a daemon that is killed at any moment of its work: this costs time and nothing else, and the next call has the
//! right answer.
//!
//! A project of a thousand files in five languages is changed, asked about, and its daemon killed, many times. The
//! kills are spread over everything that a daemon does: opening its store and snapshot, indexing, merging, saving after
//! a pause, and saving at its end. The moment depends on a seeded generator and on the speed of the machine. After
//! every kill the next call starts another daemon. The test knows the right answers, because it wrote the files.
//!
//! By default there are 40 kills, which suits a slow machine. `HOB_TEST_KILLS=200` makes as many as the project
//! promises to survive, and `HOB_TEST_KILLS_SEED` makes other ones.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use hob_tests::{Answer, FOREVER, Mcp, Rng, Tree, World, is_alive, kill_hard};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

const LANGUAGES: [&str; 5] = ["py", "ts", "c", "go", "rs"];
const FILES: usize = 1_000;

/// The numbers of files that are changed before each kill. Some get contents that are entirely new, so that there is
/// something to store. The others alternate between a few contents, as with branches.
const NEW: usize = 30;
const CYCLED: usize = 100;
const CYCLE: usize = 3;

fn from_env(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// The project, and the present contents of its files.
struct Project {
    tree: Tree,
    rng: Rng,
    versions: Vec<usize>,
    next: usize,
    /// The different contents written so far, and their sizes in bytes.
    written: BTreeMap<(usize, usize), usize>,
}

fn path(file: usize) -> String {
    let language = LANGUAGES[file % LANGUAGES.len()];
    format!("part{}/unit{file}.{language}", file / 50)
}

fn text(file: usize, version: usize) -> String {
    let mut out = String::new();
    if path(file).ends_with("go") {
        out.push_str("package part\n");
    }
    // Some bulk, with different names.
    for i in 0..12 {
        let (own, calls) = (format!("helper_{file}_{i}"), format!("helper_{file}_{}", i + 1));
        function(&mut out, file, &own, &calls);
    }
    function(&mut out, file, &format!("helper_{file}_12"), &format!("steady_{file}"));
    function(&mut out, file, &format!("steady_{file}"), "elsewhere");
    function(&mut out, file, &current(file, version), &format!("steady_{file}"));
    out
}

fn function(out: &mut String, file: usize, own: &str, calls: &str) {
    let written = match LANGUAGES[file % LANGUAGES.len()] {
        "py" => writeln!(out, "def {own}():\n    return {calls}()\n\n"),
        "ts" => writeln!(out, "export function {own}() {{\n  return {calls}();\n}}\n"),
        "c" => writeln!(out, "int {own}(void) {{\n  return {calls}();\n}}\n"),
        "go" => writeln!(out, "func {own}() int {{\n\treturn {calls}()\n}}\n"),
        _ => writeln!(out, "pub fn {own}() {{\n    {calls}();\n}}\n"),
    };
    written.expect("memory takes everything");
}

/// Returns the name that a file defines in only one version.
fn current(file: usize, version: usize) -> String {
    format!("current_{file}_in_{version}_")
}

impl Project {
    fn new(world: &World, seed: u64) -> Self {
        let tree = Tree::new(&world.path("ws"), "//- /README.md\nkilled often\n");
        let mut project = Self {
            tree,
            rng: Rng::new(seed),
            versions: vec![0; FILES],
            next: CYCLE,
            written: BTreeMap::new(),
        };
        (0..FILES).for_each(|file| project.write(file, 0));
        project
    }

    fn write(&mut self, file: usize, version: usize) {
        let text = text(file, version);
        self.written.insert((file, version), text.len());
        self.versions[file] = version;
        self.tree.write(&path(file), text);
    }

    fn change(&mut self) {
        for _ in 0..CYCLED {
            let (file, version) = (self.rng.below(FILES), self.rng.below(CYCLE));
            self.write(file, version);
        }
        for _ in 0..NEW {
            let file = self.rng.below(FILES);
            self.write(file, self.next);
        }
        self.next += 1;
    }

    /// Asks about everything at once, and about a few files in particular.
    #[track_caller]
    fn check(&mut self, mcp: &mut Mcp) {
        let last = self.next - 1;
        let expected = |version| self.versions.iter().filter(|at| **at == version).count();
        for version in [0, 1, 2, last] {
            let pattern = format!(r"\bcurrent_\d+_in_{version}_\b");
            let answer = ask(mcp, "regex_search", json!({"pattern": pattern, "limit": 1}));
            assert_eq!(answer.ok()["total_lines"], expected(version), "files in version {version}{answer}");
        }
        let newest = self.versions.iter().position(|version| *version == last);
        let some = [self.rng.below(FILES), self.rng.below(FILES), newest.unwrap_or(0)];
        some.into_iter().for_each(|file| self.check_file(mcp, file));
    }

    #[track_caller]
    fn check_file(&self, mcp: &mut Mcp, file: usize) {
        let found = ask(mcp, "map_search", json!({"query": format!("current_{file}_in_"), "limit": 50}));
        let own =
            |hit: &&Value| hit["id"].as_str().is_some_and(|id| id.contains(&format!(":{}#", path(file))));
        let name = current(file, self.versions[file]);
        let names: Vec<&str> =
            found.list("/results").iter().filter(own).filter_map(|hit| hit["name"].as_str()).collect();
        let mut currents = names.iter().filter(|name| name.starts_with("current_"));
        assert_eq!((currents.next(), currents.next()), (Some(&name.as_str()), None), "{found}");
        let hits = found.list("/results").iter().filter(own);
        let id = hits
            .filter(|hit| hit["name"] == name.as_str())
            .find_map(|hit| hit["id"].as_str())
            .expect("just seen");
        let around =
            ask(mcp, "map_neighbors", json!({"nodeId": id, "direction": "out", "edgeKinds": ["calls"]}));
        let called = around.texts("/neighbors", "id");
        let (place, name) = (format!(":{}#", path(file)), format!("#steady_{file}"));
        let right = |id: &&str| id.contains(&place) && id.ends_with(&name);
        assert!(called.len() == 1 && called.iter().all(right), "{around}");
    }

    /// Returns the bytes of all contents that there ever were.
    fn bytes_written(&self) -> usize {
        self.written.values().sum()
    }
}

/// Returns an answer that is neither late nor about an unfinished index. That the store or the snapshot was discarded
/// is not accepted as a consequence of a kill.
#[track_caller]
fn ask(mcp: &mut Mcp, tool: &str, args: Value) -> Answer {
    let start = Instant::now();
    loop {
        let answer = mcp.call(tool, args.clone());
        let warnings = answer.warnings();
        for word in ["store", "damaged", "discarded", "could not be saved", "bug"] {
            assert!(!warnings.contains(word), "a kill costs neither store nor snapshot{answer}");
        }
        if warnings.is_empty() || start.elapsed() > FOREVER {
            answer.without_warnings();
            return answer;
        }
        sleep(Duration::from_millis(100));
    }
}

/// Returns the daemon of a world that its lock file names, if the process itself confirms it.
fn daemon(world: &World) -> Option<u32> {
    let text = fs::read_to_string(world.dir().join("run/daemon.lock")).ok()?;
    let pid: u32 = text.split(|c: char| !c.is_ascii_digit()).find(|word| !word.is_empty())?.parse().ok()?;
    let env = fs::read(format!("/proc/{pid}/environ")).ok()?;
    let wanted = format!("HOB_DIR={}", world.dir().display());
    let ours = env.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes());
    (ours && is_alive(pid)).then_some(pid)
}

fn wait_for_daemon(world: &World) -> u32 {
    let start = Instant::now();
    loop {
        match daemon(world) {
            Some(pid) => return pid,
            None => assert!(start.elapsed() < FOREVER, "a call starts a daemon"),
        }
        sleep(Duration::from_millis(1));
    }
}

/// The work that the daemon is doing when it is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Moment {
    /// Opening and restoring its kept data, and finding the changes.
    Starting,
    /// Ingesting changes and merging, or the saving that follows the first index.
    Working,
    /// Saving after a pause.
    Resting,
    /// Saving at its end.
    Ending,
}

/// One world with a daemon that is killed repeatedly.
struct Siege {
    /// Declared before the world, so that it is dropped first and the world can end undisturbed.
    mcp: Mcp,
    world: World,
    project: Project,
    /// The time from a start to a right answer on this machine.
    start: Duration,
    kills: BTreeMap<Moment, usize>,
}

impl Siege {
    fn new(seed: u64) -> Self {
        let world = World::new();
        let project = Project::new(&world, seed);
        let mcp = world.mcp(&project.tree);
        Self { mcp, world, project, start: Duration::from_millis(500), kills: BTreeMap::new() }
    }

    fn random(&mut self, most: Duration) -> Duration {
        Duration::from_micros(self.project.rng.below(most.as_micros() as usize + 1) as u64)
    }

    fn kill(&mut self, pid: u32, moment: Moment) {
        kill_hard(pid);
        *self.kills.entry(moment).or_default() += 1;
    }

    /// Changes files, asks, and kills the daemon at the given moment.
    fn strike(&mut self, moment: Moment) {
        let pid = wait_for_daemon(&self.world);
        match moment {
            Moment::Starting => {
                self.project.change();
                kill_hard(pid);
                self.kill_while_asking(moment, self.start * 3 / 2);
            }
            Moment::Working => {
                self.project.change();
                self.kill_while_asking(moment, self.start);
            }
            Moment::Resting => {
                self.project.change();
                let _ = ask(&mut self.mcp, "regex_search", json!({"pattern": "steady", "limit": 1}));
                // A daemon saves two seconds after a change, or later if deriving takes long.
                let more = self.random(Duration::from_millis(500));
                sleep(Duration::from_millis(1_950) + more);
                self.kill(pid, moment);
            }
            Moment::Ending => {
                self.project.change();
                let _ = ask(&mut self.mcp, "regex_search", json!({"pattern": "steady", "limit": 1}));
                let target = i32::try_from(pid).ok().and_then(Pid::from_raw).expect("a process number");
                kill_process(target, Signal::TERM).expect("it runs");
                let wait = self.random(Duration::from_millis(150));
                sleep(wait);
                self.kill(pid, moment);
            }
        }
    }

    /// Kills the daemon during a call. The call is answered by the next daemon, or by the killed one if it was quick.
    fn kill_while_asking(&mut self, moment: Moment, most: Duration) {
        let args = json!({"query": "steady_7"});
        let id = self.mcp.send_call("map_search", &args);
        let pid = wait_for_daemon(&self.world);
        let wait = self.random(most);
        sleep(wait);
        self.kill(pid, moment);
        let _ = self.mcp.wait_call(id, "map_search", args);
    }

    fn check(&mut self) {
        let start = Instant::now();
        self.project.check(&mut self.mcp);
        self.start = (self.start * 3 + start.elapsed()) / 4;
    }
}

fn files_below(folder: &Path, found: &mut Vec<(PathBuf, u64)>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.metadata() {
            Ok(meta) if meta.is_dir() => files_below(&entry.path(), found),
            Ok(meta) => found.push((entry.path(), meta.len())),
            Err(_) => {}
        }
    }
}

/// Returns the files in a part of the world's folder, each with its size.
fn kept(world: &World, part: &str) -> Vec<(PathBuf, u64)> {
    let mut found = Vec::new();
    files_below(&world.dir().join(part), &mut found);
    found
}

fn bytes(files: &[(PathBuf, u64)]) -> usize {
    files.iter().map(|(_, len)| *len as usize).sum()
}

#[test]
fn a_kill_at_any_moment_costs_nothing_but_time() {
    let kills = from_env("HOB_TEST_KILLS", 40);
    let mut siege = Siege::new(from_env("HOB_TEST_KILLS_SEED", 3) as u64);
    siege.check();
    for round in 0..kills {
        let moment = match round % 10 {
            0 | 3 | 5 | 8 => Moment::Starting,
            1 | 4 | 6 => Moment::Working,
            2 | 7 => Moment::Ending,
            _ => Moment::Resting,
        };
        siege.strike(moment);
        siege.check();
        if (round + 1) % 20 == 0 {
            println!("{} kills: {}", round + 1, figures(&siege));
        }
    }
    println!("{:?}, a start takes {:?}", siege.kills, siege.start);
    check_leftovers(&siege);
    // One daemon that ends in order, and one that restores what the other saved.
    siege.world.stop();
    siege.check();
    check_leftovers(&siege);
}

/// Kills alone store nothing: known facts stay known, and unfinished files are removed.
#[test]
fn kills_without_changes_make_nothing_grow() {
    let mut siege = Siege::new(5);
    siege.check();
    siege.world.stop();
    siege.check();
    siege.world.stop();
    let before = kept(&siege.world, "cache");
    for _ in 0..from_env("HOB_TEST_KILLS", 40) / 4 {
        siege.kill_while_asking(Moment::Starting, siege.start * 3 / 2);
        siege.check();
        kill_hard(wait_for_daemon(&siege.world));
    }
    siege.check();
    siege.world.stop();
    let after = kept(&siege.world, "cache");
    println!(
        "{} bytes in {} files became {} in {}",
        bytes(&before),
        before.len(),
        bytes(&after),
        after.len()
    );
    assert_eq!(after.len(), before.len(), "{before:#?} became {after:#?}");
    // sled's log grows in steps of half a MiB.
    assert!(bytes(&after) <= bytes(&before) + (512 << 10), "{before:#?} became {after:#?}");
}

fn figures(siege: &Siege) -> String {
    let (store, rest) = (kept(&siege.world, "cache/store"), kept(&siege.world, "cache/workspaces"));
    format!(
        "store {} KiB in {} files, snapshot {} KiB in {} files, {} KiB of sources in {} contents",
        bytes(&store) / 1024,
        store.len(),
        bytes(&rest) / 1024,
        rest.len(),
        siege.project.bytes_written() / 1024,
        siege.project.written.len()
    )
}

/// Checks that nothing remains that would grow with every kill.
#[track_caller]
fn check_leftovers(siege: &Siege) {
    let told = figures(siege);
    let all = kept(&siege.world, "");
    let outside_log = all.iter().filter(|(path, _)| !path.starts_with(siege.world.dir().join("state/log")));
    let names: Vec<&Path> = outside_log.map(|(path, _)| path.as_path()).collect();
    assert!(names.len() < 60, "{told}: {names:#?}");
    let store = bytes(&kept(&siege.world, "cache/store"));
    // The facts of these sources take less space than the sources do; sled takes a few times that.
    let most = siege.project.bytes_written() * 3 + (16 << 20);
    assert!(store < most, "{told}");
    let snapshot = bytes(&kept(&siege.world, "cache/workspaces"));
    assert!(snapshot < (16 << 20), "{told}");
}
