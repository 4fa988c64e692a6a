//! Records the traits that a class uses, the members that it takes from them, and their names in the class.

use super::grammar::PhpKind;
use super::items::PhpItem;
use super::rules::PhpRules;
use crate::facts::{DefFlags, DefKind, Receiver, RefKind};
use crate::langs::support::{each_child, refer_unbound};
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

impl PhpRules {
    /// Records `use Trait;` in a class as a base: the class has the trait's members.
    pub(super) fn visit_trait_use<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        self.refer_bases(node, RefKind::Implements, cx);
        let mut clauses = Vec::new();
        each_child(node, |c, _| {
            if c.kind() == "use_list" {
                each_child(c, |clause, _| clauses.extend(clause.is_named().then_some(clause)));
            }
        });
        for clause in clauses {
            match clause.kind() {
                "use_as_clause" => self.visit_trait_alias(clause, cx),
                "use_instead_of_clause" => self.visit_trait_choice(clause, cx),
                _ => {}
            }
        }
        WalkStep::Skip
    }

    /// Defines `hello` of `A::greet as hello;`.
    fn visit_trait_alias<'t>(&mut self, clause: Node<'t>, cx: &mut Cx<'t>) {
        let parts = named_parts(clause);
        let Some(method) = parts.first() else { return };
        self.refer_trait_method(*method, cx);
        let alias = parts.iter().skip(1).find(|part| self.g.kind(**part) == PhpKind::Name);
        if let Some(at) = alias.copied().filter(|_| !self.in_anonymous(clause)) {
            let (kind, end) = (DefKind::Method, clause.end_byte());
            let flags =
                DefFlags::default().with_if(!self.has_modifier(clause, "private"), DefFlags::EXPORTED);
            self.define_item(&PhpItem { node: clause, at, name: cx.text(at), kind, flags, end }, None, cx);
        }
    }

    /// Records the names in `A::greet insteadof B;`.
    fn visit_trait_choice(&mut self, clause: Node<'_>, cx: &mut Cx<'_>) {
        let parts = named_parts(clause);
        let Some((method, others)) = parts.split_first() else { return };
        self.refer_trait_method(*method, cx);
        others.iter().for_each(|other| self.refer_class(*other, RefKind::Type, cx));
    }

    fn refer_trait_method(&mut self, method: Node<'_>, cx: &mut Cx<'_>) {
        match self.g.kind(method) {
            PhpKind::ClassConstant => {
                self.visit_class_constant(method, cx);
            }
            PhpKind::Name => refer_unbound(cx, cx.text(method), method, RefKind::Use, Receiver::SelfType),
            _ => {}
        }
    }
}

fn named_parts(node: Node<'_>) -> Vec<Node<'_>> {
    let mut parts = Vec::new();
    each_child(node, |c, _| parts.extend(c.is_named().then_some(c)));
    parts
}
