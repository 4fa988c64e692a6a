//! Records routes of Rails and Sinatra, and the methods that Rails calls by name: callbacks of controllers, models and
//! jobs.

use super::grammar::RubyKind;
use super::macros::{string_literal, symbol_text};
use super::rules::RubyRules;
use crate::facts::{DefIdx, Receiver, RefInput, RefKind};
use crate::langs::support::routes;
use crate::syntax::Node;
use crate::walk::Cx;

/// Words of a class body whose symbols name methods that the framework calls.
const CALLBACKS: &[&str] = &[
    "before_action",
    "after_action",
    "around_action",
    "prepend_before_action",
    "append_before_action",
    "helper_method",
    "before_save",
    "after_save",
    "around_save",
    "before_create",
    "after_create",
    "before_update",
    "after_update",
    "before_destroy",
    "after_destroy",
    "before_validation",
    "after_validation",
    "after_commit",
    "after_rollback",
    "after_initialize",
    "after_find",
    "after_touch",
    "after_create_commit",
    "after_update_commit",
    "after_destroy_commit",
    "after_save_commit",
    "validate",
    "before_perform",
    "after_perform",
    "before_enqueue",
    "after_enqueue",
    "around_perform",
    "set_callback",
];

/// Words of `routes.rb` that lead one path to one action.
const VERBS: &[&str] = &["get", "post", "put", "patch", "delete", "match", "root"];

/// The actions that `resources` makes, each with the rest of its path behind the name.
const ACTIONS: &[(&str, &str)] = &[
    ("index", ""),
    ("create", ""),
    ("new", "/new"),
    ("show", "/:id"),
    ("edit", "/:id/edit"),
    ("update", "/:id"),
    ("destroy", "/:id"),
];

impl RubyRules {
    /// Records the registration that a call without a receiver makes; false if it is none.
    pub(super) fn note_registration(
        &mut self,
        node: Node<'_>,
        word: &str,
        arguments: &[Node<'_>],
        cx: &mut Cx<'_>,
    ) -> bool {
        if CALLBACKS.contains(&word) && self.in_class_body(node.start_byte()) {
            self.hand_over_symbols(arguments, cx);
            return false;
        }
        if self.class_at(node.start_byte()).is_some() {
            return false;
        }
        match word {
            "resources" | "resource" => self.resource_routes(node, arguments, cx),
            _ if VERBS.contains(&word) => self.verb_route(node, word, arguments, cx),
            _ => false,
        }
    }

    fn hand_over_symbols(&mut self, arguments: &[Node<'_>], cx: &mut Cx<'_>) {
        for symbol in arguments.iter().filter(|node| self.g.kind(**node) == RubyKind::Symbol) {
            let Some(name) = symbol_text(*symbol, cx) else { continue };
            let (line, col) = cx.position(*symbol);
            let (owner, kind) = (cx.owner(), RefKind::Framework);
            cx.facts.add_reference(&RefInput {
                name,
                kind,
                receiver: Receiver::SelfType,
                owner,
                line,
                col: col + 1,
            });
        }
    }

    /// Records the route of `get "/users", to: "users#index"`, or of `get "users/list"` for the action of that name.
    fn verb_route(&mut self, node: Node<'_>, word: &str, arguments: &[Node<'_>], cx: &mut Cx<'_>) -> bool {
        // `get "/users" => "users#index"` is one pair.
        let first = arguments.first().map(|first| match first.kind() {
            "pair" => first.named_child(0).unwrap_or(*first),
            _ => *first,
        });
        let text = first.and_then(|first| string_literal(first, cx));
        let target =
            self.route_target(arguments, cx).or(text.filter(|text| word == "root" && text.contains('#')));
        let (Some(at), Some(target)) = (first, target) else { return false };
        let path = text.filter(|text| !text.contains('#')).unwrap_or("");
        let Some((controller, action)) = target.split_once('#') else { return false };
        let (module, prefix) = self.route_scope(node, cx);
        let route = routes::define_route(&routes::join_paths(&prefix, path), at, node, None, cx);
        let controller = controller_path(&module, controller);
        call_action(&controller, action, at, route, cx);
        true
    }

    /// Returns the `controller#action` of a route's options.
    fn route_target<'t>(&self, arguments: &[Node<'_>], cx: &Cx<'t>) -> Option<&'t str> {
        arguments.iter().filter(|node| node.kind() == "pair").find_map(|pair| {
            let key = pair.named_child(0).map_or("", |key| cx.text(key));
            let is_target = matches!(key.trim_matches([':', '"', '\'']), "to" | "get" | "post")
                || key.starts_with(['"', '\'']);
            let value = pair.named_child(1).filter(|_| is_target)?;
            string_literal(value, cx).filter(|text| text.contains('#'))
        })
    }

    /// Records the routes of `resources :users`: seven actions, of which those that the controller has are called.
    fn resource_routes(&mut self, node: Node<'_>, arguments: &[Node<'_>], cx: &mut Cx<'_>) -> bool {
        let (module, prefix) = self.route_scope(node, cx);
        let mut found = false;
        for argument in arguments.iter().filter(|node| self.g.kind(**node) == RubyKind::Symbol) {
            let Some(name) = symbol_text(*argument, cx) else { continue };
            let controller = controller_path(&module, name);
            let base = routes::join_paths(&prefix, name);
            let mut made: Option<(&str, DefIdx)> = None;
            let made_actions: Vec<_> =
                ACTIONS.iter().filter(|(action, _)| self.makes_action(action, arguments, cx)).collect();
            for (action, rest) in made_actions {
                let route = match made {
                    Some((last, route)) if last == *rest => route,
                    _ => routes::define_route(&format!("{base}{rest}"), *argument, node, None, cx),
                };
                made = Some((rest, route));
                call_action(&controller, action, *argument, route, cx);
            }
            found = true;
        }
        found
    }

    /// Returns true unless the options of `resources` leave an action out: `only: [:index]`, `except: :destroy`.
    fn makes_action(&self, action: &str, arguments: &[Node<'_>], cx: &Cx<'_>) -> bool {
        arguments.iter().filter(|node| node.kind() == "pair").all(|pair| {
            let key = pair.named_child(0).map_or("", |key| cx.text(key).trim_matches(':'));
            let value = pair.named_child(1).map_or("", |value| cx.text(value));
            let is_listed =
                value.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == action);
            match key {
                "only" => is_listed,
                "except" => !is_listed,
                _ => true,
            }
        })
    }

    /// Returns the module and the path of the `namespace` and `scope` blocks around a route.
    fn route_scope(&self, node: Node<'_>, cx: &Cx<'_>) -> (String, String) {
        let (mut modules, mut paths) = (Vec::new(), Vec::new());
        let mut at = node.parent();
        while let Some(around) = at {
            let method = around.child_by_field_id(self.g.f.method).map_or("", |method| cx.text(method));
            if matches!(method, "namespace" | "scope" | "resources") {
                let first = self.call_arguments(around).first().copied();
                let name =
                    first.and_then(|first| symbol_text(first, cx).or_else(|| string_literal(first, cx)));
                paths.extend(name.map(|name| match method {
                    "resources" => format!("{name}/:id"),
                    _ => name.to_owned(),
                }));
                modules.extend(name.filter(|_| method == "namespace").map(str::to_owned));
            }
            at = around.parent();
        }
        modules.reverse();
        paths.reverse();
        (modules.join("/"), paths.join("/"))
    }
}

/// Records that a route calls an action, if there is one of that name.
fn call_action(controller: &str, action: &str, at: Node<'_>, route: DefIdx, cx: &mut Cx<'_>) {
    let receiver = Receiver::Path(cx.facts.intern(controller));
    let (line, col) = cx.position(at);
    let input = RefInput { name: action, kind: RefKind::Injected, receiver, owner: Some(route), line, col };
    cx.facts.add_reference(&input);
}

/// Returns the path of a controller's class: `Admin.UsersController` of `admin/users`.
fn controller_path(module: &str, name: &str) -> String {
    let whole = if module.is_empty() { name.to_owned() } else { format!("{module}/{name}") };
    let parts: Vec<String> = whole.split('/').filter(|part| !part.is_empty()).map(camel_case).collect();
    format!("{}Controller", parts.join("."))
}

/// Returns `UserAccounts` for `user_accounts`.
fn camel_case(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for word in name.split('_') {
        let mut letters = word.chars();
        out.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        out.push_str(letters.as_str());
    }
    out
}
