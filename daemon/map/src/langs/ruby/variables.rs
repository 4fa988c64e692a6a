//! Records variables that outlive a call: the fields of classes (`@size`, `@@all`), and variables of the whole program
//! (`$log`).

use super::grammar::RubyKind;
use super::items::word_position;
use super::ivars::VariableRole;
use super::rules::RubyRules;
use crate::facts::{DefFlags, DefIdx, DefInput, DefKind, Receiver, RefInput, RefKind};
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

/// Longest text of an assignment that makes a signature, in bytes.
const SIGNATURE: usize = 1000;

impl RubyRules {
    /// Records a variable at one place: its definition by `statement`, or a use.
    pub(super) fn visit_variable(
        &mut self,
        node: Node<'_>,
        statement: Node<'_>,
        cx: &mut Cx<'_>,
    ) -> WalkStep {
        if self.handled.take_mark(node) {
            return WalkStep::Skip;
        }
        let at = cx.position(node);
        match self.ivars.role(node) {
            Some(VariableRole::Defines) => self.define_variable(node, cx.text(node), at, statement, cx),
            Some(VariableRole::Uses) => self.refer_variable(node, cx.text(node), at, cx),
            None => {}
        }
        WalkStep::Skip
    }

    /// Records `@size` at the symbol of `attr_reader :size`: its definition, or a use.
    pub(super) fn visit_attribute(&mut self, symbol: Node<'_>, word: &str, cx: &mut Cx<'_>) {
        let (name, at) = (format!("@{word}"), word_position(symbol, cx));
        match self.ivars.role(symbol) {
            Some(VariableRole::Defines) => self.define_variable(symbol, &name, at, symbol, cx),
            Some(VariableRole::Uses) => self.refer_variable(symbol, &name, at, cx),
            None => {}
        }
    }

    fn define_variable(
        &mut self,
        node: Node<'_>,
        name: &str,
        name_at: (u32, u32),
        statement: Node<'_>,
        cx: &mut Cx<'_>,
    ) {
        let parent = self.variable_owner(node);
        let bytes = statement.byte_range();
        let text = cx.slice(bytes.start, bytes.end.min(bytes.start + SIGNATURE));
        cx.define(&DefInput {
            name,
            kind: if parent.is_some() { DefKind::Field } else { DefKind::Variable },
            flags: DefFlags::default().with_if(parent.is_none(), DefFlags::EXPORTED),
            parent,
            qualifier: None,
            lines: Cx::lines(statement),
            bytes: (bytes.start as u32, bytes.end as u32),
            name_at,
            signature: text.lines().next().unwrap_or(""),
            doc: "",
        });
    }

    fn refer_variable(&mut self, node: Node<'_>, name: &str, at: (u32, u32), cx: &mut Cx<'_>) {
        let receiver = match self.g.kind(node) {
            RubyKind::Global => Receiver::None,
            _ => Receiver::SelfType,
        };
        let (owner, (line, col)) = (cx.owner(), at);
        cx.facts.add_reference(&RefInput { name, kind: RefKind::Use, receiver, owner, line, col });
    }

    /// Returns the class that a variable belongs to; `None` for one of the whole program.
    fn variable_owner(&mut self, node: Node<'_>) -> Option<DefIdx> {
        match self.g.kind(node) {
            RubyKind::Global => None,
            _ => self.class_at(node.start_byte())?.def,
        }
    }
}
