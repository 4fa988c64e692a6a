//! Restores the map in the background: while facts are decoded, calls have answers from the text, and the sweep
//! compares every file's stat.
//!
//! A thread of its own hands the index pool one slice after another, so that work of the sweep comes in between. The
//! map is built apart from the one that calls see, and takes its place when the indexer asks for it, which it does
//! before the first change to the map. Nothing here decides what is true: facts are found by content hash, and files
//! whose facts are gone are handed back to be mapped again.

use std::sync::Arc;

use hob_base::AbsPath;
use hob_map::graph::RestoredMap;
use hob_map::{Map, PreparedFile};
use rayon::prelude::*;

use super::discard::discard_saved;
use super::image;
use super::restoring_map::{RestoreFindings, RestoringMap, SoughtFacts};
use crate::facts::FactsRequest;
use crate::workspace::Workspace;

/// Number of files per slice.
const SLICE: usize = 512;

/// Starts the thread that restores the map.
pub(super) fn start(
    workspace: &Arc<Workspace>,
    folder: AbsPath,
    mut sought: Vec<SoughtFacts>,
) -> RestoringMap {
    // The store keeps facts in order of hash, and reads neighbours together.
    sought.sort_unstable_by_key(|sought| sought.hash);
    let sought = Arc::new(sought);
    let (held, list) = (Arc::clone(workspace), Arc::clone(&sought));
    let body = move || find(&held, &folder, &list);
    let thread = std::thread::Builder::new().name("hob-comeback".to_owned()).spawn(body).ok();
    RestoringMap { sought, thread }
}

fn find(workspace: &Workspace, folder: &AbsPath, sought: &[SoughtFacts]) -> RestoreFindings {
    let image = read_image(workspace, image::NAMES, folder);
    let (mut files, mut missing) = (Vec::with_capacity(sought.len()), Vec::new());
    for (number, slice) in sought.chunks(SLICE).enumerate() {
        if workspace.closing.check().is_err() {
            return RestoreFindings::default();
        }
        let found: Vec<Option<PreparedFile>> = workspace
            .shared
            .pools
            .index
            .install(|| slice.par_iter().map(|sought| prepare_file(workspace, sought)).collect());
        for (at, file) in found.into_iter().enumerate() {
            file.map_or_else(|| missing.push(number * SLICE + at), |file| files.push(file));
        }
    }
    let RestoredMap { mut map, unknown, rejected } =
        workspace.shared.pools.index.install(|| Map::restore(files, image.as_deref()));
    if let Some(error) = &rejected {
        discard_saved(workspace, &error.to_string());
    }
    if let Some(scores) = read_image(workspace, image::SCORES, folder)
        && let Err(error) = map.restore_ranking(&scores)
    {
        // The next derivation computes them again immediately.
        tracing::info!(root = %workspace.root(), %error, "the saved scores were not used");
    }
    let aged = (image.is_some() && rejected.is_none()).then_some(unknown);
    tracing::info!(root = %workspace.root(), missing = missing.len(), ?aged, "the map is back");
    RestoreFindings { map, missing, aged }
}

fn read_image(workspace: &Workspace, kept: image::ImageFile, folder: &AbsPath) -> Option<Vec<u8>> {
    image::read(kept, folder).unwrap_or_else(|why| {
        discard_saved(workspace, &why);
        None
    })
}

fn prepare_file(
    workspace: &Workspace,
    SoughtFacts { file, path, lang, hash }: &SoughtFacts,
) -> Option<PreparedFile> {
    let facts = workspace.facts.load(&FactsRequest { path, lang: *lang, hash: *hash })?;
    Some(PreparedFile::new(*file, path.clone(), Arc::new(workspace.facts.page_facts(facts))))
}
