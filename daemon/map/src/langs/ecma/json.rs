//! Reads JSON as people write it in configuration: with comments and trailing commas.

use serde_json::Value;

/// Reads JSON; `None` if the text is none even without comments and trailing commas.
#[must_use]
pub fn parse(text: &str) -> Option<Value> {
    let text = text.trim_start_matches('\u{feff}');
    serde_json::from_str(text).or_else(|_| serde_json::from_slice(&strip(text))).ok()
}

/// Replaces comments, and commas before a closing bracket, by spaces.
fn strip(text: &str) -> Vec<u8> {
    let mut out = without_comments(text.as_bytes());
    let mut comma = None;
    let mut in_string = false;
    for at in 0..out.len() {
        match out[at] {
            b'"' if !is_escaped(&out, at) => {
                in_string = !in_string;
                comma = None;
            }
            _ if in_string => {}
            b',' => comma = Some(at),
            b'}' | b']' => {
                if let Some(comma) = comma.take() {
                    out[comma] = b' ';
                }
            }
            byte if byte.is_ascii_whitespace() => {}
            _ => comma = None,
        }
    }
    out
}

fn without_comments(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let (mut at, mut in_string) = (0, false);
    while at < text.len() {
        let rest = &text[at..];
        let skipped = if in_string { 0 } else { comment_len(rest) };
        if skipped > 0 {
            out.push(b' ');
            at += skipped;
            continue;
        }
        if rest[0] == b'"' && !is_escaped(text, at) {
            in_string = !in_string;
        }
        out.push(rest[0]);
        at += 1;
    }
    out
}

fn comment_len(rest: &[u8]) -> usize {
    match rest {
        [b'/', b'/', ..] => memchr::memchr(b'\n', rest).unwrap_or(rest.len()),
        [b'/', b'*', inner @ ..] => memchr::memmem::find(inner, b"*/").map_or(rest.len(), |end| end + 4),
        _ => 0,
    }
}

/// Returns true if an odd number of backslashes stands before `at`.
fn is_escaped(text: &[u8], at: usize) -> bool {
    text[..at].iter().rev().take_while(|&&b| b == b'\\').count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_trailing_commas_are_forgiven() {
        let text =
            "\u{feff}{ // one\n \"a\": [1, 2, /* three */ ], \"b\": \"// no, } comment\\\"\", /* x */\n}";
        let value = parse(text).expect("readable");
        assert_eq!(value["a"][1], 2);
        assert_eq!(value["b"], "// no, } comment\"");
    }

    #[test]
    fn what_is_not_json_is_nothing() {
        for text in ["", "{", "{\"a\": }", "/*", "\"\\", "{,}x"] {
            assert!(parse(text).is_none(), "{text}");
        }
    }
}
