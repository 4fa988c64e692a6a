//! Interns the names of a file while its facts are built, numbered in order of first use.
//!
//! Every word of a source is looked up. All texts are adjacent and the table has only numbers, so that neither a search
//! nor a new name allocates on its own, and everything is freed at once.

use std::hash::BuildHasher as _;

use rustc_hash::FxBuildHasher;

use super::StrId;

/// Names and their numbers.
#[derive(Debug, Default)]
pub(super) struct Interner {
    text: String,
    entries: Vec<InternedName>,
    /// Numbers plus one, in open addressing by hash; 0 is free. The length is a power of two, and at least half are
    /// free.
    slots: Vec<u32>,
    is_full: bool,
}

/// Most bytes of all names of a file. That suffices for a file of the largest size with a long name, which occurs by
/// itself and in the qualified names inside it. Without a limit, a name of half a megabyte around 50,000 others would
/// take 25 gigabytes.
pub(super) const MOST_TEXT: usize = 16 << 20;

#[derive(Clone, Copy, Debug)]
struct InternedName {
    start: u32,
    end: u32,
    hash: u32,
}

impl Interner {
    /// Returns the number of a name, which it gets if it has none.
    pub(super) fn intern(&mut self, name: &str) -> StrId {
        if (self.entries.len() + 1) * 2 > self.slots.len() {
            self.grow_table();
        }
        let hash = hash(name);
        let slot = match self.find(name, hash) {
            Ok(id) => return id,
            Err(free) => free,
        };
        if self.text.len() + name.len() > MOST_TEXT {
            self.is_full = true;
            return self.intern("");
        }
        let start = self.text.len() as u32;
        self.text.push_str(name);
        self.entries.push(InternedName { start, end: self.text.len() as u32, hash });
        self.slots[slot] = self.entries.len() as u32;
        StrId(self.entries.len() as u32 - 1)
    }

    /// Returns true if there was no room for some name: it got the number of the empty name.
    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Returns the number of a name, if it has one.
    pub(super) fn get(&self, name: &str) -> Option<StrId> {
        if self.slots.is_empty() { None } else { self.find(name, hash(name)).ok() }
    }

    /// Returns the name with this number; empty if there is none.
    pub(super) fn name(&self, id: StrId) -> &str {
        let entry = self.entries.get(id.0 as usize);
        entry.and_then(|entry| self.text.get(entry.start as usize..entry.end as usize)).unwrap_or("")
    }

    /// Returns the number of distinct names.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns the numbers of the names for which `wanted` returns true, sorted by the bytes of the names.
    pub(super) fn sorted_ids(&self, wanted: impl Fn(StrId) -> bool) -> Vec<StrId> {
        let ids = (0..self.entries.len() as u32).map(StrId).filter(|id| wanted(*id));
        // Comparing prefixes first is quick, since most names differ in them.
        let mut order: Vec<(u64, StrId)> = ids.map(|id| (sort_prefix(self.name(id)), id)).collect();
        order.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| self.name(a.1).cmp(self.name(b.1))));
        order.into_iter().map(|(_, id)| id).collect()
    }

    /// Returns the number of a name, or the free slot for it.
    fn find(&self, name: &str, hash: u32) -> Result<StrId, usize> {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        while let Some(id) = self.slots[slot].checked_sub(1).map(StrId) {
            if self.entries[id.0 as usize].hash == hash && self.name(id) == name {
                return Ok(id);
            }
            slot = (slot + 1) & mask;
        }
        Err(slot)
    }

    fn grow_table(&mut self) {
        let size = (self.slots.len() * 2).max(64);
        self.slots = vec![0; size];
        for (number, entry) in (1..).zip(&self.entries) {
            let mut slot = entry.hash as usize & (size - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = number;
        }
    }
}

fn hash(name: &str) -> u32 {
    FxBuildHasher.hash_one(name) as u32
}

/// Returns the first eight bytes as a number that sorts as they do; missing bytes are 0.
fn sort_prefix(name: &str) -> u64 {
    let mut bytes = [0; 8];
    let length = name.len().min(8);
    bytes[..length].copy_from_slice(&name.as_bytes()[..length]);
    u64::from_be_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn names_keep_their_numbers_and_sort_as_their_bytes(names in prop::collection::vec("[a-c\0é]{0,12}", 0..200)) {
            let mut interner = Interner::default();
            let ids: Vec<StrId> = names.iter().map(|name| interner.intern(name)).collect();
            for (name, id) in names.iter().zip(ids) {
                prop_assert_eq!((interner.name(id), interner.get(name)), (name.as_str(), Some(id)));
            }
            prop_assert_eq!(interner.get("other"), None);
            let sorted: Vec<&str> = interner.sorted_ids(|_| true).into_iter().map(|id| interner.name(id)).collect();
            let expected: BTreeSet<&str> = names.iter().map(String::as_str).collect();
            prop_assert_eq!(sorted, expected.into_iter().collect::<Vec<_>>());
            prop_assert_eq!(interner.len(), interner.sorted_ids(|_| true).len());
        }
    }
}
