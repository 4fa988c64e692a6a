//! Records routes of Go's web servers: `net/http`, chi, gin, echo, fiber, gorilla.

use super::grammar::GoKind;
use super::rules::GoWalk;
use crate::langs::support::routes::{self, last_name};
use crate::syntax::{Node, named_children};
use crate::walk::Cx;

/// Methods that register their last argument as the handler of a path.
const ROUTE_METHODS: &[&str] = &[
    "HandleFunc",
    "Handle",
    "GET",
    "POST",
    "PUT",
    "DELETE",
    "PATCH",
    "HEAD",
    "OPTIONS",
    "Any",
    "Get",
    "Post",
    "Put",
    "Delete",
    "Patch",
    "Head",
    "Options",
    "All",
    "Method",
    "MethodFunc",
    "Route",
    "Mount",
];

/// Most arguments of a registration that are read.
const MAX_ARGUMENTS: usize = 12;

impl GoWalk {
    /// Records the route that a call makes, before its parts are walked.
    pub(super) fn note_route(&self, call: Node<'_>, function: Node<'_>, cx: &mut Cx<'_>) {
        let method = function.child_by_field_id(self.g.f.member).map_or("", |name| cx.text(name));
        let Some(list) = call.child_by_field_name("arguments").filter(|_| ROUTE_METHODS.contains(&method))
        else {
            return;
        };
        let arguments: Vec<Node<'_>> = named_children(list).take(MAX_ARGUMENTS).collect();
        let place = usize::from(matches!(method, "Method" | "MethodFunc"));
        let (Some(text), Some(handler)) = (arguments.get(place), arguments.last()) else { return };
        let is_handler = matches!(
            handler.kind(),
            "identifier" | "selector_expression" | "func_literal" | "call_expression"
        );
        if arguments.len() < place + 2 || !is_handler {
            return;
        }
        let Some(path) = route_path(cx.text(*text)) else { return };
        let owner = cx.owner();
        let route = routes::define_route(&routes::join_paths("", path), *text, call, owner, cx);
        cx.walk_inside(list, route);
        for handler in &arguments[place + 1..] {
            if let Some(handler) = self.handler_of(*handler) {
                cx.mark_handed(last_name(handler));
            }
        }
    }

    /// Returns the handler that is handed over, alone or converted: `http.HandlerFunc(list)`, `auth(list)`.
    fn handler_of<'t>(&self, handler: Node<'t>) -> Option<Node<'t>> {
        match self.g.kind(handler) {
            GoKind::Ident | GoKind::Selector => Some(handler),
            GoKind::Call => {
                let only = handler.child_by_field_name("arguments")?.named_child(0)?;
                matches!(self.g.kind(only), GoKind::Ident | GoKind::Selector).then_some(only)
            }
            _ => None,
        }
    }
}

/// Returns the path of `"/users"`, `"GET /users"` or `"GET example.org/users"`; `None` for any other text.
fn route_path(text: &str) -> Option<&str> {
    let text = text.strip_prefix(['"', '`'])?.strip_suffix(['"', '`'])?;
    let path = match text.split_once(' ') {
        Some((verb, rest)) if verb.chars().all(|c| c.is_ascii_uppercase()) => rest.trim_start(),
        Some(_) => return None,
        None => text,
    };
    path.starts_with('/').then_some(path)
}
