//! Sends each node of Elixir to its handler, and holds what handlers remember between nodes.

use rustc_hash::FxHashMap;

use super::grammar::{ElixirGrammar, ElixirKind, GRAMMAR};
use crate::facts::{DefIdx, StrId};
use crate::langs::support::Handled;
use crate::syntax::Node;
use crate::walk::{Cx, Rules, WalkStep};

/// A module that the walk is in.
pub(super) struct OpenModule {
    /// The byte at which it ends.
    pub(super) end: usize,
    pub(super) def: Option<DefIdx>,
    /// Its full name.
    pub(super) name: String,
}

/// The state of the walk over one file of Elixir.
pub(super) struct ElixirRules {
    pub(super) g: &'static ElixirGrammar,
    /// Calls and names that are heads of definitions, and names that are no types.
    pub(super) handled: Handled,
    /// Calls to which a pipe gives one more argument.
    pub(super) piped: Handled,
    /// The number of arguments of a captured function, by node id.
    pub(super) captured: FxHashMap<usize, usize>,
    /// The modules around the walk, innermost last.
    pub(super) modules: Vec<OpenModule>,
    /// The full names of modules by their local names.
    pub(super) aliases: FxHashMap<String, String>,
    /// The functions, by the module around them, their name and their number of parameters.
    pub(super) functions: FxHashMap<(Option<DefIdx>, StrId, usize), DefIdx>,
    /// The attributes, by the module around them and their name.
    pub(super) attributes: FxHashMap<(Option<DefIdx>, StrId), DefIdx>,
    /// The documentation that waits for its definition.
    pub(super) doc: String,
    /// The byte up to which names are types.
    pub(super) types_until: usize,
    /// The byte up to which code is quoted: its bare names mean what they mean where it is used.
    pub(super) quoted_until: usize,
}

impl ElixirRules {
    pub(super) fn new() -> Self {
        Self {
            g: &GRAMMAR,
            handled: Handled::default(),
            piped: Handled::default(),
            captured: FxHashMap::default(),
            modules: Vec::new(),
            aliases: FxHashMap::default(),
            functions: FxHashMap::default(),
            attributes: FxHashMap::default(),
            doc: String::new(),
            types_until: 0,
            quoted_until: 0,
        }
    }

    /// Returns the module around a place.
    pub(super) fn module_at(&mut self, at: usize) -> Option<&OpenModule> {
        while self.modules.pop_if(|module| module.end <= at).is_some() {}
        self.modules.last()
    }

    /// Returns the full name of a module, with an alias in the place of its first part resolved.
    pub(super) fn full_name(&mut self, written: &str, at: usize) -> String {
        let (first, rest) = written.split_once('.').unwrap_or((written, ""));
        let known = if first == "__MODULE__" {
            self.module_at(at).map(|module| module.name.clone())
        } else {
            self.aliases.get(first).cloned()
        };
        match known {
            Some(known) if rest.is_empty() => known,
            Some(known) => format!("{known}.{rest}"),
            None => written.to_owned(),
        }
    }
}

impl Rules for ElixirRules {
    fn enter<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        match self.g.kind(node) {
            ElixirKind::Call => self.visit_call(node, cx),
            ElixirKind::Unary => self.visit_unary(node, cx),
            ElixirKind::Binary => self.visit_binary(node, cx),
            ElixirKind::Alias => self.visit_alias(node, cx),
            ElixirKind::Ident => self.visit_identifier(node, cx),
            ElixirKind::Nothing | ElixirKind::Keyword | ElixirKind::Atom | ElixirKind::Integer => {
                WalkStep::Skip
            }
            _ => WalkStep::Into,
        }
    }
}
