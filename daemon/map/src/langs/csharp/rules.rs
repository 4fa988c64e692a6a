//! The judgement on each node of C#: which handler it goes to, and what handlers remember between nodes.

use tree_sitter::Node;

use super::grammar::{GRAMMAR, Grammar, K};
use crate::langs::support::{Body, Comment, Handled, Lead, Members};
use crate::walk::{Cx, Rules, Step};

/// The rules for C#.
pub(super) struct CSharpRules {
    pub(super) g: &'static Grammar,
    pub(super) lead: Lead,
    pub(super) handled: Handled,
    /// Names that stand where a type does: the grammar does not tell them from values.
    pub(super) types: Handled,
    pub(super) members: Members,
}

impl CSharpRules {
    pub(super) fn new() -> Self {
        Self {
            g: &GRAMMAR,
            lead: Lead::default(),
            handled: Handled::default(),
            types: Handled::default(),
            members: Members::default(),
        }
    }

    fn comment(&mut self, node: Node<'_>, cx: &Cx<'_>) -> Step {
        let text = cx.source.get(node.byte_range()).unwrap_or(&[]);
        let doc = (text.starts_with(b"///") && !text.starts_with(b"////"))
            || (text.starts_with(b"/**") && text.len() > 5);
        self.lead.comment(node, cx.source, if doc { Comment::Doc } else { Comment::Other });
        Step::Skip
    }

    /// A block or the like: names declared in it are its own.
    fn scope(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        self.members.enter(node, Body::Code);
        cx.open_scope(true);
        Step::Into
    }
}

impl Rules for CSharpRules {
    fn enter<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> Step {
        match self.g.kind(node) {
            K::Ident => self.identifier(node, cx),
            K::Generic | K::Qualified | K::Alias => self.type_name(node, cx),
            K::Invocation => self.invocation(node, cx),
            K::Member | K::Conditional => self.member_access(node, cx),
            K::MemberBinding => self.member_binding(node),
            K::New => self.creation(node, cx),
            K::Typed | K::Cast | K::As => self.typed(node),
            K::TypeArgs => self.type_arguments(node),
            K::Argument => self.argument(node),
            K::Comment => self.comment(node, cx),
            K::Root => self.root(node, cx),
            K::Using => self.using(node, cx),
            K::Namespace => self.namespace(node, cx),
            K::Class | K::Struct | K::Interface | K::Record | K::Enum => self.type_definition(node, cx),
            K::Delegate => self.delegate(node, cx),
            K::Method | K::Constructor | K::Destructor | K::Operator | K::Conversion => self.method(node, cx),
            K::Indexer | K::Property | K::Event => self.property(node, cx),
            K::Fields => self.fields(node, cx),
            K::EnumMember => self.enum_member(node, cx),
            K::LocalFunction => self.local_function(node, cx),
            K::Bases => self.bases(node, cx),
            K::Scope | K::Accessor => self.scope(node, cx),
            K::Parameters => self.parameters(node, cx),
            K::Parameter | K::Catch => self.parameter(node, cx),
            K::Declaration => self.declaration(node, cx),
            K::ForEach => self.for_each(node, cx),
            K::Lambda => self.scope(node, cx),
            K::LambdaName => self.lambda_name(node, cx),
            K::Designation | K::From => self.designation(node, cx),
            K::QueryNames => self.query_names(node, cx),
            K::TypeParam => self.type_parameter(node, cx),
            K::Attribute => self.attribute(node, cx),
            K::Initializer | K::Anonymous | K::With => self.keys(node),
            K::Subpattern | K::Labeled => self.first_is_key(node),
            K::Condition => self.condition(node),
            K::Nothing | K::Builtin => Step::Skip,
            _ => Step::Into,
        }
    }
}
