//! What was left out, and how to get it.

use hob_proto::Dropped;

/// Longest note, in characters; a quarter of that for the smallest budgets.
const NOTE_MAX: usize = 240;

/// Keeps account of what the passes leave out.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    entries: Vec<Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    kind: String,
    count: u64,
    narrow: &'static str,
}

impl Ledger {
    /// `count` more items of `kind` were left out.
    pub(super) fn add(&mut self, kind: &str, count: usize, narrow: &'static str) {
        if count == 0 {
            return;
        }
        match self.entries.iter_mut().find(|entry| entry.kind == kind) {
            Some(entry) => entry.count += count as u64,
            None => self.entries.push(Entry { kind: kind.to_owned(), count: count as u64, narrow }),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The envelope's `dropped`: the largest kind leads, the note names them all and the first way to narrow.
    pub(super) fn dropped(&self, requested: u32) -> Option<Dropped> {
        let lead = self.entries.iter().max_by_key(|entry| entry.count)?;
        let all: Vec<_> =
            self.entries.iter().map(|entry| format!("{} {}", entry.count, entry.kind)).collect();
        let narrow =
            self.entries.iter().map(|entry| entry.narrow).find(|narrow| !narrow.is_empty()).unwrap_or("");
        let way = match narrow.contains("tokenBudget") || narrow.contains("token_budget") {
            _ if narrow.is_empty() => "Raise tokenBudget.".to_owned(),
            true => format!("{narrow}."),
            false => format!("{narrow}, or raise tokenBudget."),
        };
        let note = format!("Dropped {} to fit tokenBudget={requested}. {way}", all.join(", "));
        let max = if requested < 300 { NOTE_MAX / 2 } else { NOTE_MAX };
        let kind: String = lead.kind.chars().take(40).collect();
        Some(Dropped { kind, count: lead.count, note: super::shrink::shortened(&note, max).unwrap_or(note) })
    }
}
