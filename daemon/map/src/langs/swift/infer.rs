//! Infers types from the file itself: annotations, initialisers, properties and results of its own types.

use super::grammar::SwiftKind;
use super::rules::SwiftRules;
use crate::facts::{Receiver, StrId};
use crate::langs::support::{child_where, each_child};
use crate::syntax::Node;
use crate::walk::{Binding, Cx, WalkStep};

/// Longest chain of `.` that is followed.
const PATH_LIMIT: usize = 32;
/// Longest chain of calls and properties whose types are followed.
const CHAIN_LIMIT: usize = 6;
/// Deepest nesting of types whose members are read before the walk.
const NESTING_LIMIT: usize = 16;

/// A list of declarations that is to be read, with its owner and the type parameters that are visible there.
struct Level<'t> {
    list: Node<'t>,
    owner: Option<StrId>,
    generics: Vec<&'t str>,
    depth: usize,
}

impl SwiftRules {
    /// Reads the types of all declarations of the file before the walk.
    pub(super) fn visit_file<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        each_child(node, |member, _| self.members.mark(member));
        let mut levels = vec![Level { list: node, owner: None, generics: Vec::new(), depth: 0 }];
        while let Some(level) = levels.pop() {
            let mut members = Vec::new();
            each_child(level.list, |member, _| members.push(member));
            for member in members {
                match self.g.kind(member) {
                    SwiftKind::Property | SwiftKind::Requirement => {
                        self.record_property_types(member, &level, cx);
                    }
                    SwiftKind::Function => self.record_result_type(member, &level, cx),
                    SwiftKind::Case => self.record_case_types(member, &level, cx),
                    SwiftKind::Type | SwiftKind::Protocol => levels.extend(self.level_of(member, &level, cx)),
                    _ => {}
                }
            }
        }
        WalkStep::Into
    }

    fn level_of<'t>(&self, node: Node<'t>, outer: &Level<'t>, cx: &mut Cx<'t>) -> Option<Level<'t>> {
        let list = node.child_by_field_id(self.g.f.body).filter(|_| outer.depth < NESTING_LIMIT)?;
        let name = self.extended_type(node.child_by_field_id(self.g.f.name)?, cx);
        let name = match outer.owner {
            Some(owner) => format!("{}.{name}", cx.facts.provisional_name(owner)),
            None => name,
        };
        let mut generics = outer.generics.clone();
        generics.extend(self.type_parameters(node, cx));
        Some(Level { list, owner: Some(cx.facts.intern(&name)), generics, depth: outer.depth + 1 })
    }

    /// Returns the names of a declaration's type parameters.
    fn type_parameters<'t>(&self, node: Node<'t>, cx: &Cx<'t>) -> Vec<&'t str> {
        let mut names = Vec::new();
        if let Some(list) = child_where(node, |c| c.kind() == "type_parameters") {
            each_child(list, |parameter, _| {
                names.extend(
                    child_where(parameter, |c| self.g.kind(c) == SwiftKind::TypeIdent).map(|n| cx.text(n)),
                );
            });
        }
        names
    }

    fn record_property_types(&mut self, node: Node<'_>, level: &Level<'_>, cx: &mut Cx<'_>) {
        let (mut name, mut known) = (None, Vec::new());
        each_child(node, |child, field| match self.g.kind(child) {
            SwiftKind::Pattern => name = child_where(child, |c| self.g.kind(c) == SwiftKind::Ident),
            SwiftKind::Annotation => known.extend(name.take().map(|name| (name, child))),
            _ if field == self.g.f.value => known.extend(name.take().map(|name| (name, child))),
            _ => {}
        });
        for (name, ty) in known {
            let ty = match self.g.kind(ty) {
                SwiftKind::Annotation => self.annotated_type(ty, cx),
                _ => self.value_type(ty, cx),
            };
            let ty = ty.filter(|ty| !level.generics.contains(&cx.facts.provisional_name(*ty)));
            if let Some(ty) = ty {
                let name = cx.facts.intern(cx.text(name));
                self.properties.insert((level.owner, name), ty);
            }
        }
    }

    fn record_case_types(&mut self, node: Node<'_>, level: &Level<'_>, cx: &mut Cx<'_>) {
        let Some(owner) = level.owner else { return };
        let mut names = Vec::new();
        each_child(node, |child, field| names.extend((field == self.g.f.name).then_some(child)));
        for name in names.into_iter().filter(|name| self.g.kind(*name) == SwiftKind::Ident) {
            let name = cx.facts.intern(cx.text(name));
            self.properties.insert((level.owner, name), owner);
        }
    }

    fn record_result_type(&mut self, node: Node<'_>, level: &Level<'_>, cx: &mut Cx<'_>) {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return };
        let mut generics = self.type_parameters(node, cx);
        generics.extend(&level.generics);
        let ty = node.child_by_field_id(self.g.f.result).and_then(|ty| self.type_path(ty, cx));
        let ty = ty.filter(|ty| !generics.contains(&cx.facts.provisional_name(*ty)));
        let ty = match ty {
            Some(ty) if cx.facts.provisional_name(ty) == "Self" => level.owner,
            ty => ty,
        };
        let name = cx.facts.intern(cx.text(name));
        let known = self.results.entry((level.owner, name)).or_insert(ty);
        if *known != ty {
            *known = None;
        }
    }

    /// Returns the type of an annotation `: T`.
    pub(super) fn annotated_type(&mut self, annotation: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
        let ty = annotation.child_by_field_id(self.g.f.ty);
        let ty = ty.or_else(|| annotation.child_by_field_id(self.g.f.name))?;
        self.type_path(ty, cx)
    }

    /// Returns the dotted name of a type, through `?`, `some` and `any` and without arguments; `None` for lists,
    /// functions and type parameters.
    pub(super) fn type_path(&self, ty: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
        let mut ty = ty;
        for _ in 0..PATH_LIMIT {
            match self.g.kind(ty) {
                SwiftKind::Optional => ty = ty.child_by_field_id(self.g.f.wrapped)?,
                SwiftKind::SomeType => ty = ty.named_child(0)?,
                SwiftKind::UserType => return self.user_path(ty, cx),
                SwiftKind::TypeIdent | SwiftKind::Ident => {
                    return cx.local_binding(cx.text(ty)).is_none().then(|| cx.facts.intern(cx.text(ty)));
                }
                _ => return None,
            }
        }
        None
    }

    fn user_path(&self, ty: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
        let mut names = Vec::new();
        each_child(ty, |c, _| names.extend((self.g.kind(c) == SwiftKind::TypeIdent).then(|| cx.text(c))));
        if names.len() > 1 && matches!(names.last(), Some(&("Type" | "Protocol"))) {
            names.pop();
        }
        let known = cx.local_binding(names.first()?).is_none();
        known.then(|| cx.facts.intern(&names.join(".")))
    }

    /// Returns the type of `T(..)`, `x as T`, of known variables and properties, and of the results of this file's
    /// functions.
    pub(super) fn value_type(&mut self, value: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
        self.infer_type(value, CHAIN_LIMIT, cx)
    }

    fn infer_type(&mut self, value: Node<'_>, depth: usize, cx: &mut Cx<'_>) -> Option<StrId> {
        let mut value = value;
        for _ in 0..depth {
            match self.g.kind(value) {
                SwiftKind::Wrapped => value = value.child_by_field_id(self.g.f.expr)?,
                SwiftKind::Postfix => value = value.child_by_field_id(self.g.f.target)?,
                SwiftKind::Tuple if value.named_child_count() == 1 => value = value.named_child(0)?,
                SwiftKind::As => return self.type_path(value.child_by_field_id(self.g.f.ty)?, cx),
                SwiftKind::Construct => {
                    return self.type_path(value.child_by_field_id(self.g.f.constructed)?, cx);
                }
                SwiftKind::Ident => return self.variable_type(value, cx),
                SwiftKind::SelfExpr => return self.body_around(value).map(|body| body.name),
                SwiftKind::KeyPath => {
                    let ty = child_where(value, |c| self.g.kind(c) == SwiftKind::TypeIdent)?;
                    return self.type_path(ty, cx);
                }
                SwiftKind::Navigation => return self.property_type(value, depth - 1, cx),
                SwiftKind::Call => return self.call_type(value, depth - 1, cx),
                _ => return None,
            }
        }
        None
    }

    /// Returns the type of a local, or of a property of the types around.
    pub(super) fn variable_type(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
        let text = cx.text(node);
        match cx.local_binding(text) {
            Some(Binding::Typed(ty)) => return Some(ty),
            Some(Binding::Opaque) => return None,
            None if text == "self" => return self.body_around(node).map(|body| body.name),
            None => {}
        }
        let name = cx.facts.intern(text);
        let around = self.owners_around(node);
        around.into_iter().find_map(|owner| self.properties.get(&(owner, name))).copied()
    }

    /// Returns the types whose members a bare name can mean, innermost first, and `None` for those of the file at the
    /// end.
    fn owners_around(&mut self, node: Node<'_>) -> Vec<Option<StrId>> {
        self.body_around(node);
        self.bodies.iter().rev().take(NESTING_LIMIT).map(|body| Some(body.name)).chain([None]).collect()
    }

    fn call_type(&mut self, call: Node<'_>, depth: usize, cx: &mut Cx<'_>) -> Option<StrId> {
        if self.is_subscript(call, cx) {
            return None;
        }
        let callee = call.named_child(0)?;
        match self.g.kind(callee) {
            SwiftKind::Ident => {
                let text = cx.text(callee);
                let name = cx.facts.intern(text);
                let found =
                    self.owners_around(call).into_iter().find_map(|owner| self.results.get(&(owner, name)));
                match found {
                    Some(ty) => *ty,
                    None if text == "Self" => self.body_around(call).map(|body| body.name),
                    None => (is_type_name(text) && cx.local_binding(text).is_none()).then_some(name),
                }
            }
            SwiftKind::Navigation => {
                let target = callee.child_by_field_id(self.g.f.target)?;
                let name = self.suffix_name(callee)?;
                let text = cx.text(name);
                if let Some(path) = self.type_name(target, cx) {
                    return self.static_result(&path, text, cx);
                }
                let owner = self.infer_type(target, depth, cx)?;
                let name = cx.facts.intern(text);
                self.results.get(&(Some(owner), name)).copied().flatten()
            }
            _ => None,
        }
    }

    /// Returns the type of the result of `Type.name(..)`: an instance for `init` and for a nested type, else the
    /// function's result.
    fn static_result(&self, path: &str, name: &str, cx: &mut Cx<'_>) -> Option<StrId> {
        let owner = cx.facts.intern(path);
        if name == "init" {
            return Some(owner);
        }
        if is_type_name(name) {
            return Some(cx.facts.intern(&format!("{path}.{name}")));
        }
        let name = cx.facts.intern(name);
        self.results.get(&(Some(owner), name)).copied().flatten()
    }

    fn property_type(&mut self, node: Node<'_>, depth: usize, cx: &mut Cx<'_>) -> Option<StrId> {
        let target = node.child_by_field_id(self.g.f.target)?;
        let name = cx.text(self.suffix_name(node)?);
        let owner = match self.type_name(target, cx) {
            Some(path) => cx.facts.intern(&path),
            None => self.infer_type(target, depth, cx)?,
        };
        if name == "self" {
            return Some(owner);
        }
        let name = cx.facts.intern(name);
        self.properties.get(&(Some(owner), name)).copied()
    }

    /// Returns the name of a type that is written as an expression, `Type` or `Outer.Type`: names that begin with a
    /// capital.
    pub(super) fn type_name(&self, node: Node<'_>, cx: &mut Cx<'_>) -> Option<String> {
        let path = self.name_path(node)?;
        let names: Vec<&str> = path.iter().map(|part| cx.text(*part)).collect();
        let free = names.first().is_some_and(|first| *first != "Self" && cx.local_binding(first).is_none());
        (free && names.iter().all(|name| is_type_name(name))).then(|| names.join("."))
    }

    /// Returns the name after the last dot.
    pub(super) fn suffix_name<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        let suffix = node.child_by_field_id(self.g.f.suffix)?;
        let name = suffix.child_by_field_id(self.g.f.suffix)?;
        (self.g.kind(name) == SwiftKind::Ident).then_some(name)
    }

    /// Returns the receiver that references record for the value before `.`.
    pub(super) fn receiver(&mut self, target: Node<'_>, cx: &mut Cx<'_>) -> Receiver {
        match self.g.kind(target) {
            SwiftKind::SelfExpr => return Receiver::SelfType,
            SwiftKind::SuperExpr => return Receiver::Super,
            SwiftKind::Ident if matches!(cx.text(target), "self" | "Self") => return Receiver::SelfType,
            _ => {}
        }
        let ty = match self.type_name(target, cx) {
            Some(_) => None,
            None => self.value_type(target, cx),
        };
        if let Some(ty) = ty {
            return Receiver::Typed(ty);
        }
        match self.name_path(target) {
            Some(path) if !cx.text(path[0]).starts_with('$') => {
                let names: Vec<&str> = path.iter().map(|part| cx.text(*part)).collect();
                cx.path_receiver(&names.join("."))
            }
            _ => Receiver::Unknown,
        }
    }

    /// Returns the names of `a.b.C`, if it is nothing but names.
    pub(super) fn name_path<'t>(&self, node: Node<'t>) -> Option<Vec<Node<'t>>> {
        let mut path = Vec::new();
        let mut node = node;
        while path.len() < PATH_LIMIT {
            match self.g.kind(node) {
                SwiftKind::Ident => {
                    path.push(node);
                    path.reverse();
                    return Some(path);
                }
                SwiftKind::Navigation => {
                    path.push(self.suffix_name(node)?);
                    node = node.child_by_field_id(self.g.f.target)?;
                }
                _ => return None,
            }
        }
        None
    }

    /// Returns true for `a[0]`, which is a call to the grammar too.
    pub(super) fn is_subscript(&self, call: Node<'_>, cx: &Cx<'_>) -> bool {
        let suffix = child_where(call, |c| self.g.kind(c) == SwiftKind::CallSuffix);
        suffix.is_some_and(|suffix| cx.source.get(suffix.start_byte()) == Some(&b'['))
    }
}

/// Returns true if a name begins with a capital, as those of types do by a convention without exceptions.
pub(super) fn is_type_name(name: &str) -> bool {
    name.trim_start_matches('_').starts_with(char::is_uppercase)
}
