//! Scores the files that a question may be about, and estimates the confidence of each.
//!
//! The score is a weighted sum of a few signs: how well words find the file and its definitions, the names in
//! the question, the role of the file. The weights make those files likeliest that were changed for real
//! questions (listwise softmax regression: Cao et al., "Learning to rank", 2007), which also gives the
//! probability of each file: its share of the sum of all. They were fitted to 831 commit messages (flask,
//! requests, pytest, celery, fastify, cobra, click and fd) and 140 issues with their fixes (flask, requests,
//! pytest, gson, gin, axios, ripgrep, preact, rubocop, caddy, jq, sqlglot and dask). On 128 issues of
//! fourteen other projects the file of the fix is first for .633 of the whole issues and among the first five
//! for .836. `tests/bench/commit_questions.py` and `issue_questions.py` print ranks and the error of the
//! confidence. Fit the weights again when the rankings change.

use super::file_role::FileRole;

/// The kinds of evidence, each of which ranks definitions or files.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EvidenceKind {
    /// Definitions that the words of the whole question find.
    Words,
    /// Definitions that the words of the title find.
    Title,
    /// Files that the words of the whole question find.
    WordsOfFile,
    /// Definitions of the names that the question writes as code.
    Names,
    /// Files that the question mentions.
    Mentioned,
    /// Definitions that the first ones call and extend.
    Step,
}

impl EvidenceKind {
    /// Returns the weight among the rankings of definitions, chosen on commit messages of flask, requests,
    /// pytest, celery and fastify.
    #[must_use]
    pub const fn weight(self) -> f64 {
        match self {
            Self::Words | Self::Title => 1.0,
            Self::Names => 1.5,
            Self::Step => 0.5,
            // These kinds rank files alone.
            Self::WordsOfFile | Self::Mentioned => 0.0,
        }
    }

    /// Returns the weight of a file's damped rank in the file's score.
    const fn weight_of_rank(self) -> f64 {
        match self {
            // The file's share of the best score says more than its rank.
            Self::Words => 0.0,
            Self::Title => 1.11,
            Self::WordsOfFile => 1.94,
            Self::Names => 0.55,
            Self::Mentioned => 2.01,
            Self::Step => 0.78,
        }
    }

    /// Returns the weight of the file's share of the best score of a ranking.
    const fn weight_of_share(self) -> f64 {
        match self {
            Self::Words => 2.78,
            Self::Title => 0.90,
            Self::WordsOfFile | Self::Names | Self::Mentioned | Self::Step => 0.0,
        }
    }
}

impl FileRole {
    const fn weight(self) -> f64 {
        match self {
            Self::Code => 0.0,
            Self::Declarations => -1.09,
            Self::Support => -3.50,
            Self::Test => -4.07,
            Self::Prose => -4.78,
        }
    }
}

/// The weight of a file whose name is among the words of the title.
const NAMED_IN_TITLE: f64 = 1.65;
/// The damping of ranks: the first of a ranking counts 1, the tenth half.
const DAMPING: f64 = 9.0;
/// The score with a relevance of one half, and the difference of scores by which the odds of relevance grow
/// by the factor e.
const MIDDLE: f64 = 3.5;
const SLOPE: f64 = 1.5;

/// The sum of the evidence for a file.
#[derive(Clone, Copy, Default, PartialEq, PartialOrd, Debug)]
pub struct FileScore(f64);

impl FileScore {
    /// Begins with the file's role, and with its name if that is among the words of the title.
    #[must_use]
    pub fn of_file(role: FileRole, is_named_in_title: bool) -> Self {
        Self(role.weight() + if is_named_in_title { NAMED_IN_TITLE } else { 0.0 })
    }

    /// Adds the file's rank in a ranking, 0 for the first, and its share of the ranking's best score, 0 to 1.
    pub fn add_rank(&mut self, kind: EvidenceKind, rank: usize, share: f64) {
        let damped = DAMPING / (DAMPING + rank as f64);
        self.0 += kind.weight_of_rank() * damped + kind.weight_of_share() * share;
    }

    /// Returns the relevance, 0 to 1, where 0.5 is neither relevant nor irrelevant.
    #[must_use]
    pub fn relevance(self) -> f64 {
        1.0 / (1.0 + ((MIDDLE - self.0) / SLOPE).exp())
    }
}

/// Returns the probability that the question is about each of the scored files, in hundredths: of the files
/// at 0.6, the fix changed six of ten.
#[must_use]
pub fn confidences(scores: &[FileScore]) -> Vec<f64> {
    let best = scores.iter().map(|score| score.0).fold(f64::NEG_INFINITY, f64::max);
    let shares: Vec<f64> = scores.iter().map(|score| (score.0 - best).exp()).collect();
    let all: f64 = shares.iter().sum();
    shares.into_iter().map(|share| (100.0 * share / all).round() / 100.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(role: FileRole, ranks: &[(EvidenceKind, usize)]) -> FileScore {
        let mut score = FileScore::of_file(role, false);
        ranks.iter().for_each(|(kind, rank)| score.add_rank(*kind, *rank, 1.0 / (1.0 + *rank as f64)));
        score
    }

    #[test]
    fn a_file_that_all_evidence_puts_first_is_likelier_than_one_of_many() {
        let clear = score(
            FileRole::Code,
            &[(EvidenceKind::Words, 0), (EvidenceKind::WordsOfFile, 0), (EvidenceKind::Title, 0)],
        );
        let behind = score(FileRole::Code, &[(EvidenceKind::Words, 4), (EvidenceKind::WordsOfFile, 9)]);
        let told = confidences(&[clear, behind, behind]);
        assert!(told[0] > 0.8 && told[1] < 0.1, "{told:?}");
        assert!(confidences(&[clear; 4]).iter().all(|one| *one == 0.25));
        assert!(clear.relevance() > 0.8 && behind.relevance() < 0.5);
        assert!(confidences(&[]).is_empty());
    }

    #[test]
    fn what_is_beside_the_code_stands_behind_it() {
        let ranks = [(EvidenceKind::Words, 0), (EvidenceKind::WordsOfFile, 0)];
        let all =
            [FileRole::Code, FileRole::Declarations, FileRole::Support, FileRole::Test, FileRole::Prose];
        let scores = all.map(|role| score(role, &ranks));
        assert!(scores.windows(2).all(|pair| pair[0] > pair[1]), "{scores:?}");
    }
}
