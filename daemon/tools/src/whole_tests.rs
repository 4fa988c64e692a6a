//! Finds the test that a definition is part of: a function that a test defines inside itself is not a separate test.

use hob_map::Map;
use hob_map::graph::{NodeKind, NodeRef};

/// Returns the outermost test function that contains a node, or the node itself.
pub(super) fn whole_test(map: &Map, node: NodeRef) -> NodeRef {
    let NodeRef::Def(def) = node else { return node };
    let is_function = |node: &NodeRef| {
        let kind = map.info(*node).map(|info| info.kind);
        matches!(kind, Some(NodeKind::Def(kind)) if kind.is_callable())
    };
    let mut around = map.ancestors_of(def).into_iter().map(NodeRef::Def);
    around.find(|node| is_function(node) && map.is_test(*node)).unwrap_or(node)
}
