//! The rules of `STYLE.md` about words, as far as a machine can hold them: names that can be searched for, sentences with a subject.
//!
//! Shares are asked for and not purity: a rule that no exception may break makes people write around it.

use std::collections::BTreeMap;

use hob_tests::repository;

use super::tidy::{code, none, rust_files};

/// Most definitions of types of one name in the workspace: a reader who searches for it has to find the one that is meant.
const SAME_NAME: usize = 3;

/// Most words of a paragraph of the map of the code.
const PARAGRAPH: usize = 80;

/// Largest share of function names of one word, in percent.
const ONE_WORD: usize = 40;

/// Largest share of documentation that opens with a word that makes the reader wait for the noun, in percent.
const OPENINGS: usize = 5;

/// Largest share of documentation of three words or fewer, in percent.
const SHORT: usize = 3;

/// Words that make the reader wait for the noun.
const WAITING: [&str; 4] = ["What", "Whether", "How", "Of"];

/// Verbs that say nothing by themselves; as the name of a public function they need the word of what they do it to.
const LONE_VERBS: [&str; 8] = ["hold", "kept", "look", "note", "said", "see", "told", "wanted"];

/// The word behind `start` in a line of code, if the line has it, perhaps behind what makes an item public.
fn word_behind<'t>(line: &'t str, starts: &[&str]) -> Option<&'t str> {
    let line = line.trim_start();
    let line = match line.strip_prefix("pub(") {
        Some(rest) => rest.split_once(") ")?.1,
        None => line.strip_prefix("pub ").unwrap_or(line),
    };
    let rest = starts.iter().find_map(|start| line.strip_prefix(start))?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    Some(&rest[..end]).filter(|word| !word.is_empty())
}

/// The project's own code without its tests, which have languages' code in them.
fn own_code() -> Vec<(String, String)> {
    let files = rust_files().into_iter().filter(|(name, _)| name.contains("/src/"));
    let files = files.filter(|(name, _)| !name.ends_with("/tests.rs") && !name.contains("/tests/"));
    files.map(|(name, text)| (name, code(&text))).collect()
}

fn functions(code: &str) -> impl Iterator<Item = &str> {
    code.lines().filter_map(|line| {
        word_behind(line, &["fn ", "async fn ", "const fn ", "unsafe fn ", "const unsafe fn "])
    })
}

#[test]
fn a_type_can_be_searched_for_by_its_name() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, code) in own_code() {
        for line in code.lines() {
            if let Some(word) = word_behind(line, &["struct ", "enum ", "trait "]) {
                places.entry(word.to_owned()).or_default().push(name.clone());
            }
        }
    }
    let many = places.into_iter().filter(|(_, places)| places.len() > SAME_NAME);
    let many: Vec<String> = many.map(|(word, places)| format!("{word}: {}", places.join(", "))).collect();
    none("a type's name is defined at most three times in the workspace", &many);
}

#[test]
fn functions_are_called_what_they_do_and_to_what() {
    let (mut all, mut short, mut lone) = (0, 0, Vec::new());
    for (name, code) in own_code() {
        for word in functions(&code) {
            all += 1;
            short += usize::from(!word.contains('_'));
        }
        let public = code.lines().filter(|line| line.trim_start().starts_with("pub "));
        let public = public.filter_map(|line| word_behind(line, &["fn ", "async fn ", "const fn "]));
        lone.extend(public.filter(|word| LONE_VERBS.contains(word)).map(|word| format!("{name}: {word}")));
    }
    none("a public function says what it does that to", &lone);
    assert!(short * 100 <= all * ONE_WORD, "{short} of {all} functions have a name of one word");
}

#[test]
fn documentation_has_a_subject_that_acts() {
    let (mut all, mut waiting, mut short) = (0, Vec::new(), Vec::new());
    for (name, text) in rust_files() {
        let mut above = false;
        for (at, line) in text.lines().enumerate() {
            let doc = line.trim_start().strip_prefix("/// ");
            let first = doc.filter(|_| !above);
            above = doc.is_some();
            let Some(first) = first else { continue };
            all += 1;
            let place = format!("{name}:{} {first}", at + 1);
            if WAITING.iter().any(|word| first.strip_prefix(word).is_some_and(|rest| rest.starts_with(' '))) {
                waiting.push(place.clone());
            }
            let goes_on = text.lines().nth(at + 1).is_some_and(|next| next.trim_start().starts_with("///"));
            if !goes_on && first.split_whitespace().count() <= 3 {
                short.push(place);
            }
        }
    }
    assert!(all > 1_000, "the documentation was found");
    let shares =
        [(OPENINGS, waiting, "opens with a word that waits"), (SHORT, short, "has three words or fewer")];
    for (most, found, rule) in shares {
        assert!(
            found.len() * 100 <= all * most,
            "{} of {all} {rule}:\n  {}",
            found.len(),
            found.join("\n  ")
        );
    }
}

#[test]
fn the_map_of_the_code_is_read_in_short_paragraphs() {
    let page = std::fs::read_to_string(repository().join("ARCHITECTURE.md")).expect("the page is there");
    let prose = page.split("\n\n").filter(|part| {
        let part = part.trim_start();
        !part.starts_with("```") && !part.starts_with('|')
    });
    // Every item of a list is a paragraph of its own.
    let paragraphs = prose.flat_map(|part| part.split("\n- "));
    let long = paragraphs.filter(|part| part.split_whitespace().count() > PARAGRAPH);
    let long: Vec<String> = long.map(|part| part.chars().take(80).collect()).collect();
    none("a paragraph of ARCHITECTURE.md has at most 80 words", &long);
}

/// The parameters of every function in `code`, each as it is written.
fn parameters(code: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("fn ") {
        let is_word = code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let name =
            code[at + 3..].find(|c: char| !c.is_alphanumeric() && c != '_').map_or(at, |end| at + 3 + end);
        if is_word || name == at + 3 {
            continue;
        }
        let Some(open) = after_generics(code, name).filter(|open| code[*open..].starts_with('(')) else {
            continue;
        };
        found.extend(parts_within(&code[open + 1..]));
    }
    found
}

/// The place behind `<...>`, if there is one at `at`.
fn after_generics(code: &str, at: usize) -> Option<usize> {
    if !code[at..].starts_with('<') {
        return Some(at);
    }
    let mut depth = 0;
    let mut before = ' ';
    for (offset, c) in code[at..].char_indices() {
        match c {
            '<' => depth += 1,
            '>' if before != '-' && before != '=' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + offset + 1);
        }
        before = c;
    }
    None
}

/// The parts between commas up to the bracket that closes what `text` begins in.
fn parts_within(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0);
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            ')' if depth == 0 => {
                parts.push(text[start..at].trim());
                break;
            }
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            '(' | '[' | '{' | '<' => depth += 1,
            '>' if before == '-' || before == '=' => {}
            ')' | ']' | '}' | '>' => depth -= 1,
            _ => {}
        }
        before = c;
    }
    parts
}

#[test]
fn parameters_have_names_of_their_own() {
    let sample = "fn a<T: Fn(u8) -> u8>(x: T, (y, z): (u8, u8)) {} fn b(p: (u8, u8)) {}";
    assert_eq!(parameters(sample), ["x: T", "(y, z): (u8, u8)", "p: (u8, u8)"]);
    let mut offenders = Vec::new();
    for (name, code) in own_code() {
        let taken_apart = parameters(&code).into_iter().filter(|parameter| parameter.starts_with('('));
        offenders.extend(taken_apart.map(|parameter| format!("{name}: {parameter}")));
    }
    none("two parameters, or a struct with a name, where a function takes a tuple apart", &offenders);
}
