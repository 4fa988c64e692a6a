//! Answers questions about one node of a syntax tree, which is a number in the tree's list.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Range;

use tree_sitter::Point;

use super::cursor::{NodeCursor, StepTo, all_children, named_children};
use super::{ERRONEOUS, EXTRA, MISSING, NAMED, NodeList, RawNode};

/// The number of the kind of error nodes, which hold text that the parser did not understand.
const ERROR: u16 = u16::MAX;

/// A node of a [`Tree`](super::Tree).
#[derive(Clone, Copy)]
pub struct Node<'t> {
    list: &'t NodeList,
    at: u32,
}

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at && std::ptr::eq(self.list, other.list)
    }
}

impl Eq for Node<'_> {}

impl Hash for Node<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.at.hash(state);
    }
}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{} {:?}}}", self.kind(), self.byte_range())
    }
}

impl<'t> Node<'t> {
    pub(super) fn root_of(list: &'t NodeList) -> Self {
        Self { list, at: 0 }
    }

    pub(super) fn list_entry(&self) -> &'t RawNode {
        &self.list.nodes[self.at as usize]
    }

    pub(super) fn list_number(&self) -> u32 {
        self.at
    }

    /// Returns the node of the same tree with this number.
    pub(super) fn with_number(&self, at: u32) -> Self {
        Self { list: self.list, at }
    }

    fn has_flag(&self, flag: u16) -> bool {
        self.list_entry().flags & flag != 0
    }

    /// Returns a number above 0 that no other node of the tree has.
    #[must_use]
    pub fn id(&self) -> usize {
        self.at as usize + 1
    }

    /// Returns the number of the node's kind in the grammar.
    #[must_use]
    pub fn kind_id(&self) -> u16 {
        self.list_entry().kind
    }

    /// Returns the name of the node's kind in the grammar; the text of a token without a name.
    #[must_use]
    pub fn kind(&self) -> &'t str {
        match self.list_entry().kind {
            ERROR => "ERROR",
            kind => self.list.grammar.kinds.get(usize::from(kind)).map_or("", |name| name),
        }
    }

    /// Returns true if the node is named in the grammar, unlike a bracket or a keyword.
    #[must_use]
    pub fn is_named(&self) -> bool {
        self.has_flag(NAMED)
    }

    /// Returns true if the node may stand anywhere, as a comment may.
    #[must_use]
    pub fn is_extra(&self) -> bool {
        self.has_flag(EXTRA)
    }

    /// Returns true if the node is or holds text that the parser did not understand.
    #[must_use]
    pub fn has_error(&self) -> bool {
        self.has_flag(ERRONEOUS)
    }

    /// Returns true if the node is an error node: text that the parser did not understand.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.list_entry().kind == ERROR
    }

    /// Returns true if the parser made the node up, to repair the text.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        self.has_flag(MISSING)
    }

    /// Returns the offset of the node's first byte.
    #[must_use]
    pub fn start_byte(&self) -> usize {
        self.list_entry().start as usize
    }

    /// Returns the offset behind the node's last byte.
    #[must_use]
    pub fn end_byte(&self) -> usize {
        self.list_entry().end as usize
    }

    /// Returns the range of the node's bytes.
    #[must_use]
    pub fn byte_range(&self) -> Range<usize> {
        let raw = self.list_entry();
        raw.start as usize..raw.end as usize
    }

    /// Returns the row and the column, in bytes, of the node's beginning, both from 0.
    #[must_use]
    pub fn start_position(&self) -> Point {
        let raw = self.list_entry();
        Point { row: raw.start_row as usize, column: raw.start_column as usize }
    }

    /// Returns the row and the column, in bytes, of the node's end, both from 0.
    #[must_use]
    pub fn end_position(&self) -> Point {
        let raw = self.list_entry();
        Point { row: raw.end_row as usize, column: raw.end_column as usize }
    }

    /// Returns the parent; `None` for the root.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        (self.at != 0).then(|| self.with_number(self.list_entry().parent))
    }

    /// Returns the number of named children.
    #[must_use]
    pub fn named_child_count(&self) -> usize {
        self.list_entry().named_children as usize
    }

    /// Returns the number of children, tokens without names included.
    #[must_use]
    pub fn child_count(&self) -> u32 {
        all_children(*self).count() as u32
    }

    /// Returns true if the node has no children.
    #[must_use]
    pub fn is_leaf(&self) -> bool {
        self.list_entry().next == self.at + 1
    }

    /// Returns the child with this number, from 0, tokens without names included.
    #[must_use]
    pub fn child(&self, number: u32) -> Option<Self> {
        all_children(*self).nth(number as usize)
    }

    /// Returns the named child with this number, from 0.
    #[must_use]
    pub fn named_child(&self, number: u32) -> Option<Self> {
        (number < self.list_entry().named_children)
            .then(|| named_children(*self).nth(number as usize))
            .flatten()
    }

    /// Returns the number of the field that the node is in; 0 if it is in none, as every node that may stand anywhere.
    pub(super) fn own_field(&self) -> u16 {
        if self.is_extra() { 0 } else { self.list_entry().field[0] }
    }

    fn is_in_field(&self, field: u16) -> bool {
        self.list_entry().field.contains(&field)
    }

    /// Returns the first child in a field, by the field's number in the grammar.
    #[must_use]
    pub fn child_by_field_id(&self, field: u16) -> Option<Self> {
        let has_field = field != 0 && self.list_entry().fields & (1 << (field % 32)) != 0;
        has_field.then(|| all_children(*self).find(|child| child.is_in_field(field))).flatten()
    }

    /// Returns the first child in a field, by the field's name.
    #[must_use]
    pub fn child_by_field_name(&self, field: &str) -> Option<Self> {
        self.child_by_field_id(self.field_number(field))
    }

    /// Yields all children in a field, by the field's name.
    pub(crate) fn children_by_field_name(&self, field: &str) -> impl Iterator<Item = Self> + use<'t> {
        let field = self.field_number(field);
        all_children(*self).filter(move |child| field != 0 && child.own_field() == field)
    }

    fn field_number(&self, field: &str) -> u16 {
        self.list.grammar.language.field_id_for_name(field).map_or(0, Into::into)
    }

    /// Returns the name of a field.
    pub(super) fn field_name(&self, field: u16) -> Option<&'t str> {
        self.list.grammar.language.field_name_for_id(field)
    }

    /// Returns the next sibling, tokens without names included.
    #[must_use]
    pub fn next_sibling(&self) -> Option<Self> {
        self.sibling_behind(StepTo::Any)
    }

    /// Returns the next named sibling.
    #[must_use]
    pub fn next_named_sibling(&self) -> Option<Self> {
        self.sibling_behind(StepTo::Named)
    }

    /// Returns the previous sibling, tokens without names included.
    #[must_use]
    pub fn prev_sibling(&self) -> Option<Self> {
        self.sibling_before(StepTo::Any)
    }

    /// Returns the previous named sibling.
    #[must_use]
    pub fn prev_named_sibling(&self) -> Option<Self> {
        self.sibling_before(StepTo::Named)
    }

    /// Returns the first child of the kind to step to.
    pub(super) fn first_child(&self, to: StepTo) -> Option<Self> {
        self.first_between(self.at + 1, self.list_entry().next, to)
    }

    pub(super) fn sibling_behind(&self, to: StepTo) -> Option<Self> {
        let raw = self.list_entry();
        if self.at == 0 {
            return None;
        }
        self.first_between(raw.next, self.list.nodes[raw.parent as usize].next, to)
    }

    /// Returns the previous sibling of the kind. The entry before a node is its parent, or the last descendant of its
    /// previous sibling: from there it is as many steps up as that sibling is deep, however many siblings there are.
    fn sibling_before(&self, to: StepTo) -> Option<Self> {
        let parent = self.parent()?.at;
        let mut at = self.at;
        while at - 1 != parent {
            at -= 1;
            while self.list.nodes[at as usize].parent != parent {
                at = self.list.nodes[at as usize].parent;
            }
            if to == StepTo::Any || self.list.nodes[at as usize].flags & NAMED != 0 {
                return Some(self.with_number(at));
            }
        }
        None
    }

    /// Returns the root, and the nodes of the whole tree that have a byte in them, outermost first.
    pub(crate) fn nodes_around_byte(&self, byte: usize) -> Vec<Self> {
        // Starts do not decrease in the list: no node behind this place can have the byte.
        let behind = self.list.nodes.partition_point(|raw| raw.start as usize <= byte);
        let mut around = Vec::new();
        let mut innermost = behind.checked_sub(1).map(|at| self.with_number(at as u32));
        while let Some(node) = innermost {
            if node.end_byte() > byte || node.at == 0 {
                around.push(node);
            }
            innermost = node.parent();
        }
        around.reverse();
        around
    }

    /// Returns the first node of the kind among siblings, from one number up to another.
    pub(super) fn first_between(&self, mut at: u32, end: u32, to: StepTo) -> Option<Self> {
        while at < end {
            let raw = &self.list.nodes[at as usize];
            if to == StepTo::Any || raw.flags & NAMED != 0 {
                return Some(self.with_number(at));
            }
            at = raw.next;
        }
        None
    }

    /// Returns the innermost named node around a range of bytes.
    #[must_use]
    pub fn named_descendant_for_byte_range(&self, start: usize, end: usize) -> Option<Self> {
        if start > end {
            return None;
        }
        let (mut node, mut found) = (*self, *self);
        while let Some(child) = all_children(node).find(|child| child.reaches(start, end)) {
            if child.start_byte() > start {
                break;
            }
            if child.is_named() {
                found = child;
            }
            node = child;
        }
        Some(found)
    }

    /// Returns true if the node reaches the end of a range and does not end before its beginning. An empty node at the
    /// beginning of the range counts.
    fn reaches(&self, start: usize, end: usize) -> bool {
        let Range { start: from, end: to } = self.byte_range();
        let is_before = if from == to { to < start } else { to <= start };
        to >= end && !is_before
    }

    /// Makes a cursor at the node.
    pub(crate) fn walk(&self) -> NodeCursor<'t> {
        NodeCursor::new(*self)
    }
}
