//! The judgement on each node of Go: which handler it goes to, and what handlers remember between nodes.

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

use super::grammar::{GRAMMAR, Grammar, K};
use crate::facts::{DefIdx, StrId};
use crate::langs::support::{Comment, Handled, Lead, Outer, Pending};
use crate::walk::{Cx, Rules, Step};

/// The rules for Go.
pub(super) struct GoRules {
    pub(super) g: &'static Grammar,
    pub(super) lead: Lead,
    pub(super) handled: Handled,
    pub(super) pending: Pending,
    /// A declaration of one thing (`type T ...`), for the thing: where it starts and ends, and what stands before it.
    pub(super) single: Option<(usize, usize, Outer)>,
    /// Types defined in this file.
    pub(super) types: FxHashMap<StrId, DefIdx>,
    /// Names that imports bind to packages.
    pub(super) packages: FxHashSet<StrId>,
    /// The fields and types of the file, collected before the walk.
    pub(super) known: Known,
    /// Composite literals around the walk: where they end, and what their keys are.
    pub(super) literals: Vec<(usize, Keys)>,
    /// Type switches around the walk: where they end, and the variable they bind.
    pub(super) switches: Vec<(usize, (usize, usize))>,
}

/// Types that declarations anywhere in the file give to names.
#[derive(Default)]
pub(super) struct Known {
    /// Variables at file level.
    pub(super) globals: FxHashMap<StrId, StrId>,
    /// First results of functions, by name, and of methods, by `Type.name`.
    pub(super) results: FxHashMap<StrId, StrId>,
    /// Types of fields, by `Type.name`.
    pub(super) fields: FxHashMap<StrId, StrId>,
    /// Names of the file's types.
    pub(super) types: FxHashSet<StrId>,
}

/// The meaning of the keys in a composite literal.
#[derive(Clone, Copy)]
pub(super) enum Keys {
    /// Fields, of this type if it is named.
    Fields(Option<StrId>),
    /// Expressions; elements without a type of their own are of this type.
    Values(Option<StrId>),
}

impl GoRules {
    pub(super) fn new() -> Self {
        Self {
            g: &GRAMMAR,
            lead: Lead::default(),
            handled: Handled::default(),
            pending: Pending::default(),
            single: None,
            types: FxHashMap::default(),
            packages: FxHashSet::default(),
            known: Known::default(),
            literals: Vec::new(),
            switches: Vec::new(),
        }
    }

    fn comment(&mut self, node: Node<'_>, cx: &Cx<'_>) -> Step {
        let text = cx.source.get(node.byte_range()).unwrap_or(&[]);
        let directive = text.starts_with(b"//go:") || text.starts_with(b"//nolint");
        let kind = if directive { Comment::Other } else { Comment::Doc };
        self.lead.comment(node, cx.source, kind);
        Step::Skip
    }

    fn block(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        self.pending.block(node);
        cx.open_scope(true);
        Step::Into
    }
}

impl Rules for GoRules {
    fn enter<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> Step {
        self.pending.reach(node.start_byte(), cx);
        match self.g.kind(node) {
            K::Ident => self.identifier(node, cx),
            K::TypeIdent => self.type_identifier(node, cx),
            K::Call => self.call(node, cx),
            K::Selector => self.selector(node, cx),
            K::Qualified => self.qualified_type(node, cx),
            K::ShortVar => self.short_variables(node, cx),
            K::Param => self.parameter(node, cx),
            K::Block => self.block(node, cx),
            K::Scope => {
                cx.open_scope(true);
                Step::Into
            }
            K::Composite => self.composite(node, cx),
            K::LiteralValue => self.literal_value(node),
            K::Keyed => self.keyed(node, cx),
            K::Range | K::Receive => self.bind_left(node, cx),
            K::TypeSwitch => self.type_switch(node, cx),
            K::TypeCase => self.type_case(node, cx),
            K::Comment => self.comment(node, cx),
            K::File => self.file(node, cx),
            K::Package => self.package(node, cx),
            K::Import => self.import(node, cx),
            K::Declaration => self.declaration(node, cx),
            K::ConstSpec | K::VarSpec => self.values(node, cx),
            K::TypeSpec | K::Alias => self.type_spec(node, cx),
            K::Field => self.field(node, cx),
            K::MethodElem => self.method_element(node, cx),
            K::TypeElem => self.type_element(node, cx),
            K::Function | K::Method => self.function(node, cx),
            K::TypeParam => self.type_parameter(node, cx),
            K::Nothing => Step::Skip,
            _ => Step::Into,
        }
    }
}
