//! Reads TypeScript, TSX and JavaScript with JSX.
//!
//! One walk reads a file. `scopes` binds local names when their scope is entered; `defs`, `typedefs`, `variables` and
//! `members` write definitions, `refs` references, `modules` and `commonjs` imports and exports; `types` tells the
//! types of expressions. `imports` finds the modules that specifiers name, with the help of what `manifest` reads from
//! project files.
//!
//! Conventions that the graph relies on:
//! - `const x = require('m')` is two imports under one name: the module's default export, and the module.
//! - A default export without a name is called `default`.
//! - Methods of recorded object literals have the variable as parent, and `this` in them has the receiver SelfType.
//! - A function with a `prototype` is a class.
//! - Names bound in a function give no facts, except functions, classes and types, which are definitions there too.

mod builtins;
mod commonjs;
mod contexts;
mod defs;
mod expected;
mod flows;
mod frameworks;
mod grammar;
mod imports;
mod json;
mod lexical;
mod manifest;
#[cfg(test)]
mod meaning_tests;
mod members;
mod modules;
mod objects;
mod packages;
mod probe;
mod refs;
mod repair;
mod scopes;
#[cfg(test)]
mod tests;
mod typedefs;
mod types;
mod variables;
mod written;

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    Lang, LangSpec, LanguageReader, NameSemantics, PackageScope, ProjectFile, Reach, SourceRules,
    StaticMembers,
};
use crate::facts::{DefFlags, DefIdx, FactsBuilder, RefKind, StrId};
use crate::langs::support::{Handled, LeadingRun};
use crate::syntax::{Node, Tree};
use crate::walk::{Cx, Rules, WalkStep, walk};
use grammar::{EcmaGrammar, NodeHandling};

pub use json::parse as parse_json;
pub use manifest::{package_json, read_tsconfig};
pub(crate) use repair::repair_text;

/// Returns true if this build has the grammars of all ECMAScript languages.
pub(super) fn is_built() -> bool {
    let grammars = [grammar::typescript_language, grammar::tsx_language, grammar::javascript_language];
    grammars.iter().all(|grammar| grammar().is_some())
}

/// TypeScript's row in the language table.
pub const TYPESCRIPT: LangSpec = LangSpec {
    lang: Lang::TypeScript,
    id: "ts",
    name: "TypeScript",
    extensions: &["ts", "mts", "cts"],
    file_names: &[],
    interpreters: &[],
    reader: LanguageReader::Tree { grammar: grammar::typescript_language, extract: extract_typescript },
    imports: &imports::EcmaImportRules,
    bare_members: false,
    package_scope: PackageScope::File,
    project_files: &[
        ProjectFile { is_named: is_config, read: read_tsconfig },
        ProjectFile { is_named: |name| name == "package.json", read: package_json },
    ],
    semantics: NameSemantics {
        builtins: builtins::BUILTINS,
        reach: Reach::Member,
        objects_hide_members: true,
        types_beside_values: true,
        later_bases_hide: true,
        imports_tell_all: true,
        static_members: StaticMembers::ByWord,
        exports_by_word: true,
        constructors: &["constructor"],
        named_constructor: Some("constructor"),
        module_is_default: &["exports.", "module.exports."],
        scopes_tell_all: true,
        ambient_modules: true,
        type_arguments: true,
        parameter_type: Some(written::hint_of_type),
        ..NameSemantics::PLAIN
    },
    source: SourceRules {
        lines_separate_members: true,
        repair: Some(repair_text),
        lexical_scopes: Some(&lexical::TYPED_RULES),
        ..SourceRules::PLAIN
    },
};

/// TSX's row in the language table.
pub const TSX: LangSpec = LangSpec {
    lang: Lang::Tsx,
    name: "TSX",
    extensions: &["tsx"],
    reader: LanguageReader::Tree { grammar: grammar::tsx_language, extract: extract_tsx },
    ..TYPESCRIPT
};

/// JavaScript's row; its grammar reads JSX too.
pub const JAVASCRIPT: LangSpec = LangSpec {
    lang: Lang::JavaScript,
    id: "js",
    name: "JavaScript",
    extensions: &["js", "jsx", "mjs", "cjs"],
    interpreters: &["node"],
    reader: LanguageReader::Tree { grammar: grammar::javascript_language, extract: extract_javascript },
    source: SourceRules { lexical_scopes: Some(&lexical::UNTYPED_RULES), ..TYPESCRIPT.source },
    ..TYPESCRIPT
};

/// Returns true for `tsconfig.json`, and for configurations that it refers to or extends: `tsconfig.app.json`,
/// `jsconfig.base.json`.
fn is_config(file_name: &str) -> bool {
    ["tsconfig.", "jsconfig."].iter().any(|prefix| file_name.starts_with(prefix))
        && file_name.ends_with(".json")
}

fn extract_typescript(tree: &Tree, source: &[u8], facts: FactsBuilder) -> FactsBuilder {
    extract(&grammar::TYPESCRIPT, tree, source, facts)
}

fn extract_tsx(tree: &Tree, source: &[u8], facts: FactsBuilder) -> FactsBuilder {
    extract(&grammar::TSX, tree, source, facts)
}

fn extract_javascript(tree: &Tree, source: &[u8], facts: FactsBuilder) -> FactsBuilder {
    extract(&grammar::JAVASCRIPT, tree, source, facts)
}

fn extract(grammar: &'static EcmaGrammar, tree: &Tree, source: &[u8], facts: FactsBuilder) -> FactsBuilder {
    let mut rules = Ecma::new(grammar);
    let facts = walk(tree, source, facts, &mut rules);
    flows::trace_values(tree, source, rules.settle_exports(facts), grammar)
}

/// The kind of container that a member belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Container {
    Class,
    Interface,
    /// An object literal whose members are definitions.
    Object,
    /// An object literal in a function, of which the functions are definitions.
    Methods,
    /// `module.exports = { ... }`.
    Exports,
    /// Anything whose members have no names of their own.
    Other,
}

/// A pair of braces around the walk.
struct Brace {
    /// The byte at which the braces end.
    end: usize,
    container: Container,
    /// The type that an object literal is expected to have.
    expected: Option<Rc<str>>,
}

/// The state of the walk. Sets of node ids hold what a node further up decided about one further down.
struct Ecma {
    grammar: &'static EcmaGrammar,
    lead: LeadingRun,
    /// The node id of the next declaration, and the parts around it.
    around: Option<(usize, defs::DeclarationWrapper)>,
    /// The plans for variables, by the node ID of their declarator.
    plans: FxHashMap<usize, variables::EcmaVariablePlan>,
    /// The names of the file's top level with their types.
    top: FxHashMap<String, Option<String>>,
    /// The names that imports bind.
    imported: FxHashSet<String>,
    /// The definitions of the file's top level.
    tops: FxHashMap<StrId, DefIdx>,
    /// The functions and classes inside functions, by owner and name, to notice a second one.
    seen: FxHashSet<(Option<DefIdx>, StrId)>,
    /// Signatures whose implementation may follow, by owner and name.
    overloads: FxHashMap<(Option<DefIdx>, StrId), DefIdx>,
    /// The field types of classes.
    classes: FxHashMap<DefIdx, members::FieldTypes>,
    /// The braces around the walk, outermost first.
    containers: Vec<Brace>,
    /// The types that object literals are expected to have, by node ID.
    expected: FxHashMap<usize, Rc<str>>,
    /// The declared results of the functions around the walk, each with the byte that the function ends at.
    results: Vec<(usize, Option<Rc<str>>)>,
    /// The types that functions in expressions have from their places, by node ID.
    contexts: FxHashMap<usize, contexts::FunctionContext>,
    /// Object literals whose members are definitions, by node id.
    objects: FxHashSet<usize>,
    /// Object literals in functions that have a name or are returned, by node id.
    local_objects: FxHashSet<usize>,
    /// Object literals that are `module.exports`, by node id.
    exported_objects: FxHashSet<usize>,
    /// Bodies of classes without a name, by node id.
    nameless: FxHashSet<usize>,
    /// Expressions `this.x` that define a field, by node id.
    assigned: FxHashSet<usize>,
    /// Blocks that are no scope of their own, by node id.
    plain_blocks: FxHashSet<usize>,
    /// The kind of use of names that a node further up has decided (bases), by node id.
    roles: FxHashMap<usize, RefKind>,
    /// Names that are no references.
    handled: Handled,
    /// The names that export clauses export, each with true if it is the default.
    exported: Vec<(String, bool)>,
    /// The node id of the body of the interface just opened.
    interface_body: usize,
    /// The node id of the left side of an assignment that is a definition.
    passed_over: usize,
    /// The node id of the called expression, set just before the walk meets it.
    callee: usize,
    /// The node id of a name that is no reference, set just before the walk meets it.
    skip: usize,
    /// The node id of the value of a definition that was opened further up.
    opened: usize,
    /// The node id of the body of the function just entered.
    body: usize,
    /// The byte at which the functions around the walk end.
    function_until: usize,
    /// The byte at which the blocks around the walk end.
    block_until: usize,
    /// The byte at which the head of a `for` ends, in which `var` is local too.
    local_until: usize,
    /// The byte up to which definitions are declarations.
    declare_until: usize,
}

impl Ecma {
    fn new(grammar: &'static EcmaGrammar) -> Self {
        Self {
            grammar,
            lead: LeadingRun::default(),
            around: None,
            plans: FxHashMap::default(),
            top: FxHashMap::default(),
            imported: FxHashSet::default(),
            tops: FxHashMap::default(),
            seen: FxHashSet::default(),
            overloads: FxHashMap::default(),
            classes: FxHashMap::default(),
            containers: Vec::new(),
            expected: FxHashMap::default(),
            results: Vec::new(),
            contexts: FxHashMap::default(),
            objects: FxHashSet::default(),
            local_objects: FxHashSet::default(),
            exported_objects: FxHashSet::default(),
            nameless: FxHashSet::default(),
            assigned: FxHashSet::default(),
            plain_blocks: FxHashSet::default(),
            roles: FxHashMap::default(),
            handled: Handled::default(),
            exported: Vec::new(),
            interface_body: 0,
            passed_over: 0,
            callee: 0,
            skip: 0,
            opened: 0,
            body: 0,
            function_until: 0,
            block_until: 0,
            local_until: 0,
            declare_until: 0,
        }
    }

    /// Marks the definitions that are exported. That is known only at the end of the file: export clauses can stand
    /// anywhere, and a member is visible only if its owner is.
    fn settle_exports(&self, mut facts: FactsBuilder) -> FactsBuilder {
        for (name, default) in &self.exported {
            let id = facts.intern(name);
            if let Some(&idx) = self.tops.get(&id) {
                let def = facts.def_mut(idx);
                def.flags = def.flags.with(DefFlags::EXPORTED).with_if(*default, DefFlags::DEFAULT);
            }
        }
        for i in 0..facts.defs().len() {
            let def = facts.defs()[i];
            let hidden = def.parent.is_some_and(|p| !facts.defs()[p.index()].flags.has(DefFlags::EXPORTED));
            if hidden && def.flags.has(DefFlags::EXPORTED) {
                facts.def_mut(DefIdx::new(i as u32)).flags = DefFlags(def.flags.0 & !DefFlags::EXPORTED.0);
            }
        }
        facts
    }

    fn visit_decorator<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        self.note_decorator(node, cx);
        self.lead.add_attribute(node, cx.source, false);
        self.mark_callee(node.named_child(0))
    }
}

impl Rules for Ecma {
    fn enter<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        match self.grammar.kinds.get(node) {
            NodeHandling::Into => WalkStep::Into,
            NodeHandling::Program => self.scan_top_level(node, cx),
            NodeHandling::Skip => WalkStep::Skip,
            NodeHandling::Comment => self.visit_comment(node, cx),
            NodeHandling::Decorator => self.visit_decorator(node, cx),
            NodeHandling::Import => self.visit_import(node, cx),
            NodeHandling::ImportAlias => self.visit_import_alias(node, cx),
            NodeHandling::Export => self.visit_export(node, cx),
            NodeHandling::Ambient => self.visit_ambient(node, cx),
            NodeHandling::Function => self.visit_function(node, cx),
            NodeHandling::Signature => self.visit_signature(node, cx),
            NodeHandling::Lambda => self.visit_lambda(node, cx),
            NodeHandling::Class => self.visit_class(node, cx),
            NodeHandling::ClassValue => self.visit_class_value(node, cx),
            NodeHandling::ClassBody => self.visit_class_body(node),
            NodeHandling::Object => self.visit_object(node),
            NodeHandling::ObjectType => self.visit_object_type(node),
            NodeHandling::Method => self.visit_method(node, cx),
            NodeHandling::MemberSignature => self.visit_member_signature(node, cx),
            NodeHandling::FieldDefinition => self.visit_field(node, cx),
            NodeHandling::PropertySignature => self.visit_property_signature(node, cx),
            NodeHandling::Pair => self.visit_pair(node, cx),
            NodeHandling::Return => self.returned_object(node, cx),
            NodeHandling::Cast => self.visit_cast(node, cx),
            NodeHandling::Interface => self.visit_interface(node, cx),
            NodeHandling::Enum => self.visit_enumeration(node, cx),
            NodeHandling::EnumMember => self.visit_enum_members(node, cx),
            NodeHandling::TypeAlias => self.visit_type_alias(node, cx),
            NodeHandling::Namespace => self.visit_namespace(node, cx),
            NodeHandling::Declaration => self.visit_declaration(node, cx),
            NodeHandling::Declarator => self.visit_declarator(node, cx),
            NodeHandling::Assignment => self.visit_assignment(node, cx),
            NodeHandling::Block => self.visit_block(node, cx),
            NodeHandling::SwitchBody => self.visit_switch_body(node, cx),
            NodeHandling::For => self.visit_for_statement(node, cx),
            NodeHandling::ForIn => self.visit_for_in(node, cx),
            NodeHandling::Catch => self.visit_catch(node, cx),
            NodeHandling::Identifier => self.visit_identifier(node, cx),
            NodeHandling::Shorthand => self.visit_shorthand(node, cx),
            NodeHandling::Member => self.visit_member(node, cx),
            NodeHandling::TypeIdentifier => self.visit_type_identifier(node, cx),
            NodeHandling::NestedType => self.visit_nested_type(node, cx),
            NodeHandling::Extends => self.mark_bases(node, RefKind::Extends),
            NodeHandling::Implements => self.mark_bases(node, RefKind::Implements),
            NodeHandling::Call => self.visit_call(node, cx),
            NodeHandling::New => self.visit_construction(node, cx),
            NodeHandling::Jsx => self.visit_jsx_element(node, cx),
            NodeHandling::JsxEnd => self.visit_jsx_end(node),
            NodeHandling::TypeScope => self.visit_type_scope(node, cx),
            NodeHandling::Parameter => self.visit_parameter(node),
        }
    }
}
