//! Finds what the name at a place means without a language server: a local name by the scopes of its file, anything else by the graph.
//!
//! A local name hides what the graph knows by the same name, and what the graph is sure of hides guesses. Candidates are given only
//! where nothing is known, and never beside anything else.

use crate::graph::{Confidence, DefRef, Map, NodeRef};
use crate::locals::{LocalName, NamePlace};
use crate::receiver::ReceiverExpr;

/// The meaning of a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// A name that the file itself binds, and that no definition of the map is.
    Local(LocalName),
    /// The nodes that are meant, each with the confidence that it is: several where each may be, none where nothing is known.
    Nodes(Vec<(NodeRef, Confidence)>),
}

/// The place of a name whose meaning is asked for.
#[derive(Clone, Copy, Debug)]
pub struct NameInFile<'t> {
    /// The file, relative to the workspace's root.
    pub path: &'t str,
    /// Where the name stands.
    pub at: NamePlace,
    /// The name itself, as it is written; empty where none stands.
    pub word: &'t str,
}

impl Meaning {
    /// Returns true if it is known, and not merely guessed by a name.
    #[must_use]
    pub fn is_sure(&self) -> bool {
        match self {
            Self::Local(_) => true,
            Self::Nodes(nodes) => nodes.iter().any(|(_, sure)| *sure < Confidence::Name),
        }
    }
}

impl Map {
    /// Finds what a name means. `local` is what [`local_name_at`](crate::locals::local_name_at) found at the place.
    #[must_use]
    pub fn meaning_at(&self, name: NameInFile<'_>, local: Option<LocalName>) -> Meaning {
        // A key names a member of the object's type first, and only then what it defines or binds itself.
        if let Some(member) = self.key_meant_at(name.path, (name.at.line, name.at.col), name.word) {
            return Meaning::Nodes(vec![member]);
        }
        let binds_itself = local.as_ref().is_some_and(|local| local.bindings.contains(&name.at));
        match self.meaning_of_name(name, local) {
            // A name in an import that leads nowhere is nothing that the file defines.
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

    /// The same, but a key of a pattern means what it binds.
    #[must_use]
    pub fn meaning_of_name(&self, name: NameInFile<'_>, local: Option<LocalName>) -> Meaning {
        let Some(local) = local else {
            let mut nodes = self.nodes_meant_at(name);
            // What the scopes of the file do not bind here is in a block that does not reach here.
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
            // A variable that is given a module is the variable, and a name that is imported by itself is no file.
            Some(NodeRef::File(_)) if local.is_variable || self.is_named_by_import(name, &local) => {
                Meaning::Local(local)
            }
            Some(node) => Meaning::Nodes(vec![(node, Confidence::Import)]),
            None => Meaning::Local(local),
        }
    }

    /// Finds the definition whose name stands at a place, or that the reference there surely means.
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

    /// Finds what a member means by the values of the expression before it, where nothing surer is known.
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
            // A field that embeds a type has its name from there.
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
