//! The judgement on each node of Kotlin: which handler it goes to, and what handlers remember between nodes.

use tree_sitter::Node;

use super::grammar::{GRAMMAR, Grammar, K};
use crate::langs::support::{Body, Comment, Handled, Lead, Members, Pending};
use crate::walk::{Cx, Rules, Step};

/// The rules for Kotlin.
pub(super) struct KotlinRules {
    pub(super) g: &'static Grammar,
    pub(super) lead: Lead,
    pub(super) handled: Handled,
    pub(super) pending: Pending,
    pub(super) members: Members,
}

impl KotlinRules {
    pub(super) fn new() -> Self {
        Self {
            g: &GRAMMAR,
            lead: Lead::default(),
            handled: Handled::default(),
            pending: Pending::default(),
            members: Members::default(),
        }
    }

    fn comment(&mut self, node: Node<'_>, cx: &Cx<'_>) -> Step {
        let text = cx.source.get(node.byte_range()).unwrap_or(&[]);
        let doc = text.starts_with(b"/**") && text.len() > 5;
        self.lead.comment(node, cx.source, if doc { Comment::Doc } else { Comment::Other });
        Step::Skip
    }

    /// Code: names declared in it are its own.
    pub(super) fn code(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        self.members.enter(node, Body::Code);
        self.pending.block(node);
        cx.open_scope(true);
        Step::Into
    }

    /// The body of an anonymous object: its members are of what it is written in, its properties like locals.
    fn anonymous(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        self.members.enter(node, Body::Anonymous);
        self.pending.block(node);
        cx.open_scope(true);
        Step::Into
    }
}

impl Rules for KotlinRules {
    fn enter<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> Step {
        self.pending.reach(node.start_byte(), cx);
        match self.g.kind(node) {
            K::Ident | K::Interpolated => self.identifier(node, cx),
            K::UserType => self.user_type(node, cx),
            K::Call => self.call(node, cx),
            K::Navigation | K::Assignable => self.navigation(node, cx),
            K::Infix => self.infix(node, cx),
            K::Reference => self.callable_reference(node, cx),
            K::Argument => self.argument(node),
            K::Comment => self.comment(node, cx),
            K::Root => self.root(node, cx),
            K::Package => Step::Skip,
            K::Import => self.import(node, cx),
            K::Class | K::Object => self.type_definition(node, cx),
            K::Companion => self.companion(node, cx),
            K::ObjectLiteral => self.anonymous(node, cx),
            K::EnumEntry => self.enum_entry(node, cx),
            K::Function | K::Constructor => self.function(node, cx),
            K::Property => self.property(node, cx),
            K::Alias => self.alias(node, cx),
            K::ClassParameter => self.class_parameter(node, cx),
            K::Delegation => self.delegation(node, cx),
            K::Annotation => self.annotation(node, cx),
            K::Initializer | K::Accessor | K::Statements | K::AnonymousFunction | K::Catch => {
                self.bind_catch(node, cx);
                self.code(node, cx)
            }
            K::Lambda => self.lambda(node, cx),
            K::For | K::When => self.code(node, cx),
            K::Parameter => self.parameter(node, cx),
            K::Variable => self.variable(node, cx),
            K::TypeParam => self.type_parameter(node, cx),
            K::Nothing | K::TypeIdent | K::This | K::Super => Step::Skip,
            _ => Step::Into,
        }
    }
}
