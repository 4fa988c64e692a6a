//! Defines how a language's folder describes its lexical scopes: a table of functions over nodes, and the notes that these make.

use std::ops::Range;

use crate::receiver::MemberRules;
use crate::syntax;
use crate::syntax::Node;

/// The kinds of scopes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ScopeKind {
    /// The whole file, or a module inside it that sees no name around it.
    File,
    /// A type with its members.
    Type,
    /// A function, which sees the names around it.
    Function,
    /// A function, or whatever else sees no variable of the scopes around it.
    Closed,
    /// A block, or whatever else ends the life of a name within a function.
    Block,
}

/// The relation of several bindings of one name in one scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rebinding {
    /// They are one variable, and any of the places may count as its declaration.
    Same,
    /// They are one variable, which the first place declares.
    First,
    /// Each hides those before it.
    Hides,
}

/// The rules by which a language opens lexical scopes and binds names in them.
#[derive(Debug)]
pub(crate) struct LocalRules {
    /// The scope that a node opens.
    pub(crate) scope_of: fn(&Visit<'_>) -> Option<ScopeKind>,
    /// Binds the names that a node binds. The scope that the node opens is open already.
    pub(crate) bind: fn(&Visit<'_>, &mut Binder<'_>),
    /// Returns true for a leaf that is a name whose meaning scopes decide: no member, key or part of a path.
    pub(crate) is_name: fn(&Visit<'_>) -> bool,
    /// The relation of several bindings in one scope.
    pub(crate) rebinding: Rebinding,
    /// The branches of statements, if bindings in different ones are told apart.
    pub(crate) branches: Option<&'static BranchRules>,
    /// True if functions inside a type see its members by their bare names.
    pub(crate) sees_members: bool,
    /// True if every name that a type's body binds is a member of it.
    pub(crate) binds_members: bool,
    /// The notation of members, if values are followed; `None` if they are not.
    pub(crate) members: Option<&'static MemberRules>,
}

/// The kinds of nodes that say which code runs instead of which other code.
#[derive(Debug)]
pub(crate) struct BranchRules {
    /// Kinds of siblings of which at most one runs.
    pub(crate) branches: &'static [&'static str],
    /// Kinds of siblings whose bindings run before the branches that follow.
    pub(crate) conditions: &'static [&'static str],
    /// Kinds of nodes whose content runs repeatedly.
    pub(crate) loops: &'static [&'static str],
    /// Kinds of nodes whose content runs when it is called.
    pub(crate) functions: &'static [&'static str],
}

/// A node, with its parent, its field and the nodes around it.
pub(crate) struct Visit<'t> {
    pub(crate) node: Node<'t>,
    pub(crate) parent: Option<Node<'t>>,
    pub(crate) field: Option<&'t str>,
    /// The nodes around it, outermost first; its parent is the last.
    pub(crate) around: &'t [Node<'t>],
}

impl<'t> Visit<'t> {
    pub(crate) fn kind(&self) -> &'t str {
        self.node.kind()
    }

    /// Returns the kind of the parent; empty at the root.
    pub(crate) fn parent_kind(&self) -> &'t str {
        self.parent.map_or("", |parent| parent.kind())
    }

    /// Yields the nodes around it, innermost first.
    pub(crate) fn ancestors(&self) -> impl Iterator<Item = Node<'t>> {
        self.around.iter().rev().copied()
    }

    /// Returns the first child in a field.
    pub(crate) fn child(&self, field: &str) -> Option<Node<'t>> {
        self.node.child_by_field_name(field)
    }

    /// Returns all named children in a field.
    pub(crate) fn children(&self, field: &str) -> Vec<Node<'t>> {
        self.node.children_by_field_name(field).filter(Node::is_named).collect()
    }
}

/// Returns the named children of a node.
pub(crate) fn named_children(node: Node<'_>) -> Vec<Node<'_>> {
    syntax::named_children(node).collect()
}

/// Returns true if a token without a name, such as an operator, is among a node's children.
pub(crate) fn has_token(node: Node<'_>, token: &str) -> bool {
    syntax::all_children(node).any(|child| child.kind() == token)
}

/// The scope that a binding belongs to, relative to the node that binds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BindingScope {
    /// The innermost one; that of the node itself, if it opens one.
    Here,
    /// The one around the node's own.
    Outside,
    /// The innermost function or file.
    Function,
    /// The scope around, up to the innermost function, that binds the name already; the innermost one if none does.
    Nearest,
    /// The file.
    File,
}

/// The kind of thing that binds a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BindingKind {
    /// A variable, parameter, type parameter or nested definition.
    Variable,
    /// A member of a type, or an import, which the resolution of the map knows better than the scopes of one file do.
    Shared,
    /// An assignment to a name that nothing else binds.
    Implicit,
    /// A label, which only jumps mean.
    Label,
}

/// The name spaces of a language in which one name may mean a type and a value side by side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NameSpace {
    /// Types and values.
    Any,
    /// Types alone.
    Types,
    /// Values alone.
    Values,
}

impl NameSpace {
    /// Returns true if a name in one space can mean what is bound in the other.
    pub(crate) fn meets(self, other: Self) -> bool {
        self == Self::Any || other == Self::Any || self == other
    }
}

/// One binding of the name that is looked for, as a language's rules note it.
pub(crate) struct BoundName {
    /// The bytes of the name.
    pub(crate) place: Range<usize>,
    /// The scope that it belongs to.
    pub(crate) within: BindingScope,
    /// The first byte at which the name has this meaning; 0 for all of its scope.
    pub(crate) from: usize,
    /// The kind of binding.
    pub(crate) kind: BindingKind,
    /// The name space that it binds the name in.
    pub(crate) space: NameSpace,
}

/// Collects what one node says about the name that is looked for.
pub(crate) struct Binder<'t> {
    source: &'t [u8],
    name: &'t str,
    from: usize,
    kind: BindingKind,
    space: NameSpace,
    pub(crate) bound: Vec<BoundName>,
    pub(crate) passes: Option<BindingScope>,
    /// The places where jumps name a label.
    pub(crate) labels: Vec<Range<usize>>,
    /// The name space in which the node itself, if it is the name, is looked up.
    pub(crate) sought_in: NameSpace,
}

impl<'t> Binder<'t> {
    pub(crate) fn new(source: &'t [u8], name: &'t str) -> Self {
        Self {
            source,
            name,
            from: 0,
            kind: BindingKind::Variable,
            space: NameSpace::Any,
            bound: Vec::new(),
            passes: None,
            sought_in: NameSpace::Any,
            labels: Vec::new(),
        }
    }

    /// Binds the name at a node, if it is the one that is looked for.
    pub(crate) fn bind(&mut self, name: Node<'_>, within: BindingScope) {
        if self.is_it(name) {
            self.bind_place(name.byte_range(), within);
        }
    }

    /// Binds those of these names that are the one looked for.
    pub(crate) fn bind_all<'n>(&mut self, names: impl IntoIterator<Item = Node<'n>>, within: BindingScope) {
        names.into_iter().for_each(|name| self.bind(name, within));
    }

    /// Binds the last part of a path: `"a/b"` gives `b`.
    pub(crate) fn bind_last_part(&mut self, path: Node<'_>, within: BindingScope) {
        let text = self.source.get(path.byte_range()).and_then(|text| std::str::from_utf8(text).ok());
        let text = text.unwrap_or_default().trim_end_matches(['"', '`']);
        let last = text.rsplit(['/', '"', '`']).next().unwrap_or_default();
        if last == self.name {
            let end = path.start_byte() + text.len();
            self.bind_place(end - last.len()..end, within);
        }
    }

    /// Sets the byte from which on names that are bound next have their meaning.
    pub(crate) fn visible_from(&mut self, byte: usize) -> &mut Self {
        self.from = byte;
        self
    }

    /// Sets the kind of the names that are bound next.
    pub(crate) fn of_kind(&mut self, kind: BindingKind) -> &mut Self {
        self.kind = kind;
        self
    }

    /// Sets the name space of the names that are bound next.
    pub(crate) fn in_space(&mut self, space: NameSpace) -> &mut Self {
        self.space = space;
        self
    }

    /// Restricts the lookup of the node itself to one name space, if it is the name.
    pub(crate) fn seek_in(&mut self, space: NameSpace) {
        self.sought_in = space;
    }

    /// Looks a name up elsewhere than in the innermost function.
    pub(crate) fn pass_to(&mut self, name: Node<'_>, within: BindingScope) {
        if self.is_it(name) {
            self.passes = Some(within);
        }
    }

    /// Notes a jump to a label.
    pub(crate) fn jump_to(&mut self, label: Node<'_>) {
        if self.is_it(label) {
            self.labels.push(label.byte_range());
        }
    }

    /// Returns true if the name at a node begins with a capital letter, as constants and types do.
    pub(crate) fn is_capital(&self, name: Node<'_>) -> bool {
        self.source.get(name.start_byte()).is_some_and(u8::is_ascii_uppercase)
    }

    /// Returns true if the name that is looked for stands at a node.
    pub(crate) fn is_it(&self, name: Node<'_>) -> bool {
        self.source.get(name.byte_range()) == Some(self.name.as_bytes())
    }

    fn bind_place(&mut self, place: Range<usize>, within: BindingScope) {
        let Self { from, kind, space, .. } = *self;
        self.bound.push(BoundName { place, within, from, kind, space });
    }
}
