//! Defines the parts of the graph: node numbers, kinds, edges' kinds and confidence.
//!
//! A [`NodeRef`] is cheap and lives as long as the map's generation. It must not be kept across [`crate::Map::apply`],
//! because a changed file renumbers its definitions. The [`NodeId`] survives.

use hob_base::{FileId, WsPath};
use hob_proto::node_id::NodeId;

use crate::facts::{DefFlags, DefIdx, DefKind};

/// A definition: its file and its index in that file's facts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct DefRef {
    /// The file that declares it.
    pub file: FileId,
    /// The index in [`crate::FileFacts::defs`].
    pub def: DefIdx,
}

/// A package outside the workspace, numbered by the map in order of first use.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ExternalId(pub u32);

/// A node of the graph, valid until the next change is applied.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum NodeRef {
    /// A source file of the workspace.
    File(FileId),
    /// A definition in a file.
    Def(DefRef),
    /// A package outside the workspace.
    External(ExternalId),
}

impl NodeRef {
    /// Returns the file of a node, or the file that contains it; `None` for packages.
    #[must_use]
    pub fn file(self) -> Option<FileId> {
        match self {
            Self::File(file) => Some(file),
            Self::Def(def) => Some(def.file),
            Self::External(_) => None,
        }
    }
}

impl From<DefRef> for NodeRef {
    fn from(def: DefRef) -> Self {
        Self::Def(def)
    }
}

/// The kinds of nodes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum NodeKind {
    /// A source file of the workspace.
    File,
    /// A definition of this kind.
    Def(DefKind),
    /// A package outside the workspace.
    External,
}

impl NodeKind {
    /// Returns the word for the kind in answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Def(kind) => kind.as_str(),
            Self::External => "external",
        }
    }
}

/// A node as answers show it.
#[derive(Clone, PartialEq, Debug)]
pub struct NodeInfo {
    /// The node's number in this generation.
    pub node: NodeRef,
    /// The node ID, which outlives the generation.
    pub id: NodeId,
    /// The kind of the node.
    pub kind: NodeKind,
    /// The name of the node; for a file with extension.
    pub name: String,
    /// `Outer.inner`; empty for files and packages.
    pub qualified: String,
    /// The path of the file; `None` for packages.
    pub path: Option<WsPath>,
    /// First and last line, 1-based; `(1, 1)` for files, `(0, 0)` for packages.
    pub lines: (u32, u32),
    /// First byte, and the byte after the last; `(0, 0)` for files and packages.
    pub bytes: (u32, u32),
    /// 1-based line and UTF-16 column of the name.
    pub name_at: (u32, u32),
    /// The header of the definition on one line; may be empty.
    pub signature: String,
    /// The first paragraph of its documentation on one line; may be empty.
    pub doc: String,
    /// Properties; none for files and packages.
    pub flags: DefFlags,
    /// The hub score: 0 to 1 for files and definitions; 0 until the first derivation is installed.
    pub score: f32,
}

/// The kinds of edges between two nodes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum EdgeKind {
    /// A file or definition contains a definition.
    Contains,
    /// A file imports a file, a definition or a package.
    Imports,
    /// A file exports something that is defined elsewhere, or under another name.
    Exports,
    /// Code calls a function, or instantiates a type.
    Calls,
    /// A type is derived from another.
    Extends,
    /// A type implements an interface or trait.
    Implements,
    /// Code uses a type or reads a name.
    References,
}

impl EdgeKind {
    /// Every kind, in the order in which answers list them.
    pub const ALL: [Self; 7] = [
        Self::Contains,
        Self::Imports,
        Self::Exports,
        Self::Calls,
        Self::Extends,
        Self::Implements,
        Self::References,
    ];

    /// Returns the word for the kind in answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Contains => "contains",
            Self::Imports => "imports",
            Self::Exports => "exports",
            Self::Calls => "calls",
            Self::Extends => "extends",
            Self::Implements => "implements",
            Self::References => "references",
        }
    }

    /// Returns the kind for a word; `None` if there is none.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// The connection of two nodes: an edge, or an override.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Tie {
    /// A method overrides another, or implements it.
    Overrides,
    /// An edge of this kind.
    Edge(EdgeKind),
}

impl Tie {
    /// Returns the word for the tie in answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Overrides => "overrides",
            Self::Edge(kind) => kind.as_str(),
        }
    }
}

/// A set of edge kinds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EdgeKinds(u8);

impl EdgeKinds {
    /// All kinds of edges.
    pub const ALL: Self = Self(0x7f);

    /// Returns true if `kind` is in the set.
    #[must_use]
    pub fn has(self, kind: EdgeKind) -> bool {
        self.0 & (1 << kind as u8) != 0
    }

    /// Returns the set without `kind`.
    #[must_use]
    pub fn without(self, kind: EdgeKind) -> Self {
        Self(self.0 & !(1 << kind as u8))
    }
}

impl EdgeKinds {
    /// Returns the kinds of the set by which code uses something, rather than contains, imports or exports it.
    pub(super) fn of_users(self) -> Self {
        self.without(EdgeKind::Contains).without(EdgeKind::Imports).without(EdgeKind::Exports)
    }

    /// Returns the kinds of the set by which something is contained, imported or exported rather than used.
    pub(super) fn of_holders(self) -> Self {
        Self(self.0 & !self.of_users().0)
    }

    /// Returns the number of kinds in the set.
    pub(super) fn count(self) -> usize {
        self.0.count_ones() as usize
    }
}

impl FromIterator<EdgeKind> for EdgeKinds {
    fn from_iter<I: IntoIterator<Item = EdgeKind>>(kinds: I) -> Self {
        Self(kinds.into_iter().fold(0, |set, kind| set | 1 << kind as u8))
    }
}

/// The rungs of the confidence ladder, surest first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Confidence {
    /// A language server confirmed it for these contents.
    Live,
    /// The scopes of the same file lead there.
    Exact,
    /// An import, a package scope, a declared type or a class hierarchy leads there.
    Import,
    /// The called value was followed there: through assignments, arguments, results, containers and fields.
    Flow,
    /// A framework calls it, because the code registers it: a route's handler, a task, a fixture, a command.
    Framework,
    /// It is the only definition of that name that the reference can mean.
    Name,
    /// It is one of several; the reference is not resolved.
    Candidate,
}

impl Confidence {
    /// Returns the word for the confidence in answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Exact => "exact",
            Self::Import => "import",
            Self::Flow => "flow",
            Self::Framework => "framework",
            Self::Name => "name",
            Self::Candidate => "candidate",
        }
    }
}

/// The direction in which edges are followed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Direction {
    /// Towards the node: its callers.
    In,
    /// Away from the node: its callees.
    Out,
    /// Edges in both directions.
    Both,
}

impl Direction {
    /// Returns the word for the direction in answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::In => "in",
            Self::Out => "out",
            Self::Both => "both",
        }
    }
}
