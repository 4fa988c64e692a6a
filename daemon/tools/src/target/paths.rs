//! Resolves the paths that a text may mean, from the root of a workspace and from the caller's folder.

use hob_base::{AbsPath, WsPath};

/// The rules for paths that a caller writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paths<'a> {
    /// The root of the workspace.
    pub(crate) root: &'a AbsPath,
    /// The folder of the caller.
    pub(crate) folder: &'a AbsPath,
    /// True if paths are first read from the caller's folder, as people write them; false for the root.
    pub(crate) folder_first: bool,
}

impl Paths<'_> {
    /// Returns the folders from which relative paths are read, the likelier first.
    pub(crate) fn bases(&self) -> [&AbsPath; 2] {
        if self.folder_first { [self.folder, self.root] } else { [self.root, self.folder] }
    }

    /// Returns the paths that a text may mean, absolute or relative, the likelier first; `None` for those outside of
    /// the workspace.
    pub(crate) fn spelled(&self, path: &str) -> [Option<WsPath>; 2] {
        self.bases().map(|folder| folder.join(path).relative_to(self.root).ok())
    }
}
