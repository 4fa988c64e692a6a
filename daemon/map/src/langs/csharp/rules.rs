//! Sends each node of C# to its handler, and holds what handlers remember between nodes.

use super::grammar::{CSharpGrammar, CSharpKind, GRAMMAR};
use crate::langs::support::{Comment, Handled, LeadingRun, Members, SurroundingBody};
use crate::syntax::Node;
use crate::walk::{Cx, Rules, WalkStep};

/// The state of the walk over one file of C#.
pub(super) struct CSharpRules {
    pub(super) g: &'static CSharpGrammar,
    pub(super) lead: LeadingRun,
    pub(super) handled: Handled,
    /// Names in the place of a type, which the grammar does not tell from values.
    pub(super) types: Handled,
    pub(super) members: Members,
}

impl CSharpRules {
    pub(super) fn new() -> Self {
        Self {
            g: &GRAMMAR,
            lead: LeadingRun::default(),
            handled: Handled::default(),
            types: Handled::default(),
            members: Members::default(),
        }
    }

    fn visit_comment(&mut self, node: Node<'_>, cx: &Cx<'_>) -> WalkStep {
        let text = cx.source.get(node.byte_range()).unwrap_or(&[]);
        let doc = (text.starts_with(b"///") && !text.starts_with(b"////"))
            || (text.starts_with(b"/**") && text.len() > 5);
        self.lead.add_comment(node, cx.source, if doc { Comment::Doc } else { Comment::Other });
        WalkStep::Skip
    }

    /// Enters a block or the like, whose declarations are its own.
    fn visit_scope(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        self.members.enter_body(node, SurroundingBody::Code);
        cx.open_scope(true);
        WalkStep::Into
    }
}

impl Rules for CSharpRules {
    fn enter<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        match self.g.kind(node) {
            CSharpKind::Ident => self.visit_identifier(node, cx),
            CSharpKind::Generic | CSharpKind::Qualified | CSharpKind::Alias => self.visit_type_name(node, cx),
            CSharpKind::Invocation => self.visit_invocation(node, cx),
            CSharpKind::Member | CSharpKind::Conditional => self.visit_member_access(node, cx),
            CSharpKind::MemberBinding => self.visit_member_binding(node),
            CSharpKind::New => self.visit_creation(node, cx),
            CSharpKind::Typed | CSharpKind::Cast | CSharpKind::As => self.visit_type_operand(node),
            CSharpKind::TypeArgs => self.visit_type_arguments(node),
            CSharpKind::Argument => self.visit_argument(node),
            CSharpKind::Comment => self.visit_comment(node, cx),
            CSharpKind::Root => self.visit_root(node, cx),
            CSharpKind::Using => self.visit_using(node, cx),
            CSharpKind::Namespace => self.visit_namespace(node, cx),
            CSharpKind::Class
            | CSharpKind::Struct
            | CSharpKind::Interface
            | CSharpKind::Record
            | CSharpKind::Enum => self.visit_type_definition(node, cx),
            CSharpKind::Delegate => self.visit_delegate(node, cx),
            CSharpKind::Method
            | CSharpKind::Constructor
            | CSharpKind::Destructor
            | CSharpKind::Operator
            | CSharpKind::Conversion => self.visit_method(node, cx),
            CSharpKind::Indexer | CSharpKind::Property | CSharpKind::Event => self.visit_property(node, cx),
            CSharpKind::Fields => self.visit_fields(node, cx),
            CSharpKind::EnumMember => self.visit_enum_member(node, cx),
            CSharpKind::LocalFunction => self.visit_local_function(node, cx),
            CSharpKind::Bases => self.visit_bases(node, cx),
            CSharpKind::Scope | CSharpKind::Accessor => self.visit_scope(node, cx),
            CSharpKind::Parameters => self.visit_parameters(node, cx),
            CSharpKind::Parameter | CSharpKind::Catch => self.visit_parameter(node, cx),
            CSharpKind::Declaration => self.visit_declaration(node, cx),
            CSharpKind::ForEach => self.visit_for_each(node, cx),
            CSharpKind::Lambda => self.visit_scope(node, cx),
            CSharpKind::LambdaName => self.visit_lambda_name(node, cx),
            CSharpKind::Designation => self.visit_designation(node, cx),
            CSharpKind::From => self.visit_from(node, cx),
            CSharpKind::QueryNames => self.visit_query_names(node, cx),
            CSharpKind::TypeParam => self.visit_type_parameter(node, cx),
            CSharpKind::Attribute => self.visit_attribute(node, cx),
            CSharpKind::Initializer | CSharpKind::Anonymous | CSharpKind::With => self.visit_keys(node),
            CSharpKind::Subpattern | CSharpKind::Labeled => self.first_is_key(node),
            CSharpKind::Condition => self.visit_condition(node),
            CSharpKind::Nothing | CSharpKind::Builtin => WalkStep::Skip,
            _ => WalkStep::Into,
        }
    }
}
