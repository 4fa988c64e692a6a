//! Reads Python files.
//!
//! Two passes go over a tree: `scan` collects which names the scopes bind (with `patterns`), then the walk records
//! facts and sends each node to its handler. `types` tells the types of expressions, `defs` and `refs` write
//! definitions and references, `statements` the imports; `imports` finds the modules that imports name.
//!
//! Conventions that the graph relies on:
//! - `import a.b.c` binds `a`: a Module import of `a`, and an Effect import of `a.b.c`.
//! - A bare name in a class body that means a member of that class has the receiver SelfType, with the class as owner.
//! - `self.x = ...` in a method defines the field `x` of the class once, where it is first assigned.
//! - A name assigned in a function is a local variable and gives no facts; nested functions and classes, and names
//!   imported in a function, are referred to as bare names.

mod builtins;
mod defs;
mod flows;
mod frameworks;
mod grammar;
mod hazard;
mod imports;
mod lexical;
mod patterns;
mod refs;
mod scan;
mod statements;
mod stdlib;
#[cfg(test)]
mod tests;
mod types;

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    CommentStyle, Lang, LangSpec, LanguageReader, NameSemantics, PackageScope, PassedImports, ProjectFile,
    SourceRules,
};
use crate::facts::{DefIdx, FactsBuilder, RefKind};
use crate::syntax::{Node, Tree};
use crate::walk::{Cx, KindTable, Rules, WalkStep, walk};
use grammar::language;
use scan::Scan;

/// Python's row in the language table.
pub const SPEC: LangSpec = LangSpec {
    lang: Lang::Python,
    id: "py",
    name: "Python",
    extensions: &["py", "pyi", "pyw"],
    file_names: &[],
    interpreters: &["python"],
    reader: LanguageReader::Tree { grammar: language, extract },
    imports: &imports::PythonImportRules,
    bare_members: false,
    package_scope: PackageScope::File,
    project_files: &[
        // Its presence marks the root of a project; its content says nothing.
        ProjectFile { is_named: |name| name == "pyproject.toml", read: |_, _| {} },
    ],
    semantics: NameSemantics {
        builtins: builtins::BUILTINS,
        passed_imports: PassedImports::InitFile,
        modules_before_stars: true,
        init_files: true,
        imports_tell_all: true,
        linear_bases: true,
        joined_values: true,
        marks_tests: true,
        fixture_files: &["conftest.py"],
        constructors: &["__init__", "__new__"],
        receiver_parameter: true,
        class_methods: true,
        keys_apart: true,
        keyless_spreads: true,
        last_star_binds: true,
        ..NameSemantics::PLAIN
    },
    source: SourceRules {
        comments: CommentStyle::Hash,
        slow_comments: Some("#"),
        is_hazardous: hazard::is_hazardous,
        lexical_scopes: Some(&lexical::RULES),
        ..SourceRules::PLAIN
    },
};

/// Returns true if this build has the grammar, by which notebooks are read too.
pub(super) fn is_built() -> bool {
    language().is_some()
}

fn extract(tree: &Tree, source: &[u8], facts: FactsBuilder) -> FactsBuilder {
    let mut rules = Python::new(scan::scan_file(tree, source));
    let facts = walk(tree, source, facts, &mut rules);
    flows::trace_values(tree, source, facts, &rules.into_findings())
}

#[derive(Clone, Copy, Default)]
enum NodeHandling {
    #[default]
    Into,
    Skip,
    Decorated,
    Decorator,
    Class,
    Function,
    Import,
    ImportFrom,
    Identifier,
    Attribute,
    DottedName,
    MemberType,
    Call,
    Type,
    Text,
    Lambda,
    Comprehension,
    Keyword,
    Named,
    Subscript,
    TypeAlias,
}

static KINDS: LazyLock<KindTable<NodeHandling>> = LazyLock::new(|| {
    use NodeHandling::{
        Attribute, Call, Class, Comprehension, Decorated, Decorator, DottedName, Function, Identifier,
        Import, ImportFrom, Keyword, Lambda, MemberType, Named, Skip, Subscript, Text, Type, TypeAlias,
    };
    let kinds = [
        ("comment", Skip),
        ("global_statement", Skip),
        ("nonlocal_statement", Skip),
        ("string_content", Skip),
        ("string_start", Skip),
        ("string_end", Skip),
        ("integer", Skip),
        ("float", Skip),
        ("true", Skip),
        ("false", Skip),
        ("none", Skip),
        ("ellipsis", Skip),
        ("pass_statement", Skip),
        ("decorated_definition", Decorated),
        ("decorator", Decorator),
        ("class_definition", Class),
        ("function_definition", Function),
        ("import_statement", Import),
        ("import_from_statement", ImportFrom),
        ("future_import_statement", ImportFrom),
        ("identifier", Identifier),
        ("attribute", Attribute),
        ("dotted_name", DottedName),
        ("member_type", MemberType),
        ("call", Call),
        ("type", Type),
        ("string", Text),
        ("lambda", Lambda),
        ("list_comprehension", Comprehension),
        ("set_comprehension", Comprehension),
        ("dictionary_comprehension", Comprehension),
        ("generator_expression", Comprehension),
        ("keyword_argument", Keyword),
        ("keyword_pattern", Keyword),
        ("named_expression", Named),
        ("subscript", Subscript),
        ("type_alias_statement", TypeAlias),
    ];
    KindTable::new(language().as_ref(), &kinds)
});

/// The state of the walk over one Python file.
struct Python<'t> {
    scan: Scan<'t>,
    kinds: &'static KindTable<NodeHandling>,
    /// The node id of each class that is a definition.
    classes: FxHashMap<DefIdx, usize>,
    /// Overloaded functions by the node id of their implementation.
    folded: FxHashMap<usize, DefIdx>,
    /// The kind of use of names that a node further up has decided (bases), by node id.
    roles: FxHashMap<usize, RefKind>,
    /// The node ids of bases with type arguments.
    generic_bases: FxHashSet<usize>,
    /// The id of the node that is called, set just before the walk meets it.
    callee: usize,
    /// The node ID of the object before the dot, set just before the walk meets it.
    read: usize,
    /// The first bytes of the names after a dot that the walk has yet to meet, the next one last.
    attribute_names: Vec<usize>,
    /// The id of a name that is no reference, set just before the walk meets it.
    skip: usize,
    /// The id of the definition that was opened with its decorators.
    opened: usize,
    /// Decorators are read before this byte: names mean there what they mean outside of the definition.
    outer_until: usize,
    /// Names before this byte are types.
    types_until: usize,
    /// The definition of each class and function, by node id.
    made: FxHashMap<usize, DefIdx>,
    /// Lambdas that are functions of the module by the name they are given, by node id.
    lambdas: FxHashMap<usize, DefIdx>,
    /// The prefix of a router's paths, by the router's name.
    prefixes: FxHashMap<String, String>,
    /// Functions of this file that are tasks of a queue.
    tasks: FxHashSet<String>,
}

impl<'t> Python<'t> {
    fn new(scan: Scan<'t>) -> Self {
        Self {
            scan,
            kinds: &KINDS,
            classes: FxHashMap::default(),
            folded: FxHashMap::default(),
            roles: FxHashMap::default(),
            generic_bases: FxHashSet::default(),
            callee: 0,
            read: 0,
            attribute_names: Vec::new(),
            skip: 0,
            opened: 0,
            outer_until: 0,
            types_until: 0,
            made: FxHashMap::default(),
            lambdas: FxHashMap::default(),
            prefixes: FxHashMap::default(),
            tasks: FxHashSet::default(),
        }
    }

    /// Returns the findings of the walk that the tracing of values needs.
    fn into_findings(self) -> flows::PythonWalkFindings<'t> {
        flows::PythonWalkFindings { locals: self.scan.functions, marks: self.scan.marks, made: self.made }
    }

    fn types_in(&mut self, node: Node<'_>) -> WalkStep {
        self.types_until = self.types_until.max(node.end_byte());
        WalkStep::Into
    }

    /// Visits a keyword argument; the name before `=` means nothing in this file.
    fn visit_keyword(&mut self, node: Node<'_>) -> WalkStep {
        self.skip = node.named_child(0).map_or(0, |name| name.id());
        WalkStep::Into
    }

    /// Visits `Base[Arg]`: among bases, the argument is a type; elsewhere, brackets hold indices.
    fn visit_subscript(&mut self, node: Node<'_>) -> WalkStep {
        if !self.generic_bases.is_empty() && self.generic_bases.remove(&node.id()) {
            return self.types_in(node);
        }
        WalkStep::Into
    }
}

impl Rules for Python<'_> {
    fn enter<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        match self.kinds.get(node) {
            NodeHandling::Into => WalkStep::Into,
            NodeHandling::Skip => WalkStep::Skip,
            NodeHandling::Decorated => self.visit_decorated(node, cx),
            NodeHandling::Decorator => self.call(node.named_child(0)),
            NodeHandling::Class => self.visit_class(node, cx),
            NodeHandling::Function => self.visit_function(node, cx),
            NodeHandling::Import => statements::visit_import(node, cx),
            NodeHandling::ImportFrom => statements::import_from(node, cx),
            NodeHandling::Identifier => self.visit_identifier(node, cx),
            NodeHandling::Attribute => self.visit_attribute(node, cx),
            NodeHandling::DottedName => self.visit_dotted_name(node, cx),
            NodeHandling::MemberType => self.visit_member_type(node, cx),
            NodeHandling::Call => self.visit_call(node, cx),
            NodeHandling::Type => self.types_in(node),
            NodeHandling::Text => self.visit_string(node, cx),
            NodeHandling::Lambda => self.visit_lambda(node, cx),
            NodeHandling::Comprehension => self.visit_comprehension(node, cx),
            NodeHandling::Keyword => self.visit_keyword(node),
            NodeHandling::Named => self.visit_named_expression(node, cx),
            NodeHandling::Subscript => self.visit_subscript(node),
            NodeHandling::TypeAlias => self.visit_type_alias(node, cx),
        }
    }
}
