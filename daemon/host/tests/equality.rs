//! Tests that after a storm of edits, map and text of hob equal, as data, those of a hob that starts now.
//!
//! The edits are random but seeded: new files, changed files, renamed files and folders, deletions. The files are of
//! Markdown and of four languages in which they import each other. The same is checked for a host that was closed in the
//! middle and opened again.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hob_base::{AbsPath, CancelToken};
use hob_host::{Freshness, Host, HostOptions, Phase, Workspace};
use hob_settings::MemoryBudget;
use tempfile::TempDir;

/// Number of steps of one storm.
const EDITS: usize = 1_000;

/// Number of steps between two comparisons.
const CHECK_EVERY: usize = 250;

/// A small generator (xorshift64*, Vigna): the storm must be the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % limit
    }
}

fn host(dir: &Path) -> Host {
    host_with(dir, MemoryBudget::default())
}

fn host_with(dir: &Path, memory: MemoryBudget) -> Host {
    let folder = AbsPath::new(dir).expect("absolute");
    let options = HostOptions { memory, ..HostOptions::in_folder(&folder) };
    Host::new(options).expect("threads can be started")
}

fn open(host: &Host, tree: &Path) -> Arc<Workspace> {
    let workspace = host.workspace(&AbsPath::new(tree).expect("absolute")).expect("the tree is there");
    workspace.progress.wait_past(Phase::Map, &CancelToken::default(), &|_| {}).expect("nobody cancels");
    settle(&workspace);
    workspace
}

fn settle(workspace: &Workspace) {
    assert_eq!(workspace.barrier(true, Duration::from_secs(60)), Freshness::Fresh);
}

/// Returns everything that map and text know, independent of numbering.
fn known(workspace: &Workspace) -> (BTreeSet<String>, BTreeSet<String>) {
    let map = workspace.map().export().into_iter().collect();
    let text =
        workspace.text().export_contents().into_iter().map(|(path, sum)| format!("{path} {sum:x}")).collect();
    (map, text)
}

#[track_caller]
fn assert_same(workspace: &Workspace, tree: &Path, when: &str) {
    settle(workspace);
    let fresh_dir = TempDir::new().expect("a temporary folder");
    let fresh = host(fresh_dir.path());
    let (got, wanted) = (known(workspace), known(&open(&fresh, tree)));
    fresh.close();
    for (what, got, wanted) in [("map", got.0, wanted.0), ("text", got.1, wanted.1)] {
        assert!(!wanted.is_empty(), "{when}: {what}: nothing to compare");
        let missing: Vec<_> = wanted.difference(&got).take(5).collect();
        let extra: Vec<_> = got.difference(&wanted).take(5).collect();
        assert!(
            missing.is_empty() && extra.is_empty(),
            "{when}: {what}: missing {missing:#?}, too much {extra:#?}"
        );
    }
}

fn name(random: &mut Random) -> String {
    let extension = ["py", "ts", "rs", "c", "md"][random.below(5)];
    format!("{}/m{}.{extension}", ["a", "b", "a/c", "d/e/f"][random.below(4)], random.below(40))
}

fn source(path: &str, random: &mut Random) -> String {
    let (own, other, module) = (random.below(60), random.below(60), random.below(40));
    match path.rsplit('.').next().unwrap_or("") {
        "py" => format!(
            "from .m{module} import f{other}\nimport a.m{module}\n\nclass C{own}(Base):\n    def f{own}(self):\n        \
             return f{other}() + self.f{own}()\n\ndef f{own}():\n    return C{own}().f{own}()\n"
        ),
        "ts" => format!(
            "import {{ f{other} as g }} from './m{module}';\nexport * from '../a/m{module}';\nexport class C{own} extends \
             g {{ f{own}() {{ return g() + this.f{own}(); }} }}\nexport function f{own}() {{ return f{other}(); }}\n"
        ),
        "rs" => format!(
            "use crate::a::m{module}::f{other};\npub struct C{own};\nimpl C{own} {{ pub fn f{own}(&self) {{ f{other}(); }} }}\n"
        ),
        "c" => format!(
            "#include \"m{module}.h\"\nint f{other}(void);\nint f{own}(int x) {{ return f{other}() + x; }}\n"
        ),
        _ => format!("# note {own}\nf{other} is told of in m{module}\n"),
    }
}

fn files(tree: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![tree.to_path_buf()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(dir).expect("the test's own folder").flatten() {
            match entry.path() {
                path if path.is_dir() => open.push(path),
                path => found.push(path),
            }
        }
    }
    found.sort();
    found
}

fn write(tree: &Path, path: &str, text: &str) {
    let path = tree.join(path);
    fs::create_dir_all(path.parent().expect("below the tree")).expect("the test's own folder");
    // A rename may have put a folder of that name there; then this step does nothing.
    let _ = fs::write(path, text);
}

fn step(tree: &Path, random: &mut Random) {
    let all = files(tree);
    match random.below(10) {
        0..=3 => {
            let path = name(random);
            let text = source(&path, random);
            write(tree, &path, &text);
        }
        4..=5 if !all.is_empty() => {
            let path = &all[random.below(all.len())];
            let text = source(&path.to_string_lossy(), random);
            fs::write(path, text).expect("an existing file");
        }
        6 if !all.is_empty() => fs::remove_file(&all[random.below(all.len())]).expect("an existing file"),
        7 if !all.is_empty() => {
            // An editor's atomic save.
            let path = &all[random.below(all.len())];
            let beside = path.with_extension("tmp~");
            fs::write(&beside, source(&path.to_string_lossy(), random)).expect("its folder exists");
            fs::rename(&beside, path).expect("same folder");
        }
        8 if !all.is_empty() => {
            let to = tree.join(name(random));
            fs::create_dir_all(to.parent().expect("below the tree")).expect("the test's own folder");
            let _ = fs::rename(&all[random.below(all.len())], to);
        }
        _ => {
            let (from, to) =
                (["a/c", "d/e", "b", "g"][random.below(4)], ["g", "b", "d/e", "a/c"][random.below(4)]);
            let _ = fs::rename(tree.join(from), tree.join(to));
        }
    }
}

#[test]
fn incremental_equals_from_scratch() {
    let (dir, tree) =
        (TempDir::new().expect("a temporary folder"), TempDir::new().expect("a temporary folder"));
    let mut random = Random(0x5eed_0001);
    let host = host(dir.path());
    let workspace = open(&host, tree.path());
    for edit in 1..=EDITS {
        step(tree.path(), &mut random);
        if edit % CHECK_EVERY == 0 {
            assert_same(&workspace, tree.path(), &format!("after {edit} edits"));
        }
    }
    host.close();
}

#[test]
fn a_daemon_that_comes_back_knows_what_happened_meanwhile() {
    let (dir, tree) =
        (TempDir::new().expect("a temporary folder"), TempDir::new().expect("a temporary folder"));
    let mut random = Random(0x5eed_0002);
    (0..40).for_each(|_| step(tree.path(), &mut random));
    for round in 0..6 {
        let host = host(dir.path());
        let workspace = open(&host, tree.path());
        assert_same(&workspace, tree.path(), &format!("back for round {round}"));
        (0..40).for_each(|_| step(tree.path(), &mut random));
        assert_same(&workspace, tree.path(), &format!("at work in round {round}"));
        host.close();
        drop(workspace);
        drop(host);
        (0..40).for_each(|_| step(tree.path(), &mut random));
    }
}

#[test]
fn a_damaged_snapshot_costs_a_warning_and_no_answer() {
    let (dir, tree) =
        (TempDir::new().expect("a temporary folder"), TempDir::new().expect("a temporary folder"));
    let mut random = Random(0x5eed_0003);
    (0..60).for_each(|_| step(tree.path(), &mut random));
    let first = host(dir.path());
    open(&first, tree.path());
    first.close();
    drop(first);
    for saved in files(&dir.path().join("snapshots")) {
        let mut bytes = fs::read(&saved).expect("just written");
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0xff;
        fs::write(&saved, bytes).expect("just written");
        let again = host(dir.path());
        let workspace = open(&again, tree.path());
        assert_same(&workspace, tree.path(), &format!("with a damaged {}", saved.display()));
        // Edges are read last, in the background.
        workspace.wait_derived(&CancelToken::default());
        let notices = again.notices().join("\n");
        assert!(notices.contains("discarded"), "{}: {notices}", saved.display());
        again.close();
    }
}

#[test]
fn over_the_memory_budget_the_least_recently_used_leaves_and_comes_back_warm() {
    let (dir, first, second) = (TempDir::new(), TempDir::new(), TempDir::new());
    let [dir, first, second] = [dir, first, second].map(|dir| dir.expect("a temporary folder"));
    let mut random = Random(0x5eed_0004);
    for tree in [&first, &second] {
        (0..60).for_each(|_| step(tree.path(), &mut random));
    }
    let host = host_with(dir.path(), MemoryBudget { bytes: 1, spare: Duration::ZERO });
    open(&host, first.path());
    // The first comparison with the memory limit is due immediately; then the second tree is the one in use.
    open(&host, second.path());
    let roots: Vec<_> = host.workspaces().iter().map(|workspace| workspace.root().clone()).collect();
    assert_eq!(roots.len(), 1, "{roots:?}");
    let back = open(&host, first.path());
    assert_eq!(back.facts_counts().0, 0, "nothing is parsed again");
    assert_same(&back, first.path(), "back from eviction");
    host.close();
}
