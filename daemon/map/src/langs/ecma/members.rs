//! Defines the members of classes, interfaces and recorded object literals.

use rustc_hash::FxHashMap;

use super::defs::{DeclarationWrapper, New};
use super::scopes::{EcmaValueKind, SELF};
use super::types::{THIS, TypeName};
use super::{Brace, Container, Ecma};
use crate::facts::{DefFlags, DefIdx, DefKind, TypePart};
use crate::syntax::{Node, all_children, named_children};
use crate::walk::{Binding, Cx, WalkStep};

/// The types of a class's fields, by name; `None` for an unknown type.
pub(super) type FieldTypes = FxHashMap<String, Option<String>>;

/// Most object literals that are recorded inside one another.
const OBJECT_DEPTH: usize = 3;

impl Ecma {
    /// Enters the body of a class.
    pub(super) fn visit_class_body(&mut self, node: Node<'_>) -> WalkStep {
        let nameless = !self.nameless.is_empty() && self.nameless.remove(&node.id());
        self.container_around(node);
        let container = if nameless { Container::Other } else { Container::Class };
        self.containers.push(Brace { end: node.end_byte(), container, expected: None });
        WalkStep::Into
    }

    /// Enters an object literal, and notes the owner of its members.
    pub(super) fn visit_object(&mut self, node: Node<'_>) -> WalkStep {
        let container = if !self.objects.is_empty() && self.objects.remove(&node.id()) {
            Container::Object
        } else if !self.exported_objects.is_empty() && self.exported_objects.remove(&node.id()) {
            Container::Exports
        } else {
            self.local_container(node).unwrap_or(Container::Other)
        };
        self.container_around(node);
        let expected = if self.expected.is_empty() { None } else { self.expected.remove(&node.id()) };
        self.containers.push(Brace { end: node.end_byte(), container, expected });
        WalkStep::Into
    }

    /// Enters the body of an interface, or a type written as its members.
    pub(super) fn visit_object_type(&mut self, node: Node<'_>) -> WalkStep {
        let named = self.interface_body == node.id();
        self.container_around(node);
        let container = if named { Container::Interface } else { Container::Other };
        self.containers.push(Brace { end: node.end_byte(), container, expected: None });
        WalkStep::Into
    }

    /// Visits a method with a body.
    pub(super) fn visit_method<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        let container = self.container_around(node);
        let wrap = self.take_wrap(node, cx);
        let at = node.child_by_field_id(self.grammar.fields.name);
        self.use_expected_key(at, None, cx);
        let name = at.and_then(|at| self.property_name(at, cx));
        match (container, at, name) {
            (Container::Exports, Some(at), Some(name)) => {
                let head = self.head(node);
                let new = New { name, at, kind: DefKind::Function, head, visible: true };
                self.make_def(&new, &wrap, Some(true), cx);
                cx.bind(THIS, Binding::Opaque);
            }
            (Container::Class | Container::Object, Some(at), Some(name)) => {
                self.open_method(node, name, at, &wrap, cx);
                cx.bind(THIS, Binding::Typed(SELF));
                if name == "constructor" && container == Container::Class {
                    self.parameter_properties(node, cx);
                }
            }
            (Container::Methods, Some(at), Some(name)) => {
                self.open_method(node, name, at, &wrap, cx);
                cx.bind(THIS, Binding::Opaque);
            }
            _ => {
                cx.open_scope(true);
                cx.bind(THIS, Binding::Opaque);
            }
        }
        self.enter_function(node, cx);
        if container != Container::Other && name.is_some() {
            self.result(node, cx);
        }
        WalkStep::Into
    }

    fn open_method<'t>(
        &mut self,
        node: Node<'t>,
        name: &'t str,
        at: Node<'t>,
        wrap: &DeclarationWrapper,
        cx: &mut Cx<'t>,
    ) {
        if let Some(idx) = self.overloaded_def(name, cx) {
            self.replace(idx, node, at, wrap, cx);
            return;
        }
        let visible = is_open(node, name, cx);
        let new = New { name, at, kind: DefKind::Method, head: self.head(node), visible };
        self.make_def(&new, wrap, Some(true), cx);
    }

    /// Visits `m(): T;` in an interface, or an overload or abstract method of a class.
    pub(super) fn visit_member_signature<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        let container = self.container_around(node);
        let wrap = self.take_wrap(node, cx);
        let at = node.child_by_field_id(self.grammar.fields.name);
        let name = at.and_then(|at| self.property_name(at, cx));
        match (container, at, name) {
            (Container::Class | Container::Interface, Some(at), Some(name)) => {
                let visible = is_open(node, name, cx);
                let head = (node.start_byte(), node.end_byte());
                self.define_overload(&New { name, at, kind: DefKind::Method, head, visible }, &wrap, cx);
            }
            _ => cx.open_scope(true),
        }
        self.enter_signature(node, cx);
        if matches!(container, Container::Class | Container::Interface) && name.is_some() {
            self.result(node, cx);
        }
        WalkStep::Into
    }

    /// Binds the parameters of a signature without a body.
    pub(super) fn enter_signature<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) {
        self.bind_type_parameters(node, cx);
        if let Some(parameters) = node.child_by_field_id(self.grammar.fields.parameters) {
            self.bind_parameters(parameters, cx);
        }
    }

    /// Visits a field of a class.
    pub(super) fn visit_field<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        let f = &self.grammar.fields;
        let (container, wrap) = (self.container_around(node), self.take_wrap(node, cx));
        let at = node.child_by_field_id(f.name).or_else(|| node.child_by_field_id(f.property));
        let name = at.and_then(|at| self.property_name(at, cx));
        let (Container::Class, Some(at), Some(name)) = (container, at, name) else { return WalkStep::Into };
        let value = node.child_by_field_id(f.value);
        self.expect_annotated(value, node.child_by_field_id(f.ty), cx);
        self.define_property(node, name, at, value, &wrap, cx);
        WalkStep::Into
    }

    /// Visits `key: value` of an object literal.
    pub(super) fn visit_pair<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        let container = self.container_around(node);
        let f = &self.grammar.fields;
        self.use_expected_key(node.child_by_field_id(f.key), node.child_by_field_id(f.value), cx);
        if container == Container::Methods {
            return self.local_member(node, cx);
        }
        if !matches!(container, Container::Object | Container::Exports) {
            return WalkStep::Into;
        }
        let f = &self.grammar.fields;
        let wrap = self.take_wrap(node, cx);
        let (at, value) = (node.child_by_field_id(f.key), node.child_by_field_id(f.value));
        let Some((at, name)) = at.and_then(|at| Some((at, self.property_name(at, cx)?))) else {
            return WalkStep::Into;
        };
        match (container, value) {
            (Container::Exports, Some(value)) => self.exported_member(node, name, at, value, cx),
            _ => self.define_property(node, name, at, value, &wrap, cx),
        }
        WalkStep::Into
    }

    /// Defines the key of `{ name }`, whose value is what the name means outside of the object.
    pub(super) fn define_shorthand<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) {
        let name = cx.text(node);
        let head = (node.start_byte(), node.end_byte());
        let wrap = DeclarationWrapper {
            bytes: (head.0 as u32, head.1 as u32),
            lines: Cx::lines(node),
            ..DeclarationWrapper::default()
        };
        let new = New { name, at: node, kind: DefKind::Field, head, visible: true };
        let idx = self.make_def(&new, &wrap, None, cx);
        self.add_type_hint(idx, TypePart::VALUE, &format!("={name}"), cx);
    }

    /// Defines a field, or a method if the value is a function.
    fn define_property<'t>(
        &mut self,
        node: Node<'t>,
        name: &'t str,
        at: Node<'t>,
        value: Option<Node<'t>>,
        wrap: &DeclarationWrapper,
        cx: &mut Cx<'t>,
    ) {
        let is_function =
            value.is_some_and(|value| self.value_kind(value, cx.source) == EcmaValueKind::Function);
        let kind = if is_function { DefKind::Method } else { DefKind::Field };
        let end = match value {
            Some(value) if is_function => self.head(value).1,
            _ => {
                node.start_byte()
                    + cx.slice(node.start_byte(), node.end_byte()).lines().next().map_or(0, str::len)
            }
        };
        let (start, _) = self.head(node);
        let new = New { name, at, kind, head: (start, end.max(start)), visible: is_open(node, name, cx) };
        let inside =
            value.and_then(|value| self.object_in(value)).filter(|_| self.object_depth() < OBJECT_DEPTH);
        let scope = if is_function { Some(true) } else { inside.map(|_| false) };
        let idx = self.make_def(&new, wrap, scope, cx);
        if let Some(ty) = self.declared_type(node, cx).filter(|_| !is_function) {
            self.add_type_hint(idx, TypePart::VALUE, &ty, cx);
        }
        if !is_function {
            self.add_called_type(idx, node, cx);
        }
        if is_abstract(node) {
            let def = cx.facts.def_mut(idx);
            def.flags = def.flags.with(DefFlags::DECLARATION);
        }
        inside.into_iter().for_each(|object| {
            self.objects.insert(object.id());
        });
        if let Some(value) = value.filter(|_| is_function) {
            cx.bind(THIS, Binding::Typed(SELF));
            self.opened = value.id();
        }
    }

    fn object_depth(&self) -> usize {
        self.containers.iter().filter(|brace| brace.container == Container::Object).count()
    }

    /// Visits `a: T;` of an interface.
    pub(super) fn visit_property_signature<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        if self.container_around(node) != Container::Interface {
            return WalkStep::Into;
        }
        let wrap = self.take_wrap(node, cx);
        let at = node.child_by_field_id(self.grammar.fields.name);
        if let Some((at, name)) = at.and_then(|at| Some((at, self.property_name(at, cx)?))) {
            let head = (node.start_byte(), node.end_byte());
            let idx =
                self.make_def(&New { name, at, kind: DefKind::Field, head, visible: true }, &wrap, None, cx);
            let def = cx.facts.def_mut(idx);
            def.flags = def.flags.with(DefFlags::DECLARATION);
            if let Some(ty) = self.declared_type(node, cx) {
                self.add_type_hint(idx, TypePart::VALUE, &ty, cx);
            }
            self.add_called_type(idx, node, cx);
        }
        WalkStep::Into
    }

    /// Defines the fields that parameters of a constructor make: `a` of `constructor(private a: T)`.
    fn parameter_properties<'t>(&mut self, constructor: Node<'t>, cx: &mut Cx<'t>) {
        let f = &self.grammar.fields;
        let Some(parameters) = constructor.child_by_field_id(f.parameters) else { return };
        let class = self.class_around(cx);
        for parameter in named_children(parameters) {
            let pattern = parameter.child_by_field_id(f.pattern).filter(|p| p.kind() == "identifier");
            let Some(at) = pattern.filter(|_| is_property(parameter)) else { continue };
            let (start, end) = (parameter.start_byte(), parameter.end_byte());
            let wrap = DeclarationWrapper {
                bytes: (start as u32, end as u32),
                lines: Cx::lines(parameter),
                ..DeclarationWrapper::default()
            };
            let name = cx.text(at);
            let visible = is_open(parameter, name, cx);
            let new = New { name, at, kind: DefKind::Field, head: (start, end), visible };
            let idx = self.make_in(&new, &wrap, None, class, None, cx);
            let ty =
                parameter.child_by_field_id(f.ty).and_then(|ty| self.type_reader(cx).annotation_type(ty));
            if let Some(ty) = ty {
                self.add_type_hint(idx, TypePart::VALUE, &ty, cx);
            }
        }
    }

    /// Returns the class whose `this` is visible here.
    pub(super) fn class_around(&self, cx: &Cx<'_>) -> Option<DefIdx> {
        let mut at = cx.owner();
        while let Some(idx) = at {
            if self.classes.contains_key(&idx) {
                return at;
            }
            at = cx.facts.defs()[idx.index()].parent;
        }
        None
    }

    /// Reads the types of a class's fields before its methods are walked.
    pub(super) fn field_types<'t>(&mut self, body: Node<'t>, cx: &Cx<'t>) -> FieldTypes {
        let f = &self.grammar.fields;
        let mut types = FieldTypes::default();
        for member in named_children(body) {
            let name = member.child_by_field_id(f.name).or_else(|| member.child_by_field_id(f.property));
            let Some(name) = name.map(|name| cx.text(name)) else { continue };
            let ty = match member.kind() {
                "public_field_definition" | "field_definition" => self.declared_type(member, cx),
                "method_definition" if is_getter(member) => member
                    .child_by_field_id(f.return_type)
                    .and_then(|ty| self.type_reader(cx).annotation_type(ty)),
                _ => None,
            };
            types.entry(name.to_owned()).or_insert_with(|| ty.map(Into::into));
            if name == "constructor" {
                self.constructor_types(member, &mut types, cx);
            }
        }
        if self.grammar.untyped {
            self.assigned_fields(body, &mut types, cx);
        }
        types
    }

    fn constructor_types<'t>(&self, constructor: Node<'t>, types: &mut FieldTypes, cx: &Cx<'t>) {
        let f = &self.grammar.fields;
        let Some(parameters) = constructor.child_by_field_id(f.parameters) else { return };
        for parameter in named_children(parameters).filter(|p| is_property(*p)) {
            let ty =
                parameter.child_by_field_id(f.ty).and_then(|ty| self.type_reader(cx).annotation_type(ty));
            if let Some(name) = parameter.child_by_field_id(f.pattern) {
                types.insert(cx.text(name).to_owned(), ty.map(Into::into));
            }
        }
    }

    /// Finds the fields of a class without types: the first assignment of each to `this` in a method is its definition.
    fn assigned_fields<'t>(&mut self, body: Node<'t>, types: &mut FieldTypes, cx: &Cx<'t>) {
        let f = &self.grammar.fields;
        let mut found: Vec<(Node<'t>, Node<'t>, TypeName<'t>)> = Vec::new();
        for method in named_children(body).filter(|m| m.kind() == "method_definition") {
            let Some(block) = method.child_by_field_id(f.body) else { continue };
            self.each_statement(block, &mut |statement, _| {
                let Some(assignment) =
                    statement.named_child(0).filter(|a| a.kind() == "assignment_expression")
                else {
                    return;
                };
                let left = assignment.child_by_field_id(f.left).filter(|l| l.kind() == "member_expression");
                let Some(left) = left else { return };
                let object = left.child_by_field_id(f.object).filter(|o| o.kind() == "this");
                let property = left.child_by_field_id(f.property).filter(|_| object.is_some());
                if let Some(property) = property {
                    let value =
                        assignment.child_by_field_id(f.right).and_then(|v| self.type_reader(cx).value(v));
                    found.push((left, property, value));
                }
            });
        }
        found.sort_by_key(|(left, ..)| left.start_byte());
        for (left, property, ty) in found {
            let name = cx.text(property);
            if !types.contains_key(name) {
                self.assigned.insert(left.id());
                types.insert(name.to_owned(), ty.filter(|ty| ty != THIS).map(Into::into));
            }
        }
    }
}

/// Returns true if a member can be used from outside.
fn is_open(member: Node<'_>, name: &str, cx: &Cx<'_>) -> bool {
    let mut children = named_children(member);
    let private = children.any(|c| c.kind() == "accessibility_modifier" && cx.text(c) == "private");
    !private && !name.starts_with('#')
}

fn is_abstract(member: Node<'_>) -> bool {
    all_children(member).any(|child| child.kind() == "abstract")
}

pub(super) fn is_getter(method: Node<'_>) -> bool {
    all_children(method).any(|child| child.kind() == "get")
}

/// Returns true if a constructor's parameter is marked as a field.
fn is_property(parameter: Node<'_>) -> bool {
    all_children(parameter)
        .any(|child| matches!(child.kind(), "accessibility_modifier" | "override_modifier" | "readonly"))
}
