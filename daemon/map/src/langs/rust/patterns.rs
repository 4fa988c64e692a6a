//! Binds the names of patterns, with the types of their values.
//!
//! A name in a pattern is a variable if it starts in lower case, and a constant otherwise; the grammar cannot tell, and
//! the compiler warns about names that break the convention. A value that a pattern takes apart is followed as a path,
//! see `values`.

use super::grammar::RustKind;
use super::infer::{PATH_LIMIT, PATH_STEPS, as_binding};
use super::rules::RustWalk;
use super::values::element_path;
use crate::langs::support::each_child;
use crate::syntax::Node;
use crate::walk::{Binding, Cx, WalkStep};

/// Most arguments of a call that are searched for closures.
const MOST_PASSED: usize = 16;

/// The type of a pattern's value, as a binding has it: a type's name, or a path behind a `=`.
type RustPatternSource = Option<String>;

impl RustWalk {
    pub(super) fn visit_let_statement(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(pattern) = node.child_by_field_id(self.g.f.pattern) else { return WalkStep::Into };
        let source = match node.child_by_field_id(self.g.f.ty) {
            Some(ty) => self.type_source(ty, cx),
            None => node.child_by_field_id(self.g.f.value).and_then(|value| self.value_source(value, cx)),
        };
        self.bind_later(pattern, source, node.end_byte(), cx);
        WalkStep::Into
    }

    pub(super) fn visit_let_condition(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let source = node.child_by_field_id(self.g.f.value).and_then(|value| self.value_source(value, cx));
        if let Some(pattern) = node.child_by_field_id(self.g.f.pattern) {
            self.bind_later(pattern, source, node.end_byte(), cx);
        }
        WalkStep::Into
    }

    pub(super) fn visit_for_loop(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        cx.open_scope(true);
        let value = node.child_by_field_id(self.g.f.value);
        if let (Some(pattern), Some(value)) = (node.child_by_field_id(self.g.f.pattern), value) {
            let source = self.value_source(value, cx).map(|source| path_to_step(&source, "@"));
            self.bind_later(pattern, source, value.end_byte(), cx);
        }
        WalkStep::Into
    }

    /// Keeps the path of the value that the arms of a `match` take apart.
    pub(super) fn visit_match_expression(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let source = node.child_by_field_id(self.g.f.value).and_then(|value| self.value_source(value, cx));
        while self.matches.pop_if(|(end, _)| *end <= node.start_byte()).is_some() {}
        self.matches.push((node.end_byte(), source));
        WalkStep::Into
    }

    pub(super) fn visit_match_pattern(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        while self.matches.pop_if(|(end, _)| *end <= node.start_byte()).is_some() {}
        let source = self.matches.last().and_then(|(_, source)| source.clone());
        if let Some(pattern) = node.named_child(0) {
            self.bind_now(pattern, source, cx);
        }
        WalkStep::Into
    }

    pub(super) fn visit_parameter(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let source = node.child_by_field_id(self.g.f.ty).and_then(|ty| self.type_source(ty, cx));
        if let Some(pattern) = node.child_by_field_id(self.g.f.pattern) {
            self.bind_now(pattern, source, cx);
        }
        WalkStep::Into
    }

    /// Keeps, for each closure among a call's arguments, the path of the parameter that it is passed to.
    pub(super) fn pass_closures(&mut self, call: Node<'_>, cx: &mut Cx<'_>) {
        let Some(arguments) = call.child_by_field_id(self.g.f.arguments) else { return };
        let (mut closures, mut place) = (Vec::new(), 0);
        each_child(arguments, |child, _| {
            if child.is_named() && !child.is_extra() && place < MOST_PASSED {
                closures
                    .extend((self.g.kind(child) == RustKind::Closure).then_some((place, child.start_byte())));
                place += 1;
            }
        });
        if closures.is_empty() {
            return;
        }
        let Some(path) = self.passed_path(call, cx) else { return };
        let passed = closures.into_iter().map(|(place, at)| (at, format!("{path}@{place}")));
        self.passed.extend(passed);
    }

    pub(super) fn visit_closure(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        cx.open_scope(true);
        let passed = self.passed.iter().position(|(at, _)| *at == node.start_byte());
        let passed = passed.map(|at| self.passed.swap_remove(at).1);
        let mut patterns = Vec::new();
        if let Some(list) = node.child_by_field_id(self.g.f.parameters) {
            each_child(list, |child, _| patterns.extend(child.is_named().then_some(child)));
        }
        for (place, pattern) in patterns.into_iter().enumerate() {
            if self.g.kind(pattern) != RustKind::Param {
                let source = passed.as_ref().map(|path| format!("={path}:{place}"));
                self.bind_now(pattern, source, cx);
            }
        }
        WalkStep::Into
    }

    fn type_source(&mut self, ty: Node<'_>, cx: &mut Cx<'_>) -> RustPatternSource {
        let ty = self.type_path(ty, cx)?;
        Some(cx.facts.provisional_name(ty).to_owned())
    }

    fn value_source(&mut self, value: Node<'_>, cx: &mut Cx<'_>) -> RustPatternSource {
        match self.infer_type(value, super::infer::CHAIN_LIMIT, cx) {
            Some(ty) => Some(cx.facts.provisional_name(ty).to_owned()),
            None => self.value_path(value, PATH_STEPS, cx).map(|path| format!("={path}")),
        }
    }

    fn bind_now(&mut self, pattern: Node<'_>, source: RustPatternSource, cx: &mut Cx<'_>) {
        for (name, source) in self.names_in(pattern, source, cx) {
            let binding = binding_of_source(source.as_deref(), cx);
            cx.bind(cx.text(name), binding);
        }
    }

    fn bind_later(&mut self, pattern: Node<'_>, source: RustPatternSource, from: usize, cx: &mut Cx<'_>) {
        for (name, source) in self.names_in(pattern, source, cx) {
            let binding = binding_of_source(source.as_deref(), cx);
            self.pending.add(name, binding, from);
        }
    }

    /// Returns the names that a pattern binds and the sources of their values, and marks them, so that the walk takes
    /// none for a use.
    fn names_in<'t>(
        &mut self,
        pattern: Node<'t>,
        source: RustPatternSource,
        cx: &mut Cx<'_>,
    ) -> Vec<(Node<'t>, RustPatternSource)> {
        let mut names = Vec::new();
        let mut todo = vec![(pattern, source)];
        while let Some((node, source)) = todo.pop() {
            match self.g.kind(node) {
                RustKind::Ident if starts_upper(node, cx.source) => {}
                RustKind::Ident | RustKind::ShorthandField => names.push((node, source)),
                RustKind::Scoped
                | RustKind::ScopedType
                | RustKind::MacroCall
                | RustKind::Nothing
                | RustKind::TypeIdent
                | RustKind::FieldName
                | RustKind::Block => {}
                RustKind::TuplePattern => self.take_variant(node, source, cx, &mut todo),
                RustKind::StructPattern => self.take_struct(node, cx, &mut todo),
                RustKind::PlainTuple => {
                    each_place(node, |at, child| {
                        let part = source.as_deref().map(|source| path_to_step(source, &at.to_string()));
                        todo.push((child, part));
                    });
                }
                RustKind::Slice => each_child(node, |child, _| {
                    todo.push((child, source.as_deref().map(|source| path_to_step(source, "[]"))));
                }),
                RustKind::Wrapping | RustKind::FieldPattern => {
                    each_child(node, |child, _| todo.push((child, source.clone())));
                }
                _ => each_child(node, |child, _| todo.push((child, None))),
            }
        }
        names.iter().for_each(|(name, _)| self.handled.mark(*name));
        names
    }

    /// Adds the parts of a variant's pattern to those that are still to be read: `Some(x)`, `Variant(x, y)`.
    fn take_variant<'t>(
        &mut self,
        node: Node<'t>,
        source: RustPatternSource,
        cx: &mut Cx<'_>,
        todo: &mut Vec<(Node<'t>, RustPatternSource)>,
    ) {
        let ty = node.child_by_field_id(self.g.f.ty);
        let name = ty.map_or("", |ty| cx.text(ty));
        let whole = match name {
            "Some" | "Ok" => source.map(|source| path_to_step(&source, "?")),
            "Err" => source.map(|source| path_to_step(&source, "!")),
            _ => ty.and_then(|ty| self.pattern_path(ty, cx)),
        };
        let wraps = matches!(name, "Some" | "Ok" | "Err");
        let ty = ty.map(|ty| ty.id());
        each_place(node, |at, child| {
            if Some(child.id()) != ty {
                // The first child is the type.
                let part = whole.as_deref().map(|whole| match wraps {
                    true => whole.to_owned(),
                    false => path_to_step(whole, &at.saturating_sub(1).to_string()),
                });
                todo.push((child, part));
            }
        });
    }

    /// Adds the parts of a struct's pattern likewise: `Foo { a, b: Some(c), .. }`.
    fn take_struct<'t>(
        &mut self,
        node: Node<'t>,
        cx: &mut Cx<'_>,
        todo: &mut Vec<(Node<'t>, RustPatternSource)>,
    ) {
        let whole = node.child_by_field_id(self.g.f.ty).and_then(|ty| self.pattern_path(ty, cx));
        let mut fields = Vec::new();
        each_child(node, |child, _| fields.push(child));
        for field in fields.into_iter().filter(|field| self.g.kind(*field) == RustKind::FieldPattern) {
            let name = field.child_by_field_id(self.g.f.name);
            let path = name.zip(whole.as_deref()).map(|(name, whole)| path_to_step(whole, cx.text(name)));
            todo.push((field, path));
        }
    }

    /// Returns the path of the type or variant that a pattern names.
    fn pattern_path(&mut self, ty: Node<'_>, cx: &mut Cx<'_>) -> RustPatternSource {
        let path = self.dotted_path(ty, cx)?;
        match path.split_once('.') {
            None if path == "Self" => self.own_path(ty, cx),
            Some(("Self", rest)) => Some(format!("{}.{rest}", self.own_path(ty, cx)?)),
            Some(("self", _)) => None,
            _ => Some(path),
        }
    }

    fn own_path(&mut self, at: Node<'_>, cx: &Cx<'_>) -> RustPatternSource {
        let own = self.body_around(at)?.self_type?;
        Some(cx.facts.provisional_name(own).to_owned())
    }
}

/// Calls `take` with the named children and their places. Behind a `..` the place is one that no tuple has.
fn each_place<'t>(node: Node<'t>, mut take: impl FnMut(usize, Node<'t>)) {
    let (mut place, mut shifted) = (0, false);
    each_child(node, |child, _| {
        shifted |= child.kind() == "remaining_field_pattern";
        if (child.is_named() && !child.is_extra()) || child.kind() == "_" {
            // The places behind `..` are unknown.
            take(if shifted { usize::from(u16::MAX) } else { place }, child);
            place += 1;
        }
    });
}

/// Returns the path to the part of a value that one further step leads to.
fn path_to_step(source: &str, step: &str) -> String {
    // Patterns may be nested without limit.
    if source.len() >= PATH_LIMIT {
        return "=_".to_owned();
    }
    format!("={}", element_path(source.trim_start_matches('='), step))
}

fn binding_of_source(source: Option<&str>, cx: &mut Cx<'_>) -> Binding {
    let known = source.filter(|source| !matches!(*source, "=_" | "_")).and_then(|source| {
        match source.strip_prefix('=') {
            Some(path) => as_binding(path, cx),
            None => Some(cx.facts.intern(source)),
        }
    });
    known.map_or(Binding::Opaque, Binding::Typed)
}

fn starts_upper(name: Node<'_>, source: &[u8]) -> bool {
    source.get(name.start_byte()).is_some_and(u8::is_ascii_uppercase)
}
