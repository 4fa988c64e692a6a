//! From a batch of files to a segment, in two counting passes.
//!
//! The first pass sizes every list, the second writes it in place; documents come in order, so no list needs sorting.
//! A map from trigram to list with a slot for all 2^24 trigrams beats hashing: the allocator hands it out zeroed and
//! only the pages of trigrams that occur are ever touched.

use super::grams::{FileGrams, Gram};
use super::postings::{self, Coding};
use super::segment::{Doc, ENTRY, Entry, Segment};
use super::varint;

/// A list while it is sized and written.
struct Growing {
    gram: u32,
    count: u32,
    /// One past the last document seen.
    next: u32,
    /// First bytes as deltas, then the place of the next write.
    at: u32,
    coding: Coding,
}

/// Indexes `files`, which should be sorted by path; at most some ten thousand at a time (see [`super::batch`]).
pub(super) fn build(files: Vec<(Doc, FileGrams)>) -> Segment {
    let mut lists = Lists::default();
    for (doc, (_, grams)) in files.iter().enumerate() {
        grams.iter().for_each(|gram| lists.size(gram, doc as u32));
    }
    let (table, mut postings) = lists.lay_out(files.len());
    for (doc, (_, grams)) in files.iter().enumerate() {
        grams.iter().for_each(|gram| lists.write(gram, doc as u32, &mut postings));
    }
    Segment::new(files.into_iter().map(|(doc, _)| doc).collect(), table, postings)
}

struct Lists {
    /// Per trigram, one more than its place in `lists`; 0 for none.
    slots: Vec<u32>,
    lists: Vec<Growing>,
}

impl Default for Lists {
    fn default() -> Self {
        Self { slots: vec![0; Gram::SPACE as usize], lists: Vec::new() }
    }
}

impl Lists {
    fn size(&mut self, gram: Gram, doc: u32) {
        let slot = &mut self.slots[gram.number() as usize];
        if *slot == 0 {
            self.lists.push(Growing {
                gram: gram.number(),
                count: 0,
                next: 0,
                at: 0,
                coding: Coding::Deltas,
            });
            *slot = self.lists.len() as u32;
        }
        let list = &mut self.lists[*slot as usize - 1];
        list.at += varint::len(doc - list.next);
        list.count += 1;
        list.next = doc + 1;
    }

    /// Gives every list its place, in the order of the trigrams.
    fn lay_out(&mut self, doc_count: usize) -> (Vec<u8>, Vec<u8>) {
        let mut order: Vec<u32> = (0..self.lists.len() as u32).collect();
        order.sort_unstable_by_key(|&at| self.lists[at as usize].gram);
        let mut table = Vec::with_capacity(order.len() * ENTRY);
        let mut end = 0;
        for at in order {
            let list = &mut self.lists[at as usize];
            let (coding, len) = postings::choose(list.at, doc_count);
            Entry { gram: list.gram, coding, count: list.count, offset: end }.write(&mut table);
            (list.at, list.next, list.coding) = (end, 0, coding);
            end += len as u32;
        }
        (table, vec![0; end as usize])
    }

    fn write(&mut self, gram: Gram, doc: u32, postings: &mut [u8]) {
        let list = &mut self.lists[self.slots[gram.number() as usize] as usize - 1];
        match list.coding {
            Coding::Deltas => {
                list.at += varint::put(doc - list.next, &mut postings[list.at as usize..]);
                list.next = doc + 1;
            }
            Coding::Bitmap => postings[(list.at + doc / 8) as usize] |= 1 << (doc % 8),
        }
    }
}
