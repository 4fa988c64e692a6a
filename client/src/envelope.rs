//! Makes the answer to a call that no daemon answered, as an envelope or as text.
//!
//! Every other envelope comes from the daemon, which cuts it to its budget. This one is small by nature; this module
//! shortens its long parts (log lines, the message) until `used <= requested` holds.

use hob_proto::envelope::chars_of_tokens;
use hob_proto::tools::{self, DEFAULT_BUDGET, MAX_BUDGET, asked_budget, clamp_budget};
use hob_proto::{Envelope, Form, TokenBudget, ToolError};
use hob_render::{Frame, error_document, fit};
use serde_json::{Map, Value};

use crate::request::ToolRequest;

/// Returns the answer to `request` with `error`, in the requested form.
#[must_use]
pub fn error_answer(request: &ToolRequest, error: ToolError) -> String {
    match Form::asked_in(&request.args, request.form) {
        Form::Json => error_envelope(&request.tool, &request.args, error),
        Form::Text => {
            let requested = budget_of(&request.tool, &request.args).requested;
            let frame = Frame { max_chars: chars_of_tokens(requested), ..Frame::default() };
            fit(&error_document(&error), &frame).text
        }
    }
}

/// Returns the serialised envelope with `error` for a call of `tool` with `args`.
fn error_envelope(tool: &str, args: &Map<String, Value>, error: ToolError) -> String {
    let budget = budget_of(tool, args);
    let mut error = error;
    loop {
        let mut envelope = Envelope::of_error(error.clone(), budget);
        let text = envelope.to_text();
        if envelope.token_budget.used <= budget.requested || !leave_out_least(&mut error) {
            return text;
        }
    }
}

/// Returns the most tokens that an answer in this form may cost.
pub(crate) fn requested_budget(tool: &str, args: &Map<String, Value>, form: Form) -> u32 {
    let of_text = tools::find(tool).and_then(|def| def.text_budget);
    let usual = of_text.filter(|_| form == Form::Text && asked_budget(args).is_none());
    usual.unwrap_or_else(|| budget_of(tool, args).requested)
}

fn budget_of(tool: &str, args: &Map<String, Value>) -> TokenBudget {
    let (default, max) =
        tools::find(tool).map_or((DEFAULT_BUDGET, MAX_BUDGET), |def| (def.default_budget, def.max_budget));
    let requested = asked_budget(args).map_or(default, |asked| clamp_budget(asked, max));
    TokenBudget { requested, used: 0, max }
}

/// Drops the least useful part: old log lines, other fields, half of the message, half of the hint. Returns false when
/// there is no part left to drop.
fn leave_out_least(error: &mut ToolError) -> bool {
    if let Some(Value::Array(lines)) = error.more.get_mut("logTail")
        && !lines.is_empty()
    {
        lines.remove(0);
        return true;
    }
    if !error.more.is_empty() {
        error.more.clear();
        return true;
    }
    let longer = if error.message.len() >= error.hint.len() { &mut error.message } else { &mut error.hint };
    let half = longer.chars().count() / 2;
    if half < 8 {
        return false;
    }
    *longer = longer.chars().take(half).chain(['…']).collect();
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use hob_proto::ErrorCode;
    use hob_proto::envelope::tokens_of;

    fn envelope(args: &str, error: ToolError) -> Envelope {
        let args: Map<String, Value> = serde_json::from_str(args).expect("an object");
        let text = error_envelope("map_search", &args, error);
        let envelope = Envelope::parse(&text).expect("an envelope");
        assert_eq!(envelope.token_budget.used, tokens_of(&text));
        assert!(envelope.token_budget.used <= envelope.token_budget.requested, "{text}");
        envelope
    }

    #[test]
    fn it_names_the_cause_within_any_budget() {
        let error = || {
            let lines: Vec<String> =
                (0..50).map(|n| format!("line {n} \"quoted\" ü {}", "x".repeat(90))).collect();
            ToolError::new(ErrorCode::DaemonUnavailable, format!("the disk is full {}", "\n".repeat(3_000)))
                .hint("free some space ".repeat(100))
                .with_field("logTail", lines)
        };
        for args in ["{}", r#"{"tokenBudget":100}"#, r#"{"token_budget":-5}"#, r#"{"tokenBudget":"x"}"#] {
            let shown = envelope(args, error()).error.expect("an error");
            assert!(shown.message.starts_with("the disk is full"), "{shown:?}");
        }
        assert_eq!(envelope(r#"{"tokenBudget":99999999999}"#, error()).token_budget.requested, MAX_BUDGET);
    }

    #[test]
    fn the_last_log_lines_survive_longest() {
        let lines: Vec<String> = (0..200).map(|n| format!("line {n}")).collect();
        let error = ToolError::new(ErrorCode::DaemonUnavailable, "x").with_field("logTail", lines);
        let shown = envelope(r#"{"tokenBudget":150}"#, error).error.expect("an error");
        let lines = shown.more["logTail"].as_array().expect("lines");
        assert!(!lines.is_empty() && lines.last() == Some(&Value::from("line 199")), "{lines:?}");
    }
}
