//! Renders the answers of `resolve` about a position, a node or a name.

use hob_proto::tools::entity::{EntityCandidate, EntityResult};
use hob_proto::tools::resolve::{NodeResult, PositionResult};
use serde_json::Value;

use super::handle::handle_of;
use super::render_typed;
use crate::document::{AnswerDocument, AnswerItem, Section};
use crate::one_line::one_line;

/// Renders the three results of `resolve`, which it distinguishes by the fields that only one of them has.
pub(super) fn render_resolved(data: &Value) -> Option<AnswerDocument> {
    match data {
        _ if data.get("enclosingSymbols").is_some() => render_typed(data, position),
        _ if data.get("symbol").is_some() => render_typed(data, render_node),
        _ if data.get("status").is_some() => render_typed(data, render_entity),
        _ => None,
    }
}

fn render_node(result: NodeResult) -> AnswerDocument {
    let (place, symbol) = (&result.location, &result.symbol);
    let head = format!(
        "{}:{}:{} {} {}",
        one_line(&place.file),
        place.line,
        place.col,
        symbol.kind,
        one_line(&symbol.name)
    );
    let mut lines = vec![head];
    lines.extend(symbol.signature.lines().map(|line| format!(" {}", one_line(line))));
    let mut document = AnswerDocument::of_section(Section::new(
        "lines",
        vec![AnswerItem { lines, ..AnswerItem::default() }],
    ));
    if let Some(now) = &result.current_node_id {
        document.notes.push(format!("it is now {}", handle_of(now)));
    }
    if result.relocated {
        document.notes.push("found by its last name alone".to_owned());
    }
    note_origin(&mut document, result.verified, result.map_stale);
    document
}

fn position(result: PositionResult) -> AnswerDocument {
    let place = &result.location;
    let id = result.node_id.as_ref().or(result.nearest_node_id.as_ref());
    let name = match (id, result.qualified_name.as_str()) {
        (Some(id), _) => handle_of(id),
        (None, "") => "file level".to_owned(),
        (None, name) => name.to_owned(),
    };
    let kind = result.enclosing_symbols.last().map(|symbol| format!(" {}", symbol.kind)).unwrap_or_default();
    let line = format!("{}:{}:{}{kind} {}", one_line(&place.file), place.line, place.col, one_line(&name));
    let mut document = AnswerDocument::of_line(line);
    if result.node_id.is_none() && result.nearest_node_id.is_some() {
        document.notes.push(format!("nearest in the map; the symbol itself is {}", result.qualified_name));
    }
    note_origin(&mut document, result.verified, result.map_stale);
    document
}

fn note_origin(document: &mut AnswerDocument, verified: bool, stale: bool) {
    if !verified {
        document.notes.push("from the map; no language server confirmed it".to_owned());
    }
    if stale {
        document.notes.push("the map is of an earlier state of the file".to_owned());
    }
}

/// The answer for a subject that nothing matches.
const NOTHING: &str =
    "nothing in the project is called so; regex_search finds text and local names, investigate a topic";

fn render_entity(result: EntityResult) -> AnswerDocument {
    let mut document = match (&result.entity, &result.error) {
        (Some(entity), _) => {
            let description = one_line(&entity.description);
            let lines = vec![format!("{} {} {}", entity.kind, one_line(&handle_of(&entity.id)), description)];
            let lines = lines.into_iter().map(|line| line.trim_end().to_owned()).collect();
            AnswerDocument::of_section(Section::new(
                "lines",
                vec![AnswerItem { lines, ..AnswerItem::default() }],
            ))
        }
        (None, Some(error)) => {
            AnswerDocument::of_line(format!("{}: {}", error.code, one_line(&error.message)))
        }
        (None, None) if result.candidates.is_empty() => AnswerDocument::of_line(NOTHING),
        (None, None) => AnswerDocument::default(),
    };
    let candidate = |candidate: &EntityCandidate| {
        AnswerItem::line(format!(
            "{:.2} {} {}",
            candidate.confidence,
            candidate.kind,
            one_line(&handle_of(&candidate.id))
        ))
    };
    let others = result
        .candidates
        .iter()
        .filter(|other| result.entity.as_ref().is_none_or(|found| found.id != other.id));
    document.sections.push(Section::new_paged("candidates", others.map(candidate).collect()));
    if let Some(ambiguity) = &result.ambiguity {
        document.notes.push(format!("ambiguous: {}", ambiguity.reason));
    }
    if result.entity.is_some() && result.confidence < 0.95 {
        document.notes.push(format!("confidence {:.2}", result.confidence));
    }
    document
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::document;
    use crate::fit::{Frame, fit};

    #[test]
    fn a_subject_that_fits_nothing_is_told_so() {
        let data = json!({"status": "not_found", "confidence": 0.0, "candidates": [], "resolution_path": [],
            "meta": {"request_id": "r", "timestamp": "2026-01-01T00:00:00Z", "duration_ms": 1}});
        let text = fit(&document("resolve", &data), &Frame { max_chars: 4_000, ..Frame::default() }).text;
        assert!(text.starts_with("nothing in the project is called so"), "{text:?}");
    }
}
