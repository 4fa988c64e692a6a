//! Sends each node of C and C++ to its handler, and holds what handlers remember between nodes.

use rustc_hash::{FxHashMap, FxHashSet};

use super::grammar::{CGrammar, CKind};
use crate::facts::{DefFlags, DefIdx, DefKind, StrId};
use crate::langs::support::{Comment, DefinitionLead, Handled, LeadingRun};
use crate::syntax::Node;
use crate::walk::{Cx, Rules, WalkStep};

/// The state of the walk over one file of C or C++.
pub(crate) struct Family {
    pub(crate) g: &'static CGrammar,
    pub(crate) lead: LeadingRun,
    pub(crate) handled: Handled,
    /// The wrapper of a definition (`typedef`, `template<>`), kept for the definition inside: the bytes where the
    /// wrapper starts and ends, and its lead.
    pub(crate) wrapper: Option<(usize, usize, DefinitionLead)>,
    /// The name that a `typedef` gives to the anonymous struct in it.
    pub(crate) alias_of: Option<AliasOf>,
    /// The first byte of the type of the last `typedef`.
    pub(crate) announced: usize,
    /// Words before braces, and tags that a `typedef` was the first to name; collected at the first use.
    pub(crate) tags: Option<FxHashSet<Vec<u8>>>,
    /// The enumeration around the walk, if its members belong to the scope around it.
    pub(crate) open_enum: Option<DefIdx>,
    /// The namespaces that this file defines, by qualified name (C++).
    pub(crate) namespaces: FxHashSet<StrId>,
    /// The types of variables at file level.
    pub(crate) globals: FxHashMap<StrId, StrId>,
    /// The types of fields, by the qualified name of the type that has the field, and the field's name.
    pub(crate) field_types: FxHashMap<(StrId, StrId), StrId>,
    /// The types that this file defines, by qualified name.
    pub(crate) types: FxHashMap<StrId, DefIdx>,
    /// The byte at which the outermost block around the walk ends; declarations before it are local.
    pub(crate) block_end: usize,
    /// A macro call that heads a block, see [`Family::macro_head`].
    pub(crate) head: Option<MacroHead>,
    /// The bytes of the name of the last `#ifndef NAME`, by which an include guard is known.
    pub(crate) guard: (usize, usize),
    /// Names of types that this file defines and that the grammar takes for words of the language.
    pub(crate) plain_names: FxHashSet<String>,
    /// The classes around the walk, innermost last: the byte at which each ends, and true while its members are public
    /// (C++).
    pub(crate) access: Vec<(usize, bool)>,
    /// The byte at which an anonymous namespace ends; nothing before it is exported (C++).
    pub(crate) hidden_until: usize,
    /// The byte at which a friend declaration ends; nothing before it is defined (C++).
    pub(crate) friend_until: usize,
}

/// The name that a `typedef` gives to an anonymous struct, see [`Family::alias_of`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct AliasOf {
    /// The first byte of the struct.
    pub(crate) start: usize,
    /// The bytes of the name.
    pub(crate) name: (usize, usize),
    /// The position of the name, see [`Cx::position`](crate::walk::Cx::position).
    pub(crate) at: (u32, u32),
}

/// The head `SYSCALL_DEFINE2(name, ...)` of a function, which is a call without its semicolon, and then a block, to the
/// parser.
#[derive(Debug)]
pub(crate) struct MacroHead {
    pub(crate) def: DefIdx,
    /// The byte at which the call ends.
    pub(crate) end: usize,
    /// The bytes of the call's further arguments, names of parameters among them.
    pub(crate) words: Vec<(usize, usize)>,
}

impl Family {
    pub(crate) fn new(g: &'static CGrammar) -> Self {
        Self {
            g,
            lead: LeadingRun::default(),
            handled: Handled::default(),
            wrapper: None,
            alias_of: None,
            announced: usize::MAX,
            tags: None,
            open_enum: None,
            namespaces: FxHashSet::default(),
            globals: FxHashMap::default(),
            field_types: FxHashMap::default(),
            types: FxHashMap::default(),
            block_end: 0,
            head: None,
            guard: (0, 0),
            plain_names: FxHashSet::default(),
            access: Vec::new(),
            hidden_until: 0,
            friend_until: 0,
        }
    }

    /// Takes the comments and attributes before `node`, or before the wrapper that it is in.
    pub(crate) fn take_outer(&mut self, node: Node<'_>, cx: &Cx<'_>) -> DefinitionLead {
        match self.wrapper.take() {
            Some((start, end, outer)) if (start..end).contains(&node.start_byte()) => outer,
            _ => self.lead.take_outer(node, cx),
        }
    }

    /// Returns true if `node` lies in a wrapper whose lead is still to be used.
    pub(crate) fn is_wrapped(&self, node: Node<'_>) -> bool {
        self.wrapper.as_ref().is_some_and(|(start, end, _)| (*start..*end).contains(&node.start_byte()))
    }

    /// Returns true if a declaration here is local to a function.
    pub(crate) fn is_local(&self, node: Node<'_>) -> bool {
        node.start_byte() < self.block_end
    }

    /// Returns the type that is being defined around this place, if that is the innermost definition.
    pub(crate) fn owner_type(&self, cx: &Cx<'_>) -> Option<DefIdx> {
        cx.owner().filter(|&owner| cx.facts.defs()[owner.index()].kind.is_type())
    }

    /// Returns the flags of a definition, which other files see unless it is `static` or in an anonymous namespace.
    pub(crate) fn export_flags(&self, node: Node<'_>, is_static: bool) -> DefFlags {
        DefFlags::default().with_if(!is_static && node.start_byte() >= self.hidden_until, DefFlags::EXPORTED)
    }

    /// Returns true if the declared type has its members here.
    pub(crate) fn has_body(&self, ty: Option<Node<'_>>) -> bool {
        ty.is_some_and(|ty| ty.child_by_field_id(self.g.f.body).is_some())
    }

    fn visit_block(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if !self.is_local(node) {
            self.block_end = node.end_byte();
            if self.open_headed_block(node, cx) {
                return WalkStep::Into;
            }
        }
        cx.open_scope(true);
        WalkStep::Into
    }
}

impl Rules for Family {
    fn enter<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        match self.g.kind(node) {
            CKind::Other => WalkStep::Into,
            CKind::Ident => self.visit_identifier(node, cx),
            CKind::TypeIdent => self.visit_type_identifier(node, cx),
            CKind::Call => self.visit_call(node, cx),
            CKind::Member => self.visit_member(node, cx),
            CKind::Declaration => self.visit_declaration(node, cx),
            CKind::FieldDecl => self.visit_field_declaration(node, cx),
            CKind::Param => self.visit_parameter(node, cx),
            CKind::Function => self.visit_function(node, cx),
            CKind::Block => self.visit_block(node, cx),
            CKind::Scope => {
                cx.open_scope(true);
                WalkStep::Into
            }
            CKind::Comment => {
                self.lead.add_comment(node, cx.source, Comment::Doc);
                WalkStep::Skip
            }
            CKind::Include | CKind::Define | CKind::Ifdef | CKind::Directive => {
                self.visit_preprocessor(node, cx)
            }
            CKind::Record => self.visit_record(node, cx),
            CKind::Enum => self.visit_enumeration(node, cx),
            CKind::Enumerator => self.visit_enumerator(node, cx),
            CKind::Typedef => self.visit_typedef(node, cx),
            CKind::Statement => self.visit_statement(node, cx),
            CKind::MacroType => self.visit_macro_type(node, cx),
            CKind::Error => self.visit_error(node, cx),
            CKind::PlainType => self.visit_plain_type(node, cx),
            CKind::Qualified => self.visit_qualified_use(node, cx, crate::facts::RefKind::Use),
            CKind::Nothing | CKind::FieldIdent | CKind::This | CKind::Access | CKind::Auto if !self.g.cpp => {
                WalkStep::Skip
            }
            // The other kinds are C++'s, in its folder.
            kind => self.enter_cpp(kind, node, cx),
        }
    }
}

/// Returns the kind of a variable's definition.
pub(crate) fn variable_kind(is_const: bool, cpp: bool) -> DefKind {
    if is_const && cpp { DefKind::Constant } else { DefKind::Variable }
}
