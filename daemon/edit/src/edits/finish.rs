//! Finishes an apply after its files are written: records the undo, and completes applies that an earlier process left.

use std::time::Duration;

use hob_base::{AbsPath, WsPath};

use super::{Edits, Report};
use crate::error::{EditError, cause_without_number};
use crate::journal::LeftRecord;
use crate::pending::{PendingOutcome, Settled};
use crate::record::{EditSubject, Record};
use crate::recover;

/// Longest time for which a record waits for a missing workspace, such as one on a disk that is not connected.
const PATIENCE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

impl Edits {
    /// Records the apply for the undo and removes its record. The files are written, so a failure now is only a
    /// warning.
    pub(super) fn finish(&self, record: &Record) -> Vec<String> {
        let mut warnings = match record.undoes {
            true => self.note_undone(record),
            false => self.note_applied(record),
        };
        if let Err(error) = self.journal.end(record) {
            warnings.push(format!("its journal could not be removed: {}", cause_without_number(&error)));
        }
        warnings
    }

    fn note_undone(&self, record: &Record) -> Vec<String> {
        let forgotten = self.undos.forget_undo(&record.root);
        let said = |error| format!("that it was undone could not be noted: {}", cause_without_number(&error));
        forgotten.map_err(said).err().into_iter().collect()
    }

    fn note_applied(&self, record: &Record) -> Vec<String> {
        let mut warnings = Vec::new();
        match self.undos.keep(record) {
            Ok(true) => {}
            Ok(false) => {
                warnings.push("it cannot be undone: its old contents are too large to be kept".to_owned());
            }
            Err(error) => {
                // Earlier applies cannot be undone either.
                let _ = self.undos.forget_undo(&record.root);
                warnings.push(format!("it cannot be undone: {}", cause_without_number(&error)));
            }
        }
        let EditSubject { id, label, at, .. } = record.subject.clone();
        if let Err(error) =
            self.lock_queue().note_settled(Settled { id, label, outcome: PendingOutcome::Applied, at })
        {
            warnings.push(format!("that it was applied could not be noted: {error}"));
        }
        warnings
    }

    /// Completes an earlier apply in a workspace. Nothing else is written before that.
    pub(super) fn settle_earlier(&self, root: &AbsPath) -> Result<Vec<String>, EditError> {
        let mut report = Report::default();
        match self.recover(Some(root), &mut report) {
            true => Ok(report.recovered),
            false => Err(EditError::Unfinished {
                cause: "an earlier edit in this workspace is not finished".to_owned(),
                also: report.warnings.join("; "),
            }),
        }
    }

    /// Completes records, of one workspace or of all. Returns true if none is left.
    pub(super) fn recover(&self, root: Option<&AbsPath>, report: &mut Report) -> bool {
        let left = match self.journal.records_left(root) {
            Ok(left) => left,
            Err(error) => {
                report
                    .warnings
                    .push(format!("the journal of edits cannot be read: {}", cause_without_number(&error)));
                return false;
            }
        };
        let mut is_done = true;
        for one in left {
            match one {
                LeftRecord::Damaged { name, why } => {
                    report
                        .warnings
                        .push(format!("the journal {name} cannot be used and was set aside: {why}"));
                }
                LeftRecord::Record { record, committed } => match self.finish_left(&record, committed) {
                    Ok(said) => report.recovered.push(said),
                    Err(said) => {
                        report.warnings.push(said);
                        is_done = false;
                    }
                },
            }
        }
        is_done
    }

    fn finish_left(&self, record: &Record, committed: bool) -> Result<String, String> {
        let (label, root) = (&record.subject.label, &record.root);
        let what = if record.undoes { "taking back" } else { "applying" };
        let told = |cause: String| format!("{what} `{label}` in {root} is not finished: {cause}");
        if !recover::has_root(&*self.files, record) {
            let age = (self.clock)().duration_since(record.subject.at).unwrap_or_default();
            if age < PATIENCE {
                return Err(told("the folder is not there".to_owned()));
            }
            self.journal.end(record).map_err(|error| told(cause_without_number(&error)))?;
            return Ok(format!("{what} `{label}` was given up: {root} is gone"));
        }
        let (strange, became) = if committed {
            let strange = recover::carry_out(&*self.files, record).map_err(told)?;
            let _ = self.finish(record);
            (strange, "was finished")
        } else {
            let strange = recover::take_back(&*self.files, &self.journal, record, None).map_err(told)?;
            (strange, "had been interrupted; its files are what they were before")
        };
        let mut said = format!("{what} `{label}` in {root} {became}");
        if !strange.is_empty() {
            let names: Vec<&str> = strange.iter().map(WsPath::as_str).collect();
            said += &format!(", except those that somebody changed since: {}", names.join(", "));
        }
        Ok(said)
    }
}
