//! Parses files that take long apart from all others.
//!
//! Files that changed together are mapped together, and answers wait for that, so one file that keeps a parser for
//! seconds would keep every answer. The indexer therefore gives each file little time. A file that is not done by then
//! is text only for the moment; this thread parses it from the beginning, with the whole time that a file may take, and
//! puts its facts into the map if the file still has the same contents. Answers say which files are missing meanwhile.

use std::sync::Arc;

use hob_base::ContentHash;
use hob_map::MapChange;
use hob_workspace::read::read_file;

use super::facts::FactsRequest;
use super::slow_queue::SlowFile;
use super::workspace::Workspace;
use hob_base::lock;

/// Runs until the workspace is closed.
pub(super) fn run(workspace: &Arc<Workspace>) {
    while let Some(file) = workspace.slow.next() {
        ingest_slow_file(workspace, &file);
    }
}

/// Parses one file and maps it if it is unchanged; else its change has been noticed or will be.
fn ingest_slow_file(workspace: &Workspace, file: &SlowFile) {
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
    // If the facts are not saved, the file is parsed again after a restart.
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

    use super::super::ingest::tests::{test_host, wait_for_index};

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
