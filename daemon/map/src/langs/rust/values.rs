//! Describes values as paths that the resolution follows: names, `()` for a call, and
//!
//! - `:Vec<Foo>` at the start: a value of that type;
//! - `.?`: the part that `?` and the pattern `Some(x)` take out, `.!` the part that `Err(x)` takes out;
//! - `.@`: the elements that a loop yields, `.[]` the one that an index gives;
//! - `.0`: an element of a tuple, a field of a tuple struct or variant;
//! - `.map@0:0`: the first parameter of the function that is passed to `map`.
//!
//! A tuple literal is `(a,b)`; its elements are taken at once, and it never leaves the file in this form.

use super::grammar::RustKind;
use super::infer::{CHAIN_LIMIT, PATH_LIMIT, is_type_name, is_word};
use super::rules::RustWalk;
use crate::langs::support::{each_child, split_outside_brackets};
use crate::syntax::Node;
use crate::walk::Cx;

/// Most elements of a tuple, and arms of a `match`, that are followed.
const WIDTH: usize = 16;

impl RustWalk {
    /// Returns the path by which the resolution finds the type of a value.
    pub(super) fn value_path(&mut self, value: Node<'_>, steps: usize, cx: &mut Cx<'_>) -> Option<String> {
        let inner = steps.checked_sub(1)?;
        if let Some(ty) = self.infer_type(value, CHAIN_LIMIT, cx) {
            return Some(cx.facts.provisional_name(ty).trim_start_matches('=').to_owned());
        }
        let path = match self.g.kind(value) {
            RustKind::Reference => self.value_path(value.child_by_field_id(self.g.f.value)?, inner, cx),
            RustKind::Same => self.value_path(value.named_child(0)?, inner, cx),
            RustKind::Try => opened_path(self.value_path(value.named_child(0)?, inner, cx)?),
            RustKind::Index => self.indexed_path(value, inner, cx),
            RustKind::Cast => {
                let ty = self.type_path(value.child_by_field_id(self.g.f.ty)?, cx)?;
                Some(cx.facts.provisional_name(ty).trim_start_matches('=').to_owned())
            }
            RustKind::Tuple => self.tuple_path(value, inner, cx),
            RustKind::If => self.branch_path(value, inner, cx),
            RustKind::Match => self.arms_path(value, inner, cx),
            RustKind::Block => self.block_path(value, inner, cx),
            RustKind::Ident => self.constant_path(value, cx),
            RustKind::Scoped => self.scoped_path(value, cx),
            RustKind::FieldExpr => {
                let field = cx.text(value.child_by_field_id(self.g.f.member)?);
                let path = self.value_path(value.child_by_field_id(self.g.f.value)?, inner, cx)?;
                is_step(field).then(|| element_path(&path, field))
            }
            RustKind::Call => self.call_path(value, inner, cx),
            _ => None,
        };
        path.filter(|path| path.len() < PATH_LIMIT)
    }

    fn indexed_path(&mut self, value: Node<'_>, steps: usize, cx: &mut Cx<'_>) -> Option<String> {
        let path = self.value_path(value.named_child(0)?, steps, cx)?;
        let is_slice = value.named_child(1)?.kind() == "range_expression";
        Some(if is_slice { path } else { format!("{path}.[]") })
    }

    fn tuple_path(&mut self, value: Node<'_>, steps: usize, cx: &mut Cx<'_>) -> Option<String> {
        let mut elements = Vec::new();
        each_child(value, |child, _| {
            if child.is_named() && elements.len() < WIDTH {
                elements.push(child);
            }
        });
        // Each element gets a share of the steps, so that nested tuples cost no more than flat ones.
        let share = steps / elements.len().max(1);
        let paths = elements.into_iter().map(|e| self.value_path(e, share.max(2).min(steps), cx));
        let paths: Vec<String> = paths.map(|path| path.unwrap_or_else(|| "_".to_owned())).collect();
        Some(format!("({})", paths.join(",")))
    }

    /// Returns the path of the first branch that has one.
    fn branch_path(&mut self, value: Node<'_>, steps: usize, cx: &mut Cx<'_>) -> Option<String> {
        let condition = value.child_by_field_id(self.g.f.condition)?;
        let first = value.child_by_field_id(self.g.f.consequence);
        // The names that a condition binds are not in scope here.
        let first = first.filter(|_| !matches!(condition.kind(), "let_condition" | "let_chain"));
        if let Some(path) = first.and_then(|block| self.block_path(block, steps, cx)) {
            return Some(path);
        }
        let other = value.child_by_field_id(self.g.f.alternative)?.named_child(0)?;
        self.value_path(other, steps, cx)
    }

    /// Returns the path of the first arm that has one without the names that its pattern binds: a construction, or
    /// `Some(x) => x`.
    fn arms_path(&mut self, value: Node<'_>, steps: usize, cx: &mut Cx<'_>) -> Option<String> {
        let body = value.child_by_field_id(self.g.f.body)?;
        let mut arms = Vec::new();
        each_child(body, |arm, _| {
            if self.g.kind(arm) == RustKind::Arm && arms.len() < WIDTH {
                arms.push(arm);
            }
        });
        for arm in arms {
            let Some(given) = arm.child_by_field_id(self.g.f.value) else { continue };
            if self.is_opened(arm, given, cx) {
                let whole = value.child_by_field_id(self.g.f.value)?;
                return opened_path(self.value_path(whole, steps, cx)?);
            }
            let function = given.child_by_field_id(self.g.f.function).map(|function| self.g.kind(function));
            let constructs = self.g.kind(given) == RustKind::StructExpr || function == Some(RustKind::Scoped);
            if let Some(path) = constructs.then(|| self.value_path(given, steps, cx)).flatten() {
                return Some(path);
            }
        }
        None
    }

    /// Returns true if an arm is `Some(x) => x` or `Ok(x) => x`.
    fn is_opened(&self, arm: Node<'_>, given: Node<'_>, cx: &Cx<'_>) -> bool {
        let pattern = arm.child_by_field_id(self.g.f.pattern).and_then(|pattern| pattern.named_child(0));
        let pattern = pattern.filter(|pattern| self.g.kind(*pattern) == RustKind::TuplePattern);
        let parts = pattern.and_then(|pattern| Some((pattern.named_child(0)?, pattern.named_child(1)?)));
        parts.is_some_and(|(variant, name)| {
            let same = self.g.kind(given) == RustKind::Ident && cx.text(given) == cx.text(name);
            same && matches!(cx.text(variant), "Some" | "Ok")
        })
    }

    /// Returns the path of a block that is nothing but a value.
    fn block_path(&mut self, block: Node<'_>, steps: usize, cx: &mut Cx<'_>) -> Option<String> {
        let mut inside = Vec::new();
        each_child(block, |child, _| {
            if inside.len() < 2 && child.is_named() && !child.is_extra() {
                inside.push(child);
            }
        });
        match inside[..] {
            [value] => self.value_path(value, steps, cx),
            _ => None,
        }
    }

    fn constant_path(&mut self, name: Node<'_>, cx: &mut Cx<'_>) -> Option<String> {
        let name = cx.text(name);
        let is_free = is_type_name(name) && name != "None" && cx.local_binding(name).is_none();
        is_free.then(|| name.to_owned())
    }

    /// Returns the path of `Enum::Variant`, `Type::CONSTANT`, and functions.
    fn scoped_path(&mut self, value: Node<'_>, cx: &mut Cx<'_>) -> Option<String> {
        let segments = self.segments(value, cx)?;
        let path: Vec<&str> = segments.iter().map(|(text, _)| *text).collect();
        match path[..] {
            ["Self", ref rest @ ..] => {
                let own = self.body_around(value)?.self_type?;
                Some(format!("{}.{}", cx.facts.provisional_name(own), rest.join(".")))
            }
            // `self` would mean the object.
            ["self", ..] => None,
            [first, ..] if is_type_name(first) && cx.local_binding(first).is_some() => None,
            _ => Some(self.path_from_file(value, &path).join(".")).filter(|path| !path.starts_with("self.")),
        }
    }

    fn call_path(&mut self, call: Node<'_>, steps: usize, cx: &mut Cx<'_>) -> Option<String> {
        let function = call.child_by_field_id(self.g.f.function)?;
        let function = match self.g.kind(function) {
            RustKind::Turbofish => function.child_by_field_id(self.g.f.function)?,
            _ => function,
        };
        match self.g.kind(function) {
            RustKind::Ident => {
                let name = cx.text(function);
                let is_function = cx.local_binding(name).is_none() && !is_prelude_variant(name);
                is_function.then(|| format!("{name}()"))
            }
            RustKind::Scoped => Some(format!("{}()", self.scoped_path(function, cx)?)),
            RustKind::FieldExpr => {
                let method = cx.text(function.child_by_field_id(self.g.f.member)?);
                let path = self.value_path(function.child_by_field_id(self.g.f.value)?, steps, cx)?;
                method_path(path, method)
            }
            _ => None,
        }
    }

    /// Returns the path of a called function, to which a closure is passed: of `run` in `run(|x| ..)`, of `value.run`
    /// in `value.run(|x| ..)`.
    pub(super) fn passed_path(&mut self, call: Node<'_>, cx: &mut Cx<'_>) -> Option<String> {
        let path = self.call_path(call, super::infer::PATH_STEPS, cx)?;
        path.strip_suffix("()").map(str::to_owned)
    }
}

/// Returns the path of a method called on a path; `clone` gives that of its receiver.
pub(super) fn method_path(path: String, method: &str) -> Option<String> {
    match method {
        "unwrap" | "expect" => opened_path(path),
        "clone" => Some(path),
        _ => is_word(method).then(|| format!("{path}.{method}()")),
    }
}

/// Returns the path of the value that `?` takes out of another.
pub(super) fn opened_path(path: String) -> Option<String> {
    (!path.starts_with('(')).then(|| format!("{path}.?"))
}

/// Returns the path of an element of a value; of a tuple literal, the element's own path.
pub(super) fn element_path(path: &str, step: &str) -> String {
    let written = path.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    match (written, step.parse::<usize>()) {
        (Some(inside), Ok(at)) => split_outside_brackets(inside, ',').nth(at).unwrap_or("_").to_owned(),
        (Some(_), _) => "_".to_owned(),
        _ if path == "_" => "_".to_owned(),
        _ => format!("{path}.{step}"),
    }
}

fn is_step(name: &str) -> bool {
    is_word(name) || (name.len() < 3 && name.bytes().all(|c| c.is_ascii_digit()))
}

fn is_prelude_variant(name: &str) -> bool {
    matches!(name, "Some" | "Ok" | "Err")
}
