//! Turns a sample of source into one that nobody has written.
//!
//! It knows no language: texts that nest, quote or chain in one of them are tried on all. A mutant is a pure function
//! of the sample, the seed and its number.

/// Length of the longest ordinary files and lines, in bytes; the map gets no larger files.
const LARGEST: usize = 1 << 20;
/// Length of the longest line, in bytes; it takes so long that only runs with many mutants have one.
const LONGEST: usize = 10 << 20;
const LATE: usize = 1_000;

/// Texts that, repeated, nest ever deeper or continue without end in some language; and the texts that close them.
const NESTS: &[(&str, &str)] = &[
    ("(", ")"),
    ("[", "]"),
    ("{", "}"),
    ("<", ">"),
    ("{[(", ")]}"),
    ("f(", ")"),
    ("f(a, ", ")"),
    ("f{", "}"),
    ("a.", "b"),
    ("a().", "b"),
    ("a->", "b"),
    ("a::", "b"),
    ("a?.", "b"),
    ("a[0]", ""),
    ("A<", ">"),
    ("a + ", "b"),
    ("a ** ", "b"),
    ("a = ", "b"),
    ("a, ", "b"),
    ("a | ", "b"),
    ("a => ", "b"),
    ("a -> ", "b"),
    ("a ? b : ", "c"),
    ("- ", "1"),
    ("!", "a"),
    ("*", "a"),
    ("&", "a"),
    ("not ", "a"),
    ("await ", "a"),
    ("new ", "A"),
    ("@a ", "class A {}"),
    ("#[a] ", "fn f() {}"),
    ("lambda: ", "1"),
    ("|a| ", "a"),
    ("() => ", "a"),
    ("if (a) ", "b;"),
    ("if a { ", "}"),
    ("if (a) {} else ", "{}"),
    ("else if (a) {} ", "else {}"),
    ("if a then ", "end"),
    ("while a do ", "end"),
    ("for (;;) ", ";"),
    ("begin ", "end"),
    ("do ", "end"),
    ("try { ", "} finally {}"),
    ("switch (a) { case 1: ", "}"),
    ("case a: ", ""),
    ("class A { ", "}"),
    ("class A:\n", ""),
    ("namespace a { ", "}"),
    ("module A ", "end"),
    ("struct A { struct ", "} a;"),
    ("fn f() { ", "}"),
    ("def f() = ", "1"),
    ("function f() { ", "}"),
    ("function () ", "end"),
    ("var a: ", "A"),
    ("int (*", ")"),
    ("typedef ", "int a;"),
    ("\"${", "}\""),
    ("`${", "}`"),
    ("\"#{", "}\""),
    ("\"\\(", ")\""),
    ("f\"{", "}\""),
    ("$(", ")"),
    ("$((", "))"),
    ("<<A\n", "A\n"),
    ("'''", "'''"),
    ("\"", "\""),
    ("r#\"", "\"#"),
    ("/*", "*/"),
    ("--[[", "]]"),
    ("//", "\n"),
    ("#if A\n", "#endif\n"),
    ("#define A \\\n", "1"),
    ("<?php ", "?>"),
    ("<a>", "</a>"),
    ("<a b={", "}/>"),
    ("> ", "a"),
    ("* ", "a"),
    ("![[", "]]"),
    ("#", " a"),
    ("\\\n", ""),
    ("\u{1f600}", ""),
    (";", ""),
    ("\n", ""),
    ("a\n", ""),
];

/// A mutated file.
#[derive(Debug)]
pub(crate) struct Mutant {
    /// A description of the mutation.
    pub(crate) what: String,
    /// The contents of the file.
    pub(crate) bytes: Vec<u8>,
}

/// A generator of random numbers that are the same on every run: SplitMix64 (Steele, Lea, Flood 2014).
struct Rng(u64);

impl Rng {
    fn next_bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Returns a number from 0 to `most`.
    fn up_to(&mut self, most: usize) -> usize {
        (self.next_bits() % (most as u64 + 1)) as usize
    }

    fn one_in(&mut self, number: usize) -> bool {
        self.up_to(number - 1) == 0
    }

    fn pick_item<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.up_to(items.len() - 1)]
    }

    fn pick_piece<'a>(&mut self, bytes: &'a [u8], most: usize) -> &'a [u8] {
        let start = self.up_to(bytes.len());
        let end = bytes.len().min(start + self.up_to(most));
        &bytes[start..end]
    }
}

/// Makes mutant `number` of a sample; `others` are samples of other languages, which are spliced in.
pub(crate) fn make_mutant(sample: &str, others: &[&str], deepest: usize, seed: u64, number: usize) -> Mutant {
    let mut rng = Rng(seed.wrapping_mul(1_000_003).wrapping_add(number as u64));
    if [0, LATE].contains(&number) {
        let len = if number == 0 { LARGEST } else { LONGEST };
        return Mutant { what: format!("a line of {len}"), bytes: long_line(sample, len) };
    }
    if number.is_multiple_of(3) {
        return nest_sample(sample, NESTS[(number / 3 + seed as usize) % NESTS.len()], deepest, &mut rng);
    }
    if rng.one_in(40) {
        let len = rng.up_to(LARGEST);
        return Mutant { what: format!("a line of {len}"), bytes: long_line(sample, len) };
    }
    let mut mutant = Mutant { what: String::new(), bytes: sample.as_bytes().to_vec() };
    for _ in 0..=rng.up_to(3) {
        change_mutant(&mut mutant, others, &mut rng);
    }
    mutant.bytes.truncate(LARGEST);
    mutant
}

/// Returns the sample, repeated, as one line.
fn long_line(sample: &str, len: usize) -> Vec<u8> {
    sample.bytes().map(|byte| if byte == b'\n' { b' ' } else { byte }).cycle().take(len).collect()
}

/// Nests part of the sample: its beginning, opening texts, perhaps closing ones, and perhaps the rest of the sample.
fn nest_sample(sample: &str, (open, close): (&str, &str), deepest: usize, rng: &mut Rng) -> Mutant {
    let deepest = deepest.min(LARGEST / (open.len() + close.len()));
    let times = if rng.one_in(4) { deepest } else { rng.up_to(deepest / 50) };
    let ends: Vec<usize> = sample.match_indices([' ', '\n', '=', '(']).map(|(at, _)| at + 1).collect();
    let (before, after) = sample.split_at(*rng.pick_item(&ends));
    let before = if rng.one_in(4) { "" } else { before };
    let after = if rng.one_in(2) { "" } else { after };
    let closed = if rng.one_in(3) { rng.up_to(times) } else { times };
    let bytes = [before, &open.repeat(times), &close.repeat(closed), after].concat().into_bytes();
    Mutant {
        what: format!("{times} times {open:?}, ended {closed} times, after {} bytes", before.len()),
        bytes,
    }
}

fn change_mutant(mutant: &mut Mutant, others: &[&str], rng: &mut Rng) {
    let Mutant { what, bytes } = mutant;
    let (at, other) = (rng.up_to(bytes.len()), rng.pick_item(others).as_bytes());
    let done = match rng.up_to(8) {
        0 => {
            bytes.truncate(at);
            "cut off"
        }
        1 => {
            drop(bytes.drain(..at));
            "begun late"
        }
        2 => {
            let piece = rng.pick_piece(other, 400).to_vec();
            drop(bytes.splice(at..at, piece));
            "spliced"
        }
        3 => {
            let piece = rng.pick_piece(other, 4_000).to_vec();
            let end = bytes.len().min(at + rng.up_to(400));
            drop(bytes.splice(at..end, piece));
            "replaced"
        }
        4 => {
            let noise: Vec<u8> = (0..rng.up_to(200)).map(|_| rng.next_bits() as u8).collect();
            drop(bytes.splice(at..at, noise));
            "noise"
        }
        5 => {
            (0..rng.up_to(20)).for_each(|_| overwrite_bytes(bytes, rng));
            "bytes overwritten"
        }
        6 => {
            let piece = rng.pick_piece(bytes, 300).repeat(rng.up_to(200));
            drop(bytes.splice(at..at, piece));
            "repeated"
        }
        7 => {
            let end = bytes.len().min(at + rng.up_to(300));
            drop(bytes.drain(at..end));
            "cut out"
        }
        _ => {
            *bytes = shuffle_words(bytes, rng);
            "shuffled"
        }
    };
    what.push_str(done);
    what.push(' ');
}

fn overwrite_bytes(bytes: &mut [u8], rng: &mut Rng) {
    if bytes.is_empty() {
        return;
    }
    let at = rng.up_to(bytes.len() - 1);
    bytes[at] =
        if rng.one_in(2) { *rng.pick_item(b"(){}[]<>\"'`#$\\\n\r\t\0;:,.=@") } else { rng.next_bits() as u8 };
}

/// Swaps words, spaces and marks here and there.
fn shuffle_words(bytes: &[u8], rng: &mut Rng) -> Vec<u8> {
    let kind = |byte: &u8| (byte.is_ascii_alphanumeric() || *byte >= 0x80, byte.is_ascii_whitespace());
    let mut tokens: Vec<&[u8]> = bytes.chunk_by(|left, right| kind(left) == kind(right)).collect();
    for _ in 0..rng.up_to(tokens.len() / 4) {
        let (left, right) = (rng.up_to(tokens.len() - 1), rng.up_to(tokens.len() - 1));
        tokens.swap(left, right);
    }
    tokens.concat()
}
