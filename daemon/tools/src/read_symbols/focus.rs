//! Chooses the lines of a body that bear on a question, so that a reader who knows what it is after does not pay for the rest.
//!
//! A line bears on a question if it has one of its rarer words. With it come the headers of the blocks around it,
//! because a line without its conditions says something else, and the exits of its function (`return`, `raise`,
//! `throw`), because they decide what happens. Blocks are recognised by indentation, which code in every mapped
//! language has: no grammar is needed, and a wrong choice only leaves lines out, and never changes them. This guesses
//! nothing about the missing lines: the caller names the gaps and the calls in them.

use std::ops::Range;

use hob_text::ranked::RankedQuestion;

/// The question that every line answers.
const EVERYTHING: &str = "all";
/// Most lines of a body that is shown whole, whatever is asked.
const SHORT: usize = 14;
/// A word on more than one line in this many is the body's subject, and does not distinguish its lines.
const COMMON: usize = 6;
/// At most one line in this many of the first [`LONG`] is shown, as long as there are words to drop.
const MANY: usize = 3;
/// At most one line in this many of all others is shown.
const FEW: usize = 12;
/// Number of lines that a reader reads together.
const LONG: usize = 200;
/// Number of lines up to which a word is never common.
const RARE: u32 = 3;
/// Most lines over which a statement is followed, until its brackets close.
const LONGEST_STATEMENT: usize = 5;
/// Most calls that are named of a gap.
const NAMED_CALLS: usize = 4;

/// Most characters of a gap of a few lines that is shown: telling what it calls costs as much.
const SMALL_GAP: usize = 80;

/// First words of lines that leave a function.
const EXITS: [&str; 7] = ["return", "raise", "throw", "panic!", "bail!", "yield", "Err("];
/// First words of lines that belong to a header above them.
const BRANCHES: [&str; 6] = ["else", "elif", "elsif", "except", "catch", "finally"];
/// First words of lines that bring names in: they name everything and decide nothing.
const IMPORTS: [&str; 5] = ["use", "import", "from", "require", "#include"];
/// Words before a bracket that call nothing.
const NO_CALLS: [&str; 24] = [
    "if",
    "for",
    "while",
    "switch",
    "match",
    "return",
    "catch",
    "function",
    "fn",
    "def",
    "and",
    "or",
    "not",
    "in",
    "elif",
    "await",
    "assert",
    "super",
    "print",
    "len",
    "Some",
    "Ok",
    "Err",
    "isinstance",
];

/// Returns true if a question is the one that every line answers.
pub(super) fn is_everything(text: &str) -> bool {
    text.trim().eq_ignore_ascii_case(EVERYTHING)
}

/// A question about source.
pub(super) struct Focus {
    question: RankedQuestion,
}

impl Focus {
    /// Reads a question. `None` if it has no word, or is the one for everything.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if is_everything(text) {
            return None;
        }
        let question = RankedQuestion::parse(text);
        (!question.is_empty()).then_some(Self { question })
    }

    /// Returns a flag for each line that is true if the line bears on the question, or is of the signature. `functions`
    /// are the first and last indexes of the functions within; those without a word of the question are left out.
    /// `None` if a part would save little.
    pub(super) fn lines(
        &self,
        lines: &[&str],
        signature: Range<usize>,
        functions: &[(usize, usize)],
    ) -> Option<Vec<bool>> {
        if lines.len() <= SHORT {
            return None;
        }
        let (mut words, found) = self.telling_words(lines);
        let most = (lines.len().min(LONG) / MANY + lines.len().saturating_sub(LONG) / FEW).max(SHORT * 2);
        let shape = Shape { body: Blocks { lines }, signature, functions };
        loop {
            let hits: Vec<bool> = found.iter().map(|line| line & words.mask != 0).collect();
            let kept = shape.kept(&hits);
            let count = kept.iter().filter(|kept| **kept).count();
            // Many rare words are as bad as a common one, so the commonest of them is dropped first.
            if count <= most || !words.drop_commonest() {
                return (count * 4 < lines.len() * 3).then_some(kept);
            }
        }
    }

    /// Returns the words of the question that tell lines apart, and those that each line has, as one bit each.
    fn telling_words(&self, lines: &[&str]) -> (TellingWords, Vec<u32>) {
        let mut words = self.question.word_counter();
        let found: Vec<u32> = lines.iter().map(|line| words.found_in(line)).collect();
        let count = |word: u32| found.iter().filter(|line| **line >> word & 1 == 1).count() as u32;
        let counts: Vec<u32> = (0..u32::BITS).map(count).collect();
        let most = RARE.max((lines.len() / COMMON) as u32);
        let rarest = counts.iter().filter(|count| **count > 0).min().copied().unwrap_or(0);
        // If every word is common, the rarest has to do.
        let most = most.max(rarest);
        let is_telling = |word: &u32| (1..=most).contains(&counts[*word as usize]);
        let mask = (0..u32::BITS).filter(is_telling).fold(0, |all, word| all | 1 << word);
        (TellingWords { mask, counts }, found)
    }
}

/// The words of a question that tell the lines of a body apart.
struct TellingWords {
    /// A bit for each, in the question's order.
    mask: u32,
    /// Number of lines that have each word of the question.
    counts: Vec<u32>,
}

impl TellingWords {
    /// Drops the commonest word. Returns false if only one is left.
    fn drop_commonest(&mut self) -> bool {
        let is_left = |word: &u32| self.mask >> word & 1 == 1;
        let commonest = (0..u32::BITS).filter(is_left).max_by_key(|word| self.counts[*word as usize]);
        let rest = self.mask & !commonest.map_or(0, |word| 1 << word);
        let has_rest = rest != 0;
        if has_rest {
            self.mask = rest;
        }
        has_rest
    }
}

/// A body with its signature and the functions in it.
struct Shape<'a> {
    body: Blocks<'a>,
    signature: Range<usize>,
    functions: &'a [(usize, usize)],
}

impl Shape<'_> {
    /// Returns a flag for each line that is true for the signature, the hits, and the exits of the functions with hits,
    /// all with their headers.
    fn kept(&self, hits: &[bool]) -> Vec<bool> {
        let (body, count) = (&self.body, hits.len());
        let mut kept = vec![false; count];
        let below = self.signature.end.min(count);
        kept[self.signature.start.min(below)..below].fill(true);
        for at in (0..count).filter(|at| hits[*at] && !body.starts_with_any(*at, &IMPORTS)) {
            body.keep_with_headers(at, &mut kept);
        }
        for at in (below..count).filter(|at| body.is_exit(*at)) {
            let function = innermost(self.functions, at).unwrap_or((0, count - 1));
            let has_hit = (function.0 + 1..=function.1).any(|at| hits.get(at) == Some(&true));
            if self.functions.is_empty() || has_hit {
                body.keep_with_headers(at, &mut kept);
            }
        }
        body.fill_small_gaps(&mut kept);
        kept
    }
}

/// Returns the innermost of the functions around a line.
fn innermost(functions: &[(usize, usize)], at: usize) -> Option<(usize, usize)> {
    let around = functions.iter().filter(|(first, last)| (*first..=*last).contains(&at));
    around.min_by_key(|(first, last)| last - first).copied()
}

/// Returns the names of the functions that some lines call, each once, at most [`NAMED_CALLS`].
pub(super) fn calls_in(lines: &[&str]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for line in lines.iter().filter(|line| !is_comment(line)) {
        for (at, _) in line.match_indices('(') {
            let before = &line[..at];
            let start =
                before.rfind(|c: char| !c.is_alphanumeric() && c != '_' && c != '!').map_or(0, |at| at + 1);
            let start = (start..=at).find(|at| line.is_char_boundary(*at)).unwrap_or(at);
            let name = &before[start..];
            let is_name =
                name.starts_with(|c: char| c.is_alphabetic() || c == '_') && name.chars().nth(1).is_some();
            if is_name && !NO_CALLS.contains(&name) && !names.iter().any(|other| other == name) {
                names.push(name.to_owned());
            }
        }
    }
    names.truncate(NAMED_CALLS);
    names
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    ["//", "# ", "* ", "/*", "--"].iter().any(|mark| line.starts_with(mark))
}

/// Lines whose indentation shows their blocks.
struct Blocks<'a> {
    lines: &'a [&'a str],
}

impl Blocks<'_> {
    /// Returns the indentation of a line in bytes; `None` for a blank one.
    fn depth(&self, at: usize) -> Option<usize> {
        let line = self.lines.get(at)?;
        let text = line.trim_start();
        (!text.trim_end().is_empty()).then(|| line.len() - text.len())
    }

    fn starts_with_any(&self, at: usize, words: &[&str]) -> bool {
        let line = self.lines[at].trim_start().trim_start_matches(['}', ' ']);
        words.iter().any(|word| {
            let rest = line.strip_prefix(word);
            rest.is_some_and(|rest| {
                word.ends_with(['(', '!']) || !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')
            })
        })
    }

    fn is_exit(&self, at: usize) -> bool {
        self.starts_with_any(at, &EXITS)
    }

    /// Keeps a line, the rest of its statement, and the headers of the blocks around it.
    fn keep_with_headers(&self, at: usize, kept: &mut [bool]) {
        self.keep_statement(at, kept);
        let Some(mut depth) = self.depth(at) else { return };
        let mut goes_on = self.continues(at);
        for above in (0..at).rev() {
            let Some(other) = self.depth(above) else { continue };
            if other < depth {
                depth = other;
                goes_on = self.continues(above);
                self.keep_statement(above, kept);
            } else if other == depth && goes_on && self.opens(above) {
                // The branch before an `else`, or the beginning of a signature over several lines.
                goes_on = self.continues(above);
                self.keep_statement(above, kept);
            }
            if depth == 0 && !goes_on {
                break;
            }
        }
    }

    /// Returns true if a line continues one above it with the same indentation.
    fn continues(&self, at: usize) -> bool {
        self.lines[at].trim_start().starts_with([')', ']']) || self.starts_with_any(at, &BRANCHES)
    }

    fn opens(&self, at: usize) -> bool {
        self.lines[at].trim_end().ends_with(['{', ':', '(', '[', '<'])
    }

    /// Keeps a line and those below it until its brackets close; for a comment, the lines below it as well.
    fn keep_statement(&self, at: usize, kept: &mut [bool]) {
        let mut open = 0_i32;
        for (line, kept) in self.lines[at..].iter().zip(&mut kept[at..]).take(LONGEST_STATEMENT) {
            *kept = true;
            if is_comment(line) {
                continue;
            }
            open += line.chars().fold(0, |open, c| match c {
                '(' | '[' => open + 1,
                ')' | ']' => open - 1,
                _ => open,
            });
            if open <= 0 {
                break;
            }
        }
    }

    /// Shows gaps of few and short lines, or of lines without words, where telling that they are missing costs as much.
    fn fill_small_gaps(&self, kept: &mut [bool]) {
        let mut at = 0;
        while at < kept.len() {
            let until = (at..kept.len()).find(|at| kept[*at]).unwrap_or(kept.len());
            let says_something = |line: &&&str| line.chars().any(char::is_alphanumeric);
            let telling = self.lines[at..until].iter().filter(says_something).count();
            let characters: usize = self.lines[at..until].iter().map(|line| line.trim().len()).sum();
            let is_small = telling <= 1 || (telling <= 3 && characters <= SMALL_GAP);
            if until > at && is_small && until - at <= 4 {
                kept[at..until].fill(true);
            }
            at = until + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HANDLER: &str = "\
def on_failure(self, exc, send=True):
    exc = unwrap(exc)
    if isinstance(exc, MemoryError):
        raise MemoryError('gone')
    elif isinstance(exc, Reject):
        if not exc.requeue:
            # Never run again: says so.
            self.backend.mark_as_failure(
                self.id, exc,
                store=self.store_errors,
            )
            signals.send(sender=self)
        return self.reject(requeue=exc.requeue)
    log(exc)
    count(exc)
    for listener in self.listeners:
        listener.tell(exc)
        listener.close()
    if self.acks_late:
        acknowledge(self)
        self.done = True
    publish(self)
";

    fn shown(text: &str, about: &str) -> String {
        let lines: Vec<&str> = text.lines().collect();
        let kept = Focus::parse(about).and_then(|focus| focus.lines(&lines, 0..1, &[]));
        let kept = kept.unwrap_or_else(|| vec![true; lines.len()]);
        let lines = lines.iter().zip(kept).map(|(line, kept)| if kept { *line } else { "..." });
        let mut rows: Vec<&str> = lines.collect();
        rows.dedup_by(|a, b| *a == "..." && *b == "...");
        rows.join("\n")
    }

    #[test]
    fn a_line_comes_with_its_conditions_and_the_ways_out() {
        let text = shown(HANDLER, "late acks");
        assert!(text.contains("    if self.acks_late:\n") && text.contains("raise MemoryError"), "{text}");
        assert!(
            text.contains("    elif isinstance(exc, Reject):") && text.contains("return self.reject"),
            "{text}"
        );
        assert!(!text.contains("listener.tell") && !text.contains("signals.send"), "{text}");
    }

    #[test]
    fn a_statement_over_several_lines_is_kept_to_its_end() {
        let text = shown(HANDLER, "mark_as_failure");
        assert!(text.contains("store=self.store_errors,\n            )"), "{text}");
        assert!(!text.contains("acks_late"), "{text}");
    }

    #[test]
    fn a_question_without_a_hit_leaves_the_ways_out_and_a_short_body_is_whole() {
        let text = shown(HANDLER, "zebra");
        assert!(text.contains("raise MemoryError") && !text.contains("acks_late"), "{text}");
        assert!(!shown("def f():\n    a\n    return b\n", "zebra").contains("..."));
    }

    #[test]
    fn functions_without_a_word_of_the_question_are_left_out() {
        let method = |name: &str, word: &str| {
            format!(
                "    def {name}(self):\n        first = compute_the_first_of_all_values()\n        second = compute_the_second_of_all_values()\n        {word}()\n        z = 3\n        return first\n"
            )
        };
        let text =
            format!("class C:\n{}{}{}", method("a", "alpha"), method("b", "beta"), method("c", "gamma"));
        let lines: Vec<&str> = text.lines().collect();
        let kept =
            Focus::parse("beta").and_then(|focus| focus.lines(&lines, 0..1, &[(1, 6), (7, 12), (13, 18)]));
        let kept: Vec<&str> = lines
            .iter()
            .zip(kept.expect("a part"))
            .filter(|(_, kept)| *kept)
            .map(|(line, _)| line.trim())
            .collect();
        assert_eq!(kept, ["class C:", "def b(self):", "beta()", "z = 3", "return first"]);
    }

    #[test]
    fn calls_are_named_once_and_keywords_are_none() {
        let lines = [
            "    if (a.open(close(1))) {",
            "  // not(this)",
            "    x.close(2); vec!(3); new Error(4); fail(5)",
        ];
        assert_eq!(calls_in(&lines), ["open", "close", "vec!", "Error"]);
        assert!(calls_in(&["ä(", "((", "öh(1)"]).iter().all(|name| name == "öh"));
    }
}
