//! Holds the sorted pool of a file's names.

use std::fmt;

use hob_base::paged::PagedStore;

use super::column::{Column, TextColumn};

/// A name of one file: its index in the file's sorted [`NamePool`], so IDs compare as the names do.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct StrId(pub u32);

/// Distinct names in byte order, back to back in one text.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct NamePool {
    text: TextColumn,
    /// The end of each name in `text`.
    ends: Column<u32>,
}

impl NamePool {
    /// Builds a pool from names that are already sorted and distinct.
    #[must_use]
    pub fn from_sorted<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut text = String::new();
        let mut ends = Vec::new();
        for name in names {
            text.push_str(name);
            ends.push(text.len() as u32);
        }
        Self { text: text.into(), ends: ends.into() }
    }

    /// Creates the pool of the names that `text` contains one after the other, each up to one of `ends`. The caller has
    /// checked that they are sorted and distinct, and that ends are ends of characters.
    pub(crate) fn from_parts(text: TextColumn, ends: Column<u32>) -> Self {
        Self { text, ends }
    }

    /// The same names in a store.
    pub(super) fn placed_in(self, store: &PagedStore) -> Self {
        Self { text: self.text.placed_in(store), ends: self.ends.placed_in(store) }
    }

    /// Returns the text of all names, one after the other.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text of a name; empty for an invalid ID.
    #[must_use]
    pub fn get(&self, id: StrId) -> &str {
        let at = id.0 as usize;
        let start = if at == 0 { 0 } else { self.ends.get(at - 1).copied().unwrap_or(0) };
        let end = self.ends.get(at).copied().unwrap_or(start);
        self.text.get(start as usize..end as usize).unwrap_or("")
    }

    /// Returns the ID of a name, if the file uses it.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<StrId> {
        let (text, ends) = (self.text.as_bytes(), &*self.ends);
        let (mut low, mut high) = (0, ends.len());
        while low < high {
            let mid = usize::midpoint(low, high);
            let start = if mid == 0 { 0 } else { ends[mid - 1] as usize };
            match text.get(start..ends[mid] as usize).unwrap_or_default().cmp(name.as_bytes()) {
                std::cmp::Ordering::Less => low = mid + 1,
                std::cmp::Ordering::Greater => high = mid,
                std::cmp::Ordering::Equal => return Some(StrId(mid as u32)),
            }
        }
        None
    }

    /// Returns the number of names in the pool.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns true if the pool has no names.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Yields all names in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len() as u32).map(|i| self.get(StrId(i)))
    }

    /// Returns the bytes that the pool holds on the heap.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.text.heap_bytes() + self.ends.heap_bytes()
    }
}

impl fmt::Debug for NamePool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
