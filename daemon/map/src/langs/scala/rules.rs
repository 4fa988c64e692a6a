//! The judgement on each node of Scala: which handler it goes to, and what handlers remember between nodes.

use tree_sitter::Node;

use super::grammar::{GRAMMAR, Grammar, K};
use crate::langs::support::{Body, Comment, Handled, Lead, Members};
use crate::walk::{Cx, Rules, Step};

/// The rules for Scala.
pub(super) struct ScalaRules {
    pub(super) g: &'static Grammar,
    pub(super) lead: Lead,
    pub(super) handled: Handled,
    pub(super) members: Members,
    /// Where the extension, or the implicit class, around the walk ends.
    pub(super) extends_to: usize,
    /// True if the parameters of the class at hand are its values.
    pub(super) of_case: bool,
}

impl ScalaRules {
    pub(super) fn new() -> Self {
        Self {
            g: &GRAMMAR,
            lead: Lead::default(),
            handled: Handled::default(),
            members: Members::default(),
            extends_to: 0,
            of_case: false,
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
        cx.open_scope(true);
        Step::Into
    }

    /// The body of an anonymous class, unless its definition has told of it.
    fn template(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        if !self.handled.take(node) {
            self.members.enter(node, Body::Anonymous);
            cx.open_scope(true);
        }
        Step::Into
    }
}

impl Rules for ScalaRules {
    fn enter<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> Step {
        match self.g.kind(node) {
            K::Ident => self.identifier(node, cx),
            K::TypeIdent | K::StableType => self.type_name(node, cx),
            K::Stable => self.stable(node, cx),
            K::Call => self.call(node, cx),
            K::Field => self.field(node, cx),
            K::Infix => self.infix(node, cx),
            K::New => self.creation(node, cx),
            K::Arguments => self.arguments(node),
            K::Text => self.interpolator(node),
            K::PatternClass => self.pattern_class(node, cx),
            K::Comment => self.comment(node, cx),
            K::Root => self.root(node, cx),
            K::Package => self.package(node, cx),
            K::PackageObject => self.package_object(node, cx),
            K::Import => self.import(node, cx),
            K::Class | K::Trait | K::Object | K::Enum => self.type_definition(node, cx),
            K::EnumCase => self.enum_case(node, cx),
            K::Given => self.given(node, cx),
            K::Extension => self.extension(node, cx),
            K::Function => self.function(node, cx),
            K::Value => self.value(node, cx),
            K::TypeAlias => self.alias(node, cx),
            K::ClassParameter => self.class_parameter(node, cx),
            K::Parameter | K::Binding => self.parameter(node, cx),
            K::TypeParameters | K::TypeParameter => self.type_parameters(node, cx),
            K::Extends => self.bases(node, cx),
            K::Annotation => self.annotation(node, cx),
            K::SelfType => self.self_type(node, cx),
            K::Template => self.template(node, cx),
            K::Code => self.code(node, cx),
            K::Lambda => self.lambda(node, cx),
            K::Case => self.case(node, cx),
            K::Enumerator => self.enumerator(node, cx),
            K::Nothing => Step::Skip,
            _ => Step::Into,
        }
    }
}
