//! From a batch of files to a segment.
//!
//! A few files, as they come from someone editing, are turned around by sorting. Many files take three passes over their
//! trigrams instead. The first finds which trigrams occur and so gives each list its number, the second sizes every list, the third
//! writes it in place; documents come in order, so nothing is sorted. A bitmap with counts of the ones before each word
//! (a rank directory) maps a trigram to its list in 3 MiB, and since lists are numbered in the order of trigrams, a
//! file's sorted trigrams walk through them from front to back.

use hob_base::ContentHash;

use super::grams::{FileGrams, Gram, bits};
use super::postings::{self, Coding};
use super::segment::{Doc, ENTRY, Entry, Segment};
use super::varint;

/// Up to so many postings, sorting is quicker than clearing and reading the rank directory.
const FEW: usize = 1 << 17;

/// A file to be indexed.
#[derive(Debug)]
pub(super) struct NewDoc {
    pub(super) doc: Doc,
    pub(super) hash: ContentHash,
    pub(super) grams: FileGrams,
}

/// Indexes `files`, which should be sorted by path; at most some ten thousand at a time (see [`super::batch`]).
pub(super) fn build(files: Vec<NewDoc>) -> Segment {
    let (table, postings) = if files.iter().map(|file| file.grams.len()).sum::<usize>() <= FEW {
        by_sorting(&files)
    } else {
        by_counting(&files)
    };
    let hashes = files.iter().flat_map(|file| *file.hash.as_bytes()).collect();
    Segment::new(files.into_iter().map(|file| file.doc).collect(), hashes, table, postings)
}

fn by_sorting(files: &[NewDoc]) -> (Vec<u8>, Vec<u8>) {
    let documents = files.iter().zip(0u32..);
    let mut pairs: Vec<(u32, u32)> =
        documents.flat_map(|(file, doc)| file.grams.iter().map(move |gram| (gram.number(), doc))).collect();
    // Stable, for the sorted runs that the files are.
    pairs.sort();
    let (mut table, mut postings, mut docs) = (Vec::new(), Vec::new(), Vec::new());
    for same in pairs.chunk_by(|(a, _), (b, _)| a == b) {
        docs.clear();
        docs.extend(same.iter().map(|(_, doc)| *doc));
        let offset = postings.len() as u32;
        let coding = postings::encode(&docs, files.len(), &mut postings);
        Entry { gram: same[0].0, coding, count: docs.len() as u32, offset }.write(&mut table);
    }
    (table, postings)
}

fn by_counting(files: &[NewDoc]) -> (Vec<u8>, Vec<u8>) {
    let ranks = Ranks::of(files.iter().map(|file| &file.grams));
    let mut lists = Lists { lists: vec![Growing::default(); ranks.len()], ranks };
    for (doc, file) in files.iter().enumerate() {
        file.grams.iter().for_each(|gram| lists.size(gram, doc as u32));
    }
    let (table, mut postings) = lists.lay_out(files.len());
    for (doc, file) in files.iter().enumerate() {
        file.grams.iter().for_each(|gram| lists.write(gram, doc as u32, &mut postings));
    }
    (table, postings)
}

/// The trigrams that occur, numbered in their order.
struct Ranks {
    words: Vec<u64>,
    /// Ones before each word.
    before: Vec<u32>,
    len: usize,
}

impl Ranks {
    fn of<'a>(files: impl Iterator<Item = &'a FileGrams>) -> Self {
        let mut words = vec![0u64; (Gram::SPACE / 64) as usize];
        for gram in files.flat_map(FileGrams::iter) {
            words[(gram.number() / 64) as usize] |= 1 << (gram.number() % 64);
        }
        let mut len = 0;
        let before = words
            .iter()
            .map(|word| {
                len += word.count_ones();
                len - word.count_ones()
            })
            .collect();
        Self { words, before, len: len as usize }
    }

    fn len(&self) -> usize {
        self.len
    }

    /// The number of a trigram that occurs.
    fn rank(&self, gram: Gram) -> usize {
        let (word, bit) = ((gram.number() / 64) as usize, gram.number() % 64);
        (self.before[word] + (self.words[word] & ((1 << bit) - 1)).count_ones()) as usize
    }

    /// The trigrams that occur, ascending.
    fn grams(&self) -> impl Iterator<Item = u32> {
        let words = self.words.iter().enumerate();
        words.flat_map(|(at, &word)| bits(word).map(move |bit| at as u32 * 64 + bit))
    }
}

/// A list while it is sized and written.
#[derive(Clone)]
struct Growing {
    count: u32,
    /// One past the last document seen.
    next: u32,
    /// First bytes as deltas, then the place of the next write.
    at: u32,
    coding: Coding,
}

impl Default for Growing {
    fn default() -> Self {
        Self { count: 0, next: 0, at: 0, coding: Coding::Deltas }
    }
}

struct Lists {
    ranks: Ranks,
    /// By rank.
    lists: Vec<Growing>,
}

impl Lists {
    fn size(&mut self, gram: Gram, doc: u32) {
        let list = &mut self.lists[self.ranks.rank(gram)];
        list.at += varint::len(doc - list.next);
        list.count += 1;
        list.next = doc + 1;
    }

    /// Gives every list its place; the table, and room for the postings.
    fn lay_out(&mut self, doc_count: usize) -> (Vec<u8>, Vec<u8>) {
        let mut table = Vec::with_capacity(self.lists.len() * ENTRY);
        let mut end = 0;
        for (gram, list) in self.ranks.grams().zip(&mut self.lists) {
            let (coding, len) = postings::choose(list.at, doc_count);
            Entry { gram, coding, count: list.count, offset: end }.write(&mut table);
            (list.at, list.next, list.coding) = (end, 0, coding);
            end += len as u32;
        }
        (table, vec![0; end as usize])
    }

    fn write(&mut self, gram: Gram, doc: u32, postings: &mut [u8]) {
        let list = &mut self.lists[self.ranks.rank(gram)];
        match list.coding {
            Coding::Deltas => {
                list.at += varint::put(doc - list.next, &mut postings[list.at as usize..]);
                list.next = doc + 1;
            }
            Coding::Bitmap => postings[(list.at + doc / 8) as usize] |= 1 << (doc % 8),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hob_base::{FileId, WsPath};

    #[test]
    fn both_ways_give_the_same_bytes() {
        let files: Vec<NewDoc> = (0..300u32)
            .map(|n| {
                let text = format!("shared {} {:b} \u{e9}\n{}", n % 7, n * n, "x".repeat(n as usize % 5));
                let path = WsPath::new(&format!("f{n:03}")).expect("a relative path");
                let (hash, grams) = (ContentHash::of(text.as_bytes()), FileGrams::of(text.as_bytes()));
                NewDoc { doc: Doc { file: FileId(n), path }, hash, grams }
            })
            .collect();
        assert_eq!(by_sorting(&files), by_counting(&files));
        assert_eq!(by_sorting(&[]), by_counting(&[]));
    }
}
