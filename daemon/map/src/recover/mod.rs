//! Recovers definitions that a grammar's error swallowed, and finds the lines that are not mapped in spite of that.
//!
//! One construct that a grammar does not understand can cost a file most of its definitions: the parser does not
//! recover and treats the rest as an error. In that case the text is read again: first with the known faults of the
//! language's grammar repaired in the text, then without the pieces that no reading understands ([`pieces`]). Every
//! text has the same length and lines, so that places stay the same. Of several readings the one with the fewest
//! unmapped lines counts, and those lines are reported ([`lost`]).
//!
//! This module does not handle C's preprocessor, which changes the reading of a whole file.

mod lost;
mod pieces;
#[cfg(test)]
mod tests;

use crate::facts::FactsBuilder;
use crate::langs::lang::Lang;
use crate::langs::rules::Reparse;
use crate::syntax::Tree;

pub(crate) use lost::note_unmapped;

/// The way in which the text of one file is read.
pub(crate) struct RecoveryReading<'a> {
    /// The language that the text is read as.
    pub(crate) lang: Lang,
    /// Converts a tree into facts.
    pub(crate) extract: fn(&Tree, &[u8], FactsBuilder) -> FactsBuilder,
    /// Parses a text of the same language.
    pub(crate) reparse: Reparse<'a>,
}

impl RecoveryReading<'_> {
    /// Returns the facts of `source`, read from the tree of `text`, which has the same length and lines.
    fn read_facts(&self, text: &[u8], source: &[u8]) -> Option<FactsBuilder> {
        let tree = (self.reparse)(text, None)?;
        Some((self.extract)(&tree, source, FactsBuilder::new(self.lang)))
    }
}

/// Reads a file with unmapped lines again, and returns the facts of the best reading.
pub(crate) fn recover(reading: &RecoveryReading<'_>, source: &[u8], facts: FactsBuilder) -> FactsBuilder {
    let mut best = facts;
    let mended = repaired_text(reading.lang, source);
    let read = mended.as_ref().and_then(|text| reading.read_facts(text, source));
    let better = read.filter(|other| other.lines_not_mapped() < best.lines_not_mapped());
    let text = match (better, &mended) {
        (Some(other), Some(text)) => {
            best = other;
            text
        }
        _ => source,
    };
    if best.lines_not_mapped() > 0
        && let Some(other) = without_broken(reading, text, source, &best)
        && other.lines_not_mapped() < best.lines_not_mapped()
    {
        best = other;
    }
    best.has_errors();
    best
}

/// Returns the text with the known faults of the language's grammar repaired, if there are any.
fn repaired_text(lang: Lang, source: &[u8]) -> Option<Vec<u8>> {
    lang.source_rules().repair.and_then(|repair| repair(source))
}

/// Returns the facts of a text without its broken stretches.
fn without_broken(
    reading: &RecoveryReading<'_>,
    text: &[u8],
    source: &[u8],
    facts: &FactsBuilder,
) -> Option<FactsBuilder> {
    let broken = pieces::broken_stretches(reading, text, facts.unmapped_lines());
    if broken.is_empty() {
        return None;
    }
    let mut rest = text.to_vec();
    for range in &broken {
        rest[range.clone()].iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')).for_each(|b| *b = b' ');
    }
    let mut facts = reading.read_facts(&rest, source)?;
    facts.not_mapped(lost::line_stretches(source, &broken));
    Some(facts)
}
