//! Makes the note about omissions: it names the omitted items and the way to get them.

use hob_proto::Omission;

/// Longest note, in characters; a quarter of that for the smallest budgets.
const NOTE_MAX: usize = 240;

/// Items that a handler left out itself, because of a limit of the question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OmittedItems {
    /// The kind of the omitted items.
    pub kind: &'static str,
    /// The number of them.
    pub count: u64,
    /// The way to get the items, as a sentence.
    pub way: &'static str,
}

/// Counts omissions: the handler's, and those of the passes.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    omitted: Vec<OmittedItems>,
    entries: Vec<LedgerEntry>,
}

#[derive(Clone, Debug)]
struct LedgerEntry {
    kind: String,
    count: u64,
    narrow: &'static str,
}

impl Ledger {
    /// Creates a ledger that begins with the handler's omissions.
    pub(super) fn new(omitted: Vec<OmittedItems>) -> Self {
        Self { omitted: omitted.into_iter().filter(|item| item.count > 0).collect(), entries: Vec::new() }
    }

    /// Counts `count` more omitted items of `kind`.
    pub(super) fn add(&mut self, kind: &str, count: usize, narrow: &'static str) {
        if count == 0 {
            return;
        }
        match self.entries.iter_mut().find(|entry| entry.kind == kind) {
            Some(entry) => entry.count += count as u64,
            None => self.entries.push(LedgerEntry { kind: kind.to_owned(), count: count as u64, narrow }),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.omitted.is_empty()
    }

    /// Returns the envelope's `dropped`: the largest kind leads, and the note names all kinds and the way to get them.
    pub(super) fn dropped_items(&self, requested: u32) -> Option<Omission> {
        let counts = self.entries.iter().map(|entry| (entry.count, entry.kind.as_str()));
        let counts = counts.chain(self.omitted.iter().map(|item| (item.count, item.kind)));
        let (count, kind) = counts.max_by_key(|(count, _)| *count)?;
        let mut sentences: Vec<String> = self.cut_by_budget(requested).into_iter().collect();
        sentences.extend(
            self.omitted.iter().map(|o| format!("{} more {} beyond the limit. {}", o.count, o.kind, o.way)),
        );
        let note = sentences.join(" ");
        let max = if requested < 300 { NOTE_MAX / 2 } else { NOTE_MAX };
        let kind: String = kind.chars().take(40).collect();
        Some(Omission { kind, count, note: super::shrink::shorten_to(&note, max).unwrap_or(note) })
    }

    fn cut_by_budget(&self, requested: u32) -> Option<String> {
        if self.entries.is_empty() {
            return None;
        }
        let all: Vec<_> =
            self.entries.iter().map(|entry| format!("{} {}", entry.count, entry.kind)).collect();
        let narrow =
            self.entries.iter().map(|entry| entry.narrow).find(|narrow| !narrow.is_empty()).unwrap_or("");
        let names_budget = narrow.contains("tokenBudget") || narrow.contains("token_budget");
        let way = match (narrow.is_empty(), names_budget) {
            (true, _) => "Raise tokenBudget.".to_owned(),
            (false, true) => format!("{narrow}."),
            (false, false) => format!("{narrow}, or raise tokenBudget."),
        };
        Some(format!("Dropped {} to fit tokenBudget={requested}. {way}", all.join(", ")))
    }
}
