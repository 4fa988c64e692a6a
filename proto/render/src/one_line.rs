//! Writes names and lines of a project as part of one line: no name can begin a line of its own, or hide
//! characters.

use std::borrow::Cow;

/// Returns `text` with line ends, control characters and characters that change the order of others written as escapes
/// (`\n`, `\u{202e}`); tabs stay.
#[must_use]
pub fn one_line(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unfit) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match is_unfit(c) {
            true => out.extend(c.escape_default()),
            false => out.push(c),
        }
    }
    Cow::Owned(out)
}

fn is_unfit(c: char) -> bool {
    (c.is_control() && c != '\t')
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns the first `most` characters of `text` with an ellipsis, or all of it when it is no longer.
pub(crate) fn shorten_to(text: &str, most: usize) -> Cow<'_, str> {
    if text.char_indices().nth(most).is_none() {
        return Cow::Borrowed(text);
    }
    let cut = text.char_indices().nth(most.saturating_sub(1)).map_or(text.len(), |(at, _)| at);
    Cow::Owned(format!("{}…", &text[..cut]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_on_its_line_and_shows_as_it_is() {
        assert_eq!(one_line("a\nerror: b\u{202e}"), "a\\nerror: b\\u{202e}");
        assert_eq!(one_line("a\tb é"), "a\tb é");
    }

    #[test]
    fn a_long_text_ends_in_an_ellipsis() {
        assert_eq!(shorten_to("abcdef", 4), "abc…");
        assert_eq!(shorten_to("äbcd", 4), "äbcd");
    }
}
