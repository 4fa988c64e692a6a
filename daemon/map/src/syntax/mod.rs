//! Keeps syntax trees as lists of nodes, for everything that reads facts.
//!
//! tree-sitter computes a node from the subtrees around it each time that a reader asks for one, or for its kind, place
//! or field, and a file is read several times: for its definitions, its references, its flows. So [`Tree`] lists all
//! nodes once, in the order of the text, when the first of them is asked for (`nodes.c`); [`Node`] and `NodeCursor`
//! look into the list. They answer as tree-sitter's own do, and are named alike. One thing differs: a child is in a
//! field only if it is in a field of its own parent. Where the parent has no such field, or the field comes by way of a
//! hidden rule that another name makes visible, tree-sitter gives a grandchild: for `typeof a.b.c` in TypeScript it
//! gives `b` as the property, and the list gives `c`.
//!
//! A list takes 48 bytes for a node, and counts for the memory that a file may take (`Tree::list_bytes`). It belongs to
//! one tree and ends with it. Not here: the meaning of a node, and the parser.

#![allow(unsafe_code)]

mod cursor;
mod node;
#[cfg(test)]
mod tests;

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

use tree_sitter::ffi::TSTree;
use tree_sitter::{InputEdit, Language};

use crate::bounded::ArenaTree;

pub(crate) use cursor::{NodeCursor, StepTo, all_children, named_children};
pub use node::Node;

/// A node in the layout of `nodes.c`, which documents the fields.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct RawNode {
    start: u32,
    end: u32,
    start_row: u32,
    start_column: u32,
    end_row: u32,
    end_column: u32,
    parent: u32,
    next: u32,
    named_children: u32,
    fields: u32,
    kind: u16,
    field: [u16; 2],
    flags: u16,
}

const NAMED: u16 = 1;
const EXTRA: u16 = 2;
const ERRONEOUS: u16 = 4;
const MISSING: u16 = 8;

// SAFETY: this is the declaration of `nodes.c`.
unsafe extern "C" {
    fn hob_list_nodes(tree: *const TSTree, nodes: *mut RawNode, capacity: u32) -> u32;
}

/// Most nodes of a list whose memory a thread keeps for its next tree, unless it is told otherwise: less than a megabyte.
pub(crate) const SPARE_NODES: usize = 1 << 14;

thread_local! {
    static SPARE_LIST: Cell<Vec<RawNode>> = const { Cell::new(Vec::new()) };
    /// Most nodes of the spare list of this thread.
    static MOST_SPARE: Cell<usize> = const { Cell::new(SPARE_NODES) };
    /// The names of each grammar that this thread has read a tree of.
    static GRAMMARS: RefCell<Vec<Rc<GrammarNames>>> = const { RefCell::new(Vec::new()) };
}

/// The names of a grammar's kinds, by number.
#[derive(Debug)]
struct GrammarNames {
    language: Language,
    kinds: Box<[Box<str>]>,
}

impl GrammarNames {
    fn of_language(language: &Language) -> Rc<Self> {
        GRAMMARS.with_borrow_mut(|grammars| {
            if let Some(known) = grammars.iter().find(|known| known.language == *language) {
                return Rc::clone(known);
            }
            let name = |id| language.node_kind_for_id(id).unwrap_or("").into();
            let kinds = (0..language.node_kind_count() as u16).map(name).collect();
            let names = Rc::new(Self { language: language.clone(), kinds });
            grammars.push(Rc::clone(&names));
            names
        })
    }
}

/// All nodes of one tree, parents before their children.
#[derive(Debug)]
struct NodeList {
    nodes: Vec<RawNode>,
    grammar: Rc<GrammarNames>,
}

impl NodeList {
    fn of_tree(tree: &tree_sitter::Tree) -> Self {
        let root = tree.root_node();
        let count = root.descendant_count();
        let mut nodes = SPARE_LIST.take();
        nodes.clear();
        if nodes.capacity() < count {
            nodes = Vec::with_capacity(count);
        }
        // SAFETY: there is room for `count` nodes, and the call writes no more than that. Those that it counts it has written whole.
        unsafe {
            let written = hob_list_nodes(root.into_raw().tree, nodes.as_mut_ptr(), count as u32);
            assert!(written > 0, "a tree of {count} nodes by its own count has other ones");
            nodes.set_len(written as usize);
        }
        Self { nodes, grammar: GrammarNames::of_language(&tree.language()) }
    }
}

impl Drop for NodeList {
    fn drop(&mut self) {
        let nodes = std::mem::take(&mut self.nodes);
        if nodes.capacity() <= MOST_SPARE.try_with(Cell::get).unwrap_or(0) {
            // A thread whose locals have ended needs no spare list.
            let _ = SPARE_LIST.try_with(|spare| spare.set(nodes));
        }
    }
}

/// Makes this thread keep the memory of lists of up to `most` nodes for its next tree; frees what it has above that.
pub(crate) fn keep_nodes(most: usize) {
    MOST_SPARE.set(most);
    let spare = SPARE_LIST.take();
    if spare.capacity() <= most {
        SPARE_LIST.set(spare);
    }
}

/// The syntax tree of a text. A tree that is made in a session with an arena must end before the session.
pub struct Tree {
    parsed: ArenaTree,
    list: OnceCell<NodeList>,
}

impl Tree {
    pub(crate) fn from_parsed(parsed: tree_sitter::Tree) -> Self {
        Self { parsed: ArenaTree::new(parsed), list: OnceCell::new() }
    }

    /// Returns the parser's own tree, for reading a changed text again.
    pub(crate) fn parsed_tree(&self) -> &tree_sitter::Tree {
        &self.parsed
    }

    /// Returns a copy with the places of all nodes moved by changes of the text.
    pub(crate) fn edited(&self, edits: impl Iterator<Item = InputEdit>) -> Self {
        let mut parsed = self.parsed.clone();
        edits.for_each(|edit| parsed.edit(&edit));
        Self::from_parsed(parsed)
    }

    /// Returns true if the parser did not understand something. It does not make the list.
    pub(crate) fn has_error(&self) -> bool {
        self.parsed.root_node().has_error()
    }

    /// Returns the number of bytes that the list of all nodes takes.
    pub(crate) fn list_bytes(&self) -> usize {
        self.parsed.root_node().descendant_count() * size_of::<RawNode>()
    }

    /// Returns the node of the whole text.
    #[must_use]
    pub fn root_node(&self) -> Node<'_> {
        Node::root_of(self.list.get_or_init(|| NodeList::of_tree(&self.parsed)))
    }

    /// Makes a cursor at the root.
    pub(crate) fn walk(&self) -> NodeCursor<'_> {
        NodeCursor::new(self.root_node())
    }
}
