//! Infers types from the text: annotations, constructors, fields of structs in this file. If a type depends on other
//! files, it leaves a path of names and calls to the resolution (`=WalkBuilder.new().hidden()`, see [`TypeHint`] and
//! the module `values`).
//!
//! [`TypeHint`]: crate::facts::TypeHint

use super::grammar::RustKind;
use super::rules::RustWalk;
use crate::facts::{Receiver, StrId};
use crate::syntax::Node;
use crate::walk::{Binding, Cx};

/// Longest chain of calls and fields that is followed.
pub(super) const CHAIN_LIMIT: usize = 6;
/// Most calls and fields in a path for the resolution: builders have long ones.
pub(super) const PATH_STEPS: usize = 24;
/// Longest path for the resolution, in bytes.
pub(super) const PATH_LIMIT: usize = 300;

impl RustWalk {
    /// Returns the type of a value as a binding has it: a plain name, or the result of [`RustWalk::type_text`] behind
    /// a `=`.
    pub(super) fn type_path(&mut self, ty: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
        let text = self.type_text(ty, cx)?;
        Some(cx.facts.intern(&if text.starts_with(':') { format!("={text}") } else { text }))
    }

    /// Returns the type of a value, if it is a plain name.
    pub(super) fn type_name(&mut self, ty: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
        self.type_path(ty, cx).filter(|ty| !cx.facts.provisional_name(*ty).starts_with('='))
    }

    pub(super) fn is_pointer(&self, generic: Node<'_>, cx: &Cx<'_>) -> bool {
        let name = generic.child_by_field_id(self.g.f.ty).map_or("", |name| cx.text(name));
        matches!(name, "Box" | "Arc" | "Rc")
    }

    /// Returns the dotted name of a type or path, without generic arguments.
    pub(super) fn dotted_path(&self, ty: Node<'_>, cx: &Cx<'_>) -> Option<String> {
        match self.g.kind(ty) {
            RustKind::Generic => self.dotted_path(ty.child_by_field_id(self.g.f.ty)?, cx),
            RustKind::TypeIdent | RustKind::Ident => {
                Some(cx.text(ty).to_owned()).filter(|name| !name.is_empty())
            }
            RustKind::Scoped | RustKind::ScopedType => {
                let path = self.segments(ty, cx)?;
                Some(path.iter().map(|(text, _)| *text).collect::<Vec<_>>().join("."))
            }
            _ => None,
        }
    }

    /// Returns the type of a value whose text shows it: `Foo { .. }`, `Foo::new(..)`, `Foo(..)`, calls of this file's
    /// functions, through `&`, `?` and owning pointers; else the path by which the resolution may find it.
    pub(super) fn value_type(&mut self, value: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
        self.infer_type(value, CHAIN_LIMIT, cx).or_else(|| {
            let path = self.value_path(value, PATH_STEPS, cx)?;
            as_binding(&path, cx)
        })
    }

    /// Returns the hint that a declared type gives to other files; see [`TypeHint`](crate::facts::TypeHint). `items`
    /// are the items whose type parameters it may name.
    pub(super) fn hint_text(&mut self, ty: Node<'_>, items: &[Node<'_>], cx: &mut Cx<'_>) -> Option<String> {
        let mut own = ty;
        while self.g.kind(own) == RustKind::RefType {
            own = own.child_by_field_id(self.g.f.ty)?;
        }
        if self.dotted_path(own, cx).as_deref() == Some("Self") {
            return Some("=self".to_owned());
        }
        let path = self.type_path(ty, cx).filter(|ty| !self.is_parameter(items, *ty, cx))?;
        let says = cx.facts.provisional_name(path);
        Some(if says.starts_with("=:") { says[1..].to_owned() } else { says.to_owned() })
    }

    pub(super) fn infer_type(&mut self, value: Node<'_>, depth: usize, cx: &mut Cx<'_>) -> Option<StrId> {
        let mut value = value;
        let mut tried = false;
        for _ in 0..depth {
            value = match self.g.kind(value) {
                RustKind::Reference => value.child_by_field_id(self.g.f.value)?,
                RustKind::Try => {
                    tried = true;
                    value.named_child(0)?
                }
                RustKind::StructExpr => {
                    let name = value.child_by_field_id(self.g.f.name)?;
                    return self.type_path(name, cx);
                }
                RustKind::Call => match self.wrapped_value(value, cx) {
                    Some(inner) => inner,
                    None => return self.call_type(value, tried, depth, cx),
                },
                RustKind::Ident if tried => return None,
                RustKind::Ident => return binding_type(cx.local_binding(cx.text(value))),
                RustKind::SelfValue => return self.body_around(value).and_then(|body| body.self_type),
                RustKind::FieldExpr if !tried => return self.field_type(value, depth - 1, cx),
                _ => return None,
            };
        }
        None
    }

    /// Returns `x` of `Box::new(x)`, and the argument of other functions that return it.
    fn wrapped_value<'t>(&self, call: Node<'t>, cx: &Cx<'_>) -> Option<Node<'t>> {
        let function = call.child_by_field_id(self.g.f.function)?;
        const SAME: [&str; 9] = [
            "Box::new",
            "Arc::new",
            "Rc::new",
            "Arc::clone",
            "Rc::clone",
            "mem::take",
            "std::mem::take",
            "mem::replace",
            "black_box",
        ];
        if !SAME.contains(&cx.text(function)) {
            return None;
        }
        call.child_by_field_id(self.g.f.arguments)?.named_child(0)
    }

    fn call_type(&mut self, call: Node<'_>, tried: bool, depth: usize, cx: &mut Cx<'_>) -> Option<StrId> {
        let function = call.child_by_field_id(self.g.f.function)?;
        match self.g.kind(function) {
            RustKind::Ident => {
                let name = cx.text(function);
                if cx.local_binding(name).is_some() {
                    return None;
                }
                let variant = matches!(name, "Some" | "Ok" | "Err");
                let tuple = is_type_name(name) && !variant && !tried;
                let id = cx.facts.intern(name);
                self.result((None, id), tried).or(tuple.then_some(id))
            }
            RustKind::Scoped => self.associated_result(function, tried, cx),
            RustKind::FieldExpr => {
                let method = function.child_by_field_id(self.g.f.member).map_or("", |name| cx.text(name));
                let value = function.child_by_field_id(self.g.f.value)?;
                let owner = self.infer_type(value, depth - 1, cx)?;
                let name = cx.facts.intern(method);
                let copied = (method == "clone" && !tried).then_some(owner);
                self.result((Some(owner), name), tried).or(copied)
            }
            _ => None,
        }
    }

    /// Returns the type that a function returns, as this file declares it; `None` inside of modules with a body, where
    /// names may mean something else.
    fn result(&self, function: (Option<StrId>, StrId), tried: bool) -> Option<StrId> {
        let results = self.modules.is_empty().then_some(&self.results)?;
        results.get(&function).filter(|returned| returned.wrapped == tried).map(|returned| returned.ty)
    }

    /// Returns the type of `Type::function(..)`: the declared result in this file, or the type itself if the function
    /// is named like a constructor.
    fn associated_result(&mut self, function: Node<'_>, tried: bool, cx: &mut Cx<'_>) -> Option<StrId> {
        let path = function.child_by_field_id(self.g.f.path)?;
        let name = function.child_by_field_id(self.g.f.name).map_or("", |name| cx.text(name));
        if !is_type_name(&self.last_segment(path, cx)) {
            return None;
        }
        let owner = self.type_path(path, cx)?;
        let id = cx.facts.intern(name);
        match self.results.get(&(Some(owner), id)) {
            Some(_) => self.result((Some(owner), id), tried),
            None => is_constructor_name(name, tried).then_some(owner),
        }
    }

    fn last_segment(&self, path: Node<'_>, cx: &Cx<'_>) -> String {
        self.dotted_path(path, cx)
            .map_or(String::new(), |path| path.rsplit('.').next().unwrap_or("").to_owned())
    }

    /// Returns the receiver that references record for the value before `.`.
    pub(super) fn receiver(&mut self, value: Node<'_>, cx: &mut Cx<'_>) -> Receiver {
        if self.g.kind(value) == RustKind::SelfValue {
            return Receiver::SelfType;
        }
        self.value_type(value, cx).map_or(Receiver::Unknown, Receiver::Typed)
    }

    /// Returns the declared type of `self.field` and `x.field`, where the struct is in this file.
    fn field_type(&mut self, expression: Node<'_>, depth: usize, cx: &mut Cx<'_>) -> Option<StrId> {
        let value = expression.child_by_field_id(self.g.f.value)?;
        let owner = self.infer_type(value, depth, cx)?;
        let field = cx.facts.intern(cx.text(expression.child_by_field_id(self.g.f.member)?));
        self.field_types.get(&(owner, field)).copied().filter(|_| self.modules.is_empty())
    }
}

pub(super) fn binding_type(binding: Option<Binding>) -> Option<StrId> {
    match binding {
        Some(Binding::Typed(ty)) => Some(ty),
        _ => None,
    }
}

/// Returns a path of names and calls as the type of a binding; `None` if it is too long, or a tuple.
pub(super) fn as_binding(path: &str, cx: &mut Cx<'_>) -> Option<StrId> {
    let is_one = path.len() < PATH_LIMIT && !path.starts_with('(');
    is_one.then(|| cx.facts.intern(&format!("={path}")))
}

pub(super) fn is_word(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

pub(super) fn is_type_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
}

/// Returns true if an associated function of this name returns the type itself, or with `tried` a `Result` of it.
fn is_constructor_name(name: &str, tried: bool) -> bool {
    let starts = |prefix: &str| name.starts_with(prefix);
    if tried {
        return matches!(name, "new" | "open" | "create" | "try_from" | "from_str" | "parse")
            || starts("try_new")
            || starts("from_");
    }
    matches!(name, "new" | "default" | "from") || starts("with_") || starts("new_")
}
