//! Finds the types that object literals and patterns are expected to have, so that their keys are uses of the type's
//! members: by the annotation of a variable or field, by the declared result of a function, by a cast, by the value
//! that is taken apart.
//!
//! A key that the type does not have means nothing of the project ([`RefKind::Key`]).

use super::scopes::without_local_names;
use super::types::{THIS, TypeName, element_at, element_type, member_type, text};
use super::{Brace, Ecma};
use crate::facts::{Receiver, RefInput, RefKind};
use crate::syntax::{Node, all_children, named_children};
use crate::walk::{Binding, Cx, WalkStep};

/// Most nodes of one value or pattern that are visited.
const LOOKED_AT: usize = 200;

impl Ecma {
    /// Notes that a value is expected to have the type that an annotation names.
    pub(super) fn expect_annotated<'t>(
        &mut self,
        value: Option<Node<'t>>,
        annotation: Option<Node<'t>>,
        cx: &mut Cx<'t>,
    ) {
        let (Some(value), Some(annotation)) = (value, annotation) else { return };
        if annotation.kind() == "type_annotation" {
            self.note_declared_function(Some(value), Some(annotation), cx);
        }
        let ty = self.type_reader(cx).annotation_type(annotation).filter(|ty| ty != THIS);
        if let Some(ty) = ty.and_then(|ty| without_local_names(&ty, cx)) {
            self.expect_type(value, &ty);
        }
    }

    /// Notes the type of the object literal that a value is, or of those that are its elements.
    fn expect_type(&mut self, value: Node<'_>, ty: &str) {
        let mut waiting = vec![(value, ty.to_owned())];
        for _ in 0..LOOKED_AT {
            let Some((node, ty)) = waiting.pop() else { return };
            match node.kind() {
                "object" => {
                    self.expected.insert(node.id(), ty.into());
                }
                "parenthesized_expression" | "satisfies_expression" => {
                    waiting.extend(node.named_child(0).map(|inner| (inner, ty)));
                }
                "ternary_expression" => {
                    let sides = [node.named_child(1), node.named_child(2)].into_iter().flatten();
                    waiting.extend(sides.map(|side| (side, ty.clone())));
                }
                "array" => {
                    let Some(element) = element_type(&ty) else { continue };
                    let elements = named_children(node).take(LOOKED_AT);
                    waiting.extend(elements.map(|one| (one, element.clone())));
                }
                _ => {}
            }
        }
    }

    /// Notes that an argument is expected to have the type of the parameter of the function that a path leads to.
    pub(super) fn expect_argument<'t>(
        &mut self,
        argument: Node<'t>,
        path: &str,
        place: usize,
        cx: &mut Cx<'t>,
    ) {
        if let Some(ty) = without_local_names(&format!("={path}@{place}"), cx) {
            self.expect_type(argument, &ty);
        }
    }

    /// Notes that an object literal is expected to have the type of the variable or field that it is assigned to.
    pub(super) fn expect_assigned<'t>(&mut self, assignment: Node<'t>, cx: &mut Cx<'t>) {
        let f = &self.grammar.fields;
        let (left, right) = (assignment.child_by_field_id(f.left), assignment.child_by_field_id(f.right));
        let Some(right) = right.filter(|right| right.kind() == "object") else { return };
        let path = left.and_then(|left| self.type_reader(cx).dotted_path(left));
        let is_export = |path: &str| matches!(path.split('.').next(), Some("module" | "exports"));
        let Some(path) = path.filter(|path| !is_export(path)) else { return };
        if let Some(ty) = without_local_names(&format!("={path}"), cx) {
            self.expect_type(right, &ty);
        }
    }

    /// Records the attributes of a JSX element as uses of members of its component's first parameter.
    pub(super) fn use_attributes<'t>(&self, element: Node<'t>, component: Node<'t>, cx: &mut Cx<'t>) {
        let Some(path) = self.type_reader(cx).dotted_path(component) else { return };
        let Some(ty) = without_local_names(&format!("={path}@0"), cx) else { return };
        let attributes = named_children(element).filter(|child| child.kind() == "jsx_attribute");
        let names = attributes.filter_map(|attribute| attribute.named_child(0));
        for name in names.filter(|name| name.kind() == "property_identifier") {
            record_key(cx.text(name), name, &ty, cx);
        }
    }

    /// Visits `value as T`, `value satisfies T` and `<T>value`, and notes the type that the value is expected to have.
    pub(super) fn visit_cast<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        let (first, second) = (node.named_child(0), node.named_child(1));
        match node.kind() {
            "type_assertion" => {
                self.expect_annotated(second, first.and_then(|list| list.named_child(0)), cx);
            }
            _ => self.expect_annotated(first, second, cx),
        }
        WalkStep::Into
    }

    /// Keeps the declared result of the function just entered, for the values that it returns.
    pub(super) fn note_result<'t>(&mut self, function: Node<'t>, cx: &mut Cx<'t>) {
        let declared = function.child_by_field_id(self.grammar.fields.return_type);
        let ty = declared.and_then(|declared| self.type_reader(cx).annotation_type(declared));
        let ty = ty.filter(|ty| ty != THIS).and_then(|ty| without_local_names(&ty, cx));
        let body = function.child_by_field_id(self.grammar.fields.body);
        if let (Some(body), Some(ty)) = (body.filter(|body| body.kind() != "statement_block"), &ty) {
            self.expect_type(body, ty);
        }
        self.results.push((function.end_byte(), ty.map(Into::into)));
    }

    /// Notes the type that the function just entered is expected to return.
    pub(super) fn expect_result(&mut self, function: Node<'_>, ty: &str) {
        let body = function.child_by_field_id(self.grammar.fields.body);
        match body.filter(|body| body.kind() != "statement_block") {
            Some(body) => self.expect_type(body, ty),
            None => {
                if let Some((_, result)) = self.results.last_mut() {
                    *result = Some(ty.into());
                }
            }
        }
    }

    /// Notes that the value of a `return` is expected to have the declared result's type.
    pub(super) fn expect_returned(&mut self, statement: Node<'_>) {
        while self.results.last().is_some_and(|(end, _)| *end <= statement.start_byte()) {
            self.results.pop();
        }
        let ty = self.results.last().and_then(|(_, ty)| ty.clone());
        if let (Some(value), Some(ty)) = (statement.named_child(0), ty) {
            self.expect_type(value, &ty);
        }
    }

    /// Records a key of the object literal that the walk is in, if the type that the literal is expected to have is
    /// known.
    pub(super) fn use_expected_key<'t>(
        &mut self,
        key: Option<Node<'t>>,
        value: Option<Node<'t>>,
        cx: &mut Cx<'t>,
    ) {
        let Some(Brace { expected: Some(ty), .. }) = self.containers.last() else { return };
        let Some((key, name)) = key.and_then(|key| Some((key, self.property_name(key, cx)?))) else { return };
        let ty = std::rc::Rc::clone(ty);
        record_key(name, key, &ty, cx);
        if let (Some(value), Some(inner)) = (value, member_type(&ty, &format!(".{name}"))) {
            self.expect_type(value, &inner);
        }
    }

    /// Records the keys of a pattern as uses of members of the value that it takes apart.
    pub(super) fn use_pattern_keys<'t>(&self, pattern: Node<'t>, ty: TypeName<'t>, cx: &mut Cx<'t>) {
        let ty = ty.filter(|ty| ty != THIS).and_then(|ty| without_local_names(&ty, cx));
        let Some(ty) = ty.filter(|_| pattern.kind() != "identifier") else { return };
        for part in self.pattern_parts(pattern, ty, cx.source).into_iter().filter(|part| !part.is_whole) {
            record_key(cx.text(part.key), part.key, &part.of, cx);
        }
    }

    /// Binds the names of a pattern to the members of the value that it takes apart.
    pub(super) fn bind_pattern<'t>(&self, pattern: Node<'t>, ty: &str, cx: &mut Cx<'t>) {
        let Some(ty) = without_local_names(ty, cx) else { return };
        for (name, ty) in self.pattern_types(pattern, ty, cx.source) {
            let binding = Binding::Typed(cx.facts.intern(&ty));
            cx.bind(cx.text(name), binding);
        }
    }

    /// Returns the names that a pattern binds whose types are known, with these types.
    pub(super) fn pattern_types<'t>(
        &self,
        pattern: Node<'t>,
        ty: String,
        source: &'t [u8],
    ) -> Vec<(Node<'t>, String)> {
        let parts = self.pattern_parts(pattern, ty, source).into_iter();
        let typed = |part: PatternPart<'t>| {
            if part.is_whole {
                return Some((part.key, part.of));
            }
            Some((part.name?, member_type(&part.of, &format!(".{}", text(source, part.key)))?))
        };
        parts.filter_map(typed).collect()
    }

    /// Returns the keys of a pattern for a value of this type, those of inner patterns included.
    fn pattern_parts<'t>(&self, pattern: Node<'t>, ty: String, source: &'t [u8]) -> Vec<PatternPart<'t>> {
        let f = &self.grammar.fields;
        let (mut parts, mut waiting) = (Vec::new(), vec![(pattern, ty)]);
        while let Some((node, of)) = waiting.pop().filter(|_| parts.len() < LOOKED_AT) {
            match node.kind() {
                "object_pattern" => {
                    waiting.extend(named_children(node).map(|part| (part, of.clone())));
                }
                "array_pattern" => {
                    // Commas are counted, because an element may be missing before one.
                    let mut place = 0;
                    for part in all_children(node) {
                        place += usize::from(part.kind() == ",");
                        let element = Some(part).filter(Node::is_named).and_then(|_| element_at(&of, place));
                        waiting.extend(element.map(|element| (part, element)));
                    }
                }
                "identifier" => parts.push(PatternPart { key: node, name: None, of, is_whole: true }),
                "shorthand_property_identifier_pattern" => {
                    parts.push(PatternPart { key: node, name: Some(node), of, is_whole: false });
                }
                "object_assignment_pattern" | "assignment_pattern" => {
                    waiting.extend(node.child_by_field_id(f.left).map(|left| (left, of)));
                }
                "pair_pattern" => {
                    let (key, value) = (node.child_by_field_id(f.key), node.child_by_field_id(f.value));
                    let is_name = |key: &Node<'_>| matches!(key.kind(), "property_identifier" | "string");
                    let Some(key) = key.filter(is_name) else { continue };
                    let key = key.named_child(0).filter(|_| key.kind() == "string").unwrap_or(key);
                    let inner = member_type(&of, &format!(".{}", text(source, key)));
                    waiting.extend(value.zip(inner).filter(|(value, _)| value.kind() != "identifier"));
                    let name = value.filter(|value| value.kind() == "identifier");
                    parts.push(PatternPart { key, name, of, is_whole: false });
                }
                _ => {}
            }
        }
        parts
    }
}

/// A key in a pattern.
struct PatternPart<'t> {
    key: Node<'t>,
    /// The name that its value is bound to, if that is no pattern itself.
    name: Option<Node<'t>>,
    /// The type that the key is a member of.
    of: String,
    /// True if this is no key, but a name for the whole value.
    is_whole: bool,
}

fn record_key<'t>(name: &'t str, key: Node<'t>, ty: &str, cx: &mut Cx<'t>) {
    let (line, col) = cx.position(key);
    let receiver = Receiver::Typed(cx.facts.intern(ty));
    let owner = cx.owner();
    cx.facts.add_reference(&RefInput { name, kind: RefKind::Key, receiver, owner, line, col });
}
