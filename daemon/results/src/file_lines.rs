//! Reads the lines of files for results, as language servers see them: an editor's unsaved text replaces the
//! file on disk.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use hob_base::{Contents as _, LineIndex, WsPath};
use hob_host::Workspace;
use hob_live::uri::FileRef;

/// Returns a file's bytes as language servers see them: the text of the editor whose changes count, or the
/// file on disk.
pub fn current_bytes(workspace: &Workspace, path: &WsPath) -> Option<Arc<[u8]>> {
    let view = workspace.live().pool().known_view(workspace.root());
    let unsaved = view.and_then(|view| view.text(path)).map(|text| Arc::from(text.as_bytes()));
    unsaved.or_else(|| workspace.disk_contents().read(path).ok())
}

/// Caches the lines of files, so that each file is read once.
pub struct FileLineCache<'w> {
    workspace: &'w Workspace,
    files: HashMap<FileRef, Option<NavFileText>>,
}

/// A file's bytes, and the starts of its lines.
struct NavFileText {
    bytes: Arc<[u8]>,
    lines: LineIndex,
}

impl NavFileText {
    fn new(bytes: Arc<[u8]>) -> Self {
        Self { lines: LineIndex::new(&bytes), bytes }
    }

    /// Returns a line, counted from 1.
    fn line(&self, line: u32) -> Option<Cow<'_, str>> {
        self.lines.line_range(line).map(|range| String::from_utf8_lossy(&self.bytes[range]))
    }
}

impl<'w> FileLineCache<'w> {
    /// Creates an empty cache over the files of `workspace`.
    pub fn in_workspace(workspace: &'w Workspace) -> Self {
        Self { workspace, files: HashMap::new() }
    }

    /// Returns a line of a file in the workspace, trimmed; `None` for a library's file, which is not read.
    pub fn line(&mut self, file: &FileRef, line: u32) -> Option<String> {
        /// Width from which a line is data, not code to look at.
        const WIDEST: usize = 200;
        let FileRef::Inside(path) = file else { return None };
        if !self.files.contains_key(file) {
            self.files.insert(file.clone(), current_bytes(self.workspace, path).map(NavFileText::new));
        }
        let line = self.files.get(file)?.as_ref()?.line(line)?;
        Some(line.trim().chars().take(WIDEST).collect())
    }
}
