//! Sends each node of Scala to its handler, and holds what handlers remember between nodes.

use super::grammar::{GRAMMAR, ScalaGrammar, ScalaKind};
use crate::langs::support::{Comment, Handled, LeadingRun, Members, SurroundingBody};
use crate::syntax::Node;
use crate::walk::{Cx, Rules, WalkStep};

/// The state of the walk over one file of Scala.
pub(super) struct ScalaRules {
    pub(super) g: &'static ScalaGrammar,
    pub(super) lead: LeadingRun,
    pub(super) handled: Handled,
    pub(super) members: Members,
    /// The byte at which the extension, or the implicit class, around the walk ends.
    pub(super) extends_to: usize,
    /// True if the parameters of the current class are its values.
    pub(super) of_case: bool,
}

impl ScalaRules {
    pub(super) fn new() -> Self {
        Self {
            g: &GRAMMAR,
            lead: LeadingRun::default(),
            handled: Handled::default(),
            members: Members::default(),
            extends_to: 0,
            of_case: false,
        }
    }

    fn visit_comment(&mut self, node: Node<'_>, cx: &Cx<'_>) -> WalkStep {
        let text = cx.source.get(node.byte_range()).unwrap_or(&[]);
        let doc = text.starts_with(b"/**") && text.len() > 5;
        self.lead.add_comment(node, cx.source, if doc { Comment::Doc } else { Comment::Other });
        WalkStep::Skip
    }

    /// Visits code, whose declarations are its own.
    pub(super) fn visit_code(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        self.members.enter_body(node, SurroundingBody::Code);
        cx.open_scope(true);
        WalkStep::Into
    }

    /// Enters the body of an anonymous class, unless a definition has entered it.
    fn visit_template_body(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if !self.handled.take_mark(node) {
            self.members.enter_body(node, SurroundingBody::Anonymous);
            cx.open_scope(true);
        }
        WalkStep::Into
    }
}

impl Rules for ScalaRules {
    fn enter<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        match self.g.kind(node) {
            ScalaKind::Ident => self.visit_identifier(node, cx),
            ScalaKind::TypeIdent | ScalaKind::StableType => self.visit_type_name(node, cx),
            ScalaKind::Stable => self.visit_stable_path(node, cx),
            ScalaKind::Call => self.visit_call(node, cx),
            ScalaKind::Field => self.visit_field(node, cx),
            ScalaKind::Infix => self.visit_infix(node, cx),
            ScalaKind::New => self.visit_creation(node, cx),
            ScalaKind::Arguments => self.visit_arguments(node),
            ScalaKind::Text => self.visit_interpolator(node),
            ScalaKind::PatternClass => self.visit_pattern_class(node, cx),
            ScalaKind::Comment => self.visit_comment(node, cx),
            ScalaKind::Root => self.visit_root(node, cx),
            ScalaKind::Package => self.visit_package(node, cx),
            ScalaKind::PackageObject => self.visit_package_object(node, cx),
            ScalaKind::Import => self.visit_import(node, cx),
            ScalaKind::Class | ScalaKind::Trait | ScalaKind::Object | ScalaKind::Enum => {
                self.visit_type_definition(node, cx)
            }
            ScalaKind::EnumCase => self.visit_enum_case(node, cx),
            ScalaKind::Given => self.visit_given(node, cx),
            ScalaKind::Extension => self.visit_extension(node, cx),
            ScalaKind::Function => self.visit_function(node, cx),
            ScalaKind::Value => self.visit_value(node, cx),
            ScalaKind::TypeAlias => self.visit_alias(node, cx),
            ScalaKind::ClassParameter => self.visit_class_parameter(node, cx),
            ScalaKind::Parameter | ScalaKind::Binding => self.visit_parameter(node, cx),
            ScalaKind::TypeParameters | ScalaKind::TypeParameter => self.visit_type_parameters(node, cx),
            ScalaKind::Extends => self.visit_bases(node, cx),
            ScalaKind::Annotation => self.visit_annotation(node, cx),
            ScalaKind::SelfType => self.visit_self_type(node, cx),
            ScalaKind::Template => self.visit_template_body(node, cx),
            ScalaKind::Code => self.visit_code(node, cx),
            ScalaKind::Lambda => self.visit_lambda(node, cx),
            ScalaKind::Case => self.visit_case(node, cx),
            ScalaKind::Enumerator => self.visit_enumerator(node, cx),
            ScalaKind::Nothing => WalkStep::Skip,
            _ => WalkStep::Into,
        }
    }
}
