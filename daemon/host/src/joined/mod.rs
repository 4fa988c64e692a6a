//! Answers questions that lead into a package, with a map of a project together with packages that it depends on.
//!
//! The project's own map stays free of packages: it answers immediately, and nobody finds a library's code among the
//! project's. Where it says that a name leads outside, the same question is put to a second map, in which the package's
//! files are placed next to the project's like another member of the project. So the map's own rules follow imports,
//! re-exports, aliases, inheritance and the types of values, and all that is known here about a language is where a
//! package's files belong (`layout`).
//!
//! Facts are shared with the workspaces that they come from, and only changes are brought over when somebody asks. Both
//! maps and packages are bounded; a package whose workspace has been closed for want of memory leaves this map too, and
//! the next question opens it again. Headers of C are read one by one (`headers`), and the sources of Java and its kin
//! come in jars (`artifact`). Not here: the opening of a package (`outside`), and the questions.

mod artifact;
mod direct;
mod header_facts;
mod headers;
mod joined_map;
mod layout;
mod outside;
mod project_part;
mod sibling;

pub(super) use direct::has_more_files;
pub use joined_map::{JoinedMap, PackagePlace};
pub use outside::{OutsideError, OutsideSource};

use std::sync::{Arc, Mutex};

use hob_base::{WsPath, lock};
use hob_map::FileFacts;
use hob_map::graph::OutsidePackage;

use super::workspace::Workspace;
use header_facts::HeaderFacts;
use project_part::{ProjectFiles, ProjectPart};

/// The joined map of a workspace, made for the first question.
#[derive(Debug, Default)]
pub(super) struct JoinedState {
    map: Mutex<JoinedMap>,
    headers: HeaderFacts,
}

impl JoinedState {
    /// Returns the bytes of the map; 0 while somebody asks it.
    pub(super) fn heap_bytes(&self) -> u64 {
        self.map.try_lock().map_or(0, |joined| joined.map().stats().heap_bytes as u64)
    }

    /// Forgets everything, unless somebody asks at this moment.
    pub(super) fn give_back(&self) {
        if let Ok(mut joined) = self.map.try_lock() {
            *joined = JoinedMap::default();
            self.headers.forget_all();
        }
    }
}

impl Workspace {
    /// Brings the joined map up to date and puts a question about the file `asked` to it. The caller must hold no lock
    /// of the workspace.
    pub fn ask_joined<T>(&self, asked: &WsPath, question: impl FnOnce(&JoinedMap) -> T) -> T {
        let mut joined = lock(&self.joined.map);
        if let Some((part, files)) = self.select_for(&joined, asked) {
            joined.join_project(part, files);
        }
        joined.refresh_packages();
        question(&joined)
    }

    /// Returns the files of the project that a question about `asked` needs, unless they are joined already.
    fn select_for(&self, joined: &JoinedMap, asked: &WsPath) -> Option<(ProjectPart, ProjectFiles)> {
        // If the map changes between these two lines, the next question selects once more.
        let generation = self.generation();
        let map = self.map();
        (!joined.has_part_for(generation, &map, asked))
            .then(|| ProjectPart::select_files(generation, &map, asked))
    }

    /// Returns true if at least one package is joined at this moment.
    #[must_use]
    pub fn has_joined_packages(&self) -> bool {
        !lock(&self.joined.map).is_without_packages()
    }

    /// Joins a package that was found.
    pub fn join_package(&self, source: OutsideSource) {
        lock(&self.joined.map).join(source);
    }

    /// Returns the workspaces of the packages that are joined at this moment.
    #[must_use]
    pub fn joined_workspaces(&self) -> Vec<Arc<Workspace>> {
        lock(&self.joined.map).joined_workspaces().collect()
    }

    /// Returns the packages that are joined at this moment.
    #[must_use]
    pub fn joined_packages(&self) -> Vec<OutsidePackage> {
        lock(&self.joined.map).packages().cloned().collect()
    }
}

/// Returns the mapped files of a workspace with their facts.
fn facts_of(workspace: &Workspace) -> Vec<(WsPath, Arc<FileFacts>)> {
    workspace.map().files().map(|(_, path, facts)| (path.clone(), Arc::clone(facts))).collect()
}
