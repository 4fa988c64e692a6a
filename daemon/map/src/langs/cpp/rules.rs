//! Namespaces, templates, using declarations and the other definitions that C lacks.

use tree_sitter::Node;

use crate::facts::{DefFlags, DefKind, ImportInput, ImportKind, Receiver, RefKind};
use crate::langs::c::grammar::K;
use crate::langs::c::{Declared, Family, Parts, declared};
use crate::langs::support::{NewDef, Outer, each_child};
use crate::walk::{Binding, Cx, Step};

impl Family {
    /// The judgement on nodes that only C++ has.
    pub(crate) fn enter_cpp<'t>(&mut self, kind: K, node: Node<'t>, cx: &mut Cx<'t>) -> Step {
        match kind {
            K::Namespace => self.namespace(node, cx),
            K::Using => self.using(node, cx),
            K::NamespaceAlias => self.namespace_alias(node, cx),
            K::Alias => self.using_alias(node, cx),
            K::Template => self.template(node, cx),
            K::TypeParam => self.type_parameter(node, cx),
            K::Concept => self.concept(node, cx),
            K::Bases => self.bases(node, cx),
            K::Access => self.access_label(node, cx),
            K::RangeFor => self.range_for(node, cx),
            K::New => self.new_object(node, cx),
            K::Literal => self.literal(node, cx),
            K::TemplateType => self.template_use(node, cx),
            K::MemberInit => self.member_initialiser(node, cx),
            K::CaptureInit => self.capture(node, cx),
            K::Friend => {
                self.friend_until = node.end_byte();
                Step::Into
            }
            // An `operator T` has a type inside; a destructor has only its class's name.
            K::Operator if node.kind() == "operator_cast" => Step::Into,
            K::Operator | K::Nothing | K::FieldIdent | K::This => Step::Skip,
            _ => Step::Into,
        }
    }

    fn namespace(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let Some(name) = node.child_by_field_id(self.g.f.name) else {
            self.hidden_until = self.hidden_until.max(node.end_byte());
            return Step::Into;
        };
        let mut outer = self.outer(node, cx);
        let body = node.child_by_field_id(self.g.f.body);
        let head = (node.start_byte(), body.map_or(node.end_byte(), |body| body.start_byte()));
        for part in self.namespace_parts(name) {
            let def = NewDef {
                node,
                name_at: cx.position(part),
                name: cx.text(part),
                kind: DefKind::Module,
                flags: self.exported(node, false),
                parent: cx.owner(),
                qualifier: None,
                head,
            };
            let Some(idx) = def.make(cx, &outer, Some(false)) else { continue };
            let qualified = cx.facts.defs()[idx.index()].qualified;
            self.namespaces.insert(qualified);
            outer = Outer::default();
        }
        Step::Into
    }

    /// The names in `a::b::c`.
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

    fn using(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let text = cx.text(node).trim_start_matches("using").trim_end_matches(';').trim();
        let local = self.is_local(node) || self.owner_type(cx).is_some();
        if let Some(module) = text.strip_prefix("namespace") {
            self.import(node, ImportKind::Star, (module.trim(), None), None, cx);
        } else if let Some((module, name)) = text.rsplit_once("::").filter(|_| !local) {
            let name = name.trim();
            self.import(node, ImportKind::Named, (module.trim(), Some(name)), Some(name), cx);
        }
        Step::Skip
    }

    fn namespace_alias(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let text = cx.text(node).trim_end_matches(';');
        if let (Some((_, module)), Some(name)) = (text.split_once('='), node.child_by_field_id(self.g.f.name))
        {
            self.import(node, ImportKind::Module, (module.trim(), None), Some(cx.text(name)), cx);
        }
        Step::Skip
    }

    fn import(
        &self,
        node: Node<'_>,
        kind: ImportKind,
        (module, name): (&str, Option<&str>),
        local: Option<&str>,
        cx: &mut Cx<'_>,
    ) {
        let owner = cx.owner();
        let line = Cx::lines(node).0;
        if !module.is_empty() && module.len() < 500 {
            cx.facts.import(&ImportInput { kind, module, name, local, reexported: true, owner, line });
        }
    }

    fn using_alias(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return Step::Into };
        self.handled.mark(name);
        self.simple(node, name, DefKind::TypeAlias, cx);
        Step::Into
    }

    fn concept(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return Step::Into };
        self.handled.mark(name);
        self.simple(node, name, DefKind::Trait, cx);
        Step::Into
    }

    fn simple(&mut self, node: Node<'_>, name: Node<'_>, kind: DefKind, cx: &mut Cx<'_>) {
        let outer = self.outer(node, cx);
        let def = NewDef {
            node,
            name_at: cx.position(name),
            name: cx.text(name),
            kind,
            flags: self.exported(node, false),
            parent: cx.owner(),
            qualifier: None,
            head: (node.start_byte(), node.end_byte()),
        };
        def.make(cx, &outer, None);
    }

    fn template(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let outer = self.outer(node, cx);
        let start = outer.start.unwrap_or(node.start_byte());
        let line = outer.line.unwrap_or(Cx::lines(node).0);
        let outer = Outer { start: Some(start), line: Some(line), ..outer };
        self.wrapper = Some((node.start_byte(), node.end_byte(), outer));
        cx.open_scope(true);
        Step::Into
    }

    fn type_parameter(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let mut name = None;
        each_child(node, |child, _| {
            if name.is_none() && self.g.kind(child) == K::TypeIdent {
                name = Some(child);
            }
        });
        if let Some(name) = name {
            self.handled.mark(name);
            cx.bind(cx.text(name), Binding::Opaque);
        }
        Step::Into
    }

    fn bases(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let mut bases = Vec::new();
        each_child(node, |child, _| bases.push(child));
        for base in bases {
            match self.g.kind(base) {
                K::TypeIdent => {
                    self.handled.mark(base);
                    cx.refer(cx.text(base), base, RefKind::Extends, Receiver::None);
                }
                K::Qualified => {
                    self.handled.mark(base);
                    self.refer_qualified(base, RefKind::Extends, cx);
                }
                K::TemplateType => {
                    self.handled.mark(base);
                    self.refer_template(base, RefKind::Extends, cx);
                }
                _ => {}
            }
        }
        Step::Into
    }

    fn access_label(&mut self, node: Node<'_>, cx: &Cx<'_>) -> Step {
        self.access.retain(|&(end, _)| end > node.start_byte());
        if let Some(last) = self.access.last_mut() {
            last.1 = cx.text(node).starts_with("public");
        }
        Step::Skip
    }

    fn range_for(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        cx.open_scope(true);
        let declarator = node.child_by_field_id(self.g.f.declarator);
        if let Some(declared) = declarator.and_then(|d| declared(self.g, d)) {
            let ty = self.type_name(node.child_by_field_id(self.g.f.ty), cx);
            self.bind_declared(&declared, ty.map_or(Binding::Opaque, Binding::Typed), cx);
        }
        Step::Into
    }

    /// Binds a local, or all names of a structured binding.
    pub(crate) fn bind_declared(&mut self, declared: &Declared<'_>, binding: Binding, cx: &mut Cx<'_>) {
        if declared.kind == K::Binding {
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

    fn capture(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        if let Some(left) = node.child_by_field_id(self.g.f.left) {
            self.handled.mark(left);
            cx.bind(cx.text(left), Binding::Opaque);
        }
        Step::Into
    }

    /// `TEST(Suite, Name) { }`: a function of two names, neither a parameter.
    pub(crate) fn is_test_macro(&self, parts: &Parts<'_>, declared: &Declared<'_>, cx: &Cx<'_>) -> bool {
        self.g.cpp && parts.ty.is_none() && declared.kind == K::Ident && is_test_word(cx.text(declared.name))
    }

    /// Names it `Suite.Name`, as the tests' own reports do.
    pub(crate) fn test_function(&mut self, node: Node<'_>, declared: &Declared<'_>, cx: &mut Cx<'_>) {
        self.handled.mark(declared.name);
        cx.refer(cx.text(declared.name), declared.name, RefKind::Call, Receiver::None);
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
        let outer = self.outer(node, cx);
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
        .make(cx, &outer, Some(true));
    }
}

fn is_test_word(name: &str) -> bool {
    matches!(name, "TEST" | "TEST_F" | "TEST_P" | "TYPED_TEST" | "TYPED_TEST_P" | "TEST_CASE" | "BENCHMARK_F")
}
