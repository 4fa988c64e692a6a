//! Marks, batches and those who wait for them.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use hob_base::Deadline;
use hob_workspace::{Batch, Debounce, DirtySet, NotSettled, UnreportedChange};

use crate::support::{soon, wait_until, ws};

/// Marks that would rest for ever if nobody waited.
fn lazy_dirty_set() -> Arc<DirtySet> {
    let hour = Duration::from_secs(3600);
    Arc::new(DirtySet::new(Debounce { quiet: hour, max: hour }))
}

#[test]
fn a_batch_has_each_path_once_and_a_sweep_swallows_all() {
    let dirty = DirtySet::default();
    dirty.mark(ws("a"));
    dirty.mark(ws("a"));
    dirty.mark_tree(ws("d"));
    let batch = dirty.take_pending();
    assert_eq!((batch.paths.len(), batch.trees.len(), batch.sweep), (1, 1, false));
    assert!(dirty.take_pending().is_empty());
    dirty.mark(ws("a"));
    dirty.mark_tree(ws(""));
    dirty.mark(ws("b"));
    let batch = dirty.take_pending();
    assert!(batch.sweep && batch.paths.is_empty());
}

#[test]
fn a_waiter_ends_the_rest() {
    let dirty = lazy_dirty_set();
    dirty.mark(ws("a"));
    let worker = {
        let dirty = Arc::clone(&dirty);
        thread::spawn(move || {
            let batch = dirty.next_batch().expect("open");
            dirty.settle(batch.marks);
            batch
        })
    };
    assert_eq!(dirty.wait_settled(dirty.mark_count(), soon()), Ok(()));
    assert!(worker.join().expect("join").paths.contains("a"));
}

#[test]
fn a_mark_during_a_batch_is_not_settled_by_it() {
    let dirty = lazy_dirty_set();
    dirty.mark(ws("a"));
    let batch = dirty.take_pending();
    // The same path changes again while the batch is being worked on.
    dirty.mark(ws("a"));
    let marks = dirty.mark_count();
    dirty.settle(batch.marks);
    let short = Deadline::after(Duration::from_millis(5));
    assert_eq!(dirty.wait_settled(marks, short), Err(NotSettled::Late));
    let batch = dirty.take_pending();
    assert!(batch.paths.contains("a"));
    dirty.settle(batch.marks);
    assert_eq!(dirty.wait_settled(marks, short), Ok(()));
}

/// While the worker has what one call found, another call finds nothing: it has to wait all the same, and only for that.
#[test]
fn what_another_call_found_is_waited_for() {
    let dirty = lazy_dirty_set();
    assert_eq!(dirty.found_count(), 0);
    dirty.mark_found(UnreportedChange::Path(ws("a")));
    let batch = dirty.take_pending();
    dirty.mark(ws("b"));
    let found = dirty.found_count();
    assert!(found < dirty.mark_count(), "what came later by an event is not waited for");
    let short = Deadline::after(Duration::from_millis(5));
    assert_eq!(dirty.wait_settled(found, short), Err(NotSettled::Late));
    dirty.settle(batch.marks);
    assert_eq!(dirty.wait_settled(found, short), Ok(()));
    // What an event has marked already is in the same batch.
    dirty.mark_found(UnreportedChange::Path(ws("b")));
    assert_eq!(dirty.found_count(), dirty.mark_count());
    dirty.mark_found(UnreportedChange::Everything);
    dirty.settle(dirty.take_pending().marks);
    assert_eq!(dirty.wait_settled(dirty.found_count(), short), Ok(()));
    // A batch that was taken for an event may have read what somebody would have found.
    dirty.mark(ws("c"));
    let batch = dirty.take_pending();
    assert_eq!(dirty.found_count(), batch.marks);
}

/// `map_rebuild` reads the tree itself, and may have read what another call would have found.
#[test]
fn who_reads_in_place_of_the_worker_is_waited_for() {
    let dirty = lazy_dirty_set();
    let short = Deadline::after(Duration::from_millis(5));
    assert_eq!(dirty.wait_for_rescans(short), Ok(()));
    let rescan = dirty.begin_rescan();
    assert_eq!(dirty.wait_for_rescans(short), Err(NotSettled::Late));
    let other = dirty.begin_rescan();
    drop(rescan);
    assert_eq!(dirty.wait_for_rescans(short), Err(NotSettled::Late));
    drop(other);
    assert_eq!(dirty.wait_for_rescans(short), Ok(()));
}

#[test]
fn with_nothing_marked_nobody_waits() {
    let dirty = lazy_dirty_set();
    let passed = Deadline::after(Duration::ZERO);
    assert_eq!(dirty.wait_settled(dirty.mark_count(), passed), Ok(()));
}

#[test]
fn marks_rest_until_it_is_quiet_and_then_come_by_themselves() {
    let dirty =
        Arc::new(DirtySet::new(Debounce { quiet: Duration::from_millis(1), max: Duration::from_millis(5) }));
    let worker = {
        let dirty = Arc::clone(&dirty);
        thread::spawn(move || dirty.next_batch())
    };
    dirty.mark(ws("a"));
    assert!(worker.join().expect("join").is_some());
}

#[test]
fn what_could_not_be_done_is_marked_again() {
    let dirty = lazy_dirty_set();
    dirty.mark(ws("a"));
    dirty.mark_tree(ws("d"));
    let batch = dirty.take_pending();
    dirty.put_back(batch.clone());
    let again = dirty.take_pending();
    assert_eq!((again.paths, again.trees), (batch.paths, batch.trees));
    assert!(again.marks > batch.marks);
    dirty.put_back(Batch { sweep: true, ..Batch::default() });
    assert!(dirty.take_pending().sweep);
}

#[test]
fn closing_lets_everybody_go() {
    let dirty = lazy_dirty_set();
    dirty.mark(ws("a"));
    let waiter = {
        let dirty = Arc::clone(&dirty);
        thread::spawn(move || dirty.wait_settled(dirty.mark_count(), soon()))
    };
    let worker = {
        let dirty = lazy_dirty_set();
        let inner = Arc::clone(&dirty);
        let worker = thread::spawn(move || inner.next_batch());
        dirty.close();
        worker
    };
    wait_until("the waiter waits or is done", || true);
    dirty.close();
    assert_eq!(waiter.join().expect("join"), Err(NotSettled::Closed));
    assert_eq!(worker.join().expect("join"), None);
}
