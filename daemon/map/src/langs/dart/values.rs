//! Describes values as far as the file tells them: by their type, or by the path of members and calls that leads to
//! them.
//!
//! A path is written as the resolution reads it (`=order.total.format()`), which follows it through the files by the
//! types that they state. `Order~` in it is a value of the type `Order`.

use super::grammar::DartKind;
use super::rules::DartRules;
use super::types::{dotted, is_type_name, type_child, type_path};
use crate::facts::Receiver;
use crate::langs::support::child_where;
use crate::syntax::Node;
use crate::walk::{Binding, Cx, WalkStep};

/// Longest chain of members and calls that is followed.
const CHAIN: usize = 12;

/// A step along an expression towards its start.
enum Step<'t> {
    /// The start of the path.
    Start(String),
    /// The value of this expression.
    Of(Node<'t>),
    /// A member of an expression's value.
    Member(Node<'t>, Node<'t>),
    /// The result of calling an expression.
    Called(Node<'t>),
    /// The result of calling a member of the cascade's value.
    CalledHere(Node<'t>),
    /// A member of the cascade's value.
    Here(Node<'t>),
    Unknown,
}

impl DartRules {
    /// Returns the receiver that references record for the value before `.`.
    pub(super) fn receiver(&mut self, object: Node<'_>, cx: &mut Cx<'_>) -> Receiver {
        match object.kind() {
            "this" => Receiver::SelfType,
            "super" => Receiver::Super,
            _ => match self.value_type(object, cx) {
                Some(ty) => Receiver::Typed(cx.facts.intern(&ty)),
                None => Receiver::Unknown,
            },
        }
    }

    /// Returns the names of an object that is nothing but names and begins with a type or with the prefix of an import;
    /// `member` is the name behind them.
    pub(super) fn static_path<'t>(
        &self,
        object: Node<'t>,
        member: &str,
        cx: &mut Cx<'_>,
    ) -> Option<Vec<Node<'t>>> {
        let mut names = Vec::new();
        let mut at = object;
        while self.g.kind(at) == DartKind::Access && names.len() < CHAIN {
            names.push(at.child_by_field_id(self.g.f.property)?);
            at = at.child_by_field_id(self.g.f.object)?;
        }
        if at.kind() != "identifier" || cx.local_binding(cx.text(at)).is_some() {
            return None;
        }
        names.push(at);
        names.reverse();
        let behind = names.get(1).map_or(member, |name| cx.text(*name));
        let is_static = is_type_name(cx.text(at)) || is_type_name(behind);
        (is_static || cx.facts.import_of(cx.text(at)).is_some()).then_some(names)
    }

    /// Returns the type of a value, or `=` and the path that leads to it.
    pub(super) fn value_type(&mut self, value: Node<'_>, cx: &mut Cx<'_>) -> Option<String> {
        self.value_path(value, cx).map(|path| settled(&path))
    }

    fn value_path(&mut self, value: Node<'_>, cx: &mut Cx<'_>) -> Option<String> {
        let mut steps = Vec::new();
        let mut at = value;
        for _ in 0..2 * CHAIN {
            match self.step(at, cx) {
                Step::Start(start) => return Some(joined(start, steps)),
                Step::Of(inner) => at = inner,
                Step::Member(object, name) => {
                    steps.push(format!(".{}", cx.text(name)));
                    at = object;
                }
                Step::Called(function) => {
                    steps.push("()".to_owned());
                    at = function;
                }
                Step::CalledHere(name) => {
                    steps.push(format!(".{}()", cx.text(name)));
                    return self.cascaded(at, cx).map(|start| joined(start, steps));
                }
                Step::Here(name) => {
                    steps.push(format!(".{}", cx.text(name)));
                    return self.cascaded(at, cx).map(|start| joined(start, steps));
                }
                Step::Unknown => return None,
            }
            if steps.len() > CHAIN {
                return None;
            }
        }
        None
    }

    fn step<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'_>) -> Step<'t> {
        let f = &self.g.f;
        let found = match self.g.kind(node) {
            DartKind::Ident => self.start_at_name(node, cx).map(Step::Start),
            DartKind::Access | DartKind::CascadeName if node.child_by_field_id(f.property).is_some() => {
                let parts = node.child_by_field_id(f.object).zip(node.child_by_field_id(f.property));
                parts.map(|(object, name)| Step::Member(object, name))
            }
            DartKind::CascadeName => self.selected_name(node).map(Step::Here),
            DartKind::CascadeCall => match node.child_by_field_id(f.property) {
                Some(name) => Some(Step::CalledHere(name)),
                None => node.child_by_field_id(f.function).map(Step::Called),
            },
            DartKind::Call => node.child_by_field_id(f.function).map(Step::Called),
            DartKind::Same => self.same_value(node).map(Step::Of),
            DartKind::Cascade => node.named_child(0).map(Step::Of),
            DartKind::Cast => {
                let cast = child_where(node, |c| c.kind() == "type_cast").and_then(type_child);
                cast.and_then(|ty| type_path(ty, cx)).map(|ty| Step::Start(format!("{ty}~")))
            }
            DartKind::Creation => self.created_type(node, cx).map(|ty| Step::Start(format!("{ty}~"))),
            DartKind::Text => Some(Step::Start("String~".to_owned())),
            _ if node.kind() == "this" => Some(Step::Start("this".to_owned())),
            _ => None,
        };
        found.unwrap_or(Step::Unknown)
    }

    fn start_at_name(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Option<String> {
        let name = cx.text(node);
        match cx.local_binding(name) {
            Some(Binding::Typed(ty)) => {
                let ty = cx.facts.provisional_name(ty);
                Some(ty.strip_prefix('=').map_or_else(|| format!("{ty}~"), str::to_owned))
            }
            Some(Binding::Opaque) => None,
            None => {
                let given = self.class_around(node).and_then(|class| class.given);
                match given.filter(|(member, _)| *member == name) {
                    Some((_, ty)) => Some(format!("{}~", cx.facts.provisional_name(ty))),
                    None => Some(name.to_owned()).filter(|name| !name.is_empty()),
                }
            }
        }
    }

    /// Returns the expression that has the same value: in brackets, after `await`, before `!` or type arguments.
    fn same_value<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        match node.kind() {
            "unary_expression" => node.named_child(0).filter(|inner| inner.kind() == "await_expression"),
            "instantiation_expression" => node.child_by_field_id(self.g.f.function),
            "cascade_null_assertion_expression" => None,
            _ => {
                let value = node.child_by_field_id(self.g.f.value);
                value.or_else(|| child_where(node, |c| c.is_named() && !c.is_extra()))
            }
        }
    }

    fn created_type(&self, node: Node<'_>, cx: &mut Cx<'_>) -> Option<String> {
        let names = self.created_names(node);
        let at = names.iter().position(|name| is_type_name(cx.text(*name)))?;
        let is_known = cx.local_binding(cx.text(names[0])).is_none();
        is_known.then(|| dotted(&names[..=at], cx))
    }

    /// Keeps the path of the value that a cascade is about.
    pub(super) fn visit_cascade(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let target = node.named_child(0);
        let path = target.and_then(|target| self.value_path(target, cx));
        let path = path.map(|path| cx.facts.intern(&path));
        self.leave_cascades(node);
        self.cascades.push((node.end_byte(), path));
        WalkStep::Into
    }

    fn leave_cascades(&mut self, node: Node<'_>) {
        while self.cascades.pop_if(|(end, _)| *end <= node.start_byte()).is_some() {}
    }

    /// Returns the path of the value that the cascade around a node is about.
    fn cascaded(&mut self, node: Node<'_>, cx: &Cx<'_>) -> Option<String> {
        self.leave_cascades(node);
        let (_, path) = self.cascades.last()?;
        path.map(|path| cx.facts.provisional_name(path).to_owned())
    }

    /// Returns the receiver that a member in a cascade has: the value before the first `..`.
    pub(super) fn cascade_receiver(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Receiver {
        let Some(path) = self.cascaded(node, cx) else { return Receiver::Unknown };
        if path == "this" {
            return Receiver::SelfType;
        }
        let ty = settled(&path);
        Receiver::Typed(cx.facts.intern(&ty))
    }

    /// Returns the name of `..name`; `None` for `..[index]`.
    pub(super) fn selected_name<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        let is_selector =
            node.kind() == "cascade_selector" && child_where(node, |c| c.kind() == "[").is_none();
        node.named_child(0).filter(|name| is_selector && self.g.kind(*name) == DartKind::Ident)
    }
}

/// Returns a path with its steps, of which the last one comes first.
fn joined(start: String, steps: Vec<String>) -> String {
    steps.into_iter().rev().fold(start, |path, step| path + &step)
}

/// Returns the type of the value that a path leads to, or `=` and the path.
fn settled(path: &str) -> String {
    if let Some(ty) = path.strip_suffix('~') {
        return ty.to_owned();
    }
    // A call of a type creates a value of it.
    let created = path.strip_suffix("()").filter(|names| !names.contains(['(', '~']));
    let is_type = |names: &&str| {
        let mut parts = names.rsplit('.');
        parts.next().is_some_and(is_type_name) && !parts.any(is_type_name)
    };
    created.filter(is_type).map_or_else(|| format!("={path}"), str::to_owned)
}
