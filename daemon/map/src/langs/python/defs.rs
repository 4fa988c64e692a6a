//! Records the definitions of a Python file: their kinds, their properties, and where they begin and end.

use super::Python;
use super::grammar::FIELDS;
use super::scan::{AssignmentTarget, Marker, Statement};
use super::types::{Ty, dotted_path, last, string_content};
use crate::facts::{DefFlags, DefIdx, DefInput, DefKind, RefKind, TypePart};
use crate::syntax::{Node, all_children, named_children};
use crate::walk::{Cx, WalkStep};

/// The parts of a `class` or `def`.
struct Header<'t> {
    /// The `class` or `def` itself.
    def: Node<'t>,
    /// The `class` or `def` with its decorators.
    whole: Node<'t>,
    name: Node<'t>,
    kind: DefKind,
    flags: DefFlags,
}

impl Python<'_> {
    /// Opens a decorated definition before its decorators are walked, because they belong to it.
    pub(super) fn visit_decorated<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        let Some(definition) = node.child_by_field_id(FIELDS.definition) else { return WalkStep::Into };
        self.outer_until = definition.start_byte();
        match definition.kind() {
            "class_definition" => self.open_class(definition, node, cx),
            _ => self.open_function(definition, node, cx),
        }
        self.opened = definition.id();
        self.note_decorators(node, definition, cx);
        WalkStep::Into
    }

    /// Visits a class; opens it, unless its decorators did.
    pub(super) fn visit_class<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        if self.opened != node.id() {
            self.open_class(node, node, cx);
        }
        self.skip_name(node);
        self.type_parameters(node, cx);
        if let Some(bases) = node.child_by_field_id(FIELDS.superclasses) {
            self.mark_bases(bases);
        }
        WalkStep::Into
    }

    /// Visits a function; opens it, unless its decorators did.
    pub(super) fn visit_function<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        if self.opened != node.id() {
            self.open_function(node, node, cx);
        }
        self.skip_name(node);
        self.note_fixtures(node, cx);
        self.bind_locals(node, cx);
        self.type_parameters(node, cx);
        WalkStep::Into
    }

    /// Skips the name that a definition gives itself, which is no reference. Since the definition was opened, its
    /// decorators were walked.
    fn skip_name(&mut self, node: Node<'_>) {
        self.skip = node.child_by_field_id(FIELDS.name).map_or(self.skip, |name| name.id());
    }

    fn open_class<'t>(&mut self, node: Node<'t>, whole: Node<'t>, cx: &mut Cx<'t>) {
        let name = node.child_by_field_id(FIELDS.name).filter(|name| !cx.text(*name).is_empty());
        let Some(name) = name else { return };
        let kind = self.class_kind(node, cx);
        let text = cx.text(name);
        let is_test = self.is_test_class(node, text, cx);
        let flags = export_flags(text, cx).with_if(is_test, DefFlags::TEST);
        let header = Header { def: node, whole, name, kind, flags };
        let idx = define_header(&header, cx, false);
        self.classes.insert(idx, node.id());
        self.made.insert(node.id(), idx);
        self.skip = name.id();
    }

    fn class_kind<'t>(&self, node: Node<'t>, cx: &Cx<'t>) -> DefKind {
        let mut kind = DefKind::Class;
        each_base(node, cx, &mut |base| match base {
            "Enum" | "IntEnum" | "StrEnum" | "Flag" | "IntFlag" => kind = DefKind::Enum,
            "Protocol" => kind = DefKind::Interface,
            _ => {}
        });
        kind
    }

    /// Returns true if a class is a test by the conventions of unittest (a `TestCase`) or pytest (`Test*` with a test
    /// inside).
    fn is_test_class<'t>(&self, node: Node<'t>, name: &str, cx: &Cx<'t>) -> bool {
        let mut is_case = false;
        each_base(node, cx, &mut |base| is_case |= base.ends_with("TestCase"));
        let members = self.scan.classes.get(&node.id());
        let has_test = || members.is_some_and(|m| m.keys().any(|name| name.starts_with("test")));
        is_case || (name.starts_with("Test") && has_test())
    }

    fn open_function<'t>(&mut self, node: Node<'t>, whole: Node<'t>, cx: &mut Cx<'t>) {
        let name = node.child_by_field_id(FIELDS.name).filter(|name| !cx.text(*name).is_empty());
        let Some(name) = name else {
            // The parser made the name up, or it is not UTF-8: the function gets a scope without an owner.
            cx.open_scope(true);
            return;
        };
        self.skip = name.id();
        let implementation = self.scan.overloads.get(&node.id()).copied();
        if let Some(&idx) = implementation.and_then(|i| self.folded.get(&i)) {
            if implementation == Some(node.id()) {
                let header = self.function_header(node, whole, name, cx);
                replace_header(idx, &header, cx);
            }
            self.result(idx, node, cx);
            cx.reopen_scope(idx, true);
            return;
        }
        let header = self.function_header(node, whole, name, cx);
        let idx = define_header(&header, cx, true);
        self.made.insert(node.id(), idx);
        self.result(idx, node, cx);
        if let Some(implementation) = implementation {
            self.folded.insert(implementation, idx);
        }
    }

    /// Records the type that calls of a function give, or that reading a property gives. Overloads give different
    /// types, so theirs is left out.
    fn result(&self, idx: DefIdx, node: Node<'_>, cx: &mut Cx<'_>) {
        let marks = self.scan.marks.get(&node.id()).copied().unwrap_or_default();
        if let Some(ty) = self.scan.results.get(&node.id()).filter(|_| !marks.overload) {
            let part = if marks.is_property { TypePart::VALUE } else { TypePart::RESULT };
            add_type_hint(idx, part, ty, cx);
        }
    }

    fn function_header<'t>(&self, def: Node<'t>, whole: Node<'t>, name: Node<'t>, cx: &Cx<'t>) -> Header<'t> {
        let text = cx.text(name);
        let parent = cx.owner().map(|p| cx.facts.defs()[p.index()]);
        let in_class = parent.is_some_and(|p| p.kind.is_type());
        let kind = if in_class { DefKind::Method } else { DefKind::Function };
        let marks = self.scan.marks.get(&def.id()).copied().unwrap_or_default();
        let bodiless =
            marks.is_abstract || marks.overload || parent.is_some_and(|p| p.kind == DefKind::Interface);
        let in_tests = parent.is_some_and(|p| p.flags.has(DefFlags::TEST));
        let is_test = match parent {
            None => text.starts_with("test_"),
            Some(_) => in_tests && in_class && text.starts_with("test"),
        };
        let flags =
            export_flags(text, cx).with_if(bodiless, DefFlags::DECLARATION).with_if(is_test, DefFlags::TEST);
        Header { def, whole, name, kind, flags }
    }

    /// Defines an assigned name at module or class level, or an attribute of `self`; returns true if the name was one.
    pub(super) fn try_define_assigned<'t>(
        &mut self,
        node: Node<'t>,
        name: Node<'t>,
        cx: &mut Cx<'t>,
    ) -> bool {
        match self.scan.targets.get(&node.id()) {
            _ if cx.text(name).is_empty() => false,
            None => false,
            Some(AssignmentTarget::Repeats) => node.kind() == "identifier",
            Some(&AssignmentTarget::Defines(statement)) => {
                self.define_variable(name, statement, cx);
                true
            }
        }
    }

    /// Defines `name` of `name := value` at module level, which the first pass over statements does not see.
    pub(super) fn assigned_in_expression<'t>(&mut self, node: Node<'t>, name: Node<'t>, cx: &mut Cx<'t>) {
        let known = self.scan.module.contains_key(cx.text(name)) || cx.in_function() || cx.owner().is_some();
        if !known {
            let bytes = range(node);
            self.define_variable(name, Statement { bytes, lines: Cx::lines(node), marker: Marker::None }, cx);
        }
    }

    fn define_variable<'t>(&mut self, name: Node<'t>, statement: Statement, cx: &mut Cx<'t>) {
        let text = cx.text(name);
        let parent = self.class_around(cx).or_else(|| cx.owner());
        let within = parent.map(|p| cx.facts.defs()[p.index()].kind);
        let lambda = self.scan.lambdas.get(&name.id()).copied();
        let kind = match (within, statement.marker) {
            (_, Marker::Alias) => DefKind::TypeAlias,
            (None, _) if lambda.is_some() => DefKind::Function,
            (Some(DefKind::Enum), _) if !text.starts_with('_') => DefKind::Constant,
            (Some(_), _) => DefKind::Field,
            (None, Marker::Final) => DefKind::Constant,
            (None, Marker::None) if is_constant(text) => DefKind::Constant,
            (None, Marker::None) => DefKind::Variable,
        };
        let (from, to) = (statement.bytes.0 as usize, statement.bytes.1 as usize);
        let (line, flags) = (cx.slice(from, to.min(from + 1000)), exported_in(text, parent, cx));
        let input = DefInput {
            name: text,
            kind,
            flags,
            parent,
            qualifier: None,
            lines: statement.lines,
            bytes: statement.bytes,
            name_at: cx.position(name),
            signature: line.lines().next().unwrap_or(""),
            doc: "",
        };
        let idx = cx.define(&input);
        if let Some(lambda) = lambda {
            self.lambdas.insert(lambda, idx);
            self.made.insert(lambda, idx);
            return;
        }
        let names = match parent.and_then(|parent| self.classes.get(&parent)) {
            Some(class) => self.scan.classes.get(class),
            None => Some(&self.scan.module),
        };
        if let Some(ty) = names.and_then(|names| names.get(text)) {
            add_type_hint(idx, TypePart::VALUE, ty, cx);
        }
    }

    /// Visits `type X = ...`, and defines the alias.
    pub(super) fn visit_type_alias<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        self.types_until = node.end_byte();
        let left = node.child_by_field_id(FIELDS.left).and_then(|left| left.named_child(0));
        let name = left.and_then(|l| if l.kind() == "generic_type" { l.named_child(0) } else { Some(l) });
        let Some(name) = name.filter(|n| n.kind() == "identifier" && !cx.text(*n).is_empty()) else {
            return WalkStep::Into;
        };
        let text = cx.text(name);
        let (parent, flags) = (cx.owner(), export_flags(text, cx));
        let input = DefInput {
            name: text,
            kind: DefKind::TypeAlias,
            flags,
            parent,
            qualifier: None,
            lines: Cx::lines(node),
            bytes: range(node),
            name_at: cx.position(name),
            signature: cx.text(node),
            doc: "",
        };
        cx.define(&input);
        cx.open_scope(true);
        left.into_iter().for_each(|l| self.bind_type_parameters(l, cx));
        self.skip = name.id();
        WalkStep::Into
    }

    /// Marks the names of bases, which are references of their own kind; the walk meets them inside the argument list.
    fn mark_bases<'t>(&mut self, list: Node<'t>) {
        for base in named_children(list) {
            let name = match base.kind() {
                "subscript" => {
                    self.generic_bases.insert(base.id());
                    base.child_by_field_id(FIELDS.value)
                }
                _ => Some(base),
            };
            if let Some(name) = name.filter(|n| matches!(n.kind(), "identifier" | "attribute")) {
                self.roles.insert(name.id(), RefKind::Extends);
            }
        }
    }
}

/// Records the known type of a definition.
fn add_type_hint(idx: DefIdx, part: TypePart, ty: &Ty<'_>, cx: &mut Cx<'_>) {
    match ty {
        Ty::SelfType => cx.facts.type_hint(idx, part, "=self"),
        Ty::Is(name) | Ty::Declared(name) => cx.facts.type_hint(idx, part, name),
        Ty::Nothing | Ty::Unknown => {}
    }
}

fn each_base<'t>(class: Node<'t>, cx: &Cx<'t>, f: &mut dyn FnMut(&str)) {
    let Some(list) = class.child_by_field_id(FIELDS.superclasses) else { return };
    for base in named_children(list) {
        let value =
            if base.kind() == "subscript" { base.child_by_field_id(FIELDS.value) } else { Some(base) };
        if let Some(path) = value.and_then(|v| dotted_path(cx.source, v)) {
            f(last(&path));
        }
    }
}

fn define_header<'t>(header: &Header<'t>, cx: &mut Cx<'t>, binds: bool) -> DefIdx {
    let parent = cx.owner();
    let input = DefInput {
        name: cx.text(header.name),
        kind: header.kind,
        flags: header.flags,
        parent,
        qualifier: None,
        lines: Cx::lines(header.whole),
        bytes: range(header.whole),
        name_at: cx.position(header.name),
        signature: signature(header.def, cx),
        doc: docstring(header.def, cx),
    };
    cx.define_scope(&input, binds)
}

/// Puts the implementation's header in the place of its overloads'.
fn replace_header<'t>(idx: DefIdx, header: &Header<'t>, cx: &mut Cx<'t>) {
    let name_at = cx.position(header.name);
    let (signature, doc) = (signature(header.def, cx), docstring(header.def, cx));
    let def = cx.facts.def_mut(idx);
    def.flags = header.flags;
    def.lines = Cx::lines(header.whole);
    def.bytes = range(header.whole);
    def.name_at = name_at;
    cx.facts.set_signature(idx, signature);
    cx.facts.set_doc(idx, doc);
}

fn range(node: Node<'_>) -> (u32, u32) {
    (node.start_byte() as u32, node.end_byte() as u32)
}

/// Returns the text before the colon that opens the body.
fn signature<'t>(def: Node<'t>, cx: &Cx<'t>) -> &'t str {
    let colon = all_children(def).find(|child| child.kind() == ":");
    cx.slice(def.start_byte(), colon.map_or(def.end_byte(), |colon| colon.start_byte()))
}

fn docstring<'t>(def: Node<'t>, cx: &Cx<'t>) -> &'t str {
    let body = def.child_by_field_id(FIELDS.body);
    let first = body.and_then(|b| b.named_child(0)).filter(|n| n.kind() == "expression_statement");
    let string = first.and_then(|n| n.named_child(0)).filter(|n| n.kind() == "string");
    string.map_or("", |string| string_content(cx.text(string)))
}

fn export_flags(name: &str, cx: &Cx<'_>) -> DefFlags {
    exported_in(name, cx.owner(), cx)
}

/// Returns the flag of an exported name: one that is public by its spelling, and inside neither a function nor a
/// private definition.
fn exported_in(name: &str, parent: Option<DefIdx>, cx: &Cx<'_>) -> DefFlags {
    let dunder = name.len() > 4 && name.starts_with("__") && name.ends_with("__");
    let reachable = parent.is_none_or(|p| {
        let parent = &cx.facts.defs()[p.index()];
        parent.kind.is_type() && parent.flags.has(DefFlags::EXPORTED)
    });
    DefFlags::default().with_if(reachable && (dunder || !name.starts_with('_')), DefFlags::EXPORTED)
}

fn is_constant(name: &str) -> bool {
    name.contains(|c: char| c.is_ascii_uppercase()) && !name.contains(|c: char| c.is_lowercase())
}
