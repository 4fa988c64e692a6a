//! Makes another program write to a file during an edit, or before the recovery of an interrupted edit.

use std::path::Path;
use std::sync::{Arc, Mutex};

use super::{FaultedOperation, STATE, Scene, WORKSPACE, abs, fixed_clock, with_faults};
use crate::files::Files;
use crate::files::hooked::FileOperation;
use crate::files::sim::Sim;
use crate::{EditError, Edits};

const THEIRS: &[u8] = b"somebody else's";

fn path(name: &str) -> std::path::PathBuf {
    Path::new(WORKSPACE).join(name)
}

fn contents_of(disk: &Sim, name: &str) -> Option<Vec<u8>> {
    disk.tree_below(WORKSPACE).remove(name).map(|(bytes, _)| bytes)
}

/// Writes as an editor does: over the file, or as a new file in its place.
fn write(disk: &Sim, name: &str, aside: bool) {
    if !aside && disk.write(&path(name), THEIRS).is_ok() {
        return;
    }
    let _ = disk.remove(&path(".draft"));
    disk.create(&path(".draft"), false).expect("new");
    disk.write(&path(".draft"), THEIRS).expect("there");
    disk.rename(&path(".draft"), &path(name)).expect("there");
}

#[test]
fn what_somebody_writes_meanwhile_is_kept() {
    let scene = Scene::new(FaultedOperation::Apply);
    let total = scene.all_operations().len();
    let (old, new) = scene.trees_of_deed();
    for (name, aside) in
        [("edit.txt", true), ("edit.txt", false), ("run.sh", true), ("swap-1", true), ("sub/gone.txt", false)]
    {
        let mut lost = 0;
        let mut conflicts = 0;
        for at in 0..total {
            let what = format!("{name} written at {at} of {total}");
            let disk = scene.disk.copy_now();
            let writer = Arc::clone(&disk);
            let done = scene.do_deed(with_faults(disk.clone(), move |n, _, _| {
                if n == at {
                    write(&writer, name, aside);
                }
                Ok(())
            }));
            let mut tree = disk.tree_below(WORKSPACE);
            let kept = contents_of(&disk, name).as_deref() == Some(THEIRS);
            tree.remove(name);
            let mut side = match &done {
                Ok(_) => new.clone(),
                Err(EditError::Conflict(conflict)) => {
                    assert_eq!(conflict.files[0].path.as_str(), name, "{what}");
                    assert!(kept, "{what}: overwritten in spite of the conflict");
                    conflicts += 1;
                    old.clone()
                }
                Err(error) => panic!("{what}: {error}"),
            };
            side.remove(name);
            assert_eq!(tree, side, "{what}");
            lost += usize::from(!kept);
        }
        assert!(lost == 0 && conflicts > total / 4, "{name}: {lost} lost, {conflicts} conflicts");
    }
}

/// Tests that where names cannot be exchanged, there is one moment at which a whole file that another program puts
/// there is lost, while writes into the file itself are not.
#[test]
fn without_exchange_one_moment_is_left() {
    let scene = Scene::new(FaultedOperation::Apply);
    // Two operations are in that moment here: the attempt to exchange, and the rename.
    for (aside, most) in [(true, 2), (false, 0)] {
        let mut lost = 0;
        for at in 0..scene.all_operations().len() {
            let disk = scene.disk.copy_now();
            let writer = Arc::clone(&disk);
            let _ = scene.do_deed(with_faults(disk.clone(), move |n, op, _| {
                if n == at {
                    write(&writer, "edit.txt", aside);
                }
                if op == FileOperation::Exchange {
                    Err(std::io::ErrorKind::Unsupported.into())
                } else {
                    Ok(())
                }
            }));
            lost += usize::from(contents_of(&disk, "edit.txt").as_deref() != Some(THEIRS));
        }
        assert!(lost <= most, "{lost} lost");
    }
}

#[test]
fn recovery_leaves_alone_what_somebody_changed_since() {
    let scene = Scene::new(FaultedOperation::Apply);
    let total = scene.all_operations().len();
    let (old, new) = scene.trees_of_deed();
    let mut reported = 0;
    for at in 0..total {
        let what = format!("killed at {at} of {total}");
        let disk = scene.disk.copy_now();
        let dead = || Err(std::io::Error::other("the process is dead"));
        let _ = scene.do_deed(with_faults(disk.clone(), move |n, _, _| if n < at { Ok(()) } else { dead() }));
        write(&disk, "edit.txt", true);
        let (edits, report) = Edits::with_files(disk.clone(), &abs(STATE), fixed_clock());
        assert_eq!(contents_of(&disk, "edit.txt").as_deref(), Some(THEIRS), "{what}");
        let (mut tree, mut old, mut new) = (disk.tree_below(WORKSPACE), old.clone(), new.clone());
        for one in [&mut tree, &mut old, &mut new] {
            one.remove("edit.txt");
        }
        assert!(tree == old || tree == new, "{what}: {:?}", tree.keys());
        assert_eq!(disk.tree_below(&format!("{STATE}/journal")).len(), 0, "{what}");
        assert!(edits.undo(&abs(WORKSPACE)).is_err(), "{what}: undone over somebody's contents");
        for said in report.recovered {
            assert!(said.ends_with("except those that somebody changed since: edit.txt"), "{said}");
            reported += 1;
        }
    }
    assert!(reported > 20, "{reported}");
}

#[test]
fn a_record_waits_for_its_workspace_but_not_for_ever() {
    let scene = Scene::new(FaultedOperation::Apply);
    let at = scene.all_operations().len() / 2;
    let disk = scene.disk.copy_now();
    let dead = || Err(std::io::Error::other("the process is dead"));
    let _ = scene.do_deed(with_faults(disk.clone(), move |n, _, _| if n < at { Ok(()) } else { dead() }));
    disk.rename(&path(""), Path::new("/elsewhere")).expect("there");
    let (_, report) = Edits::with_files(disk.clone(), &abs(STATE), fixed_clock());
    let said = "applying `Everything at once` in /ws is not finished: the folder is not there";
    assert_eq!((report.warnings, report.recovered), (vec![said.to_owned()], vec![]));
    let later = Mutex::new(fixed_clock()() + std::time::Duration::from_secs(31 * 24 * 60 * 60));
    let late = Box::new(move || *later.lock().expect("no panic"));
    let (_, report) = Edits::with_files(disk.clone(), &abs(STATE), late);
    assert_eq!(report.recovered, ["applying `Everything at once` was given up: /ws is gone"]);
    assert_eq!(disk.tree_below(&format!("{STATE}/journal")).len(), 0);
}
