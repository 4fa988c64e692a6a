//! Caches the targets of imports between questions.
//!
//! Finding a module means trying paths, and thousands of files write the same imports; the answers hardly ever change.
//! They depend on which files there are and on project files, and for some languages on what files define and import, so
//! a change of those forgets everything; a change inside a function forgets nothing.

use std::sync::{Arc, PoisonError, RwLock};

use hob_base::FileId;
use rustc_hash::FxHashMap;

use super::NameId;
use crate::langs::rules::ModuleTarget;
use crate::node::DefRef;

/// Most targets remembered; some 100 bytes each.
const CAPACITY: usize = 200_000;
/// Most files whose reach is remembered; some 500 bytes each.
const REACH_CAPACITY: usize = 60_000;
/// Most names whose meanings are remembered; some 100 bytes each.
const MEANINGS_CAPACITY: usize = 20_000;

#[derive(Debug, Default)]
struct CachedModuleTargets {
    by_file: FxHashMap<FileId, FxHashMap<Box<str>, Arc<ModuleTarget>>>,
    count: usize,
}

/// For files that include headers: all those reached from them, sorted.
type Reach = FxHashMap<FileId, Arc<[FileId]>>;

/// Cached definitions that a name of many files can mean in files that do not define it: by name and wanted kind.
type Meanings = FxHashMap<(NameId, u8), Arc<[DefRef]>>;

/// The memory. It is filled while questions are answered, under a shared lock on the map, so it has a lock of its own.
#[derive(Debug, Default)]
pub(crate) struct Targets {
    known: RwLock<CachedModuleTargets>,
    reach: RwLock<Reach>,
    meanings: RwLock<Meanings>,
    cleared: ClearedTargets,
}

/// Caches that hold no more and are not dropped yet.
#[derive(Debug, Default)]
pub(crate) struct ClearedTargets {
    known: Vec<CachedModuleTargets>,
    reach: Vec<Reach>,
    meanings: Vec<Meanings>,
}

impl Targets {
    /// Returns the target that the import `spec` leads to from `file`, found by `find` unless it is cached.
    pub(crate) fn get(
        &self,
        file: FileId,
        spec: &str,
        find: impl FnOnce() -> ModuleTarget,
    ) -> Arc<ModuleTarget> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(target) = known.by_file.get(&file).and_then(|specs| specs.get(spec)) {
            return Arc::clone(target);
        }
        drop(known);
        let target = Arc::new(find());
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if known.count >= CAPACITY {
            *known = CachedModuleTargets::default();
        }
        known.count += 1;
        known.by_file.entry(file).or_default().insert(spec.into(), Arc::clone(&target));
        target
    }

    /// The files reached from `file` through includes, found by `find` unless that is known.
    pub(crate) fn reached_files(&self, file: FileId, find: impl FnOnce() -> Arc<[FileId]>) -> Arc<[FileId]> {
        let known = self.reach.read().unwrap_or_else(PoisonError::into_inner).get(&file).map(Arc::clone);
        known.unwrap_or_else(|| {
            let found = find();
            let mut reach = self.reach.write().unwrap_or_else(PoisonError::into_inner);
            if reach.len() >= REACH_CAPACITY {
                reach.clear();
            }
            reach.insert(file, Arc::clone(&found));
            found
        })
    }

    /// The definitions that a name can mean, found by `find` unless they are known.
    pub(crate) fn meanings(&self, key: (NameId, u8), find: impl FnOnce() -> Arc<[DefRef]>) -> Arc<[DefRef]> {
        let known = self.meanings.read().unwrap_or_else(PoisonError::into_inner).get(&key).map(Arc::clone);
        known.unwrap_or_else(|| {
            let found = find();
            let mut meanings = self.meanings.write().unwrap_or_else(PoisonError::into_inner);
            if meanings.len() >= MEANINGS_CAPACITY {
                meanings.clear();
            }
            meanings.insert(key, Arc::clone(&found));
            found
        })
    }

    /// Forgets what names mean: some file defines something else now.
    pub(super) fn clear_meanings(&mut self) {
        let meanings = self.meanings.get_mut().unwrap_or_else(PoisonError::into_inner);
        if !meanings.is_empty() {
            self.cleared.meanings.push(std::mem::take(meanings));
        }
    }

    /// Forgets what is reached from where: some file includes something else now.
    pub(super) fn clear_reach(&mut self) {
        let reach = self.reach.get_mut().unwrap_or_else(PoisonError::into_inner);
        if !reach.is_empty() {
            self.cleared.reach.push(std::mem::take(reach));
        }
    }

    /// Forgets the cached targets and the reached headers; the meanings of names stay.
    pub(super) fn clear(&mut self) {
        self.clear_reach();
        let known = self.known.get_mut().unwrap_or_else(PoisonError::into_inner);
        if known.count > 0 {
            self.cleared.known.push(std::mem::take(known));
        }
    }

    /// The caches that were cleared since this was last asked, whose dropping takes time.
    pub(super) fn take_cleared(&mut self) -> ClearedTargets {
        std::mem::take(&mut self.cleared)
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.known.read().unwrap_or_else(PoisonError::into_inner).count * 100
            + self.reach.read().unwrap_or_else(PoisonError::into_inner).len() * 500
            + self.meanings.read().unwrap_or_else(PoisonError::into_inner).len() * 100
    }
}
