//! Collects the definitions and uses of a file, and records them in the order of the text.
//!
//! Within a file the case of names does not count: a use gets the spelling of the file's own definition, if there is
//! one spelling.

use hob_base::LineIndex;
use rustc_hash::FxHashMap;

use super::names::SqlName;
use super::places::PositionCursor;
use crate::facts::{DefFlags, DefIdx, DefInput, DefKind, FactsBuilder, Receiver, RefInput, RefKind};

/// Longest header and comment that are read, in bytes.
const TEXT_LIMIT: usize = 1200;

/// A definition that is about to be recorded; places are bytes.
pub(super) struct SqlDef<'a> {
    pub(super) name: &'a str,
    /// The byte at which the name begins.
    pub(super) name_at: usize,
    pub(super) kind: DefKind,
    pub(super) parent: Option<DefIdx>,
    /// The table that a column is added to by another statement.
    pub(super) table: Option<&'a str>,
    pub(super) from: usize,
    pub(super) to: usize,
    /// The byte at which its header ends.
    pub(super) head_end: usize,
    pub(super) comments: Option<(usize, usize)>,
}

/// A use of a name.
pub(super) struct SqlUse {
    pub(super) name: String,
    /// The table that the used column belongs to; `None` for other uses.
    pub(super) table: Option<String>,
    pub(super) kind: RefKind,
    pub(super) owner: Option<DefIdx>,
    pub(super) at: usize,
}

/// The facts of one file, as far as it has been read.
pub(super) struct SqlRecord<'s> {
    pub(super) source: &'s [u8],
    facts: FactsBuilder,
    lines: LineIndex,
    uses: Vec<SqlUse>,
    names: Vec<(usize, DefIdx)>,
    /// The spelling of each of the file's names, by the name in small letters; `None` for several spellings.
    spellings: FxHashMap<String, Option<String>>,
}

impl<'s> SqlRecord<'s> {
    pub(super) fn new(source: &'s [u8], facts: FactsBuilder) -> Self {
        Self {
            source,
            facts,
            lines: LineIndex::new(source),
            uses: Vec::new(),
            names: Vec::new(),
            spellings: FxHashMap::default(),
        }
    }

    pub(super) fn define(&mut self, def: &SqlDef<'_>) -> DefIdx {
        let doc = def.comments.map_or(String::new(), |(from, to)| comment_text(self.text(from, to)));
        let lines = (self.line(def.from), self.line(def.to.saturating_sub(1).max(def.from)));
        let signature = self.text(def.from, def.head_end.max(def.from));
        let found = self.facts.define(&DefInput {
            name: def.name,
            kind: def.kind,
            flags: DefFlags::EXPORTED,
            parent: def.parent,
            qualifier: def.table,
            lines,
            bytes: (def.from as u32, def.to as u32),
            name_at: (lines.0, 1),
            signature: signature.trim_end_matches(|c: char| c.is_whitespace() || c == '(' || c == ','),
            doc: &doc,
        });
        self.names.push((def.name_at, found));
        self.note_spelling(found, def.name);
        found
    }

    fn note_spelling(&mut self, def: DefIdx, name: &str) {
        let qualified = self.facts.provisional_name(self.facts.defs()[def.index()].qualified).to_lowercase();
        let spelling = self.spellings.entry(qualified).or_insert_with(|| Some(name.to_owned()));
        if spelling.as_deref() != Some(name) {
            *spelling = None;
        }
    }

    pub(super) fn refer(&mut self, one: SqlUse) {
        self.uses.push(one);
    }

    /// Records a use of a table, a type or a routine.
    pub(super) fn refer_name(&mut self, name: &SqlName, kind: RefKind, owner: Option<DefIdx>) {
        self.refer(SqlUse { name: name.text.clone(), table: None, kind, owner, at: name.at });
    }

    /// Returns the facts, with every name and use at its line and column.
    pub(super) fn finish(mut self) -> FactsBuilder {
        self.place_names();
        self.uses.sort_by_key(|one| one.at);
        let mut places = PositionCursor::new(self.source);
        for one in std::mem::take(&mut self.uses) {
            let (line, col) = places.advance(one.at);
            let table = one.table.as_deref().map(|table| self.spelled(table, table));
            let name = match &table {
                Some(table) => self.spelled(&format!("{table}.{}", one.name), &one.name),
                None => self.spelled(&one.name, &one.name),
            };
            let receiver = table.map_or(Receiver::None, |table| Receiver::Path(self.facts.intern(&table)));
            let input = RefInput { name: &name, kind: one.kind, receiver, owner: one.owner, line, col };
            self.facts.add_reference(&input);
        }
        self.facts
    }

    fn place_names(&mut self) {
        self.names.sort_by_key(|(at, _)| *at);
        let mut places = PositionCursor::new(self.source);
        for (at, def) in std::mem::take(&mut self.names) {
            self.facts.def_mut(def).name_at = places.advance(at);
        }
    }

    /// Returns the file's own spelling of a name, or the name as it is.
    fn spelled(&self, qualified: &str, name: &str) -> String {
        let known = self.spellings.get(&qualified.to_lowercase());
        known.and_then(Clone::clone).unwrap_or_else(|| name.to_owned())
    }

    fn line(&self, byte: usize) -> u32 {
        self.lines.line_of(byte as u32)
    }

    /// Returns the text between two bytes, cut where it is too long or no longer UTF-8.
    fn text(&self, from: usize, to: usize) -> &'s str {
        let bytes = self.source.get(from..to.min(from + TEXT_LIMIT)).unwrap_or_default();
        match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or(""),
        }
    }
}

/// Returns comments without their marks and without ruled lines.
fn comment_text(raw: &str) -> String {
    let lines = raw.lines().map(|line| {
        let line = line.trim().trim_start_matches("/*").trim_end_matches("*/");
        line.trim_matches(|c: char| matches!(c, '-' | '*' | '#' | '=') || c.is_whitespace())
    });
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}
