//! Compares the map's references and definitions with those of language servers, on real projects.
//!
//! For each row of [`rows`] (a server on a project) a seeded generator draws definitions, half of them with names that
//! several definitions share. A client that has no code in common with hob asks the server for their references. The
//! map is asked by `map_neighbors`, page by page until the end. Both results are compared as sets of (file, line), by
//! these rules:
//!
//! - Classes, interfaces, enumerations, functions and methods are drawn. Constructors are not (in the map, whoever
//!   calls a constructor uses the type), nor local definitions of functions, nor tests, to which nothing refers.
//!   Declarations with one name in one place (overloads, accessors, a class and its interface) are one definition.
//! - Lines of import and export statements (and of `__all__`) are left out on both sides, because most servers count
//!   the name that an import binds as a declaration. Comments are also left out, and so are lines without the
//!   definition's own name: not every server recognises it by the name that an import gives it.
//! - The declaration itself is not a reference.
//! - Declarations of one C function in several files are one definition; clangd tells which.
//! - Lines that the server reports as not compiled (for another platform, or for a feature that is off) are left out on
//!   both sides, because it knows nothing about them.
//! - A server lists for a member the uses of members that it overrides or that override it. For each place that it
//!   lists, the server is asked what is defined there. If that is such a relative and not the definition itself, the
//!   place is neither required nor wrong.
//!
//! - If the map has a use, but the server does not know what is defined there (for example a member of a parameter
//!   without a type), nobody can judge it: such lines are counted as unjudged, and are neither right nor wrong.
//!
//! *Precision* at a level is the share of the judged lines with that confidence which the server lists. *Recall* is the
//! share of required lines that the map has, resolved, and with candidates. Definitions: which of the definitions in
//! the server's outline the map has, with the name at the same line and column.
//!
//! The answers of servers are kept in `target/test-env`, by project, version and draw. If there are none, only the
//! first [`QUICK`] definitions are asked about, unless `HOB_MAP_TRUTH_FULL` is set. The golden file has figures for
//! both cases, and the applicable ones are compared. `HOB_MAP_TRUTH_SHOW=<folder>` writes every miss and every false
//! edge there. To add a server or a project, add a row and a test, and bless its figures.

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

/// The variable that makes the test write the present values instead of comparing them.
const BLESS: &str = "HOB_BLESS_MAP";

/// The variable that makes the test ask the server about the whole draw if its answers are not known yet.
const FULL: &str = "HOB_MAP_TRUTH_FULL";

/// The number of definitions that are drawn.
const DRAWN: usize = 300;

/// The number of drawn definitions that are asked about if the server's answers are not known.
const QUICK: usize = 40;

/// The seed of the draw.
const SEED: u64 = 6;

/// Returns the indexes of the definitions to ask about: alternately those with shared names and those with unique
/// names.
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

/// Copies the row's project to a folder that no other repository's rules apply to.
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

/// Writes a text that helps a person to improve the map.
fn show(name: &str, text: &str) {
    if let Some(folder) = std::env::var_os("HOB_MAP_TRUTH_SHOW") {
        let folder = std::path::PathBuf::from(folder);
        fs::create_dir_all(&folder).expect("a folder can be made");
        fs::write(folder.join(format!("{name}.txt")), text).expect("it can be written");
    }
}

/// Compares the figures with those in the golden file that cover the same questions.
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
