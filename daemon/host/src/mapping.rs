//! Puts files into the map: reads their facts from the store or extracts them, and applies them together.
//!
//! All processors extract facts all the while; meanwhile, the calling thread applies finished facts to the map and
//! the store, up to a thousand files at a time. If these were steps one after the other, all would wait for the slowest
//! file of a step, and then for the disk.
//!
//! The threads belong to this work alone. A thread of the pool, while it waits for a part of other work, would begin to
//! extract in the midst of that: perhaps while it holds the map's lock, for which the applying thread would wait, and
//! it for that thread.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;
use std::vec::IntoIter;

use hob_base::{CancelToken, ContentHash, FileId, WsPath};
use hob_map::{FileFacts, GaveUp, KeptTreeMemory, Lang, MapChange, parser_stack};
use hob_store::{StoreError, StoreOperation};
use hob_workspace::is_gone;
use hob_workspace::read::read_file;

use super::facts::FactsRequest;
use super::slow_queue::SlowFile;
use super::workspace::{Core, Workspace};
use hob_base::lock;

/// Most files that are applied in one step, after which progress is reported, and for which a lock is wanted. Half as many
/// wait for it.
const STEP: usize = 1_000;
/// Fewest files of a step, except the last.
const SMALL_STEP: usize = 100;
/// Files that a worker passes on together: waking the receiving thread takes about as long as a small file.
const HANDOVER_BATCH: usize = 32;
/// Bytes of the longest file that is parsed on a worker's own stack; a longer one gets new memory for a stack each time.
const ON_OWN_STACK: usize = 100_000;
/// Bytes of a worker's stack, of which only those that it uses take memory: those for a file, and for what calls the parser.
const STACK: usize = parser_stack(ON_OWN_STACK) + (1 << 20);

/// Longest processor time of a file before it is left to [`Slow`](super::slow_queue::Slow): many times what people's
/// sources take.
const HASTE: Duration = Duration::from_millis(500);
/// Longest processor time of later files after one was left: a hundred of them together must not take what one may not.
const MORE_HASTE: Duration = Duration::from_millis(50);

/// A file that the map has to apply.
pub(super) struct ToMap {
    pub(super) file: FileId,
    pub(super) path: WsPath,
    pub(super) hash: ContentHash,
    pub(super) lang: Option<Lang>,
    pub(super) bytes: Option<Vec<u8>>,
    /// True if it was not there before.
    pub(super) is_new: bool,
}

/// Applies these files to the map, and returns how many of them it now has. `total` is the count at which progress
/// ends.
pub(super) fn ingest_map(
    workspace: &Workspace,
    core: &mut Core,
    mut to_map: Vec<ToMap>,
    total: u64,
    cancel: &CancelToken,
) -> usize {
    let before = total.saturating_sub(to_map.len() as u64);
    // A file that may end the daemon must not keep it from all others.
    to_map.sort_by_key(|file| workspace.facts.is_suspect(&file.hash));
    if to_map.len() <= HANDOVER_BATCH {
        return ingest_few(workspace, core, to_map, total, cancel);
    }
    workspace.facts.begin_bulk();
    let queue = Mutex::new(to_map.into_iter());
    let (sender, found) = sync_channel(STEP / HANDOVER_BATCH / 2);
    thread::scope(|scope| {
        let (queue, workers) = (&queue, workspace.shared.pools.index.current_num_threads());
        let start = |number: usize| {
            let named = thread::Builder::new().name(format!("hob-extract-{number}")).stack_size(STACK);
            let sender = sender.clone();
            named.spawn_scoped(scope, move || extract_all(workspace, queue, sender, cancel)).is_ok()
        };
        let started = (0..workers).filter(|number| start(*number)).count();
        drop(sender);
        let mapped = install_all(workspace, core, found, before, total);
        // If no thread could be started, this one does the work.
        if started > 0 {
            return mapped;
        }
        let left: Vec<ToMap> = lock(queue).by_ref().collect();
        ingest_few(workspace, core, left, total, cancel)
    })
}

/// Applies a few files on this thread, whose parsers are there already.
fn ingest_few(
    workspace: &Workspace,
    core: &mut Core,
    to_map: Vec<ToMap>,
    total: u64,
    cancel: &CancelToken,
) -> usize {
    let all = to_map.len() as u64;
    let wanted = to_map.into_iter().take_while(|_| cancel.check().is_ok());
    let mut work = Extraction { haste: HASTE, pages: false };
    let step: Vec<Mapped> = wanted.map(|file| facts_of(workspace, file, &mut work)).collect();
    if step.is_empty() {
        return 0;
    }
    let done = total.saturating_sub(all - step.len() as u64);
    let mapped = map_step(workspace, core, step);
    workspace.progress.set_done(done);
    mapped
}

/// Runs one worker: extracts files in turn, until there are none or nobody wants them.
fn extract_all(
    workspace: &Workspace,
    queue: &Mutex<IntoIter<ToMap>>,
    sender: SyncSender<Vec<Mapped>>,
    cancel: &CancelToken,
) {
    let _memory = KeptTreeMemory::for_this_thread();
    let (mut found, mut work) =
        (Vec::with_capacity(HANDOVER_BATCH), Extraction { haste: HASTE, pages: true });
    while cancel.check().is_ok() {
        let next = lock(queue).next();
        let Some(file) = next else { break };
        found.push(facts_of(workspace, file, &mut work));
        if found.len() == HANDOVER_BATCH && sender.send(std::mem::take(&mut found)).is_err() {
            return;
        }
    }
    // If nobody wants them any more, the reason is reported elsewhere.
    let _ = sender.send(found);
}

fn install_all(
    workspace: &Workspace,
    core: &mut Core,
    found: Receiver<Vec<Mapped>>,
    before: u64,
    total: u64,
) -> usize {
    let (mut mapped, mut done) = (0, before);
    let mut found = found.into_iter().flatten();
    loop {
        let step: Vec<Mapped> = found.by_ref().take(step_size(total.saturating_sub(done))).collect();
        if step.is_empty() {
            return mapped;
        }
        done += step.len() as u64;
        mapped += map_step(workspace, core, step);
        note_unsaved(workspace, workspace.facts.flush_many());
        workspace.progress.set_done(done);
    }
}

/// Returns the number of files of the next step. Steps grow smaller towards the end, because nobody extracts while the
/// last one is applied.
fn step_size(left: u64) -> usize {
    usize::try_from(left / 4).unwrap_or(STEP).clamp(SMALL_STEP, STEP)
}

fn map_step(workspace: &Workspace, core: &mut Core, step: Vec<Mapped>) -> usize {
    let (mut changes, mut ops) = (Vec::with_capacity(step.len()), Vec::new());
    for Mapped { change, op, doubted, slow } in step {
        slow.into_iter().for_each(|file| workspace.slow.add(file));
        if let Some((file, path)) = doubted {
            core.table.distrust(file);
            workspace.tree.dirty.mark(path);
        }
        changes.extend(change);
        ops.extend(op);
    }
    let mapped = changes.iter().filter(|change| matches!(change, MapChange::Set { .. })).count();
    workspace.apply_map(changes);
    note_unsaved(workspace, workspace.facts.save(ops));
    mapped
}

/// Tells users that facts could not be saved.
fn note_unsaved(workspace: &Workspace, saved: Result<(), StoreError>) {
    if let Err(error) = saved {
        let text = format!("Facts could not be saved: {error}. They are kept in memory.");
        workspace.shared.notices.add_once("store", text);
    }
}

/// The outcome of one file for the map and the store.
struct Mapped {
    /// `None` where the map keeps what it has.
    change: Option<MapChange>,
    /// The step that stores its facts, if they are new.
    op: Option<StoreOperation>,
    /// The file if it no longer has the contents that the table and the text index know. It is read again, and must not
    /// be found unchanged then, even if it has its former contents by then.
    doubted: Option<(FileId, WsPath)>,
    /// The file if its extraction is not done.
    slow: Option<SlowFile>,
}

/// The way in which a thread extracts facts.
struct Extraction {
    /// Longest processor time of the next file.
    haste: Duration,
    /// True if the facts go where the system may take their memory, because there are many.
    pages: bool,
}

/// Finds the facts of a file. A file without a language, or one that has vanished, leaves the map.
fn facts_of(workspace: &Workspace, file: ToMap, work: &mut Extraction) -> Mapped {
    let page = |facts| if work.pages { workspace.facts.page_facts(facts) } else { facts };
    let remove = Some(MapChange::Remove { file: file.file });
    let Some(lang) = file.lang else { return Mapped { change: remove, op: None, doubted: None, slow: None } };
    let mut wanted = FactsRequest { path: &file.path, lang, hash: file.hash };
    if let Some(facts) = workspace.facts.load(&wanted) {
        return Mapped { change: Some(set(&file, page(facts))), op: None, doubted: None, slow: None };
    }
    let read_again;
    let bytes: &[u8] = match &file.bytes {
        Some(bytes) => bytes,
        None => {
            let read = match read_file(workspace.root(), &file.path, workspace.tree.rules.options().read_max)
            {
                Ok(read) => read,
                Err(error) => {
                    let change = remove.filter(|_| is_gone(&error));
                    return Mapped { change, op: None, doubted: Some((file.file, file.path)), slow: None };
                }
            };
            // The file may have changed again; these facts are then of the new bytes, and are stored under their hash.
            wanted.hash = ContentHash::of(&read.bytes);
            read_again = read.bytes;
            &read_again
        }
    };
    let doubted = (wanted.hash != file.hash).then(|| (file.file, file.path.clone()));
    let (facts, op) = workspace.facts.extract(&wanted, bytes, &workspace.closing, Some(work.haste));
    let is_slow = facts.gave_up == Some(GaveUp::Pending);
    let slow =
        is_slow.then(|| SlowFile { file: file.file, path: file.path.clone(), lang, hash: wanted.hash });
    if is_slow {
        work.haste = MORE_HASTE;
    }
    Mapped { change: Some(set(&file, page(facts))), op, doubted, slow }
}

fn set(file: &ToMap, facts: FileFacts) -> MapChange {
    MapChange::Set { file: file.file, path: file.path.clone(), facts: Arc::new(facts) }
}
