//! Names that patterns bind.
//!
//! A name in a pattern is a variable when it starts in lower case and a constant otherwise; the grammar cannot tell, and
//! the convention is one that the compiler warns about.

use tree_sitter::Node;

use super::grammar::K;
use super::rules::RustRules;
use crate::facts::StrId;
use crate::langs::support::each_child;
use crate::walk::{Binding, Cx, Step};

impl RustRules {
    pub(super) fn let_statement(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let Some(pattern) = node.child_by_field_id(self.g.f.pattern) else { return Step::Into };
        let ty = match node.child_by_field_id(self.g.f.ty) {
            Some(ty) => self.type_path(ty, cx),
            None => node.child_by_field_id(self.g.f.value).and_then(|value| self.value_type(value, cx)),
        };
        self.bind_later(pattern, ty, node.end_byte(), cx);
        Step::Into
    }

    pub(super) fn let_condition(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        if let Some(pattern) = node.child_by_field_id(self.g.f.pattern) {
            self.bind_later(pattern, None, node.end_byte(), cx);
        }
        Step::Into
    }

    pub(super) fn for_loop(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        cx.open_scope(true);
        let value = node.child_by_field_id(self.g.f.value);
        if let (Some(pattern), Some(value)) = (node.child_by_field_id(self.g.f.pattern), value) {
            self.bind_later(pattern, None, value.end_byte(), cx);
        }
        Step::Into
    }

    pub(super) fn match_pattern(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        if let Some(pattern) = node.named_child(0) {
            self.bind_now(pattern, None, cx);
        }
        Step::Into
    }

    pub(super) fn parameter(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let ty = node.child_by_field_id(self.g.f.ty).and_then(|ty| self.type_path(ty, cx));
        if let Some(pattern) = node.child_by_field_id(self.g.f.pattern) {
            self.bind_now(pattern, ty, cx);
        }
        Step::Into
    }

    pub(super) fn closure(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        cx.open_scope(true);
        let mut patterns = Vec::new();
        if let Some(list) = node.child_by_field_id(self.g.f.parameters) {
            each_child(list, |child, _| {
                patterns.extend((child.is_named() && self.g.kind(child) != K::Param).then_some(child));
            });
        }
        patterns.into_iter().for_each(|pattern| self.bind_now(pattern, None, cx));
        Step::Into
    }

    fn bind_now(&mut self, pattern: Node<'_>, ty: Option<StrId>, cx: &mut Cx<'_>) {
        let binding = ty.map_or(Binding::Opaque, Binding::Typed);
        for name in self.names_in(pattern, cx.source) {
            cx.bind(cx.text(name), if self.is_whole(pattern) { binding } else { Binding::Opaque });
        }
    }

    fn bind_later(&mut self, pattern: Node<'_>, ty: Option<StrId>, from: usize, cx: &Cx<'_>) {
        let binding = ty.filter(|_| self.is_whole(pattern)).map_or(Binding::Opaque, Binding::Typed);
        for name in self.names_in(pattern, cx.source) {
            self.pending.add(name, binding, from);
        }
    }

    /// Whether the pattern binds the whole value to one name.
    fn is_whole(&self, pattern: Node<'_>) -> bool {
        matches!(self.g.kind(pattern), K::Ident | K::Wrapping)
    }

    /// The names a pattern binds, marked so that the walk does not take them for uses.
    fn names_in<'t>(&mut self, pattern: Node<'t>, source: &[u8]) -> Vec<Node<'t>> {
        let mut names = Vec::new();
        let mut todo = vec![pattern];
        while let Some(node) = todo.pop() {
            match self.g.kind(node) {
                K::Ident if starts_upper(node, source) => {}
                K::Ident | K::ShorthandField => names.push(node),
                K::Scoped
                | K::ScopedType
                | K::MacroCall
                | K::Nothing
                | K::TypeIdent
                | K::FieldName
                | K::Block => {}
                K::TuplePattern | K::StructPattern => {
                    each_child(node, |child, field| {
                        if field != self.g.f.ty {
                            todo.push(child);
                        }
                    });
                }
                _ => each_child(node, |child, _| todo.push(child)),
            }
        }
        names.iter().for_each(|name| self.handled.mark(*name));
        names
    }
}

fn starts_upper(name: Node<'_>, source: &[u8]) -> bool {
    source.get(name.start_byte()).is_some_and(u8::is_ascii_uppercase)
}
