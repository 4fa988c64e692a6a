//! Records routes of axum, actix-web, rocket, warp and the like: `.route("/users", get(list))` and `#[get("/users")]`.

use super::grammar::RustKind;
use super::rules::RustWalk;
use crate::facts::{DefIdx, DefKind, Receiver};
use crate::langs::support::routes::{self, last_name};
use crate::syntax::Node;
use crate::walk::Cx;

/// Methods of a router whose first argument is a path.
const ROUTE_METHODS: &[&str] = &["route", "nest", "nest_service", "route_service", "service", "at"];

/// Functions and methods that are given a handler.
const HANDLER_CALLS: &[&str] = &[
    "get", "post", "put", "delete", "patch", "head", "options", "trace", "any", "to", "to_async", "on",
    "handler",
];

/// Attributes of a function that give its path.
const ROUTE_ATTRIBUTES: &[&str] =
    &["get", "post", "put", "delete", "patch", "head", "options", "route", "handler"];

/// Most calls of one registration that are searched for handlers: `get(list).post(add)`.
const MAX_CALLS: usize = 24;

impl RustWalk {
    /// Records the route that a call of a method makes, before its parts are walked.
    pub(super) fn note_route(&self, call: Node<'_>, function: Node<'_>, cx: &mut Cx<'_>) {
        let method = function.child_by_field_id(self.g.f.member).map_or("", |name| cx.text(name));
        let arguments =
            call.child_by_field_id(self.g.f.arguments).filter(|_| ROUTE_METHODS.contains(&method));
        let Some(arguments) = arguments else { return };
        let (Some(text), Some(handed)) = (arguments.named_child(0), arguments.named_child(1)) else { return };
        let Some(path) = path_text(cx.text(text)).filter(|path| path.starts_with('/')) else { return };
        let owner = cx.owner();
        let route = routes::define_route(&routes::join_paths("", path), text, text, owner, cx);
        cx.walk_inside(handed, route);
        self.mark_handlers(handed, cx);
    }

    /// Marks the handlers in a chain of calls: `list` and `add` of `get(list).post(add)`.
    fn mark_handlers(&self, handed: Node<'_>, cx: &mut Cx<'_>) {
        let mut waiting = vec![handed];
        for _ in 0..MAX_CALLS {
            let Some(call) = waiting.pop() else { return };
            if self.g.kind(call) != RustKind::Call {
                continue;
            }
            let Some(function) = call.child_by_field_id(self.g.f.function) else { continue };
            waiting.extend(function.child_by_field_id(self.g.f.value));
            let arguments = call.child_by_field_id(self.g.f.arguments);
            if HANDLER_CALLS.contains(&cx.text(last_name(function))) {
                let handler = arguments.and_then(|arguments| arguments.named_child(0));
                let named =
                    |node: &Node<'_>| matches!(self.g.kind(*node), RustKind::Ident | RustKind::Scoped);
                handler.filter(named).into_iter().for_each(|handler| cx.mark_handed(last_name(handler)));
                waiting.extend(handler);
            }
        }
    }

    /// Records the routes that the attributes of a function register it for, just after it was opened; `attributes` is their text.
    pub(super) fn note_attributes(
        &self,
        function: Node<'_>,
        name: Node<'_>,
        attributes: &str,
        cx: &mut Cx<'_>,
    ) {
        if !attributes.contains("(\"/") {
            return;
        }
        let made = cx.owner().filter(|made| cx.facts.defs()[made.index()].kind == DefKind::Function);
        let siblings = std::iter::successors(function.prev_named_sibling(), Node::prev_named_sibling);
        for attribute in siblings.take_while(|node| self.g.kind(*node) == RustKind::Attribute) {
            let Some(path) = route_of_attribute(cx.text(attribute)) else { continue };
            let route = routes::define_route(&routes::join_paths("", path), attribute, attribute, made, cx);
            self.hand_over_function(name, route, cx);
        }
    }

    fn hand_over_function(&self, name: Node<'_>, route: DefIdx, cx: &mut Cx<'_>) {
        routes::hand_over(name, Receiver::None, Some(route), cx);
    }
}

/// Returns the path in `#[get("/users/{id}")]` or `#[actix_web::get("/users")]`.
fn route_of_attribute(text: &str) -> Option<&str> {
    let (word, rest) = text.trim_start_matches("#[").split_once('(')?;
    let word = word.rsplit("::").next().unwrap_or(word).trim();
    let (path, _) = rest.trim_start().strip_prefix('"')?.split_once('"')?;
    (ROUTE_ATTRIBUTES.contains(&word) && path.starts_with('/')).then_some(path)
}

/// Returns the contents of a plain string literal.
fn path_text(text: &str) -> Option<&str> {
    text.strip_prefix('"')?.strip_suffix('"')
}
