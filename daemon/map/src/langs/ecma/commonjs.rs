//! Records modules and classes as they were written before the language had them: `require`, `module.exports`,
//! `prototype`.

use super::Ecma;
use super::defs::New;
use super::modules::{import_namespace, import_required_name, pass_on, record_reexport, whole_module};
use super::scopes::{EcmaValueKind, SELF};
use super::types::THIS;
use crate::facts::{DefIdx, DefKind, RefKind};
use crate::syntax::{Node, named_children};
use crate::walk::{Binding, Cx, WalkStep};

/// An assignment that puts a function on a class: `Foo.prototype.bar = function ...`.
#[derive(Clone, Copy)]
struct AttachedFunction<'t, 'p> {
    class: &'p str,
    /// True if the function is put on the prototype, so that instances have it.
    prototype: bool,
    /// The assignment, its left side, the property in that, and the function.
    node: Node<'t>,
    left: Node<'t>,
    property: Node<'t>,
    right: Node<'t>,
}

impl Ecma {
    /// Binds the names of `const x = require('y')` and its variants as imports.
    pub(super) fn bind_required<'t>(
        &mut self,
        pattern: Node<'t>,
        value: Node<'t>,
        cx: &mut Cx<'t>,
    ) -> WalkStep {
        let Some(required) = self.module_of(value, cx.source) else { return WalkStep::Into };
        let module = required.module;
        if pattern.kind() == "identifier" {
            let local = cx.text(pattern);
            match required.property {
                Some(name) => import_required_name(cx, pattern, module, name, local),
                None if required.dynamic => import_namespace(cx, pattern, module, local),
                None => whole_module(cx, pattern, module, local),
            }
            return WalkStep::Skip;
        }
        let f = &self.grammar.fields;
        for part in named_children(pattern) {
            let (name, local) = match part.kind() {
                "shorthand_property_identifier_pattern" => (Some(part), Some(part)),
                "pair_pattern" => (part.child_by_field_id(f.key), part.child_by_field_id(f.value)),
                "object_assignment_pattern" => {
                    (part.child_by_field_id(f.left), part.child_by_field_id(f.left))
                }
                _ => (None, None),
            };
            if let (Some(name), Some(local)) = (name, local.filter(|l| l.kind() != "object_pattern")) {
                import_required_name(cx, part, module, cx.text(name), cx.text(local));
            }
        }
        WalkStep::Skip
    }

    /// Visits an assignment, and records those that export or define: `module.exports = ...`, `exports.x = ...`,
    /// `Foo.prototype.bar = ...`, `Foo.bar = function ...`.
    pub(super) fn visit_assignment<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        self.expect_assigned(node, cx);
        if self.in_function(node) {
            return WalkStep::Into;
        }
        let f = &self.grammar.fields;
        let (left, right) = (node.child_by_field_id(f.left), node.child_by_field_id(f.right));
        let (Some(left), Some(right)) = (left.filter(|l| l.kind() == "member_expression"), right) else {
            return WalkStep::Into;
        };
        let Some(path) = self.type_reader(cx).dotted_path(left) else { return WalkStep::Into };
        let property = left.child_by_field_id(f.property).unwrap_or(left);
        match path.split('.').collect::<Vec<_>>()[..] {
            ["module", "exports"] => self.exports(node, left, right, cx),
            ["exports", _] | ["module", "exports", _] => self.exports_one(node, left, property, right, cx),
            [class, "prototype"] => self.define_prototype(class, left, right, cx),
            [class, "prototype", _] => {
                let written = AttachedFunction { class, prototype: true, node, left, property, right };
                self.define_attached(&written, cx);
            }
            [class, _] => {
                let written = AttachedFunction { class, prototype: false, node, left, property, right };
                self.define_attached(&written, cx);
            }
            _ => {}
        }
        WalkStep::Into
    }

    fn exports<'t>(&mut self, node: Node<'t>, left: Node<'t>, right: Node<'t>, cx: &mut Cx<'t>) {
        self.pass_over(left);
        match right.kind() {
            "object" => self.export_object(right, cx),
            "call_expression" | "member_expression"
                if self.value_kind(right, cx.source) == EcmaValueKind::Module =>
            {
                if let Some(required) = self.module_of(right, cx.source) {
                    pass_on(cx, right, required.module, required.property);
                }
            }
            "identifier" | "class" | "function_expression" | "generator_function" | "arrow_function" => {
                self.export_value(node, right, cx);
            }
            _ => {}
        }
    }

    /// Records the members of `module.exports = { a, b: c, d() {} }`: names of this file are exported, other values are
    /// defined here.
    fn export_object<'t>(&mut self, object: Node<'t>, cx: &mut Cx<'t>) {
        let f = &self.grammar.fields;
        for member in named_children(object) {
            let key = member.child_by_field_id(f.key).and_then(|key| self.property_name(key, cx));
            let value = member.child_by_field_id(f.value);
            match (member.kind(), key, value) {
                ("shorthand_property_identifier", ..) => {
                    self.record_export(cx.text(member), cx.text(member), cx);
                }
                ("pair", Some(key), Some(value)) if value.kind() == "identifier" => {
                    self.record_export(cx.text(value), key, cx);
                }
                ("pair", Some(key), Some(value)) => {
                    if let Some(required) = self.module_of(value, cx.source) {
                        let (module, name) = (required.module, required.property.unwrap_or("default"));
                        record_reexport(cx, member, module, name, key);
                    }
                }
                _ => {}
            }
        }
        self.exported_objects.insert(object.id());
    }

    /// Defines a member of `module.exports = { ... }` whose value is written there.
    pub(super) fn exported_member<'t>(
        &mut self,
        node: Node<'t>,
        name: &'t str,
        at: Node<'t>,
        value: Node<'t>,
        cx: &mut Cx<'t>,
    ) {
        if value.kind() == "identifier" || self.value_kind(value, cx.source) == EcmaValueKind::Module {
            return;
        }
        self.exports_value(node, name, at, value, cx);
    }

    fn exports_one<'t>(
        &mut self,
        node: Node<'t>,
        left: Node<'t>,
        property: Node<'t>,
        right: Node<'t>,
        cx: &mut Cx<'t>,
    ) {
        self.pass_over(left);
        let name = cx.text(property);
        if let Some(required) = self.module_of(right, cx.source) {
            record_reexport(cx, right, required.module, required.property.unwrap_or("default"), name);
        } else if right.kind() == "identifier" {
            if cx.text(right) != "undefined" {
                self.record_export(cx.text(right), name, cx);
            }
        } else if name != "__esModule" && !is_void(right) {
            self.exports_value(node, name, property, right, cx);
        }
    }

    fn exports_value<'t>(
        &mut self,
        node: Node<'t>,
        name: &'t str,
        at: Node<'t>,
        value: Node<'t>,
        cx: &mut Cx<'t>,
    ) {
        let mut wrap = self.take_wrap(node, cx);
        wrap.exported = true;
        wrap.default = name == "default";
        match self.value_kind(value, cx.source) {
            EcmaValueKind::Class => {
                self.open_class(value, name, at, &wrap, cx);
                self.opened = value.id();
            }
            EcmaValueKind::Function => {
                let head = (node.start_byte(), self.head(value).1);
                self.make_def(
                    &New { name, at, kind: DefKind::Function, head, visible: true },
                    &wrap,
                    Some(true),
                    cx,
                );
                cx.bind(THIS, Binding::Opaque);
                self.opened = value.id();
            }
            _ => {
                let head = (node.start_byte(), node.start_byte() + first_line(node, cx));
                let scope = self.object_in(value).map(|object| {
                    self.objects.insert(object.id());
                    false
                });
                self.make_def(
                    &New { name, at, kind: DefKind::Variable, head, visible: true },
                    &wrap,
                    scope,
                    cx,
                );
            }
        }
    }

    /// Walks the members of `Foo.prototype = { ... }` as members of the class `Foo`.
    fn define_prototype<'t>(&mut self, class: &str, left: Node<'t>, right: Node<'t>, cx: &mut Cx<'t>) {
        let Some((idx, object)) = self.known_class(class, cx).zip(self.object_in(right)) else { return };
        as_class(idx, cx);
        self.pass_over(left);
        cx.reopen_scope(idx, false);
        self.objects.insert(object.id());
    }

    /// Defines a function that is put on a class or function of this file.
    fn define_attached<'t>(&mut self, written: &AttachedFunction<'t, '_>, cx: &mut Cx<'t>) {
        let AttachedFunction { class, prototype, node, left, property, right } = *written;
        let Some(idx) = self.known_class(class, cx) else { return };
        if self.value_kind(right, cx.source) != EcmaValueKind::Function {
            return;
        }
        if prototype {
            as_class(idx, cx);
        }
        self.pass_over(left);
        let wrap = self.take_wrap(node, cx);
        let name = cx.text(property);
        let head = (node.start_byte(), self.head(right).1);
        let new = New { name, at: property, kind: DefKind::Method, head, visible: true };
        self.make_in(&new, &wrap, Some(true), Some(idx), None, cx);
        if right.kind() != "arrow_function" {
            cx.bind(THIS, Binding::Typed(SELF));
        }
        self.opened = right.id();
    }

    /// Makes the mixin of `Object.assign(Foo.prototype, mixin)` a base of the class, which hides what the class
    /// inherits.
    pub(super) fn note_mixins<'t>(&mut self, call: Node<'t>, function: Node<'t>, cx: &mut Cx<'t>) {
        if cx.text(function) != "Object.assign" {
            return;
        }
        let Some(list) = call.child_by_field_id(self.grammar.fields.arguments) else { return };
        let target = list.named_child(0).and_then(|target| self.type_reader(cx).dotted_path(target));
        let class = target.as_deref().and_then(|path| path.strip_suffix(".prototype"));
        let class = class.filter(|class| cx.local_binding(class).is_none());
        let Some(class) = class.and_then(|class| self.known_class(class, cx)) else { return };
        as_class(class, cx);
        for mixin in named_children(list).skip(1) {
            if mixin.kind() != "identifier" || cx.local_binding(cx.text(mixin)).is_some() {
                continue;
            }
            cx.refer_in(class, cx.text(mixin), mixin, RefKind::Extends);
            self.handled.mark(mixin);
        }
    }

    fn known_class(&self, name: &str, cx: &mut Cx<'_>) -> Option<DefIdx> {
        let id = cx.facts.intern(name);
        let idx = self.tops.get(&id).copied()?;
        let kind = cx.facts.defs()[idx.index()].kind;
        let holds =
            matches!(kind, DefKind::Function | DefKind::Class | DefKind::Variable | DefKind::Constant);
        holds.then_some(idx)
    }

    /// Returns true for a value such as that of `var x = module.exports = ...`.
    pub(super) fn is_module_exports<'t>(&self, value: Node<'t>, cx: &Cx<'t>) -> bool {
        let mut at = Some(value);
        for _ in 0..4 {
            let assignment = at.filter(|node| node.kind() == "assignment_expression");
            let left = assignment.and_then(|node| node.child_by_field_id(self.grammar.fields.left));
            let Some(left) = left else { return false };
            if cx.text(left) == "module.exports" {
                return true;
            }
            at = assignment.and_then(|node| node.child_by_field_id(self.grammar.fields.right));
        }
        false
    }

    /// Makes the walk pass over the left side of an assignment that is a definition and no reference.
    fn pass_over(&mut self, left: Node<'_>) {
        self.passed_over = left.id();
    }
}

/// Makes a class of a function with a prototype, as classes were written before the language had them.
fn as_class(idx: DefIdx, cx: &mut Cx<'_>) {
    let def = cx.facts.def_mut(idx);
    if def.kind == DefKind::Function {
        def.kind = DefKind::Class;
    }
}

fn is_void(value: Node<'_>) -> bool {
    matches!(value.kind(), "unary_expression" | "undefined" | "assignment_expression")
}

fn first_line(node: Node<'_>, cx: &Cx<'_>) -> usize {
    cx.slice(node.start_byte(), node.end_byte()).lines().next().map_or(0, str::len)
}
