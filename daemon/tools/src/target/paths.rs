//! The paths that a text may be, seen from the root of a workspace and from where its caller stands.

use hob_base::{AbsPath, WsPath};

/// Reads paths as a caller writes them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paths<'a> {
    /// The workspace's root.
    pub(crate) root: &'a AbsPath,
    /// The folder that the caller stands in.
    pub(crate) folder: &'a AbsPath,
    /// Returns true if paths are first read from that folder, as people do, or from the root.
    pub(crate) folder_first: bool,
}

impl Paths<'_> {
    /// Returns the folders that relative paths may be read from, the likelier first.
    pub(crate) fn bases(&self) -> [&AbsPath; 2] {
        if self.folder_first { [self.folder, self.root] } else { [self.root, self.folder] }
    }

    /// Returns the paths that a text may be, absolute or relative, the likelier first; `None` for those outside of the workspace.
    pub(crate) fn spelled(&self, path: &str) -> [Option<WsPath>; 2] {
        self.bases().map(|folder| folder.join(path).relative_to(self.root).ok())
    }
}
