//! Compares every answer about a node with the one that tree-sitter gives.

use super::*;
use crate::Lang;
use crate::trees::parse_tree;

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

type Known<'t> = tree_sitter::Node<'t>;

/// Parses a text, repeated 40 times because long lists have hidden nodes in hidden nodes, into both trees.
fn both_trees(lang: Lang, source: &str) -> (tree_sitter::Tree, Tree) {
    let known = parse_tree(lang, source.repeat(40).as_bytes()).expect("a small file");
    let listed = Tree::from_parsed(known.clone());
    (known, listed)
}

/// Returns all nodes in order, with their fields, by the steps of the library's cursor.
fn known_nodes(tree: &tree_sitter::Tree) -> Vec<(Known<'_>, u16)> {
    let (mut cursor, mut seen) = (tree.walk(), Vec::new());
    loop {
        seen.push((cursor.node(), cursor.field_id().map_or(0, Into::into)));
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return seen;
            }
        }
    }
}

/// Returns all nodes in order, with their fields, by the steps of a cursor over the list.
fn listed_nodes(tree: &Tree, to: StepTo) -> Vec<(Node<'_>, u16)> {
    let mut cursor = tree.walk();
    let mut seen = vec![(tree.root_node(), 0)];
    loop {
        if let Some(child) = cursor.first_child(to) {
            seen.push((child, cursor.field_id()));
            continue;
        }
        loop {
            if let Some(next) = cursor.next_sibling(to) {
                seen.push((next, cursor.field_id()));
                break;
            }
            if !cursor.goto_parent() {
                return seen;
            }
        }
    }
}

fn describe_known(node: Known<'_>) -> String {
    let flags = (node.is_named(), node.is_extra(), node.has_error(), node.is_error(), node.is_missing());
    let places = (node.byte_range(), node.start_position(), node.end_position());
    let counts = (node.child_count() as usize, node.named_child_count());
    format!("{} {} {flags:?} {places:?} {counts:?}", node.kind(), node.kind_id())
}

fn describe_listed(node: Node<'_>) -> String {
    let flags = (node.is_named(), node.is_extra(), node.has_error(), node.is_error(), node.is_missing());
    let places = (node.byte_range(), node.start_position(), node.end_position());
    let counts = (node.child_count() as usize, node.named_child_count());
    assert_eq!(node.is_leaf(), node.child_count() == 0);
    format!("{} {} {flags:?} {places:?} {counts:?}", node.kind(), node.kind_id())
}

fn assert_same(listed: Option<Node<'_>>, known: Option<Known<'_>>) {
    assert_eq!(listed.map(describe_listed), known.map(describe_known));
}

#[test]
fn every_step_is_that_of_tree_sitters_own_cursor() {
    for (lang, source) in SOURCES {
        let (known, listed) = both_trees(lang, source);
        let mut expected: Vec<(String, u16)> =
            known_nodes(&known).into_iter().map(|(node, field)| (describe_known(node), field)).collect();
        assert!(expected.len() > 1_000, "{lang:?}");
        let seen = |to| -> Vec<(String, u16)> {
            listed_nodes(&listed, to)
                .into_iter()
                .map(|(node, field)| (describe_listed(node), field))
                .collect()
        };
        assert_eq!(seen(StepTo::Any), expected, "{lang:?}");
        // No child of a token is named, so a walk over named nodes alone misses none of them.
        let is_named = known_nodes(&known).into_iter().map(|(node, _)| node.is_named());
        let mut is_named = is_named.collect::<Vec<_>>().into_iter();
        expected.retain(|_| is_named.next() == Some(true));
        assert_eq!(seen(StepTo::Named), expected, "{lang:?}");
    }
}

#[test]
fn relatives_of_a_node_are_those_that_tree_sitter_names() {
    for (lang, source) in SOURCES {
        let (known, listed) = both_trees(lang, source);
        // tree-sitter does not find the relatives of an empty node, such as one that the parser made up.
        if known.root_node().has_error() {
            continue;
        }
        let nodes = listed_nodes(&listed, StepTo::Any).into_iter().zip(known_nodes(&known));
        for ((listed, _), (known, _)) in nodes.step_by(7) {
            for number in 0..4 {
                assert_same(listed.child(number), known.child(number));
                assert_same(listed.named_child(number), known.named_child(number));
            }
            assert_same(listed.parent(), known.parent());
            assert_same(listed.next_sibling(), known.next_sibling());
            assert_same(listed.next_named_sibling(), known.next_named_sibling());
            assert_same(listed.prev_sibling(), known.prev_sibling());
            assert_same(listed.prev_named_sibling(), known.prev_named_sibling());
        }
    }
}

#[test]
fn children_are_found_by_their_fields() {
    for (lang, source) in SOURCES {
        let (known, listed) = both_trees(lang, source);
        let language = known.language();
        for ((listed, _), (known, _)) in
            listed_nodes(&listed, StepTo::Any).into_iter().zip(known_nodes(&known))
        {
            for field in 0..=language.field_count() as u16 {
                assert_same(listed.child_by_field_id(field), known.child_by_field_id(field));
            }
        }
        let name = |node: Known<'_>| node.child_by_field_name("name").map(describe_known);
        let expected: Vec<_> = known_nodes(&known).into_iter().map(|(node, _)| name(node)).collect();
        let found = listed_nodes(&listed, StepTo::Any).into_iter();
        let found: Vec<_> =
            found.map(|(node, _)| node.child_by_field_name("name").map(describe_listed)).collect();
        assert_eq!(found, expected, "{lang:?}");
    }
}

#[test]
fn several_children_can_be_in_one_field() {
    let tree = Tree::from_parsed(parse_tree(Lang::Python, b"import a, b.c, d as e").expect("a small file"));
    let import = tree.root_node().named_child(0).expect("a statement");
    let names: Vec<_> = import.children_by_field_name("name").map(|name| name.kind()).collect();
    assert_eq!(names, ["dotted_name", "dotted_name", "aliased_import"]);
    assert_eq!(import.children_by_field_name("no such field").count(), 0);
}

#[test]
fn places_are_in_the_nodes_that_tree_sitter_finds() {
    for (lang, source) in SOURCES {
        let known = parse_tree(lang, source.as_bytes()).expect("a small file");
        let listed = Tree::from_parsed(known.clone());
        // Between two nodes, tree-sitter decides by the ends of nodes that it hides.
        let is_in_word = |at: &usize| source.as_bytes()[*at].is_ascii_alphanumeric();
        for from in (0..source.len()).filter(is_in_word) {
            let found = listed.root_node().named_descendant_for_byte_range(from, from);
            assert_same(found, known.root_node().named_descendant_for_byte_range(from, from));
            let (mut cursor, mut expected) = (known.walk(), vec![known.root_node()]);
            while cursor.goto_first_child_for_byte(from).is_some() {
                expected.push(cursor.node());
            }
            let found = listed.root_node().nodes_around_byte(from);
            assert_eq!(found.len(), expected.len(), "{lang:?} {from}");
            found.into_iter().zip(expected).for_each(|(found, known)| assert_same(Some(found), Some(known)));
        }
    }
}

/// Holds for trees with errors too, where tree-sitter does not find the relatives of every node.
#[test]
fn siblings_lead_back_to_each_other() {
    for (lang, source) in SOURCES {
        let (_, listed) = both_trees(lang, source);
        for (node, _) in listed_nodes(&listed, StepTo::Any) {
            let children: Vec<_> = all_children(node).collect();
            assert!(children.iter().all(|child| child.parent() == Some(node)), "{lang:?} {node:?}");
            let before = std::iter::once(None).chain(children.iter().copied().map(Some));
            for (child, before) in children.iter().zip(before) {
                assert_eq!(child.prev_sibling(), before, "{lang:?} {child:?}");
            }
        }
    }
}

/// In contrast to tree-sitter, which gives the property of `a.b`, handed up by a hidden rule.
#[test]
fn a_child_is_in_a_field_of_its_own_parent() {
    let source = "let x: typeof a.b.c;";
    let tree = Tree::from_parsed(parse_tree(Lang::Tsx, source.as_bytes()).expect("a small file"));
    let nodes = listed_nodes(&tree, StepTo::Any);
    let whole = nodes.iter().find(|(node, _)| &source[node.byte_range()] == "a.b.c" && !node.is_leaf());
    let property = whole.and_then(|(node, _)| node.child_by_field_name("property")).expect("a property");
    assert_eq!(&source[property.byte_range()], "c");
}

#[test]
fn a_cursor_stays_below_its_node_and_where_there_is_no_next_one() {
    let tree = Tree::from_parsed(parse_tree(Lang::C, b"int a; int b;").expect("a small file"));
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
    assert_eq!((cursor.field_name(), cursor.goto_parent(), cursor.node()), (None, true, first));
}

#[test]
fn a_tree_of_any_depth_is_listed() {
    let source = format!("x = {}1{}", "(".repeat(2_000), ")".repeat(2_000));
    let tree = Tree::from_parsed(parse_tree(Lang::Python, source.as_bytes()).expect("a small file"));
    let mut cursor = tree.walk();
    let mut depth = 0;
    while cursor.first_child(StepTo::Named).is_some() || cursor.next_sibling(StepTo::Named).is_some() {
        depth += 1;
    }
    assert!(depth > 2_000);
    assert_eq!(std::iter::successors(Some(cursor.node()), Node::parent).last(), Some(tree.root_node()));
}
