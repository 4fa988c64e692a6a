//! Sends each node of CSS to its handler, and holds what handlers remember between nodes.

use rustc_hash::FxHashMap;

use super::grammar::{CssGrammar, CssKind, GRAMMAR};
use crate::facts::{DefFlags, DefIdx, FactsBuilder};
use crate::langs::lang::Lang;
use crate::langs::support::{Comment, LeadingRun};
use crate::syntax::Node;
use crate::walk::{Cx, Rules, WalkStep};

/// The state of the walk over one file of CSS.
pub(super) struct CssRules {
    pub(super) g: &'static CssGrammar,
    pub(super) lead: LeadingRun,
    /// The definitions of the file so far, by name.
    pub(super) known: FxHashMap<String, DefIdx>,
    /// The flags of all definitions: a style sheet exports them, a page does not.
    pub(super) flags: DefFlags,
    /// The byte up to which a family of fonts is defined.
    pub(super) font_until: usize,
}

impl CssRules {
    pub(super) fn new(facts: &FactsBuilder) -> Self {
        Self {
            g: &GRAMMAR,
            lead: LeadingRun::default(),
            known: known_names(facts),
            flags: DefFlags::default().with_if(facts.lang() == Lang::Css, DefFlags::EXPORTED),
            font_until: 0,
        }
    }
}

/// Returns the definitions that a page already has, from other styles and from its tags, by name.
fn known_names(facts: &FactsBuilder) -> FxHashMap<String, DefIdx> {
    let defs = facts.defs().iter().enumerate();
    let named = defs.map(|(at, def)| (facts.provisional_name(def.name).to_owned(), DefIdx::new(at as u32)));
    named.collect()
}

impl Rules for CssRules {
    fn enter<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        match self.g.kind(node) {
            CssKind::RuleSet => self.visit_rule(node, cx),
            CssKind::Class | CssKind::Id => self.visit_asked_selector(node, cx),
            CssKind::Declaration => self.visit_declaration(node, cx),
            CssKind::Call => self.visit_call(node, cx),
            CssKind::Import => self.visit_import(node, cx),
            CssKind::Keyframes => self.visit_keyframes(node, cx),
            CssKind::AtRule => self.visit_at_rule(node, cx),
            CssKind::PostCss => self.visit_postcss(node, cx),
            CssKind::Comment => {
                self.lead.add_comment(node, cx.source, Comment::Doc);
                WalkStep::Skip
            }
            CssKind::Nothing | CssKind::Selectors => WalkStep::Skip,
            _ => WalkStep::Into,
        }
    }
}
