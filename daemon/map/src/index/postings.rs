//! Holds posting lists: for each key, a sorted set of numbers.
//!
//! All lists live in one array, in blocks of powers of two; blocks given back are used again. A list of one number, by
//! far the most common, lives in its head. Sixteen million entries cost about four bytes each and no allocation.

use super::names::NameId;

#[derive(Clone, Copy, Debug, Default)]
struct Head {
    /// The number itself in a list of one, otherwise the start of the block.
    start: u32,
    len: u32,
}

/// The lists, by key.
#[derive(Debug, Default)]
pub(crate) struct Postings {
    heads: Vec<Head>,
    data: Vec<u32>,
    /// Free blocks by the logarithm of their size.
    free: [Vec<u32>; 32],
}

impl Postings {
    /// Returns the numbers of a list, ascending.
    pub(crate) fn get(&self, key: NameId) -> &[u32] {
        match self.heads.get(key.index()) {
            Some(head) if head.len == 1 => std::slice::from_ref(&head.start),
            Some(head) => &self.data[head.start as usize..(head.start + head.len) as usize],
            None => &[],
        }
    }

    /// Adds a number, unless the list has it.
    pub(crate) fn insert(&mut self, key: NameId, value: u32) {
        if self.heads.len() <= key.index() {
            self.heads.resize(key.index() + 1, Head::default());
        }
        let head = self.heads[key.index()];
        if head.len == 0 {
            self.heads[key.index()] = Head { start: value, len: 1 };
            return;
        }
        let list = self.get(key);
        let at = if list[list.len() - 1] < value { list.len() } else { list.partition_point(|&v| v < value) };
        if list.get(at) == Some(&value) {
            return;
        }
        let start = self.with_room(head) as usize;
        let end = start + head.len as usize;
        self.data.copy_within(start + at..end, start + at + 1);
        self.data[start + at] = value;
        self.heads[key.index()] = Head { start: start as u32, len: head.len + 1 };
    }

    /// Returns the start of the list's numbers, in a block with room for one more.
    fn with_room(&mut self, head: Head) -> u32 {
        if head.len > 1 && !head.len.is_power_of_two() {
            return head.start;
        }
        let start = self.allocate_block((head.len * 2).trailing_zeros());
        if head.len == 1 {
            self.data[start as usize] = head.start;
        } else {
            let old = head.start as usize;
            self.data.copy_within(old..old + head.len as usize, start as usize);
            self.free[head.len.trailing_zeros() as usize].push(head.start);
        }
        start
    }

    fn allocate_block(&mut self, class: u32) -> u32 {
        self.free[class as usize].pop().unwrap_or_else(|| {
            let start = self.data.len();
            self.data.resize(start + (1 << class), 0);
            start as u32
        })
    }

    /// Removes a number, if the list has it.
    pub(crate) fn remove(&mut self, key: NameId, value: u32) {
        let Ok(at) = self.get(key).binary_search(&value) else { return };
        let head = self.heads[key.index()];
        let left = head.len - 1;
        if left == 0 {
            self.heads[key.index()] = Head::default();
            return;
        }
        let start = head.start as usize;
        self.data.copy_within(start + at + 1..start + head.len as usize, start + at);
        self.heads[key.index()] = Head { start: head.start, len: left };
        if left == 1 {
            self.heads[key.index()].start = self.data[start];
            self.free[1].push(head.start);
        } else if left.is_power_of_two() {
            // The block is twice as large as its new length needs: the upper half is freed.
            self.free[left.trailing_zeros() as usize].push(head.start + left);
        }
    }

    /// Returns the number of keys that have a list, which may be empty.
    pub(super) fn len(&self) -> usize {
        self.heads.len()
    }

    /// Appends the list of the next key, ascending and distinct.
    pub(super) fn push(&mut self, list: &[u32]) {
        let head = match list {
            [] => Head::default(),
            [only] => Head { start: *only, len: 1 },
            _ => {
                let start = self.data.len();
                self.data.extend_from_slice(list);
                self.data.resize(start + list.len().next_power_of_two(), 0);
                Head { start: start as u32, len: list.len() as u32 }
            }
        };
        self.heads.push(head);
    }

    pub(super) fn shrink(&mut self) {
        self.heads.shrink_to_fit();
        self.data.shrink_to_fit();
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let free: usize = self.free.iter().map(|blocks| blocks.capacity() * 4).sum();
        self.heads.capacity() * 8 + self.data.capacity() * 4 + free
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn behaves_like_sets(steps in prop::collection::vec((any::<bool>(), 0u32..4, 0u32..40), 0..400)) {
            let mut lists = Postings::default();
            let mut sets = vec![BTreeSet::new(); 4];
            for (add, key, value) in steps {
                if add {
                    lists.insert(NameId(key), value);
                    sets[key as usize].insert(value);
                } else {
                    lists.remove(NameId(key), value);
                    sets[key as usize].remove(&value);
                }
                for (key, set) in sets.iter().enumerate() {
                    let expected: Vec<u32> = set.iter().copied().collect();
                    prop_assert_eq!(lists.get(NameId(key as u32)), &expected[..]);
                }
            }
        }
    }
}
