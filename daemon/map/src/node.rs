//! Defines the parts of the graph: node numbers, kinds, edges' kinds and confidence.
//!
//! A [`NodeRef`] is cheap and lives as long as the map's generation; it must not be kept across [`crate::Map::apply`],
//! because a changed file renumbers its definitions. What survives is the [`NodeId`].

use hob_base::{FileId, WsPath};
use hob_proto::node_id::NodeId;

use crate::facts::{DefFlags, DefIdx, DefKind};

/// A definition: its file and its place in that file's facts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct DefRef {
    /// The file that declares it.
    pub file: FileId,
    /// Its place in [`crate::FileFacts::defs`].
    pub def: DefIdx,
}

/// A package outside the workspace, numbered by the map as it meets them.
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
    /// The file it is or is in.
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
    /// The word that answers use.
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
    /// Its own name; a file's name with extension; a package's name.
    pub name: String,
    /// `Outer.inner`; empty for files and packages.
    pub qualified: String,
    /// Where it is; `None` for packages.
    pub path: Option<WsPath>,
    /// First and last line, 1-based; `(1, 1)` for files, `(0, 0)` for packages.
    pub lines: (u32, u32),
    /// The same range in bytes; `(0, 0)` for files and packages.
    pub bytes: (u32, u32),
    /// 1-based line and UTF-16 column of the name.
    pub name_at: (u32, u32),
    /// Header on one line; empty where there is none.
    pub signature: String,
    /// First paragraph of the documentation on one line; empty where there is none.
    pub doc: String,
    /// Properties; none for files and packages.
    pub flags: DefFlags,
    /// Hub score, 0 to 1; 0 until the first derivation is installed.
    pub score: f32,
}

/// The kinds of edges between two nodes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum EdgeKind {
    /// A file or definition holds a definition.
    Contains,
    /// A file imports a file, a definition or a package.
    Imports,
    /// A file offers something that is defined elsewhere, or under another name.
    Exports,
    /// Code calls or instantiates.
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

    /// The word that answers use.
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

    /// The kind of that name.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// A tie of one node to another, where edges are not all that counts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Tie {
    /// A method overrides another, or implements it.
    Overrides,
    /// An edge of this kind.
    Edge(EdgeKind),
}

impl Tie {
    /// The word that answers use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Overrides => "overrides",
            Self::Edge(kind) => kind.as_str(),
        }
    }
}

/// Some of the edge kinds.
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
    /// Those by which code uses something, rather than holds, imports or exports it.
    pub(super) fn of_users(self) -> Self {
        self.without(EdgeKind::Contains).without(EdgeKind::Imports).without(EdgeKind::Exports)
    }

    /// Returns the kinds by which something is held, imported or exported rather than used.
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
    /// A language server confirmed it at these contents.
    Live,
    /// Found in the same file's scopes.
    Exact,
    /// An import, a package scope, a declared type or a class hierarchy leads there.
    Import,
    /// The value that is called was followed there: through assignments, arguments, results, containers and fields.
    Flow,
    /// A framework calls it, by what its registration says: a route's handler, a task, a fixture, a command.
    Framework,
    /// There is only one definition of that name it can be.
    Name,
    /// One of several; not resolved.
    Candidate,
}

impl Confidence {
    /// The word that answers use.
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
    /// Towards the node: who calls it.
    In,
    /// Away from it: whom it calls.
    Out,
    /// Edges in both directions.
    Both,
}

impl Direction {
    /// The word that answers use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::In => "in",
            Self::Out => "out",
            Self::Both => "both",
        }
    }
}
