//! Answers questions about a file with a running server: `look` finds the server, and the pool runs it.

mod error;
mod look;

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::time::Duration;

use hob_base::{AbsPath, CancelToken, Stopped, WsPath, lock};

use crate::catalogue;
use crate::documents::{FileChange, ReadText};
use crate::find::Finder;
use crate::instance::Instance;
use crate::pool::{InstanceKey, Pool, PoolOptions, ServerStatus};
use crate::preferences::Preferences;
use crate::process::Guard;
use crate::rpc::CallError;

pub use error::LiveError;
pub(crate) use error::of_call;
pub use look::ServerLookup;

/// Number of projects whose preferences are cached before those of projects without servers are dropped.
const MOST_SETTLED: usize = 1_024;

/// Pause between two checks whether the caller of a call that waits for a server's end has cancelled it.
const LOOK_EVERY: Duration = Duration::from_millis(25);

/// Name of a file in the folder of a server that hob installed. It is made last: without it the installation was not
/// finished, and nothing in the folder counts.
pub const STAMP: &str = "installed.hob";

/// The surroundings of the live layer: its folders, its environment and the options of its parts.
#[derive(Clone, Debug, Default)]
pub struct LiveOptions {
    /// The program that runs servers so that they cannot outlive the daemon; `None` to run them without a guard.
    pub guard: Option<Guard>,
    /// The folder where hob installs servers, each into a folder of its own name; they take precedence over the user's
    /// search path.
    pub own: Option<PathBuf>,
    /// The folder for the cache directories of servers; see [`crate::keep`].
    pub keep: Option<PathBuf>,
    /// The environment with which servers are started; see [`crate::process::scrubbed_environment`].
    pub env: Vec<(OsString, OsString)>,
    /// The times of the pool; see [`PoolOptions`].
    pub pool: PoolOptions,
}

/// A project as the live layer sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LiveProject {
    /// The root of the project.
    pub root: AbsPath,
    /// True if the user trusts the project: see the catalogue's `restricted`.
    pub trusted: bool,
    /// The user's preferences for the servers of the project.
    pub preferences: Arc<Preferences>,
}

/// The live layer of one daemon.
#[derive(Debug)]
pub struct Live {
    pool: Arc<Pool>,
    finder: Finder,
    known: look::ServerLookupCache,
    /// The last known state of each project: whether the user trusts it, and the preferences for it.
    settled: Mutex<HashMap<AbsPath, (bool, Arc<Preferences>)>>,
    /// Number of calls that are ending servers, by project.
    leaving: Mutex<HashMap<AbsPath, usize>>,
    left: Condvar,
    clients: Mutex<HashMap<Used, Vec<Weak<LiveCaller>>>>,
    /// The clients that have been told that a server runs restricted, by server and project.
    told: Mutex<HashMap<Used, Vec<Weak<LiveCaller>>>>,
    options: LiveOptions,
}

/// A client that asks, for as long as it is connected.
#[derive(Debug, Default)]
pub struct LiveCaller(());

/// A kind of server in a project.
type Used = (&'static str, AbsPath);

impl Live {
    /// Creates the live layer without any running server.
    #[must_use]
    pub fn new(options: LiveOptions) -> Self {
        let pool = Pool::new(options.guard.clone(), options.pool);
        Self {
            pool,
            finder: Finder::default(),
            known: look::ServerLookupCache::default(),
            settled: Mutex::default(),
            leaving: Mutex::default(),
            left: Condvar::new(),
            clients: Mutex::default(),
            told: Mutex::default(),
            options,
        }
    }

    /// Asks the server of `path` something; if the server dies meanwhile, asks a new one once more.
    ///
    /// # Errors
    /// [`LiveError`].
    pub fn ask<T>(
        &self,
        project: &LiveProject,
        path: &WsPath,
        cancel: &CancelToken,
        question: impl Fn(&Instance) -> Result<T, LiveError>,
    ) -> Result<T, LiveError> {
        let mut again = true;
        loop {
            let instance = self.running_instance(project, path.file_name(), cancel)?;
            let server = instance.spec().name;
            match question(&instance) {
                Err(LiveError::Refused { error: CallError::Closed(why), .. }) if again => {
                    tracing::debug!(server, why, "asking again: the server went away under the question");
                    again = false;
                }
                outcome => return outcome,
            }
        }
    }

    /// Returns the running server for files of this name.
    ///
    /// # Errors
    /// [`LiveError`].
    pub fn running_instance(
        &self,
        project: &LiveProject,
        file_name: &str,
        cancel: &CancelToken,
    ) -> Result<Arc<Instance>, LiveError> {
        let (launch, _) = self.find_launch(project, file_name)?;
        let (server, wanted) = (launch.spec.name, InstanceKey::from_launch(&launch));
        self.end_other_forms(&wanted, cancel).map_err(|stopped| LiveError::Stopped { server, stopped })?;
        self.pool.get_as(&wanted, &launch, cancel).map_err(|error| error::of_pool(server, error))
    }

    /// Tells the running servers of a project what changed on disk.
    pub fn announce(&self, root: &AbsPath, changes: &BTreeMap<WsPath, FileChange>, read: ReadText<'_>) {
        let is_trusted = lock(&self.settled).get(root).is_some_and(|(trusted, _)| *trusted);
        if !is_trusted {
            self.end_those_that_need_trust_now(root);
        }
        self.pool.announce(root, changes, read);
    }

    /// Ends the servers of a project whose restricted form is not safe any more, because of files that the project has
    /// by now. They end before they are told of the change.
    fn end_those_that_need_trust_now(&self, root: &AbsPath) {
        for key in self.pool.keys(root) {
            let why = catalogue::by_name(key.server).and_then(|spec| (spec.needs_trust_in)(root));
            if let Some(why) = why {
                tracing::info!(server = key.server, %root, why, "it ends, because the project is not trusted");
                self.pool.stop(&key);
            }
        }
    }

    /// Returns true if any server of a project runs or is starting, or an editor holds its overlay: if not, nobody need
    /// be told of changes.
    #[must_use]
    pub fn is_used(&self, root: &AbsPath) -> bool {
        self.pool.is_used(root) || self.pool.known_view(root).is_some()
    }

    /// Returns true if any server of any project runs or is starting.
    #[must_use]
    pub fn is_any_running(&self) -> bool {
        self.pool.is_any_running()
    }

    /// Returns the folder for the cache directories of servers.
    #[must_use]
    pub fn cache_root(&self) -> Option<&Path> {
        self.options.keep.as_deref()
    }

    /// Stops the servers of a project; the next question starts them again.
    pub fn stop_all_of(&self, root: &AbsPath) {
        self.pool.stop_aside(|key| key.root == *root);
    }

    /// Describes every server for people, ordered by its key.
    #[must_use]
    pub fn status(&self) -> Vec<ServerStatus> {
        self.pool.status()
    }

    /// Returns the pool of servers, for memory limits and tests.
    #[must_use]
    pub fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }

    /// Stops every server, for good.
    pub fn close(&self) {
        self.pool.close();
    }

    /// Ends the servers of a project that no caller would get any more, if the preferences or the trust have changed
    /// since the last time; the next caller waits for their end.
    pub fn stop_unwanted(&self, project: &LiveProject) {
        let now = (project.trusted, Arc::clone(&project.preferences));
        self.forget_settled_without_servers();
        let before = lock(&self.settled).insert(project.root.clone(), now.clone());
        let same = |before: &(bool, Arc<Preferences>)| {
            before.0 == now.0 && (Arc::ptr_eq(&before.1, &now.1) || before.1 == now.1)
        };
        if before.as_ref().is_none_or(same) {
            return;
        }
        let unwanted = |key: &InstanceKey| {
            let files = catalogue::by_name(key.server).map_or(&[][..], |spec| spec.files);
            let given = |ending: &str| self.find_launch(project, ending).ok().map(|(launch, _)| launch);
            !files.iter().any(|(ending, _)| {
                given(ending).is_some_and(|launch| InstanceKey::from_launch(&launch) == *key)
            })
        };
        let keys: Vec<_> = self.pool.keys(&project.root).into_iter().filter(unwanted).collect();
        self.end_and_forget(&project.root, &keys);
        if let Some(before) = before
            && self.pool.keys(&project.root).iter().any(|key| keys.contains(key))
        {
            // A server was still starting: the next call tries again.
            lock(&self.settled).insert(project.root.clone(), before);
        }
    }

    /// Drops the last known state of projects without servers, once there are many: with no server to end, it makes no
    /// difference.
    fn forget_settled_without_servers(&self) {
        let roots: Vec<AbsPath> = match &*lock(&self.settled) {
            settled if settled.len() < MOST_SETTLED => return,
            settled => settled.keys().cloned().collect(),
        };
        let idle: Vec<AbsPath> = roots.into_iter().filter(|root| self.pool.keys(root).is_empty()).collect();
        let mut settled = lock(&self.settled);
        idle.iter().for_each(|root| drop(settled.remove(root)));
    }

    /// Records that a client got an answer from a server.
    pub fn used_by(&self, server: &'static str, root: &AbsPath, client: &Arc<LiveCaller>) {
        note_client(&mut lock(&self.clients), (server, root.clone()), client);
    }

    /// Returns true if a client that gets an answer of a restricted server has not been told of the restriction yet;
    /// it counts as told from now on.
    #[must_use]
    pub fn is_news_of_restriction(
        &self,
        server: &'static str,
        root: &AbsPath,
        client: &Arc<LiveCaller>,
    ) -> bool {
        note_client(&mut lock(&self.told), (server, root.clone()), client)
    }

    /// Records that a server is not restricted any more: if it is restricted again later, clients are told again.
    pub fn forget_restriction(&self, server: &'static str, root: &AbsPath) {
        lock(&self.told).remove(&(server, root.clone()));
    }

    /// Returns the number of connected clients that got answers from a server.
    #[must_use]
    pub fn clients_of(&self, key: &InstanceKey) -> usize {
        let all = lock(&self.clients);
        let known = all.get(&(key.server, key.root.clone())).map_or(&[][..], Vec::as_slice);
        known.iter().filter(|client| client.strong_count() > 0).count()
    }

    /// Ends the servers of this kind and project that have another form before the new one starts: two at once would
    /// take twice the memory, and the old one may do things that the user does not want any more.
    fn end_other_forms(&self, wanted: &InstanceKey, cancel: &CancelToken) -> Result<(), Stopped> {
        let other = |key: &InstanceKey| key.server == wanted.server && key != wanted;
        let keys: Vec<_> = self.pool.keys(&wanted.root).into_iter().filter(other).collect();
        self.end_and_forget(&wanted.root, &keys);
        let mut leaving = lock(&self.leaving);
        while leaving.contains_key(&wanted.root) {
            cancel.check()?;
            leaving = self.left.wait_timeout(leaving, LOOK_EVERY).unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(())
    }

    fn end_and_forget(&self, root: &AbsPath, keys: &[InstanceKey]) {
        if keys.is_empty() {
            return;
        }
        *lock(&self.leaving).entry(root.clone()).or_default() += 1;
        for key in keys {
            tracing::info!(server = key.server, %root, "ending it: it is not wanted in this form any more");
            self.pool.stop_and_forget(key);
        }
        let mut leaving = lock(&self.leaving);
        let last = leaving.get_mut(root).is_none_or(|count| {
            *count -= 1;
            *count == 0
        });
        if last {
            leaving.remove(root);
        }
        self.left.notify_all();
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.close();
    }
}

/// Records a client of a server, and drops clients that are gone; returns true if the client is new.
fn note_client(all: &mut HashMap<Used, Vec<Weak<LiveCaller>>>, used: Used, client: &Arc<LiveCaller>) -> bool {
    let known = all.entry(used).or_default();
    known.retain(|other| other.strong_count() > 0);
    let is_new = !known.iter().any(|other| std::ptr::eq(other.as_ptr(), Arc::as_ptr(client)));
    if is_new {
        known.push(Arc::downgrade(client));
    }
    is_new
}
