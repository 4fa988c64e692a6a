//! Reduces foldings to whole lines, for editors that fold nothing else.
//!
//! hob tells servers that it folds anywhere, so a fold may end in the middle of a line. An editor that folds only whole
//! lines would hide all of that line, with the text behind the fold (`} else {`), so such a fold ends a line earlier,
//! as servers do it for these editors.

use serde_json::Value;

use super::encoding::Encoding;
use super::offsets;

/// Shortens folds of `text` so that they hide no more than their ranges; without a text they stay as they are.
pub(crate) fn whole_lines(mut result: Value, text: Option<&str>) -> Value {
    if let (Some(folds), Some(text)) = (result.as_array_mut(), text) {
        let starts = offsets::line_starts(text);
        folds.retain_mut(|fold| shorten_fold(fold, text, &starts));
    }
    result
}

/// Shortens a fold to whole lines that may be hidden; returns true if anything is left of it.
fn shorten_fold(fold: &mut Value, text: &str, starts: &[usize]) -> bool {
    let number =
        |key: &str| fold.get(key).and_then(Value::as_u64).and_then(|number| u32::try_from(number).ok());
    let (Some(first), Some(last), Some(character)) =
        (number("startLine"), number("endLine"), number("endCharacter"))
    else {
        return true;
    };
    let Some(&start) = starts.get(last as usize) else { return true };
    let line = offsets::line_at(text, start);
    let end = offsets::column_to_bytes(line, character, Encoding::Utf16);
    if line[end..].trim().is_empty() {
        return true;
    }
    let (Some(fold), Some(before)) = (fold.as_object_mut(), last.checked_sub(1)) else { return false };
    let line_before = offsets::line_at(text, starts[before as usize]);
    let column = offsets::bytes_to_column(line_before, line_before.len(), Encoding::Utf16);
    fold.insert("endLine".to_owned(), before.into());
    fold.insert("endCharacter".to_owned(), column.into());
    before > first
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_follows_a_fold_stays_visible() {
        let text = "if a {\n  é();\n} else {\n  c();\n}\nx {\n}";
        let fold = |from: u32, to: u32, column: u32| json!({"startLine": from, "startCharacter": 6, "endLine": to, "endCharacter": column});
        let given = json!([fold(0, 2, 0), fold(2, 4, 1), fold(5, 6, 0), {"startLine": 0, "endLine": 2}, 7]);
        let expected = json!([fold(0, 1, 6), fold(2, 4, 1), {"startLine": 0, "endLine": 2}, 7]);
        assert_eq!(whole_lines(given.clone(), Some(text)), expected);
        assert_eq!(whole_lines(given.clone(), None), given);
    }

    #[test]
    fn folds_of_another_text_do_no_harm() {
        let wild = json!([{"startLine": 9, "endLine": 99, "endCharacter": 9}, {"startLine": 0, "endLine": 0, "endCharacter": 0}]);
        assert_eq!(whole_lines(wild.clone(), Some("x")), json!([wild[0]]));
        assert_eq!(whole_lines(json!(null), Some("x")), json!(null));
    }
}
