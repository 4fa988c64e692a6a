//! Interns names: all in one text, with a number for each.
//!
//! A kernel has two million distinct names; a `String` and a hash map entry for each would cost four times their text.
//! Here a name costs its text and some twenty bytes: its end in the text, and a slot in an open-addressing table that
//! keeps the hash, so growing never reads the text again. Names are never forgotten; a workspace sees few new ones.

use std::hash::Hasher;

use rustc_hash::FxHasher;

/// The number of a name in one [`MapNameTable`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct NameId(pub(crate) u32);

impl NameId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

const FREE: u32 = u32::MAX;

/// The table of names.
#[derive(Debug, Default)]
pub(crate) struct MapNameTable {
    text: String,
    ends: Vec<u32>,
    /// Pairs of hash and number; at most three quarters are used.
    slots: Vec<(u32, u32)>,
}

impl MapNameTable {
    /// Returns the number of a name, which it gets if it has none.
    pub(crate) fn intern(&mut self, name: &str) -> NameId {
        if (self.ends.len() + 1) * 4 > self.slots.len() * 3 {
            self.grow();
        }
        let hash = hash(name);
        let at = match self.probe(name, hash) {
            Ok(id) => return id,
            Err(free) => free,
        };
        let id = self.ends.len() as u32;
        self.text.push_str(name);
        self.ends.push(self.text.len() as u32);
        self.slots[at] = (hash, id);
        NameId(id)
    }

    /// Returns the number of a name, if it was ever interned.
    pub(crate) fn find(&self, name: &str) -> Option<NameId> {
        if self.slots.is_empty() { None } else { self.probe(name, hash(name)).ok() }
    }

    /// Returns the number of a name, or the free slot for it.
    fn probe(&self, name: &str, hash: u32) -> Result<NameId, usize> {
        let mut at = home_slot(hash, self.slots.len());
        loop {
            match self.slots[at] {
                (_, FREE) => return Err(at),
                (h, id) if h == hash && self.get(NameId(id)) == name => return Ok(NameId(id)),
                _ => at = if at + 1 == self.slots.len() { 0 } else { at + 1 },
            }
        }
    }

    /// Returns the text of a name; empty for an invalid number.
    pub(crate) fn get(&self, id: NameId) -> &str {
        let start = id.index().checked_sub(1).and_then(|i| self.ends.get(i)).copied().unwrap_or(0);
        let end = self.ends.get(id.index()).copied().unwrap_or(start);
        self.text.get(start as usize..end as usize).unwrap_or("")
    }

    /// Returns the number of names in the table.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Creates the table of the names that `text` contains one after the other, each up to one of `ends`; equal ones
    /// keep the first number.
    pub(super) fn from_parts(text: String, ends: Vec<u32>) -> Self {
        let mut names = Self { slots: vec![(0, FREE); roomy_slot_count(ends.len())], text, ends };
        for id in 0..names.ends.len() as u32 {
            names.place_slot((hash(names.get(NameId(id))), id));
        }
        names
    }

    pub(super) fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
        if roomy_slot_count(self.ends.len()) < self.slots.len() {
            self.resize_table(roomy_slot_count(self.ends.len()));
        }
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.text.capacity() + self.ends.capacity() * 4 + self.slots.capacity() * 8
    }

    fn grow(&mut self) {
        self.resize_table((self.slots.len() * 2).max(64));
    }

    fn resize_table(&mut self, size: usize) {
        let old = std::mem::replace(&mut self.slots, vec![(0, FREE); size]);
        for slot in old.into_iter().filter(|slot| slot.1 != FREE) {
            self.place_slot(slot);
        }
    }

    fn place_slot(&mut self, slot: (u32, u32)) {
        let mut at = home_slot(slot.0, self.slots.len());
        while self.slots[at].1 != FREE {
            at = if at + 1 == self.slots.len() { 0 } else { at + 1 };
        }
        self.slots[at] = slot;
    }
}

/// Returns the slot at which the search for a hash begins.
fn home_slot(hash: u32, slots: usize) -> usize {
    ((u64::from(hash) * slots as u64) >> 32) as usize
}

/// Returns a number of slots in which searches are short, with room for more names.
fn roomy_slot_count(names: usize) -> usize {
    (names * 8 / 5).max(64)
}

fn hash(name: &str) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write(name.as_bytes());
    let wide = hasher.finish();
    (wide ^ (wide >> 32)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_share_a_number_through_growth() {
        let mut names = MapNameTable::default();
        let ids: Vec<NameId> = (0..10_000).map(|i| names.intern(&format!("name{i}"))).collect();
        for (i, id) in ids.iter().enumerate() {
            assert_eq!(names.find(&format!("name{i}")), Some(*id));
            assert_eq!(names.get(*id), format!("name{i}"));
        }
        names.shrink();
        assert!(ids.iter().enumerate().all(|(i, id)| names.find(&format!("name{i}")) == Some(*id)));
        assert_eq!(names.find("absent"), None);
        assert_eq!(names.intern(""), names.intern(""));
    }
}
