//! Makes the system refuse an operation, once or from then on, while the process lives.

use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{FaultedOperation, STATE, Scene, WORKSPACE, WholeState, with_faults};
use crate::EditError;
use crate::files::hooked::FileOperation;

/// Errors with which the system may refuse an operation.
const REFUSALS: [ErrorKind; 4] = [
    ErrorKind::StorageFull,
    ErrorKind::PermissionDenied,
    ErrorKind::CrossesDevices,
    // Stands for EIO, for which the standard library has no name.
    ErrorKind::Other,
];

fn may_refuse(kind: ErrorKind, op: FileOperation) -> bool {
    match kind {
        ErrorKind::StorageFull => {
            matches!(
                op,
                FileOperation::Create
                    | FileOperation::Write
                    | FileOperation::Overwrite
                    | FileOperation::Link
                    | FileOperation::MakeFolder
                    | FileOperation::Rename
                    | FileOperation::Exchange
                    | FileOperation::Sync
                    | FileOperation::SyncFolder
            )
        }
        ErrorKind::CrossesDevices => {
            matches!(op, FileOperation::Link | FileOperation::Rename | FileOperation::Exchange)
        }
        ErrorKind::PermissionDenied => !matches!(op, FileOperation::Sync | FileOperation::SyncFolder),
        _ => true,
    }
}

fn takes_space(op: FileOperation) -> bool {
    matches!(
        op,
        FileOperation::Create | FileOperation::Write | FileOperation::Link | FileOperation::MakeFolder
    )
}

#[test]
fn any_operation_may_be_refused_once() {
    let mut points = 0;
    for deed in [FaultedOperation::Apply, FaultedOperation::Undo] {
        let scene = Scene::new(deed);
        for (at, op) in scene.all_operations().into_iter().enumerate() {
            for kind in REFUSALS.into_iter().filter(|kind| may_refuse(*kind, op)) {
                let what = format!("{deed:?}: {op:?} at {at} refused: {kind:?}");
                let disk = scene.disk.copy_now();
                let done =
                    scene.do_deed(with_faults(
                        disk.clone(),
                        move |n, _, _| if n == at { Err(kind.into()) } else { Ok(()) },
                    ));
                check_outcome(&scene, &disk, &done, &what);
                points += 1;
            }
        }
    }
    assert!(points > 500, "{points}");
}

#[track_caller]
fn check_outcome(
    scene: &Scene,
    disk: &Arc<crate::files::sim::Sim>,
    done: &Result<crate::Applied, EditError>,
    what: &str,
) {
    let (before, after) = scene.trees_of_deed();
    let tree = disk.tree_below(WORKSPACE);
    match done {
        // A failure to record the undo is reported, and the undo need not agree after a restart.
        Ok(applied) if !applied.warnings.is_empty() => assert_eq!(tree, after, "{what}"),
        Ok(_) => {
            assert_eq!(tree, after, "{what}");
            assert_eq!(scene.is_whole(disk, what), WholeState::After);
        }
        Err(EditError::Unfinished { .. }) => {
            scene.is_whole(disk, what);
        }
        Err(_) => {
            assert_eq!(tree, before, "{what}: an error, and not all is old: {done:?}");
            assert_eq!(disk.empty_folders(WORKSPACE), 0, "{what}");
            // The refused operation may have been the reading of it.
            if disk.tree_below(STATE).keys().all(|name| !name.ends_with("damaged")) {
                assert_eq!(scene.is_whole(disk, what), WholeState::Before);
            }
        }
    }
}

#[test]
fn a_disk_that_is_full_from_some_operation_on_keeps_everything_old() {
    for deed in [FaultedOperation::Apply, FaultedOperation::Undo] {
        let scene = Scene::new(deed);
        let total = scene.all_operations().len();
        for at in 0..total {
            let what = format!("{deed:?}: full from {at} of {total}");
            let disk = scene.disk.copy_now();
            let full = with_faults(disk.clone(), move |n, op, _| {
                if n >= at && takes_space(op) { Err(ErrorKind::StorageFull.into()) } else { Ok(()) }
            });
            let done = scene.do_deed(full);
            // Taking back needs no space: it moves only names.
            assert!(!matches!(done, Err(EditError::Unfinished { .. })), "{what}: {done:?}");
            check_outcome(&scene, &disk, &done, &what);
        }
    }
}

#[test]
fn a_workspace_that_may_no_longer_be_written_is_finished_when_it_may() {
    let mut unfinished = 0;
    for deed in [FaultedOperation::Apply, FaultedOperation::Undo] {
        let scene = Scene::new(deed);
        for at in 0..scene.all_operations().len() {
            let what = format!("{deed:?}: read-only from {at}");
            let disk = scene.disk.copy_now();
            let denied = with_faults(disk.clone(), move |n, op, path: &Path| {
                let writes =
                    !matches!(op, FileOperation::Look | FileOperation::Sync | FileOperation::SyncFolder);
                if n >= at && writes && path.starts_with(WORKSPACE) {
                    return Err(ErrorKind::PermissionDenied.into());
                }
                Ok(())
            });
            let done = scene.do_deed(denied);
            unfinished += usize::from(matches!(done, Err(EditError::Unfinished { .. })));
            check_outcome(&scene, &disk, &done, &what);
        }
    }
    assert!(unfinished > 10, "{unfinished}");
}

#[test]
fn what_could_not_be_taken_back_is_at_the_next_apply() {
    let scene = Scene::new(FaultedOperation::Apply);
    let renames = scene
        .all_operations()
        .iter()
        .position(|op| *op == FileOperation::Remove)
        .expect("something is removed");
    let total = scene.all_operations().len();
    for at in renames..total {
        let disk = scene.disk.copy_now();
        let broken = Arc::new(AtomicBool::new(true));
        let still = Arc::clone(&broken);
        let files = with_faults(disk.clone(), move |n, op, path: &Path| {
            let writes = !matches!(op, FileOperation::Look | FileOperation::Sync | FileOperation::SyncFolder);
            match still.load(Ordering::Relaxed) && n >= at && writes && path.starts_with(WORKSPACE) {
                true => Err(io::ErrorKind::PermissionDenied.into()),
                false => Ok(()),
            }
        });
        let (edits, _) = crate::Edits::with_files(files, &super::abs(STATE), super::fixed_clock());
        if !matches!(edits.apply(&scene.id), Err(EditError::Unfinished { .. })) {
            continue;
        }
        assert!(
            matches!(edits.apply(&scene.id), Err(EditError::Unfinished { .. })),
            "nothing is written before"
        );
        broken.store(false, Ordering::Relaxed);
        edits.apply(&scene.id).expect("first taken back, then applied");
        assert_eq!(disk.tree_below(WORKSPACE), scene.trees_of_deed().1);
        assert_eq!(disk.tree_below(&format!("{STATE}/journal")).len(), 0);
    }
}
