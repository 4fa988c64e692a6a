//! Holds the map of a project together with packages, and knows where each of its files comes from.

use std::sync::{Arc, Weak};

use hob_base::{AbsPath, FileId, Generation, WsPath};
use hob_map::graph::OutsidePackage;
use hob_map::{FileFacts, Map, MapChange};
use hob_workspace::manifest::Ecosystem;
use rustc_hash::{FxHashMap, FxHashSet};

use super::facts_of;
use super::layout::{self, PackageLayout};
use super::outside::{OutsideContents, OutsideSource};
use super::project_part::{ProjectFiles, ProjectPart};
use crate::workspace::Workspace;

/// Most files of all packages together; beyond it, the packages joined first leave.
const MOST_PACKAGE_FILES: usize = 40_000;
/// Number of headers of this machine beyond which those of earlier questions leave.
const MOST_HEADERS: usize = 3_000;
/// Most numbers that are given to files before the map is rebuilt: numbers of files that left stay unused.
const MOST_NUMBERS: u32 = 400_000;

/// A map of a project together with packages.
#[derive(Debug, Default)]
pub struct JoinedMap {
    map: Map,
    next: u32,
    project: PlacedFiles,
    /// The files of the project that are joined; `None` before the first question.
    part: Option<ProjectPart>,
    packages: Vec<JoinedPackage>,
}

/// Files of one origin, by their paths in the joined map.
type PlacedFiles = FxHashMap<WsPath, (FileId, Arc<FileFacts>)>;

#[derive(Debug)]
struct JoinedPackage {
    source: OutsideSource,
    /// The names that led to it: one, but all packages of an artifact, all members of a project, all included ones for
    /// headers.
    names: Vec<OutsidePackage>,
    layout: PackageLayout,
    files: PlacedFiles,
    /// The workspace of the files and its generation when they were read; `None` if they were read by themselves.
    origin: Option<(Weak<Workspace>, Generation)>,
}

impl JoinedPackage {
    /// Returns true if a source is this package, or the same artifact, project or collection of headers under another name.
    fn is_of(&self, source: &OutsideSource) -> bool {
        let is_shared = source.is_project || matches!(source.ecosystem, None | Some(Ecosystem::Maven));
        let is_same = source.is_project == self.source.is_project
            && (source.is_project || source.ecosystem == self.source.ecosystem)
            && source.root == self.source.root;
        self.names.iter().any(|name| layout::is_same(name, &source.package)) || (is_shared && is_same)
    }
}

/// A place in a package.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PackagePlace {
    /// The name and version of the package: `requests 2.32.3`.
    pub title: String,
    /// The name by which `in` asks for the package: `requests`.
    pub package: String,
    /// The file on this machine.
    pub file: AbsPath,
}

impl JoinedMap {
    /// Returns the map itself. Paths of packages in it are nowhere on a disk: [`Self::place_of`] tells their files.
    #[must_use]
    pub fn map(&self) -> &Map {
        &self.map
    }

    /// Returns the place of a file of a package; `None` for files of the project.
    #[must_use]
    pub fn place_of(&self, path: &WsPath) -> Option<PackagePlace> {
        self.packages.iter().filter(|package| package.files.contains_key(path)).find_map(|package| {
            let file = package.source.root.join(package.layout.own_path(path)?);
            Some(PackagePlace {
                title: package.source.title.clone(),
                package: package.source.published.clone(),
                file,
            })
        })
    }

    /// Returns true if a package is joined.
    #[must_use]
    pub fn has_package(&self, package: &OutsidePackage) -> bool {
        self.packages().any(|one| layout::is_same(one, package))
    }

    /// Returns the packages that are joined.
    pub(super) fn packages(&self) -> impl Iterator<Item = &OutsidePackage> {
        self.packages.iter().flat_map(|package| &package.names)
    }

    /// Returns the open workspaces that packages come from.
    pub(super) fn joined_workspaces(&self) -> impl Iterator<Item = Arc<Workspace>> {
        self.packages.iter().filter_map(|package| package.origin.as_ref()?.0.upgrade())
    }

    /// Returns true if no package is joined.
    pub(super) fn is_without_packages(&self) -> bool {
        self.packages.is_empty()
    }

    /// Returns true if the joined files of the project are those that a question about `asked` needs, in this generation.
    pub(super) fn has_part_for(&self, generation: Generation, own: &Map, asked: &WsPath) -> bool {
        self.part.as_ref().is_some_and(|part| part.is_for(generation, own, asked))
    }

    /// Joins these files of the project in place of the earlier ones.
    pub(super) fn join_project(&mut self, part: ProjectPart, files: ProjectFiles) {
        if self.next > MOST_NUMBERS {
            *self = Self::default();
        }
        let mut placed = std::mem::take(&mut self.project);
        self.place_files(&mut placed, files);
        self.project = placed;
        self.part = Some(part);
    }

    /// Brings changed packages up to date, and drops those whose workspace has been closed.
    pub(super) fn refresh_packages(&mut self) {
        for mut package in std::mem::take(&mut self.packages) {
            let origin = package.origin.as_ref().map(|(workspace, made)| (workspace.upgrade(), *made));
            match origin {
                Some((None, _)) => self.place_files(&mut package.files, Vec::new()),
                Some((Some(workspace), made)) if workspace.generation() != made => {
                    package.origin = Some((Arc::downgrade(&workspace), workspace.generation()));
                    let files = package.layout.place_all(facts_of(&workspace));
                    self.place_files(&mut package.files, files);
                    self.packages.push(package);
                }
                _ => self.packages.push(package),
            }
        }
    }

    /// Joins a package, in place of itself if it was joined before.
    pub(super) fn join(&mut self, source: OutsideSource) {
        let known = self.packages.iter().position(|one| one.is_of(&source));
        let (mut files, mut names) = match known.map(|at| self.packages.remove(at)) {
            Some(known) => (known.files, known.names),
            None => Default::default(),
        };
        if !names.contains(&source.package) {
            names.push(source.package.clone());
        }
        let layout = PackageLayout::new(&source);
        let (contents, origin) = match &source.contents {
            OutsideContents::Folder(workspace) => {
                let origin = (Arc::downgrade(workspace), workspace.generation());
                (facts_of(workspace), Some(origin))
            }
            OutsideContents::Files(files) => (files.clone(), None),
        };
        let mut placed = layout.place_all(contents);
        if source.ecosystem.is_none() {
            if files.len() > MOST_HEADERS {
                names = vec![source.package.clone()];
            } else {
                add_missing(&mut placed, &files);
            }
        }
        self.place_files(&mut files, placed);
        // A strong reference would keep the workspace in memory.
        let source = OutsideSource { contents: OutsideContents::Files(Vec::new()), ..source };
        self.packages.push(JoinedPackage { source, names, layout, files, origin });
        self.drop_superfluous();
    }

    fn drop_superfluous(&mut self) {
        let mut total: usize = self.packages.iter().map(|package| package.files.len()).sum();
        while total > MOST_PACKAGE_FILES && self.packages.len() > 1 {
            let mut oldest = self.packages.remove(0);
            total -= oldest.files.len();
            self.place_files(&mut oldest.files, Vec::new());
        }
    }

    /// Makes the files of one origin the wanted ones, with the fewest changes of the map.
    fn place_files(&mut self, placed: &mut PlacedFiles, wanted: ProjectFiles) {
        let mut changes = Vec::new();
        let mut left = std::mem::take(placed);
        for (path, facts) in wanted {
            let known = left.remove(&path);
            let is_same = known.as_ref().is_some_and(|(_, before)| Arc::ptr_eq(before, &facts));
            let file = known.map_or_else(|| self.next_number(), |(file, _)| file);
            if !is_same {
                changes.push(MapChange::Set { file, path: path.clone(), facts: Arc::clone(&facts) });
            }
            placed.insert(path, (file, facts));
        }
        changes.extend(left.into_values().map(|(file, _)| MapChange::Remove { file }));
        if !changes.is_empty() {
            self.map.apply(changes);
        }
    }

    fn next_number(&mut self) -> FileId {
        self.next += 1;
        FileId(self.next - 1)
    }
}

/// Adds those of the placed files that are not among the wanted ones.
fn add_missing(wanted: &mut ProjectFiles, placed: &PlacedFiles) {
    let new: FxHashSet<WsPath> = wanted.iter().map(|(path, _)| path.clone()).collect();
    let missing = placed.iter().filter(|(path, _)| !new.contains(*path));
    wanted.extend(missing.map(|(path, (_, facts))| (path.clone(), Arc::clone(facts))));
}
