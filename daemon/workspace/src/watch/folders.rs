//! Maps each watch descriptor of inotify to the folders that it stands for, by workspace.
//!
//! The kernel knows folders by their inodes, hob by their names, and the two differ for moments: after a move, hob may
//! find a folder under its new name before the event that takes the old name away; a folder that is mounted twice has
//! two names for good. One folder may also be watched for several workspaces, one of which lies in another. So a
//! descriptor has *names*, mostly one, each of one owner, and an event of the descriptor is an event under each name. A
//! name has one descriptor. A descriptor without a name is of no use: the caller that takes the last name away is told
//! to end the watch.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

/// The number of a watching workspace; never used twice.
pub(super) type Owner = u64;

/// An owner's path of a folder that it watches.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Name {
    pub(super) owner: Owner,
    /// The path; compared by components, so that the folders below one are its neighbours.
    pub(super) path: Arc<Path>,
}

impl Name {
    pub(super) fn new(owner: Owner, path: &Path) -> Self {
        Self { owner, path: path.into() }
    }
}

/// Keeps descriptors and names. Makes no system call.
#[derive(Debug, Default)]
pub(super) struct Folders {
    by_descriptor: HashMap<i32, Vec<Name>>,
    by_name: BTreeMap<Name, i32>,
}

impl Folders {
    /// Records that `descriptor` watches `name` now. Returns the descriptor that watched it before, if that has no
    /// other name.
    pub(super) fn insert(&mut self, name: Name, descriptor: i32) -> Option<i32> {
        match self.by_name.insert(name.clone(), descriptor) {
            Some(before) if before == descriptor => None,
            before => {
                self.by_descriptor.entry(descriptor).or_default().push(name.clone());
                before.filter(|before| self.take_name(*before, &name))
            }
        }
    }

    /// Returns the names of `descriptor`; none if its watch has ended.
    pub(super) fn names_of(&self, descriptor: i32) -> &[Name] {
        self.by_descriptor.get(&descriptor).map_or(&[], Vec::as_slice)
    }

    /// Records that the watch is over. Returns the names that it still had.
    pub(super) fn remove(&mut self, descriptor: i32) -> Vec<Name> {
        let names = self.by_descriptor.remove(&descriptor).unwrap_or_default();
        names.iter().for_each(|name| {
            self.by_name.remove(name);
        });
        names
    }

    /// Removes the owner's names at and below `dir`. Returns the descriptors that have no name left.
    pub(super) fn forget_below(&mut self, owner: Owner, dir: &Path) -> Vec<i32> {
        self.forget_where(Name::new(owner, dir), |name| name.owner == owner && name.path.starts_with(dir))
    }

    /// Removes all of the owner's names. Returns the descriptors that have no name left.
    pub(super) fn forget_all(&mut self, owner: Owner) -> Vec<i32> {
        self.forget_where(Name::new(owner, Path::new("")), |name| name.owner == owner)
    }

    /// Removes the names from `first` on for as long as `is_meant` holds.
    fn forget_where(&mut self, first: Name, is_meant: impl Fn(&Name) -> bool) -> Vec<i32> {
        let meant = self.by_name.range(first..).take_while(|(name, _)| is_meant(name));
        let meant: Vec<(Name, i32)> = meant.map(|(name, descriptor)| (name.clone(), *descriptor)).collect();
        meant.iter().for_each(|(name, _)| {
            self.by_name.remove(name);
        });
        let nameless = meant.into_iter().filter(|(name, descriptor)| self.take_name(*descriptor, name));
        nameless.map(|(_, descriptor)| descriptor).collect()
    }

    /// Removes a descriptor's name. Returns true if that was its last; then the descriptor is forgotten.
    fn take_name(&mut self, descriptor: i32, name: &Name) -> bool {
        let Some(names) = self.by_descriptor.get_mut(&descriptor) else { return false };
        names.retain(|other| other != name);
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

    fn paths_of(folders: &Folders, descriptor: i32) -> Vec<&str> {
        folders.names_of(descriptor).iter().filter_map(|name| name.path.to_str()).collect()
    }

    fn insert(folders: &mut Folders, name: &str, descriptor: i32) -> Option<i32> {
        folders.insert(Name::new(1, Path::new(name)), descriptor)
    }

    #[test]
    fn forgetting_a_folder_forgets_those_below_and_nothing_beside() {
        let mut folders = Folders::default();
        for (descriptor, name) in [(1, "/w"), (2, "/w/a"), (3, "/w/a/x"), (4, "/w/a-b"), (5, "/w/ab")] {
            assert_eq!(insert(&mut folders, name, descriptor), None);
        }
        assert_eq!(folders.forget_below(1, Path::new("/w/a")), [2, 3]);
        assert_eq!((paths_of(&folders, 3), paths_of(&folders, 4)), (vec![], vec!["/w/a-b"]));
        assert_eq!(folders.remove(5).len(), 1);
        assert_eq!(folders.forget_below(1, Path::new("/w")), [1, 4]);
    }

    #[test]
    fn a_moved_folder_has_two_names_until_the_old_one_is_taken_away() {
        let mut folders = Folders::default();
        insert(&mut folders, "/w/old", 7);
        // The kernel gives the same descriptor for the same folder.
        assert_eq!(insert(&mut folders, "/w/new", 7), None);
        assert_eq!(paths_of(&folders, 7), ["/w/old", "/w/new"]);
        assert_eq!(folders.forget_below(1, Path::new("/w/old")), [], "the folder is still wanted");
        assert_eq!(paths_of(&folders, 7), ["/w/new"]);
    }

    #[test]
    fn a_name_that_means_another_folder_now_lets_go_of_the_first() {
        let mut folders = Folders::default();
        insert(&mut folders, "/w/d", 1);
        assert_eq!(insert(&mut folders, "/w/d", 1), None, "nothing new");
        assert_eq!(insert(&mut folders, "/w/d", 2), Some(1));
        assert_eq!((paths_of(&folders, 1), paths_of(&folders, 2)), (vec![], vec!["/w/d"]));
        assert_eq!(folders.remove(1).len(), 0);
        assert_eq!(folders.forget_below(1, Path::new("/w/d")), [2]);
    }

    #[test]
    fn what_two_watch_is_watched_until_both_have_let_go() {
        let mut folders = Folders::default();
        for owner in [1, 2] {
            assert_eq!(folders.insert(Name::new(owner, Path::new("/w/d")), 7), None);
            assert_eq!(folders.insert(Name::new(owner, Path::new("/w")), 7 + owner as i32), None);
        }
        assert_eq!(folders.forget_all(1), [8], "the other's folder stays, and the one that both have");
        assert_eq!(folders.names_of(7), [Name::new(2, Path::new("/w/d"))]);
        assert_eq!(folders.forget_below(1, Path::new("/w")), []);
        assert_eq!(folders.forget_all(2), [9, 7]);
    }
}
