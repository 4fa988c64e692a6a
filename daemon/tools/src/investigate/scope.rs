//! Reads the scope of an investigation, and the bounds that it sets.

use std::collections::BTreeSet;
use std::sync::Arc;

use hob_base::WsPath;
use hob_map::Map;
use hob_map::graph::NodeRef;
use hob_proto::ToolError;
use hob_text::ranked::DocKind;

use super::super::ToolCall;
use super::super::map::confined_path;
use super::super::scope::Rules;
use hob_host::Workspace;

/// Most names that an error lists.
const TOLD: usize = 8;

/// A scope as the caller writes it.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum TopicScope {
    All,
    Repo(String),
    Project(String),
    Path(String),
    Vault,
}

/// The bounds that a scope sets in a workspace.
pub(super) struct Bounds {
    pub(super) below: Option<WsPath>,
    /// The rules of the call's `paths` and `tests`.
    pub(super) rules: Arc<Rules>,
    /// True if the scope has only notes.
    pub(super) notes: bool,
}

impl TopicScope {
    pub(super) fn parse(text: &str) -> Result<Self, ToolError> {
        let text = text.trim();
        let named = |rest: &str| (!rest.trim().is_empty()).then(|| rest.trim().to_owned());
        let scope = match text.split_once(':') {
            None if text.eq_ignore_ascii_case("all") => Some(Self::All),
            None if text.eq_ignore_ascii_case("vault") => Some(Self::Vault),
            Some(("repo", name)) => named(name).map(Self::Repo),
            Some(("project", name)) => named(name).map(Self::Project),
            Some(("path", path)) => named(path).map(Self::Path),
            _ => None,
        };
        scope.ok_or_else(|| {
            ToolError::bad_args(format!("`{text}` is no scope"))
                .hint("Pass all, vault, repo:<name>, project:<package or folder> or path:<prefix>.")
        })
    }

    /// Has the call begin in the project that the scope names, if it names one.
    pub(super) fn choose_project(&self, call: &mut ToolCall<'_>) -> Result<(), ToolError> {
        let Self::Repo(name) = self else { return Ok(()) };
        let own = call
            .services
            .host
            .workspace(&call.terms.start)
            .map_err(|error| hob_results::errors::open(&error))?;
        if is_called(&own, name) {
            return Ok(());
        }
        let open = call.services.host.workspaces();
        let Some(other) = open.iter().find(|workspace| is_called(workspace, name)) else {
            let names: BTreeSet<String> = open.iter().map(|workspace| name_of(workspace)).collect();
            let names: Vec<String> = names.into_iter().take(TOLD).collect();
            return Err(ToolError::bad_args(format!("no open project is called `{name}`")).hint(format!(
                "Open are {}; any other is opened by passing its folder as root.",
                names.join(", ")
            )));
        };
        call.terms.start = other.root().clone();
        Ok(())
    }

    pub(super) fn bounds_in(&self, workspace: &Workspace, rules: &Arc<Rules>) -> Result<Bounds, ToolError> {
        let below = match self {
            Self::All | Self::Repo(_) | Self::Vault => None,
            Self::Path(path) => confined_path(workspace, Some(path))?,
            Self::Project(name) => Some(project(workspace, name)?),
        };
        let below = below.filter(|path| !path.is_root());
        Ok(Bounds { below, rules: Arc::clone(rules), notes: *self == Self::Vault })
    }
}

impl Bounds {
    pub(super) fn doc_kinds(&self) -> Vec<DocKind> {
        if self.notes { vec![DocKind::Section, DocKind::Note] } else { Vec::new() }
    }

    pub(super) fn admits_node(&self, map: &Map, node: NodeRef) -> bool {
        let Some((path, facts)) = node.file().and_then(|file| map.file(file)) else { return false };
        let is_in = self.below.as_ref().is_none_or(|below| path.is_below(below));
        is_in && (!self.notes || facts.lang.is_prose()) && self.rules.has_node(map, node)
    }
}

fn name_of(workspace: &Workspace) -> String {
    let path = workspace.root().as_path();
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn is_called(workspace: &Workspace, name: &str) -> bool {
    name_of(workspace).eq_ignore_ascii_case(name) || workspace.root().as_path() == std::path::Path::new(name)
}

/// Returns the folder of the package with this name, or else the folder with it.
fn project(workspace: &Workspace, name: &str) -> Result<WsPath, ToolError> {
    let packages = workspace.map().folders_of_package(name);
    let folders: BTreeSet<String> = match packages.is_empty() {
        true => folders_called(workspace, name.trim_matches('/')),
        false => packages.into_iter().collect(),
    };
    let mut folders = folders.into_iter();
    match (folders.next(), folders.next()) {
        (Some(folder), None) => {
            WsPath::new(&folder).or_else(|_| Ok(WsPath::root())).map_err(|error: hob_base::PathError| {
                ToolError::bad_args(format!("`{folder}` is no folder: {error}"))
            })
        }
        (None, _) => Err(ToolError::bad_args(format!("no package and no folder is called `{name}`"))
            .hint("Pass path:<prefix>, or leave scope out; map_overview shows the folders.")),
        (Some(one), Some(other)) => {
            let rest = folders.take(TOLD).map(|folder| format!(", `{folder}`")).collect::<String>();
            Err(ToolError::bad_args(format!("`{name}` is several folders: `{one}`, `{other}`{rest}"))
                .hint("Pass path:<prefix> with the one that is meant."))
        }
    }
}

/// Returns the folder with this path, or else the folders with this last name.
fn folders_called(workspace: &Workspace, name: &str) -> BTreeSet<String> {
    let text = workspace.text();
    let mut named = BTreeSet::new();
    for (_, path) in text.indexed_paths() {
        let mut folder = path.dir();
        while !folder.is_empty() {
            if folder == name {
                return BTreeSet::from([name.to_owned()]);
            }
            let (above, last) = folder.rsplit_once('/').unwrap_or(("", folder));
            if last.eq_ignore_ascii_case(name) {
                named.insert(folder.to_owned());
            }
            folder = above;
        }
    }
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_read_as_they_are_documented() {
        let read = |text: &str| TopicScope::parse(text).ok();
        assert_eq!(read("all"), Some(TopicScope::All));
        assert_eq!(read(" Vault "), Some(TopicScope::Vault));
        assert_eq!(read("repo: hob"), Some(TopicScope::Repo("hob".to_owned())));
        assert_eq!(read("project:@x/web"), Some(TopicScope::Project("@x/web".to_owned())));
        assert_eq!(read("path:src/net"), Some(TopicScope::Path("src/net".to_owned())));
        for wrong in ["", "repo:", "everything", "folder:a"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
