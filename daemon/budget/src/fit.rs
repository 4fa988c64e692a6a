//! Cuts an answer to its budget in five passes, until the answer fits.
//!
//! 1. cuts declared lists to their largest prefix that fits, most expendable first, keeping one item of each;
//! 2. drops expendable fields (snippets, docs), one kind at a time;
//! 3. shortens long strings, to the largest length that fits;
//! 4. lets declared lists become empty, then cuts any list;
//! 5. drops the rest of the data.
//!
//! Errors and warnings are shortened before the first pass. Each pass measures the real envelope, so nothing is
//! estimated; passes 1 and 3 search by bisection. A list that can never fit (with more items than the budget has
//! characters) is cut before the first measurement, which bounds the work of every later one.

use hob_proto::tools::ListCut;
use hob_proto::{Envelope, TokenBudget, ToolError};
use serde_json::{Map, Value};

use super::cuts::{costliest_list, cut_lists, lists_at};
use super::estimate::chars_of;
use super::note::Ledger;
use super::shrink::{drop_expendable, longest_string, shorten_strings, shorten_to};
use super::{AnswerDraft, Limit};

/// Shortest result of shortening a string, in characters.
const SHORTEST: usize = 24;

/// An answer within its budget.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// True if the call succeeded: the `ok` of the envelope.
    pub ok: bool,
    /// The serialised envelope, as the client gets it.
    pub text: String,
    /// The data that was kept in the answer; `None` for an error.
    pub data: Option<Value>,
    /// The cost of the answer in tokens.
    pub tokens: u32,
}

/// Cuts `draft` to its budget and serialises it.
#[must_use]
pub fn fit(draft: AnswerDraft) -> Fitted {
    let limit = draft.limit;
    let (ledger, generation) = (Ledger::new(draft.omitted), draft.generation);
    let mut work = Work { envelope: make_envelope(draft.outcome, draft.warnings, limit), limit, ledger };
    work.envelope.generation = generation;
    work.trim_frame();
    work.trim_data(draft.cuts);
    work.finish()
}

fn make_envelope(outcome: Result<Value, ToolError>, warnings: Vec<String>, limit: Limit) -> Envelope {
    let (data, error) = match outcome {
        Ok(data) => (Some(data), None),
        Err(error) => (None, Some(error)),
    };
    let token_budget = TokenBudget { requested: limit.requested, used: limit.requested, max: limit.max };
    Envelope {
        ok: error.is_none(),
        data,
        error,
        token_budget,
        generation: None,
        truncated: false,
        dropped: None,
        warnings,
    }
}

struct Work {
    envelope: Envelope,
    limit: Limit,
    ledger: Ledger,
}

impl Work {
    /// Returns the number of characters over budget. `used` counts with as many digits as `requested`, which is the
    /// most it can have.
    fn chars_over_budget(&mut self) -> usize {
        self.envelope.truncated = !self.ledger.is_empty();
        self.envelope.dropped = self.ledger.dropped_items(self.limit.requested);
        chars_of(&self.envelope).saturating_sub(self.limit.max_chars())
    }

    fn fits(&mut self) -> bool {
        self.chars_over_budget() == 0
    }

    /// Shortens warnings and the error's texts to at most half of the budget, so that there is room for the data.
    fn trim_frame(&mut self) {
        let room = self.limit.max_chars() / 2;
        self.trim_warnings(room);
        let Some(error) = &mut self.envelope.error else { return };
        for text in [&mut error.message, &mut error.hint] {
            while chars_of(text) > room / 3 {
                let max = text.chars().count() * 2 / 3;
                let Some(short) = shorten_to(text, max) else { break };
                *text = short;
            }
        }
        let cost = chars_of(&error.more);
        if cost > room / 3 {
            trim_more(&mut error.more, room / 3);
        }
    }

    /// Keeps whole warnings from the start as long as they fit in a third of `room`; the first is shortened to fit.
    fn trim_warnings(&mut self, room: usize) {
        let room = room / 3;
        let warnings = &mut self.envelope.warnings;
        let before = warnings.len();
        if let Some(first) = warnings.first_mut() {
            while chars_of(first) >= room {
                let max = first.chars().count() * 2 / 3;
                let Some(short) = shorten_to(first, max) else { break };
                *first = short;
            }
        }
        let mut used = 0;
        warnings.retain(|warning| {
            used += chars_of(warning) + 1;
            used <= room
        });
        if warnings.len() < before {
            self.ledger.add("warnings", before - self.envelope.warnings.len(), "");
        }
    }

    fn trim_data(&mut self, cuts: &'static [ListCut]) {
        if self.envelope.data.is_none() {
            return;
        }
        self.drop_impossible(cuts);
        self.cut_declared(cuts, 1);
        self.drop_fields();
        self.shorten_strings_to_fit();
        self.cut_declared(cuts, 0);
        self.cut_any();
        if !self.fits() {
            self.envelope.data = Some(Value::Object(Map::new()));
            self.ledger.add("data", 1, "");
        }
    }

    /// Cuts lists with more items than the budget has characters to that length first.
    fn drop_impossible(&mut self, cuts: &'static [ListCut]) {
        let most = self.limit.max_chars();
        let Some(data) = &mut self.envelope.data else { return };
        for cut in cuts {
            let gone = lists_at(data, cut.path).into_iter().map(|list| truncate_list(list, most)).sum();
            self.ledger.add(cut.kind, gone, cut.narrow);
        }
        let gone = truncate_all(data, most);
        self.ledger.add("items", gone, "");
        let shortened = shorten_strings(data, most);
        self.ledger.add("long texts", shortened, "");
    }

    fn cut_declared(&mut self, cuts: &'static [ListCut], keep: usize) {
        for cut in cuts {
            // The first cut adds the note, whose size counts too: so measure again after it.
            for _ in 0..4 {
                let excess = self.chars_over_budget();
                if excess == 0 {
                    return;
                }
                let Some(data) = &mut self.envelope.data else { return };
                let gone = cut_lists(lists_at(data, cut.path), excess, keep);
                self.ledger.add(cut.kind, gone, cut.narrow);
                if gone == 0 {
                    break;
                }
            }
        }
    }

    fn drop_fields(&mut self) {
        while !self.fits() {
            let Some(data) = &mut self.envelope.data else { return };
            let Some((name, count)) = drop_expendable(data) else { return };
            self.ledger.add(name, count, "");
        }
    }

    fn shorten_strings_to_fit(&mut self) {
        if self.fits() {
            return;
        }
        let Some(data) = self.envelope.data.clone() else { return };
        self.ledger.add("long texts", 1, "");
        let (mut low, mut high) = (SHORTEST, longest_string(&data).max(SHORTEST));
        while low < high {
            let mid = (low + high).div_ceil(2);
            if self.fits_shortened(&data, mid) { low = mid } else { high = mid - 1 }
        }
        self.fits_shortened(&data, low);
    }

    fn fits_shortened(&mut self, data: &Value, max: usize) -> bool {
        let mut trial = data.clone();
        shorten_strings(&mut trial, max);
        self.envelope.data = Some(trial);
        self.fits()
    }

    /// Halves the costliest list, declared or not: the last resort before the data goes.
    fn cut_any(&mut self) {
        while !self.fits() {
            let Some(data) = &mut self.envelope.data else { return };
            let Some((_, list)) = costliest_list(data) else { return };
            let keep = list.len() / 2;
            let gone = truncate_list(list, keep);
            self.ledger.add("items", gone, "");
        }
    }

    fn finish(mut self) -> Fitted {
        if !self.fits() {
            self.strip();
        }
        let text = self.envelope.to_text();
        let Envelope { ok, data, token_budget, .. } = self.envelope;
        Fitted { ok, text, data, tokens: token_budget.used }
    }

    /// Strips the envelope of an error whose parts each fit but not together, at the smallest budgets.
    fn strip(&mut self) {
        if !self.envelope.warnings.is_empty() {
            self.ledger.add("warnings", self.envelope.warnings.len(), "");
            self.envelope.warnings.clear();
        }
        if !self.fits()
            && let Some(error) = &mut self.envelope.error
        {
            error.more.clear();
        }
        if !self.fits()
            && let Some(error) = &mut self.envelope.error
        {
            error.hint = shorten_to(&error.hint, 40).unwrap_or_default();
        }
    }
}

fn truncate_list(list: &mut Vec<Value>, keep: usize) -> usize {
    let gone = list.len().saturating_sub(keep);
    list.truncate(keep);
    gone
}

fn truncate_all(value: &mut Value, most: usize) -> usize {
    match value {
        Value::Array(items) => {
            let gone = truncate_list(items, most);
            gone + items.iter_mut().map(|item| truncate_all(item, most)).sum::<usize>()
        }
        Value::Object(fields) => fields.values_mut().map(|field| truncate_all(field, most)).sum(),
        _ => 0,
    }
}

/// Drops whole fields of an error's extras, costliest first, until they fit in `room`.
fn trim_more(more: &mut Map<String, Value>, room: usize) {
    while chars_of(&*more) > room {
        let costliest = more.iter().max_by_key(|(_, value)| chars_of(value)).map(|(name, _)| name.clone());
        match costliest {
            Some(name) => drop(more.shift_remove(&name)),
            None => return,
        }
    }
}
