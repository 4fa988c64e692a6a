//! A temporary tree, a small generator of random numbers, and an indexer that only hashes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hob_base::{AbsPath, CancelToken, Change, ContentHash, Deadline, WsPath};
use hob_workspace::read::read_file;
use hob_workspace::{
    Batch, DirtySet, FileTable, Refresh, Refreshed, RuleOptions, Rules, Scan, ScanRequest, WatchSetup,
    Watcher, refresh, scan_tree,
};

/// Long enough never to be what a test measures.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn soon() -> Deadline {
    Deadline::after(PATIENCE)
}

pub(crate) fn ws(path: &str) -> WsPath {
    WsPath::new(path).expect("a path within the workspace")
}

/// A folder that goes away with its test; the workspace is `root`, with room beside it.
pub(crate) struct WorkspaceTree {
    temp: tempfile::TempDir,
    pub(crate) root: AbsPath,
}

impl WorkspaceTree {
    pub(crate) fn new() -> Self {
        let temp = tempfile::tempdir().expect("tempdir");
        let root = temp.path().canonicalize().expect("canonical").join("root");
        fs::create_dir(&root).expect("mkdir");
        Self { temp, root: AbsPath::new(root).expect("absolute") }
    }

    /// With a `.git` folder, so that `.gitignore` counts.
    pub(crate) fn with_git() -> Self {
        let tree = Self::new();
        tree.mkdir(".git/info");
        tree
    }

    /// From `path: contents` pairs.
    pub(crate) fn with_files(files: &[(&str, &str)]) -> Self {
        let tree = Self::with_git();
        files.iter().for_each(|(path, text)| tree.write(path, text));
        tree
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.as_path().join(path)
    }

    pub(crate) fn path_beside(&self, name: &str) -> PathBuf {
        self.temp.path().canonicalize().expect("canonical").join(name)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("below the root")).expect("mkdir");
        fs::write(path, text).expect("write");
    }

    pub(crate) fn mkdir(&self, path: &str) {
        fs::create_dir_all(self.path(path)).expect("mkdir");
    }

    pub(crate) fn rename(&self, from: &str, to: &str) {
        fs::rename(self.path(from), self.path(to)).expect("rename");
    }

    pub(crate) fn remove(&self, path: &str) {
        let path = self.path(path);
        let is_dir = fs::symlink_metadata(&path).expect("it is there").is_dir();
        if is_dir { fs::remove_dir_all(path) } else { fs::remove_file(path) }.expect("remove");
    }

    /// Rules without the developer's own git configuration.
    pub(crate) fn plain_rules(&self) -> Rules {
        Rules::new(self.root.clone(), RuleOptions { global: false, ..RuleOptions::default() })
    }

    pub(crate) fn scan(&self) -> Scan {
        scan_tree(&ScanRequest::new(&self.plain_rules())).expect("not cancelled")
    }

    /// The paths that a scan finds.
    pub(crate) fn found_paths(&self) -> Vec<String> {
        self.scan().files.iter().map(|file| file.path.to_string()).collect()
    }

    /// Returns the files that are there, by name and contents, found without any of the parts under test but the
    /// scan.
    pub(crate) fn true_contents(&self) -> BTreeMap<String, ContentHash> {
        let hash = |path: &Path| ContentHash::of(&fs::read(path).expect("read"));
        self.found_paths().into_iter().map(|path| (path.clone(), hash(&self.path(&path)))).collect()
    }
}

/// An indexer that knows each file's hash and nothing else.
pub(crate) struct Indexer {
    pub(crate) rules: Arc<Rules>,
    pub(crate) dirty: Arc<DirtySet>,
    pub(crate) watcher: Option<Arc<Watcher>>,
    pub(crate) table: FileTable,
    /// Files that were read, in all.
    pub(crate) reads: usize,
}

impl Indexer {
    pub(crate) fn unwatched(tree: &WorkspaceTree) -> Self {
        Self {
            rules: Arc::new(tree.plain_rules()),
            dirty: Arc::default(),
            watcher: None,
            table: FileTable::new(),
            reads: 0,
        }
    }

    pub(crate) fn watching(tree: &WorkspaceTree, start: impl FnOnce(WatchSetup) -> Arc<Watcher>) -> Self {
        let mut indexer = Self::unwatched(tree);
        let setup = WatchSetup {
            rules: Arc::clone(&indexer.rules),
            dirty: Arc::clone(&indexer.dirty),
            cookie_dir: AbsPath::new(tree.path_beside("cookies")).expect("absolute"),
        };
        indexer.watcher = Some(start(setup));
        indexer
    }

    pub(crate) fn watcher(&self) -> &Arc<Watcher> {
        self.watcher.as_ref().expect("this indexer watches")
    }

    /// Works off one batch.
    pub(crate) fn apply(&mut self, batch: &Batch) -> Vec<Change> {
        let Refreshed { plan, .. } = refresh(
            batch,
            Refresh {
                rules: &self.rules,
                table: &mut self.table,
                watcher: self.watcher.clone(),
                cancel: CancelToken::default(),
                progress: None,
            },
        )
        .expect("not cancelled");
        let mut changes: Vec<_> = plan.gone.iter().filter_map(|&file| self.table.forget_file(file)).collect();
        for to_read in &plan.read {
            self.reads += 1;
            changes.extend(match read_file(self.rules.root(), &to_read.path, u64::MAX) {
                Ok(read) => {
                    let hash = ContentHash::of(&read.bytes);
                    self.table.was_read(to_read, hash, read.read_at_ns)
                }
                Err(_) => self.table.forget_file(to_read.file),
            });
        }
        self.dirty.settle(batch.marks);
        changes
    }

    /// Works off what is marked now.
    pub(crate) fn catch_up(&mut self) -> Batch {
        let batch = self.dirty.take_pending();
        self.apply(&batch);
        batch
    }

    /// Looks at the whole workspace again, and applies the changes.
    pub(crate) fn sweep_all(&mut self) -> Vec<Change> {
        self.apply(&Batch { sweep: true, ..Batch::default() })
    }

    pub(crate) fn known_contents(&self) -> BTreeMap<String, ContentHash> {
        self.table.iter().map(|(_, path, record)| (path.to_string(), record.hash)).collect()
    }
}

/// xorshift64*; the same numbers on every run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn number_below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let bits = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        usize::try_from(bits).expect("31 bits") % bound
    }

    pub(crate) fn pick_one<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.number_below(from.len())]
    }
}

/// Waits for something that another thread does.
pub(crate) fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let deadline = soon();
    while !condition() {
        assert!(!deadline.has_passed(), "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}
