//! Answers a subject that is a text, and neither a name nor a phrase, with the places that `investigate` finds for it.
//!
//! A text means no single thing, so nothing is chosen. A caller who passes an issue to `resolve` still gets to its
//! code.

use std::sync::Arc;

use hob_proto::ToolError;
use hob_proto::tools::entity::{Ambiguity, Constraints, EntityCandidate, EntitySource, EntityStep, Status};
use hob_text::ranked::RankedQuestion;
use hob_words::entity::subject::LONGEST;

use super::super::ToolCall;
use super::super::investigate::{PlaceOfText, places_of_text};
use super::path_step;
use super::request::no_word;
use hob_host::Workspace;

/// The places that a text is about, in the form of an answer of `resolve`.
pub(super) struct TextOutcome {
    pub(super) status: Status,
    pub(super) candidates: Vec<EntityCandidate>,
    pub(super) ambiguity: Option<Ambiguity>,
    pub(super) steps: Vec<EntityStep>,
}

/// Returns true if a subject is too long to be a name or a phrase.
pub(super) fn is_text(subject: &str) -> bool {
    subject.chars().count() > LONGEST
}

/// Finds the places that a text is about, as many as the constraints allow.
pub(super) fn find_candidates(
    call: &mut ToolCall<'_>,
    workspace: &Arc<Workspace>,
    text: &str,
    constraints: &Constraints,
) -> Result<TextOutcome, ToolError> {
    if RankedQuestion::parse(text).is_empty() {
        return Err(no_word());
    }
    let places = places_of_text(call, workspace, text, constraints.max_candidates as usize)?;
    let likely = places.into_iter().filter(|place| place.confidence >= constraints.min_confidence);
    let candidates: Vec<EntityCandidate> = likely.map(shown).collect();
    let length = text.chars().count();
    let step = format!("a text of {length} characters; {} files may be meant", candidates.len());
    let ambiguity = (!candidates.is_empty()).then(|| Ambiguity {
        reason: format!(
            "A subject of {length} characters is a text, and names no one thing: these are the places that it is about. \
             investigate shows their lines."
        ),
        dimension: "confidence".to_owned(),
    });
    Ok(TextOutcome {
        status: if candidates.is_empty() { Status::NotFound } else { Status::Ambiguous },
        candidates,
        ambiguity,
        steps: vec![path_step("generate", "places of a text", "text", step)],
    })
}

fn shown(place: PlaceOfText) -> EntityCandidate {
    EntityCandidate {
        id: place.info.id.to_string(),
        label: place.title,
        kind: place.info.kind.as_str().to_owned(),
        source: EntitySource::Text,
        confidence: place.confidence,
        score: None,
    }
}
