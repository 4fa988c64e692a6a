//! Writes a definition's header as one line of code, without comments, and with separators for significant line ends.
//!
//! It works on characters, with brackets and quotes but no grammar: a header is short, and a mistake in one is a
//! blemish, not a wrong answer.

use std::borrow::Cow;

use crate::langs::lang::Lang;
use crate::langs::source::{CommentStyle, SourceRules};

/// TypeScript's words after which a type continues on the next line, and words with which one does.
const BEFORE: [&str; 9] =
    ["keyof", "typeof", "readonly", "extends", "infer", "is", "new", "unique", "asserts"];
const BEHIND: [&str; 5] = ["extends", "is", "as", "satisfies", "in"];

impl CommentStyle {
    /// Returns the length of the comment at the beginning of a text, in bytes, without the end of its line; `None` if
    /// there is none.
    #[must_use]
    pub fn comment_length(self, text: &str, behind_blank: bool) -> Option<usize> {
        let line = || Some(text.find('\n').unwrap_or(text.len()));
        match self {
            Self::Slashes if text.starts_with("/*") => {
                Some(text.find("*/").map_or(text.len(), |end| end + 2))
            }
            Self::Slashes if text.starts_with("//") => line(),
            Self::Hash if behind_blank && text.starts_with('#') => line(),
            Self::Dashes if text.starts_with("--") => line(),
            _ => None,
        }
    }
}

/// Returns the header without comments and with separators.
pub(super) fn tidy_header(lang: Lang, header: &str) -> Cow<'_, str> {
    let is_plain =
        !header.contains('\n') && !["//", "/*", "#", "--"].iter().any(|mark| header.contains(mark));
    if is_plain { Cow::Borrowed(header) } else { Cow::Owned(Tidy::new(lang).into_tidy_text(header)) }
}

struct Tidy {
    comments: CommentStyle,
    /// True if a line end between braces separates members.
    separates: bool,
    brackets: Vec<char>,
    out: String,
    /// True if a line has ended since the last word.
    line_ended: bool,
}

impl Tidy {
    fn new(lang: Lang) -> Self {
        let SourceRules { comments, lines_separate_members, .. } = *lang.source_rules();
        Self {
            comments,
            separates: lines_separate_members,
            brackets: Vec::new(),
            out: String::new(),
            line_ended: false,
        }
    }

    fn into_tidy_text(mut self, header: &str) -> String {
        let mut rest = header;
        while let Some(first) = rest.chars().next() {
            // Nothing begins within a word, and most of a header is words.
            let word = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
            if word > 0 && !self.line_ended {
                self.out.push_str(&rest[..word]);
                rest = &rest[word..];
                continue;
            }
            let behind_blank = self.out.is_empty() || self.out.ends_with(char::is_whitespace);
            if let Some(length) = self.comments.comment_length(rest, behind_blank) {
                self.out.push(' ');
                rest = &rest[length..];
                continue;
            }
            if self.line_ended && !first.is_whitespace() {
                self.separate_members(rest);
            }
            let length = quoted_length(rest, first).unwrap_or(first.len_utf8());
            self.track_bracket(first);
            self.line_ended |= first == '\n';
            self.out.push_str(&rest[..length]);
            rest = &rest[length..];
        }
        self.out
    }

    fn track_bracket(&mut self, first: char) {
        match first {
            '{' | '(' | '[' => self.brackets.push(first),
            '}' | ')' | ']' => drop(self.brackets.pop()),
            _ => {}
        }
    }

    /// Writes a semicolon if a line ended and `rest` begins with the next member.
    fn separate_members(&mut self, rest: &str) {
        self.line_ended = false;
        let begins = |c: char| c.is_alphanumeric() || "_$\"'[(<#".contains(c);
        let ends = |c: char| c.is_alphanumeric() || "_$\"'`])}>".contains(c);
        let code = self.out.trim_end();
        let is_end = self.separates
            && self.brackets.last() == Some(&'{')
            && code.ends_with(ends)
            && !code.ends_with("=>");
        if is_end
            && rest.starts_with(begins)
            && !BEFORE.contains(&last_word(code))
            && !BEHIND.contains(&first_word(rest))
        {
            self.out.truncate(code.len());
            self.out.push_str("; ");
        }
    }
}

/// Returns the length of the quoted text at the beginning of a text; only a template may contain line ends.
fn quoted_length(text: &str, first: char) -> Option<usize> {
    if !matches!(first, '"' | '\'' | '`') {
        return None;
    }
    let end = text[1..].find(|c| c == first || (c == '\n' && first != '`'))? + 1;
    text[end..].starts_with(first).then_some(end + 1)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

fn last_word(text: &str) -> &str {
    text.rsplit(|c| !is_word(c)).next().unwrap_or("")
}

/// Returns the word at the beginning of a text, unless it is a member's name.
fn first_word(text: &str) -> &str {
    let end = text.find(|c| !is_word(c)).unwrap_or(text.len());
    if text[end..].starts_with([':', '?', '(']) { "" } else { &text[..end] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_tidy(lang: Lang, header: &str, expected: &str) {
        let words: Vec<String> = tidy_header(lang, header).split_whitespace().map(str::to_owned).collect();
        assert_eq!(words.join(" "), expected);
    }

    #[test]
    fn comments_go_and_what_only_looks_like_one_stays() {
        check_tidy(
            Lang::TypeScript,
            "class Context<\n  // eslint-disable-next-line\n  E = any, /* env */\n>",
            "class Context< E = any, >",
        );
        check_tidy(Lang::TypeScript, "f(url = 'http://a', b = \"/*\")", "f(url = 'http://a', b = \"/*\")");
        check_tidy(
            Lang::Python,
            "def f(\n    a,  # first\n    b='#', c=1 # last\n)",
            "def f( a, b='#', c=1 )",
        );
        check_tidy(Lang::Rust, "fn f<'a>(x: &'a str, // its name\n y: u8)", "fn f<'a>(x: &'a str, y: u8)");
        check_tidy(Lang::Lua, "function f(a, -- it\n b)", "function f(a, b)");
        check_tidy(Lang::Ruby, "def f(a = \"#{b}\") # it", "def f(a = \"#{b}\")");
        check_tidy(Lang::Markdown, "# C# // and", "# C# // and");
    }

    #[test]
    fn members_on_lines_of_their_own_are_separated() {
        let env = "Env = {\n  Bindings?: Bindings\n  // of the request\n  Variables?: Variables\n}";
        check_tidy(Lang::TypeScript, env, "Env = { Bindings?: Bindings; Variables?: Variables }");
        check_tidy(
            Lang::TypeScript,
            "A = {\n  a: string,\n  b: C\n    | D;\n  [k: string]: () =>\n    void\n}",
            "A = { a: string, b: C | D; [k: string]: () => void }",
        );
        check_tidy(
            Lang::TypeScript,
            "f(\n  a: string,\n  b: {\n    c: keyof\n      D\n    in?: E\n  }\n)",
            "f( a: string, b: { c: keyof D; in?: E } )",
        );
        check_tidy(Lang::Go, "type A struct {\n\ta int\n\tb int\n}", "type A struct { a int b int }");
    }
}
