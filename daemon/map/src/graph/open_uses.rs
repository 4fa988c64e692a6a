//! Tells a search for the uses of a definition where to look, if the edges of the last derivation are known.
//!
//! A name may have a hundred thousand references, of which a few mean the definition. While nothing has changed since the
//! derivation, its edges are those of all references that it did not leave open. So a search looks only at the open ones,
//! in the files that have one, and for further names in files that rename the definition.

use std::sync::Arc;

use hob_base::FileId;
use rustc_hash::FxHashSet;

use super::NodeRef;
use super::skeleton::Skeleton;

/// The uses that may mean a definition and that an up-to-date skeleton does not know. Calls of values are found by the
/// values in any case.
#[derive(Clone)]
pub(super) struct OpenUses<'m> {
    skeleton: &'m Skeleton,
    /// The nodes from which its edges lead to the definition, sure or not, as far as the query asks for them.
    sources: Arc<FxHashSet<NodeRef>>,
    source_files: Arc<FxHashSet<FileId>>,
    /// True if imports of the definition's name are looked at in every file: they lead to another definition of the
    /// name in the same place, and mean this one too.
    has_other_meaning: bool,
}

impl<'m> OpenUses<'m> {
    pub(super) fn new(
        skeleton: &'m Skeleton,
        sources: impl IntoIterator<Item = NodeRef>,
        has_other_meaning: bool,
    ) -> Self {
        let sources = FxHashSet::from_iter(sources);
        let source_files = sources.iter().filter_map(|node| node.file()).collect();
        Self { skeleton, sources: Arc::new(sources), source_files: Arc::new(source_files), has_other_meaning }
    }

    /// Returns the files that may have such uses of a name, or give the definition a further name, among those that
    /// mention the name.
    pub(super) fn files_to_search(&self, name: &str, mentioning: &'m [u32]) -> &'m [u32] {
        if self.has_other_meaning { mentioning } else { self.skeleton.files_with_open(name) }
    }

    /// Returns true if imports that keep the definition's name are looked at.
    pub(super) fn looks_at_plain_imports(&self) -> bool {
        self.has_other_meaning
    }

    /// Returns true if a file has a node from which an edge leads to the definition.
    pub(super) fn has_source_in(&self, file: FileId) -> bool {
        self.source_files.contains(&file)
    }

    /// Returns true if an edge leads from a node to the definition.
    pub(super) fn has_source(&self, node: NodeRef) -> bool {
        self.sources.contains(&node)
    }

    /// Returns true if the reference at an index in a file's list is open.
    pub(super) fn is_open(&self, file: FileId, reference: usize) -> bool {
        self.skeleton.is_open(file, reference)
    }
}
