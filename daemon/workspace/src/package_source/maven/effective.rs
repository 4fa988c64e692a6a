//! Merges a `pom.xml` with the files from which it inherits and with the lists of versions that it imports.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use hob_base::small;

use super::pom_file::{Coordinates, PomDependency, PomFile, PomParent};
use super::repositories::Repositories;

/// Most ancestors of one file, and longest chain of lists that import each other.
const MOST_PARENTS: usize = 12;
const MOST_IMPORTS: usize = 6;

/// Most files that are read for one project.
const MOST_FILES: usize = 3_000;

/// Most properties that may lead to each other (a longer chain counts as a circle), and most bytes of a filled text.
const STEPS: usize = 16;
const LONGEST: usize = 400;

/// Size limit of a `pom.xml`, in bytes; no person writes a longer one.
const LARGEST: u64 = 4 << 20;

/// The statements that count for one artifact, with properties filled in.
#[derive(Clone, Debug, Default)]
pub(super) struct EffectivePom {
    pub(super) is_list: bool,
    /// Versions by published name.
    pub(super) managed: HashMap<String, String>,
    pub(super) dependencies: Vec<PomDependency>,
}

/// Reads each `pom.xml` at most once.
pub(super) struct PomReader<'r> {
    repositories: &'r Repositories,
    known: HashMap<Coordinates, Option<Rc<EffectivePom>>>,
    read: usize,
}

/// A file with its ancestors, the file itself first.
type PomLine = Vec<PomFile>;

impl<'r> PomReader<'r> {
    pub(super) fn new(repositories: &'r Repositories) -> Self {
        Self { repositories, known: HashMap::new(), read: 0 }
    }

    /// Returns the statements of an artifact in a repository.
    pub(super) fn of_artifact(&mut self, artifact: &Coordinates) -> Option<Rc<EffectivePom>> {
        self.of_imported(artifact, 0)
    }

    /// Returns the statements of a project's own file.
    pub(super) fn of_file(&mut self, file: &Path) -> Option<EffectivePom> {
        let own = self.read_file(file)?;
        let line = self.read_line(own, Some(file.to_path_buf()));
        Some(self.merge_line(&line, 0))
    }

    fn of_imported(&mut self, artifact: &Coordinates, depth: usize) -> Option<Rc<EffectivePom>> {
        if let Some(known) = self.known.get(artifact) {
            return known.clone();
        }
        // A list that imports itself finds this `None`.
        self.known.insert(artifact.clone(), None);
        let own = self.read_artifact(artifact)?;
        let line = self.read_line(own, None);
        let found = Some(Rc::new(self.merge_line(&line, depth)));
        self.known.insert(artifact.clone(), found.clone());
        found
    }

    fn read_artifact(&mut self, artifact: &Coordinates) -> Option<PomFile> {
        self.count_file()?;
        PomFile::parse(&self.repositories.read_pom(artifact)?)
    }

    fn read_file(&mut self, file: &Path) -> Option<PomFile> {
        self.count_file()?;
        PomFile::parse(&small::read_text(file, LARGEST).ok()?)
    }

    fn count_file(&mut self) -> Option<()> {
        self.read += 1;
        (self.read <= MOST_FILES).then_some(())
    }

    /// Reads the ancestors of a file: each beside its child on the disk, else in a repository.
    fn read_line(&mut self, own: PomFile, mut place: Option<PathBuf>) -> PomLine {
        let mut line = vec![own];
        while let Some(parent) = line.last().and_then(|last| last.parent.clone()) {
            if line.len() > MOST_PARENTS {
                break;
            }
            let beside = place.as_deref().and_then(|place| self.read_beside(place, &parent));
            let (file, found) = match beside {
                Some((file, found)) => (Some(file), Some(found)),
                None => (None, self.read_artifact(&parent.coordinates)),
            };
            let Some(found) = found else { break };
            place = file;
            line.push(found);
        }
        line
    }

    fn read_beside(&mut self, child: &Path, parent: &PomParent) -> Option<(PathBuf, PomFile)> {
        let path = &parent.relative_path;
        let place = child.parent()?.join(Some(path).filter(|path| !path.is_empty())?);
        let file = if place.is_dir() { place.join("pom.xml") } else { place };
        let found = self.read_file(&file)?;
        (found.own.artifact == parent.coordinates.artifact).then_some((file, found))
    }

    fn merge_line(&mut self, line: &PomLine, depth: usize) -> EffectivePom {
        let properties = properties_of(line);
        let mut merged =
            EffectivePom { is_list: line.first().is_some_and(|own| own.is_list), ..EffectivePom::default() };
        let mut imported = Vec::new();
        for one in line.iter().flat_map(|file| &file.managed) {
            let one = fill_dependency(one, &properties);
            if one.scope == "import" {
                imported.push(one.coordinates);
            } else if !one.coordinates.version.is_empty() {
                merged.managed.entry(one.coordinates.published_name()).or_insert(one.coordinates.version);
            }
        }
        for list in imported.iter().filter(|_| depth < MOST_IMPORTS) {
            let Some(list) = self.of_imported(list, depth + 1) else { continue };
            for (name, version) in &list.managed {
                merged.managed.entry(name.clone()).or_insert_with(|| version.clone());
            }
        }
        let stated = line.iter().flat_map(|file| &file.dependencies);
        merged.dependencies = stated.map(|one| fill_dependency(one, &properties)).collect();
        merged
    }
}

/// Returns the properties that a file can use; its own go before inherited ones.
fn properties_of(line: &PomLine) -> HashMap<String, String> {
    let mut properties: HashMap<String, String> = HashMap::new();
    for (name, value) in line.iter().flat_map(|file| &file.properties) {
        properties.entry(name.clone()).or_insert_with(|| value.clone());
    }
    let Some(own) = line.first() else { return properties };
    let parent = own.parent.as_ref().map(|parent| &parent.coordinates);
    let part = |of: fn(&Coordinates) -> &String| {
        let inherited = parent.map(of).cloned().unwrap_or_default();
        (Some(of(&own.own).clone()).filter(|text| !text.is_empty()).unwrap_or(inherited.clone()), inherited)
    };
    let parts = [
        ("groupId", part(|of| &of.group)),
        ("artifactId", part(|of| &of.artifact)),
        ("version", part(|of| &of.version)),
    ];
    for (key, (value, inherited)) in parts {
        for place in ["project", "pom"] {
            properties.insert(format!("{place}.{key}"), value.clone());
            properties.insert(format!("{place}.parent.{key}"), inherited.clone());
        }
    }
    properties
}

fn fill_dependency(one: &PomDependency, properties: &HashMap<String, String>) -> PomDependency {
    let fill = |text: &str| fill_properties(text, properties);
    let Coordinates { group, artifact, version } = &one.coordinates;
    let coordinates = Coordinates { group: fill(group), artifact: fill(artifact), version: fill(version) };
    PomDependency { coordinates, ..one.clone() }
}

/// Fills the known properties into `text`; an unknown one stays as it is written.
fn fill_properties(text: &str, properties: &HashMap<String, String>) -> String {
    let mut text = text.to_owned();
    for _ in 0..STEPS {
        let Some(start) = text.find("${") else { break };
        let Some(end) = text[start..].find('}').map(|length| start + length) else { break };
        let Some(value) = properties.get(&text[start + 2..end]) else { break };
        if text.len() + value.len() > LONGEST {
            break;
        }
        text.replace_range(start..=end, value);
    }
    text
}
