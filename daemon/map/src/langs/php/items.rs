//! Defines classes and functions.

use super::docblock::Doc;
use super::grammar::PhpKind;
use super::infer::is_own_type;
use super::rules::{PhpClassScope, PhpRules};
use crate::facts::{DefFlags, DefIdx, DefKind, StrId};
use crate::langs::support::{NewDef, child_where, each_child};
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

/// A definition in terms of nodes: the whole, the node of its name, and the byte at which its header ends.
pub(super) struct PhpItem<'t, 'a> {
    pub(super) node: Node<'t>,
    pub(super) at: Node<'t>,
    pub(super) name: &'a str,
    pub(super) kind: DefKind,
    pub(super) flags: DefFlags,
    pub(super) end: usize,
}

impl PhpRules {
    /// Records a definition; with `scope` its children are walked inside it.
    pub(super) fn define_item(
        &mut self,
        item: &PhpItem<'_, '_>,
        scope: Option<bool>,
        cx: &mut Cx<'_>,
    ) -> Option<DefIdx> {
        let mut outer = self.lead.take_outer(item.node, cx);
        if outer.doc.is_empty() {
            self.doc = Doc::default();
        }
        outer.doc.truncate(description_end(&outer.doc));
        let start = item.node.child_by_field_id(self.g.f.attributes).map(|list| list.end_byte());
        let start = start.unwrap_or(item.node.start_byte());
        let blank =
            cx.source.get(start..).unwrap_or(&[]).iter().take_while(|b| b.is_ascii_whitespace()).count();
        let def = NewDef {
            node: item.node,
            name_at: cx.position(item.at),
            name: item.name,
            kind: item.kind,
            flags: item.flags,
            parent: cx.owner(),
            qualifier: None,
            head: (start + blank, item.end),
        };
        let made = def.make_def(cx, &outer, scope);
        if let Some(idx) = made {
            self.refer_documented(idx, cx);
        }
        made
    }

    pub(super) fn visit_type_definition<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        self.handled.mark(name);
        let kind = match self.g.kind(node) {
            PhpKind::Interface => DefKind::Interface,
            PhpKind::Trait => DefKind::Trait,
            PhpKind::Enum => DefKind::Enum,
            _ => DefKind::Class,
        };
        let flags = DefFlags::EXPORTED;
        let body = node.child_by_field_id(self.g.f.body);
        let end = body.map_or(node.end_byte(), |body| body.start_byte());
        let item = PhpItem { node, at: name, name: cx.text(name), kind, flags, end };
        let Some(idx) = self.define_item(&item, Some(false), cx) else { return WalkStep::Into };
        let qualified = cx.facts.defs()[idx.index()].qualified;
        self.define_documented(idx, cx);
        let tests = self.holds_tests(node, cx.text(name), cx);
        self.classes_around(node);
        self.classes.push(PhpClassScope { end: node.end_byte(), name: Some(qualified), tests });
        if let Some(body) = body {
            self.record_member_types(body, qualified, cx);
        }
        WalkStep::Into
    }

    /// Returns true if a class's `test…` methods are tests: its name, or its base's, says so.
    fn holds_tests(&self, node: Node<'_>, name: &str, cx: &Cx<'_>) -> bool {
        let base = child_where(node, |c| self.g.kind(c) == PhpKind::Extends);
        let base = base.map_or("", |base| cx.text(base)).trim();
        let is_test =
            |name: &str| ["Test", "TestCase", "TestBase", "Tests"].iter().any(|e| name.ends_with(e));
        is_test(base) || (is_test(name) && !base.is_empty())
    }

    pub(super) fn visit_anonymous_class(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        self.classes_around(node);
        self.classes.push(PhpClassScope { end: node.end_byte(), name: None, tests: false });
        cx.open_scope(true);
        WalkStep::Into
    }

    /// Returns true if the walk is in a class without a name.
    pub(super) fn in_anonymous(&mut self, node: Node<'_>) -> bool {
        self.classes_around(node).last().is_some_and(|class| class.name.is_none())
    }

    pub(super) fn has_modifier(&self, node: Node<'_>, word: &str) -> bool {
        child_where(node, |c| {
            c.kind().ends_with("_modifier")
                && (c.kind().starts_with(word) || child_where(c, |w| w.kind() == word).is_some())
        })
        .is_some()
    }

    /// Returns the visibility of a definition: everything but private is visible to some other file.
    pub(super) fn visibility(&self, node: Node<'_>) -> DefFlags {
        DefFlags::default().with_if(!self.has_modifier(node, "private"), DefFlags::EXPORTED)
    }

    pub(super) fn visit_function<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        self.handled.mark(name);
        let text = cx.text(name);
        let body = node.child_by_field_id(self.g.f.body);
        let end = body.map_or(node.end_byte(), |body| body.start_byte());
        let method = self.g.kind(node) == PhpKind::Method;
        if method && self.in_anonymous(node) {
            // The members of a class without a name belong to the definition around it.
            cx.open_scope(true);
            return WalkStep::Into;
        }
        let kind = if method { DefKind::Method } else { DefKind::Function };
        let flags = if method { self.visibility(node) } else { DefFlags::EXPORTED };
        let flags = flags
            .with_if(body.is_none() && method, DefFlags::DECLARATION)
            .with_if(method && self.is_test(node, text, cx), DefFlags::TEST);
        let made =
            self.define_item(&PhpItem { node, at: name, name: text, kind, flags, end }, Some(true), cx);
        if let Some(def) = made {
            self.add_result_type_hint(def, node, cx);
        }
        self.note_attributes(node, name, cx);
        WalkStep::Into
    }

    fn is_test(&mut self, node: Node<'_>, name: &str, cx: &Cx<'_>) -> bool {
        let tests = self.classes_around(node).last().is_some_and(|class| class.tests);
        let attributes = node.child_by_field_id(self.g.f.attributes).map_or("", |list| cx.text(list));
        let marked = attributes.split(|c: char| !c.is_alphanumeric()).any(|word| word == "Test");
        tests && (name.starts_with("test") || marked)
    }

    /// Notes the types of a class's properties and the results of its methods, before they are walked.
    fn record_member_types(&mut self, body: Node<'_>, class: StrId, cx: &mut Cx<'_>) {
        let mut doc = None;
        each_child(body, |member, _| {
            match self.g.kind(member) {
                PhpKind::Comment => {
                    doc = Some(Doc::read(member, cx));
                    return;
                }
                PhpKind::Properties => self.record_property_type(member, doc.as_ref(), class, cx),
                PhpKind::Method => self.record_method_type(member, doc.as_ref(), class, cx),
                _ => {}
            }
            doc = None;
        });
    }

    fn record_property_type(&mut self, property: Node<'_>, doc: Option<&Doc>, class: StrId, cx: &mut Cx<'_>) {
        let declared = property.child_by_field_id(self.g.f.ty).and_then(|ty| self.type_path(ty, cx));
        let written = doc.and_then(|doc| doc.plain_class("var", ""));
        let Some(ty) = declared.or_else(|| self.type_written(written?, cx)) else { return };
        let mut names = Vec::new();
        each_child(property, |c, _| names.extend(c.child_by_field_id(self.g.f.name)));
        for name in names {
            let name = cx.facts.intern(cx.text(name).trim_start_matches('$'));
            self.field_types.insert((class, name), ty);
        }
    }

    fn record_method_type(&mut self, method: Node<'_>, doc: Option<&Doc>, class: StrId, cx: &mut Cx<'_>) {
        let name = method.child_by_field_id(self.g.f.name).map_or("", |name| cx.text(name));
        if let Some(ty) = self.returned_type(method, doc, Some(class), cx) {
            let name = cx.facts.intern(name);
            self.results.insert((class, name), ty);
        }
        let parameters = method.child_by_field_id(self.g.f.parameters).filter(|_| name == "__construct");
        if let Some(parameters) = parameters {
            each_child(parameters, |p, _| {
                let named =
                    p.child_by_field_id(self.g.f.name).filter(|_| self.g.kind(p) == PhpKind::Promoted);
                let ty = p.child_by_field_id(self.g.f.ty).and_then(|ty| self.type_path(ty, cx));
                if let (Some(name), Some(ty)) = (named, ty) {
                    let name = cx.facts.intern(cx.text(name).trim_start_matches(['&', '$']));
                    self.field_types.insert((class, name), ty);
                }
            });
            self.record_assigned_types(method, class, cx);
        }
    }

    /// Notes the types that functions of a file or namespace return.
    pub(super) fn record_function_types(&mut self, body: Node<'_>, cx: &mut Cx<'_>) {
        let mut doc = None;
        each_child(body, |child, _| {
            match self.g.kind(child) {
                PhpKind::Comment => {
                    doc = Some(Doc::read(child, cx));
                    return;
                }
                PhpKind::Function => {
                    let name = child.child_by_field_id(self.g.f.name).map_or("", |name| cx.text(name));
                    if let Some(ty) = self.returned_type(child, doc.as_ref(), None, cx) {
                        self.function_results.insert(cx.facts.intern(name), ty);
                    }
                }
                _ => {}
            }
            doc = None;
        });
    }

    fn returned_type(
        &self,
        function: Node<'_>,
        doc: Option<&Doc>,
        class: Option<StrId>,
        cx: &mut Cx<'_>,
    ) -> Option<StrId> {
        let declared = function.child_by_field_id(self.g.f.result);
        match declared {
            Some(ty) if is_own_type(cx.text(ty)) => class,
            Some(ty) => self.type_path(ty, cx),
            None => {
                let tags = doc.into_iter().flat_map(|doc| &doc.tags);
                let tag = tags.into_iter().find(|tag| tag.tag == "return")?;
                if tag.is_own {
                    class
                } else if tag.types.is_empty() {
                    None
                } else {
                    self.type_written(doc?.plain_class("return", "")?, cx)
                }
            }
        }
    }
}

/// Returns the byte of a documentation comment at which its description ends and its tags begin.
fn description_end(doc: &str) -> usize {
    if doc.starts_with('@') {
        return 0;
    }
    doc.find("\n@").unwrap_or(doc.len())
}
