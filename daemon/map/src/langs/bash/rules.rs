//! The judgement on each node of a shell script: which handler it goes to, and what handlers remember between nodes.

use rustc_hash::FxHashSet;
use tree_sitter::Node;

use super::grammar::{GRAMMAR, Grammar, K};
use crate::facts::{DefIdx, Receiver, RefInput, RefKind, StrId};
use crate::langs::support::{Comment, Handled, Lead};
use crate::walk::{Cx, Rules, Step};

/// The rules for shell scripts.
pub(super) struct ShellRules {
    pub(super) g: &'static Grammar,
    pub(super) lead: Lead,
    pub(super) handled: Handled,
    /// Variables of the file that are defined already.
    pub(super) variables: FxHashSet<StrId>,
    /// Variables of the test of Bats around the walk.
    pub(super) locals: FxHashSet<StrId>,
    /// The test of Bats around the walk: where it ends, and its definition.
    pub(super) test: Option<(usize, DefIdx)>,
}

impl ShellRules {
    pub(super) fn new() -> Self {
        Self {
            g: &GRAMMAR,
            lead: Lead::default(),
            handled: Handled::default(),
            variables: FxHashSet::default(),
            locals: FxHashSet::default(),
            test: None,
        }
    }

    /// `$NAME`: recorded unless it is a local variable.
    fn variable(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let text = cx.text(node);
        let is_name = text.starts_with(|c: char| c.is_alphabetic() || c == '_');
        if !self.handled.take(node) && is_name && !self.is_local(node, text, cx) {
            self.refer(node, RefKind::Use, cx);
        }
        Step::Skip
    }

    fn is_local(&mut self, node: Node<'_>, name: &str, cx: &mut Cx<'_>) -> bool {
        let id = cx.facts.intern(name);
        cx.binding(name).is_some() || (self.test_at(node.start_byte()).is_some() && self.locals.contains(&id))
    }

    /// Records a use of the name that the node is.
    pub(super) fn refer(&mut self, node: Node<'_>, kind: RefKind, cx: &mut Cx<'_>) {
        let (line, col) = cx.position(node);
        let owner = cx.owner().or_else(|| self.test_at(node.start_byte()));
        let (name, receiver) = (cx.text(node), Receiver::None);
        if !name.is_empty() {
            cx.facts.reference(&RefInput { name, kind, receiver, owner, line, col });
        }
    }

    /// The test of Bats around a place.
    pub(super) fn test_at(&mut self, at: usize) -> Option<DefIdx> {
        self.test.filter(|(end, _)| at < *end).map(|(_, def)| def)
    }
}

impl Rules for ShellRules {
    fn enter<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> Step {
        match self.g.kind(node) {
            K::Command => self.command(node, cx),
            K::Variable => self.variable(node, cx),
            K::Assignment => self.assignment(node, cx),
            K::Declaration => self.declaration(node, cx),
            K::Function => self.function(node, cx),
            K::For => self.for_loop(node, cx),
            K::Comment => {
                let text = cx.text(node);
                let directive = text.starts_with("#!") || text.contains("shellcheck ");
                self.lead.comment(node, cx.source, if directive { Comment::Other } else { Comment::Doc });
                Step::Skip
            }
            K::Nothing => Step::Skip,
            _ => Step::Into,
        }
    }
}
