//! Names that come into scope after the text that introduces them: in `let x = x();` the call is not to the local.
//!
//! The walk goes through the text in order, so a binding is kept until the walk reaches the place where it takes effect,
//! and forgotten if the block it belongs to is over by then.

use crate::syntax::Node;
use crate::walk::{Binding, Cx};

/// Bindings that wait, the next one last.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    waiting: Vec<PendingBinding>,
    /// Where the blocks around the walk end, innermost last.
    blocks: Vec<usize>,
}

#[derive(Debug)]
struct PendingBinding {
    name: (usize, usize),
    binding: Binding,
    from: usize,
    until: usize,
}

impl Pending {
    /// Called first for each node of the walk.
    pub(crate) fn bind_reached(&mut self, at: usize, cx: &mut Cx<'_>) {
        while let Some(next) = self.waiting.pop_if(|next| next.from <= at) {
            if at < next.until {
                cx.bind(cx.slice(next.name.0, next.name.1), next.binding);
            }
        }
    }

    /// A block is entered.
    pub(crate) fn enter_block(&mut self, node: Node<'_>) {
        while self.blocks.pop_if(|end| *end <= node.start_byte()).is_some() {}
        self.blocks.push(node.end_byte());
    }

    /// Binds the name at `name` from byte `from` on, to the end of the innermost block.
    pub(crate) fn add(&mut self, name: Node<'_>, binding: Binding, from: usize) {
        let at = name.start_byte();
        while self.blocks.pop_if(|end| *end <= at).is_some() {}
        let until = self.blocks.last().copied().unwrap_or(usize::MAX);
        let place = self.waiting.iter().rposition(|w| w.from >= from).map_or(0, |i| i + 1);
        self.waiting.insert(place, PendingBinding { name: (at, name.end_byte()), binding, from, until });
    }
}
