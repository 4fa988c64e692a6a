//! Chooses the lines of a body that are shown: all of them, or the signature and those that the caller asks for. These
//! are pure functions over lines.
//!
//! Missing lines are always reported as ranges, because a reader of a part wants to know what it is a part of.

use regex::Regex;

use super::focus::{Focus, calls_in};

/// Number of lines on each side of a line that was asked for.
const AROUND: usize = 4;
/// Most lines of a body that is shown whole, whatever was asked for.
const SHORT: usize = 30;
/// Most lines of a signature.
const SIGNATURE: usize = 8;
/// Most lines of a body that is shown whole unless the caller wants less.
const LONG: usize = 150;
/// Number of lines that a long function then shows: its first, or those around the line that was asked for.
const WINDOW: usize = 70;
/// Number of lines from which on a gap is reported: to report a smaller one costs as much as to show it.
const SMALL_GAP: u32 = 3;
/// Fewest lines of a function within a long class or file that are left out.
const WORTH_FOLDING: usize = 4;
/// Characters that a line costs in addition to its own, in either form of an answer: its number and its end.
const PER_LINE: usize = 8;

/// A range of source lines with the number of the first.
pub(super) struct Body<'t> {
    lines: Vec<&'t str>,
    first: u32,
}

/// The part of documentation that is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Docs {
    /// No line of it.
    #[default]
    Nothing,
    /// The first line of each comment.
    Brief,
    /// The whole of each comment.
    Whole,
}

/// The lines of a body that a caller asks for.
#[derive(Clone, Copy, Default)]
pub(super) struct LineSelection<'r> {
    /// Asks for the lines that match.
    pub(super) pattern: Option<&'r Regex>,
    /// Asks for the lines that bear on this question.
    pub(super) focus: Option<&'r Focus>,
    /// The lines of the functions within, which are judged one by one for the question.
    pub(super) functions: &'r [(u32, u32)],
    /// Asks for this line, counted in the file.
    pub(super) line: Option<u32>,
    /// The part of documentation that is shown.
    pub(super) docs: Docs,
    /// The lines of the functions within, of which a long body shows the signatures; `None` if the body is wanted
    /// whole.
    pub(super) folded: Option<&'r [(u32, u32)]>,
}

/// The lines of a body that are shown.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ShownBody {
    /// The shown lines, without numbers.
    pub(super) text: String,
    /// The ranges of the body that are not shown: first and last line, in the file.
    pub(super) missing: Vec<(u32, u32)>,
    /// The functions that each of those ranges calls, if a question chose the lines; else empty.
    pub(super) calls: Vec<Vec<String>>,
    /// True if only unwanted documentation is left out.
    pub(super) is_complete: bool,
    /// True if lines are missing because there is no room for them.
    pub(super) lacks_room: bool,
}

impl<'t> Body<'t> {
    pub(super) fn new(text: &'t str, first: u32) -> Self {
        Self { lines: text.split_inclusive('\n').collect(), first }
    }

    /// Returns about how many characters all lines take that are usually shown.
    pub(super) fn cost(&self, wanted: &LineSelection<'_>) -> usize {
        let kept = self.usual_part(wanted).unwrap_or_else(|| self.without_docs(wanted));
        (0..self.lines.len()).filter(|at| kept[*at]).map(|at| self.cost_of(at)).sum()
    }

    /// Returns the lines that fit into `room` characters; at least one.
    pub(super) fn within(&self, room: usize, wanted: &LineSelection<'_>) -> ShownBody {
        let base = self.without_docs(wanted);
        let is_asked = wanted.pattern.is_some() && self.lines.len() > SHORT;
        let lacks_room = self.cost(wanted) > room;
        let part = self.usual_part(wanted);
        let kept = match (is_asked || lacks_room, part) {
            (true, Some(part)) if wanted.focus.is_some() => self.chosen(room, wanted, &part),
            (true, _) => self.chosen(room, wanted, &base),
            (false, part) => part.unwrap_or_else(|| base.clone()),
        };
        let is_complete = kept == base;
        let text = self.lines.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(line, _)| *line).collect();
        let missing = self.gaps(&kept);
        let calls = if wanted.focus.is_some() { self.calls_of(&missing) } else { Vec::new() };
        ShownBody { text, missing, calls, is_complete, lacks_room }
    }

    /// Returns a flag for each line of a long body that is true if the line is shown without a wish for the whole;
    /// `None` if all lines are.
    fn usual_part(&self, wanted: &LineSelection<'_>) -> Option<Vec<bool>> {
        if let Some(kept) = wanted.focus.and_then(|focus| self.focused(focus, wanted)) {
            return Some(kept);
        }
        let inner = wanted.folded.filter(|_| self.lines.len() > LONG && wanted.pattern.is_none())?;
        match inner.is_empty() || wanted.line.is_some() {
            true => Some(self.window(wanted)),
            false => Some(self.signatures(inner, wanted.docs)),
        }
    }

    /// Returns a flag for each line that is true if the line bears on the question; `None` if a part would save little.
    fn focused(&self, focus: &Focus, wanted: &LineSelection<'_>) -> Option<Vec<bool>> {
        let place = |line: u32| line.checked_sub(self.first).map(|at| at as usize);
        let places =
            wanted.functions.iter().filter_map(|(first, last)| Some((place(*first)?, place(*last)?)));
        let places: Vec<(usize, usize)> = places.filter(|(first, _)| *first > 0).collect();
        let code =
            self.without_docs(&LineSelection::default()).iter().position(|is_code| *is_code).unwrap_or(0);
        let signature = code..code + self.signature_at(code);
        let mut kept = focus.lines(&self.lines, signature, &places)?;
        let asked = wanted.line.and_then(place).into_iter();
        asked.filter(|at| *at < self.lines.len()).for_each(|at| kept[at] = true);
        Some(kept)
    }

    /// Returns a flag for each line that is true for the signature, and for the first lines or those around the line
    /// that was asked for.
    fn window(&self, wanted: &LineSelection<'_>) -> Vec<bool> {
        let middle = self.asked(wanted).first().copied().unwrap_or(0);
        let from = middle.saturating_sub(WINDOW / 2).min(self.lines.len().saturating_sub(WINDOW));
        let shown = from..from + WINDOW;
        let (signature, base) = (self.signature(), self.without_docs(wanted));
        let is_kept = |(at, base): (usize, bool)| base && (at < signature || shown.contains(&at));
        base.into_iter().enumerate().map(is_kept).collect()
    }

    /// Returns a flag for each line that is false for unwanted documentation and for the bodies of the functions
    /// within.
    fn signatures(&self, inner: &[(u32, u32)], wanted_docs: Docs) -> Vec<bool> {
        let mut kept = self.without_docs(&LineSelection { docs: wanted_docs, ..LineSelection::default() });
        let place = |line: u32| line.checked_sub(self.first).map(|at| at as usize);
        for (first, last) in inner.iter().filter_map(|(first, last)| Some((place(*first)?, place(*last)?))) {
            let last = last.min(self.lines.len().saturating_sub(1));
            let body = first + self.signature_at(first)..(last + 1).max(first);
            if body.len() >= WORTH_FOLDING {
                kept[body].fill(false);
            }
        }
        kept
    }

    fn cost_of(&self, at: usize) -> usize {
        let width = |c: char| if matches!(c, '"' | '\\' | '\t') { 2 } else { 1 };
        self.lines[at].chars().map(width).sum::<usize>() + PER_LINE
    }

    /// Chooses the signature first, then the lines that were asked for with those around them, nearest first, then
    /// other lines from the top.
    fn chosen(&self, room: usize, wanted: &LineSelection<'_>, base: &[bool]) -> Vec<bool> {
        let mut kept = vec![false; self.lines.len()];
        let mut left = room;
        let mut keep = |at: usize, kept: &mut Vec<bool>| {
            if kept.get(at) != Some(&false) || !base[at] {
                return true;
            }
            let cost = self.cost_of(at);
            let fits = cost <= left || !kept.contains(&true);
            if fits {
                left = left.saturating_sub(cost);
                kept[at] = true;
            }
            fits
        };
        let signature = self.signature();
        (0..signature).all(|at| keep(at, &mut kept));
        let asked = self.asked(wanted);
        for distance in 0..=AROUND {
            for at in &asked {
                let _ = at.checked_sub(distance).is_none_or(|at| keep(at, &mut kept));
                let _ = at + distance >= self.lines.len() || keep(at + distance, &mut kept);
            }
        }
        if wanted.pattern.is_none() || asked.is_empty() {
            // The remaining room goes to the lines behind the signature, or on both sides of the line that was asked
            // for.
            match wanted.line.and(asked.first()) {
                None => _ = (signature..self.lines.len()).all(|at| keep(at, &mut kept)),
                Some(&middle) => {
                    _ = (1..self.lines.len()).all(|distance| {
                        let above = middle.checked_sub(distance).is_none_or(|at| keep(at, &mut kept));
                        above && (middle + distance >= self.lines.len() || keep(middle + distance, &mut kept))
                    });
                }
            }
        }
        for (first, last) in self.gaps(&kept) {
            if last - first < SMALL_GAP && first > self.first {
                (first..=last).all(|line| keep((line - self.first) as usize, &mut kept));
            }
        }
        kept
    }

    /// Returns the indexes of the lines that were asked for.
    fn asked(&self, wanted: &LineSelection<'_>) -> Vec<usize> {
        if let Some(pattern) = wanted.pattern {
            return (0..self.lines.len()).filter(|at| pattern.is_match(self.lines[*at].trim_end())).collect();
        }
        let line = wanted.line.and_then(|line| line.checked_sub(self.first)).map(|at| at as usize);
        line.filter(|at| *at < self.lines.len()).into_iter().collect()
    }

    /// Returns the number of lines of the signature at the top.
    fn signature(&self) -> usize {
        self.signature_at(0)
    }

    /// Returns the number of lines of a signature that begins at this line.
    fn signature_at(&self, first: usize) -> usize {
        let ends = |line: &&str| matches!(line.trim_end().chars().last(), Some('{' | ':' | ';' | '='));
        let lines = self.lines.get(first..).unwrap_or_default();
        lines.iter().take(SIGNATURE).position(ends).map_or(1, |at| at + 1).min(lines.len())
    }

    /// Returns a flag for each line that is false for unwanted documentation.
    fn without_docs(&self, wanted: &LineSelection<'_>) -> Vec<bool> {
        let mut kept = vec![true; self.lines.len()];
        if wanted.docs == Docs::Whole {
            return kept;
        }
        let mut until: Option<&str> = None;
        for (at, line) in self.lines.iter().enumerate() {
            let line = line.trim();
            match until {
                Some(end) => {
                    kept[at] = false;
                    if line.ends_with(end) {
                        until = None;
                    }
                }
                None => {
                    let above = at.checked_sub(1).map(|above| self.lines[above].trim_end());
                    if let Some(opened) = doc_at(line, above) {
                        kept[at] = false;
                        until = opened;
                    }
                }
            }
        }
        if wanted.docs == Docs::Brief {
            self.keep_first_lines(&mut kept);
        }
        kept
    }

    /// Shows the first line with words of each range that is not shown, with the opening of the comment above it.
    fn keep_first_lines(&self, kept: &mut [bool]) {
        for (first, last) in self.gaps(kept) {
            let place = |line: u32| (line - self.first) as usize;
            let has_words = |line: &u32| self.lines[place(*line)].contains(char::is_alphanumeric);
            let worded = (first..=last).find(has_words).unwrap_or(first);
            // The rest of a short comment is not worth a gap.
            let until = if last - worded < SMALL_GAP { last } else { worded };
            kept[place(first)..=place(until)].fill(true);
        }
    }

    /// Returns the functions that each of some ranges calls.
    fn calls_of(&self, stretches: &[(u32, u32)]) -> Vec<Vec<String>> {
        let place = |line: u32| ((line - self.first) as usize).min(self.lines.len());
        stretches.iter().map(|(first, last)| calls_in(&self.lines[place(*first)..place(last + 1)])).collect()
    }

    fn gaps(&self, kept: &[bool]) -> Vec<(u32, u32)> {
        let mut gaps: Vec<(u32, u32)> = Vec::new();
        for (line, _) in (self.first..).zip(kept).filter(|(_, kept)| !**kept) {
            match gaps.last_mut() {
                Some(last) if last.1 + 1 == line => last.1 = line,
                _ => gaps.push((line, line)),
            }
        }
        gaps
    }
}

/// Returns the text with which documentation ends that begins on this line: the inner `None` if it ends on it; the
/// outer `None` if none begins. `above` is the line before.
fn doc_at(line: &str, above: Option<&str>) -> Option<Option<&'static str>> {
    if line.starts_with("///") || line.starts_with("//!") || line.starts_with("#[doc") {
        return Some(None);
    }
    if line.starts_with("/**") {
        return Some((!line.ends_with("*/")).then_some("*/"));
    }
    let quoted = line.trim_start_matches(['r', 'R', 'u', 'U', 'b', 'B']);
    let quotes = ["\"\"\"", "'''"].into_iter().find(|quotes| quoted.starts_with(quotes))?;
    // A docstring is the first statement below a header, or of a file.
    let is_first = above.is_none_or(|above| above.ends_with(':') || above.is_empty());
    let ends = quoted.len() >= 6 && quoted.ends_with(quotes);
    is_first.then_some((!ends).then_some(quotes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(lines: u32) -> String {
        let body: String = (1..lines - 1).map(|n| format!("    step({n});\n")).collect();
        format!("fn long() {{\n{body}}}\n")
    }

    #[test]
    fn what_fits_is_whole() {
        let text = text(20);
        let shown = Body::new(&text, 7)
            .within(10_000, &LineSelection { docs: Docs::Whole, ..LineSelection::default() });
        assert_eq!((shown.text.as_str(), shown.missing, shown.is_complete), (text.as_str(), vec![], true));
    }

    #[test]
    fn what_does_not_fit_keeps_its_signature_and_what_was_asked_for() {
        let text = text(200);
        let body = Body::new(&text, 101);
        let pattern = Regex::new(r"step\(150\)").expect("a regex");
        let shown = body.within(
            400,
            &LineSelection { pattern: Some(&pattern), docs: Docs::Whole, ..LineSelection::default() },
        );
        assert!(shown.text.starts_with("fn long() {") && shown.text.contains("step(150);"), "{}", shown.text);
        assert_eq!(shown.missing, [(102, 246), (256, 300)]);
        assert!(!shown.is_complete);
        let shown = body
            .within(400, &LineSelection { line: Some(180), docs: Docs::Whole, ..LineSelection::default() });
        assert!(shown.text.contains("step(79);") && shown.text.starts_with("fn long() {"), "{}", shown.text);
        let shown = body.within(400, &LineSelection { docs: Docs::Whole, ..LineSelection::default() });
        assert!(shown.missing.len() == 1 && shown.missing[0].1 == 300, "{:?}", shown.missing);
    }

    #[test]
    fn a_long_class_shows_its_signatures_and_a_long_function_its_beginning() {
        let methods: String =
            (0..20).map(|n| format!("    def f{n}(self):\n{}", "        step()\n".repeat(9))).collect();
        let class = format!("class C:\n    x = 1\n{methods}");
        let inner: Vec<(u32, u32)> = (0..20).map(|n| (3 + n * 10, 12 + n * 10)).collect();
        let wanted = LineSelection { docs: Docs::Whole, folded: Some(&inner), ..LineSelection::default() };
        let shown = Body::new(&class, 1).within(20_000, &wanted);
        assert!(shown.text.starts_with("class C:\n    x = 1\n    def f0(self):\n    def f1(self):\n"));
        assert_eq!((shown.missing[0], shown.missing.len(), shown.is_complete), ((4, 12), 20, false));
        let wanted = LineSelection { docs: Docs::Whole, folded: Some(&[]), ..LineSelection::default() };
        let long = text(200);
        assert_eq!(Body::new(&long, 1).within(20_000, &wanted).missing, [(71, 200)]);
        let at = LineSelection { line: Some(150), ..wanted };
        assert_eq!(Body::new(&long, 1).within(20_000, &at).missing, [(2, 114), (185, 200)]);
        let short = text(90);
        assert!(Body::new(&short, 1).within(20_000, &at).is_complete);
    }

    #[test]
    fn of_long_documentation_the_first_line_is_left() {
        let text = "def f():\n    \"\"\"\n    Says.\n\n    One.\n    Two.\n    Three.\n    \"\"\"\n    a\n    \"\"\"b\"\"\"\n";
        let brief = LineSelection { docs: Docs::Brief, ..LineSelection::default() };
        let shown = Body::new(text, 1).within(10_000, &brief);
        assert_eq!((shown.missing, shown.is_complete), (vec![(4, 8)], true), "{}", shown.text);
        let short = "/// One.\n///\n/// Two.\nfn f() {}\n";
        assert_eq!(Body::new(short, 1).within(10_000, &brief).text, short);
    }

    #[test]
    fn shown_and_missing_lines_are_all_lines() {
        let text = text(120);
        for room in [0, 1, 50, 333, 1_000, 5_000] {
            let shown = Body::new(&text, 1).within(
                room,
                &LineSelection { docs: Docs::Whole, line: Some(60), ..LineSelection::default() },
            );
            let missing: u32 = shown.missing.iter().map(|(first, last)| last - first + 1).sum();
            assert_eq!(shown.text.lines().count() as u32 + missing, 120, "{room}");
            assert_eq!(shown.is_complete, missing == 0);
        }
    }

    #[test]
    fn documentation_goes_when_it_is_not_wanted() {
        let wanted = LineSelection::default();
        let python =
            "def f():\n    \"\"\"Says.\n\n    More.\n    \"\"\"\n    x = \"\"\"kept\"\"\"\n    return 1\n";
        let shown = Body::new(python, 10).within(10_000, &wanted);
        assert_eq!(shown.text, "def f():\n    x = \"\"\"kept\"\"\"\n    return 1\n");
        assert_eq!((shown.missing, shown.is_complete), (vec![(11, 14)], true));
        let script = "class A {\n  /** One. */\n  a() {}\n  /**\n   * Two.\n   */\n  b() {}\n}\n";
        assert_eq!(Body::new(script, 1).within(10_000, &wanted).text, "class A {\n  a() {}\n  b() {}\n}\n");
        let rust = "/// Says.\n#[inline]\nfn f() {\n    // kept\n}\n";
        assert_eq!(Body::new(rust, 1).within(10_000, &wanted).text, "#[inline]\nfn f() {\n    // kept\n}\n");
    }
}
