//! Saves what has changed in a workspace: table and text, the texts side by side, names and lists.
//!
//! Every function may be called at any moment, and turns a failure into a notice for users.

use std::sync::atomic::Ordering;
use std::time::Instant;

use hob_base::lock;

use super::atomic::write_atomically;
use super::folder::Snapshots;
use super::format::{TableEntry, encode};
use super::image;
use crate::progress::Phase;
use crate::workspace::{Core, Workspace};

/// Number of files from which on the map has an image; smaller projects are mapped from their facts about as quickly.
const IMAGE_FILES: usize = 2_000;
/// An image is renewed when more than one file in so many has changed since.
const IMAGE_AGE: usize = 30;

/// Private memory from which on a text index is saved before the map is there, in bytes.
const LARGE_TEXT: usize = 64 << 20;

/// Saves the changes since the last time. It may be called at any moment: every file is written next to the old one and
/// renamed.
pub(crate) fn save(workspace: &Workspace) {
    let mut snapshots = lock(&workspace.snapshots);
    let generation = workspace.generation().0;
    // Merged segments are private memory until they are saved, and the next daemon would have to merge again.
    let has_merged = workspace.indexing.has_unsaved_merge.swap(false, Ordering::AcqRel);
    if generation == 0 || (snapshots.saved == Some(generation) && !has_merged) {
        return;
    }
    let start = Instant::now();
    let outcome = try_save(workspace, &mut snapshots);
    snapshots.took = start.elapsed();
    match outcome.and_then(|()| save_image(workspace, &snapshots)) {
        Ok(()) => {
            tracing::debug!(root = %workspace.root(), generation, took = ?snapshots.took, "saved");
            snapshots.saved = Some(generation);
        }
        Err(error) => {
            workspace.indexing.has_unsaved_merge.fetch_or(has_merged, Ordering::AcqRel);
            let text = format!(
                "The index of `{}` could not be saved: {error}. The next start reads all files.",
                workspace.root()
            );
            workspace.shared.notices.add_once("snapshot", text);
        }
    }
}

fn try_save(workspace: &Workspace, snapshots: &mut Snapshots) -> Result<(), Box<dyn std::error::Error>> {
    // The table comes first: contents that only the newer text index has are not claimed by the table, which is safe.
    let bytes = {
        let core = lock(&workspace.core);
        encode(workspace.root(), &entries(&core))
    };
    let saved = snapshots.saver.save(&workspace.text())?;
    workspace.install_saved(saved);
    write_atomically(snapshots.table_path().as_path(), &bytes)?;
    workspace.facts.flush()?;
    Ok(())
}

/// Merges and saves a large text index alone while the map of a first index is being made: the map and its derivation need the
/// memory. The next daemon believes of it what the table says, which is saved with the map.
pub(crate) fn save_large_text(workspace: &Workspace) {
    if workspace.text().stats().private_bytes < LARGE_TEXT || workspace.progress.now().phase == Phase::Done {
        return;
    }
    workspace.merge_text_and_wait();
    let mut snapshots = lock(&workspace.snapshots);
    // Nothing is written once the workspace is closed: its folder may be another daemon's or gone. With the map, all is saved.
    if workspace.closing.check().is_err() || workspace.progress.now().phase == Phase::Done {
        return;
    }
    match snapshots.saver.save(&workspace.text()) {
        Ok(saved) => workspace.install_saved(saved),
        // The whole index is saved later, and users are told if that fails too.
        Err(error) => tracing::warn!(root = %workspace.root(), %error, "the text index was not saved early"),
    }
}

/// Caches the contents of files side by side for searches, if many are not cached. This only serves speed: it uses one
/// thread, and ends when the workspace is closed.
pub(crate) fn keep_contents(workspace: &Workspace) {
    let mut snapshots = lock(&workspace.snapshots);
    let Some(keeper) = &mut snapshots.contents else { return };
    let (text, disk) = (workspace.text(), workspace.disk_contents());
    let refresh = || keeper.refresh_packs(&text, &disk, &workspace.closing);
    match workspace.shared.pools.merge.install(refresh) {
        Ok(_) => workspace.install_contents(keeper.cache().clone()),
        Err(error) => {
            let text = format!(
                "The contents of `{}` could not be put side by side: {error}. Broad searches open every file.",
                workspace.root()
            );
            workspace.shared.notices.add_once("contents", text);
            snapshots.contents = None;
        }
    }
}

/// Saves the map's names and lists, unless the saved ones are recent enough.
fn save_image(workspace: &Workspace, snapshots: &Snapshots) -> Result<(), Box<dyn std::error::Error>> {
    let files = workspace.map().stats().files;
    let age = workspace.deriver.image_age();
    let is_due = files >= IMAGE_FILES && age.is_none_or(|age| age as usize > files / IMAGE_AGE);
    if is_due && workspace.progress.now().phase == Phase::Done {
        // The changes are counted first: those that come in meanwhile may be in the image already, which does no harm.
        let changes = workspace.deriver.map_changes();
        let mut job = workspace.map().image_job();
        job.arrange_files();
        workspace.map.read_in_slices(|map, go_on| map.image_while(&mut job, go_on));
        let bytes = workspace.shared.pools.index.install(|| job.into_bytes());
        image::write(image::NAMES, &snapshots.folder, &bytes)?;
        workspace.deriver.image_saved(changes);
    }
    Ok(())
}

fn entries(core: &Core) -> Vec<TableEntry> {
    let known = core.table.iter().filter_map(|(id, path, record)| {
        let kind = *core.kinds.get(&id)?;
        Some(TableEntry { path: path.clone(), record: *record, kind })
    });
    known.collect()
}
