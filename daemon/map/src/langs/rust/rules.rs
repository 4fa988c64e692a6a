//! The judgement on each node of Rust: which handler it goes to, and what handlers remember between nodes.

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use super::grammar::{GRAMMAR, Grammar, K};
use crate::facts::{DefIdx, StrId};
use crate::langs::support::{Comment, Handled, Lead, Pending};
use crate::walk::{Cx, Rules, Step};

/// The rules for Rust.
pub(super) struct RustRules {
    pub(super) g: &'static Grammar,
    pub(super) lead: Lead,
    pub(super) handled: Handled,
    pub(super) pending: Pending,
    /// Types defined in this file, by qualified name.
    pub(super) types: FxHashMap<StrId, DefIdx>,
    /// Types of fields: (type's name, field) to its type's name.
    pub(super) field_types: FxHashMap<(StrId, StrId), StrId>,
    /// Types that functions of this file return, by the type they belong to and their name.
    pub(super) results: FxHashMap<(Option<StrId>, StrId), Returned>,
    /// The `impl` and `trait` blocks around the walk, innermost last.
    pub(super) bodies: Vec<Body>,
    /// The modules with a body around the walk: where they end, and their names, outermost first.
    pub(super) modules: Vec<(usize, String)>,
    /// The `match`es around the walk: where they end, and what they take apart.
    pub(super) matches: Vec<(usize, Option<String>)>,
    /// Closures that the walk has yet to reach, by where they start, with what they are passed to.
    pub(super) passed: Vec<(usize, String)>,
    /// Where the arguments of a macro end that takes expressions and nothing else.
    pub(super) expressions_until: usize,
}

/// The type that a function returns, without the `Result` or `Option` around it.
#[derive(Clone, Copy)]
pub(super) struct Returned {
    pub(super) ty: StrId,
    /// In a `Result` or an `Option`.
    pub(super) wrapped: bool,
}

/// An `impl` or `trait` block.
pub(super) struct Body {
    pub(super) end: usize,
    /// The name of the type (of the trait), dotted, as written.
    pub(super) self_type: Option<StrId>,
    /// The start of the names of members, when their parent does not say it.
    pub(super) qualifier: Option<String>,
    /// The type, if this file defines it.
    pub(super) def: Option<DefIdx>,
    /// Members are visible as the trait is.
    pub(super) of_trait: bool,
    /// Whether it is compiled for tests alone.
    pub(super) for_tests: bool,
}

impl RustRules {
    pub(super) fn new() -> Self {
        Self {
            g: &GRAMMAR,
            lead: Lead::default(),
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

    /// The `impl` or `trait` block around `node`.
    pub(super) fn body(&mut self, node: Node<'_>) -> Option<&Body> {
        while self.bodies.pop_if(|body| body.end <= node.start_byte()).is_some() {}
        self.bodies.last()
    }

    /// `self` and `super` at the start of a path, put so that they hold for the file: the modules with a body that the
    /// walk is in are written out, and each `super` leaves one of them before it leaves the file.
    pub(super) fn rooted<'a>(&'a mut self, at: Node<'_>, path: &[&'a str]) -> Vec<&'a str> {
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

    fn comment(&mut self, node: Node<'_>, cx: &Cx<'_>) -> Step {
        let text = cx.source.get(node.byte_range()).unwrap_or(&[]);
        let line = text.starts_with(b"///") && !text.starts_with(b"////");
        let block = text.starts_with(b"/**") && text.len() > 5 && !text.starts_with(b"/***");
        let kind = if line || block { Comment::Doc } else { Comment::Other };
        self.lead.comment(node, cx.source, kind);
        Step::Skip
    }

    fn block(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        self.pending.block(node);
        cx.open_scope(true);
        Step::Into
    }
}

impl Rules for RustRules {
    fn enter<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> Step {
        self.pending.reach(node.start_byte(), cx);
        while self.modules.pop_if(|(end, _)| *end <= node.start_byte()).is_some() {}
        match self.g.kind(node) {
            K::Ident => self.identifier(node, cx),
            K::TypeIdent => self.type_identifier(node, cx),
            K::Call => self.call(node, cx),
            K::FieldExpr => self.field(node, cx),
            K::Scoped | K::ScopedType => self.scoped(node, cx),
            K::StructExpr => self.struct_literal(node, cx),
            K::Let => self.let_statement(node, cx),
            K::LetCond => self.let_condition(node, cx),
            K::Param => self.parameter(node, cx),
            K::Block => self.block(node, cx),
            K::Closure => self.closure(node, cx),
            K::For => self.for_loop(node, cx),
            K::MatchPattern => self.match_pattern(node, cx),
            K::Match => self.match_expression(node, cx),
            K::Scope | K::If | K::Arm => {
                cx.open_scope(true);
                Step::Into
            }
            K::Comment => self.comment(node, cx),
            K::Attribute => self.attribute(node, cx),
            K::File => self.file(node, cx),
            K::Use => self.use_declaration(node, cx),
            K::ExternCrate => self.extern_crate(node, cx),
            K::Mod => self.module(node, cx),
            K::Fn | K::FnSig => self.function(node, cx),
            K::Struct | K::Enum | K::Trait => self.type_definition(node, cx),
            K::Variant | K::Field | K::Const | K::TypeItem => self.simple_item(node, cx),
            K::Impl => self.implementation(node, cx),
            K::MacroDef => self.macro_definition(node, cx),
            K::MacroCall => self.macro_call(node, cx),
            K::TokenTree => self.token_tree(node, cx),
            K::TypeParam => self.type_parameter(node, cx),
            K::Nothing | K::FieldName | K::ShorthandField | K::Primitive => Step::Skip,
            _ => Step::Into,
        }
    }
}
