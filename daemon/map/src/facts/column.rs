//! A list of a file's facts, on the heap or where the system may put it out of memory.
//!
//! A column is read as a slice, wherever it is. Facts are made on the heap; those of a large tree are then placed in a [`PagedStore`],
//! and the code that reads them does not know.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use hob_base::paged::{PagedList, PagedStore, PagedText};

/// An immutable list of facts.
#[derive(Clone)]
pub struct Column<T>(Backing<T>);

#[derive(Clone)]
enum Backing<T> {
    Heap(Box<[T]>),
    Paged(PagedList<T>),
}

impl<T: Copy + Send + Sync + 'static> Column<T> {
    /// The same list in the store, or where it was if that has no room.
    #[must_use]
    pub(super) fn placed_in(self, store: &PagedStore) -> Self {
        match &self.0 {
            Backing::Heap(items) => store.place(items).map_or(self, |list| Self(Backing::Paged(list))),
            Backing::Paged(_) => self,
        }
    }

    /// The same list in the store if it is so long that it has a file of its own there. For lists that are replaced often.
    #[must_use]
    pub(crate) fn placed_alone_in(self, store: &PagedStore) -> Self {
        match &self.0 {
            Backing::Heap(items) => store.place_alone(items).map_or(self, |list| Self(Backing::Paged(list))),
            Backing::Paged(_) => self,
        }
    }
}

impl<T> Column<T> {
    /// Returns the bytes that the column takes on the heap.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        match &self.0 {
            Backing::Heap(items) => size_of_val(&**items),
            Backing::Paged(_) => 0,
        }
    }
}

impl<T> Deref for Column<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.0 {
            Backing::Heap(items) => items,
            Backing::Paged(list) => list,
        }
    }
}

impl<T> Default for Column<T> {
    fn default() -> Self {
        Self(Backing::Heap(Box::default()))
    }
}

impl<T> From<Vec<T>> for Column<T> {
    fn from(items: Vec<T>) -> Self {
        Self(Backing::Heap(items.into()))
    }
}

impl<T> From<Box<[T]>> for Column<T> {
    fn from(items: Box<[T]>) -> Self {
        Self(Backing::Heap(items))
    }
}

impl<'c, T> IntoIterator for &'c Column<T> {
    type Item = &'c T;
    type IntoIter = std::slice::Iter<'c, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: PartialEq> PartialEq for Column<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Eq> Eq for Column<T> {}

impl<T: Hash> Hash for Column<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl<T: fmt::Debug> fmt::Debug for Column<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Text of a file's facts: a column of letters.
#[derive(Clone)]
pub struct TextColumn(TextPlace);

#[derive(Clone)]
enum TextPlace {
    Heap(Box<str>),
    Paged(PagedText),
}

impl TextColumn {
    /// The same text in the store, or where it was if that has no room.
    #[must_use]
    pub(super) fn placed_in(self, store: &PagedStore) -> Self {
        match &self.0 {
            TextPlace::Heap(text) => store.place_text(text).map_or(self, |text| Self(TextPlace::Paged(text))),
            TextPlace::Paged(_) => self,
        }
    }

    /// Returns the bytes that the text takes on the heap.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        match &self.0 {
            TextPlace::Heap(text) => text.len(),
            TextPlace::Paged(_) => 0,
        }
    }
}

impl Deref for TextColumn {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            TextPlace::Heap(text) => text,
            TextPlace::Paged(text) => text,
        }
    }
}

impl From<String> for TextColumn {
    fn from(text: String) -> Self {
        Self(TextPlace::Heap(text.into()))
    }
}

impl From<&str> for TextColumn {
    fn from(text: &str) -> Self {
        Self(TextPlace::Heap(text.into()))
    }
}

impl PartialEq for TextColumn {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for TextColumn {}

impl Hash for TextColumn {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl fmt::Debug for TextColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use hob_base::paged::PagedStore;

    use crate::{extract, language_of};

    #[test]
    fn facts_are_the_same_wherever_they_are() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = PagedStore::trusting(folder.path().to_path_buf());
        let python = "import os\nclass A(os.B):\n    'Doc of ä.'\n    x: int = 1\n    def f(self, y=g): return self.h(y)\n";
        let c = "#define ONE 1\n/** Two. */\nint two(struct s *p) { return p->call(ONE); }\n";
        for (path, source) in [("a.py", python), ("a.c", c), ("a.go", "")] {
            let lang = language_of(path, source.as_bytes()).expect("a language");
            let made = extract(lang, path, source.as_bytes());
            let placed = made.clone().placed_in(&store);
            store.release();
            assert_eq!(placed, made);
            assert_eq!(placed.clone().placed_in(&store), made, "once more changes nothing");
            let (before, after) = (made.heap_bytes(), placed.heap_bytes());
            assert!(after * 10 <= before, "{path}: {after} of {before} bytes are left on the heap");
        }
    }
}
