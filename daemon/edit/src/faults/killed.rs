//! Makes a real process on a real disk end itself before each operation.
//!
//! The test runs its own program again, with the folder and the number of the operation in the environment.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{LINKED, OLD, TWIN, abs, fixed_clock, full_proposal, some_owner, trees_old_and_new};
use crate::files::Disk;
use crate::files::hooked::{FileOperation, HookedFiles};
use crate::files::sim::SimTree;
use crate::{EditError, Edits, PendingOutcome};

const FOLDER: &str = "HOB_EDIT_TEST_FOLDER";
const OPERATION: &str = "HOB_EDIT_TEST_OPERATION";
/// Exit code of a process that was not killed.
const THROUGH: i32 = 42;

/// Runs in the other process; without the variables this test does nothing.
#[test]
fn child() {
    let (Ok(folder), Ok(at)) = (std::env::var(FOLDER), std::env::var(OPERATION)) else { return };
    let at: usize = at.parse().expect("a number");
    let count = AtomicUsize::new(0);
    // A look changes nothing: a kill before it is the same as one before the next operation.
    let hook =
        move |op, _: &Path| match op == FileOperation::Look || count.fetch_add(1, Ordering::Relaxed) < at {
            true => Ok(()),
            false => std::process::abort(),
        };
    let killing = Arc::new(HookedFiles { inner: Arc::new(Disk), hook: Box::new(hook) });
    let (edits, _) = Edits::with_files(killing, &abs(&format!("{folder}/state")), fixed_clock());
    let id = edits.pending_edits(&|_| true).first().expect("one is pending").id.clone();
    edits.apply(&id).expect("nothing is in the way");
    std::process::exit(THROUGH);
}

fn prepare_workspace(folder: &Path) {
    for (name, text, mode) in OLD {
        let path = folder.join("ws").join(name);
        fs::create_dir_all(path.parent().expect("below")).expect("folder");
        fs::write(&path, text).expect("file");
        set_mode(&path, mode);
    }
    fs::hard_link(folder.join("ws").join(LINKED), folder.join("ws").join(TWIN)).expect("another name");
    let root = abs(folder.join("ws").to_str().expect("Unicode"));
    let (edits, _) = Edits::open(&abs(folder.join("state").to_str().expect("Unicode")), fixed_clock());
    edits.propose(&some_owner(&root), full_proposal()).expect("queued");
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("own file");
}

#[cfg(not(unix))]
fn set_mode(_path: &Path, _mode: u32) {}

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).expect("there").permissions().mode() & 0o777
}

#[cfg(not(unix))]
fn mode(_path: &Path) -> u32 {
    0
}

fn tree_on_disk(folder: &Path) -> SimTree {
    let mut tree = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("folder") {
            let path = entry.expect("entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(folder).expect("below").to_str().expect("Unicode").to_owned();
            tree.insert(name, (fs::read(&path).expect("file"), mode(&path)));
        }
    }
    tree
}

/// Removes the modes of files that the system makes: they depend on the user's mask, and are not compared.
fn without_made_modes(mut tree: SimTree) -> SimTree {
    let made = |name: &str| name.starts_with("new/");
    tree.iter_mut().filter(|(name, _)| cfg!(not(unix)) || made(name)).for_each(|(_, file)| file.1 = 0);
    tree
}

#[test]
fn a_process_that_is_killed_at_any_operation_leaves_old_or_new() {
    let (old, new) = trees_old_and_new();
    let (old, new) = (without_made_modes(old), without_made_modes(new));
    let (mut kept, mut done) = (0, 0);
    for at in 0.. {
        let folder = tempfile::tempdir().expect("folder");
        prepare_workspace(folder.path());
        let status = Command::new(std::env::current_exe().expect("the test program"))
            .args(["faults::killed::child", "--exact", "--nocapture"])
            .env(FOLDER, folder.path())
            .env(OPERATION, at.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .expect("the test program runs");
        let state = abs(folder.path().join("state").to_str().expect("Unicode"));
        let (edits, report) = Edits::open(&state, fixed_clock());
        assert_eq!(report.warnings, Vec::<String>::new(), "killed at {at}");
        let found = without_made_modes(tree_on_disk(&folder.path().join("ws")));
        assert!(found == old || found == new, "killed at {at}: {:?}", found.keys());
        assert_eq!(edits.pending_edits(&|_| true).len(), usize::from(found == old), "killed at {at}");
        let root = abs(folder.path().join("ws").to_str().expect("Unicode"));
        assert_eq!(edits.undoable_edit(&root).is_some(), found == new, "killed at {at}");
        kept += usize::from(found == old);
        done += usize::from(found == new);
        if status.code() == Some(THROUGH) {
            let id = edits.undoable_edit(&root).expect("applied").id;
            let settled = edits.discard(&id);
            assert!(
                matches!(settled, Err(EditError::Settled { outcome: PendingOutcome::Applied, .. })),
                "{settled:?}"
            );
            break;
        }
        // A process that ends by a failed test would look like a killed one.
        assert_eq!(status.code(), None, "killed at {at}");
    }
    assert!(kept > 50 && done > 10, "{kept} old, {done} new");
}
