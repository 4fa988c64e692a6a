//! Binds local names: parameters, `let` and `const` of a block, `var` of a function.
//!
//! They are bound when their scope is entered, because JavaScript hoists. Names whose value is a function or class are
//! definitions and names whose value is `require()` are imports; neither is bound.

use rustc_hash::FxHashMap;

use super::Ecma;
use super::types::{EcmaTypeReader, THIS, TypeName, head, member_type, split_holder, text};
use crate::facts::StrId;
use crate::langs::support::split_outside_brackets;
use crate::syntax::{Node, named_children};
use crate::walk::{Binding, Cx, WalkStep};

/// Stands for the enclosing class among the bindings. It is turned into `Receiver::SelfType` before anything is
/// recorded, and never reaches the facts.
pub(super) const SELF: StrId = StrId(u32::MAX);

/// The kind of thing that the value of a variable makes of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum EcmaValueKind {
    Function,
    Class,
    /// `require()`, or an awaited `import()`.
    Module,
    Plain,
}

impl Ecma {
    pub(super) fn type_reader<'t>(&self, cx: &Cx<'t>) -> EcmaTypeReader<'t> {
        EcmaTypeReader::new(cx.source, &self.grammar.fields)
    }

    /// Binds a function's parameters, type parameters and hoisted variables in the scope just opened.
    pub(super) fn enter_function<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) {
        let f = &self.grammar.fields;
        self.function_until = self.function_until.max(node.end_byte());
        self.bind_type_parameters(node, cx);
        if let Some(parameters) = node.child_by_field_id(f.parameters) {
            self.bind_parameters(parameters, cx);
        }
        if let Some(parameter) = node.child_by_field_id(f.parameter) {
            self.bind_names(parameter, None, cx);
        }
        self.note_result(node, cx);
        if let Some(body) = node.child_by_field_id(f.body).filter(|b| b.kind() == "statement_block") {
            self.body = body.id();
            self.hoist_variables(body, cx);
        }
    }

    /// Binds the names of the `<T>` of a declaration, each to its number behind `%`, or behind `^` if a call decides
    /// what it stands for; and to the type that it extends: `%0:Base`.
    pub(super) fn bind_type_parameters<'t>(&self, node: Node<'t>, cx: &mut Cx<'t>) {
        let f = &self.grammar.fields;
        let Some(list) = node.child_by_field_id(f.type_parameters) else { return };
        let is_type = matches!(
            node.kind(),
            "class_declaration"
                | "abstract_class_declaration"
                | "class"
                | "interface_declaration"
                | "type_alias_declaration"
        );
        let sign = if is_type { '%' } else { '^' };
        let parameters = named_children(list).filter(|n| n.kind() == "type_parameter");
        for (number, parameter) in parameters.enumerate() {
            let Some(name) = parameter.child_by_field_id(f.name) else { continue };
            let base = self.parameter_base(parameter, cx);
            let binding = Binding::Typed(cx.facts.intern(&format!("{sign}{number}{base}")));
            cx.bind(cx.text(name), binding);
        }
    }

    /// Returns the default of a type parameter, else the type that it extends, behind `:`; empty if there is neither.
    pub(super) fn parameter_base<'t>(&self, parameter: Node<'t>, cx: &mut Cx<'t>) -> String {
        let f = &self.grammar.fields;
        let base = parameter.child_by_field_id(f.value).or_else(|| parameter.child_by_field_id(f.constraint));
        let base = base.and_then(|base| self.type_reader(cx).annotation_type(base.named_child(0)?));
        let base = base.filter(|base| base != THIS).and_then(|base| without_local_names(&base, cx));
        base.map(|base| format!(":{base}")).unwrap_or_default()
    }

    /// Binds the names of a parameter list.
    pub(super) fn bind_parameters<'t>(&self, parameters: Node<'t>, cx: &mut Cx<'t>) {
        let f = &self.grammar.fields;
        for parameter in named_children(parameters) {
            let Some(pattern) = parameter.child_by_field_id(f.pattern) else {
                self.bind_names(parameter, None, cx);
                continue;
            };
            let declared =
                parameter.child_by_field_id(f.ty).map(|ty| self.type_reader(cx).annotation_type(ty));
            let value = || parameter.child_by_field_id(f.value).and_then(|v| self.type_reader(cx).value(v));
            let ty = declared.unwrap_or_else(value);
            if pattern.kind() != "identifier" {
                self.use_pattern_keys(pattern, ty.clone(), cx);
            }
            self.bind_names(pattern, ty, cx);
        }
    }

    /// Binds every name of a pattern; a lone name gets the type.
    pub(super) fn bind_names<'t>(&self, pattern: Node<'t>, ty: TypeName<'t>, cx: &mut Cx<'t>) {
        if matches!(pattern.kind(), "identifier" | "this") {
            let binding = local_type(ty, cx);
            cx.bind(cx.text(pattern), binding);
            return;
        }
        self.each_name(pattern, &mut |name| cx.bind(cx.text(name), Binding::Opaque));
        if let Some(ty) = ty.filter(|ty| ty != THIS) {
            self.bind_pattern(pattern, &ty, cx);
        }
    }

    /// Calls `f` with each name that a pattern binds.
    pub(super) fn each_name<'t>(&self, pattern: Node<'t>, f: &mut dyn FnMut(Node<'t>)) {
        let fields = &self.grammar.fields;
        let mut waiting = vec![pattern];
        while let Some(node) = waiting.pop() {
            match node.kind() {
                "identifier" | "shorthand_property_identifier_pattern" => f(node),
                "pair_pattern" => waiting.extend(node.child_by_field_id(fields.value)),
                "assignment_pattern" | "object_assignment_pattern" => {
                    waiting.extend(node.child_by_field_id(fields.left));
                }
                "object_pattern" | "array_pattern" | "rest_pattern" => {
                    let from = waiting.len();
                    waiting.extend(named_children(node));
                    waiting[from..].reverse();
                }
                _ => {}
            }
        }
    }

    /// Binds the variables of a function's body: `let` and `const` that stand directly in it, `var` at any depth.
    fn hoist_variables<'t>(&self, body: Node<'t>, cx: &mut Cx<'t>) {
        self.each_statement(body, &mut |statement, direct| match statement.kind() {
            "lexical_declaration" | "using_declaration" if direct => self.bind_declaration(statement, cx),
            "variable_declaration" => self.bind_declaration(statement, cx),
            _ => {}
        });
    }

    /// Calls `f` with each statement below `body`, except those in nested functions, and with true if it stands
    /// directly in it.
    pub(super) fn each_statement<'t>(&self, body: Node<'t>, f: &mut dyn FnMut(Node<'t>, bool)) {
        let mut waiting = vec![body];
        while let Some(node) = waiting.pop() {
            let direct = node.id() == body.id();
            for child in named_children(node) {
                match child.kind() {
                    "statement_block" | "if_statement" | "else_clause" | "for_statement"
                    | "for_in_statement" | "while_statement" | "do_statement" | "try_statement"
                    | "catch_clause" | "finally_clause" | "switch_statement" | "switch_body"
                    | "switch_case" | "switch_default" | "labeled_statement" => waiting.push(child),
                    _ => f(child, direct),
                }
            }
        }
    }

    /// Binds the variables that stand directly in a block, and opens a scope for them if there are any.
    pub(super) fn bind_block<'t>(&self, block: Node<'t>, cx: &mut Cx<'t>) {
        let mut opened = false;
        for statement in named_children(block) {
            if !matches!(
                statement.kind(),
                "lexical_declaration" | "using_declaration" | "variable_declaration"
            ) {
                continue;
            }
            if !std::mem::replace(&mut opened, true) {
                cx.open_scope(true);
            }
            self.bind_declaration(statement, cx);
        }
    }

    /// Binds the names of `let`, `const` or `var`.
    pub(super) fn bind_declaration<'t>(&self, declaration: Node<'t>, cx: &mut Cx<'t>) {
        let f = &self.grammar.fields;
        for declarator in named_children(declaration) {
            let Some(name) = declarator.child_by_field_id(f.name) else { continue };
            let value = declarator.child_by_field_id(f.value);
            let simple = name.kind() == "identifier";
            match value.map_or(EcmaValueKind::Plain, |value| self.value_kind(value, cx.source)) {
                EcmaValueKind::Function | EcmaValueKind::Class if simple => continue,
                EcmaValueKind::Module => continue,
                _ => {}
            }
            let ty = self.declared_type(declarator, cx);
            self.bind_names(name, ty, cx);
        }
    }

    /// Returns the type of a variable or field, from its annotation or else its value.
    pub(super) fn declared_type<'t>(&self, declarator: Node<'t>, cx: &Cx<'t>) -> TypeName<'t> {
        let (f, reader) = (&self.grammar.fields, self.type_reader(cx));
        match declarator.child_by_field_id(f.ty) {
            Some(annotation) => reader.annotation_type(annotation),
            None => declarator.child_by_field_id(f.value).and_then(|value| reader.value(value)),
        }
    }

    /// Returns the kind of thing that a value makes of its variable.
    pub(super) fn value_kind(&self, value: Node<'_>, source: &[u8]) -> EcmaValueKind {
        match value.kind() {
            "arrow_function" | "function_expression" | "generator_function" => EcmaValueKind::Function,
            "class" => EcmaValueKind::Class,
            "call_expression" | "await_expression" | "member_expression"
                if self.module_of(value, source).is_some() =>
            {
                EcmaValueKind::Module
            }
            _ => EcmaValueKind::Plain,
        }
    }

    /// Collects the names of the file's top level with their types.
    pub(super) fn scan_top_level<'t>(&mut self, program: Node<'t>, cx: &Cx<'t>) -> WalkStep {
        let f = &self.grammar.fields;
        let mut top: FxHashMap<String, Option<String>> = FxHashMap::default();
        for statement in named_children(program) {
            let statement = statement.child_by_field_id(f.declaration).unwrap_or(statement);
            let ambient = statement.kind() == "ambient_declaration";
            let statement = statement.named_child(0).filter(|_| ambient).unwrap_or(statement);
            if statement.kind() == "import_statement" {
                self.note_imported(statement, cx);
                continue;
            }
            if let Some(name) = statement.child_by_field_id(f.name) {
                top.insert(cx.text(name).to_owned(), None);
            }
            if !matches!(statement.kind(), "lexical_declaration" | "variable_declaration") {
                continue;
            }
            for declarator in named_children(statement) {
                let Some(name) = declarator.child_by_field_id(f.name) else { continue };
                let value = declarator.child_by_field_id(f.value).map(|v| self.value_kind(v, cx.source));
                let plain = value.is_none_or(|value| value == EcmaValueKind::Plain);
                let ty = if plain { self.declared_type(declarator, cx) } else { None };
                if name.kind() == "identifier" {
                    top.insert(cx.text(name).to_owned(), ty.filter(|ty| ty != THIS).map(Into::into));
                }
            }
        }
        self.top = top;
        WalkStep::Into
    }

    /// Remembers the names that an import binds.
    fn note_imported<'t>(&mut self, statement: Node<'t>, cx: &Cx<'t>) {
        let mut waiting: Vec<Node<'t>> = vec![statement];
        while let Some(node) = waiting.pop() {
            for child in named_children(node) {
                match child.kind() {
                    "identifier" => {
                        self.imported.insert(cx.text(child).to_owned());
                    }
                    "import_clause"
                    | "named_imports"
                    | "import_specifier"
                    | "namespace_import"
                    | "import_require_clause" => {
                        waiting.push(child);
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Returns the binding of a local of this type.
pub(super) fn local_type<'t>(ty: TypeName<'t>, cx: &mut Cx<'t>) -> Binding {
    if ty.as_deref() == Some(THIS) {
        return cx.local_binding(THIS).unwrap_or(Binding::Opaque);
    }
    let ty = ty.and_then(|ty| without_local_names(&ty, cx));
    ty.map_or(Binding::Opaque, |ty| Binding::Typed(cx.facts.intern(&ty)))
}

/// Returns a type in terms of the file: local names in it are replaced by their types.
pub(super) fn without_local_names(ty: &str, cx: &mut Cx<'_>) -> Option<String> {
    if let Some((holder, held)) = split_holder(ty) {
        let held = without_local_names(held, cx);
        return Some(held.map_or_else(|| "Array".to_owned(), |held| format!("{holder}{held}")));
    }
    if let Some(elements) = ty.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        return Some(format!("({})", each_without_local_names(elements, cx)));
    }
    // `=!./module!.name`
    if ty.starts_with("=!") {
        return Some(ty.to_owned());
    }
    // `=[]Foo~.map`, `=Box<Foo>~.value`: a member of a value of the type.
    if let Some((hint, rest)) = ty.strip_prefix('=').and_then(|path| path.split_once('~')) {
        let hint = without_local_names(hint, cx)?;
        return if hint.starts_with('=') {
            Some(format!("{hint}{rest}"))
        } else {
            Some(format!("={hint}~{rest}"))
        };
    }
    let first = head(ty);
    match (cx.local_binding(first), ty.strip_prefix('=')) {
        (Some(Binding::Typed(SELF)), Some(path)) if first == THIS => {
            Some(format!("={}", plain_path(path, cx)))
        }
        (None, Some(_)) if first == THIS => None,
        (None, Some(path)) => Some(format!("={}", plain_path(path, cx))),
        (None, None) => Some(with_plain_arguments(ty, cx)),
        (Some(Binding::Typed(of)), Some(path)) if of != SELF => {
            let of = cx.facts.provisional_name(of).to_owned();
            let path = plain_path(path, cx);
            match &path[first.len()..] {
                "" => Some(of),
                rest if rest.starts_with('.') => member_type(&of, rest),
                _ => None,
            }
        }
        (Some(Binding::Typed(of)), None) if of != SELF => {
            // The name is a type's parameter; a variable of that name is no type.
            let of = cx.facts.provisional_name(of);
            of.starts_with(['%', '^']).then(|| of.to_owned())
        }
        _ => None,
    }
}

fn with_plain_arguments(ty: &str, cx: &mut Cx<'_>) -> String {
    match ty.split_once('<').and_then(|(name, rest)| Some((name, rest.strip_suffix('>')?))) {
        Some((name, arguments)) => format!("{name}<{}>", each_without_local_names(arguments, cx)),
        None => ty.to_owned(),
    }
}

fn each_without_local_names(types: &str, cx: &mut Cx<'_>) -> String {
    let each = split_outside_brackets(types, ',');
    let plain = each.map(|ty| without_local_names(ty, cx).unwrap_or_else(|| "_".to_owned()));
    plain.collect::<Vec<_>>().join(",")
}

/// Returns a path without the type arguments of its calls, if these name anything local.
fn plain_path(path: &str, cx: &mut Cx<'_>) -> String {
    let Some((start, rest)) = path.split_once('<') else { return path.to_owned() };
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let mut words = rest.split('>').next().unwrap_or("").split(|c| !is_part(c));
    if !words.any(|word| cx.local_binding(word).is_some()) {
        return path.to_owned();
    }
    let without: String =
        rest.split('<').map(|part| part.split_once('>').map_or("", |(_, after)| after)).collect();
    format!("{start}{without}")
}

impl Ecma {
    /// Returns the specifier in `require('x')`, `require('x').y` or `await import('x')`.
    pub(super) fn module_of<'t>(&self, value: Node<'t>, source: &'t [u8]) -> Option<Required<'t>> {
        let f = &self.grammar.fields;
        let reader = EcmaTypeReader::new(source, f);
        let (call, property) = match value.kind() {
            "member_expression" => (value.child_by_field_id(f.object)?, value.child_by_field_id(f.property)),
            "await_expression" => (value.named_child(0)?, None),
            _ => (value, None),
        };
        let function = call.child_by_field_id(f.function).filter(|_| call.kind() == "call_expression")?;
        let is_import = match function.kind() {
            "import" => true,
            _ => text(source, function) == "require" && value.kind() != "await_expression",
        };
        let argument = call.child_by_field_id(f.arguments)?.named_child(0)?;
        let awaited = function.kind() != "import" || value.kind() == "await_expression";
        let module = reader.string_text(argument).filter(|_| is_import && awaited)?;
        Some(Required {
            module,
            property: property.map(|p| text(source, p)),
            dynamic: function.kind() == "import",
        })
    }
}

/// A module that an expression loads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Required<'t> {
    pub(super) module: &'t str,
    /// The one property of the module that is taken.
    pub(super) property: Option<&'t str>,
    /// True if it is loaded by `import()`, false if by `require()`.
    pub(super) dynamic: bool,
}
