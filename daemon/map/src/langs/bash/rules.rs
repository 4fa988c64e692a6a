//! Sends each node of a shell script to its handler, and holds what handlers remember between nodes.

use rustc_hash::FxHashSet;

use super::grammar::{GRAMMAR, ShellGrammar, ShellKind};
use crate::facts::{DefIdx, Receiver, RefInput, RefKind, StrId};
use crate::langs::support::{Comment, Handled, LeadingRun};
use crate::syntax::Node;
use crate::walk::{Cx, Rules, WalkStep};

/// The state of the walk over one file of shell scripts.
pub(super) struct ShellRules {
    pub(super) g: &'static ShellGrammar,
    pub(super) lead: LeadingRun,
    pub(super) handled: Handled,
    /// Variables of the file that are defined already.
    pub(super) variables: FxHashSet<StrId>,
    /// Variables of the test of Bats that the walk is in.
    pub(super) locals: FxHashSet<StrId>,
    /// The test of Bats that the walk is in: the byte at which it ends, and its definition.
    pub(super) test: Option<(usize, DefIdx)>,
}

impl ShellRules {
    pub(super) fn new() -> Self {
        Self {
            g: &GRAMMAR,
            lead: LeadingRun::default(),
            handled: Handled::default(),
            variables: FxHashSet::default(),
            locals: FxHashSet::default(),
            test: None,
        }
    }

    /// Records `$NAME`, unless it is a local variable.
    fn visit_variable(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let text = cx.text(node);
        let is_name = text.starts_with(|c: char| c.is_alphabetic() || c == '_');
        if !self.handled.take_mark(node) && is_name && !self.is_local(node, text, cx) {
            self.refer_name(node, RefKind::Use, cx);
        }
        WalkStep::Skip
    }

    fn is_local(&mut self, node: Node<'_>, name: &str, cx: &mut Cx<'_>) -> bool {
        let id = cx.facts.intern(name);
        cx.local_binding(name).is_some()
            || (self.test_at(node.start_byte()).is_some() && self.locals.contains(&id))
    }

    /// Records a use of the name at a node.
    pub(super) fn refer_name(&mut self, node: Node<'_>, kind: RefKind, cx: &mut Cx<'_>) {
        let (line, col) = cx.position(node);
        let owner = cx.owner().or_else(|| self.test_at(node.start_byte()));
        let (name, receiver) = (cx.text(node), Receiver::None);
        if !name.is_empty() {
            cx.facts.add_reference(&RefInput { name, kind, receiver, owner, line, col });
        }
    }

    /// Returns the test of Bats around a place.
    pub(super) fn test_at(&mut self, at: usize) -> Option<DefIdx> {
        self.test.filter(|(end, _)| at < *end).map(|(_, def)| def)
    }
}

impl Rules for ShellRules {
    fn enter<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        match self.g.kind(node) {
            ShellKind::Command => self.visit_command(node, cx),
            ShellKind::Variable => self.visit_variable(node, cx),
            ShellKind::Assignment => self.visit_assignment(node, cx),
            ShellKind::Declaration => self.visit_declaration(node, cx),
            ShellKind::Function => self.visit_function(node, cx),
            ShellKind::For => self.visit_for_loop(node, cx),
            ShellKind::Comment => {
                let text = cx.text(node);
                let directive = text.starts_with("#!") || text.contains("shellcheck ");
                self.lead.add_comment(node, cx.source, if directive { Comment::Other } else { Comment::Doc });
                WalkStep::Skip
            }
            ShellKind::Nothing => WalkStep::Skip,
            _ => WalkStep::Into,
        }
    }
}
