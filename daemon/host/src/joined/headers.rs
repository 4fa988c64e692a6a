//! Opens the headers of this machine that a file of C or C++ includes.
//!
//! hob reads no library's headers as a whole. It begins with the included header and follows its own includes, nearest
//! first, until there are enough headers. Their paths in the joined map are those by which they are included, each
//! below a folder that represents the place of the header, so that the map's own rules for `#include` lead to them.

use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hob_base::{AbsPath, WsPath};
use hob_map::graph::OutsidePackage;
use hob_map::{FileFacts, Lang};
use hob_workspace::package_source::{HeaderPlace, HeaderSearch};

use super::direct;
use super::outside::{OutsideContents, OutsideError, OutsideSource};
use super::project_part::ProjectFiles;
use crate::registry::Host;
use crate::workspace::Workspace;

/// Most headers that are read for one included header.
const MOST: usize = 400;

/// The file in which a build lists how it compiles each file.
const COMMANDS: &str = "compile_commands.json";

/// Folders of system headers, in which a build may name folders although nobody trusts it.
const SYSTEM_FOLDERS: [&str; 5] = ["/usr", "/opt", "/Library", "/Applications", "/nix"];

/// Returns true if files of a language include headers.
pub(super) fn has_headers(lang: Lang) -> bool {
    matches!(lang, Lang::C | Lang::Cpp)
}

impl Host {
    /// Opens a header with those that it reaches.
    pub(super) fn open_headers(
        &self,
        project: &Workspace,
        package: &OutsidePackage,
    ) -> Result<OutsideSource, OutsideError> {
        let search = self.header_search(project);
        let absent =
            || OutsideError::Absent { name: package.name.clone(), looked_at: search.folders().to_vec() };
        let first = search.find(&package.name).ok_or_else(absent)?;
        let root = AbsPath::new("/").map_err(|_| absent())?;
        let title = first.file().display().to_string();
        let files = HeaderWalk { project, search: &search, lang: package.lang }.read_from(first);
        Ok(OutsideSource {
            package: package.clone(),
            ecosystem: None,
            title,
            published: String::new(),
            root,
            below: String::new(),
            is_standard: false,
            is_project: false,
            manifest: None,
            contents: OutsideContents::Files(files),
        })
    }

    /// Returns the folders in which the project's files look for headers.
    fn header_search(&self, project: &Workspace) -> HeaderSearch {
        let mut named: Vec<PathBuf> = Vec::new();
        let mut sysroot = PathBuf::from("/");
        for (key, folder) in compile_commands(project) {
            let folder = Path::new("/").join(folder);
            match key.as_str() {
                _ if !may_look_in(project, &folder) => {}
                "include" => named.push(folder),
                _ => sysroot = folder,
            }
        }
        named.extend(self.options.package_caches.include_folders.iter().cloned());
        HeaderSearch::new(named, &sysroot)
    }
}

/// Returns the folders that a project's build names, each with its kind.
fn compile_commands(project: &Workspace) -> Vec<(String, String)> {
    let map = project.map();
    let files = map.files().filter(|(_, path, _)| path.file_name() == COMMANDS);
    let pairs = files.flat_map(|(_, _, facts)| {
        let text = |(key, value): &(_, _)| (facts.name(*key).to_owned(), facts.name(*value).to_owned());
        facts.manifest.iter().map(text).collect::<Vec<_>>()
    });
    pairs.collect()
}

/// Returns true if headers are read from a folder that the project names. A project that nobody trusts leads to its own
/// folders and to the system's, not to the user's files.
fn may_look_in(project: &Workspace, folder: &Path) -> bool {
    let is_system = SYSTEM_FOLDERS.iter().any(|system| folder.starts_with(system));
    is_system || folder.starts_with(project.root().as_path()) || project.is_trusted()
}

/// A walk over headers for one question.
struct HeaderWalk<'w> {
    project: &'w Workspace,
    search: &'w HeaderSearch,
    lang: Lang,
}

impl HeaderWalk<'_> {
    /// Returns the header `first` and those that it reaches, with their paths in a joined map.
    fn read_from(&self, first: HeaderPlace) -> ProjectFiles {
        let (mut seen, mut found) = (HashSet::from([first.clone()]), Vec::new());
        let mut queue = VecDeque::from([first]);
        while let Some(header) = queue.pop_front() {
            let Some(facts) = direct::facts_of_header(self.project, &header.file(), self.lang) else {
                continue;
            };
            for next in self.included_by(&header, &facts) {
                if seen.len() < MOST && seen.insert(next.clone()) {
                    queue.push_back(next);
                }
            }
            found.extend(path_in_map(&header).map(|path| (path, facts)));
        }
        found
    }

    fn included_by(&self, header: &HeaderPlace, facts: &Arc<FileFacts>) -> Vec<HeaderPlace> {
        let written = facts.imports.iter().map(|import| facts.name(import.module));
        let places = written.filter_map(|written| {
            if let Some(path) = written.strip_prefix('<') {
                return self.search.find(path.strip_suffix('>')?);
            }
            self.search.find_beside(header, written.strip_prefix('"')?.strip_suffix('"')?)
        });
        places.collect()
    }
}

/// Returns the path of a header in the joined map: its folder as one segment, and the path by which it is included.
fn path_in_map(header: &HeaderPlace) -> Option<WsPath> {
    let folder = header.folder.to_str()?.replace('%', "%25").replace('/', "%2F");
    WsPath::new(&format!("{folder}/{}", header.path)).ok()
}

/// Returns the path of a header's file from the path in the map, below the root of the file system.
pub(super) fn path_on_disk(path: &str) -> Option<String> {
    let (folder, below) = path.split_once('/')?;
    let folder = folder.replace("%2F", "/").replace("%25", "%");
    Some(format!("{}/{below}", folder.trim_start_matches('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_keeps_the_path_by_which_it_is_included() {
        let header = HeaderPlace { folder: "/usr/include/c++/12".into(), path: "bits/a%b.h".into() };
        let path = path_in_map(&header).expect("a path");
        assert!(path.as_str().ends_with("/bits/a%b.h") && path.as_str().matches('/').count() == 2, "{path}");
        assert_eq!(path_on_disk(path.as_str()).as_deref(), Some("usr/include/c++/12/bits/a%b.h"));
    }
}
