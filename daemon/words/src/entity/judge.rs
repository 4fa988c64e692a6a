//! Orders the candidates for a subject, and decides whether the first of them is the answer.
//!
//! A score is the fit of the name plus small amounts for the kind and the place of the candidate. The amounts
//! break ties between candidates of equal fit; they cannot lift a worse name above a better one. The
//! confidence is the share of answers that were right on the labelled set (`calibrate`), for the score and
//! its distance to the next one.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use hob_proto::tools::entity::Mode;

use super::calibrate::confidence_of;
use super::candidate::Candidate;
use super::fit::NameMatchClass;

/// The score below which a candidate does not match: for a name, one that only has a part of it; for a
/// phrase, one that has half of it.
const FLOOR_OF_NAMES: f64 = 0.45;
const FLOOR_OF_PHRASES: f64 = 0.36;

/// The difference of scores within which two candidates are equally likely.
const AS_LIKELY: f64 = 0.03;
/// The same for two names that have all of the words and others besides: the shorter of them is not the
/// likelier one.
const AS_LIKELY_WORDS: f64 = 0.06;
/// The lead from which the second candidate no longer lowers the confidence.
const DECISIVE_LEAD: f64 = 0.08;

/// The expected properties of candidates besides their names.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    /// Kinds that the client expects.
    pub kinds: Option<&'static [&'static str]>,
    /// The ID of the candidate that the client prefers, if it is one of them.
    pub preferred: Option<String>,
    /// The file that mentions the subject.
    pub near: Option<String>,
    /// True if the subject itself is about tests.
    pub tests: bool,
}

/// Computes the terms of every candidate's score.
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

/// Returns the amount for a candidate near the given file: most in the same file, less in the same folder or
/// part of the project, 0 elsewhere.
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

/// Sorts the likeliest candidate first; equal scores are ordered by source and ID.
pub fn sort_by_score(candidates: &mut [Candidate]) {
    candidates.sort_by(|a, b| match b.score().total_cmp(&a.score()) {
        Ordering::Equal => (a.source, &a.id).cmp(&(b.source, &b.id)),
        unequal => unequal,
    });
}

/// Returns the standing of the first candidate: its score, less an amount for a close second.
pub fn standing_of(first: f64, second: Option<f64>) -> f64 {
    let ahead = second.map_or(DECISIVE_LEAD, |second| (first - second).min(DECISIVE_LEAD));
    first * (0.5 + 0.5 * (ahead / DECISIVE_LEAD).clamp(0.0, 1.0))
}

/// The decision on a list of candidates.
#[derive(Clone, PartialEq, Debug)]
pub enum SubjectDecision {
    /// The first candidate is the answer, with this confidence.
    Resolved(f64),
    /// Several candidates may be meant.
    Ambiguous {
        /// The confidence of the first candidate, 0 to 1.
        confidence: f64,
        /// The reason why none was chosen, as a sentence.
        reason: String,
        /// The field in which the candidates differ, by its name in the answer; `confidence` if in none.
        dimension: &'static str,
    },
    /// No candidate matches the subject well enough.
    NotFound,
}

/// The limits of the decision.
#[derive(Clone, Copy, Debug)]
pub struct DecisionLimits {
    /// The confidence from which the first candidate is accepted, 0 to 1.
    pub accept: f64,
    /// The confidence of the first candidate below which nothing matches, 0 to 1.
    pub least: f64,
}

/// Drops candidates with too low a score, and declarations of other candidates.
pub fn keep_plausible(candidates: &mut Vec<Candidate>, is_name: bool, most: usize) {
    let defined: BTreeSet<(String, String)> = candidates
        .iter()
        .filter(|candidate| !candidate.traits.is_declaration)
        .map(|candidate| (candidate.label.clone(), candidate.kind.clone()))
        .collect();
    // The branches of the preprocessor are one thing: the definition in `#if`, and the one behind `#else`.
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
    // Beside a good match, a name that shares one word is noise.
    candidates.retain(|candidate| candidate.score() >= floor.max(best - 0.4));
    candidates.truncate(most);
}

/// Returns the confidence of each candidate if it were chosen: of the first by its lead on the second, of the
/// others by their distance to the first.
pub fn confidences(candidates: &[Candidate]) -> Vec<f64> {
    let scores: Vec<f64> = candidates.iter().map(Candidate::score).collect();
    let of = |at: usize| {
        let rival = if at == 0 { scores.get(1) } else { scores.first() };
        // The further a candidate is behind the first, the lower its confidence.
        let standing = match (at, rival) {
            (0, rival) => standing_of(scores[0], rival.copied()),
            (_, Some(first)) => standing_of(scores[at], Some(*first)) * (scores[at] / first).powi(4),
            (_, None) => 0.0,
        };
        confidence_of(standing).min(candidates[at].fit.most_sure)
    };
    (0..scores.len()).map(of).collect()
}

/// Makes the decision without asking anybody.
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
        Some(rival) => ambiguity_reason(first, rival, rivals.len()),
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

/// Explains why two candidates of equal fit cannot be told apart; returns the sentence, with the argument to
/// pass, and the dimension in which they differ.
fn ambiguity_reason(first: &Candidate, other: &Candidate, others: usize) -> (String, &'static str) {
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
