//! Renders the definitions that an ambiguous name may mean: a line for each, which any tool accepts.

use hob_proto::tools::read::{Ambiguous, AmbiguousCandidate};

use super::handle::{handle_of, qualified_name};
use crate::document::{AnswerItem, Section};
use crate::one_line::one_line;

/// Renders the candidates of each name below a line that explains them; empty if no name is ambiguous.
pub(super) fn candidates_section(several: &[Ambiguous]) -> Section {
    Section::new("candidates", several.iter().flat_map(of_one).collect())
}

fn of_one(several: &Ambiguous) -> Vec<AnswerItem> {
    let count = several.candidates.len() + several.more;
    let head = format!("{} is the name of {count} definitions:", one_line(&several.target));
    let row = |candidate: &AmbiguousCandidate| {
        AnswerItem::below_header(head.clone(), line(candidate, &several.candidates))
    };
    let mut items: Vec<AnswerItem> = several.candidates.iter().map(row).collect();
    if several.more > 0 {
        items.push(AnswerItem::below_header(
            head,
            format!("{} more: narrow with Class.name or path#name", several.more),
        ));
    }
    items
}

/// Formats `path:line name kind`; with the node's own handle if two candidates share the line.
fn line(candidate: &AmbiguousCandidate, all: &[AmbiguousCandidate]) -> String {
    let is_here =
        |other: &&AmbiguousCandidate| (&other.file, other.line) == (&candidate.file, candidate.line);
    let name = qualified_name(&candidate.uid).unwrap_or_default();
    match all.iter().filter(is_here).count() {
        1 if !name.is_empty() => {
            format!("{}:{} {} {}", one_line(&candidate.file), candidate.line, one_line(name), candidate.kind)
        }
        _ => format!("{} {}", one_line(&handle_of(&candidate.uid)), candidate.kind),
    }
}
