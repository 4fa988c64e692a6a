//! Ranks whole files by the words of a question.
//!
//! A file is relevant if its definitions together are: each may have one word of the question, and none stand
//! out. The counts of a file's documents are added before they saturate, and the rarity of a word is that of
//! the files that have it.

use hob_base::CancelToken;
use rustc_hash::FxHashMap;
use tantivy::SegmentReader;

use super::index::{RankedError, RankedIndex};
use super::query::{COVERAGE, Collection, PATIENCE, RankedRequest, WeighedWords, all_segments};
use super::question::{RankedQuestion, Word};
use super::schema::{DocKind, FILE, TAG, split_tag};
use super::walk::RankedWalk;

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

/// The counts of one file.
struct FileCounts {
    words: Box<[f32]>,
    /// The highest prior of its documents.
    prior: f32,
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
        let mut tally =
            FileTally { files: FxHashMap::default(), question: request.question, is_complete: true };
        for (part, segment) in segments {
            let admits = |file: u64| {
                overlay.is_current(file, part) && request.admits.is_none_or(|admits| admits(file))
            };
            tally.count_segment(&words, segment, request.kinds, &admits, cancel)?;
        }
        let asked: Vec<Word> = words.words.into_iter().map(|(word, _)| word).collect();
        let mut ranked = tally.scores(&asked, total);
        ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.file.cmp(&b.file)));
        ranked.truncate(request.limit);
        Ok((ranked, tally.is_complete))
    }
}

/// The counts of all files that have a word.
struct FileTally<'q> {
    files: FxHashMap<u64, FileCounts>,
    question: &'q RankedQuestion,
    is_complete: bool,
}

impl FileTally<'_> {
    fn count_segment(
        &mut self,
        words: &WeighedWords<'_>,
        segment: &SegmentReader,
        kinds: &[DocKind],
        admits: &dyn Fn(u64) -> bool,
        cancel: &CancelToken,
    ) -> Result<(), RankedError> {
        let columns = segment.fast_fields();
        let (numbers, tags) =
            (columns.u64(FILE)?.first_or_default_col(0), columns.u64(TAG)?.first_or_default_col(0));
        let mut walk = RankedWalk::new(words, segment)?;
        let mut seen = 0_u32;
        // The documents of a file stand together: its counts are looked up once.
        let mut present: Option<(u64, FileCounts)> = None;
        while let Some(doc) = walk.next() {
            seen += 1;
            if seen.is_multiple_of(PATIENCE) && cancel.check().is_err() {
                self.is_complete = false;
                break;
            }
            let (kind, prior) = split_tag(tags.get_val(doc));
            let is_asked = kinds.is_empty() || kinds.contains(&kind);
            if !is_asked || segment.is_deleted(doc) {
                continue;
            }
            let file = numbers.get_val(doc);
            if present.as_ref().is_none_or(|(known, _)| *known != file) {
                if !admits(file) {
                    continue;
                }
                self.files.extend(present.take());
                let none = || FileCounts { words: vec![0.0; words.words.len()].into(), prior: 0.0 };
                present = Some((file, self.files.remove(&file).unwrap_or_else(none)));
            }
            let Some((_, counts)) = &mut present else { continue };
            counts.prior = counts.prior.max(self.question.prior_factor(prior));
            walk.present_words().for_each(|(word, count)| counts.words[word] += count);
        }
        self.files.extend(present);
        Ok(())
    }

    fn scores(&self, words: &[Word], total: usize) -> Vec<RankedFile> {
        let rarity = |at: usize| {
            let having = self.files.values().filter(|counts| counts.words[at] > 0.0).count() as f32;
            (1.0 + (total as f32 - having + 0.5).max(0.5) / (having + 0.5)).ln() * words[at].weight
        };
        let worths: Vec<f32> = (0..words.len()).map(rarity).collect();
        let counting = words.iter().zip(&worths).filter(|(word, _)| word.counts);
        let whole: f32 = counting.map(|(_, worth)| worth).sum::<f32>().max(f32::MIN_POSITIVE);
        let score = |counts: &FileCounts| {
            let (mut score, mut had) = (0.0, 0.0);
            for ((count, worth), word) in counts.words.iter().zip(&worths).zip(words) {
                if *count > 0.0 {
                    score += worth * (SATURATION + 1.0) * count / (SATURATION + count);
                    had += if word.counts { *worth } else { 0.0 };
                }
            }
            counts.prior * score * (had / whole).min(1.0).powf(COVERAGE)
        };
        self.files.iter().map(|(file, counts)| RankedFile { file: *file, score: score(counts) }).collect()
    }
}
