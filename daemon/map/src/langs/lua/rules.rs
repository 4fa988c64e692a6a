//! The judgement on each node of Lua: which handler it goes to, and what handlers remember between nodes.

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use super::grammar::{GRAMMAR, Grammar, K};
use super::tables::Tables;
use crate::facts::{DefIdx, StrId};
use crate::langs::support::{Comment, Handled, Lead, Pending};
use crate::walk::{Cx, Rules, Step};

/// The rules for Lua.
pub(super) struct LuaRules {
    pub(super) g: &'static Grammar,
    pub(super) lead: Lead,
    pub(super) handled: Handled,
    pub(super) pending: Pending,
    pub(super) tables: Tables,
    /// Definitions at file level by name, and members by their whole path.
    pub(super) known: FxHashMap<String, DefIdx>,
    /// Fields of tables whose values are functions, by their node, with the table's path.
    pub(super) members: FxHashMap<usize, String>,
    /// Modules of the file's imports, by local name.
    pub(super) imported: FxHashMap<String, String>,
    /// Classes of variables at file level.
    pub(super) types: FxHashMap<StrId, StrId>,
    /// The class that `self` is of in the functions around the walk: where they end, and its path.
    pub(super) selves: Vec<(usize, Option<String>)>,
    /// Types in the annotations before a function or variable, as (parameter, type); `@type` has an empty parameter.
    pub(super) annotated: Vec<(String, String)>,
}

impl LuaRules {
    pub(super) fn new(tables: Tables) -> Self {
        Self {
            g: &GRAMMAR,
            lead: Lead::default(),
            handled: Handled::default(),
            pending: Pending::default(),
            tables,
            known: FxHashMap::default(),
            members: FxHashMap::default(),
            imported: FxHashMap::default(),
            types: FxHashMap::default(),
            selves: Vec::new(),
            annotated: Vec::new(),
        }
    }

    /// The path of the class that `self` is of at a place.
    pub(super) fn self_at(&mut self, at: usize) -> Option<&str> {
        while self.selves.pop_if(|(end, _)| *end <= at).is_some() {}
        self.selves.last().and_then(|(_, class)| class.as_deref())
    }
}

impl Rules for LuaRules {
    fn enter<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> Step {
        self.pending.reach(node.start_byte(), cx);
        match self.g.kind(node) {
            K::Ident => self.identifier(node, cx),
            K::Call => self.call(node, cx),
            K::Dot => self.dot(node, cx),
            K::Field => self.field(node, cx),
            K::Assign => self.assignment(node, cx),
            K::Local => self.local(node, cx),
            K::Function => self.function(node, cx),
            K::Lambda => self.lambda(node, cx),
            K::Block => {
                self.pending.block(node);
                cx.open_scope(true);
                Step::Into
            }
            K::For => {
                self.pending.block(node);
                cx.open_scope(true);
                self.loop_names(node, cx);
                Step::Into
            }
            K::Return => self.returned(node, cx),
            K::Comment => {
                self.lead.comment(node, cx.source, Comment::Doc);
                Step::Skip
            }
            K::Nothing | K::Text => Step::Skip,
            _ => Step::Into,
        }
    }
}
