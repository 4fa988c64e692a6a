//! Sends each node of Rust to its handler, and holds what handlers remember between nodes.

use rustc_hash::FxHashMap;

use super::grammar::{GRAMMAR, RustGrammar, RustKind};
use crate::facts::{DefIdx, StrId};
use crate::langs::support::{Comment, Handled, LeadingRun, Pending};
use crate::syntax::Node;
use crate::walk::{Cx, Rules, WalkStep};

/// The state of the walk over one Rust file.
pub(super) struct RustWalk {
    pub(super) g: &'static RustGrammar,
    pub(super) lead: LeadingRun,
    pub(super) handled: Handled,
    pub(super) pending: Pending,
    /// Types defined in this file, by qualified name.
    pub(super) types: FxHashMap<StrId, DefIdx>,
    /// The types of fields, by the name of the type that has the field, and the field's name.
    pub(super) field_types: FxHashMap<(StrId, StrId), StrId>,
    /// Types that functions of this file return, by the type they belong to and their name.
    pub(super) results: FxHashMap<(Option<StrId>, StrId), Returned>,
    /// The `impl` and `trait` blocks around the walk, innermost last.
    pub(super) bodies: Vec<RustImplBody>,
    /// The modules with a body around the walk, outermost first: the byte at which each ends, and its name.
    pub(super) modules: Vec<(usize, String)>,
    /// The `match`es around the walk: the byte at which each ends, and the path of the value that it takes apart.
    pub(super) matches: Vec<(usize, Option<String>)>,
    /// Closures that the walk has yet to reach, by their first byte, with the path of the parameter that each is passed
    /// to.
    pub(super) passed: Vec<(usize, String)>,
    /// The byte at which the arguments of a macro end that takes expressions and nothing else.
    pub(super) expressions_until: usize,
}

/// The type that a function returns, without the `Result` or `Option` around it.
#[derive(Clone, Copy)]
pub(super) struct Returned {
    pub(super) ty: StrId,
    /// True if the type is in a `Result` or an `Option`.
    pub(super) wrapped: bool,
}

/// An `impl` or `trait` block.
pub(super) struct RustImplBody {
    pub(super) end: usize,
    /// The dotted name of the type, or of the trait, as written.
    pub(super) self_type: Option<StrId>,
    /// The start of the names of members, if their parent does not have it.
    pub(super) qualifier: Option<String>,
    /// The type, if this file defines it.
    pub(super) def: Option<DefIdx>,
    /// True if it implements a trait: its members are as visible as the trait.
    pub(super) of_trait: bool,
    /// True if the block is compiled for tests alone.
    pub(super) for_tests: bool,
}

impl RustWalk {
    pub(super) fn new() -> Self {
        Self {
            g: &GRAMMAR,
            lead: LeadingRun::default(),
            handled: Handled::default(),
            pending: Pending::default(),
            types: FxHashMap::default(),
            field_types: FxHashMap::default(),
            results: FxHashMap::default(),
            bodies: Vec::new(),
            modules: Vec::new(),
            matches: Vec::new(),
            passed: Vec::new(),
            expressions_until: 0,
        }
    }

    /// Returns the `impl` or `trait` block around `node`.
    pub(super) fn body_around(&mut self, node: Node<'_>) -> Option<&RustImplBody> {
        while self.bodies.pop_if(|body| body.end <= node.start_byte()).is_some() {}
        self.bodies.last()
    }

    /// Returns a path whose `self` and `super` hold for the file: the modules with a body around the walk are written
    /// out, and each `super` leaves one of them before it leaves the file.
    pub(super) fn path_from_file<'a>(&'a mut self, at: Node<'_>, path: &[&'a str]) -> Vec<&'a str> {
        while self.modules.pop_if(|(end, _)| *end <= at.start_byte()).is_some() {}
        if self.modules.is_empty() || !matches!(path.first(), Some(&("self" | "super"))) {
            return path.to_vec();
        }
        let supers = path.iter().take_while(|s| **s == "super").count();
        let rest = if supers == 0 { &path[1..] } else { &path[supers..] };
        let mut out = match supers.checked_sub(self.modules.len()) {
            Some(more) if more > 0 => vec!["super"; more],
            _ => vec!["self"],
        };
        let left = self.modules.len().saturating_sub(supers);
        out.extend(self.modules[..left].iter().map(|(_, name)| name.as_str()));
        out.extend(rest);
        out
    }

    fn visit_comment(&mut self, node: Node<'_>, cx: &Cx<'_>) -> WalkStep {
        let text = cx.source.get(node.byte_range()).unwrap_or(&[]);
        let line = text.starts_with(b"///") && !text.starts_with(b"////");
        let block = text.starts_with(b"/**") && text.len() > 5 && !text.starts_with(b"/***");
        let kind = if line || block { Comment::Doc } else { Comment::Other };
        self.lead.add_comment(node, cx.source, kind);
        WalkStep::Skip
    }

    fn visit_block(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        self.pending.enter_block(node);
        cx.open_scope(true);
        WalkStep::Into
    }
}

impl Rules for RustWalk {
    fn enter<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        self.pending.bind_reached(node.start_byte(), cx);
        while self.modules.pop_if(|(end, _)| *end <= node.start_byte()).is_some() {}
        match self.g.kind(node) {
            RustKind::Ident => self.visit_identifier(node, cx),
            RustKind::TypeIdent => self.visit_type_identifier(node, cx),
            RustKind::Call => self.visit_call(node, cx),
            RustKind::FieldExpr => self.visit_field(node, cx),
            RustKind::Scoped | RustKind::ScopedType => self.visit_scoped_path(node, cx),
            RustKind::StructExpr => self.visit_struct_literal(node, cx),
            RustKind::Let => self.visit_let_statement(node, cx),
            RustKind::LetCond => self.visit_let_condition(node, cx),
            RustKind::Param => self.visit_parameter(node, cx),
            RustKind::Block => self.visit_block(node, cx),
            RustKind::Closure => self.visit_closure(node, cx),
            RustKind::For => self.visit_for_loop(node, cx),
            RustKind::MatchPattern => self.visit_match_pattern(node, cx),
            RustKind::Match => self.visit_match_expression(node, cx),
            RustKind::Scope | RustKind::If | RustKind::Arm => {
                cx.open_scope(true);
                WalkStep::Into
            }
            RustKind::Comment => self.visit_comment(node, cx),
            RustKind::Attribute => self.visit_attribute(node, cx),
            RustKind::File => self.visit_file(node, cx),
            RustKind::Use => self.visit_use_declaration(node, cx),
            RustKind::ExternCrate => self.visit_extern_crate(node, cx),
            RustKind::Mod => self.visit_module(node, cx),
            RustKind::Fn | RustKind::FnSig => self.visit_function(node, cx),
            RustKind::Struct | RustKind::Enum | RustKind::Trait => self.visit_type_definition(node, cx),
            RustKind::Variant | RustKind::Field | RustKind::Const | RustKind::TypeItem => {
                self.visit_simple_item(node, cx)
            }
            RustKind::Impl => self.visit_impl(node, cx),
            RustKind::MacroDef => self.visit_macro_definition(node, cx),
            RustKind::MacroCall => self.visit_macro_call(node, cx),
            RustKind::TokenTree => self.visit_token_tree(node, cx),
            RustKind::TypeParam => self.visit_type_parameter(node, cx),
            RustKind::Nothing | RustKind::FieldName | RustKind::ShorthandField | RustKind::Primitive => {
                WalkStep::Skip
            }
            _ => WalkStep::Into,
        }
    }
}
