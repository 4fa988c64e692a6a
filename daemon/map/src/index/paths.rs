//! Looks files up by path, folder, file name and package.
//!
//! Every list is in order of path, so that the first one is the same on every machine, whatever the files' numbers.

use hob_base::{FileId, WsPath};
use rustc_hash::FxHashMap;

use crate::langs::markdown::target;

#[derive(Debug, Default)]
struct MappedFolder {
    files: Vec<FileId>,
    /// Number of mapped files in and below the folder.
    below: u32,
}

/// The look-ups by place. Source files and project files (`manifests`) are separate, except by path.
#[derive(Debug, Default)]
pub(crate) struct Paths {
    by_path: FxHashMap<WsPath, FileId>,
    folders: FxHashMap<Box<str>, MappedFolder>,
    by_name: FxHashMap<Box<str>, Vec<FileId>>,
    by_package: FxHashMap<Box<str>, Vec<FileId>>,
    manifests: FxHashMap<Box<str>, Vec<FileId>>,
    /// Notes by their names in lower case, without the ending.
    notes: FxHashMap<Box<str>, Vec<FileId>>,
}

/// The data of a file that [`Paths`] needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MapPathEntry<'a> {
    pub(crate) file: FileId,
    pub(crate) path: &'a WsPath,
    pub(crate) package: Option<&'a str>,
    pub(crate) is_manifest: bool,
    pub(crate) is_note: bool,
}

impl Paths {
    pub(crate) fn file(&self, path: &str) -> Option<FileId> {
        self.by_path.get(path).copied()
    }

    /// Yields every file, in no particular order.
    pub(crate) fn all_files(&self) -> impl Iterator<Item = (&WsPath, FileId)> {
        self.by_path.iter().map(|(path, file)| (path, *file))
    }

    pub(crate) fn has_dir(&self, dir: &str) -> bool {
        self.folders.contains_key(dir)
    }

    pub(crate) fn files_in(&self, dir: &str) -> &[FileId] {
        self.folders.get(dir).map_or(&[], |folder| &folder.files)
    }

    /// Yields the lists of files in a folder and in each below it, in no particular order.
    pub(crate) fn folders_below(&self, dir: &str) -> impl Iterator<Item = &[FileId]> {
        let below = move |path: &str| match path.strip_prefix(dir) {
            Some(rest) => dir.is_empty() || rest.is_empty() || rest.starts_with('/'),
            None => false,
        };
        self.folders.iter().filter(move |(path, _)| below(path)).map(|(_, folder)| &*folder.files)
    }

    /// Yields all source files at, below and right beside some paths, and others, some of them twice.
    pub(crate) fn files_around<'p>(&'p self, paths: &'p [&'p WsPath]) -> impl Iterator<Item = FileId> + 'p {
        let around =
            |path: &&'p WsPath| self.folders_below(path.as_str()).flatten().chain(self.files_in(path.dir()));
        paths.iter().flat_map(around).copied()
    }

    pub(crate) fn files_named(&self, name: &str) -> &[FileId] {
        self.by_name.get(name).map_or(&[], |files| files)
    }

    pub(crate) fn files_of_package(&self, package: &str) -> &[FileId] {
        self.by_package.get(package).map_or(&[], |files| files)
    }

    pub(crate) fn manifests_named(&self, name: &str) -> &[FileId] {
        self.manifests.get(name).map_or(&[], |files| files)
    }

    /// Returns the notes of a name, which is in lower case and without its ending.
    pub(crate) fn notes_named(&self, name: &str) -> &[FileId] {
        self.notes.get(name).map_or(&[], |files| files)
    }

    /// Adds a file; `path_of` returns the paths of files that were added before.
    pub(crate) fn add<'p>(&mut self, place: MapPathEntry<'_>, path_of: impl Fn(FileId) -> &'p str) {
        self.by_path.insert(place.path.clone(), place.file);
        let insert = |list: &mut Vec<FileId>| {
            let at = list.partition_point(|&other| path_of(other) < place.path.as_str());
            list.insert(at, place.file);
        };
        let name = place.path.file_name();
        if place.is_manifest {
            insert(self.manifests.entry(name.into()).or_default());
            return;
        }
        insert(self.by_name.entry(name.into()).or_default());
        if let Some(package) = place.package {
            insert(self.by_package.entry(package.into()).or_default());
        }
        if place.is_note {
            insert(self.notes.entry(note_name(name)).or_default());
        }
        for dir in ancestor_folders(place.path.as_str()) {
            self.folders.entry(dir.into()).or_default().below += 1;
        }
        insert(&mut self.folders.entry(place.path.dir().into()).or_default().files);
    }

    pub(crate) fn remove(&mut self, place: MapPathEntry<'_>) {
        self.by_path.remove(place.path.as_str());
        let name = place.path.file_name();
        if place.is_manifest {
            take_out(&mut self.manifests, name, place.file);
            return;
        }
        take_out(&mut self.by_name, name, place.file);
        if let Some(package) = place.package {
            take_out(&mut self.by_package, package, place.file);
        }
        if place.is_note {
            take_out(&mut self.notes, &note_name(name), place.file);
        }
        if let Some(folder) = self.folders.get_mut(place.path.dir()) {
            folder.files.retain(|&file| file != place.file);
        }
        for dir in ancestor_folders(place.path.as_str()) {
            let Some(folder) = self.folders.get_mut(dir) else { continue };
            folder.below -= 1;
            if folder.below == 0 {
                self.folders.remove(dir);
            }
        }
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        // Each file is in four lists; a path's text is shared with its entry.
        self.by_path.capacity() * 24
            + self.by_path.keys().map(|path| path.as_str().len() + 16).sum::<usize>()
            + (self.folders.capacity()
                + self.by_name.capacity()
                + self.by_package.capacity()
                + self.notes.capacity())
                * 64
    }
}

fn note_name(file_name: &str) -> Box<str> {
    target::note_stem(&file_name.to_lowercase()).into()
}

fn take_out(map: &mut FxHashMap<Box<str>, Vec<FileId>>, key: &str, file: FileId) {
    let Some(list) = map.get_mut(key) else { return };
    list.retain(|&other| other != file);
    if list.is_empty() {
        map.remove(key);
    }
}

/// Yields the folders that contain a path, nearest first, the root (`""`) last.
fn ancestor_folders(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| match path.rsplit_once('/') {
        Some((dir, _)) => Some(dir),
        None if path.is_empty() => None,
        None => Some(""),
    })
    .skip(1)
}
