//! Answers as text and as JSON within their budgets, from any data.

use hob_budget::{AnswerDraft, AnswerPage, Limit, fit, fit_as_text};
use hob_proto::envelope::tokens_of;
use hob_proto::tools::TOOLS;
use hob_proto::{Envelope, ToolError};
use hob_render::{Frame, NoteVocabulary, document};
use serde_json::Value;

use crate::input::FuzzInput;

/// Any data as the text of a tool: no more than its budget, and all of it where the budget is large.
pub(crate) fn check_rendering(bytes: &[u8]) {
    let mut input = FuzzInput::new(bytes);
    let (tool, budget) = (input.choose(TOOLS), usize::from(input.take_byte()));
    let Ok(data) = serde_json::from_slice::<Value>(input.rest()) else { return };
    let answer = document(tool.name, &data);
    let items: usize = answer.sections.iter().map(|section| section.items.len()).sum();
    let frame = |max_chars: usize| Frame {
        max_chars,
        tool: Some(tool),
        voice: NoteVocabulary::Tool,
        ..Frame::default()
    };
    let whole = hob_render::fit(&answer, &frame(usize::MAX / 4));
    assert!(!whole.is_cut && whole.shown == items, "{}: {} of {items}", tool.name, whole.shown);
    let room = 400 + budget * 40;
    let cut = hob_render::fit(&answer, &frame(room));
    assert!(
        cut.text.chars().count() <= room,
        "{}: {} characters of {room}",
        tool.name,
        cut.text.chars().count()
    );
    assert!(cut.is_cut || cut.text == whole.text, "{}", tool.name);
}

/// A draft in both of its forms costs no more than it may.
pub(crate) fn check_budget(bytes: &[u8]) {
    let mut input = FuzzInput::new(bytes);
    let (tool, kind, asked) = (input.choose(TOOLS), input.take_byte(), i64::from(input.take_byte()) * 40);
    let warning = input.take_text();
    let Ok(data) = serde_json::from_slice::<Value>(input.rest()) else { return };
    let outcome = match kind % 4 {
        0 => Err(ToolError::bad_args(data.to_string()).hint(warning.clone())),
        _ => Ok(data),
    };
    let (limit, _) = Limit::new(tool, Some(asked));
    let draft = AnswerDraft {
        outcome,
        warnings: if warning.is_empty() { Vec::new() } else { vec![warning] },
        omitted: Vec::new(),
        generation: None,
        limit,
        cuts: tool.cuts,
    };
    let page = AnswerPage { tool: Some(tool), ..AnswerPage::default() };
    let text = fit_as_text(draft.clone(), page);
    assert!(
        tokens_of(&text.text) <= limit.requested,
        "{}: {} of {}",
        tool.name,
        text.tokens,
        limit.requested
    );
    let json = fit(draft);
    assert!(
        tokens_of(&json.text) <= limit.requested,
        "{}: {} of {}",
        tool.name,
        json.tokens,
        limit.requested
    );
    let envelope = Envelope::parse(&json.text).expect("an envelope is one");
    assert!(envelope.token_budget.used <= limit.requested);
}
