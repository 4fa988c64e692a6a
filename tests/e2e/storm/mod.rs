//! Tests that clients read their own writes in a storm: several clients write and ask at the same time in one tree
//! while another program writes all over it, and no answer may be stale without saying so. Afterwards the daemon knows
//! the same as one that starts from nothing.
//!
//! `HOB_STORM_ROUNDS` and `HOB_STORM_SEED` set its length and its seed, and `HOB_TEST_PROGRAMS` makes it test other
//! programs. Figures are printed (`--nocapture`). The default takes seconds; the project promises ten thousand rounds:
//!
//! ```text
//! HOB_STORM_ROUNDS=10000 HOB_TEST_PROGRAMS=$PWD/target/release cargo test -p hob-tests storm -- --nocapture
//! ```

mod branches;
mod churn;
mod writer;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use hob_tests::{Answer, Direct, Mcp, Tree, World, known, knows_what_a_newcomer_knows};
use serde_json::{Value, json};
use writer::{Question, Writer, Written};

/// The clients at the same time. Half of them are shims.
const CLIENTS: usize = 8;

/// The rounds of all clients together.
const ROUNDS: usize = 3_000;

/// The writes per second of the other program.
const CHURN: u32 = 200;

/// The least number of answers for each one that may say that it is not fresh. On a loaded machine this may take
/// seconds, so it is not a measurement. It only ensures that a daemon does not always say so.
const RARELY: usize = 10;

/// Returns a number from the environment.
fn given(name: &str, otherwise: usize) -> usize {
    let text = std::env::var(name).ok();
    text.map_or(otherwise, |text| text.parse().unwrap_or_else(|_| panic!("{name} is a number, not {text}")))
}

/// One of the two ways to ask.
enum Client {
    Shim(Box<Mcp>),
    Direct(Direct),
}

impl Client {
    fn new(world: &World, tree: &Tree, number: usize) -> Self {
        match number % 2 {
            0 => Self::Shim(Box::new(world.mcp(tree))),
            _ => Self::Direct(Direct::connect(world, tree)),
        }
    }

    #[track_caller]
    fn call(&mut self, tool: &str, args: Value) -> Answer {
        match self {
            Self::Shim(mcp) => mcp.call(tool, args),
            Self::Direct(direct) => direct.call(tool, args),
        }
    }
}

/// Returns true if an answer says that it may lack something.
fn says_not_fresh(answer: &Answer) -> bool {
    answer.warnings().contains("Not fresh after")
}

/// Stops the other clients if one panics, or when all is done.
struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The data that all clients of a storm share.
struct Storm<'a> {
    world: &'a World,
    tree: &'a Tree,
    seed: u64,
    rounds: usize,
    stop: &'a AtomicBool,
    not_fresh: &'a AtomicUsize,
}

impl Storm<'_> {
    /// Runs one client. Returns the times of its calls, sorted.
    fn client(&self, number: usize) -> Vec<Duration> {
        let mut writer = Writer::new(self.tree, number, self.seed);
        let mut client = Client::new(self.world, self.tree, number);
        let mut times = Vec::with_capacity(self.rounds);
        for round in 0..self.rounds {
            if self.stop.load(Ordering::Relaxed) {
                break;
            }
            let written = writer.step();
            let question = writer.question(&written);
            let start = Instant::now();
            let answer = client.call(question.tool, question.args.clone());
            times.push(start.elapsed());
            if says_not_fresh(&answer) {
                self.not_fresh.fetch_add(1, Ordering::Relaxed);
            } else if question.read(&answer) != question.expected {
                self.stale(number, round, &written, &question, &answer, &mut client);
            }
        }
        times.sort_unstable();
        times
    }

    /// Reports everything about a wrong answer, including if it was only late or stays wrong.
    #[track_caller]
    fn stale(
        &self,
        number: usize,
        round: usize,
        written: &Written,
        question: &Question,
        answer: &Answer,
        client: &mut Client,
    ) -> ! {
        let again = question.read(&client.call(question.tool, question.args.clone())) == question.expected;
        std::thread::sleep(Duration::from_secs(2));
        let later = question.read(&client.call(question.tool, question.args.clone())) == question.expected;
        panic!(
            "seed {}, client {number}, round {round}: {}\nexpected {:#?}\ngot {:#?}\nright when asked again: {again}, \
             after two seconds: {later}{answer}",
            self.seed,
            written.what,
            question.expected,
            question.read(answer),
        );
    }
}

#[test]
fn no_answer_is_stale_in_a_storm() {
    let (rounds, seed) = (given("HOB_STORM_ROUNDS", ROUNDS), given("HOB_STORM_SEED", 1) as u64);
    let world = World::new();
    let tree = world.tree("//- /pyproject.toml\n[project]\nname = \"x\"\n//- /lib/__init__.py\n");
    // The daemon must run before the clients that do not start it.
    let _ = world.mcp(&tree).call("map_search", json!({"query": "anything"})).ok();
    let (stop, not_fresh) = (AtomicBool::new(false), AtomicUsize::new(0));
    let storm = Storm {
        world: &world,
        tree: &tree,
        seed,
        rounds: rounds / CLIENTS,
        stop: &stop,
        not_fresh: &not_fresh,
    };
    let start = Instant::now();
    let (mut times, writes) = std::thread::scope(|scope| {
        let churn = scope.spawn(|| churn::churn(&tree, seed, CHURN, &stop));
        let clients: Vec<_> = (0..CLIENTS)
            .map(|number| {
                let storm = &storm;
                scope.spawn(move || {
                    let guard = StopOnDrop(storm.stop);
                    let times = storm.client(number);
                    // Only a panic stops the other clients.
                    std::mem::forget(guard);
                    times
                })
            })
            .collect();
        let times: Vec<Vec<Duration>> =
            clients.into_iter().map(|client| client.join().expect("a client was content")).collect();
        stop.store(true, Ordering::Relaxed);
        (times.concat(), churn.join().expect("writing goes on"))
    });
    let (took, late) = (start.elapsed(), not_fresh.into_inner());
    times.sort_unstable();
    report(&times, took, writes, late);
    assert!(
        late * RARELY <= times.len(),
        "{late} of {} answers were not fresh\n{}",
        times.len(),
        world.log()
    );
    same_after_everything(&world, &tree);
}

fn report(times: &[Duration], took: Duration, writes: u32, late: usize) {
    let part = |share: usize| times[(times.len() - 1) * share / 100];
    eprintln!(
        "{} rounds in {took:.1?} ({:.0} a second) beside {writes} writes ({:.0} a second): {late} not fresh; calls took \
         {:.1?} at the median, {:.1?} at 99 %, {:.1?} at most",
        times.len(),
        times.len() as f64 / took.as_secs_f64(),
        f64::from(writes) / took.as_secs_f64(),
        part(50),
        part(99),
        part(100),
    );
}

/// Checks the basis of the comparisons: two trees have the same digest only if their files are the same.
#[test]
fn digests_are_the_same_for_the_same_files_alone() {
    const FIXTURE: &str =
        "//- /a.py\nfrom b import f\n\n\ndef g():\n    return f()\n//- /b.py\ndef f(): pass\n//- /c.txt\nc\n";
    let (world, other) = (World::new(), World::new());
    let (tree, twin) = (world.tree(FIXTURE), other.tree(FIXTURE));
    let before = known(&world, &tree);
    assert_eq!(before, known(&other, &twin), "where a tree lies does not matter");
    let changes = |path: &str, text: &str, parts: [bool; 3]| {
        let old = tree.read(path);
        tree.write(path, text);
        let after = known(&world, &tree);
        let changed = ["files", "map", "text"].map(|part| after[part] != before[part]);
        assert_eq!(changed, parts, "{path} became {text}: files, map, text");
        tree.write(path, old);
        assert_eq!(known(&world, &tree), before, "{path} is what it was");
    };
    changes("b.py", "def e(): pass\n", [true, true, true]);
    changes("a.py", "from b import f\n\n\ndef g():\n    return f( )\n", [true, false, true]);
    changes("c.txt", "another\n", [true, false, true]);
}

/// Compares the daemon with a new one: directly, after a stop and after a crash.
fn same_after_everything(world: &World, tree: &Tree) {
    knows_what_a_newcomer_knows(world, tree, "after the storm");
    world.stop();
    knows_what_a_newcomer_knows(world, tree, "after a stop and a new start");
    world.kill_daemon();
    knows_what_a_newcomer_knows(world, tree, "after a crash and a new start");
}
