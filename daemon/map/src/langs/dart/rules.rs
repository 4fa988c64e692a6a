//! Sends each node of Dart to its handler, and holds what handlers remember between nodes.

use super::grammar::{DartGrammar, DartKind, GRAMMAR};
use crate::facts::StrId;
use crate::langs::support::{Comment, Handled, LeadingRun};
use crate::syntax::Node;
use crate::walk::{Cx, Rules, WalkStep};

/// The state of the walk over one file of Dart.
pub(super) struct DartRules {
    pub(super) g: &'static DartGrammar,
    pub(super) lead: LeadingRun,
    pub(super) handled: Handled,
    /// The type around the walk; types do not nest.
    pub(super) class: Option<DartClass>,
    /// The cascades around the walk, innermost last: the byte at which each ends, and the path of its value.
    pub(super) cascades: Vec<(usize, Option<StrId>)>,
    /// The types that conditions show: the block that runs if the condition holds, the variable and its type.
    pub(super) shown: Vec<(usize, StrId, StrId)>,
}

/// A type around the walk.
pub(super) struct DartClass {
    pub(super) end: usize,
    pub(super) name: StrId,
    /// True for an extension, whose members are added to a type that is written elsewhere.
    pub(super) is_extension: bool,
    /// A member that a base from outside gives it, and the member's type.
    pub(super) given: Option<(&'static str, StrId)>,
}

impl DartRules {
    pub(super) fn new() -> Self {
        Self {
            g: &GRAMMAR,
            lead: LeadingRun::default(),
            handled: Handled::default(),
            class: None,
            cascades: Vec::new(),
            shown: Vec::new(),
        }
    }

    /// Returns the type that a node is in.
    pub(super) fn class_around(&self, node: Node<'_>) -> Option<&DartClass> {
        self.class.as_ref().filter(|class| node.start_byte() < class.end)
    }

    fn visit_comment(&mut self, node: Node<'_>, kind: Comment, cx: &Cx<'_>) -> WalkStep {
        self.lead.add_comment(node, cx.source, kind);
        WalkStep::Skip
    }

    /// Enters code with names of its own.
    pub(super) fn visit_code(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        cx.open_scope(true);
        if node.kind() == "if_statement" {
            self.note_tested(node, cx);
        }
        self.bind_shown(node, cx);
        WalkStep::Into
    }
}

impl Rules for DartRules {
    fn enter<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        match self.g.kind(node) {
            DartKind::Ident => self.visit_identifier(node, cx),
            DartKind::Type => self.visit_type(node, cx),
            DartKind::Access => self.visit_access(node, cx),
            DartKind::Call => self.visit_call(node, cx),
            DartKind::Creation => self.visit_creation(node, cx),
            DartKind::TearOff => self.visit_tear_off(node, cx),
            DartKind::Cascade => self.visit_cascade(node, cx),
            DartKind::CascadeCall => self.visit_cascade_call(node, cx),
            DartKind::CascadeName => self.visit_cascade_name(node, cx),
            DartKind::Annotation => self.visit_annotation(node, cx),
            DartKind::Comment => self.visit_comment(node, Comment::Other, cx),
            DartKind::Doc => self.visit_comment(node, Comment::Doc, cx),
            DartKind::Root => self.visit_root(node, cx),
            DartKind::Class
            | DartKind::Mixin
            | DartKind::Enum
            | DartKind::Extension
            | DartKind::ExtensionType => self.visit_type_definition(node, cx),
            DartKind::EnumEntry => self.visit_enum_entry(node, cx),
            DartKind::Alias => self.visit_alias(node, cx),
            DartKind::Declared => self.visit_member(node, cx),
            DartKind::Function => self.visit_function(node, cx),
            DartKind::TopVariables => self.visit_top_variables(node, cx),
            DartKind::Local => self.visit_local(node, cx),
            DartKind::LocalFunction => self.visit_local_function(node, cx),
            DartKind::Parameters => self.visit_parameters(cx),
            DartKind::Parameter => self.visit_parameter(node, cx),
            DartKind::FieldParameter => self.visit_field_parameter(node, cx),
            DartKind::SuperParameter | DartKind::TypedName => self.pass_over_name(node),
            DartKind::Initializer => self.visit_initializer(node, cx),
            DartKind::FieldInitializer => self.visit_field_initializer(node, cx),
            DartKind::Redirection => self.visit_redirection(node, cx),
            DartKind::FactoryTarget => self.visit_factory_target(node, cx),
            DartKind::Closure | DartKind::Block => self.visit_code(node, cx),
            DartKind::For => self.visit_for(node, cx),
            DartKind::Try => self.visit_try(node, cx),
            DartKind::Conjunction => self.visit_conjunction(node, cx),
            DartKind::Labeled => self.visit_labeled(node),
            DartKind::VariablePattern => self.visit_variable_pattern(node, cx),
            DartKind::ObjectPattern => self.visit_object_pattern(node, cx),
            DartKind::ConstantPattern => self.visit_constant_pattern(node, cx),
            DartKind::TypeParam => self.visit_type_parameter(node, cx),
            DartKind::Nothing | DartKind::Directive | DartKind::TypeIdent => WalkStep::Skip,
            DartKind::Other | DartKind::Section | DartKind::Same | DartKind::Cast | DartKind::Text => {
                WalkStep::Into
            }
        }
    }
}
