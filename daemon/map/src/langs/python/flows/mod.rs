//! Traces where values go in a Python file: a third pass, over expressions too, once the definitions of the file are
//! known.
//!
//! It visits the text in the order in which it runs. Depth is bounded; deeper nodes are not followed.

mod kinds;
mod values;

use rustc_hash::FxHashMap;

use super::grammar::FIELDS;
use super::patterns::{Marks, each_parameter};
use super::types::Ty;
use crate::facts::{
    CallKind, DefIdx, FactsBuilder, FlowPart, FlowTarget, FlowValue, Label, ScopeIdx, ScopeKind, SlotKind,
    ValueIdx,
};
use crate::langs::support::{TracedRun, Tracer, children_but};
use crate::syntax::{Node, Tree};
use kinds::{FlowKind, kind_of};

/// Most nested statements and expressions that are followed.
const DEPTH: usize = 100;

/// The findings of the walk that the tracing needs; keys are node ids of the same tree.
pub(super) struct PythonWalkFindings<'t> {
    /// The local names of each function.
    pub(super) locals: FxHashMap<usize, Vec<(&'t str, Ty<'t>)>>,
    /// The facts that decorators state, by function.
    pub(super) marks: FxHashMap<usize, Marks>,
    /// The definition that each class and function is.
    pub(super) made: FxHashMap<usize, DefIdx>,
}

/// Adds to the facts where values go, unless they have it already.
pub(super) fn trace_values<'t>(
    tree: &'t Tree,
    source: &'t [u8],
    facts: FactsBuilder,
    known: &PythonWalkFindings<'t>,
) -> FactsBuilder {
    if facts.has_flows() {
        return facts;
    }
    let mut trace = Trace { to: Tracer::new(source, facts), known, depth: 0 };
    trace.trace_block(tree.root_node());
    trace.to.finish()
}

struct Trace<'k, 't> {
    to: Tracer<'t>,
    known: &'k PythonWalkFindings<'t>,
    depth: usize,
}

impl<'t> Trace<'_, 't> {
    fn children(&self, node: Node<'t>) -> impl Iterator<Item = Node<'t>> + use<'t> {
        children_but(node, |child| kind_of(child) == FlowKind::Comment)
    }

    fn trace_block(&mut self, node: Node<'t>) {
        if self.depth >= DEPTH || self.to.is_full() {
            return;
        }
        self.depth += 1;
        self.children(node).for_each(|child| self.trace_statement(child));
        self.depth -= 1;
    }

    fn trace_statement(&mut self, node: Node<'t>) {
        if self.depth >= DEPTH || self.to.is_full() {
            return;
        }
        self.depth += 1;
        let outer = self.to.begin_statement(node);
        self.one_statement(node);
        self.to.end_statement(outer);
        self.depth -= 1;
    }

    fn one_statement(&mut self, node: Node<'t>) {
        match kind_of(node) {
            FlowKind::ExpressionStatement
            | FlowKind::Module
            | FlowKind::Block
            | FlowKind::ElseClause
            | FlowKind::FinallyClause => {
                self.trace_block(node);
            }
            FlowKind::Assignment => {
                self.trace_assignment(node);
            }
            FlowKind::AugmentedAssignment => self.trace_augmented(node),
            FlowKind::IfStatement => self.trace_branches(node),
            FlowKind::WhileStatement => self.trace_loop(node),
            FlowKind::ForStatement => self.for_statement(node),
            FlowKind::TryStatement | FlowKind::MatchStatement => self.trace_branches(node),
            FlowKind::WithStatement => self.with_statement(node),
            FlowKind::FunctionDefinition => {
                let value = self.trace_function(node);
                self.bind_definition(node, value);
            }
            FlowKind::ClassDefinition => {
                let value = self.trace_class(node);
                self.bind_definition(node, value);
            }
            FlowKind::DecoratedDefinition => self.trace_decorated(node),
            FlowKind::ReturnStatement => self.trace_return(node),
            FlowKind::RaiseStatement => self.trace_raise(node),
            FlowKind::GlobalStatement
            | FlowKind::NonlocalStatement
            | FlowKind::ImportStatement
            | FlowKind::ImportFromStatement
            | FlowKind::PassStatement
            | FlowKind::TypeAliasStatement => {}
            _ => {
                self.value(node);
            }
        }
    }

    /// Traces a statement of which each part may run or not.
    fn trace_branches(&mut self, node: Node<'t>) {
        for child in self.children(node) {
            match kind_of(child) {
                FlowKind::Block => self.trace_optional(child),
                FlowKind::ElifClause
                | FlowKind::ElseClause
                | FlowKind::ExceptClause
                | FlowKind::FinallyClause
                | FlowKind::CaseClause => {
                    self.trace_clause(child);
                }
                _ => {
                    self.value(child);
                }
            }
        }
    }

    fn trace_clause(&mut self, node: Node<'t>) {
        for child in self.children(node) {
            match kind_of(child) {
                FlowKind::Block => self.trace_optional(child),
                FlowKind::CasePattern => {}
                _ => {
                    self.value(child);
                }
            }
        }
    }

    fn trace_optional(&mut self, block: Node<'t>) {
        let before = self.to.begin(TracedRun::Perhaps);
        self.trace_block(block);
        self.to.end(before);
    }

    fn trace_loop(&mut self, node: Node<'t>) {
        let before = self.to.begin(TracedRun::Again);
        self.trace_branches(node);
        self.to.end(before);
    }

    fn for_statement(&mut self, node: Node<'t>) {
        let over = node.child_by_field_id(FIELDS.right).map(|right| self.value(right));
        let at = node.child_by_field_id(FIELDS.right);
        let item = over.zip(at).map(|(over, at)| self.trace_iteration(over, at));
        let before = self.to.begin(TracedRun::Again);
        if let (Some(left), Some(item)) = (node.child_by_field_id(FIELDS.left), item) {
            self.bind(left, item);
        }
        let bodies = self
            .children(node)
            .filter(|child| matches!(kind_of(*child), FlowKind::Block | FlowKind::ElseClause));
        bodies.for_each(|body| self.trace_block(body));
        self.to.end(before);
    }

    /// Records a loop over a value, and returns the value of its elements.
    fn trace_iteration(&mut self, over: ValueIdx, at: Node<'t>) -> ValueIdx {
        let each = self.to.value(FlowValue::Each(over));
        if matches!(self.to.value_at(over), FlowValue::Unknown | FlowValue::Container(_) | FlowValue::Text(_))
        {
            return each;
        }
        let next = self.call_implicit(over, &["__iter__", "__next__"], at);
        self.to.one_of(&[each, next])
    }

    /// Records calls that the language makes by itself, one method after the other, and returns the last result.
    fn call_implicit(&mut self, of: ValueIdx, names: &[&str], at: Node<'t>) -> ValueIdx {
        names.iter().fold(of, |of, name| {
            let callee = self.to.member_value(of, name);
            self.to.call(callee, at, CallKind::Implicit, &[])
        })
    }

    fn with_statement(&mut self, node: Node<'t>) {
        for child in self.children(node) {
            match kind_of(child) {
                FlowKind::WithClause => {
                    self.children(child).for_each(|item| self.with_item(item));
                }
                _ => self.trace_block(child),
            }
        }
    }

    fn with_item(&mut self, item: Node<'t>) {
        let Some(value) = item.child_by_field_id(FIELDS.value) else { return };
        let alias = value.child_by_field_id(FIELDS.alias).filter(|_| kind_of(value) == FlowKind::AsPattern);
        let inner =
            if kind_of(value) == FlowKind::AsPattern { value.named_child(0).unwrap_or(value) } else { value };
        let of = self.value(inner);
        let entered = self.call_implicit(of, &["__enter__"], inner);
        self.call_implicit(of, &["__exit__"], inner);
        if let Some(alias) = alias {
            let each = self.to.value(FlowValue::Each(of));
            let given = self.to.one_of(&[entered, each]);
            self.bind(alias.named_child(0).unwrap_or(alias), given);
        }
    }

    fn trace_assignment(&mut self, node: Node<'t>) -> ValueIdx {
        let value = match node.child_by_field_id(FIELDS.right) {
            Some(right) if kind_of(right) == FlowKind::Assignment => self.trace_assignment(right),
            Some(right) => self.value(right),
            None => return self.to.unknown_value(),
        };
        if let Some(left) = node.child_by_field_id(FIELDS.left) {
            self.bind(left, value);
        }
        value
    }

    fn trace_augmented(&mut self, node: Node<'t>) {
        let value = node.child_by_field_id(FIELDS.right).map(|right| self.value(right));
        let left = node.child_by_field_id(FIELDS.left);
        if let (Some(left), Some(value)) = (left, value)
            && matches!(kind_of(left), FlowKind::Identifier | FlowKind::Attribute)
        {
            let before = self.value(left);
            let both = self.to.one_of(&[before, value]);
            self.bind(left, both);
        }
    }

    /// Assigns a value to the target left of a `=`.
    fn bind(&mut self, left: Node<'t>, value: ValueIdx) {
        if self.depth >= DEPTH || self.to.is_full() {
            return;
        }
        self.depth += 1;
        self.bind_target(left, value);
        self.depth -= 1;
    }

    fn bind_target(&mut self, left: Node<'t>, value: ValueIdx) {
        match kind_of(left) {
            FlowKind::Identifier => {
                let name = self.to.text(left);
                self.assign_name(name, value);
            }
            FlowKind::Attribute => {
                let object = left.child_by_field_id(FIELDS.object).map(|object| self.value(object));
                let name = left.child_by_field_id(FIELDS.attribute).map_or("", |name| self.to.text(name));
                if let Some(object) = object.filter(|object| !self.to.is_unknown(*object)) {
                    let name = self.to.intern(name);
                    self.to.store_value(FlowTarget::Member(name, object), value);
                }
            }
            FlowKind::Subscript => {
                let parts: Vec<Node<'t>> = self.children(left).take(3).collect();
                if let [of, key] = parts[..] {
                    let (of, key) = (self.value(of), self.value(key));
                    self.to.store_item(of, key, value);
                }
            }
            FlowKind::ListSplatPattern | FlowKind::ParenthesizedExpression | FlowKind::AsPatternTarget => {
                self.children(left).for_each(|inner| self.bind(inner, value));
            }
            FlowKind::PatternList
            | FlowKind::TuplePattern
            | FlowKind::ListPattern
            | FlowKind::Tuple
            | FlowKind::List
            | FlowKind::ExpressionList => {
                let targets: Vec<Node<'t>> = self.children(left).collect();
                self.unpack_targets(&targets, value);
            }
            _ => {}
        }
    }

    fn assign_name(&mut self, name: &'t str, value: ValueIdx) {
        let slot = match self.to.find(name) {
            Some(slot) => slot,
            None => self.to.declare_variable(name),
        };
        self.to.assign_variable(slot, value);
    }

    fn unpack_targets(&mut self, targets: &[Node<'t>], value: ValueIdx) {
        let parts = self
            .to
            .parts_of(value)
            .filter(|parts| parts.iter().enumerate().all(|(at, part)| part.label == Label::At(at as u32)));
        let star = targets.iter().position(|target| kind_of(*target) == FlowKind::ListSplatPattern);
        for (at, target) in targets.iter().enumerate() {
            let given = match (&parts, star) {
                (Some(parts), Some(star)) if at >= star => {
                    let after = targets.len() - 1 - at;
                    let end = parts.len().saturating_sub(after);
                    if at == star {
                        let rest = parts.get(star..end).unwrap_or(&[]).to_vec();
                        self.make_list(rest.iter().map(|part| part.value))
                    } else {
                        parts
                            .get(end.wrapping_sub(1))
                            .map_or_else(|| self.to.unknown_value(), |part| part.value)
                    }
                }
                (Some(parts), _) => parts.get(at).map_or_else(|| self.to.unknown_value(), |part| part.value),
                (None, Some(star)) if at >= star => self.to.value(FlowValue::Each(value)),
                (None, _) => {
                    let key = self.to.key(&at.to_string());
                    self.to.value_under_key(value, key)
                }
            };
            self.bind(*target, given);
        }
    }

    fn make_list(&mut self, values: impl Iterator<Item = ValueIdx>) -> ValueIdx {
        let parts: Vec<FlowPart> =
            values.enumerate().map(|(at, value)| FlowPart { label: Label::At(at as u32), value }).collect();
        self.to.make_container(&parts)
    }

    fn bind_definition(&mut self, node: Node<'t>, value: ValueIdx) {
        let name = node.child_by_field_id(FIELDS.name).map_or("", |name| self.to.text(name));
        let slot = self.to.declare_variable(name);
        self.to.assign_variable(slot, value);
    }

    fn trace_decorated(&mut self, node: Node<'t>) {
        let Some(definition) = node.child_by_field_id(FIELDS.definition) else { return };
        let decorators = self.children(node).filter(|child| kind_of(*child) == FlowKind::Decorator);
        let mut calls = Vec::new();
        for decorator in decorators {
            let Some(what) = decorator.named_child(0) else { continue };
            if !is_built_in(self.to.text(what)) {
                let at = if kind_of(what) == FlowKind::Call { decorator } else { name_of(what) };
                calls.push((self.value(what), at));
            }
        }
        let mut value = match kind_of(definition) {
            FlowKind::ClassDefinition => self.trace_class(definition),
            _ => self.trace_function(definition),
        };
        for (callee, at) in calls.into_iter().rev() {
            value = self.to.call(callee, at, CallKind::Decorator, &[FlowPart { label: Label::At(0), value }]);
        }
        self.bind_definition(definition, value);
    }

    fn trace_class(&mut self, node: Node<'t>) -> ValueIdx {
        if let Some(bases) = node.child_by_field_id(FIELDS.superclasses) {
            self.children(bases).for_each(|base| {
                self.value(base);
            });
        }
        let outer = self.to.open(ScopeKind::Class, self.known.made.get(&node.id()).copied(), None);
        if let Some(body) = node.child_by_field_id(FIELDS.body) {
            self.trace_block(body);
        }
        self.to.close(outer)
    }

    fn trace_function(&mut self, node: Node<'t>) -> ValueIdx {
        let class = Some(self.to.current_scope()).filter(|scope| self.to.kind_of(*scope) == ScopeKind::Class);
        let marks = self.known.marks.get(&node.id()).copied().unwrap_or_default();
        let defaults = node.child_by_field_id(FIELDS.parameters).map(|list| self.default_values(list));
        let kind = match marks {
            Marks { is_property: true, .. } => ScopeKind::Property,
            Marks { is_static: true, .. } => ScopeKind::Static,
            _ => ScopeKind::Function,
        };
        let outer = self.to.open(kind, self.known.made.get(&node.id()).copied(), None);
        if let Some(list) = node.child_by_field_id(FIELDS.parameters) {
            let class = class.filter(|_| !marks.is_static);
            self.trace_parameters(list, class, marks.is_class, &defaults.unwrap_or_default());
        }
        for (name, _) in self.known.locals.get(&node.id()).into_iter().flatten() {
            self.to.declare_variable(name);
        }
        if let Some(body) = node.child_by_field_id(FIELDS.body) {
            self.trace_block(body);
        }
        self.to.close(outer)
    }

    /// Returns the default values of parameters, by the parameters' numbers. They are computed outside of the function.
    fn default_values(&mut self, list: Node<'t>) -> Vec<(usize, ValueIdx)> {
        let values = self.children(list).enumerate();
        let values: Vec<(usize, Node<'t>)> =
            values.filter_map(|(at, node)| Some((at, node.child_by_field_id(FIELDS.value)?))).collect();
        values.into_iter().map(|(at, value)| (at, self.value(value))).collect()
    }

    fn trace_parameters(
        &mut self,
        list: Node<'t>,
        class: Option<ScopeIdx>,
        is_class: bool,
        defaults: &[(usize, ValueIdx)],
    ) {
        for (at, parameter) in self.children(list).enumerate() {
            let mut kind = match kind_of(parameter) {
                FlowKind::KeywordSeparator | FlowKind::PositionalSeparator => continue,
                FlowKind::ListSplatPattern => SlotKind::Rest,
                FlowKind::DictionarySplatPattern => SlotKind::NamedRest,
                _ => SlotKind::Parameter,
            };
            if kind_of(parameter) == FlowKind::TypedParameter {
                kind = match parameter.named_child(0).map_or(FlowKind::Other, kind_of) {
                    FlowKind::ListSplatPattern => SlotKind::Rest,
                    FlowKind::DictionarySplatPattern => SlotKind::NamedRest,
                    _ => kind,
                };
            }
            each_parameter(parameter, &mut |name, _| {
                let slot = self.to.declare_parameter(self.to.text(name), kind);
                if let Some((_, value)) = defaults.iter().find(|(default, _)| *default == at) {
                    self.to.store_value(FlowTarget::Slot(slot), *value);
                }
                if let Some(class) = class.filter(|_| at == 0) {
                    let scope = self.to.current_scope();
                    let this = if is_class { FlowValue::Scope(class) } else { FlowValue::This(scope) };
                    let this = self.to.value(this);
                    self.to.assign_variable(slot, this);
                }
            });
        }
    }

    fn trace_return(&mut self, node: Node<'t>) {
        if let Some(value) = node.named_child(0).map(|value| self.value(value)) {
            let scope = self.to.current_scope();
            self.to.store_value(FlowTarget::Return(scope), value);
        }
        self.to.may_end_scope();
    }

    fn trace_raise(&mut self, node: Node<'t>) {
        for (at, what) in self.children(node).enumerate() {
            let value = self.value(what);
            if at == 0 && matches!(kind_of(what), FlowKind::Identifier | FlowKind::Attribute) {
                self.to.call(value, name_of(what), CallKind::Made, &[]);
            }
        }
    }
}

/// Returns true if a decorator leaves the traced value unchanged.
fn is_built_in(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    matches!(
        last,
        "property"
            | "staticmethod"
            | "classmethod"
            | "overload"
            | "abstractmethod"
            | "setter"
            | "getter"
            | "deleter"
            | "override"
            | "final"
    )
}

/// Returns the node at which the name of a called expression stands.
fn name_of(node: Node<'_>) -> Node<'_> {
    match kind_of(node) {
        FlowKind::Attribute => node.child_by_field_id(FIELDS.attribute).unwrap_or(node),
        _ => node,
    }
}
