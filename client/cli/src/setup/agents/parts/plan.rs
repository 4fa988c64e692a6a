//! Plans one part of an agent's set-up: its file, the change, the receipt. The part is shown, agreed to, made and
//! undone like the entry.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::change::PartChange;
use super::kind::PartKind;
use crate::setup::agents::diff;
use crate::setup::agents::file;
use crate::setup::agents::file_change::FileChange;
use crate::setup::agents::formats::ConfigText;
use crate::setup::agents::plan::stays_inside;
use crate::setup::agents::receipt::{PartReceipt, Receipt, Receipts, hash, nanos_now, seconds_now};
use crate::setup::agents::scope::SetupScope;
use crate::setup::agents::undo::{self, UndoAction};

/// The request to add one part.
pub(super) struct PartRequest<'a> {
    pub(super) client: &'a str,
    pub(super) kind: PartKind,
    pub(super) scope: SetupScope,
    pub(super) root: &'a Path,
    pub(super) file: PathBuf,
    /// The entry's name.
    pub(super) name: &'a str,
    pub(super) change: PartChange,
}

/// A planned part, ready to be shown and written.
#[derive(Debug)]
pub(super) struct PartPlan {
    pub(super) kind: PartKind,
    pub(super) change: FileChange,
    before: String,
    /// The text with the part; `None` if it is there already.
    after: Option<String>,
}

impl PartPlan {
    /// Reads the file and computes the change.
    ///
    /// # Errors
    /// The reason why the file is not changed, as a sentence.
    pub(super) fn make_plan(request: PartRequest<'_>, receipts: &Receipts) -> Result<Self, String> {
        let PartRequest { client, kind, scope, root, file, name, mut change } = request;
        let found = file::read_config_file(&file)?;
        if scope == SetupScope::Project {
            stays_inside(root, &found.target)?;
        }
        let shown = found.target.display().to_string();
        let text = ConfigText::read(found.bytes.as_deref().unwrap_or_default())
            .map_err(|error| format!("`{shown}`: {error}"))?;
        let now = found.bytes.as_ref().map(|_| text.text.as_str());
        // An earlier form of the part is removed first, so that one undo takes both back.
        let earlier = receipts.get_part(client, &found.target, name, kind);
        let earlier = earlier.filter(|earlier| {
            earlier.part.as_ref().zip(now).is_some_and(|(part, now)| part.change.is_in(now))
        });
        let own = earlier.as_ref().and_then(|earlier| earlier.part.as_ref()).map(|part| &part.change);
        let is_same = own.zip(now).is_some_and(|(own, now)| own.clears_as(&change, now));
        let start = match (own, now) {
            (Some(own @ PartChange::Values { .. }), Some(now)) if !is_same => own.text_without(now)?,
            _ => now.map(str::to_owned),
        };
        let after = match is_same {
            true => None,
            false => change
                .add_to(start.as_deref(), own)
                .map_err(|problem| format!("`{shown}`: {problem}. Nothing was changed"))?,
        };
        if after.is_some() {
            file::may_replace(&found.target)?;
        }
        let bytes = text.bytes_with(after.as_deref().unwrap_or(&text.text));
        let (original, folders) = match &earlier {
            Some(earlier) => {
                let original = match undo::choose_way(receipts, earlier, found.bytes.as_deref(), false)? {
                    UndoAction::Restore(bytes) | UndoAction::Take(bytes) => bytes,
                    UndoAction::Gone(_) | UndoAction::Kept(_) => found.bytes.clone(),
                };
                (original, earlier.folders.clone())
            }
            None => (found.bytes.clone(), Vec::new()),
        };
        let receipt = Receipt {
            client: client.to_owned(),
            scope,
            root: (scope == SetupScope::Project).then(|| root.to_path_buf()),
            target: found.target.clone(),
            name: name.to_owned(),
            before: original.as_deref().map(hash),
            after: hash(&bytes),
            folders,
            made_container: false,
            entry: Value::Null,
            replaced: None,
            at: seconds_now(),
            order: nanos_now(),
            part: Some(PartReceipt { kind, change }),
        };
        let change = FileChange { found, bytes, receipt, original, earlier };
        Ok(Self { kind, change, before: text.text, after })
    }

    /// Returns true if the file has the part already.
    pub(super) fn is_there(&self) -> bool {
        self.after.is_none()
    }

    /// Returns the change, line by line.
    pub(super) fn diff_lines(&self) -> Vec<String> {
        self.after.as_deref().map_or_else(Vec::new, |after| diff::lines(&self.before, after))
    }

    /// Returns the plan as JSON, for scripts.
    pub(super) fn as_json(&self) -> Value {
        let change = match (self.is_there(), &self.change.found.bytes) {
            (true, _) => "same",
            (false, None) => "new-file",
            (false, Some(_)) => "add",
        };
        json!({
            "part": self.kind.word(),
            "scope": self.change.receipt.scope,
            "file": self.change.found.target,
            "change": change,
            "diff": self.diff_lines(),
        })
    }
}
