//! Makes the vectors that are missing, in a thread that ends when there are all.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Instant;

use hob_base::{ContentHash, FileId, WsPath};
use hob_embed::{Codes, Embedder, Model};
use hob_map::FileFacts;
use hob_map::facts::DefIdx;
use hob_map::graph::DefRef;
use rustc_hash::{FxHashMap, FxHashSet};

use super::scan::worthy_definitions;
use super::state::{FileVectors, Vectors, WorthLimit};
use super::text;
use crate::workspace::Workspace;
use hob_base::lock;

/// Number of files between two checks whether the work is still wanted.
const LOT: usize = 256;

impl Vectors {
    /// Starts making the missing vectors, without waiting for them.
    pub(crate) fn catch_up(workspace: &Arc<Workspace>) {
        // Users without a model pay for nothing.
        let has_none = lock(&workspace.vectors.state).model.is_none();
        if has_none && workspace.shared.models.active_model().is_none() {
            return;
        }
        if !std::mem::replace(&mut lock(&workspace.vectors.state).runs, true) {
            start(workspace);
        }
    }
}

/// Starts the thread; the caller has noted in the state that it runs.
pub(super) fn start(workspace: &Arc<Workspace>) {
    let held = Arc::clone(workspace);
    let body = move || {
        let outcome = catch_unwind(AssertUnwindSafe(|| run(&held)));
        end(&held, outcome.err().map(|_| "making vectors hit a bug; see the log".to_owned()));
    };
    let thread = std::thread::Builder::new().name("hob-vectors".to_owned()).spawn(body);
    if let Err(error) = thread {
        end(workspace, Some(format!("no thread can be had for making vectors: {error}")));
    }
}

fn end(workspace: &Workspace, failure: Option<String>) {
    let mut state = lock(&workspace.vectors.state);
    state.runs = false;
    if let Some(failure) = failure {
        tracing::warn!(root = %workspace.root(), failure, "vectors failed");
        state.failure = Some(failure);
    }
    drop(state);
    workspace.vectors.moved.notify_all();
}

fn run(workspace: &Workspace) {
    while workspace.closing.check().is_ok() {
        let Some(Ok(model)) = workspace.shared.models.active_model() else {
            return forget_vectors(workspace);
        };
        if lock(&workspace.vectors.state).model != Some(model.fingerprint()) {
            forget_vectors(workspace);
            lock(&workspace.vectors.state).model = Some(model.fingerprint());
        }
        let generation = workspace.generation().0;
        let DueVectors { total, files, gone } = due_files(workspace);
        // A new choice forgets the vectors of the old one, also where nothing else was due.
        let is_chosen_anew = choose_least_worth(workspace, total);
        let is_done = files.is_empty() && gone.is_empty() && !is_chosen_anew;
        drop_files(workspace, gone);
        let begun = Instant::now();
        make_vectors(workspace, &model, &files);
        if files.len() > LOT {
            let (vectors, took) = (lock(&workspace.vectors.state).done, begun.elapsed());
            tracing::info!(root = %workspace.root(), files = files.len(), vectors, ?took, "vectors were made");
        }
        if is_done {
            lock(&workspace.vectors.state).upto = Some(generation);
            workspace.vectors.moved.notify_all();
            return;
        }
    }
}

fn forget_vectors(workspace: &Workspace) {
    let vectors = &workspace.vectors;
    *vectors.files.write().unwrap_or_else(PoisonError::into_inner) = FxHashMap::default();
    vectors.bytes.store(0, Ordering::Relaxed);
    let mut state = lock(&vectors.state);
    (state.model, state.upto, state.least, state.done) = (None, None, None, 0);
}

/// The files whose vectors have to be made or forgotten.
struct DueVectors {
    /// Number of all definitions.
    total: u64,
    /// Files without vectors, or with vectors of other facts.
    files: Vec<FileId>,
    /// Files that are gone.
    gone: Vec<FileId>,
}

fn due_files(workspace: &Workspace) -> DueVectors {
    let (text, map) = (workspace.text(), workspace.map());
    let known = workspace.vectors.files();
    let (mut total, mut files, mut there) = (0, Vec::new(), FxHashSet::default());
    for (file, _) in text.indexed_paths() {
        let Some((_, facts)) = map.file(file) else { continue };
        there.insert(file);
        total += facts.defs.len() as u64;
        if !known.get(&file).is_some_and(|vectors| vectors.are_of(facts)) {
            files.push(file);
        }
    }
    let gone = known.keys().copied().filter(|file| !there.contains(file)).collect();
    files.sort_unstable();
    DueVectors { total, files, gone }
}

/// Decides the least worth of a definition that gets a vector, where there is not room for all. Returns true if the
/// decision has changed.
fn choose_least_worth(workspace: &Workspace, total: u64) -> bool {
    let most = workspace.vectors.most.load(Ordering::Relaxed);
    let fits = total <= most as u64;
    let before = {
        let mut state = lock(&workspace.vectors.state);
        state.total = total;
        state.least
    };
    // Not after every edit: definitions would gain and lose their vectors all the time.
    let is_near = |least: &WorthLimit| total.abs_diff(least.total) <= least.total / 5;
    if fits || before.as_ref().is_some_and(is_near) {
        let is_over = fits && before.is_some();
        if is_over {
            forget_choice(workspace, None);
        }
        return is_over;
    }
    // Only then is it known which definitions are used most.
    workspace.wait_derived(&workspace.closing);
    let mut worths = Vec::with_capacity(total as usize);
    let files: Vec<FileId> = workspace.text().indexed_paths().map(|(file, _)| file).collect();
    // In lots, so that a thread that wants to change the map gets a turn in between.
    for lot in files.chunks(LOT) {
        let map = workspace.map();
        for (file, (_, facts)) in lot.iter().filter_map(|file| Some((*file, map.file(*file)?))) {
            let one = |(def, found)| text::vector_worth(&map, facts, DefRef { file, def }.into(), found);
            worths.extend(facts.defs_indexed().map(one));
        }
    }
    let is_short = worths.len() > most;
    if is_short {
        let (_, worth, _) = worths.select_nth_unstable_by(most, |a, b| b.cmp(a));
        forget_choice(workspace, Some(WorthLimit { worth: *worth, total }));
    }
    is_short
}

/// Forgets all vectors, because those that were chosen by another measure are to be made again.
fn forget_choice(workspace: &Workspace, least: Option<WorthLimit>) {
    let model = lock(&workspace.vectors.state).model;
    forget_vectors(workspace);
    let mut state = lock(&workspace.vectors.state);
    (state.model, state.least) = (model, least);
}

fn drop_files(workspace: &Workspace, gone: Vec<FileId>) {
    if gone.is_empty() {
        return;
    }
    replace_vectors(workspace, gone.into_iter().map(|file| (file, None)).collect());
}

fn make_vectors(workspace: &Workspace, model: &Model, files: &[FileId]) {
    let mut embedder = Embedder::new(model);
    let least = lock(&workspace.vectors.state).least.map(|least| least.worth);
    for lot in files.chunks(LOT) {
        if workspace.closing.check().is_err() {
            return;
        }
        let made = unembedded_files(workspace, lot, least).into_iter().map(|wanted| {
            let key = wanted.key(model);
            let codes = workspace.shared.models.shared.get(key, || wanted.make_codes(model, &mut embedder));
            let UnembeddedFile { file, facts, defs, .. } = wanted;
            (file, Some(FileVectors { facts: Arc::downgrade(&facts), defs: defs.into(), codes }))
        });
        replace_vectors(workspace, made.collect());
    }
}

/// A file whose vectors are to be made, held without the map.
struct UnembeddedFile {
    file: FileId,
    path: WsPath,
    facts: Arc<FileFacts>,
    defs: Vec<DefIdx>,
}

impl UnembeddedFile {
    fn texts_of(&self, def: DefIdx) -> text::WeightedTexts<'_> {
        text::weighted_texts(self.path.as_str(), &self.facts, self.facts.def(def))
    }

    /// Returns a hash of everything that the vectors depend on.
    fn key(&self, model: &Model) -> ContentHash {
        let mut all = model.fingerprint().as_bytes().to_vec();
        for (text, weight) in self.defs.iter().flat_map(|def| self.texts_of(*def)) {
            all.extend(text.len().to_le_bytes());
            all.extend(text.as_bytes());
            all.extend(weight.to_le_bytes());
        }
        ContentHash::of(&all)
    }

    fn make_codes(&self, model: &Model, embedder: &mut Embedder<'_>) -> Codes {
        let mut codes = Codes::new(model.dims());
        self.defs.iter().for_each(|def| codes.push(&embedder.embed(&self.texts_of(*def))));
        codes.free_spare_room();
        codes
    }
}

fn unembedded_files(workspace: &Workspace, lot: &[FileId], least: Option<u64>) -> Vec<UnembeddedFile> {
    let map = workspace.map();
    let one = |file: &FileId| {
        let (path, facts) = map.file(*file)?;
        let defs = worthy_definitions(&map, *file, facts, least);
        Some(UnembeddedFile { file: *file, path: path.clone(), facts: Arc::clone(facts), defs })
    };
    lot.iter().filter_map(one).collect()
}

/// Replaces the vectors of files by new ones, or by none.
fn replace_vectors(workspace: &Workspace, made: Vec<(FileId, Option<FileVectors>)>) {
    let vectors = &workspace.vectors;
    let (mut count, mut bytes) = (0_i64, 0_i64);
    let mut files = vectors.files.write().unwrap_or_else(PoisonError::into_inner);
    for (file, new) in made {
        let weigh = |it: &FileVectors| (it.codes.len() as i64, it.heap_bytes() as i64);
        let now = new.as_ref().map_or((0, 0), weigh);
        let old = match new {
            Some(new) => files.insert(file, new),
            None => files.remove(&file),
        };
        let then = old.as_ref().map_or((0, 0), weigh);
        count += now.0 - then.0;
        bytes += now.1 - then.1;
    }
    drop(files);
    vectors.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    let mut state = lock(&vectors.state);
    state.done = state.done.saturating_add_signed(count);
    drop(state);
    vectors.moved.notify_all();
}
