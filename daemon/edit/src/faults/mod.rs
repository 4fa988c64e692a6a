//! Makes every step of an edit's way to the disk fail in turn. For tests only.
//!
//! The tests apply and undo one edit, which does everything that an edit can do, again and again; each time another
//! fault hits another operation. Afterwards all files must be old or all must be new, with nothing beside them, and the
//! pending edits must agree with that.

mod killed;
mod meanwhile;
mod power;
mod refused;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, UNIX_EPOCH};
use std::{io, sync::Mutex};

use hob_base::{AbsPath, WsPath};

use crate::files::Files;
use crate::files::hooked::{FileOperation, HookedFiles};
use crate::files::sim::{Sim, SimTree};
use crate::{Applied, Clock, EditError, Edits, Owner, PendingId, Proposal, ProposedFile};

pub(super) const WORKSPACE: &str = "/ws";
pub(super) const STATE: &str = "/state/edits";

fn fixed_clock() -> Clock {
    Box::new(|| UNIX_EPOCH + Duration::from_secs(1_000_000_000))
}

pub(super) fn abs(path: &str) -> AbsPath {
    AbsPath::new(path).expect("absolute")
}

pub(super) fn ws(path: &str) -> WsPath {
    WsPath::new(path).expect("relative")
}

pub(super) fn some_owner(root: &AbsPath) -> Owner {
    Owner { client: "somebody".to_owned(), root: root.clone() }
}

/// A file with two names, and its other name.
const LINKED: &str = "linked.txt";
const TWIN: &str = "sub/twin.txt";

/// The files before the edit: path, contents and mode.
pub(super) const OLD: [(&str, &str, u32); 9] = [
    (LINKED, "one\nof two names\n", 0o640),
    ("edit.txt", "one\r\ntwo\r\n", 0o644),
    ("run.sh", "#!/bin/sh\necho old\n", 0o755),
    ("sub/gone.txt", "no longer wanted\n", 0o640),
    ("sub/from.txt", "moved as it is", 0o600),
    ("sub/changed.txt", "moved\nand changed\n", 0o755),
    ("swap-1", "first\n", 0o644),
    ("swap-2", "second\n", 0o755),
    ("bystander", "not touched\n", 0o644),
];

fn change_of(from: &str, to: &str, before: Option<&str>, after: Option<&str>) -> ProposedFile {
    let bytes = |text: &str| text.as_bytes().into();
    let moved_to = (from != to).then(|| ws(to));
    ProposedFile { path: ws(from), moved_to, before: before.map(bytes), after: after.map(bytes) }
}

/// Returns an edit that does everything that an edit can do.
pub(super) fn full_proposal() -> Proposal {
    let old = |name: &str| OLD.iter().find(|(path, ..)| *path == name).map(|(_, text, _)| *text);
    let edit = |path: &str, after| change_of(path, path, old(path), Some(after));
    let changes = vec![
        edit("edit.txt", "one\r\nzwei\r\nthree"),
        edit(LINKED, "one\nfile, still of two names\n"),
        change_of("new/deep/file.txt", "new/deep/file.txt", None, Some("made\n")),
        change_of("new/empty", "new/empty", None, Some("")),
        edit("run.sh", "#!/bin/sh\necho new\n"),
        change_of("sub/changed.txt", "other/changed.txt", old("sub/changed.txt"), Some("moved\nand new\n")),
        change_of("sub/from.txt", "sub/to.txt", old("sub/from.txt"), old("sub/from.txt")),
        change_of("sub/gone.txt", "sub/gone.txt", old("sub/gone.txt"), None),
        change_of("swap-1", "swap-2", old("swap-1"), old("swap-1")),
        change_of("swap-2", "swap-1", old("swap-2"), old("swap-2")),
    ];
    Proposal { label: "Everything at once".to_owned(), tool: "edit_text".to_owned(), changes }
}

/// Returns the files before the edit, and after it.
pub(super) fn trees_old_and_new() -> (SimTree, SimTree) {
    let old: SimTree = OLD
        .iter()
        .map(|(name, text, mode)| ((*name).to_owned(), (text.as_bytes().to_vec(), *mode)))
        .collect();
    let mut new = old.clone();
    let twin = |tree: &mut SimTree| {
        let file = tree[LINKED].clone();
        tree.insert(TWIN.to_owned(), file);
    };
    let changes = full_proposal().changes;
    for change in changes.iter().filter(|change| change.before.is_some()) {
        new.remove(change.path.as_str());
    }
    for change in changes {
        let mode = old.get(change.path.as_str()).map_or(0o644, |(_, mode)| *mode);
        if let Some(after) = change.after {
            let to = change.moved_to.unwrap_or(change.path);
            new.insert(to.as_str().to_owned(), (after.to_vec(), mode));
        }
    }
    let mut old = old;
    [&mut old, &mut new].into_iter().for_each(twin);
    (old, new)
}

/// The operation during which a fault happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FaultedOperation {
    Apply,
    Undo,
}

/// A disk on which a deed is about to be done.
pub(super) struct Scene {
    pub(super) deed: FaultedOperation,
    pub(super) disk: Arc<Sim>,
    pub(super) id: PendingId,
}

impl Scene {
    pub(super) fn new(deed: FaultedOperation) -> Self {
        let disk = Arc::new(Sim::new());
        for (name, text, mode) in OLD {
            disk.place_file(&format!("{WORKSPACE}/{name}"), text.as_bytes(), mode);
        }
        disk.place_name(&format!("{WORKSPACE}/{LINKED}"), &format!("{WORKSPACE}/{TWIN}"));
        let (edits, _) = Edits::with_files(disk.clone(), &abs(STATE), fixed_clock());
        let root = abs(WORKSPACE);
        let id = edits.propose(&some_owner(&root), full_proposal()).expect("queued").id;
        if deed == FaultedOperation::Undo {
            edits.apply(&id).expect("applied");
        }
        Self { deed, disk, id }
    }

    /// Returns the files before the deed, and after it.
    fn trees_of_deed(&self) -> (SimTree, SimTree) {
        let (old, new) = trees_old_and_new();
        match self.deed {
            FaultedOperation::Apply => (old, new),
            FaultedOperation::Undo => (new, old),
        }
    }

    pub(super) fn do_deed(&self, files: Arc<dyn Files>) -> Result<Applied, EditError> {
        let (edits, _) = Edits::with_files(files, &abs(STATE), fixed_clock());
        match self.deed {
            FaultedOperation::Apply => edits.apply(&self.id),
            FaultedOperation::Undo => edits.undo(&abs(WORKSPACE)),
        }
    }

    /// Returns every operation of a deed without faults.
    pub(super) fn all_operations(&self) -> Vec<FileOperation> {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&seen);
        let hook = move |op, _: &Path| {
            log.lock().expect("no panic").push(op);
            Ok(())
        };
        let disk = self.disk.copy_now();
        self.do_deed(Arc::new(HookedFiles { inner: disk.clone(), hook: Box::new(hook) }))
            .expect("undisturbed");
        assert_eq!(disk.tree_below(WORKSPACE), self.trees_of_deed().1);
        std::mem::take(&mut *seen.lock().expect("no panic"))
    }

    /// Checks that the disk is whole after recovery.
    #[track_caller]
    pub(super) fn is_whole(&self, disk: &Arc<Sim>, what: &str) -> WholeState {
        let (edits, report) = Edits::with_files(disk.clone(), &abs(STATE), fixed_clock());
        assert_eq!(report.warnings, Vec::<String>::new(), "{what}");
        let tree = disk.tree_below(WORKSPACE);
        let (before, after) = self.trees_of_deed();
        let whole = match &tree {
            tree if *tree == before => WholeState::Before,
            tree if *tree == after => WholeState::After,
            _ => panic!("{what}: neither the one nor the other: {:?}", tree.keys()),
        };
        assert_eq!(disk.tree_below(&format!("{STATE}/journal")).len(), 0, "{what}: a journal is left");
        assert_eq!(disk.empty_folders(WORKSPACE), 0, "{what}: an empty folder is left");
        let [one, other] = [LINKED, TWIN].map(|name| format!("{WORKSPACE}/{name}"));
        assert!(disk.is_one(&one, &other), "{what}: two names of one file are two files");
        self.check_agreement(&edits, disk, whole, what);
        whole
    }

    /// Returns true if recovery makes the files on the disk all old or all new.
    pub(super) fn looks_whole(&self, disk: &Arc<Sim>) -> bool {
        let _ = Edits::with_files(disk.clone(), &abs(STATE), fixed_clock());
        let (before, after) = self.trees_of_deed();
        let tree = disk.tree_below(WORKSPACE);
        tree == before || tree == after
    }

    /// Checks that the pending edits and the undo agree with the files.
    #[track_caller]
    fn check_agreement(&self, edits: &Edits, disk: &Sim, whole: WholeState, what: &str) {
        let (before, after) = self.trees_of_deed();
        let again = || match self.deed {
            FaultedOperation::Apply => edits.apply(&self.id),
            FaultedOperation::Undo => edits.undo(&abs(WORKSPACE)),
        };
        if whole == WholeState::Before {
            again().unwrap_or_else(|error| panic!("{what}: cannot be done again: {error}"));
            assert_eq!(disk.tree_below(WORKSPACE), after, "{what}: done again");
        }
        assert!(again().is_err(), "{what}: done twice");
        assert_eq!(disk.tree_below(WORKSPACE), after, "{what}: an error wrote something");
        if self.deed == FaultedOperation::Apply {
            match edits.undo(&abs(WORKSPACE)) {
                Ok(_) => assert_eq!(disk.tree_below(WORKSPACE), before, "{what}: undone"),
                Err(error) => panic!("{what}: cannot be undone: {error}"),
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WholeState {
    Before,
    After,
}

/// Makes a disk whose operations are counted from zero; `fault` decides which of them fail.
pub(super) fn with_faults(
    inner: Arc<dyn Files>,
    fault: impl Fn(usize, FileOperation, &Path) -> io::Result<()> + Send + Sync + 'static,
) -> Arc<dyn Files> {
    let count = AtomicUsize::new(0);
    let hook = move |op, path: &Path| fault(count.fetch_add(1, Ordering::Relaxed), op, path);
    Arc::new(HookedFiles { inner, hook: Box::new(hook) })
}
