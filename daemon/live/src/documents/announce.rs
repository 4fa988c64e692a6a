//! Decides how to tell a server of changes on disk: kinds of servers learn of them in different ways ([`Announce`]).

use std::collections::BTreeMap;
use std::time::Duration;

use hob_base::{ContentHash, WsPath};
use serde_json::{Value, json};

use super::change::{FileChange, ReadText};
use super::message::{AnnouncePlan, DocumentMessage, did_change};
use super::open_file::ServerOpenFile;
use super::{MOST_OPEN, ServerDocuments};
use crate::spec::{Announce, Reread, ServerSpec};

/// Number of changed files beyond which hob restarts a server that learns of each one only by opening it.
pub(super) const MOST_SHOWN: usize = 2_000;

/// Number of files changed at once beyond which opening them would close files that other calls ask about.
pub(super) const MOST_KEPT: usize = MOST_OPEN / 2;

impl ServerDocuments {
    /// Decides how to tell the server of changes on disk. `read` returns present contents.
    pub fn announce(
        &mut self,
        spec: &ServerSpec,
        changes: &BTreeMap<WsPath, FileChange>,
        read: ReadText<'_>,
    ) -> AnnouncePlan {
        self.changes += 1;
        if let Announce::OpenUntilRead(included) = spec.announce {
            let is_included =
                |path: &WsPath| included.iter().any(|ending| path.file_name().ends_with(ending));
            let says_how = |path: &WsPath| spec.markers.contains(&path.file_name());
            if changes.keys().any(|path| is_included(path) || says_how(path)) {
                return AnnouncePlan::StartAnew;
            }
            return self.show_until_read(spec, changes, read);
        }
        let shown = |(path, change): &(&WsPath, &FileChange)| self.is_shown(spec, path, **change);
        if changes.iter().filter(shown).count() > MOST_SHOWN {
            return AnnouncePlan::StartAnew;
        }
        let settles = self.settling_time(spec, changes);
        let mut tell = Vec::new();
        for (path, change) in changes {
            if self.open.contains_key(path) {
                tell.extend(self.sync_open_file(path, *change, read));
            }
        }
        let events: Vec<Value> =
            changes.iter().map(|(path, change)| self.change_event(path, *change)).collect();
        if !events.is_empty() && spec.announce != Announce::OpenAndClose {
            tell.push(DocumentMessage {
                method: "workspace/didChangeWatchedFiles",
                params: json!({"changes": events}),
            });
        }
        for (path, change) in changes {
            if self.is_shown(spec, path, *change)
                && let Some(text) = read(path)
            {
                self.highest += 1;
                tell.push(self.did_open(spec, path, self.highest, text));
                tell.push(self.did_close(path));
            }
        }
        match spec.announce {
            Announce::Command(how) if needs_rereading(spec, changes, how) => {
                tell.push(DocumentMessage::reread_command(how));
            }
            _ => tell.extend(self.keep_open(spec, changes, read)),
        }
        AnnouncePlan::Messages(tell, settles)
    }

    /// Opens changed files until the server has read them. A deleted file is shown as empty, because a server that
    /// hears of no deletions keeps its old contents.
    fn show_until_read(
        &mut self,
        spec: &ServerSpec,
        changes: &BTreeMap<WsPath, FileChange>,
        read: ReadText<'_>,
    ) -> AnnouncePlan {
        let serves = |path: &WsPath| spec.language_of(path.file_name()).is_some();
        // Headers may have any name, and no ending.
        self.relevant +=
            u64::from(changes.keys().any(|path| serves(path) || !path.file_name().contains('.')));
        let files: Vec<_> = changes.iter().filter(|(path, _)| serves(path)).collect();
        if self.reading.len() + files.len() > MOST_KEPT {
            return AnnouncePlan::StartAnew;
        }
        let mut tell = Vec::new();
        for (path, change) in files {
            let text = self.present_text(path, *change, read);
            let gone = text.is_none();
            tell.extend(self.show_one(spec, path, text.unwrap_or_default()));
            if let Some(open) = self.open.get_mut(path) {
                open.shown |= gone;
            }
        }
        AnnouncePlan::Messages(tell, Duration::ZERO)
    }

    fn show_one(&mut self, spec: &ServerSpec, path: &WsPath, text: String) -> Vec<DocumentMessage> {
        if let Some(open) = self.open.get(path) {
            let same = open.hash == ContentHash::of(text.as_bytes());
            return if same { Vec::new() } else { self.read_again(path, &text).into_iter().collect() };
        }
        let mut tell = self.close_superfluous();
        let version = self.highest + 1;
        let open = ServerOpenFile::new(version, &text, self.uses);
        self.open.insert(path.clone(), ServerOpenFile { shown: true, fresh: self.relevant, ..open });
        self.reading.insert(path.clone(), version);
        tell.push(self.did_open(spec, path, version, text));
        tell
    }

    /// Returns the time that a server takes to notice those of `changes` that it is not shown.
    fn settling_time(&self, spec: &ServerSpec, changes: &BTreeMap<WsPath, FileChange>) -> Duration {
        let unseen =
            |path: &WsPath| spec.language_of(path.file_name()).is_some() && !self.open.contains_key(path);
        let any = |wanted: &dyn Fn(FileChange) -> bool| {
            changes.iter().any(|(path, change)| wanted(*change) && unseen(path))
        };
        match spec.announce {
            // Only new and deleted files make the server decide anew which file a module's name means.
            Announce::OpenAndKeep(lags) if any(&|change| change != FileChange::Changed) => lags.listed,
            Announce::OpenAndKeep(lags) if changes.len() > MOST_KEPT => lags.read,
            _ => Duration::ZERO,
        }
    }

    /// Opens changed files in a server that follows open files sooner, but not so many that others would be closed for
    /// them.
    fn keep_open(
        &mut self,
        spec: &ServerSpec,
        changes: &BTreeMap<WsPath, FileChange>,
        read: ReadText<'_>,
    ) -> Vec<DocumentMessage> {
        let follows = matches!(spec.announce, Announce::OpenAndKeep(_) | Announce::Command(_));
        if !follows || changes.len() > MOST_KEPT {
            return Vec::new();
        }
        let there = changes.iter().filter(|(path, change)| {
            **change != FileChange::Deleted && spec.language_of(path.file_name()).is_some()
        });
        there.filter_map(|(path, _)| self.open(spec, path, read)).flatten().collect()
    }

    /// Returns true if an unopened file has to be shown to the server by opening it for a moment.
    fn is_shown(&self, spec: &ServerSpec, path: &WsPath, change: FileChange) -> bool {
        let wanted = match spec.announce {
            Announce::WatchedFiles
            | Announce::Command(_)
            | Announce::OpenAndKeep(_)
            | Announce::OpenUntilRead(_) => false,
            Announce::WatchedFilesAndOpenNew => change == FileChange::Created,
            Announce::OpenAndClose => change != FileChange::Deleted,
        };
        wanted && !self.open.contains_key(path) && spec.language_of(path.file_name()).is_some()
    }

    /// Brings an open file up to date.
    fn sync_open_file(
        &mut self,
        path: &WsPath,
        change: FileChange,
        read: ReadText<'_>,
    ) -> Option<DocumentMessage> {
        let Some(text) = self.present_text(path, change, read) else {
            // If an editor has the file open, that editor will tell what becomes of it.
            return (!self.open.get(path)?.pinned).then(|| self.close(path));
        };
        let uri = self.uri(path);
        let open = self.open.get_mut(path)?;
        let hash = ContentHash::of(text.as_bytes());
        if open.hash == hash {
            return None;
        }
        open.hash = hash;
        open.version += 1;
        Some(did_change(&uri, open.version, &text, false))
    }

    /// Returns a file's text after a change. An editor's unsaved text counts, even if the file is gone.
    fn present_text(&self, path: &WsPath, change: FileChange, read: ReadText<'_>) -> Option<String> {
        let is_pinned = self.open.get(path).is_some_and(|open| open.pinned);
        (change != FileChange::Deleted || is_pinned).then(|| read(path)).flatten()
    }

    fn change_event(&self, path: &WsPath, change: FileChange) -> Value {
        json!({"uri": self.uri(path), "type": change.protocol_number()})
    }
}

/// Returns true if the changes are more than new contents of a few files.
fn needs_rereading(spec: &ServerSpec, changes: &BTreeMap<WsPath, FileChange>, how: Reread) -> bool {
    let also = |path: &WsPath| how.also.iter().any(|ending| path.file_name().ends_with(ending));
    let serves = |path: &WsPath| spec.language_of(path.file_name()).is_some();
    let served = changes.iter().filter(|(path, _)| serves(path));
    let other_list = |(_, change): (&WsPath, &FileChange)| *change != FileChange::Changed;
    changes.keys().any(also) || changes.len() > MOST_KEPT || served.clone().any(other_list)
}
