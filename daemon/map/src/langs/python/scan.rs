//! Collects, in a first pass over the statements of a Python file, which names each scope binds, and to which types.
//!
//! Python binds names per function, not from the assignment onwards, and a class's attributes appear wherever a method
//! writes `self.x = `. So the names are collected before the walk that records facts. Expressions are not entered,
//! which keeps this pass cheap: statements are a small part of a tree.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

use super::grammar::{FIELDS, language};
use super::patterns::{Marks, each_capture, each_parameter, each_target};
use super::types::{
    Ty, call_result, dotted_path, head, is_class_name, is_iterator, is_own, last, member_of_type,
    of_annotation, of_iterated, of_value, text,
};
use crate::syntax::{Node, NodeCursor, StepTo, Tree, named_children};
use crate::walk::KindTable;

/// Most links of a chain `a = b = ...` in one statement that are followed to the value.
const CHAIN: usize = 8;

/// The findings of the first pass over a file; keys are node ids of the same tree.
#[derive(Debug, Default)]
pub(super) struct Scan<'t> {
    /// The local names of each function.
    pub functions: FxHashMap<usize, Vec<(&'t str, Ty<'t>)>>,
    /// The members of each class.
    pub classes: FxHashMap<usize, PythonScopeNames<'t>>,
    /// The names of the module.
    pub module: PythonScopeNames<'t>,
    /// The roles of assigned names at module or class level, and of each `self.x` that introduces an attribute.
    pub targets: FxHashMap<usize, AssignmentTarget>,
    /// The facts that the decorators of decorated definitions state.
    pub marks: FxHashMap<usize, Marks>,
    /// The types that calls of each function give, if known.
    pub results: FxHashMap<usize, Ty<'t>>,
    /// The lambda that a lone name of the module is assigned, by the node id of the name.
    pub lambdas: FxHashMap<usize, usize>,
    /// Functions marked `@overload`, and the one that stands for all of them.
    pub overloads: FxHashMap<usize, usize>,
}

/// Names of a scope with the types of their values.
pub(super) type PythonScopeNames<'t> = FxHashMap<&'t str, Ty<'t>>;

/// The role of an assigned name.
#[derive(Clone, Copy, Debug)]
pub(super) enum AssignmentTarget {
    /// It introduces the name; the statement is the range of its definition.
    Defines(Statement),
    /// The name is defined elsewhere.
    Repeats,
}

/// The place of an assignment, with its annotation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Statement {
    /// First byte and the byte after the statement.
    pub bytes: (u32, u32),
    /// First and last line, 1-based, inclusive.
    pub lines: (u32, u32),
    /// The annotation `Final` or `TypeAlias`, if it has one.
    pub marker: Marker,
}

/// Annotations that say what kind of definition an assignment is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Marker {
    /// The assignment has none of these annotations.
    None,
    /// The annotation `Final`: a constant.
    Final,
    /// The annotation `TypeAlias`: another name of a type.
    Alias,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum ScanHandling {
    #[default]
    Skip,
    Into,
    Decorated,
    Function,
    Class,
    Assign,
    Augment,
    For,
    Except,
    AsPattern,
    Case,
    Outer,
    Import,
    Return,
    Yield,
}

static KINDS: LazyLock<KindTable<ScanHandling>> = LazyLock::new(|| {
    use ScanHandling::{
        AsPattern, Assign, Augment, Case, Class, Decorated, Except, For, Function, Import, Into, Outer,
        Return, Yield,
    };
    let kinds = [
        ("module", Into),
        ("block", Into),
        ("if_statement", Into),
        ("elif_clause", Into),
        ("else_clause", Into),
        ("while_statement", Into),
        ("try_statement", Into),
        ("finally_clause", Into),
        ("with_statement", Into),
        ("with_clause", Into),
        ("with_item", Into),
        ("match_statement", Into),
        ("expression_statement", Into),
        ("ERROR", Into),
        ("decorated_definition", Decorated),
        ("function_definition", Function),
        ("class_definition", Class),
        ("assignment", Assign),
        ("augmented_assignment", Augment),
        ("for_statement", For),
        ("except_clause", Except),
        ("as_pattern", AsPattern),
        ("case_clause", Case),
        ("global_statement", Outer),
        ("nonlocal_statement", Outer),
        ("import_statement", Import),
        ("import_from_statement", Import),
        ("return_statement", Return),
        ("yield", Yield),
    ];
    KindTable::new(language().as_ref(), &kinds)
});

#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Module,
    Class,
    Function,
}

struct Frame<'t> {
    level: Level,
    id: usize,
    /// The byte at which the scope ends.
    end: usize,
    names: PythonScopeNames<'t>,
    /// Names that are definitions or imports here, or belong to an outer scope: never locals.
    not_local: FxHashSet<&'t str>,
    /// Assigned names in source order.
    assigned: Vec<(&'t str, usize, Statement)>,
    /// The name of the first parameter of a method, for its object.
    self_name: Option<&'t str>,
    /// The type that the function returns, as declared or as inferred so far.
    result: Ty<'t>,
    declared: bool,
    /// True for a fixture of pytest, which gives its tests what it yields.
    is_fixture: bool,
    /// Overloads that wait for their implementation.
    overloads: FxHashMap<&'t str, Vec<usize>>,
}

impl<'t> Frame<'t> {
    fn new(level: Level, node: Node<'_>) -> Self {
        Self {
            level,
            id: node.id(),
            end: node.end_byte(),
            names: PythonScopeNames::default(),
            not_local: FxHashSet::default(),
            assigned: Vec::new(),
            self_name: None,
            result: Ty::Nothing,
            declared: false,
            is_fixture: false,
            overloads: FxHashMap::default(),
        }
    }

    fn add(&mut self, name: &'t str, ty: Ty<'t>) {
        let known = self.names.remove(name).unwrap_or(Ty::Nothing);
        // A test that assigns a parameter has another value from there on.
        let known = if is_fixture(&known, name) { Ty::Nothing } else { known };
        self.names.insert(name, known.merge(ty));
    }
}

/// Returns true if a type is that of the value of the fixture with this name.
fn is_fixture(ty: &Ty<'_>, name: &str) -> bool {
    matches!(ty, Ty::Is(path) if path.strip_prefix("=$") == Some(name))
}

struct Scanner<'t> {
    source: &'t [u8],
    frames: Vec<Frame<'t>>,
    out: Scan<'t>,
}

/// Collects the names and types of a file.
pub(super) fn scan_file<'t>(tree: &'t Tree, source: &'t [u8]) -> Scan<'t> {
    let root = tree.root_node();
    let mut scanner = Scanner { source, frames: Vec::new(), out: Scan::default() };
    scanner.frames.push(Frame { end: usize::MAX, ..Frame::new(Level::Module, root) });
    let mut cursor = NodeCursor::new(root);
    let mut node = root;
    loop {
        if scanner.enter_node(node)
            && let Some(child) = cursor.first_child(StepTo::Named)
        {
            node = child;
            continue;
        }
        node = loop {
            if let Some(next) = cursor.next_sibling(StepTo::Named) {
                break next;
            }
            if !cursor.goto_parent() {
                return scanner.finish();
            }
        };
    }
}

impl<'t> Scanner<'t> {
    /// Visits one node, and returns true if its children matter.
    fn enter_node(&mut self, node: Node<'t>) -> bool {
        let act = KINDS.get(node);
        if act == ScanHandling::Skip {
            return false;
        }
        while self.frames.len() > 1 && self.frames.last().is_some_and(|f| node.start_byte() >= f.end) {
            self.close();
        }
        match act {
            ScanHandling::Function => self.scan_function(node),
            ScanHandling::Class => self.scan_class(node),
            ScanHandling::Assign => self.scan_assignment(node),
            ScanHandling::Augment => {
                self.bind_targets(node.child_by_field_id(FIELDS.left), Ty::Unknown, None);
            }
            ScanHandling::For => self.bind_targets(node.child_by_field_id(FIELDS.left), Ty::Unknown, None),
            ScanHandling::Except => self.bind_alias(node.child_by_field_id(FIELDS.value), node),
            ScanHandling::AsPattern => self.bind_alias(node.named_child(0), node),
            ScanHandling::Decorated => self.scan_decorated(node),
            ScanHandling::Case => self.bind_case_patterns(node),
            ScanHandling::Outer => self.outer_names(node),
            ScanHandling::Import => self.note_imported(node),
            ScanHandling::Return => self.scan_return(node),
            ScanHandling::Yield if self.innermost_frame().is_fixture => self.scan_return(node),
            ScanHandling::Yield => {}
            ScanHandling::Into | ScanHandling::Skip => {}
        }
        !matches!(
            act,
            ScanHandling::AsPattern
                | ScanHandling::Outer
                | ScanHandling::Import
                | ScanHandling::Return
                | ScanHandling::Yield
        )
    }

    fn innermost_frame(&mut self) -> &mut Frame<'t> {
        self.frames.last_mut().expect("the module's frame stays until the end")
    }

    fn scan_function(&mut self, node: Node<'t>) {
        let name = self.field_text(node, FIELDS.name);
        let marks = self.out.marks.get(&node.id()).copied().unwrap_or_default();
        self.note_overload(name, node, marks);
        let in_class = self.innermost_frame().level == Level::Class;
        self.innermost_frame().not_local.insert(name);
        if in_class {
            self.innermost_frame().names.insert(name, Ty::Unknown);
        }
        let mut frame = Frame { is_fixture: marks.is_fixture, ..Frame::new(Level::Function, node) };
        if let Some(parameters) = node.child_by_field_id(FIELDS.parameters) {
            self.bind_parameters(parameters, &mut frame, in_class && !marks.is_static);
            if marks.is_fixture || name.starts_with("test") {
                self.bind_fixtures(node, parameters, &mut frame);
            }
        }
        if let Some(annotation) = node.child_by_field_id(FIELDS.return_type) {
            let gives_parts = marks.is_context || marks.is_fixture && is_iterator(self.source, annotation);
            let read = if gives_parts { of_iterated } else { of_annotation };
            frame.result = match read(self.source, annotation) {
                Ty::Is(name) | Ty::Declared(name) => Ty::Declared(name),
                Ty::SelfType => Ty::SelfType,
                Ty::Nothing | Ty::Unknown => Ty::Unknown,
            };
            frame.declared = true;
        }
        self.frames.push(frame);
    }

    /// Binds each parameter that pytest fills to the type `=$name`, which is that of the value of the fixture with this
    /// name. A parameter that the test is run with several values for (`parametrize`) gets no type.
    fn bind_fixtures(&self, function: Node<'t>, parameters: Node<'t>, frame: &mut Frame<'t>) {
        let decorators = function.parent().filter(|around| around.kind() == "decorated_definition");
        let given = decorators.map_or("", |around| {
            let before = around.start_byte()..function.start_byte();
            self.source.get(before).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or("")
        });
        for parameter in named_children(parameters).filter(|one| one.kind() == "identifier") {
            let name = text(self.source, parameter);
            let is_given = given.contains("parametrize") && given.contains(name);
            if !is_given && frame.names.get(name) == Some(&Ty::Unknown) {
                frame.names.insert(name, Ty::Is(format!("=${name}").into()));
            }
        }
    }

    /// Merges the type of `return value` into a function that does not declare its result; likewise the `yield` of a
    /// fixture.
    fn scan_return(&mut self, node: Node<'t>) {
        let ty = node.named_child(0).map_or(Ty::Nothing, |value| self.value(value));
        let frame = self.innermost_frame();
        if frame.level == Level::Function && !frame.declared {
            let known = std::mem::replace(&mut frame.result, Ty::Nothing);
            frame.result = known.merge(ty);
        }
    }

    fn scan_decorated(&mut self, node: Node<'t>) {
        if let Some(definition) = node.child_by_field_id(FIELDS.definition) {
            self.out.marks.insert(definition.id(), Marks::from_decorators(self.source, node));
        }
    }

    fn note_overload(&mut self, name: &'t str, node: Node<'t>, marks: Marks) {
        let waiting = &mut self.innermost_frame().overloads;
        if marks.overload {
            waiting.entry(name).or_default().push(node.id());
        } else if let Some(earlier) = waiting.remove(name) {
            self.out.overloads.extend(earlier.into_iter().map(|e| (e, node.id())));
            self.out.overloads.insert(node.id(), node.id());
        }
    }

    fn bind_parameters(&self, parameters: Node<'t>, frame: &mut Frame<'t>, method: bool) {
        let mut first = method;
        for parameter in named_children(parameters) {
            if parameter.kind() == "comment" {
                continue;
            }
            each_parameter(parameter, &mut |name, annotation| {
                let name = text(self.source, name);
                let declared = annotation.map_or(Ty::Unknown, |ty| of_annotation(self.source, ty));
                let ty = if first { Ty::SelfType } else { declared };
                frame.self_name = frame.self_name.or(first.then_some(name));
                frame.names.insert(name, ty);
            });
            first = false;
        }
    }

    fn scan_class(&mut self, node: Node<'t>) {
        let name = self.field_text(node, FIELDS.name);
        self.innermost_frame().not_local.insert(name);
        if self.innermost_frame().level == Level::Class {
            self.innermost_frame().names.insert(name, Ty::Unknown);
        }
        self.frames.push(Frame::new(Level::Class, node));
    }

    fn scan_assignment(&mut self, node: Node<'t>) {
        let annotation = node.child_by_field_id(FIELDS.ty);
        let mut right = node.child_by_field_id(FIELDS.right);
        for _ in 0..CHAIN {
            let Some(inner) = right.filter(|r| r.kind() == "assignment") else { break };
            right = inner.child_by_field_id(FIELDS.right);
        }
        let ty = match (annotation, right) {
            (Some(annotation), _) => of_annotation(self.source, annotation),
            (None, Some(value)) => self.value(value),
            (None, None) => Ty::Unknown,
        };
        let marker = annotation.map_or(Marker::None, |a| annotation_marker(text(self.source, a)));
        if let (Some(name), Some(lambda)) =
            (node.child_by_field_id(FIELDS.left), right.filter(|r| r.kind() == "lambda"))
            && name.kind() == "identifier"
            && self.frames.len() == 1
        {
            self.out.lambdas.insert(name.id(), lambda.id());
        }
        self.bind_targets(node.child_by_field_id(FIELDS.left), ty, Some((node, marker)));
    }

    fn value(&self, node: Node<'t>) -> Ty<'t> {
        let local = |name: &str| {
            let functions = self.frames.iter().rev().filter(|f| f.level == Level::Function);
            functions.into_iter().find_map(|f| f.names.get(name).cloned())
        };
        of_value(self.source, node, &local)
    }

    /// Binds the target left of a `=`, or after `for` or `as`. Only a lone name takes the type of the value.
    fn bind_targets(&mut self, left: Option<Node<'t>>, ty: Ty<'t>, whole: Option<(Node<'t>, Marker)>) {
        let Some(left) = left else { return };
        each_target(left, &mut |target| {
            let lone = target.id() == left.id() || left.kind() == "as_pattern_target";
            let ty = if lone { ty.clone() } else { Ty::Unknown };
            let (range, marker) = whole.unwrap_or((target, Marker::None));
            let statement = Statement {
                bytes: (range.start_byte() as u32, range.end_byte() as u32),
                lines: crate::walk::Cx::lines(range),
                marker,
            };
            self.bind_target(target, ty, statement);
        });
    }

    fn bind_target(&mut self, target: Node<'t>, ty: Ty<'t>, statement: Statement) {
        if target.kind() == "identifier" {
            let name = text(self.source, target);
            let frame = self.innermost_frame();
            frame.add(name, ty);
            if frame.level != Level::Function {
                frame.assigned.push((name, target.id(), statement));
            }
            return;
        }
        let object = target.child_by_field_id(FIELDS.object).filter(|o| o.kind() == "identifier");
        let Some(object) = object.map(|o| text(self.source, o)) else { return };
        let attribute = self.field_text(target, FIELDS.attribute);
        if let [.., class, method] = &mut self.frames[..]
            && class.level == Level::Class
            && method.self_name == Some(object)
        {
            class.add(attribute, ty);
            class.assigned.push((attribute, target.id(), statement));
        }
    }

    /// Binds the name after `as`: in `except Error as e` to an `Error`, in `with f() as x` to the result of entering.
    fn bind_alias(&mut self, value: Option<Node<'t>>, node: Node<'t>) {
        let path = value.and_then(|value| dotted_path(self.source, value));
        let class = path.filter(|path| is_class_name(last(path)));
        let entered = value.filter(|value| value.kind() == "call");
        let ty = match (class, entered) {
            (Some(class), _) => Ty::Is(class),
            (None, Some(call)) => call_result(member_of_type(&self.value(call), "__enter__")),
            (None, None) => Ty::Unknown,
        };
        self.bind_targets(node.child_by_field_id(FIELDS.alias), ty, None);
    }

    fn bind_case_patterns(&mut self, node: Node<'t>) {
        for pattern in named_children(node).filter(|n| n.kind() == "case_pattern") {
            each_capture(pattern, &mut |name| self.bind_targets(Some(name), Ty::Unknown, None));
        }
    }

    fn outer_names(&mut self, node: Node<'t>) {
        for name in named_children(node) {
            let name = text(self.source, name);
            self.innermost_frame().not_local.insert(name);
        }
    }

    fn note_imported(&mut self, node: Node<'t>) {
        for name in node.children_by_field_name("name") {
            let local = name.child_by_field_id(FIELDS.alias).unwrap_or(name);
            let name = head(text(self.source, local));
            self.innermost_frame().not_local.insert(name);
        }
    }

    fn field_text(&self, node: Node<'_>, field: u16) -> &'t str {
        node.child_by_field_id(field).map_or("", |child| text(self.source, child))
    }

    fn close(&mut self) {
        let Some(mut frame) = self.frames.pop() else { return };
        self.settle_overloads(&mut frame);
        self.settle_targets(&mut frame);
        match frame.level {
            Level::Function => {
                if !is_local(&frame.names, &frame.result) {
                    self.out.results.insert(frame.id, frame.result);
                }
                let locals = settle_locals(frame.names, &frame.not_local);
                self.out.functions.insert(frame.id, locals);
            }
            Level::Class => {
                self.out.classes.insert(frame.id, frame.names);
            }
            Level::Module => self.out.module = frame.names,
        }
    }

    /// Lets the first of several overloads without an implementation (stubs) stand for all.
    fn settle_overloads(&mut self, frame: &mut Frame<'t>) {
        for overloads in frame.overloads.drain().map(|(_, list)| list) {
            let first = overloads[0];
            self.out.overloads.extend(overloads.into_iter().map(|o| (o, first)));
        }
    }

    fn settle_targets(&mut self, frame: &mut Frame<'t>) {
        let mut seen = FxHashSet::default();
        for (name, id, statement) in frame.assigned.drain(..) {
            let first = !frame.not_local.contains(name) && seen.insert(name);
            let target = if first { AssignmentTarget::Defines(statement) } else { AssignmentTarget::Repeats };
            self.out.targets.insert(id, target);
        }
    }

    fn finish(mut self) -> Scan<'t> {
        while !self.frames.is_empty() {
            self.close();
        }
        self.out
    }
}

/// Returns the local names of a scope. A type whose first segment is itself a local variable becomes unknown.
fn settle_locals<'t>(names: PythonScopeNames<'t>, not_local: &FxHashSet<&'t str>) -> Vec<(&'t str, Ty<'t>)> {
    let own = names.iter().filter(|(name, _)| !not_local.contains(*name));
    own.map(|(name, ty)| (*name, if is_local(&names, ty) { Ty::Unknown } else { ty.clone() })).collect()
}

/// Returns true if a type starts with one of these names, unless it is a member of `self`.
fn is_local<'t>(names: &PythonScopeNames<'t>, ty: &Ty<'t>) -> bool {
    ty.name().is_some_and(|path| !is_own(path) && names.contains_key(head(path)))
}

fn annotation_marker(annotation: &str) -> Marker {
    let base = annotation.split('[').next().unwrap_or("").trim();
    match last(base) {
        "Final" => Marker::Final,
        "TypeAlias" => Marker::Alias,
        _ => Marker::None,
    }
}
