//! Defines packages, imports, functions, types, constants and variables.

use super::grammar::GoKind;
use super::imports::local_name;
use super::rules::GoWalk;
use crate::facts::{DefFlags, DefIdx, DefKind, ImportInput, ImportKind, Receiver, RefKind, TypePart};
use crate::langs::support::{DefinitionLead, NewDef, child_where, each_child};
use crate::syntax::Node;
use crate::walk::{Binding, Cx, WalkStep};

impl GoWalk {
    pub(super) fn visit_package(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if let Some(name) = node.named_child(0) {
            cx.facts.set_package(cx.text(name));
        }
        WalkStep::Skip
    }

    pub(super) fn visit_import(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let path = node.child_by_field_id(self.g.f.path).map_or("", |path| cx.text(path));
        let module = path.trim_matches(['"', '`']);
        if module.is_empty() {
            return WalkStep::Skip;
        }
        let alias = node.child_by_field_id(self.g.f.name).map(|name| cx.text(name));
        let (kind, local) = match alias {
            Some(".") => (ImportKind::Star, None),
            Some("_") => (ImportKind::Effect, None),
            Some(alias) => (ImportKind::Module, Some(alias)),
            None => (ImportKind::Module, Some(local_name(module))),
        };
        if let Some(local) = local {
            let local = cx.facts.intern(local);
            self.packages.insert(local);
        }
        let line = Cx::lines(node).0;
        cx.facts.add_import(&ImportInput {
            kind,
            module,
            name: None,
            local,
            reexported: false,
            owner: None,
            line,
        });
        WalkStep::Skip
    }

    /// Visits `type T ...`. Without parentheses, the comment before it documents the one thing that it declares.
    pub(super) fn visit_declaration(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let group = child_where(node, |c| matches!(c.kind(), "(" | "var_spec_list")).is_some();
        self.single = None;
        if !group {
            let mut outer = self.lead.take_outer(node, cx);
            (outer.start, outer.line) = (Some(node.start_byte()), Some(Cx::lines(node).0));
            self.single = Some((node.start_byte(), node.end_byte(), outer));
        }
        WalkStep::Into
    }

    /// Returns the comments and attributes before a specification, and the byte where its header starts.
    fn take_outer(&mut self, node: Node<'_>, cx: &Cx<'_>) -> (DefinitionLead, usize) {
        match self.single.take() {
            Some((start, end, outer)) if (start..end).contains(&node.start_byte()) => (outer, start),
            _ => (self.lead.take_outer(node, cx), node.start_byte()),
        }
    }

    pub(super) fn visit_function(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        self.handled.mark(name);
        let receiver = node.child_by_field_id(self.g.f.receiver);
        let receiver =
            receiver.and_then(|list| list.named_child(0)).and_then(|p| p.child_by_field_id(self.g.f.ty));
        let ty =
            receiver.and_then(|ty| self.type_path(ty, cx)).map(|id| cx.facts.provisional_name(id).to_owned());
        let parent = ty.as_deref().and_then(|ty| {
            let id = cx.facts.intern(ty);
            self.types.get(&id).copied()
        });
        let body = node.child_by_field_id(self.g.f.body);
        let text = cx.text(name);
        let method = self.g.kind(node) == GoKind::Method;
        let outer = self.lead.take_outer(node, cx);
        let def = NewDef {
            node,
            name_at: cx.position(name),
            name: text,
            kind: if method { DefKind::Method } else { DefKind::Function },
            flags: export_flags(text)
                .with_if(body.is_none(), DefFlags::DECLARATION)
                .with_if(!method && self.is_test(node, text, cx), DefFlags::TEST),
            parent,
            qualifier: ty.as_deref(),
            head: (node.start_byte(), body.map_or(node.end_byte(), |body| body.start_byte())),
        };
        let made = def.make_def(cx, &outer, Some(true));
        if let Some(generic) = receiver.and_then(|ty| self.generic_node(ty)) {
            self.receiver_parameters(generic, cx);
        }
        let result = self.first_result(node);
        let kept = result.and_then(|ty| self.kept_type(ty, cx));
        if kept.is_some_and(|kept| !self.is_type_parameter(node, kept, cx)) {
            self.add_type_hint(made, TypePart::RESULT, result, cx);
        }
        WalkStep::Into
    }

    fn generic_node<'t>(&self, ty: Node<'t>) -> Option<Node<'t>> {
        let ty = if self.g.kind(ty) == GoKind::Pointer { ty.named_child(0)? } else { ty };
        (self.g.kind(ty) == GoKind::Generic).then_some(ty)
    }

    /// Binds the type parameters that a receiver declares: `T` of `func (g G[T])`.
    fn receiver_parameters(&mut self, generic: Node<'_>, cx: &mut Cx<'_>) {
        let Some(list) = generic.child_by_field_id(self.g.f.type_arguments) else { return };
        each_child(list, |element, _| {
            if let Some(name) = element.named_child(0) {
                cx.bind(cx.text(name), Binding::Opaque);
            }
        });
    }

    /// Returns true for `TestXxx(t *testing.T)`, and for benchmarks, fuzz tests and examples.
    fn is_test(&self, node: Node<'_>, name: &str, cx: &Cx<'_>) -> bool {
        let after = |prefix: &str| {
            name.strip_prefix(prefix).filter(|rest| !rest.starts_with(|c: char| c.is_lowercase()))
        };
        let parameters = node.child_by_field_id(self.g.f.parameters);
        let first =
            parameters.and_then(|list| list.named_child(0)).and_then(|p| p.child_by_field_id(self.g.f.ty));
        match first.map(|ty| cx.text(ty)) {
            Some("*testing.T") => after("Test").is_some(),
            Some("*testing.B") => after("Benchmark").is_some(),
            Some("*testing.F") => after("Fuzz").is_some(),
            Some(_) => false,
            None => after("Example").is_some(),
        }
    }

    pub(super) fn visit_type_spec(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        self.handled.mark(name);
        let ty = node.child_by_field_id(self.g.f.ty);
        let kind = match ty.map(|ty| self.g.kind(ty)) {
            Some(GoKind::Struct) => DefKind::Struct,
            _ if self.g.kind(node) == GoKind::Alias => DefKind::TypeAlias,
            Some(GoKind::Interface) => DefKind::Interface,
            _ => DefKind::Class,
        };
        let end = match kind {
            DefKind::Struct | DefKind::Interface => ty.map_or(node.end_byte(), |ty| self.keyword_end(ty)),
            _ => node.end_byte(),
        };
        let (outer, start) = self.take_outer(node, cx);
        let parent = cx.owner();
        let def = NewDef {
            node,
            name_at: cx.position(name),
            name: cx.text(name),
            kind,
            flags: export_flags(cx.text(name)),
            parent,
            qualifier: None,
            head: (start, end),
        };
        let Some(idx) = def.make_def(cx, &outer, Some(true)) else { return WalkStep::Into };
        if parent.is_none() {
            let id = cx.facts.intern(cx.text(name));
            self.types.entry(id).or_insert(idx);
        }
        WalkStep::Into
    }

    /// Returns the byte at which `struct` or `interface` ends.
    fn keyword_end(&self, ty: Node<'_>) -> usize {
        ty.child(0).map_or(ty.end_byte(), |keyword| keyword.end_byte())
    }

    pub(super) fn visit_field(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let mut names = Vec::new();
        each_child(node, |child, field| names.extend((field == self.g.f.name).then_some(child)));
        let ty = node.child_by_field_id(self.g.f.ty);
        let in_type = cx.owner().is_some_and(|owner| holds_fields(cx.facts.defs()[owner.index()].kind));
        if names.is_empty() {
            if let Some(ty) = ty {
                self.define_embedded(node, ty, in_type, cx);
                self.refer_type(ty, RefKind::Extends, cx);
            }
            return WalkStep::Into;
        }
        if in_type {
            let head = (node.start_byte(), node.end_byte());
            let outer = self.lead.take_outer(node, cx);
            let value = GoValue { node, kind: DefKind::Field, head, ty, is_open: self.has_anonymous(ty) };
            self.define_values(&value, &names, &outer, cx);
        }
        WalkStep::Into
    }

    /// Defines the field that an embedded type makes.
    fn define_embedded(&mut self, node: Node<'_>, ty: Node<'_>, in_type: bool, cx: &mut Cx<'_>) {
        let ty = if self.g.kind(ty) == GoKind::Generic {
            ty.child_by_field_id(self.g.f.ty).unwrap_or(ty)
        } else {
            ty
        };
        let name =
            if self.g.kind(ty) == GoKind::Qualified { ty.child_by_field_id(self.g.f.name) } else { Some(ty) };
        let is_name = matches!(self.g.kind(ty), GoKind::Qualified | GoKind::TypeIdent);
        let Some(name) = name.filter(|_| in_type && is_name) else { return };
        let outer = self.lead.take_outer(node, cx);
        let head = (node.start_byte(), node.end_byte());
        let value = GoValue { node, kind: DefKind::Field, head, ty: Some(ty), is_open: false };
        self.define_values(&value, &[name], &outer, cx);
    }

    fn has_anonymous(&self, ty: Option<Node<'_>>) -> bool {
        ty.is_some_and(|ty| self.anonymous_type(ty).is_some())
    }

    /// Defines the fields, constants or variables that one declaration names. The members of a type without a name
    /// belong to the first.
    fn define_values(
        &mut self,
        value: &GoValue<'_>,
        names: &[Node<'_>],
        outer: &DefinitionLead,
        cx: &mut Cx<'_>,
    ) {
        let parent = cx.owner();
        for (at, name) in names.iter().enumerate() {
            let text = cx.text(*name);
            if text == "_" {
                continue;
            }
            let def = NewDef {
                node: value.node,
                name_at: cx.position(*name),
                name: text,
                kind: value.kind,
                flags: export_flags(text),
                parent,
                qualifier: None,
                head: value.head,
            };
            let made = def.make_def(cx, outer, (at == 0 && value.is_open).then_some(true));
            self.add_type_hint(made, TypePart::VALUE, value.ty, cx);
        }
    }

    pub(super) fn visit_method_element(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        let outer = self.lead.take_outer(node, cx);
        let text = cx.text(name);
        let def = NewDef {
            node,
            name_at: cx.position(name),
            name: text,
            kind: DefKind::Method,
            flags: export_flags(text).with(DefFlags::DECLARATION),
            parent: cx.owner(),
            qualifier: None,
            head: (node.start_byte(), node.end_byte()),
        };
        let in_type = cx.owner().is_some_and(|owner| {
            matches!(cx.facts.defs()[owner.index()].kind, DefKind::Interface | DefKind::Field)
        });
        if in_type {
            let made = def.make_def(cx, &outer, Some(true));
            self.add_type_hint(made, TypePart::RESULT, self.first_result(node), cx);
        } else {
            cx.open_scope(true);
        }
        WalkStep::Into
    }

    /// Records an interface that is embedded in another; a union has types instead.
    pub(super) fn visit_type_element(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let in_interface = cx.owner().is_some_and(|o| cx.facts.defs()[o.index()].kind == DefKind::Interface);
        if let Some(ty) = node.named_child(0).filter(|_| in_interface && node.named_child_count() == 1) {
            self.refer_type(ty, RefKind::Extends, cx);
        }
        WalkStep::Into
    }

    /// Records the name of a type, through pointers and arguments, as a use of this kind.
    fn refer_type(&mut self, ty: Node<'_>, kind: RefKind, cx: &mut Cx<'_>) {
        let name = match self.g.kind(ty) {
            GoKind::Generic => ty.child_by_field_id(self.g.f.ty).unwrap_or(ty),
            _ => ty,
        };
        match self.g.kind(name) {
            GoKind::TypeIdent => {
                self.handled.mark(name);
                cx.record_use(cx.text(name), name, kind, Receiver::None);
            }
            GoKind::Qualified => {
                self.handled.mark(name);
                self.refer_qualified(name, kind, cx);
            }
            _ => {}
        }
    }

    /// Visits constants and variables: definitions at file level, locals in functions.
    pub(super) fn visit_values(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let mut names = Vec::new();
        each_child(node, |child, field| {
            names.extend((field == self.g.f.name && self.g.kind(child) == GoKind::Ident).then_some(child));
        });
        names.iter().for_each(|name| self.handled.mark(*name));
        if cx.owner().is_some() || cx.in_function() {
            self.local_values(node, &names, cx);
            return WalkStep::Into;
        }
        let (outer, start) = self.take_outer(node, cx);
        let end = node.child_by_field_id(self.g.f.value).map_or(node.end_byte(), |value| value.start_byte());
        let kind = if self.g.kind(node) == GoKind::ConstSpec { DefKind::Constant } else { DefKind::Variable };
        let is_open = self.anonymous_type_of(node).is_some();
        let ty = node.child_by_field_id(self.g.f.ty);
        let value = GoValue { node, kind, head: (start, end), ty, is_open };
        let first = cx.facts.defs().len();
        self.define_values(&value, &names, &outer, cx);
        if let (None, [_], false) = (ty, &names[..], is_open) {
            self.add_value_type_hint(first, node, cx);
        }
        WalkStep::Into
    }

    /// Records the type of a variable, if its value shows it.
    fn add_value_type_hint(&self, def: usize, node: Node<'_>, cx: &mut Cx<'_>) {
        let value = node.child_by_field_id(self.g.f.value).and_then(|list| list.named_child(0));
        let ty = value.and_then(|value| self.type_or_path(value, cx));
        if let Some(ty) = ty.filter(|_| def < cx.facts.defs().len()) {
            let says = cx.facts.provisional_name(ty).to_owned();
            cx.facts.type_hint(DefIdx::new(def as u32), TypePart::VALUE, &says);
        }
    }

    pub(super) fn visit_type_parameter(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let binding = self.constraint_binding(node, cx);
        each_child(node, |child, field| {
            if field == self.g.f.name {
                self.handled.mark(child);
                cx.bind(cx.text(child), binding);
            }
        });
        WalkStep::Into
    }
}

/// The fields, constants or variables that one declaration names.
struct GoValue<'t> {
    node: Node<'t>,
    kind: DefKind,
    head: (usize, usize),
    ty: Option<Node<'t>>,
    /// True if the definitions inside the declaration are parts of the first of them.
    is_open: bool,
}

/// Returns true if fields written in a definition of this kind are its own.
fn holds_fields(kind: DefKind) -> bool {
    matches!(kind, DefKind::Struct | DefKind::Field | DefKind::Variable)
}

fn export_flags(name: &str) -> DefFlags {
    DefFlags::default().with_if(name.starts_with(char::is_uppercase), DefFlags::EXPORTED)
}
