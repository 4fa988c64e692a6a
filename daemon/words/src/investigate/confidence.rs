//! Says how sure it is that a file is the one that a question is about.
//!
//! The order of an answer says which file is likelier, not how likely it is: the first of a list is first whatever it is worth. The
//! confidence is a logistic regression over a few signs of a file's place in the rankings, fitted to the questions that commit messages
//! make (831 of flask, requests, pytest, celery, fastify, cobra, click and fd; on 715 of axios, fzf, black, gin, ripgrep and gson the first
//! file's confidence was off by .054). `tests/bench/commit_questions.py` prints how far it is off. Fit the coefficients again when the
//! rankings change.

/// The kinds of evidence, each of which ranks definitions or files.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EvidenceKind {
    /// Definitions that the whole question's words find.
    Words,
    /// Definitions that its title's words find.
    Title,
    /// Files that the whole question's words find.
    WordsOfFile,
    /// Files that its title's words find.
    TitleOfFile,
    /// Definitions of the names that the question writes as code.
    Names,
    /// Files that it mentions.
    Mentioned,
    /// Definitions that the first ones call and extend.
    Step,
}

impl EvidenceKind {
    /// The weight in the fusion, chosen on commit messages of flask, requests, pytest, celery and fastify.
    #[must_use]
    pub const fn weight(self) -> f64 {
        match self {
            Self::Words | Self::Title => 1.0,
            // A second opinion of the same words, so less.
            Self::WordsOfFile | Self::TitleOfFile => 0.7,
            Self::Names | Self::Mentioned => 1.5,
            Self::Step => 0.5,
        }
    }
}

/// The signs by which a file's confidence is told.
#[derive(Clone, Copy, Default, Debug)]
pub struct FileSigns {
    /// Its score in the fusion, 0 to 1.
    pub score: f64,
    /// The score of the best other file.
    pub rival: f64,
    /// Its position in the order; 0 is the first.
    pub position: usize,
    /// Share of the evidence, by weight, that puts it first.
    pub firsts: f64,
    /// How far its raw score is ahead of the next one's in the rankings by words that it leads, as a share of its own: the sum over
    /// these rankings.
    pub lead: f64,
    /// True if a name that the question writes as code is defined in it, among the best three such files.
    pub is_named: bool,
    /// True if the question mentions it.
    pub is_mentioned: bool,
    /// Number of files that any evidence found.
    pub found: usize,
}

/// Weights of the signs, in the order of [`FileSigns::features`].
const WEIGHTS: [f64; 8] = [2.05, 2.66, -0.27, 0.39, 1.53, 0.74, 1.98, 0.07];
const BIAS: f64 = -3.08;

impl FileSigns {
    /// The probability that the question is about the file, in hundredths: of the files at 0.6, six of ten are what a commit with
    /// this message changed.
    #[must_use]
    pub fn confidence(&self) -> f64 {
        let sum: f64 = WEIGHTS.iter().zip(self.features()).map(|(weight, sign)| weight * sign).sum();
        (100.0 / (1.0 + (-BIAS - sum).exp())).round() / 100.0
    }

    /// The signs as numbers near to the range 0 to 1.
    fn features(&self) -> [f64; 8] {
        [
            self.score,
            self.score - self.rival,
            (1.0 + self.position as f64).ln(),
            self.firsts,
            self.lead,
            f64::from(u8::from(self.is_named)),
            f64::from(u8::from(self.is_mentioned)),
            (1.0 + self.found as f64).ln(),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_all_evidence_puts_first_is_likelier_than_one_of_many() {
        let clear = FileSigns {
            score: 0.9,
            rival: 0.4,
            firsts: 0.9,
            lead: 0.5,
            is_named: true,
            found: 40,
            ..FileSigns::default()
        };
        let unclear = FileSigns { score: 0.3, rival: 0.3, position: 0, found: 60, ..FileSigns::default() };
        let behind = FileSigns { score: 0.2, rival: 0.9, position: 7, found: 60, ..FileSigns::default() };
        let all = [clear, unclear, behind].map(|signs| signs.confidence());
        assert!(all[0] > 0.8 && all[1] < 0.5 && all[2] < 0.1, "{all:?}");
        let mentioned = FileSigns { is_mentioned: true, ..behind };
        assert!(mentioned.confidence() > behind.confidence());
    }
}
