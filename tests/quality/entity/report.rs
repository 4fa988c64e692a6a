//! Sums up the answers to the questions in figures.

use std::fmt::Write as _;

use super::subjects::{CLASSES, Class, Subject};

/// An answer to a subject.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub(super) project: &'static str,
    pub(super) subject: Subject,
    /// One of `resolved`, `ambiguous`, `not_found` and `error`.
    pub(super) status: String,
    /// The ID of the entity that the answer resolved to.
    pub(super) id: Option<String>,
    pub(super) confidence: f64,
    /// The IDs of the candidates, likeliest first.
    pub(super) candidates: Vec<String>,
    /// The mode: `quick`, `ranked` and so on.
    pub(super) mode: &'static str,
}

impl Outcome {
    pub(super) fn is_resolved(&self) -> bool {
        self.status == "resolved"
    }

    /// Returns true if the answer is the one that a person would have given. `quick` takes the first of several
    /// candidates, and `interactive` shows them without a decision.
    pub(super) fn is_right(&self) -> bool {
        let is_open = self.status == "ambiguous";
        match (self.subject.class, self.mode) {
            (Class::Absent, _) => self.status == "not_found",
            (Class::Ambiguous, "quick") => self.means_it(),
            (Class::Ambiguous, _) => is_open && self.subject.are_all_in(&self.candidates),
            (_, "interactive") => is_open && self.is_shown(),
            _ => self.means_it(),
        }
    }

    fn means_it(&self) -> bool {
        self.is_resolved() && self.id.as_ref().is_some_and(|id| self.subject.is_meant(id))
    }

    /// Returns true if the right entity is at least shown.
    fn is_shown(&self) -> bool {
        let is_meant = |id: &String| self.subject.is_meant(id);
        self.id.iter().any(is_meant) || self.candidates.iter().any(is_meant)
    }

    /// Returns the line about this answer in the list of wrong ones.
    fn line(&self) -> String {
        let shown = if self.is_shown() { "shown" } else { "" };
        let got = self.id.as_deref().or(self.candidates.first().map(String::as_str)).unwrap_or("-");
        let Self { project, subject, status, confidence, .. } = self;
        format!(
            "{project:<12} {:<11} {status:<9} {shown:<5} {confidence:.2}  {}  ->  {got}\n",
            subject.class.name(),
            subject.text
        )
    }
}

/// Returns the size of `all` and the share of it that is `wanted`, which is 1 if it is empty.
pub(super) fn share<'a>(
    all: impl Iterator<Item = &'a Outcome>,
    wanted: impl Fn(&Outcome) -> bool,
) -> (usize, f64) {
    let all: Vec<&Outcome> = all.collect();
    let right = all.iter().filter(|one| wanted(one)).count();
    (all.len(), if all.is_empty() { 1.0 } else { right as f64 / all.len() as f64 })
}

/// Returns the number of answers with at least this confidence, and the share that is right.
pub(super) fn precision(outcomes: &[Outcome], least: f64) -> (usize, f64) {
    share(outcomes.iter().filter(|one| one.is_resolved() && one.confidence >= least), Outcome::is_right)
}

/// Returns the share of a class that is right.
pub(super) fn right(outcomes: &[Outcome], class: Class) -> f64 {
    share(outcomes.iter().filter(|one| one.subject.class == class), Outcome::is_right).1
}

/// Returns all figures of some outcomes.
pub(super) fn figures(name: &str, outcomes: &[Outcome]) -> String {
    let mut text = format!("{name}\n{}", by_class(outcomes));
    for least in [0.0, 0.9] {
        let (count, share) = precision(outcomes, least);
        writeln!(text, "  resolved with confidence >= {least:.1}: {count:>3}, right {share:.3}")
            .expect("a string takes it");
    }
    text + &reliability(outcomes)
}

fn by_class(outcomes: &[Outcome]) -> String {
    let mut text =
        "  class        subjects  right         resolved wrong  ambiguous  not found  shown\n".to_owned();
    for class in CLASSES {
        let own: Vec<&Outcome> = outcomes.iter().filter(|one| one.subject.class == class).collect();
        let count = |is: &dyn Fn(&Outcome) -> bool| own.iter().filter(|one| is(one)).count();
        let right = count(&Outcome::is_right);
        let wrong = count(&|one| one.is_resolved() && !one.is_right());
        let (ambiguous, missed) =
            (count(&|one| one.status == "ambiguous"), count(&|one| one.status == "not_found"));
        let shown = count(&Outcome::is_shown);
        let part = right as f64 / own.len().max(1) as f64;
        writeln!(
            text,
            "  {:<12} {:>8}  {right:>5} {part:.3}  {wrong:>14}  {ambiguous:>9}  {missed:>9}  {shown:>5}",
            class.name(),
            own.len()
        )
        .expect("a string takes it");
    }
    text
}

/// Returns ten bins of confidence for the resolved answers, each with their number and the share that is right.
fn reliability(outcomes: &[Outcome]) -> String {
    let mut text = "  reliability ".to_owned();
    for bin in 0..10 {
        // A confidence has two digits.
        let is_in = |one: &&Outcome| {
            let hundredths = (one.confidence * 100.0).round() as usize;
            one.is_resolved() && (hundredths / 10).min(9) == bin
        };
        let (count, share) = share(outcomes.iter().filter(is_in), Outcome::is_right);
        if count > 0 {
            write!(text, " {:.1}: {count} {share:.3} ", bin as f64 / 10.0).expect("a string takes it");
        }
    }
    text.trim_end().to_owned() + "\n"
}

/// Lists the wrong answers, in the order of the questions.
pub(super) fn wrong(outcomes: &[Outcome]) -> String {
    outcomes.iter().filter(|one| !one.is_right()).map(Outcome::line).collect()
}
