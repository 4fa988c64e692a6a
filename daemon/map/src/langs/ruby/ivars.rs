//! Classes of instance variables: `@x = Foo.new` anywhere in a class.
//!
//! Looked over once before the walk, because methods read what others assign. A variable that is assigned anything else
//! besides is of no known class.

use rustc_hash::FxHashMap;
use tree_sitter::{Node, Tree};

use super::grammar::{GRAMMAR, RubyKind};
use super::paths::{created_class, text};

/// By (node of the class or module, variable): the path of the class, if there is one.
pub(super) type Ivars = FxHashMap<(usize, String), Option<String>>;

/// Looks over a file.
pub(super) fn scan_ivars(tree: &Tree, source: &[u8]) -> Ivars {
    let mut found = Ivars::default();
    let mut classes: Vec<(usize, usize)> = vec![(usize::MAX, 0)];
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        while classes.len() > 1 && classes.last().is_some_and(|(end, _)| *end <= node.start_byte()) {
            classes.pop();
        }
        match GRAMMAR.kind(node) {
            RubyKind::Class | RubyKind::Module if node.is_named() => {
                classes.push((node.end_byte(), node.id()));
            }
            RubyKind::Assign | RubyKind::OpAssign => {
                note_ivar(node, source, classes.last().map_or(0, |(_, id)| *id), &mut found);
            }
            _ => {}
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}

fn note_ivar(node: Node<'_>, source: &[u8], class: usize, found: &mut Ivars) {
    let left = node.child_by_field_id(GRAMMAR.f.left).filter(|left| GRAMMAR.kind(*left) == RubyKind::Ivar);
    let (Some(left), Some(right)) = (left, node.child_by_field_id(GRAMMAR.f.right)) else { return };
    if right.kind() == "nil" {
        return;
    }
    let class_path = created_class(right, source);
    let known = found.entry((class, text(left, source).to_owned())).or_insert_with(|| class_path.clone());
    if *known != class_path {
        *known = None;
    }
}
