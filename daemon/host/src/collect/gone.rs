//! Removes snapshots of workspaces whose folder is gone: deleted work trees, clones that were tried once.
//!
//! A missing folder may lie on a disk that is not mounted, so its snapshot is removed only after every run for longer
//! than the grace period has found it missing. A snapshot without a readable table is treated likewise.

use std::fs;
use std::io;
use std::path::Path;

use hob_base::ContentHash;
use hob_store::{StoreError, StoreOperation, StoreTree};
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::folder_name::{FOLDER_NAME, folder_name};
use super::super::snapshot::read_claims;
use super::run::{CollectError, CollectRun, parse_u64, remove};
use hob_base::lock;

/// Prefix of the keys of notes since when a root is missing; the name of the snapshot's folder follows.
const MISSING: &str = "missing/";

/// Suffix of the names of snapshots that are being removed.
pub(crate) const GOING: &str = ".going";

impl CollectRun<'_> {
    /// Adds the contents of the saved workspaces to `live`, removes snapshots of folders that are gone, and returns the
    /// number of those.
    pub(super) fn sweep_snapshots(&self, live: &mut FxHashSet<ContentHash>) -> Result<u64, CollectError> {
        let mut notes = self.missing_since()?;
        let mut removed = 0;
        for entry in fs::read_dir(self.snapshots).into_iter().flatten().flatten() {
            self.check_go_on()?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            if name.strip_suffix(GOING).is_some_and(is_ours) {
                let _ = fs::remove_dir_all(entry.path());
            }
            if !is_ours(&name) {
                continue;
            }
            let since = notes.remove(&name);
            let claims = read_claims(&self.snapshots.join(&name));
            let is_missing = claims.as_ref().is_none_or(|claims| is_missing(&claims.root));
            live.extend(claims.into_iter().flat_map(|claims| claims.hashes));
            removed += u64::from(self.judge_snapshot(&name, is_missing, since)?);
        }
        let orphans = notes.into_keys().map(|name| remove(key(&name))).collect();
        self.store.batch(StoreTree::Meta, orphans)?;
        Ok(removed)
    }

    fn missing_since(&self) -> Result<FxHashMap<String, u64>, StoreError> {
        let mut notes = FxHashMap::default();
        self.store.each(StoreTree::Meta, MISSING.as_bytes(), &mut |key, value| {
            let name = String::from_utf8_lossy(&key[MISSING.len()..]).into_owned();
            notes.insert(name, parse_u64(value).unwrap_or(self.now));
            true
        })?;
        Ok(notes)
    }

    /// Decides whether the snapshot has to go, and returns true if it was removed.
    fn judge_snapshot(&self, name: &str, is_missing: bool, since: Option<u64>) -> Result<bool, StoreError> {
        let over = since.is_some_and(|since| self.now.saturating_sub(since) > self.keep.grace.as_secs());
        let removed = is_missing && over && self.remove_snapshot(name);
        let note = match (is_missing && !removed, since) {
            (true, None) => StoreOperation::Put { key: key(name), value: self.now.to_le_bytes().to_vec() },
            (false, Some(_)) => remove(key(name)),
            _ => return Ok(removed),
        };
        self.store.batch(StoreTree::Meta, vec![note])?;
        Ok(removed)
    }

    fn remove_snapshot(&self, name: &str) -> bool {
        let going = self.snapshots.join(format!("{name}{GOING}"));
        {
            // Nobody may open the workspace between this check and the renaming of the folder.
            let open = lock(self.open);
            let is_open = open.keys().any(|root| folder_name(root) == name);
            if is_open || fs::rename(self.snapshots.join(name), &going).is_err() {
                return false;
            }
        }
        // The next run removes whatever this leaves.
        let _ = fs::remove_dir_all(&going);
        tracing::info!(name, "removed the snapshot of a folder that is gone");
        true
    }
}

fn key(name: &str) -> Vec<u8> {
    format!("{MISSING}{name}").into_bytes()
}

fn is_ours(name: &str) -> bool {
    name.len() == FOLDER_NAME && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns true if there is certainly no such folder. A path with characters that could not be saved counts as present,
/// because it cannot be looked for.
fn is_missing(root: &str) -> bool {
    let absent =
        |error: &io::Error| matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory);
    !root.contains(char::REPLACEMENT_CHARACTER)
        && fs::metadata(Path::new(root)).map_or_else(|error| absent(&error), |found| !found.is_dir())
}
