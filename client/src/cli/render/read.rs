//! Source of symbols.

use serde_json::Value;

use super::{items, number_of, place, text_of};
use crate::cli::term::Style;

/// Each symbol under a header, then what was ambiguous and what was not found.
pub(super) fn symbols(data: &Value, style: &Style) -> Option<String> {
    let symbols = data.get("symbols")?.as_array()?;
    let mut parts: Vec<String> = symbols.iter().map(|symbol| one(symbol, style)).collect();
    parts.extend(items(data, "ambiguous").iter().map(|target| ambiguous(target, style)));
    let missing: Vec<_> = items(data, "not_found").iter().filter_map(Value::as_str).collect();
    if !missing.is_empty() {
        parts.push(format!("{} {}\n", style.notice("not found:"), missing.join(", ")));
    }
    Some(if parts.is_empty() { "nothing found\n".to_owned() } else { parts.join("\n") })
}

fn one(symbol: &Value, style: &Style) -> String {
    let line = |field: &str| number_of(symbol, field).unwrap_or(0);
    let lines = format!("{}:{}-{}", text_of(symbol, "file"), line("start_line"), line("end_line"));
    let neighbour = if symbol["is_neighbor"] == true { " (neighbour)" } else { "" };
    let cut = if symbol["body_complete"] == false { " (cut)" } else { "" };
    let source = text_of(symbol, "source").trim_end_matches('\n');
    let header = format!("{}{neighbour}{cut}", text_of(symbol, "uid"));
    format!("{}  {}\n{source}\n", style.bold(header), style.path(lines))
}

fn ambiguous(target: &Value, style: &Style) -> String {
    let heading = format!("{} may be:", text_of(target, "target"));
    let mut out = format!("{}\n", style.notice(heading));
    for candidate in items(target, "candidates") {
        out.push_str(&format!(
            "  {}  {}\n",
            style.bold(text_of(candidate, "uid")),
            style.path(place(candidate))
        ));
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn source_has_a_header_and_the_rest_is_explained() {
        let data = json!({
            "symbols": [{"uid": "py:a.py#f", "name": "f", "kind": "function", "file": "a.py", "start_line": 1, "end_line": 2,
                "source": "def f():\n    pass\n", "body_complete": false}],
            "ambiguous": [{"target": "g", "candidates": [{"uid": "py:b.py#g", "kind": "function", "file": "b.py", "line": 4}]}],
            "not_found": ["h", "i"]});
        let expected = "py:a.py#f (cut)  a.py:1-2\ndef f():\n    pass\n\ng may be:\n  py:b.py#g  b.py:4\n\nnot found: h, i\n";
        assert_eq!(symbols(&data, &Style::default()).expect("a result"), expected);
    }
}
