//! Infers types from the file itself: `new`, declared parameters and properties, results of its own functions.

use super::grammar::PhpKind;
use super::rules::PhpRules;
use crate::facts::{DefIdx, Receiver, StrId, TypePart};
use crate::langs::support::{child_where, each_child};
use crate::syntax::Node;
use crate::walk::{Binding, Cx};

/// Longest chain of calls and properties whose types are followed.
const CHAIN_LIMIT: usize = 8;

impl PhpRules {
    /// Returns the path of a value's class; if only other files tell the class, the path of the value itself, behind a
    /// `=`.
    pub(super) fn value_type(&mut self, value: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
        if let Some(known) = self.infer_type(value, CHAIN_LIMIT, cx) {
            return Some(known);
        }
        let path = self.value_path(value, CHAIN_LIMIT, cx)?;
        Some(cx.facts.intern(&format!("={path}")))
    }

    /// Returns the path of a value in members and calls, from the current object, a class or a function on.
    fn value_path(&mut self, value: Node<'_>, depth: usize, cx: &mut Cx<'_>) -> Option<String> {
        let depth = depth.checked_sub(1)?;
        match self.g.kind(value) {
            PhpKind::Parens | PhpKind::Clone => self.value_path(value.named_child(0)?, depth, cx),
            PhpKind::Assign => self.value_path(value.child_by_field_id(self.g.f.right)?, depth, cx),
            PhpKind::Variable if cx.text(value) == "$this" => self.own_path(value),
            PhpKind::Variable => self.variable_type(value, cx).map(|ty| path_of_type(ty, cx)),
            PhpKind::New => self.created_class(value, cx).map(|ty| path_of_type(ty, cx)),
            PhpKind::Member | PhpKind::MemberCall => {
                let object = value.child_by_field_id(self.g.f.object)?;
                let before = self.value_path(object, depth, cx)?;
                self.path_of_member(&before, value, cx)
            }
            PhpKind::StaticCall => {
                let before = self.scope_path(value.child_by_field_id(self.g.f.scope)?, cx)?;
                self.path_of_member(&before, value, cx)
            }
            PhpKind::StaticMember | PhpKind::ClassConstant => {
                let before = self.scope_path(value.named_child(0)?, cx)?;
                let last = (value.named_child_count() as u32).checked_sub(1)?;
                let name = cx.text(value.named_child(last)?).trim_start_matches('$');
                (is_word(name) && name != "class").then(|| format!("{before}.{name}"))
            }
            PhpKind::Call => {
                let function = value.child_by_field_id(self.g.f.function)?;
                let is_result = self.g.kind(function) == PhpKind::Name && !self.is_taken(value);
                is_result.then(|| format!("{}()", cx.text(function)))
            }
            _ => None,
        }
    }

    fn path_of_member(&self, before: &str, member: Node<'_>, cx: &Cx<'_>) -> Option<String> {
        let name =
            member.child_by_field_id(self.g.f.name).filter(|name| self.g.kind(*name) == PhpKind::Name)?;
        match self.g.kind(member) {
            PhpKind::Member => Some(format!("{before}.{}", cx.text(name))),
            _ if self.is_taken(member) => None,
            _ => Some(format!("{before}.{}()", cx.text(name))),
        }
    }

    /// Returns true for `f(...)`, which takes the function itself.
    fn is_taken(&self, call: Node<'_>) -> bool {
        let arguments = call.child_by_field_id(self.g.f.arguments);
        arguments.is_some_and(|list| child_where(list, |c| c.kind() == "variadic_placeholder").is_some())
    }

    fn own_path(&mut self, node: Node<'_>) -> Option<String> {
        self.classes_around(node).last()?.name.map(|_| "self".to_owned())
    }

    /// Returns the path of the class before `::`.
    fn scope_path(&mut self, scope: Node<'_>, cx: &mut Cx<'_>) -> Option<String> {
        match cx.text(scope) {
            "self" | "static" => self.own_path(scope),
            _ => self.class_named(scope, cx).map(|named| format!("{}~", named.path())),
        }
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

    /// Returns the class of the object that `new` makes.
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

    /// Returns the receiver that references record for the value before `->`.
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

    /// Records the type that the file tells for a property, for other files.
    pub(super) fn add_field_type_hint(&self, def: DefIdx, name: &str, class: Option<StrId>, cx: &mut Cx<'_>) {
        let Some(class) = class else { return };
        let name = cx.facts.intern(name);
        if let Some(ty) = self.field_types.get(&(class, name)) {
            let says = cx.facts.provisional_name(*ty).to_owned();
            cx.facts.type_hint(def, TypePart::VALUE, &says);
        }
    }

    /// Records the type that a function's header or comment states for its result, for other files.
    pub(super) fn add_result_type_hint(&self, def: DefIdx, function: Node<'_>, cx: &mut Cx<'_>) {
        let declared = function.child_by_field_id(self.g.f.result);
        let is_own = match declared {
            Some(ty) => is_own_type(cx.text(ty)),
            None => self.doc.returns_itself(),
        };
        let ty = match declared {
            _ if is_own => Some("=self".to_owned()),
            Some(ty) => self.type_path(ty, cx).map(|ty| cx.facts.provisional_name(ty).to_owned()),
            None => {
                let written = self.doc.plain_class("return", "").map(str::to_owned);
                written.and_then(|written| self.class_written(&written)).map(|named| named.path())
            }
        };
        if let Some(ty) = ty {
            cx.facts.type_hint(def, TypePart::RESULT, &ty);
        }
    }

    /// Notes the types of properties that a constructor assigns: `$this->x = $x` of a typed parameter, `$this->x = new
    /// Foo`.
    pub(super) fn record_assigned_types(&mut self, method: Node<'_>, class: StrId, cx: &mut Cx<'_>) {
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
            self.record_assigned_type(assignment, class, &known, cx);
        }
    }

    fn record_assigned_type(
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

/// Returns the beginning of a path at a value of this type.
fn path_of_type(ty: StrId, cx: &Cx<'_>) -> String {
    let ty = cx.facts.provisional_name(ty);
    ty.strip_prefix('=').map_or_else(|| format!("{ty}~"), str::to_owned)
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Returns true if a written type is the class of the current object.
pub(super) fn is_own_type(written: &str) -> bool {
    matches!(written.trim().trim_start_matches('?'), "self" | "static" | "$this")
}
