//! Packages, imports, types and their members, and local variables.

use tree_sitter::Node;

use super::grammar::K;
use super::rules::{Class, JavaRules};
use crate::facts::{DefFlags, DefKind, ImportInput, ImportKind, RefKind, StrId};
use crate::langs::support::{NewDef, child_where, each_child};
use crate::walk::{Binding, Cx, Step};

impl JavaRules {
    pub(super) fn package(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let name = child_where(node, |c| matches!(self.g.kind(c), K::Ident | K::ScopedName));
        if let Some(name) = name {
            let name: String = cx.text(name).split_whitespace().collect();
            cx.facts.package(&name);
        }
        Step::Skip
    }

    pub(super) fn import(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let path = child_where(node, |c| matches!(self.g.kind(c), K::Ident | K::ScopedName));
        let path: String = path.map_or("", |path| cx.text(path)).split_whitespace().collect();
        let star = child_where(node, |c| c.kind() == "asterisk").is_some();
        let line = Cx::lines(node).0;
        let (kind, module, name) = match path.rsplit_once('.') {
            _ if star => (ImportKind::Star, path.as_str(), None),
            Some((module, name)) => (ImportKind::Named, module, Some(name)),
            None => return Step::Skip,
        };
        if !module.is_empty() {
            cx.facts.import(&ImportInput {
                kind,
                module,
                name,
                local: name,
                reexported: false,
                owner: None,
                line,
            });
        }
        Step::Skip
    }

    pub(super) fn type_definition(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return Step::Into };
        self.handled.mark(name);
        let kind = match self.g.kind(node) {
            K::Class => DefKind::Class,
            K::Enum => DefKind::Enum,
            K::Record => DefKind::Struct,
            _ => DefKind::Interface,
        };
        let flags = self.visibility(node, cx);
        let body = node.child_by_field_id(self.g.f.body);
        let end = body.map_or(node.end_byte(), |body| body.start_byte());
        let Some(idx) = self.define((node, name), (kind, flags), end, Some(true), cx) else {
            return Step::Into;
        };
        let qualified = cx.facts.defs()[idx.index()].qualified;
        self.classes(node);
        let interface = kind == DefKind::Interface;
        self.classes.push(Class { end: node.end_byte(), name: Some(qualified), interface });
        if let Some(body) = body {
            self.handled.mark(body);
            self.know_members(body, qualified, cx);
        }
        if kind == DefKind::Struct {
            self.components(node, qualified, cx);
        }
        Step::Into
    }

    /// Types of a class's fields and of what its methods return, before they are walked.
    fn know_members(&mut self, body: Node<'_>, class: StrId, cx: &mut Cx<'_>) {
        let mut members = Vec::new();
        each_child(body, |member, _| match member.kind() {
            "enum_body_declarations" => each_child(member, |m, _| members.push(m)),
            _ => members.push(member),
        });
        for member in members {
            let ty = member.child_by_field_id(self.g.f.ty);
            match self.g.kind(member) {
                K::Field => self.know_field(member, ty, class, cx),
                K::Method => self.know_result(member, ty, class, cx),
                _ => {}
            }
        }
    }

    fn know_field(&mut self, field: Node<'_>, ty: Option<Node<'_>>, class: StrId, cx: &mut Cx<'_>) {
        let Some(ty) = ty.and_then(|ty| self.type_path(ty, cx)) else { return };
        for name in self.declared(field) {
            let name = cx.facts.intern(cx.text(name));
            self.field_types.insert((class, name), ty);
        }
    }

    fn know_result(&mut self, method: Node<'_>, ty: Option<Node<'_>>, class: StrId, cx: &mut Cx<'_>) {
        let generic = child_where(method, |c| c.kind() == "type_parameters").is_some();
        let ty = ty.filter(|_| !generic).and_then(|ty| self.type_path(ty, cx));
        let name = cx.facts.intern(method.child_by_field_id(self.g.f.name).map_or("", |name| cx.text(name)));
        let known = self.results.entry((class, name)).or_insert(ty);
        if *known != ty {
            *known = None;
        }
    }

    /// A record's components are fields.
    fn components(&mut self, node: Node<'_>, class: StrId, cx: &mut Cx<'_>) {
        let Some(list) = node.child_by_field_id(self.g.f.parameters) else { return };
        let mut parameters = Vec::new();
        each_child(list, |p, _| parameters.extend((self.g.kind(p) == K::Param).then_some(p)));
        for parameter in parameters {
            let Some(name) = parameter.child_by_field_id(self.g.f.name) else { continue };
            let ty = parameter.child_by_field_id(self.g.f.ty).and_then(|ty| self.type_path(ty, cx));
            self.define(
                (parameter, name),
                (DefKind::Field, DefFlags::EXPORTED),
                parameter.end_byte(),
                None,
                cx,
            );
            self.handled.mark(name);
            self.handled.mark(parameter);
            if let Some(ty) = ty {
                let name = cx.facts.intern(cx.text(name));
                self.field_types.insert((class, name), ty);
            }
        }
    }

    fn define(
        &mut self,
        (node, name): (Node<'_>, Node<'_>),
        (kind, flags): (DefKind, DefFlags),
        end: usize,
        scope: Option<bool>,
        cx: &mut Cx<'_>,
    ) -> Option<crate::facts::DefIdx> {
        let outer = self.lead.take(node, cx);
        let def = NewDef {
            node,
            name_at: cx.position(name),
            name: cx.text(name),
            kind,
            flags,
            parent: cx.owner(),
            qualifier: None,
            head: (self.head_start(node, cx), end),
        };
        def.make(cx, &outer, scope)
    }

    /// Where a header starts when the annotations before it are left out.
    fn head_start(&self, node: Node<'_>, cx: &Cx<'_>) -> usize {
        let Some(modifiers) = self.modifiers(node) else { return node.start_byte() };
        let word =
            child_where(modifiers, |c| self.g.kind(c) != K::Annotation && self.g.kind(c) != K::Comment);
        let start = word.map_or(modifiers.end_byte(), |word| word.start_byte());
        let blank =
            cx.source.get(start..).unwrap_or(&[]).iter().take_while(|b| b.is_ascii_whitespace()).count();
        start + blank
    }

    fn modifiers<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        node.child(0).filter(|first| self.g.kind(*first) == K::Modifiers)
    }

    /// Everything but private is visible to some other file.
    fn visibility(&mut self, node: Node<'_>, _cx: &Cx<'_>) -> DefFlags {
        let private = self.has_modifier(node, "private");
        DefFlags::default().with_if(!private, DefFlags::EXPORTED)
    }

    fn has_modifier(&self, node: Node<'_>, word: &str) -> bool {
        self.modifiers(node).is_some_and(|m| child_where(m, |c| c.kind() == word).is_some())
    }

    pub(super) fn method(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return Step::Into };
        self.handled.mark(name);
        let body = node.child_by_field_id(self.g.f.body);
        let flags = self.visibility(node, cx);
        let flags = flags.with_if(body.is_none(), DefFlags::DECLARATION);
        let flags = flags.with_if(self.is_test(node, cx), DefFlags::TEST);
        let end = body.map_or(node.end_byte(), |body| body.start_byte());
        self.define((node, name), (DefKind::Method, flags), end, Some(true), cx);
        Step::Into
    }

    fn is_test(&self, node: Node<'_>, cx: &Cx<'_>) -> bool {
        let Some(modifiers) = self.modifiers(node) else { return false };
        child_where(modifiers, |annotation| {
            let name = annotation.child_by_field_id(self.g.f.name).map_or("", |name| cx.text(name));
            let name = name.rsplit('.').next().unwrap_or(name);
            matches!(name, "Test" | "ParameterizedTest" | "RepeatedTest" | "TestFactory" | "TestTemplate")
        })
        .is_some()
    }

    pub(super) fn fields(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let names = self.declared(node);
        names.iter().for_each(|name| self.handled.mark(*name));
        if self.classes(node).last().is_some_and(|class| class.name.is_none()) {
            let ty = node.child_by_field_id(self.g.f.ty).and_then(|ty| self.type_path(ty, cx));
            names.iter().for_each(|name| cx.bind(cx.text(*name), binding(ty)));
            return Step::Into;
        }
        let interface = self.classes(node).last().is_some_and(|class| class.interface);
        let fixed = self.has_modifier(node, "static") && self.has_modifier(node, "final");
        let kind = if interface || fixed || self.g.kind(node) == K::Constant {
            DefKind::Constant
        } else {
            DefKind::Field
        };
        let flags = self.visibility(node, cx);
        for name in names {
            let end = if kind == DefKind::Constant {
                node.end_byte().min(name.end_byte())
            } else {
                name.end_byte()
            };
            self.define((node, name), (kind, flags), end, None, cx);
        }
        Step::Into
    }

    /// The names that a declaration of variables declares.
    fn declared<'t>(&self, node: Node<'t>) -> Vec<Node<'t>> {
        let mut names = Vec::new();
        each_child(node, |child, field| {
            if field == self.g.f.declarator {
                names.extend(child.child_by_field_id(self.g.f.name));
            }
        });
        names
    }

    pub(super) fn enum_constant(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return Step::Into };
        self.handled.mark(name);
        self.define((node, name), (DefKind::Constant, DefFlags::EXPORTED), node.end_byte(), Some(false), cx);
        Step::Into
    }

    /// The body of an anonymous class: its members are of the method around, its fields like locals.
    pub(super) fn anonymous_body(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        if !self.handled.take(node) {
            self.classes(node);
            self.classes.push(Class { end: node.end_byte(), name: None, interface: false });
            cx.open_scope(true);
        }
        Step::Into
    }

    pub(super) fn bases(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let kind = if self.g.kind(node) == K::Implements { RefKind::Implements } else { RefKind::Extends };
        let mut types = Vec::new();
        each_child(node, |child, _| match self.g.kind(child) {
            K::TypeList => each_child(child, |ty, _| types.push(ty)),
            _ => types.push(child),
        });
        types.into_iter().for_each(|ty| self.refer_type(ty, kind, cx));
        Step::Into
    }

    pub(super) fn type_parameter(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        if let Some(name) = child_where(node, |c| self.g.kind(c) == K::TypeIdent) {
            self.handled.mark(name);
            cx.bind(cx.text(name), Binding::Opaque);
        }
        Step::Into
    }

    /// Parameters, resources, loop variables and patterns that have a `name`.
    pub(super) fn bind_named(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return Step::Into };
        let is_component = self.handled.take(node);
        let ty = match self.g.kind(node) {
            K::Instanceof => {
                child_where(node, |c| matches!(self.g.kind(c), K::TypeIdent | K::Generic | K::ScopedType))
            }
            _ => node.child_by_field_id(self.g.f.ty),
        };
        if !is_component {
            self.bind(name, ty, node.child_by_field_id(self.g.f.value), cx);
        }
        Step::Into
    }

    fn bind(&mut self, name: Node<'_>, ty: Option<Node<'_>>, value: Option<Node<'_>>, cx: &mut Cx<'_>) {
        let inferred = ty.is_some_and(|ty| cx.text(ty) == "var");
        let ty = if inferred {
            value.and_then(|value| self.value_type(value, cx))
        } else {
            ty.and_then(|ty| self.type_path(ty, cx))
        };
        self.handled.mark(name);
        cx.bind(cx.text(name), binding(ty));
    }

    pub(super) fn bind_spread(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let declarator = child_where(node, |c| c.kind() == "variable_declarator");
        if let Some(name) = declarator.and_then(|d| d.child_by_field_id(self.g.f.name)) {
            self.bind(name, None, None, cx);
        }
        Step::Into
    }

    /// `case Type name` and parts of a record pattern.
    pub(super) fn bind_pattern(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let ty = node.named_child(0);
        if let Some(name) = child_where(node, |c| self.g.kind(c) == K::Ident) {
            self.bind(name, ty, None, cx);
        }
        Step::Into
    }

    pub(super) fn locals(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let ty = node.child_by_field_id(self.g.f.ty);
        let mut declarators = Vec::new();
        each_child(node, |child, field| declarators.extend((field == self.g.f.declarator).then_some(child)));
        for declarator in declarators {
            if let Some(name) = declarator.child_by_field_id(self.g.f.name) {
                self.bind(name, ty, declarator.child_by_field_id(self.g.f.value), cx);
            }
        }
        Step::Into
    }

    pub(super) fn lambda(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        cx.open_scope(true);
        let Some(parameters) = node.child_by_field_id(self.g.f.parameters) else { return Step::Into };
        let mut names = Vec::new();
        if self.g.kind(parameters) == K::Ident {
            names.push(parameters);
        } else if parameters.kind() == "inferred_parameters" {
            each_child(parameters, |c, _| names.extend((self.g.kind(c) == K::Ident).then_some(c)));
        }
        names.into_iter().for_each(|name| self.bind(name, None, None, cx));
        Step::Into
    }

    /// Labels and keys are no uses.
    pub(super) fn pass_over_first(&mut self, node: Node<'_>) -> Step {
        if let Some(first) = node.named_child(0).filter(|first| self.g.kind(*first) == K::Ident) {
            self.handled.mark(first);
        }
        Step::Into
    }
}

fn binding(ty: Option<StrId>) -> Binding {
    ty.map_or(Binding::Opaque, Binding::Typed)
}
