//! Finds the names that a search pattern is about: `refresh` in `\bdef refresh\(`.
//!
//! Prose, and a pattern that fits many names, give none: a wrong guess would cost the agent more than silence.

/// Keywords of languages that stand before names.
const KEYWORDS: &[&str] = &[
    "abstract",
    "async",
    "await",
    "class",
    "const",
    "def",
    "enum",
    "export",
    "extends",
    "final",
    "fn",
    "fun",
    "func",
    "function",
    "impl",
    "import",
    "interface",
    "let",
    "mod",
    "module",
    "namespace",
    "new",
    "override",
    "package",
    "private",
    "protected",
    "pub",
    "public",
    "return",
    "self",
    "static",
    "struct",
    "super",
    "this",
    "trait",
    "type",
    "union",
    "use",
    "var",
    "void",
    "from",
];

/// Length of the shortest name that is worth a question.
const SHORTEST: usize = 3;

/// Most names that one pattern gives.
const MOST: usize = 2;

/// Finds the names that a regex is about, one for each alternative; none if an alternative does not have exactly one.
/// `is_literal` for a fixed string.
pub(super) fn names_in_pattern(pattern: &str, is_literal: bool) -> Vec<String> {
    let plain = if is_literal { Some(vec![pattern.to_owned()]) } else { plain_alternatives(pattern) };
    let Some(alternatives) = plain.filter(|alternatives| alternatives.len() <= MOST) else {
        return Vec::new();
    };
    let names: Option<Vec<String>> = alternatives.iter().map(|text| only_name(text)).collect();
    let mut names = names.unwrap_or_default();
    names.dedup();
    names
}

/// Returns the alternatives of a regex as text, with spaces for the parts that may vary; `None` if part of a word may
/// vary.
fn plain_alternatives(pattern: &str) -> Option<Vec<String>> {
    let mut all = vec![String::new()];
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        let last = all.last_mut()?;
        match c {
            '|' => all.push(String::new()),
            '\\' => match chars.next()? {
                // Basic regexes write an alternative with a backslash.
                '|' => all.push(String::new()),
                'b' | 'B' | 's' | 'A' | 'z' | 'Z' | '<' | '>' => last.push(' '),
                // A class of letters makes another word of its neighbours.
                escaped if escaped.is_alphanumeric() => last.push(ANY_LETTER),
                escaped => last.push(escaped),
            },
            '[' => {
                // The class ends at a closing bracket; one that comes first belongs to it.
                let mut is_first = true;
                while let Some(inside) = chars.next() {
                    match inside {
                        ']' if !is_first => break,
                        '\\' => drop(chars.next()),
                        _ => {}
                    }
                    is_first = inside == '^' && is_first;
                }
                last.push(ANY_LETTER);
            }
            '(' => {
                if chars.next_if_eq(&'?').is_some() {
                    while chars.next_if(|c| !matches!(c, ':' | ')' | '=' | '!')).is_some() {}
                    let _ = chars.next();
                }
                last.push(' ');
            }
            ')' | '^' | '$' => last.push(' '),
            '*' | '+' | '?' | '{' => {
                if c == '{' {
                    while chars.next_if(|c| *c != '}').is_some() {}
                    let _ = chars.next();
                }
                // A repeated letter makes another word.
                if last.ends_with(|c: char| c.is_alphanumeric() || c == '_') {
                    return None;
                }
                if !last.ends_with(ANY_LETTER) {
                    last.push(' ');
                }
            }
            '.' => {
                let joins = last.ends_with(is_of_name) && chars.peek().is_some_and(|next| is_of_name(*next));
                last.push(if joins { '.' } else { ' ' });
            }
            other => last.push(other),
        }
    }
    let touches = |text: &String| {
        let chars: Vec<char> = text.chars().collect();
        chars.windows(2).any(|pair| pair.contains(&ANY_LETTER) && pair.iter().any(|c| is_of_name(*c)))
    };
    if all.iter().any(touches) {
        return None;
    }
    Some(all.into_iter().map(|text| text.replace(ANY_LETTER, " ")).collect())
}

/// Stands for a place where a pattern accepts any of several letters.
const ANY_LETTER: char = '\u{0}';

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Returns the only name in a text; `None` if there is none, or several.
fn only_name(text: &str) -> Option<String> {
    let is_inside = |c: char| is_of_name(c) || matches!(c, '.' | ':' | '#');
    let words = text.split(|c: char| !is_inside(c)).map(|word| word.trim_matches(['.', ':', '#']));
    let mut names = words.filter(|word| !word.is_empty() && !KEYWORDS.contains(word));
    let name = names.next()?;
    let is_name = name.chars().count() >= SHORTEST
        && name.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$')
        && !name.ends_with('_')
        && !name.contains("..");
    (is_name && names.next().is_none()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, expected: &[&str]) {
        assert_eq!(names_in_pattern(pattern, false), expected, "{pattern}");
    }

    #[test]
    fn the_name_is_found_in_what_agents_write() {
        check("refresh", &["refresh"]);
        check(r"\brefresh\b", &["refresh"]);
        check(r"def refresh\(", &["refresh"]);
        check(r"^\s*(pub )?fn\s+find_root\s*\(", &["find_root"]);
        check(r"class\s+SessionStore", &["SessionStore"]);
        check(r"SessionStore\.refresh", &["SessionStore.refresh"]);
        check("SessionStore.refresh", &["SessionStore.refresh"]);
        check(r"\.refresh\(", &["refresh"]);
        check("open_store|close_store", &["open_store", "close_store"]);
        check(r"open_store\|close_store", &["open_store", "close_store"]);
        check("(?i)find_root", &["find_root"]);
        check("Map::find", &["Map::find"]);
        assert_eq!(names_in_pattern("a.find(", true), ["a.find"]);
    }

    #[test]
    fn prose_and_patterns_of_many_names_are_about_none() {
        for pattern in [
            "",
            "connection refused",
            "colou?r",
            "get_.*",
            r"handle\w+",
            r"parse[A-Z]\w*",
            r"\w+Store",
            "[a-z]+",
            "TO",
            "a|b|c",
            "foo bar|baz",
            "\\",
            "[",
            "(?",
            "x{",
            "[]",
            "[^]]",
            "TODO.*later",
            "1234",
        ] {
            check(pattern, &[]);
        }
    }
}
