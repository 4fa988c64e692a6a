//! Reduces signatures to the parts that an editor understands.

use serde_json::Value;

use super::abilities::Signatures;
use super::encoding::Encoding;
use super::{markdown, offsets};

/// Shapes a `SignatureHelp` for an editor.
pub(crate) fn help(mut result: Value, abilities: Signatures) -> Value {
    if !abilities.active_parameter {
        with_common_parameter(&mut result);
    }
    let signatures = result.get_mut("signatures").and_then(Value::as_array_mut);
    for signature in signatures.into_iter().flatten() {
        if !abilities.markdown {
            make_signature_plain(signature);
        }
        if !abilities.label_offsets {
            with_names(signature);
        }
    }
    result
}

/// Copies the active parameter of the active signature to the whole help.
fn with_common_parameter(help: &mut Value) {
    let active = help.get("activeSignature").and_then(Value::as_u64).unwrap_or(0);
    let own = help.pointer(&format!("/signatures/{active}/activeParameter")).cloned();
    if let (Some(own), Some(help)) = (own, help.as_object_mut()) {
        help.insert("activeParameter".to_owned(), own);
    }
}

fn make_signature_plain(signature: &mut Value) {
    let parameters = signature.get_mut("parameters").and_then(Value::as_array_mut);
    let documented = parameters.into_iter().flatten().filter_map(|one| one.get_mut("documentation"));
    documented.for_each(markdown::make_plain);
    if let Some(documentation) = signature.get_mut("documentation") {
        markdown::make_plain(documentation);
    }
}

/// Replaces parameters given as columns of the signature by their text.
fn with_names(signature: &mut Value) {
    let label = signature.get("label").and_then(Value::as_str).unwrap_or_default().to_owned();
    let parameters = signature.get_mut("parameters").and_then(Value::as_array_mut);
    for name in parameters.into_iter().flatten().filter_map(|parameter| parameter.get_mut("label")) {
        if let Some(columns) = name.as_array() {
            *name = text_between(&label, columns).into();
        }
    }
}

/// Returns the part of a label between two columns, which are always UTF-16.
fn text_between<'a>(label: &'a str, columns: &[Value]) -> &'a str {
    let byte = |at: usize| {
        let column = columns.get(at).and_then(Value::as_u64).unwrap_or(0);
        offsets::column_to_bytes(label, u32::try_from(column).unwrap_or(u32::MAX), Encoding::Utf16)
    };
    label.get(byte(0)..byte(1)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parameters_become_words_of_the_label() {
        let given = json!({"activeSignature": 0, "signatures": [{
            "label": "f(é: \u{1F600}, b)", "activeParameter": 1,
            "documentation": {"kind": "markdown", "value": "**f**"},
            "parameters": [
                {"label": [2, 7], "documentation": {"kind": "markdown", "value": "`a`"}},
                {"label": [9, 10]}, {"label": "b"}, {"label": [9, 3]}, {"label": ["x"]},
            ],
        }]});
        let expected = json!({"activeSignature": 0, "activeParameter": 1, "signatures": [{
            "label": "f(é: \u{1F600}, b)", "activeParameter": 1,
            "documentation": {"kind": "plaintext", "value": "f"},
            "parameters": [
                {"label": "é: \u{1F600}", "documentation": {"kind": "plaintext", "value": "a"}},
                {"label": "b"}, {"label": "b"}, {"label": ""}, {"label": ""},
            ],
        }]});
        assert_eq!(help(given.clone(), Signatures::default()), expected);
        let able = Signatures { markdown: true, label_offsets: true, active_parameter: true };
        assert_eq!(help(given.clone(), able), given);
        assert_eq!(help(json!(null), Signatures::default()), json!(null));
    }
}
