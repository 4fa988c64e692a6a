//! What a workspace leaves behind, so that the next daemon begins where this one ended.
//!
//! Three things are kept: the file table (what each file was when it was last read), the text index's segments, and, in the
//! store, the facts by content. Coming back, a file counts as known only if all that is needed for it is there; the sweep
//! that follows looks at every file's stat and reads what changed meanwhile. So a lost, torn, foreign or old snapshot costs
//! time and never an answer: everything is checked by content hash or read again.
//!
//! Saving happens in the background after a lull and once more at the end. The table is replaced as a whole, by renaming.

mod claims;
mod format;

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use hob_base::{AbsPath, FileId, WsPath};
use hob_map::{FileFacts, Lang, MapChange};
use hob_text::{Restored, Saver, TrigramIndex};
use hob_workspace::{FileTable, Record};
use rayon::prelude::*;

use super::facts::Wanted;
use super::workspace::{Core, Workspace, lock};
pub(super) use claims::claims;
use format::{Decoded, decode, encode};

/// The file of the table, in a snapshot's folder.
const TABLE: &str = "files";

/// What hob makes of a file; with its record, all that has to be known to use what was kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FileKind {
    /// Neither searched nor mapped.
    Binary,
    /// Searched; mapped if its language is known.
    Text(Option<Lang>),
}

/// One file of a saved table.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Entry {
    path: WsPath,
    record: Record,
    kind: FileKind,
}

/// The folder of one workspace's snapshot.
#[derive(Debug)]
pub(super) struct Snapshots {
    folder: AbsPath,
    saver: Saver,
    /// The generation that was saved last.
    saved: Option<u64>,
}

impl Snapshots {
    pub(super) fn new(folder: AbsPath) -> Self {
        Self { saver: Saver::new(&folder.join("text")), folder, saved: None }
    }

    fn table(&self) -> AbsPath {
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
    match try_save(workspace, &mut snapshots) {
        Ok(()) => snapshots.saved = Some(generation),
        Err(error) => {
            let text = format!(
                "The index of `{}` could not be saved: {error}. The next start reads all files.",
                workspace.root()
            );
            workspace.notices.once("snapshot", text);
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
    write_atomically(snapshots.table().as_path(), &bytes)?;
    workspace.facts.flush()?;
    Ok(())
}

fn entries(core: &Core) -> Vec<Entry> {
    let known = core.table.iter().filter_map(|(id, path, record)| {
        let kind = *core.kinds.get(&id)?;
        Some(Entry { path: path.clone(), record: *record, kind })
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

/// Takes over what an earlier run left. Afterwards everything that was taken over is in table, text and map alike.
pub(super) fn restore(workspace: &Workspace) {
    let folder = lock(&workspace.snapshots).folder.clone();
    let bytes = match fs::read(folder.join(TABLE)) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return,
        Err(error) => return discard(workspace, &error.to_string()),
    };
    match decode(&bytes) {
        Ok(Decoded { root, entries }) if root == workspace.root().to_string() => {
            take_over(workspace, &folder, entries);
        }
        Ok(_) => discard(workspace, "it is of another folder"),
        Err(error) => discard(workspace, &error.to_string()),
    }
}

fn discard(workspace: &Workspace, why: &str) {
    let text = format!(
        "The saved index of `{}` was discarded ({why}); all files were read again.",
        workspace.root()
    );
    workspace.notices.once("snapshot", text);
}

/// A file of the earlier run for which the map has what it needs.
struct Known {
    entry: Entry,
    facts: Option<FileFacts>,
}

fn take_over(workspace: &Workspace, folder: &AbsPath, entries: Vec<Entry>) {
    let known: Vec<Known> = workspace
        .pools
        .index
        .install(|| entries.into_par_iter().filter_map(|entry| with_facts(workspace, entry)).collect());
    let mut core = lock(&workspace.core);
    let Core { table, kinds, .. } = &mut *core;
    let index = text_of(workspace, folder, &known, table);
    let mut changes = Vec::with_capacity(known.len());
    for Known { entry, facts } in known {
        let file = table.allocate(&entry.path);
        if entry.kind != FileKind::Binary && !index.contains(file) {
            continue;
        }
        if let Some(facts) = facts {
            changes.push(MapChange::Set { file, path: entry.path.clone(), facts: Arc::new(facts) });
        }
        table.restore(&entry.path, entry.record);
        kinds.insert(file, entry.kind);
    }
    tracing::info!(root = %workspace.root(), files = table.len(), "took over a saved index");
    workspace.restore_text(index);
    workspace.apply_map(changes);
}

/// A file whose facts are gone has to be read again.
fn with_facts(workspace: &Workspace, entry: Entry) -> Option<Known> {
    let FileKind::Text(Some(lang)) = entry.kind else { return Some(Known { entry, facts: None }) };
    let wanted = Wanted { path: &entry.path, lang, hash: entry.record.hash };
    let facts = workspace.facts.load(&wanted)?;
    Some(Known { entry, facts: Some(facts) })
}

fn text_of(workspace: &Workspace, folder: &AbsPath, known: &[Known], table: &mut FileTable) -> TrigramIndex {
    let wanted: HashMap<&WsPath, (FileId, &Record)> = known
        .iter()
        .filter(|known| known.entry.kind != FileKind::Binary)
        .map(|known| (&known.entry.path, (table.allocate(&known.entry.path), &known.entry.record)))
        .collect();
    let keep = |path: &WsPath, hash: &hob_base::ContentHash| {
        wanted.get(path).filter(|(_, record)| record.hash == *hash).map(|(file, _)| *file)
    };
    match hob_text::restore(&folder.join("text"), &keep) {
        Ok(Restored { index, rejected }) => {
            if let Some(first) = rejected.first() {
                discard(
                    workspace,
                    &format!("{} of its parts, the first because of: {first}", rejected.len()),
                );
            }
            index
        }
        Err(error) => {
            discard(workspace, &error.to_string());
            TrigramIndex::new()
        }
    }
}
