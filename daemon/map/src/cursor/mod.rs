//! A cursor over syntax trees that steps over tokens without names, for the walks that every file's facts take.
//!
//! tree-sitter's own cursor visits each comma and bracket, and does for each what nobody asks for. The steps of [`NodeCursor`]
//! are in `cursor.c`, which this module alone knows. Not here: what a node means.

#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use tree_sitter::Node;
use tree_sitter::ffi::{TSNode, TSTree};

#[repr(C)]
struct RawCursor {
    tree: *const TSTree,
    entries: *mut std::ffi::c_void,
    size: u32,
    capacity: u32,
}

// SAFETY: these are the declarations of `cursor.c`.
unsafe extern "C" {
    fn hob_cursor_begin(cursor: *mut RawCursor, node: TSNode);
    fn hob_cursor_end(cursor: *mut RawCursor);
    fn hob_cursor_free_spare();
    fn hob_cursor_first_child(cursor: *mut RawCursor, named: bool, found: *mut TSNode) -> bool;
    fn hob_cursor_next_sibling(cursor: *mut RawCursor, named: bool, found: *mut TSNode) -> bool;
    fn hob_cursor_parent(cursor: *mut RawCursor) -> bool;
    fn hob_cursor_field(cursor: *const RawCursor) -> u16;
}

/// Names the kind of nodes that a step goes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StepTo {
    /// Nodes with names alone.
    Named,
    /// Tokens such as brackets and keywords too.
    Any,
}

/// A place in the tree below one node, which it does not leave. It keeps its stack to the thread on which it was made.
pub(crate) struct NodeCursor<'t> {
    raw: RawCursor,
    tree: PhantomData<Node<'t>>,
    on_thread: PhantomData<*const ()>,
}

impl<'t> NodeCursor<'t> {
    /// A cursor at a node.
    pub(crate) fn new(node: Node<'t>) -> Self {
        let mut raw = MaybeUninit::uninit();
        // SAFETY: the call writes all of the cursor. The tree of the node outlives the cursor.
        let raw = unsafe {
            hob_cursor_begin(raw.as_mut_ptr(), node.into_raw());
            raw.assume_init()
        };
        Self { raw, tree: PhantomData, on_thread: PhantomData }
    }

    /// Goes to the first child of the kind, and returns it; without one it stays where it is.
    pub(crate) fn first_child(&mut self, to: StepTo) -> Option<Node<'t>> {
        let mut found = MaybeUninit::uninit();
        // SAFETY: the cursor is one that `new` began. The node is written if the call returns true, and is of the cursor's tree.
        unsafe {
            let is_found = hob_cursor_first_child(&raw mut self.raw, to == StepTo::Named, found.as_mut_ptr());
            is_found.then(|| Node::from_raw(found.assume_init()))
        }
    }

    /// Goes to the next sibling of the kind, and returns it; without one it stays where it is.
    pub(crate) fn next_sibling(&mut self, to: StepTo) -> Option<Node<'t>> {
        let mut found = MaybeUninit::uninit();
        // SAFETY: as in `first_child`.
        unsafe {
            let is_found =
                hob_cursor_next_sibling(&raw mut self.raw, to == StepTo::Named, found.as_mut_ptr());
            is_found.then(|| Node::from_raw(found.assume_init()))
        }
    }

    /// Goes to the node around; false at the node that it began at.
    pub(crate) fn goto_parent(&mut self) -> bool {
        // SAFETY: the cursor is one that `new` began.
        unsafe { hob_cursor_parent(&raw mut self.raw) }
    }

    /// The number of the field that the node at hand is in; 0 without one.
    pub(crate) fn field_id(&self) -> u16 {
        // SAFETY: the cursor is one that `new` began.
        unsafe { hob_cursor_field(&raw const self.raw) }
    }
}

impl Drop for NodeCursor<'_> {
    fn drop(&mut self) {
        // SAFETY: the cursor is one that `new` began, and nothing uses it after this.
        unsafe { hob_cursor_end(&raw mut self.raw) };
        // A thread whose locals have ended keeps what this cursor leaves: a few kilobytes.
        let _ = SPARE_STACKS.try_with(|_| ());
    }
}

/// The stacks that a thread keeps for its next cursors, which end with the thread.
struct SpareStacks;

thread_local! {
    static SPARE_STACKS: SpareStacks = const { SpareStacks };
}

impl Drop for SpareStacks {
    fn drop(&mut self) {
        // SAFETY: they are of this thread, and no cursor uses them.
        unsafe { hob_cursor_free_spare() };
    }
}

/// The children of a node, in order.
pub(crate) struct Children<'t> {
    cursor: NodeCursor<'t>,
    to: StepTo,
    has_begun: bool,
}

impl<'t> Iterator for Children<'t> {
    type Item = Node<'t>;

    fn next(&mut self) -> Option<Node<'t>> {
        if std::mem::replace(&mut self.has_begun, true) {
            self.cursor.next_sibling(self.to)
        } else {
            self.cursor.first_child(self.to)
        }
    }
}

/// The named children of a node.
pub(crate) fn named_children(node: Node<'_>) -> Children<'_> {
    Children { cursor: NodeCursor::new(node), to: StepTo::Named, has_begun: false }
}

/// The children of a node, tokens without names included.
pub(crate) fn all_children(node: Node<'_>) -> Children<'_> {
    Children { cursor: NodeCursor::new(node), to: StepTo::Any, has_begun: false }
}

#[cfg(test)]
mod tests {
    use tree_sitter::TreeCursor;

    use super::*;
    use crate::Lang;
    use crate::trees::parse_tree;

    /// A node as both cursors see it, and its field.
    type Seen<'t> = (Node<'t>, usize, u16);

    const SOURCES: [(Lang, &str); 8] = [
        (
            Lang::C,
            "#if A\nint f(int a, char *b) { return a ? g(b, 1) : 0; }\n#else\nstruct s { int x, y; } z;\n#endif\n",
        ),
        (Lang::Go, "package a\n// c\nfunc (r *R) F(x, y int) (n int, err error) { return r.g(x, y...) }\n"),
        (
            Lang::JavaScript,
            "const { a, b: [c] } = d; export default class { f() { return `x${y}` } } // e\nfoo(,\n",
        ),
        (
            Lang::Python,
            "@d(1)\ndef f(a, *b, c=1) -> int:\n    # e\n    return {**a, 'k': [x for x in b if x]}\nclass\n",
        ),
        (Lang::Ruby, "class A < B\n  def f(x, y: 1) = x + y\n  attr_reader :a, :b\nend\n"),
        (
            Lang::Rust,
            "impl<T: A> B for C<T> { fn f(&self) -> u8 { match x { A | B => 1, _ => { g!(2) } } } }\nfn (\n",
        ),
        (
            Lang::Tsx,
            "function f<T>(a: T, b?: string) { return <A x={1} {...y}>text {a}</A> }\ninterface I { (x): y; z?: q }\n",
        ),
        (
            Lang::Php,
            "<?php namespace A; final class B extends C { use D; public function f(int ...$x) { return $this?->g($x); } }\n",
        ),
    ];

    fn seen_by_library<'t>(cursor: &mut TreeCursor<'t>, depth: usize, seen: &mut Vec<Seen<'t>>) {
        seen.push((cursor.node(), depth, cursor.field_id().map_or(0, Into::into)));
        if cursor.goto_first_child() {
            loop {
                seen_by_library(cursor, depth + 1, seen);
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
            cursor.goto_parent();
        }
    }

    fn seen_by_cursor<'t>(root: Node<'t>, to: StepTo) -> Vec<Seen<'t>> {
        let mut cursor = NodeCursor::new(root);
        let (mut seen, mut depth) = (vec![(root, 0, 0)], 0);
        loop {
            if let Some(child) = cursor.first_child(to) {
                depth += 1;
                seen.push((child, depth, cursor.field_id()));
                continue;
            }
            loop {
                if let Some(next) = cursor.next_sibling(to) {
                    seen.push((next, depth, cursor.field_id()));
                    break;
                }
                if !cursor.goto_parent() {
                    return seen;
                }
                depth -= 1;
            }
        }
    }

    /// A node's identity, place and kind: two nodes are equal by their identities alone.
    fn described(seen: &[Seen<'_>]) -> Vec<String> {
        let describe = |(node, depth, field): &Seen<'_>| {
            format!("{} {:?} {} {depth} {field}", node.id(), node.range(), node.kind_id())
        };
        seen.iter().map(describe).collect()
    }

    #[test]
    fn every_step_is_that_of_tree_sitters_own_cursor() {
        for (lang, source) in SOURCES {
            // Long lists have hidden nodes in hidden nodes.
            let tree = parse_tree(lang, source.repeat(40).as_bytes()).expect("a small file");
            let mut expected = Vec::new();
            seen_by_library(&mut tree.walk(), 0, &mut expected);
            assert!(expected.len() > 1_000, "{lang:?}");
            assert_eq!(
                described(&seen_by_cursor(tree.root_node(), StepTo::Any)),
                described(&expected),
                "{lang:?}"
            );
            // Of a token no child is named.
            expected.retain(|(node, ..)| node.is_named());
            assert_eq!(
                described(&seen_by_cursor(tree.root_node(), StepTo::Named)),
                described(&expected),
                "{lang:?}"
            );
        }
    }

    #[test]
    fn children_are_those_that_tree_sitter_names() {
        for (lang, source) in SOURCES {
            let tree = parse_tree(lang, source.as_bytes()).expect("a small file");
            for (node, ..) in seen_by_cursor(tree.root_node(), StepTo::Any) {
                let expected: Vec<Node<'_>> = node.named_children(&mut node.walk()).collect();
                assert_eq!(named_children(node).collect::<Vec<_>>(), expected, "{lang:?} {node:?}");
            }
        }
    }

    #[test]
    fn a_cursor_stays_below_its_node_and_where_there_is_no_next_one() {
        let tree = parse_tree(Lang::C, b"int a; int b;").expect("a small file");
        let first = tree.root_node().named_child(0).expect("a declaration");
        let mut cursor = NodeCursor::new(first);
        assert!(cursor.next_sibling(StepTo::Any).is_none() && !cursor.goto_parent());
        let ty = cursor.first_child(StepTo::Named).expect("a type");
        assert_eq!((ty.kind(), cursor.first_child(StepTo::Any).is_none()), ("primitive_type", true));
        let name = cursor.next_sibling(StepTo::Named).expect("a name");
        assert!(cursor.next_sibling(StepTo::Named).is_none());
        assert_eq!(
            (name.kind(), cursor.next_sibling(StepTo::Any).map(|token| token.kind())),
            ("identifier", Some(";"))
        );
    }
}
