//! Renders an error as text: `CODE: what is wrong. What to do next.`, then its further fields.

use hob_proto::ToolError;
use serde_json::Value;

use crate::answers::handle_of;
use crate::document::{AnswerDocument, AnswerItem, Section};
use crate::one_line::one_line;

/// Renders an error: its sentence, its hint, and its further fields, one line for each.
#[must_use]
pub fn error_document(error: &ToolError) -> AnswerDocument {
    let mut first = AnswerItem::line(error_sentence(error));
    // A pattern's error marks the fault below the pattern, in lines that belong together.
    if error.message.contains('\n') {
        let lines = error.message.lines().map(|line| one_line(line).into_owned());
        first.lines = lines.collect();
        if let Some(line) = first.lines.first_mut() {
            line.insert_str(0, &format!("{}: ", code_name(error)));
        }
        first.lines.extend((!error.hint.is_empty()).then(|| one_line(&error.hint).into_owned()));
    }
    let more = error.more.iter().flat_map(|(name, value)| extra_items(name, value));
    AnswerDocument::of_section(Section::new("lines", std::iter::once(first).chain(more).collect()))
}

fn code_name(error: &ToolError) -> String {
    let code = serde_json::to_value(error.code).ok();
    code.as_ref().and_then(Value::as_str).unwrap_or("ERROR").to_owned()
}

fn error_sentence(error: &ToolError) -> String {
    let message = one_line(&error.message);
    let stop = if message.ends_with(['.', '?', '!', ':']) || error.hint.is_empty() { "" } else { "." };
    let text = format!("{}: {message}{stop} {}", code_name(error), one_line(&error.hint));
    text.trim_end().to_owned()
}

/// Renders a field beyond message and hint: a scalar beside its name, a list below it.
fn extra_items(name: &str, value: &Value) -> Vec<AnswerItem> {
    let scalar = |value: &Value| match value {
        Value::String(text) => one_line(&handle_of(text)).into_owned(),
        other => other.to_string(),
    };
    match value {
        Value::Null => Vec::new(),
        Value::Array(list) => list
            .iter()
            .map(|item| AnswerItem {
                group: vec![format!("{name}:")],
                lines: vec![scalar(item)],
                source: None,
            })
            .collect(),
        other => vec![AnswerItem::line(format!("{name}: {}", scalar(other)))],
    }
}

#[cfg(test)]
mod tests {
    use hob_proto::ErrorCode;

    use super::*;

    #[test]
    fn an_error_is_one_sentence_and_what_it_knows() {
        let error =
            ToolError::new(ErrorCode::SymbolNotFound, "nothing is called `f`").hint("Similar names follow.");
        let document = error_document(&error.with_field("similar", vec!["py:a.py#g"]));
        let items = &document.sections[0].items;
        assert_eq!(items[0].lines, ["SYMBOL_NOT_FOUND: nothing is called `f`. Similar names follow."]);
        assert_eq!((items[1].group[0].as_str(), items[1].lines[0].as_str()), ("similar:", "a.py#g"));
    }
}
