//! Records references: which names are used, how, and on which value; opens the scopes in which names are no
//! references.
//!
//! Every segment of `a.b.c()` is a use of its own name: `a` stands alone, `b` is read on `a`, `c` is called on `a.b`.

use super::defs::{DeclarationWrapper, New};
use super::scopes::{SELF, without_local_names};
use super::types::{THIS, TypeName, element_type};
use super::{Container, Ecma};
use crate::facts::{DefKind, ImportInput, ImportKind, Receiver, RefKind};
use crate::syntax::{Node, all_children, named_children};
use crate::walk::{Binding, Cx, WalkStep};

/// Most nodes of a condition that are searched for `infer`.
const INFER_LIMIT: usize = 500;

impl Ecma {
    /// Visits a bare name in an expression.
    pub(super) fn visit_identifier<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        if node.id() != self.skip && !self.handled.take_mark(node) {
            let kind = self.kind_of(node, RefKind::Use);
            cx.record_use(cx.text(node), node, kind, Receiver::None);
        }
        WalkStep::Skip
    }

    /// Visits `{ name }` in an object literal.
    pub(super) fn visit_shorthand<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        let container = self.container_around(node);
        self.use_expected_key(Some(node), None, cx);
        if container == Container::Object {
            self.define_shorthand(node, cx);
        }
        cx.record_use(cx.text(node), node, RefKind::Use, Receiver::None);
        WalkStep::Skip
    }

    /// Visits a bare name in a type.
    pub(super) fn visit_type_identifier<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        if node.id() != self.skip && !self.handled.take_mark(node) {
            let kind = self.kind_of(node, RefKind::Type);
            cx.record_use(cx.text(node), node, kind, Receiver::None);
        }
        WalkStep::Skip
    }

    /// Records the name of `object.name`; the walk goes on into the object.
    pub(super) fn visit_member<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        let f = &self.grammar.fields;
        let (object, name) = (node.child_by_field_id(f.object), node.child_by_field_id(f.property));
        let (Some(object), Some(name)) = (object, name) else { return WalkStep::Into };
        if node.id() == self.passed_over || self.handled.take_mark(node) {
            return WalkStep::Skip;
        }
        if !self.assigned.is_empty() && self.assigned.remove(&node.id()) {
            self.assigned_field(node, name, cx);
            return WalkStep::Skip;
        }
        let kind = self.kind_of(node, RefKind::Use);
        let receiver = self.receiver(object, cx);
        cx.record_use(cx.text(name), name, kind, receiver);
        WalkStep::Into
    }

    fn assigned_field<'t>(&mut self, node: Node<'t>, name: Node<'t>, cx: &mut Cx<'t>) {
        let wrap = DeclarationWrapper {
            bytes: (node.start_byte() as u32, node.end_byte() as u32),
            lines: Cx::lines(node),
            ..DeclarationWrapper::default()
        };
        let (class, text) = (self.class_around(cx), cx.text(name));
        let head = (node.start_byte(), node.end_byte());
        let new = New { name: text, at: name, kind: DefKind::Field, head, visible: !text.starts_with('#') };
        self.make_in(&new, &wrap, None, class, None, cx);
    }

    /// Records the use of a type in a namespace: `ns.Type`.
    pub(super) fn visit_nested_type<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        let f = &self.grammar.fields;
        let (module, name) = (node.child_by_field_id(f.module), node.child_by_field_id(f.name));
        let (Some(module), Some(name)) = (module, name) else { return WalkStep::Into };
        let kind = self.kind_of(node, RefKind::Type);
        let receiver = match self.type_reader(cx).dotted_path(module) {
            Some(path) => cx.path_receiver(&path),
            None => Receiver::Unknown,
        };
        cx.record_use(cx.text(name), name, kind, receiver);
        self.handled.mark(name);
        WalkStep::Into
    }

    /// Returns the kind of use of a name, from what the walk met just before it.
    fn kind_of(&mut self, node: Node<'_>, otherwise: RefKind) -> RefKind {
        if node.id() == self.callee {
            return RefKind::Call;
        }
        if self.roles.is_empty() {
            return otherwise;
        }
        self.roles.remove(&node.id()).unwrap_or(otherwise)
    }

    fn receiver<'t>(&mut self, object: Node<'t>, cx: &mut Cx<'t>) -> Receiver {
        if object.kind() == "super" {
            return Receiver::Super;
        }
        if let Some(path) = self.type_reader(cx).dotted_path(object) {
            return self.path_receiver(&path, cx);
        }
        let ty = self.type_reader(cx).value(object);
        typed_receiver(&ty, cx)
    }

    fn path_receiver(&self, path: &str, cx: &mut Cx<'_>) -> Receiver {
        let (first, rest) = path.split_once('.').unwrap_or((path, ""));
        match cx.local_binding(first) {
            Some(Binding::Typed(SELF)) if rest.is_empty() => Receiver::SelfType,
            Some(Binding::Typed(SELF)) if rest == "constructor" => Receiver::SelfType,
            Some(Binding::Typed(SELF)) if first == THIS => self.field_receiver(rest, cx),
            Some(Binding::Typed(of)) if of != SELF && !rest.is_empty() => {
                typed_receiver(&Some(format!("={path}").into()), cx)
            }
            None if first == THIS => Receiver::Unknown,
            None if rest.is_empty() => match self.top.get(first).cloned().flatten() {
                Some(ty) => typed_receiver(&Some(ty.into()), cx),
                None => cx.path_receiver(path),
            },
            _ => cx.path_receiver(path),
        }
    }

    fn field_receiver(&self, field: &str, cx: &mut Cx<'_>) -> Receiver {
        let types = self.class_around(cx).and_then(|class| self.classes.get(&class));
        let ty = types.and_then(|types| types.get(field).cloned().flatten());
        let ty = ty.unwrap_or_else(|| format!("={THIS}.{field}"));
        typed_receiver(&Some(ty.into()), cx)
    }

    /// Visits a call, and marks the called expression, which the walk meets next. `import('x')` and `require('x')` load
    /// a module.
    pub(super) fn visit_call<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        let Some(function) = node.child_by_field_id(self.grammar.fields.function) else {
            return WalkStep::Into;
        };
        self.callee = function.id();
        self.note_callbacks(node, function, cx);
        self.note_route(node, function, cx);
        self.note_mixins(node, function, cx);
        match function.kind() {
            "super" => cx.record_use("constructor", function, RefKind::Call, Receiver::Super),
            "import" => self.import_for_effect(node, cx),
            "identifier" if cx.text(function) == "require" => self.import_for_effect(node, cx),
            _ => {}
        }
        WalkStep::Into
    }

    /// Records the import of a module that is loaded without a name for it.
    fn import_for_effect<'t>(&self, call: Node<'t>, cx: &mut Cx<'t>) {
        let argument = call.child_by_field_id(self.grammar.fields.arguments).and_then(|a| a.named_child(0));
        let Some(module) = argument.and_then(|argument| self.type_reader(cx).string_text(argument)) else {
            return;
        };
        let owner = cx.owner();
        cx.facts.add_import(&ImportInput {
            kind: ImportKind::Effect,
            module,
            name: None,
            local: None,
            reexported: false,
            owner,
            line: Cx::lines(call).0,
        });
    }

    /// Marks the class in `new Foo()` as called, and notes callbacks among the arguments.
    pub(super) fn visit_construction<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        let constructor = node.child_by_field_id(self.grammar.fields.constructor);
        if let Some(constructor) = constructor {
            self.note_callbacks(node, constructor, cx);
        }
        self.mark_callee(constructor)
    }

    /// Marks the expression that a decorator or `new` calls.
    pub(super) fn mark_callee(&mut self, callee: Option<Node<'_>>) -> WalkStep {
        self.callee = callee.map_or(0, |callee| callee.id());
        WalkStep::Into
    }

    /// Visits the opening tag `<Foo ...>`; tags in lower case belong to the platform.
    pub(super) fn visit_jsx_element<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.grammar.fields.name) else { return WalkStep::Into };
        self.callee = name.id();
        let text = cx.text(name);
        if name.kind() == "identifier" && (text.starts_with(char::is_lowercase) || text.contains('-')) {
            self.handled.mark(name);
        } else {
            self.use_attributes(node, name, cx);
        }
        WalkStep::Into
    }

    /// Visits the closing tag `</ns.Foo>`. A name without a dot is skipped: the file's scopes explain it, and the
    /// opening tag has it already.
    pub(super) fn visit_jsx_end(&self, node: Node<'_>) -> WalkStep {
        let name = node.child_by_field_id(self.grammar.fields.name);
        match name.is_some_and(|name| name.kind() != "identifier") {
            true => WalkStep::Into,
            false => WalkStep::Skip,
        }
    }

    /// Visits a part of a type that binds names of its own.
    pub(super) fn visit_type_scope<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        cx.open_scope(true);
        match node.kind() {
            "conditional_type" => self.bind_inferred(node, cx),
            "index_signature" => self.bind_keys(node, cx),
            "call_signature" => {
                self.enter_signature(node, cx);
                self.say_called(node, cx);
            }
            _ => self.enter_signature(node, cx),
        }
        WalkStep::Into
    }

    /// Binds the names of `[key: string]` and `[K in T]`.
    fn bind_keys<'t>(&self, node: Node<'t>, cx: &mut Cx<'t>) {
        for child in named_children(node) {
            let name = match child.kind() {
                "mapped_type_clause" => child.child_by_field_id(self.grammar.fields.name),
                "identifier" => Some(child),
                _ => None,
            };
            if let Some(name) = name {
                cx.bind(cx.text(name), Binding::Opaque);
            }
        }
    }

    /// Binds `U` of `T extends (...args: infer U) => V ? U : never`, which is bound outside of the function type too.
    fn bind_inferred<'t>(&self, condition: Node<'t>, cx: &mut Cx<'t>) {
        let right = condition.child_by_field_id(self.grammar.fields.right);
        let mut waiting: Vec<Node<'t>> =
            right.filter(|n| n.kind() != "conditional_type").into_iter().collect();
        for _ in 0..INFER_LIMIT {
            let Some(node) = waiting.pop() else { return };
            // A condition inside binds what it infers itself.
            waiting.extend(named_children(node).filter(|n| n.kind() != "conditional_type"));
            if node.kind() == "infer_type"
                && let Some(name) = node.named_child(0)
            {
                cx.bind(cx.text(name), Binding::Opaque);
            }
        }
    }

    /// Marks the label of a tuple's element, which is no reference. Parameters are bound by their function.
    pub(super) fn visit_parameter(&mut self, node: Node<'_>) -> WalkStep {
        if let Some(label) = node.child_by_field_id(self.grammar.fields.name) {
            self.handled.mark(label);
        }
        WalkStep::Into
    }

    /// Visits a block, whose variables hide outer ones.
    pub(super) fn visit_block<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        if node.id() == self.body || (!self.plain_blocks.is_empty() && self.plain_blocks.remove(&node.id())) {
            return WalkStep::Into;
        }
        self.block_until = self.block_until.max(node.end_byte());
        self.bind_block(node, cx);
        WalkStep::Into
    }

    /// Visits the body of a `switch`, whose cases share a scope.
    pub(super) fn visit_switch_body<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        self.block_until = self.block_until.max(node.end_byte());
        cx.open_scope(true);
        for case in named_children(node) {
            for statement in named_children(case) {
                if statement.kind() == "lexical_declaration" {
                    self.bind_declaration(statement, cx);
                }
            }
        }
        WalkStep::Into
    }

    /// Visits `for (let i = 0; ...)`.
    pub(super) fn visit_for_statement<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        let initializer = node.child_by_field_id(self.grammar.fields.initializer);
        let declared = |n: &Node<'_>| matches!(n.kind(), "lexical_declaration" | "variable_declaration");
        if let Some(initializer) = initializer.filter(declared) {
            self.block_until = self.block_until.max(node.end_byte());
            self.local_until = self.local_until.max(initializer.end_byte());
            cx.open_scope(true);
            self.bind_declaration(initializer, cx);
        }
        WalkStep::Into
    }

    /// Visits `for (const x of xs)`.
    pub(super) fn visit_for_in<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        let f = &self.grammar.fields;
        let left = node.child_by_field_id(f.left).filter(|_| node.child_by_field_id(f.kind).is_some());
        if let Some(left) = left {
            cx.open_scope(true);
            let right = node.child_by_field_id(f.right).filter(|_| goes_through_values(node, cx));
            let ty =
                right.and_then(|right| self.type_reader(cx).value(right)).and_then(|ty| element_type(&ty));
            let ty: TypeName<'t> = ty.map(Into::into);
            if left.kind() != "identifier" {
                self.use_pattern_keys(left, ty.clone(), cx);
            }
            self.bind_names(left, ty, cx);
        }
        WalkStep::Into
    }

    /// Binds the names of a catch clause: `catch (error)`.
    pub(super) fn visit_catch<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        if let Some(parameter) = node.child_by_field_id(self.grammar.fields.parameter) {
            cx.open_scope(true);
            self.bind_names(parameter, None, cx);
        }
        WalkStep::Into
    }
}

fn typed_receiver(ty: &TypeName<'_>, cx: &mut Cx<'_>) -> Receiver {
    if ty.as_deref() == Some(THIS) {
        return match cx.local_binding(THIS) {
            Some(Binding::Typed(SELF)) => Receiver::SelfType,
            _ => Receiver::Unknown,
        };
    }
    let ty = ty.as_deref().and_then(|ty| without_local_names(ty, cx));
    ty.map_or(Receiver::Unknown, |ty| Receiver::Typed(cx.facts.intern(&ty)))
}

/// Returns true for `for (x of xs)`, false for `for (key in object)`.
fn goes_through_values(node: Node<'_>, cx: &Cx<'_>) -> bool {
    all_children(node).any(|child| cx.text(child) == "of")
}
