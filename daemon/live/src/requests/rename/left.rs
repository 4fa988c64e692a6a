//! Finds uses that a server lists and its rename does not change.
//!
//! Servers compute uses and renames in different ways, and some renames miss a name that is exported again under the
//! same name. A use may also stay rightly, as an alias does; but a user should not learn of either from a broken build.

use hob_base::LineIndex;
use lsp_types::Position;

use super::positions::{name_at, offset};
use super::renaming::{FileEdits, Renaming};
use crate::instance::{Completeness, Instance, ServerAnswer};
use crate::live::LiveError;
use crate::requests::{RequestPosition, ServerLocation, ServerQueryContext, references};
use crate::uri::FileRef;

/// Returns the completeness of a rename, compared with the references that the same server lists.
pub(super) fn completeness_by_references(
    instance: &Instance,
    at: &RequestPosition,
    renaming: &Renaming,
    asking: ServerQueryContext<'_>,
) -> Result<Completeness, LiveError> {
    let places = match references(instance, at, true, asking) {
        Ok(ServerAnswer { value, .. }) => value,
        Err(error @ LiveError::Stopped { .. }) => return Err(error),
        // Without references there is nothing to compare with.
        Err(_) => return Ok(Completeness::Complete),
    };
    let in_files = places.chunk_by(|a, b| a.file == b.file);
    let left: Vec<&ServerLocation> = in_files.flat_map(|places| left_in(places, renaming, asking)).collect();
    let Some(ServerLocation { file: FileRef::Inside(file), start, .. }) = left.first() else {
        return Ok(Completeness::Complete);
    };
    Ok(Completeness::Partial(format!(
        "the name `{}` stays at {} of the places where {} itself lists it, such as {file}:{}",
        renaming.old_name,
        left.len(),
        instance.spec().name,
        start.0
    )))
}

/// Keeps the places, all in one file, where the old name stays.
fn left_in<'p>(
    places: &'p [ServerLocation],
    renaming: &Renaming,
    asking: ServerQueryContext<'_>,
) -> Vec<&'p ServerLocation> {
    let Some(ServerLocation { file: FileRef::Inside(path), .. }) = places.first() else { return Vec::new() };
    let edited = renaming.files.iter().find(|file| file.path == *path);
    let read = edited.is_none().then(|| (asking.read)(path)).flatten();
    let Some(text) = edited.map(|file| &*file.text).or(read.as_deref()) else { return Vec::new() };
    let lines = LineIndex::new(text.as_bytes());
    let stays = |place: &&ServerLocation| {
        let start = Position { line: place.start.0 - 1, character: place.start.1 - 1 };
        let Ok(start) = offset(text, &lines, start) else { return false };
        name_at(text, start) == renaming.old_name && !edited.is_some_and(|file| is_touched(file, start))
    };
    places.iter().filter(stays).collect()
}

/// Returns true if an edit replaces the byte at `start`, or inserts before or behind the name there.
fn is_touched(file: &FileEdits, start: usize) -> bool {
    let end = start + name_at(&file.text[start..], 0).len();
    file.edits.iter().any(|(range, _)| range.start <= end && start <= range.end)
}
