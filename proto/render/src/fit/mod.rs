//! Writes a document within a budget: the largest prefix of its items that fits, then its notes.
//!
//! Notes are bounded and take precedence over items when room is short, because an answer that does not say
//! what it lacks is wrong. An item that does not fit is left out whole; a body, which may be larger than any
//! budget, is cut between lines, and a line says which lines of the file are missing.

use hob_proto::envelope::PARTIAL;
use hob_proto::tools::ToolDef;

use crate::document::{AnswerDocument, AnswerItem, Section};
use crate::notes::{NoteVocabulary, OmissionLine, bracketed_note, left_out};
use crate::one_line::shorten_to;

/// The share of the budget that notes may take, one part in so many; beyond it the last notes are left out.
const NOTES_SHARE: usize = 3;

/// Fewest free characters for which a body is cut rather than left out.
const WORTH_CUTTING: usize = 160;

/// The surroundings of a document: its limit and its notes.
#[derive(Clone, Debug, Default)]
pub struct Frame<'f> {
    /// Most characters that the text may have.
    pub max_chars: usize,
    /// The warnings of the call, the most important first.
    pub warnings: &'f [String],
    /// The omissions of the tool itself.
    pub omitted: &'f [OmissionLine],
    /// The tool, for its words about omissions.
    pub tool: Option<&'static ToolDef>,
    /// Number of items of the paged section on earlier pages.
    pub offset: u64,
    /// The vocabulary in which notes name arguments.
    pub voice: NoteVocabulary,
}

/// A document within its budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fitted {
    /// The answer's text, without a line end after the last line.
    pub text: String,
    /// Number of items that the text shows.
    pub shown: usize,
    /// True if the budget or the tool left anything out.
    pub is_cut: bool,
}

/// Writes `document` within `frame`.
#[must_use]
pub fn fit(document: &AnswerDocument, frame: &Frame<'_>) -> Fitted {
    let page = FitPage::new(document, frame);
    if page.cost(page.pieces.len()) <= frame.max_chars {
        let text = page.page_text(page.pieces.len(), None);
        let is_cut = !frame.omitted.is_empty() || page.has_cut_notes;
        return Fitted { text, shown: page.count, is_cut };
    }
    let (mut low, mut high) = (0, page.pieces.len());
    // Searches for the largest prefix that fits; the notes behind it cost about the same for every prefix.
    while low < high {
        let middle = (low + high).div_ceil(2);
        if page.cost(middle) <= frame.max_chars { low = middle } else { high = middle - 1 }
    }
    let text = page.with_cut_body(low).unwrap_or_else(|| page.page_text(low, None));
    let shown = page.pieces[..low].iter().filter(|piece| piece.is_item).count();
    Fitted { text: cut_to_max(text, frame.max_chars), shown, is_cut: true }
}

/// Returns the text unchanged, unless not even the notes fit.
fn cut_to_max(text: String, max: usize) -> String {
    if count_chars(&text) <= max { text } else { shorten_to(&text, max).into_owned() }
}

fn count_chars(text: &str) -> usize {
    text.chars().count()
}

/// Lines that are written together.
struct FitPiece {
    section: usize,
    text: String,
    is_item: bool,
}

/// A document with its items written out, and the notes behind them.
struct FitPage<'p> {
    document: &'p AnswerDocument,
    frame: &'p Frame<'p>,
    pieces: Vec<FitPiece>,
    /// The number of characters before each piece, and of all pieces.
    costs: Vec<usize>,
    /// Number of items among the pieces.
    count: usize,
    notes: Vec<String>,
    /// True if a note was shortened or left out.
    has_cut_notes: bool,
}

impl<'p> FitPage<'p> {
    fn new(document: &'p AnswerDocument, frame: &'p Frame<'p>) -> Self {
        let mut pieces = Vec::new();
        for (at, section) in document.sections.iter().enumerate() {
            write_section(&mut pieces, at, section);
        }
        let count = pieces.iter().filter(|piece| piece.is_item).count();
        let (notes, has_cut_notes) = notes_of(document, frame);
        let running = pieces.iter().scan(0, |sum, piece| {
            *sum += count_chars(&piece.text);
            Some(*sum)
        });
        let costs = std::iter::once(0).chain(running).collect();
        Self { document, frame, pieces, costs, count, notes, has_cut_notes }
    }

    /// Returns the number of characters of the first `kept` pieces with the notes that apply then.
    fn cost(&self, kept: usize) -> usize {
        let notes = self.left_out_notes(kept, false);
        let notes: usize = notes.iter().chain(&self.notes).map(|note| count_chars(note) + 1).sum();
        (self.costs[kept] + notes).saturating_sub(1)
    }

    /// Formats the first `kept` pieces with `partial` behind them, and the notes that apply then.
    fn page_text(&self, kept: usize, partial: Option<&str>) -> String {
        let mut out: String = self.pieces[..kept].iter().map(|piece| piece.text.as_str()).collect();
        out.extend(partial);
        for note in self.left_out_notes(kept, partial.is_some()).iter().chain(&self.notes) {
            out.push_str(note);
            out.push('\n');
        }
        out.truncate(out.trim_end_matches('\n').len());
        out
    }

    /// Returns one note for each section with omitted items, and for each kind that the tool omitted itself.
    fn left_out_notes(&self, kept: usize, has_partial: bool) -> Vec<String> {
        let mut notes = Vec::new();
        let mut told: Vec<&str> = Vec::new();
        for (at, section) in self.document.sections.iter().enumerate() {
            let shown =
                self.pieces[..kept].iter().filter(|piece| piece.is_item && piece.section == at).count();
            let is_partial = has_partial && self.pieces.get(kept).is_some_and(|piece| piece.section == at);
            let by_tool = self.frame.omitted.iter().find(|omitted| omitted.kind == section.kind);
            let missing = (section.items.len() - shown) as u64 + by_tool.map_or(0, |omitted| omitted.count);
            told.extend(by_tool.map(|omitted| omitted.kind.as_str()));
            if missing > u64::from(is_partial) {
                notes.push(self.note_of(section, shown, missing));
            }
        }
        let others = self.frame.omitted.iter().filter(|omitted| !told.contains(&omitted.kind.as_str()));
        notes.extend(others.map(|omitted| self.spoken_note(&left_out(0, omitted, None))));
        notes
    }

    fn note_of(&self, section: &Section, shown: usize, count: u64) -> String {
        let cut = self.frame.tool.and_then(|tool| tool.cuts.iter().find(|cut| cut.kind == section.kind));
        let by_tool = self.frame.omitted.iter().find(|omitted| omitted.kind == section.kind);
        let way = by_tool.map_or(cut.map_or("", |cut| cut.narrow), |omitted| omitted.way.as_str());
        let missing = OmissionLine { kind: section.kind.to_owned(), count, way: way.to_owned() };
        let next = section.is_paged.then_some(self.frame.offset + shown as u64);
        self.spoken_note(&left_out(shown, &missing, next))
    }

    fn spoken_note(&self, note: &str) -> String {
        bracketed_note(&self.frame.voice.rewrite_note(note, self.frame.tool))
    }

    /// Formats the first `kept` pieces and as many lines of the next one as fit, if it is a body and has
    /// enough room.
    fn with_cut_body(&self, kept: usize) -> Option<String> {
        let piece = self.pieces.get(kept)?;
        let item = self.item_at(kept).filter(|item| item.source.is_some() || kept == 0)?;
        let free = self.frame.max_chars.checked_sub(count_chars(&self.page_text(kept, Some(""))))?;
        if free < WORTH_CUTTING {
            return None;
        }
        let lines: Vec<&str> = piece.text.split_inclusive('\n').collect();
        let headers = lines.len().saturating_sub(item.lines.len());
        let (mut low, mut high) = (0, lines.len().saturating_sub(1));
        while low < high {
            let middle = (low + high).div_ceil(2);
            let text = self.page_text(kept, Some(&cut_body(&lines[..middle], item, headers)));
            if count_chars(&text) <= self.frame.max_chars { low = middle } else { high = middle - 1 }
        }
        (low > headers).then(|| self.page_text(kept, Some(&cut_body(&lines[..low], item, headers))))
    }

    fn item_at(&self, piece: usize) -> Option<&AnswerItem> {
        let section = self.pieces.get(piece).filter(|piece| piece.is_item)?.section;
        let before =
            self.pieces[..piece].iter().filter(|piece| piece.is_item && piece.section == section).count();
        self.document.sections[section].items.get(before)
    }
}

/// Formats the lines that fit, and a line that says which lines of the file are missing.
fn cut_body(lines: &[&str], item: &AnswerItem, headers: usize) -> String {
    let mut out: String = lines.concat();
    let shown = lines.len().saturating_sub(headers);
    let rest = item.lines.len() - shown.min(item.lines.len());
    let indent = " ".repeat(item.group.len());
    match &item.source {
        Some(source) if shown >= source.from => {
            let offset =
                |line: usize| source.first + u32::try_from(line.saturating_sub(source.from)).unwrap_or(0);
            let (first, last) = (offset(shown), offset(item.lines.len().saturating_sub(1)));
            out.push_str(&format!("{indent}… {rest} more lines: {}:{first}-{last}\n", source.path));
        }
        _ => out.push_str(&format!("{indent}… {rest} more lines\n")),
    }
    out
}

fn write_section(pieces: &mut Vec<FitPiece>, at: usize, section: &Section) {
    // The title belongs to the first item, so that it never stands alone.
    let mut title = section.title.as_ref().map(|title| format!("{title}\n")).unwrap_or_default();
    if section.items.is_empty() && !title.is_empty() {
        pieces.push(FitPiece { section: at, text: std::mem::take(&mut title), is_item: false });
    }
    let mut group: &[String] = &[];
    for item in &section.items {
        let mut text = std::mem::take(&mut title);
        write_item(&mut text, item, group);
        group = &item.group;
        pieces.push(FitPiece { section: at, text, is_item: true });
    }
}

/// Writes the headers that differ from those of the item before, and the lines below them.
fn write_item(out: &mut String, item: &AnswerItem, before: &[String]) {
    let shared = item.group.iter().zip(before).take_while(|(own, other)| own == other).count();
    for (level, header) in item.group.iter().enumerate().skip(shared) {
        out.extend(std::iter::repeat_n(' ', level));
        out.push_str(header);
        out.push('\n');
    }
    for line in &item.lines {
        if !line.is_empty() {
            out.extend(std::iter::repeat_n(' ', item.group.len()));
        }
        out.push_str(line);
        out.push('\n');
    }
}

fn says_why(warning: &str) -> bool {
    warning.strip_prefix(PARTIAL).is_some_and(|rest| rest.starts_with(": "))
}

/// Returns the notes on the answer as a whole: the meaning of its marks, its own notes, the call's warnings;
/// if there is no room for all, it drops the last ones.
fn notes_of(document: &AnswerDocument, frame: &Frame<'_>) -> (Vec<String>, bool) {
    let marks: Vec<&str> = document.marks.iter().map(|mark| mark.meaning()).collect();
    let legend = (!marks.is_empty()).then(|| marks.join(", "));
    let spoken = |note: &String| bracketed_note(&frame.voice.rewrite_note(note, frame.tool));
    let (why, warnings): (Vec<&String>, Vec<&String>) =
        frame.warnings.iter().partition(|text| says_why(text));
    // The warning with the reason replaces the word "partial" alone.
    let word = PARTIAL.to_lowercase();
    let why: Vec<String> = why.iter().map(|text| format!("{word}{}", &text[PARTIAL.len()..])).collect();
    let own = document.notes.iter().filter(|note| why.is_empty() || **note != word);
    let all = legend.iter().chain(&why).chain(own).chain(warnings).map(spoken);
    let room = frame.max_chars / NOTES_SHARE;
    let (mut notes, mut used, mut gone, mut is_shortened) = (Vec::new(), 0, 0, false);
    for note in all {
        match used + count_chars(&note) < room {
            true => {
                used += count_chars(&note) + 1;
                notes.push(note);
            }
            false if notes.is_empty() => {
                let short = shorten_to(note.trim_end_matches(']'), room.saturating_sub(2)).into_owned();
                used += count_chars(&short) + 2;
                notes.push(format!("{short}]"));
                is_shortened = true;
            }
            false => gone += 1,
        }
    }
    if gone > 0 {
        notes.push(format!("[{gone} more notes; raise tokenBudget]"));
    }
    (notes, is_shortened || gone > 0)
}

#[cfg(test)]
mod tests;
