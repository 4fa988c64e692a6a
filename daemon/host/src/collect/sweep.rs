//! Runs the collection, and removes facts that no workspace has.

use std::sync::{Arc, TryLockError};

use hob_base::{ContentHash, lock};
use hob_store::{StoreError, StoreOperation, StoreTree};
use rustc_hash::{FxHashMap, FxHashSet};

use super::run::{CollectError, CollectRun, Collected, RECORD, parse_u64, remove};
use crate::facts;

/// Unused facts that have been noted before: the time of the note, their bytes, and their key.
type UnusedFacts = (u64, u64, Vec<u8>);

/// The state of one pass over the facts: its inputs and its findings.
struct Sweep {
    live: FxHashSet<ContentHash>,
    /// Notes of earlier runs; each is taken out when its facts are met.
    notes: FxHashMap<Vec<u8>, u64>,
    /// Facts that may be removed for space; empty unless the store may take too much.
    candidates: Vec<UnusedFacts>,
    may_be_too_much: bool,
    done: Collected,
}

/// The changes of the store that a slice of the facts requires.
#[derive(Default)]
struct Steps {
    facts: Vec<StoreOperation>,
    notes: Vec<StoreOperation>,
}

impl CollectRun<'_> {
    /// Removes all data of no further use.
    ///
    /// # Errors
    /// [`CollectError`]; removals until then are not taken back.
    pub(super) fn run(&self) -> Result<Collected, CollectError> {
        let mut live = self.open_contents()?;
        let snapshots = self.sweep_snapshots(&mut live)?;
        self.sweep_confirmed(&live)?;
        let unpacked = self.sweep_unpacked()?;
        let mut sweep = Sweep {
            live,
            notes: self.unused_notes()?,
            candidates: Vec::new(),
            may_be_too_much: self.store.size_on_disk() > self.keep.bytes,
            done: Collected { snapshots, unpacked, ..Collected::default() },
        };
        for first in 0..=u8::MAX {
            self.sweep_slice(first, &mut sweep)?;
        }
        self.apply(Steps {
            facts: Vec::new(),
            notes: sweep.notes.drain().map(|(key, _)| remove(key)).collect(),
        })?;
        self.reduce_to_limit(&mut sweep)?;
        self.store.flush()?;
        let mut done = sweep.done;
        let (_, alive) = done.kept;
        if self.store.size_on_disk() > alive.saturating_mul(3).saturating_add(self.keep.slack) {
            done.compacted = self.store.compact(self.go_on)?;
        }
        self.write_record()?;
        // The sweep has read all facts.
        if let Err(error) = self.store.release_memory() {
            tracing::warn!(%error, "the store did not give its memory back");
        }
        Ok(done)
    }

    /// Returns the contents that the open workspaces have, which may not have been saved.
    fn open_contents(&self) -> Result<FxHashSet<ContentHash>, CollectError> {
        let open: Vec<_> = lock(self.open).values().map(|open| Arc::clone(&open.workspace)).collect();
        let mut live = FxHashSet::default();
        for workspace in open {
            let core = match workspace.core.try_lock() {
                Ok(core) => core,
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => return Err(CollectError::Busy),
            };
            live.extend(core.table.iter().map(|(_, _, record)| record.hash));
        }
        Ok(live)
    }

    fn unused_notes(&self) -> Result<FxHashMap<Vec<u8>, u64>, StoreError> {
        let mut notes = FxHashMap::default();
        self.store.each(StoreTree::Unused, b"", &mut |key, value| {
            // An unreadable note counts as made now.
            notes.insert(key.to_vec(), parse_u64(value).unwrap_or(self.now));
            true
        })?;
        Ok(notes)
    }

    /// Sweeps the facts whose hash begins with `first`.
    fn sweep_slice(&self, first: u8, sweep: &mut Sweep) -> Result<(), CollectError> {
        self.check_go_on()?;
        let mut steps = Steps::default();
        self.store.each(StoreTree::Facts, &[first], &mut |key, value| {
            self.judge_facts(key, value, sweep, &mut steps);
            true
        })?;
        Ok(self.apply(steps)?)
    }

    fn judge_facts(&self, key: &[u8], value: &[u8], sweep: &mut Sweep, steps: &mut Steps) {
        let since = sweep.notes.remove(key);
        let bytes = (key.len() + value.len()) as u64;
        let content = facts::content_of(key, value);
        let is_live = content.is_some_and(|content| sweep.live.contains(&content));
        let over = since.is_some_and(|since| self.now.saturating_sub(since) > self.keep.grace.as_secs());
        if content.is_none() || (over && !is_live) {
            steps.facts.push(remove(key.to_vec()));
            steps.notes.extend(since.map(|_| remove(key.to_vec())));
            sweep.done.removed += 1;
            return;
        }
        sweep.done.kept.0 += 1;
        sweep.done.kept.1 += bytes;
        if is_live {
            steps.notes.extend(since.map(|_| remove(key.to_vec())));
            return;
        }
        sweep.done.unused += 1;
        match since {
            None => {
                steps
                    .notes
                    .push(StoreOperation::Put { key: key.to_vec(), value: self.now.to_le_bytes().to_vec() });
            }
            Some(since) if sweep.may_be_too_much => sweep.candidates.push((since, bytes, key.to_vec())),
            Some(_) => {}
        }
    }

    /// Changes facts before their notes: the next run drops a note without facts.
    fn apply(&self, steps: Steps) -> Result<(), StoreError> {
        for (tree, ops) in [(StoreTree::Facts, steps.facts), (StoreTree::Unused, steps.notes)] {
            if !ops.is_empty() {
                self.store.batch(tree, ops)?;
            }
        }
        Ok(())
    }

    /// Removes the facts that have been unused for longest until the rest fits.
    fn reduce_to_limit(&self, sweep: &mut Sweep) -> Result<(), CollectError> {
        let mut candidates = std::mem::take(&mut sweep.candidates);
        candidates.sort_unstable();
        for slice in candidates.chunks(1_000) {
            self.check_go_on()?;
            let mut steps = Steps::default();
            for (_, bytes, key) in slice {
                if sweep.done.kept.1 <= self.keep.bytes {
                    break;
                }
                steps.facts.push(remove(key.clone()));
                steps.notes.push(remove(key.clone()));
                sweep.done.kept.0 -= 1;
                sweep.done.kept.1 -= bytes;
                sweep.done.unused -= 1;
                sweep.done.removed += 1;
            }
            self.apply(steps)?;
        }
        Ok(())
    }

    fn write_record(&self) -> Result<(), StoreError> {
        let mut value = self.now.to_le_bytes().to_vec();
        value.extend(self.store.size_on_disk().to_le_bytes());
        self.store.put(StoreTree::Meta, RECORD, &value)?;
        self.store.flush()
    }
}
