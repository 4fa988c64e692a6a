//! Defines the members of types and files: functions, initialisers, properties, cases, aliases.

use super::grammar::SwiftKind;
use super::rules::SwiftRules;
use crate::facts::{DefFlags, DefKind};
use crate::langs::support::{ItemDef, child_where, each_child};
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

impl SwiftRules {
    pub(super) fn visit_function(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        self.handled.mark(name);
        let kind = if self.is_member(node) { DefKind::Method } else { DefKind::Function };
        let test = self.is_test(node, cx.text(name), cx);
        let flags = self.body_flags(node, cx).with_if(test, DefFlags::TEST);
        self.define_node(
            &ItemDef { node, name, kind, flags, head_end: self.body_start(node), scope: Some(true) },
            cx,
        );
        WalkStep::Into
    }

    /// Defines `init`, `deinit` and `subscript`, which are named by their keyword.
    pub(super) fn visit_keyword_member(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        self.members.take_mark(node);
        let keyword = child_where(node, |c| matches!(c.kind(), "init" | "deinit" | "subscript"));
        let Some(keyword) = keyword else { return WalkStep::Into };
        let flags = self.body_flags(node, cx);
        self.define_node(
            &ItemDef {
                node,
                name: keyword,
                kind: DefKind::Method,
                flags,
                head_end: self.body_start(node),
                scope: Some(true),
            },
            cx,
        );
        WalkStep::Into
    }

    fn is_member(&mut self, node: Node<'_>) -> bool {
        self.members.take_mark(node) && self.body_around(node).is_some()
    }

    /// Returns the flags of a member: its visibility, and whether it is a requirement of a protocol.
    fn body_flags(&mut self, node: Node<'_>, cx: &Cx<'_>) -> DefFlags {
        let bodiless = self.body_start(node) == node.end_byte();
        let required = bodiless && self.body_around(node).is_some_and(|body| body.protocol);
        self.visibility(node, cx).with_if(required, DefFlags::DECLARATION)
    }

    fn body_start(&self, node: Node<'_>) -> usize {
        let body = node.child_by_field_id(self.g.f.body);
        let body = body.or_else(|| child_where(node, |c| self.g.kind(c) == SwiftKind::Scope));
        body.map_or(node.end_byte(), |body| body.start_byte())
    }

    /// Returns true for a `@Test func` of Swift Testing, and for `func testX()` in a test case of XCTest.
    fn is_test(&mut self, node: Node<'_>, name: &str, cx: &Cx<'_>) -> bool {
        let marked = self.modifiers(node).is_some_and(|modifiers| {
            let is_test = |c: Node<'_>| {
                let ty = child_where(c, |ty| self.g.kind(ty) == SwiftKind::UserType);
                self.g.kind(c) == SwiftKind::Attribute
                    && ty.is_some_and(|ty| matches!(cx.text(ty), "Test" | "Testing.Test"))
            };
            child_where(modifiers, is_test).is_some()
        });
        let named =
            name.strip_prefix("test").is_some_and(|rest| !rest.starts_with(|c: char| c.is_lowercase()));
        let in_case = named && self.body_around(node).is_some_and(|body| body.tests);
        marked || (in_case && child_where(node, |c| self.g.kind(c) == SwiftKind::Param).is_none())
    }

    /// Visits `let` and `var`, which define members of a type or file, else locals.
    pub(super) fn visit_property(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if !self.members.take_mark(node) {
            return self.visit_locals(node, cx);
        }
        let fixed =
            child_where(node, |c| self.g.kind(c) == SwiftKind::Binder && cx.text(c) == "let").is_some();
        let in_type = self.body_around(node).is_some();
        let kind = match (in_type, fixed) {
            (true, _) => DefKind::Field,
            (false, true) => DefKind::Constant,
            (false, false) => DefKind::Variable,
        };
        let required = self.g.kind(node) == SwiftKind::Requirement;
        let flags = self.visibility(node, cx).with_if(required, DefFlags::DECLARATION);
        let declared = self.declared_names(node);
        // A single name owns the definitions in its braces; several share the node.
        let scope = if declared.len() == 1 { Some(true) } else { None };
        for (name, end) in declared {
            self.handled.mark(name);
            self.define_node(&ItemDef { node, name, kind, flags, head_end: end, scope }, cx);
        }
        WalkStep::Into
    }

    /// Returns the names that a declaration declares, each with the end of its type or of itself.
    pub(super) fn declared_names<'t>(&mut self, node: Node<'t>) -> Vec<(Node<'t>, usize)> {
        let mut names: Vec<(Node<'t>, usize)> = Vec::new();
        each_child(node, |child, _| match self.g.kind(child) {
            SwiftKind::Pattern => {
                names.extend(self.pattern_names(child).into_iter().map(|name| (name, name.end_byte())));
            }
            SwiftKind::Annotation => {
                if let Some(last) = names.last_mut() {
                    last.1 = child.end_byte();
                }
            }
            _ => {}
        });
        names
    }

    pub(super) fn visit_cases(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let mut names = Vec::new();
        each_child(node, |child, field| {
            match child.kind() {
                "simple_identifier" if field == self.g.f.name => names.push((child, child.end_byte())),
                "enum_type_parameters" => {
                    self.pass_over_labels(child);
                    names.iter_mut().last().into_iter().for_each(|last| last.1 = child.end_byte());
                }
                _ => {}
            };
        });
        for (name, end) in names {
            self.handled.mark(name);
            self.define_node(
                &ItemDef {
                    node,
                    name,
                    kind: DefKind::Constant,
                    flags: DefFlags::EXPORTED,
                    head_end: end,
                    scope: None,
                },
                cx,
            );
        }
        WalkStep::Into
    }

    /// Marks the labels of a case's values, which are no uses, unlike the default values.
    fn pass_over_labels(&mut self, list: Node<'_>) {
        let mut last = None;
        each_child(list, |child, _| {
            if child.kind() == ":" {
                last.into_iter().for_each(|label| self.handled.mark(label));
            }
            last = (self.g.kind(child) == SwiftKind::Ident).then_some(child);
        });
    }

    /// Defines the name of a `typealias` or an `associatedtype`.
    pub(super) fn visit_alias(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        self.members.take_mark(node);
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        self.handled.mark(name);
        let required = self.g.kind(node) == SwiftKind::Associated;
        let flags = self.visibility(node, cx).with_if(required, DefFlags::DECLARATION);
        self.define_node(
            &ItemDef { node, name, kind: DefKind::TypeAlias, flags, head_end: node.end_byte(), scope: None },
            cx,
        );
        WalkStep::Into
    }

    /// Defines the operator of `infix operator <*>`, a declaration of functions of that name.
    pub(super) fn visit_operator(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if let Some(name) = child_where(node, |c| c.kind() == "custom_operator") {
            let flags = DefFlags::EXPORTED.with(DefFlags::DECLARATION);
            self.define_node(
                &ItemDef {
                    node,
                    name,
                    kind: DefKind::Function,
                    flags,
                    head_end: node.end_byte(),
                    scope: None,
                },
                cx,
            );
        }
        WalkStep::Skip
    }

    pub(super) fn visit_macro_definition(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = child_where(node, |c| self.g.kind(c) == SwiftKind::Ident) else {
            return WalkStep::Into;
        };
        self.handled.mark(name);
        let flags = self.visibility(node, cx);
        let definition = child_where(node, |c| c.kind() == "macro_definition");
        let end = definition.map_or(node.end_byte(), |definition| definition.start_byte());
        self.define_node(
            &ItemDef { node, name, kind: DefKind::Macro, flags, head_end: end, scope: Some(true) },
            cx,
        );
        WalkStep::Into
    }
}
