//! Sends each node of Lua to its handler, and holds what handlers remember between nodes.

use rustc_hash::FxHashMap;

use super::grammar::{GRAMMAR, LuaGrammar, LuaKind};
use super::tables::Tables;
use crate::facts::{DefIdx, StrId};
use crate::langs::support::{Comment, Handled, LeadingRun, Pending};
use crate::syntax::Node;
use crate::walk::{Cx, Rules, WalkStep};

/// The state of the walk over one file of Lua.
pub(super) struct LuaRules {
    pub(super) g: &'static LuaGrammar,
    pub(super) lead: LeadingRun,
    pub(super) handled: Handled,
    pub(super) pending: Pending,
    pub(super) tables: Tables,
    /// Definitions at file level by name, and members by their whole path.
    pub(super) known: FxHashMap<String, DefIdx>,
    /// Fields of tables whose values are functions, by node id, with the table's path.
    pub(super) members: FxHashMap<usize, String>,
    /// The modules of the file's imports, by local name.
    pub(super) imported: FxHashMap<String, String>,
    /// The classes of variables at file level.
    pub(super) types: FxHashMap<StrId, StrId>,
    /// The functions around the walk: the byte at which each ends, and the path of the class of its `self`.
    pub(super) selves: Vec<(usize, Option<String>)>,
    /// The types in the annotations before a function or variable, by parameter; that of `@type` has an empty one.
    pub(super) annotated: Vec<(String, String)>,
}

impl LuaRules {
    pub(super) fn new(tables: Tables) -> Self {
        Self {
            g: &GRAMMAR,
            lead: LeadingRun::default(),
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

    /// Returns the path of the class that `self` is of at a place.
    pub(super) fn self_at(&mut self, at: usize) -> Option<&str> {
        while self.selves.pop_if(|(end, _)| *end <= at).is_some() {}
        self.selves.last().and_then(|(_, class)| class.as_deref())
    }
}

impl Rules for LuaRules {
    fn enter<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        self.pending.bind_reached(node.start_byte(), cx);
        match self.g.kind(node) {
            LuaKind::Ident => self.visit_identifier(node, cx),
            LuaKind::Call => self.visit_call(node, cx),
            LuaKind::Dot => self.visit_dot(node, cx),
            LuaKind::Field => self.visit_field(node, cx),
            LuaKind::Assign => self.visit_assignment(node, cx),
            LuaKind::Local => self.visit_local(node, cx),
            LuaKind::Function => self.visit_function(node, cx),
            LuaKind::Lambda => self.visit_lambda(node, cx),
            LuaKind::Block => {
                self.pending.enter_block(node);
                cx.open_scope(true);
                WalkStep::Into
            }
            LuaKind::For => {
                self.pending.enter_block(node);
                cx.open_scope(true);
                self.loop_names(node, cx);
                WalkStep::Into
            }
            LuaKind::Return => self.visit_return(node, cx),
            LuaKind::Comment => {
                self.lead.add_comment(node, cx.source, Comment::Doc);
                WalkStep::Skip
            }
            LuaKind::Nothing | LuaKind::Text => WalkStep::Skip,
            _ => WalkStep::Into,
        }
    }
}
