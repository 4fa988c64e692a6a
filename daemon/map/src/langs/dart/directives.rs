//! Records directives: the library's name, imports, exports and parts.
//!
//! The first star import that has a name binds it, so parts come first, as names of the library itself, and stars that
//! hide names come last.

use super::imports::PART_OF;
use super::rules::DartRules;
use crate::facts::{ImportInput, ImportKind};
use crate::langs::support::{child_where, each_child};
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

/// An import or export that is about to be recorded.
struct Directive<'t> {
    /// The library's address.
    uri: Node<'t>,
    /// The node with the combinators, `show` and `hide`.
    node: Node<'t>,
    alias: Option<Node<'t>>,
    exports: bool,
}

impl DartRules {
    pub(super) fn visit_root(&mut self, root: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let (mut plain, mut hiding) = (Vec::new(), Vec::new());
        each_child(root, |child, _| match child.kind() {
            "library_name" => self.visit_library(child, cx),
            "part_directive" => self.add_part(child, cx),
            "part_of_directive" => self.add_library_of_part(child, cx),
            "import_or_export" => {
                if let Some(directive) = self.directive(child) {
                    let group = if hides(directive.node) { &mut hiding } else { &mut plain };
                    group.push(directive);
                }
            }
            _ => {}
        });
        plain.iter().chain(&hiding).for_each(|directive| self.add_directive(directive, cx));
        WalkStep::Into
    }

    fn visit_library(&self, node: Node<'_>, cx: &mut Cx<'_>) {
        let name = child_where(node, |c| c.kind() == "dotted_identifier_list");
        let name: String = name.map_or("", |name| cx.text(name)).split_whitespace().collect();
        if !name.is_empty() {
            cx.facts.set_package(&name);
        }
    }

    fn add_part(&self, node: Node<'_>, cx: &mut Cx<'_>) {
        let uri = node.child_by_field_id(self.g.f.uri).map_or("", |uri| uri_text(uri, cx));
        add_import(cx, node, ImportInput { kind: ImportKind::Star, reexported: true, ..of_module(uri) });
    }

    fn add_library_of_part(&self, node: Node<'_>, cx: &mut Cx<'_>) {
        let library = child_where(node, |c| matches!(c.kind(), "uri" | "dotted_identifier_list"));
        let library = library.map_or("", |library| uri_text(library, cx));
        let library: String = library.split_whitespace().collect();
        if !library.is_empty() {
            add_import(cx, node, of_module(&format!("{PART_OF}{library}")));
        }
    }

    fn directive<'t>(&self, node: Node<'t>) -> Option<Directive<'t>> {
        let inner = child_where(node, |c| matches!(c.kind(), "library_import" | "library_export"))?;
        let exports = inner.kind() == "library_export";
        let node = if exports { inner } else { child_where(inner, |c| c.kind() == "import_specification")? };
        let uri = node.child_by_field_id(self.g.f.uri)?;
        Some(Directive { uri, node, alias: node.child_by_field_id(self.g.f.alias), exports })
    }

    fn add_directive(&self, directive: &Directive<'_>, cx: &mut Cx<'_>) {
        let (node, reexported) = (directive.node, directive.exports);
        let uri = child_where(directive.uri, |c| c.kind() == "uri").unwrap_or(directive.uri);
        let module = of_module(uri_text(uri, cx));
        let shown = shown_names(node);
        match directive.alias {
            Some(alias) => {
                let local = Some(cx.text(alias));
                add_import(cx, node, ImportInput { kind: ImportKind::Module, local, ..module });
            }
            None if shown.is_empty() => {
                add_import(cx, node, ImportInput { kind: ImportKind::Star, reexported, ..module });
            }
            None => shown.into_iter().for_each(|name| {
                let name = Some(cx.text(name));
                let local = name.filter(|_| !reexported);
                let kind = ImportKind::Named;
                add_import(cx, node, ImportInput { kind, name, local, reexported, ..module });
            }),
        }
        add_configurations(directive.uri, node, cx);
    }
}

/// Records `'io.dart'` of `if (dart.library.io) 'io.dart'`, which may stand for the library.
fn add_configurations(uri: Node<'_>, node: Node<'_>, cx: &mut Cx<'_>) {
    each_child(uri, |child, _| {
        let other = if child.kind() == "configuration_uri" {
            child_where(child, |c| c.kind() == "uri")
        } else {
            None
        };
        other.into_iter().for_each(|other| add_import(cx, node, of_module(uri_text(other, cx))));
    });
}

/// Makes an import of a library for its effect.
fn of_module(module: &str) -> ImportInput<'_> {
    ImportInput {
        kind: ImportKind::Effect,
        module,
        name: None,
        local: None,
        reexported: false,
        owner: None,
        line: 0,
    }
}

fn add_import(cx: &mut Cx<'_>, node: Node<'_>, import: ImportInput<'_>) {
    if !import.module.is_empty() {
        cx.facts.add_import(&ImportInput { line: Cx::lines(node).0, ..import });
    }
}

/// Returns true if a directive hides some names of its library.
fn hides(directive: Node<'_>) -> bool {
    child_where(directive, |c| c.kind() == "combinator" && has_token(c, "hide")).is_some()
}

fn has_token(node: Node<'_>, token: &str) -> bool {
    child_where(node, |c| c.kind() == token).is_some()
}

/// Returns the names that a directive is limited to, by `show`.
fn shown_names(directive: Node<'_>) -> Vec<Node<'_>> {
    let mut names = Vec::new();
    let shows = child_where(directive, |c| c.kind() == "combinator" && has_token(c, "show"));
    if let Some(shows) = shows {
        each_child(shows, |c, _| names.extend((c.kind() == "identifier").then_some(c)));
    }
    names
}

/// Returns an address without its quotes; empty for one that is computed at run time, which no directive allows.
fn uri_text<'t>(uri: Node<'_>, cx: &Cx<'t>) -> &'t str {
    let text = cx.text(uri).trim_matches(['\'', '"']);
    if text.contains(['$', '\'', '"', '\\']) { "" } else { text }
}
