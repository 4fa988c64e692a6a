//! Turns answers of ranked search into results.

use hob_base::WsPath;
use hob_proto::tools::ranked::RankedResult;
use hob_text::ranked::DocKind;

/// A hit, with its facts from the map.
pub struct MappedHit {
    /// Node ID, if the map has the definition.
    pub id: Option<String>,
    /// The kind of document that was hit.
    pub kind: DocKind,
    /// Name of the definition, heading of the section, or path.
    pub title: String,
    /// The file, relative to the workspace.
    pub path: WsPath,
    /// Line of its name.
    pub line: u32,
    /// First and last line.
    pub lines: (u32, u32),
    /// Score of the ranking; comparable within one answer only.
    pub score: f32,
    /// The words of the question that the hit has, one bit for each word that counts.
    pub words: u32,
    /// True if the file has changed since it was indexed.
    pub stale: bool,
}

/// Returns the word for a kind.
#[must_use]
pub fn kind(kind: DocKind) -> &'static str {
    match kind {
        DocKind::Symbol => "Symbol",
        DocKind::Section => "Section",
        DocKind::Note => "Note",
        DocKind::File => "File",
    }
}

/// Makes the result of a hit.
pub fn result(hit: MappedHit, snippet: Option<String>) -> RankedResult {
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
