//! Decides which candidate is meant: it orders them, and says whether the first of them is the answer.
//!
//! A score is the fit of the name and small amounts for what it is and where it is. The amounts break ties between things that
//! fit alike; they cannot make a worse name better than a better one. What is said to be sure is what was right that often on
//! the labelled set (`calibrate`), judged by the score and by how far behind the next one is.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use hob_proto::tools::entity::Mode;

use super::calibrate::confidence_of;
use super::candidate::Candidate;
use super::fit::NameMatchClass;

/// Less than this fits nothing that was said: of a name, that a part of it occurs somewhere; of a phrase, that half of it does.
const FLOOR_OF_NAMES: f64 = 0.45;
const FLOOR_OF_PHRASES: f64 = 0.36;

/// So close to the first, another is as likely.
const AS_LIKELY: f64 = 0.03;
/// The same for names that both have all of the words and others besides: the shorter of them is not the likelier for it.
const AS_LIKELY_WORDS: f64 = 0.06;
/// So far behind, it does not matter.
const FAR_BEHIND: f64 = 0.08;

/// The properties that are expected of candidates besides their names.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    /// Kinds that the client expects.
    pub kinds: Option<&'static [&'static str]>,
    /// The ID that it means if it is there.
    pub preferred: Option<String>,
    /// The file in which the mention stands.
    pub near: Option<String>,
    /// True if the subject itself is about tests.
    pub tests: bool,
}

/// Gives every candidate the terms of its score.
pub fn score(candidates: &mut [Candidate], expected: &Expected) {
    for candidate in candidates {
        let traits = candidate.traits;
        let mut terms = vec![("name", candidate.fit.value)];
        let mut add = |what, value: f64| {
            if value != 0.0 {
                terms.push((what, value));
            }
        };
        add("test", if traits.is_test && !expected.tests { -0.10 } else { 0.0 });
        add("declaration", if traits.is_declaration { -0.05 } else { 0.0 });
        add("prose", if traits.is_prose { -0.06 } else { 0.0 });
        add("local", if traits.is_local { -0.06 } else { 0.0 });
        add("private", if traits.is_exported { 0.0 } else { -0.01 });
        add("hub", 0.02 * traits.hub);
        add("near", nearness_bonus(candidate, expected));
        if let Some(kinds) = expected.kinds {
            add("type", if kinds.contains(&candidate.kind.as_str()) { 0.04 } else { -0.35 });
        }
        add("preferred", if expected.preferred.as_ref() == Some(&candidate.id) { 0.25 } else { 0.0 });
        candidate.terms = terms;
    }
}

/// Returns the amount for a candidate near to the given file: most in the same file, less in the same folder or part
/// of the project, 0 elsewhere.
fn nearness_bonus(candidate: &Candidate, expected: &Expected) -> f64 {
    let Some(from) = &expected.near else { return 0.0 };
    if candidate.path.is_empty() {
        return 0.0;
    }
    let folder = |path: &str| path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned());
    let (here, there) = (folder(from), folder(&candidate.path));
    if candidate.path == *from {
        0.06
    } else if here == there {
        0.04
    } else {
        let common =
            here.split('/').zip(there.split('/')).take_while(|(a, b)| a == b && !a.is_empty()).count();
        let deep = here.split('/').count().max(1);
        0.03 * (common as f64 / deep as f64).min(1.0)
    }
}

/// Puts the likeliest first; what nothing tells apart goes by source and ID.
pub fn sort_by_score(candidates: &mut [Candidate]) {
    candidates.sort_by(|a, b| match b.score().total_cmp(&a.score()) {
        Ordering::Equal => (a.source, &a.id).cmp(&(b.source, &b.id)),
        unequal => unequal,
    });
}

/// One figure for how sure the first is: its score, less what the second takes away.
pub fn standing_of(first: f64, second: Option<f64>) -> f64 {
    let ahead = second.map_or(FAR_BEHIND, |second| (first - second).min(FAR_BEHIND));
    first * (0.5 + 0.5 * (ahead / FAR_BEHIND).clamp(0.0, 1.0))
}

/// The decision on a list of candidates.
#[derive(Clone, PartialEq, Debug)]
pub enum SubjectDecision {
    /// The first is the answer, so surely.
    Resolved(f64),
    /// Several candidates may be meant.
    Ambiguous {
        /// Standing of the first, 0 to 1.
        confidence: f64,
        /// Why nothing was chosen, as a sentence.
        reason: String,
        /// The field in which the candidates differ, by its name in the answer; `confidence` if in none.
        dimension: &'static str,
    },
    /// Nothing fits the subject well enough.
    NotFound,
}

/// Limits of the decision.
#[derive(Clone, Copy, Debug)]
pub struct DecisionLimits {
    /// Standing from which the first candidate is accepted, 0 to 1.
    pub accept: f64,
    /// Standing of the first candidate below which nothing fits, 0 to 1.
    pub least: f64,
}

/// Leaves out what fits too little to be meant, and what only announces another candidate.
pub fn keep_plausible(candidates: &mut Vec<Candidate>, is_name: bool, most: usize) {
    let defined: BTreeSet<(String, String)> = candidates
        .iter()
        .filter(|candidate| !candidate.traits.is_declaration)
        .map(|candidate| (candidate.label.clone(), candidate.kind.clone()))
        .collect();
    // What the preprocessor chooses between is one thing: `#if`, and the other definition behind `#else`.
    let mut seen = BTreeSet::new();
    candidates.retain(|candidate| {
        let is_c = candidate.attributes.get("language").is_some_and(|lang| lang == "c" || lang == "cpp");
        !is_c || seen.insert((candidate.label.clone(), candidate.kind.clone(), candidate.path.clone()))
    });
    candidates.retain(|candidate| {
        let is_defined = || defined.contains(&(candidate.label.clone(), candidate.kind.clone()));
        !candidate.traits.is_declaration || !is_defined()
    });
    let floor = if is_name { FLOOR_OF_NAMES } else { FLOOR_OF_PHRASES };
    let best = candidates.first().map_or(0.0, Candidate::score);
    // Beside a name that fits, one that shares a word is noise.
    candidates.retain(|candidate| candidate.score() >= floor.max(best - 0.4));
    candidates.truncate(most);
}

/// Returns the confidence of each candidate if it were chosen: of the first by its lead on the next, of the others by
/// what the first leaves over.
pub fn confidences(candidates: &[Candidate]) -> Vec<f64> {
    let scores: Vec<f64> = candidates.iter().map(Candidate::score).collect();
    let of = |at: usize| {
        let rival = if at == 0 { scores.get(1) } else { scores.first() };
        // Who is behind the first is as sure as what the first leaves over.
        let standing = match (at, rival) {
            (0, rival) => standing_of(scores[0], rival.copied()),
            (_, Some(first)) => standing_of(scores[at], Some(*first)) * (scores[at] / first).powi(4),
            (_, None) => 0.0,
        };
        confidence_of(standing).min(candidates[at].fit.most_sure)
    };
    (0..scores.len()).map(of).collect()
}

/// The end of it, without anybody being asked.
pub fn decide(candidates: &[Candidate], mode: Mode, limits: DecisionLimits) -> SubjectDecision {
    let Some(first) = candidates.first() else { return SubjectDecision::NotFound };
    let sure = confidences(candidates)[0];
    if sure < limits.least {
        return SubjectDecision::NotFound;
    }
    if mode == Mode::Quick {
        return SubjectDecision::Resolved(sure);
    }
    let as_likely = |other: &&Candidate| {
        let by_words = first.fit.class == NameMatchClass::Words && other.fit.class == NameMatchClass::Words;
        first.score() - other.score() < if by_words { AS_LIKELY_WORDS } else { AS_LIKELY }
    };
    let rivals: Vec<&Candidate> = candidates[1..].iter().filter(as_likely).collect();
    if sure >= limits.accept && rivals.is_empty() {
        return SubjectDecision::Resolved(sure);
    }
    let (reason, dimension) = match rivals.first() {
        Some(rival) => told_apart(first, rival, rivals.len()),
        None if candidates.len() > 1 => (
            format!(
                "`{}` fits best ({}), and others fit too well to be left out.",
                first.label,
                first.fit.class.as_str()
            ),
            "confidence",
        ),
        None => (
            format!("Only `{}` fits, and not surely: {}.", first.label, first.fit.class.as_str()),
            "confidence",
        ),
    };
    SubjectDecision::Ambiguous { confidence: sure, reason, dimension }
}

/// Returns the reason why two candidates that fit alike are not told apart, with the argument to pass, and the
/// dimension in which they differ.
fn told_apart(first: &Candidate, other: &Candidate, others: usize) -> (String, &'static str) {
    let (dimension, pass) = if first.source != other.source {
        ("source", "constraints.allowed_sources or hints.expected_type")
    } else if first.kind != other.kind {
        ("type", "hints.expected_type")
    } else if first.label != other.label {
        ("name", "more of the name")
    } else if first.container != other.container {
        ("container", "the name with what it is in, as `Outer.name`")
    } else {
        ("file", "context.provenance or context.realm")
    };
    let fit = first.fit.class.max(other.fit.class);
    let alike = if fit == NameMatchClass::Exact { "are called exactly so" } else { "fit equally well" };
    let reason =
        format!("{} things {alike}; they differ in {dimension}. Pass {pass}, or one of the IDs.", others + 1);
    (reason, dimension)
}
