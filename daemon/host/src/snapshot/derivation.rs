//! Saves what a derivation found, hub scores with clusters and edges, and restores the edges.
//!
//! Scores are an estimate, so `map_restoring` takes over what is left of them. Edges answer questions, so they are restored for
//! exactly the files that they were derived from, or not at all: then the next derivation makes them again.

use std::fs;
use std::io;
use std::time::Instant;

use hob_base::lock;
use hob_map::RankingJob;

use super::folder::{LONGEST_REST, Snapshots};
use super::image;
use crate::workspace::Workspace;

/// Saves the last derivation as soon as there is one, and then from time to time. This saves no generation, because the
/// contents that it describes have not changed.
pub(crate) fn save_derivation(workspace: &Workspace) {
    let mut snapshots = lock(&workspace.snapshots);
    if snapshots.derivation_saved.is_none_or(|(at, _)| at.elapsed() > LONGEST_REST) {
        write_derivation(workspace, &mut snapshots);
    }
}

/// Saves the last derivation when the workspace is closed.
pub(crate) fn save_last_derivation(workspace: &Workspace) {
    write_derivation(workspace, &mut lock(&workspace.snapshots));
}

fn write_derivation(workspace: &Workspace, snapshots: &mut Snapshots) {
    let state = workspace.deriver.derivation_state();
    let is_saved = snapshots.derivation_saved.is_some_and(|(_, saved)| saved == state);
    if workspace.generation().0 == 0 || is_saved {
        return;
    }
    let mut job = RankingJob::default();
    workspace.map.read_in_slices(|map, go_on| map.ranking_while(&mut job, go_on));
    let Some(bytes) = workspace.shared.pools.index.install(|| job.into_bytes()) else {
        return;
    };
    match write_files(workspace, snapshots, &bytes) {
        Ok(()) => snapshots.derivation_saved = Some((Instant::now(), state)),
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

/// Writes scores before edges: edges are restored only with scores.
fn write_files(workspace: &Workspace, snapshots: &Snapshots, scores: &[u8]) -> io::Result<()> {
    // The first file that is saved makes the folder.
    fs::create_dir_all(snapshots.folder.as_path())?;
    image::write(image::SCORES, &snapshots.folder, scores)?;
    let edges = workspace.map().edges_to_save();
    match edges.map(|edges| workspace.shared.pools.index.install(|| edges.into_bytes())) {
        Some(bytes) => image::write(image::EDGES, &snapshots.folder, &bytes),
        None => Ok(()),
    }
}

/// Restores the edges of the last derivation. Returns false if they have to be derived.
pub(crate) fn restore_edges(workspace: &Workspace) -> bool {
    let Some(job) = workspace.map().edges_job() else { return false };
    let folder = lock(&workspace.snapshots).folder.clone();
    let read = image::read(image::EDGES, &folder);
    let Some(bytes) = read.inspect_err(|why| note_unused(workspace, why)).ok().flatten() else {
        return false;
    };
    match workspace.shared.pools.index.install(|| job.restore_edges(&bytes)) {
        Ok(Some(edges)) => {
            let edges = workspace.facts.page_edges(edges);
            workspace.map.write(|map| map.install_edges(edges))
        }
        Ok(None) => false,
        Err(error) => {
            note_unused(workspace, &error.to_string());
            false
        }
    }
}

fn note_unused(workspace: &Workspace, why: &str) {
    tracing::info!(root = %workspace.root(), why, "the saved edges were not used");
}
