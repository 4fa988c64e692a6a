//! Holds the open workspaces, and the parts that they share.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use hob_base::AbsPath;
use hob_edit::Edits;
use hob_live::live::{Live, LiveOptions};
use hob_live::process::own_memory;
use hob_proto::groups::ProjectGroups;
use hob_proto::tools::metrics::CacheUse;
use hob_proto::user_file::UserFileError;
use hob_store::{Store, StoreNotice};
use hob_workspace::package_source::PackageCaches;
use hob_workspace::{
    BroadFolders, Debounce, DirtySet, ResolvedFolder, Root, RootError, RootKind, RuleOptions, Rules,
    SharedWatch, WatchSetup, Watcher, place_of, root_around,
};

use super::attempts::Attempts;
use super::clock::unix_seconds_of;
use super::collect::{CollectError, Collected, Collector, RetentionLimits};
use super::evict::{AGAIN, Leaving, Watch, find_superfluous};
use super::facts::FactsCache;
use super::folder_name::folder_name;
use super::lull::Lull;
use super::notices::Notices;
use super::open_workspaces::{OpenWorkspaces, UsedWorkspace};
use super::org::OrgList;
use super::services::{Pools, SharedServices};
use super::snapshot::folder::Snapshots;
use super::source_jars::UnpackedSources;
use super::trust::Trust;
use super::vectors::models::Models;
use super::vectors::state::Vectors;
use super::workspace::{Workspace, WorkspaceParts};
use super::{derive, indexer, slow};
use hob_base::lock;
use hob_settings::MemoryBudget;
use hob_settings::Settings;

/// Time for which a found root is believed. A new `.git` folder or a removed one is noticed after it.
const ROOT_MEMORY: Duration = Duration::from_secs(5);

/// Time without calls after which the system is given the memory of facts that calls have read.
const PAGES_REST: Duration = Duration::from_secs(60);

/// Most folders whose root is believed; clients may name any.
const MOST_ROOTS: usize = 4_096;

/// The settings of a host: its folders and its limits.
#[derive(Clone, Debug)]
pub struct HostOptions {
    /// Folder of the store.
    pub store: PathBuf,
    /// Folder of the workspaces' snapshots.
    pub snapshots: AbsPath,
    /// True if the texts of a workspace are stored in its snapshot too, side by side, so that broad searches open no
    /// files.
    pub keep_contents: bool,
    /// Folder of the data of edits: those that wait, those under way, the last ones.
    pub edits: AbsPath,
    /// Folder of the embedding models that the user has added.
    pub models: AbsPath,
    /// Folder for the barrier's cookies, private to the user.
    pub cookies: AbsPath,
    /// The memory limit of all workspaces together.
    pub memory: MemoryBudget,
    /// Number of threads that index; 0 for as many as there are processors.
    pub index_threads: usize,
    /// The user's home folder, which is no workspace by itself unless the user says so.
    pub home: Option<AbsPath>,
    /// Folder of the unpacked sources of jars.
    pub unpacked: AbsPath,
    /// The folders in which package managers keep sources that all projects share.
    pub package_caches: PackageCaches,
    /// The file of the user's groups of projects; without one there are no groups.
    pub groups_file: Option<PathBuf>,
}

impl HostOptions {
    /// Returns options with all folders in `folder` and the usual limits, for hosts that stay away from the user's own
    /// files of hob.
    #[must_use]
    pub fn in_folder(folder: &AbsPath) -> Self {
        Self {
            store: folder.join("store").as_path().to_owned(),
            snapshots: folder.join("snapshots"),
            keep_contents: true,
            edits: folder.join("edits"),
            models: folder.join("models"),
            cookies: folder.join("cookies"),
            memory: MemoryBudget::default(),
            index_threads: 0,
            home: None,
            unpacked: folder.join("packages"),
            package_caches: PackageCaches::default(),
            groups_file: None,
        }
    }
}

/// The reason why no workspace could be opened for a call.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// There is no folder to start from.
    #[error(transparent)]
    Root(#[from] RootError),
}

/// The root that was found around a place.
pub(super) struct KnownRoot {
    pub(super) root: Root,
    place: ResolvedFolder,
    at: Instant,
}

/// The open workspaces of this daemon, with the parts that they share.
pub struct Host {
    pub(super) options: HostOptions,
    store: Arc<dyn Store>,
    attempts: Arc<Attempts>,
    pub(super) shared: SharedServices,
    pub(super) edits: Edits,
    pub(super) open: OpenWorkspaces,
    collector: Arc<Collector>,
    pub(super) unpacked: UnpackedSources,
    memory: Mutex<Watch>,
    lull: Arc<Lull>,
    pub(super) broad: BroadFolders,
    watching: SharedWatch,
    pub(super) org_list: OrgList,
    /// Roots by the folder for which they were found.
    pub(super) roots: Mutex<HashMap<AbsPath, KnownRoot>>,
    /// Number of times that a root was known, and that it had to be found.
    roots_used: (AtomicU64, AtomicU64),
}

impl Host {
    /// Returns a host without language servers.
    ///
    /// # Errors
    /// As [`Host::with_live`].
    pub fn new(options: HostOptions) -> Result<Self, rayon::ThreadPoolBuildError> {
        Self::with_live(options, LiveOptions::default(), Trust::default(), Settings::default())
    }

    /// Returns the user's groups of projects, as they are now.
    ///
    /// # Errors
    /// [`UserFileError`] if the file cannot be used.
    pub fn project_groups(&self) -> Result<ProjectGroups, UserFileError> {
        self.options.groups_file.as_deref().map_or_else(|| Ok(ProjectGroups::default()), ProjectGroups::read)
    }

    /// Opens the store and starts the pools. `trust` and `settings` hold the user's word.
    ///
    /// # Errors
    /// Fails if the system refuses to start threads.
    pub fn with_live(
        options: HostOptions,
        live: LiveOptions,
        trust: Trust,
        settings: Settings,
    ) -> Result<Self, rayon::ThreadPoolBuildError> {
        let opened = hob_store::open(&options.store);
        let notices = Arc::new(Notices::default());
        if let Some(notice) = opened.notice {
            notices.add_once("store", store_notice(&notice));
        }
        let edits = open_edits(&options.edits, &notices);
        let models = Arc::new(Models::new(options.models.as_path().to_path_buf()));
        let (store, open) = (opened.store, OpenWorkspaces::default());
        let folders = [options.snapshots.clone(), options.unpacked.clone()];
        let shared = SharedServices {
            pools: Arc::new(Pools::new(options.index_threads)?),
            notices,
            live: Arc::new(Live::new(live)),
            settings: Arc::new(settings),
            models,
            trust,
        };
        Ok(Self {
            collector: Arc::new(Collector::new(Arc::clone(&store), folders, Arc::clone(&open))),
            unpacked: UnpackedSources::in_folder(options.unpacked.clone()),
            broad: BroadFolders::new(options.home.as_ref()),
            attempts: Arc::new(Attempts::open(&options.store.with_file_name("parsing"))),
            options,
            store,
            shared,
            edits,
            open,
            memory: Mutex::default(),
            lull: Lull::new(PAGES_REST),
            watching: SharedWatch::default(),
            org_list: OrgList::default(),
            roots: Mutex::default(),
            roots_used: Default::default(),
        })
    }

    /// Returns the workspace that `start` (a folder or file) is in, opened and being indexed if it was not.
    ///
    /// # Errors
    /// [`OpenError`] when there is nothing to open.
    pub fn workspace(&self, start: &AbsPath) -> Result<Arc<Workspace>, OpenError> {
        Ok(self.use_workspace(&self.root_of(start)?, false))
    }

    /// Returns the open workspace that `start` is in; `None` if it is not open. This opens nothing and does not count
    /// as a use, so it keeps no workspace in memory.
    #[must_use]
    pub fn workspace_if_open(&self, start: &AbsPath) -> Option<Arc<Workspace>> {
        let root = self.root_of(start).ok()?;
        lock(&self.open).get(&root).map(|entry| Arc::clone(&entry.workspace))
    }

    /// Returns the workspace with this root, opened and being indexed if it was not. `is_package` says that it is
    /// wanted as the source of a package.
    pub(super) fn use_workspace(&self, root: &AbsPath, is_package: bool) -> Arc<Workspace> {
        self.collector.note_use();
        self.release_pages_in_lull();
        let mut open = lock(&self.open);
        let start = || UsedWorkspace {
            workspace: self.start(root.clone(), is_package),
            used: Instant::now(),
            is_package,
        };
        let entry = open.entry(root.clone()).or_insert_with(start);
        entry.used = Instant::now();
        entry.is_package &= is_package;
        let workspace = Arc::clone(&entry.workspace);
        let with_servers = self.shared.live.is_any_running();
        if (open.len() > 1 || with_servers) && lock(&self.memory).is_due(with_servers) {
            self.evict_superfluous(&mut open);
        }
        workspace
    }

    /// Has the memory of facts that questions have read, and of flows that they have opened, given to the system once nobody
    /// asks any more.
    fn release_pages_in_lull(&self) {
        let open = Arc::downgrade(&self.open);
        self.lull.note_use(move || {
            let Some(open) = open.upgrade() else { return };
            let workspaces: Vec<_> = lock(&open).values().map(|entry| Arc::clone(&entry.workspace)).collect();
            for workspace in workspaces {
                workspace.map().close_flows();
                workspace.facts.release_memory();
            }
        });
    }

    /// Starts a thread that evicts while memory is over its limit, because no call may come for a long time.
    pub fn settle_memory(self: &Arc<Self>) {
        if !lock(&self.memory).begin_waiting() {
            return;
        }
        let host = Arc::downgrade(self);
        let settle = move || {
            loop {
                std::thread::sleep(AGAIN);
                let Some(host) = host.upgrade() else { return };
                host.evict_superfluous(&mut lock(&host.open));
                if !lock(&host.memory).goes_on() {
                    return;
                }
            }
        };
        if std::thread::Builder::new().name("hob-memory".to_owned()).spawn(settle).is_err() {
            lock(&self.memory).record_look(false);
            lock(&self.memory).goes_on();
        }
    }

    /// Evicts workspaces and servers. The caller holds the lock, because a workspace must not be opened again before it
    /// has been saved.
    fn evict_superfluous(&self, open: &mut HashMap<AbsPath, UsedWorkspace>) {
        let servers = self.shared.live.pool().memory_costs();
        let of_servers: u64 = servers.iter().map(|(_, bytes, _)| bytes).sum();
        if own_memory().is_some_and(|own| own + of_servers > self.options.memory.bytes) {
            // Facts that the system may take count as resident while questions have read them lately.
            open.values().for_each(|entry| entry.workspace.facts.release_memory());
        }
        let judged = find_superfluous(open.iter(), servers, own_memory(), self.options.memory);
        // Evicted ones may have taken more or less memory than was estimated.
        lock(&self.memory).record_look(judged.is_over || !judged.leaving.is_empty());
        if judged.is_over {
            open.values().for_each(|entry| entry.workspace.joined.give_back());
        }
        for leaving in judged.leaving {
            match leaving {
                Leaving::Server(key) => {
                    tracing::info!(server = key.server, root = %key.root, "stopping it to stay within the memory budget");
                    self.shared.live.pool().stop_aside(|other| *other == key);
                }
                Leaving::Workspace(root) => {
                    let Some(gone) = open.remove(&root) else { continue };
                    tracing::info!(%root, "closing a workspace to stay within the memory budget");
                    gone.workspace.close();
                    // Nothing would tell its servers of changes any more.
                    self.shared.live.stop_all_of(&root);
                }
            }
        }
    }

    /// Returns the edits of all workspaces: pending changes, journal and undo.
    #[must_use]
    pub fn edits(&self) -> &Edits {
        &self.edits
    }

    /// Returns the embedding models that the user has installed.
    #[must_use]
    pub fn models(&self) -> &Models {
        &self.shared.models
    }

    /// Has the open workspaces follow a change of the model that counts.
    pub fn models_changed(&self) {
        self.workspaces().iter().for_each(Vectors::catch_up);
    }

    /// Returns the live layer with its language servers.
    #[must_use]
    pub fn live(&self) -> &Arc<Live> {
        &self.shared.live
    }

    /// Returns the open workspaces, most recently used first.
    #[must_use]
    pub fn workspaces(&self) -> Vec<Arc<Workspace>> {
        let open = lock(&self.open);
        let mut all: Vec<_> = open.values().map(|entry| (entry.used, Arc::clone(&entry.workspace))).collect();
        all.sort_by_key(|(used, _)| std::cmp::Reverse(*used));
        all.into_iter().map(|(_, workspace)| workspace).collect()
    }

    /// Returns the notices to users about the daemon itself.
    #[must_use]
    pub fn notices(&self) -> Vec<String> {
        self.shared.notices.all()
    }

    /// Returns the problems of the user's settings.
    #[must_use]
    pub fn setting_problems(&self) -> Vec<String> {
        self.shared.settings.user_problems()
    }

    /// Returns the store that all workspaces share on the disk.
    #[must_use]
    pub fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// Returns the bytes that the store takes on disk.
    #[must_use]
    pub fn store_bytes(&self) -> u64 {
        self.store.size_on_disk()
    }

    /// Returns the hits and misses of caches: of the facts of files (of the open workspaces), and of the project that
    /// a folder is in.
    #[must_use]
    pub fn cache_uses(&self) -> Vec<CacheUse> {
        let open = self.workspaces();
        let counts = open.iter().map(|workspace| workspace.facts_counts());
        let (made, found) = counts.fold((0, 0), |sum, (made, found)| (sum.0 + made, sum.1 + found));
        let (known, looked) = &self.roots_used;
        let of = |name: &str, hits, misses| CacheUse { name: name.to_owned(), hits, misses };
        vec![
            of("facts of files", found, made),
            of("projects of folders", known.load(Ordering::Relaxed), looked.load(Ordering::Relaxed)),
        ]
    }

    /// Runs the collection immediately, which the daemon otherwise does once a day: removes facts and snapshots of no
    /// further use. `now` decides how long they have been unused.
    ///
    /// # Errors
    /// [`CollectError`] when it ends early.
    pub fn collect_unused(&self, keep: RetentionLimits, now: SystemTime) -> Result<Collected, CollectError> {
        self.collector.collect_now(keep, unix_seconds_of(now), &|| true)
    }

    /// Ends every workspace's threads, saves them, and flushes the store.
    pub fn close(&self) {
        self.collector.close();
        let workspaces = self.workspaces();
        // All are stopped first: saving one waits for its present work, and the others need not go on meanwhile.
        workspaces.iter().for_each(|workspace| workspace.stop());
        workspaces.iter().for_each(|workspace| workspace.close());
        lock(&self.open).clear();
        self.shared.live.close();
        if let Err(error) = self.store.flush() {
            tracing::warn!(%error, "the store could not be flushed");
        }
    }

    /// Finds the root of `start`. The folder to which `start` leads is resolved every time, because a link may lead
    /// elsewhere and a folder be replaced; the root around that folder is believed for a while. Nothing is opened.
    ///
    /// # Errors
    /// [`OpenError`] if `start` is not there, or is too broad to be a project.
    fn find_root(&self, start: &AbsPath) -> Result<Root, OpenError> {
        let now = Instant::now();
        let place = place_of(start)?;
        let known = lock(&self.roots)
            .get(&place.folder)
            .filter(|known| now - known.at < ROOT_MEMORY && known.place == place)
            .map(|known| known.root.clone());
        let used = if known.is_some() { &self.roots_used.0 } else { &self.roots_used.1 };
        used.fetch_add(1, Ordering::Relaxed);
        let is_known = known.is_some();
        let root = match known {
            Some(root) => root,
            None => root_around(&place, &self.broad.with_allowed(&self.shared.settings.allowed_roots()))?,
        };
        if !is_known {
            let known = KnownRoot { root: root.clone(), place: place.clone(), at: now };
            let mut roots = lock(&self.roots);
            if roots.len() >= MOST_ROOTS {
                roots.retain(|_, known| now - known.at < ROOT_MEMORY);
            }
            if roots.len() >= MOST_ROOTS {
                roots.clear();
            }
            roots.insert(place.folder, known);
        }
        Ok(root)
    }

    pub(super) fn root_of(&self, start: &AbsPath) -> Result<AbsPath, OpenError> {
        self.find_root(start).map(|root| root.path)
    }

    /// Returns the root of the project that `place` is in, if that is not the project of `from`, and something marks
    /// it as a project: a folder like `/etc` is one only if the caller says so. Nothing is opened.
    #[must_use]
    pub fn other_project(&self, place: &AbsPath, from: &AbsPath) -> Option<AbsPath> {
        let own = self.root_of(from).ok();
        if own.as_ref().is_some_and(|own| place.as_path().starts_with(own.as_path())) {
            return None;
        }
        let named = self.find_root(place).ok()?;
        (named.kind != RootKind::Plain && Some(&named.path) != own.as_ref()).then_some(named.path)
    }

    fn start(&self, root: AbsPath, is_package: bool) -> Arc<Workspace> {
        let dirty = Arc::new(DirtySet::new(Debounce::default()));
        let options = if is_package { RuleOptions::for_package() } else { RuleOptions::default() };
        let rules = Arc::new(Rules::new(root.clone(), options));
        let name = folder_name(&root);
        let cookie_dir = self.options.cookies.join(&name);
        let snapshots = Snapshots::new(self.options.snapshots.join(&name), self.options.keep_contents);
        let setup = WatchSetup { rules: Arc::clone(&rules), dirty: Arc::clone(&dirty), cookie_dir };
        let watcher = Watcher::with_backend(setup, self.watching.backend_maker());
        // Files without a name, of all workspaces: the folder of one may be purged while its threads come to their end.
        let folder = self.options.snapshots.as_path().to_path_buf();
        let facts = FactsCache::new(Arc::clone(&self.store), Arc::clone(&self.attempts), folder);
        tracing::info!(%root, "opening a workspace");
        let workspace = Arc::new(Workspace::from_parts(WorkspaceParts {
            rules,
            watcher,
            dirty,
            shared: self.shared.clone(),
            facts,
            snapshots,
        }));
        self.spawn("indexer", &workspace, indexer::run);
        self.spawn("deriver", &workspace, derive::run);
        self.spawn("slow", &workspace, slow::run);
        workspace
    }

    /// Starts a thread of a workspace. A panic in it ends nothing but that thread.
    fn spawn(&self, name: &str, workspace: &Arc<Workspace>, run: fn(&Arc<Workspace>)) {
        let held = Arc::clone(workspace);
        let body = move || drop(catch_unwind(AssertUnwindSafe(|| run(&held))));
        let started = std::thread::Builder::new().name(format!("hob-{name}")).spawn(body);
        if let Err(error) = started {
            self.shared.notices.add_once(
                "threads",
                format!("A thread could not be started ({error}); answers will be incomplete."),
            );
        }
    }
}

/// Opens the edits, and finishes those that an earlier daemon had begun to write, before anything is read.
fn open_edits(folder: &AbsPath, notices: &Notices) -> Edits {
    let (edits, report) = Edits::open(folder, Box::new(SystemTime::now));
    for what in &report.recovered {
        tracing::warn!("{what}");
    }
    if !report.warnings.is_empty() {
        notices.add_once("edits", report.warnings.join(" "));
    }
    edits
}

fn store_notice(notice: &StoreNotice) -> String {
    let mut text = notice.to_string();
    if let Some(first) = text.get(..1) {
        let upper = first.to_uppercase();
        text.replace_range(..1, &upper);
    }
    text.push('.');
    text
}
