//! Saves what a workspace leaves on disk, so that the next daemon begins where this one ended.
//!
//! Five things are kept: the file table (what each file was when it was last read), the text index's segments, the map's
//! names and lists (of large projects) and its hub scores, and, in the store, the facts by content. Coming back, a file counts as known only if its
//! segment is there, and is mapped anew if its facts are not; the sweep that follows looks at every file's stat and
//! reads what changed meanwhile. So a lost, torn, foreign or old snapshot costs time and never an answer: everything is
//! checked by content hash or read again. Table and text are back first; the map follows aside (`comeback`).
//!
//! Saving happens in the background after a lull and once more at the end. The table is replaced as a whole, by renaming.
//! It is as large as the tree, whatever changed, so the rest between two savings is a multiple of what one takes: what a
//! kill loses is that files changed since are read again. Names and lists are saved again only when some per cent
//! of the files have changed.

mod claims;
mod comeback;
mod format;
mod image;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hob_base::{AbsPath, FileId, WsPath};
use hob_map::Lang;
use hob_text::{ContentKeeper, Restored, Saver, TrigramIndex};
use hob_workspace::{FileTable, Record};
use rustc_hash::FxHashMap;

use super::Phase;
use super::workspace::{Core, Workspace};
pub(super) use claims::read_claims;
pub(super) use comeback::{Back, Comeback, SoughtFacts};
use format::{Decoded, decode, encode};
use hob_base::lock;

/// The file of the table, in a snapshot's folder.
const TABLE: &str = "files";

/// The rest between two savings is at least this many times as long as the last one took, so that steady editing keeps the
/// disk busy for less than a hundredth of the time; but no longer than this.
const REST_FACTOR: u32 = 200;
const LONGEST_REST: Duration = Duration::from_secs(600);

/// Projects of fewer files are mapped from their facts about as quickly as from an image.
const IMAGE_FILES: usize = 2_000;
/// An image is renewed when one file in so many has changed since.
const IMAGE_AGE: usize = 30;

/// The kind of a file for hob; with its record, all that has to be known to use its saved data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FileKind {
    /// Neither searched nor mapped.
    Binary,
    /// Searched; mapped if its language is known.
    Text(Option<Lang>),
}

/// One file of a saved table.
#[derive(Clone, PartialEq, Eq, Debug)]
struct TableEntry {
    path: WsPath,
    record: Record,
    kind: FileKind,
}

/// The folder of one workspace's snapshot.
#[derive(Debug)]
pub(super) struct Snapshots {
    folder: AbsPath,
    saver: Saver,
    /// `None` where the user wants no second copy of the texts.
    contents: Option<ContentKeeper>,
    /// The generation that was saved last.
    saved: Option<u64>,
    /// Time that the last saving took.
    took: Duration,
    /// When hub scores were saved last.
    ranked: Option<Instant>,
}

impl Snapshots {
    pub(super) fn new(folder: AbsPath, keep_contents: bool) -> Self {
        let mut contents = ContentKeeper::open(&folder.join("contents"));
        if !keep_contents {
            contents.clear();
        }
        let contents = keep_contents.then_some(contents);
        let saver = Saver::new(&folder.join("text"));
        Self { saver, contents, folder, saved: None, took: Duration::ZERO, ranked: None }
    }

    /// Where everything of the workspace is.
    pub(super) fn folder(&self) -> &AbsPath {
        &self.folder
    }

    /// Returns the pause that is due after the last saving.
    pub(super) fn pause_after_saving(&self) -> Duration {
        (self.took * REST_FACTOR).min(LONGEST_REST)
    }

    fn table_path(&self) -> AbsPath {
        self.folder.join(TABLE)
    }
}

/// Saves what has changed since the last time. Safe at any moment: every file is written beside and renamed.
pub(super) fn save(workspace: &Workspace) {
    let mut snapshots = lock(&workspace.snapshots);
    let generation = workspace.generation().0;
    if snapshots.saved == Some(generation) || generation == 0 {
        return;
    }
    let start = Instant::now();
    let outcome = try_save(workspace, &mut snapshots);
    snapshots.took = start.elapsed();
    match outcome.and_then(|()| save_image(workspace, &snapshots)) {
        Ok(()) => {
            tracing::debug!(root = %workspace.root(), generation, took = ?snapshots.took, "saved");
            snapshots.saved = Some(generation);
        }
        Err(error) => {
            let text = format!(
                "The index of `{}` could not be saved: {error}. The next start reads all files.",
                workspace.root()
            );
            workspace.shared.notices.add_once("snapshot", text);
        }
    }
}

fn try_save(workspace: &Workspace, snapshots: &mut Snapshots) -> Result<(), Box<dyn std::error::Error>> {
    // The table first: a text index that is newer than it has contents that the table does not claim, which is safe either way.
    let bytes = {
        let core = lock(&workspace.core);
        encode(workspace.root(), &entries(&core))
    };
    let saved = snapshots.saver.save(&workspace.text())?;
    workspace.install_saved(saved);
    write_atomically(snapshots.table_path().as_path(), &bytes)?;
    workspace.facts.flush()?;
    Ok(())
}

/// Has what the files hold lie side by side for searches, if much of it does not. A matter of speed alone: it uses one
/// thread, and ends when the workspace is closed.
pub(super) fn keep_contents(workspace: &Workspace) {
    let mut snapshots = lock(&workspace.snapshots);
    let Some(keeper) = &mut snapshots.contents else { return };
    let (text, disk) = (workspace.text(), workspace.disk_contents());
    let refresh = || keeper.refresh_packs(&text, &disk, &workspace.closing);
    match workspace.shared.pools.merge.install(refresh) {
        Ok(_) => workspace.install_contents(keeper.cache().clone()),
        Err(error) => {
            let text = format!(
                "The contents of `{}` could not be put side by side: {error}. Broad searches open every file.",
                workspace.root()
            );
            workspace.shared.notices.add_once("contents", text);
            snapshots.contents = None;
        }
    }
}

/// Saves hub scores and clusters as soon as there are some, and then from time to time: of files that have changed since they are not
/// used. They count no generation, as nothing that they are of has changed.
pub(super) fn save_ranking(workspace: &Workspace) {
    let mut snapshots = lock(&workspace.snapshots);
    if snapshots.ranked.is_none_or(|at| at.elapsed() > LONGEST_REST) {
        write_ranking(workspace, &mut snapshots);
    }
}

/// Saves them at the end.
pub(super) fn save_last_ranking(workspace: &Workspace) {
    write_ranking(workspace, &mut lock(&workspace.snapshots));
}

fn write_ranking(workspace: &Workspace, snapshots: &mut Snapshots) {
    if workspace.generation().0 == 0 {
        return;
    }
    let Some(bytes) = workspace.shared.pools.index.install(|| workspace.map().ranking_bytes()) else {
        return;
    };
    // Whatever is saved first makes the folder.
    let folder = fs::create_dir_all(snapshots.folder.as_path());
    match folder.and_then(|()| image::write(image::SCORES, &snapshots.folder, &bytes)) {
        Ok(()) => snapshots.ranked = Some(Instant::now()),
        Err(error) => {
            let text = format!(
                "The hub scores of `{}` could not be saved: {error}. After the next start, search ranks without them for a \
                 moment.",
                workspace.root()
            );
            workspace.shared.notices.add_once("scores", text);
        }
    }
}

/// Saves the map's names and lists, unless those that were saved will do.
fn save_image(workspace: &Workspace, snapshots: &Snapshots) -> Result<(), Box<dyn std::error::Error>> {
    let files = workspace.map().stats().files;
    let age = workspace.deriver.image_age();
    let is_due = files >= IMAGE_FILES && age.is_none_or(|age| age as usize > files / IMAGE_AGE);
    if is_due && workspace.progress.now().phase == Phase::Done {
        // Counted before: changes that come in meanwhile may be in the image already, which does no harm.
        let changes = workspace.deriver.map_changes();
        let bytes = workspace.shared.pools.index.install(|| workspace.map().image());
        image::write(image::NAMES, &snapshots.folder, &bytes)?;
        workspace.deriver.image_saved(changes);
    }
    Ok(())
}

fn entries(core: &Core) -> Vec<TableEntry> {
    let known = core.table.iter().filter_map(|(id, path, record)| {
        let kind = *core.kinds.get(&id)?;
        Some(TableEntry { path: path.clone(), record: *record, kind })
    });
    known.collect()
}

fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = path.with_extension("new");
    let mut file = File::create(&beside)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&beside, path)
}

/// Takes over what an earlier run left. Afterwards table and text have it, and the map is on its way.
pub(super) fn restore(workspace: &Arc<Workspace>) {
    let (folder, contents) = {
        let snapshots = lock(&workspace.snapshots);
        (snapshots.folder.clone(), snapshots.contents.as_ref().map(|keeper| keeper.cache().clone()))
    };
    workspace.install_contents(contents.unwrap_or_default());
    let bytes = match fs::read(folder.join(TABLE)) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return,
        Err(error) => return discard_saved(workspace, &error.to_string()),
    };
    match decode(&bytes) {
        Ok(Decoded { root, entries }) if root == workspace.root().to_string() => {
            take_over(workspace, &folder, entries);
        }
        Ok(_) => discard_saved(workspace, "it is of another folder"),
        Err(error) => discard_saved(workspace, &error.to_string()),
    }
}

fn discard_saved(workspace: &Workspace, why: &str) {
    let text = format!(
        "The saved index of `{}` was discarded ({why}); all files were read again.",
        workspace.root()
    );
    workspace.shared.notices.add_once("snapshot", text);
}

fn take_over(workspace: &Arc<Workspace>, folder: &AbsPath, entries: Vec<TableEntry>) {
    let mut core = lock(&workspace.core);
    let Core { table, kinds, comeback } = &mut *core;
    let index = workspace.shared.pools.index.install(|| text_of(workspace, folder, &entries, table));
    let mut sought = Vec::with_capacity(entries.len());
    for TableEntry { path, record, kind } in entries {
        let file = table.allocate_id(&path);
        if kind != FileKind::Binary && !index.contains(file) {
            continue;
        }
        table.restore_record(&path, record);
        kinds.insert(file, kind);
        if let FileKind::Text(Some(lang)) = kind {
            sought.push(SoughtFacts { file, path, lang, hash: record.hash });
        }
    }
    tracing::info!(root = %workspace.root(), files = table.len(), "took over a saved index");
    workspace.restore_text(index);
    *comeback = Some(Comeback::start(workspace, folder.clone(), sought));
}

fn text_of(
    workspace: &Workspace,
    folder: &AbsPath,
    entries: &[TableEntry],
    table: &mut FileTable,
) -> TrigramIndex {
    let wanted: FxHashMap<&WsPath, (FileId, &Record)> = entries
        .iter()
        .filter(|entry| entry.kind != FileKind::Binary)
        .map(|entry| (&entry.path, (table.allocate_id(&entry.path), &entry.record)))
        .collect();
    let keep = |path: &WsPath, hash: &hob_base::ContentHash| {
        wanted.get(path).filter(|(_, record)| record.hash == *hash).map(|(file, _)| *file)
    };
    match hob_text::restore_index(&folder.join("text"), &keep) {
        Ok(Restored { index, rejected }) => {
            if let Some(first) = rejected.first() {
                discard_saved(
                    workspace,
                    &format!("{} of its parts, the first because of: {first}", rejected.len()),
                );
            }
            index
        }
        Err(error) => {
            discard_saved(workspace, &error.to_string());
            TrigramIndex::new()
        }
    }
}
