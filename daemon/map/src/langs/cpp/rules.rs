//! Handles namespaces, templates, using declarations and the other definitions that C lacks.

use crate::facts::{DefFlags, DefIdx, DefKind, ImportInput, ImportKind, Receiver, RefKind};
use crate::langs::c::grammar::CKind;
use crate::langs::c::{CDeclarationParts, Declared, Family, follow_declarator};
use crate::langs::support::{DefinitionLead, NewDef, each_child};
use crate::syntax::Node;
use crate::walk::{Binding, Cx, WalkStep};

impl Family {
    /// Sends a node that only C++ has to its handler.
    pub(crate) fn enter_cpp<'t>(&mut self, kind: CKind, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        match kind {
            CKind::Namespace => self.visit_namespace(node, cx),
            CKind::Using => self.visit_using(node, cx),
            CKind::NamespaceAlias => self.visit_namespace_alias(node, cx),
            CKind::Alias => self.visit_using_alias(node, cx),
            CKind::Template => self.visit_template(node, cx),
            CKind::TypeParam => self.visit_type_parameter(node, cx),
            CKind::Concept => self.visit_concept(node, cx),
            CKind::Bases => self.visit_bases(node, cx),
            CKind::Access => self.visit_access_label(node, cx),
            CKind::RangeFor => self.visit_range_for(node, cx),
            CKind::New => self.visit_new_object(node, cx),
            CKind::Literal => self.visit_list_literal(node, cx),
            CKind::TemplateType => self.visit_template_use(node, cx),
            CKind::MemberInit => self.visit_member_initialiser(node, cx),
            CKind::CaptureInit => self.visit_capture(node, cx),
            CKind::Friend => {
                self.friend_until = node.end_byte();
                WalkStep::Into
            }
            // An `operator T` has a type inside; a destructor has only its class's name.
            CKind::Operator if node.kind() == "operator_cast" => WalkStep::Into,
            CKind::Operator | CKind::Nothing | CKind::FieldIdent | CKind::This => WalkStep::Skip,
            _ => WalkStep::Into,
        }
    }

    fn visit_namespace(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.g.f.name) else {
            self.hidden_until = self.hidden_until.max(node.end_byte());
            return WalkStep::Into;
        };
        let mut outer = self.take_outer(node, cx);
        let body = node.child_by_field_id(self.g.f.body);
        let head = (node.start_byte(), body.map_or(node.end_byte(), |body| body.start_byte()));
        for part in self.namespace_parts(name) {
            let def = NewDef {
                node,
                name_at: cx.position(part),
                name: cx.text(part),
                kind: DefKind::Module,
                flags: self.export_flags(node, false),
                parent: cx.owner(),
                qualifier: None,
                head,
            };
            let Some(idx) = def.make_def(cx, &outer, Some(false)) else { continue };
            let qualified = cx.facts.defs()[idx.index()].qualified;
            self.namespaces.insert(qualified);
            outer = DefinitionLead::default();
        }
        WalkStep::Into
    }

    /// Returns the names in `a::b::c`.
    fn namespace_parts<'t>(&self, name: Node<'t>) -> Vec<Node<'t>> {
        let mut parts = Vec::new();
        let mut next = Some(name);
        while let Some(node) = next.take() {
            if node.named_child_count() == 0 {
                parts.push(node);
            }
            each_child(node, |child, _| match child.kind() {
                "namespace_identifier" => parts.push(child),
                "nested_namespace_specifier" => next = Some(child),
                _ => {}
            });
        }
        parts
    }

    fn visit_using(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let text = cx.text(node).trim_start_matches("using").trim_end_matches(';').trim();
        let local = self.is_local(node) || self.owner_type(cx).is_some();
        if let Some(module) = text.strip_prefix("namespace") {
            self.record_import(node, ImportKind::Star, module.trim(), None, None, cx);
        } else if let Some((module, name)) = text.rsplit_once("::").filter(|_| !local) {
            let name = name.trim();
            self.record_import(node, ImportKind::Named, module.trim(), Some(name), Some(name), cx);
        }
        self.refer_used(node, cx);
        WalkStep::Skip
    }

    /// Records the names in a `using` as uses, except those of the standard library.
    fn refer_used(&mut self, node: Node<'_>, cx: &mut Cx<'_>) {
        let mut names = Vec::new();
        each_child(node, |child, _| names.push(child));
        // The standard library is not part of the project.
        names.retain(|name| cx.text(*name).split("::").next() != Some("std"));
        for name in names {
            match self.g.kind(name) {
                CKind::Ident | CKind::TypeIdent => {
                    cx.record_use(cx.text(name), name, RefKind::Use, Receiver::None);
                }
                CKind::Qualified if !name.has_error() => self.refer_qualified(name, RefKind::Use, cx),
                _ => {}
            }
        }
    }

    fn visit_namespace_alias(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let text = cx.text(node).trim_end_matches(';');
        if let (Some((_, module)), Some(name)) = (text.split_once('='), node.child_by_field_id(self.g.f.name))
        {
            self.record_import(node, ImportKind::Module, module.trim(), None, Some(cx.text(name)), cx);
        }
        WalkStep::Skip
    }

    fn record_import(
        &self,
        node: Node<'_>,
        kind: ImportKind,
        module: &str,
        name: Option<&str>,
        local: Option<&str>,
        cx: &mut Cx<'_>,
    ) {
        let owner = cx.owner();
        let line = Cx::lines(node).0;
        if !module.is_empty() && module.len() < 500 {
            cx.facts.add_import(&ImportInput { kind, module, name, local, reexported: true, owner, line });
        }
    }

    fn visit_using_alias(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        self.handled.mark(name);
        let alias = self.define_simple(node, name, DefKind::TypeAlias, cx);
        let ty = node.child_by_field_id(self.g.f.ty).and_then(|ty| ty.child_by_field_id(self.g.f.ty));
        self.lead_alias_on(alias, name, ty, cx);
        WalkStep::Into
    }

    fn visit_concept(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        self.handled.mark(name);
        self.define_simple(node, name, DefKind::Trait, cx);
        WalkStep::Into
    }

    fn define_simple(
        &mut self,
        node: Node<'_>,
        name: Node<'_>,
        kind: DefKind,
        cx: &mut Cx<'_>,
    ) -> Option<DefIdx> {
        let outer = self.take_outer(node, cx);
        let def = NewDef {
            node,
            name_at: cx.position(name),
            name: cx.text(name),
            kind,
            flags: self.export_flags(node, false),
            parent: cx.owner(),
            qualifier: None,
            head: (node.start_byte(), node.end_byte()),
        };
        def.make_def(cx, &outer, None)
    }

    fn visit_template(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let outer = self.take_outer(node, cx);
        let start = outer.start.unwrap_or(node.start_byte());
        let line = outer.line.unwrap_or(Cx::lines(node).0);
        let outer = DefinitionLead { start: Some(start), line: Some(line), ..outer };
        self.wrapper = Some((node.start_byte(), node.end_byte(), outer));
        cx.open_scope(true);
        WalkStep::Into
    }

    fn visit_type_parameter(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let mut name = None;
        each_child(node, |child, _| {
            if name.is_none() && self.g.kind(child) == CKind::TypeIdent {
                name = Some(child);
            }
        });
        if let Some(name) = name {
            self.handled.mark(name);
            cx.bind(cx.text(name), Binding::Opaque);
        }
        WalkStep::Into
    }

    fn visit_bases(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let mut bases = Vec::new();
        each_child(node, |child, _| bases.push(child));
        for base in bases {
            match self.g.kind(base) {
                CKind::TypeIdent => {
                    self.handled.mark(base);
                    cx.record_use(cx.text(base), base, RefKind::Extends, Receiver::None);
                }
                CKind::Qualified => {
                    self.handled.mark(base);
                    self.refer_qualified(base, RefKind::Extends, cx);
                }
                CKind::TemplateType => {
                    self.handled.mark(base);
                    self.refer_template(base, RefKind::Extends, cx);
                }
                _ => {}
            }
        }
        WalkStep::Into
    }

    fn visit_access_label(&mut self, node: Node<'_>, cx: &Cx<'_>) -> WalkStep {
        self.access.retain(|&(end, _)| end > node.start_byte());
        if let Some(last) = self.access.last_mut() {
            last.1 = cx.text(node).starts_with("public");
        }
        WalkStep::Skip
    }

    fn visit_range_for(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        cx.open_scope(true);
        let declarator = node.child_by_field_id(self.g.f.declarator);
        if let Some(declared) = declarator.and_then(|d| follow_declarator(self.g, d)) {
            let ty = self.type_name(node.child_by_field_id(self.g.f.ty), cx);
            self.bind_declared(&declared, ty.map_or(Binding::Opaque, Binding::Typed), cx);
        }
        WalkStep::Into
    }

    /// Binds a local, or all names of a structured binding.
    pub(crate) fn bind_declared(&mut self, declared: &Declared<'_>, binding: Binding, cx: &mut Cx<'_>) {
        if declared.kind == CKind::Binding {
            each_child(declared.name, |child, _| {
                if child.is_named() {
                    self.handled.mark(child);
                    cx.bind(cx.text(child), Binding::Opaque);
                }
            });
            return;
        }
        self.handled.mark(declared.name);
        cx.bind(cx.text(declared.name), binding);
    }

    fn visit_capture(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if let Some(left) = node.child_by_field_id(self.g.f.left) {
            self.handled.mark(left);
            cx.bind(cx.text(left), Binding::Opaque);
        }
        WalkStep::Into
    }

    /// Returns true for `TEST(Suite, Name) { }`, which looks like a function with two names for parameters.
    pub(crate) fn is_test_macro(
        &self,
        parts: &CDeclarationParts<'_>,
        declared: &Declared<'_>,
        cx: &Cx<'_>,
    ) -> bool {
        self.g.cpp
            && parts.ty.is_none()
            && declared.kind == CKind::Ident
            && is_test_word(cx.text(declared.name))
    }

    /// Defines such a test under the name `Suite.Name`, as the tests' own reports do.
    pub(crate) fn test_function(&mut self, node: Node<'_>, declared: &Declared<'_>, cx: &mut Cx<'_>) {
        self.handled.mark(declared.name);
        cx.record_use(cx.text(declared.name), declared.name, RefKind::Call, Receiver::None);
        let mut words = Vec::new();
        if let Some(list) = declared.function.and_then(|f| f.child_by_field_id(self.g.f.parameters)) {
            each_child(list, |child, _| words.extend(child.child_by_field_id(self.g.f.ty)));
        }
        let Some(&last) = words.last().filter(|last| !cx.text(**last).is_empty()) else {
            cx.open_scope(true);
            return;
        };
        words.iter().for_each(|word| self.handled.mark(*word));
        let suite = (words.len() > 1).then(|| cx.text(words[0]));
        let outer = self.take_outer(node, cx);
        NewDef {
            node,
            name_at: cx.position(last),
            name: cx.text(last),
            kind: DefKind::Function,
            flags: DefFlags::TEST,
            parent: cx.owner(),
            qualifier: suite,
            head: (node.start_byte(), declared.function.map_or(node.end_byte(), |f| f.end_byte())),
        }
        .make_def(cx, &outer, Some(true));
    }
}

fn is_test_word(name: &str) -> bool {
    matches!(name, "TEST" | "TEST_F" | "TEST_P" | "TYPED_TEST" | "TYPED_TEST_P" | "TEST_CASE" | "BENCHMARK_F")
}
