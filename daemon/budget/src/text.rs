//! Fits an answer in its text form: writes as much of the result's document as the budget holds.

use std::sync::Arc;

use hob_proto::envelope::tokens_of;
use hob_proto::tools::{ListCut, ToolDef};
use hob_render::{Frame, NoteVocabulary, OmissionLine, document, error_document};
use serde_json::Value;

use super::cuts::lists_at;
use super::fit::Fitted;
use super::{AnswerDraft, OmittedItems, SentBodies};
use hob_calls::Caller;

/// The context of an answer as text: its tool, the requested page, and its reader.
#[derive(Clone, Copy, Debug, Default)]
pub struct AnswerPage<'p> {
    /// The tool; `None` where no tool has the name.
    pub tool: Option<&'static ToolDef>,
    /// Number of items of the paged list that earlier pages had.
    pub offset: u64,
    /// The voice of the notes: in terms of the command line or of a tool.
    pub voice: NoteVocabulary,
    /// The client that reads the answer, if hob remembers what it was sent.
    pub reader: Option<AnswerReader<'p>>,
}

/// A client that does not get recently sent bodies again.
#[derive(Clone, Copy, Debug)]
pub struct AnswerReader<'p> {
    /// The bodies sent to all clients.
    pub sent: &'p SentBodies,
    /// The client that reads the answer.
    pub caller: &'p Arc<Caller>,
    /// True if the client wants every body all the same.
    pub repeat: bool,
}

/// Writes `draft` as text within its budget.
#[must_use]
pub fn fit_as_text(draft: AnswerDraft, page: AnswerPage<'_>) -> Fitted {
    let omitted: Vec<OmissionLine> =
        draft.omitted.iter().filter(|item| item.count > 0).map(left_out).collect();
    let frame = Frame {
        max_chars: draft.limit.max_chars(),
        warnings: &draft.warnings,
        omitted: &omitted,
        tool: page.tool,
        offset: page.offset,
        voice: page.voice,
    };
    let mut document = match (&draft.outcome, page.tool) {
        (Ok(data), Some(tool)) => document(tool.name, data),
        (Ok(data), None) => document("", data),
        (Err(error), tool) => error_document(&page.voice.rewrite_error(error, tool)),
    };
    if let Some(reader) = page.reader.filter(|reader| !reader.repeat) {
        reader.sent.name_known(reader.caller, &mut document);
    }
    let fitted = hob_render::fit(&document, &frame);
    if let Some(reader) = page.reader {
        reader.sent.record_sent(reader.caller, &document, fitted.shown, fitted.text.len());
    }
    let ok = draft.outcome.is_ok();
    let data = draft.outcome.ok().map(|data| match document.sections.first() {
        Some(section) if fitted.is_cut => without_cut(data, draft.cuts, section.kind, fitted.shown),
        _ => data,
    });
    Fitted { ok, tokens: tokens_of(&fitted.text), text: fitted.text, data }
}

fn left_out(omitted: &OmittedItems) -> OmissionLine {
    OmissionLine { kind: omitted.kind.to_owned(), count: omitted.count, way: omitted.way.to_owned() }
}

/// Returns the part of the result that was written: for the paged list, only the items shown.
fn without_cut(mut data: Value, cuts: &'static [ListCut], kind: &str, shown: usize) -> Value {
    if let Some(cut) = cuts.iter().find(|cut| cut.kind == kind) {
        lists_at(&mut data, cut.path).into_iter().for_each(|list| list.truncate(shown));
    }
    data
}
