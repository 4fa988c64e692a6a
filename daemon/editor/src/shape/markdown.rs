//! Turns Markdown into plain text, for editors that show text without rendering it.
//!
//! Documentation in Markdown is readable as text except for its marks: fences, rules, marks of headings, emphasis,
//! links and escapes are removed, everything else stays where it is. This is no renderer, and code inside fences is not
//! touched.

use serde_json::Value;

/// Returns the text without the marks of Markdown.
pub(crate) fn plain_text(markdown: &str) -> String {
    let mut lines = Vec::new();
    let mut fence: Option<String> = None;
    for line in markdown.lines() {
        let mark = fence_of(line);
        match (&fence, mark) {
            (Some(open), Some((mark, ""))) if mark.starts_with(open.as_str()) => fence = None,
            (Some(_), _) => lines.push(line.to_owned()),
            (None, Some((mark, _))) => fence = Some(mark.to_owned()),
            (None, None) => lines.push(plain_line(line)),
        }
    }
    let first = lines.iter().position(|line| !line.trim().is_empty()).unwrap_or(lines.len());
    lines[first..].join("\n").trim_end().to_owned()
}

/// Makes a `MarkupContent` plain; every editor accepts anything else (a string, `MarkedString`s) as it is.
pub(crate) fn make_plain(content: &mut Value) {
    if content.get("kind").and_then(Value::as_str) != Some("markdown") {
        return;
    }
    if let Some(content) = content.as_object_mut() {
        let text = content.get("value").and_then(Value::as_str).map(plain_text).unwrap_or_default();
        content.insert("kind".to_owned(), "plaintext".into());
        content.insert("value".to_owned(), text.into());
    }
}

/// Returns the marks of a fence and the text after them, if the line is a fence.
fn fence_of(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let count = line.chars().take_while(|&c| c == mark).count();
    // Backticks after backticks are code within a line.
    let is_fence = count >= 3 && (mark == '~' || !line[count..].contains('`'));
    is_fence.then(|| (&line[..count], line[count..].trim()))
}

/// Returns a line outside of fences without its marks.
fn plain_line(line: &str) -> String {
    let trimmed = line.trim();
    let is_rule =
        trimmed.len() >= 3 && ["-", "*", "_"].iter().any(|c| trimmed.replace(c, "").trim().is_empty());
    if is_rule {
        return String::new();
    }
    let title = trimmed.trim_start_matches('#');
    let level = trimmed.len() - title.len();
    let line =
        if (1..=6).contains(&level) && title.starts_with(' ') { title.trim() } else { line.trim_end() };
    plain_inline(line)
}

/// Returns the text within a line without its marks.
fn plain_inline(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let (said, length) = parse_sign(rest).unwrap_or((&rest[..c.len_utf8()], c.len_utf8()));
        match said.len() < length && rest.starts_with('[') {
            true => text.push_str(&plain_inline(said)),
            false => text.push_str(said),
        }
        rest = &rest[length..];
    }
    text
}

/// Returns the text that a mark at the start of `rest` stands for, and the mark's length in bytes; `None` if no mark is
/// there.
fn parse_sign(rest: &str) -> Option<(&str, usize)> {
    const ENTITIES: &[(&str, &str)] =
        &[("&nbsp;", " "), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&")];
    match rest.as_bytes()[0] {
        b'\\' if rest.as_bytes().get(1).is_some_and(u8::is_ascii_punctuation) => Some((&rest[1..2], 2)),
        b'`' => parse_code(rest),
        b'*' if rest.starts_with("**") => Some(("", 2)),
        b'[' => parse_link(rest),
        b'&' => {
            let (name, said) = ENTITIES.iter().find(|(name, _)| rest.starts_with(name))?;
            Some((said, name.len()))
        }
        _ => None,
    }
}

/// Parses code within a line: as many backticks at its end as at its start.
fn parse_code(rest: &str) -> Option<(&str, usize)> {
    let count = rest.bytes().take_while(|&b| b == b'`').count();
    let inside = &rest[count..];
    let end = inside.find(&rest[..count])?;
    Some((&inside[..end], end + 2 * count))
}

/// Parses `[text](target)`; brackets in the text may be escaped, and those of arrays are no links because no
/// parenthesis follows.
fn parse_link(rest: &str) -> Option<(&str, usize)> {
    let middle = rest.find("](")?;
    let said = &rest[1..middle];
    let end = middle + rest[middle..].find(')')?;
    (!said.contains('[')).then_some((said, end + 1))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn code_keeps_its_signs_and_prose_loses_them() {
        let markdown = "\n```rust\nfn f(**a) -> `x`\n```\n\n---\n\n# Panics\n\nIf `n` is **not** [a number](https://x.y/z_w).";
        assert_eq!(plain_text(markdown), "fn f(**a) -> `x`\n\n\n\nPanics\n\nIf n is not a number.");
    }

    #[test]
    fn escapes_and_entities_are_what_they_stand_for() {
        assert_eq!(plain_text(r"\*args, \_x &lt;T&gt; a\b `\_`"), r"*args, _x <T> a\b \_");
        assert_eq!(plain_text("a[0] and [x][y] and snake_case * 2"), "a[0] and [x][y] and snake_case * 2");
        assert_eq!(plain_text("[`Vec`](x)"), "Vec");
    }

    #[test]
    fn a_fence_ends_with_its_own_marks() {
        assert_eq!(plain_text("````\n```\ninner\n```\n````\nafter"), "```\ninner\n```\nafter");
        assert_eq!(plain_text("~~~\nnever closed"), "never closed");
        assert_eq!(plain_text("```code``` within"), "code within");
    }

    #[test]
    fn only_markup_is_made_plain() {
        let mut content = json!({"kind": "markdown", "value": "**b**"});
        make_plain(&mut content);
        assert_eq!(content, json!({"kind": "plaintext", "value": "b"}));
        for same in [json!("**b**"), json!({"language": "rust", "value": "**b**"}), json!(null)] {
            let mut content = same.clone();
            make_plain(&mut content);
            assert_eq!(content, same);
        }
    }
}
