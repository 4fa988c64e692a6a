//! Undoes the changes of `hob setup`, and nothing else.
//!
//! A file that has not changed since hob's change gets its old contents back, byte for byte. From a file that was
//! changed since, only hob's entry is removed; an entry that the user has changed is the user's, and stays unless
//! `--force` is given.

use std::fs;
use std::io;

use super::clients::SetupAgent;
use super::file::{self, AgentFile};
use super::formats::{ConfigText, Slot};
use super::parts::{PartKind, WithoutPart};
use super::receipt::{PartReceipt, Receipt, Receipts, hash};

/// The way to undo what a receipt records.
#[derive(Debug)]
pub(super) enum UndoAction {
    /// The file is as hob left it and gets its old contents back; `None` if there was no file.
    Restore(Option<Vec<u8>>),
    /// The file was changed since: it stays, without hob's entry. `None` if nothing else is left in a file that hob
    /// made.
    Take(Option<Vec<u8>>),
    /// Nothing is there to undo.
    Gone(&'static str),
    /// The entry stays, for this reason.
    Kept(String),
}

/// A receipt, the present file, and the way to undo the change.
#[derive(Debug)]
pub(super) struct Undo {
    pub(super) receipt: Receipt,
    pub(super) found: AgentFile,
    pub(super) way: UndoAction,
}

/// Decides how to undo the change of a receipt.
///
/// # Errors
/// The fault of the file, as a sentence.
pub(super) fn plan_undo(receipts: &Receipts, receipt: Receipt, force: bool) -> Result<Undo, String> {
    let found = file::read_config_file(&receipt.target)?;
    let way = choose_way(receipts, &receipt, found.bytes.as_deref(), force)?;
    Ok(Undo { receipt, found, way })
}

/// Chooses the way, from the contents that the file would have without the entry.
///
/// # Errors
/// The errors of [`plan_undo`].
pub(super) fn choose_way(
    receipts: &Receipts,
    receipt: &Receipt,
    now: Option<&[u8]>,
    force: bool,
) -> Result<UndoAction, String> {
    let Some(now) = now else { return Ok(UndoAction::Gone("the file is not there any more")) };
    let is = Some(hash(now));
    if is.as_ref() == Some(&receipt.after) {
        let before = receipts.file_before(receipt);
        return match before.is_some() || receipt.before.is_none() {
            true => Ok(UndoAction::Restore(before)),
            false => take_out_entry(receipt, now, force),
        };
    }
    if is == receipt.before {
        return Ok(UndoAction::Gone("the file is as it was before"));
    }
    take_out_entry(receipt, now, force)
}

fn take_out_entry(receipt: &Receipt, now: &[u8], force: bool) -> Result<UndoAction, String> {
    if let Some(part) = &receipt.part {
        return take_out_part(receipt, part, now, force);
    }
    let client = SetupAgent::find_by_id(&receipt.client)
        .ok_or("the receipt is of an agent that this hob does not know")?;
    let shown = receipt.target.display();
    let broken = |error| format!("`{shown}`: {error}; repair it, then undo again");
    let text = ConfigText::read(now).map_err(broken)?;
    let data = client.format.parse(&text.text).map_err(broken)?;
    let slot = Slot { container: client.container, name: &receipt.name };
    let Some(there) = slot.value_in(&data) else {
        return Ok(UndoAction::Gone("the entry is not there any more"));
    };
    if *there != receipt.entry && !force {
        return Ok(UndoAction::Kept(
            "the entry was changed since hob wrote it, so it is yours now; --force takes it out".to_owned(),
        ));
    }
    let changed = match &receipt.replaced {
        Some(old) => client.format.put_value(&text.text, slot, old),
        None => client.format.take_value(&text.text, slot, receipt.made_container),
    };
    let changed = changed.map_err(|error| format!("`{shown}`: {error}"))?;
    let is_empty = client
        .format
        .parse(&changed)
        .is_ok_and(|data| data.as_object().is_some_and(serde_json::Map::is_empty));
    Ok(UndoAction::Take((receipt.before.is_some() || !is_empty).then(|| text.bytes_with(&changed))))
}

fn take_out_part(
    receipt: &Receipt,
    part: &PartReceipt,
    now: &[u8],
    force: bool,
) -> Result<UndoAction, String> {
    let shown = receipt.target.display();
    let text =
        ConfigText::read(now).map_err(|error| format!("`{shown}`: {error}; repair it, then undo again"))?;
    let left = part.change.take_from(&text.text, force).map_err(|problem| format!("`{shown}`: {problem}"))?;
    Ok(match left {
        WithoutPart::Text(None) if receipt.before.is_none() => UndoAction::Take(None),
        WithoutPart::Text(left) => UndoAction::Take(Some(text.bytes_with(&left.unwrap_or_default()))),
        WithoutPart::Absent => UndoAction::Gone("hob's part is not there any more"),
        WithoutPart::Changed => UndoAction::Kept(
            "hob's part was changed since hob wrote it, so it is yours now; --force takes it out".to_owned(),
        ),
    })
}

impl Undo {
    /// Returns the file's contents after the undo, if they change: `Some(None)` means no file.
    pub(super) fn future_content(&self) -> Option<Option<&[u8]>> {
        match &self.way {
            UndoAction::Restore(bytes) | UndoAction::Take(bytes) => Some(bytes.as_deref()),
            UndoAction::Gone(_) | UndoAction::Kept(_) => None,
        }
    }

    /// Returns a clause for people about the way.
    pub(super) fn describe_way(&self) -> String {
        match &self.way {
            UndoAction::Restore(Some(_)) => "is made what it was, byte for byte".to_owned(),
            UndoAction::Restore(None) => "is removed: hob had made it".to_owned(),
            UndoAction::Take(Some(_)) => {
                let back = if self.receipt.replaced.is_some() {
                    "; the entry that was there comes back"
                } else {
                    ""
                };
                let own = self.receipt.part_kind().map_or("entry", PartKind::word);
                format!("was changed since, so only hob's {own} is taken out{back}")
            }
            UndoAction::Take(None) => "is removed: hob had made it, and nothing else is in it".to_owned(),
            UndoAction::Gone(reason) => format!("nothing to undo: {reason}"),
            UndoAction::Kept(reason) => (*reason).clone(),
        }
    }

    /// Undoes the change.
    ///
    /// # Errors
    /// The system's error.
    pub(super) fn carry_out(&self, receipts: &Receipts) -> Result<(), String> {
        let target = &self.receipt.target;
        let named = |error: io::Error| format!("`{}`: {error}", target.display());
        match self.future_content() {
            Some(Some(bytes)) => {
                file::may_replace(target)?;
                file::replace(target, self.found.bytes.as_deref(), bytes, false).map_err(named)?;
            }
            Some(None) => {
                fs::remove_file(target).map_err(named)?;
                file::remove_folders(&self.receipt.folders);
            }
            None if matches!(self.way, UndoAction::Kept(_)) => return Ok(()),
            None => {}
        }
        receipts.drop(&self.receipt).map_err(named)
    }
}
