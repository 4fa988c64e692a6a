//! Defines functions and classes, and does for all definitions what they have in common.
//!
//! The parts around a declaration (`export`, `declare`, a doc comment) are kept as a [`DeclarationWrapper`] when the walk meets them,
//! and taken when it meets the declaration itself.

use super::members::is_getter;
use super::scopes::{SELF, without_local_names};
use super::types::{THIS, TypeName};
use super::{Container, Ecma};
use crate::facts::{DefFlags, DefIdx, DefInput, DefKind, RefKind, TypePart};
use crate::langs::support::{Comment, DefinitionLead};
use crate::syntax::{Node, all_children, named_children};
use crate::walk::{Binding, Cx, WalkStep};

/// The parts around a declaration: its whole range, its documentation, and whether it is exported.
#[derive(Clone, Debug, Default)]
pub(super) struct DeclarationWrapper {
    pub(super) bytes: (u32, u32),
    pub(super) lines: (u32, u32),
    pub(super) exported: bool,
    pub(super) default: bool,
    pub(super) doc: String,
}

impl DeclarationWrapper {
    pub(super) fn around_node(node: Node<'_>, outer: DefinitionLead) -> Self {
        let (first, last) = Cx::lines(node);
        Self {
            bytes: (outer.start.unwrap_or(node.start_byte()) as u32, node.end_byte() as u32),
            lines: (outer.line.unwrap_or(first), last),
            doc: outer.doc,
            ..Self::default()
        }
    }
}

/// A definition about to be made.
pub(super) struct New<'t> {
    pub(super) name: &'t str,
    pub(super) at: Node<'t>,
    pub(super) kind: DefKind,
    /// The bytes of its header.
    pub(super) head: (usize, usize),
    /// True if the definition can be seen from outside, as far as its container can.
    pub(super) visible: bool,
}

impl Ecma {
    /// Visits a comment, which is documentation if it starts with `/**`.
    pub(super) fn visit_comment<'t>(&mut self, node: Node<'t>, cx: &Cx<'t>) -> WalkStep {
        let is_doc = cx.slice(node.start_byte(), node.start_byte() + 3) == "/**";
        self.lead.add_comment(node, cx.source, if is_doc { Comment::Doc } else { Comment::Other });
        WalkStep::Skip
    }

    /// Takes the wrap of a declaration: that of its export statement, or a new one from the comments before it.
    pub(super) fn take_wrap<'t>(&mut self, node: Node<'t>, cx: &Cx<'t>) -> DeclarationWrapper {
        match self.around.take() {
            Some((id, wrap)) if id == node.id() => wrap,
            other => {
                self.around = other;
                DeclarationWrapper::around_node(node, self.lead.take_outer(node, cx))
            }
        }
    }

    /// Visits `declare ...`, whose definitions are declarations.
    pub(super) fn visit_ambient<'t>(&mut self, node: Node<'t>, cx: &Cx<'t>) -> WalkStep {
        self.declare_until = self.declare_until.max(node.end_byte());
        let wrap = self.take_wrap(node, cx);
        if let Some(inner) = node.named_child(0) {
            if inner.kind() == "statement_block" {
                self.plain_blocks.insert(inner.id());
            }
            self.around = Some((inner.id(), wrap));
        }
        WalkStep::Into
    }

    /// Records a definition; `scope` opens a scope for its children, and says whether that binds names.
    pub(super) fn make_def<'t>(
        &mut self,
        new: &New<'t>,
        wrap: &DeclarationWrapper,
        scope: Option<bool>,
        cx: &mut Cx<'t>,
    ) -> DefIdx {
        let parent = cx.owner();
        self.make_in(new, wrap, scope, parent, None, cx)
    }

    /// Records a definition with an owner and a qualifier of its own.
    pub(super) fn make_in<'t>(
        &mut self,
        new: &New<'t>,
        wrap: &DeclarationWrapper,
        scope: Option<bool>,
        parent: Option<DefIdx>,
        qualifier: Option<&str>,
        cx: &mut Cx<'t>,
    ) -> DefIdx {
        let declared = new.at.start_byte() < self.declare_until;
        let flags = DefFlags::default()
            .with_if(new.visible, DefFlags::EXPORTED)
            .with_if(wrap.default, DefFlags::DEFAULT)
            .with_if(declared, DefFlags::DECLARATION);
        let input = DefInput {
            // The name is not UTF-8, but the definition's members need an owner.
            name: if new.name.is_empty() { "_" } else { new.name },
            kind: new.kind,
            flags,
            parent,
            qualifier,
            lines: wrap.lines,
            bytes: wrap.bytes,
            name_at: cx.position(new.at),
            signature: signature(cx, new.head.0, new.head.1),
            doc: &wrap.doc,
        };
        let idx = match scope {
            Some(binds) => cx.define_scope(&input, binds),
            None => cx.define(&input),
        };
        if parent.is_none() {
            let id = cx.facts.intern(new.name);
            self.tops.entry(id).or_insert(idx);
        }
        idx
    }

    /// Returns true if other files can see a declaration here: it is exported, or declared in a namespace that is.
    pub(super) fn is_visible(&self, wrap: &DeclarationWrapper, at: Node<'_>, cx: &Cx<'_>) -> bool {
        if self.in_function(at) {
            return false;
        }
        wrap.exported || (at.start_byte() < self.declare_until && cx.owner().is_some())
    }

    /// Hides the name of a second function or class of one name in one scope, which cannot be told from the first by
    /// its name: uses of it are then not recorded, rather than taken for uses of the first.
    pub(super) fn hide_repeated<'t>(&mut self, name: &'t str, at: Node<'t>, cx: &mut Cx<'t>) {
        if !self.in_function(at) {
            return;
        }
        let id = cx.facts.intern(name);
        let owner = cx.owner();
        let repeated = !self.seen.insert((owner, id));
        if repeated || (owner.is_none() && self.top.contains_key(name)) {
            cx.bind(name, Binding::Opaque);
        }
    }

    /// Defines a function declaration: `function f() {}`.
    pub(super) fn visit_function<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        let wrap = self.take_wrap(node, cx);
        let (name, at) = self.name_or_default(node, cx);
        self.skip = at.id();
        if let Some(idx) = self.overloaded_def(name, cx) {
            self.replace(idx, node, at, &wrap, cx);
        } else {
            self.hide_repeated(name, node, cx);
            let visible = self.is_visible(&wrap, node, cx);
            let new = New { name, at, kind: DefKind::Function, head: self.head(node), visible };
            self.make_def(&new, &wrap, Some(true), cx);
        }
        cx.bind(THIS, Binding::Opaque);
        self.enter_function(node, cx);
        self.result(node, cx);
        WalkStep::Into
    }

    /// Visits `function f();`, which is an overload or a declaration.
    pub(super) fn visit_signature<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        let wrap = self.take_wrap(node, cx);
        let (name, at) = self.name_or_default(node, cx);
        self.skip = at.id();
        let visible = self.is_visible(&wrap, node, cx);
        let new =
            New { name, at, kind: DefKind::Function, head: (node.start_byte(), node.end_byte()), visible };
        self.define_overload(&new, &wrap, cx);
        self.enter_function(node, cx);
        self.result(node, cx);
        WalkStep::Into
    }

    /// Records the type of calls of the function just entered: the declared result, or else the type that all its
    /// `return`s give.
    pub(super) fn result<'t>(&self, node: Node<'t>, cx: &mut Cx<'t>) {
        let f = &self.grammar.fields;
        let ty = match (node.child_by_field_id(f.return_type), node.child_by_field_id(f.body)) {
            (Some(declared), _) => self.type_reader(cx).annotation_type(declared),
            (None, Some(body)) if body.kind() == "statement_block" => self.returned_type(body, cx),
            (None, Some(body)) => self.type_reader(cx).value(body),
            (None, None) => None,
        };
        if let Some(idx) = cx.owner() {
            self.say_given(idx, node, cx);
        }
        if let (Some(idx), Some(ty)) = (cx.owner(), ty) {
            let is_getter = is_getter(node);
            let part = if is_getter { TypePart::VALUE } else { TypePart::RESULT };
            self.add_type_hint(idx, part, &ty, cx);
        }
    }

    /// Enters a function in an expression, with the types that its place gives its parameters.
    fn bind_given_in<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) {
        self.enter_function(node, cx);
        if !self.contexts.is_empty() {
            self.bind_given(node, cx);
        }
    }

    /// Records the types of the parameters and results of functions that are passed as arguments, where parameters
    /// declare them.
    fn say_given<'t>(&self, idx: DefIdx, node: Node<'t>, cx: &mut Cx<'t>) {
        let f = &self.grammar.fields;
        let Some(parameters) = node.child_by_field_id(f.parameters) else { return };
        let declared = named_children(parameters).filter(|n| n.kind() != "comment").enumerate();
        for (argument, parameter) in declared.take(16) {
            let ty = parameter.child_by_field_id(f.ty).and_then(|ty| ty.named_child(0));
            let Some(function) = ty.filter(|ty| ty.kind() == "function_type") else { continue };
            self.say_callback(idx, argument, function, cx);
        }
    }

    /// Records the parameter types and the result of a function type that a parameter declares.
    pub(super) fn say_callback<'t>(&self, idx: DefIdx, argument: usize, function: Node<'t>, cx: &mut Cx<'t>) {
        let f = &self.grammar.fields;
        let result = function.child_by_field_id(f.return_type);
        let result = result.and_then(|ty| self.type_reader(cx).annotation_type(ty));
        if let (Some(part), Some(ty)) = (TypePart::callback_result(argument), result) {
            self.add_type_hint(idx, part, &ty, cx);
        }
        let Some(given) = function.child_by_field_id(f.parameters) else { return };
        let is_this = |n: &Node<'_>| n.child_by_field_id(f.pattern).is_some_and(|p| p.kind() == "this");
        let given = named_children(given).filter(|n| n.kind() != "comment" && !is_this(n));
        for (place, one) in given.enumerate().take(16) {
            let ty = one.child_by_field_id(f.ty).and_then(|ty| self.type_reader(cx).annotation_type(ty));
            if let (Some(part), Some(ty)) = (TypePart::callback(argument, place), ty) {
                self.add_type_hint(idx, part, &ty, cx);
            }
        }
    }

    fn returned_type<'t>(&self, body: Node<'t>, cx: &Cx<'t>) -> TypeName<'t> {
        let mut found: Option<TypeName<'t>> = None;
        self.each_statement(body, &mut |statement, _| {
            if statement.kind() == "return_statement" {
                let ty = statement.named_child(0).and_then(|value| self.type_reader(cx).value(value));
                let same = found.as_ref().is_none_or(|known| *known == ty);
                found = Some(ty.filter(|_| same));
            }
        });
        found.flatten()
    }

    /// Records the type of a definition. Local names in it mean what they mean where the walk is.
    pub(super) fn add_type_hint(&self, idx: DefIdx, part: TypePart, ty: &str, cx: &mut Cx<'_>) {
        let ty = match ty {
            THIS => Some("=this".to_owned()),
            ty => without_local_names(ty, cx),
        };
        if let Some(ty) = ty {
            cx.facts.type_hint(idx, part, &ty);
        }
    }

    /// Records the type of calls of a variable or field that is declared as a function: `run: (x: A) => B`.
    pub(super) fn add_called_type<'t>(&self, idx: DefIdx, declared: Node<'t>, cx: &mut Cx<'t>) {
        let f = &self.grammar.fields;
        let ty = declared.child_by_field_id(f.ty).and_then(|ty| ty.named_child(0));
        let is_called = |ty: &Node<'_>| matches!(ty.kind(), "function_type" | "constructor_type");
        let Some(function) = ty.filter(is_called) else { return };
        let result = function.child_by_field_id(f.return_type).or_else(|| function.child_by_field_id(f.ty));
        let Some(ty) = result.and_then(|result| self.type_reader(cx).annotation_type(result)) else { return };
        let Some(own) = function.child_by_field_id(f.type_parameters) else {
            self.add_type_hint(idx, TypePart::RESULT, &ty, cx);
            return;
        };
        let own = named_children(own).filter(|one| one.kind() == "type_parameter");
        let own: Vec<Node<'t>> = own.collect();
        let name = |one: &Node<'t>| one.child_by_field_id(f.name).map_or("", |name| cx.text(name));
        if let Some(number) = own.iter().position(|one| name(one) == ty) {
            let base = self.parameter_base(own[number], cx);
            cx.facts.type_hint(idx, TypePart::RESULT, &format!("^{number}{base}"));
        } else if own.iter().all(|one| !ty.contains(name(one))) {
            self.add_type_hint(idx, TypePart::RESULT, &ty, cx);
        }
    }

    /// Records the type of calls of a value of the interface that a call signature stands in.
    pub(super) fn say_called<'t>(&mut self, signature: Node<'t>, cx: &mut Cx<'t>) {
        let result = signature.child_by_field_id(self.grammar.fields.return_type);
        let Some(idx) = cx.owner().filter(|_| self.container_around(signature) == Container::Interface)
        else {
            return;
        };
        if let Some(ty) = result.and_then(|result| self.type_reader(cx).annotation_type(result)) {
            self.add_type_hint(idx, TypePart::RESULT, &ty, cx);
        }
    }

    /// Records the type arguments that a declaration gives to its bases.
    pub(super) fn add_base_types<'t>(&self, idx: DefIdx, declaration: Node<'t>, cx: &mut Cx<'t>) {
        let mut number = 0;
        for clause in named_children(declaration) {
            let bases = named_children(clause)
                .filter(|_| matches!(clause.kind(), "class_heritage" | "extends_type_clause"));
            let bases: Vec<_> = bases.filter_map(|base| self.base_type(base, cx)).take(4).collect();
            for ty in bases {
                if let Some(part) = TypePart::base(number) {
                    self.add_type_hint(idx, part, &ty, cx);
                }
                number += 1;
            }
        }
    }

    fn base_type<'t>(&self, base: Node<'t>, cx: &Cx<'t>) -> TypeName<'t> {
        match base.kind() {
            "generic_type" => self.type_reader(cx).annotation_type(base),
            "extends_clause" if base.child_by_field_id(self.grammar.fields.type_arguments).is_some() => {
                self.type_reader(cx).extended(base)
            }
            _ => None,
        }
    }

    /// Makes a definition of the first signature of a name, and reopens it at the others.
    pub(super) fn define_overload<'t>(&mut self, new: &New<'t>, wrap: &DeclarationWrapper, cx: &mut Cx<'t>) {
        let key = (cx.owner(), cx.facts.intern(new.name));
        if let Some(&idx) = self.overloads.get(&key) {
            cx.reopen_scope(idx, true);
            return;
        }
        let idx = self.make_def(new, wrap, Some(true), cx);
        let def = cx.facts.def_mut(idx);
        def.flags = def.flags.with(DefFlags::DECLARATION);
        self.overloads.insert(key, idx);
    }

    /// Returns the definition that earlier signatures of a name made.
    pub(super) fn overloaded_def(&mut self, name: &str, cx: &mut Cx<'_>) -> Option<DefIdx> {
        if self.overloads.is_empty() {
            return None;
        }
        let key = (cx.owner(), cx.facts.intern(name));
        self.overloads.remove(&key)
    }

    /// Puts the implementation's header in the place of its overloads'.
    pub(super) fn replace<'t>(
        &mut self,
        idx: DefIdx,
        node: Node<'t>,
        at: Node<'t>,
        wrap: &DeclarationWrapper,
        cx: &mut Cx<'t>,
    ) {
        let name_at = cx.position(at);
        let head = self.head(node);
        let declared = node.start_byte() < self.declare_until;
        let def = cx.facts.def_mut(idx);
        def.lines = wrap.lines;
        def.bytes = wrap.bytes;
        def.name_at = name_at;
        if !declared {
            def.flags = DefFlags(def.flags.0 & !DefFlags::DECLARATION.0);
        }
        let text = signature(cx, head.0, head.1);
        cx.facts.set_signature(idx, text);
        if !wrap.doc.is_empty() {
            cx.facts.set_doc(idx, &wrap.doc);
        }
        cx.reopen_scope(idx, true);
    }

    /// Visits a function in an expression.
    pub(super) fn visit_lambda<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        let is_arrow = node.kind() == "arrow_function";
        let opened = self.opened == node.id();
        let name = node.child_by_field_id(self.grammar.fields.name).filter(|_| !is_arrow);
        match name.filter(|name| !opened && !self.is_taken(cx.text(*name))) {
            Some(name) => self.named_lambda(node, name, cx),
            None => cx.open_scope(true),
        }
        if !is_arrow && !opened {
            cx.bind(THIS, Binding::Opaque);
        }
        if let Some(name) = name {
            cx.bind(cx.text(name), Binding::Opaque);
            self.skip = name.id();
        }
        self.bind_given_in(node, cx);
        if is_arrow {
            self.given_object(node, cx);
        }
        if opened {
            self.result(node, cx);
        }
        WalkStep::Into
    }

    /// Defines `visit` of `each(function visit() {})`, whose name is bound inside it only.
    fn named_lambda<'t>(&mut self, node: Node<'t>, at: Node<'t>, cx: &mut Cx<'t>) {
        let wrap = DeclarationWrapper::around_node(node, DefinitionLead::default());
        let new =
            New { name: cx.text(at), at, kind: DefKind::Function, head: self.head(node), visible: false };
        self.make_def(&new, &wrap, Some(true), cx);
    }

    /// Returns true if a name means something in the whole file, so that a function in an expression must not take its
    /// place.
    fn is_taken(&self, name: &str) -> bool {
        name.is_empty() || self.top.contains_key(name) || self.imported.contains(name)
    }

    /// Defines a class declaration: `class A {}`.
    pub(super) fn visit_class<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        if self.opened != node.id() {
            let wrap = self.take_wrap(node, cx);
            let (name, at) = self.name_or_default(node, cx);
            self.open_class(node, name, at, &wrap, cx);
        }
        WalkStep::Into
    }

    /// Visits a class in an expression, which is a definition if it has a name.
    pub(super) fn visit_class_value<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        if self.opened == node.id() {
            return WalkStep::Into;
        }
        if let Some(name) = node.child_by_field_id(self.grammar.fields.name) {
            let wrap = DeclarationWrapper::around_node(node, DefinitionLead::default());
            self.open_class(node, cx.text(name), name, &wrap, cx);
            return WalkStep::Into;
        }
        cx.open_scope(true);
        cx.bind(THIS, Binding::Opaque);
        if let Some(body) = node.child_by_field_id(self.grammar.fields.body) {
            self.nameless.insert(body.id());
        }
        WalkStep::Into
    }

    /// Makes the definition of a class, and reads the types of its fields for its members.
    pub(super) fn open_class<'t>(
        &mut self,
        node: Node<'t>,
        name: &'t str,
        at: Node<'t>,
        wrap: &DeclarationWrapper,
        cx: &mut Cx<'t>,
    ) {
        self.hide_repeated(name, node, cx);
        let visible = self.is_visible(wrap, node, cx);
        let new = New { name, at, kind: DefKind::Class, head: self.head(node), visible };
        let idx = self.make_def(&new, wrap, Some(true), cx);
        cx.bind(THIS, Binding::Typed(SELF));
        self.bind_type_parameters(node, cx);
        if !self.grammar.untyped {
            self.add_base_types(idx, node, cx);
        }
        if let Some(own) = node.child_by_field_id(self.grammar.fields.name) {
            self.handled.mark(own);
        }
        if let Some(body) = node.child_by_field_id(self.grammar.fields.body) {
            let types = self.field_types(body, cx);
            self.classes.insert(idx, types);
        }
    }

    /// Returns a declaration's name and node; `default` and the declaration itself if it has none.
    pub(super) fn name_or_default<'t>(&self, node: Node<'t>, cx: &Cx<'t>) -> (&'t str, Node<'t>) {
        match node.child_by_field_id(self.grammar.fields.name) {
            Some(name) if !cx.text(name).is_empty() => (cx.text(name), name),
            _ => ("default", node),
        }
    }

    /// Returns the bytes from the declaration's first word, behind its decorators, to its body.
    pub(super) fn head(&self, node: Node<'_>) -> (usize, usize) {
        let body = node.child_by_field_id(self.grammar.fields.body);
        let end = body.map_or(node.end_byte(), |body| body.start_byte());
        let start = all_children(node).find(|child| !matches!(child.kind(), "decorator" | "comment"));
        (start.map_or(node.start_byte(), |s| s.start_byte()), end)
    }

    /// Returns the name of a property as written; `None` for a computed one that is long.
    pub(super) fn property_name<'t>(&self, name: Node<'t>, cx: &Cx<'t>) -> Option<&'t str> {
        let text = match name.kind() {
            "string" => self.type_reader(cx).string_text(name)?,
            _ => cx.text(name),
        };
        (!text.is_empty() && text.len() <= 100 && !text.contains('\n')).then_some(text)
    }

    pub(super) fn in_function(&self, node: Node<'_>) -> bool {
        node.start_byte() < self.function_until
    }

    pub(super) fn in_block(&self, node: Node<'_>) -> bool {
        node.start_byte() < self.block_until
    }

    /// Returns the container of the members of `node`'s parent.
    pub(super) fn container_around(&mut self, node: Node<'_>) -> Container {
        while self.containers.last().is_some_and(|brace| brace.end <= node.start_byte()) {
            self.containers.pop();
        }
        self.containers.last().map_or(Container::Other, |brace| brace.container)
    }

    /// Marks the names of bases, which are references of their own kind, among the children of a clause.
    pub(super) fn mark_bases<'t>(&mut self, clause: Node<'t>, kind: RefKind) -> WalkStep {
        for base in named_children(clause) {
            let name = match base.kind() {
                "generic_type" => base.child_by_field_id(self.grammar.fields.name),
                _ => Some(base),
            };
            let named = |n: &Node<'_>| {
                matches!(
                    n.kind(),
                    "identifier" | "member_expression" | "type_identifier" | "nested_type_identifier"
                )
            };
            if let Some(name) = name.filter(named) {
                self.roles.insert(name.id(), kind);
            }
        }
        WalkStep::Into
    }
}

/// Returns a header without the brace, arrow or semicolon that ends it.
fn signature<'t>(cx: &Cx<'t>, from: usize, to: usize) -> &'t str {
    let text = cx.slice(from, to.min(from + 1200)).trim_end();
    let text = text.strip_suffix("=>").unwrap_or(text);
    text.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '{' | ';' | ','))
}
