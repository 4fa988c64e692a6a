//! Holds hub scores and clusters of files, in a column by file number.
//!
//! The column is separate from the files so that a derivation replaces all earlier results in one step, however many
//! files there are. A file that changes keeps its cluster, and its definitions keep their scores by name.

use std::sync::Arc;

use hob_base::FileId;

use super::{FileEntry, Index};
use crate::facts::DefIdx;

/// The scores and the cluster of one file.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileScores {
    /// The file's own hub score.
    pub(crate) own: f32,
    /// The cluster that contains the file; `None` until derived.
    pub(crate) cluster: Option<u32>,
    /// Hub scores by definition; `None` until derived.
    defs: Option<Arc<[f32]>>,
}

/// The scores of a file without any.
static UNSCORED: FileScores = FileScores { own: 0.0, cluster: None, defs: None };

impl FileScores {
    /// Creates the scores of a file and of its definitions.
    pub(crate) fn new(own: f32, cluster: u32, defs: Arc<[f32]>) -> Self {
        Self { own, cluster: Some(cluster), defs: Some(defs) }
    }

    /// Creates the scores of a file whose definitions have none.
    pub(crate) fn without_defs(own: f32, cluster: u32) -> Self {
        Self { own, cluster: Some(cluster), defs: None }
    }

    /// Returns the scores with those of the definitions replaced.
    pub(crate) fn with_defs(&self, defs: Arc<[f32]>) -> Self {
        Self { defs: Some(defs), ..self.clone() }
    }

    /// Returns the hub scores by definition; empty until derived.
    pub(crate) fn defs(&self) -> &[f32] {
        self.defs.as_deref().unwrap_or(&[])
    }

    /// Returns the hub score of a definition; 0 until derived.
    pub(crate) fn of_def(&self, def: DefIdx) -> f32 {
        self.defs().get(def.index()).copied().unwrap_or(0.0)
    }
}

impl Index {
    /// Returns the scores of a file; zeros if it has none.
    pub(crate) fn file_scores(&self, file: FileId) -> &FileScores {
        self.file_scores.get(file.index()).unwrap_or(&UNSCORED)
    }

    /// Sets the scores of a file.
    pub(crate) fn set_file_scores(&mut self, file: FileId, scores: FileScores) {
        if self.file_scores.len() <= file.index() {
            self.file_scores.resize(file.index() + 1, FileScores::default());
        }
        self.file_scores[file.index()] = scores;
    }

    /// Swaps the scores of all files with `column`.
    pub(crate) fn swap_file_scores(&mut self, column: &mut Vec<FileScores>) {
        std::mem::swap(&mut self.file_scores, column);
    }

    /// Resets the scores of a file.
    pub(super) fn forget_file_scores(&mut self, file: FileId) {
        if let Some(scores) = self.file_scores.get_mut(file.index()) {
            *scores = FileScores::default();
        }
    }

    /// Carries the scores of a file's previous contents over; definitions keep theirs by name.
    pub(super) fn carry_scores_over(&mut self, file: FileId, old: &FileEntry, new: &FileEntry) {
        let known = self.file_scores(file);
        if known.defs().is_empty() {
            return;
        }
        let score = |def: &crate::facts::Def| {
            let was = old.def_qualified(new.facts.name(def.qualified), def.ordinal);
            was.map_or(0.0, |idx| known.of_def(idx))
        };
        let carried = known.with_defs(new.facts.defs.iter().map(score).collect());
        self.set_file_scores(file, carried);
    }
}
