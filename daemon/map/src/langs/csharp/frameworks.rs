//! Records routes of ASP.NET: `[HttpGet("users/{id}")]` on a method, below `[Route("api/[controller]")]` on its class.

use super::grammar::CSharpKind;
use super::rules::CSharpRules;
use crate::facts::{DefKind, Receiver};
use crate::langs::support::{child_where, each_child, routes};
use crate::syntax::Node;
use crate::walk::Cx;

/// Attributes of a method that make it answer a path.
const ROUTE_ATTRIBUTES: &[&str] = &[
    "HttpGet",
    "HttpPost",
    "HttpPut",
    "HttpDelete",
    "HttpPatch",
    "HttpHead",
    "HttpOptions",
    "AcceptVerbs",
    "Route",
];

/// Attributes that make the framework call a method.
const REGISTERING_ATTRIBUTES: &[&str] = &[
    "SetUp",
    "TearDown",
    "OneTimeSetUp",
    "OneTimeTearDown",
    "TestInitialize",
    "TestCleanup",
    "Function",
    "FunctionName",
];

impl CSharpRules {
    /// Records the route or registration that the attributes of a method make, just after it was opened.
    pub(super) fn note_attributes(&self, method: Node<'_>, name: Node<'_>, cx: &mut Cx<'_>) {
        let Some(made) = cx.owner().filter(|made| cx.facts.defs()[made.index()].kind == DefKind::Method)
        else {
            return;
        };
        let Some(attribute) = self.attribute_of(method, ROUTE_ATTRIBUTES, cx) else {
            if self.attribute_of(method, REGISTERING_ATTRIBUTES, cx).is_some() {
                let class = cx.facts.defs()[made.index()].parent;
                routes::hand_over(name, Receiver::SelfType, class, cx);
            }
            return;
        };
        let text = string_of(attribute);
        let path = text.map_or("", |text| cx.text(text).trim_matches('"'));
        let path = routes::join_paths(&self.prefix_of_class(method, cx), path);
        let route = routes::define_route(&path, text.unwrap_or(attribute), attribute, Some(made), cx);
        routes::hand_over(name, Receiver::SelfType, Some(route), cx);
    }

    /// Returns the first attribute of a declaration that has one of these names.
    fn attribute_of<'t>(&self, node: Node<'t>, words: &[&str], cx: &Cx<'_>) -> Option<Node<'t>> {
        let mut found = None;
        each_child(node, |list, _| {
            if found.is_none() && self.g.kind(list) == CSharpKind::AttributeList {
                found = child_where(list, |attribute| {
                    let name = attribute.child_by_field_id(self.g.f.name).map_or("", |name| cx.text(name));
                    let name = name.rsplit('.').next().unwrap_or(name);
                    words.contains(&name.strip_suffix("Attribute").unwrap_or(name))
                });
            }
        });
        found
    }

    /// Returns the path that the class around a method gives to its methods, with the class's name for `[controller]`.
    fn prefix_of_class(&self, method: Node<'_>, cx: &Cx<'_>) -> String {
        let class = method.parent().and_then(|body| body.parent());
        let route = class.and_then(|class| self.attribute_of(class, &["Route"], cx));
        let prefix = route.and_then(string_of).map_or("", |text| cx.text(text).trim_matches('"'));
        let name =
            class.and_then(|class| class.child_by_field_id(self.g.f.name)).map_or("", |name| cx.text(name));
        prefix.replace("[controller]", &name.strip_suffix("Controller").unwrap_or(name).to_lowercase())
    }
}

/// Returns the string that is an attribute's first argument.
fn string_of(attribute: Node<'_>) -> Option<Node<'_>> {
    let list = child_where(attribute, |node| node.kind() == "attribute_argument_list")?;
    list.named_child(0)?.named_child(0).filter(|text| text.kind() == "string_literal")
}
