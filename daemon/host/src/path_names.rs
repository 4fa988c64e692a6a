//! Finds the files and folders of a workspace by their last names, without going through all paths.
//!
//! The table is made of the text index's paths by the first question that needs it, and again after files came or went;
//! a changed file leaves it as it is. Its cost is proportional to the number of files; a question reads only the
//! entries of its name.

use std::hash::Hasher as _;
use std::sync::{Arc, Mutex};

use hob_base::{FileId, WsPath, lock};
use rustc_hash::{FxHashMap, FxHasher};

use super::workspace::Workspace;

/// The files and folders of a workspace, by their last names.
#[derive(Debug, Default)]
pub struct PathNames {
    /// In order of their numbers.
    files: Vec<(FileId, WsPath)>,
    folders: Vec<NamedFolder>,
    /// Hashes of names in lower case, with the files and folders of these names.
    by_name: Vec<(u64, ListedPlace)>,
}

/// A folder of the workspace.
#[derive(Debug)]
pub struct NamedFolder {
    /// The path of the folder.
    pub path: Box<str>,
    /// Number of files in it and below it.
    pub files: usize,
}

/// A file or folder with a name that a question gave.
#[derive(Debug)]
pub enum CalledPath<'n> {
    /// A file with its number.
    File(FileId, &'n WsPath),
    /// A folder, which has no number.
    Folder(&'n NamedFolder),
}

/// The index of a file or folder in its list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ListedPlace {
    File(u32),
    Folder(u32),
}

/// The table as it was last made, with the count of path changes at that time.
#[derive(Debug, Default)]
pub(super) struct PathNamesCache(Mutex<Option<(u64, Arc<PathNames>)>>);

impl PathNames {
    /// Makes the table of some files.
    #[must_use]
    pub fn from_paths<'p>(paths: impl Iterator<Item = (FileId, &'p WsPath)>) -> Self {
        let mut files: Vec<(FileId, WsPath)> = paths.map(|(file, path)| (file, path.clone())).collect();
        files.sort_unstable_by_key(|(file, _)| *file);
        let folders = folders_above(files.iter().map(|(_, path)| path));
        let mut by_name = Vec::with_capacity(2 * files.len() + folders.len());
        for (at, (_, path)) in (0..).zip(&files) {
            list_names(path.file_name(), ListedPlace::File(at), &mut by_name);
        }
        for (at, folder) in (0..).zip(&folders) {
            let name = folder.path.rsplit('/').next().unwrap_or(&folder.path);
            list_names(name, ListedPlace::Folder(at), &mut by_name);
        }
        by_name.sort_unstable();
        Self { files, folders, by_name }
    }

    /// Returns the path of a file.
    #[must_use]
    pub fn path_of(&self, file: FileId) -> Option<&WsPath> {
        let at = self.files.binary_search_by_key(&file, |(file, _)| *file).ok()?;
        self.files.get(at).map(|(_, path)| path)
    }

    /// Returns the files and folders whose last name, or that name up to its first dot, is `name` but for the case of
    /// ASCII letters. There may be others among them, because hashes are compared, so the caller has to compare names.
    pub fn paths_called<'n>(&'n self, name: &str) -> impl Iterator<Item = CalledPath<'n>> + use<'n> {
        let hash = hash_of_name(name);
        let from = self.by_name.partition_point(|(known, _)| *known < hash);
        let named = self.by_name[from..].iter().take_while(move |(known, _)| *known == hash);
        named.filter_map(|(_, place)| match *place {
            ListedPlace::File(at) => {
                self.files.get(at as usize).map(|(file, path)| CalledPath::File(*file, path))
            }
            ListedPlace::Folder(at) => self.folders.get(at as usize).map(CalledPath::Folder),
        })
    }
}

/// Lists a file or folder under its name, and under the part of the name before the first dot.
fn list_names(name: &str, place: ListedPlace, by_name: &mut Vec<(u64, ListedPlace)>) {
    by_name.push((hash_of_name(name), place));
    if let Some((stem, _)) = name.split_once('.') {
        by_name.push((hash_of_name(stem), place));
    }
}

fn hash_of_name(name: &str) -> u64 {
    let mut hasher = FxHasher::default();
    name.bytes().for_each(|byte| hasher.write_u8(byte.to_ascii_lowercase()));
    hasher.finish()
}

/// Returns the folders that some files are in, each with the number of files below it.
fn folders_above<'p>(paths: impl Iterator<Item = &'p WsPath>) -> Vec<NamedFolder> {
    let mut direct: FxHashMap<&str, usize> = FxHashMap::default();
    for path in paths {
        *direct.entry(path.dir()).or_default() += 1;
    }
    let mut all: FxHashMap<&str, usize> = FxHashMap::default();
    for (folder, files) in direct {
        let mut rest = folder;
        while !rest.is_empty() {
            *all.entry(rest).or_default() += files;
            rest = rest.rsplit_once('/').map_or("", |(above, _)| above);
        }
    }
    all.into_iter().map(|(path, files)| NamedFolder { path: path.into(), files }).collect()
}

impl Workspace {
    /// Returns the files and folders of the workspace by their last names, as the text index has them now.
    #[must_use]
    pub fn path_names(&self) -> Arc<PathNames> {
        let mut cached = lock(&self.path_names.0);
        // The count is read before the paths: a change in between makes the next question rebuild the table.
        let changes = self.revision.path_changes();
        match &*cached {
            Some((made, names)) if *made == changes => Arc::clone(names),
            _ => {
                let names = Arc::new(PathNames::from_paths(self.text().indexed_paths()));
                *cached = Some((changes, Arc::clone(&names)));
                names
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;
    use crate::ingest::tests::{test_host, wait_for_index};
    use hob_base::AbsPath;

    fn found(names: &PathNames, name: &str) -> Vec<String> {
        let tell = |called: CalledPath<'_>| match called {
            CalledPath::File(file, path) => format!("{path} {}", file.0),
            CalledPath::Folder(folder) => format!("{}/ {}", folder.path, folder.files),
        };
        let mut found: Vec<String> = names.paths_called(name).map(tell).collect();
        found.sort();
        found
    }

    #[test]
    fn files_and_folders_are_found_by_name_and_stem() {
        let paths = ["net/Core/sock.c", "net/core/sock.h", "net/sock.tar.gz", "Makefile", "net.d/a"];
        let paths = paths.map(|path| WsPath::new(path).expect("a path"));
        let names = PathNames::from_paths((0..).map(FileId).zip(&paths));
        assert_eq!(found(&names, "SOCK"), ["net/Core/sock.c 0", "net/core/sock.h 1", "net/sock.tar.gz 2"]);
        assert_eq!(found(&names, "sock.c"), ["net/Core/sock.c 0"]);
        assert_eq!(found(&names, "sock.tar"), [""; 0]);
        assert_eq!(found(&names, "core"), ["net/Core/ 1", "net/core/ 1"]);
        assert_eq!(found(&names, "net"), ["net.d/ 1", "net/ 3"]);
        assert_eq!(found(&names, "makefile"), ["Makefile 3"]);
        assert_eq!(names.path_of(FileId(2)).map(WsPath::as_str), Some("net/sock.tar.gz"));
        assert_eq!(names.path_of(FileId(9)), None);
        assert_eq!(found(&PathNames::default(), "a"), [""; 0]);
    }

    #[test]
    fn the_table_is_made_again_only_after_files_came_or_went() {
        let (dir, tree) = (TempDir::new().expect("a folder"), TempDir::new().expect("a folder"));
        let write = |name: &str, text: &[u8]| {
            fs::write(tree.path().join(name), text).expect("the test's own folder");
        };
        fs::create_dir(tree.path().join(".git")).expect("the test's own folder");
        write("first.txt", b"one\n");
        let host = test_host(&dir);
        let workspace = host.workspace(&AbsPath::new(tree.path()).expect("absolute")).expect("it is there");
        let now = || {
            wait_for_index(&workspace);
            workspace.path_names()
        };
        let first = now();
        assert_eq!(first.paths_called("first").count(), 1);
        write("first.txt", b"two\n");
        assert!(Arc::ptr_eq(&first, &now()), "the same files");
        write("second.txt", b"new\n");
        assert_eq!(now().paths_called("second").count(), 1);
        // Binary files are not searched, and so not found.
        write("second.txt", &[0, 159, 146, 150]);
        assert_eq!(now().paths_called("second").count(), 0);
        fs::remove_file(tree.path().join("first.txt")).expect("the test's own folder");
        assert_eq!(now().paths_called("first").count(), 0);
        host.close();
    }
}
