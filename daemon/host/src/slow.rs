//! Files that take long, apart from all others.
//!
//! Whatever changed together is taken in together, and answers wait for that: one file that keeps a parser for seconds would keep
//! every answer. So the indexer gives each file little time; what is not done by then is text only for the moment, and this
//! thread parses it from the beginning, with all the patience that there is, and puts its facts into the map if the file is still
//! what it was. Answers say which files are missing meanwhile.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use hob_base::{ContentHash, FileId, WsPath};
use hob_map::{Lang, MapChange};
use hob_workspace::read::read_file;

use super::facts::FactsRequest;
use super::workspace::Workspace;
use hob_base::lock;

/// A file that has not been parsed to its end.
#[derive(Clone, Debug)]
pub(super) struct SlowFile {
    pub(super) file: FileId,
    pub(super) path: WsPath,
    pub(super) lang: Lang,
    pub(super) hash: ContentHash,
}

/// Holds the files that wait for the thread of slow files.
#[derive(Debug, Default)]
pub(super) struct Slow {
    waiting: Mutex<SlowQueue>,
    wake: Condvar,
}

#[derive(Debug, Default)]
struct SlowQueue {
    /// By path: of a file that changes again and again, only the last contents count.
    files: BTreeMap<WsPath, SlowFile>,
    is_closed: bool,
}

impl Slow {
    pub(super) fn add(&self, file: SlowFile) {
        lock(&self.waiting).files.insert(file.path.clone(), file);
        self.wake.notify_one();
    }

    /// Ends the thread of slow files.
    pub(super) fn close(&self) {
        lock(&self.waiting).is_closed = true;
        self.wake.notify_one();
    }

    fn next(&self) -> Option<SlowFile> {
        let is_idle = |waiting: &mut SlowQueue| waiting.files.is_empty() && !waiting.is_closed;
        let waiting = self.wake.wait_while(lock(&self.waiting), is_idle);
        let mut waiting = waiting.unwrap_or_else(PoisonError::into_inner);
        if waiting.is_closed { None } else { waiting.files.pop_first().map(|(_, file)| file) }
    }
}

/// Runs until the workspace is closed.
pub(super) fn run(workspace: &Arc<Workspace>) {
    while let Some(file) = workspace.slow.next() {
        take_in(workspace, &file);
    }
}

/// Whatever is wrong with the file by now, its change has been noticed or will be.
fn take_in(workspace: &Workspace, file: &SlowFile) {
    let limit = workspace.tree.rules.options().read_max;
    let Ok(read) = read_file(workspace.root(), &file.path, limit) else { return };
    if ContentHash::of(&read.bytes) != file.hash {
        return;
    }
    let wanted = FactsRequest { path: &file.path, lang: file.lang, hash: file.hash };
    let (facts, op) = workspace.facts.extract(&wanted, &read.bytes, &workspace.closing, None);
    let Some(op) = op else { return };
    let core = lock(&workspace.core);
    let record = core.table.record(file.file);
    let is_same = record.is_some_and(|record| record.hash == file.hash);
    if is_same && core.table.path(file.file) == Some(&file.path) {
        let facts = Arc::new(facts);
        workspace.apply_map(vec![MapChange::Set { file: file.file, path: file.path.clone(), facts }]);
    }
    drop(core);
    // Without it the file is parsed again after a restart.
    if let Err(error) = workspace.facts.save(vec![op]) {
        tracing::warn!(%error, path = %file.path, "facts could not be saved");
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use hob_base::AbsPath;
    use hob_map::GaveUp;
    use tempfile::TempDir;

    use super::super::intake::tests::{test_host, wait_for_index};

    #[test]
    fn a_file_that_takes_long_is_taken_in_later_than_the_others() {
        let (dir, tree) = (TempDir::new().expect("a folder"), TempDir::new().expect("a folder"));
        fs::create_dir(tree.path().join(".git")).expect("the test's own folder");
        fs::write(tree.path().join("slow.lua"), "f(<".repeat(30_000)).expect("the test's own folder");
        fs::write(tree.path().join("a.py"), "def first(): pass\n").expect("the test's own folder");
        let host = test_host(&dir);
        let workspace = host.workspace(&AbsPath::new(tree.path()).expect("absolute")).expect("it is there");
        wait_for_index(&workspace);
        let given_up = || workspace.map().given_up().first().map(|(path, why)| (path.to_string(), *why));
        let (path, why) = given_up().expect("it has not been parsed to its end");
        assert!(path == "slow.lua" && matches!(why, GaveUp::Pending | GaveUp::Time), "{path} {why:?}");
        assert!(workspace.map().export().join("\n").contains("#first"), "the others are there");
        while given_up().is_some_and(|(_, why)| why == GaveUp::Pending) {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(given_up(), Some(("slow.lua".to_owned(), GaveUp::Time)));
        fs::write(tree.path().join("slow.lua"), "function quick() end\n").expect("the test's own folder");
        wait_for_index(&workspace);
        assert_eq!(given_up(), None);
        host.close();
    }
}
