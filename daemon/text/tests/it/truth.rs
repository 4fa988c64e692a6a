//! Searches random patterns in random trees: no candidate is lost, and the lines are those of a naive search.

use crate::common::{
    TextTree, candidate_paths, count_request, matching_lines, per_line, request, shown_naively,
};
use hob_text::{Pattern, SearchAnswer};
use proptest::prelude::*;

/// Words that patterns and files share, so that matches are common; with letters whose case folding is odd.
const WORDS: &[&str] = &[
    "alpha",
    "Alpha",
    "beta",
    "BETA",
    "gamma_ray",
    "kelvin",
    "Kelvin",
    "\u{212A}elvin",
    "straße",
    "ſtop",
    "stop",
    "x",
    "ab",
    "aab",
    "0x1F",
    "2024-05",
    "naïve",
    "日本",
    "\u{1F600}",
    "a.b",
    "foo(bar)",
];

/// Classes, each with a text that it matches.
const CLASSES: &[(&str, &str)] = &[
    (".", "é"),
    (r"\w", "日"),
    (r"\d", "7"),
    (r"\s", "\t"),
    ("[ab]", "b"),
    ("[^a]", "-"),
    ("[a-z]", "q"),
    ("[A-Fa-f0-9]", "C"),
    (r"\p{Lu}", "Ä"),
    ("[kKſs]", "ſ"),
    (r"[\s\S]", "!"),
    (r"[\n ]", " "),
];

/// Patterns that match the empty text, or nothing, or no UTF-8.
const ODDITIES: &[&str] = &[
    r"\b",
    r"\B",
    "^",
    "$",
    "",
    "(?i)",
    r"\r",
    r"\A",
    r"\z",
    r"(?-u:\xff)",
    r"(?-u:[\x80-\xff])",
    r"(?R)$",
    "[a&&b]",
    r"\b{start}",
    r"\p{Greek}",
];

/// Repetitions, each with an allowed number of times.
const REPEATS: &[(&str, usize)] = &[
    ("*", 0),
    ("*", 2),
    ("+", 1),
    ("+", 3),
    ("?", 0),
    ("?", 1),
    ("{2}", 2),
    ("{1,3}", 2),
    ("{2,}", 5),
    ("*?", 1),
    ("{0,2}", 2),
    ("{6}", 6),
    ("{0}", 0),
];

/// Repetitions of a class that a prefilter looks for, each with an allowed number of times.
const LONG_REPEATS: &[(&str, usize)] = &[("{9,}", 11), ("{5,7}", 7), ("{8,10}?", 9), ("{12}", 12)];

fn any_word() -> impl Strategy<Value = String> {
    prop::sample::select(WORDS).prop_map(str::to_owned)
}

/// Generates a pattern and a text that it is likely to match.
fn any_pattern() -> impl Strategy<Value = (String, String)> {
    let leaf = prop_oneof![
        6 => any_word().prop_map(|word| (regex::escape(&word), word)),
        2 => prop::sample::select(CLASSES).prop_map(|(class, text)| (class.to_owned(), text.to_owned())),
        2 => (any_word(), prop::sample::select(CLASSES), prop::sample::select(REPEATS), any_word()).prop_map(repeated_between),
        2 => (prop::sample::select(CLASSES), prop::sample::select(LONG_REPEATS)).prop_map(|((class, text), (repeat, times))| {
            (format!("{class}{repeat}"), text.repeat(times))
        }),
        2 => prop::sample::select(ODDITIES).prop_map(|odd| (odd.to_owned(), String::new())),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            3 => prop::collection::vec(inner.clone(), 1..4).prop_map(in_a_row),
            2 => (prop::collection::vec(inner.clone(), 2..4), 0..4usize).prop_map(one_of),
            1 => inner.clone().prop_map(|(part, text)| (format!("(?i:{part})"), text.to_ascii_uppercase())),
            3 => (inner.clone(), prop::sample::select(REPEATS)).prop_map(|((part, text), (repeat, times))| {
                (format!("(?:{part}){repeat}"), text.repeat(times))
            }),
            1 => inner.prop_map(|(part, text)| (format!("({part})"), text)),
        ]
    })
}

/// Generates a repeated character between words: short enough for trigrams to span it.
fn repeated_between(
    (before, (class, text), (repeat, times), after): (String, (&str, &str), (&str, usize), String),
) -> (String, String) {
    let (start, end) = (regex::escape(&before), regex::escape(&after));
    (format!("{start}{class}{repeat}{end}"), format!("{before}{}{after}", text.repeat(times)))
}

fn in_a_row(parts: Vec<(String, String)>) -> (String, String) {
    let (patterns, texts): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
    (patterns.concat(), texts.concat())
}

fn one_of((parts, choice): (Vec<(String, String)>, usize)) -> (String, String) {
    let (patterns, texts): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
    (format!("(?:{})", patterns.join("|")), texts[choice % texts.len()].clone())
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        8 => any_word().prop_map(String::into_bytes),
        3 => prop::sample::select(&[" ", "_", "(", "\t"][..]).prop_map(|s| s.as_bytes().to_vec()),
        3 => prop::sample::select(&["\n", "\r\n", "\n\n", "\r"][..]).prop_map(|s| s.as_bytes().to_vec()),
        1 => prop::sample::select(vec![&b"\xff"[..], b"\xe6\x97", b"\x80"]).prop_map(<[u8]>::to_vec),
    ];
    let mark = prop_oneof![9 => Just(Vec::new()), 1 => Just(b"\xEF\xBB\xBF".to_vec())];
    (mark, prop::collection::vec(piece, 0..24)).prop_map(|(mark, pieces)| [mark, pieces.concat()].concat())
}

/// Generates a pattern and files, one of which has a text that the pattern is likely to match.
fn any_case() -> impl Strategy<Value = (String, TextTree)> {
    let texts = prop::collection::vec(text(), 0..12);
    (any_pattern(), texts, text(), text()).prop_map(|((pattern, sample), texts, before, after)| {
        let mut tree = TextTree::default();
        for (n, text) in texts.iter().enumerate() {
            tree.set(&format!("d{}/f{n}", n % 3), text);
        }
        tree.set("sample", &[&before, sample.as_bytes(), &after].concat());
        (pattern, tree)
    })
}

fn without_columns(lines: &[String]) -> Vec<String> {
    let parts = |line: &String| line.splitn(4, ':').map(str::to_owned).collect::<Vec<_>>();
    lines.iter().map(parts).map(|parts| format!("{}:{}:{}", parts[0], parts[1], parts[3])).collect()
}

/// Returns true if ripgrep, which searches whole buffers, may see more than a search line by line: with
/// `(?R)` the `$` after a `\r` is not before the `\n`, and `\B` beside invalid UTF-8 depends on the bytes
/// before it.
fn looks_beyond_the_line(tree: &TextTree, pattern: &str) -> bool {
    let valid = tree.files.values().all(|bytes| std::str::from_utf8(bytes).is_ok());
    pattern.contains("(?R)") || (!valid && pattern.contains(r"\B"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn no_candidate_is_lost((pattern, tree) in any_case()) {
        prop_assume!(Pattern::new(&pattern).is_ok());
        let regex = per_line(&pattern);
        let found = candidate_paths(&tree.index().snapshot(), &pattern);
        for (path, bytes) in &tree.files {
            let matches = crate::common::lines(bytes).iter().any(|line| regex.is_match(line));
            prop_assert!(!matches || found.contains(path), "{} lost for {}", path, pattern);
        }
    }

    #[test]
    fn lines_are_those_of_a_naive_search((pattern, tree) in any_case()) {
        prop_assume!(Pattern::new(&pattern).is_ok());
        prop_assume!(!looks_beyond_the_line(&tree, &pattern));
        let answer = tree.search(&request(&pattern));
        // ripgrep looks for a line's matches in the file as a whole, so a column never comes from `\A` past line 1.
        let columns = !pattern.contains(r"\A");
        let comparable = |lines: Vec<String>| if columns { lines } else { without_columns(&lines) };
        let naive = shown_naively(&tree, &pattern);
        prop_assert_eq!(comparable(matching_lines(&answer)), comparable(naive), "{}", pattern);
        prop_assert_eq!(answer.total_lines, answer.matches.len() as u64);
        prop_assert!(answer.total_matches >= answer.total_lines);
        prop_assert!(answer.complete);
    }

    #[test]
    fn counting_finds_what_showing_finds((pattern, tree) in any_case()) {
        prop_assume!(Pattern::new(&pattern).is_ok());
        let totals = |answer: SearchAnswer| (answer.total_lines, answer.total_matches, answer.files_matched);
        let shown = totals(tree.search(&request(&pattern)));
        prop_assert_eq!(totals(tree.search(&count_request(&pattern))), shown, "{}", pattern);
    }

    /// Has fewer cases, because every case waits for the disk.
    #[test]
    fn a_restored_index_gives_the_same_answers(case in prop::option::weighted(0.15, any_case())) {
        let Some((pattern, tree)) = case else { return Ok(()) };
        prop_assume!(Pattern::new(&pattern).is_ok());
        let (fresh, restored) = (tree.index(), tree.mapped_index());
        prop_assert_eq!(restored.snapshot().export_contents(), fresh.snapshot().export_contents());
        let answers = [&fresh, &restored].map(|index| tree.search_in(index, &request(&pattern)));
        prop_assert_eq!(matching_lines(&answers[0]), matching_lines(&answers[1]), "{}", &pattern);
        prop_assert_eq!(answers[0].candidates, answers[1].candidates);
    }

    #[test]
    fn utf16_files_match_as_their_text_does(text in "[a-zäß\u{1F600} \n]{0,60}", (pattern, sample) in any_pattern()) {
        let text = text + &sample;
        prop_assume!(Pattern::new(&pattern).is_ok());
        // These see the ends of ripgrep's buffers, which differ.
        prop_assume!(!pattern.contains(r"\A") && !pattern.contains(r"\z"));
        let utf16: Vec<u8> = [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
        let answer = |bytes: &[u8]| matching_lines(&TextTree::new(&[("file", bytes)]).search(&request(&pattern)));
        prop_assert_eq!(answer(&utf16), answer(text.as_bytes()));
    }

    #[test]
    fn no_pattern_panics(pattern in r"[a-zA-Z0-9\\\[\]{}()*+?.|^$&~# \n-]{0,30}") {
        if let Err(error) = Pattern::new(&pattern) {
            prop_assert!(error.offset.is_none_or(|at| at <= pattern.len()));
        }
    }
}
