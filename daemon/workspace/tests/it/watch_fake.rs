//! The watcher with a scripted backend: losses, limits, disorder.

use std::sync::Arc;
use std::time::Duration;

use hob_base::{Deadline, WsPath};
use hob_workspace::watch::FsEvent;
use hob_workspace::watch::fake::FakeWatch;
use hob_workspace::{BarrierError, Watcher, WatcherState};

use crate::support::{Indexer, WorkspaceTree, soon, wait_until};

/// A scripted watcher over a small tree, after its first sweep.
fn start(tree: &WorkspaceTree) -> (FakeWatch, Indexer) {
    let fake = FakeWatch::new();
    let maker = fake.backend_maker();
    let mut indexer = Indexer::watching(tree, |setup| Watcher::with_backend(setup, maker));
    assert!(indexer.catch_up().sweep, "the first batch is everything");
    (fake, indexer)
}

fn small_tree() -> WorkspaceTree {
    WorkspaceTree::with_files(&[
        (".gitignore", "target\n"),
        ("a.py", "1"),
        ("d/b.py", "2"),
        ("target/x", ""),
        ("d/e/c.py", "3"),
    ])
}

/// A barrier while the script reports cookies.
fn pass_barrier(tree: &WorkspaceTree, fake: &FakeWatch, indexer: &Indexer) -> Result<(), BarrierError> {
    let watcher = Arc::clone(indexer.watcher());
    let call = std::thread::spawn(move || watcher.barrier(soon()).map(|_| ()));
    wait_until("the barrier ends", || {
        fake.say_cookie(&tree.path_beside("cookies"));
        call.is_finished()
    });
    call.join().expect("join")
}

fn is_degraded(indexer: &Indexer) -> bool {
    matches!(indexer.watcher().state(), WatcherState::Degraded { .. })
}

#[test]
fn only_folders_that_belong_are_watched() {
    let tree = small_tree();
    let (fake, indexer) = start(&tree);
    let mut expected = [
        tree.path_beside("cookies"),
        tree.path(""),
        tree.path(".git/info"),
        tree.path("d"),
        tree.path("d/e"),
    ];
    expected.sort();
    // `path("")` ends in a slash; components are what counts.
    let watched: Vec<_> = fake.watched_folders().into_iter().collect();
    assert!(watched.iter().eq(expected.iter()), "{watched:?}");
    assert_eq!(indexer.watcher().watched_dirs(), 3);
    assert_eq!(indexer.watcher().state(), WatcherState::Live);
}

/// A walk may come upon a folder while the one around it is being forgotten: the late word of a move, under the new name.
#[test]
fn a_folder_found_while_those_around_it_are_forgotten_is_watched_in_the_end() {
    let tree = small_tree();
    let (fake, mut indexer) = start(&tree);
    tree.write("d/e/n/f.py", "4");
    let watcher = Arc::clone(indexer.watcher());
    fake.before_forgetting(move || watcher.add_dir(&WsPath::new("d/e/n").expect("a path")));
    fake.report_event(FsEvent::Vanished(tree.path("d")));
    indexer.catch_up();
    for folder in ["d", "d/e", "d/e/n"] {
        assert!(
            fake.watched_folders().contains(&tree.path(folder)),
            "{folder}: {:?}",
            fake.watched_folders()
        );
    }
    assert_eq!(indexer.watcher().watched_dirs(), 4);
}

#[test]
fn order_and_duplicates_of_events_do_not_matter() {
    let tree = small_tree();
    let (fake, mut indexer) = start(&tree);
    tree.rename("d", "moved");
    tree.write("a.py", "changed");
    tree.write("new/f.py", "4");
    use FsEvent::{Appeared, Touched, Vanished};
    for event in [
        Appeared(tree.path("moved")),
        Touched(tree.path("a.py")),
        Touched(tree.path("a.py")),
        Vanished(tree.path("new")),
        Appeared(tree.path("new")),
        Appeared(tree.path("d")),
        Vanished(tree.path("moved")),
        Vanished(tree.path("d")),
    ] {
        fake.report_event(event);
    }
    pass_barrier(&tree, &fake, &indexer).expect("passed");
    assert!(!indexer.catch_up().sweep);
    assert_eq!(indexer.known_contents(), tree.true_contents());
    assert!(fake.watched_folders().contains(&tree.path("moved/e")));
    assert!(fake.watched_folders().contains(&tree.path("new")));
}

#[test]
fn events_of_ignored_files_mark_nothing() {
    let tree = small_tree();
    let (fake, indexer) = start(&tree);
    for path in ["target", "target/x", ".git/index.lock", ".git", ".hidden", "/elsewhere"] {
        // `.git` itself decides whether git's rules count, so it is left out of the check below.
        if path != ".git" {
            fake.report_event(FsEvent::Touched(tree.path(path)));
        }
    }
    pass_barrier(&tree, &fake, &indexer).expect("passed");
    assert!(indexer.dirty.take_pending().is_empty());
}

#[test]
fn a_changed_rule_file_marks_its_folder() {
    let tree = small_tree();
    let (fake, mut indexer) = start(&tree);
    tree.write("d/.gitignore", "*.py\n");
    fake.report_event(FsEvent::Appeared(tree.path("d/.gitignore")));
    pass_barrier(&tree, &fake, &indexer).expect("passed");
    let batch = indexer.catch_up();
    assert!(batch.trees.contains("d") && !batch.sweep);
    assert_eq!(indexer.known_contents(), tree.true_contents());
    tree.write(".gitignore", "");
    fake.report_event(FsEvent::Touched(tree.path(".gitignore")));
    pass_barrier(&tree, &fake, &indexer).expect("passed");
    assert!(indexer.catch_up().sweep, "the root's rules are everybody's");
    assert_eq!(indexer.known_contents(), tree.true_contents());
    assert!(fake.watched_folders().contains(&tree.path("target")), "no longer ignored, so watched");
    tree.write(".git/info/exclude", "target\n");
    fake.report_event(FsEvent::Touched(tree.path(".git/info/exclude")));
    pass_barrier(&tree, &fake, &indexer).expect("passed");
    indexer.catch_up();
    assert_eq!(indexer.known_contents(), tree.true_contents());
}

#[test]
fn a_loss_degrades_and_a_sweep_heals() {
    let tree = small_tree();
    let (fake, mut indexer) = start(&tree);
    tree.write("a.py", "an event that is lost");
    tree.write("unseen/g.py", "5");
    fake.report_event(FsEvent::Lost("queue overflow".to_owned()));
    wait_until("the loss is known", || is_degraded(&indexer));
    assert_eq!(indexer.watcher().barrier(soon()), Err(BarrierError::Unordered));
    assert!(indexer.catch_up().sweep);
    assert_eq!(indexer.known_contents(), tree.true_contents());
    assert_eq!(indexer.watcher().state(), WatcherState::Live);
    assert_eq!(fake.backends_made(), 2, "with a new backend");
    assert!(fake.watched_folders().contains(&tree.path("unseen")));
    pass_barrier(&tree, &fake, &indexer).expect("passed");
}

#[test]
fn a_late_event_of_a_replaced_backend_does_not_degrade_the_new_one() {
    let tree = small_tree();
    let (fake, mut indexer) = start(&tree);
    fake.report_event(FsEvent::Lost("the queue overflowed".to_owned()));
    indexer.catch_up();
    assert_eq!(fake.backends_made(), 2);
    fake.report_event_of(0, FsEvent::Vanished(tree.path("")));
    assert_eq!(indexer.watcher().state(), WatcherState::Live);
    assert!(indexer.dirty.take_pending().is_empty(), "the sweep has seen what that event is about");
    fake.report_event_of(1, FsEvent::Vanished(tree.path("")));
    assert!(is_degraded(&indexer), "the same word of the present backend is news");
}

#[test]
fn a_loss_ends_the_waits_that_it_made_worthless() {
    let tree = small_tree();
    let (fake, indexer) = start(&tree);
    let watcher = Arc::clone(indexer.watcher());
    let call = std::thread::spawn(move || watcher.barrier(soon()));
    fake.report_event(FsEvent::Lost("queue overflow".to_owned()));
    assert_eq!(call.join().expect("join"), Err(BarrierError::Unordered));
}

#[test]
fn without_room_for_watches_it_says_so_and_recovers_by_itself() {
    let tree = small_tree();
    let fake = FakeWatch::new();
    fake.set_limit(Some(3));
    let maker = fake.backend_maker();
    let mut indexer = Indexer::watching(&tree, |setup| Watcher::with_backend(setup, maker));
    indexer.catch_up();
    assert_eq!(indexer.known_contents(), tree.true_contents(), "the index is whole all the same");
    let WatcherState::Degraded { note } = indexer.watcher().state() else { panic!("degraded") };
    assert!(note.contains("limit"), "{note}");
    assert_eq!(indexer.watcher().barrier(soon()), Err(BarrierError::Unordered));
    indexer.sweep_all();
    assert!(indexer.dirty.take_pending().is_empty(), "a sweep that meets the limit does not ask for another");
    assert!(is_degraded(&indexer), "still no room");
    fake.set_limit(None);
    indexer.sweep_all();
    assert_eq!(indexer.watcher().state(), WatcherState::Live);
    assert!(fake.watched_folders().contains(&tree.path("d/e")));
}

#[test]
fn a_cookie_that_never_shows_is_late_not_wrong() {
    let tree = small_tree();
    let (fake, indexer) = start(&tree);
    let short = Deadline::after(Duration::from_millis(20));
    assert_eq!(indexer.watcher().barrier(short), Err(BarrierError::Late));
    // It shows after all: the next call is served.
    pass_barrier(&tree, &fake, &indexer).expect("passed");
}

#[test]
fn without_order_there_is_no_barrier() {
    let tree = small_tree();
    let (fake, indexer) = start(&tree);
    fake.set_unordered(true);
    assert_eq!(indexer.watcher().barrier(soon()), Err(BarrierError::Unordered));
    assert_eq!(indexer.watcher().state(), WatcherState::Live);
    let off = Indexer::watching(&tree, Watcher::without_watching);
    assert_eq!(off.watcher().state(), WatcherState::Off);
    assert_eq!(off.watcher().barrier(soon()), Err(BarrierError::Unordered));
    assert!(off.dirty.take_pending().sweep);
}

#[test]
fn a_backend_that_cannot_be_made_is_tried_again() {
    use hob_workspace::watch::WatchError;
    use std::sync::atomic::{AtomicBool, Ordering};
    let tree = small_tree();
    let fake = FakeWatch::new();
    let broken = Arc::new(AtomicBool::new(true));
    let maker = {
        let (make, broken) = (fake.backend_maker(), Arc::clone(&broken));
        Box::new(move |sink| if broken.load(Ordering::SeqCst) { Err(WatchError::Limit) } else { make(sink) })
    };
    let mut indexer = Indexer::watching(&tree, |setup| Watcher::with_backend(setup, maker));
    indexer.catch_up();
    assert_eq!(indexer.known_contents(), tree.true_contents());
    assert!(is_degraded(&indexer));
    assert!(indexer.dirty.take_pending().is_empty(), "nobody sweeps unasked");
    broken.store(false, Ordering::SeqCst);
    indexer.sweep_all();
    assert_eq!(indexer.watcher().state(), WatcherState::Live);
    pass_barrier(&tree, &fake, &indexer).expect("passed");
}
