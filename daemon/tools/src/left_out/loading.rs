//! Has a server load the files that an answer needs: one of each project that it does not know, and those that its
//! answer left out.

use std::collections::BTreeSet;

use hob_base::WsPath;
use hob_bridge::Missing;
use hob_live::instance::Instance;
use hob_live::live::LiveError;
use hob_live::requests::ServerQueryContext;

use super::super::ask::text_of;
use super::solution::{self, OtherProjects, ProjectsQuery};
use hob_host::Workspace;

/// Most projects of which a server is shown a file, so that its open files stay well below their limit.
const MOST_PROJECTS: usize = 24;

/// Most files that a server is shown at a time of those that it left out.
const SHOWN_AT_ONCE: usize = 10;

/// Shows a server a file of each project that it would not know by itself, before it is asked about a file.
///
/// # Errors
/// [`LiveError::Refused`] if the server is gone.
pub(crate) fn show_other_projects(
    workspace: &Workspace,
    file: &WsPath,
    instance: &Instance,
    asking: ServerQueryContext<'_>,
) -> Result<(), LiveError> {
    show_files(instance, &other_projects(workspace, file, instance, &|| None).files, asking)
}

/// Returns a file of each project that a server would not know by itself. If `may_use` names files, only projects with
/// one of these count.
pub(super) fn other_projects(
    workspace: &Workspace,
    asked: &WsPath,
    instance: &Instance,
    may_use: &dyn Fn() -> Option<BTreeSet<WsPath>>,
) -> OtherProjects {
    let spec = instance.spec();
    if spec.projects.is_empty() {
        return OtherProjects::default();
    }
    let text = workspace.text();
    let is_of_use =
        |path: &WsPath| path.file_name().ends_with(".json") || spec.language_of(path.file_name()).is_some();
    let mut files: Vec<WsPath> =
        text.indexed_paths().map(|(_, path)| path).filter(|path| is_of_use(path)).cloned().collect();
    files.sort();
    let question = ProjectsQuery { asked, may_use, roots: spec.projects, most: MOST_PROJECTS };
    solution::find_other_projects(&files, &question, &|path| text_of(workspace, path))
}

/// Opens files in a server; unreadable ones are skipped.
pub(super) fn show_files(
    instance: &Instance,
    files: &[WsPath],
    asking: ServerQueryContext<'_>,
) -> Result<(), LiveError> {
    let server = instance.spec().name;
    files.iter().try_for_each(|file| match instance.open(file, asking.read) {
        Ok(_) => Ok(()),
        Err(error) => Err(LiveError::Refused { server, error }),
    })
}

/// Returns files with missing uses that the server serves and has not open, from as many folders as possible.
pub(super) fn unseen_files(workspace: &Workspace, server: &str, missing: &[Missing]) -> Vec<WsPath> {
    let running = workspace.live().pool().running_servers(workspace.root());
    let Some(instance) = running.iter().find(|instance| instance.spec().name == server) else {
        return Vec::new();
    };
    let all: BTreeSet<&WsPath> = missing.iter().map(|one| &one.path).collect();
    let serves = |path: &WsPath| instance.spec().language_of(path.file_name()).is_some();
    let mut unseen: Vec<(usize, &WsPath)> = Vec::new();
    for path in all.into_iter().filter(|path| serves(path) && instance.version(path).is_none()) {
        let before = unseen.iter().filter(|(_, other)| other.dir() == path.dir()).count();
        unseen.push((before, path));
    }
    unseen.sort();
    unseen.into_iter().take(SHOWN_AT_ONCE).map(|(_, path)| path.clone()).collect()
}
