//! Records the methods that a framework calls because of their annotations: routes of Spring, Jakarta and Micronaut,
//! listeners, schedules, beans.

use super::grammar::JavaKind;
use super::rules::JavaRules;
use crate::facts::{DefKind, Receiver};
use crate::langs::support::{child_where, each_child, routes};
use crate::syntax::{Node, named_children};
use crate::walk::Cx;

/// Annotations of a method that give its path.
const PATH_ANNOTATIONS: &[&str] = &[
    "GetMapping",
    "PostMapping",
    "PutMapping",
    "DeleteMapping",
    "PatchMapping",
    "RequestMapping",
    "MessageMapping",
    "Path",
    "Get",
    "Post",
    "Put",
    "Delete",
    "Patch",
];

/// Jakarta's annotations of a method that answers at its class's path, if it has no `@Path` of its own.
const VERB_ANNOTATIONS: &[&str] = &["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"];

/// Annotations of a class that give the prefix of its methods' paths.
const PREFIX_ANNOTATIONS: &[&str] = &["RequestMapping", "Path", "Controller", "MessageMapping"];

/// Annotations that make the framework call a method.
const REGISTERING_ANNOTATIONS: &[&str] = &[
    "Bean",
    "Scheduled",
    "EventListener",
    "TransactionalEventListener",
    "KafkaListener",
    "RabbitListener",
    "JmsListener",
    "SqsListener",
    "PostConstruct",
    "PreDestroy",
    "ExceptionHandler",
    "ModelAttribute",
    "InitBinder",
    "Subscribe",
    "Around",
    "Before",
    "After",
    "AfterReturning",
    "AfterThrowing",
    "BeforeEach",
    "AfterEach",
    "BeforeAll",
    "AfterAll",
    "BeforeClass",
    "AfterClass",
    "Provides",
    "Produces",
    "Observes",
    "QueryMapping",
    "MutationMapping",
];

impl JavaRules {
    /// Records the routes and registrations that the annotations of a method make, just after it was opened.
    pub(super) fn note_annotations(&self, method: Node<'_>, name: Node<'_>, cx: &mut Cx<'_>) {
        let Some(modifiers) = self.modifiers(method) else { return };
        let mut annotations = Vec::new();
        each_child(modifiers, |node, _| {
            annotations.extend((self.g.kind(node) == JavaKind::Annotation).then_some(node));
        });
        let words: Vec<&str> = annotations.iter().map(|node| self.annotation_word(*node, cx)).collect();
        let at = |known: &[&str]| words.iter().position(|word| known.contains(word));
        let route = at(PATH_ANNOTATIONS).or_else(|| at(VERB_ANNOTATIONS)).map(|at| annotations[at]);
        let Some(made) = cx.owner().filter(|made| cx.facts.defs()[made.index()].kind == DefKind::Method)
        else {
            return;
        };
        if let Some(annotation) = route {
            let text = self.string_of(annotation, cx);
            let path = text.map_or("", |text| cx.text(text).trim_matches('"'));
            let path = routes::join_paths(self.prefix_of_class(method, cx), path);
            let route = routes::define_route(&path, text.unwrap_or(annotation), annotation, Some(made), cx);
            routes::hand_over(name, Receiver::SelfType, Some(route), cx);
        } else if at(REGISTERING_ANNOTATIONS).is_some() {
            let class = cx.facts.defs()[made.index()].parent;
            routes::hand_over(name, Receiver::SelfType, class, cx);
        }
    }

    /// Returns the last part of an annotation's name.
    fn annotation_word<'t>(&self, annotation: Node<'_>, cx: &Cx<'t>) -> &'t str {
        let name = annotation.child_by_field_id(self.g.f.name).map_or("", |name| cx.text(name));
        name.rsplit('.').next().unwrap_or(name)
    }

    /// Returns the path that an annotation gives: a lone string, one named `value` or `path`, or the first of several
    /// in braces.
    fn string_of<'t>(&self, annotation: Node<'t>, cx: &Cx<'_>) -> Option<Node<'t>> {
        let arguments = annotation.child_by_field_name("arguments")?;
        let mut given = named_children(arguments).filter_map(|given| match given.kind() {
            "element_value_pair" => {
                let key = given.child_by_field_name("key").map_or("", |key| cx.text(key));
                given.child_by_field_name("value").filter(|_| matches!(key, "value" | "path"))
            }
            _ => Some(given),
        });
        let text = given.next()?;
        let text = if text.kind() == "element_value_array_initializer" { text.named_child(0)? } else { text };
        (text.kind() == "string_literal").then_some(text)
    }

    /// Returns the path that the class around a method gives to all of its methods.
    fn prefix_of_class<'t>(&self, method: Node<'_>, cx: &Cx<'t>) -> &'t str {
        let class = method.parent().and_then(|body| body.parent());
        let modifiers = class.and_then(|class| self.modifiers(class));
        let annotation = modifiers.and_then(|modifiers| {
            child_where(modifiers, |node| {
                self.g.kind(node) == JavaKind::Annotation
                    && PREFIX_ANNOTATIONS.contains(&self.annotation_word(node, cx))
            })
        });
        annotation
            .and_then(|node| self.string_of(node, cx))
            .map_or("", |text| cx.text(text).trim_matches('"'))
    }
}
