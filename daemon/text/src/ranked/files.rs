//! Ranks whole files by the words of a question.
//!
//! A file is relevant if its definitions together are: each may have one word of the question, and none stand
//! out. The counts of a file's documents are added before they saturate, and the rarity of a word is that of
//! the files that have it.

use std::ops::Range;

use hob_base::CancelToken;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use tantivy::SegmentReader;

use super::columns::SegmentColumns;
use super::index::{RankedError, RankedIndex};
use super::query::{
    Collection, FileFilter, PART, PATIENCE, RankedRequest, all_segments, coverage_weight, parts_of_segment,
};
use super::question::Word;
use super::walk::SegmentWords;

/// The saturation of a word's count in a file: files repeat words more than definitions do.
const SATURATION: f32 = 4.0;

/// A file that has words of a question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankedFile {
    /// Number of the file.
    pub file: u64,
    /// The score, the higher the better; comparable within one answer.
    pub score: f32,
}

impl RankedIndex {
    /// Returns the files that match best, at most the request's limit, best first. `total` is the number of
    /// all files. If it is stopped early, it ranks the files seen so far and returns `false`.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn rank_files(
        &self,
        request: &RankedRequest<'_>,
        total: usize,
        cancel: &CancelToken,
    ) -> Result<(Vec<RankedFile>, bool), RankedError> {
        let (searcher, overlay) = self.shown_state();
        let segments = all_segments(&searcher, &overlay);
        let words =
            Collection::measure_collection(self, &segments)?.weigh_words(request.question, &segments)?;
        let mut files = FileTally::new(words.words.len());
        let mut is_complete = true;
        let columns = self.columns_of(&segments)?;
        for ((part, segment), columns) in segments.into_iter().zip(&columns) {
            let admits = |file: u64| {
                overlay.is_current(file, part) && request.admits.is_none_or(|admits| admits(file))
            };
            let lists = SegmentWords::open(&words, segment)?;
            let tally = SegmentTally { request, admits: &admits, segment, columns, lists: &lists, cancel };
            let tallied: Vec<(FileTally, bool)> =
                parts_of_segment(segment, PART).map(|docs| tally.count_part(docs)).collect();
            for (part, is_whole) in tallied {
                is_complete &= is_whole;
                files.merge_part(&part);
            }
        }
        let asked: Vec<Word> = words.words.into_iter().map(|(word, _)| word).collect();
        let mut ranked = files.scores(&asked, total);
        ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.file.cmp(&b.file)));
        ranked.truncate(request.limit);
        Ok((ranked, is_complete))
    }
}

/// A count of the words of each file in one segment.
struct SegmentTally<'s> {
    request: &'s RankedRequest<'s>,
    admits: FileFilter<'s>,
    segment: &'s SegmentReader,
    columns: &'s SegmentColumns,
    lists: &'s SegmentWords<'s>,
    cancel: &'s CancelToken,
}

impl SegmentTally<'_> {
    /// Counts the words of the files in a part of the segment. It returns `false` if it was stopped before the end.
    fn count_part(&self, docs: Range<u32>) -> (FileTally, bool) {
        let (question, kinds) = (self.request.question, self.request.kinds);
        let mut files = self.columns.files_from(docs.start);
        let mut walk = self.lists.walk_part(docs);
        let mut tally = FileTally::new(self.lists.word_count());
        if self.cancel.check().is_err() {
            return (tally, false);
        }
        let mut until_look = PATIENCE;
        while let Some(doc) = walk.next(0.0) {
            until_look -= 1;
            if until_look == 0 {
                if self.cancel.check().is_err() {
                    return (tally, false);
                }
                until_look = PATIENCE;
            }
            let (kind, prior) = self.columns.kind_and_prior(doc);
            let is_asked = kinds.is_empty() || kinds.contains(&kind);
            if !is_asked || self.segment.is_deleted(doc) {
                continue;
            }
            if files.is_admitted(doc, self.admits) {
                tally.add_counts(files.file_of_doc(doc), question.prior_factor(prior), walk.word_counts());
            }
        }
        (tally, true)
    }
}

/// The counts of the words of files, a row for each file.
struct FileTally {
    /// Number of words, the length of a row.
    words: usize,
    /// The number of each row's file.
    files: Vec<u64>,
    /// The highest prior of each file's documents.
    priors: Vec<f32>,
    counts: Vec<f32>,
    /// The row of each file.
    rows: FxHashMap<u64, usize>,
}

impl FileTally {
    fn new(words: usize) -> Self {
        Self { words, files: Vec::new(), priors: Vec::new(), counts: Vec::new(), rows: FxHashMap::default() }
    }

    /// Adds counts of a file's documents. Usually they are of the file that came last.
    fn add_counts(&mut self, file: u64, prior: f32, counts: &[f32]) {
        let row = match self.files.last() {
            Some(last) if *last == file => self.files.len() - 1,
            _ => self.row_of(file),
        };
        self.priors[row] = self.priors[row].max(prior);
        let sums = &mut self.counts[row * self.words..(row + 1) * self.words];
        sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }

    /// Adds the counts of a part: a file may have some documents in one part and some in the next.
    fn merge_part(&mut self, part: &Self) {
        for (row, file) in part.files.iter().enumerate() {
            self.add_counts(*file, part.priors[row], part.row(row));
        }
    }

    /// Returns the row of a file, which it adds if there is none.
    fn row_of(&mut self, file: u64) -> usize {
        let next = self.files.len();
        let row = *self.rows.entry(file).or_insert(next);
        if row == next {
            self.files.push(file);
            self.priors.push(0.0);
            self.counts.resize((next + 1) * self.words, 0.0);
        }
        row
    }

    fn row(&self, row: usize) -> &[f32] {
        &self.counts[row * self.words..(row + 1) * self.words]
    }

    fn scores(&self, words: &[Word], total: usize) -> Vec<RankedFile> {
        let rarity = |at: usize| {
            let column = self.counts.iter().skip(at).step_by(self.words);
            let having = column.filter(|count| **count > 0.0).count() as f32;
            (1.0 + (total as f32 - having + 0.5).max(0.5) / (having + 0.5)).ln() * words[at].weight
        };
        let worths: Vec<f32> = (0..words.len()).map(rarity).collect();
        let counting = words.iter().zip(&worths).filter(|(word, _)| word.counts);
        let whole: f32 = counting.map(|(_, worth)| worth).sum::<f32>().max(f32::MIN_POSITIVE);
        let score = |row: usize| {
            let (mut score, mut had) = (0.0, 0.0);
            for ((count, worth), word) in self.row(row).iter().zip(&worths).zip(words) {
                if *count > 0.0 {
                    score += worth * (SATURATION + 1.0) * count / (SATURATION + count);
                    had += if word.counts { *worth } else { 0.0 };
                }
            }
            self.priors[row] * score * coverage_weight(had / whole)
        };
        self.files
            .iter()
            .enumerate()
            .map(|(row, file)| RankedFile { file: *file, score: score(row) })
            .collect()
    }
}
