//! The judgement on each node of PHP: which handler it goes to, and what handlers remember between nodes.

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use super::docblock::Doc;
use super::grammar::{GRAMMAR, Grammar, K};
use crate::facts::StrId;
use crate::langs::support::{Comment, Handled, Lead};
use crate::walk::{Cx, Rules, Step};

/// The rules for PHP.
pub(super) struct PhpRules {
    pub(super) g: &'static Grammar,
    pub(super) lead: Lead,
    pub(super) handled: Handled,
    /// The namespace at hand, dotted; empty outside any.
    pub(super) namespace: String,
    /// Classes and namespaces that `use` binds, by local name, with their full, dotted names.
    pub(super) uses: FxHashMap<String, String>,
    /// Types of properties: (class's qualified name, property) to the type's path.
    pub(super) field_types: FxHashMap<(StrId, StrId), StrId>,
    /// Types that methods return, by (class's qualified name, method).
    pub(super) results: FxHashMap<(StrId, StrId), StrId>,
    /// Types that functions of this file return, by name.
    pub(super) function_results: FxHashMap<StrId, StrId>,
    /// The classes around the walk, innermost last.
    pub(super) classes: Vec<Class>,
    /// The types that the last documentation comment states.
    pub(super) doc: Doc,
}

/// A class around the walk.
pub(super) struct Class {
    pub(super) end: usize,
    /// Its qualified name; none for an anonymous one.
    pub(super) name: Option<StrId>,
    /// True if the class holds tests.
    pub(super) tests: bool,
}

impl PhpRules {
    pub(super) fn new() -> Self {
        Self {
            g: &GRAMMAR,
            lead: Lead::default(),
            handled: Handled::default(),
            namespace: String::new(),
            uses: FxHashMap::default(),
            field_types: FxHashMap::default(),
            results: FxHashMap::default(),
            function_results: FxHashMap::default(),
            classes: Vec::new(),
            doc: Doc::default(),
        }
    }

    /// The classes around `node`.
    pub(super) fn classes(&mut self, node: Node<'_>) -> &[Class] {
        while self.classes.pop_if(|class| class.end <= node.start_byte()).is_some() {}
        &self.classes
    }

    fn comment(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let is_doc = cx.source.get(node.byte_range()).is_some_and(|text| text.starts_with(b"/**"));
        self.lead.comment(node, cx.source, if is_doc { Comment::Doc } else { Comment::Other });
        if is_doc {
            self.doc = Doc::read(node, cx);
            self.bind_documented(cx);
        }
        Step::Skip
    }
}

impl Rules for PhpRules {
    fn enter<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> Step {
        match self.g.kind(node) {
            K::Variable | K::Text | K::Nothing => Step::Skip,
            K::Name => self.name(node, cx),
            K::Qualified | K::Relative => self.qualified_constant(node, cx),
            K::Call => self.call(node, cx),
            K::MemberCall => self.member_call(node, cx),
            K::Member => self.member(node, cx),
            K::StaticCall => self.static_call(node, cx),
            K::StaticMember => self.static_member(node, cx),
            K::ClassConstant => self.class_constant(node, cx),
            K::New => self.creation(node, cx),
            K::Binary => self.instance_of(node, cx),
            K::NamedType => self.named_type(node, cx),
            K::Assign => self.assignment(node, cx),
            K::Foreach => self.foreach(node, cx),
            K::Catch => self.catch(node, cx),
            K::Global => self.global(node, cx),
            K::Param => self.parameter(node, cx),
            K::Promoted => self.promoted(node, cx),
            K::Closure | K::Arrow => {
                cx.open_scope(true);
                Step::Into
            }
            K::Program => {
                cx.open_scope(true);
                self.know_functions(node, cx);
                Step::Into
            }
            K::Comment => self.comment(node, cx),
            K::Namespace => self.namespace(node, cx),
            K::Uses => self.use_clauses(node, cx),
            K::Class | K::Interface | K::Trait | K::Enum => self.type_definition(node, cx),
            K::AnonymousClass => self.anonymous_class(node, cx),
            K::Function | K::Method => self.function(node, cx),
            K::Properties => self.properties(node, cx),
            K::Constants => self.constants(node, cx),
            K::Case => self.enum_case(node, cx),
            K::TraitUse => self.trait_use(node, cx),
            K::Extends | K::Implements => self.bases(node, cx),
            K::Attribute => self.attribute(node, cx),
            K::Argument => self.argument(node),
            K::Include => self.include(node, cx),
            _ => Step::Into,
        }
    }
}
