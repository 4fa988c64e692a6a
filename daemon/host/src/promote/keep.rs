//! Writes confirmed edges to the store, and reads them back.
//!
//! A record is found by the content and path of its file, and believed if everything that it depended on is as it was:
//! the file itself, all files that its imports reach, the files of the definitions meant, and the project's own files
//! (`pyproject.toml`, `tsconfig.json`...). Nothing in it names a workspace, so a second work tree finds the edges that
//! were confirmed in the first one, and a branch finds its own when it is returned to. If a record is lost, foreign or
//! damaged, its edges are as the map computes them.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::SystemTime;

use hob_base::{ContentHash, FileId, WsPath};
use hob_map::graph::{Claim, DefRef, FileConfirmations, Proof, Reach};
use hob_map::{Lang, Map};
use hob_store::{StoreError, StoreOperation, StoreTree};
use rustc_hash::FxHashMap;

use super::super::clock::unix_seconds_of;
use super::super::file_kind::FileKind;
use super::super::workspace::{Core, Workspace};
use super::format::{self, ConfirmedRef, Record};
use hob_base::lock;

/// Number of changes since the store was last searched, from which on another branch may be there; fewer are edits.
const MANY_CHANGES: u64 = 16;

/// Stores the edges that were confirmed since the last time.
pub(crate) fn save(workspace: &Workspace) {
    let since = workspace.promoter.saved.load(Ordering::Relaxed);
    let (ops, until) = {
        let core = lock(&workspace.core);
        let map = workspace.map();
        let kept = map.confirmed_since(since);
        let until = kept.iter().map(|kept| kept.stamp).max().unwrap_or(since);
        let mut depends = Depends::new(&core);
        let written = unix_seconds_of(SystemTime::now());
        (
            kept.iter().filter_map(|kept| record_op(&map, &mut depends, kept, written)).collect::<Vec<_>>(),
            until,
        )
    };
    if ops.is_empty() {
        return;
    }
    let stored = workspace.facts.facts_store().batch(StoreTree::Confirmed, ops);
    match stored.and_then(|()| workspace.facts.flush()) {
        Ok(()) => workspace.promoter.saved.store(until, Ordering::Relaxed),
        Err(error) => {
            let text = format!("What language servers confirmed could not be saved: {error}.");
            workspace.shared.notices.add_once("store", text);
        }
    }
}

fn record_op(
    map: &Map,
    depends: &mut Depends<'_>,
    kept: &FileConfirmations,
    written: u64,
) -> Option<StoreOperation> {
    let (path, content) = depends.path_and_hash(kept.file)?;
    let key = format::key(content, path.as_str());
    if kept.spots.is_empty() {
        return Some(StoreOperation::Remove { key });
    }
    let targets = kept.spots.iter().map(|(_, target)| target.file);
    let depends = depends.hash_of_dependencies(kept.file, &kept.reach, targets)?;
    let spots =
        kept.spots.iter().map(|(at, target)| confirmed_ref(map, *at, *target)).collect::<Option<Vec<_>>>()?;
    Some(StoreOperation::Put { key, value: format::encode(&Record { written, depends, spots }) })
}

fn confirmed_ref(map: &Map, at: (u32, u32), target: DefRef) -> Option<ConfirmedRef> {
    let (path, facts) = map.file(target.file)?;
    let def = facts.defs.get(target.def.index())?;
    let qualified = facts.name(def.qualified).to_owned();
    Some(ConfirmedRef { at, path: path.to_string(), qualified, ordinal: def.ordinal })
}

/// Searches the store for edges that were confirmed of the present contents: `always`, or only after many changes.
pub(crate) fn recall_confirmed(workspace: &Workspace, always: bool) {
    let changes = workspace.deriver.map_changes();
    let before = workspace.promoter.recalled.load(Ordering::Relaxed);
    if !always && changes.saturating_sub(before) < MANY_CHANGES {
        return;
    }
    workspace.promoter.recalled.store(changes, Ordering::Relaxed);
    match find_confirmed(workspace) {
        Ok(Some(examined)) => drop(workspace.install_confirmed(examined)),
        Ok(None) => {}
        Err(error) => tracing::warn!(%error, "what was confirmed could not be read"),
    }
}

fn find_confirmed(workspace: &Workspace) -> Result<Option<hob_map::graph::Examined>, StoreError> {
    let core = lock(&workspace.core);
    let map = workspace.map();
    let (mut wanted, mut claims) = (FxHashMap::default(), Vec::new());
    workspace.facts.facts_store().each(StoreTree::Confirmed, b"", &mut |key, value| {
        if let Some(file) = unconfirmed_file(&core, &map, key)
            && let Some(record) = format::decode(value)
        {
            let meant = claims_of(&map, file, &record);
            wanted.insert(
                file,
                (record.depends, meant.iter().map(|claim| claim.target.file).collect::<Vec<_>>()),
            );
            claims.extend(meant);
        }
        true
    })?;
    if claims.is_empty() {
        return Ok(None);
    }
    let go_on = || !workspace.closing.is_cancelled();
    let Some(mut examined) = map.examine(&claims, &go_on) else { return Ok(None) };
    let mut depends = Depends::new(&core);
    examined.retain(|file, reach| {
        let known = wanted.get(&file);
        known.is_some_and(|(hash, targets)| {
            depends.hash_of_dependencies(file, reach, targets.iter().copied()) == Some(*hash)
        })
    });
    tracing::debug!(root = %workspace.root(), claims = claims.len(), "recalled what was confirmed");
    Ok((!examined.is_empty()).then_some(examined))
}

/// Returns the file of a record, if it is there with these contents and has no confirmed edges yet.
fn unconfirmed_file(core: &Core, map: &Map, key: &[u8]) -> Option<FileId> {
    let (content, path) = format::parts_of(key)?;
    let file = core.table.id(&WsPath::new(path).ok()?)?;
    let is_same = core.table.record(file).is_some_and(|record| record.hash == content);
    (is_same && !map.is_confirmed(file) && map.file(file).is_some()).then_some(file)
}

/// Returns the claims of a record; none, if one of its definitions is gone.
fn claims_of(map: &Map, file: FileId, record: &Record) -> Vec<Claim> {
    let claim = |spot: &ConfirmedRef| {
        let target = map.definition(&spot.path, &spot.qualified, spot.ordinal)?;
        Some(Claim { file, at: spot.at, target, proof: Proof::Asked })
    };
    record.spots.iter().map(claim).collect::<Option<Vec<_>>>().unwrap_or_default()
}

/// Hashes of the dependencies of records, each part computed once.
struct Depends<'c> {
    core: &'c Core,
    project: Option<ContentHash>,
    reaches: FxHashMap<Reach, Option<ContentHash>>,
}

impl<'c> Depends<'c> {
    fn new(core: &'c Core) -> Self {
        Self { core, project: None, reaches: FxHashMap::default() }
    }

    fn path_and_hash(&self, file: FileId) -> Option<(&'c WsPath, ContentHash)> {
        Some((self.core.table.path(file)?, self.core.table.record(file)?.hash))
    }

    /// Hashes everything that a file's record depends on; `None` if one of the files is not known.
    fn hash_of_dependencies(
        &mut self,
        file: FileId,
        reach: &Reach,
        targets: impl Iterator<Item = FileId>,
    ) -> Option<ContentHash> {
        let reached = match self.reaches.get(reach) {
            Some(known) => *known,
            None => {
                let hash = self.of_reach(reach);
                self.reaches.insert(reach.clone(), hash);
                hash
            }
        }?;
        let own: BTreeSet<FileId> = targets.chain([file]).collect();
        let own = self.of_files(own.into_iter())?;
        let project = *self.project.get_or_insert_with(|| of_family(self.core, Lang::Manifest));
        let parts = [reached, own, project].map(|hash| *hash.as_bytes()).concat();
        Some(ContentHash::of(&parts))
    }

    fn of_reach(&self, reach: &Reach) -> Option<ContentHash> {
        match reach {
            Reach::Files(files) => self.of_files(files.iter().copied()),
            Reach::Family(family) => Some(of_family(self.core, *family)),
        }
    }

    fn of_files(&self, files: impl Iterator<Item = FileId>) -> Option<ContentHash> {
        Some(hash_of(files.map(|file| self.path_and_hash(file)).collect::<Option<Vec<_>>>()?))
    }
}

fn of_family(core: &Core, family: Lang) -> ContentHash {
    let is_of = |file: &FileId| matches!(core.kinds.get(file), Some(FileKind::Text(Some(lang))) if lang.language_group() == family);
    let files = core.table.iter().filter(|(file, ..)| is_of(file));
    hash_of(files.map(|(_, path, record)| (path, record.hash)).collect())
}

fn hash_of(mut files: Vec<(&WsPath, ContentHash)>) -> ContentHash {
    files.sort_unstable();
    let mut text = Vec::with_capacity(80 * files.len());
    for (path, hash) in files {
        text.extend(path.as_str().as_bytes());
        text.push(0);
        text.extend(hash.as_bytes());
    }
    ContentHash::of(&text)
}
