//! Gives calls the code search of the user's organisation, and tells which of its repositories are open here.
//!
//! Only the user's own file names the server, so it is the same for every project. Its list of repositories may be long
//! and hardly changes, so it is cached for a minute. Nothing here searches.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hob_base::{AbsPath, CancelToken, WsPath, lock};
use hob_org::identity::LocalNames;
use hob_org::wire::RepositoryList;
use hob_org::{OrgEndpoint, OrgError};
use hob_workspace::git::Repository;

use super::registry::Host;
use super::workspace::Workspace;

/// Time for which a list of repositories is believed.
const LIST_MEMORY: Duration = Duration::from_secs(60);

/// The list of repositories that was read last.
#[derive(Debug, Default)]
pub(super) struct OrgList(Mutex<Option<KnownList>>);

#[derive(Debug)]
struct KnownList {
    endpoint: OrgEndpoint,
    at: Instant,
    list: Arc<RepositoryList>,
}

impl Host {
    /// Returns the code search of the organisation, if the user's own settings name one.
    #[must_use]
    pub fn org_endpoint(&self) -> Option<Arc<OrgEndpoint>> {
        self.shared.settings.org_endpoint()
    }

    /// Returns the repositories of the code search, as they were at most a minute ago. Blocks until the server has
    /// answered.
    ///
    /// # Errors
    /// [`OrgError`].
    pub fn org_repositories(
        &self,
        endpoint: &OrgEndpoint,
        cancel: &CancelToken,
    ) -> Result<Arc<RepositoryList>, OrgError> {
        let is_current = |known: &&KnownList| known.endpoint == *endpoint && known.at.elapsed() < LIST_MEMORY;
        if let Some(known) = lock(&self.org_list.0).as_ref().filter(is_current) {
            return Ok(Arc::clone(&known.list));
        }
        let list = Arc::new(endpoint.list_repositories(cancel)?);
        let known = KnownList { endpoint: endpoint.clone(), at: Instant::now(), list: Arc::clone(&list) };
        *lock(&self.org_list.0) = Some(known);
        Ok(list)
    }

    /// Returns the open projects, most recently used first; sources of packages do not count.
    #[must_use]
    pub fn open_projects(&self) -> Vec<Arc<Workspace>> {
        let open = lock(&self.open);
        let projects = open.values().filter(|entry| !entry.is_package);
        let mut all: Vec<_> = projects.map(|entry| (entry.used, Arc::clone(&entry.workspace))).collect();
        all.sort_by_key(|(used, _)| std::cmp::Reverse(*used));
        all.into_iter().map(|(_, workspace)| workspace).collect()
    }
}

/// Returns the names under which the repository of a project may be known elsewhere, and the project's path in it.
#[must_use]
pub fn local_names(root: &AbsPath) -> (LocalNames, WsPath) {
    let repository = Repository::discover(root).ok().flatten();
    let folders = repository.as_ref().map(Repository::folders_to_workspace).unwrap_or_default();
    let Ok(below) = WsPath::new(&folders.join("/")) else { return (LocalNames::default(), WsPath::root()) };
    let top = root.as_path().ancestors().nth(folders.len());
    let folder = top.and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or_default();
    let remotes = repository.as_ref().map(Repository::remote_addresses).unwrap_or_default();
    (LocalNames::new(folder, remotes.iter().map(String::as_str)), below)
}
