//! Tests that a search of the blocks that the index admits, with a prefilter, finds the same as a search of whole files. The
//! tests are in this crate, where blocks are small, because elsewhere only large texts have several.

use hob_base::{CancelToken, ContentHash, FileId, WsPath};
use proptest::prelude::*;

use crate::contents::pack::CachedText;
use crate::file_text::FileText;
use crate::prefilter::Prefilter;
use crate::scope::LineSet;
use crate::trigram::{CandidateFile, GramChange, TrigramIndex};
use crate::verify::{FileMatches, SearchedPart, Verifier, WantedLines};
use crate::{FileGrams, PathFilter, Pattern};

const WORDS: &[&str] = &[
    "alpha_one",
    "alpha_two",
    "beta",
    "Beta",
    "naïve",
    "über",
    "0x1F",
    "foo(bar)",
    "x",
    "\r",
    "\u{212A}elvin",
];

const PATTERNS: &[&str] = &[
    "alpha_one",
    r"alpha_\w+",
    "(?i)beta|kelvin",
    r"^\s*beta\b",
    r"foo\(bar\)$",
    r"na.ve\s+\w+",
    "alpha.*beta",
    r"\bx\b",
    r"[0-9]x[0-9A-F]{2}",
    r"(?:alpha_two|über)\W",
    r"beta\r?$",
    r"\w+",
    "",
    r"\Aalpha_one",
    r"\Bpha_",
    "-{20,}",
    "-{20,30}",
    "[ab_elph]{9,}",
    r"\w{12}",
    ".{60,}",
    r"(?:\w|-){14}\b",
    r"x?[0-9a-z\-]{8,}$",
    r"alpha.*beta\s.*naïve",
    r"\wlpha_one",
    r"\s{9,}",
];

fn text() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => prop::sample::select(WORDS).prop_map(|word| word.as_bytes().to_vec()),
        2 => Just(b" ".to_vec()),
        3 => prop::sample::select(&["\n", "\r\n", "\n\n"][..]).prop_map(|end| end.as_bytes().to_vec()),
        1 => (1..90usize).prop_map(|len| vec![b'-'; len]),
        1 => Just(b"\xff".to_vec()),
    ];
    prop::collection::vec(piece, 0..120).prop_map(|pieces| pieces.concat())
}

fn path(at: usize) -> WsPath {
    WsPath::new(&format!("f{at}")).expect("a relative path")
}

/// Indexes the texts, with changes and merges on the way.
fn index(texts: &[Vec<u8>]) -> TrigramIndex {
    let mut index = TrigramIndex::new();
    let set = |at: usize, bytes: &[u8]| {
        let (hash, grams) = (ContentHash::of(bytes), FileGrams::from_bytes(bytes));
        GramChange::Set { file: FileId(at as u32), path: path(at), hash, grams }
    };
    index.apply((0..texts.len()).map(|at| set(at, &texts[texts.len() - 1 - at])).collect());
    for (at, text) in texts.iter().enumerate() {
        index.apply(vec![set(at, text)]);
    }
    while index.merge_step() {}
    index
}

fn shown_lines(matches: FileMatches, path: &WsPath) -> (u64, u64, Vec<crate::LineMatch>) {
    let lines = matches.shown.into_iter().map(|line| line.at_path(FileId(0), path));
    (matches.lines, matches.matches, lines.collect())
}

/// Searches a text in the blocks that `found` admits.
fn search(
    pattern: &Pattern,
    prefilter: Option<&Prefilter>,
    bytes: &[u8],
    found: &CandidateFile,
    wanted: WantedLines,
    lines: &LineSet,
) -> FileMatches {
    let token = CancelToken::default();
    let text = CachedText { bytes, is_plain: true, is_ascii: bytes.is_ascii() };
    let place = SearchedPart { lines, blocks: &found.blocks };
    Verifier::new(pattern, prefilter, &token).search(&FileText::from_index(text), wanted, &place)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn blocks_and_prefilters_lose_nothing(
        texts in prop::collection::vec(text(), 1..12),
        pattern in prop::sample::select(PATTERNS),
        (lines, context) in (0..5usize, 0..3u32),
        stretch in prop::option::of((1..20u32, 1..60u32)),
    ) {
        let pattern = Pattern::new(pattern).expect("a valid pattern");
        let within = stretch.map_or_else(LineSet::every_line, |stretch| LineSet::from_stretches([stretch]));
        let wanted = WantedLines { lines, context };
        let snapshot = index(&texts).snapshot();
        let candidates = snapshot.candidate_files(pattern.query(), &PathFilter::default());
        let prefilter = Prefilter::for_pattern(&pattern, &snapshot);
        for (at, text) in texts.iter().enumerate() {
            let path = path(at);
            let whole = CandidateFile { file: FileId(0), path: path.clone(), hash: ContentHash::of(text), blocks: None };
            let expected = shown_lines(search(&pattern, None, text, &whole, wanted, &within), &path);
            match candidates.iter().find(|found| found.path == path) {
                Some(found) => {
                    let found = search(&pattern, prefilter.as_ref(), text, found, wanted, &within);
                    prop_assert_eq!(shown_lines(found, &path), expected);
                }
                None => prop_assert_eq!(expected.0, 0),
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn many_queries_find_what_each_finds(texts in prop::collection::vec(text(), 1..12)) {
        let patterns: Vec<Pattern> =
            PATTERNS.iter().map(|pattern| Pattern::new(pattern).expect("a valid pattern")).collect();
        let queries: Vec<_> = patterns.iter().map(Pattern::query).collect();
        let (snapshot, filter) = (index(&texts).snapshot(), PathFilter::default());
        let together = snapshot.candidates_of_each(&queries, &filter);
        for (query, number) in queries.iter().zip(0..) {
            let alone = snapshot.candidate_files(query, &filter).into_iter().map(|found| (found.path, found.blocks));
            let of_it = together.iter().filter_map(|candidate| {
                let at = candidate.queries.binary_search(&number).ok()?;
                Some((candidate.path.clone(), candidate.blocks[at].clone()))
            });
            prop_assert_eq!(of_it.collect::<Vec<_>>(), alone.collect::<Vec<_>>());
        }
    }
}

#[test]
fn a_large_file_is_searched_in_part() {
    let filler = "filler line\n".repeat(40);
    let text = format!("{filler}needle here\n{filler}");
    let pattern = Pattern::new("needle").expect("a valid pattern");
    let found = index(&[text.into()]).snapshot().candidate_files(pattern.query(), &PathFilter::default());
    assert!(found[0].blocks.as_ref().is_some_and(|blocks| blocks.len() == 1));
    // The two ends of a file are not adjacent.
    let apart = Pattern::new("abcdef").expect("a valid pattern");
    let candidates = |text: String| {
        let snapshot = index(&[text.into()]).snapshot();
        snapshot.candidate_files(apart.query(), &PathFilter::default()).len()
    };
    assert_eq!(candidates(format!("abcd\n{filler}cdef\n")), 0);
    assert_eq!(candidates("abcd\ncdef\n".to_owned()), 1);
}
