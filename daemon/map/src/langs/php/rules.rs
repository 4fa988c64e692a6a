//! Sends each node of PHP to its handler, and holds what handlers remember between nodes.

use rustc_hash::{FxHashMap, FxHashSet};

use super::docblock::Doc;
use super::grammar::{GRAMMAR, PhpGrammar, PhpKind};
use crate::facts::StrId;
use crate::langs::support::{Comment, Handled, LeadingRun};
use crate::syntax::Node;
use crate::walk::{Cx, Rules, WalkStep};

/// The state of the walk over one file of PHP.
pub(super) struct PhpRules {
    pub(super) g: &'static PhpGrammar,
    pub(super) lead: LeadingRun,
    pub(super) handled: Handled,
    /// The current namespace, dotted; empty outside any.
    pub(super) namespace: String,
    /// True once the file has declared a namespace.
    pub(super) has_namespace: bool,
    /// True in a namespace other than the one that the file declares first.
    pub(super) is_further: bool,
    /// The types that the current further namespace defines, by their plain names.
    pub(super) own_types: FxHashSet<String>,
    /// Classes and namespaces that `use` binds, by local name, with their full, dotted names.
    pub(super) uses: FxHashMap<String, String>,
    /// The types of properties, by the qualified name of the class and the property's name.
    pub(super) field_types: FxHashMap<(StrId, StrId), StrId>,
    /// The types that methods return, by the qualified name of the class and the method's name.
    pub(super) results: FxHashMap<(StrId, StrId), StrId>,
    /// The types that functions of this file return, by name.
    pub(super) function_results: FxHashMap<StrId, StrId>,
    /// The classes around the walk, innermost last.
    pub(super) classes: Vec<PhpClassScope>,
    /// The types that the last documentation comment states.
    pub(super) doc: Doc,
}

/// A class around the walk.
pub(super) struct PhpClassScope {
    pub(super) end: usize,
    /// The qualified name of the class; `None` for an anonymous one.
    pub(super) name: Option<StrId>,
    /// True if the class holds tests.
    pub(super) tests: bool,
}

impl PhpRules {
    pub(super) fn new() -> Self {
        Self {
            g: &GRAMMAR,
            lead: LeadingRun::default(),
            handled: Handled::default(),
            namespace: String::new(),
            is_further: false,
            own_types: FxHashSet::default(),
            has_namespace: false,
            uses: FxHashMap::default(),
            field_types: FxHashMap::default(),
            results: FxHashMap::default(),
            function_results: FxHashMap::default(),
            classes: Vec::new(),
            doc: Doc::default(),
        }
    }

    /// Returns the classes around `node`.
    pub(super) fn classes_around(&mut self, node: Node<'_>) -> &[PhpClassScope] {
        while self.classes.pop_if(|class| class.end <= node.start_byte()).is_some() {}
        &self.classes
    }

    fn visit_comment(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let is_doc = cx.source.get(node.byte_range()).is_some_and(|text| text.starts_with(b"/**"));
        self.lead.add_comment(node, cx.source, if is_doc { Comment::Doc } else { Comment::Other });
        if is_doc {
            self.doc = Doc::read(node, cx);
            self.bind_documented(cx);
        }
        WalkStep::Skip
    }
}

impl Rules for PhpRules {
    fn enter<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        match self.g.kind(node) {
            PhpKind::Variable | PhpKind::Text | PhpKind::Nothing => WalkStep::Skip,
            PhpKind::Name => self.visit_name(node, cx),
            PhpKind::Qualified | PhpKind::Relative => self.visit_qualified_constant(node, cx),
            PhpKind::Call => self.visit_call(node, cx),
            PhpKind::MemberCall => self.visit_member_call(node, cx),
            PhpKind::Member => self.visit_member(node, cx),
            PhpKind::StaticCall => self.visit_static_call(node, cx),
            PhpKind::StaticMember => self.visit_static_member(node, cx),
            PhpKind::ClassConstant => self.visit_class_constant(node, cx),
            PhpKind::New => self.visit_creation(node, cx),
            PhpKind::Binary => self.visit_instance_of(node, cx),
            PhpKind::NamedType => self.visit_named_type(node, cx),
            PhpKind::Assign => self.visit_assignment(node, cx),
            PhpKind::Foreach => self.visit_foreach(node, cx),
            PhpKind::Catch => self.visit_catch(node, cx),
            PhpKind::Global => self.visit_global(node, cx),
            PhpKind::Param => self.visit_parameter(node, cx),
            PhpKind::Promoted => self.visit_promoted(node, cx),
            PhpKind::Closure | PhpKind::Arrow => {
                cx.open_scope(true);
                WalkStep::Into
            }
            PhpKind::Program => {
                cx.open_scope(true);
                self.record_function_types(node, cx);
                WalkStep::Into
            }
            PhpKind::Comment => self.visit_comment(node, cx),
            PhpKind::Namespace => self.visit_namespace(node, cx),
            PhpKind::Uses => self.visit_use_clauses(node, cx),
            PhpKind::Class | PhpKind::Interface | PhpKind::Trait | PhpKind::Enum => {
                self.visit_type_definition(node, cx)
            }
            PhpKind::AnonymousClass => self.visit_anonymous_class(node, cx),
            PhpKind::Function | PhpKind::Method => self.visit_function(node, cx),
            PhpKind::Properties => self.visit_properties(node, cx),
            PhpKind::Constants => self.visit_constants(node, cx),
            PhpKind::Case => self.visit_enum_case(node, cx),
            PhpKind::TraitUse => self.visit_trait_use(node, cx),
            PhpKind::Extends | PhpKind::Implements => self.visit_bases(node, cx),
            PhpKind::Attribute => self.visit_attribute(node, cx),
            PhpKind::Argument => self.visit_argument(node),
            PhpKind::Include => self.visit_include(node, cx),
            _ => WalkStep::Into,
        }
    }
}
