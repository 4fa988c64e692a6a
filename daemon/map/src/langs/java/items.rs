//! Defines packages, imports, types and their members, and binds local variables.

use super::grammar::JavaKind;
use super::rules::{JavaClassScope, JavaRules};
use crate::facts::{DefFlags, DefKind, ImportInput, ImportKind, RefKind, StrId};
use crate::langs::support::{ItemDef, NewDef, child_where, each_child};
use crate::syntax::Node;
use crate::walk::{Binding, Cx, WalkStep};

impl JavaRules {
    pub(super) fn visit_package(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let name = child_where(node, |c| matches!(self.g.kind(c), JavaKind::Ident | JavaKind::ScopedName));
        if let Some(name) = name {
            let name: String = cx.text(name).split_whitespace().collect();
            cx.facts.set_package(&name);
        }
        WalkStep::Skip
    }

    pub(super) fn visit_import(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let path = child_where(node, |c| matches!(self.g.kind(c), JavaKind::Ident | JavaKind::ScopedName));
        let path: String = path.map_or("", |path| cx.text(path)).split_whitespace().collect();
        let star = child_where(node, |c| c.kind() == "asterisk").is_some();
        let line = Cx::lines(node).0;
        let (kind, module, name) = match path.rsplit_once('.') {
            _ if star => (ImportKind::Star, path.as_str(), None),
            Some((module, name)) => (ImportKind::Named, module, Some(name)),
            None => return WalkStep::Skip,
        };
        if !module.is_empty() {
            cx.facts.add_import(&ImportInput {
                kind,
                module,
                name,
                local: name,
                reexported: false,
                owner: None,
                line,
            });
        }
        WalkStep::Skip
    }

    pub(super) fn visit_type_definition(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        self.handled.mark(name);
        let kind = match self.g.kind(node) {
            JavaKind::Class => DefKind::Class,
            JavaKind::Enum => DefKind::Enum,
            JavaKind::Record => DefKind::Struct,
            _ => DefKind::Interface,
        };
        let flags = self.visibility(node, cx);
        let body = node.child_by_field_id(self.g.f.body);
        let end = body.map_or(node.end_byte(), |body| body.start_byte());
        let Some(idx) =
            self.define_node(&ItemDef { node, name, kind, flags, head_end: end, scope: Some(true) }, cx)
        else {
            return WalkStep::Into;
        };
        let qualified = cx.facts.defs()[idx.index()].qualified;
        self.classes_around(node);
        let interface = kind == DefKind::Interface;
        self.classes.push(JavaClassScope { end: node.end_byte(), name: Some(qualified), interface });
        if let Some(body) = body {
            self.handled.mark(body);
            self.record_member_types(body, qualified, cx);
        }
        if kind == DefKind::Struct {
            self.define_components(node, qualified, cx);
        }
        WalkStep::Into
    }

    /// Notes the types of a class's fields and the results of its methods, before they are walked.
    fn record_member_types(&mut self, body: Node<'_>, class: StrId, cx: &mut Cx<'_>) {
        let mut members = Vec::new();
        each_child(body, |member, _| match member.kind() {
            "enum_body_declarations" => each_child(member, |m, _| members.push(m)),
            _ => members.push(member),
        });
        for member in members {
            let ty = member.child_by_field_id(self.g.f.ty);
            match self.g.kind(member) {
                JavaKind::Field => self.record_field_type(member, ty, class, cx),
                JavaKind::Method => self.record_result_type(member, ty, class, cx),
                _ => {}
            }
        }
    }

    fn record_field_type(&mut self, field: Node<'_>, ty: Option<Node<'_>>, class: StrId, cx: &mut Cx<'_>) {
        let Some(ty) = ty.and_then(|ty| self.type_path(ty, cx)) else { return };
        for name in self.declared_names(field) {
            let name = cx.facts.intern(cx.text(name));
            self.field_types.insert((class, name), ty);
        }
    }

    fn record_result_type(&mut self, method: Node<'_>, ty: Option<Node<'_>>, class: StrId, cx: &mut Cx<'_>) {
        let generic = child_where(method, |c| c.kind() == "type_parameters").is_some();
        let ty = ty.filter(|_| !generic).and_then(|ty| self.type_path(ty, cx));
        let name = cx.facts.intern(method.child_by_field_id(self.g.f.name).map_or("", |name| cx.text(name)));
        let known = self.results.entry((class, name)).or_insert(ty);
        if *known != ty {
            *known = None;
        }
    }

    /// Defines a record's components, which are fields.
    fn define_components(&mut self, node: Node<'_>, class: StrId, cx: &mut Cx<'_>) {
        let Some(list) = node.child_by_field_id(self.g.f.parameters) else { return };
        let mut parameters = Vec::new();
        each_child(list, |p, _| parameters.extend((self.g.kind(p) == JavaKind::Param).then_some(p)));
        for parameter in parameters {
            let Some(name) = parameter.child_by_field_id(self.g.f.name) else { continue };
            let ty = parameter.child_by_field_id(self.g.f.ty).and_then(|ty| self.type_path(ty, cx));
            self.define_node(
                &ItemDef {
                    node: parameter,
                    name,
                    kind: DefKind::Field,
                    flags: DefFlags::EXPORTED,
                    head_end: parameter.end_byte(),
                    scope: None,
                },
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

    fn define_node(&mut self, item: &ItemDef<'_>, cx: &mut Cx<'_>) -> Option<crate::facts::DefIdx> {
        let ItemDef { node, name, kind, flags, head_end, scope } = *item;
        let outer = self.lead.take_outer(node, cx);
        let def = NewDef {
            node,
            name_at: cx.position(name),
            name: cx.text(name),
            kind,
            flags,
            parent: cx.owner(),
            qualifier: None,
            head: (self.head_start(node, cx), head_end),
        };
        def.make_def(cx, &outer, scope)
    }

    /// Returns the byte at which a header starts, without the annotations before it.
    fn head_start(&self, node: Node<'_>, cx: &Cx<'_>) -> usize {
        let Some(modifiers) = self.modifiers(node) else { return node.start_byte() };
        let word = child_where(modifiers, |c| {
            self.g.kind(c) != JavaKind::Annotation && self.g.kind(c) != JavaKind::Comment
        });
        let start = word.map_or(modifiers.end_byte(), |word| word.start_byte());
        let blank =
            cx.source.get(start..).unwrap_or(&[]).iter().take_while(|b| b.is_ascii_whitespace()).count();
        start + blank
    }

    pub(super) fn modifiers<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        node.child(0).filter(|first| self.g.kind(*first) == JavaKind::Modifiers)
    }

    /// Returns the visibility of a definition: everything but private is visible to some other file.
    fn visibility(&mut self, node: Node<'_>, _cx: &Cx<'_>) -> DefFlags {
        let private = self.has_modifier(node, "private");
        DefFlags::default().with_if(!private, DefFlags::EXPORTED)
    }

    fn has_modifier(&self, node: Node<'_>, word: &str) -> bool {
        self.modifiers(node).is_some_and(|m| child_where(m, |c| c.kind() == word).is_some())
    }

    pub(super) fn visit_method(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        self.handled.mark(name);
        let body = node.child_by_field_id(self.g.f.body);
        let flags = self.visibility(node, cx);
        let flags = flags.with_if(body.is_none(), DefFlags::DECLARATION);
        let flags = flags.with_if(self.is_test(node, cx), DefFlags::TEST);
        let end = body.map_or(node.end_byte(), |body| body.start_byte());
        self.define_node(
            &ItemDef { node, name, kind: DefKind::Method, flags, head_end: end, scope: Some(true) },
            cx,
        );
        self.note_annotations(node, name, cx);
        WalkStep::Into
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

    pub(super) fn visit_fields(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let names = self.declared_names(node);
        names.iter().for_each(|name| self.handled.mark(*name));
        if self.classes_around(node).last().is_some_and(|class| class.name.is_none()) {
            let ty = node.child_by_field_id(self.g.f.ty).and_then(|ty| self.type_path(ty, cx));
            names.iter().for_each(|name| cx.bind(cx.text(*name), binding_of_type(ty)));
            return WalkStep::Into;
        }
        let interface = self.classes_around(node).last().is_some_and(|class| class.interface);
        let fixed = self.has_modifier(node, "static") && self.has_modifier(node, "final");
        let kind = if interface || fixed || self.g.kind(node) == JavaKind::Constant {
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
            self.define_node(&ItemDef { node, name, kind, flags, head_end: end, scope: None }, cx);
        }
        WalkStep::Into
    }

    /// Returns the names that a declaration of variables declares.
    fn declared_names<'t>(&self, node: Node<'t>) -> Vec<Node<'t>> {
        let mut names = Vec::new();
        each_child(node, |child, field| {
            if field == self.g.f.declarator {
                names.extend(child.child_by_field_id(self.g.f.name));
            }
        });
        names
    }

    pub(super) fn visit_enum_constant(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        self.handled.mark(name);
        self.define_node(
            &ItemDef {
                node,
                name,
                kind: DefKind::Constant,
                flags: DefFlags::EXPORTED,
                head_end: node.end_byte(),
                scope: Some(false),
            },
            cx,
        );
        WalkStep::Into
    }

    /// Visits the body of an anonymous class, whose members belong to the method around, and whose fields are like
    /// locals.
    pub(super) fn visit_anonymous_body(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if !self.handled.take_mark(node) {
            self.classes_around(node);
            self.classes.push(JavaClassScope { end: node.end_byte(), name: None, interface: false });
            cx.open_scope(true);
        }
        WalkStep::Into
    }

    pub(super) fn visit_bases(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let kind =
            if self.g.kind(node) == JavaKind::Implements { RefKind::Implements } else { RefKind::Extends };
        let mut types = Vec::new();
        each_child(node, |child, _| match self.g.kind(child) {
            JavaKind::TypeList => each_child(child, |ty, _| types.push(ty)),
            _ => types.push(child),
        });
        types.into_iter().for_each(|ty| self.refer_type(ty, kind, cx));
        WalkStep::Into
    }

    pub(super) fn visit_type_parameter(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if let Some(name) = child_where(node, |c| self.g.kind(c) == JavaKind::TypeIdent) {
            self.handled.mark(name);
            let bound =
                child_where(node, |c| c.kind() == "type_bound").and_then(|bound| bound.named_child(0));
            let bound = bound.and_then(|bound| self.type_path(bound, cx));
            cx.bind(cx.text(name), binding_of_type(bound));
        }
        WalkStep::Into
    }

    /// Binds parameters, resources, loop variables and patterns that have a `name`.
    pub(super) fn bind_named(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        let is_component = self.handled.take_mark(node);
        let ty = match self.g.kind(node) {
            JavaKind::Instanceof => child_where(node, |c| {
                matches!(self.g.kind(c), JavaKind::TypeIdent | JavaKind::Generic | JavaKind::ScopedType)
            }),
            _ => node.child_by_field_id(self.g.f.ty),
        };
        if !is_component {
            self.bind(name, ty, node.child_by_field_id(self.g.f.value), cx);
        }
        WalkStep::Into
    }

    fn bind(&mut self, name: Node<'_>, ty: Option<Node<'_>>, value: Option<Node<'_>>, cx: &mut Cx<'_>) {
        let inferred = ty.is_some_and(|ty| cx.text(ty) == "var");
        let ty = if inferred {
            value.and_then(|value| self.value_type(value, cx))
        } else {
            ty.and_then(|ty| plain_type(ty, cx).or_else(|| self.type_path(ty, cx)))
        };
        self.handled.mark(name);
        cx.bind(cx.text(name), binding_of_type(ty));
    }

    pub(super) fn bind_spread(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let declarator = child_where(node, |c| c.kind() == "variable_declarator");
        if let Some(name) = declarator.and_then(|d| d.child_by_field_id(self.g.f.name)) {
            self.bind(name, None, None, cx);
        }
        WalkStep::Into
    }

    /// Binds the variable of `case Type name` and of parts of a record pattern.
    pub(super) fn bind_pattern(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let ty = node.named_child(0);
        if let Some(name) = child_where(node, |c| self.g.kind(c) == JavaKind::Ident) {
            self.bind(name, ty, None, cx);
        }
        WalkStep::Into
    }

    pub(super) fn visit_locals(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let ty = node.child_by_field_id(self.g.f.ty);
        let mut declarators = Vec::new();
        each_child(node, |child, field| declarators.extend((field == self.g.f.declarator).then_some(child)));
        for declarator in declarators {
            if let Some(name) = declarator.child_by_field_id(self.g.f.name) {
                self.bind(name, ty, declarator.child_by_field_id(self.g.f.value), cx);
            }
        }
        WalkStep::Into
    }

    pub(super) fn visit_lambda(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        cx.open_scope(true);
        let Some(parameters) = node.child_by_field_id(self.g.f.parameters) else { return WalkStep::Into };
        let mut names = Vec::new();
        if self.g.kind(parameters) == JavaKind::Ident {
            names.push(parameters);
        } else if parameters.kind() == "inferred_parameters" {
            each_child(parameters, |c, _| names.extend((self.g.kind(c) == JavaKind::Ident).then_some(c)));
        }
        names.into_iter().for_each(|name| self.bind(name, None, None, cx));
        WalkStep::Into
    }

    /// Marks the first name of a label or key, which is no use.
    pub(super) fn pass_over_first(&mut self, node: Node<'_>) -> WalkStep {
        if let Some(first) = node.named_child(0).filter(|first| self.g.kind(*first) == JavaKind::Ident) {
            self.handled.mark(first);
        }
        WalkStep::Into
    }
}

/// Returns the name of a type of plain values: of numbers, characters or truth values.
fn plain_type(ty: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
    let is_plain = matches!(ty.kind(), "integral_type" | "floating_point_type" | "boolean_type");
    is_plain.then(|| cx.facts.intern(cx.text(ty)))
}

fn binding_of_type(ty: Option<StrId>) -> Binding {
    ty.map_or(Binding::Opaque, Binding::Typed)
}
