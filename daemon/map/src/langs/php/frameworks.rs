//! Records routes of Laravel (`Route::get("/users", [UserController::class, "index"])`) and Symfony
//! (`#[Route("/users")]`).

use super::rules::PhpRules;
use crate::facts::{DefKind, Receiver, RefInput, RefKind};
use crate::langs::support::{child_where, routes};
use crate::syntax::{Node, named_children};
use crate::walk::Cx;

/// Methods of Laravel's `Route` that register a handler for a path.
const ROUTE_METHODS: &[&str] =
    &["get", "post", "put", "patch", "delete", "options", "any", "view", "resource", "apiResource"];

impl PhpRules {
    /// Records the route that a static call makes, before its parts are walked.
    pub(super) fn note_route(&mut self, call: Node<'_>, scope: Node<'_>, name: Node<'_>, cx: &mut Cx<'_>) {
        if cx.text(scope) != "Route" || !ROUTE_METHODS.contains(&cx.text(name)) {
            return;
        }
        let Some(list) = call.child_by_field_id(self.g.f.arguments) else { return };
        let argument = |at: u32| list.named_child(at).and_then(|argument| argument.named_child(0));
        let (Some(text), Some(handed)) = (argument(0), argument(1)) else { return };
        let Some(path) = super::refs::plain_text(text, cx) else { return };
        let owner = cx.owner();
        let route = routes::define_route(&routes::join_paths("", path), text, call, owner, cx);
        cx.walk_inside(list, route);
        let (class, action) = match handed.kind() {
            "array_creation_expression" => {
                let part = |at: u32| handed.named_child(at).and_then(|element| element.named_child(0));
                (part(0).and_then(|class| class.named_child(0)), part(1))
            }
            "class_constant_access_expression" => (handed.named_child(0), None),
            _ => return,
        };
        let Some(class) = class else { return };
        let receiver = self.scope_receiver(class, cx);
        let at = action.unwrap_or(class);
        let name = action.and_then(|action| super::refs::plain_text(action, cx)).unwrap_or("__invoke");
        let (line, col) = cx.position(at);
        let input = RefInput { name, kind: RefKind::Injected, receiver, owner: Some(route), line, col };
        cx.facts.add_reference(&input);
    }

    /// Records the route that an attribute registers a method for, just after it was opened.
    pub(super) fn note_attributes(&self, method: Node<'_>, name: Node<'_>, cx: &mut Cx<'_>) {
        let Some(list) = method.child_by_field_id(self.g.f.attributes) else { return };
        let Some(made) = cx.owner().filter(|made| cx.facts.defs()[made.index()].kind == DefKind::Method)
        else {
            return;
        };
        let Some(attribute) = route_attribute(list, cx) else { return };
        let prefix = method.parent().and_then(|body| body.parent()).and_then(|class| {
            let attribute = route_attribute(class.child_by_field_id(self.g.f.attributes)?, cx)?;
            super::refs::plain_text(path_of(attribute)?, cx)
        });
        let text = path_of(attribute);
        let path = text.and_then(|text| super::refs::plain_text(text, cx)).unwrap_or("");
        let path = routes::join_paths(prefix.unwrap_or(""), path);
        let route = routes::define_route(&path, text.unwrap_or(attribute), attribute, Some(made), cx);
        routes::hand_over(name, Receiver::SelfType, Some(route), cx);
    }
}

/// Returns the attribute `Route` among the attributes of a method or class.
fn route_attribute<'t>(list: Node<'t>, cx: &Cx<'_>) -> Option<Node<'t>> {
    named_children(list).find_map(|group| {
        child_where(group, |attribute| {
            let name = attribute.named_child(0).map_or("", |name| cx.text(name));
            name.rsplit('\\').next() == Some("Route")
        })
    })
}

/// Returns the first argument of an attribute.
fn path_of(attribute: Node<'_>) -> Option<Node<'_>> {
    let arguments = child_where(attribute, |node| node.kind() == "arguments")?;
    let argument = arguments.named_child(0)?;
    argument.named_child((argument.named_child_count() as u32).checked_sub(1)?)
}
