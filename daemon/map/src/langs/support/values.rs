//! Infers the types of values from one file: declarations, creations, the results of its own methods.
//!
//! It serves languages with classes whose members may be named bare. A language says what kind of value an expression
//! is ([`Syntax`]); following chains of members and calls, and describing a receiver, is the same everywhere. It reads
//! no other file: the resolution finds the members of their types.

use rustc_hash::FxHashMap;

use super::Handled;
use crate::facts::{Receiver, RefKind, StrId};
use crate::syntax::Node;
use crate::walk::{Binding, Cx};

/// Longest chain of `.` that is followed.
const PATH_LIMIT: usize = 32;

/// Longest chain of calls and fields whose types are followed.
const CHAIN_LIMIT: usize = 6;

/// An expression, as far as types go.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TypedExpression<'t> {
    /// A value of the type that is written here: `new T()`, `(T) x`.
    Of(Node<'t>),
    /// A literal, with the name of its type.
    Literal(&'static str),
    /// A bare name, of a variable or a type.
    Name(Node<'t>),
    /// The current object: `this`.
    This,
    /// The current object as its base: `super`.
    Super,
    /// The object of an enclosing class, whose name is written here: `Outer.this`.
    Outer(Node<'t>),
    /// A member of a value.
    Member(Node<'t>, Node<'t>),
    /// The result of a call: of a member of a value, or of a bare name.
    Call(Option<Node<'t>>, Node<'t>),
    /// An expression with the value of another one, as brackets around it.
    Same(Node<'t>),
    /// Any other expression, whose type is unknown.
    Unknown,
}

/// The way in which a language writes values and types.
pub(crate) trait Syntax {
    /// True if a creation is written as a call of the type: `T()`.
    const CALLS_CREATE: bool;
    /// True if a capital letter tells a type from a value.
    const CAPITAL_IS_TYPE: bool;

    /// Returns the kind of value that an expression is.
    fn value<'t>(&self, node: Node<'t>, cx: &Cx<'_>) -> TypedExpression<'t>;

    /// Returns the names in a type, outermost first, without arguments; `None` if it has no name.
    fn type_segments<'t>(&self, ty: Node<'t>) -> Option<Vec<Node<'t>>>;

    /// Returns the dotted name of a type; `None` for type parameters and types without a name.
    fn type_path(&self, ty: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
        let parts = self.type_segments(ty)?;
        let names: Vec<&str> = parts.iter().map(|part| cx.text(*part)).collect();
        let known = cx.local_binding(names.first()?).is_none() && names != ["var"];
        known.then(|| cx.facts.intern(&names.join(".")))
    }
}

/// The kind of a body that the walk is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SurroundingBody {
    /// A type, by its qualified name; `open` says that its members are public unless they say otherwise.
    Type { name: StrId, open: bool },
    /// The body of a class without a name.
    Anonymous,
    /// A body of code, whose declarations are local.
    Code,
}

/// The types of the file's own members, and the bodies that the walk is in.
#[derive(Debug, Default)]
pub(crate) struct Members {
    /// The type of each field, by the qualified name of its type and its own name. At file level the type's name is
    /// empty.
    fields: FxHashMap<(StrId, StrId), StrId>,
    /// The type that each method returns, likewise; `None` if its overloads differ.
    results: FxHashMap<(StrId, StrId), Option<StrId>>,
    around: Vec<(usize, SurroundingBody)>,
}

impl Members {
    /// Enters a body, which ends where `node` ends.
    pub(crate) fn enter_body(&mut self, node: Node<'_>, body: SurroundingBody) {
        self.leave_before(node);
        self.around.push((node.end_byte(), body));
    }

    fn leave_before(&mut self, node: Node<'_>) {
        while self.around.pop_if(|(end, _)| *end <= node.start_byte()).is_some() {}
    }

    /// Returns the innermost body around a node.
    pub(crate) fn innermost_body(&mut self, node: Node<'_>) -> Option<SurroundingBody> {
        self.leave_before(node);
        self.around.last().map(|(_, body)| *body)
    }

    /// Returns the name of the innermost class around a node; `None` if that is anonymous, or there is no class.
    pub(crate) fn class_around(&mut self, node: Node<'_>) -> Option<StrId> {
        self.leave_before(node);
        match self.classes_around().next() {
            Some(SurroundingBody::Type { name, .. }) => Some(name),
            _ => None,
        }
    }

    fn classes_around(&self) -> impl Iterator<Item = SurroundingBody> {
        self.around.iter().rev().map(|(_, body)| *body).filter(|body| *body != SurroundingBody::Code)
    }

    fn is_anonymous(&mut self, node: Node<'_>) -> bool {
        self.leave_before(node);
        self.classes_around().next() == Some(SurroundingBody::Anonymous)
    }

    /// Records the type of a field, if it is known.
    pub(crate) fn record_field_type(&mut self, class: StrId, name: &str, ty: Option<StrId>, cx: &mut Cx<'_>) {
        if let Some(ty) = ty {
            self.fields.insert((class, cx.facts.intern(name)), ty);
        }
    }

    /// Records the type that a method returns; overloads that differ make it unknown.
    pub(crate) fn record_result_type(
        &mut self,
        class: StrId,
        name: &str,
        ty: Option<StrId>,
        cx: &mut Cx<'_>,
    ) {
        let known = self.results.entry((class, cx.facts.intern(name))).or_insert(ty);
        if *known != ty {
            *known = None;
        }
    }

    fn member_type(&self, class: StrId, name: StrId) -> Option<StrId> {
        self.fields.get(&(class, name)).copied().or_else(|| self.result(class, name))
    }

    fn result(&self, class: StrId, name: StrId) -> Option<StrId> {
        self.results.get(&(class, name)).copied().flatten()
    }

    /// Returns the qualified names of the types around a node, innermost first, and then the file's empty name; no
    /// further than the first anonymous class, whose bases' members come first.
    fn names_around(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Vec<StrId> {
        self.leave_before(node);
        let mut names = Vec::new();
        for body in self.classes_around() {
            match body {
                SurroundingBody::Type { name, .. } => names.push(name),
                _ => return names,
            }
        }
        names.push(cx.facts.intern(""));
        names
    }

    /// Returns the type of an expression, if the file alone tells it.
    pub(crate) fn type_of(
        &mut self,
        syntax: &impl Syntax,
        value: Node<'_>,
        cx: &mut Cx<'_>,
    ) -> Option<StrId> {
        self.infer_type(syntax, value, CHAIN_LIMIT, cx)
    }

    fn infer_type<S: Syntax>(
        &mut self,
        syntax: &S,
        node: Node<'_>,
        depth: usize,
        cx: &mut Cx<'_>,
    ) -> Option<StrId> {
        let depth = depth.checked_sub(1)?;
        match as_value(syntax, node, cx) {
            TypedExpression::Of(ty) | TypedExpression::Outer(ty) => syntax.type_path(ty, cx),
            TypedExpression::Literal(name) => Some(cx.facts.intern(name)),
            TypedExpression::Name(name) => self.variable_type(name, cx),
            TypedExpression::This => self.class_around(node),
            TypedExpression::Member(object, name) => {
                let owner = self.owner_type(syntax, object, depth, cx)?;
                let name = cx.facts.intern(cx.text(name));
                self.member_type(owner, name)
            }
            TypedExpression::Call(object, name) => self.returned_type(syntax, object, name, depth, cx),
            TypedExpression::Same(_) | TypedExpression::Super | TypedExpression::Unknown => None,
        }
    }

    /// Returns the type whose member is meant: the type of the value before the dot, or a type of this file that is
    /// named there.
    fn owner_type<S: Syntax>(
        &mut self,
        syntax: &S,
        object: Node<'_>,
        depth: usize,
        cx: &mut Cx<'_>,
    ) -> Option<StrId> {
        if let Some(ty) = self.infer_type(syntax, object, depth, cx) {
            return Some(ty);
        }
        match as_value(syntax, object, cx) {
            TypedExpression::Name(name) if is_capital(cx.text(name)) => Some(cx.facts.intern(cx.text(name))),
            _ => None,
        }
    }

    fn returned_type<S: Syntax>(
        &mut self,
        syntax: &S,
        object: Option<Node<'_>>,
        name: Node<'_>,
        depth: usize,
        cx: &mut Cx<'_>,
    ) -> Option<StrId> {
        let text = cx.text(name);
        let called = cx.facts.intern(text);
        let Some(object) = object else {
            let around = self.names_around(name, cx);
            let known = around.into_iter().find_map(|class| self.results.get(&(class, called)).copied());
            let creates = S::CALLS_CREATE && is_capital(text) && cx.local_binding(text).is_none();
            return known.unwrap_or(creates.then_some(called));
        };
        let known = self.owner_type(syntax, object, depth, cx).and_then(|owner| self.result(owner, called));
        if known.is_some() || !(S::CALLS_CREATE && is_capital(text)) {
            return known;
        }
        let path = name_path(syntax, object, cx)?;
        let names: Vec<&str> = path.iter().map(|part| cx.text(*part)).collect();
        let is_path = cx.local_binding(names[0]).is_none();
        is_path.then(|| cx.facts.intern(&format!("{}.{text}", names.join("."))))
    }

    /// Returns the type of a local, or of a field of the classes around.
    fn variable_type(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
        match cx.local_binding(cx.text(node)) {
            Some(Binding::Typed(ty)) => Some(ty),
            Some(Binding::Opaque) => None,
            None => self.member_around(cx.text(node), node, cx),
        }
    }

    /// Returns the type of a member of the classes around a node.
    pub(crate) fn member_around(&mut self, name: &str, node: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
        let name = cx.facts.intern(name);
        let around = self.names_around(node, cx);
        around.into_iter().find_map(|class| self.member_type(class, name))
    }

    /// Returns the receiver that references record for the value before `.`.
    pub(crate) fn receiver(&mut self, syntax: &impl Syntax, object: Node<'_>, cx: &mut Cx<'_>) -> Receiver {
        match as_value(syntax, object, cx) {
            TypedExpression::This | TypedExpression::Super if self.is_anonymous(object) => {
                return Receiver::Unknown;
            }
            TypedExpression::This => return Receiver::SelfType,
            TypedExpression::Super => return Receiver::Super,
            _ => {}
        }
        if let Some(ty) = self.type_of(syntax, object, cx) {
            return Receiver::Typed(ty);
        }
        match name_path(syntax, object, cx) {
            Some(path) => {
                let names: Vec<&str> = path.iter().map(|part| cx.text(*part)).collect();
                cx.path_receiver(&names.join("."))
            }
            None => Receiver::Unknown,
        }
    }

    /// Records the use of a member `name` of `object`, and of the type that `object` may start with. Marks the nodes of
    /// `object` that it records, and `name`, in `handled`.
    pub(crate) fn refer_member(
        &mut self,
        syntax: &impl Syntax,
        object: Node<'_>,
        name: Node<'_>,
        kind: RefKind,
        handled: &mut Handled,
        cx: &mut Cx<'_>,
    ) {
        let receiver = self.receiver(syntax, object, cx);
        type_on_path(syntax, object, receiver, handled, cx);
        handled.mark(name);
        if receiver != Receiver::Unknown || kind != RefKind::Use {
            cx.record_use(cx.text(name), name, kind, receiver);
        }
    }
}

/// Records the use of the type in `a.b.Type.member`; the names before it are packages, which are no definitions.
fn type_on_path<S: Syntax>(
    syntax: &S,
    object: Node<'_>,
    receiver: Receiver,
    handled: &mut Handled,
    cx: &mut Cx<'_>,
) {
    let is_path = matches!(receiver, Receiver::Path(_));
    let Some(path) = name_path(syntax, object, cx).filter(|_| is_path) else { return };
    let first_type = path.iter().position(|part| is_capital(cx.text(*part)));
    let Some(at) = (if S::CAPITAL_IS_TYPE { first_type } else { Some(0) }) else { return };
    let names: Vec<&str> = path.iter().map(|part| cx.text(*part)).collect();
    for (end, part) in path.iter().enumerate() {
        handled.mark(*part);
        let kind = if end == at && S::CAPITAL_IS_TYPE { RefKind::Type } else { RefKind::Use };
        let receiver = match end {
            0 => Receiver::None,
            end => Receiver::Path(cx.facts.intern(&names[..end].join("."))),
        };
        if end >= at {
            cx.record_use(names[end], *part, kind, receiver);
        }
    }
    // The accesses between the names are handled with the path.
    let mut node = object;
    while let TypedExpression::Member(inner, _) = as_value(syntax, node, cx) {
        handled.mark(node);
        node = inner;
    }
}

/// Returns the kind of value that an expression is, brackets aside.
fn as_value<'t>(syntax: &impl Syntax, node: Node<'t>, cx: &Cx<'_>) -> TypedExpression<'t> {
    let mut node = node;
    for _ in 0..PATH_LIMIT {
        match syntax.value(node, cx) {
            TypedExpression::Same(inner) => node = inner,
            value => return value,
        }
    }
    TypedExpression::Unknown
}

/// Returns the names of `a.b.C`, if it is nothing but names.
fn name_path<'t>(syntax: &impl Syntax, node: Node<'t>, cx: &Cx<'_>) -> Option<Vec<Node<'t>>> {
    let mut path = Vec::new();
    let mut node = node;
    while path.len() < PATH_LIMIT {
        match syntax.value(node, cx) {
            TypedExpression::Name(name) => {
                path.push(name);
                path.reverse();
                return Some(path);
            }
            TypedExpression::Member(object, name) => {
                path.push(name);
                node = object;
            }
            _ => return None,
        }
    }
    None
}

/// Returns true if a name begins with a capital, as types do.
pub(crate) fn is_capital(name: &str) -> bool {
    name.starts_with(|c: char| c.is_uppercase())
}
