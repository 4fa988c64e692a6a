//! Types that the file itself tells: declarations at file level, literals, results of its own functions.

use tree_sitter::Node;

use super::grammar::GoKind;
use super::rules::GoRules;
use crate::facts::{Receiver, StrId};
use crate::langs::support::each_child;
use crate::walk::{Binding, Cx, WalkStep};

impl GoRules {
    /// Reads the declarations at file level before the walk.
    pub(super) fn visit_file(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let mut items = Vec::new();
        each_child(node, |item, _| items.push(item));
        for item in items {
            match self.g.kind(item) {
                GoKind::Function | GoKind::Method => self.know_result(item, cx),
                GoKind::Declaration => self.know_declaration(item, cx),
                _ => {}
            }
        }
        WalkStep::Into
    }

    fn know_result(&mut self, item: Node<'_>, cx: &mut Cx<'_>) {
        let name = item.child_by_field_id(self.g.f.name).map_or("", |name| cx.text(name));
        let Some(result) = item.child_by_field_id(self.g.f.result) else { return };
        let first = match result.kind() {
            "parameter_list" => result.named_child(0).and_then(|p| p.child_by_field_id(self.g.f.ty)),
            _ => Some(result),
        };
        let Some(ty) = first.and_then(|ty| self.type_path(ty, cx)) else { return };
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

    fn is_type_parameter(&self, item: Node<'_>, ty: StrId, cx: &Cx<'_>) -> bool {
        let list = crate::langs::support::child_where(item, |c| c.kind() == "type_parameter_list");
        let name = cx.facts.provisional_name(ty);
        list.is_some_and(|list| {
            crate::langs::support::child_where(list, |p| {
                p.child_by_field_id(self.g.f.name).is_some_and(|n| cx.text(n) == name)
            })
            .is_some()
        })
    }

    fn know_declaration(&mut self, item: Node<'_>, cx: &mut Cx<'_>) {
        let mut specs = Vec::new();
        each_child(item, |child, _| match child.kind() {
            "var_spec_list" => each_child(child, |spec, _| specs.push(spec)),
            _ => specs.push(child),
        });
        for spec in specs {
            match self.g.kind(spec) {
                GoKind::TypeSpec => self.know_type(spec, cx),
                GoKind::VarSpec => self.know_variable(spec, cx),
                _ => {}
            }
        }
    }

    fn know_type(&mut self, spec: Node<'_>, cx: &mut Cx<'_>) {
        let Some(name) = spec.child_by_field_id(self.g.f.name) else { return };
        let owner = cx.facts.intern(cx.text(name));
        self.known.types.insert(owner);
        let body = spec.child_by_field_id(self.g.f.ty).filter(|ty| self.g.kind(*ty) == GoKind::Struct);
        let Some(list) = body.and_then(|ty| ty.named_child(0)) else { return };
        let mut fields = Vec::new();
        each_child(list, |field, _| fields.extend((self.g.kind(field) == GoKind::Field).then_some(field)));
        for field in fields {
            let Some(ty) = field.child_by_field_id(self.g.f.ty).and_then(|ty| self.type_path(ty, cx)) else {
                continue;
            };
            let mut named = false;
            each_child(field, |child, id| {
                if id == self.g.f.name {
                    named = true;
                    let key = member_key(owner, cx.text(child), cx);
                    self.known.fields.insert(key, ty);
                }
            });
            if !named {
                let text = cx.facts.provisional_name(ty).to_owned();
                let key = member_key(owner, text.rsplit('.').next().unwrap_or(&text), cx);
                self.known.fields.insert(key, ty);
            }
        }
    }

    fn know_variable(&mut self, spec: Node<'_>, cx: &mut Cx<'_>) {
        let ty = match spec.child_by_field_id(self.g.f.ty) {
            Some(ty) => self.type_path(ty, cx),
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

    /// The dotted name of a type, through pointers and arguments; none for what has no name, and for type parameters.
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
                let usable = !name.is_empty() && !is_basic(name) && cx.local_binding(name).is_none();
                usable.then(|| cx.facts.intern(name))
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

    /// The type of `T{..}`, `&T{..}`, `new(T)`, `x.(T)`, `T(x)`, and of calls of the file's own functions.
    pub(super) fn value_type(&self, value: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
        let mut value = value;
        for _ in 0..8 {
            match self.g.kind(value) {
                GoKind::Parens | GoKind::Unary => value = value.named_child(0)?,
                GoKind::Composite | GoKind::Assertion => {
                    return self.type_path(value.child_by_field_id(self.g.f.ty)?, cx);
                }
                GoKind::Call => return self.call_type(value, cx),
                GoKind::Ident => return self.variable_type(cx.text(value), cx),
                GoKind::Selector => return self.field_type(value, cx),
                _ => return None,
            }
        }
        None
    }

    fn call_type(&self, call: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
        let function = call.child_by_field_id(self.g.f.function)?;
        match self.g.kind(function) {
            GoKind::Ident => {
                let name = cx.text(function);
                if cx.local_binding(name).is_some() {
                    return None;
                }
                if name == "new" {
                    let arguments = call.child_by_field_id(self.g.f.arguments)?;
                    return self.type_path(arguments.named_child(0)?, cx);
                }
                let id = cx.facts.intern(name);
                let conversion = self.known.types.contains(&id).then_some(id);
                self.known.results.get(&id).copied().or(conversion)
            }
            GoKind::Selector => {
                let operand = function.child_by_field_id(self.g.f.operand)?;
                let owner = match self.g.kind(operand) {
                    GoKind::Ident => self.variable_type(cx.text(operand), cx)?,
                    GoKind::Selector => self.field_type(operand, cx)?,
                    _ => return None,
                };
                let name = cx.text(function.child_by_field_id(self.g.f.member)?);
                let key = member_key(owner, name, cx);
                self.known.results.get(&key).copied()
            }
            _ => None,
        }
    }

    fn variable_type(&self, name: &str, cx: &mut Cx<'_>) -> Option<StrId> {
        match cx.local_binding(name) {
            Some(Binding::Typed(ty)) => Some(ty),
            Some(Binding::Opaque) => None,
            None => {
                let id = cx.facts.intern(name);
                self.known.globals.get(&id).copied()
            }
        }
    }

    /// The declared type of `x.field`, where the struct is in this file.
    fn field_type(&self, selector: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
        let mut fields = Vec::new();
        let mut node = selector;
        while self.g.kind(node) == GoKind::Selector && fields.len() < 8 {
            fields.push(node.child_by_field_id(self.g.f.member)?);
            node = node.child_by_field_id(self.g.f.operand)?;
        }
        let first = if self.g.kind(node) == GoKind::Ident {
            self.variable_type(cx.text(node), cx)?
        } else {
            return None;
        };
        fields.iter().rev().try_fold(first, |owner, field| {
            let key = member_key(owner, cx.text(*field), cx);
            self.known.fields.get(&key).copied()
        })
    }

    /// Returns what is known of the value before `.`.
    pub(super) fn receiver(&self, operand: Node<'_>, cx: &mut Cx<'_>) -> Receiver {
        if let Some(ty) = self.value_type(operand, cx) {
            return Receiver::Typed(ty);
        }
        match self.g.kind(operand) {
            GoKind::Ident => cx.path_receiver(cx.text(operand)),
            GoKind::Selector => match self.package_path(operand, cx) {
                Some(path) => cx.path_receiver(&path),
                None => Receiver::Unknown,
            },
            _ => Receiver::Unknown,
        }
    }

    /// `pkg.Name` of a selector on a bare name.
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

/// Types of the language itself.
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
