//! Finds the text that is nearest to one that is not in the file.
//!
//! The usual mistakes of agents are known: indentation, trailing blanks, tabs for spaces, case, typographic quotes,
//! escapes that were written twice, line numbers that a viewer put before each line. Each is undone on both sides and
//! searched for again, so that the error can say what differs and where. If nothing matches, the error names the place
//! that shares most lines with the text, with the first line that differs. The time grows linearly with the text.

use std::collections::HashMap;

use crate::lines;

/// Most characters of a line that an error quotes.
const QUOTED: usize = 120;
/// Most places at which a frequent line may stand and still be of use.
const PLACES: usize = 50;
/// Size limit in bytes of files in which the search compares lines.
const LARGEST: usize = 4 * 1024 * 1024;

/// Returns the hint for `old`, which is not in `text`: what differs and where, or what to do.
pub(super) fn hint_at_nearest(text: &str, old: &str) -> String {
    if text.len() > LARGEST {
        return "Read the place again and copy it exactly.".to_owned();
    }
    hint_if_rewritten(text, old)
        .or_else(|| hint_if_normalised(text, old))
        .or_else(|| most_lines(text, old))
        .or_else(|| similar_line(text, old))
        .unwrap_or_else(|| "Nothing in it comes near; check the file, or read it again.".to_owned())
}

/// Finds a text that would match without its line numbers or double escapes.
fn hint_if_rewritten(text: &str, old: &str) -> Option<String> {
    let unescaped = old.replace("\\n", "\n").replace("\\t", "\t").replace("\\\"", "\"").replace("\\\\", "\\");
    let numberless = without_numbers(old);
    let forms = [
        (unescaped, "once its escapes (`\\n`, `\\t`, `\\\"`) are undone: pass the characters themselves"),
        (
            numberless.unwrap_or_default(),
            "without the line numbers at the beginning of its lines: leave them out",
        ),
    ];
    let is_there = |form: &str| !form.is_empty() && form != old && text.contains(form);
    let (form, why) = forms.into_iter().find(|(form, _)| is_there(form))?;
    let line = lines::line_number(text, text.find(&form)?);
    Some(format!("It does at line {line} {why}."))
}

/// Removes `12:`, `12|` or a number and a tab before each line; `None` if a line has none.
fn without_numbers(old: &str) -> Option<String> {
    let strip = |line: &str| {
        let line = line.trim_start_matches(' ');
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let behind = rest.strip_prefix(['\t', ':', '|', '→']).filter(|_| rest.len() < line.len())?;
        Some(behind.to_owned())
    };
    let stripped: Option<Vec<String>> = old.split('\n').map(strip).collect();
    Some(stripped?.join("\n"))
}

/// The name of a difference between two lines, and the function that removes it from a line.
type Form = (&'static str, fn(&str) -> String);

/// The differences that a line may have and still be meant.
const FORMS: [Form; 5] = [
    ("blanks at the end of a line", |line| line.trim_end().to_owned()),
    ("indentation", |line| line.trim().to_owned()),
    ("blanks", |line| line.split_whitespace().collect()),
    ("quotes, dashes or blanks that look alike", look_alike),
    ("upper and lower case", |line| look_alike(line).to_lowercase()),
];

/// Finds a place that matches after one of [`FORMS`].
fn hint_if_normalised(text: &str, old: &str) -> Option<String> {
    // Lines that are cut at the ends of `old` would not be found as whole lines, so only their line breaks are trimmed.
    let wanted: Vec<&str> = old.trim_matches('\n').lines().collect();
    let there: Vec<&str> = text.lines().collect();
    FORMS.iter().find_map(|(what, form)| {
        let wanted: Vec<String> = wanted.iter().map(|line| form(line)).collect();
        let there: Vec<String> = there.iter().map(|line| form(line)).collect();
        let at = place_of_lines(&there, &wanted)?;
        Some(describe_difference(what, text, old, at))
    })
}

/// Returns the index at which `wanted` begins in `there`; a single line may be a part of a line.
fn place_of_lines(there: &[String], wanted: &[String]) -> Option<usize> {
    match wanted {
        [] => None,
        [only] if only.trim().is_empty() => None,
        [only] => there.iter().position(|line| line.contains(only.as_str())),
        several if several.iter().all(|line| line.trim().is_empty()) => None,
        several => there.windows(several.len()).position(|window| window == several),
    }
}

fn describe_difference(what: &str, text: &str, old: &str, at: usize) -> String {
    let wanted: Vec<&str> = old.trim_matches('\n').lines().collect();
    let there: Vec<&str> = text.lines().skip(at).take(wanted.len()).collect();
    let first = wanted.iter().zip(&there).position(|(wanted, there)| wanted != there).unwrap_or(0);
    let place = match wanted.len() {
        1 => format!("line {}", at + 1),
        count => format!("lines {}-{}", at + 1, at + count),
    };
    let line = there.get(first).copied().unwrap_or_default();
    format!(
        "Only {what} differ{} at {place}; line {} is `{}`. Copy it exactly.",
        if what == "indentation" { "s" } else { "" },
        at + first + 1,
        quote_line(line)
    )
}

/// Returns a line with one character for those that look alike, and one space for any blanks.
fn look_alike(line: &str) -> String {
    let plain = |c: char| match c {
        '\u{2018}' | '\u{2019}' | '`' | '"' | '\u{201c}' | '\u{201d}' | '\u{201e}' => '\'',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        other => other,
    };
    line.split_whitespace().flat_map(str::chars).map(plain).collect()
}

/// Finds the place that has most of the lines, in their order: each line of the text votes for the place where the text
/// would begin.
fn most_lines(text: &str, old: &str) -> Option<String> {
    let there: Vec<&str> = text.lines().map(str::trim).collect();
    let wanted: Vec<&str> = old.trim_matches('\n').lines().map(str::trim).collect();
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, line) in there.iter().enumerate().filter(|(_, line)| line.len() > 2) {
        places.entry(line).or_default().push(at);
    }
    let mut votes: HashMap<usize, usize> = HashMap::new();
    for (at, line) in wanted.iter().enumerate() {
        let found = places.get(line).filter(|found| found.len() <= PLACES);
        let starts = found.into_iter().flatten().filter_map(|place| place.checked_sub(at));
        starts.for_each(|start| *votes.entry(start).or_default() += 1);
    }
    let (start, shared) = votes.into_iter().max_by_key(|(start, votes)| (*votes, usize::MAX - start))?;
    let differs = wanted.iter().enumerate().find(|(at, line)| there.get(start + at) != Some(line))?;
    let is = there.get(start + differs.0).copied().unwrap_or("the end of the file");
    Some(format!(
        "The nearest place begins at line {}: {shared} of {} lines are there; line {} is `{}` where `old` has `{}`.",
        start + 1,
        wanted.len(),
        start + differs.0 + 1,
        quote_line(is),
        quote_line(differs.1)
    ))
}

/// Finds the line that shares most pairs of letters with the first line that has any.
fn similar_line(text: &str, old: &str) -> Option<String> {
    let wanted = old.lines().map(str::trim).find(|line| line.len() > 3)?;
    let pairs = letter_pairs(wanted);
    let mut best: Option<(f64, usize, &str)> = None;
    for (at, line) in text.lines().enumerate().filter(|(_, line)| line.len() < 2_000) {
        let score = line_likeness(&pairs, line.trim());
        if best.is_none_or(|(most, _, _)| score > most) {
            best = Some((score, at, line));
        }
    }
    let (_, at, line) = best.filter(|(score, _, _)| *score >= 0.6)?;
    Some(format!("The nearest line is {}: `{}`.", at + 1, quote_line(line.trim())))
}

type Pairs = HashMap<(char, char), i32>;

fn letter_pairs(line: &str) -> Pairs {
    let mut found = Pairs::new();
    for pair in line.chars().zip(line.chars().skip(1)) {
        *found.entry(pair).or_default() += 1;
    }
    found
}

/// Returns Dice's coefficient over pairs of neighbouring characters: 1 for the same line, 0 for nothing in common.
fn line_likeness(wanted: &Pairs, line: &str) -> f64 {
    let other = letter_pairs(line);
    let shared: i32 =
        other.iter().map(|(pair, times)| wanted.get(pair).copied().unwrap_or(0).min(*times)).sum();
    let all: i32 = wanted.values().sum::<i32>() + other.values().sum::<i32>();
    if all == 0 { 0.0 } else { 2.0 * f64::from(shared) / f64::from(all) }
}

fn quote_line(line: &str) -> String {
    let cut: String = line.chars().take(QUOTED).collect();
    let visible = cut.replace('\t', "\\t").replace('\r', "\\r");
    if cut.len() < line.len() { format!("{visible}…") } else { visible }
}
