//! Adds the facts of the other branch of a conditional group to those of the first.

use rustc_hash::FxHashMap;

use super::RemovedSpan;
use crate::facts::{DefIdx, DefInput, FactsBuilder, FileFacts, ImportInput, Receiver, Ref, RefInput};

/// Pairs of a first and a last line, from 1.
pub(super) type BranchLineRanges = Vec<(u32, u32)>;

fn has_line(lines: &BranchLineRanges, line: u32) -> bool {
    let at = lines.partition_point(|(_, last)| *last < line);
    lines.get(at).is_some_and(|(first, _)| *first <= line)
}

/// Adds the facts of `other` in these lines.
pub(super) fn merge(facts: &mut FactsBuilder, other: &FileFacts, lines: &BranchLineRanges) {
    let mut places: FxHashMap<(u32, u32), DefIdx> = FxHashMap::default();
    for (at, def) in facts.defs().iter().enumerate() {
        places.entry(def.name_at).or_insert(DefIdx::new(at as u32));
    }
    let mut owners: Vec<Option<DefIdx>> = Vec::with_capacity(other.defs.len());
    for def in &other.defs {
        let known = places.get(&def.name_at).copied();
        let parent = def.parent.and_then(|parent| owners[parent.index()]);
        let is_new = known.is_none() && has_line(lines, def.name_at.0);
        let name = other.name(def.name);
        let qualified = other.name(def.qualified);
        let qualifier = qualified.strip_suffix(name).map_or("", |rest| rest.trim_end_matches('.'));
        let input = || DefInput {
            name,
            kind: def.kind,
            flags: def.flags,
            parent,
            qualifier: Some(qualifier),
            lines: def.lines,
            bytes: def.bytes,
            name_at: def.name_at,
            signature: other.signature(def),
            doc: other.doc(def),
        };
        owners.push(if is_new { Some(facts.define(&input())) } else { known });
    }
    let owner_of = |owner: Option<DefIdx>| owner.and_then(|owner| owners[owner.index()]);
    for found in other.refs.iter().filter(|found| has_line(lines, found.line)) {
        let receiver = translated_receiver(facts, other, found);
        facts.add_reference(&RefInput {
            name: other.name(found.name),
            kind: found.kind(),
            receiver,
            owner: owner_of(found.owner),
            line: found.line,
            col: found.col(),
        });
    }
    for import in other.imports.iter().filter(|import| has_line(lines, import.line)) {
        facts.add_import(&ImportInput {
            kind: import.kind,
            module: other.name(import.module),
            name: import.name.map(|name| other.name(name)),
            local: import.local.map(|name| other.name(name)),
            reexported: import.reexported,
            owner: owner_of(import.owner),
            line: import.line,
        });
    }
}

fn translated_receiver(facts: &mut FactsBuilder, other: &FileFacts, found: &Ref) -> Receiver {
    match found.receiver() {
        Receiver::Path(id) => Receiver::Path(facts.intern(other.name(id))),
        Receiver::Typed(id) => Receiver::Typed(facts.intern(other.name(id))),
        known => known,
    }
}

/// Records the uses of words that were taken out: macros before names, and the names in conditions.
pub(super) fn record_words(facts: &mut FactsBuilder, source: &[u8], blanks: &[RemovedSpan]) {
    let mut spans: Vec<(u32, u32, DefIdx)> = Vec::new();
    let is_owner = |def: &crate::facts::Def| def.kind.is_callable() || def.kind.is_type();
    for (at, def) in facts.defs().iter().enumerate().filter(|(_, def)| is_owner(def)) {
        spans.push((def.bytes.0, def.bytes.1, DefIdx::new(at as u32)));
    }
    spans.sort_unstable_by_key(|(start, end, _)| (*start, u32::MAX - *end));
    let mut spans = spans.into_iter().peekable();
    let mut around: Vec<(u32, DefIdx)> = Vec::new();
    let mut place = LineColumnCursor::default();
    for blank in blanks {
        let (Some(kind), Ok(name)) =
            (blank.take.ref_kind(), std::str::from_utf8(&source[blank.start..blank.end]))
        else {
            continue;
        };
        let start = blank.start as u32;
        while let Some((_, end, def)) = spans.next_if(|span| span.0 <= start) {
            around.push((end, def));
        }
        // An owner that has ended holds nothing that comes later; the one around it may have ended too.
        while around.last().is_some_and(|(end, _)| *end <= start) {
            around.pop();
        }
        let (line, col) = place.position_of(source, blank.start);
        let owner = around.last().map(|(_, def)| *def);
        facts.add_reference(&RefInput { name, kind, receiver: Receiver::None, owner, line, col });
    }
}

/// Computes lines and columns of places that come one after another.
pub(super) struct LineColumnCursor {
    at: usize,
    line: u32,
    col: u32,
}

impl Default for LineColumnCursor {
    fn default() -> Self {
        Self { at: 0, line: 1, col: 1 }
    }
}

impl LineColumnCursor {
    /// Returns the line and the column of a place, from 1, the column in UTF-16 units.
    pub(super) fn position_of(&mut self, source: &[u8], at: usize) -> (u32, u32) {
        let between = &source[self.at..at];
        let units = |text: &[u8]| hob_base::line_index::utf16_len(text);
        match memchr::memrchr(b'\n', between) {
            Some(last) => {
                self.line += memchr::memchr_iter(b'\n', between).count() as u32;
                self.col = 1 + units(&between[last + 1..]);
            }
            None => self.col += units(between),
        }
        self.at = at;
        (self.line, self.col)
    }
}
