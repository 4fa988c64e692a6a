//! Types that the file itself tells: `new`, declared parameters and properties, what its own functions return.

use tree_sitter::Node;

use super::grammar::PhpKind;
use super::rules::PhpRules;
use crate::facts::{Receiver, StrId};
use crate::langs::support::{child_where, each_child};
use crate::walk::{Binding, Cx};

/// Longest chain of calls and properties whose types are followed.
const CHAIN_LIMIT: usize = 8;

impl PhpRules {
    /// The path of a value's class.
    pub(super) fn value_type(&mut self, value: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
        self.infer_type(value, CHAIN_LIMIT, cx)
    }

    fn infer_type(&mut self, value: Node<'_>, depth: usize, cx: &mut Cx<'_>) -> Option<StrId> {
        let mut value = value;
        for left in (0..depth).rev() {
            match self.g.kind(value) {
                PhpKind::Parens | PhpKind::Clone => value = value.named_child(0)?,
                PhpKind::Assign => value = value.child_by_field_id(self.g.f.right)?,
                PhpKind::New => return self.created_class(value, cx),
                PhpKind::Variable => return self.variable_type(value, cx),
                PhpKind::Member => return self.property_type(value, left, cx),
                PhpKind::MemberCall => return self.method_result(value, left, cx),
                PhpKind::StaticCall => return self.static_result(value, cx),
                PhpKind::Call => {
                    let function = value.child_by_field_id(self.g.f.function)?;
                    let name = cx.facts.intern(cx.text(function));
                    return self.function_results.get(&name).copied();
                }
                _ => return None,
            }
        }
        None
    }

    /// The class that `new` makes.
    fn created_class(&mut self, new: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
        let class = child_where(new, |c| {
            matches!(self.g.kind(c), PhpKind::Name | PhpKind::Qualified | PhpKind::Relative)
                || c.kind() == "relative_scope"
        })?;
        if matches!(cx.text(class), "self" | "static") {
            return self.classes_around(new).last().and_then(|class| class.name);
        }
        let named = self.class_named(class, cx)?;
        Some(cx.facts.intern(&named.path()))
    }

    fn variable_type(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
        let text = cx.text(node);
        if text == "$this" {
            return self.classes_around(node).last().and_then(|class| class.name);
        }
        match cx.local_binding(text) {
            Some(Binding::Typed(ty)) => Some(ty),
            _ => None,
        }
    }

    fn property_type(&mut self, access: Node<'_>, depth: usize, cx: &mut Cx<'_>) -> Option<StrId> {
        let owner = self.infer_type(access.child_by_field_id(self.g.f.object)?, depth, cx)?;
        let name = cx.facts.intern(cx.text(access.child_by_field_id(self.g.f.name)?));
        self.field_types.get(&(owner, name)).copied()
    }

    fn method_result(&mut self, call: Node<'_>, depth: usize, cx: &mut Cx<'_>) -> Option<StrId> {
        let owner = self.infer_type(call.child_by_field_id(self.g.f.object)?, depth, cx)?;
        let name = cx.facts.intern(cx.text(call.child_by_field_id(self.g.f.name)?));
        self.results.get(&(owner, name)).copied()
    }

    fn static_result(&mut self, call: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
        let scope = call.child_by_field_id(self.g.f.scope)?;
        let owner = match cx.text(scope) {
            "self" | "static" => self.classes_around(call).last().and_then(|class| class.name)?,
            _ => {
                let path = self.class_named(scope, cx)?.path();
                cx.facts.intern(&path)
            }
        };
        let name = cx.facts.intern(cx.text(call.child_by_field_id(self.g.f.name)?));
        self.results.get(&(owner, name)).copied()
    }

    /// Returns what is known of the value before `->`.
    pub(super) fn receiver(&mut self, object: Node<'_>, cx: &mut Cx<'_>) -> Receiver {
        if cx.text(object) == "$this" {
            return match self.classes_around(object).last() {
                Some(class) if class.name.is_some() => Receiver::SelfType,
                _ => Receiver::Unknown,
            };
        }
        self.value_type(object, cx).map_or(Receiver::Unknown, Receiver::Typed)
    }

    /// Returns the receiver that stands before `::`.
    pub(super) fn scope_receiver(&mut self, scope: Node<'_>, cx: &mut Cx<'_>) -> Receiver {
        let anonymous = self.in_anonymous(scope);
        match &*cx.text(scope).to_ascii_lowercase() {
            "self" | "static" | "parent" if anonymous => return Receiver::Unknown,
            "self" | "static" => return Receiver::SelfType,
            "parent" => return Receiver::Super,
            _ => {}
        }
        match self.class_named(scope, cx) {
            Some(named) => Receiver::Path(cx.facts.intern(&named.path())),
            None => self.receiver(scope, cx),
        }
    }

    /// Types of properties that a constructor assigns: `$this->x = $x` of a typed parameter, `$this->x = new Foo`.
    pub(super) fn know_assigned(&mut self, method: Node<'_>, class: StrId, cx: &mut Cx<'_>) {
        let (Some(body), Some(parameters)) =
            (method.child_by_field_id(self.g.f.body), method.child_by_field_id(self.g.f.parameters))
        else {
            return;
        };
        let mut known = Vec::new();
        each_child(parameters, |p, _| {
            let name = p.child_by_field_id(self.g.f.name);
            let ty = p.child_by_field_id(self.g.f.ty).and_then(|ty| self.type_path(ty, cx));
            known.extend(name.map(|name| cx.text(name)).zip(ty));
        });
        let mut assignments = Vec::new();
        each_child(body, |statement, _| {
            let inner = statement.named_child(0).filter(|_| statement.kind() == "expression_statement");
            assignments.extend(inner.filter(|inner| self.g.kind(*inner) == PhpKind::Assign));
        });
        for assignment in assignments {
            self.know_assignment(assignment, class, &known, cx);
        }
    }

    fn know_assignment(
        &mut self,
        assignment: Node<'_>,
        class: StrId,
        parameters: &[(&str, StrId)],
        cx: &mut Cx<'_>,
    ) {
        let (Some(left), Some(right)) =
            (assignment.child_by_field_id(self.g.f.left), assignment.child_by_field_id(self.g.f.right))
        else {
            return;
        };
        let object = left.child_by_field_id(self.g.f.object).filter(|_| self.g.kind(left) == PhpKind::Member);
        let Some(name) = left.child_by_field_id(self.g.f.name) else { return };
        if object.is_none_or(|object| cx.text(object) != "$this") {
            return;
        }
        let ty = match self.g.kind(right) {
            PhpKind::Variable => {
                let text = cx.text(right);
                parameters.iter().find(|(name, _)| *name == text).map(|(_, ty)| *ty)
            }
            PhpKind::New => self.created_class(right, cx),
            _ => None,
        };
        if let Some(ty) = ty {
            let name = cx.facts.intern(cx.text(name));
            self.field_types.entry((class, name)).or_insert(ty);
        }
    }
}
