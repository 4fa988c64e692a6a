//! Reads the statements of a `pom.xml` from which versions follow.
//!
//! `manifest` reads the same files for their dependencies and lines; this reader keeps statements that other files may
//! explain or override, and knows no lines.

use crate::manifest::xml::{self, Element};

/// The address of an artifact, with properties not filled in.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Coordinates {
    pub(super) group: String,
    pub(super) artifact: String,
    pub(super) version: String,
}

impl Coordinates {
    /// Returns the published name: `group:artifact`.
    pub(super) fn published_name(&self) -> String {
        format!("{}:{}", self.group, self.artifact)
    }
}

/// A dependency as a file states it.
#[derive(Clone, Debug, Default)]
pub(super) struct PomDependency {
    /// The address; the version is empty where another file decides it.
    pub(super) coordinates: Coordinates,
    pub(super) scope: String,
    pub(super) is_optional: bool,
}

/// The file from which another one inherits.
#[derive(Clone, Debug)]
pub(super) struct PomParent {
    pub(super) coordinates: Coordinates,
    /// The path from the child's folder to the parent's file or folder; empty where the parent is in a repository alone.
    pub(super) relative_path: String,
}

/// The statements of one file.
#[derive(Clone, Debug, Default)]
pub(super) struct PomFile {
    pub(super) parent: Option<PomParent>,
    pub(super) own: Coordinates,
    /// True if it packages nothing, but is only a list of versions or modules.
    pub(super) is_list: bool,
    pub(super) properties: Vec<(String, String)>,
    pub(super) managed: Vec<PomDependency>,
    pub(super) dependencies: Vec<PomDependency>,
}

impl PomFile {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let document = xml::parse(text.strip_prefix('\u{feff}').unwrap_or(text));
        let project = document.first_child("project")?;
        let properties = project.all_at(&["properties"]).into_iter().flat_map(|all| &all.children);
        Some(Self {
            parent: project.first_child("parent").map(read_parent),
            own: read_coordinates(project),
            is_list: project.text_of("packaging") == Some("pom"),
            properties: properties.map(|one| (one.name.clone(), one.text.clone())).collect(),
            managed: read_dependencies(project, &["dependencyManagement", "dependencies", "dependency"]),
            dependencies: read_dependencies(project, &["dependencies", "dependency"]),
        })
    }
}

fn read_parent(element: &Element) -> PomParent {
    let relative_path = match element.first_child("relativePath") {
        Some(path) => path.text.clone(),
        None => "../pom.xml".to_owned(),
    };
    PomParent { coordinates: read_coordinates(element), relative_path }
}

fn read_coordinates(element: &Element) -> Coordinates {
    let text = |key| element.text_of(key).unwrap_or_default().to_owned();
    Coordinates { group: text("groupId"), artifact: text("artifactId"), version: text("version") }
}

fn read_dependencies(project: &Element, way: &[&str]) -> Vec<PomDependency> {
    let read = |element: &Element| PomDependency {
        coordinates: read_coordinates(element),
        scope: element.text_of("scope").unwrap_or("compile").to_owned(),
        is_optional: element.text_of("optional") == Some("true"),
    };
    project.all_at(way).into_iter().map(read).collect()
}
