//! Separates the code of a text from its comments, by characters: it respects quotes and needs no grammar.
//!
//! A wrong separation costs a wrong word for a part (`docs` for `body`), never a missed change: callers
//! compare both code and comments, and every character is in one of them.

use hob_map::FileFacts;

/// A text, with its code and its comments apart.
#[derive(Debug, Default)]
pub(crate) struct SplitText {
    /// The code, line by line.
    pub(crate) code: String,
    /// The comments, and the string that documents a definition.
    pub(crate) comments: String,
}

impl SplitText {
    /// Adds a part of a file. `doc` is the beginning of a string that counts as a comment, if there is one.
    pub(crate) fn add_stretch(&mut self, facts: &FileFacts, text: &str, doc: &str) {
        let style = facts.lang.source_rules().comments;
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let behind_blank = self.code.is_empty() || self.code.ends_with(char::is_whitespace);
            if let Some(length) = style.comment_length(rest, behind_blank).filter(|length| *length > 0) {
                self.add_comment(&rest[..length]);
                rest = &rest[length..];
                continue;
            }
            let quoted = quoted_length(rest, first);
            let length = quoted.unwrap_or(first.len_utf8());
            let (own, behind) = rest.split_at(length);
            match quoted {
                Some(_) if self.documents(own, doc) || self.is_string_alone(facts, own, behind) => {
                    self.add_comment(own);
                }
                _ => self.code.push_str(own),
            }
            rest = &rest[length..];
        }
    }

    /// Returns true if a long string is a statement by itself, which documents the definition before it: in
    /// languages whose comments end with their line.
    fn is_string_alone(&self, facts: &FileFacts, quoted: &str, behind: &str) -> bool {
        let style = facts.lang.source_rules().comments;
        let ends_with_line = style.comment_length("# comment", true).is_some();
        let is_last = behind.lines().next().is_none_or(|rest| rest.trim().is_empty());
        let line = self.code.rsplit('\n').next().unwrap_or_default();
        let is_first =
            line.trim().is_empty() && !self.code.trim_end().ends_with(['(', '[', '{', ',', '=', '+', '\\']);
        ends_with_line && quoted.starts_with("\"\"\"") && is_first && is_last
    }

    fn add_comment(&mut self, text: &str) {
        self.comments.push_str(text);
        self.comments.push('\n');
    }

    /// Returns true if a string stands alone on its line and begins as `doc` does.
    fn documents(&self, quoted: &str, doc: &str) -> bool {
        let line = self.code.rsplit('\n').next().unwrap_or_default().trim();
        let inner = quoted.trim_start_matches(['"', '\'']).trim_start();
        let first = doc.split_whitespace().next().unwrap_or_default().trim_end_matches(['"', '\'']);
        !first.is_empty() && ["", "r", "R", "u", "U"].contains(&line) && inner.starts_with(first)
    }
}

/// Returns the length of the quoted text at the beginning of a text; triple quotes and backticks may span
/// lines.
pub(crate) fn quoted_length(text: &str, first: char) -> Option<usize> {
    if !matches!(first, '"' | '\'' | '`') {
        return None;
    }
    let triple = ["\"\"\"", "'''"].into_iter().find(|triple| text.starts_with(triple));
    if let Some(triple) = triple {
        return Some(text[3..].find(triple).map_or(text.len(), |end| end + 6));
    }
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' if first != '`' => return None,
            _ if c == first => return Some(at + c.len_utf8()),
            _ => {}
        }
    }
    None
}

/// Returns the comment lines directly above the byte `start`.
pub(crate) fn comments_above<'t>(facts: &FileFacts, text: &'t str, start: usize) -> &'t str {
    let style = facts.lang.source_rules().comments;
    let head = text.get(..start).unwrap_or_default();
    let line_start = head.rfind('\n').map_or(0, |at| at + 1);
    let mut from = line_start;
    let mut in_block = false;
    for line in head[..line_start].split_inclusive('\n').rev() {
        let trimmed = line.trim();
        in_block |= trimmed.ends_with("*/");
        let is_comment = in_block || style.comment_length(trimmed, true).is_some();
        if !is_comment {
            break;
        }
        in_block &= !trimmed.starts_with("/*");
        from -= line.len();
    }
    &text[from..line_start]
}
