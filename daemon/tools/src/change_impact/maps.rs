//! Makes the map of the other side of a change: the present map is one side, and the other is made of it with the facts
//! of the changed files.
//!
//! Facts are shared, so such a map costs only its names; its hub scores are zero.

use std::sync::Arc;

use hob_base::{FileId, WsPath};
use hob_change::{FilePair, FileSide};
use hob_map::graph::MapChange;
use hob_map::{FileFacts, Map};
use rustc_hash::FxHashMap;

/// Most files of a map of which another one is made.
const MOST: usize = 40_000;

/// Makes the map of the other side: `now` with the files of the change as `side` has them. `None` for projects that are
/// too large.
pub(super) fn map_with(
    now: &Map,
    pairs: &[FilePair],
    side: fn(&FilePair) -> Option<&FileSide>,
) -> Option<Map> {
    let files = now.mapped_files();
    if files.len() > MOST {
        return None;
    }
    let mut changed: FxHashMap<&WsPath, Option<Arc<FileFacts>>> = FxHashMap::default();
    let sides = pairs.iter().flat_map(|pair| [pair.before.as_ref(), pair.after.as_ref()]).flatten();
    changed.extend(sides.map(|file| (&file.path, None)));
    changed.extend(pairs.iter().filter_map(side).map(|file| (&file.path, Some(file.facts.clone()))));
    let kept = files.into_iter().filter(|(path, _)| !changed.contains_key(path));
    let kept = kept.filter_map(|(path, file)| Some((path, now.file(file)?.1.clone())));
    let taken = changed.iter().filter_map(|(path, facts)| Some((*path, facts.clone()?)));
    let mut all: Vec<(&WsPath, Arc<FileFacts>)> = kept.chain(taken).collect();
    all.sort_unstable_by(|a, b| a.0.cmp(b.0));
    let changes = all.into_iter().enumerate().map(|(number, (path, facts))| MapChange::Set {
        file: FileId(u32::try_from(number).unwrap_or(u32::MAX)),
        path: path.clone(),
        facts,
    });
    let mut map = Map::new();
    map.apply(changes.collect());
    Some(map)
}
