//! Records uses: words, constants, assignments, and what binds local variables.

use super::grammar::RubyKind;
use super::paths::{constant_path, created_class};
use super::rules::{AssignedCall, RubyRules};
use crate::facts::{Receiver, RefKind, StrId};
use crate::langs::support::{each_child, refer_unbound};
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

impl RubyRules {
    /// Visits a bare word, which is a local variable, or a call on `self`.
    pub(super) fn visit_identifier(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if self.handled.take_mark(node) {
            return WalkStep::Skip;
        }
        let word = cx.text(node);
        if self.local_class(node, cx).is_none() && !self.bare_macro(node, word, cx) {
            let receiver = self.bare_receiver(node);
            refer_unbound(cx, word, node, RefKind::Call, receiver);
        }
        WalkStep::Skip
    }

    /// Returns the class of a word that is a local variable: `None` if it is none, `Some(None)` if its class is
    /// unknown.
    pub(super) fn local_class(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Option<Option<StrId>> {
        let name = cx.facts.intern(cx.text(node));
        self.locals.get(name, node.start_byte())
    }

    /// Returns the receiver of a bare call: `self` in a class, none outside.
    pub(super) fn bare_receiver(&mut self, node: Node<'_>) -> Receiver {
        match self.class_at(node.start_byte()) {
            Some(_) => Receiver::SelfType,
            None => Receiver::None,
        }
    }

    pub(super) fn visit_constant(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if !self.handled.take_mark(node) {
            refer_unbound(cx, cx.text(node), node, RefKind::Use, Receiver::None);
        }
        WalkStep::Skip
    }

    /// Records the name `B` of `A::B`; `A` is left to the walk.
    pub(super) fn visit_scoped_path(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let name = node.child_by_field_id(self.g.f.name);
        if !self.handled.take_mark(node)
            && let Some(name) = name
        {
            self.refer_constant_name(node, name, RefKind::Use, cx);
        }
        name.into_iter().for_each(|name| self.handled.mark(name));
        WalkStep::Into
    }

    /// Records a use of a constant of this kind; the path before its name is left to the walk.
    pub(super) fn refer_constant(&mut self, node: Node<'_>, kind: RefKind, cx: &mut Cx<'_>) {
        match self.g.kind(node) {
            RubyKind::Constant => {
                self.handled.mark(node);
                refer_unbound(cx, cx.text(node), node, kind, Receiver::None);
            }
            RubyKind::Scoped => {
                if let Some(name) = node.child_by_field_id(self.g.f.name) {
                    self.handled.mark(node);
                    self.refer_constant_name(node, name, kind, cx);
                }
            }
            _ => {}
        }
    }

    fn refer_constant_name(&mut self, node: Node<'_>, name: Node<'_>, kind: RefKind, cx: &mut Cx<'_>) {
        let receiver = match node.child_by_field_id(self.g.f.scope) {
            None => Receiver::None,
            Some(scope) => match constant_path(scope, cx.source) {
                Some(path) => Receiver::Path(cx.facts.intern(&path)),
                None => return,
            },
        };
        refer_unbound(cx, cx.text(name), name, kind, receiver);
    }

    pub(super) fn visit_assignment(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(left) = node.child_by_field_id(self.g.f.left) else { return WalkStep::Into };
        match self.g.kind(left) {
            RubyKind::Ident => {
                self.handled.mark(left);
                let ty = node.child_by_field_id(self.g.f.right).and_then(|value| self.value_type(value, cx));
                let name = cx.facts.intern(cx.text(left));
                self.locals.assign_class(name, ty, left.start_byte());
                WalkStep::Into
            }
            RubyKind::Constant | RubyKind::Scoped if self.method_at(left.start_byte()).is_none() => {
                self.constant_assigned(node, left, cx)
            }
            RubyKind::Ivar | RubyKind::ClassVar | RubyKind::Global => {
                self.visit_variable(left, node, cx);
                self.handled.mark(left);
                WalkStep::Into
            }
            RubyKind::Call => {
                let how = match self.g.kind(node) {
                    RubyKind::OpAssign => AssignedCall::ReadAndWritten,
                    _ => AssignedCall::Written,
                };
                self.assigned.insert(left.id(), how);
                WalkStep::Into
            }
            _ => WalkStep::Into,
        }
    }

    /// Returns the path of a value's class, if the file tells it.
    pub(super) fn value_type(&mut self, value: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
        match self.g.kind(value) {
            RubyKind::Call => created_class(value, cx.source).map(|path| cx.facts.intern(&path)),
            RubyKind::Ident => self.local_class(value, cx).flatten(),
            RubyKind::Ivar => {
                let class = self.class_at(value.start_byte()).map_or(0, |class| class.node);
                let path = self.ivars.class_of(class, cx.text(value))?;
                Some(cx.facts.intern(path))
            }
            RubyKind::Parens => {
                let only = value.named_child(0).filter(|_| value.named_child_count() == 1)?;
                if self.g.kind(only) == RubyKind::Parens { None } else { self.value_type(only, cx) }
            }
            _ => None,
        }
    }

    /// Opens the scope of a block, which sees the variables around it.
    pub(super) fn visit_block(&mut self, node: Node<'_>, _cx: &mut Cx<'_>) -> WalkStep {
        self.locals.open(node, false);
        WalkStep::Into
    }

    /// Binds the names of `a.b, c = …`, and marks the calls to which values are assigned.
    pub(super) fn visit_left_list(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        each_child(node, |c, _| {
            if self.g.kind(c) == RubyKind::Call {
                self.assigned.insert(c.id(), AssignedCall::Written);
            }
        });
        self.bind_children(node, cx)
    }

    /// Binds the plain names among parameters; other parameters are nodes of their own.
    pub(super) fn visit_parameters(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        self.bind_children(node, cx)
    }

    pub(super) fn bind_children(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let mut names = Vec::new();
        each_child(node, |c, _| names.extend((self.g.kind(c) == RubyKind::Ident).then_some(c)));
        names.into_iter().for_each(|name| self.bind(name, cx));
        WalkStep::Into
    }

    fn bind(&mut self, name: Node<'_>, cx: &mut Cx<'_>) {
        self.handled.mark(name);
        let id = cx.facts.intern(cx.text(name));
        self.locals.bind(id, name.start_byte());
    }

    pub(super) fn visit_named_parameter(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if let Some(name) = node.child_by_field_id(self.g.f.name) {
            self.bind(name, cx);
        }
        WalkStep::Into
    }

    pub(super) fn visit_for_loop(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if let Some(name) =
            node.child_by_field_id(self.g.f.pattern).filter(|p| self.g.kind(*p) == RubyKind::Ident)
        {
            self.bind(name, cx);
        }
        WalkStep::Into
    }

    /// Binds the words in a pattern.
    pub(super) fn visit_pattern(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let mut names = Vec::new();
        let field = if node.kind() == "keyword_pattern" { self.g.f.key } else { self.g.f.value };
        each_child(node, |c, at| {
            let binds = match node.kind() {
                "match_pattern" | "test_pattern" | "in_clause" => at == self.g.f.pattern,
                "as_pattern" => at == self.g.f.name,
                _ => true,
            };
            names.extend((binds && self.g.kind(c) == RubyKind::Ident).then_some(c));
        });
        // `in {name:}` binds the key if it has no pattern of its own.
        if node.kind() == "keyword_pattern"
            && node.child_by_field_id(self.g.f.value).is_none()
            && let Some(key) = node.child_by_field_id(field)
        {
            let id = cx.facts.intern(cx.text(key));
            self.locals.bind(id, key.start_byte());
        }
        names.into_iter().for_each(|name| self.bind(name, cx));
        WalkStep::Into
    }
}
