//! Removes unpacked sources of jars that nobody has used for long, and those unused longest when all take too much.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use hob_base::{AbsPath, lock};

use super::gone::GOING;
use super::run::{CollectError, CollectRun};
use crate::source_jars::USED;

/// A folder of unpacked sources.
struct UnpackedFolder {
    folder: PathBuf,
    note: PathBuf,
    /// Time of the last use, in seconds since 1970.
    used: u64,
    bytes: u64,
}

impl CollectRun<'_> {
    /// Removes folders beyond the grace period or the limit, and returns their number; open ones stay.
    pub(super) fn sweep_unpacked(&self) -> Result<u64, CollectError> {
        let mut folders = self.unpacked_folders();
        folders.sort_by_key(|one| one.used);
        let mut total: u64 = folders.iter().map(|one| one.bytes).sum();
        let mut removed = 0;
        for one in folders {
            self.check_go_on()?;
            let is_old = self.now.saturating_sub(one.used) > self.keep.grace.as_secs();
            if (is_old || total > self.keep.unpacked) && self.remove_unpacked(&one) {
                total = total.saturating_sub(one.bytes);
                removed += 1;
            }
        }
        Ok(removed)
    }

    fn unpacked_folders(&self) -> Vec<UnpackedFolder> {
        let listed = fs::read_dir(self.unpacked).into_iter().flatten().flatten().map(|entry| entry.path());
        let folders = listed.filter(|path| path.is_dir());
        folders.map(read_note).collect()
    }

    fn remove_unpacked(&self, one: &UnpackedFolder) -> bool {
        let mut going = one.folder.clone().into_os_string();
        going.push(GOING);
        let going = PathBuf::from(going);
        {
            // Nobody may open the workspace between this check and the renaming of the folder.
            let open = lock(self.open);
            let is_open = AbsPath::new(&one.folder).is_ok_and(|root| open.contains_key(&root));
            if is_open || fs::rename(&one.folder, &going).is_err() {
                return false;
            }
        }
        // The next run removes whatever this leaves.
        let _ = fs::remove_dir_all(&going);
        let _ = fs::remove_file(&one.note);
        true
    }
}

/// Reads the note of a folder. A folder without one is half made or half removed, and counts by its own time of change.
fn read_note(folder: PathBuf) -> UnpackedFolder {
    let mut note = folder.clone().into_os_string();
    note.push(USED);
    let note = PathBuf::from(note);
    let used = seconds_of(&note).or_else(|| seconds_of(&folder)).unwrap_or(0);
    let bytes = fs::read_to_string(&note).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0);
    UnpackedFolder { folder, note, used, bytes }
}

fn seconds_of(note: &Path) -> Option<u64> {
    let modified: SystemTime = fs::metadata(note).ok()?.modified().ok()?;
    Some(modified.duration_since(UNIX_EPOCH).ok()?.as_secs())
}
