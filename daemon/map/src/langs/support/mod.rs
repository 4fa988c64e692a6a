//! Holds what several extractors need and no grammar knows: comments before a definition, names that come into scope
//! later than they stand in the text, names that are not uses, paths.
//!
//! Nothing here decides what a node means; each language does that itself.

mod arguments;
mod assign;
mod brackets;
mod flow_recorder;
mod flows;
mod grammar;
mod header;
mod lead;
mod pending;
mod positions;
pub(crate) mod project;
#[cfg(test)]
pub(crate) mod render;
pub(crate) mod routes;
pub(crate) mod schemas;
mod title;
mod values;

pub(crate) use arguments::{kind_of_type, record_arguments};
pub(crate) use assign::assign_type;
pub(crate) use brackets::split_outside_brackets;
pub(crate) use flows::{TracedRun, Tracer, children_but};
#[cfg(test)]
pub(crate) use grammar::unknown_kinds;
pub(crate) use grammar::{Grammar, define_grammar};
pub(crate) use header::{has_word, header_start};
pub(crate) use lead::{Comment, DefinitionLead, LeadingRun};
pub(crate) use pending::Pending;
pub(crate) use positions::PiecePositions;
pub(crate) use title::test_title;
pub(crate) use values::{Members, SurroundingBody, Syntax, TypedExpression, is_capital};

use rustc_hash::FxHashSet;
use tree_sitter::Language;

use crate::facts::{DefFlags, DefIdx, DefInput, DefKind, Receiver, RefKind};
use crate::syntax::{Node, NodeCursor, StepTo};
use crate::walk::Cx;

/// Longest piece of a header that is read, in bytes.
const HEAD_LIMIT: usize = 1200;

/// Returns the number of a grammar's field; 0, which no node has, if the grammar lacks the field.
pub(crate) fn field(language: Option<&Language>, name: &str) -> u16 {
    language.and_then(|language| language.field_id_for_name(name)).map_or(0, Into::into)
}

/// Declares a struct of field numbers: `fields!(Fields { name: "name", ty: "type" })`.
macro_rules! fields {
    ($type:ident { $($field:ident: $name:literal),* $(,)? }) => {
        /// Numbers of the grammar's fields.
        #[derive(Debug)]
        pub(crate) struct $type { $(pub(crate) $field: u16),* }

        impl $type {
            pub(crate) fn new(language: Option<&tree_sitter::Language>) -> Self {
                Self { $($field: $crate::langs::support::field(language, $name)),* }
            }
        }
    };
}
pub(crate) use fields;

/// Defines an enum of the kinds of nodes that a reader tells apart, `Other` for the rest, and `NAMES`, which has the grammar's name of each
/// for a [`crate::walk::KindTable`]: comparing names costs more than all else that is done with a node.
macro_rules! node_kinds {
    ($type:ident { $($kind:ident: $name:literal),* $(,)? }) => {
        /// The kinds of nodes that the reader tells apart.
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
        pub(crate) enum $type { #[default] Other, $($kind),* }

        impl $type {
            /// The grammar's name of each kind.
            pub(crate) const NAMES: &[(&str, Self)] = &[$(($name, Self::$kind)),*];
        }
    };
}
pub(crate) use node_kinds;

/// A definition about to be made, in terms of nodes.
pub(crate) struct NewDef<'t, 'a> {
    /// The node of the whole definition.
    pub(crate) node: Node<'t>,
    /// The position of its name, see [`Cx::position`].
    pub(crate) name_at: (u32, u32),
    /// The name as it is written.
    pub(crate) name: &'a str,
    /// The kind of the definition.
    pub(crate) kind: DefKind,
    /// The properties of the definition, such as exported.
    pub(crate) flags: DefFlags,
    /// The definition that it is written in; `None` at file level.
    pub(crate) parent: Option<DefIdx>,
    /// The start of its qualified name, see [`DefInput::qualifier`].
    pub(crate) qualifier: Option<&'a str>,
    /// The first byte of its signature, and the byte behind the last.
    pub(crate) head: (usize, usize),
}

/// A definition as its item shows it, before it is known which definition it stands in.
#[derive(Clone, Copy)]
pub(crate) struct ItemDef<'t> {
    /// The node of the whole definition.
    pub(crate) node: Node<'t>,
    /// The node of its name.
    pub(crate) name: Node<'t>,
    /// The kind of the definition.
    pub(crate) kind: DefKind,
    /// The properties of the definition, such as exported.
    pub(crate) flags: DefFlags,
    /// The byte at which its signature ends.
    pub(crate) head_end: usize,
    /// The scope that its children are walked in, see [`NewDef::make_def`].
    pub(crate) scope: Option<bool>,
}

impl NewDef<'_, '_> {
    /// Records the definition; with `scope`, children are walked inside it and `scope` says whether it binds. A name
    /// that the parser made up, or that is not UTF-8, makes no definition; its children are then walked in a scope
    /// without an owner.
    pub(crate) fn make_def(
        &self,
        cx: &mut Cx<'_>,
        outer: &DefinitionLead,
        scope: Option<bool>,
    ) -> Option<DefIdx> {
        if self.name.is_empty() {
            scope.into_iter().for_each(|binds| cx.open_scope(binds));
            return None;
        }
        let (first, last) = Cx::lines(self.node);
        let input = DefInput {
            name: self.name,
            kind: self.kind,
            flags: self.flags,
            parent: self.parent,
            qualifier: self.qualifier,
            lines: (outer.line.unwrap_or(first).min(first), last.max(outer.end_line)),
            bytes: (
                outer.start.unwrap_or(usize::MAX).min(self.node.start_byte()) as u32,
                self.node.end_byte().max(outer.end) as u32,
            ),
            name_at: self.name_at,
            signature: head_text(cx, self.head.0, self.head.1),
            doc: &outer.doc,
        };
        Some(match scope {
            Some(binds) => cx.define_scope(&input, binds),
            None => cx.define(&input),
        })
    }
}

fn head_text<'t>(cx: &Cx<'t>, from: usize, to: usize) -> &'t str {
    let text = cx.slice(from, to.min(from + HEAD_LIMIT));
    text.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '{' | ';' | '=' | ','))
}

/// Records a use in a name space that local variables do not share (a `struct` tag, a Java method).
pub(crate) fn refer_unbound(cx: &mut Cx<'_>, name: &str, at: Node<'_>, kind: RefKind, receiver: Receiver) {
    if name.is_empty() {
        return;
    }
    cx.refer(name, at, kind, receiver);
}

/// Nodes that a parent has handled, so that the walk passes over them.
#[derive(Debug, Default)]
pub(crate) struct Handled(FxHashSet<usize>);

impl Handled {
    /// Makes the walk pass over a node.
    pub(crate) fn mark(&mut self, node: Node<'_>) {
        self.0.insert(node.id());
    }

    /// Returns true if the node was marked, and forgets the mark.
    pub(crate) fn take_mark(&mut self, node: Node<'_>) -> bool {
        !self.0.is_empty() && self.0.remove(&node.id())
    }
}

/// Returns the node's first child, anonymous ones included, for which `wanted` holds.
pub(crate) fn child_where<'t>(node: Node<'t>, mut wanted: impl FnMut(Node<'t>) -> bool) -> Option<Node<'t>> {
    let mut cursor = NodeCursor::new(node);
    let mut child = cursor.first_child(StepTo::Any)?;
    while !wanted(child) {
        child = cursor.next_sibling(StepTo::Any)?;
    }
    Some(child)
}

/// Calls `each` with every child, anonymous ones included, and the number of its field (0 for none).
pub(crate) fn each_child<'t>(node: Node<'t>, mut each: impl FnMut(Node<'t>, u16)) {
    let mut cursor = NodeCursor::new(node);
    let mut next = cursor.first_child(StepTo::Any);
    while let Some(child) = next {
        each(child, cursor.field_id());
        next = cursor.next_sibling(StepTo::Any);
    }
}
