//! Records registrations with frameworks: the functions and classes that a web framework, a task queue, a command line
//! or a test runner calls, though no code of the project does.
//!
//! A file shows only that something is handed over, so that is all that is recorded: a definition for each route, named
//! by its path, and a reference of kind [`RefKind::Framework`] to what is handed over. The words below decide, together
//! with the shape of the arguments; the package that a name comes from decides only where a word is common (`path`).
//! The meaning of a fixture's name needs other files, and is found in `resolve`.

use super::Python;
use super::grammar::FIELDS;
use super::patterns::each_parameter;
use super::types::{last, string_content};
use crate::facts::{DefFlags, DefIdx, DefKind, ImportInput, ImportKind, Receiver, RefInput, RefKind};
use crate::langs::support::routes::{self, last_name};
use crate::syntax::{Node, named_children};
use crate::walk::Cx;

/// Decorators of an object that make the function below them the handler of a path, their first argument: Flask,
/// FastAPI, Starlette, Sanic, Bottle, aiohttp.
const ROUTE_DECORATORS: &[&str] = &[
    "route",
    "get",
    "post",
    "put",
    "delete",
    "patch",
    "head",
    "options",
    "trace",
    "websocket",
    "api_route",
    "websocket_route",
];

/// Decorators that hand over the definition below them, by the last part of their name.
const REGISTERING_DECORATORS: &[&str] = &[
    // Click, Typer, Discord.
    "command",
    "group",
    "callback",
    "result_callback",
    // Celery, RQ, Dramatiq, Huey, Prefect.
    "task",
    "shared_task",
    "periodic_task",
    "db_task",
    "job",
    "actor",
    // Signals and events: Django, Blinker, SQLAlchemy, Starlette.
    "receiver",
    "connect",
    "listens_for",
    "on_event",
    "event",
    "listener",
    // Flask's and FastAPI's hooks.
    "before_request",
    "after_request",
    "teardown_request",
    "teardown_appcontext",
    "before_app_request",
    "after_app_request",
    "errorhandler",
    "app_errorhandler",
    "exception_handler",
    "context_processor",
    "app_context_processor",
    "template_filter",
    "app_template_filter",
    "template_global",
    "middleware",
    "shell_context_processor",
    "user_loader",
    // Django's template library and admin.
    "simple_tag",
    "inclusion_tag",
    "filter",
    "register",
    "display",
    // Pydantic, pytest's plug-ins.
    "validator",
    "field_validator",
    "model_validator",
    "root_validator",
    "field_serializer",
    "hookimpl",
];

/// A call that hands something over, and the places of its arguments.
#[derive(Clone, Copy)]
struct RegisteringCall {
    /// The last part of the name that is called.
    name: &'static str,
    /// The number of the argument that is the path of a route, if it makes one.
    path: Option<usize>,
    /// The number of the argument that is handed over.
    handler: usize,
    /// The keyword that may stand for that number.
    keyword: &'static str,
    /// The package that the file must import.
    package: &'static str,
}

const fn route_call(
    name: &'static str,
    package: &'static str,
    handler: usize,
    keyword: &'static str,
) -> RegisteringCall {
    RegisteringCall { name, path: Some(0), handler, keyword, package }
}

const fn handing_call(name: &'static str, package: &'static str, handler: usize) -> RegisteringCall {
    RegisteringCall { name, path: None, handler, keyword: "", package }
}

const REGISTERING_CALLS: &[RegisteringCall] = &[
    route_call("path", "django", 1, "view"),
    route_call("re_path", "django", 1, "view"),
    route_call("url", "django", 1, "view"),
    route_call("register", "rest_framework", 1, "viewset"),
    route_call("Route", "starlette", 1, "endpoint"),
    route_call("WebSocketRoute", "starlette", 1, "endpoint"),
    route_call("Mount", "starlette", 1, "app"),
    route_call("add_route", "", 1, "endpoint"),
    route_call("add_api_route", "", 1, "endpoint"),
    route_call("add_websocket_route", "", 1, "endpoint"),
    route_call("add_url_rule", "", 2, "view_func"),
    route_call("add_get", "aiohttp", 1, "handler"),
    route_call("add_post", "aiohttp", 1, "handler"),
    RegisteringCall { path: Some(1), ..handing_call("add_resource", "", 0) },
    handing_call("Depends", "fastapi", 0),
    handing_call("Security", "fastapi", 0),
    handing_call("add_task", "", 0),
    handing_call("add_job", "", 0),
    handing_call("enqueue", "", 0),
    handing_call("add_event_handler", "", 1),
    handing_call("add_exception_handler", "", 1),
    handing_call("add_middleware", "", 0),
    handing_call("add_command", "", 0),
];

/// Methods of a task that run it elsewhere: Celery, Dramatiq, Huey.
const TASK_METHODS: &[&str] = &["delay", "apply_async", "send", "send_with_options", "s", "si", "schedule"];

/// Most wrapping calls around a handler that are unwrapped: `login_required(cache(view))`.
const MAX_WRAPPERS: usize = 4;

impl Python<'_> {
    /// Records what the decorators of a definition register it for, just after it was opened.
    pub(super) fn note_decorators<'t>(&mut self, decorated: Node<'t>, definition: Node<'t>, cx: &mut Cx<'t>) {
        let Some(&made) = self.made.get(&definition.id()) else { return };
        let Some(name) = definition.child_by_field_id(FIELDS.name) else { return };
        for decorator in named_children(decorated).filter(|node| node.kind() == "decorator") {
            let Some(applied) = decorator.named_child(0) else { continue };
            let path = self.route_of_decorator(applied, cx);
            if let Some((path, text)) = path {
                let route = routes::define_route(&path, content_of(text), decorator, Some(made), cx);
                self.hand_over(name, made, Some(route), cx);
            } else if is_registering(applied, cx) {
                self.tasks.insert(cx.text(name).to_owned());
                let group = self.command_group(applied, made, cx);
                self.hand_over(name, made, group, cx);
            }
        }
    }

    /// Records that the framework calls a definition; `by` is the route or group that it is registered with.
    fn hand_over<'t>(&self, name: Node<'t>, made: DefIdx, by: Option<DefIdx>, cx: &mut Cx<'t>) {
        let parent = cx.facts.defs()[made.index()].parent;
        let in_class = parent.is_some_and(|parent| self.classes.contains_key(&parent));
        let receiver = if in_class { Receiver::SelfType } else { Receiver::None };
        routes::hand_over(name, receiver, by.or(parent), cx);
    }

    /// Returns the path of a decorator such as `@app.get("/users/{id}")`, and its node.
    fn route_of_decorator<'t>(&self, applied: Node<'t>, cx: &Cx<'t>) -> Option<(String, Node<'t>)> {
        let function = applied.child_by_field_id(FIELDS.function).filter(|f| f.kind() == "attribute")?;
        let method = cx.text(function.child_by_field_id(FIELDS.attribute)?);
        if !ROUTE_DECORATORS.contains(&method) {
            return None;
        }
        let arguments = applied.child_by_field_id(FIELDS.arguments)?;
        let text = argument(arguments, 0, "path", cx).or_else(|| keyword_argument(arguments, "rule", cx))?;
        let path = plain_string(text, cx).filter(|path| path.is_empty() || path.starts_with('/'))?;
        let object = cx.text(function.child_by_field_id(FIELDS.object)?);
        Some((routes::join_paths(self.prefixes.get(object).map_or("", String::as_str), path), text))
    }

    /// Returns the function that a command is added to: `cli` for `@cli.command()`.
    fn command_group(&self, applied: Node<'_>, made: DefIdx, cx: &Cx<'_>) -> Option<DefIdx> {
        let function = applied.child_by_field_id(FIELDS.function).unwrap_or(applied);
        let object = cx.text(function.child_by_field_id(FIELDS.object)?);
        let is_group = |def: &crate::facts::Def| {
            def.kind == DefKind::Function
                && def.parent.is_none()
                && cx.facts.provisional_name(def.name) == object
        };
        let at = cx.facts.defs().iter().position(is_group).map(|at| DefIdx::new(at as u32));
        at.filter(|group| *group != made)
    }

    /// Records the parameters of a test or fixture: the test runner fills each with the fixture of its name.
    pub(super) fn note_fixtures<'t>(&self, definition: Node<'t>, cx: &mut Cx<'t>) {
        let Some(&made) = self.made.get(&definition.id()) else { return };
        let def = &cx.facts.defs()[made.index()];
        let is_fixture = self.scan.marks.get(&definition.id()).is_some_and(|marks| marks.is_fixture);
        let is_test =
            def.flags.has(DefFlags::TEST) && cx.facts.provisional_name(def.name).starts_with("test");
        let parameters = definition.child_by_field_id(FIELDS.parameters).filter(|_| is_test || is_fixture);
        let Some(parameters) = parameters else { return };
        for parameter in named_children(parameters) {
            if !matches!(parameter.kind(), "identifier" | "typed_parameter") {
                continue;
            }
            each_parameter(parameter, &mut |name, _| {
                let (line, col) = cx.position(name);
                let text = cx.text(name);
                if !matches!(text, "self" | "cls" | "request" | "") {
                    let kind = RefKind::Injected;
                    let input =
                        RefInput { name: text, kind, receiver: Receiver::None, owner: Some(made), line, col };
                    cx.facts.add_reference(&input);
                }
            });
        }
    }

    /// Records what a call hands over to a framework, before its parts are walked.
    pub(super) fn note_call<'t>(&mut self, call: Node<'t>, function: Node<'t>, cx: &mut Cx<'t>) {
        let name = match function.kind() {
            "identifier" => cx.text(function),
            "attribute" => function.child_by_field_id(FIELDS.attribute).map_or("", |name| cx.text(name)),
            _ => return,
        };
        let Some(arguments) = call.child_by_field_id(FIELDS.arguments) else { return };
        if matches!(name, "APIRouter" | "Blueprint") {
            self.note_prefix(arguments, cx);
        } else if let Some(known) = REGISTERING_CALLS.iter().find(|known| known.name == name) {
            self.note_registering_call(*known, call, arguments, cx);
        } else if name == "connect" && function.kind() == "attribute" {
            self.note_signal(function, arguments, cx);
        } else if TASK_METHODS.contains(&name) {
            self.note_task(function, cx);
        }
    }

    /// Notes the prefix of all paths of a router: `router = APIRouter(prefix="/users")`.
    fn note_prefix<'t>(&mut self, arguments: Node<'t>, cx: &Cx<'t>) {
        let text = keyword_argument(arguments, "prefix", cx)
            .or_else(|| keyword_argument(arguments, "url_prefix", cx));
        let left = cx.parent().and_then(|assignment| assignment.child_by_field_id(FIELDS.left));
        if let (Some(prefix), Some(left)) = (text.and_then(|text| plain_string(text, cx)), left) {
            self.prefixes.insert(cx.text(left).to_owned(), prefix.to_owned());
        }
    }

    fn note_registering_call<'t>(
        &mut self,
        known: RegisteringCall,
        call: Node<'t>,
        arguments: Node<'t>,
        cx: &mut Cx<'t>,
    ) {
        if !known.package.is_empty() && !cx.facts.imports_package(known.package) {
            return;
        }
        let handed = argument(arguments, known.handler, known.keyword, cx);
        let Some(handed) = handed else { return };
        if let Some(at) = known.path {
            let text = positional(arguments, at);
            let Some(path) = text.and_then(|text| plain_string(text, cx)) else { return };
            let route = routes::define_route(
                &routes::join_paths("", path),
                text.map_or(call, content_of),
                call,
                cx.owner(),
                cx,
            );
            cx.walk_inside(arguments, route);
            import_included(handed, route, cx);
        }
        if let Some(handler) = handler_of(handed, cx) {
            cx.mark_handed(last_name(handler));
        }
    }

    /// Marks the handler of `post_save.connect(handler)`, where the signal comes from a module of signals.
    fn note_signal<'t>(&mut self, function: Node<'t>, arguments: Node<'t>, cx: &mut Cx<'t>) {
        let object = function.child_by_field_id(FIELDS.object).map_or("", |object| cx.text(object));
        let is_signal = object.contains("signal")
            || cx.facts.import_of(object).is_some_and(|module| module.contains("signal"));
        let handler =
            positional(arguments, 0).filter(|_| is_signal).and_then(|handed| handler_of(handed, cx));
        if let Some(handler) = handler {
            cx.mark_handed(last_name(handler));
        }
    }

    /// Marks the task of `send_mail.delay(...)`, which a worker calls. The object is a task if this file makes it one,
    /// or if it comes from a module of tasks.
    fn note_task<'t>(&mut self, function: Node<'t>, cx: &mut Cx<'t>) {
        let Some(object) = function.child_by_field_id(FIELDS.object) else { return };
        let text = cx.text(object);
        let first = text.split('.').next().unwrap_or(text);
        let from_tasks = cx.facts.import_of(first).is_some_and(|module| {
            ["task", "job", "worker", "actor"].iter().any(|word| module.contains(word))
        });
        if object.kind() == "identifier" && self.tasks.contains(text) || from_tasks {
            cx.mark_handed(last_name(object));
        }
    }
}

/// Returns true if a decorator hands over the definition below it.
fn is_registering(applied: Node<'_>, cx: &Cx<'_>) -> bool {
    let function = applied.child_by_field_id(FIELDS.function).unwrap_or(applied);
    REGISTERING_DECORATORS.contains(&last(cx.text(function)))
}

/// Records an import of the module whose routes `include("blog.urls")` adds.
fn import_included<'t>(handed: Node<'t>, route: DefIdx, cx: &mut Cx<'t>) {
    let function = handed.child_by_field_id(FIELDS.function).filter(|f| cx.text(*f) == "include");
    let arguments = handed.child_by_field_id(FIELDS.arguments).filter(|_| function.is_some());
    let module = arguments.and_then(|arguments| plain_string(positional(arguments, 0)?, cx));
    if let Some(module) = module {
        let line = Cx::lines(handed).0;
        cx.facts.add_import(&ImportInput {
            kind: ImportKind::Effect,
            module,
            name: None,
            local: None,
            reexported: false,
            owner: Some(route),
            line,
        });
    }
}

/// Returns the handler inside its wrappers: `views.Detail` of `login_required(views.Detail.as_view())`.
fn handler_of<'t>(handed: Node<'t>, cx: &Cx<'t>) -> Option<Node<'t>> {
    let mut at = handed;
    for _ in 0..MAX_WRAPPERS {
        match at.kind() {
            "identifier" => return Some(at),
            "attribute" => return Some(at),
            "call" => {
                let function = at.child_by_field_id(FIELDS.function)?;
                let method = function.child_by_field_id(FIELDS.attribute).map_or("", |name| cx.text(name));
                at = match method {
                    "as_view" | "as_asgi" => function.child_by_field_id(FIELDS.object)?,
                    _ => positional(at.child_by_field_id(FIELDS.arguments)?, 0)?,
                };
            }
            _ => return None,
        }
    }
    None
}

/// Returns an argument by its number or its keyword.
fn argument<'t>(arguments: Node<'t>, number: usize, keyword: &str, cx: &Cx<'t>) -> Option<Node<'t>> {
    positional(arguments, number).or_else(|| keyword_argument(arguments, keyword, cx))
}

fn positional(arguments: Node<'_>, number: usize) -> Option<Node<'_>> {
    let mut given = named_children(arguments).filter(|node| node.kind() != "comment");
    given.nth(number).filter(|node| node.kind() != "keyword_argument")
}

fn keyword_argument<'t>(arguments: Node<'t>, keyword: &str, cx: &Cx<'t>) -> Option<Node<'t>> {
    let mut given = named_children(arguments).filter(|node| node.kind() == "keyword_argument");
    let named = given.find(|node| {
        node.child_by_field_id(FIELDS.name)
            .is_some_and(|name| !keyword.is_empty() && cx.text(name) == keyword)
    });
    named.and_then(|node| node.child_by_field_id(FIELDS.value))
}

/// Returns the node of a string's text without its quotes; the string itself if it is empty.
fn content_of(string: Node<'_>) -> Node<'_> {
    named_children(string).find(|child| child.kind() == "string_content").unwrap_or(string)
}

/// Returns the contents of a string without expressions in it; `None` for bytes and formatted strings.
fn plain_string<'t>(node: Node<'t>, cx: &Cx<'t>) -> Option<&'t str> {
    let text = cx.text(node);
    let is_plain = node.kind() == "string" && !text.starts_with(['f', 'F', 'b', 'B']);
    is_plain.then(|| string_content(text))
}
