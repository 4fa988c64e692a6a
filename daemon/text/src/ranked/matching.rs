//! Tells which documents of a segment match a question, without scoring them.
//!
//! A search for the best passes most matches over, and an answer may still have to say how many there are. This reads the
//! numbers of documents alone, a fraction of what scores take: the counts beside them stay packed, and nothing is added up.

use std::ops::Range;

use hob_base::CancelToken;
use tantivy::postings::BlockSegmentPostings;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{SegmentReader, TantivyError, Term};

use super::index::RankedError;
use super::query::WeighedWords;
use super::walk::places_of_bits;

/// The posting lists of a question's words in one segment, at their beginnings, which tell documents alone.
#[derive(Default)]
pub(super) struct MatchLists {
    /// The lists of the words that count, of which a document must have one.
    counted: Vec<BlockSegmentPostings>,
    /// The lists of each word that a document must have.
    required: Vec<Vec<BlockSegmentPostings>>,
}

impl MatchLists {
    pub(super) fn open(weighed: &WeighedWords<'_>, segment: &SegmentReader) -> Result<Self, RankedError> {
        let mut lists = Self::default();
        for (word, worth) in &weighed.words {
            let of_word = lists_of_word(&word.text, &weighed.index.fields.texts, segment)?;
            if word.required {
                lists.required.push(of_word.clone());
            }
            if word.counts && *worth > 0.0 {
                lists.counted.extend(of_word);
            }
        }
        Ok(lists)
    }

    /// Returns the documents of a part of the segment that have a word that counts, and all required ones; `None` if
    /// `cancel` stopped it.
    pub(super) fn documents_in(&self, part: &Range<u32>, cancel: &CancelToken) -> Option<MatchingDocuments> {
        let mut matching = MatchingDocuments::with_any(&self.counted, part, cancel)?;
        for of_word in &self.required {
            matching.retain_common(&MatchingDocuments::with_any(of_word, part, cancel)?);
        }
        Some(matching)
    }
}

/// Returns the posting lists of a word, one for each field that has it.
fn lists_of_word(
    word: &str,
    fields: &[Field],
    segment: &SegmentReader,
) -> Result<Vec<BlockSegmentPostings>, RankedError> {
    let mut found = Vec::new();
    for field in fields {
        let term = Term::from_field_text(*field, word);
        let list = segment.inverted_index(*field)?.read_block_postings(&term, IndexRecordOption::Basic);
        found.extend(list.map_err(TantivyError::from)?);
    }
    Ok(found)
}

/// Some documents of a part of a segment, a bit for each of the part.
pub(super) struct MatchingDocuments {
    /// The first document of the part.
    start: u32,
    bits: Vec<u64>,
}

impl MatchingDocuments {
    /// Returns the documents of a part that are in any of the lists; `None` if `cancel` stopped it.
    fn with_any(lists: &[BlockSegmentPostings], part: &Range<u32>, cancel: &CancelToken) -> Option<Self> {
        let mut matching = Self { start: part.start, bits: vec![0; part.len().div_ceil(64)] };
        for list in lists {
            cancel.check().ok()?;
            matching.add_list(list.clone(), part);
        }
        Some(matching)
    }

    fn add_list(&mut self, mut list: BlockSegmentPostings, part: &Range<u32>) {
        let mut first = list.seek(part.start);
        loop {
            let docs = list.docs().get(first..).unwrap_or_default();
            let inside = docs.partition_point(|doc| *doc < part.end);
            for doc in &docs[..inside] {
                let at = (doc - self.start) as usize;
                self.bits[at / 64] |= 1 << (at % 64);
            }
            if docs.is_empty() || inside < docs.len() {
                return;
            }
            list.advance();
            first = 0;
        }
    }

    fn retain_common(&mut self, other: &Self) {
        self.bits.iter_mut().zip(&other.bits).for_each(|(bits, others)| *bits &= others);
    }

    /// Returns their number.
    pub(super) fn count_documents(&self) -> usize {
        self.bits.iter().map(|bits| bits.count_ones() as usize).sum()
    }

    /// Yields them in order.
    pub(super) fn iter_documents(&self) -> impl Iterator<Item = u32> {
        places_of_bits(&self.bits).map(|at| self.start + at as u32)
    }
}
