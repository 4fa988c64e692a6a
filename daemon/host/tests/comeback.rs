//! Tests the restoring of a project that is large enough for its map's names and lists to be saved: nothing is read or
//! parsed again, and lost or damaged parts of the snapshot cost work and never an answer.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hob_base::{AbsPath, CancelToken};
use hob_host::{Freshness, Host, HostOptions, Phase, Workspace};
use hob_map::graph::Ranked;
use tempfile::TempDir;

/// Number of files of the project: enough for names and lists to be saved.
const FILES: usize = 2_100;

/// Returns a host in `dir`. The threads of the host before may hold the store for a moment after it was closed, and a
/// host then has a store in memory, which is not what is tested here: this waits until it has the store on disk.
fn host(dir: &Path) -> Host {
    loop {
        let host = new_host(dir);
        if !host.notices().iter().any(|notice| notice.contains("nothing is remembered")) {
            return host;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn new_host(dir: &Path) -> Host {
    let options = HostOptions::in_folder(&AbsPath::new(dir).expect("absolute"));
    Host::new(options).expect("threads can be started")
}

fn open(host: &Host, tree: &Path) -> Arc<Workspace> {
    let workspace = host.workspace(&AbsPath::new(tree).expect("absolute")).expect("the tree is there");
    workspace.progress.wait_past(Phase::Map, &CancelToken::default(), &|_| {}).expect("nobody cancels");
    assert_eq!(workspace.barrier(true, Duration::from_secs(60)), Freshness::Fresh);
    workspace
}

fn write(tree: &Path, number: usize, text: &str) {
    let path = tree.join(format!("d{}/m{number}.py", number % 37));
    fs::create_dir_all(path.parent().expect("below the tree")).expect("the test's own folder");
    fs::write(path, text).expect("the test's own folder");
}

fn project() -> TempDir {
    let tree = TempDir::new().expect("a temporary folder");
    for number in 0..FILES {
        let (folder, other) = ((number + 1) % 37, number + 1);
        let text = format!(
            "from d{folder}.m{other} import f{other}\n\nclass C{number}:\n    def run(self):\n        \
             return f{other}() + self.run()\n\ndef f{number}():\n    return C{number}().run()\n"
        );
        write(tree.path(), number, &text);
    }
    tree
}

/// Indexes the project once and closes it.
fn index(dir: &Path, tree: &Path) {
    let host = host(dir);
    open(&host, tree);
    host.close();
}

fn known(workspace: &Workspace) -> (BTreeSet<String>, Vec<String>) {
    let text = workspace.text().export_contents().into_iter().map(|(path, sum)| format!("{path} {sum:x}"));
    (workspace.map().export().into_iter().collect(), text.collect())
}

/// Restores the project in `dir`, and compares its map and text with those of a new host. Returns the number of parsed
/// files, and the notices.
#[track_caller]
fn come_back(dir: &Path, tree: &Path) -> (u64, String) {
    let again = host(dir);
    let workspace = open(&again, tree);
    let fresh_dir = TempDir::new().expect("a temporary folder");
    let fresh = host(fresh_dir.path());
    let same = known(&workspace) == known(&open(&fresh, tree));
    assert!(same, "what came back differs from what is there");
    let told = (workspace.facts_counts().0, again.notices().join("\n"));
    fresh.close();
    again.close();
    told
}

fn saved(dir: &Path, name: &str) -> std::path::PathBuf {
    let mut folders = fs::read_dir(dir.join("snapshots")).expect("something was saved");
    folders.next().expect("one workspace").expect("readable").path().join(name)
}

#[test]
fn nothing_is_parsed_again_and_changes_meanwhile_are_noticed() {
    let (dir, tree) = (TempDir::new().expect("a temporary folder"), project());
    index(dir.path(), tree.path());
    assert!(saved(dir.path(), "names").exists(), "names and lists are kept");
    assert_eq!(come_back(dir.path(), tree.path()), (0, String::new()));
    write(tree.path(), 5, "def changed(): pass\n");
    write(tree.path(), FILES + 5, "from d5.m5 import changed\nchanged()\n");
    fs::remove_file(tree.path().join("d7/m7.py")).expect("it was written");
    fs::rename(tree.path().join("d9"), tree.path().join("moved")).expect("it was written");
    assert_eq!(come_back(dir.path(), tree.path()), (2, String::new()));
    assert_eq!(come_back(dir.path(), tree.path()), (0, String::new()));
}

#[test]
fn lost_or_damaged_names_and_lists_are_made_again() {
    let (dir, tree) = (TempDir::new().expect("a temporary folder"), project());
    index(dir.path(), tree.path());
    let names = saved(dir.path(), "names");
    let good = fs::read(&names).expect("it was saved");
    fs::remove_file(&names).expect("it was saved");
    assert_eq!(come_back(dir.path(), tree.path()), (0, String::new()));
    assert!(names.exists(), "saved again");
    fs::write(&names, &good[..good.len() / 2]).expect("it was saved");
    let (parsed, told) = come_back(dir.path(), tree.path());
    assert!(parsed == 0 && told.contains("discarded"), "{parsed} {told}");
    assert_eq!(come_back(dir.path(), tree.path()), (0, String::new()));
}

/// Restores the project, as [`come_back`] does. Returns true if its edges were derived, and false if those that were saved answer.
fn derives_again(dir: &Path, tree: &Path) -> bool {
    let host = host(dir);
    let workspace = open(&host, tree);
    workspace.wait_derived(&CancelToken::default());
    let ranked = workspace.map().ranking_origin();
    drop(workspace);
    host.close();
    ranked == Ranked::Derived
}

#[test]
fn edges_are_derived_again_only_if_something_has_changed_or_they_are_lost() {
    let (dir, tree) = (TempDir::new().expect("a temporary folder"), project());
    assert!(derives_again(dir.path(), tree.path()));
    assert!(!derives_again(dir.path(), tree.path()));
    write(tree.path(), 5, "def changed(): pass\n");
    assert!(derives_again(dir.path(), tree.path()));
    assert!(!derives_again(dir.path(), tree.path()));
    let edges = saved(dir.path(), "edges");
    let good = fs::read(&edges).expect("they were saved");
    fs::write(&edges, &good[..good.len() / 2]).expect("the test's own folder");
    assert!(derives_again(dir.path(), tree.path()));
    assert!(!derives_again(dir.path(), tree.path()));
    fs::remove_file(&edges).expect("they were saved");
    assert!(derives_again(dir.path(), tree.path()));
    assert_eq!(come_back(dir.path(), tree.path()), (0, String::new()));
}

#[test]
fn files_whose_facts_are_gone_are_mapped_anew() {
    let (dir, tree) = (TempDir::new().expect("a temporary folder"), project());
    index(dir.path(), tree.path());
    fs::remove_dir_all(dir.path().join("store")).expect("it was made");
    write(tree.path(), 5, "def changed(): pass\n");
    assert_eq!(come_back(dir.path(), tree.path()), (FILES as u64, String::new()));
    assert_eq!(come_back(dir.path(), tree.path()), (0, String::new()));
}

#[test]
fn ending_at_any_moment_of_coming_back_loses_nothing() {
    let (dir, tree) = (TempDir::new().expect("a temporary folder"), project());
    index(dir.path(), tree.path());
    for round in 0..12 {
        let host = host(dir.path());
        host.workspace(&AbsPath::new(tree.path()).expect("absolute")).expect("the tree is there");
        std::thread::sleep(Duration::from_millis(round * 12));
        host.close();
    }
    assert_eq!(come_back(dir.path(), tree.path()), (0, String::new()));
}
