//! Binds local variables, with their types where these are known.

use super::grammar::GoKind;
use super::rules::GoWalk;
use crate::facts::StrId;
use crate::langs::support::each_child;
use crate::syntax::Node;
use crate::walk::{Binding, Cx, WalkStep};

impl GoWalk {
    pub(super) fn visit_parameter(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let ty = match node.kind() {
            "variadic_parameter_declaration" => {
                let held = node.child_by_field_id(self.g.f.ty).and_then(|ty| self.kept_type(ty, cx));
                held.map(|held| cx.facts.provisional_name(held).to_owned())
                    .map(|held| cx.facts.intern(&format!("[]{held}")))
            }
            _ => node.child_by_field_id(self.g.f.ty).and_then(|ty| self.kept_type(ty, cx)),
        };
        each_child(node, |child, field| {
            if field == self.g.f.name {
                self.handled.mark(child);
                cx.bind(cx.text(child), binding_of_type(ty));
            }
        });
        WalkStep::Into
    }

    /// Binds the names of `a, b := x, y`, which come into scope after the statement.
    pub(super) fn visit_short_variables(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let names = self.plain_names(node.child_by_field_id(self.g.f.left));
        let values = self.list(node.child_by_field_id(self.g.f.right));
        self.bind_values(&names, &values, node.end_byte(), cx);
        WalkStep::Into
    }

    pub(super) fn local_values(&mut self, node: Node<'_>, names: &[Node<'_>], cx: &mut Cx<'_>) {
        match node.child_by_field_id(self.g.f.ty) {
            Some(ty) => {
                let ty = self.kept_type(ty, cx);
                names.iter().for_each(|name| self.pending.add(*name, binding_of_type(ty), node.end_byte()));
            }
            None => {
                let values = self.list(node.child_by_field_id(self.g.f.value));
                self.bind_values(names, &values, node.end_byte(), cx);
            }
        }
    }

    fn bind_values(&mut self, names: &[Node<'_>], values: &[Node<'_>], from: usize, cx: &mut Cx<'_>) {
        for (at, name) in names.iter().enumerate() {
            // `x, err := f()`: of several results, only the first one's type is known.
            let value = if names.len() == values.len() || at == 0 { values.get(at) } else { None };
            let ty = value.and_then(|value| self.type_or_path(*value, cx));
            self.handled.mark(*name);
            self.pending.add(*name, binding_of_type(ty), from);
        }
    }

    /// Binds the names of `for k, v := range x` and `case v := <-ch`; without `:=` the names are uses.
    pub(super) fn bind_left(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let mut declares = false;
        each_child(node, |child, _| declares |= child.kind() == ":=");
        if declares {
            let value = node.child_by_field_id(self.g.f.right).and_then(|value| self.type_or_path(value, cx));
            let is_range = self.g.kind(node) == GoKind::Range;
            for (at, name) in self.plain_names(node.child_by_field_id(self.g.f.left)).into_iter().enumerate()
            {
                // In a loop, the second name is the element; in a receive statement, the first.
                let ty = match (is_range, at) {
                    (true, 1) => value.and_then(|value| self.element_type(value, cx)),
                    (false, 0) => value,
                    _ => None,
                };
                self.handled.mark(name);
                self.pending.add(name, binding_of_type(ty), node.end_byte());
            }
        }
        WalkStep::Into
    }

    pub(super) fn visit_type_switch(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        self.pending.enter_block(node);
        cx.open_scope(true);
        self.switches.retain(|(end, _)| *end > node.start_byte());
        if let Some(name) = self.plain_names(node.child_by_field_id(self.g.f.alias)).first() {
            self.handled.mark(*name);
            self.switches.push((node.end_byte(), (name.start_byte(), name.end_byte())));
            cx.bind(cx.text(*name), Binding::Opaque);
        }
        WalkStep::Into
    }

    /// Visits a case of a type switch; if it has one type, the switch's variable has that type in it.
    pub(super) fn visit_type_case(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        self.pending.enter_block(node);
        cx.open_scope(true);
        let mut types = Vec::new();
        each_child(node, |child, field| {
            types.extend((field == self.g.f.ty && child.is_named()).then_some(child));
        });
        self.switches.retain(|(end, _)| *end > node.start_byte());
        if let (&[ty], Some(&(_, (from, to)))) = (&types[..], self.switches.last()) {
            let ty = self.kept_type(ty, cx);
            cx.bind(cx.slice(from, to), binding_of_type(ty));
        }
        WalkStep::Into
    }

    /// Returns the plain names in an expression list, without `_`.
    fn plain_names<'t>(&self, list: Option<Node<'t>>) -> Vec<Node<'t>> {
        let mut names = self.list(list);
        names.retain(|node| self.g.kind(*node) == GoKind::Ident && node.end_byte() > node.start_byte());
        names
    }

    fn list<'t>(&self, list: Option<Node<'t>>) -> Vec<Node<'t>> {
        let mut nodes = Vec::new();
        if let Some(list) = list {
            each_child(list, |child, _| nodes.extend(child.is_named().then_some(child)));
        }
        nodes
    }
}

fn binding_of_type(ty: Option<StrId>) -> Binding {
    ty.map_or(Binding::Opaque, Binding::Typed)
}
