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

use hob_base::{CancelToken, ContentHash, FileId, WsPath};
use hob_map::{FileFacts, GaveUp, KeptTreeMemory, Lang, MapChange, parser_stack};
use hob_store::{StoreError, StoreOperation};
use hob_workspace::is_gone;
use hob_workspace::read::read_file;

use super::facts::FactsRequest;
use super::pending::PendingFiles;
use super::slow_queue::SlowFile;
use super::work_queue::{FileWork, WorkQueue};
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

impl FileWork for ToMap {
    fn file_number(&self) -> FileId {
        self.file
    }
}

/// Applies these files to the map, and returns how many of them it now has. Files that calls want come first. `total` is
/// the count at which progress ends; `None` if progress counts something else.
pub(super) fn ingest_map(
    workspace: &Workspace,
    core: &mut Core,
    mut to_map: Vec<ToMap>,
    total: Option<u64>,
    cancel: &CancelToken,
) -> usize {
    let mut left = MapLeft { files: to_map.len() as u64, total };
    // A file that may end the daemon must not keep it from all others.
    to_map.sort_by_key(|file| workspace.facts.is_suspect(&file.hash));
    if to_map.len() <= HANDOVER_BATCH {
        return ingest_few(workspace, core, to_map, &mut left, cancel);
    }
    // Files that are taken before their turn are few.
    if total.is_some() {
        workspace.facts.begin_bulk();
    }
    // While text is being read, whoever reads it hears of wanted files.
    let wishes = total.is_some().then_some(&workspace.pending);
    let queue = SharedQueue { files: Mutex::new(WorkQueue::new(to_map)), wishes };
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
        let mapped = install_all(workspace, core, found, &mut left);
        // If no thread could be started, this one does the work.
        if started > 0 {
            return mapped;
        }
        let not_taken = lock(&queue.files).take_step(usize::MAX);
        ingest_few(workspace, core, not_taken, &mut left, cancel)
    })
}

/// Applies a few files on this thread, whose parsers are there already.
fn ingest_few(
    workspace: &Workspace,
    core: &mut Core,
    to_map: Vec<ToMap>,
    left: &mut MapLeft,
    cancel: &CancelToken,
) -> usize {
    let wanted = to_map.into_iter().take_while(|_| cancel.check().is_ok());
    let mut work = Extraction { haste: HASTE, pages: false };
    let step: Vec<Mapped> = wanted.map(|file| facts_of(workspace, file, &mut work)).collect();
    if step.is_empty() {
        return 0;
    }
    let files = step.len();
    let mapped = map_step(workspace, core, step);
    left.note_taken(workspace, files);
    mapped
}

/// The number of files that the map has still to take.
struct MapLeft {
    files: u64,
    /// The count at which progress ends; `None` if progress counts something else.
    total: Option<u64>,
}

impl MapLeft {
    fn note_taken(&mut self, workspace: &Workspace, files: usize) {
        self.files = self.files.saturating_sub(files as u64);
        if let Some(total) = self.total {
            workspace.progress.set_done(total.saturating_sub(self.files));
        }
    }
}

/// Runs one worker: extracts files in turn, until there are none or nobody wants them.
fn extract_all(
    workspace: &Workspace,
    queue: &SharedQueue<'_>,
    sender: SyncSender<Vec<Mapped>>,
    cancel: &CancelToken,
) {
    let _memory = KeptTreeMemory::for_this_thread();
    let (mut found, mut work) =
        (Vec::with_capacity(HANDOVER_BATCH), Extraction { haste: HASTE, pages: true });
    while cancel.check().is_ok() {
        let next = queue.next_file(workspace);
        let Some(file) = next else { break };
        found.push(facts_of(workspace, file, &mut work));
        let is_due = found.len() == HANDOVER_BATCH || workspace.pending.is_waited_for();
        if is_due && sender.send(std::mem::take(&mut found)).is_err() {
            return;
        }
    }
    // Nothing sent stands for no more files. If nobody wants them any more, the reason is reported elsewhere.
    if !found.is_empty() {
        let _ = sender.send(found);
    }
}

/// The files that threads extract side by side.
struct SharedQueue<'w> {
    files: Mutex<WorkQueue<ToMap>>,
    /// The files that calls want first; `None` if somebody else hears of them.
    wishes: Option<&'w PendingFiles>,
}

impl SharedQueue<'_> {
    /// Returns the file to extract next: one that a call waits for, if there is one.
    fn next_file(&self, workspace: &Workspace) -> Option<ToMap> {
        let mut files = lock(&self.files);
        if let Some(wishes) = self.wishes {
            files.put_first(&wishes.take_wanted(), &|file| may_hurry(workspace, file));
        }
        files.next()
    }
}

/// Returns true if a file may be taken before its turn: one that may end the daemon comes last.
pub(super) fn may_hurry(workspace: &Workspace, file: &ToMap) -> bool {
    !workspace.facts.is_suspect(&file.hash)
}

fn install_all(
    workspace: &Workspace,
    core: &mut Core,
    found: Receiver<Vec<Mapped>>,
    left: &mut MapLeft,
) -> usize {
    let mut mapped = 0;
    loop {
        let step = next_step(workspace, &found, step_size(left.files));
        if step.is_empty() {
            return mapped;
        }
        let files = step.len();
        mapped += map_step(workspace, core, step);
        note_unsaved(workspace, workspace.facts.flush_many());
        left.note_taken(workspace, files);
    }
}

/// Returns the next files to apply, about `most`; fewer if a call waits for files or there are no more. None are returned
/// at the end alone.
fn next_step(workspace: &Workspace, found: &Receiver<Vec<Mapped>>, most: usize) -> Vec<Mapped> {
    let mut step = Vec::new();
    while step.len() < most {
        let more = match !step.is_empty() && workspace.pending.is_waited_for() {
            true => found.try_recv().ok(),
            false => found.recv().ok(),
        };
        match more {
            Some(more) => step.extend(more),
            None => break,
        }
    }
    step
}

/// Returns the number of files of the next step. Steps grow smaller towards the end, because nobody extracts while the
/// last one is applied.
fn step_size(left: u64) -> usize {
    usize::try_from(left / 4).unwrap_or(STEP).clamp(SMALL_STEP, STEP)
}

fn map_step(workspace: &Workspace, core: &mut Core, step: Vec<Mapped>) -> usize {
    let (mut changes, mut ops) = (Vec::with_capacity(step.len()), Vec::new());
    let files: Vec<FileId> = step.iter().map(|mapped| mapped.file).collect();
    for Mapped { change, op, doubted, slow, .. } in step {
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
    workspace.pending.note_mapped(files.into_iter());
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
    file: FileId,
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
    let with = |change| Mapped { file: file.file, change, op: None, doubted: None, slow: None };
    let Some(lang) = file.lang else { return with(remove) };
    let mut wanted = FactsRequest { path: &file.path, lang, hash: file.hash };
    if let Some(facts) = workspace.facts.load(&wanted) {
        return with(Some(set(&file, page(facts))));
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
                    return Mapped { doubted: Some((file.file, file.path.clone())), ..with(change) };
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
    Mapped { op, doubted, slow, ..with(Some(set(&file, page(facts)))) }
}

fn set(file: &ToMap, facts: FileFacts) -> MapChange {
    MapChange::Set { file: file.file, path: file.path.clone(), facts: Arc::new(facts) }
}
