//! Which folder a watch descriptor of inotify stands for.
//!
//! The kernel knows folders by what they are (inodes), we by their names, and the two part company for moments: a folder
//! that was moved is found under its new name before the event that takes the old name away; a folder mounted twice has
//! two names for good. So a descriptor has *names*, mostly one, and an event in it is an event under each. A name has
//! one descriptor. A descriptor without a name is of no use: whoever takes the last name away is told to end the watch.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Descriptors and names. Pure bookkeeping; calls nothing.
#[derive(Debug, Default)]
pub(super) struct Folders {
    by_descriptor: HashMap<i32, Vec<Arc<Path>>>,
    /// Ordered by components, so that the folders below one are its neighbours.
    by_name: BTreeMap<Arc<Path>, i32>,
}

impl Folders {
    /// `name` is watched by `descriptor` now. Answers the descriptor that it had, if that has no other name.
    pub(super) fn insert(&mut self, name: &Path, descriptor: i32) -> Option<i32> {
        let name: Arc<Path> = name.into();
        match self.by_name.insert(Arc::clone(&name), descriptor) {
            Some(before) if before == descriptor => None,
            before => {
                self.by_descriptor.entry(descriptor).or_default().push(Arc::clone(&name));
                before.filter(|before| self.take_name(*before, &name))
            }
        }
    }

    /// The names of `descriptor`; none if its watch has been ended.
    pub(super) fn names(&self, descriptor: i32) -> &[Arc<Path>] {
        self.by_descriptor.get(&descriptor).map_or(&[], Vec::as_slice)
    }

    /// The watch is over. Answers the names that it still had.
    pub(super) fn remove(&mut self, descriptor: i32) -> Vec<Arc<Path>> {
        let names = self.by_descriptor.remove(&descriptor).unwrap_or_default();
        names.iter().for_each(|name| {
            self.by_name.remove(name);
        });
        names
    }

    /// Takes away the names at and below `dir`. Answers the descriptors that have no name left.
    pub(super) fn forget(&mut self, dir: &Path) -> Vec<i32> {
        let from: Arc<Path> = PathBuf::from(dir).into();
        let below: Vec<(Arc<Path>, i32)> = self
            .by_name
            .range(from..)
            .take_while(|(name, _)| name.starts_with(dir))
            .map(|(name, descriptor)| (Arc::clone(name), *descriptor))
            .collect();
        below.iter().for_each(|(name, _)| {
            self.by_name.remove(name);
        });
        below
            .into_iter()
            .filter(|(name, descriptor)| self.take_name(*descriptor, name))
            .map(|(_, descriptor)| descriptor)
            .collect()
    }

    /// Answers whether that was the descriptor's last name; then it is forgotten.
    fn take_name(&mut self, descriptor: i32, name: &Path) -> bool {
        let Some(names) = self.by_descriptor.get_mut(&descriptor) else { return false };
        names.retain(|other| **other != *name);
        let nameless = names.is_empty();
        if nameless {
            self.by_descriptor.remove(&descriptor);
        }
        nameless
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folders: &Folders, descriptor: i32) -> Vec<&str> {
        folders.names(descriptor).iter().filter_map(|name| name.to_str()).collect()
    }

    #[test]
    fn forgetting_a_folder_forgets_those_below_and_nothing_beside() {
        let mut folders = Folders::default();
        for (descriptor, name) in [(1, "/w"), (2, "/w/a"), (3, "/w/a/x"), (4, "/w/a-b"), (5, "/w/ab")] {
            assert_eq!(folders.insert(Path::new(name), descriptor), None);
        }
        assert_eq!(folders.forget(Path::new("/w/a")), [2, 3]);
        assert_eq!((names(&folders, 3), names(&folders, 4)), (vec![], vec!["/w/a-b"]));
        assert_eq!(folders.remove(5).len(), 1);
        assert_eq!(folders.forget(Path::new("/w")), [1, 4]);
    }

    #[test]
    fn a_moved_folder_has_two_names_until_the_old_one_is_taken_away() {
        let mut folders = Folders::default();
        folders.insert(Path::new("/w/old"), 7);
        // The kernel gives the same descriptor for the same folder.
        assert_eq!(folders.insert(Path::new("/w/new"), 7), None);
        assert_eq!(names(&folders, 7), ["/w/old", "/w/new"]);
        assert_eq!(folders.forget(Path::new("/w/old")), [], "the folder is still wanted");
        assert_eq!(names(&folders, 7), ["/w/new"]);
    }

    #[test]
    fn a_name_that_means_another_folder_now_lets_go_of_the_first() {
        let mut folders = Folders::default();
        folders.insert(Path::new("/w/d"), 1);
        assert_eq!(folders.insert(Path::new("/w/d"), 1), None, "nothing new");
        assert_eq!(folders.insert(Path::new("/w/d"), 2), Some(1));
        assert_eq!((names(&folders, 1), names(&folders, 2)), (vec![], vec!["/w/d"]));
        assert_eq!(folders.remove(1).len(), 0);
        assert_eq!(folders.forget(Path::new("/w/d")), [2]);
    }
}
