//! Finds the artifacts of a project by Maven's rules, nearest first.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::PathBuf;

use hob_base::AbsPath;

use super::MavenArtifact;
use super::effective::{EffectivePom, PomReader};
use super::pom_file::{Coordinates, PomDependency};
use super::repositories::Repositories;
use crate::manifest::Package;

/// Most artifacts of one project, and most artifacts between it and one of them.
const MOST: usize = 1_500;
const FARTHEST: u32 = 12;

/// Looks for the artifacts of one project.
pub(super) struct ArtifactResolver<'r> {
    project: &'r AbsPath,
    repositories: Repositories,
}

/// The state of one search.
struct ArtifactSearch<'s> {
    repositories: &'s Repositories,
    poms: PomReader<'s>,
    /// Versions that the project decides, by published name.
    decided: HashMap<String, String>,
    seen: HashSet<String>,
    queue: VecDeque<(Coordinates, u32)>,
    found: Vec<MavenArtifact>,
}

impl<'r> ArtifactResolver<'r> {
    pub(super) fn new(project: &'r AbsPath, repositories: Repositories) -> Self {
        Self { project, repositories }
    }

    pub(super) fn find_artifacts(&self, named: &[&Package]) -> Vec<MavenArtifact> {
        let mut search = ArtifactSearch::new(&self.repositories);
        let mut read = HashSet::new();
        for place in named.iter().flat_map(|package| &package.places) {
            if place.manifest.file_name() == "pom.xml" && read.insert(&place.manifest) {
                let file: PathBuf = self.project.join_ws(&place.manifest).as_path().to_path_buf();
                search.read_project_file(&file);
            }
        }
        let lists = named.iter().filter_map(|package| search.coordinates_of(package));
        for list in lists.collect::<Vec<_>>() {
            search.take_list(&list);
        }
        for package in named {
            if let Some(coordinates) = search.coordinates_of(package) {
                search.add(coordinates, u32::from(!package.direct));
            }
        }
        search.follow_all();
        search.found.sort_by_key(|artifact| artifact.distance);
        search.found
    }
}

impl<'s> ArtifactSearch<'s> {
    fn new(repositories: &'s Repositories) -> Self {
        Self {
            repositories,
            poms: PomReader::new(repositories),
            decided: HashMap::new(),
            seen: HashSet::new(),
            queue: VecDeque::new(),
            found: Vec::new(),
        }
    }

    /// Adds the versions that a file of the project decides.
    fn read_project_file(&mut self, file: &std::path::Path) {
        let Some(pom) = self.poms.of_file(file) else { return };
        for (name, version) in &pom.managed {
            self.decided.entry(name.clone()).or_insert_with(|| version.clone());
        }
        for dependency in pom.dependencies.iter().filter(|one| is_exact(&one.coordinates.version)) {
            let Coordinates { version, .. } = &dependency.coordinates;
            self.decided.insert(dependency.coordinates.published_name(), version.clone());
        }
    }

    /// Adds the versions of an artifact that is a list of versions, as Gradle's platforms are.
    fn take_list(&mut self, list: &Coordinates) {
        let Some(pom) = self.poms.of_artifact(list).filter(|pom| pom.is_list) else { return };
        for (name, version) in &pom.managed {
            self.decided.entry(name.clone()).or_insert_with(|| version.clone());
        }
    }

    /// Returns the address of a package that the project names, with the version that counts.
    fn coordinates_of(&self, package: &Package) -> Option<Coordinates> {
        let (group, artifact) = package.name.split_once(':')?;
        let known = package.version.as_ref().or_else(|| self.decided.get(&package.name));
        let version = known.filter(|version| is_exact(version)).cloned();
        let version = version.or_else(|| self.repositories.highest_version(group, artifact))?;
        Some(Coordinates { group: group.to_owned(), artifact: artifact.to_owned(), version })
    }

    fn add(&mut self, coordinates: Coordinates, distance: u32) {
        let name = coordinates.published_name();
        if self.found.len() >= MOST || distance > FARTHEST || !self.seen.insert(name.clone()) {
            return;
        }
        self.found.push(MavenArtifact {
            name,
            version: coordinates.version.clone(),
            distance,
            sources: self.repositories.find_file(&coordinates, "-sources.jar"),
            classes: self.repositories.find_file(&coordinates, ".jar"),
        });
        self.queue.push_back((coordinates, distance));
    }

    fn follow_all(&mut self) {
        while let Some((coordinates, distance)) = self.queue.pop_front() {
            let Some(pom) = self.poms.of_artifact(&coordinates) else { continue };
            for dependency in pom.dependencies.iter().filter(|one| is_passed_on(one)) {
                if let Some(next) = self.version_for(dependency, &pom) {
                    self.add(next, distance + 1);
                }
            }
        }
    }

    /// Returns the address of an artifact's dependency: the project decides, then the statement, then the lists of the
    /// artifact.
    fn version_for(&self, dependency: &PomDependency, pom: &EffectivePom) -> Option<Coordinates> {
        let Coordinates { group, artifact, version } = &dependency.coordinates;
        let name = dependency.coordinates.published_name();
        let stated = Some(version).filter(|version| is_exact(version));
        let known = self.decided.get(&name).or(stated).or_else(|| pom.managed.get(&name));
        let version = known.filter(|version| is_exact(version)).cloned();
        let version = version.or_else(|| self.repositories.highest_version(group, artifact))?;
        Some(Coordinates { group: group.clone(), artifact: artifact.clone(), version })
    }
}

/// Returns true if users of an artifact get this dependency with it.
fn is_passed_on(dependency: &PomDependency) -> bool {
    !dependency.is_optional && ["compile", "runtime"].contains(&dependency.scope.as_str())
}

/// Returns true if a text is one version, not a range and not a property that nobody explained.
fn is_exact(version: &str) -> bool {
    !version.is_empty() && !version.starts_with(['[', '(']) && !version.contains(['$', '+', ','])
}
