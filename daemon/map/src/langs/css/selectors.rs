//! Finds the names in the selectors of a rule, in the order of the text.
//!
//! A selector holds the one before it, so the tree has the names of `.a.b.c` from right to left. A separate walk
//! gathers them, and tells those in questions (`:not(.a)`, `:has(.b)`) from those that the rule applies to.

use super::grammar::CssKind;
use super::names::marked_name;
use super::rules::CssRules;
use crate::langs::support::{Handled, child_where};
use crate::syntax::Node;
use crate::walk::Cx;

/// One class or id in a selector.
pub(super) struct SelectorName<'t> {
    /// The name with its mark: `.btn`, `#main`.
    pub(super) name: String,
    /// The node of the mark, at which the name begins.
    pub(super) at: Node<'t>,
    /// True if the selector only asks for the name.
    pub(super) is_asked: bool,
}

impl CssRules {
    /// Returns the classes and ids in a rule's selectors.
    pub(super) fn selector_names<'t>(&self, selectors: Node<'t>, cx: &Cx<'_>) -> Vec<SelectorName<'t>> {
        let (mut found, mut asking, mut asked_until) = (Vec::new(), Handled::default(), 0);
        let mut cursor = selectors.walk();
        loop {
            let node = cursor.node();
            match self.g.kind(node) {
                CssKind::PseudoClass => self.mark_question(node, &mut asking, cx),
                CssKind::Arguments if asking.take_mark(node) => {
                    asked_until = node.end_byte().max(asked_until);
                }
                CssKind::Class | CssKind::Id => {
                    let is_asked = node.end_byte() <= asked_until;
                    let name = self.selector_name(node, cx);
                    found.extend(name.map(|(name, at)| SelectorName { name, at, is_asked }));
                }
                _ => {}
            }
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    found.sort_by_key(|name| name.at.start_byte());
                    return found;
                }
            }
        }
    }

    /// Marks the arguments of `:not` and `:has`.
    fn mark_question(&self, pseudo: Node<'_>, asking: &mut Handled, cx: &Cx<'_>) {
        let name = child_where(pseudo, |child| self.g.kind(child) == CssKind::Name);
        if name.is_some_and(|name| matches!(cx.text(name), "not" | "has")) {
            let arguments = child_where(pseudo, |child| self.g.kind(child) == CssKind::Arguments);
            arguments.into_iter().for_each(|arguments| asking.mark(arguments));
        }
    }

    /// Returns the name of a class or id selector, with its mark, and the node of the mark.
    pub(super) fn selector_name<'t>(&self, selector: Node<'t>, cx: &Cx<'_>) -> Option<(String, Node<'t>)> {
        let mark = if self.g.kind(selector) == CssKind::Class { '.' } else { '#' };
        let at = child_where(selector, |child| child.kind().starts_with(mark))?;
        let name = child_where(selector, |child| self.g.kind(child) == CssKind::Name)?;
        let written = cx.text(name);
        (!written.is_empty()).then(|| (marked_name(mark, written), at))
    }
}
