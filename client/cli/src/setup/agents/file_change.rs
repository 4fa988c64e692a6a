//! Holds a planned change of one file of an agent, and makes it. The receipt is stored before the file changes, and if
//! either fails, everything stays as it was.
//!
//! It does not know the purpose of the change: the entry (`plan`) and the parts (`parts::plan`) compute the bytes.

use super::file::{self, AgentFile};
use super::receipt::{Receipt, Receipts};
use super::scope::SetupScope;

/// A file before and after its change, with the receipt by which the change is undone.
#[derive(Debug)]
pub(super) struct FileChange {
    pub(super) found: AgentFile,
    pub(super) bytes: Vec<u8>,
    pub(super) receipt: Receipt,
    /// The file without hob's change.
    pub(super) original: Option<Vec<u8>>,
    /// The receipt of an earlier change of this file, which is restored if this change fails.
    pub(super) earlier: Option<Receipt>,
}

impl FileChange {
    /// Makes the change.
    ///
    /// # Errors
    /// The system's error; everything then stays as it was.
    pub(super) fn carry_out(&mut self, receipts: &Receipts) -> Result<(), String> {
        let target = self.found.target.clone();
        let made = file::make_folders(&target)?;
        self.receipt.folders.extend(made.iter().cloned());
        let private = self.receipt.scope == SetupScope::User;
        let kept = receipts.keep_receipt(&self.receipt, self.original.as_deref());
        let changed =
            kept.and_then(|()| file::replace(&target, self.found.bytes.as_deref(), &self.bytes, private));
        changed.map_err(|error| {
            let _ = match &self.earlier {
                Some(earlier) => receipts.keep_receipt(earlier, self.original.as_deref()),
                None => receipts.drop(&self.receipt),
            };
            file::remove_folders(&made);
            format!("`{}`: {error}", target.display())
        })
    }
}
