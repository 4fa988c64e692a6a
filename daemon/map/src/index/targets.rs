//! Caches the targets of imports between queries.
//!
//! Finding a module means trying paths, and thousands of files write the same imports; the results hardly ever change.
//! They depend on the set of files and on project files, and for some languages on the definitions and imports of
//! files, so a change of those clears the cache; a change inside a function clears nothing.

use std::sync::{Arc, PoisonError, RwLock};

use hob_base::FileId;
use rustc_hash::FxHashMap;

use super::NameId;
use crate::langs::rules::ModuleTarget;
use crate::node::DefRef;

/// Most targets cached; some 100 bytes each.
const CAPACITY: usize = 200_000;
/// Most files whose reached headers are cached; some 500 bytes each.
const REACH_CAPACITY: usize = 60_000;
/// Most names whose meanings are cached; some 100 bytes each.
const MEANINGS_CAPACITY: usize = 20_000;

#[derive(Debug, Default)]
struct CachedModuleTargets {
    by_file: FxHashMap<FileId, FxHashMap<Box<str>, Arc<ModuleTarget>>>,
    count: usize,
}

/// All files that each file reaches through includes, sorted.
type Reach = FxHashMap<FileId, Arc<[FileId]>>;

/// Cached definitions that a name of many files can mean in files that do not define it: by name and wanted kind.
type Meanings = FxHashMap<(NameId, u8), Arc<[DefRef]>>;

/// The caches. They are filled while queries run under a shared lock on the map, so each has a lock of its own.
#[derive(Debug, Default)]
pub(crate) struct Targets {
    known: RwLock<CachedModuleTargets>,
    reach: RwLock<Reach>,
    meanings: RwLock<Meanings>,
    cleared: ClearedTargets,
}

/// Caches that were cleared and wait to be dropped.
#[derive(Debug, Default)]
pub(crate) struct ClearedTargets {
    known: Vec<CachedModuleTargets>,
    reach: Vec<Reach>,
    meanings: Vec<Meanings>,
}

impl Targets {
    /// Returns the target to which the import `spec` leads from `file`, from the cache or by `find`.
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

    /// Returns the files that `file` reaches through includes, from the cache or by `find`.
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

    /// Returns the definitions that a name can mean, from the cache or by `find`.
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

    /// Clears the meanings of names, because some file has other definitions now.
    pub(super) fn clear_meanings(&mut self) {
        let meanings = self.meanings.get_mut().unwrap_or_else(PoisonError::into_inner);
        if !meanings.is_empty() {
            self.cleared.meanings.push(std::mem::take(meanings));
        }
    }

    /// Clears the reached headers, because some file has other includes now.
    pub(super) fn clear_reach(&mut self) {
        let reach = self.reach.get_mut().unwrap_or_else(PoisonError::into_inner);
        if !reach.is_empty() {
            self.cleared.reach.push(std::mem::take(reach));
        }
    }

    /// Clears the targets and the reached headers; the meanings of names stay.
    pub(super) fn clear(&mut self) {
        self.clear_reach();
        let known = self.known.get_mut().unwrap_or_else(PoisonError::into_inner);
        if known.count > 0 {
            self.cleared.known.push(std::mem::take(known));
        }
    }

    /// Returns the caches that were cleared since the last call, for dropping, which takes time.
    pub(super) fn take_cleared(&mut self) -> ClearedTargets {
        std::mem::take(&mut self.cleared)
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.known.read().unwrap_or_else(PoisonError::into_inner).count * 100
            + self.reach.read().unwrap_or_else(PoisonError::into_inner).len() * 500
            + self.meanings.read().unwrap_or_else(PoisonError::into_inner).len() * 100
    }
}
