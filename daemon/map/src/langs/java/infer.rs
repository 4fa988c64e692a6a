//! Infers types from the file itself: declarations, `new`, casts.

use super::grammar::JavaKind;
use super::rules::JavaRules;
use crate::facts::{Receiver, StrId};
use crate::syntax::Node;
use crate::walk::{Binding, Cx};

/// Longest chain of `.` that is followed.
const PATH_LIMIT: usize = 32;

/// Longest chain of calls and fields whose types are followed.
const CHAIN_LIMIT: usize = 6;

impl JavaRules {
    /// Returns the dotted name of a type, without arguments; for a type parameter, that of its bound. `None` for
    /// arrays, primitive types and other type parameters.
    pub(super) fn type_path(&self, ty: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
        let parts = self.type_segments(ty)?;
        let names: Vec<&str> = parts.iter().map(|part| cx.text(*part)).collect();
        match cx.local_binding(names.first()?) {
            // A type parameter stands for the type that it extends.
            Some(Binding::Typed(bound)) if names.len() == 1 => Some(bound),
            Some(_) => None,
            None => (names != ["var"]).then(|| cx.facts.intern(&names.join("."))),
        }
    }

    /// Returns the names in a type, outermost first.
    pub(super) fn type_segments<'t>(&self, ty: Node<'t>) -> Option<Vec<Node<'t>>> {
        let mut segments = Vec::new();
        let mut node = ty;
        while segments.len() < PATH_LIMIT {
            match self.g.kind(node) {
                JavaKind::TypeIdent | JavaKind::Ident => {
                    segments.push(node);
                    segments.reverse();
                    return Some(segments);
                }
                JavaKind::Generic => node = node.named_child(0)?,
                JavaKind::Annotated => {
                    node = node.named_child(node.named_child_count().checked_sub(1)? as u32)?;
                }
                JavaKind::ScopedType => {
                    segments.push(node.named_child(node.named_child_count().checked_sub(1)? as u32)?);
                    node = node.named_child(0)?;
                }
                JavaKind::ScopedName => {
                    segments.push(node.child_by_field_id(self.g.f.name)?);
                    node = node.named_child(0)?;
                }
                _ => return None,
            }
        }
        None
    }

    /// Returns the type of `new T(..)`, `(T) x`, a string, of known variables and fields, and of the results of this
    /// file's methods.
    pub(super) fn value_type(&mut self, value: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
        self.infer_type(value, CHAIN_LIMIT, cx)
    }

    fn infer_type(&mut self, value: Node<'_>, depth: usize, cx: &mut Cx<'_>) -> Option<StrId> {
        let mut value = value;
        for _ in 0..depth {
            match self.g.kind(value) {
                JavaKind::Parens => value = value.named_child(0)?,
                JavaKind::New | JavaKind::Cast => {
                    return self.type_path(value.child_by_field_id(self.g.f.ty)?, cx);
                }
                JavaKind::Text => return Some(cx.facts.intern("String")),
                JavaKind::Ident => return self.variable_type(value, cx),
                JavaKind::This => return self.classes_around(value).last().and_then(|class| class.name),
                JavaKind::FieldAccess => return self.field_type(value, depth - 1, cx),
                JavaKind::Invocation => return self.result_type(value, depth - 1, cx),
                _ => return None,
            }
        }
        None
    }

    fn result_type(&mut self, call: Node<'_>, depth: usize, cx: &mut Cx<'_>) -> Option<StrId> {
        let name = cx.facts.intern(cx.text(call.child_by_field_id(self.g.f.name)?));
        if let Some(object) = call.child_by_field_id(self.g.f.object) {
            let owner = self.infer_type(object, depth, cx)?;
            return self.results.get(&(owner, name)).copied().flatten();
        }
        self.classes_around(call);
        // In an anonymous class, its bases' methods come before those of the classes around.
        let around = self.classes.iter().rev().map_while(|class| class.name);
        around.filter_map(|class| self.results.get(&(class, name))).next().copied().flatten()
    }

    /// Returns the type of a local, or of a field of the classes around.
    fn variable_type(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
        match cx.local_binding(cx.text(node)) {
            Some(Binding::Typed(ty)) => Some(ty),
            Some(Binding::Opaque) => None,
            None => {
                let name = cx.facts.intern(cx.text(node));
                self.classes_around(node);
                let around = self.classes.iter().rev().filter_map(|class| class.name);
                around.filter_map(|class| self.field_types.get(&(class, name))).next().copied()
            }
        }
    }

    /// Returns the declared type of `this.field` and of `x.field`, where the class is in this file.
    fn field_type(&mut self, access: Node<'_>, depth: usize, cx: &mut Cx<'_>) -> Option<StrId> {
        let object = access.child_by_field_id(self.g.f.object)?;
        let field = access.child_by_field_id(self.g.f.member)?;
        if self.g.kind(field) == JavaKind::This {
            return self.type_path(object, cx);
        }
        let owner = self.infer_type(object, depth, cx)?;
        let field = cx.facts.intern(cx.text(field));
        self.field_types.get(&(owner, field)).copied()
    }

    /// Returns the receiver that references record for the value before `.`.
    pub(super) fn receiver(&mut self, object: Node<'_>, cx: &mut Cx<'_>) -> Receiver {
        match self.g.kind(object) {
            JavaKind::This | JavaKind::Super if self.is_anonymous(object) => return Receiver::Unknown,
            JavaKind::This => return Receiver::SelfType,
            JavaKind::Super => return Receiver::Super,
            _ => {}
        }
        if let Some(ty) = self.value_type(object, cx) {
            return Receiver::Typed(ty);
        }
        match self.name_path(object) {
            Some(path) => {
                let names: Vec<&str> = path.iter().map(|part| cx.text(*part)).collect();
                cx.path_receiver(&names.join("."))
            }
            None => Receiver::Unknown,
        }
    }

    fn is_anonymous(&mut self, node: Node<'_>) -> bool {
        self.classes_around(node).last().is_some_and(|class| class.name.is_none())
    }

    /// Returns the names of `a.b.C`, if it is nothing but names.
    pub(super) fn name_path<'t>(&self, node: Node<'t>) -> Option<Vec<Node<'t>>> {
        let mut path = Vec::new();
        let mut node = node;
        while path.len() < PATH_LIMIT {
            match self.g.kind(node) {
                JavaKind::Ident => {
                    path.push(node);
                    path.reverse();
                    return Some(path);
                }
                JavaKind::FieldAccess => {
                    path.push(
                        node.child_by_field_id(self.g.f.member)
                            .filter(|m| self.g.kind(*m) == JavaKind::Ident)?,
                    );
                    node = node.child_by_field_id(self.g.f.object)?;
                }
                _ => return None,
            }
        }
        None
    }
}
