//! Delays bindings that take effect after the text that introduces them: in `let x = x();` the call is not to the
//! local.
//!
//! The walk goes through the text in order, so a binding is kept until the walk reaches the place where it takes
//! effect, and dropped if the block it belongs to has ended by then.

use crate::syntax::Node;
use crate::walk::{Binding, Cx};

/// Bindings that wait, the next one last.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    waiting: Vec<PendingBinding>,
    /// The ends of the blocks around the walk, innermost last.
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
    /// Makes the bindings that take effect up to `at`. The walk calls it first for each node.
    pub(crate) fn bind_reached(&mut self, at: usize, cx: &mut Cx<'_>) {
        while let Some(next) = self.waiting.pop_if(|next| next.from <= at) {
            if at < next.until {
                cx.bind(cx.slice(next.name.0, next.name.1), next.binding);
            }
        }
    }

    /// Enters a block, which ends the bindings made in it.
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
