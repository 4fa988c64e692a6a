//! Reads a type from the text of a signature, such as a parameter's, whose tree is gone. It gives the same types as
//! [`types`](super::types) gives for an annotation.

use super::types::{GenericKind, generic_kind, predefined_type};
use crate::langs::support::split_outside_brackets;

/// Most nested types that are read.
const DEPTH: usize = 8;

/// Returns the hint that a written type gives; `None` if it gives none.
pub(super) fn hint_of_type(text: &str) -> Option<String> {
    hint_within(text, DEPTH)
}

fn hint_within(text: &str, depth: usize) -> Option<String> {
    let (text, below) = (text.trim().trim_start_matches("readonly ").trim(), depth.checked_sub(1)?);
    let parts: Vec<&str> = split_outside_brackets(text, '|')
        .map(str::trim)
        .filter(|part| !matches!(*part, "null" | "undefined" | ""))
        .collect();
    match parts[..] {
        [one] if one.len() < text.len() => return hint_within(one, below),
        [_] => {}
        _ => return None,
    }
    if let Some(element) = text.strip_suffix("[]") {
        return hint_within(element, below).map(|element| format!("[]{element}"));
    }
    let Some((name, arguments)) = text.split_once('<') else { return type_name(text) };
    let arguments: Vec<&str> = split_outside_brackets(arguments.strip_suffix('>')?, ',').collect();
    let argument = |at: usize| arguments.get(at).and_then(|argument| hint_within(argument, below));
    match generic_kind(name) {
        GenericKind::Itself => argument(0),
        GenericKind::List => argument(0).map(|held| format!("[]{held}")),
        GenericKind::Map => argument(1).map(|held| format!("{{}}{held}")),
        GenericKind::Result => None,
        GenericKind::Other => type_name(name),
    }
}

fn type_name(text: &str) -> Option<String> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
    let is_name = text.starts_with(|c: char| c.is_alphabetic() || c == '_') && text.chars().all(is_part);
    let is_library =
        predefined_type(text).is_some() || matches!(text, "any" | "unknown" | "void" | "never" | "object");
    (is_name && !is_library).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::hint_of_type;

    #[test]
    fn a_type_is_read_as_an_annotation_is() {
        for (written, hint) in [
            ("Options", Some("Options")),
            ("ns.Options | null", Some("ns.Options")),
            ("undefined | Promise<Options>", Some("Options")),
            ("readonly Options[]", Some("[]Options")),
            ("Map<string, Array<Options>>", Some("{}[]Options")),
            ("Box<Options>", Some("Box")),
            ("Partial<Options> | undefined", Some("Options")),
            ("A | B", None),
            ("(x: Options) => Options", None),
            ("{ a: string }", None),
            ("string", None),
            ("", None),
        ] {
            assert_eq!(hint_of_type(written).as_deref(), hint, "{written}");
        }
    }
}
