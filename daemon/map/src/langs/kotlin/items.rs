//! Packages, imports, types and their members.

use tree_sitter::Node;

use super::grammar::K;
use super::infer::{Kotlin, type_child};
use super::rules::KotlinRules;
use crate::facts::{DefFlags, DefIdx, DefKind, ImportInput, ImportKind, RefInput, RefKind, StrId};
use crate::langs::support::{Body, NewDef, Syntax, child_where, each_child, has_word, header_start};
use crate::walk::{Cx, Step};

/// A definition about to be made.
pub(super) struct Item<'t, 'a> {
    node: Node<'t>,
    /// Where its name stands, and the name.
    name: (Node<'t>, &'a str),
    kind: DefKind,
    flags: DefFlags,
    /// Where its header ends.
    end: usize,
}

impl KotlinRules {
    pub(super) fn root(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let header = child_where(node, |c| self.g.kind(c) == K::Package);
        let name = header.and_then(|header| header.named_child(0)).map_or("", |name| cx.text(name));
        let name: String = name.split_whitespace().collect::<String>().replace('`', "");
        cx.facts.package(&name);
        let file = cx.facts.intern("");
        self.know_members(node, file, cx);
        Step::Into
    }

    pub(super) fn import(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let path = child_where(node, |c| c.kind() == "identifier").map_or("", |path| cx.text(path));
        let path = path.split_whitespace().collect::<String>().replace('`', "").replace(".Companion.", ".");
        let star = child_where(node, |c| c.kind() == "wildcard_import").is_some();
        let alias = child_where(node, |c| c.kind() == "import_alias").and_then(|alias| alias.named_child(0));
        let path = if star { path.strip_suffix(".Companion").unwrap_or(&path) } else { &path };
        let (kind, module, name) = match path.rsplit_once('.') {
            _ if star => (ImportKind::Star, path, None),
            Some((module, name)) => (ImportKind::Named, module, Some(name)),
            None => return Step::Skip,
        };
        cx.facts.import(&ImportInput {
            kind,
            module,
            name,
            local: alias.map(|alias| cx.text(alias)).or(name),
            reexported: false,
            owner: None,
            line: Cx::lines(node).0,
        });
        Step::Skip
    }

    pub(super) fn type_definition(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let Some(name) = child_where(node, |c| self.g.kind(c) == K::TypeIdent) else { return Step::Into };
        let kind = match () {
            () if has_word(node, cx, &["interface"]) => DefKind::Interface,
            () if has_word(node, cx, &["enum"]) => DefKind::Enum,
            () => DefKind::Class,
        };
        let body = child_where(node, |c| matches!(c.kind(), "class_body" | "enum_class_body"));
        let end = body.map_or(node.end_byte(), |body| body.start_byte());
        let flags = self.visibility(node, cx).with_if(self.is_suite(node, cx), DefFlags::TEST);
        let item = Item { node, name: (name, plain(cx.text(name))), kind, flags, end };
        let Some(idx) = self.define(item, (cx.owner(), None), Some(true), cx) else { return Step::Into };
        let qualified = cx.facts.defs()[idx.index()].qualified;
        self.members.enter(node, Body::Type { name: qualified, open: true });
        self.pending.block(node);
        if let Some(constructor) = child_where(node, |c| c.kind() == "primary_constructor") {
            self.know_members(constructor, qualified, cx);
        }
        if let Some(body) = body {
            self.know_members(body, qualified, cx);
        }
        Step::Into
    }

    /// Kotest writes tests as calls in the body of a class that is a `Spec`.
    fn is_suite(&self, node: Node<'_>, cx: &Cx<'_>) -> bool {
        let is_spec = |c: Node<'_>| {
            let ty =
                c.named_child(0).and_then(|c| c.named_child(0)).filter(|_| self.g.kind(c) == K::Delegation);
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

    /// Types of a type's properties and of what its functions return, before they are walked; those of its companion too.
    fn know_members(&mut self, body: Node<'_>, class: StrId, cx: &mut Cx<'_>) {
        let mut members = Vec::new();
        each_child(body, |member, _| match self.g.kind(member) {
            K::Companion => {
                let inner = child_where(member, |c| c.kind() == "class_body");
                inner.into_iter().for_each(|inner| each_child(inner, |m, _| members.push(m)));
            }
            _ => members.push(member),
        });
        for member in members {
            match self.g.kind(member) {
                K::Property => self.know_property(member, class, cx),
                K::ClassParameter => {
                    let name = self.name_child(member).map_or("", |name| cx.text(name));
                    let ty = type_child(member).and_then(|ty| Kotlin.type_path(ty, cx));
                    self.members.know_field(class, name, ty, cx);
                }
                K::Function if member.child_by_field_id(self.g.f.receiver).is_none() => {
                    self.know_function(member, class, cx);
                }
                _ => {}
            }
        }
    }

    fn know_property(&mut self, member: Node<'_>, class: StrId, cx: &mut Cx<'_>) {
        let Some(variable) = child_where(member, |c| self.g.kind(c) == K::Variable) else { return };
        let name = self.name_child(variable).map_or("", |name| cx.text(name));
        let ty = match type_child(variable) {
            Some(ty) => Kotlin.type_path(ty, cx),
            None => self.initializer(member).and_then(|value| self.members.type_of(&Kotlin, value, cx)),
        };
        if member.child_by_field_id(self.g.f.receiver).is_none() {
            self.members.know_field(class, name, ty, cx);
        }
    }

    fn know_function(&mut self, member: Node<'_>, class: StrId, cx: &mut Cx<'_>) {
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
        self.members.know_result(class, name, ty, cx);
    }

    fn define(
        &mut self,
        item: Item<'_, '_>,
        (parent, qualifier): (Option<DefIdx>, Option<&str>),
        scope: Option<bool>,
        cx: &mut Cx<'_>,
    ) -> Option<DefIdx> {
        let outer = self.lead.take(item.node, cx);
        self.handled.mark(item.name.0);
        let def = NewDef {
            node: item.node,
            name_at: cx.position(item.name.0),
            name: item.name.1,
            kind: item.kind,
            flags: item.flags,
            parent,
            qualifier,
            head: (header_start(item.node, cx, |n| self.g.kind(n) == K::Annotation), item.end),
        };
        def.make(cx, &outer, scope)
    }

    fn modifiers<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        child_where(node, |c| self.g.kind(c) == K::Modifiers)
    }

    fn has_modifier(&self, node: Node<'_>, cx: &Cx<'_>, word: &str) -> bool {
        self.modifiers(node).is_some_and(|modifiers| has_word(modifiers, cx, &[word]))
    }

    /// Everything but private is visible to some other file.
    fn visibility(&self, node: Node<'_>, cx: &Cx<'_>) -> DefFlags {
        DefFlags::default().with_if(!self.has_modifier(node, cx, "private"), DefFlags::EXPORTED)
    }

    /// A companion has no members of its own: they are its class's. Its bases are its own.
    pub(super) fn companion(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let named = child_where(node, |c| self.g.kind(c) == K::TypeIdent);
        let at = named.or_else(|| child_where(node, |c| c.kind() == "object"));
        let Some(at) = at else { return Step::Into };
        let body = child_where(node, |c| c.kind() == "class_body");
        let end = body.map_or(node.end_byte(), |body| body.start_byte());
        let name = named.map_or("Companion", |named| cx.text(named));
        let flags = self.visibility(node, cx);
        let item = Item { node, name: (at, name), kind: DefKind::Class, flags, end };
        let owner = self.define(item, (cx.owner(), None), None, cx);
        let mut specifiers = Vec::new();
        each_child(node, |c, _| specifiers.extend((self.g.kind(c) == K::Delegation).then_some(c)));
        for specifier in specifiers {
            self.handled.mark(specifier);
            let Some((ty, kind)) = self.base(specifier, false) else { continue };
            let Some(last) = Kotlin.type_segments(ty).and_then(|s| s.last().copied()) else { continue };
            self.handled.mark(ty);
            let ((line, col), receiver) = (cx.position(last), self.type_receiver(ty, cx));
            cx.facts.reference(&RefInput { name: cx.text(last), kind, receiver, owner, line, col });
        }
        Step::Into
    }

    pub(super) fn enum_entry(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let Some(name) = self.name_child(node) else { return Step::Into };
        let item = Item {
            node,
            name: (name, cx.text(name)),
            kind: DefKind::Constant,
            flags: DefFlags::EXPORTED,
            end: node.end_byte(),
        };
        self.define(item, (cx.owner(), None), Some(false), cx);
        Step::Into
    }

    pub(super) fn function(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let is_constructor = self.g.kind(node) == K::Constructor;
        let named = match is_constructor {
            true => child_where(node, |c| c.kind() == "constructor").map(|at| (at, "constructor")),
            false => self.name_child(node).map(|name| (name, plain(cx.text(name)))),
        };
        let Some(name) = named else { return Step::Into };
        let around = self.members.innermost(node);
        let body = child_where(node, |c| matches!(c.kind(), "function_body" | "statements"));
        let end = body.map_or(node.end_byte(), |body| body.start_byte());
        let end = if is_constructor { self.constructor_head(node) } else { end };
        let extended = self.extended(node, cx);
        let kind = match (around, &extended) {
            (Some(Body::Type { .. } | Body::Anonymous), _) | (None, Some(Some(_))) => DefKind::Method,
            _ => DefKind::Function,
        };
        let is_declared = body.is_none() && !is_constructor;
        let flags = self
            .visibility(node, cx)
            .with_if(is_declared, DefFlags::DECLARATION)
            .with_if(self.is_test(node, cx), DefFlags::TEST)
            .with_if(extended.is_some(), DefFlags::EXTENSION);
        let qualifier = extended.flatten().filter(|_| around.is_none());
        let item = Item { node, name, kind, flags, end };
        self.define(item, (cx.owner(), qualifier.as_deref()), Some(true), cx);
        self.members.enter(node, Body::Code);
        self.pending.block(node);
        Step::Into
    }

    fn constructor_head(&self, node: Node<'_>) -> usize {
        let list = child_where(node, |c| self.g.kind(c) == K::Parameters);
        list.map_or(node.end_byte(), |list| list.end_byte())
    }

    /// For an extension, the type it extends; none for a type parameter.
    fn extended(&self, node: Node<'_>, cx: &Cx<'_>) -> Option<Option<String>> {
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
            self.g.kind(annotation) == K::Annotation
                && matches!(
                    name,
                    "Test" | "ParameterizedTest" | "RepeatedTest" | "TestFactory" | "TestTemplate"
                )
        })
        .is_some()
    }

    pub(super) fn property(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let around = self.members.innermost(node);
        if matches!(around, Some(Body::Code | Body::Anonymous)) {
            return self.local(node, cx);
        }
        let mut variables = Vec::new();
        each_child(node, |child, _| match child.kind() {
            "variable_declaration" => variables.push(child),
            "multi_variable_declaration" => each_child(child, |c, _| {
                variables.extend((self.g.kind(c) == K::Variable).then_some(c));
            }),
            _ => {}
        });
        let extended = self.extended(node, cx);
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
            let item =
                Item { node, name: (name, plain(cx.text(name))), kind, flags, end: variable.end_byte() };
            let scope = if several { None } else { Some(true) };
            self.define(item, (cx.owner(), qualifier.as_deref()), scope, cx);
        }
        self.members.enter(node, Body::Code);
        self.pending.block(node);
        Step::Into
    }

    pub(super) fn alias(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let Some(name) = child_where(node, |c| self.g.kind(c) == K::TypeIdent) else { return Step::Into };
        let flags = self.visibility(node, cx);
        let (kind, end) = (DefKind::TypeAlias, node.end_byte());
        let item = Item { node, name: (name, cx.text(name)), kind, flags, end };
        self.define(item, (cx.owner(), None), Some(true), cx);
        Step::Into
    }

    /// `val` in a header declares a property; other parameters are seen by the class's code.
    pub(super) fn class_parameter(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let Some(name) = self.name_child(node) else { return Step::Into };
        if child_where(node, |c| c.kind() == "binding_pattern_kind").is_none() {
            return self.parameter(node, cx);
        }
        let flags = self.visibility(node, cx);
        let end = type_child(node).map_or(name.end_byte(), |ty| ty.end_byte());
        let item = Item { node, name: (name, plain(cx.text(name))), kind: DefKind::Field, flags, end };
        self.define(item, (cx.owner(), None), None, cx);
        Step::Into
    }

    /// The type in a list of bases, and what it is: only a class is followed by arguments.
    pub(super) fn base<'t>(&self, node: Node<'t>, in_interface: bool) -> Option<(Node<'t>, RefKind)> {
        let first = child_where(node, |c| c.is_named() && !c.is_extra())?;
        Some(match self.g.kind(first) {
            K::ConstructorCall => (first.named_child(0)?, RefKind::Extends),
            K::UserType if in_interface => (first, RefKind::Extends),
            K::UserType => (first, RefKind::Implements),
            _ => (type_child(first)?, RefKind::Implements),
        })
    }
}

/// A name without the quotes it may be written in.
fn plain(name: &str) -> &str {
    name.strip_prefix('`').and_then(|name| name.strip_suffix('`')).unwrap_or(name)
}
