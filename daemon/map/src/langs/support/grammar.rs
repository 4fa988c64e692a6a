//! Prepares a grammar for an extractor: the meaning of each of its node kinds, and the numbers of its fields.
//!
//! The tables are made once per process, behind a `LazyLock`; then the walk's inner loop looks things up in arrays and
//! compares no names. A grammar that needs more than this (C, with two dialects) has a type of its own.

use tree_sitter::Language;

use crate::syntax::Node;
use crate::walk::KindTable;

/// The tables of one grammar: `K` is the language's own small enum of node kinds, `F` its field numbers, declared with
/// [`super::fields`].
#[derive(Debug)]
pub(crate) struct Grammar<K, F> {
    kinds: KindTable<K>,
    /// The numbers of the grammar's fields.
    pub(crate) f: F,
}

impl<K: Copy + Default, F> Grammar<K, F> {
    /// Makes the tables of `language`; kinds that `kinds` does not name are `K::default()`. `fields` is the `new` of
    /// the struct of field numbers.
    pub(crate) fn new(
        language: Option<&Language>,
        kinds: &[(&str, K)],
        fields: fn(Option<&Language>) -> F,
    ) -> Self {
        Self { kinds: KindTable::new(language, kinds), f: fields(language) }
    }

    /// Returns the kind of a node; `K::default()` if the table does not name it.
    pub(crate) fn kind(&self, node: Node<'_>) -> K {
        self.kinds.get(node)
    }
}

/// Returns the names in a table of kinds that the grammar does not have: each is a slip of the pen, or was renamed by a
/// newer grammar. A language's tests assert that there are none.
#[cfg(test)]
pub(crate) fn unknown_kinds<'k, K>(language: Option<&Language>, kinds: &'k [(&'k str, K)]) -> Vec<&'k str> {
    let unknown = |name: &&str| language.is_some_and(|language| language.id_for_node_kind(name, true) == 0);
    kinds.iter().map(|(name, _)| *name).filter(unknown).collect()
}

/// Defines a function that returns a grammar; `None` in a build without the language's feature, which reads its
/// files as text.
macro_rules! define_grammar {
    ($name:ident, $feature:literal, $language:path) => {
        pub(super) fn $name() -> Option<tree_sitter::Language> {
            #[cfg(feature = $feature)]
            return Some($language.into());
            #[cfg(not(feature = $feature))]
            None
        }
    };
}
pub(crate) use define_grammar;
