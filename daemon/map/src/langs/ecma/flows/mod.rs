//! Traces where values go in a file of JavaScript or TypeScript, once the definitions of the file are known.
//!
//! It visits the text in the order in which it runs. A function that is a definition is found by the position of its
//! name. Depth is bounded; deeper nodes are not followed.

mod kinds;
mod patterns;
mod values;

use super::grammar::{EcmaGrammar, Fields};
use crate::facts::{CallKind, FactsBuilder, FlowTarget, FlowValue, ScopeKind, SlotIdx, StrId, ValueIdx};
use crate::langs::support::{TracedRun, Tracer, children_but};
use crate::syntax::{Node, Tree};
use crate::walk::KindTable;
pub(super) use kinds::FlowKind;

/// Most nested statements and expressions that are followed.
const DEPTH: usize = 100;

/// Adds to the facts where values go, unless they have it already.
pub(super) fn trace_values(
    tree: &Tree,
    source: &[u8],
    facts: FactsBuilder,
    grammar: &'static EcmaGrammar,
) -> FactsBuilder {
    if facts.has_flows() {
        return facts;
    }
    let mut trace = Trace {
        to: Tracer::new(source, facts),
        f: &grammar.fields,
        kinds: &grammar.flow_kinds,
        depth: 0,
        hidden: Vec::new(),
    };
    trace.trace_statements(tree.root_node());
    trace.to.finish()
}

struct Trace<'t> {
    to: Tracer<'t>,
    f: &'static Fields,
    kinds: &'static KindTable<FlowKind>,
    depth: usize,
    /// The names that enclosing blocks hide, with their variables outside; `None` begins the names of a function.
    hidden: Vec<Vec<(StrId, Option<SlotIdx>)>>,
}

impl<'t> Trace<'t> {
    fn kind_of(&self, node: Node<'t>) -> FlowKind {
        self.kinds.get(node)
    }

    fn children(&self, node: Node<'t>) -> impl Iterator<Item = Node<'t>> + use<'t> {
        let kinds = self.kinds;
        children_but(node, move |child| kinds.get(child) == FlowKind::Comment)
    }

    fn trace_statements(&mut self, node: Node<'t>) {
        if self.depth >= DEPTH || self.to.is_full() {
            return;
        }
        self.depth += 1;
        // Functions are bound before the text around them runs.
        self.children(node).for_each(|child| self.declare_hoisted(child));
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
        match self.kind_of(node) {
            FlowKind::ExpressionStatement
            | FlowKind::ElseClause
            | FlowKind::FinallyClause
            | FlowKind::LabeledStatement
            | FlowKind::SwitchDefault => {
                self.children(node).for_each(|child| self.trace_statement(child));
            }
            FlowKind::ExportStatement => self.trace_export(node),
            FlowKind::LexicalDeclaration | FlowKind::VariableDeclaration | FlowKind::UsingDeclaration => {
                self.trace_declaration(node);
            }
            FlowKind::FunctionDeclaration | FlowKind::GeneratorFunctionDeclaration => {
                let value = self.trace_function(node, node.child_by_field_id(self.f.name));
                self.bind_definition(node, value);
            }
            FlowKind::ClassDeclaration | FlowKind::AbstractClassDeclaration => {
                let value = self.trace_class(node, node.child_by_field_id(self.f.name));
                self.bind_definition(node, value);
            }
            FlowKind::StatementBlock => self.trace_block(node, TracedRun::Perhaps),
            FlowKind::IfStatement
            | FlowKind::TryStatement
            | FlowKind::SwitchStatement
            | FlowKind::SwitchBody
            | FlowKind::SwitchCase => {
                self.trace_branches(node);
            }
            FlowKind::WhileStatement | FlowKind::DoStatement | FlowKind::ForStatement => {
                self.trace_loop(node);
            }
            FlowKind::ForInStatement => self.for_in(node),
            FlowKind::CatchClause => self.trace_branches(node),
            FlowKind::ReturnStatement => self.trace_return(node),
            FlowKind::ImportStatement
            | FlowKind::InterfaceDeclaration
            | FlowKind::TypeAliasDeclaration
            | FlowKind::AmbientDeclaration
            | FlowKind::EnumDeclaration
            | FlowKind::FunctionSignature
            | FlowKind::EmptyStatement
            | FlowKind::BreakStatement
            | FlowKind::ContinueStatement => {}
            FlowKind::InternalModule | FlowKind::Module => {
                if let Some(body) = node.child_by_field_id(self.f.body) {
                    self.trace_block(body, TracedRun::Perhaps);
                }
            }
            _ => {
                self.value(node);
            }
        }
    }

    fn declare_hoisted(&mut self, node: Node<'t>) {
        let declared = match self.kind_of(node) {
            FlowKind::ExportStatement => node.child_by_field_id(self.f.declaration),
            _ => Some(node),
        };
        let is_function = |node: &Node<'_>| {
            matches!(
                self.kind_of(*node),
                FlowKind::FunctionDeclaration | FlowKind::GeneratorFunctionDeclaration
            )
        };
        if let Some(name) = declared.filter(is_function).and_then(|node| node.child_by_field_id(self.f.name))
        {
            let name = self.to.text(name);
            self.to.declare_variable(name);
        }
    }

    /// Traces a statement of which each part may run or not.
    fn trace_branches(&mut self, node: Node<'t>) {
        for child in self.children(node) {
            let before = self.to.begin(TracedRun::Perhaps);
            self.trace_statement(child);
            self.to.end(before);
        }
    }

    fn trace_loop(&mut self, node: Node<'t>) {
        let before = self.to.begin(TracedRun::Again);
        self.hidden.push(Vec::new());
        self.children(node).for_each(|child| self.trace_statement(child));
        self.reveal_hidden();
        self.to.end(before);
    }

    /// Traces a block, which has names of its own.
    fn trace_block(&mut self, node: Node<'t>, run: TracedRun) {
        let before = self.to.begin(run);
        self.hidden.push(Vec::new());
        self.trace_statements(node);
        self.reveal_hidden();
        self.to.end(before);
    }

    fn reveal_hidden(&mut self) {
        for hidden in self.hidden.pop().unwrap_or_default().into_iter().rev() {
            self.to.reveal_variable(hidden.0, hidden.1);
        }
    }

    fn for_in(&mut self, node: Node<'t>) {
        let right = node.child_by_field_id(self.f.right);
        let over = right.map(|right| (self.value(right), right));
        let is_of = !self.head_of(node).split_once(')').map_or("", |(head, _)| head).contains(" in ");
        let item = over.filter(|_| is_of).map(|(over, at)| self.trace_iteration(over, at));
        let before = self.to.begin(TracedRun::Again);
        self.hidden.push(Vec::new());
        if let Some(left) = node.child_by_field_id(self.f.left) {
            let item = item.unwrap_or_else(|| self.to.unknown_value());
            if node.child_by_field_id(self.f.kind).is_some() {
                self.declare_all(left, true);
            }
            self.bind(left, item);
        }
        if let Some(body) = node.child_by_field_id(self.f.body) {
            self.trace_statement(body);
        }
        self.reveal_hidden();
        self.to.end(before);
    }

    /// Returns the text of a loop before its body, which can be long.
    fn head_of(&self, node: Node<'t>) -> &'t str {
        let end = node.child_by_field_id(self.f.body).map_or(node.end_byte(), |body| body.start_byte());
        let head = self.to.source.get(node.start_byte()..end).unwrap_or(&[]);
        std::str::from_utf8(head).unwrap_or("")
    }

    /// Records a loop over a value, and returns the value of its elements.
    fn trace_iteration(&mut self, over: ValueIdx, at: Node<'t>) -> ValueIdx {
        let each = self.to.value(FlowValue::Each(over));
        if !matches!(
            self.to.value_at(over),
            FlowValue::Unknown | FlowValue::Container(_) | FlowValue::Text(_)
        ) {
            let callee = self.to.member_value(over, "[Symbol.iterator]");
            let iterator = self.to.call(callee, at, CallKind::Implicit, &[]);
            let next = self.to.member_value(iterator, "next");
            let result = self.to.call(next, at, CallKind::Implicit, &[]);
            let value = self.to.member_value(result, "value");
            return self.to.one_of(&[each, value]);
        }
        each
    }

    fn trace_export(&mut self, node: Node<'t>) {
        if let Some(declaration) = node.child_by_field_id(self.f.declaration) {
            self.trace_statement(declaration);
        } else if let Some(value) = node.child_by_field_id(self.f.value) {
            self.value(value);
        }
    }

    fn trace_declaration(&mut self, node: Node<'t>) {
        let is_scoped = self.kind_of(node) != FlowKind::VariableDeclaration && !self.hidden.is_empty();
        for declarator in self.children(node) {
            let Some(name) = declarator.child_by_field_id(self.f.name) else { continue };
            let written = declarator.child_by_field_id(self.f.value);
            if written.is_some_and(|value| self.is_import(value)) {
                continue;
            }
            let value = match written {
                Some(value) => self.named_value(value, name),
                None => self.to.unknown_value(),
            };
            self.declare_all(name, is_scoped);
            if written.is_some() {
                self.bind(name, value);
            }
        }
    }

    /// Returns true if a value loads a module, which makes it an import.
    fn is_import(&self, value: Node<'t>) -> bool {
        let text = self.to.bytes(value);
        text.starts_with(b"require(") || text.starts_with(b"await import(")
    }

    /// Returns the value that a name is given; a function or class in it gets that name.
    fn named_value(&mut self, value: Node<'t>, name: Node<'t>) -> ValueIdx {
        match self.kind_of(value) {
            FlowKind::ArrowFunction | FlowKind::FunctionExpression | FlowKind::GeneratorFunction => {
                self.trace_function(value, Some(name))
            }
            FlowKind::Class => self.trace_class(value, Some(name)),
            _ => self.value(value),
        }
    }

    fn bind_definition(&mut self, node: Node<'t>, value: ValueIdx) {
        let name = node.child_by_field_id(self.f.name).map_or("", |name| self.to.text(name));
        let slot = self.to.declare_variable(name);
        self.to.assign_variable(slot, value);
    }

    fn trace_return(&mut self, node: Node<'t>) {
        if let Some(value) = node.named_child(0).map(|value| self.value(value)) {
            let scope = self.to.current_scope();
            self.to.store_value(FlowTarget::Return(scope), value);
        }
        self.to.may_end_scope();
    }

    fn trace_class(&mut self, node: Node<'t>, name: Option<Node<'t>>) -> ValueIdx {
        let def = name.and_then(|name| self.to.def_at(name));
        for child in self.children(node) {
            if matches!(self.kind_of(child), FlowKind::ClassHeritage | FlowKind::Decorator) {
                self.value(child);
            }
        }
        let outer = self.to.open(ScopeKind::Class, def, None);
        let hidden = std::mem::take(&mut self.hidden);
        let body = node.child_by_field_id(self.f.body);
        for member in body.map(|body| self.children(body)).into_iter().flatten() {
            match self.kind_of(member) {
                FlowKind::MethodDefinition => self.trace_method(member),
                FlowKind::FieldDefinition | FlowKind::PublicFieldDefinition => self.trace_field(member),
                FlowKind::ClassStaticBlock => self.trace_branches(member),
                _ => {}
            }
        }
        self.hidden = hidden;
        self.to.close(outer)
    }

    fn trace_method(&mut self, node: Node<'t>) {
        let Some(name) = node.child_by_field_id(self.f.name) else { return };
        let value = self.trace_function(node, Some(name));
        let slot = self.to.declare_variable(self.to.text(name));
        self.to.assign_variable(slot, value);
    }

    fn trace_field(&mut self, node: Node<'t>) {
        let name = node.child_by_field_id(self.f.name).or_else(|| node.child_by_field_id(self.f.property));
        let (Some(name), Some(value)) = (name, node.child_by_field_id(self.f.value)) else { return };
        let value = self.named_value(value, name);
        let slot = self.to.declare_variable(self.to.text(name));
        self.to.assign_variable(slot, value);
    }

    /// Traces a function of any kind; `name` is the node of the name by which it is known.
    fn trace_function(&mut self, node: Node<'t>, name: Option<Node<'t>>) -> ValueIdx {
        let own = node
            .child_by_field_id(self.f.name)
            .filter(|_| self.kind_of(node) == FlowKind::FunctionExpression);
        let def = name.or(own).and_then(|name| self.to.def_at(name));
        let outer = self.to.open(self.function_kind(node), def, None);
        if self.kind_of(node) == FlowKind::ArrowFunction {
            self.to.is_arrow();
        }
        let hidden = std::mem::take(&mut self.hidden);
        if let Some(list) = node.child_by_field_id(self.f.parameters) {
            let list: Vec<Node<'t>> = self.children(list).collect();
            self.trace_parameters(&list);
        } else if let Some(one) = node.child_by_field_id(self.f.parameter) {
            self.trace_parameters(&[one]);
        }
        if let Some(body) = node.child_by_field_id(self.f.body) {
            if self.kind_of(body) == FlowKind::StatementBlock {
                self.trace_statements(body);
            } else {
                let value = self.value(body);
                let scope = self.to.current_scope();
                self.to.store_value(FlowTarget::Return(scope), value);
            }
        }
        self.hidden = hidden;
        self.to.close(outer)
    }

    fn function_kind(&self, node: Node<'t>) -> ScopeKind {
        let kind = self.kind_of(node);
        let head = node.child_by_field_id(self.f.name).filter(|_| kind == FlowKind::MethodDefinition);
        let words = match head {
            Some(name) => self.to.source.get(node.start_byte()..name.start_byte()).unwrap_or(&[]),
            None => &[],
        };
        let words = std::str::from_utf8(words).unwrap_or("");
        let has = |word: &str| words.split_whitespace().any(|one| one == word);
        if matches!(kind, FlowKind::GeneratorFunction | FlowKind::GeneratorFunctionDeclaration)
            || words.contains('*')
        {
            ScopeKind::Generator
        } else if has("static") {
            ScopeKind::Static
        } else if has("get") {
            ScopeKind::Property
        } else {
            ScopeKind::Function
        }
    }
}
