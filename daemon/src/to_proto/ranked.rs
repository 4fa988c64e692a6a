//! Answers to questions in words, as results.

use hob_proto::tools::ranked::RankedResult;
use hob_text::ranked::DocKind;

use crate::tools::ranked::MappedHit;

/// The word for a kind.
#[must_use]
pub fn kind(kind: DocKind) -> &'static str {
    match kind {
        DocKind::Symbol => "Symbol",
        DocKind::Section => "Section",
        DocKind::Note => "Note",
        DocKind::File => "File",
    }
}

/// A hit and what it says.
pub(crate) fn result(hit: MappedHit, snippet: Option<String>) -> RankedResult {
    RankedResult {
        id: hit.id,
        kind: kind(hit.kind).to_owned(),
        title: hit.title,
        file: hit.path.to_string(),
        line: hit.line,
        score: (f64::from(hit.score) * 100.0).round() / 100.0,
        snippet,
        stale: hit.stale,
    }
}
