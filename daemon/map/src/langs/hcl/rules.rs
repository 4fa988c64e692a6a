//! Sends each node of HCL to its handler, and holds what handlers remember between nodes.

use super::grammar::{GRAMMAR, HclGrammar, HclKind};
use crate::facts::DefIdx;
use crate::langs::support::{Comment, Handled, LeadingRun, child_where, each_child};
use crate::syntax::Node;
use crate::walk::{Binding, Cx, Rules, WalkStep};

/// The state of the walk over one file of HCL.
pub(super) struct HclRules {
    pub(super) g: &'static HclGrammar,
    pub(super) lead: LeadingRun,
    pub(super) handled: Handled,
    /// The end of the top-level block that the walk is in.
    pub(super) outer_end: usize,
    /// True if that block is `locals`.
    pub(super) in_locals: bool,
    /// The definition that a `description` in that block documents.
    pub(super) described: Option<DefIdx>,
    /// The end of the last attribute that names providers.
    pub(super) providers_end: usize,
}

impl HclRules {
    pub(super) fn new() -> Self {
        Self {
            g: &GRAMMAR,
            lead: LeadingRun::default(),
            handled: Handled::default(),
            outer_end: 0,
            in_locals: false,
            described: None,
            providers_end: 0,
        }
    }

    /// Binds the names of `for key, value in …` inside the expression.
    fn visit_for(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        cx.open_scope(true);
        if let Some(intro) = child_where(node, |child| self.g.kind(child) == HclKind::ForIntro) {
            each_child(intro, |child, _| {
                if self.g.kind(child) == HclKind::Ident {
                    cx.bind(cx.text(child), Binding::Opaque);
                }
            });
        }
        WalkStep::Into
    }

    /// Marks a key in `providers`, which looks like an address and is none.
    fn visit_object_element(&mut self, node: Node<'_>) -> WalkStep {
        if node.start_byte() < self.providers_end
            && let Some(key) = node.child_by_field_id(self.g.f.key)
        {
            self.handled.mark(key);
        }
        WalkStep::Into
    }
}

impl Rules for HclRules {
    fn enter<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        match self.g.kind(node) {
            HclKind::Comment => {
                self.lead.add_comment(node, cx.source, Comment::Doc);
                WalkStep::Skip
            }
            HclKind::Block => self.visit_block(node, cx),
            HclKind::Attribute => self.visit_attribute(node, cx),
            HclKind::Variable => self.visit_variable(node, cx),
            HclKind::Expression if self.handled.take_mark(node) => WalkStep::Skip,
            HclKind::ObjectElem => self.visit_object_element(node),
            HclKind::For => self.visit_for(node, cx),
            HclKind::Nothing | HclKind::Literal | HclKind::Ident | HclKind::Quoted => WalkStep::Skip,
            _ => WalkStep::Into,
        }
    }
}
