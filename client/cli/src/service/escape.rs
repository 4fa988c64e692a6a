//! Escapes texts as values of unit files and of XML.
//!
//! systemd reads a value in up to three ways: specifiers (`%`), then C's escapes and quotes, then variables (`$`). Which of them
//! apply depends on the setting, so there is a function for each kind of setting that hob writes.

/// Escapes a value of which systemd only expands specifiers: a path to listen on.
pub(super) fn escape_plain(text: &str) -> String {
    text.replace('%', "%%")
}

/// Escapes one word of a value that systemd splits by quotes: a program, or `NAME=value` of an environment.
pub(super) fn escape_word(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '%' => quoted.push_str("%%"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Returns the text of a value from [`escape_plain`].
pub(super) fn from_plain(value: &str) -> String {
    value.replace("%%", "%")
}

/// Returns the text of a value from [`escape_word`]; `None` for any other value.
pub(super) fn from_word(value: &str) -> Option<String> {
    let inner = value.trim().strip_prefix('"')?.strip_suffix('"')?;
    let mut text = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => text.push(match chars.next()? {
                'n' => '\n',
                't' => '\t',
                c => c,
            }),
            '%' => text.push(chars.next().filter(|c| *c == '%')?),
            c => text.push(c),
        }
    }
    Some(text)
}

/// Escapes a text between tags or in an attribute.
pub(super) fn escape_xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_what_is_read() {
        for text in [
            "/usr/bin/hobd",
            "/a b/100%/\"x\"/it's",
            "back\\slash",
            "two\nlines\tand a tab",
            "$HOME ${X} %h",
            "",
        ] {
            assert_eq!(from_word(&escape_word(text)).as_deref(), Some(text));
            assert_eq!(from_plain(&escape_plain(text)), text);
        }
        assert_eq!(escape_word("/a b/50%"), "\"/a b/50%%\"");
        assert_eq!(from_word("unquoted"), None);
    }

    #[test]
    fn no_text_ends_an_element() {
        assert_eq!(escape_xml("<a & \"b\">"), "&lt;a &amp; &quot;b&quot;&gt;");
    }
}
