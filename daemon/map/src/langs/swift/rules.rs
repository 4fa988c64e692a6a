//! The judgement on each node of Swift: which handler it goes to, and what handlers remember between nodes.

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

use super::grammar::{GRAMMAR, Grammar, K};
use crate::facts::{DefIdx, StrId};
use crate::langs::support::{Comment, Handled, Lead, Pending};
use crate::walk::{Binding, Cx, Rules, Step};

/// The rules for Swift.
pub(super) struct SwiftRules {
    pub(super) g: &'static Grammar,
    pub(super) lead: Lead,
    pub(super) handled: Handled,
    pub(super) pending: Pending,
    /// Declarations directly in a type or at file level: all others are local.
    pub(super) members: Handled,
    /// Types defined in this file so far, by qualified name.
    pub(super) types: FxHashMap<StrId, DefIdx>,
    /// Types of properties and cases: (type's qualified name, or none at file level; name) to a type's name.
    pub(super) properties: FxHashMap<(Option<StrId>, StrId), StrId>,
    /// Types that functions return, by the same keys; `None` for overloads that differ.
    pub(super) results: FxHashMap<(Option<StrId>, StrId), Option<StrId>>,
    /// The types and extensions around the walk, innermost last.
    pub(super) bodies: Vec<Body>,
    /// Modules that the file imports.
    pub(super) imported: FxHashSet<StrId>,
    /// Before this byte, bare names in a pattern are bound.
    pub(super) binds_until: usize,
}

/// A type or an extension around the walk.
pub(super) struct Body {
    pub(super) end: usize,
    /// The type's qualified name.
    pub(super) name: StrId,
    /// The start of the names of members, when their parent does not say it: in an extension of a type that is not
    /// defined above it in this file.
    pub(super) qualifier: Option<String>,
    /// Its functions may be tests.
    pub(super) tests: bool,
    /// Members are as visible as the protocol, or the cases as the enumeration.
    pub(super) protocol: bool,
}

impl SwiftRules {
    pub(super) fn new() -> Self {
        Self {
            g: &GRAMMAR,
            lead: Lead::default(),
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

    /// The type or extension around `node`.
    pub(super) fn body(&mut self, node: Node<'_>) -> Option<&Body> {
        while self.bodies.pop_if(|body| body.end <= node.start_byte()).is_some() {}
        self.bodies.last()
    }

    fn comment(&mut self, node: Node<'_>, cx: &Cx<'_>) -> Step {
        let text = cx.source.get(node.byte_range()).unwrap_or(&[]);
        let doc = text.starts_with(b"///") || (text.starts_with(b"/**") && text.len() > 5);
        self.lead.comment(node, cx.source, if doc { Comment::Doc } else { Comment::Other });
        Step::Skip
    }

    pub(super) fn block(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        self.pending.block(node);
        cx.open_scope(true);
        Step::Into
    }

    /// Binds the names that a block has without declaring them: `newValue`, `oldValue`, `error`.
    fn implicit(&mut self, node: Node<'_>, names: &[&str], cx: &mut Cx<'_>) -> Step {
        self.block(node, cx);
        names.iter().for_each(|name| cx.bind(name, Binding::Opaque));
        let named = crate::langs::support::child_where(node, |c| self.g.kind(c) == K::Ident);
        if let Some(name) = named {
            self.handled.mark(name);
            cx.bind(cx.text(name), Binding::Opaque);
        }
        Step::Into
    }
}

impl Rules for SwiftRules {
    fn enter<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> Step {
        self.pending.reach(node.start_byte(), cx);
        match self.g.kind(node) {
            K::Nothing | K::SelfExpr | K::SuperExpr | K::Binder => Step::Skip,
            K::Ident => self.identifier(node, cx),
            K::TypeIdent => self.type_identifier(node, cx),
            K::UserType => self.user_type(node, cx),
            K::Call => self.call(node, cx),
            K::Construct => self.construct(node, cx),
            K::MacroCall => self.macro_call(node, cx),
            K::Navigation => self.navigation(node, cx),
            K::Prefix => self.prefix(node, cx),
            K::Block => self.block(node, cx),
            K::Scope => self.block(node, cx),
            K::Setter => self.implicit(node, &["newValue"], cx),
            K::Observer => self.implicit(node, &["newValue", "oldValue"], cx),
            K::Catch => self.implicit(node, &["error"], cx),
            K::Conditions => self.conditions(node, cx),
            K::For => self.for_loop(node, cx),
            K::Pattern => self.pattern(node, cx),
            K::Transfer => self.transfer(node, cx),
            K::Lambda => self.block(node, cx),
            K::Capture => self.capture(node, cx),
            K::Param | K::LambdaParam => self.parameter(node, cx),
            K::TypeParam => self.type_parameter(node, cx),
            K::Comment => self.comment(node, cx),
            K::File => self.file(node, cx),
            K::Import => self.import(node, cx),
            K::Type => self.type_definition(node, cx),
            K::Protocol => self.protocol(node, cx),
            K::Inherits => self.inherits(node, cx),
            K::Attribute => self.attribute(node, cx),
            K::Function => self.function(node, cx),
            K::Init | K::Deinit | K::Subscript => self.special(node, cx),
            K::Property | K::Requirement => self.property(node, cx),
            K::Case => self.cases(node, cx),
            K::Alias | K::Associated => self.alias(node, cx),
            K::Operator => self.operator(node, cx),
            K::Macro => self.macro_definition(node, cx),
            _ => Step::Into,
        }
    }
}
