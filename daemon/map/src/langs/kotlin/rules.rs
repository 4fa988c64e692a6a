//! Sends each node of Kotlin to its handler, and holds what handlers remember between nodes.

use super::grammar::{GRAMMAR, KotlinGrammar, KotlinKind};
use crate::langs::support::{Comment, Handled, LeadingRun, Members, Pending, SurroundingBody};
use crate::syntax::Node;
use crate::walk::{Cx, Rules, WalkStep};

/// The state of the walk over one file of Kotlin.
pub(super) struct KotlinRules {
    pub(super) g: &'static KotlinGrammar,
    pub(super) lead: LeadingRun,
    pub(super) handled: Handled,
    pub(super) pending: Pending,
    pub(super) members: Members,
}

impl KotlinRules {
    pub(super) fn new() -> Self {
        Self {
            g: &GRAMMAR,
            lead: LeadingRun::default(),
            handled: Handled::default(),
            pending: Pending::default(),
            members: Members::default(),
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
        self.pending.enter_block(node);
        cx.open_scope(true);
        WalkStep::Into
    }

    /// Visits the body of an anonymous object, whose members belong to the definition around, and whose properties are
    /// like locals.
    fn visit_anonymous_body(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        self.members.enter_body(node, SurroundingBody::Anonymous);
        self.pending.enter_block(node);
        cx.open_scope(true);
        WalkStep::Into
    }
}

impl Rules for KotlinRules {
    fn enter<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        self.pending.bind_reached(node.start_byte(), cx);
        match self.g.kind(node) {
            KotlinKind::Ident | KotlinKind::Interpolated => self.visit_identifier(node, cx),
            KotlinKind::UserType => self.visit_user_type(node, cx),
            KotlinKind::Call => self.visit_call(node, cx),
            KotlinKind::Navigation | KotlinKind::Assignable => self.visit_navigation(node, cx),
            KotlinKind::Infix => self.visit_infix(node, cx),
            KotlinKind::Reference => self.visit_callable_reference(node, cx),
            KotlinKind::Argument => self.visit_argument(node),
            KotlinKind::Comment => self.visit_comment(node, cx),
            KotlinKind::Root => self.visit_root(node, cx),
            KotlinKind::Package => WalkStep::Skip,
            KotlinKind::Import => self.visit_import(node, cx),
            KotlinKind::Class | KotlinKind::Object => self.visit_type_definition(node, cx),
            KotlinKind::Companion => self.visit_companion(node, cx),
            KotlinKind::ObjectLiteral => self.visit_anonymous_body(node, cx),
            KotlinKind::EnumEntry => self.visit_enum_entry(node, cx),
            KotlinKind::Function | KotlinKind::Constructor => self.visit_function(node, cx),
            KotlinKind::Property => self.visit_property(node, cx),
            KotlinKind::Alias => self.visit_alias(node, cx),
            KotlinKind::ClassParameter => self.visit_class_parameter(node, cx),
            KotlinKind::Delegation => self.visit_delegation(node, cx),
            KotlinKind::Annotation => self.visit_annotation(node, cx),
            KotlinKind::Initializer
            | KotlinKind::Accessor
            | KotlinKind::Statements
            | KotlinKind::AnonymousFunction
            | KotlinKind::Catch => {
                self.bind_catch(node, cx);
                self.visit_code(node, cx)
            }
            KotlinKind::Lambda => self.visit_lambda(node, cx),
            KotlinKind::For | KotlinKind::When => self.visit_code(node, cx),
            KotlinKind::Parameter => self.visit_parameter(node, cx),
            KotlinKind::Variable => self.visit_variable(node, cx),
            KotlinKind::TypeParam => self.visit_type_parameter(node, cx),
            KotlinKind::Nothing | KotlinKind::TypeIdent | KotlinKind::This | KotlinKind::Super => {
                WalkStep::Skip
            }
            _ => WalkStep::Into,
        }
    }
}
