//! Walks over a syntax tree in steps, from a node to its children, siblings and parent.

use super::Node;

/// The kind of nodes that a step goes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StepTo {
    /// Named nodes only.
    Named,
    /// All nodes, including tokens such as brackets and keywords.
    Any,
}

/// A place in the tree below one node, which it does not leave.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeCursor<'t> {
    top: Node<'t>,
    node: Node<'t>,
}

impl<'t> NodeCursor<'t> {
    /// Makes a cursor at a node, which it does not leave.
    pub(crate) fn new(node: Node<'t>) -> Self {
        Self { top: node, node }
    }

    /// Returns the current node.
    pub(crate) fn node(&self) -> Node<'t> {
        self.node
    }

    /// Goes to the first child of the kind, and returns it; without one, the cursor stays.
    pub(crate) fn first_child(&mut self, to: StepTo) -> Option<Node<'t>> {
        self.go_to(self.node.first_child(to))
    }

    /// Goes to the next sibling of the kind, and returns it; without one, the cursor stays.
    pub(crate) fn next_sibling(&mut self, to: StepTo) -> Option<Node<'t>> {
        if self.is_at_top() { None } else { self.go_to(self.node.sibling_behind(to)) }
    }

    /// Goes to the first child of any kind; false if there is none.
    pub(crate) fn goto_first_child(&mut self) -> bool {
        self.first_child(StepTo::Any).is_some()
    }

    /// Goes to the next sibling of any kind; false if there is none.
    pub(crate) fn goto_next_sibling(&mut self) -> bool {
        self.next_sibling(StepTo::Any).is_some()
    }

    /// Goes to the parent; false at the node that the cursor began at.
    pub(crate) fn goto_parent(&mut self) -> bool {
        let parent = if self.is_at_top() { None } else { self.node.parent() };
        self.go_to(parent).is_some()
    }

    /// Returns the number of the field that the current node is in; 0 if it is in none.
    pub(crate) fn field_id(&self) -> u16 {
        if self.is_at_top() { 0 } else { self.node.own_field() }
    }

    /// Returns the name of the field that the current node is in.
    pub(crate) fn field_name(&self) -> Option<&'t str> {
        match self.field_id() {
            0 => None,
            field => self.node.field_name(field),
        }
    }

    fn is_at_top(&self) -> bool {
        self.node.list_number() == self.top.list_number()
    }

    fn go_to(&mut self, to: Option<Node<'t>>) -> Option<Node<'t>> {
        self.node = to.unwrap_or(self.node);
        to
    }
}

/// The children of a node, in order.
#[derive(Clone, Debug)]
pub(crate) struct Children<'t> {
    of: Node<'t>,
    /// The number of the next child to visit, and the number behind the last descendant.
    next: u32,
    end: u32,
    to: StepTo,
}

impl<'t> Children<'t> {
    pub(super) fn of_node(node: Node<'t>, to: StepTo) -> Self {
        Self { of: node, next: node.list_number() + 1, end: node.list_entry().next, to }
    }
}

impl<'t> Iterator for Children<'t> {
    type Item = Node<'t>;

    fn next(&mut self) -> Option<Node<'t>> {
        let found = self.of.first_between(self.next, self.end, self.to);
        self.next = found.map_or(self.end, |node| node.list_entry().next);
        found
    }
}

/// Returns the named children of a node.
pub(crate) fn named_children(node: Node<'_>) -> Children<'_> {
    Children::of_node(node, StepTo::Named)
}

/// Returns the children of a node, tokens without names included.
pub(crate) fn all_children(node: Node<'_>) -> Children<'_> {
    Children::of_node(node, StepTo::Any)
}
