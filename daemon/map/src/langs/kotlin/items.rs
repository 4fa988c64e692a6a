//! Defines packages, imports, types and their members.

use super::grammar::KotlinKind;
use super::infer::{Kotlin, type_child};
use super::rules::KotlinRules;
use crate::facts::{DefFlags, DefIdx, DefKind, ImportInput, ImportKind, RefInput, RefKind, StrId};
use crate::langs::support::{
    NewDef, SurroundingBody, Syntax, child_where, each_child, has_word, header_start,
};
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

/// A definition about to be made.
pub(super) struct KotlinItem<'t, 'a> {
    node: Node<'t>,
    /// The node of its name, and the name.
    name: (Node<'t>, &'a str),
    kind: DefKind,
    flags: DefFlags,
    /// The byte at which its header ends.
    end: usize,
}

impl KotlinRules {
    pub(super) fn visit_root(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let header = child_where(node, |c| self.g.kind(c) == KotlinKind::Package);
        let name = header.and_then(|header| header.named_child(0)).map_or("", |name| cx.text(name));
        let name: String = name.split_whitespace().collect::<String>().replace('`', "");
        cx.facts.set_package(&name);
        let file = cx.facts.intern("");
        self.record_member_types(node, file, cx);
        WalkStep::Into
    }

    pub(super) fn visit_import(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let path = child_where(node, |c| c.kind() == "identifier").map_or("", |path| cx.text(path));
        let path = path.split_whitespace().collect::<String>().replace('`', "").replace(".Companion.", ".");
        let star = child_where(node, |c| c.kind() == "wildcard_import").is_some();
        let alias = child_where(node, |c| c.kind() == "import_alias").and_then(|alias| alias.named_child(0));
        let path = if star { path.strip_suffix(".Companion").unwrap_or(&path) } else { &path };
        let (kind, module, name) = match path.rsplit_once('.') {
            _ if star => (ImportKind::Star, path, None),
            Some((module, name)) => (ImportKind::Named, module, Some(name)),
            None => return WalkStep::Skip,
        };
        cx.facts.add_import(&ImportInput {
            kind,
            module,
            name,
            local: alias.map(|alias| cx.text(alias)).or(name),
            reexported: false,
            owner: None,
            line: Cx::lines(node).0,
        });
        WalkStep::Skip
    }

    pub(super) fn visit_type_definition(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = child_where(node, |c| self.g.kind(c) == KotlinKind::TypeIdent) else {
            return WalkStep::Into;
        };
        let kind = match () {
            () if has_word(node, cx, &["interface"]) => DefKind::Interface,
            () if has_word(node, cx, &["enum"]) => DefKind::Enum,
            () => DefKind::Class,
        };
        let body = child_where(node, |c| matches!(c.kind(), "class_body" | "enum_class_body"));
        let end = body.map_or(node.end_byte(), |body| body.start_byte());
        let flags = self.visibility(node, cx).with_if(self.is_suite(node, cx), DefFlags::TEST);
        let item = KotlinItem { node, name: (name, without_quotes(cx.text(name))), kind, flags, end };
        let Some(idx) = self.define_item(item, cx.owner(), None, Some(true), cx) else {
            return WalkStep::Into;
        };
        let qualified = cx.facts.defs()[idx.index()].qualified;
        self.members.enter_body(node, SurroundingBody::Type { name: qualified, open: true });
        self.pending.enter_block(node);
        if let Some(constructor) = child_where(node, |c| c.kind() == "primary_constructor") {
            self.record_member_types(constructor, qualified, cx);
        }
        if let Some(body) = body {
            self.record_member_types(body, qualified, cx);
        }
        WalkStep::Into
    }

    /// Returns true if a class is a `Spec` of Kotest, whose tests are calls in its body.
    fn is_suite(&self, node: Node<'_>, cx: &Cx<'_>) -> bool {
        let is_spec = |c: Node<'_>| {
            let ty = c
                .named_child(0)
                .and_then(|c| c.named_child(0))
                .filter(|_| self.g.kind(c) == KotlinKind::Delegation);
            let name = ty.and_then(|ty| Kotlin.type_segments(ty)).and_then(|s| s.last().copied());
            name.is_some_and(|name| {
                let name = cx.text(name);
                [
                    "FunSpec",
                    "StringSpec",
                    "ShouldSpec",
                    "DescribeSpec",
                    "BehaviorSpec",
                    "FreeSpec",
                    "WordSpec",
                ]
                .contains(&name)
            })
        };
        child_where(node, is_spec).is_some()
    }

    /// Notes the types of a type's properties and the results of its functions, before they are walked; those of its
    /// companion too.
    fn record_member_types(&mut self, body: Node<'_>, class: StrId, cx: &mut Cx<'_>) {
        let mut members = Vec::new();
        each_child(body, |member, _| match self.g.kind(member) {
            KotlinKind::Companion => {
                let inner = child_where(member, |c| c.kind() == "class_body");
                inner.into_iter().for_each(|inner| each_child(inner, |m, _| members.push(m)));
            }
            _ => members.push(member),
        });
        for member in members {
            match self.g.kind(member) {
                KotlinKind::Property => self.record_property_type(member, class, cx),
                KotlinKind::ClassParameter => {
                    let name = self.name_child(member).map_or("", |name| cx.text(name));
                    let ty = type_child(member).and_then(|ty| Kotlin.type_path(ty, cx));
                    self.members.record_field_type(class, name, ty, cx);
                }
                KotlinKind::Function if member.child_by_field_id(self.g.f.receiver).is_none() => {
                    self.record_function_type(member, class, cx);
                }
                _ => {}
            }
        }
    }

    fn record_property_type(&mut self, member: Node<'_>, class: StrId, cx: &mut Cx<'_>) {
        let Some(variable) = child_where(member, |c| self.g.kind(c) == KotlinKind::Variable) else { return };
        let name = self.name_child(variable).map_or("", |name| cx.text(name));
        let ty = match type_child(variable) {
            Some(ty) => Kotlin.type_path(ty, cx),
            None => self.initializer(member).and_then(|value| self.members.type_of(&Kotlin, value, cx)),
        };
        if member.child_by_field_id(self.g.f.receiver).is_none() {
            self.members.record_field_type(class, name, ty, cx);
        }
    }

    fn record_function_type(&mut self, member: Node<'_>, class: StrId, cx: &mut Cx<'_>) {
        let name = self.name_child(member).map_or("", |name| cx.text(name));
        let generic = child_where(member, |c| c.kind() == "type_parameters").is_some();
        let written = type_child(member).filter(|_| !generic);
        let body = child_where(member, |c| c.kind() == "function_body").filter(|_| !generic);
        let value = body.and_then(|body| self.initializer(body));
        let ty = match (written, value) {
            (Some(ty), _) => Kotlin.type_path(ty, cx),
            (None, Some(value)) => self.members.type_of(&Kotlin, value, cx),
            (None, None) => None,
        };
        self.members.record_result_type(class, name, ty, cx);
    }

    fn define_item(
        &mut self,
        item: KotlinItem<'_, '_>,
        parent: Option<DefIdx>,
        qualifier: Option<&str>,
        scope: Option<bool>,
        cx: &mut Cx<'_>,
    ) -> Option<DefIdx> {
        let outer = self.lead.take_outer(item.node, cx);
        self.handled.mark(item.name.0);
        let def = NewDef {
            node: item.node,
            name_at: cx.position(item.name.0),
            name: item.name.1,
            kind: item.kind,
            flags: item.flags,
            parent,
            qualifier,
            head: (header_start(item.node, cx, |n| self.g.kind(n) == KotlinKind::Annotation), item.end),
        };
        def.make_def(cx, &outer, scope)
    }

    fn modifiers<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        child_where(node, |c| self.g.kind(c) == KotlinKind::Modifiers)
    }

    fn has_modifier(&self, node: Node<'_>, cx: &Cx<'_>, word: &str) -> bool {
        self.modifiers(node).is_some_and(|modifiers| has_word(modifiers, cx, &[word]))
    }

    /// Returns the visibility of a definition: everything but private is visible to some other file.
    fn visibility(&self, node: Node<'_>, cx: &Cx<'_>) -> DefFlags {
        DefFlags::default().with_if(!self.has_modifier(node, cx, "private"), DefFlags::EXPORTED)
    }

    /// Visits a companion, whose members belong to its class; its bases are its own.
    pub(super) fn visit_companion(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let named = child_where(node, |c| self.g.kind(c) == KotlinKind::TypeIdent);
        let at = named.or_else(|| child_where(node, |c| c.kind() == "object"));
        let Some(at) = at else { return WalkStep::Into };
        let body = child_where(node, |c| c.kind() == "class_body");
        let end = body.map_or(node.end_byte(), |body| body.start_byte());
        let name = named.map_or("Companion", |named| cx.text(named));
        let flags = self.visibility(node, cx);
        let item = KotlinItem { node, name: (at, name), kind: DefKind::Class, flags, end };
        let owner = self.define_item(item, cx.owner(), None, None, cx);
        let mut specifiers = Vec::new();
        each_child(node, |c, _| specifiers.extend((self.g.kind(c) == KotlinKind::Delegation).then_some(c)));
        for specifier in specifiers {
            self.handled.mark(specifier);
            let Some((ty, kind)) = self.base_type(specifier, false) else { continue };
            let Some(last) = Kotlin.type_segments(ty).and_then(|s| s.last().copied()) else { continue };
            self.handled.mark(ty);
            let ((line, col), receiver) = (cx.position(last), self.type_receiver(ty, cx));
            cx.facts.add_reference(&RefInput { name: cx.text(last), kind, receiver, owner, line, col });
        }
        WalkStep::Into
    }

    pub(super) fn visit_enum_entry(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = self.name_child(node) else { return WalkStep::Into };
        let item = KotlinItem {
            node,
            name: (name, cx.text(name)),
            kind: DefKind::Constant,
            flags: DefFlags::EXPORTED,
            end: node.end_byte(),
        };
        self.define_item(item, cx.owner(), None, Some(false), cx);
        WalkStep::Into
    }

    pub(super) fn visit_function(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let is_constructor = self.g.kind(node) == KotlinKind::Constructor;
        let named = match is_constructor {
            true => child_where(node, |c| c.kind() == "constructor").map(|at| (at, "constructor")),
            false => self.name_child(node).map(|name| (name, without_quotes(cx.text(name)))),
        };
        let Some(name) = named else { return WalkStep::Into };
        let around = self.members.innermost_body(node);
        let body = child_where(node, |c| matches!(c.kind(), "function_body" | "statements"));
        let end = body.map_or(node.end_byte(), |body| body.start_byte());
        let end = if is_constructor { self.constructor_head(node) } else { end };
        let extended = self.extended_type(node, cx);
        let kind = match (around, &extended) {
            (Some(SurroundingBody::Type { .. } | SurroundingBody::Anonymous), _) | (None, Some(Some(_))) => {
                DefKind::Method
            }
            _ => DefKind::Function,
        };
        let is_declared = body.is_none() && !is_constructor;
        let flags = self
            .visibility(node, cx)
            .with_if(is_declared, DefFlags::DECLARATION)
            .with_if(self.is_test(node, cx), DefFlags::TEST)
            .with_if(extended.is_some(), DefFlags::EXTENSION);
        let qualifier = extended.flatten().filter(|_| around.is_none());
        let item = KotlinItem { node, name, kind, flags, end };
        self.define_item(item, cx.owner(), qualifier.as_deref(), Some(true), cx);
        self.members.enter_body(node, SurroundingBody::Code);
        self.pending.enter_block(node);
        WalkStep::Into
    }

    fn constructor_head(&self, node: Node<'_>) -> usize {
        let list = child_where(node, |c| self.g.kind(c) == KotlinKind::Parameters);
        list.map_or(node.end_byte(), |list| list.end_byte())
    }

    /// Returns the type that an extension extends, `Some(None)` if that is a type parameter; `None` if the function is
    /// no extension.
    fn extended_type(&self, node: Node<'_>, cx: &Cx<'_>) -> Option<Option<String>> {
        let receiver = node.child_by_field_id(self.g.f.receiver)?;
        let segments = Kotlin.type_segments(receiver);
        let last = segments.map(|s| s.iter().map(|part| cx.text(*part)).collect::<Vec<_>>().join("."));
        let last = last.map(|name| name.strip_suffix(".Companion").map(str::to_owned).unwrap_or(name));
        let mut parameters = Vec::new();
        if let Some(list) = child_where(node, |c| c.kind() == "type_parameters") {
            each_child(list, |c, _| parameters.extend(c.named_child(0).map(|name| cx.text(name))));
        }
        Some(last.filter(|name| !parameters.contains(&name.as_str())))
    }

    fn is_test(&self, node: Node<'_>, cx: &Cx<'_>) -> bool {
        let Some(modifiers) = self.modifiers(node) else { return false };
        child_where(modifiers, |annotation| {
            let name = cx.text(annotation).trim_start_matches('@');
            let name = name.split(['(', '<', ' ', '\n']).next().unwrap_or(name);
            let name = name.rsplit(['.', ':']).next().unwrap_or(name);
            self.g.kind(annotation) == KotlinKind::Annotation
                && matches!(
                    name,
                    "Test" | "ParameterizedTest" | "RepeatedTest" | "TestFactory" | "TestTemplate"
                )
        })
        .is_some()
    }

    pub(super) fn visit_property(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let around = self.members.innermost_body(node);
        if matches!(around, Some(SurroundingBody::Code | SurroundingBody::Anonymous)) {
            return self.visit_local(node, cx);
        }
        let mut variables = Vec::new();
        each_child(node, |child, _| match child.kind() {
            "variable_declaration" => variables.push(child),
            "multi_variable_declaration" => each_child(child, |c, _| {
                variables.extend((self.g.kind(c) == KotlinKind::Variable).then_some(c));
            }),
            _ => {}
        });
        let extended = self.extended_type(node, cx);
        let kind = match around {
            _ if self.has_modifier(node, cx, "const") => DefKind::Constant,
            None if !matches!(extended, Some(Some(_))) => DefKind::Variable,
            _ => DefKind::Field,
        };
        let flags = self.visibility(node, cx).with_if(extended.is_some(), DefFlags::EXTENSION);
        let qualifier = extended.flatten().filter(|_| around.is_none());
        let several = variables.len() > 1;
        for variable in variables {
            self.handled.mark(variable);
            let Some(name) = self.name_child(variable) else { continue };
            let item = KotlinItem {
                node,
                name: (name, without_quotes(cx.text(name))),
                kind,
                flags,
                end: variable.end_byte(),
            };
            let scope = if several { None } else { Some(true) };
            self.define_item(item, cx.owner(), qualifier.as_deref(), scope, cx);
        }
        self.members.enter_body(node, SurroundingBody::Code);
        self.pending.enter_block(node);
        WalkStep::Into
    }

    pub(super) fn visit_alias(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = child_where(node, |c| self.g.kind(c) == KotlinKind::TypeIdent) else {
            return WalkStep::Into;
        };
        let flags = self.visibility(node, cx);
        let (kind, end) = (DefKind::TypeAlias, node.end_byte());
        let item = KotlinItem { node, name: (name, cx.text(name)), kind, flags, end };
        self.define_item(item, cx.owner(), None, Some(true), cx);
        WalkStep::Into
    }

    /// Visits a parameter in a header. With `val` it declares a property; otherwise the class's code alone sees it.
    pub(super) fn visit_class_parameter(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = self.name_child(node) else { return WalkStep::Into };
        if child_where(node, |c| c.kind() == "binding_pattern_kind").is_none() {
            return self.visit_parameter(node, cx);
        }
        let flags = self.visibility(node, cx);
        let end = type_child(node).map_or(name.end_byte(), |ty| ty.end_byte());
        let item = KotlinItem {
            node,
            name: (name, without_quotes(cx.text(name))),
            kind: DefKind::Field,
            flags,
            end,
        };
        self.define_item(item, cx.owner(), None, None, cx);
        WalkStep::Into
    }

    /// Returns a type in a list of bases, and the kind of its use: only a class is followed by arguments.
    pub(super) fn base_type<'t>(&self, node: Node<'t>, in_interface: bool) -> Option<(Node<'t>, RefKind)> {
        let first = child_where(node, |c| c.is_named() && !c.is_extra())?;
        Some(match self.g.kind(first) {
            KotlinKind::ConstructorCall => (first.named_child(0)?, RefKind::Extends),
            KotlinKind::UserType if in_interface => (first, RefKind::Extends),
            KotlinKind::UserType => (first, RefKind::Implements),
            _ => (type_child(first)?, RefKind::Implements),
        })
    }
}

/// Returns a name without the quotes that it may be written in.
fn without_quotes(name: &str) -> &str {
    name.strip_prefix('`').and_then(|name| name.strip_suffix('`')).unwrap_or(name)
}
