//! Follows the values that expressions give, and the calls in them.

use super::{DEPTH, FlowKind, Trace};
use crate::facts::{CallKind, FlowPart, FlowTarget, FlowValue, Label, ScopeIdx, ScopeKind, ValueIdx};
use crate::langs::support::TracedRun;
use crate::syntax::Node;

impl<'t> Trace<'t> {
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
        match self.kind_of(node) {
            FlowKind::Identifier if self.to.bytes(node) == b"arguments" => {
                self.to.read_arguments("arguments")
            }
            FlowKind::Identifier | FlowKind::ShorthandPropertyIdentifier => self.to.read(self.to.text(node)),
            FlowKind::Undefined | FlowKind::TypeAnnotation | FlowKind::TypeArguments | FlowKind::Regex => {
                self.to.unknown_value()
            }
            FlowKind::This => self.this_value(),
            FlowKind::Super => {
                let scope = self.method_around();
                self.to.value(FlowValue::Super(scope))
            }
            FlowKind::MemberExpression => self.trace_member(node),
            FlowKind::SubscriptExpression => self.trace_subscript(node),
            FlowKind::CallExpression => self.call(node),
            FlowKind::NewExpression => self.trace_construction(node),
            FlowKind::ArrowFunction | FlowKind::FunctionExpression | FlowKind::GeneratorFunction => {
                self.trace_function(node, None)
            }
            FlowKind::Class => self.trace_class(node, node.child_by_field_id(self.f.name)),
            FlowKind::Object => self.trace_object(node),
            FlowKind::Array => self.trace_array(node),
            FlowKind::AssignmentExpression => self.trace_assignment(node),
            FlowKind::TernaryExpression => self.any_of(node, &[1, 2]),
            FlowKind::BinaryExpression => self.any_of(node, &[0, 1]),
            FlowKind::AugmentedAssignmentExpression => self.any_of(node, &[0, 1]),
            FlowKind::ParenthesizedExpression
            | FlowKind::AwaitExpression
            | FlowKind::AsExpression
            | FlowKind::SatisfiesExpression
            | FlowKind::NonNullExpression => self.first(node),
            FlowKind::TypeAssertion | FlowKind::SequenceExpression => {
                let values: Vec<ValueIdx> = self.children(node).map(|child| self.value(child)).collect();
                values.last().copied().unwrap_or_else(|| self.to.unknown_value())
            }
            FlowKind::YieldExpression => self.trace_yield(node),
            FlowKind::String | FlowKind::Number => {
                let text = self.key_text(node);
                self.to.literal_value(text)
            }
            FlowKind::StatementBlock => {
                self.trace_statement(node);
                self.to.unknown_value()
            }
            _ => {
                self.children(node).for_each(|child| {
                    self.value(child);
                });
                self.to.unknown_value()
            }
        }
    }

    fn first(&mut self, node: Node<'t>) -> ValueIdx {
        match node.named_child(0) {
            Some(inner) => self.value(inner),
            None => self.to.unknown_value(),
        }
    }

    /// Returns the function or method whose `this` is visible here, which is no arrow function.
    fn method_around(&self) -> ScopeIdx {
        self.to.scope_of_this()
    }

    fn this_value(&mut self) -> ValueIdx {
        let scope = self.method_around();
        self.to.value(FlowValue::This(scope))
    }

    fn any_of(&mut self, node: Node<'t>, which: &[usize]) -> ValueIdx {
        let mut values = Vec::new();
        for (at, child) in self.children(node).enumerate() {
            values.push(if at == 0 { self.value(child) } else { self.perhaps_value(child) });
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

    /// Returns the member of a value; that of an object literal is the value that stands there.
    pub(super) fn property_value(&mut self, of: ValueIdx, name: &str) -> ValueIdx {
        match self.to.value_at(of) {
            FlowValue::Unknown => of,
            FlowValue::Container(_) => {
                let key = self.to.key(name);
                if self.to.holds_key(of, key) {
                    self.to.value_under_key(of, key)
                } else {
                    self.to.member_value(of, name)
                }
            }
            _ => self.to.member_value(of, name),
        }
    }

    fn trace_member(&mut self, node: Node<'t>) -> ValueIdx {
        let of = node.child_by_field_id(self.f.object).map(|of| self.value(of));
        let name = node.child_by_field_id(self.f.property).map_or("", |name| self.to.text(name));
        match of {
            Some(of) => self.property_value(of, name),
            None => self.to.unknown_value(),
        }
    }

    fn trace_subscript(&mut self, node: Node<'t>) -> ValueIdx {
        let (Some(of), Some(index)) = (node.child_by_field_id(self.f.object), node.named_child(1)) else {
            return self.to.unknown_value();
        };
        let of = self.value(of);
        let key = self.value(index);
        match self.to.value_at(of) {
            FlowValue::Unknown => of,
            FlowValue::Container(_) => self.to.value_under_key(of, key),
            _ if self.kind_of(index) == FlowKind::String => self.to.member_value(of, self.key_text(index)),
            _ => self.to.value_under_key(of, key),
        }
    }

    fn trace_assignment(&mut self, node: Node<'t>) -> ValueIdx {
        let (left, right) = (node.child_by_field_id(self.f.left), node.child_by_field_id(self.f.right));
        let (Some(left), Some(right)) = (left, right) else { return self.to.unknown_value() };
        let name = match self.kind_of(left) {
            FlowKind::MemberExpression => left.child_by_field_id(self.f.property).unwrap_or(left),
            _ => left,
        };
        let value = self.named_value(right, name);
        self.bind(left, value);
        value
    }

    pub(super) fn list(&mut self, values: &[ValueIdx]) -> ValueIdx {
        let parts: Vec<FlowPart> = values
            .iter()
            .zip(0..)
            .map(|(value, at)| FlowPart { label: Label::At(at), value: *value })
            .collect();
        self.to.make_container(&parts)
    }

    fn trace_array(&mut self, node: Node<'t>) -> ValueIdx {
        let mut parts = Vec::new();
        for (at, child) in self.children(node).enumerate() {
            let part = if self.kind_of(child) == FlowKind::SpreadElement {
                FlowPart { label: Label::Spread, value: self.first(child) }
            } else {
                FlowPart { label: Label::At(at as u32), value: self.value(child) }
            };
            parts.push(part);
        }
        self.unfold_spreads(&mut parts);
        self.to.make_container(&parts)
    }

    /// Replaces spread array literals by their elements.
    fn unfold_spreads(&mut self, parts: &mut Vec<FlowPart>) {
        let mut all = Vec::new();
        for part in parts.iter() {
            let inner = self.to.parts_of(part.value).filter(|_| part.label == Label::Spread);
            match inner {
                Some(inner) if inner.iter().all(|part| matches!(part.label, Label::At(_))) => {
                    all.extend(inner);
                }
                Some(_) => return,
                None if part.label == Label::Spread => return,
                None => all.push(*part),
            }
        }
        all.iter_mut().zip(0..).for_each(|(part, at)| part.label = Label::At(at));
        *parts = all;
    }

    fn trace_object(&mut self, node: Node<'t>) -> ValueIdx {
        let (mut parts, mut methods) = (Vec::new(), Vec::new());
        for child in self.children(node) {
            match self.kind_of(child) {
                FlowKind::Pair => {
                    let inner = (child.child_by_field_id(self.f.key), child.child_by_field_id(self.f.value));
                    let (Some(key), Some(value)) = inner else { continue };
                    let value = self.named_value(value, key);
                    let label = if self.kind_of(key) == FlowKind::ComputedPropertyName {
                        Label::Keyed(self.first(key))
                    } else {
                        Label::Named(self.to.intern(self.key_text(key)))
                    };
                    parts.push(FlowPart { label, value });
                    methods.push(value);
                }
                FlowKind::MethodDefinition => {
                    let Some(name) = child.child_by_field_id(self.f.name) else { continue };
                    let value = self.trace_function(child, Some(name));
                    parts.push(FlowPart { label: Label::Named(self.to.intern(self.key_text(name))), value });
                    methods.push(value);
                }
                FlowKind::ShorthandPropertyIdentifier => {
                    let name = self.to.text(child);
                    let value = self.to.read(name);
                    parts.push(FlowPart { label: Label::Named(self.to.intern(name)), value });
                }
                FlowKind::SpreadElement => {
                    parts.push(FlowPart { label: Label::Spread, value: self.first(child) });
                }
                _ => {}
            }
        }
        let container = self.to.make_container(&parts);
        methods.into_iter().for_each(|method| self.to.set_home(method, container));
        container
    }

    fn trace_yield(&mut self, node: Node<'t>) -> ValueIdx {
        let value = self.first(node);
        let is_from = self.to.bytes(node).starts_with(b"yield*");
        let value = if is_from { self.to.value(FlowValue::Each(value)) } else { value };
        let scope = self.to.current_scope();
        if self.to.kind_of(scope) == ScopeKind::Function {
            self.to.set_kind(ScopeKind::Generator);
        }
        self.to.store_value(FlowTarget::Yield(scope), value);
        self.to.unknown_value()
    }

    fn trace_arguments(&mut self, list: Option<Node<'t>>) -> Vec<FlowPart> {
        let mut args = Vec::new();
        for (at, arg) in list.map(|list| self.children(list)).into_iter().flatten().enumerate() {
            let part = if self.kind_of(arg) == FlowKind::SpreadElement {
                FlowPart { label: Label::Spread, value: self.first(arg) }
            } else {
                FlowPart { label: Label::At(at as u32), value: self.value(arg) }
            };
            args.push(part);
        }
        args
    }

    fn trace_construction(&mut self, node: Node<'t>) -> ValueIdx {
        let Some(class) = node.child_by_field_id(self.f.constructor) else { return self.to.unknown_value() };
        let callee = self.value(class);
        let args = self.trace_arguments(node.child_by_field_id(self.f.arguments));
        self.to.call(callee, self.name_of(class), CallKind::Plain, &args)
    }

    /// Returns the node at which the name of a called expression stands, as references record it.
    fn name_of(&self, node: Node<'t>) -> Node<'t> {
        match self.kind_of(node) {
            FlowKind::MemberExpression => node.child_by_field_id(self.f.property).unwrap_or(node),
            FlowKind::ParenthesizedExpression | FlowKind::NonNullExpression => {
                node.named_child(0).map_or(node, |inner| self.name_of(inner))
            }
            _ => node,
        }
    }

    fn call(&mut self, node: Node<'t>) -> ValueIdx {
        let (function, list) =
            (node.child_by_field_id(self.f.function), node.child_by_field_id(self.f.arguments));
        let Some(function) = function else { return self.to.unknown_value() };
        let callee = self.value(function);
        let mut args = self.trace_arguments(list.filter(|list| self.kind_of(*list) == FlowKind::Arguments));
        if self.kind_of(function) == FlowKind::Super {
            return callee;
        }
        if self.to.bytes(function) == b"Object.assign" {
            return self.trace_object_assign(&args);
        }
        let at = match self.kind_of(function) {
            FlowKind::Identifier | FlowKind::MemberExpression | FlowKind::ParenthesizedExpression => {
                self.name_of(function)
            }
            _ => list.unwrap_or(node),
        };
        if let Some(called) = self.called_by_name(callee, &mut args) {
            return self.to.call(called, at, CallKind::Plain, &args);
        }
        self.trace_push(callee, &args);
        if self.to.is_unknown(callee) && args.iter().all(|arg| self.to.is_unknown(arg.value)) {
            return callee;
        }
        self.to.call(callee, at, CallKind::Plain, &args)
    }

    /// Returns `f` of `f.call(object, argument)`, and removes the object from the arguments.
    fn called_by_name(&mut self, callee: ValueIdx, args: &mut Vec<FlowPart>) -> Option<ValueIdx> {
        let FlowValue::Member(of, name) = self.to.value_at(callee) else { return None };
        if self.to.is_name(name, "call") && !args.is_empty() {
            args.remove(0);
            args.iter_mut().for_each(|arg| {
                if let Label::At(at) = &mut arg.label {
                    *at -= 1;
                }
            });
            return Some(of);
        }
        if self.to.is_name(name, "apply") && !args.is_empty() {
            args.clear();
            return Some(of);
        }
        None
    }

    /// Traces `list.push(value)`, which puts something into the value that it is called on.
    fn trace_push(&mut self, callee: ValueIdx, args: &[FlowPart]) {
        let FlowValue::Member(of, name) = self.to.value_at(callee) else { return };
        let is_put = ["push", "unshift", "add", "set"].into_iter().any(|known| self.to.is_name(name, known));
        if is_put && let Some(arg) = args.last() {
            let key = match args {
                [key, _] => key.value,
                _ => self.to.unknown_value(),
            };
            self.to.store_item(of, key, arg.value);
        }
    }

    /// Traces `Object.assign(target, source)`, which puts the members of a source literal into the target.
    fn trace_object_assign(&mut self, args: &[FlowPart]) -> ValueIdx {
        let Some((target, sources)) = args.split_first() else { return self.to.unknown_value() };
        for source in sources {
            for part in self.to.parts_of(source.value).unwrap_or_default() {
                let Label::Named(name) = part.label else { continue };
                if matches!(self.to.value_at(target.value), FlowValue::Container(_)) {
                    let key = self.to.value(FlowValue::Text(name));
                    self.to.store_item(target.value, key, part.value);
                } else {
                    self.to.store_value(FlowTarget::Member(name, target.value), part.value);
                }
            }
        }
        target.value
    }
}
