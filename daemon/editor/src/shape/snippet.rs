//! Turns snippets into plain text: the text that stands in the document if the user types nothing at their tab stops.
//!
//! The grammar is that of the protocol ("Snippet Syntax"): tab stops `$1`, placeholders `${1:default}`, which nest,
//! choices `${1|one,two|}`, variables `$NAME` and `${NAME:default}`, transformations `${1/regex/format/options}`, which
//! are left out, and `\` before `$`, `}` or `\`. Anything that does not follow the grammar is text, as in editors. A
//! repeated stop repeats the text of its placeholder.

use std::collections::BTreeMap;

/// Deepest nesting of placeholders, beyond which the rest is text, and deepest repetition of one in another, beyond
/// which the rest is empty.
const DEEPEST: usize = 32;

/// Most bytes that repeated placeholders may add: each may repeat others, so a text could grow without bounds.
const MOST_REPEATED: usize = 64 << 10;

/// Variables that every editor knows. Without a value they are empty; any other variable becomes its own name.
const KNOWN: &[&str] = &[
    "TM_SELECTED_TEXT",
    "TM_CURRENT_LINE",
    "TM_CURRENT_WORD",
    "TM_LINE_INDEX",
    "TM_LINE_NUMBER",
    "TM_FILENAME",
    "TM_FILENAME_BASE",
    "TM_DIRECTORY",
    "TM_FILEPATH",
];

/// Returns the text of a snippet without its tab stops.
pub(crate) fn snippet_text(snippet: &str) -> String {
    if !snippet.contains(['$', '\\']) {
        return snippet.to_owned();
    }
    let mut parser = Parser { text: snippet, at: 0, has_run_out: false };
    let parts = parser.parse_parts(None, 0);
    let mut defaults = BTreeMap::new();
    collect_defaults(&parts, &mut defaults);
    let longest = snippet.len() + MOST_REPEATED;
    let mut written = SnippetWriter { defaults, values: BTreeMap::new(), depth: 0, longest };
    let mut text = String::new();
    written.write(&parts, &mut text);
    text
}

#[derive(Debug)]
enum SnippetPart<'a> {
    Text(String),
    Stop {
        number: &'a str,
        default: Option<Vec<SnippetPart<'a>>>,
    },
    /// A variable's default, the name of an unknown one, or the text in braces that are not closed.
    Inner(Vec<SnippetPart<'a>>),
}

/// The text after the number of a stop, or after a variable's name.
enum StopRest<'a> {
    /// Nothing follows: the stop has no default.
    Bare,
    Default(Vec<SnippetPart<'a>>),
    /// The snippet ended within the default, which begins here. It is not parsed again as text: that would double the
    /// time for each level of braces.
    Unclosed(usize, Vec<SnippetPart<'a>>),
}

/// Collects the first default of every stop.
fn collect_defaults<'p, 'a>(
    parts: &'p [SnippetPart<'a>],
    defaults: &mut BTreeMap<&'a str, &'p [SnippetPart<'a>]>,
) {
    for part in parts {
        match part {
            SnippetPart::Text(_) | SnippetPart::Stop { default: None, .. } => {}
            SnippetPart::Stop { number, default: Some(inner) } => {
                defaults.entry(number).or_insert(inner);
                collect_defaults(inner, defaults);
            }
            SnippetPart::Inner(inner) => collect_defaults(inner, defaults),
        }
    }
}

struct SnippetWriter<'p, 'a> {
    defaults: BTreeMap<&'a str, &'p [SnippetPart<'a>]>,
    /// The texts of the stops; a stop is empty while its own text is being computed, so that a stop inside its own
    /// default ends.
    values: BTreeMap<&'a str, String>,
    /// Number of stops inside each other's defaults at this point: there may be thousands.
    depth: usize,
    longest: usize,
}

impl<'a> SnippetWriter<'_, 'a> {
    fn write(&mut self, parts: &[SnippetPart<'a>], text: &mut String) {
        for part in parts {
            match part {
                SnippetPart::Text(literal) => text.push_str(literal),
                SnippetPart::Inner(inner) => self.write(inner, text),
                SnippetPart::Stop { number, .. } => {
                    let value = self.value(number);
                    if text.len() + value.len() <= self.longest {
                        text.push_str(&value);
                    }
                }
            }
        }
    }

    fn value(&mut self, number: &'a str) -> String {
        if let Some(value) = self.values.get(number) {
            return value.clone();
        }
        self.values.insert(number, String::new());
        let mut value = String::new();
        if let Some(parts) = self.defaults.get(number).copied().filter(|_| self.depth < DEEPEST) {
            self.depth += 1;
            self.write(parts, &mut value);
            self.depth -= 1;
        }
        self.values.insert(number, value.clone());
        value
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    /// True if a search for the end of a choice or a transformation has reached the snippet's end, so that no other
    /// search has to.
    has_run_out: bool,
}

impl<'a> Parser<'a> {
    fn unparsed_text(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let is_next = self.unparsed_text().starts_with(word);
        self.at += if is_next { word.len() } else { 0 };
        is_next
    }

    /// Consumes the characters from here on while they fit, and returns them.
    fn eat_while(&mut self, fits: fn(char) -> bool) -> &'a str {
        let rest = self.unparsed_text();
        let eaten = rest.find(|c| !fits(c)).map_or(rest, |end| &rest[..end]);
        self.at += eaten.len();
        eaten
    }

    /// Parses everything up to `end`, which is not consumed, or to the end of the snippet.
    fn parse_parts(&mut self, end: Option<char>, depth: usize) -> Vec<SnippetPart<'a>> {
        let (mut parts, mut literal) = (Vec::new(), String::new());
        while let Some(c) = self.unparsed_text().chars().next() {
            if Some(c) == end {
                break;
            }
            let before = self.at;
            match self.parse_special(c, depth) {
                Some(part) => {
                    parts.push(SnippetPart::Text(std::mem::take(&mut literal)));
                    parts.push(part);
                }
                None => {
                    self.at = before;
                    literal.push(self.parse_literal(c));
                }
            }
        }
        parts.push(SnippetPart::Text(literal));
        parts
    }

    /// Parses one character of text, which may be escaped.
    fn parse_literal(&mut self, c: char) -> char {
        self.at += c.len_utf8();
        let escaped =
            self.unparsed_text().chars().next().filter(|next| c == '\\' && matches!(next, '$' | '}' | '\\'));
        self.at += escaped.map_or(0, char::len_utf8);
        escaped.unwrap_or(c)
    }

    /// Parses the part that begins with `$` here; `None` if none does. The parser may have moved even then.
    fn parse_special(&mut self, c: char, depth: usize) -> Option<SnippetPart<'a>> {
        if c != '$' || depth >= DEEPEST {
            return None;
        }
        let start = self.at;
        self.at += 1;
        let braced = self.eat_word("{");
        let number = self.eat_while(|c| c.is_ascii_digit());
        let name = match number {
            "" => self.eat_while(|c| c.is_ascii_alphanumeric() || c == '_'),
            _ => "",
        };
        let rest = match braced {
            _ if number.is_empty() && name.is_empty() => return None,
            false => StopRest::Bare,
            true if name.is_empty() && self.eat_word("|") => {
                StopRest::Default(vec![SnippetPart::Text(self.parse_choice()?)])
            }
            true => self.rest_in_braces(depth)?,
        };
        Some(match rest {
            StopRest::Unclosed(opened, mut inner) => {
                inner.insert(0, SnippetPart::Text(self.text[start..opened].to_owned()));
                SnippetPart::Inner(inner)
            }
            StopRest::Bare if name.is_empty() => SnippetPart::Stop { number, default: None },
            StopRest::Default(default) if name.is_empty() => {
                SnippetPart::Stop { number, default: Some(default) }
            }
            StopRest::Bare if KNOWN.contains(&name) => SnippetPart::Inner(Vec::new()),
            StopRest::Bare => SnippetPart::Inner(vec![SnippetPart::Text(name.to_owned())]),
            StopRest::Default(default) => SnippetPart::Inner(default),
        })
    }

    /// Parses the text after a name in braces; `None` if it follows no rule.
    fn rest_in_braces(&mut self, depth: usize) -> Option<StopRest<'a>> {
        if self.eat_word("}") || self.eat_word("/") && self.eat_transformation() {
            return Some(StopRest::Bare);
        }
        if !self.eat_word(":") {
            return None;
        }
        let opened = self.at;
        let default = self.parse_parts(Some('}'), depth + 1);
        Some(if self.eat_word("}") {
            StopRest::Default(default)
        } else {
            StopRest::Unclosed(opened, default)
        })
    }

    /// Returns the first of the words up to `|}`, and consumes all of them.
    fn parse_choice(&mut self) -> Option<String> {
        let (mut first, mut word) = (None, String::new());
        loop {
            if self.eat_word("|}") {
                return Some(first.unwrap_or(word));
            }
            let Some(c) = self.unparsed_text().chars().next().filter(|_| !self.has_run_out) else {
                self.has_run_out = true;
                return None;
            };
            self.at += c.len_utf8();
            match c {
                ',' => first = first.or(Some(std::mem::take(&mut word))),
                '\\' if self.unparsed_text().starts_with([',', '|', '\\', '$', '}']) => {
                    let escaped = self.unparsed_text().chars().next()?;
                    self.at += escaped.len_utf8();
                    word.push(escaped);
                }
                c => word.push(c),
            }
        }
    }

    /// Consumes `regex/format/options}`; returns true if it is there. The format may have braces of its own.
    fn eat_transformation(&mut self) -> bool {
        let (mut slashes, mut braces) = (0, 0_usize);
        while let Some(c) = self.unparsed_text().chars().next().filter(|_| !self.has_run_out) {
            self.at += c.len_utf8();
            match c {
                '\\' => self.at += self.unparsed_text().chars().next().map_or(0, char::len_utf8),
                '/' if braces == 0 => slashes += 1,
                '$' if slashes == 1 && self.eat_word("{") => braces += 1,
                '}' if braces > 0 => braces -= 1,
                '}' if slashes >= 2 => return true,
                _ => {}
            }
        }
        self.has_run_out = true;
        false
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn tab_stops_go_and_their_defaults_stay() {
        for (snippet, text) in [
            ("println!($0)", "println!()"),
            ("$1.push($2)$0", ".push()"),
            ("${1}x${0}", "x"),
            ("map(${1:key}, ${2:value})", "map(key, value)"),
            ("f(${1:a, ${2:b}})", "f(a, b)"),
            ("for ${1:i} in 0..$1.len", "for i in 0..i.len"),
            ("$1 = ${1:x}", "x = x"),
            ("${1|pub,pub(crate)|} fn", "pub fn"),
            ("${1|a\\,b,c|}", "a,b"),
            ("naïve ${1:é}", "naïve é"),
        ] {
            assert_eq!(snippet_text(snippet), text, "{snippet}");
        }
    }

    #[test]
    fn variables_have_their_defaults_or_names() {
        assert_eq!(snippet_text("${TM_SELECTED_TEXT:body}"), "body");
        assert_eq!(snippet_text("[$TM_SELECTED_TEXT]"), "[]");
        assert_eq!(snippet_text("$name = ${other}"), "name = other");
        assert_eq!(snippet_text("${TM_FILENAME/(.*)\\..+$/${1:/upcase}/g}!"), "!");
        assert_eq!(snippet_text("${1/a/b/}c"), "c");
    }

    #[test]
    fn what_is_escaped_or_no_stop_is_text() {
        for (snippet, text) in [
            (r"cost \$1", "cost $1"),
            (r"${1:\}}", "}"),
            (r"a\\b\n", r"a\b\n"),
            ("{ $1 }", "{  }"),
            ("$ and ${} and ${-}", "$ and ${} and ${-}"),
            ("${1:open ${2:x}", "${1:open x"),
            ("${1|open", "${1|open"),
            ("100%", "100%"),
            ("end\\", "end\\"),
        ] {
            assert_eq!(snippet_text(snippet), text, "{snippet}");
        }
    }

    #[test]
    fn a_stop_in_its_own_default_ends() {
        assert_eq!(snippet_text("${1:a$1}"), "a");
        assert_eq!(snippet_text("${1:$2}${2:$1b}"), "bb");
    }

    #[test]
    fn repetition_is_bounded() {
        let doubling: String = (1..60).map(|n| format!("${{{n}:x${}${}}}", n + 1, n + 1)).collect();
        assert!(snippet_text(&doubling).len() <= doubling.len() + MOST_REPEATED);
        let deep = "${1:".repeat(5000) + &"}".repeat(5000);
        assert!(snippet_text(&deep).len() <= deep.len());
        let chain: String = (1..20_000).map(|n| format!("${{{n}:${}}}", n + 1)).collect();
        assert_eq!(snippet_text(&chain), "");
        let never_closed = "${1:".repeat(5000) + &"${1|${1/".repeat(5000);
        assert_eq!(snippet_text(&never_closed), never_closed);
    }

    proptest! {
        #[test]
        fn any_text_is_a_snippet(text in "[$\\\\{}|:,/1-3aé]{0,40}") {
            snippet_text(&text);
        }

        #[test]
        fn what_is_escaped_comes_back(text in "[$\\\\{}|:,/1-3aé]{0,20}") {
            let escaped = text.replace('\\', "\\\\").replace('$', "\\$").replace('}', "\\}");
            prop_assert_eq!(snippet_text(&escaped), text);
        }
    }
}
