//! Saves what a derivation found, hub scores with clusters and edges, and restores the edges.
//!
//! Scores are an estimate, so `map_restoring` takes over what is left of them. Edges answer questions, so they are restored for
//! exactly the files that they were derived from, or not at all: then the next derivation makes them again.

use std::fs;
use std::io;
use std::time::{Duration, Instant};

use hob_base::{AbsPath, lock};
use hob_map::RankingJob;
use hob_map::graph::DerivedEdges;

use super::folder::{LONGEST_REST, SavedDerivation, Snapshots};
use super::image;
use crate::workspace::Workspace;

/// Saves the last derivation as soon as there is one, and then from time to time. This saves no generation, because the
/// contents that it describes have not changed.
pub(crate) fn save_derivation(workspace: &Workspace) {
    let mut snapshots = lock(&workspace.snapshots);
    if snapshots.saved_derivation.is_none_or(|saved| saved.at.elapsed() > LONGEST_REST) {
        write_derivation(workspace, &mut snapshots);
    }
}

/// Saves the last derivation when the workspace is closed.
pub(crate) fn save_last_derivation(workspace: &Workspace) {
    write_derivation(workspace, &mut lock(&workspace.snapshots));
}

/// Returns the time after which a derivation that is not saved is due; `None` if the last one is saved.
pub(crate) fn derivation_due(workspace: &Workspace) -> Option<Duration> {
    let saved = lock(&workspace.snapshots).saved_derivation?;
    let is_due = saved.state != workspace.deriver.derivation_state();
    // A moment later, so that it is saved when the time has come.
    is_due.then(|| LONGEST_REST.saturating_sub(saved.at.elapsed()) + Duration::from_secs(1))
}

fn write_derivation(workspace: &Workspace, snapshots: &mut Snapshots) {
    let state = workspace.deriver.derivation_state();
    let is_saved = snapshots.saved_derivation.is_some_and(|saved| saved.state == state);
    if workspace.generation().0 == 0 || is_saved {
        return;
    }
    let before = workspace.map().edges_to_save();
    let mut job = RankingJob::default();
    workspace.map.read_in_slices(|map, go_on| map.ranking_while(&mut job, go_on));
    // A derivation may have been installed meanwhile, and scores and edges are of one.
    let after = workspace.map().edges_to_save();
    let edges = before.zip(after).filter(|(before, after)| before.are_of_same_derivation(after));
    // Whatever comes of it, the next attempt is due in a while.
    if let Some(saved) = &mut snapshots.saved_derivation {
        saved.at = Instant::now();
    }
    let Some(scores) = workspace.shared.pools.index.install(|| job.into_bytes()) else {
        return;
    };
    match write_files(workspace, &snapshots.folder, &scores, edges.map(|(edges, _)| edges)) {
        Ok(()) => snapshots.saved_derivation = Some(SavedDerivation { at: Instant::now(), state }),
        Err(error) => {
            let text = format!(
                "The hub scores and edges of `{}` could not be saved: {error}. After the next start, they are derived again, \
                 and search ranks without them for a moment.",
                workspace.root()
            );
            workspace.shared.notices.add_once("scores", text);
        }
    }
}

/// Writes scores and edges. There are never edges beside the scores of another derivation.
fn write_files(
    workspace: &Workspace,
    folder: &AbsPath,
    scores: &[u8],
    edges: Option<DerivedEdges>,
) -> io::Result<()> {
    // The first file that is saved makes the folder.
    fs::create_dir_all(folder.as_path())?;
    image::remove(image::EDGES, folder)?;
    image::write(image::SCORES, folder, scores)?;
    match edges.map(|edges| workspace.shared.pools.index.install(|| edges.into_bytes())) {
        Some(bytes) => image::write(image::EDGES, folder, &bytes),
        None => Ok(()),
    }
}

/// Restores the edges of the last derivation. Returns false if they have to be derived.
pub(crate) fn restore_edges(workspace: &Workspace) -> bool {
    let Some(job) = workspace.map().restoring_job() else { return false };
    let folder = lock(&workspace.snapshots).folder.clone();
    let read = image::read(image::EDGES, &folder);
    let Some(bytes) = read.inspect_err(|why| discard_edges(workspace, why)).ok().flatten() else {
        return false;
    };
    match workspace.shared.pools.index.install(|| job.restore_edges(&bytes)) {
        Ok(Some(edges)) => {
            let edges = workspace.facts.page_edges(edges);
            workspace.map.write(|map| map.install_edges(edges))
        }
        Ok(None) => false,
        Err(error) => {
            discard_edges(workspace, &error.to_string());
            false
        }
    }
}

/// Notes that the derivation which was restored is saved.
pub(crate) fn note_restored(workspace: &Workspace) {
    let state = workspace.deriver.derivation_state();
    lock(&workspace.snapshots).saved_derivation = Some(SavedDerivation { at: Instant::now(), state });
}

/// Tells users that saved edges cannot be used.
fn discard_edges(workspace: &Workspace, why: &str) {
    let text = format!(
        "The saved edges of `{}` were discarded ({why}); they are derived again in the background.",
        workspace.root()
    );
    workspace.shared.notices.add_once("edges", text);
}
