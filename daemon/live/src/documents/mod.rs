//! The files a server has been told of: which are open in it, with what contents.
//!
//! Disk is the truth. A file that is open in a server no longer follows the disk by itself, so each change on disk is sent
//! on; the number of open files is bounded, because every one costs memory there and work here. What is sent must reach the
//! server in the order in which it was decided, so [`ServerDocuments`] is used under one lock from the decision to the sending.

mod pinned;

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use hob_base::{AbsPath, ContentHash, WsPath};
use serde_json::{Value, json};

pub use pinned::{Doc, Label, Shown};

use crate::spec::{Announce, OpenPolicy, Reread, ServerSpec};
use crate::uri;

/// Files that may be open at once.
const MOST_OPEN: usize = 64;

/// Beyond so many changed files, a server that has to be shown each one by opening it is better started anew.
const MOST_SHOWN: usize = 2_000;

/// Beyond so many changed files at once, opening them would close what others ask about.
const MOST_KEPT: usize = MOST_OPEN / 2;

/// A change of a file on disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileChange {
    /// It was not there before.
    Created,
    /// The file's contents differ.
    Changed,
    /// The file is gone now.
    Deleted,
}

impl FileChange {
    fn protocol_number(self) -> u8 {
        match self {
            Self::Created => 1,
            Self::Changed => 2,
            Self::Deleted => 3,
        }
    }
}

/// A server's own commands; a request, whose result is of use to nobody here.
const COMMAND: &str = "workspace/executeCommand";

/// A notification for the server, or a command.
#[derive(Clone, PartialEq, Debug)]
pub struct Tell {
    /// Method of the message, as the protocol calls it.
    pub method: &'static str,
    /// The parameters of the method.
    pub params: Value,
}

/// The way to bring changes to a server.
#[derive(Clone, PartialEq, Debug)]
pub enum Taken {
    /// Tell the server this; for so long afterwards its answers may be of how things were.
    Tell(Vec<Tell>, Duration),
    /// Too much for a server of this kind to be told: start it anew.
    StartAnew,
}

#[derive(Debug)]
struct ServerOpenFile {
    version: i32,
    hash: ContentHash,
    used: u64,
    /// Number of batches of changes that the last requested diagnostics cover, and the number of times that
    /// diagnostics had come before.
    asked: Option<(u64, u64)>,
    /// Nobody asked about it: it is open only until the server has read it.
    shown: bool,
    /// Batches of changes, of those that it may depend on, when the server was last made to read it.
    fresh: u64,
    /// An editor has it open: it stays so, and its text is what counts among editors.
    pinned: bool,
    /// The editors' own versions of the text, by the server's versions.
    labels: pinned::Labels,
}

impl ServerOpenFile {
    fn new(version: i32, text: &str, used: u64) -> Self {
        let hash = ContentHash::of(text.as_bytes());
        let labels = pinned::Labels::default();
        Self { version, hash, used, asked: None, shown: false, fresh: 0, pinned: false, labels }
    }
}

impl ServerOpenFile {
    /// A text, perhaps the one that it has, gets the next number.
    fn give_next_version(&mut self, text: &str) {
        let hash = ContentHash::of(text.as_bytes());
        self.labels.carry_label(self.version, hash == self.hash);
        self.hash = hash;
        self.version += 1;
    }
}

/// A verdict that the server has been asked for.
#[derive(Clone, PartialEq, Debug)]
pub struct Awaited {
    /// The messages that make the server answer; empty if it was asked before.
    pub tell: Vec<Tell>,
    /// The version of the file that it is about.
    pub version: i32,
    /// Verdicts on the file that came before.
    pub before: u64,
}

/// The documents that one server has open.
#[derive(Debug)]
pub struct ServerDocuments {
    root: AbsPath,
    open: HashMap<WsPath, ServerOpenFile>,
    /// Documents that editors have open and that are not files of the project, by their URI.
    outside: HashMap<String, ServerOpenFile>,
    uses: u64,
    /// Batches of changes so far.
    changes: u64,
    /// Those of them that files of the server's languages may depend on.
    relevant: u64,
    /// Files that the server is reading, each with the version whose verdict says that it has.
    reading: BTreeMap<WsPath, i32>,
    /// The highest version of any file that was closed. Files begin above it, so that what a server says of an earlier
    /// opening is never taken for news.
    highest: i32,
}

/// Reads a file of the workspace as text; `None` when it is gone or no text.
pub type ReadText<'a> = &'a dyn Fn(&WsPath) -> Option<String>;

impl ServerDocuments {
    /// Creates the list of a server that has nothing open.
    #[must_use]
    pub fn new(root: AbsPath) -> Self {
        Self {
            root,
            open: HashMap::new(),
            outside: HashMap::new(),
            uses: 0,
            changes: 0,
            relevant: 0,
            reading: BTreeMap::new(),
            highest: 0,
        }
    }

    /// Returns the number of open files of the project.
    #[must_use]
    pub fn len(&self) -> usize {
        self.open.len()
    }

    /// Returns true if no file is open.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// The version of a file that is open.
    #[must_use]
    pub fn version(&self, path: &WsPath) -> Option<i32> {
        self.open.get(path).map(|open| open.version)
    }

    /// Returns what was last sent of a file that is open: its version, and the hash of its contents.
    #[must_use]
    pub fn last_sent(&self, path: &WsPath) -> Option<(i32, ContentHash)> {
        self.open.get(path).map(|open| (open.version, open.hash))
    }

    /// Returns the messages that open `path` with its present contents; `None` if it cannot be read.
    pub fn open(&mut self, spec: &ServerSpec, path: &WsPath, read: ReadText<'_>) -> Option<Vec<Tell>> {
        self.uses += 1;
        if let Some(open) = self.open.get_mut(path) {
            // Changes on disk were sent on already; see `take_in`.
            (open.used, open.shown) = (self.uses, false);
            let stale = matches!(spec.announce, Announce::OpenUntilRead(_)) && open.fresh < self.relevant;
            return if stale { Some(vec![self.read_again(path, &read(path)?)?]) } else { Some(Vec::new()) };
        }
        let text = read(path)?;
        let mut tell = self.close_superfluous();
        let version = self.highest + 1;
        let open = ServerOpenFile { fresh: self.relevant, ..ServerOpenFile::new(version, &text, self.uses) };
        self.open.insert(path.clone(), open);
        tell.push(self.did_open(spec, path, version, text));
        Some(tell)
    }

    /// Returns the message that makes the server read an open file once more, with all that it depends on.
    fn read_again(&mut self, path: &WsPath, text: &str) -> Option<Tell> {
        let (uri, relevant) = (self.uri(path), self.relevant);
        let open = self.open.get_mut(path)?;
        open.fresh = relevant;
        open.give_next_version(text);
        self.reading.insert(path.clone(), open.version);
        Some(did_change(&uri, open.version, text, true))
    }

    /// The files that the server is reading, each with the version that it will give a verdict on once it has. Its answers may
    /// be of how things were until then.
    #[must_use]
    pub fn being_read(&self) -> Vec<(WsPath, i32)> {
        self.reading.iter().map(|(path, version)| (path.clone(), *version)).collect()
    }

    /// The server has given its verdict on this version of a file; what to tell it now.
    pub fn has_read(&mut self, path: &WsPath, version: i32) -> Option<Tell> {
        if self.reading.get(path).is_none_or(|awaited| *awaited > version) {
            return None;
        }
        self.reading.remove(path);
        self.open.get(path).is_some_and(|open| open.shown && !open.pinned).then(|| self.close(path))
    }

    /// Returns the messages that make the server judge `path` in the light of everything it has been told; `None` if
    /// the file cannot be read. `before` is the number of times that diagnostics of it have come so far.
    ///
    /// A server judges a file anew when that file changes; whether it does when others change, no server says. So the same
    /// contents are sent once more under another version: the verdict on that is the one that counts.
    pub fn await_verdict(
        &mut self,
        spec: &ServerSpec,
        path: &WsPath,
        before: u64,
        read: ReadText<'_>,
    ) -> Option<Awaited> {
        let was_open = self.open.contains_key(path);
        let mut tell = self.open(spec, path, read)?;
        let (uri, changes) = (self.uri(path), self.changes);
        let open = self.open.get_mut(path)?;
        if let Some((_, before)) = open.asked.filter(|(covered, _)| *covered == changes) {
            return Some(Awaited { tell, version: open.version, before });
        }
        if was_open {
            let text = read(path)?;
            open.give_next_version(&text);
            tell.push(did_change(&uri, open.version, &text, true));
        }
        open.asked = Some((changes, before));
        Some(Awaited { tell, version: open.version, before })
    }

    /// The files that are open.
    #[must_use]
    pub fn all_open(&self) -> Vec<WsPath> {
        let mut all: Vec<WsPath> = self.open.keys().cloned().collect();
        all.sort();
        all
    }

    /// Decides how the server is told of changes on disk. `read` gives contents as they are now.
    pub fn take_in(
        &mut self,
        spec: &ServerSpec,
        changes: &BTreeMap<WsPath, FileChange>,
        read: ReadText<'_>,
    ) -> Taken {
        self.changes += 1;
        if let Announce::OpenUntilRead(included) = spec.announce {
            let is_included =
                |path: &WsPath| included.iter().any(|ending| path.file_name().ends_with(ending));
            let says_how = |path: &WsPath| spec.markers.contains(&path.file_name());
            if changes.keys().any(|path| is_included(path) || says_how(path)) {
                return Taken::StartAnew;
            }
            return self.show_until_read(spec, changes, read);
        }
        let shown = |(path, change): &(&WsPath, &FileChange)| self.is_shown(spec, path, **change);
        if changes.iter().filter(shown).count() > MOST_SHOWN {
            return Taken::StartAnew;
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
            tell.push(Tell { method: "workspace/didChangeWatchedFiles", params: json!({"changes": events}) });
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
                tell.push(Tell::reread_command(how));
            }
            _ => tell.extend(self.keep_open(spec, changes, read)),
        }
        Taken::Tell(tell, settles)
    }

    /// Has changed files open until the server has read them. One that is gone is shown as empty: whoever does not hear of
    /// deletions keeps what was in it.
    fn show_until_read(
        &mut self,
        spec: &ServerSpec,
        changes: &BTreeMap<WsPath, FileChange>,
        read: ReadText<'_>,
    ) -> Taken {
        let serves = |path: &WsPath| spec.language_of(path.file_name()).is_some();
        // Headers may have any name.
        self.relevant +=
            u64::from(changes.keys().any(|path| serves(path) || !path.file_name().contains('.')));
        let files: Vec<_> = changes.iter().filter(|(path, _)| serves(path)).collect();
        if self.reading.len() + files.len() > MOST_KEPT {
            return Taken::StartAnew;
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
        Taken::Tell(tell, Duration::ZERO)
    }

    fn show_one(&mut self, spec: &ServerSpec, path: &WsPath, text: String) -> Vec<Tell> {
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
            // Only then is it decided anew which file a module's name means.
            Announce::OpenAndKeep(lags) if any(&|change| change != FileChange::Changed) => lags.listed,
            Announce::OpenAndKeep(lags) if changes.len() > MOST_KEPT => lags.read,
            _ => Duration::ZERO,
        }
    }

    /// Opens changed files in a server that follows open ones sooner; not so many that others would be closed for them.
    fn keep_open(
        &mut self,
        spec: &ServerSpec,
        changes: &BTreeMap<WsPath, FileChange>,
        read: ReadText<'_>,
    ) -> Vec<Tell> {
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
    fn sync_open_file(&mut self, path: &WsPath, change: FileChange, read: ReadText<'_>) -> Option<Tell> {
        let Some(text) = self.present_text(path, change, read) else {
            // Whoever has it open in an editor is about to say what becomes of it.
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

    /// A file's text after a change. What an editor has unsaved is there, even if the file is not.
    fn present_text(&self, path: &WsPath, change: FileChange, read: ReadText<'_>) -> Option<String> {
        let is_pinned = self.open.get(path).is_some_and(|open| open.pinned);
        (change != FileChange::Deleted || is_pinned).then(|| read(path)).flatten()
    }

    fn close_superfluous(&mut self) -> Vec<Tell> {
        let mut tell = Vec::new();
        while self.open.len() >= MOST_OPEN {
            let closable =
                self.open.iter().filter(|(path, open)| !self.reading.contains_key(*path) && !open.pinned);
            let oldest = closable.min_by_key(|(_, open)| open.used).map(|(path, _)| path.clone());
            let Some(path) = oldest else { break };
            tell.push(self.close(&path));
        }
        tell
    }

    fn close(&mut self, path: &WsPath) -> Tell {
        if let Some(closed) = self.open.remove(path) {
            self.highest = self.highest.max(closed.version);
        }
        self.reading.remove(path);
        self.did_close(path)
    }

    fn did_open(&self, spec: &ServerSpec, path: &WsPath, version: i32, text: String) -> Tell {
        let language = spec.language_of(path.file_name()).unwrap_or("plaintext");
        let document =
            json!({"uri": self.uri(path), "languageId": language, "version": version, "text": text});
        Tell { method: "textDocument/didOpen", params: json!({"textDocument": document}) }
    }

    fn did_close(&self, path: &WsPath) -> Tell {
        Tell { method: "textDocument/didClose", params: json!({"textDocument": {"uri": self.uri(path)}}) }
    }

    fn change_event(&self, path: &WsPath, change: FileChange) -> Value {
        json!({"uri": self.uri(path), "type": change.protocol_number()})
    }

    fn uri(&self, path: &WsPath) -> String {
        uri::of_path(&self.root.join_ws(path)).as_str().to_owned()
    }
}

/// `anew` is clangd's own field for "also if nothing changed"; others know no such field and pass over it.
fn did_change(uri: &str, version: i32, text: &str, anew: bool) -> Tell {
    let mut params = json!({
        "textDocument": {"uri": uri, "version": version},
        "contentChanges": [{"text": text}],
    });
    if anew {
        params["forceRebuild"] = json!(true);
    }
    Tell { method: "textDocument/didChange", params }
}

/// Returns true if changes come to more than new contents of a few files.
fn needs_rereading(spec: &ServerSpec, changes: &BTreeMap<WsPath, FileChange>, how: Reread) -> bool {
    let also = |path: &WsPath| how.also.iter().any(|ending| path.file_name().ends_with(ending));
    let serves = |path: &WsPath| spec.language_of(path.file_name()).is_some();
    let served = changes.iter().filter(|(path, _)| serves(path));
    let other_list = |(_, change): (&WsPath, &FileChange)| *change != FileChange::Changed;
    changes.keys().any(also) || changes.len() > MOST_KEPT || served.clone().any(other_list)
}

impl Tell {
    fn reread_command(how: Reread) -> Self {
        Self { method: COMMAND, params: json!({"command": how.command, "arguments": how.arguments}) }
    }

    /// Returns true if the message asks for an answer, of which there is nothing to be learnt.
    #[must_use]
    pub fn is_request(&self) -> bool {
        self.method == COMMAND
    }
}

impl OpenPolicy {
    /// Returns true if the file asked about has to be open.
    #[must_use]
    pub fn wants_asked_file(self) -> bool {
        self == Self::AskedFile
    }
}

#[cfg(all(test, unix))]
mod tests;
