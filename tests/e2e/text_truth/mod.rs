//! Text search answers what ripgrep answers: hundreds of patterns on three trees, and again after a thousand edits that are followed
//! without reading everything again, and after a restart.
//!
//! Every pattern is asked of both and compared as a whole: totals, all lines with their texts, counts per file; some of them also
//! narrowed to a folder or by a glob, with context, or as a list of files. `HOB_TRUTH_PATTERNS` asks more of each tree than its
//! share here and reads more parts of long answers, `HOB_TRUTH_SEED` asks other patterns:
//!
//! ```text
//! HOB_TRUTH_PATTERNS=2000 HOB_TRUTH_SEED=7 HOB_TEST_PROGRAMS=$PWD/target/release cargo test -p hob-tests text_truth
//! ```

mod compare;
mod edits;
mod nasty;
mod pathological;
mod patterns;

use compare::Comparison;
use hob_tests::{Rng, World, copy_folder, outside, repository};
use patterns::{BY_HAND, Patterns};

/// Patterns of each tree: a part of Django, the awkward one, a part of this repository's sources.
const SHARES: [usize; 3] = [120, 250, 140];
/// A part that has all languages, and that ripgrep reads in little time: most of Django's text is the same texts in a hundred
/// languages, of which four alphabets are here.
const OF_DJANGO: &[&str] = &[
    "django/contrib/admin/locale/ar",
    "django/contrib/admin/locale/de",
    "django/contrib/admin/locale/ja",
    "django/contrib/admin/locale/ru",
    "django/contrib/admin/static/admin/js",
    "django/contrib/admin/templates",
    "django/contrib/admin/views",
    "django/contrib/auth/management",
    "django/db/models",
    "docs/ref/models",
    "tests/queries",
];
/// Folders of this repository: each tree is read once for each pattern by ripgrep, and several times by hob.
const OF_REPOSITORY: &[&str] = &["daemon/text", "docs", "proto", "shims", "tests/harness"];

#[test]
fn there_are_at_least_500_patterns() {
    assert!(SHARES.iter().sum::<usize>() >= 500 && BY_HAND.len() >= 100);
}

fn given(name: &str) -> Option<usize> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is a number, not {text}")))
}

fn seed() -> u64 {
    given("HOB_TRUTH_SEED").unwrap_or(1) as u64
}

/// Parts of a long answer that are asked for one by one: most of the time of these tests, so more of them only on demand.
fn pages() -> usize {
    given("HOB_TRUTH_PATTERNS").map_or(1, |_| 3)
}

fn number(share: usize) -> usize {
    given("HOB_TRUTH_PATTERNS").unwrap_or(share)
}

/// Asks `number` patterns of a tree. Which of those by hand come first differs from tree to tree.
fn ask(comparison: &mut Comparison<'_>, number: usize, salt: usize) {
    let mut rng = Rng::new(seed().wrapping_mul(1_000).wrapping_add(salt as u64));
    let words = patterns::words(comparison.root(), &comparison.files(), &mut rng);
    let by_hand = BY_HAND.iter().cycle().skip(salt * 37).take(BY_HAND.len()).copied();
    let patterns = Patterns { rng: rng.clone(), words: &words }.some(by_hand, number);
    comparison.all(&patterns, &mut rng);
}

#[test]
fn on_django() {
    let world = World::new();
    let tree = world.tree("");
    OF_DJANGO.iter().for_each(|folder| copy_folder(&outside::django().join(folder), &tree.at(folder)));
    let mut comparison = Comparison::new(&world, &tree, pages());
    ask(&mut comparison, number(SHARES[0]), 0);
    comparison.finish();
}

#[test]
fn on_an_awkward_tree() {
    let world = World::new();
    let tree = world.tree("");
    nasty::fill(&tree, &mut Rng::new(seed()));
    let mut comparison = Comparison::new(&world, &tree, pages());
    ask(&mut comparison, 2 * number(SHARES[1]) / 5, 1);
    comparison.finish();
}

#[test]
fn on_an_awkward_tree_after_edits_and_a_restart() {
    let world = World::new().env("HOB_LOG", "debug");
    let tree = world.tree("");
    let mut rng = Rng::new(seed());
    nasty::fill(&tree, &mut rng);
    let mut comparison = Comparison::new(&world, &tree, pages());
    // The first question waits for the first index.
    ask(&mut comparison, 1, 1);
    // Two fifths between the edits, and a fifth after the restart.
    let part = number(SHARES[1]) / 5;
    let mut edits = edits::Edits::new(&tree, rng);
    for round in 0..10 {
        edits.some(100);
        ask(&mut comparison, part / 5, 2 + round);
    }
    world.stop();
    let looked_at = looked_at(&world);
    let (first, later) = looked_at.split_first().expect("there was a first index");
    let later: usize = later.iter().sum();
    println!("{first} files looked at first, {later} later, {} edits and files moved", edits.touched());
    assert!(*first > 200 && later <= edits.touched(), "{first}, then {later} of {}", edits.touched());
    comparison.connect_again();
    ask(&mut comparison, part, 20);
    comparison.finish();
}

/// Returns the numbers of files that the daemon examined, each time that it took in changes; its log says that.
fn looked_at(world: &World) -> Vec<usize> {
    let folder = std::fs::read_dir(world.dir().join("state/log")).expect("there is a log");
    let texts = folder.flatten().map(|file| std::fs::read(file.path()).expect("a log can be read"));
    let text: String = texts.map(|text| String::from_utf8_lossy(&text).into_owned()).collect();
    let reports = text.lines().filter(|line| line.contains("took changes in"));
    let number = |line: &str| {
        let digits = line.split_once("scanned: ")?.1;
        digits.split(',').next()?.parse().ok()
    };
    reports.map(|line| number(line).expect("a report says how many were looked at")).collect()
}

#[test]
fn on_this_repositorys_sources() {
    let world = World::new();
    let tree = world.tree("");
    // A copy: what is compared must not change meanwhile.
    OF_REPOSITORY.iter().for_each(|folder| copy_folder(&repository().join(folder), &tree.at(folder)));
    let mut comparison = Comparison::new(&world, &tree, pages());
    ask(&mut comparison, number(SHARES[2]), 40);
    comparison.finish();
}
