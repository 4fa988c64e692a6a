//! Kills the process, or cuts the power, before each operation.

use std::io;

use super::{FaultedOperation, Scene, WholeState, with_faults};
use crate::files::hooked::FileOperation;
use crate::files::sim::Dice;

/// Number of ways to lose unsynced data that are tried for each operation.
const LOSSES: u64 = 12;

fn dead_error() -> io::Error {
    io::Error::other("the process is dead")
}

#[test]
fn a_kill_before_any_operation_leaves_old_or_new() {
    for deed in [FaultedOperation::Apply, FaultedOperation::Undo] {
        let scene = Scene::new(deed);
        let total = scene.all_operations().len();
        let mut seen = Vec::new();
        for at in 0..total {
            let disk = scene.disk.copy_now();
            let done =
                scene.do_deed(with_faults(
                    disk.clone(),
                    move |n, _, _| if n < at { Ok(()) } else { Err(dead_error()) },
                ));
            let whole = scene.is_whole(&disk, &format!("{deed:?} killed at {at} of {total}"));
            assert!(
                done.is_err() || whole == WholeState::After,
                "{deed:?} at {at}: what was said to be done is not"
            );
            seen.push(whole);
        }
        // After the first new result all are new: one operation decides.
        assert!(
            seen.is_sorted_by_key(|whole| *whole == WholeState::After) && seen.contains(&WholeState::After)
        );
        assert!(total > 100, "{total} operations");
    }
}

#[test]
fn a_power_failure_before_any_operation_leaves_old_or_new() {
    for deed in [FaultedOperation::Apply, FaultedOperation::Undo] {
        let scene = Scene::new(deed);
        let total = scene.all_operations().len();
        for at in 0..=total {
            let disk = scene.disk.copy_now();
            let done =
                scene.do_deed(with_faults(
                    disk.clone(),
                    move |n, _, _| if n < at { Ok(()) } else { Err(dead_error()) },
                ));
            for seed in 0..LOSSES {
                let disk = disk.after_power_loss(seed * 1000 + at as u64);
                let what = format!("{deed:?}, power lost at {at} of {total}, {seed}");
                let whole = scene.is_whole(&disk, &what);
                assert!(
                    done.is_err() || whole == WholeState::After,
                    "{what}: what was said to be done is not"
                );
            }
        }
    }
}

#[test]
fn a_disk_that_only_says_that_it_synced_is_found_out() {
    // If this test saw no fault, the tests above would not see one either.
    for lie in [FileOperation::Sync, FileOperation::SyncFolder] {
        let scene = Scene::new(FaultedOperation::Apply);
        let mut mixtures = 0;
        for at in 0..scene.all_operations().len() {
            let disk = scene.disk.copy_lying(lie);
            let _ = scene.do_deed(with_faults(
                disk.clone(),
                move |n, _, _| if n < at { Ok(()) } else { Err(dead_error()) },
            ));
            for seed in 0..LOSSES {
                let disk = disk.after_power_loss(seed * 1000 + at as u64);
                mixtures += usize::from(!scene.looks_whole(&disk));
            }
        }
        assert!(mixtures > 20, "{lie:?}: {mixtures}");
    }
}

#[test]
fn a_second_failure_while_the_first_is_recovered_from_leaves_old_or_new() {
    let mut dice = Dice(7);
    for deed in [FaultedOperation::Apply, FaultedOperation::Undo] {
        let scene = Scene::new(deed);
        let total = scene.all_operations().len();
        for _ in 0..1500 {
            let (first, second, third) =
                (dice.number_below(total), dice.number_below(60), dice.number_below(60));
            let mut disk = scene.disk.copy_now();
            // On some file systems a file has one name, and the old contents are kept as a copy.
            let has_links = dice.number_below(2) == 0;
            let has_exchange = dice.number_below(3) > 0;
            for at in [first, second, third] {
                let _ = scene.do_deed(with_faults(disk.clone(), move |n, op, _| match n < at {
                    true if op == FileOperation::Link && !has_links => Err(io::ErrorKind::Unsupported.into()),
                    true if op == FileOperation::Exchange && !has_exchange => {
                        Err(io::ErrorKind::Unsupported.into())
                    }
                    true => Ok(()),
                    false => Err(dead_error()),
                }));
                disk = if dice.number_below(2) == 0 {
                    disk.after_power_loss(dice.number_below(1 << 20) as u64)
                } else {
                    disk
                };
            }
            scene.is_whole(&disk, &format!("{deed:?} failed at {first}, {second}, {third}"));
        }
    }
}
