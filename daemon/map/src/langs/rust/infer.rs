//! Types that can be read off the text: annotations, constructors, fields of structs in this file. What other files have to
//! say in it is left to the resolution, as a path of names and calls (`=WalkBuilder.new().hidden()`, see [`TypeHint`]);
//! `open()?` and `open().unwrap()` are `open@0:0`, what `open().map(|x| ..)` would give its function.
//!
//! [`TypeHint`]: crate::facts::TypeHint

use tree_sitter::Node;

use super::grammar::K;
use super::rules::RustRules;
use crate::facts::{Receiver, StrId};
use crate::walk::{Binding, Cx};

/// Longest chain of calls and fields that is followed.
const CHAIN_LIMIT: usize = 6;
/// Most calls and fields in a path for the resolution: builders have long ones.
const PATH_STEPS: usize = 24;
/// Longest such path, in bytes.
pub(super) const PATH_LIMIT: usize = 300;

impl RustRules {
    /// The dotted name of a type through references and owning pointers (`&mut Arc<a::Foo>` is `a.Foo`). None for what has
    /// no name, and for type parameters.
    pub(super) fn type_path(&mut self, ty: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
        let mut ty = ty;
        loop {
            ty = match self.g.kind(ty) {
                K::RefType => ty.child_by_field_id(self.g.f.ty)?,
                K::TraitObject => ty.child_by_field_id(self.g.f.trait_)?,
                K::Generic if self.is_pointer(ty, cx) => {
                    ty.child_by_field_id(self.g.f.type_arguments)?.named_child(0)?
                }
                _ => break,
            };
        }
        let path = self.dotted(ty, cx)?;
        if path == "Self" {
            return self.body(ty).and_then(|body| body.self_type);
        }
        let first = path.split('.').next().unwrap_or(&path);
        if is_type_name(first) && cx.binding(first).is_some() {
            return None;
        }
        Some(cx.facts.intern(&path))
    }

    fn is_pointer(&self, generic: Node<'_>, cx: &Cx<'_>) -> bool {
        let name = generic.child_by_field_id(self.g.f.ty).map_or("", |name| cx.text(name));
        matches!(name, "Box" | "Arc" | "Rc")
    }

    /// A type's or path's name, dotted, without generic arguments.
    pub(super) fn dotted(&self, ty: Node<'_>, cx: &Cx<'_>) -> Option<String> {
        match self.g.kind(ty) {
            K::Generic => self.dotted(ty.child_by_field_id(self.g.f.ty)?, cx),
            K::TypeIdent | K::Ident => Some(cx.text(ty).to_owned()).filter(|name| !name.is_empty()),
            K::Scoped | K::ScopedType => {
                let path = self.segments(ty, cx)?;
                Some(path.iter().map(|(text, _)| *text).collect::<Vec<_>>().join("."))
            }
            _ => None,
        }
    }

    /// The type of a value that says it itself: `Foo { .. }`, `Foo::new(..)`, `Foo(..)`, calls of this file's functions,
    /// through `&`, `?` and owning pointers.
    pub(super) fn value_type(&mut self, value: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
        self.typed(value, CHAIN_LIMIT, cx).or_else(|| {
            let path = self.value_path(value, PATH_STEPS, cx)?;
            (path.len() < PATH_LIMIT).then(|| cx.facts.intern(&format!("={path}")))
        })
    }

    /// The path by which the resolution finds out what type a value has.
    fn value_path(&mut self, value: Node<'_>, steps: usize, cx: &mut Cx<'_>) -> Option<String> {
        let inner = steps.checked_sub(1)?;
        if let Some(ty) = self.typed(value, CHAIN_LIMIT, cx) {
            return Some(cx.facts.provisional(ty).trim_start_matches('=').to_owned());
        }
        match self.g.kind(value) {
            K::Reference => self.value_path(value.child_by_field_id(self.g.f.value)?, inner, cx),
            K::Try => opened(self.value_path(value.named_child(0)?, inner, cx)?),
            K::FieldExpr => {
                let field = cx.text(value.child_by_field_id(self.g.f.member)?);
                let path = self.value_path(value.child_by_field_id(self.g.f.value)?, inner, cx)?;
                is_word(field).then(|| format!("{path}.{field}"))
            }
            K::Call => self.call_path(value, inner, cx),
            _ => None,
        }
    }

    fn call_path(&mut self, call: Node<'_>, steps: usize, cx: &mut Cx<'_>) -> Option<String> {
        let function = call.child_by_field_id(self.g.f.function)?;
        match self.g.kind(function) {
            K::Ident => {
                let name = cx.text(function);
                let is_function = cx.binding(name).is_none() && !is_type_name(name);
                is_function.then(|| format!("{name}()"))
            }
            K::Scoped => {
                let segments = self.segments(function, cx)?;
                let path: Vec<&str> = segments.iter().map(|(text, _)| *text).collect();
                match path[..] {
                    ["Self", name] => {
                        let own = self.body(function)?.self_type?;
                        Some(format!("{}.{name}()", cx.facts.provisional(own)))
                    }
                    // Paths from a root are none of a value.
                    ["Self" | "self" | "super" | "crate", ..] => None,
                    _ => Some(format!("{}()", path.join("."))),
                }
            }
            K::FieldExpr => {
                let method = cx.text(function.child_by_field_id(self.g.f.member)?);
                let path = self.value_path(function.child_by_field_id(self.g.f.value)?, steps, cx)?;
                match method {
                    "unwrap" | "expect" | "unwrap_or_default" => opened(path),
                    "clone" => Some(path),
                    _ => is_word(method).then(|| format!("{path}.{method}()")),
                }
            }
            _ => None,
        }
    }

    /// What a declared type says, for other files; see [`TypeHint`](crate::facts::TypeHint). `items` may have parameters that
    /// it names.
    pub(super) fn hint(&mut self, ty: Node<'_>, items: &[Node<'_>], cx: &mut Cx<'_>) -> Option<String> {
        let mut own = ty;
        while self.g.kind(own) == K::RefType {
            own = own.child_by_field_id(self.g.f.ty)?;
        }
        if self.dotted(own, cx).as_deref() == Some("Self") {
            return Some("=self".to_owned());
        }
        let path = self.type_path(ty, cx).filter(|ty| !self.is_parameter(items, *ty, cx))?;
        Some(cx.facts.provisional(path).to_owned())
    }

    fn typed(&mut self, value: Node<'_>, depth: usize, cx: &mut Cx<'_>) -> Option<StrId> {
        let mut value = value;
        let mut tried = false;
        for _ in 0..depth {
            value = match self.g.kind(value) {
                K::Reference => value.child_by_field_id(self.g.f.value)?,
                K::Try => {
                    tried = true;
                    value.named_child(0)?
                }
                K::StructExpr => {
                    let name = value.child_by_field_id(self.g.f.name)?;
                    return self.type_path(name, cx);
                }
                K::Call => match self.wrapped_value(value, cx) {
                    Some(inner) => inner,
                    None => return self.call_type(value, (tried, depth), cx),
                },
                K::Ident => return known(cx.binding(cx.text(value))),
                K::SelfValue => return self.body(value).and_then(|body| body.self_type),
                K::FieldExpr => return self.field_type(value, depth - 1, cx),
                _ => return None,
            };
        }
        None
    }

    /// `x` in `Box::new(x)`.
    fn wrapped_value<'t>(&self, call: Node<'t>, cx: &Cx<'_>) -> Option<Node<'t>> {
        let function = call.child_by_field_id(self.g.f.function)?;
        if !matches!(cx.text(function), "Box::new" | "Arc::new" | "Rc::new") {
            return None;
        }
        call.child_by_field_id(self.g.f.arguments)?.named_child(0)
    }

    fn call_type(&mut self, call: Node<'_>, (tried, depth): (bool, usize), cx: &mut Cx<'_>) -> Option<StrId> {
        let function = call.child_by_field_id(self.g.f.function)?;
        match self.g.kind(function) {
            K::Ident => {
                let name = cx.text(function);
                if cx.binding(name).is_some() {
                    return None;
                }
                let variant = matches!(name, "Some" | "Ok" | "Err");
                let tuple = is_type_name(name) && !variant && !tried;
                let id = cx.facts.intern(name);
                self.result((None, id), tried).or(tuple.then_some(id))
            }
            K::Scoped => self.associated(function, tried, cx),
            K::FieldExpr => {
                let method = function.child_by_field_id(self.g.f.member).map_or("", |name| cx.text(name));
                let value = function.child_by_field_id(self.g.f.value)?;
                let owner = self.typed(value, depth - 1, cx)?;
                let name = cx.facts.intern(method);
                let copied = (method == "clone" && !tried).then_some(owner);
                self.result((Some(owner), name), tried).or(copied)
            }
            _ => None,
        }
    }

    fn result(&self, function: (Option<StrId>, StrId), tried: bool) -> Option<StrId> {
        self.results.get(&function).filter(|returned| returned.wrapped == tried).map(|returned| returned.ty)
    }

    /// `Type::function(..)`: what this file says it returns, or the type when its name is a constructor's.
    fn associated(&mut self, function: Node<'_>, tried: bool, cx: &mut Cx<'_>) -> Option<StrId> {
        let path = function.child_by_field_id(self.g.f.path)?;
        let name = function.child_by_field_id(self.g.f.name).map_or("", |name| cx.text(name));
        if !is_type_name(&self.last_segment(path, cx)) {
            return None;
        }
        let owner = self.type_path(path, cx)?;
        let id = cx.facts.intern(name);
        match self.results.get(&(Some(owner), id)) {
            Some(_) => self.result((Some(owner), id), tried),
            None => constructs(name, tried).then_some(owner),
        }
    }

    fn last_segment(&self, path: Node<'_>, cx: &Cx<'_>) -> String {
        self.dotted(path, cx).map_or(String::new(), |path| path.rsplit('.').next().unwrap_or("").to_owned())
    }

    /// What is known of the value before `.`.
    pub(super) fn receiver(&mut self, value: Node<'_>, cx: &mut Cx<'_>) -> Receiver {
        if self.g.kind(value) == K::SelfValue {
            return Receiver::SelfType;
        }
        self.value_type(value, cx).map_or(Receiver::Unknown, Receiver::Typed)
    }

    /// The declared type of `self.field` and `x.field`, where the struct is in this file.
    fn field_type(&mut self, expression: Node<'_>, depth: usize, cx: &mut Cx<'_>) -> Option<StrId> {
        let value = expression.child_by_field_id(self.g.f.value)?;
        let owner = self.typed(value, depth, cx)?;
        let field = cx.facts.intern(cx.text(expression.child_by_field_id(self.g.f.member)?));
        self.field_types.get(&(owner, field)).copied()
    }
}

pub(super) fn known(binding: Option<Binding>) -> Option<StrId> {
    match binding {
        Some(Binding::Typed(ty)) => Some(ty),
        _ => None,
    }
}

/// What `?` makes of a call's result.
pub(super) fn opened(path: String) -> Option<String> {
    Some(format!("{}@0:0", path.strip_suffix("()")?))
}

fn is_word(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn is_type_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
}

/// Whether an associated function of this name gives the type itself (after `?`: a result of it).
fn constructs(name: &str, tried: bool) -> bool {
    let starts = |prefix: &str| name.starts_with(prefix);
    if tried {
        return matches!(name, "new" | "open" | "create" | "try_from" | "from_str" | "parse")
            || starts("try_new")
            || starts("from_");
    }
    matches!(name, "new" | "default" | "from") || starts("with_") || starts("new_")
}
