//! Restores table and text of an earlier run, and starts the restoring of the map.

use std::fs;
use std::io;
use std::sync::Arc;

use hob_base::{AbsPath, FileId, WsPath, lock};
use hob_text::{Restored, TrigramIndex};
use hob_workspace::{FileTable, Record};
use rustc_hash::FxHashMap;

use super::discard::discard_saved;
use super::format::{Decoded, TABLE, TableEntry, decode};
use super::map_restoring;
use super::restoring_map::SoughtFacts;
use crate::file_kind::FileKind;
use crate::workspace::{Core, Workspace};

/// Restores the snapshot of an earlier run. Afterwards table and text have it, and the map is being restored.
pub(crate) fn restore(workspace: &Arc<Workspace>) {
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
    *comeback = Some(map_restoring::start(workspace, folder.clone(), sought));
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
