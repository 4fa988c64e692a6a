//! The watcher with real events: after a barrier, nothing that was written before it is unknown. Every test is run against
//! the platform's own backend and, where that is another, against notify's.
//!
//! On platforms whose events have no order the barrier cannot be passed; the same tests then take the other way, a sweep,
//! and must come to the same result.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use hob_base::AbsPath;
use hob_workspace::watch::by_notify;
use hob_workspace::{BarrierError, Batch, WatchSetup, Watcher, WatcherState};

use crate::support::{Indexer, Random, WorkspaceTree, soon, wait_until, ws};

/// A way to begin to watch.
type Begin = fn(WatchSetup) -> Arc<Watcher>;

fn with_notify(setup: WatchSetup) -> Arc<Watcher> {
    Watcher::with_backend(setup, Box::new(by_notify))
}

/// Makes tests of functions that want a [`Begin`], one for each backend.
macro_rules! for_every_backend {
    ($($test:ident),+ $(,)?) => {
        mod own {
            $(#[test] fn $test() { super::$test(hob_workspace::Watcher::start); })+
        }
        #[cfg(target_os = "linux")]
        mod notify {
            $(#[test] fn $test() { super::$test(super::with_notify); })+
        }
    };
}

for_every_backend!(
    every_kind_of_change_is_seen,
    trees_come_from_and_go_to_the_outside,
    a_folder_renamed_onto_an_empty_one_is_watched,
    changes_of_rules_are_changes,
    a_new_folder_brings_its_own_rules,
    a_root_that_goes_and_comes_back,
    barriers_leave_no_marks,
    a_dropped_watcher_lets_go_of_its_thread,
    a_folder_that_is_ignored_later_is_not_watched,
    what_is_only_read_wakes_nobody,
    after_a_thousand_random_operations_each_barrier_shows_the_truth,
    everybody_reads_their_own_writes,
);

fn start(tree: &WorkspaceTree, begin: Begin) -> Indexer {
    let mut indexer = Indexer::watching(tree, begin);
    indexer.catch_up();
    indexer
}

/// Does what a call does to be fresh; here the caller does the indexing.
fn make_fresh(indexer: &mut Indexer) -> Batch {
    match indexer.watcher().barrier(soon()) {
        Ok(_) => {}
        Err(BarrierError::Unordered) => indexer.dirty.mark_sweep(),
        Err(BarrierError::Late) => panic!("a minute was not enough"),
    }
    let batch = indexer.catch_up();
    // Writes through other names give no event.
    let linked = indexer.table.links().mark_changed(indexer.rules.root(), &indexer.dirty);
    if indexer.rules.mark_changed(&indexer.dirty) || linked {
        indexer.catch_up();
    }
    batch
}

#[track_caller]
fn check_fresh(tree: &WorkspaceTree, indexer: &mut Indexer) {
    make_fresh(indexer);
    assert_eq!(indexer.known_contents(), tree.true_contents());
}

fn every_kind_of_change_is_seen(begin: Begin) {
    let tree = WorkspaceTree::with_files(&[("a.py", "1"), ("d/b.py", "2"), ("d/e/c.py", "3")]);
    let mut indexer = start(&tree, begin);
    check_fresh(&tree, &mut indexer);
    tree.write("a.py", "changed");
    check_fresh(&tree, &mut indexer);
    tree.write("d/new.py", "4");
    check_fresh(&tree, &mut indexer);
    tree.write("x/y/z/deep.py", "in new folders");
    check_fresh(&tree, &mut indexer);
    tree.write("x/y/z/deep.py", "the new folder is watched");
    check_fresh(&tree, &mut indexer);
    // As editors save.
    tree.write("d/.b.py.swp", "saved");
    tree.rename("d/.b.py.swp", "d/b.py");
    check_fresh(&tree, &mut indexer);
    tree.rename("d", "moved");
    check_fresh(&tree, &mut indexer);
    tree.write("moved/e/c.py", "after the move");
    check_fresh(&tree, &mut indexer);
    tree.rename("moved/e", "e");
    tree.rename("x", "moved/x");
    tree.write("moved/x/y/z/deep.py", "after another move");
    check_fresh(&tree, &mut indexer);
    tree.remove("moved");
    check_fresh(&tree, &mut indexer);
    tree.rename("a.py", "A.py");
    check_fresh(&tree, &mut indexer);
}

fn trees_come_from_and_go_to_the_outside(begin: Begin) {
    let tree = WorkspaceTree::with_files(&[("in/a.py", "1"), ("in/deep/b.py", "2")]);
    let mut indexer = start(&tree, begin);
    fs::rename(tree.path("in"), tree.path_beside("out")).expect("rename");
    check_fresh(&tree, &mut indexer);
    fs::write(tree.path_beside("out/deep/b.py"), "changed outside").expect("write");
    check_fresh(&tree, &mut indexer);
    fs::rename(tree.path_beside("out"), tree.path("back")).expect("rename");
    check_fresh(&tree, &mut indexer);
    tree.write("back/deep/b.py", "changed inside");
    check_fresh(&tree, &mut indexer);
}

fn a_folder_renamed_onto_an_empty_one_is_watched(begin: Begin) {
    let tree = WorkspaceTree::with_files(&[("from/a.py", "1")]);
    tree.mkdir("to");
    let mut indexer = start(&tree, begin);
    // Held open, the old folder dies late, and its last event comes after the new one's first.
    let held = fs::File::open(tree.path("to")).ok();
    tree.rename("from", "to");
    check_fresh(&tree, &mut indexer);
    drop(held);
    check_fresh(&tree, &mut indexer);
    tree.write("to/a.py", "2");
    check_fresh(&tree, &mut indexer);
    tree.write("to/new.py", "3");
    check_fresh(&tree, &mut indexer);
}

fn changes_of_rules_are_changes(begin: Begin) {
    let tree = WorkspaceTree::with_files(&[("a.log", "1"), ("d/b.log", "2"), ("d/c.py", "3")]);
    let mut indexer = start(&tree, begin);
    tree.write(".gitignore", "*.log\nd\n");
    check_fresh(&tree, &mut indexer);
    tree.write("d/c.py", "not ours at present");
    check_fresh(&tree, &mut indexer);
    tree.write(".gitignore", "");
    check_fresh(&tree, &mut indexer);
    tree.write("d/c.py", "ours again");
    check_fresh(&tree, &mut indexer);
    tree.write(".git/info/exclude", "*.log\n");
    check_fresh(&tree, &mut indexer);
    // Without a repository its rules mean nothing.
    tree.rename(".git", "moved-git");
    tree.remove("moved-git");
    check_fresh(&tree, &mut indexer);
    tree.mkdir(".git");
    tree.write("d/.hobignore", "c.py");
    check_fresh(&tree, &mut indexer);
    // Above the workspace nothing is watched.
    fs::write(tree.path_beside(".ignore"), "*.log\n").expect("write");
    check_fresh(&tree, &mut indexer);
    fs::remove_file(tree.path_beside(".ignore")).expect("remove");
    check_fresh(&tree, &mut indexer);
    // git made it later, together with its folder.
    tree.write(".git/info/exclude", "*.log\n");
    check_fresh(&tree, &mut indexer);
    tree.remove("d/.hobignore");
    check_fresh(&tree, &mut indexer);
}

fn a_new_folder_brings_its_own_rules(begin: Begin) {
    let tree = WorkspaceTree::with_files(&[("p/a.tmp", "1")]);
    let mut indexer = start(&tree, begin);
    check_fresh(&tree, &mut indexer);
    fs::create_dir(tree.path_beside("p2")).expect("mkdir");
    fs::write(tree.path_beside("p2/.gitignore"), "*.tmp").expect("write");
    fs::write(tree.path_beside("p2/b.tmp"), "").expect("write");
    tree.remove("p");
    fs::rename(tree.path_beside("p2"), tree.path("p")).expect("rename");
    check_fresh(&tree, &mut indexer);
    tree.write("p/c.tmp", "ignored by the new rules");
    assert!(indexer.known_contents().is_empty());
    check_fresh(&tree, &mut indexer);
}

fn a_root_that_goes_and_comes_back(begin: Begin) {
    let tree = WorkspaceTree::with_files(&[("a.py", "1"), ("d/b.py", "2")]);
    let mut indexer = start(&tree, begin);
    fs::rename(tree.root.as_path(), tree.path_beside("away")).expect("rename");
    make_fresh(&mut indexer);
    // The event for the root itself may come after the barrier's; the sweep that it causes then finds out.
    wait_until("the loss is noticed", || matches!(indexer.watcher().state(), WatcherState::Degraded { .. }));
    make_fresh(&mut indexer);
    assert_eq!(indexer.known_contents().len(), 2, "what was known is kept until it is back");
    assert!(matches!(indexer.watcher().state(), WatcherState::Degraded { .. }));
    fs::remove_file(tree.path_beside("away").join("a.py")).expect("remove");
    fs::rename(tree.path_beside("away"), tree.root.as_path()).expect("rename");
    check_fresh(&tree, &mut indexer);
    assert_eq!(indexer.watcher().state(), WatcherState::Live);
    tree.write("d/b.py", "watched again");
    check_fresh(&tree, &mut indexer);
}

#[test]
fn the_folder_for_cookies_may_be_cleaned_out() {
    let tree = WorkspaceTree::with_files(&[("a.py", "1")]);
    let mut indexer = start(&tree, with_notify);
    check_fresh(&tree, &mut indexer);
    for entry in fs::read_dir(tree.path_beside("cookies")).expect("read_dir") {
        fs::remove_file(entry.expect("entry").path()).expect("remove");
    }
    tree.write("a.py", "2");
    check_fresh(&tree, &mut indexer);
    fs::remove_dir_all(tree.path_beside("cookies")).expect("remove");
    tree.write("a.py", "3");
    check_fresh(&tree, &mut indexer);
    check_fresh(&tree, &mut indexer);
    assert_eq!(indexer.watcher().state(), WatcherState::Live, "it was made again");
}

fn barriers_leave_no_marks(begin: Begin) {
    let tree = WorkspaceTree::with_files(&[("a.py", "1")]);
    let mut indexer = start(&tree, begin);
    (0..50).for_each(|_| assert!(make_fresh(&mut indexer).is_empty() || !cfg!(target_os = "linux")));
    // One file at most; none where no cookie is needed.
    assert!(fs::read_dir(tree.path_beside("cookies")).map_or(0, Iterator::count) <= 1);
}

fn what_is_only_read_wakes_nobody(begin: Begin) {
    let tree = WorkspaceTree::with_files(&[("a.py", "1"), ("d/b.py", "2")]);
    let mut indexer = start(&tree, begin);
    check_fresh(&tree, &mut indexer);
    for path in ["a.py", "d/b.py", "d"] {
        let _ = fs::read(tree.path(path));
        let _ = fs::read_dir(tree.path(path)).map(Iterator::count);
    }
    assert!(make_fresh(&mut indexer).is_empty() || !cfg!(target_os = "linux"));
}

/// A build writes into its folder all day long.
fn a_folder_that_is_ignored_later_is_not_watched(begin: Begin) {
    let tree =
        WorkspaceTree::with_files(&[("a.py", "1"), ("out/deep/b.py", "2"), ("out-of-the-way/c.py", "3")]);
    let mut indexer = start(&tree, begin);
    check_fresh(&tree, &mut indexer);
    assert_eq!(indexer.watcher().watched_dirs(), 4);
    tree.write(".gitignore", "out/\n");
    check_fresh(&tree, &mut indexer);
    assert_eq!(indexer.watcher().watched_dirs(), 2, "the root and the one beside");
    tree.write("out/deep/b.py", "unwatched");
    tree.write(".gitignore", "");
    check_fresh(&tree, &mut indexer);
    tree.write("out/deep/b.py", "watched again");
    check_fresh(&tree, &mut indexer);
}

fn a_dropped_watcher_lets_go_of_its_thread(begin: Begin) {
    let tree = WorkspaceTree::with_files(&[("a.py", "1")]);
    let indexer = start(&tree, begin);
    let weak = Arc::downgrade(indexer.watcher());
    drop(indexer);
    wait_until("the watcher is gone", || weak.strong_count() == 0);
}

/// A stroke of random work on a tree, by names from small pools, so that the same paths come and go.
struct Storm {
    random: Random,
    root: AbsPath,
}

impl Storm {
    const DIRS: &[&str] = &["a", "b", "a/x", "a/y", "b/x", "a/x/deep", "target", "c"];
    const NAMES: &[&str] = &["f.py", "g.py", "h h.py", "new\nline.py", "per%cent#.py", "i.log", "x", "deep"];

    fn any_path(&mut self) -> String {
        match self.random.number_below(3) {
            0 => (*self.random.pick_one(Self::DIRS)).to_owned(),
            _ => format!("{}/{}", self.random.pick_one(Self::DIRS), self.random.pick_one(Self::NAMES)),
        }
    }

    /// One operation. Many fail, as those of real programs do; that is part of it. Hard links too: a write through a name
    /// that is ignored gives no event for the one that is not.
    fn do_one_operation(&mut self) {
        let (one, other) = (self.any_path(), self.any_path());
        let [one, other] = [one, other].map(|path| self.root.as_path().join(path));
        let text = format!("text {}", self.random.number_below(1_000_000));
        let _ = match self.random.number_below(14) {
            0 => fs::create_dir_all(&one),
            1 => fs::remove_file(&one),
            2 => fs::remove_dir_all(&one),
            3 | 4 => fs::rename(&one, &other),
            5 | 6 => {
                let temp = one.with_file_name(".temp");
                fs::write(&temp, text).and_then(|()| fs::rename(&temp, &one))
            }
            7 => {
                let rules = ["*.log", "x", "deep/", "", "!*.py", "*"];
                let dir = self.random.pick_one(Self::DIRS);
                fs::write(self.root.as_path().join(dir).join(".gitignore"), self.random.pick_one(&rules))
            }
            8 => {
                let dir = self.root.as_path().join(self.random.pick_one(Self::DIRS));
                fs::remove_file(dir.join(".gitignore"))
            }
            9 => fs::hard_link(&one, &other),
            _ => {
                fs::create_dir_all(one.parent().expect("below the root")).and_then(|()| fs::write(&one, text))
            }
        };
    }
}

fn after_a_thousand_random_operations_each_barrier_shows_the_truth(begin: Begin) {
    for seed in [1, 2, 3] {
        let tree = WorkspaceTree::with_files(&[(".gitignore", "target\n"), ("a/f.py", "1")]);
        let mut indexer = start(&tree, begin);
        let mut storm = Storm { random: Random(seed), root: tree.root.clone() };
        let mut sweeps = 0;
        let mut done = 0;
        while done < 1_000 {
            let burst = storm.random.number_below(12) + 1;
            (0..burst).for_each(|_| storm.do_one_operation());
            done += burst;
            sweeps += usize::from(make_fresh(&mut indexer).sweep);
            assert_eq!(
                indexer.known_contents(),
                tree.true_contents(),
                "seed {seed}, after {done} operations"
            );
        }
        assert!(
            sweeps == 0 || !cfg!(target_os = "linux"),
            "events alone were enough, without {sweeps} sweeps"
        );
    }
}

/// Each of several clients writes a file of its own and then asks at once, while others make noise.
fn everybody_reads_their_own_writes(begin: Begin) {
    const CLIENTS: usize = 6;
    const ROUNDS: usize = 60;
    let tree = WorkspaceTree::with_files(&[("a/f.py", "1")]);
    (0..CLIENTS).for_each(|n| tree.write(&format!("own/{n}/file.py"), "0"));
    let mut indexer = Indexer::watching(&tree, begin);
    let (dirty, watcher) = (Arc::clone(&indexer.dirty), Arc::clone(indexer.watcher()));
    let known = Arc::new(std::sync::Mutex::new(indexer.known_contents()));
    let worker = {
        let (known, dirty) = (Arc::clone(&known), Arc::clone(&dirty));
        thread::spawn(move || {
            while let Some(batch) = dirty.next_batch() {
                // Seen before settled: `apply` settles, so what it did must be visible first.
                let marks = batch.marks;
                indexer.apply(&Batch { marks: 0, ..batch });
                *known.lock().expect("no panic") = indexer.known_contents();
                dirty.settle(marks);
            }
        })
    };
    let stop = Arc::new(AtomicBool::new(false));
    let noise = {
        let (stop, mut storm) = (Arc::clone(&stop), Storm { random: Random(99), root: tree.root.clone() });
        thread::spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                storm.do_one_operation();
                thread::sleep(std::time::Duration::from_millis(2));
            }
        })
    };
    thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (tree, dirty, watcher, known) = (&tree, &dirty, &watcher, &known);
            scope.spawn(move || {
                let path = format!("own/{client}/file.py");
                for round in 0..ROUNDS {
                    let text = format!("client {client}, round {round}");
                    tree.write(&path, &text);
                    let marks = watcher.barrier(soon()).map(|passed| passed.marks).unwrap_or_else(|_| {
                        dirty.mark_sweep();
                        dirty.mark_count()
                    });
                    dirty.wait_settled(marks, soon()).expect("settled");
                    let seen = known.lock().expect("no panic").get(&path).copied();
                    assert_eq!(
                        seen,
                        Some(hob_base::ContentHash::of(text.as_bytes())),
                        "{path}, round {round}"
                    );
                }
            });
        }
    });
    stop.store(true, Ordering::Relaxed);
    noise.join().expect("join");
    dirty.close();
    worker.join().expect("join");
    assert!(watcher.watched_dirs() > 0);
    assert!(ws("own").is_below(&ws("")));
}
