//! Reads the block of settings before a note's text, between `---` lines (YAML) or `+++` lines (TOML).
//!
//! Only two settings are used, the title and the description, and links in the others. Reading them line by line needs
//! no YAML and cannot fail: a block that is never closed is text.

/// The settings that are used, and the beginning of the text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FrontMatter<'t> {
    /// First byte after the block and after a byte order mark.
    pub(super) end: usize,
    /// The title, and the byte at which it starts.
    pub(super) title: Option<(&'t str, usize)>,
    /// The description in the settings; empty if they have none.
    pub(super) description: &'t str,
}

/// Reads the block at the start of a text, if there is one.
pub(super) fn read(text: &str) -> FrontMatter<'_> {
    let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let none = FrontMatter { end: mark, ..FrontMatter::default() };
    let mut lines = text[mark..].split_inclusive('\n');
    let Some(fence) = lines.next().filter(|line| matches!(line.trim_end(), "---" | "+++")) else {
        return none;
    };
    let mut front = FrontMatter { end: mark + fence.len(), ..FrontMatter::default() };
    for line in lines {
        let at = front.end;
        front.end += line.len();
        if line.trim_end() == fence.trim_end() || (fence.starts_with('-') && line.trim_end() == "...") {
            return front;
        }
        if let Some((name, value)) = parse_setting(line, fence.starts_with('+')) {
            let start = at + line.find(value).unwrap_or(0);
            match name {
                "title" if front.title.is_none() && !value.is_empty() => front.title = Some((value, start)),
                "description" | "summary" if front.description.is_empty() => front.description = value,
                _ => {}
            }
        }
    }
    none
}

/// Splits `name: value` or `name = value` at the top level into name and value, without quotes.
fn parse_setting(line: &str, is_toml: bool) -> Option<(&str, &str)> {
    let (name, value) = line.split_once(if is_toml { '=' } else { ':' })?;
    let name = if is_toml { name.trim() } else { name };
    let value = value.trim();
    let quoted = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
    Some((name, quoted('"').or_else(|| quoted('\'')).unwrap_or(value).trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_gives_its_title_and_an_unclosed_one_is_text() {
        let front = read("---\r\ntitle: \"A note\"\r\ntags: [x]\r\n---\r\n# H\r\n");
        assert_eq!((front.title, front.end), (Some(("A note", 13)), 38));
        assert_eq!(read("+++\ntitle = 'T'\n+++\n").title, Some(("T", 13)));
        assert_eq!(read("\u{feff}---\ntitle: T\n...\n").title, Some(("T", 14)));
        assert_eq!(read("---\ntitle: T\n"), FrontMatter::default());
        assert_eq!(read("text\n---\ntitle: T\n---\n"), FrontMatter::default());
        assert_eq!(read("---\ndeep:\n  title: T\n---\n").title, None);
    }
}
