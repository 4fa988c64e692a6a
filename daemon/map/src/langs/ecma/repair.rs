//! Repairs two things that the grammar of TypeScript does not understand, by writing them in a way that it does.
//!
//! - A member that begins a line with `<`, or is called `in`: the scanner gives no semicolon to the member before it,
//!   though the language does. One is written into the white space in between.
//! - `typeof undefined` as a type: `undefined` alone means the same.
//!
//! The repair looks at lines and words and needs no lexer: only files that miss definitions are repaired, and nobody
//! reads what it makes of a string or a comment.

use memchr::memmem::find_iter;

/// Farthest byte at which the type parameters of a call signature may end.
const PARAMETERS: usize = 1 << 14;

/// Returns the text, repaired, with the same length and lines; `None` if there is nothing to repair.
pub(crate) fn repair_text(source: &[u8]) -> Option<Vec<u8>> {
    let mut text = source.to_vec();
    let mut start = 0;
    for line in source.split_inclusive(|byte| *byte == b'\n') {
        if let Some(at) = member_start(source, start, line).and_then(|at| gap_before(source, at)) {
            text[at] = b';';
        }
        start += line.len();
    }
    for at in find_iter(source, b"typeof undefined") {
        text[at..at + b"typeof".len()].fill(b' ');
    }
    (text != source).then_some(text)
}

/// Returns the byte at which a member begins in a line, if it is one that the scanner does not expect.
fn member_start(source: &[u8], start: usize, line: &[u8]) -> Option<usize> {
    let at = start + line.iter().position(|byte| !byte.is_ascii_whitespace())?;
    let rest = &source[at..];
    let is_member = match rest {
        [b'<', ..] => is_call_signature(rest),
        [b'i', b'n', ..] => is_named(rest, b"in") || is_named(rest, b"instanceof"),
        _ => false,
    };
    is_member.then_some(at)
}

/// Returns true if `<...>` is followed by parameters.
fn is_call_signature(rest: &[u8]) -> bool {
    let rest = &rest[..rest.len().min(PARAMETERS)];
    let mut depth = 0_usize;
    for (at, byte) in rest.iter().enumerate() {
        match byte {
            b'<' => depth += 1,
            b'>' if rest[at - 1] != b'=' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return rest[at + 1..].trim_ascii_start().starts_with(b"(");
        }
    }
    false
}

fn is_named(rest: &[u8], name: &[u8]) -> bool {
    let rest = rest.strip_prefix(name).map(|rest| rest.strip_prefix(b"?").unwrap_or(rest));
    rest.is_some_and(|rest| matches!(rest.first(), Some(b':' | b'(')))
}

/// Returns the nearest blank before a member whose predecessor ends in a word or a closing bracket, comments aside.
fn gap_before(source: &[u8], member: usize) -> Option<usize> {
    let before = source[..member].trim_ascii_end();
    let code = without_comments(before);
    let ends = |byte: u8| byte.is_ascii_alphanumeric() || b"_$>)]}\"'`".contains(&byte) || !byte.is_ascii();
    if code.ends_with(b"=>") || !code.last().is_some_and(|last| ends(*last)) {
        return None;
    }
    let blank = source[before.len()..member].iter().rposition(|byte| matches!(byte, b' ' | b'\t' | b'\r'))?;
    Some(before.len() + blank)
}

/// Returns a text without the comments and white space at its end.
fn without_comments(mut text: &[u8]) -> &[u8] {
    loop {
        text = text.trim_ascii_end();
        let line = memchr::memrchr(b'\n', text).map_or(0, |newline| newline + 1);
        let shorter = if text.ends_with(b"*/") {
            memchr::memmem::rfind(text, b"/*")
        } else {
            comment_start(&text[line..]).map(|at| line + at)
        };
        match shorter {
            Some(at) => text = &text[..at],
            None => return text,
        }
    }
}

/// Returns the byte in a line at which `// ...` begins; the `//` of a URL does not count.
fn comment_start(line: &[u8]) -> Option<usize> {
    find_iter(line, b"//").find(|at| *at == 0 || line[at - 1] != b':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_repair(source: &str, expected: &str) {
        let text = repair_text(source.as_bytes()).map(|text| String::from_utf8(text).expect("text"));
        assert_eq!(text.as_deref().unwrap_or(source), expected);
    }

    #[test]
    fn members_are_separated_where_the_language_does() {
        check_repair(
            "{\n  (a): B<C>\n  // next\n  <T>(a: T): T\n}",
            "{\n  (a): B<C>\n  // next\n ;<T>(a: T): T\n}",
        );
        check_repair("{\n  a: b // x\n  in?: c\n}", "{\n  a: b // x\n ;in?: c\n}");
        check_repair("{\n  a: b\n  instance: c\n  into(): d }", "{\n  a: b\n  instance: c\n  into(): d }");
        check_repair(
            "{\n  <A extends () => B>(): C /* x */\n\n  <D>() }",
            "{\n  <A extends () => B>(): C /* x */\n\n ;<D>() }",
        );
        // None of these is a member: an argument's list, a union, a comparison.
        check_repair("f(\n  <T>(a) => a)", "f(\n  <T>(a) => a)");
        check_repair("a = b\n  < c", "a = b\n  < c");
        check_repair("x = typeof undefined | y", "x =        undefined | y");
    }
}
