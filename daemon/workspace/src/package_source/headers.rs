//! Finds the headers of this machine that a C or C++ file includes.
//!
//! No compiler is asked. The folders are, in this order: those that the project's build names, those that the
//! environment names for compilers (`CPATH` and similar variables), and the usual ones of the system and of its
//! compilers. A compiler looks into its own folders first, and its headers there include the system's of the same name
//! by `#include_next`; here the system's folders go first, so that a name leads to the declarations.

use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::manifest::compare_versions;

/// Endings of headers. A header of C++'s standard library has no ending.
const ENDINGS: [&str; 9] = ["h", "hh", "hpp", "hxx", "h++", "inc", "inl", "ipp", "tcc"];

/// A header, by the folder in which it was found.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct HeaderPlace {
    /// The folder of the search that has the header.
    pub folder: PathBuf,
    /// The path below the folder, as an `#include` writes it.
    pub path: String,
}

impl HeaderPlace {
    /// Returns the path of the file.
    #[must_use]
    pub fn file(&self) -> PathBuf {
        self.folder.join(&self.path)
    }
}

/// The folders in which headers are looked for, in their order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HeaderSearch {
    folders: Vec<PathBuf>,
}

impl HeaderSearch {
    /// Lists the folders `named` by build and environment, then the usual ones of this machine below `sysroot`.
    #[must_use]
    pub fn new(named: impl IntoIterator<Item = PathBuf>, sysroot: &Path) -> Self {
        let mut folders: Vec<PathBuf> = Vec::new();
        for folder in named.into_iter().chain(usual_folders(sysroot)) {
            if !folders.contains(&folder) && folder.is_dir() {
                folders.push(folder);
            }
        }
        Self { folders }
    }

    /// Returns the folders in the order of the search.
    #[must_use]
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Finds the header that `#include <path>` means.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<HeaderPlace> {
        self.folders.iter().find_map(|folder| header_in(folder, path))
    }

    /// Finds the header that `from` includes as `"path"`: beside `from`, else as `<path>`.
    #[must_use]
    pub fn find_beside(&self, from: &HeaderPlace, path: &str) -> Option<HeaderPlace> {
        let below = from.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let beside = join_below(below, path).and_then(|path| header_in(&from.folder, &path));
        beside.or_else(|| self.find(path))
    }
}

fn header_in(folder: &Path, path: &str) -> Option<HeaderPlace> {
    let is_header = match path.rsplit('/').next()?.rsplit_once('.') {
        Some((_, ending)) => ENDINGS.contains(&ending),
        None => true,
    };
    let is_plain = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
    let place = HeaderPlace { folder: folder.to_owned(), path: path.to_owned() };
    (is_header && is_plain && !path.is_empty() && place.file().is_file()).then_some(place)
}

/// Joins a path to a folder and resolves `.` and `..`; `None` where the path leads above the top folder.
fn join_below(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Returns the usual folders: the system's, then its compilers' own, then those of C++'s standard library.
fn usual_folders(sysroot: &Path) -> Vec<PathBuf> {
    let system = sysroot.join("usr/include");
    let triples = folders_in(&sysroot.join("usr/lib/gcc"));
    let names: Vec<String> = triples.iter().filter_map(|path| file_name(path)).collect();
    let mut found = vec![sysroot.join("usr/local/include"), system.clone()];
    found.extend(names.iter().map(|triple| system.join(triple)));
    found.extend(triples.iter().filter_map(|triple| Some(highest(triple)?.join("include"))));
    found.extend(highest(&sysroot.join("usr/lib/clang")).map(|version| version.join("include")));
    found.push(sysroot.join("opt/homebrew/include"));
    if let Some(library) = highest(&system.join("c++")) {
        found.extend(file_name(&library).into_iter().flat_map(|version| {
            let of = |triple: &String| system.join(triple).join("c++").join(&version);
            names.iter().map(of).collect::<Vec<_>>()
        }));
        found.push(library);
    }
    found
}

/// Returns the folder of the highest version in a folder.
fn highest(folder: &Path) -> Option<PathBuf> {
    let versions = folders_in(folder).into_iter().filter_map(|path| Some((file_name(&path)?, path)));
    let numbered = versions.filter(|(name, _)| name.starts_with(|c: char| c.is_ascii_digit()));
    numbered.max_by(|a, b| compare_versions(&a.0, &b.0)).map(|(_, path)| path)
}

fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let listed = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut folders: Vec<PathBuf> = listed.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn file_name(path: &Path) -> Option<String> {
    path.file_name()?.to_str().map(ToOwned::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine_with(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().expect("inside")).expect("a folder");
            fs::write(path, "").expect("a file");
        }
        folder
    }

    #[test]
    fn headers_are_found_where_compilers_look() {
        let machine = machine_with(&[
            "own/zlib.h",
            "usr/include/zlib.h",
            "usr/include/stdlib.h",
            "usr/include/zip/inner.h",
            "usr/include/zip/other.h",
            "usr/include/x86_64-linux-gnu/sys/types.h",
            "usr/include/x86_64-linux-gnu/c++/12/bits/config.h",
            "usr/include/c++/9/vector",
            "usr/include/c++/12/vector",
            "usr/include/c++/12/stdlib.h",
            "usr/lib/gcc/x86_64-linux-gnu/12/include/stddef.h",
            "usr/include/secret",
            "usr/include/notes.txt",
        ]);
        let search = HeaderSearch::new([machine.path().join("own")], machine.path());
        let found = |path: &str| {
            let place = search.find(path)?;
            Some(place.file().strip_prefix(machine.path()).expect("below").display().to_string())
        };
        for (path, expected) in [
            ("zlib.h", Some("own/zlib.h")),
            ("stdlib.h", Some("usr/include/stdlib.h")),
            ("sys/types.h", Some("usr/include/x86_64-linux-gnu/sys/types.h")),
            ("stddef.h", Some("usr/lib/gcc/x86_64-linux-gnu/12/include/stddef.h")),
            ("vector", Some("usr/include/c++/12/vector")),
            ("bits/config.h", Some("usr/include/x86_64-linux-gnu/c++/12/bits/config.h")),
            ("notes.txt", None),
            ("../own/zlib.h", None),
            ("/etc/passwd", None),
            ("", None),
        ] {
            assert_eq!(found(path).as_deref(), expected, "{path}");
        }
        let inner = search.find("zip/inner.h").expect("it is there");
        let beside = |path: &str| search.find_beside(&inner, path).map(|place| place.path);
        assert_eq!(beside("other.h").as_deref(), Some("zip/other.h"));
        assert_eq!(beside("../stdlib.h").as_deref(), Some("stdlib.h"));
        assert_eq!(beside("zlib.h").as_deref(), Some("zlib.h"));
        assert_eq!(beside("../../../etc/passwd"), None);
    }
}
