//! Holds the files of one phase of an index in order, some of which are wanted before their turn.

use std::collections::VecDeque;

use hob_base::FileId;
use rustc_hash::FxHashMap;

/// The work that one file makes.
pub(super) trait FileWork {
    /// Returns the file's number.
    fn file_number(&self) -> FileId;
}

/// Files in order. Each is given out once: wanted ones first, and of these the ones that were asked for last, because a
/// call that wants many files must not keep one waiting that wants few.
#[derive(Debug)]
pub(super) struct WorkQueue<T> {
    /// `None` where a file has been given out.
    items: Vec<Option<T>>,
    /// The index before which all files in order have been given out.
    next: usize,
    wanted: VecDeque<usize>,
    /// The index of each file; made for the first wanted file, because most queues have none.
    places: FxHashMap<FileId, usize>,
    /// The index before which all files are in `places`.
    placed: usize,
}

impl<T: FileWork> WorkQueue<T> {
    pub(super) fn new(items: Vec<T>) -> Self {
        let items = items.into_iter().map(Some).collect();
        Self { items, next: 0, wanted: VecDeque::new(), places: FxHashMap::default(), placed: 0 }
    }

    /// Adds files at the end.
    pub(super) fn add_last(&mut self, items: Vec<T>) {
        self.items.extend(items.into_iter().map(Some));
    }

    /// Puts files before all others, if they are still here and `may_hurry` admits them.
    pub(super) fn put_first(&mut self, files: &[FileId], may_hurry: &dyn Fn(&T) -> bool) {
        if files.is_empty() {
            return;
        }
        for (at, item) in self.items.iter().enumerate().skip(self.placed) {
            if let Some(item) = item {
                self.places.insert(item.file_number(), at);
            }
        }
        self.placed = self.items.len();
        for file in files.iter().rev() {
            let Some(&at) = self.places.get(file) else { continue };
            // Once more if another call wants it too: whoever asks last comes first.
            if self.items[at].as_ref().is_some_and(may_hurry) {
                self.wanted.push_front(at);
            }
        }
    }

    /// Returns the next of the wanted files alone.
    pub(super) fn next_wanted(&mut self) -> Option<T> {
        while let Some(at) = self.wanted.pop_front() {
            if let Some(item) = self.items[at].take() {
                return Some(item);
            }
        }
        None
    }

    /// Returns the next file.
    pub(super) fn next(&mut self) -> Option<T> {
        if let Some(wanted) = self.next_wanted() {
            return Some(wanted);
        }
        loop {
            let item = self.items.get_mut(self.next)?.take();
            self.next += 1;
            if item.is_some() {
                return item;
            }
        }
    }

    /// Returns at most `most` next files.
    pub(super) fn take_step(&mut self, most: usize) -> Vec<T> {
        std::iter::from_fn(|| self.next()).take(most).collect()
    }

    /// Returns the files that have not been given out, wanted ones first.
    pub(super) fn into_rest(mut self) -> Vec<T> {
        self.take_step(usize::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl FileWork for u32 {
        fn file_number(&self) -> FileId {
            FileId(*self)
        }
    }

    fn numbered_files(numbers: &[u32]) -> Vec<FileId> {
        numbers.iter().copied().map(FileId).collect()
    }

    #[test]
    fn wanted_files_come_first_and_each_comes_once() {
        let mut queue = WorkQueue::new((0..6).collect());
        assert_eq!(queue.next(), Some(0));
        queue.put_first(&numbered_files(&[4, 0, 2, 99]), &|_| true);
        queue.add_last(vec![6, 7]);
        queue.put_first(&numbered_files(&[7, 4]), &|_| true);
        assert_eq!(queue.take_step(4), [7, 4, 2, 1]);
        assert_eq!(queue.next_wanted(), None);
        queue.put_first(&numbered_files(&[5]), &|_| true);
        assert_eq!(queue.into_rest(), [5, 3, 6]);
    }

    #[test]
    fn some_files_keep_their_turn() {
        let mut queue = WorkQueue::new((0..4).collect());
        queue.put_first(&numbered_files(&[3, 2]), &|file| *file != 3);
        assert_eq!(queue.take_step(9), [2, 0, 1, 3]);
    }
}
