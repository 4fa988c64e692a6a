//! Derives confidences from scores by isotonic regression, pooling adjacent violators (Ayer et al. 1955).
//!
//! A point is the standing of the best candidate, which `daemon/words/src/entity/judge.rs` computes from its score and
//! the second one's, and whether it would have been right to answer with it. For an absent or ambiguous entity it would
//! not have been.

use std::fmt::Write as _;

/// As in the daemon: if the second candidate is this far behind, it does not matter.
const FAR_BEHIND: f64 = 0.12;

/// One question, with the scores of its candidates.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub(super) first: f64,
    pub(super) second: Option<f64>,
    pub(super) is_right: bool,
}

impl Point {
    /// Returns one number for the certainty of the first candidate.
    pub(super) fn standing(&self) -> f64 {
        let ahead = self.second.map_or(FAR_BEHIND, |second| (self.first - second).min(FAR_BEHIND));
        self.first * (0.5 + 0.5 * (ahead / FAR_BEHIND).clamp(0.0, 1.0))
    }
}

/// A range of points with one share of right answers.
struct Block {
    from: f64,
    to: f64,
    right: f64,
    count: f64,
}

impl Block {
    fn new(at: f64, right: f64) -> Self {
        Self { from: at, to: at, right, count: 1.0 }
    }

    fn share(&self) -> f64 {
        self.right / self.count
    }

    fn followed_by(mut self, after: &Self) -> Self {
        self.join(after);
        self
    }

    fn join(&mut self, after: &Self) {
        self.to = after.to;
        self.right += after.right;
        self.count += after.count;
    }
}

/// Combines the points of the same standing, lowest first.
fn levels(points: &[Point]) -> Vec<Block> {
    let right = |point: &Point| f64::from(u8::from(point.is_right));
    let mut ones: Vec<Block> =
        points.iter().map(|point| Block::new(point.standing(), right(point))).collect();
    ones.sort_by(|a, b| a.from.total_cmp(&b.from));
    let mut levels: Vec<Block> = Vec::new();
    for one in ones {
        match levels.last_mut() {
            Some(last) if last.from == one.from => last.join(&one),
            _ => levels.push(one),
        }
    }
    levels
}

/// Combines blocks until their shares rise with the standing, lowest first.
fn pooled(points: &[Point]) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for mut level in levels(points) {
        while let Some(before) = blocks.pop_if(|before| before.share() >= level.share()) {
            level = before.followed_by(&level);
        }
        blocks.push(level);
    }
    blocks
}

/// Returns the steps for `daemon/words/src/entity/calibrate.rs`, after a table with the number of points in each.
///
/// A share is moved towards the middle as if one more right and one more wrong point had been seen (Laplace), so that a
/// few right answers do not count as certainty. This could make a step of few points lower than a step of more points
/// before it; then it is raised.
pub(super) fn steps(points: &[Point]) -> String {
    let (mut text, mut steps) =
        ("# standing from, to, points, right, confidence\n".to_owned(), String::new());
    let mut least: f64 = 0.0;
    for Block { from, to, right, count } in pooled(points) {
        least = least.max((right + 1.0) / (count + 2.0));
        writeln!(text, "{from:.4}\t{to:.4}\t{count}\t{right}\t{least:.3}").expect("a string takes it");
        write!(steps, "({from:.3}, {least:.3}), ({to:.3}, {least:.3}), ").expect("a string takes it");
    }
    format!("{text}const STEPS: &[(f64, f64)] = &[(0.0, 0.0), {steps}(1.0, {least:.3})];\n")
}

#[test]
fn shares_rise_and_violators_are_pooled() {
    let point = |first: f64, is_right| Point { first, second: None, is_right };
    let points = [point(0.2, false), point(0.4, true), point(0.5, false), point(0.5, true), point(0.9, true)];
    let blocks = pooled(&points);
    let shares: Vec<f64> = blocks.iter().map(Block::share).collect();
    assert_eq!(shares, [0.0, 2.0 / 3.0, 1.0]);
    assert_eq!((blocks[1].from, blocks[1].to), (0.4, 0.5));
    let behind = Point { first: 0.8, second: Some(0.8), is_right: true };
    assert_eq!(behind.standing(), 0.4);
}
