//! Reads `pom.xml` by itself: its own properties and its own `dependencyManagement`. A parent is in another file, often
//! on another machine; a `${…}` that only the parent explains stays as it is written.

use std::collections::HashMap;

use super::super::Origin;
use super::super::file::{Findings, RawDependency};
use super::xml::{self, Element};

/// Most properties that may lead to each other; a longer chain counts as a circle.
const STEPS: usize = 16;

/// The elements below `project` or a profile that hold dependencies, with the origin of each.
const PLACES: [(&[&str], Origin); 2] = [
    (&["dependencies", "dependency"], Origin::Manifest),
    (&["dependencyManagement", "dependencies", "dependency"], Origin::Indirect),
];

pub(in super::super) fn read_pom(text: &str, findings: &mut Findings) {
    let document = xml::parse(text);
    let Some(project) = document.first_child("project") else { return };
    let pom = Pom::new(project);
    let parts = std::iter::once(project).chain(project.all_at(&["profiles", "profile"]));
    for part in parts {
        for (way, origin) in PLACES {
            part.all_at(way).into_iter().for_each(|element| pom.add_dependency(element, origin, findings));
        }
        for plugin in part.all_at(&["build", "plugins", "plugin"]) {
            pom.add_plugin(plugin, findings);
        }
    }
    if let Some(parent) = project.first_child("parent") {
        pom.add(parent, RawDependency::default(), findings);
    }
}

struct Pom<'t> {
    properties: HashMap<String, &'t str>,
    /// Versions of managed dependencies, by `group:artifact`.
    managed: HashMap<String, String>,
}

impl<'t> Pom<'t> {
    fn new(project: &'t Element) -> Self {
        let mut pom = Self { properties: HashMap::new(), managed: HashMap::new() };
        let parent = project.first_child("parent");
        for key in ["groupId", "artifactId", "version"] {
            let inherited = parent.and_then(|parent| parent.text_of(key));
            if let Some(text) = project.text_of(key).or(inherited) {
                pom.properties.insert(format!("project.{key}"), text);
                pom.properties.insert(format!("pom.{key}"), text);
            }
            if let Some(text) = inherited {
                pom.properties.insert(format!("project.parent.{key}"), text);
            }
        }
        for property in project.all_at(&["properties"]).into_iter().flat_map(|all| &all.children) {
            pom.properties.insert(property.name.clone(), &property.text);
        }
        for element in project.all_at(&["dependencyManagement", "dependencies", "dependency"]) {
            if let (Some(name), Some(version)) = (pom.name(element, None), element.text_of("version")) {
                let version = pom.fill_properties(version);
                pom.managed.insert(name, version);
            }
        }
        pom
    }

    fn add_dependency(&self, element: &Element, origin: Origin, findings: &mut Findings) {
        let scope = element.text_of("scope");
        // An imported list of managed versions is a dependency itself.
        let origin = if scope == Some("import") { Origin::Manifest } else { origin };
        let said = RawDependency {
            dev: scope == Some("test"),
            local: scope == Some("system"),
            origin,
            ..RawDependency::default()
        };
        self.add(element, said, findings);
    }

    fn add_plugin(&self, element: &Element, findings: &mut Findings) {
        let said = RawDependency { dev: true, ..RawDependency::default() };
        self.add_named(element, self.name(element, Some("org.apache.maven.plugins")), said, findings);
    }

    fn add(&self, element: &Element, said: RawDependency<'_>, findings: &mut Findings) {
        self.add_named(element, self.name(element, None), said, findings);
    }

    fn add_named(
        &self,
        element: &Element,
        name: Option<String>,
        said: RawDependency<'_>,
        findings: &mut Findings,
    ) {
        let Some(name) = name else { return };
        let own = element.text_of("version").map(|version| self.fill_properties(version));
        let asked = own.as_deref().or(self.managed.get(&name).map(String::as_str));
        let at = element.first_child("artifactId").map_or(element.at, |artifact| artifact.at);
        // Ranges begin with a bracket, and a property of another file gives no version yet.
        let version = asked.filter(|asked| !asked.starts_with(['[', '(']) && !asked.contains("${"));
        findings.add(RawDependency { at, name: name.into(), requirement: asked, version, ..said });
    }

    fn name(&self, element: &Element, group: Option<&str>) -> Option<String> {
        let group = element.text_of("groupId").or(group)?;
        let artifact = element.text_of("artifactId")?;
        Some(format!("{}:{}", self.fill_properties(group), self.fill_properties(artifact)))
    }

    /// Fills the properties that this file explains into `text`.
    fn fill_properties(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for _ in 0..STEPS {
            let Some((start, end)) = find_placeholder(&text) else { break };
            let Some(value) = self.properties.get(&text[start + 2..end]) else { break };
            // A circle would grow without end; a version is short.
            if text.len() + value.len() > 400 {
                break;
            }
            text.replace_range(start..=end, value);
        }
        text
    }
}

/// Finds the first `${` and its `}`.
fn find_placeholder(text: &str) -> Option<(usize, usize)> {
    let start = text.find("${")?;
    Some((start, start + text[start..].find('}')?))
}
