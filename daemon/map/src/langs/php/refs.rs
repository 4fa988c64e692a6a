//! Records uses: calls, creations, members, constants, types, attributes, included files.

use super::grammar::PhpKind;
use super::items::PhpItem;
use super::rules::PhpRules;
use crate::facts::{DefFlags, DefKind, ImportInput, ImportKind, RefKind};
use crate::langs::support::{child_where, each_child, refer_unbound, test_title};
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

impl PhpRules {
    /// Records a constant by its plain name; other names were handled with the nodes around them.
    pub(super) fn visit_name(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let is_word =
            |text: &str| ["true", "false", "null"].iter().any(|word| text.eq_ignore_ascii_case(word));
        if !self.handled.take_mark(node) && !is_word(cx.text(node)) && is_expression(cx) {
            refer_unbound(cx, cx.text(node), node, RefKind::Use, crate::facts::Receiver::None);
        }
        WalkStep::Skip
    }

    pub(super) fn visit_qualified_constant(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if self.handled.take_mark(node) {
            return WalkStep::Skip;
        }
        if let Some(named) = self.function_named(node, cx)
            && is_expression(cx)
        {
            self.refer_named(&named, node, RefKind::Use, cx);
        }
        WalkStep::Skip
    }

    pub(super) fn visit_call<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        let Some(function) = node.child_by_field_id(self.g.f.function) else { return WalkStep::Into };
        let Some(named) = self.function_named(function, cx) else { return WalkStep::Into };
        self.handled.mark(function);
        if named.before.len() <= 1 && self.special_call(node, &named.name, cx) {
            return WalkStep::Into;
        }
        self.refer_named(&named, function, RefKind::Call, cx);
        WalkStep::Into
    }

    /// Defines the constant of `define('X', 1)` and the test of Pest's `it('…', fn)`; returns false for other calls.
    fn special_call<'t>(&mut self, node: Node<'t>, name: &str, cx: &mut Cx<'t>) -> bool {
        let is_define = name.eq_ignore_ascii_case("define");
        let is_test = matches!(name, "it" | "test") && cx.owner().is_none();
        if !is_define && !is_test {
            return false;
        }
        let mut arguments = Vec::new();
        if let Some(list) = node.child_by_field_id(self.g.f.arguments) {
            each_child(list, |c, _| arguments.extend((self.g.kind(c) == PhpKind::Argument).then_some(c)));
        }
        let [first, second, ..] = arguments[..] else { return false };
        let text = first.named_child(0).and_then(|text| Some((text, plain_text(text, cx)?)));
        let Some((at, text)) = text else { return false };
        let at = child_where(at, |c| c.kind() == "string_content").unwrap_or(at);
        let closure =
            second.named_child(0).filter(|c| matches!(self.g.kind(*c), PhpKind::Closure | PhpKind::Arrow));
        if is_define {
            let (kind, flags) = (DefKind::Constant, DefFlags::EXPORTED);
            let is_name = text.chars().all(|c| c.is_alphanumeric() || c == '_');
            let item = PhpItem { node, at, name: text, kind, flags, end: node.end_byte() };
            if is_name && self.in_class(node) {
                return false;
            }
            return is_name && self.define_item(&item, None, cx).is_some();
        }
        let Some(closure) = closure else { return false };
        let (kind, flags) = (DefKind::Function, DefFlags::TEST);
        let named = test_title(name, text);
        let item = PhpItem { node, at, name: &named, kind, flags, end: closure.start_byte() };
        self.define_item(&item, Some(true), cx);
        true
    }

    fn in_class(&mut self, node: Node<'_>) -> bool {
        !self.classes_around(node).is_empty()
    }

    pub(super) fn visit_member_call(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        self.on_object(node, RefKind::Call, cx)
    }

    pub(super) fn visit_member(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        self.on_object(node, RefKind::Use, cx)
    }

    /// Records the member of `$object->name`; a property only if anything is known of the object.
    fn on_object(&mut self, node: Node<'_>, kind: RefKind, cx: &mut Cx<'_>) -> WalkStep {
        let object = node.child_by_field_id(self.g.f.object);
        let (Some(object), Some(name)) = (object, node.child_by_field_id(self.g.f.name)) else {
            return WalkStep::Into;
        };
        if self.g.kind(name) == PhpKind::Name {
            self.handled.mark(name);
            let receiver = self.receiver(object, cx);
            if kind == RefKind::Call || receiver != crate::facts::Receiver::Unknown {
                refer_unbound(cx, cx.text(name), name, kind, receiver);
            }
        }
        WalkStep::Into
    }

    pub(super) fn visit_static_call(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let scope = node.child_by_field_id(self.g.f.scope);
        if let (Some(scope), Some(name)) = (scope, node.child_by_field_id(self.g.f.name)) {
            self.note_route(node, scope, name, cx);
            self.on_class(scope, name, RefKind::Call, cx);
        }
        WalkStep::Into
    }

    pub(super) fn visit_static_member(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let scope = node.child_by_field_id(self.g.f.scope);
        let name = node.child_by_field_id(self.g.f.name);
        let name = name.and_then(|name| child_where(name, |c| self.g.kind(c) == PhpKind::Name));
        if let (Some(scope), Some(name)) = (scope, name) {
            self.on_class(scope, name, RefKind::Use, cx);
        }
        WalkStep::Into
    }

    /// Records the use of a class's constant: `Foo::BAR`, `Foo::class`.
    pub(super) fn visit_class_constant(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let count = node.named_child_count();
        let ends = node.named_child(0).zip(node.named_child((count as u32).saturating_sub(1)));
        if let Some((scope, name)) = ends {
            if count == 1 || cx.text(name) == "class" {
                self.handled.mark(name);
                self.refer_class(scope, RefKind::Type, cx);
            } else {
                self.on_class(scope, name, RefKind::Use, cx);
            }
        }
        WalkStep::Into
    }

    /// Records a member of the class before `::`, and the class.
    fn on_class(&mut self, scope: Node<'_>, name: Node<'_>, kind: RefKind, cx: &mut Cx<'_>) {
        let receiver = self.scope_receiver(scope, cx);
        self.refer_class(scope, RefKind::Type, cx);
        if self.g.kind(name) == PhpKind::Name {
            self.handled.mark(name);
            refer_unbound(cx, cx.text(name), name, kind, receiver);
        }
    }

    pub(super) fn visit_creation(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let class = child_where(node, |c| {
            matches!(self.g.kind(c), PhpKind::Name | PhpKind::Qualified | PhpKind::Relative)
        });
        if let Some(class) = class {
            self.refer_class(class, RefKind::Call, cx);
        }
        WalkStep::Into
    }

    pub(super) fn visit_attribute(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        self.visit_creation(node, cx)
    }

    /// Records the use of the class in `$x instanceof Foo`.
    pub(super) fn visit_instance_of(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let is_test =
            node.child_by_field_id(self.g.f.operator).is_some_and(|operator| operator.kind() == "instanceof");
        if let Some(class) = node.child_by_field_id(self.g.f.right).filter(|_| is_test) {
            self.refer_class(class, RefKind::Type, cx);
        }
        WalkStep::Into
    }

    pub(super) fn visit_named_type(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if let Some(class) = node.named_child(0) {
            self.refer_class(class, RefKind::Type, cx);
        }
        WalkStep::Skip
    }

    /// Marks the name of a named argument, which is no use.
    pub(super) fn visit_argument(&mut self, node: Node<'_>) -> WalkStep {
        if let Some(name) = node.child_by_field_id(self.g.f.name) {
            self.handled.mark(name);
        }
        WalkStep::Into
    }

    /// Records the file of `require __DIR__ . '/a.php'`. A path from this file's folder is `./a.php`; a path behind an
    /// unknown one is the end of a path, `*/a.php`.
    pub(super) fn visit_include(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(path) = node.named_child(0).and_then(|value| self.included_path(value, cx)) else {
            return WalkStep::Into;
        };
        cx.facts.add_import(&ImportInput {
            kind: ImportKind::Effect,
            module: &path,
            name: None,
            local: None,
            reexported: false,
            owner: None,
            line: Cx::lines(node).0,
        });
        WalkStep::Into
    }

    fn included_path(&self, value: Node<'_>, cx: &Cx<'_>) -> Option<String> {
        let mut value = value;
        while self.g.kind(value) == PhpKind::Parens {
            value = value.named_child(0)?;
        }
        if let Some(text) = plain_text(value, cx) {
            return (!text.is_empty()).then(|| text.to_owned());
        }
        let (left, right) =
            (value.child_by_field_id(self.g.f.left)?, value.child_by_field_id(self.g.f.right)?);
        let text = plain_text(right, cx)?.trim_start_matches('/');
        let ups = match &*cx.text(left).split_whitespace().collect::<String>() {
            "__DIR__" | "dirname(__FILE__)" => "./",
            "dirname(__DIR__)" | "dirname(dirname(__FILE__))" | "dirname(__FILE__,2)" => "../",
            "dirname(__DIR__,2)" | "dirname(dirname(__DIR__))" => "../../",
            _ => "*/",
        };
        Some(format!("{ups}{text}"))
    }
}

/// Returns true if the bare name that the walk is at stands in the place of a value.
fn is_expression(cx: &Cx<'_>) -> bool {
    let parent = cx.parent().map_or("", |parent| parent.kind());
    !matches!(
        parent,
        "ERROR" | "variable_name" | "namespace_name" | "use_as_clause" | "use_instead_of_clause"
    ) && !parent.ends_with("_declaration")
        && !parent.ends_with("_clause")
}

/// Returns the text of a string without expressions in it; `None` for other nodes.
pub(super) fn plain_text<'t>(node: Node<'_>, cx: &Cx<'t>) -> Option<&'t str> {
    if !matches!(node.kind(), "string" | "encapsed_string") {
        return None;
    }
    let mut plain = true;
    each_child(node, |c, _| plain &= !c.is_named() || c.kind() == "string_content");
    plain.then(|| cx.text(node).trim_matches(['"', '\'']))
}
