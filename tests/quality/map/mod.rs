//! The map's references and definitions against language servers, on real projects.
//!
//! For each row of [`rows`] (a server on a project) definitions are taken by a seeded draw, half of them with names that several
//! definitions share. The server is asked for their references by a client that shares nothing with hob, the map by
//! `map_neighbors`, page by page until there is no more. Both are compared as sets of (file, line). What counts:
//!
//! - Drawn are classes, interfaces, enumerations, functions and methods; not constructors (whoever calls a constructor uses
//!   the type, as the map has it), not what is local to a function, and not tests, which nobody refers to. Declarations of
//!   one name in one place (overloads, accessors, a class and its interface) are one definition.
//! - Lines of import and export statements (and of `__all__`) are left out on both sides: most servers count what an import
//!   binds as a declaration. So is what stands in comments, and so are lines without the definition's own name: under the
//!   name that an import gives it, not every server knows it again.
//! - The declaration itself is no reference.
//! - Declarations of one C function in several files are one definition, which clangd tells.
//! - Lines that the server says are not compiled (another platform's, a feature's that is off) are left out on both sides: it
//!   has nothing to say about them.
//! - A server lists with a member the uses of what it overrides or is overridden by. For each place that it lists it is asked
//!   what is defined there: where that is a kin and not the definition itself, the place is not demanded, and not wrong.
//!
//! - Where the map says something and the server, asked what is defined there, knows nothing (a parameter without a type,
//!   say), there is no judge: such lines are counted as unjudged, and are neither right nor wrong.
//!
//! *Precision* at a level is the share of the judged lines with that confidence which the server lists; *recall* the share of
//! demanded lines that the map has, resolved, and with candidates. Definitions: which of the server's outline the map has, with
//! its name at the same line and column.
//!
//! Answers of servers are kept in `target/test-env`, by project, version and draw. Where there are none, only the first
//! [`QUICK`] definitions are asked about, unless `HOB_MAP_TRUTH_FULL` is set; the golden file has figures for both, and what
//! was asked is compared. `HOB_MAP_TRUTH_SHOW=<folder>` writes every miss and every false edge there. To add a server or a
//! project is to add a row and a test, and to bless its figures.

mod hob;
mod neighbours;
mod places;
mod rows;
mod score;
mod server;

use std::fmt::Write as _;
use std::fs;

use hob_tests::{Rng, Tree, World, copy_folder, repository};

use rows::Row;
use score::Score;
use server::{Symbol, Truth};

/// Set to write what is instead of comparing it.
const BLESS: &str = "HOB_BLESS_MAP";

/// Set to ask the server about the whole draw where its answers are not known yet.
const FULL: &str = "HOB_MAP_TRUTH_FULL";

/// Number of definitions that are drawn.
const DRAWN: usize = 300;

/// Number of the drawn definitions that are asked about where the server's answers are not known.
const QUICK: usize = 40;

/// The seed of the draw.
const SEED: u64 = 6;

/// Returns the definitions to ask about, by their place among all: names that are shared and names that are not by
/// turns.
fn draw(symbols: &[Symbol], most: usize) -> Vec<usize> {
    let eligible = server::eligible(symbols);
    let (shared, unique): (Vec<usize>, Vec<usize>) = eligible.into_iter().partition(|&at| symbols[at].shared);
    let mut rng = Rng::new(SEED);
    let mut halves = [shared, unique].map(|mut half| {
        for at in (1..half.len()).rev() {
            half.swap(at, rng.below(at + 1));
        }
        half.into_iter()
    });
    let mut drawn = Vec::new();
    while drawn.len() < most {
        let before = drawn.len();
        drawn.extend(halves.iter_mut().filter_map(Iterator::next));
        if drawn.len() == before {
            break;
        }
    }
    drawn
}

/// Returns the row's project, copied to where no other repository's rules decide what is seen of it.
fn tree(row: &Row, world: &World) -> Tree {
    let root = world.path("ws");
    copy_folder((row.project)(), &root);
    fs::create_dir_all(root.join(".git")).expect("a folder can be made");
    (row.prepare)(&root);
    Tree::existing(&root)
}

fn holds(row: &Row) {
    let world = World::new().env("PATH", "/nonexistent");
    let tree = tree(row, &world);
    let (truth, whole) = Truth::of(row, &tree);
    let mut asked = hob::Asked::new(world.mcp(&tree));
    let definitions = asked.definitions(&truth.symbols);
    let mut scores = [Score::default(), Score::default()];
    let mut shown = String::new();
    for (count, one) in truth.answers.iter().enumerate() {
        let symbol = &truth.symbols[one.symbol];
        let lines = asked.references(&truth.symbols, one);
        let verdict = score::judge(&tree, row.words, &truth, one, &lines);
        write!(shown, "{verdict}").expect("a string takes it");
        if count < QUICK {
            scores[0].add(symbol, &verdict);
        }
        scores[1].add(symbol, &verdict);
    }
    show(row.name, &format!("{}\n{shown}", definitions.missing()));
    let mut now = format!("# {}\n{}", row.title(), definitions.figures());
    let parts = [("quick", &scores[0]), ("whole", &scores[1])];
    for (name, score) in parts.into_iter().take(if whole { 2 } else { 1 }) {
        now.push_str(&score.figures(name));
    }
    compare(row, &now);
}

/// Writes what a person wants to see who mends the map.
fn show(name: &str, text: &str) {
    if let Some(folder) = std::env::var_os("HOB_MAP_TRUTH_SHOW") {
        let folder = std::path::PathBuf::from(folder);
        fs::create_dir_all(&folder).expect("a folder can be made");
        fs::write(folder.join(format!("{name}.txt")), text).expect("it can be written");
    }
}

/// Compares with the golden file, as far as was asked.
fn compare(row: &Row, now: &str) {
    print!("{now}");
    let golden = repository().join(format!("tests/quality/map/figures/{}.txt", row.name));
    if std::env::var_os(BLESS).is_some() {
        assert!(now.contains("\nwhole"), "only figures of the whole draw are blessed: set {FULL}=1");
        fs::write(&golden, now).expect("the golden file can be written");
    }
    let before = fs::read_to_string(&golden).unwrap_or_default();
    let asked: Vec<&str> = now.lines().collect();
    let known: Vec<&str> = before.lines().take(asked.len()).collect();
    let differ = asked.iter().zip(known.iter().chain(std::iter::repeat(&""))).filter(|(a, b)| a != b);
    let differ: Vec<String> = differ.map(|(now, before)| format!("- {before}\n+ {now}")).collect();
    assert!(
        differ.is_empty(),
        "the map's figures have changed; if that is for the better, set {FULL}=1 {BLESS}=1 and commit {}\n{}",
        golden.display(),
        differ.join("\n")
    );
}

#[test]
fn flask_by_pyright() {
    holds(&rows::FLASK);
}

#[test]
fn click_by_pyright() {
    holds(&rows::CLICK);
}

#[test]
fn rxjs_by_typescript() {
    holds(&rows::RXJS);
}

#[test]
fn zod_by_typescript() {
    holds(&rows::ZOD);
}

#[test]
fn zstd_by_clangd() {
    holds(&rows::ZSTD);
}

#[test]
fn zlib_by_clangd() {
    holds(&rows::ZLIB);
}

#[test]
fn pflag_by_gopls() {
    holds(&rows::PFLAG);
}

#[test]
fn go_cmp_by_gopls() {
    holds(&rows::GO_CMP);
}

#[test]
fn ignore_by_rust_analyzer() {
    holds(&rows::IGNORE);
}

#[test]
fn aho_corasick_by_rust_analyzer() {
    holds(&rows::AHO_CORASICK);
}
