//! Writes the answer of `change_impact` within its budget: symbols first, then tests and files, each with its share of
//! the room.

use hob_budget::chars_of;
use hob_change::SymbolFate;
use hob_proto::tools::change::{ChangeResult, ReviewCounts, ReviewedFile, ReviewedSymbol};
use rustc_hash::FxHashSet;

use super::assess::AssessedSymbol;
use crate::ToolCall;
use crate::impact::items_that_fit;

/// Most tests that each symbol shows, and broken uses that each shows however many symbols there are.
const TESTS: usize = 4;
const BROKEN: usize = 12;

/// Characters of a broken use: most have fewer.
const CHARS_OF_BROKEN: usize = 200;

/// Shares of the room in percent, of `symbols`, `tests` and `files`.
const SHARES: [usize; 3] = [70, 12, 18];

const WAY: &str = "Pass offset for the next page, or narrow with paths.";

/// The contents of the answer.
pub(super) struct ReviewTelling<'a> {
    /// The symbols in the order of the answer.
    pub(super) symbols: &'a [AssessedSymbol<'a>],
    pub(super) files: Vec<ReviewedFile>,
    pub(super) compared: String,
    /// Number of symbols on earlier pages.
    pub(super) offset: usize,
}

impl ReviewTelling<'_> {
    pub(super) fn result(&self, call: &mut ToolCall<'_>) -> ChangeResult {
        let tests = self.all_tests();
        let mut result = ChangeResult {
            compared: self.compared.clone(),
            counts: ReviewCounts {
                symbols: self.symbols.len(),
                files: self.files.len(),
                broken: self.symbols.iter().map(|symbol| symbol.broken.len()).sum(),
                tests: tests.len(),
            },
            ..ChangeResult::default()
        };
        self.warn_of_limits(call);
        let room = call.room_beside_note().saturating_sub(chars_of(&result));
        let page = self.symbols.get(self.offset..).unwrap_or_default();
        let most_broken = most_broken(room, page.len());
        let mut given = if self.offset == 0 { SHARES.map(|share| room * share / 100) } else { [room, 0, 0] };
        // In the second round, room that lists did not need goes to the first list that needed more.
        for _ in 0..2 {
            let (symbols, a) =
                items_that_fit(page.iter().map(|symbol| reviewed_symbol(symbol, most_broken)), given[0]);
            let (shown, b) = items_that_fit(tests.iter().cloned(), given[1]);
            let (files, c) = items_that_fit(self.files.iter().cloned(), given[2]);
            let whole =
                [symbols.len() == page.len(), shown.len() == tests.len(), files.len() == self.files.len()];
            given = [a, b, c];
            let first = if self.offset == 0 { whole.iter().position(|whole| !whole) } else { Some(0) };
            let spare = room.saturating_sub(a + b + c);
            if let Some(first) = first {
                given[first] += spare;
            }
            result = ChangeResult { symbols, tests: shown, files, ..result };
        }
        self.note_omissions(call, &result);
        result
    }

    fn note_omissions(&self, call: &mut ToolCall<'_>, result: &ChangeResult) {
        let counts = &result.counts;
        let left = counts.symbols.saturating_sub(self.offset);
        let mut way = WAY;
        let lists = [
            ("symbols", left, result.symbols.len()),
            ("tests", counts.tests, result.tests.len()),
            ("files", counts.files, result.files.len()),
        ];
        let lists = lists.into_iter().take(if self.offset == 0 { 3 } else { 1 });
        for (kind, total, shown) in lists.filter(|(_, total, shown)| total > shown) {
            call.omit_items(kind, total, shown, std::mem::replace(&mut way, "Likewise."));
        }
    }

    fn warn_of_limits(&self, call: &mut ToolCall<'_>) {
        let unknown = self.symbols.iter().filter(|symbol| !symbol.reach.is_followed).count();
        if unknown > 0 {
            call.notes.warnings.push(format!(
                "Dependents of {unknown} symbols are not known: the map has them not, or there was no time."
            ));
        }
    }

    /// Returns the IDs of all tests that reach the change, nearest first, each once.
    fn all_tests(&self) -> Vec<String> {
        let tests = self.symbols.iter().flat_map(|symbol| &symbol.reach.tests);
        let mut tests: Vec<(u32, &str)> = tests.map(|test| (test.depth, test.id.as_str())).collect();
        tests.sort_unstable();
        let mut seen = FxHashSet::default();
        tests.into_iter().filter(|(_, id)| seen.insert(*id)).map(|(_, id)| id.to_owned()).collect()
    }
}

/// Returns the most broken uses that each symbol shows: all of them if there are few symbols, because a rename needs
/// them all, and a few each if there are many.
fn most_broken(room: usize, symbols: usize) -> usize {
    (room * SHARES[0] / 100 / symbols.max(1) / CHARS_OF_BROKEN).max(BROKEN)
}

fn reviewed_symbol(symbol: &AssessedSymbol<'_>, most_broken: usize) -> ReviewedSymbol {
    let (change, reach) = (symbol.change, &symbol.reach);
    let place = change.place();
    let sides = change.before.as_ref().zip(change.after.as_ref()).filter(|_| change.parts.signature);
    let was =
        change.before.as_ref().filter(|_| matches!(change.fate, SymbolFate::Renamed | SymbolFate::Moved));
    ReviewedSymbol {
        uid: reach.uid.clone(),
        name: place.qualified.clone(),
        kind: place.kind.as_str().to_owned(),
        file: place.path.to_string(),
        line: place.line,
        change: change.fate.as_str().to_owned(),
        parts: change.parts.words().into_iter().map(str::to_owned).collect(),
        risk: symbol.risk().as_str().to_owned(),
        was: was.map(|was| format!("{}#{}", was.path, was.qualified)),
        before: sides.map(|(before, _)| before.signature.clone()),
        after: sides.map(|(_, after)| after.signature.clone()),
        members: symbol.members,
        broken: symbol.broken.iter().take(most_broken).cloned().collect(),
        broken_count: (symbol.broken.len() > most_broken).then_some(symbol.broken.len()),
        dependents: reach.dependents,
        users: reach.users.clone(),
        tests: reach.tests.iter().take(TESTS).map(|test| test.id.clone()).collect(),
        test_count: reach.tests.len(),
        followed: reach.is_followed,
    }
}
