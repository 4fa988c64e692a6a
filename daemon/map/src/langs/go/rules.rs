//! Sends each node of Go to its handler, and holds what handlers remember between nodes.

use rustc_hash::{FxHashMap, FxHashSet};

use super::grammar::{GRAMMAR, GoGrammar, GoKind};
use crate::facts::{DefIdx, StrId};
use crate::langs::support::{Comment, DefinitionLead, Handled, LeadingRun, Pending};
use crate::syntax::Node;
use crate::walk::{Cx, Rules, WalkStep};

/// The state of the walk over one Go file.
pub(super) struct GoWalk {
    pub(super) g: &'static GoGrammar,
    pub(super) lead: LeadingRun,
    pub(super) handled: Handled,
    pub(super) pending: Pending,
    /// The declaration of one thing (`type T ...`), kept for that thing: its first byte, its end, and its comments.
    pub(super) single: Option<(usize, usize, DefinitionLead)>,
    /// Types defined in this file.
    pub(super) types: FxHashMap<StrId, DefIdx>,
    /// Names that imports bind to packages.
    pub(super) packages: FxHashSet<StrId>,
    /// The fields and types of the file, collected before the walk.
    pub(super) known: GoDeclaredTypes,
    /// The composite literals around the walk: the byte at which each ends, and the meaning of its keys.
    pub(super) literals: Vec<(usize, Keys)>,
    /// The type switches around the walk: the byte at which each ends, and the bytes of the variable that it binds.
    pub(super) switches: Vec<(usize, (usize, usize))>,
}

/// The types that declarations anywhere in the file give to names.
#[derive(Default)]
pub(super) struct GoDeclaredTypes {
    /// The types of variables at file level.
    pub(super) globals: FxHashMap<StrId, StrId>,
    /// The first results of functions, by name, and of methods, by `Type.name`.
    pub(super) results: FxHashMap<StrId, StrId>,
    /// The types of fields, by `Type.name`.
    pub(super) fields: FxHashMap<StrId, StrId>,
    /// The element types of defined slices, maps and channels, by the name of the type.
    pub(super) elements: FxHashMap<StrId, StrId>,
    /// The names of the file's types.
    pub(super) types: FxHashSet<StrId>,
}

/// The meaning of the keys in a composite literal.
#[derive(Clone, Copy)]
pub(super) enum Keys {
    /// Fields, of this type if it is named.
    Fields(Option<StrId>),
    /// Expressions; elements that state no type are of this type.
    Values(Option<StrId>),
}

impl GoWalk {
    pub(super) fn new() -> Self {
        Self {
            g: &GRAMMAR,
            lead: LeadingRun::default(),
            handled: Handled::default(),
            pending: Pending::default(),
            single: None,
            types: FxHashMap::default(),
            packages: FxHashSet::default(),
            known: GoDeclaredTypes::default(),
            literals: Vec::new(),
            switches: Vec::new(),
        }
    }

    fn visit_comment(&mut self, node: Node<'_>, cx: &Cx<'_>) -> WalkStep {
        let text = cx.source.get(node.byte_range()).unwrap_or(&[]);
        let directive = text.starts_with(b"//go:") || text.starts_with(b"//nolint");
        let kind = if directive { Comment::Other } else { Comment::Doc };
        self.lead.add_comment(node, cx.source, kind);
        WalkStep::Skip
    }

    fn visit_block(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        self.pending.enter_block(node);
        cx.open_scope(true);
        WalkStep::Into
    }
}

impl Rules for GoWalk {
    fn enter<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        self.pending.bind_reached(node.start_byte(), cx);
        match self.g.kind(node) {
            GoKind::Ident => self.visit_identifier(node, cx),
            GoKind::TypeIdent => self.visit_type_identifier(node, cx),
            GoKind::Call => self.visit_call(node, cx),
            GoKind::Selector => self.visit_selector(node, cx),
            GoKind::Qualified => self.visit_qualified_type(node, cx),
            GoKind::ShortVar => self.visit_short_variables(node, cx),
            GoKind::Param => self.visit_parameter(node, cx),
            GoKind::Block => self.visit_block(node, cx),
            GoKind::Scope => {
                cx.open_scope(true);
                WalkStep::Into
            }
            GoKind::Composite => self.visit_composite_literal(node, cx),
            GoKind::LiteralValue => self.visit_literal_value(node),
            GoKind::Keyed => self.visit_keyed_element(node, cx),
            GoKind::Range | GoKind::Receive => self.bind_left(node, cx),
            GoKind::TypeSwitch => self.visit_type_switch(node, cx),
            GoKind::TypeCase => self.visit_type_case(node, cx),
            GoKind::Comment => self.visit_comment(node, cx),
            GoKind::File => self.visit_file(node, cx),
            GoKind::Package => self.visit_package(node, cx),
            GoKind::Import => self.visit_import(node, cx),
            GoKind::Declaration => self.visit_declaration(node, cx),
            GoKind::ConstSpec | GoKind::VarSpec => self.visit_values(node, cx),
            GoKind::TypeSpec | GoKind::Alias => self.visit_type_spec(node, cx),
            GoKind::Field => self.visit_field(node, cx),
            GoKind::MethodElem => self.visit_method_element(node, cx),
            GoKind::TypeElem => self.visit_type_element(node, cx),
            GoKind::Function | GoKind::Method => self.visit_function(node, cx),
            GoKind::TypeParam => self.visit_type_parameter(node, cx),
            GoKind::Nothing => WalkStep::Skip,
            _ => WalkStep::Into,
        }
    }
}
