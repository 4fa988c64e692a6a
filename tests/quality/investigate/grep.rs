//! Computes the cost to an agent that greps the words of a question and reads the files that contain most of them.
//!
//! It greps each word of four or more letters that is not a stop word, ignoring case. There are two ways. Either
//! ripgrep prints the matching lines, and the agent reads first the files with most of the words and, among those, with
//! most lines. Or ripgrep prints only the names of files, which costs less but tells less. The agent knows the right
//! file when it has read it. The cheaper of the two ways counts.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use hob_tests::{Tree, outside, run};

const STOP: &str = "about after again another answer anybody anything are been before being between both cannot does each \
                    every first from have into later must nobody other over same some than that their them then there \
                    these they this those until what when where which while will with without";

/// A file that contains some of the words.
#[derive(Default)]
struct Matched {
    words: BTreeSet<usize>,
    lines: usize,
}

/// The files and characters that ripgrep printed for all words.
#[derive(Default)]
struct Found {
    files: BTreeMap<String, Matched>,
    /// The characters of the printed lines.
    lines: usize,
    /// The characters of the printed names, if only these are asked for.
    names: usize,
}

impl Found {
    fn add(&mut self, word: usize, printed: &str) {
        self.lines += printed.chars().count();
        let mut names = BTreeSet::new();
        for line in printed.lines() {
            let Some((name, _)) = line.split_once(':') else { continue };
            let matched = self.files.entry(name.to_owned()).or_default();
            matched.words.insert(word);
            matched.lines += 1;
            names.insert(name);
        }
        self.names += names.iter().map(|name| name.chars().count() + 1).sum::<usize>();
    }

    /// Returns the names of the files in the order in which they are read.
    fn order(&self, by_lines: bool) -> Vec<&str> {
        let mut files: Vec<(&String, &Matched)> = self.files.iter().collect();
        let lines = |matched: &Matched| if by_lines { matched.lines } else { 0 };
        files.sort_by_key(|(_, matched)| (usize::MAX - matched.words.len(), usize::MAX - lines(matched)));
        files.into_iter().map(|(name, _)| name.as_str()).collect()
    }
}

fn words(question: &str) -> BTreeSet<String> {
    let lower = question.to_lowercase();
    let stop: BTreeSet<&str> = STOP.split_whitespace().collect();
    let words = lower.split(|sign: char| !sign.is_alphanumeric());
    words.filter(|word| word.len() >= 4 && !stop.contains(word)).map(str::to_owned).collect()
}

fn grep(tree: &Tree, word: &str) -> String {
    let mut ripgrep = Command::new(outside::ripgrep());
    ripgrep.args(["--no-config", "--sort", "path", "--ignore-case", "--line-number", "--no-heading"]);
    run(ripgrep.args(["--fixed-strings", "--", word, "."]).current_dir(tree.root()), b"").stdout
}

/// Returns the characters of the files that are read until one of `right` has been read; of all files if none is among
/// them.
fn read(tree: &Tree, order: &[&str], right: &[&str]) -> usize {
    let path = |name: &str| name.trim_start_matches("./").to_owned();
    let last = order.iter().position(|name| right.contains(&path(name).as_str()));
    let read = &order[..last.map_or(order.len(), |last| last + 1)];
    let text = |name: &&str| std::fs::read(tree.at(name)).expect("ripgrep has found it");
    read.iter().map(|name| String::from_utf8_lossy(&text(name)).chars().count()).sum()
}

/// Returns the tokens that are spent until a right file has been read.
pub(super) fn tokens(tree: &Tree, question: &str, right: &[&str]) -> u64 {
    let mut found = Found::default();
    for (at, word) in words(question).iter().enumerate() {
        found.add(at, &grep(tree, word));
    }
    let by_lines = found.lines + read(tree, &found.order(true), right);
    let by_names = found.names + read(tree, &found.order(false), right);
    by_lines.min(by_names) as u64 / 4
}
