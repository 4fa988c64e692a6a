//! Records each change that hob made to another program's file, an entry or a part beside it, so that it can be undone.
//!
//! Two files in the state folder, for this user alone: `NAME.json`, the receipt, and `NAME.before`, the file as it was.
//! Both are there before the file is changed; a receipt of a change that was never made is harmless.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use hob_proto::places::Places;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::file;
use super::parts::{PartChange, PartKind};
use super::scope::SetupScope;
use crate::output;

/// A receipt for one entry or part that hob wrote into one file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Receipt {
    /// The agent, by its name for `hob setup`.
    pub(crate) client: String,
    pub(crate) scope: SetupScope,
    /// The project of the entry.
    pub(crate) root: Option<PathBuf>,
    /// The path of the file, after links.
    pub(crate) target: PathBuf,
    /// The entry's name in the file.
    pub(crate) name: String,
    /// The hash of the file before; `None` if there was no file.
    pub(crate) before: Option<String>,
    /// The hash of the file after hob's change.
    pub(crate) after: String,
    /// Folders that hob made for it, the outermost first.
    pub(crate) folders: Vec<PathBuf>,
    /// True if hob made the table of the entry.
    pub(crate) made_container: bool,
    /// The entry that hob wrote.
    pub(crate) entry: Value,
    /// The earlier entry of that name; `None` if there was none.
    pub(crate) replaced: Option<Value>,
    /// The time of the change, in seconds since 1970.
    pub(crate) at: u64,
    /// The time of the change, in nanoseconds since 1970, so that two changes of one file in a second are undone in
    /// order. 0 in older receipts.
    #[serde(default)]
    pub(crate) order: u64,
    /// The part, if hob wrote a part and not the entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) part: Option<PartReceipt>,
}

/// A part beside the entry that hob wrote.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PartReceipt {
    pub(crate) kind: PartKind,
    /// The change, by which the part is found again in a file that was changed since.
    pub(crate) change: PartChange,
}

/// The folder of the receipts.
#[derive(Debug)]
pub(crate) struct Receipts {
    folder: PathBuf,
}

/// Returns the hash of a file in its form in receipts.
pub(crate) fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// Returns the present time, in seconds since 1970.
pub(crate) fn seconds_now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Returns the present time, in nanoseconds since 1970.
pub(crate) fn nanos_now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
}

impl Receipt {
    fn file_name(client: &str, target: &Path, name: &str, part: Option<PartKind>) -> String {
        let place = [target.as_os_str().as_encoded_bytes(), b"\0", name.as_bytes()].concat();
        let kind = part.map_or_else(String::new, |kind| format!("-{}", kind.word()));
        format!("{client}-{}{kind}", &hash(&place)[..16])
    }

    /// Returns the kind of the part that was written; `None` for the entry.
    pub(crate) fn part_kind(&self) -> Option<PartKind> {
        self.part.as_ref().map(|part| part.kind)
    }
}

impl Receipts {
    /// Returns the folder of this user's receipts.
    pub(crate) fn in_places(places: &Places) -> Self {
        Self { folder: places.state.join("setup") }
    }

    fn path(&self, receipt: &Receipt, ending: &str) -> PathBuf {
        let name = Receipt::file_name(&receipt.client, &receipt.target, &receipt.name, receipt.part_kind());
        self.folder.join(format!("{name}.{ending}"))
    }

    /// Returns the receipt of an entry.
    pub(crate) fn get(&self, client: &str, target: &Path, name: &str) -> Option<Receipt> {
        self.read_receipt(&Receipt::file_name(client, target, name, None))
    }

    /// Returns the receipt of a part beside an entry.
    pub(crate) fn get_part(
        &self,
        client: &str,
        target: &Path,
        name: &str,
        kind: PartKind,
    ) -> Option<Receipt> {
        self.read_receipt(&Receipt::file_name(client, target, name, Some(kind)))
    }

    fn read_receipt(&self, file_name: &str) -> Option<Receipt> {
        let path = self.folder.join(format!("{file_name}.json"));
        serde_json::from_slice(&fs::read(path).ok()?).ok()
    }

    /// Returns all receipts, the newest first: the latest change is undone first.
    pub(crate) fn newest_first(&self) -> Vec<Receipt> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let files = entries.filter(|path| path.extension().is_some_and(|ending| ending == "json"));
        let read = |path: PathBuf| serde_json::from_slice::<Receipt>(&fs::read(path).ok()?).ok();
        let mut all: Vec<Receipt> = files.filter_map(read).collect();
        all.sort_by(|one, other| {
            (other.at, other.order, &other.target).cmp(&(one.at, one.order, &one.target))
        });
        all
    }

    /// Returns the file before the change, if there was one and its copy matches the receipt.
    pub(crate) fn file_before(&self, receipt: &Receipt) -> Option<Vec<u8>> {
        let bytes = fs::read(self.path(receipt, "before")).ok()?;
        (Some(hash(&bytes)) == receipt.before).then_some(bytes)
    }

    /// Stores a receipt and the file before the change.
    ///
    /// # Errors
    /// The system's error.
    pub(crate) fn keep_receipt(&self, receipt: &Receipt, before: Option<&[u8]>) -> io::Result<()> {
        output::make_private_folder(&self.folder)?;
        if let Some(before) = before {
            file::write_private(&self.path(receipt, "before"), before)?;
        }
        let text = serde_json::to_vec_pretty(receipt).map_err(io::Error::other)?;
        file::write_private(&self.path(receipt, "json"), &text)
    }

    /// Removes a receipt whose change was undone.
    ///
    /// # Errors
    /// The system's error.
    pub(crate) fn drop(&self, receipt: &Receipt) -> io::Result<()> {
        for ending in ["json", "before"] {
            match fs::remove_file(self.path(receipt, ending)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }
}
