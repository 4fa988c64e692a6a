//! Records uses: calls, members, creations, annotations, and the constructors that others hand over to.

use super::frameworks::{TEST_LIBRARIES, TEST_WORDS};
use super::grammar::DartKind;
use super::items::DartItem;
use super::rules::DartRules;
use super::types::{is_type_name, names_in, type_child};
use crate::facts::{DefFlags, DefKind, Receiver, RefKind};
use crate::langs::support::{child_where, each_child, test_title};
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

impl DartRules {
    pub(super) fn visit_identifier(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if !self.handled.take_mark(node) && cx.text(node) != "_" {
            cx.record_use(cx.text(node), node, RefKind::Use, Receiver::None);
        }
        WalkStep::Skip
    }

    pub(super) fn visit_call(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(mut callee) = node.child_by_field_id(self.g.f.function) else { return WalkStep::Into };
        if callee.kind() == "instantiation_expression" {
            callee = callee.child_by_field_id(self.g.f.function).unwrap_or(callee);
        }
        match self.g.kind(callee) {
            DartKind::Ident => {
                self.handled.mark(callee);
                self.define_test(node, callee, cx);
                cx.record_use(cx.text(callee), callee, RefKind::Call, Receiver::None);
            }
            DartKind::Access => {
                self.handled.mark(callee);
                self.refer_member(callee, RefKind::Call, cx);
            }
            _ => {}
        }
        WalkStep::Into
    }

    /// Defines the test of `test('adds', () { … })` or `group('Cart', () { … })`, in files that import a library for
    /// tests.
    fn define_test(&mut self, node: Node<'_>, callee: Node<'_>, cx: &mut Cx<'_>) {
        let word = cx.text(callee);
        let is_group = word == "group";
        if !(is_group || TEST_WORDS.contains(&word))
            || !TEST_LIBRARIES.iter().any(|library| cx.facts.imports_package(library))
        {
            return;
        }
        let arguments = node.child_by_field_id(self.g.f.arguments);
        let first = arguments.and_then(|list| list.named_child(0));
        let Some(at) = first.filter(|first| self.g.kind(*first) == DartKind::Text) else { return };
        let title = cx.text(at).trim_matches(['\'', '"']);
        if title.is_empty() || title.contains('\n') {
            return;
        }
        let kind = if is_group { DefKind::Module } else { DefKind::Function };
        let named = test_title(word, title);
        let item = DartItem { node, at, name: &named, kind, flags: DefFlags::TEST, end: at.end_byte() };
        self.define_item(&item, Some(true), cx);
        self.handled.take_mark(at);
    }

    pub(super) fn visit_access(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if !self.handled.take_mark(node) {
            self.refer_member(node, RefKind::Use, cx);
        }
        WalkStep::Into
    }

    /// Records the member of `object.name`, and the type that `object` begins with.
    fn refer_member(&mut self, access: Node<'_>, kind: RefKind, cx: &mut Cx<'_>) {
        let object = access.child_by_field_id(self.g.f.object);
        let name = access.child_by_field_id(self.g.f.property);
        let Some((object, name)) = object.zip(name) else { return };
        self.handled.mark(name);
        let receiver = match self.static_path(object, cx.text(name), cx) {
            Some(names) => {
                self.mark_path(object);
                self.refer_path(&names, cx)
            }
            None => self.receiver(object, cx),
        };
        record_member(name, kind, receiver, cx);
    }

    /// Marks the accesses within a path of names, which are recorded with its last one.
    fn mark_path(&mut self, object: Node<'_>) {
        let mut at = Some(object);
        while let Some(access) = at.filter(|at| self.g.kind(*at) == DartKind::Access) {
            self.handled.mark(access);
            at = access.child_by_field_id(self.g.f.object);
        }
    }

    /// Records the names on a path, except the prefix of an import at its start; returns the receiver of a name behind
    /// them all.
    pub(super) fn refer_path(&mut self, names: &[Node<'_>], cx: &mut Cx<'_>) -> Receiver {
        let starts_at_type = names.first().is_some_and(|first| is_type_name(cx.text(*first)));
        let first_type = usize::from(!starts_at_type);
        let mut path = String::new();
        for (at, name) in names.iter().enumerate() {
            self.handled.mark(*name);
            let receiver = match path.is_empty() {
                true => Receiver::None,
                false => Receiver::Path(cx.facts.intern(&path)),
            };
            let is_type = is_type_name(cx.text(*name));
            let kind = if at == first_type && is_type { RefKind::Type } else { RefKind::Use };
            if at >= first_type {
                cx.record_use(cx.text(*name), *name, kind, receiver);
            }
            path.push_str(if at == 0 { "" } else { "." });
            path.push_str(cx.text(*name));
        }
        Receiver::Path(cx.facts.intern(&path))
    }

    pub(super) fn visit_cascade_call(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if let Some(name) = node.child_by_field_id(self.g.f.property) {
            self.handled.mark(name);
            let receiver = self.cascade_receiver(node, cx);
            record_member(name, RefKind::Call, receiver, cx);
        } else if let Some(function) = node.child_by_field_id(self.g.f.function)
            && function.child_by_field_id(self.g.f.property).is_some()
        {
            self.handled.mark(function);
            self.refer_cascaded(function, RefKind::Call, cx);
        }
        WalkStep::Into
    }

    /// Records the member of `..name` and `..object.name`.
    pub(super) fn visit_cascade_name(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if self.handled.take_mark(node) {
            return WalkStep::Into;
        }
        match self.selected_name(node) {
            Some(name) => {
                self.handled.mark(name);
                let receiver = self.cascade_receiver(node, cx);
                record_member(name, RefKind::Use, receiver, cx);
            }
            None => self.refer_cascaded(node, RefKind::Use, cx),
        }
        WalkStep::Into
    }

    /// Records a member of a member of the value that a cascade is about.
    fn refer_cascaded(&mut self, node: Node<'_>, kind: RefKind, cx: &mut Cx<'_>) {
        let object = node.child_by_field_id(self.g.f.object);
        let Some((object, name)) = object.zip(node.child_by_field_id(self.g.f.property)) else { return };
        self.handled.mark(name);
        let receiver = self.receiver(object, cx);
        record_member(name, kind, receiver, cx);
    }

    /// Records the creation in `const Foo()` and `new p.Foo.named()`.
    pub(super) fn visit_creation(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let names = self.created_names(node);
        type_child(node).into_iter().for_each(|ty| self.handled.mark(ty));
        self.refer_created(&names, RefKind::Call, cx);
        WalkStep::Into
    }

    /// Returns the names of a creation: those of its type, and the constructor's.
    pub(super) fn created_names<'t>(&self, node: Node<'t>) -> Vec<Node<'t>> {
        let Some(ty) = type_child(node) else { return names_in(node) };
        let mut names = names_in(ty);
        names.extend(node.child_by_field_id(self.g.f.constructor));
        names
    }

    /// Records the constructor of `Foo.new`, which is not called.
    pub(super) fn visit_tear_off(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        self.refer_created(&names_in(node), RefKind::Call, cx);
        WalkStep::Into
    }

    /// Records an annotation: one with arguments counts as a call, another is the use of a constant.
    pub(super) fn visit_annotation(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        self.lead.add_attribute(node, cx.source, false);
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        let names = if name.kind() == "qualified_name" { names_in(name) } else { vec![name] };
        let creates = child_where(node, |c| c.kind() == "annotation_arguments").is_some();
        let kind = if creates { RefKind::Call } else { RefKind::Use };
        self.refer_created(&names, kind, cx);
        WalkStep::Into
    }

    /// Records the constructor of `super.named(…)` behind a constructor's parameters.
    pub(super) fn visit_initializer(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        self.refer_handed_on(node, Receiver::Super, cx);
        WalkStep::Into
    }

    /// Records the constructor of `: this.named(…)`.
    pub(super) fn visit_redirection(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        self.refer_handed_on(node, Receiver::SelfType, cx);
        WalkStep::Into
    }

    fn refer_handed_on(&mut self, node: Node<'_>, receiver: Receiver, cx: &mut Cx<'_>) {
        let name = child_where(node, |c| self.g.kind(c) == DartKind::Ident);
        if let Some(name) = name {
            self.handled.mark(name);
            cx.record_use(cx.text(name), name, RefKind::Call, receiver);
        }
    }

    /// Records the field that `total = 1` behind a constructor's parameters sets.
    pub(super) fn visit_field_initializer(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if let Some(name) = node.child_by_field_id(self.g.f.name) {
            self.handled.mark(name);
            cx.record_use(cx.text(name), name, RefKind::Use, Receiver::SelfType);
        }
        WalkStep::Into
    }

    /// Records the constructor that `factory Foo() = Bar.named` stands for.
    pub(super) fn visit_factory_target(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if let Some(target) = node.child_by_field_id(self.g.f.target) {
            self.handled.mark(target);
            let mut names = names_in(target);
            each_child(node, |c, field| {
                names.extend((field == self.g.f.target_constructor && c.is_named()).then_some(c));
            });
            self.refer_created(&names, RefKind::Call, cx);
        }
        WalkStep::Into
    }
}

/// Records a member. On a value of unknown type, only a call is worth a reference.
fn record_member(name: Node<'_>, kind: RefKind, receiver: Receiver, cx: &mut Cx<'_>) {
    if receiver != Receiver::Unknown || kind != RefKind::Use {
        cx.record_use(cx.text(name), name, kind, receiver);
    }
}
