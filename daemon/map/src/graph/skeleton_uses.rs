//! Tells a search for the uses of a definition where to look, by the edges of the last derivation.
//!
//! A name may have a hundred thousand references, of which a few mean the definition. While nothing has changed since the
//! derivation, only those in nodes from which it found an edge can, and those that it could not resolve. The search still
//! resolves each of them: no edge comes from here.

use std::sync::Arc;

use hob_base::FileId;
use rustc_hash::FxHashSet;

use super::skeleton::Skeleton;
use super::{DefRef, NodeRef};

/// The uses that may mean some definitions by a skeleton that is up to date: those that it could not resolve, and those
/// in the nodes from which its edges lead there. It knows no calls of parameters, because a derivation does not follow
/// callers: those are found by their values in any case.
#[derive(Clone)]
pub(super) struct UsesInSkeleton<'m> {
    skeleton: &'m Skeleton,
    /// The nodes whose resolved uses count.
    sources: Arc<FxHashSet<NodeRef>>,
    source_files: Arc<FxHashSet<FileId>>,
    /// True if uses that the skeleton could not resolve count too.
    has_unresolved: bool,
}

impl<'m> UsesInSkeleton<'m> {
    /// Selects all uses that may mean one of `targets`; `None` if the skeleton does not have one of them.
    pub(super) fn of_targets(
        skeleton: &'m Skeleton,
        targets: impl IntoIterator<Item = DefRef>,
    ) -> Option<Self> {
        let mut sources = Vec::new();
        for target in targets {
            sources.extend(sources_of(skeleton, target)?);
        }
        Some(Self::unresolved_or_from(skeleton, sources))
    }

    /// Selects the uses that the skeleton could not resolve, and those in some nodes.
    pub(super) fn unresolved_or_from(
        skeleton: &'m Skeleton,
        sources: impl IntoIterator<Item = NodeRef>,
    ) -> Self {
        let sources = FxHashSet::from_iter(sources);
        let source_files = files_of(&sources);
        Self { skeleton, sources: Arc::new(sources), source_files, has_unresolved: true }
    }

    /// Selects the resolved uses in some nodes, and no unresolved ones; `None` if the skeleton does not have the target.
    pub(super) fn only_from(
        skeleton: &'m Skeleton,
        target: DefRef,
        sources: impl IntoIterator<Item = NodeRef>,
    ) -> Option<Self> {
        // Another source may be the file that gives the target a further name.
        let source_files = files_of(&sources_of(skeleton, target)?);
        let sources = Arc::new(FxHashSet::from_iter(sources));
        Some(Self { skeleton, sources, source_files, has_unresolved: false })
    }

    /// Returns true if a file may have such uses, or give a target a further name.
    pub(super) fn may_be_in(&self, file: FileId) -> bool {
        self.has_unresolved || self.has_source_in(file)
    }

    /// Returns true if an import in a file that does not rename may be such a use.
    pub(super) fn has_import_in(&self, file: FileId) -> bool {
        self.has_unresolved || self.has_source(NodeRef::File(file))
    }

    /// Returns true if a file has a node from which an edge leads to a target.
    pub(super) fn has_source_in(&self, file: FileId) -> bool {
        self.source_files.contains(&file)
    }

    /// Returns true if resolved uses in a node count.
    pub(super) fn has_source(&self, node: NodeRef) -> bool {
        self.sources.contains(&node)
    }

    /// Returns true if the reference at an index in a file's list, in the node `from`, may mean a target.
    pub(super) fn may_mean_target(&self, file: FileId, reference: usize, from: NodeRef) -> bool {
        self.has_source(from) || self.has_unresolved && self.skeleton.is_unresolved(file, reference)
    }
}

/// Returns the nodes from which edges of the skeleton lead to a definition; `None` if it does not have one of them.
fn sources_of(skeleton: &Skeleton, target: DefRef) -> Option<FxHashSet<NodeRef>> {
    let number = skeleton.node_number(target.into())?;
    skeleton.edges(number, true).map(|(_, source)| skeleton.node(source)).collect()
}

fn files_of(nodes: &FxHashSet<NodeRef>) -> Arc<FxHashSet<FileId>> {
    Arc::new(nodes.iter().filter_map(|node| node.file()).collect())
}
