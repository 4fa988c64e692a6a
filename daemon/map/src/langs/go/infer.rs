//! Infers types from the file itself: declarations at file level, literals, results of its own functions.

use super::grammar::GoKind;
use super::rules::GoWalk;
use crate::facts::{Receiver, StrId};
use crate::langs::support::each_child;
use crate::syntax::Node;
use crate::walk::{Binding, Cx, WalkStep};

/// Longest chain of members and calls whose types are followed.
const CHAIN_LIMIT: usize = 8;

impl GoWalk {
    /// Reads the declarations at file level before the walk.
    pub(super) fn visit_file(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let mut items = Vec::new();
        each_child(node, |item, _| items.push(item));
        for item in items {
            match self.g.kind(item) {
                GoKind::Function | GoKind::Method => self.record_result_type(item, cx),
                GoKind::Declaration => self.record_declared_types(item, cx),
                _ => {}
            }
        }
        WalkStep::Into
    }

    fn record_result_type(&mut self, item: Node<'_>, cx: &mut Cx<'_>) {
        let name = item.child_by_field_id(self.g.f.name).map_or("", |name| cx.text(name));
        let first = self.first_result(item);
        let Some(ty) = first.and_then(|ty| self.kept_type(ty, cx)) else { return };
        if self.is_type_parameter(item, ty, cx) {
            return;
        }
        let receiver = item.child_by_field_id(self.g.f.receiver).and_then(|list| list.named_child(0));
        let owner =
            receiver.and_then(|p| p.child_by_field_id(self.g.f.ty)).and_then(|ty| self.type_path(ty, cx));
        let key = match owner {
            Some(owner) => member_key(owner, name, cx),
            None => cx.facts.intern(name),
        };
        self.known.results.insert(key, ty);
    }

    pub(super) fn is_type_parameter(&self, item: Node<'_>, ty: StrId, cx: &Cx<'_>) -> bool {
        let list = crate::langs::support::child_where(item, |c| c.kind() == "type_parameter_list");
        let name = cx.facts.provisional_name(ty).trim_start_matches("[]");
        list.is_some_and(|list| {
            crate::langs::support::child_where(list, |p| {
                p.child_by_field_id(self.g.f.name).is_some_and(|n| cx.text(n) == name)
            })
            .is_some()
        })
    }

    fn record_declared_types(&mut self, item: Node<'_>, cx: &mut Cx<'_>) {
        let mut specs = Vec::new();
        each_child(item, |child, _| match child.kind() {
            "var_spec_list" => each_child(child, |spec, _| specs.push(spec)),
            _ => specs.push(child),
        });
        for spec in specs {
            match self.g.kind(spec) {
                GoKind::TypeSpec | GoKind::Alias => self.record_named_type(spec, cx),
                GoKind::VarSpec => self.record_variable_type(spec, cx),
                _ => {}
            }
        }
    }

    fn record_named_type(&mut self, spec: Node<'_>, cx: &mut Cx<'_>) {
        let Some(name) = spec.child_by_field_id(self.g.f.name) else { return };
        let owner = cx.facts.intern(cx.text(name));
        self.known.types.insert(owner);
        let Some(ty) = spec.child_by_field_id(self.g.f.ty) else { return };
        if self.g.kind(ty) == GoKind::Struct {
            let name = cx.text(name).to_owned();
            self.record_field_types(ty, &name, cx);
        } else if let Some(held) = self.kept_type(ty, cx).and_then(|kept| self.element_type(kept, cx)) {
            self.known.elements.insert(owner, held);
        }
    }

    fn record_variable_type(&mut self, spec: Node<'_>, cx: &mut Cx<'_>) {
        if let (Some(anonymous), Some(name)) =
            (self.anonymous_type_of(spec), spec.child_by_field_id(self.g.f.name))
        {
            let name = cx.text(name).to_owned();
            let kept = cx.facts.intern(&format!("{}{name}", anonymous.holders));
            let key = cx.facts.intern(&name);
            self.known.globals.insert(key, kept);
            self.record_field_types(anonymous.node, &name, cx);
            return;
        }
        let ty = match spec.child_by_field_id(self.g.f.ty) {
            Some(ty) => self.kept_type(ty, cx),
            None => spec
                .child_by_field_id(self.g.f.value)
                .filter(|values| values.named_child_count() == 1)
                .and_then(|values| self.value_type(values.named_child(0)?, cx)),
        };
        let name = spec.child_by_field_id(self.g.f.name);
        if let (Some(ty), Some(name)) = (ty, name) {
            let name = cx.facts.intern(cx.text(name));
            self.known.globals.insert(name, ty);
        }
    }

    /// Returns the dotted name of a type, through pointers and arguments; for a type parameter, that of its constraint.
    /// `None` for types without a name.
    pub(super) fn type_path(&self, ty: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
        let mut ty = ty;
        loop {
            ty = match self.g.kind(ty) {
                GoKind::Pointer | GoKind::Parens => ty.named_child(0)?,
                GoKind::Generic => ty.child_by_field_id(self.g.f.ty)?,
                _ => break,
            };
        }
        match self.g.kind(ty) {
            GoKind::TypeIdent | GoKind::Ident => {
                let name = cx.text(ty);
                match cx.local_binding(name) {
                    // A type parameter has the members of its constraint.
                    Some(Binding::Typed(constraint)) => Some(constraint),
                    Some(Binding::Opaque) => None,
                    None => (!name.is_empty() && !is_basic(name)).then(|| cx.facts.intern(name)),
                }
            }
            GoKind::Qualified => {
                let package = cx.text(ty.child_by_field_id(self.g.f.package)?);
                let name = cx.text(ty.child_by_field_id(self.g.f.name)?);
                Some(cx.facts.intern(&format!("{package}.{name}")))
            }
            GoKind::Selector => {
                let package = ty.child_by_field_id(self.g.f.operand)?;
                let name = cx.text(ty.child_by_field_id(self.g.f.member)?);
                let plain =
                    self.g.kind(package) == GoKind::Ident && cx.local_binding(cx.text(package)).is_none();
                plain.then(|| cx.facts.intern(&format!("{}.{name}", cx.text(package))))
            }
            _ => None,
        }
    }

    /// Returns the type of `T{..}`, `&T{..}`, `new(T)`, `x.(T)`, `T(x)`, and of calls of the file's own functions.
    pub(super) fn value_type(&self, value: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
        self.infer_type(value, CHAIN_LIMIT, cx)
    }

    fn infer_type(&self, value: Node<'_>, depth: usize, cx: &mut Cx<'_>) -> Option<StrId> {
        let depth = depth.checked_sub(1)?;
        match self.g.kind(value) {
            GoKind::Parens => self.infer_type(value.named_child(0)?, depth, cx),
            GoKind::Unary => {
                let ty = self.infer_type(value.named_child(0)?, depth, cx)?;
                if cx.text(value).starts_with("<-") { self.element_type(ty, cx) } else { Some(ty) }
            }
            GoKind::Composite | GoKind::Assertion => {
                self.kept_type(value.child_by_field_id(self.g.f.ty)?, cx)
            }
            GoKind::Index => {
                let holder = self.infer_type(value.child_by_field_id(self.g.f.operand)?, depth, cx)?;
                self.element_type(holder, cx)
            }
            GoKind::Call => self.call_type(value, depth, cx),
            GoKind::Ident => self.variable_type(cx.text(value), cx),
            GoKind::Selector => {
                let owner = self.infer_type(value.child_by_field_id(self.g.f.operand)?, depth, cx)?;
                let key = member_key(owner, cx.text(value.child_by_field_id(self.g.f.member)?), cx);
                self.known.fields.get(&key).copied()
            }
            _ if value.kind() == "slice_expression" => self.infer_type(value.named_child(0)?, depth, cx),
            _ => None,
        }
    }

    fn call_type(&self, call: Node<'_>, depth: usize, cx: &mut Cx<'_>) -> Option<StrId> {
        let function = call.child_by_field_id(self.g.f.function)?;
        match self.g.kind(function) {
            GoKind::Ident => {
                let name = cx.text(function);
                if cx.local_binding(name).is_some() {
                    return None;
                }
                let first = || call.child_by_field_id(self.g.f.arguments)?.named_child(0);
                match name {
                    "new" | "make" => return self.kept_type(first()?, cx),
                    "append" => return self.infer_type(first()?, depth, cx),
                    _ => {}
                }
                let id = cx.facts.intern(name);
                let conversion = self.known.types.contains(&id).then_some(id);
                self.known.results.get(&id).copied().or(conversion)
            }
            GoKind::Selector => {
                let owner = self.infer_type(function.child_by_field_id(self.g.f.operand)?, depth, cx)?;
                let key = member_key(owner, cx.text(function.child_by_field_id(self.g.f.member)?), cx);
                self.known.results.get(&key).copied()
            }
            _ => None,
        }
    }

    pub(super) fn variable_type(&self, name: &str, cx: &mut Cx<'_>) -> Option<StrId> {
        match cx.local_binding(name) {
            Some(Binding::Typed(ty)) => Some(ty),
            Some(Binding::Opaque) => None,
            None => {
                let id = cx.facts.intern(name);
                self.known.globals.get(&id).copied()
            }
        }
    }

    /// Returns the receiver that references record for the value before `.`.
    pub(super) fn receiver(&self, operand: Node<'_>, cx: &mut Cx<'_>) -> Receiver {
        if let Some(ty) = self.value_type(operand, cx) {
            let holds = cx.facts.provisional_name(ty).starts_with("[]");
            return if holds { Receiver::Unknown } else { Receiver::Typed(ty) };
        }
        let known = match self.g.kind(operand) {
            GoKind::Ident => cx.path_receiver(cx.text(operand)),
            GoKind::Selector => match self.package_path(operand, cx) {
                Some(path) => cx.path_receiver(&path),
                None => Receiver::Unknown,
            },
            _ => Receiver::Unknown,
        };
        match known {
            Receiver::Unknown => self.type_or_path(operand, cx).map_or(known, Receiver::Typed),
            known => known,
        }
    }

    /// Returns the path `pkg.Name` of a selector on a bare name.
    fn package_path(&self, selector: Node<'_>, cx: &Cx<'_>) -> Option<String> {
        let operand = selector.child_by_field_id(self.g.f.operand)?;
        let member = selector.child_by_field_id(self.g.f.member)?;
        (self.g.kind(operand) == GoKind::Ident).then(|| format!("{}.{}", cx.text(operand), cx.text(member)))
    }
}

fn member_key(owner: StrId, name: &str, cx: &mut Cx<'_>) -> StrId {
    let key = format!("{}.{name}", cx.facts.provisional_name(owner));
    cx.facts.intern(&key)
}

/// Returns true for types of the language itself.
pub(super) fn is_basic(name: &str) -> bool {
    matches!(
        name,
        "bool"
            | "string"
            | "int"
            | "int8"
            | "int16"
            | "int32"
            | "int64"
            | "uint"
            | "uint8"
            | "uint16"
            | "uint32"
            | "uint64"
            | "uintptr"
            | "byte"
            | "rune"
            | "float32"
            | "float64"
            | "complex64"
            | "complex128"
            | "error"
            | "any"
            | "comparable"
    )
}
