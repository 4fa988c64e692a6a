//! Ingests one read plan: reads the changed files, then brings text index and map up to date.
//!
//! Text comes first, so that searching works while a large tree is still being mapped. The bytes of a large plan are
//! not kept between the two: a second read comes from the page cache and costs a few per cent of parsing, while keeping
//! a kernel's sources would cost a gigabyte. The bytes of a small plan are kept, and each file is read once.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use hob_base::{CancelToken, Change, ContentHash, Contents as _, FileId, WsPath};
use hob_live::documents::FileChange;
use hob_map::{Lang, MapChange, language_of};
use hob_text::{FileGrams, GramChange, TextBatch, is_binary};
use hob_workspace::manifest::is_manifest;
use hob_workspace::read::{ReadFile, read_file};
use hob_workspace::{FileClass, ReadPlan, ToRead, is_gone};
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::file_kind::FileKind;
use super::mapping::{ToMap, ingest_map, may_hurry};
use super::progress::Phase;
use super::report::Report;
use super::snapshot::restoring_map::SoughtFacts;
use super::work_queue::{FileWork, WorkQueue};
use super::workspace::{Core, Workspace};

/// Number of files per step: the unit of parallel work and of progress, and a limit to the time for which a lock is
/// held.
const STEP: usize = 2_000;

/// Number of files per step of text while a call waits for some, and most of these that are mapped between two steps: of the
/// time for which a call waits, text gets about a third.
const WAITED_STEP: usize = 500;
const WANTED_STEP: usize = 100;

/// Plans of at most this many bytes keep what they read for the map.
const KEEP_BYTES: u64 = 64 << 20;

/// Number of bytes at a file's beginning that decide its language.
const HEAD: usize = 4096;

/// A file that was read.
struct IngestedFile {
    read: ToRead,
    hash: ContentHash,
    read_at_ns: i64,
    /// `None` for binary files, which are known but neither searched nor mapped.
    grams: Option<FileGrams>,
    lang: Option<Lang>,
    bytes: Option<Vec<u8>>,
}

/// A file that could not be read, with the error. It may have vanished, grown past the limit or become something else
/// since it was listed: it is then gone for hob, and the event of that change, or the next sweep, has it read again.
/// Any other error says nothing about the file.
struct NotRead {
    file: ToRead,
    error: std::io::Error,
}

/// The changes of the text index's paths in one batch, for caches that depend on them.
#[derive(Default)]
struct TextPathsChange {
    /// True if files came or went.
    paths: bool,
    /// True if a manifest or lock file is among the changed ones.
    manifests: bool,
}

impl TextPathsChange {
    /// Notes the changes, once the batch is in the text index.
    fn note_in(&self, workspace: &Workspace) {
        if self.paths {
            workspace.revision.note_path_change();
        }
        if self.manifests {
            workspace.revision.note_manifest_change();
        }
    }
}

/// Works a plan off; `marks` are completed for text as soon as the text index is done. Only closing a workspace
/// cancels, so nobody asks for work that is left undone.
pub(super) fn ingest_changes(
    workspace: &Workspace,
    core: &mut Core,
    plan: ReadPlan,
    marks: u64,
    cancel: &CancelToken,
) -> Report {
    let start = Instant::now();
    let mut report = Report { scanned: plan.read.len() + plan.gone.len(), ..Report::default() };
    let total = plan.read.len() as u64;
    let mut read = plan.read;
    if workspace.progress.now().phase != Phase::Done {
        read = newest_first(read);
        let files = read.iter().map(|file| (file.file, &file.path));
        workspace.pending.begin_text(files, core.comeback.is_some());
    }
    workspace.progress.enter(Phase::Text, Some(total));
    let mut unmapped = forget_files(workspace, core, &plan.gone);
    report.deleted = unmapped.len();
    let TextOutcome { mut to_map, early, mapped } = ingest_text(workspace, core, read, &mut unmapped, cancel);
    report.changed = to_map.len() + early.len();
    let later = to_map.iter().map(|file| (file.path.clone(), file.is_new));
    announce(workspace, core, early.into_iter().chain(later), &unmapped);
    workspace.progress.enter(Phase::Map, Some(total));
    workspace.tree.dirty.settle_text(marks);
    report.text_took = start.elapsed();
    if let Some(comeback) = core.comeback.take() {
        let missing = workspace.restore_map(comeback);
        to_map.extend(not_mapped(core, missing, &to_map));
    }
    workspace.pending.begin_map(to_map.iter().filter(|file| file.lang.is_some()).map(|file| file.file));
    workspace.apply_map(unmapped);
    report.mapped = mapped + ingest_map(workspace, core, to_map, Some(total), cancel);
    report.took = start.elapsed();
    report
}

/// Tells language servers what changed on disk, before the barrier lets any call through that may ask them. While none
/// runs or is starting, none has read anything that could be out of date. Each changed path comes with true if it is new.
fn announce(
    workspace: &Workspace,
    core: &Core,
    changed: impl Iterator<Item = (WsPath, bool)>,
    removed: &[MapChange],
) {
    if !workspace.live().is_used(workspace.root()) {
        return;
    }
    let kind = |is_new| if is_new { FileChange::Created } else { FileChange::Changed };
    let mut changes: BTreeMap<WsPath, FileChange> =
        changed.map(|(path, is_new)| (path, kind(is_new))).collect();
    for change in removed {
        if let MapChange::Remove { file } = change
            && let Some(path) = core.table.path(*file)
        {
            changes.entry(path.clone()).or_insert(FileChange::Deleted);
        }
    }
    if changes.is_empty() {
        return;
    }
    let contents = workspace.disk_contents();
    let read = |path: &WsPath| String::from_utf8(contents.read(path).ok()?.to_vec()).ok();
    workspace.live().announce(workspace.root(), &changes, &read);
}

/// Removes files from the table and the text index, and returns the changes that the map still needs.
fn forget_files(workspace: &Workspace, core: &mut Core, gone: &[FileId]) -> Vec<MapChange> {
    let manifests = gone.iter().filter_map(|file| core.table.path(*file)).any(is_manifest);
    let moved = TextPathsChange { paths: true, manifests };
    let removed: Vec<FileId> =
        gone.iter().filter_map(|file| Some(core.table.forget_file(*file)?.file())).collect();
    for file in &removed {
        core.kinds.remove(file);
    }
    if !removed.is_empty() {
        let text = removed.iter().map(|file| GramChange::Remove { file: *file }).collect();
        workspace.install_text(TextBatch::from_changes(text));
        moved.note_in(workspace);
    }
    removed.into_iter().map(|file| MapChange::Remove { file }).collect()
}

/// Returns the files whose facts were not found, if they have not changed since and are not about to be mapped anyway.
fn not_mapped(core: &Core, missing: Vec<SoughtFacts>, to_map: &[ToMap]) -> Vec<ToMap> {
    let changed: FxHashSet<FileId> = to_map.iter().map(|file| file.file).collect();
    let is_same = |sought: &SoughtFacts| {
        core.table.record(sought.file).is_some_and(|record| record.hash == sought.hash)
            && !changed.contains(&sought.file)
    };
    let same = missing.into_iter().filter(is_same);
    same.map(|SoughtFacts { file, path, lang, hash }| ToMap {
        file,
        path,
        hash,
        lang: Some(lang),
        bytes: None,
        is_new: false,
    })
    .collect()
}

/// Moves the files that were written last to the front: they are those that people work on. The others keep their order.
fn newest_first(read: Vec<ToRead>) -> Vec<ToRead> {
    if read.len() <= STEP {
        return read;
    }
    let mut times: Vec<i64> = read.iter().map(|file| file.stat.mtime_ns).collect();
    let (_, last, _) = times.select_nth_unstable_by(STEP, |one, other| other.cmp(one));
    let (mut first, others): (Vec<ToRead>, Vec<ToRead>) =
        read.into_iter().partition(|file| file.stat.mtime_ns > *last);
    first.extend(others);
    first
}

/// The result of bringing the text index up to date.
struct TextOutcome {
    /// The files that the map has still to take.
    to_map: Vec<ToMap>,
    /// The files that were taken to the map at once, because a call wants them; each with true if it is new.
    early: Vec<(WsPath, bool)>,
    /// Number of those that the map has now.
    mapped: usize,
}

fn ingest_text(
    workspace: &Workspace,
    core: &mut Core,
    read: Vec<ToRead>,
    unmapped: &mut Vec<MapChange>,
    cancel: &CancelToken,
) -> TextOutcome {
    let keep = read.iter().map(|file| file.stat.len).sum::<u64>() <= KEEP_BYTES;
    let done = AtomicU64::new(0);
    let (mut to_map, mut early, mut mapped) = (WorkQueue::new(Vec::new()), Vec::new(), 0);
    let (mut queue, mut wanted) = (WorkQueue::new(read), FxHashSet::default());
    while cancel.check().is_ok() {
        let asked = workspace.pending.take_wanted();
        queue.put_first(&asked, &|_| true);
        to_map.put_first(&asked, &|file| may_hurry(workspace, file));
        wanted.extend(asked);
        let step = queue.take_step(if workspace.pending.is_waited_for() { WAITED_STEP } else { STEP });
        if step.is_empty() {
            break;
        }
        let files: Vec<FileId> = step.iter().map(|file| file.file).collect();
        let taken: Vec<Result<IngestedFile, NotRead>> = workspace.shared.pools.index.install(|| {
            step.into_par_iter()
                .map(|file| {
                    let taken = take(workspace, file, keep);
                    let count = done.fetch_add(1, Ordering::Relaxed) + 1;
                    if count.is_multiple_of(256) {
                        workspace.progress.set_done(count);
                    }
                    taken
                })
                .collect()
        });
        let recorded = record(workspace, core, taken, unmapped);
        let with_facts = recorded.iter().filter(|file| file.lang.is_some()).map(|file| file.file);
        workspace.pending.note_read(files.into_iter(), with_facts);
        let read_for_map: Vec<FileId> =
            recorded.iter().map(|file| file.file).filter(|file| wanted.contains(file)).collect();
        to_map.add_last(recorded);
        to_map.put_first(&read_for_map, &|file| may_hurry(workspace, file));
        workspace.progress.set_done(done.load(Ordering::Relaxed));
        // The map of an earlier run would take the place of this one with all that it has taken.
        if core.comeback.is_none() && workspace.pending.is_waited_for() {
            let first: Vec<ToMap> = std::iter::from_fn(|| to_map.next_wanted()).take(WANTED_STEP).collect();
            early.extend(first.iter().map(|file| (file.path.clone(), file.is_new)));
            mapped += ingest_map(workspace, core, first, None, cancel);
        }
    }
    TextOutcome { to_map: to_map.into_rest(), early, mapped }
}

impl FileWork for ToRead {
    fn file_number(&self) -> FileId {
        self.file
    }
}

/// Reads one file and does everything that needs its bytes alone.
fn take(workspace: &Workspace, file: ToRead, keep: bool) -> Result<IngestedFile, NotRead> {
    let limit = workspace.tree.rules.options().read_max;
    let ReadFile { bytes, stat, read_at_ns } = match read_file(workspace.root(), &file.path, limit) {
        Ok(read) => read,
        Err(error) => return Err(NotRead { file, error }),
    };
    let binary = is_binary(&bytes);
    let lang = match file.class {
        FileClass::Parse if !binary => language_of(file.path.file_name(), &bytes[..bytes.len().min(HEAD)]),
        _ => None,
    };
    let grams = (!binary).then(|| FileGrams::from_bytes(&bytes));
    let hash = ContentHash::of(&bytes);
    let bytes = (keep && lang.is_some()).then_some(bytes);
    Ok(IngestedFile { read: ToRead { stat, ..file }, hash, read_at_ns, grams, lang, bytes })
}

/// Writes read files into the table and the text index. Returns the files that the map has to apply, and adds those
/// that it loses to `unmapped`.
fn record(
    workspace: &Workspace,
    core: &mut Core,
    taken: Vec<Result<IngestedFile, NotRead>>,
    unmapped: &mut Vec<MapChange>,
) -> Vec<ToMap> {
    let mut text = Vec::with_capacity(taken.len());
    let mut to_map = Vec::new();
    let mut gone = Vec::new();
    let mut moved = TextPathsChange::default();
    for item in taken {
        let taken = match item {
            Ok(taken) => taken,
            Err(NotRead { file, error }) => {
                let was_known = core.table.record(file.file).is_some();
                if is_gone(&error) || !core.table.unread().note_failure(&file.path, &error, was_known) {
                    gone.push(file.file);
                }
                continue;
            }
        };
        let is_new = core.table.record(taken.read.file).is_none();
        let Some(Change::Set { file, path, hash, .. }) =
            core.table.was_read(&taken.read, taken.hash, taken.read_at_ns)
        else {
            continue;
        };
        let kind = if taken.grams.is_some() { FileKind::Text(taken.lang) } else { FileKind::Binary };
        let was_text = matches!(core.kinds.insert(file, kind), Some(FileKind::Text(_)));
        moved.paths |= was_text != taken.grams.is_some();
        moved.manifests |= is_manifest(&path);
        text.push(match taken.grams {
            Some(grams) => GramChange::Set { file, path: path.clone(), hash, grams },
            None => GramChange::Remove { file },
        });
        to_map.push(ToMap { file, path, hash, lang: taken.lang, bytes: taken.bytes, is_new });
    }
    if !text.is_empty() {
        let batch = workspace.shared.pools.index.install(|| TextBatch::from_changes(text));
        workspace.install_text(batch);
        moved.note_in(workspace);
    }
    unmapped.extend(forget_files(workspace, core, &gone));
    to_map
}

#[cfg(test)]
pub(super) mod tests {
    use std::fs;
    use std::time::Duration;

    use hob_base::AbsPath;
    use tempfile::TempDir;

    use super::*;
    use crate::{Freshness, Host, HostOptions};
    use hob_base::lock;

    pub(crate) fn test_host(dir: &TempDir) -> Host {
        let options = HostOptions::in_folder(&AbsPath::new(dir.path()).expect("absolute"));
        Host::new(options).expect("threads can be started")
    }

    pub(crate) fn wait_for_index(workspace: &Workspace) {
        assert_eq!(workspace.barrier(true, Duration::from_secs(60)), Freshness::Fresh);
    }

    /// In a large plan a file is read twice. Contents that the file had only at the second reading must not stay in the
    /// map: once it has its first contents again, the table knows of no change.
    #[test]
    fn a_file_that_is_another_at_the_second_reading_is_looked_at_again() {
        let (dir, tree) = (TempDir::new().expect("a folder"), TempDir::new().expect("a folder"));
        let file = tree.path().join("a.py");
        fs::create_dir(tree.path().join(".git")).expect("the test's own folder");
        fs::write(&file, "def first(): pass\n").expect("the test's own folder");
        let host = test_host(&dir);
        let workspace = host.workspace(&AbsPath::new(tree.path()).expect("absolute")).expect("it is there");
        wait_for_index(&workspace);
        for meanwhile in [Some("def second(): pass\n"), None] {
            let mut core = lock(&workspace.core);
            let path = WsPath::new("a.py").expect("a path");
            let id = core.table.id(&path).expect("it is known");
            let hash = core.table.record(id).expect("it was read").hash;
            // Facts of the first contents are in the store; another hash stands for contents nobody has seen.
            let unseen = ContentHash::of(b"first, but never mapped");
            match meanwhile {
                Some(text) => fs::write(&file, text).expect("the test's own folder"),
                None => fs::remove_file(&file).expect("the test's own folder"),
            }
            let to_map =
                ToMap { file: id, path, hash: unseen, lang: Some(Lang::Python), bytes: None, is_new: false };
            ingest_map(&workspace, &mut core, vec![to_map], Some(1), &CancelToken::default());
            fs::write(&file, "def first(): pass\n").expect("the test's own folder");
            assert_ne!(core.table.record(id).expect("it is known").hash, hash, "it is in doubt");
            drop(core);
            wait_for_index(&workspace);
            let names = workspace.map().export().join("\n");
            assert!(names.contains("#first") && !names.contains("#second"), "{meanwhile:?}: {names}");
        }
        host.close();
    }

    /// More threads extract than there is work for: those that find no file must not end the work of the others.
    #[test]
    fn threads_that_find_no_file_end_nothing() {
        let (dir, tree) = (TempDir::new().expect("a folder"), TempDir::new().expect("a folder"));
        fs::create_dir(tree.path().join(".git")).expect("the test's own folder");
        let options = HostOptions::in_folder(&AbsPath::new(dir.path()).expect("absolute"));
        let host = Host::new(HostOptions { index_threads: 16, ..options }).expect("threads can be started");
        let workspace = host.workspace(&AbsPath::new(tree.path()).expect("absolute")).expect("it is there");
        wait_for_index(&workspace);
        for round in 0..20 {
            for file in 0..40 {
                let text = format!("def f{file}_{round}(): pass\n");
                fs::write(tree.path().join(format!("m{file}.py")), text).expect("the test's own folder");
            }
            wait_for_index(&workspace);
            let names = workspace.map().export().join("\n");
            let lost: Vec<i32> =
                (0..40).filter(|file| !names.contains(&format!("#f{file}_{round}"))).collect();
            assert!(lost.is_empty(), "in round {round} {lost:?} are missing");
        }
        host.close();
    }
}
