//! Patterns of all kinds: some written by hand, some out of a tree's own words, most by a grammar from a seed.
//!
//! Not all are regexes: what ripgrep refuses, hob has to refuse, so those are patterns like any other.

use std::path::Path;

use hob_tests::Rng;

/// Written by hand: what people ask, what engines get wrong, what folds oddly, what has no text to go by.
pub(super) const BY_HAND: &[&str] = &[
    "import",
    "needle",
    "(?i)needle",
    "(?i)\u{17f}top",
    "(?i)stop",
    "(?i)k",
    "(?i)\u{212a}elvin",
    "(?i)strasse|stra\u{df}e",
    "(?i)\u{df}",
    "(?i)\u{3c3}\u{3c2}",
    "(?i)\u{130}",
    "na[i\u{ef}]ve",
    r"\p{Lu}\p{Ll}+",
    r"\p{Greek}+",
    r"\P{ASCII}",
    r"[[:^ascii:]]{2,}",
    r"\p{Han}",
    r"[^\x00-\x7F]",
    r"(?-u:[\x80-\xff])",
    r"(?-u:\xe9)",
    r"(?-u:\xff\xfe)",
    "\u{feff}",
    r"\x{FEFF}",
    r"\x{FFFD}",
    "^",
    "$",
    "^$",
    r"^\s*$",
    r"\s+$",
    r"\r$",
    r"\r",
    r"(?m)x$",
    r"(?-m)^a",
    r"(?-m)e$",
    r"\Aimport",
    r"\A",
    r"\z",
    r"e\z",
    "x*",
    "a??",
    "(?:)",
    "(|a)",
    "a|",
    "()*",
    r"\b",
    r"\B",
    r"\B_",
    r"\b{start}d",
    r"e\b{end}",
    r"\b{start-half}self",
    r"\w+\b\W+\b\w+",
    r"\bto\b",
    ".",
    ".{80,}",
    "^.{0,3}$",
    ".{200}",
    r"(?s).",
    r"(?s)e.n",
    r"[^e]n[^\n]t",
    r"\D\d{2}\D",
    r"0x[0-9a-fA-F]+",
    r"\d+\.\d+(\.\d+)*",
    r"(?x) a \s+ b  # words",
    r"(?x) [ a b ] \  c",
    r"(?i:de)f",
    r"(?i)D(?-i)ef",
    r"(?P<name>self|cls)\.\w+",
    r"(a+)+b",
    r"(\w+\s?)*:",
    "(in|an|on|un)(g|d|t)",
    "from|import|class|def|return|self|None|True|False|lambda|yield",
    r"\w{12,}",
    r"\w{30,}",
    r"[a-z]{3}[A-Z]{2}",
    r"[a-z&&[^aeiou]]{6}",
    r"[\w--\d]{9}",
    r"[a-f~~d-k]{5}",
    r"\\",
    r"\(\)",
    r"\[\]",
    r"\{\}",
    r"\$\w+",
    r"\^",
    r"\.\.\.",
    "\"[^\"]*\"",
    "'[^']{1,8}'",
    "\t",
    r"\t\t+",
    r"\x20{8}",
    r"[ \t]+$",
    "#.*",
    "//.*$",
    r"https?://\S+",
    r"\S+@\S+\.\S+",
    r"TODO|FIXME|XXX",
    r"(?i)todo\b.*",
    r"=\s*None\b",
    r"fn\s+\w+\s*\(",
    r"impl<[^>]+>",
    "a.c",
    "...",
    r"(.)e(.)",
    r"\pL\pN",
    r"\p{Emoji_Presentation}",
    "\u{1f600}",
    r"\x{1F600}",
    "日本",
    "[日-本]",
    r"[^\W\d_]{5}\d",
    r"(?u)\w\u{301}",
    "e\u{301}",
    r"(?R)$",
    r"(?R)^x",
    r"a{0}b",
    r"a{0,0}",
    r"(?:ab){2,3}?c?",
    r"[a-zA-Z]{2}{2}",
    r"(^|\s)if($|\s)",
    r"(^a|b$)",
    r"^^a$$",
    r"\b\b\bthe",
    r"^.*$",
    r".*",
    r".*x.*",
    r"[\s\S]",
    r"[^\s\S]",
    r"\n",
    r"a\nb",
    "(",
    "[z-a]",
    "a{2",
    "*a",
    r"\p{Nope}",
    r"(?z)a",
    r"a\1",
    "(?=a)",
    r"\x00",
    r"a[\x00-b]",
];

const CLASSES: &[&str] = &[
    ".",
    r"\w",
    r"\W",
    r"\d",
    r"\D",
    r"\s",
    r"\S",
    "[a-z]",
    "[^a-z]",
    "[A-Fa-f0-9]",
    "[aeiou]",
    "[^aeiou ]",
    r"[\w.-]",
    "[[:upper:]]",
    "[[:^alpha:]]",
    r"\p{Lu}",
    r"\p{L}",
    r"\P{L}",
    r"\pN",
    "[kK\u{17f}s]",
    "[\u{e0}-\u{ff}]",
    r"[^\x00-\x7f]",
    "[(){}]",
    "[_-]",
    r"[\s\S]",
    r"(?-u:\w)",
    r"(?-u:[^a])",
    "[ab&&b]",
];

const LOOKS: &[&str] =
    &["^", "$", r"\b", r"\B", r"\b", r"\A", r"\z", r"\b{start}", r"\b{end}", r"(?-u:\b)", "(?m:^)", "(?m:$)"];

const REPEATS: &[&str] =
    &["*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}", "{2,}", "{0}", "{0,2}?", "{3,9}", "{1}"];

const FLAGS: &[&str] = &["(?i)", "(?i)", "(?s)", "(?m)", "(?-m)", "(?U)", "(?x)", "(?is)", "(?-u)"];

/// Patterns without end, for a tree with these words.
pub(super) struct Patterns<'a> {
    pub(super) rng: Rng,
    pub(super) words: &'a [String],
}

impl Patterns<'_> {
    /// `number` patterns: the ones by hand as far as they go, then as many from the grammar.
    pub(super) fn some(&mut self, by_hand: impl Iterator<Item = &'static str>, number: usize) -> Vec<String> {
        let mut all: Vec<String> = by_hand.take(number / 3).map(str::to_owned).collect();
        while all.len() < number {
            let next = self.next();
            if !next.is_empty() && !next.contains('\0') {
                all.push(next);
            }
        }
        all
    }

    fn next(&mut self) -> String {
        let body = match self.rng.below(10) {
            0..2 => self.word(),
            2 => format!("{} .*{}", self.word(), self.word()).replace(' ', r"\s*"),
            3 => format!(r"\b{}\b", self.word()),
            _ => self.part(3),
        };
        match self.rng.below(4) {
            0 => format!("{}{body}", self.rng.pick(FLAGS)),
            _ => body,
        }
    }

    /// A part of a pattern, nested at most `depth` deep.
    fn part(&mut self, depth: usize) -> String {
        let choice = if depth == 0 { self.rng.below(6) } else { self.rng.below(14) };
        match choice {
            0..3 => self.word(),
            3 | 4 => self.rng.pick(CLASSES).to_string(),
            5 => self.rng.pick(LOOKS).to_string(),
            6..9 => (0..=self.rng.below(3)).map(|_| self.part(depth - 1)).collect(),
            9 => format!("({})", self.branches(depth)),
            10 => format!("(?:{})", self.branches(depth)),
            11 => format!("(?i:{})", self.part(depth - 1)),
            _ => format!("(?:{}){}", self.part(depth - 1), self.rng.pick(REPEATS)),
        }
    }

    fn branches(&mut self, depth: usize) -> String {
        let branches: Vec<String> = (0..=self.rng.below(3)).map(|_| self.part(depth - 1)).collect();
        branches.join("|")
    }

    /// A piece of what stands in the tree, as a literal; now and then with another case.
    fn word(&mut self) -> String {
        let word: Vec<char> = self.rng.pick(self.words).chars().collect();
        let from = self.rng.below(word.len());
        let len = 1 + self.rng.below(10);
        let piece: String = word[from..].iter().take(len).collect();
        let piece = if self.rng.below(8) == 0 { piece.to_uppercase() } else { piece };
        escaped(&piece)
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if r"\.+*?()|[]{}^$#&-~ ".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Lines out of a tree's files, spread over all of it, as the words of its patterns.
pub(super) fn words(root: &Path, files: &[String], rng: &mut Rng) -> Vec<String> {
    let mut words = Vec::new();
    for _ in 0..4_000 {
        let file = rng.pick(files);
        let text = String::from_utf8_lossy(&std::fs::read(root.join(file)).unwrap_or_default()).into_owned();
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        if !lines.is_empty() {
            let line: String = rng.pick(&lines).chars().filter(|c| !c.is_control()).take(120).collect();
            words.push(line);
        }
        if words.len() >= 400 {
            break;
        }
    }
    words.retain(|word| !word.is_empty());
    words
}
