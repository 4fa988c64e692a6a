//! Sends each node of Swift to its handler, and holds what handlers remember between nodes.

use rustc_hash::{FxHashMap, FxHashSet};

use super::grammar::{GRAMMAR, SwiftGrammar, SwiftKind};
use crate::facts::{DefIdx, StrId};
use crate::langs::support::{Comment, Handled, LeadingRun, Pending};
use crate::syntax::Node;
use crate::walk::{Binding, Cx, Rules, WalkStep};

/// The state of the walk over one file of Swift.
pub(super) struct SwiftRules {
    pub(super) g: &'static SwiftGrammar,
    pub(super) lead: LeadingRun,
    pub(super) handled: Handled,
    pub(super) pending: Pending,
    /// Declarations directly in a type or at file level; all others are local.
    pub(super) members: Handled,
    /// Types defined in this file so far, by qualified name.
    pub(super) types: FxHashMap<StrId, DefIdx>,
    /// The types of properties and cases, by the qualified name of their type (`None` at file level) and their own
    /// name.
    pub(super) properties: FxHashMap<(Option<StrId>, StrId), StrId>,
    /// The types that functions return, likewise; `None` for overloads that differ.
    pub(super) results: FxHashMap<(Option<StrId>, StrId), Option<StrId>>,
    /// The types and extensions around the walk, innermost last.
    pub(super) bodies: Vec<SwiftTypeBody>,
    /// Modules that the file imports.
    pub(super) imported: FxHashSet<StrId>,
    /// The byte up to which bare names in a pattern are bound.
    pub(super) binds_until: usize,
}

/// A type or an extension around the walk.
pub(super) struct SwiftTypeBody {
    pub(super) end: usize,
    /// The type's qualified name.
    pub(super) name: StrId,
    /// The start of the names of members, if their parent does not have it: in an extension of a type that is not
    /// defined above it in this file.
    pub(super) qualifier: Option<String>,
    /// True if its functions may be tests.
    pub(super) tests: bool,
    /// True if its members are as visible as it is: in a protocol, or for the cases of an enumeration.
    pub(super) protocol: bool,
}

impl SwiftRules {
    pub(super) fn new() -> Self {
        Self {
            g: &GRAMMAR,
            lead: LeadingRun::default(),
            handled: Handled::default(),
            pending: Pending::default(),
            members: Handled::default(),
            types: FxHashMap::default(),
            properties: FxHashMap::default(),
            results: FxHashMap::default(),
            bodies: Vec::new(),
            imported: FxHashSet::default(),
            binds_until: 0,
        }
    }

    /// Returns the type or extension around `node`.
    pub(super) fn body_around(&mut self, node: Node<'_>) -> Option<&SwiftTypeBody> {
        while self.bodies.pop_if(|body| body.end <= node.start_byte()).is_some() {}
        self.bodies.last()
    }

    fn visit_comment(&mut self, node: Node<'_>, cx: &Cx<'_>) -> WalkStep {
        let text = cx.source.get(node.byte_range()).unwrap_or(&[]);
        let doc = text.starts_with(b"///") || (text.starts_with(b"/**") && text.len() > 5);
        self.lead.add_comment(node, cx.source, if doc { Comment::Doc } else { Comment::Other });
        WalkStep::Skip
    }

    pub(super) fn visit_block(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        self.pending.enter_block(node);
        cx.open_scope(true);
        WalkStep::Into
    }

    /// Binds the names that a block has without declaring them: `newValue`, `oldValue`, `error`; or the name that it
    /// gives itself.
    fn bind_implicit_names(&mut self, node: Node<'_>, names: &[&str], cx: &mut Cx<'_>) -> WalkStep {
        self.visit_block(node, cx);
        names.iter().for_each(|name| cx.bind(name, Binding::Opaque));
        let named = crate::langs::support::child_where(node, |c| self.g.kind(c) == SwiftKind::Ident);
        if let Some(name) = named {
            self.handled.mark(name);
            cx.bind(cx.text(name), Binding::Opaque);
        }
        WalkStep::Into
    }
}

impl Rules for SwiftRules {
    fn enter<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        self.pending.bind_reached(node.start_byte(), cx);
        match self.g.kind(node) {
            SwiftKind::Nothing | SwiftKind::SelfExpr | SwiftKind::SuperExpr | SwiftKind::Binder => {
                WalkStep::Skip
            }
            SwiftKind::Ident => self.visit_identifier(node, cx),
            SwiftKind::TypeIdent => self.visit_type_identifier(node, cx),
            SwiftKind::UserType => self.visit_user_type(node, cx),
            SwiftKind::Call => self.visit_call(node, cx),
            SwiftKind::Construct => self.visit_construction(node, cx),
            SwiftKind::MacroCall => self.visit_macro_call(node, cx),
            SwiftKind::Navigation => self.visit_navigation(node, cx),
            SwiftKind::Prefix => self.visit_prefix(node, cx),
            SwiftKind::Block => self.visit_block(node, cx),
            SwiftKind::Scope => self.visit_block(node, cx),
            SwiftKind::Setter => self.bind_implicit_names(node, &["newValue"], cx),
            SwiftKind::Observer => self.bind_implicit_names(node, &["newValue", "oldValue"], cx),
            SwiftKind::Catch => self.bind_implicit_names(node, &["error"], cx),
            SwiftKind::Conditions => self.visit_conditions(node, cx),
            SwiftKind::For => self.visit_for_loop(node, cx),
            SwiftKind::Pattern => self.visit_pattern(node, cx),
            SwiftKind::Transfer => self.visit_jump(node, cx),
            SwiftKind::Lambda => self.visit_block(node, cx),
            SwiftKind::Capture => self.visit_capture(node, cx),
            SwiftKind::Param | SwiftKind::LambdaParam => self.visit_parameter(node, cx),
            SwiftKind::TypeParam => self.visit_type_parameter(node, cx),
            SwiftKind::Comment => self.visit_comment(node, cx),
            SwiftKind::File => self.visit_file(node, cx),
            SwiftKind::Import => self.visit_import(node, cx),
            SwiftKind::Type => self.visit_type_definition(node, cx),
            SwiftKind::Protocol => self.visit_protocol(node, cx),
            SwiftKind::Inherits => self.visit_inheritance(node, cx),
            SwiftKind::Attribute => self.visit_attribute(node, cx),
            SwiftKind::Function => self.visit_function(node, cx),
            SwiftKind::Init | SwiftKind::Deinit | SwiftKind::Subscript => self.visit_keyword_member(node, cx),
            SwiftKind::Property | SwiftKind::Requirement => self.visit_property(node, cx),
            SwiftKind::Case => self.visit_cases(node, cx),
            SwiftKind::Alias | SwiftKind::Associated => self.visit_alias(node, cx),
            SwiftKind::Operator => self.visit_operator(node, cx),
            SwiftKind::Macro => self.visit_macro_definition(node, cx),
            _ => WalkStep::Into,
        }
    }
}
