//! Resolves local names of one text: the bindings of the name at a place, and the other places with the same meaning.
//!
//! Facts have no local names, because no query from outside a function is about them and there are more of them than of
//! all other names together. So a query about one parses its file, which takes milliseconds, and uses lexical scopes
//! alone. What a file says by its scopes is certain. This module does not resolve members of values, targets of
//! imports, or definitions of other files.

mod reaching;
mod scopes;
#[cfg(test)]
mod tests;

use hob_base::LineIndex;
use hob_base::line_index::Utf16Position;

use crate::extract::read_tree;
use crate::langs::lang::Lang;
use crate::langs::scope_rules::LocalRules;
use crate::parse::Patience;
use crate::syntax::{Node, Tree};

use reaching::reaching_bindings;
use scopes::ScopeTree;

/// The place of a name in its file: 1-based line and UTF-16 column.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct NamePlace {
    /// The line, from 1.
    pub line: u32,
    /// The column of the first character, from 1, in UTF-16 units.
    pub col: u32,
}

/// A name that its own file binds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocalName {
    /// The name as it is written.
    pub name: String,
    /// True if only one function, block or type sees the name: then it can mean no other file and no definition of the
    /// map. Otherwise the file binds it for all of its text, by an import for example, and the map may know more.
    pub is_local: bool,
    /// True if a declaration of a variable binds the name, and no import.
    pub is_variable: bool,
    /// The places that bind the name: one, or several if each assignment does. Never empty.
    pub bindings: Vec<NamePlace>,
    /// The bindings whose value the name can have at the queried place, without those in another branch of a statement.
    /// Never empty.
    pub reaching: Vec<NamePlace>,
    /// The places that use the name, in order.
    pub uses: Vec<NamePlace>,
}

/// Finds the bindings of the name at a place of a text, which may be a binding itself. `None` if nothing in the file
/// binds it, and in languages without rules for lexical scopes.
#[must_use]
pub fn local_name_at(
    lang: Option<Lang>,
    source: &[u8],
    at: NamePlace,
    patience: Patience<'_>,
) -> Option<LocalName> {
    let lang = lang?;
    let rules = lang.spec()?.source.lexical_scopes?;
    let index = LineIndex::new(source);
    read_tree(lang, source, patience, |tree| local_name_in(rules, tree, source, &index, at))?
}

/// Finds the bindings of the name at a place of a text that was parsed already; see [`local_name_at`].
pub(crate) fn local_name_in(
    rules: &LocalRules,
    tree: &Tree,
    source: &[u8],
    index: &LineIndex,
    at: NamePlace,
) -> Option<LocalName> {
    let offset = index.offset(source, Utf16Position { line: at.line, col: at.col })? as usize;
    let found = resolve(rules, tree, source, offset)?;
    let place = |offset: usize| {
        let at = index.position(source, offset as u32);
        NamePlace { line: at.line, col: at.col }
    };
    Some(LocalName {
        name: found.name,
        is_local: found.is_local,
        is_variable: found.is_variable,
        bindings: found.bindings.into_iter().map(place).collect(),
        reaching: found.reaching.into_iter().map(place).collect(),
        uses: found.uses.into_iter().map(place).collect(),
    })
}

/// A [`LocalName`] with byte offsets for places.
struct FoundName {
    name: String,
    is_local: bool,
    is_variable: bool,
    bindings: Vec<usize>,
    reaching: Vec<usize>,
    uses: Vec<usize>,
}

fn resolve(rules: &LocalRules, tree: &Tree, source: &[u8], offset: usize) -> Option<FoundName> {
    let leaf = leaf_at(tree, offset)?;
    let name = std::str::from_utf8(source.get(leaf.byte_range())?).ok()?;
    let scopes = ScopeTree::of_name(rules, tree, source, name);
    let meant = scopes.meaning_at(leaf.start_byte())?;
    let bindings = scopes.places_of(&meant);
    let reaching =
        rules.branches.map(|branches| reaching_bindings(branches, tree, leaf.start_byte(), &bindings));
    Some(FoundName {
        name: name.to_owned(),
        is_local: scopes.is_local(&meant),
        is_variable: scopes.is_variable(&meant),
        uses: scopes.uses_of(&meant),
        reaching: reaching.unwrap_or_else(|| bindings.clone()),
        bindings,
    })
}

/// Returns the leaf with text that contains a byte offset or ends at it.
fn leaf_at(tree: &Tree, offset: usize) -> Option<Node<'_>> {
    let leaf_from = |from: usize| tree.root_node().named_descendant_for_byte_range(from, from);
    let is_name = |leaf: &Node<'_>| leaf.is_leaf() && leaf.end_byte() > leaf.start_byte();
    let touches = |leaf: &Node<'_>| (leaf.start_byte()..=leaf.end_byte()).contains(&offset);
    let at = leaf_from(offset);
    let here = at.filter(is_name).filter(touches);
    let here = here.or_else(|| at.and_then(|node| name_behind_sign(node, offset)).filter(is_name));
    here.or_else(|| leaf_from(offset.checked_sub(1)?).filter(is_name).filter(touches))
}

/// Returns the name of `$name`, if a byte offset is at the sign.
fn name_behind_sign(node: Node<'_>, offset: usize) -> Option<Node<'_>> {
    let only = node.named_child(0).filter(|_| node.named_child_count() == 1)?;
    (node.start_byte() == offset && only.start_byte() == offset + 1).then_some(only)
}
