//! Rewrites the paths of a project's answer to start at the folder that has all projects of the question.
//!
//! A path in an answer then works in a terminal of that folder, and shows its project. Only fields with paths or node
//! IDs are touched: lines of code and prose stay as they are.

use std::path::Path;

use hob_base::AbsPath;
use hob_proto::NodeId;
use serde_json::Value;

/// Fields that hold a path, alone or with a line behind it.
const PATHS: [&str; 4] = ["file", "path", "location", "entry_file"];
/// Fields with texts of people or of files.
const PROSE: [&str; 9] =
    ["text", "source", "snippet", "inline_body", "summary", "signature", "query", "before", "after"];

/// A project of the question.
#[derive(Clone, Debug)]
pub(crate) struct ProjectPlace {
    /// The root of the project.
    pub(crate) root: AbsPath,
    /// The path of its root below the folder that has all projects, with a `/` behind it; empty if it is that folder.
    pub(crate) prefix: String,
    /// The name by which answers call it.
    pub(crate) name: String,
    /// False if node IDs stay as they are: those of a package are valid only in the package.
    pub(crate) moves_ids: bool,
    /// The folder that has all projects.
    pub(crate) base: AbsPath,
}

/// Places the projects below the nearest folder that has them all.
pub(crate) fn places_of<'r>(roots: impl Iterator<Item = &'r AbsPath>) -> Vec<ProjectPlace> {
    let roots: Vec<&AbsPath> = roots.collect();
    let Some(first) = roots.first() else { return Vec::new() };
    let has_all = |folder: &&Path| roots.iter().all(|root| root.as_path().starts_with(folder));
    let base = first.as_path().ancestors().find(has_all).and_then(|base| AbsPath::new(base).ok());
    let base = base.unwrap_or_else(|| (*first).clone());
    let place = |root: &AbsPath| {
        let below = root.relative_to(&base).ok().map(|below| below.as_str().to_owned()).unwrap_or_default();
        let prefix = if below.is_empty() { String::new() } else { format!("{below}/") };
        let name = if below.is_empty() { root.to_string() } else { below };
        ProjectPlace { root: root.clone(), prefix, name, moves_ids: true, base: base.clone() }
    };
    roots.into_iter().map(place).collect()
}

/// Says where paths start, and which projects were asked.
pub(crate) fn said_base(places: &[ProjectPlace]) -> String {
    let names: Vec<&str> = places.iter().map(|place| place.name.as_str()).collect();
    let base = places.first().map(|place| place.base.to_string()).unwrap_or_default();
    format!("Paths are below `{base}`, of the projects {}.", names.join(", "))
}

impl ProjectPlace {
    /// Returns the place of a package, whose paths become absolute ones.
    pub(crate) fn of_package(root: &AbsPath, name: &str) -> Self {
        Self {
            root: root.clone(),
            prefix: format!("{root}/"),
            name: name.to_owned(),
            moves_ids: false,
            base: root.clone(),
        }
    }

    /// Rewrites every path and node ID of `value`.
    pub(crate) fn relocate(&self, value: &mut Value) {
        if !self.prefix.is_empty() {
            self.relocate_below("", value);
        }
    }

    fn relocate_below(&self, key: &str, value: &mut Value) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| self.relocate_below(key, item)),
            Value::Object(fields) => {
                for (key, field) in fields.iter_mut().filter(|(key, _)| !PROSE.contains(&key.as_str())) {
                    self.relocate_below(key, field);
                }
            }
            Value::String(text) => {
                if let Some(moved) = self.relocated(key, text) {
                    *text = moved;
                }
            }
            _ => {}
        }
    }

    /// Returns a path or node ID relative to the folder of all projects; `None` for any other text.
    fn relocated(&self, key: &str, text: &str) -> Option<String> {
        if text.is_empty() {
            return None;
        }
        if PATHS.contains(&key) {
            let is_elsewhere = Path::new(text).is_absolute();
            return (!is_elsewhere).then(|| format!("{}{text}", self.prefix));
        }
        let id: NodeId = text.parse().ok().filter(|_| self.moves_ids)?;
        id.path()?;
        let (lang, rest) = text.strip_prefix("sym:").unwrap_or(text).split_once(':')?;
        Some(format!("{lang}:{}{rest}", encoded(&self.prefix)))
    }
}

/// Returns a path in the encoding of node IDs.
fn encoded(prefix: &str) -> String {
    let id = NodeId::File { lang: "x".to_owned(), path: format!("{prefix}x") }.to_string();
    id.trim_start_matches("x:").trim_end_matches('x').to_owned()
}
