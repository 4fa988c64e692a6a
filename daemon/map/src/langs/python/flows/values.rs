//! Follows the values that expressions give, and the calls in them.

use super::super::grammar::FIELDS;
use super::super::patterns::each_target;
use super::super::refs::is_formatted;
use super::super::types::string_content;
use super::kinds::{FlowKind, kind_of};
use super::{DEPTH, Trace, name_of};
use crate::facts::{CallKind, FlowPart, FlowTarget, FlowValue, Label, ScopeKind, ValueIdx};
use crate::langs::support::TracedRun;
use crate::syntax::Node;

impl<'t> Trace<'_, 't> {
    /// Returns the value that an expression gives, and records the calls in it.
    pub(super) fn value(&mut self, node: Node<'t>) -> ValueIdx {
        if self.depth >= DEPTH || self.to.is_full() {
            return self.to.unknown_value();
        }
        self.depth += 1;
        let outer = self.to.begin_expression(node);
        let value = self.trace_expression(node);
        self.to.end_expression(outer, value);
        self.depth -= 1;
        value
    }

    fn trace_expression(&mut self, node: Node<'t>) -> ValueIdx {
        match kind_of(node) {
            FlowKind::Identifier => self.to.read(self.to.text(node)),
            FlowKind::Attribute => self.trace_attribute(node),
            FlowKind::Call => self.call(node),
            FlowKind::Subscript => self.trace_subscript(node),
            FlowKind::List
            | FlowKind::Tuple
            | FlowKind::Set
            | FlowKind::ExpressionList
            | FlowKind::PatternList => self.trace_sequence(node),
            FlowKind::Dictionary => self.trace_dictionary(node),
            FlowKind::Lambda => self.trace_lambda(node),
            FlowKind::ConditionalExpression => self.any_of(node, &[0, 2]),
            FlowKind::BooleanOperator => self.any_of(node, &[0, 1]),
            FlowKind::ParenthesizedExpression | FlowKind::Await | FlowKind::Type => match node.named_child(0)
            {
                Some(inner) => self.value(inner),
                None => self.to.unknown_value(),
            },
            FlowKind::NamedExpression => self.named_expression(node),
            FlowKind::Yield => self.trace_yield(node),
            FlowKind::ListComprehension
            | FlowKind::SetComprehension
            | FlowKind::GeneratorExpression
            | FlowKind::DictionaryComprehension => self.trace_comprehension(node),
            FlowKind::String => self.trace_string(node),
            FlowKind::Integer => self.to.key(self.to.text(node)),
            FlowKind::Assignment => self.trace_assignment(node),
            _ => {
                self.children(node).for_each(|child| {
                    self.value(child);
                });
                self.to.unknown_value()
            }
        }
    }

    fn any_of(&mut self, node: Node<'t>, which: &[usize]) -> ValueIdx {
        // The condition, or the first operand, is computed in any case.
        let sure = if which.contains(&1) { 0 } else { 1 };
        let mut values = Vec::new();
        for (at, child) in self.children(node).enumerate() {
            values.push(if at == sure { self.value(child) } else { self.perhaps_value(child) });
        }
        let chosen: Vec<ValueIdx> = which.iter().filter_map(|at| values.get(*at).copied()).collect();
        self.to.one_of(&chosen)
    }

    /// Returns the value of an operand or branch that may not be computed.
    fn perhaps_value(&mut self, node: Node<'t>) -> ValueIdx {
        let before = self.to.begin(TracedRun::Perhaps);
        let value = self.value(node);
        self.to.end(before);
        value
    }

    fn trace_attribute(&mut self, node: Node<'t>) -> ValueIdx {
        let object = node.child_by_field_id(FIELDS.object).map(|object| self.value(object));
        let name = node.child_by_field_id(FIELDS.attribute).map_or("", |name| self.to.text(name));
        match object {
            Some(object) if !self.to.is_unknown(object) => self.to.member_value(object, name),
            _ => self.to.unknown_value(),
        }
    }

    fn trace_string(&mut self, node: Node<'t>) -> ValueIdx {
        if is_formatted(self.to.source, node) {
            let parts = self.children(node);
            let computed = parts.filter(|part| kind_of(*part) == FlowKind::Interpolation);
            let values = computed.map(|part| self.value(part)).count();
            if values > 0 {
                return self.to.unknown_value();
            }
        }
        self.to.text_value(string_content(self.to.text(node)))
    }

    fn trace_subscript(&mut self, node: Node<'t>) -> ValueIdx {
        let mut parts = self.children(node);
        let Some(of) = parts.next() else { return self.to.unknown_value() };
        let of = self.value(of);
        let key = parts.next().filter(|_| parts.next().is_none());
        match key {
            Some(slice) if kind_of(slice) == FlowKind::Slice => self.trace_slice(of, slice),
            Some(key) => {
                let key = self.value(key);
                if self.to.is_unknown(of) { of } else { self.to.value_under_key(of, key) }
            }
            None => self.to.unknown_value(),
        }
    }

    fn trace_slice(&mut self, of: ValueIdx, slice: Node<'t>) -> ValueIdx {
        let text = self.to.text(slice);
        let (from, to) = text.split_once(':').unwrap_or((text, ""));
        let bound = |text: &str, otherwise| {
            if text.trim().is_empty() { Some(otherwise) } else { text.trim().parse().ok() }
        };
        let written =
            self.to.parts_of(of).filter(|parts| parts.iter().all(|part| matches!(part.label, Label::At(_))));
        if let Some(parts) = written
            && let (Some(from), Some(to)) = (bound(from, 0), bound(to, parts.len()))
        {
            let within = parts.get(from..to.min(parts.len())).unwrap_or(&[]).to_vec();
            return self.make_list(within.iter().map(|part| part.value));
        }
        self.to.make_container(&[FlowPart { label: Label::Spread, value: of }])
    }

    fn trace_sequence(&mut self, node: Node<'t>) -> ValueIdx {
        let mut parts = Vec::new();
        for (at, child) in self.children(node).enumerate() {
            let (label, inner) = match kind_of(child) {
                FlowKind::ListSplat => (Label::Spread, child.named_child(0).unwrap_or(child)),
                _ => (Label::At(at as u32), child),
            };
            let value = self.value(inner);
            parts.push(FlowPart { label, value });
        }
        self.to.make_container(&parts)
    }

    fn trace_dictionary(&mut self, node: Node<'t>) -> ValueIdx {
        let mut parts = Vec::new();
        for child in self.children(node) {
            let inner: Vec<Node<'t>> = self.children(child).take(3).collect();
            match (kind_of(child), &inner[..]) {
                (FlowKind::Pair, [key, value]) => {
                    let (key, value) = (self.value(*key), self.value(*value));
                    parts.push(FlowPart { label: self.part_label(key), value });
                }
                (FlowKind::DictionarySplat, [of]) => {
                    let value = self.value(*of);
                    parts.push(FlowPart { label: Label::Spread, value });
                }
                _ => {}
            }
        }
        self.to.make_container(&parts)
    }

    fn part_label(&self, key: ValueIdx) -> Label {
        match self.to.value_at(key) {
            FlowValue::Text(text) => Label::Named(text),
            _ => Label::Keyed(key),
        }
    }

    fn trace_lambda(&mut self, node: Node<'t>) -> ValueIdx {
        let defaults = node.child_by_field_id(FIELDS.parameters).map(|list| self.default_values(list));
        let outer = self.to.open(ScopeKind::Function, self.known.made.get(&node.id()).copied(), None);
        if let Some(list) = node.child_by_field_id(FIELDS.parameters) {
            self.trace_parameters(list, None, false, &defaults.unwrap_or_default());
        }
        if let Some(body) = node.child_by_field_id(FIELDS.body) {
            let value = self.value(body);
            let scope = self.to.current_scope();
            self.to.store_value(FlowTarget::Return(scope), value);
        }
        self.to.close(outer)
    }

    fn named_expression(&mut self, node: Node<'t>) -> ValueIdx {
        let value = node.child_by_field_id(FIELDS.value).map(|value| self.value(value));
        let value = value.unwrap_or_else(|| self.to.unknown_value());
        if let Some(name) = node.child_by_field_id(FIELDS.name) {
            self.bind(name, value);
        }
        value
    }

    fn trace_yield(&mut self, node: Node<'t>) -> ValueIdx {
        let scope = self.to.current_scope();
        if self.to.kind_of(scope) == ScopeKind::Function {
            self.to.set_kind(ScopeKind::Generator);
        }
        if let Some(inner) = node.named_child(0) {
            let value = self.value(inner);
            let is_from = self.to.bytes(node).trim_ascii_start().strip_prefix(b"yield".as_slice());
            let is_from = is_from.is_some_and(|rest| rest.trim_ascii_start().starts_with(b"from"));
            let value = if is_from { self.to.value(FlowValue::Each(value)) } else { value };
            self.to.store_value(FlowTarget::Yield(scope), value);
        }
        self.to.unknown_value()
    }

    fn trace_comprehension(&mut self, node: Node<'t>) -> ValueIdx {
        let parts: Vec<Node<'t>> = self.children(node).collect();
        let clauses: Vec<Node<'t>> =
            parts.iter().copied().filter(|part| kind_of(*part) == FlowKind::ForInClause).collect();
        let first = clauses.first().and_then(|clause| clause.child_by_field_id(FIELDS.right));
        let over = first.map(|right| (self.value(right), right));
        let outer = self.to.open(ScopeKind::Function, None, None);
        for (at, clause) in clauses.iter().enumerate() {
            let right = clause.child_by_field_id(FIELDS.right);
            let over = if at == 0 { over } else { right.map(|right| (self.value(right), right)) };
            let item = over.map(|(over, at)| self.trace_iteration(over, at));
            if let (Some(left), Some(item)) = (clause.child_by_field_id(FIELDS.left), item) {
                each_target(left, &mut |name| {
                    if kind_of(name) == FlowKind::Identifier {
                        let name = self.to.text(name);
                        self.to.declare_variable(name);
                    }
                });
                self.bind(left, item);
            }
        }
        parts.iter().filter(|part| kind_of(**part) == FlowKind::IfClause).for_each(|part| {
            self.value(*part);
        });
        let key = self.to.unknown_value();
        let given = match parts.first().map(|body| (kind_of(*body), self.children(*body))) {
            Some((FlowKind::Pair, pair)) => pair.map(|part| self.value(part)).last().unwrap_or(key),
            _ => parts.first().map_or(key, |body| self.value(*body)),
        };
        self.to.close(outer);
        self.to.make_container(&[FlowPart { label: Label::Keyed(key), value: given }])
    }

    fn call(&mut self, node: Node<'t>) -> ValueIdx {
        let (function, list) =
            (node.child_by_field_id(FIELDS.function), node.child_by_field_id(FIELDS.arguments));
        let Some(function) = function else { return self.to.unknown_value() };
        let callee = self.value(function);
        let mut args = Vec::new();
        // A generator expression may be the only argument, without brackets of its own.
        let only = list.filter(|list| kind_of(*list) != FlowKind::ArgumentList);
        let written = list.filter(|_| only.is_none()).map(|list| self.children(list));
        for (at, arg) in only.into_iter().chain(written.into_iter().flatten()).enumerate() {
            let (label, value) = match kind_of(arg) {
                FlowKind::KeywordArgument => {
                    let name = arg.child_by_field_id(FIELDS.name).map_or("", |name| self.to.text(name));
                    (Label::Named(self.to.intern(name)), arg.child_by_field_id(FIELDS.value))
                }
                FlowKind::ListSplat | FlowKind::DictionarySplat => (Label::Spread, arg.named_child(0)),
                _ => (Label::At(at as u32), Some(arg)),
            };
            let value = match value {
                Some(value) => self.value(value),
                None => self.to.unknown_value(),
            };
            args.push(FlowPart { label, value });
        }
        if self.is_super(function, &args) {
            let scope = self.to.current_scope();
            return self.to.value(FlowValue::Super(scope));
        }
        self.trace_update(callee, &args);
        if self.to.is_unknown(callee) && args.iter().all(|arg| self.to.is_unknown(arg.value)) {
            return callee;
        }
        let at = match kind_of(function) {
            FlowKind::Identifier | FlowKind::Attribute => name_of(function),
            _ => list.unwrap_or(node),
        };
        self.to.call(callee, at, CallKind::Plain, &args)
    }

    fn is_super(&self, function: Node<'t>, args: &[FlowPart]) -> bool {
        kind_of(function) == FlowKind::Identifier && self.to.text(function) == "super" && args.is_empty()
    }

    /// Traces `d.update({...})` and `l.append(x)`, which put something into the value that they are called on.
    fn trace_update(&mut self, callee: ValueIdx, args: &[FlowPart]) {
        let FlowValue::Member(of, name) = self.to.value_at(callee) else { return };
        let [arg] = args else { return };
        if self.to.is_name(name, "update")
            && let Some(parts) = self.to.parts_of(arg.value)
        {
            for part in parts {
                if let Label::Named(key) = part.label {
                    let key = self.to.value(FlowValue::Text(key));
                    self.to.store_item(of, key, part.value);
                }
            }
        } else if ["append", "add", "appendleft"].into_iter().any(|known| self.to.is_name(name, known)) {
            let key = self.to.unknown_value();
            self.to.store_item(of, key, arg.value);
        }
    }
}
