//! The lines of files that results show, as language servers have them: an editor's unsaved text comes before the disk.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use hob_base::{Contents as _, LineIndex, WsPath};
use hob_host::Workspace;
use hob_live::uri::FileRef;

/// A file's bytes as language servers have them: the text of the editor whose changes count, or what is on the disk.
pub fn current_bytes(workspace: &Workspace, path: &WsPath) -> Option<Arc<[u8]>> {
    let view = workspace.live().pool().known_view(workspace.root());
    let unsaved = view.and_then(|view| view.text(path)).map(|text| Arc::from(text.as_bytes()));
    unsaved.or_else(|| workspace.disk_contents().read(path).ok())
}

/// The lines of files, each file read once.
pub struct FileLineCache<'w> {
    workspace: &'w Workspace,
    files: HashMap<FileRef, Option<NavFileText>>,
}

/// A file's bytes, and where its lines are.
struct NavFileText {
    bytes: Arc<[u8]>,
    lines: LineIndex,
}

impl NavFileText {
    fn new(bytes: Arc<[u8]>) -> Self {
        Self { lines: LineIndex::new(&bytes), bytes }
    }

    /// A line, counted from 1.
    fn line(&self, line: u32) -> Option<Cow<'_, str>> {
        self.lines.line_range(line).map(|range| String::from_utf8_lossy(&self.bytes[range]))
    }
}

impl<'w> FileLineCache<'w> {
    /// An empty cache over the files of `workspace`.
    pub fn in_workspace(workspace: &'w Workspace) -> Self {
        Self { workspace, files: HashMap::new() }
    }

    /// A line of a file in the workspace, trimmed; a library's files are not read for it.
    pub fn line(&mut self, file: &FileRef, line: u32) -> Option<String> {
        /// Beyond it a line is data, not code to look at.
        const WIDEST: usize = 200;
        let FileRef::Inside(path) = file else { return None };
        if !self.files.contains_key(file) {
            self.files.insert(file.clone(), current_bytes(self.workspace, path).map(NavFileText::new));
        }
        let line = self.files.get(file)?.as_ref()?.line(line)?;
        Some(line.trim().chars().take(WIDEST).collect())
    }
}
