//! Plans the set-up of one agent: its file, the present content, the future content.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::clients::SetupAgent;
use super::diff;
use super::entry::AgentEntry;
use super::file;
use super::file_change::FileChange;
use super::formats::{ConfigText, Slot};
use super::receipt::{Receipt, Receipts, hash, nanos_now, seconds_now};
use super::scope::SetupScope;
use super::undo::{self, UndoAction};

/// The request to set up one agent.
pub(super) struct AgentSetupRequest<'a> {
    pub(super) client: &'static SetupAgent,
    pub(super) scope: SetupScope,
    /// The project, or the working directory.
    pub(super) root: &'a Path,
    /// The path of the file, as its agent names it.
    pub(super) file: PathBuf,
    pub(super) name: &'a str,
    pub(super) entry: &'a AgentEntry,
}

/// The state of the file before the change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryState {
    /// There is no file yet.
    New,
    /// The file has no entry of that name.
    Add,
    /// The file has another entry of that name.
    Replace,
    /// The file has the same entry already.
    Same,
}

/// A planned change, ready to be shown and made.
#[derive(Debug)]
pub(super) struct AgentSetupPlan {
    pub(super) state: EntryState,
    pub(super) change: FileChange,
    before: String,
    after: String,
    /// Sentences that the user should know before agreeing.
    pub(super) warnings: Vec<String>,
}

impl AgentSetupPlan {
    /// Reads the file and computes the change.
    ///
    /// # Errors
    /// The reason why the file is not changed, as a sentence.
    pub(super) fn make_plan(wanted: &AgentSetupRequest<'_>, receipts: &Receipts) -> Result<Self, String> {
        let AgentSetupRequest { client, scope, root, file, name, entry } = wanted;
        let found = file::read_config_file(file)?;
        if *scope == SetupScope::Project {
            stays_inside(root, &found.target)?;
        }
        let shown = found.target.display();
        let broken =
            |error| format!("`{shown}`: {error}. Nothing was changed; repair the file, then try again");
        let text = ConfigText::read(found.bytes.as_deref().unwrap_or_default()).map_err(broken)?;
        let data = client.format.parse_for(&text.text, client.dialect).map_err(broken)?;
        let slot = Slot { container: client.container, name };
        let value = entry.to_client_value(client.shape, name);
        let there = slot.value_in(&data).cloned();
        let state = match (&found.bytes, &there) {
            (None, _) => EntryState::New,
            (_, None) => EntryState::Add,
            (_, Some(there)) if *there == value => EntryState::Same,
            _ => EntryState::Replace,
        };
        let after = match state {
            EntryState::Same => text.text.clone(),
            _ => client.format.put_value(&text.text, slot, &value).map_err(broken)?,
        };
        if state != EntryState::Same {
            file::may_replace(&found.target)?;
        }
        let bytes = text.bytes_with(&after);
        // An earlier change of hob's in this place becomes a part of this one, so that one undo takes both back.
        let earlier = receipts.get(client.id, &found.target, name);
        let earlier = earlier.filter(|earlier| there.as_ref() == Some(&earlier.entry));
        let (original, replaced, made_container, folders) = match &earlier {
            Some(earlier) => {
                let original = match undo::choose_way(receipts, earlier, found.bytes.as_deref(), false)? {
                    UndoAction::Restore(bytes) | UndoAction::Take(bytes) => bytes,
                    UndoAction::Gone(_) | UndoAction::Kept(_) => found.bytes.clone(),
                };
                (original, earlier.replaced.clone(), earlier.made_container, earlier.folders.clone())
            }
            None => (found.bytes.clone(), there, data.get(client.container).is_none(), Vec::new()),
        };
        let receipt = Receipt {
            client: client.id.to_owned(),
            scope: *scope,
            root: (*scope == SetupScope::Project).then(|| root.to_path_buf()),
            target: found.target.clone(),
            name: (*name).to_owned(),
            before: original.as_deref().map(hash),
            after: hash(&bytes),
            folders,
            made_container,
            entry: value,
            replaced,
            at: seconds_now(),
            order: nanos_now(),
            part: None,
        };
        let mut warnings = Vec::new();
        if found.target != *file && file.is_symlink() {
            warnings.push(format!("{} is a link; what it leads to is changed", file.display()));
        }
        let change = FileChange { found, bytes, receipt, original, earlier };
        Ok(Self { state, change, before: text.text, after, warnings })
    }

    /// Returns the change, line by line.
    pub(super) fn diff_lines(&self) -> Vec<String> {
        diff::lines(&self.before, &self.after)
    }

    /// Returns the plan as JSON, for scripts.
    pub(super) fn as_json(&self) -> Value {
        let state = match self.state {
            EntryState::New => "new-file",
            EntryState::Add => "add",
            EntryState::Replace => "replace",
            EntryState::Same => "same",
        };
        json!({
            "client": self.change.receipt.client,
            "scope": self.change.receipt.scope,
            "file": self.change.found.target,
            "name": self.change.receipt.name,
            "change": state,
            "entry": self.change.receipt.entry,
            "diff": self.diff_lines(),
            "warnings": self.warnings,
        })
    }
}

/// Refuses a file that a link leads to from inside the project to outside: a project may be somebody else's work, and
/// must not decide which file of the user is changed.
///
/// # Errors
/// The reason, as a sentence, if the file lies outside.
pub(super) fn stays_inside(root: &Path, target: &Path) -> Result<(), String> {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
    // New folders cannot be resolved yet, but those above them can.
    let above = target.ancestors().skip(1).find_map(|folder| folder.canonicalize().ok());
    match above.is_some_and(|folder| folder.starts_with(&root)) {
        true => Ok(()),
        false => Err(format!(
            "`{}` lies outside of the project {}, to which a link in it leads; use --scope user, or remove the link",
            target.display(),
            root.display()
        )),
    }
}
