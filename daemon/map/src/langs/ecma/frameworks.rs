//! Records routes of web servers: the functions that Express, Koa, Fastify, Hono and Nest call, though no code of the
//! project does.
//!
//! A route is a definition named by its path. Its arguments belong to it, so that a handler written in place is not
//! lost; a handler that is only named is a reference of kind `Framework`. A client's `api.get("/x")` has the same
//! shape: the name of the object and its arguments decide, see [`is_router`].

use super::Ecma;
use crate::facts::{DefKind, Receiver};
use crate::langs::support::routes::{self, last_name};
use crate::syntax::{Node, named_children};
use crate::walk::Cx;

/// Methods of a router that answer a path.
const ROUTE_METHODS: &[&str] =
    &["get", "post", "put", "delete", "patch", "head", "options", "all", "use", "route", "del", "mount"];

/// Names that a router has by custom; others end in one of [`ROUTER_ENDINGS`].
const ROUTER_NAMES: &[&str] = &["app", "router", "server", "fastify", "routes", "express"];

/// Ends of the names of routers.
const ROUTER_ENDINGS: &[&str] = &["Router", "Routes", "App", "_router", "_app"];

/// Nest's decorators that make the method below them the handler of a path, their argument.
const ROUTE_DECORATORS: &[&str] = &[
    "Get",
    "Post",
    "Put",
    "Delete",
    "Patch",
    "Head",
    "Options",
    "All",
    "Sse",
    "MessagePattern",
    "EventPattern",
];

/// Decorators of a method that make the framework call it.
const REGISTERING_DECORATORS: &[&str] = &[
    "Cron",
    "Interval",
    "Timeout",
    "OnEvent",
    "SubscribeMessage",
    "Process",
    "HostListener",
    "Query",
    "Mutation",
];

/// Longest chain of calls that is followed back to its router: `router.route("/x").get(a).post(b)`.
const MAX_CHAIN: usize = 8;

impl Ecma {
    /// Records the route that a call makes, before its parts are walked.
    pub(super) fn note_route<'t>(&mut self, call: Node<'t>, function: Node<'t>, cx: &mut Cx<'t>) {
        let f = &self.grammar.fields;
        let name = function.child_by_field_id(f.property).map_or("", |name| cx.text(name));
        if !ROUTE_METHODS.contains(&name) {
            return;
        }
        let Some(arguments) = call.child_by_field_id(f.arguments) else { return };
        let Some(object) = function.child_by_field_id(f.object) else { return };
        let (path, first) = match self.path_argument(arguments, cx) {
            Some(path) if is_router(cx.text(object)) => (path, 1),
            Some(_) => return,
            None => match self.path_of_chain(object, cx) {
                Some(path) => (path, 0),
                None => return,
            },
        };
        let handlers: Vec<Node<'t>> = handlers_from(arguments, first);
        let Some(last) = handlers.last() else { return };
        if !is_handler(*last) {
            return;
        }
        let Some(text) = self.type_reader(cx).string_text(path) else { return };
        let owner = cx.owner();
        let route = routes::define_route(&routes::join_paths("", text), content_of(path), call, owner, cx);
        cx.walk_inside(arguments, route);
        if name != "use" {
            for handler in handlers.into_iter().filter(|node| is_named(*node)) {
                if !self.is_plain_value(handler, cx) {
                    cx.mark_handed(last_name(handler));
                }
            }
        }
    }

    /// Returns true if a name means a plain variable of this file, such as a route's options, which is not called.
    fn is_plain_value(&self, node: Node<'_>, cx: &mut Cx<'_>) -> bool {
        let id = cx.facts.intern(cx.text(node));
        let kind = self.tops.get(&id).map(|def| cx.facts.defs()[def.index()].kind);
        matches!(kind, Some(DefKind::Variable | DefKind::Constant))
    }

    /// Returns the first argument, if it is a path.
    fn path_argument<'t>(&self, arguments: Node<'t>, cx: &Cx<'t>) -> Option<Node<'t>> {
        let first = arguments.named_child(0)?;
        let text = self.type_reader(cx).string_text(first)?;
        (text.starts_with(['/', '*']) && !text.contains("${")).then_some(first)
    }

    /// Returns the path of `router.route("/x")` at the beginning of a chain of calls.
    fn path_of_chain<'t>(&self, object: Node<'t>, cx: &Cx<'t>) -> Option<Node<'t>> {
        let f = &self.grammar.fields;
        let mut at = object;
        for _ in 0..MAX_CHAIN {
            let function = at.child_by_field_id(f.function)?;
            let name = cx.text(function.child_by_field_id(f.property)?);
            let inner = function.child_by_field_id(f.object)?;
            if name == "route" {
                let path = self.path_argument(at.child_by_field_id(f.arguments)?, cx);
                return path.filter(|_| is_router(cx.text(inner)));
            }
            at = inner;
        }
        None
    }

    /// Records the route or event that a decorator of a method registers it for.
    pub(super) fn note_decorator<'t>(&mut self, decorator: Node<'t>, cx: &mut Cx<'t>) {
        let f = &self.grammar.fields;
        let Some(applied) = decorator.named_child(0).filter(|node| node.kind() == "call_expression") else {
            return;
        };
        let word = applied.child_by_field_id(f.function).map_or("", |function| cx.text(function));
        let makes_route = ROUTE_DECORATORS.contains(&word);
        if !makes_route && !REGISTERING_DECORATORS.contains(&word) {
            return;
        }
        let methods = std::iter::successors(decorator.next_named_sibling(), Node::next_named_sibling);
        let mut members = methods.skip_while(|node| matches!(node.kind(), "decorator" | "comment"));
        let Some(method) = members.next().filter(|node| node.kind() == "method_definition") else { return };
        let Some(name) = method.child_by_field_id(f.name) else { return };
        let mut owner = cx.owner();
        if makes_route {
            let arguments = applied.child_by_field_id(f.arguments);
            let given = arguments.and_then(|arguments| arguments.named_child(0));
            let text = given.and_then(|given| self.type_reader(cx).string_text(given)).unwrap_or("");
            let path = routes::join_paths(self.prefix_of_controller(decorator, cx), text);
            let at = given.map_or(applied, content_of);
            owner = Some(routes::define_route(&path, at, decorator, owner, cx));
        }
        routes::hand_over(name, Receiver::SelfType, owner, cx);
    }

    /// Returns the path in `@Controller("users")` of the class around a decorator; empty if there is none.
    fn prefix_of_controller<'t>(&self, decorator: Node<'t>, cx: &Cx<'t>) -> &'t str {
        let f = &self.grammar.fields;
        let class = decorator.parent().and_then(|body| body.parent());
        let around = [class, class.and_then(|class| class.parent())];
        for node in around.into_iter().flatten() {
            for one in named_children(node).filter(|node| node.kind() == "decorator") {
                let Some(applied) = one.named_child(0) else { continue };
                let is_controller =
                    applied.child_by_field_id(f.function).is_some_and(|f| cx.text(f) == "Controller");
                let given =
                    applied.child_by_field_id(f.arguments).and_then(|arguments| arguments.named_child(0));
                if let Some(text) =
                    given.filter(|_| is_controller).and_then(|given| self.type_reader(cx).string_text(given))
                {
                    return text;
                }
            }
        }
        ""
    }
}

/// Returns true if an object's text is that of a router: `app`, `this.app`, `userRouter`, `express.Router()`.
fn is_router(object: &str) -> bool {
    let name = object.rsplit(['.', '\n']).next().unwrap_or(object).trim();
    ROUTER_NAMES.contains(&name)
        || ROUTER_ENDINGS.iter().any(|ending| name.ends_with(ending))
        || name == "Router()"
}

/// Returns the arguments from a number on, comments aside; at most 16.
fn handlers_from(arguments: Node<'_>, first: usize) -> Vec<Node<'_>> {
    named_children(arguments).filter(|node| node.kind() != "comment").skip(first).take(16).collect()
}

/// Returns true if an expression may be a function; an object of options cannot.
fn is_handler(node: Node<'_>) -> bool {
    is_named(node)
        || matches!(node.kind(), "arrow_function" | "function_expression" | "call_expression" | "array")
}

fn is_named(node: Node<'_>) -> bool {
    matches!(node.kind(), "identifier" | "member_expression")
}

/// Returns the node of a string's text without its quotes; the string itself if it is empty.
fn content_of(string: Node<'_>) -> Node<'_> {
    named_children(string).find(|child| child.kind() == "string_fragment").unwrap_or(string)
}
