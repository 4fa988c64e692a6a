//! Finds the meaning of the name at a place without a language server: a local name by the scopes of its file, any
//! other by the graph.
//!
//! A local name hides nodes of the same name, and sure nodes hide guesses. Candidates are the answer only if nothing is
//! known, and never beside anything else.

use crate::graph::{Confidence, DefRef, Map, NodeRef};
use crate::locals::{LocalName, NamePlace};
use crate::receiver::ReceiverExpr;

/// The meaning of a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// A name that the file itself binds, and for which the map has no definition.
    Local(LocalName),
    /// The nodes that the name means, each with its confidence: several if each is possible, none if nothing is known.
    Nodes(Vec<(NodeRef, Confidence)>),
}

/// The place of a name in a file.
#[derive(Clone, Copy, Debug)]
pub struct NameInFile<'t> {
    /// The file, relative to the workspace's root.
    pub path: &'t str,
    /// The place of the name.
    pub at: NamePlace,
    /// The name as it is written; empty if there is none.
    pub word: &'t str,
}

impl Meaning {
    /// Returns true if the meaning is known, and not only guessed by a name.
    #[must_use]
    pub fn is_sure(&self) -> bool {
        match self {
            Self::Local(_) => true,
            Self::Nodes(nodes) => nodes.iter().any(|(_, sure)| *sure < Confidence::Name),
        }
    }
}

impl Map {
    /// Finds the meaning of a name. `local` is the result of [`local_name_at`](crate::locals::local_name_at) for the
    /// place.
    #[must_use]
    pub fn meaning_at(&self, name: NameInFile<'_>, local: Option<LocalName>) -> Meaning {
        // A key names a member of the object's type first, and only otherwise what it defines or binds itself.
        if let Some(member) = self.key_meant_at(name.path, (name.at.line, name.at.col), name.word) {
            return Meaning::Nodes(vec![member]);
        }
        let binds_itself = local.as_ref().is_some_and(|local| local.bindings.contains(&name.at));
        match self.meaning_of_name(name, local) {
            // A name in an import without a target is nothing that the file defines.
            Meaning::Local(local)
                if binds_itself
                    && !local.is_variable
                    && self.is_imported_at(name.path, name.at.line, &local.name) =>
            {
                let led = self.imported_at(name.path, name.at.line, &local.name);
                Meaning::Nodes(led.into_iter().map(|node| (node, Confidence::Import)).collect())
            }
            Meaning::Local(local) => Meaning::Local(local),
            Meaning::Nodes(nodes) => {
                let made = |(node, sure)| (self.made_at(name.path, name.at, name.word, node), sure);
                Meaning::Nodes(nodes.into_iter().map(made).collect())
            }
        }
    }

    /// Finds the meaning of a name as [`Self::meaning_at`] does, except that a key of a pattern means the variable that
    /// it binds.
    #[must_use]
    pub fn meaning_of_name(&self, name: NameInFile<'_>, local: Option<LocalName>) -> Meaning {
        let Some(local) = local else {
            let mut nodes = self.nodes_meant_at(name);
            // A name that no scope binds here may be defined in a block of the file that does not enclose this place.
            if self.is_bound_by_scopes(name.path, name.at, name.word) {
                nodes.retain(|(node, _)| !self.is_in_file(*node, name.path));
            }
            return Meaning::Nodes(nodes);
        };
        let defined = local.bindings.iter().find_map(|at| self.def_named_at(name.path, at.line, at.col));
        if let Some(def) = defined {
            return Meaning::Nodes(vec![(def.into(), Confidence::Exact)]);
        }
        if local.is_local {
            return Meaning::Local(local);
        }
        let known = self.nodes_meant_at(name);
        if known.iter().any(|(_, sure)| *sure < Confidence::Name) {
            return Meaning::Nodes(known);
        }
        let led = local.bindings.iter().find_map(|at| self.imported_at(name.path, at.line, &local.name));
        match led {
            // A variable that holds a module means the variable, and an import of a single name means no file.
            Some(NodeRef::File(_)) if local.is_variable || self.is_named_by_import(name, &local) => {
                Meaning::Local(local)
            }
            Some(node) => Meaning::Nodes(vec![(node, Confidence::Import)]),
            None => Meaning::Local(local),
        }
    }

    /// Finds the definition whose name is at a place, or that the reference there surely means.
    #[must_use]
    pub fn sure_def_at(&self, name: NameInFile<'_>) -> Option<DefRef> {
        let NameInFile { path, at, word } = name;
        if let Some(named) = self.def_named_at(path, at.line, at.col) {
            return Some(named);
        }
        if let Some((meant, _)) = self.def_meant_at(path, (at.line, at.col), word) {
            return Some(meant);
        }
        match self.imported_at(path, at.line, word)? {
            NodeRef::Def(def) => Some(def),
            _ => None,
        }
    }

    /// Finds the meanings of a member by the values of the expression before it, for places where nothing surer is
    /// known.
    #[must_use]
    pub fn meaning_through_values(
        &self,
        name: NameInFile<'_>,
        receiver: &ReceiverExpr,
    ) -> Vec<(NodeRef, Confidence)> {
        self.members_through_values(name.path, (name.at.line, name.at.col), name.word, receiver)
    }

    fn is_named_by_import(&self, name: NameInFile<'_>, local: &LocalName) -> bool {
        local.bindings.iter().any(|at| self.is_named_import(name.path, at.line, &local.name))
    }

    fn nodes_meant_at(&self, name: NameInFile<'_>) -> Vec<(NodeRef, Confidence)> {
        let NameInFile { path, at, word } = name;
        if let Some(named) = self.def_named_at(path, at.line, at.col) {
            // A field that embeds a type has the name of that type.
            let embedded = self.base_meant_at(path, (at.line, at.col), word);
            let (meant, sure) = embedded.unwrap_or((named, Confidence::Exact));
            return vec![(meant.into(), sure)];
        }
        let meant = self.defs_meant_at(path, (at.line, at.col), word);
        let is_known = meant.iter().any(|(_, sure)| *sure < Confidence::Name);
        match self.imported_at(path, at.line, word).filter(|_| !is_known) {
            Some(node) => vec![(node, Confidence::Import)],
            None => meant.into_iter().map(|(def, sure)| (def.into(), sure)).collect(),
        }
    }
}
