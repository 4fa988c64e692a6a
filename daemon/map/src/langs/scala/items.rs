//! Defines packages, imports, types and their members.

use super::grammar::ScalaKind;
use super::imports::UNTOLD;
use super::infer::Scala;
use super::rules::ScalaRules;
use crate::facts::{DefFlags, DefIdx, DefKind, ImportInput, ImportKind, RefKind, StrId};
use crate::langs::support::{
    NewDef, SurroundingBody, Syntax, child_where, each_child, has_word, header_start, is_capital,
};
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

/// A definition about to be made.
pub(super) struct ScalaItem<'t, 'a> {
    node: Node<'t>,
    /// The node of its name, and the name.
    name: (Node<'t>, &'a str),
    kind: DefKind,
    flags: DefFlags,
    /// The byte at which its header ends.
    end: usize,
}

impl ScalaRules {
    pub(super) fn visit_root(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        cx.facts.set_package("");
        let file = cx.facts.intern("");
        self.record_member_types(node, file, cx);
        WalkStep::Into
    }

    /// Enters a package: `package a` followed by `package b` is in `a.b`, and sees `a`.
    pub(super) fn visit_package(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        self.handled.mark(name);
        each_child(name, |part, _| self.handled.mark(part));
        self.extend_package(name, cx);
        if let Some(body) = node.child_by_field_id(self.g.f.body) {
            self.handled.mark(body);
            let file = cx.facts.intern("");
            self.record_member_types(body, file, cx);
        }
        WalkStep::Into
    }

    fn extend_package(&mut self, name: Node<'_>, cx: &mut Cx<'_>) {
        let inner: String = cx.text(name).split_whitespace().collect();
        let outer = cx.facts.package_name().to_owned();
        if outer.is_empty() {
            cx.facts.set_package(&inner);
            return;
        }
        let line = Cx::lines(name).0;
        self.add_import(ImportKind::Star, &outer, None, None, line, cx);
        cx.facts.set_package(&format!("{outer}.{inner}"));
    }

    /// Enters a package object, whose members are the package's.
    pub(super) fn visit_package_object(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if let Some(name) = node.child_by_field_id(self.g.f.name) {
            self.handled.mark(name);
            self.extend_package(name, cx);
        }
        if let Some(body) = node.child_by_field_id(self.g.f.body) {
            self.handled.mark(body);
            let file = cx.facts.intern("");
            self.record_member_types(body, file, cx);
        }
        WalkStep::Into
    }

    pub(super) fn visit_import(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let line = Cx::lines(node).0;
        let mut parts = Vec::new();
        each_child(node, |child, field| parts.push((child, field)));
        let mut path: Vec<&str> = Vec::new();
        for (part, field) in parts {
            match part.kind() {
                _ if field == self.g.f.path && part.is_named() => path.push(cx.text(part)),
                "namespace_wildcard" => self.import_selector(&mut path, part, line, cx),
                "namespace_selectors" => {
                    let mut selectors = Vec::new();
                    each_child(part, |c, _| selectors.extend(c.is_named().then_some(c)));
                    for selector in selectors {
                        self.import_selector(&mut path.clone(), selector, line, cx);
                    }
                    path.clear();
                }
                "as_renamed_identifier" | "arrow_renamed_identifier" => {
                    self.import_selector(&mut path, part, line, cx);
                }
                "," => self.import_whole_path(&mut path, line, cx),
                _ => {}
            }
        }
        self.import_whole_path(&mut path, line, cx);
        WalkStep::Skip
    }

    /// Records the import of one name: `import a.b.C`.
    fn import_whole_path(&mut self, path: &mut Vec<&str>, line: u32, cx: &mut Cx<'_>) {
        if let Some(name) = path.pop().filter(|_| !path.is_empty()) {
            let module = module_of(path, cx);
            self.add_import(ImportKind::Named, &module, Some(name), Some(name), line, cx);
        }
        path.clear();
    }

    /// Records the import of one selector on a path: a wildcard, a name, a name with another.
    fn import_selector(&mut self, path: &mut Vec<&str>, selector: Node<'_>, line: u32, cx: &mut Cx<'_>) {
        let module = module_of(path, cx);
        path.clear();
        let renamed =
            selector.child_by_field_id(self.g.f.name).zip(selector.child_by_field_id(self.g.f.alias));
        let text = cx.text(selector);
        match (selector.kind(), renamed) {
            _ if module.is_empty() => {}
            ("namespace_wildcard", _) => self.add_import(ImportKind::Star, &module, None, None, line, cx),
            (_, Some((name, alias))) if !matches!(cx.text(alias), "_") => {
                let (name, alias) = (cx.text(name), cx.text(alias));
                self.add_import(ImportKind::Named, &module, Some(name), Some(alias), line, cx);
            }
            ("identifier" | "operator_identifier", _) => {
                self.add_import(ImportKind::Named, &module, Some(text), Some(text), line, cx);
            }
            _ => {}
        }
    }

    fn add_import(
        &mut self,
        kind: ImportKind,
        module: &str,
        name: Option<&str>,
        local: Option<&str>,
        line: u32,
        cx: &mut Cx<'_>,
    ) {
        let owner = cx.owner();
        cx.facts.add_import(&ImportInput { kind, module, name, local, reexported: false, owner, line });
    }

    pub(super) fn visit_type_definition(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        let kind = match self.g.kind(node) {
            ScalaKind::Trait => DefKind::Trait,
            ScalaKind::Enum => DefKind::Enum,
            _ => DefKind::Class,
        };
        let flags = self.visibility(node, cx).with_if(self.is_suite(node, cx), DefFlags::TEST);
        let end = node.child_by_field_id(self.g.f.body).map_or(node.end_byte(), |body| body.start_byte());
        let item = ScalaItem { node, name: (name, without_quotes(cx.text(name))), kind, flags, end };
        if self.has_modifier(node, cx, "implicit") {
            self.extends_to = self.extends_to.max(node.end_byte());
        }
        self.open_type(item, cx);
        WalkStep::Into
    }

    fn open_type(&mut self, item: ScalaItem<'_, '_>, cx: &mut Cx<'_>) {
        let node = item.node;
        self.of_case =
            self.g.kind(node) == ScalaKind::EnumCase || child_where(node, |c| c.kind() == "case").is_some();
        let Some(idx) = self.define_item(item, Some(true), cx) else { return };
        let qualified = cx.facts.defs()[idx.index()].qualified;
        self.members.enter_body(node, SurroundingBody::Type { name: qualified, open: true });
        let mut lists = Vec::new();
        each_child(node, |c, _| lists.extend((c.kind() == "class_parameters").then_some(c)));
        for list in lists {
            self.record_member_types(list, qualified, cx);
        }
        if let Some(body) = node.child_by_field_id(self.g.f.body) {
            self.handled.mark(body);
            self.record_member_types(body, qualified, cx);
        }
    }

    /// Returns true if a class is a suite of munit, ScalaTest, utest or specs2, by its bases.
    fn is_suite(&self, node: Node<'_>, cx: &Cx<'_>) -> bool {
        let Some(extends) = node.child_by_field_id(self.g.f.extend) else { return false };
        child_where(extends, |ty| {
            let name =
                Scala.type_segments(ty).and_then(|s| s.last().copied()).map_or("", |name| cx.text(name));
            let name = name.strip_prefix("Any").or_else(|| name.strip_prefix("Async")).unwrap_or(name);
            name == "Suite"
                || name.ends_with("Suite")
                || name.ends_with("Spec")
                || matches!(name, "SpecLike" | "Specification" | "TestSuite" | "Properties")
        })
        .is_some()
    }

    /// Notes the types of a type's values and the results of its methods, before they are walked.
    fn record_member_types(&mut self, body: Node<'_>, class: StrId, cx: &mut Cx<'_>) {
        let mut members = Vec::new();
        each_child(body, |member, _| members.push(member));
        for member in members {
            match self.g.kind(member) {
                ScalaKind::Value => self.record_value_type(member, class, cx),
                ScalaKind::ClassParameter => {
                    let name = member.child_by_field_id(self.g.f.name).map_or("", |name| cx.text(name));
                    let ty = self.type_of_field(member, cx);
                    self.members.record_field_type(class, name, ty, cx);
                }
                ScalaKind::Function => self.record_function_type(member, class, cx),
                _ => {}
            }
        }
    }

    fn record_value_type(&mut self, member: Node<'_>, class: StrId, cx: &mut Cx<'_>) {
        let pattern = member.child_by_field_id(self.g.f.pattern).or(member.child_by_field_id(self.g.f.name));
        let Some(name) = pattern.filter(|pattern| self.g.kind(*pattern) == ScalaKind::Ident) else { return };
        let ty = match member.child_by_field_id(self.g.f.ty) {
            Some(ty) => Scala.type_path(ty, cx),
            None => {
                let value = member.child_by_field_id(self.g.f.value);
                value.and_then(|value| self.members.type_of(&Scala, value, cx))
            }
        };
        self.members.record_field_type(class, cx.text(name), ty, cx);
    }

    fn record_function_type(&mut self, member: Node<'_>, class: StrId, cx: &mut Cx<'_>) {
        let name = member.child_by_field_id(self.g.f.name).map_or("", |name| cx.text(name));
        let generic = child_where(member, |c| self.g.kind(c) == ScalaKind::TypeParameters).is_some();
        let written = member.child_by_field_id(self.g.f.result).filter(|_| !generic);
        let body = member.child_by_field_id(self.g.f.body).filter(|_| !generic);
        let ty = match (written, body) {
            (Some(ty), _) => Scala.type_path(ty, cx),
            (None, Some(body)) => self.members.type_of(&Scala, body, cx),
            (None, None) => None,
        };
        self.members.record_result_type(class, name, ty, cx);
    }

    fn define_item(
        &mut self,
        item: ScalaItem<'_, '_>,
        scope: Option<bool>,
        cx: &mut Cx<'_>,
    ) -> Option<DefIdx> {
        let outer = self.lead.take_outer(item.node, cx);
        self.handled.mark(item.name.0);
        let def = NewDef {
            node: item.node,
            name_at: cx.position(item.name.0),
            name: item.name.1,
            kind: item.kind,
            flags: item.flags,
            parent: cx.owner(),
            qualifier: None,
            head: (header_start(item.node, cx, |n| self.g.kind(n) == ScalaKind::Annotation), item.end),
        };
        def.make_def(cx, &outer, scope)
    }

    fn has_modifier(&self, node: Node<'_>, cx: &Cx<'_>, word: &str) -> bool {
        let modifiers = child_where(node, |c| c.kind() == "modifiers");
        modifiers.is_some_and(|modifiers| has_word(modifiers, cx, &[word]))
    }

    /// Returns the visibility of a definition: everything but plainly private is visible to some other file.
    fn visibility(&self, node: Node<'_>, cx: &Cx<'_>) -> DefFlags {
        let hidden = self.has_modifier(node, cx, "private") || self.has_modifier(node, cx, "private[this]");
        DefFlags::default().with_if(!hidden, DefFlags::EXPORTED)
    }

    pub(super) fn visit_enum_case(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        let (flags, end) = (DefFlags::EXPORTED, node.end_byte());
        let is_class = child_where(node, |c| c.kind() == "class_parameters").is_some();
        let kind = if is_class { DefKind::Class } else { DefKind::Constant };
        let item = ScalaItem { node, name: (name, without_quotes(cx.text(name))), kind, flags, end };
        match is_class {
            true => self.open_type(item, cx),
            false => {
                self.define_item(item, Some(false), cx);
            }
        }
        WalkStep::Into
    }

    /// Defines a given; one without a name is called after its type, as the compiler calls it.
    pub(super) fn visit_given(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let ty = node.child_by_field_id(self.g.f.result);
        let made_up = ty.map_or(String::new(), |ty| {
            let words: Vec<&str> =
                cx.text(ty).split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
            format!("given_{}", words.join("_"))
        });
        let named = node.child_by_field_id(self.g.f.name).map(|name| (name, cx.text(name)));
        let Some(name) = named.or_else(|| ty.map(|ty| (ty, made_up.as_str()))) else { return WalkStep::Into };
        let body = node.child_by_field_id(self.g.f.body);
        let is_class = body.is_some_and(|body| self.g.kind(body) == ScalaKind::Template);
        let end = body.map_or(node.end_byte(), |body| body.start_byte());
        let flags = self.visibility(node, cx);
        let kind = match self.members.innermost_body(node) {
            _ if is_class => DefKind::Class,
            None => DefKind::Variable,
            Some(_) => DefKind::Field,
        };
        let item = ScalaItem { node, name, kind, flags, end };
        if is_class {
            self.open_type(item, cx);
            if let Some(ty) = ty {
                self.refer_type(ty, RefKind::Extends, cx);
            }
        } else {
            self.define_item(item, Some(true), cx);
            self.members.enter_body(node, SurroundingBody::Code);
        }
        if named.is_none() && !is_class {
            // The node of the name is the type's, which is used too.
            self.handled.take_mark(name.0);
        }
        WalkStep::Into
    }

    pub(super) fn visit_extension(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        self.extends_to = self.extends_to.max(node.end_byte());
        cx.open_scope(true);
        WalkStep::Into
    }

    pub(super) fn visit_function(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        let around = self.members.innermost_body(node);
        let body = node.child_by_field_id(self.g.f.body);
        let mut end = body.map_or(node.end_byte(), |body| body.start_byte());
        if body.is_some() {
            // The header ends before `=`.
            let sign = child_where(node, |c| c.kind() == "=");
            end = sign.map_or(end, |sign| sign.start_byte());
        }
        let kind = match around {
            Some(SurroundingBody::Type { .. } | SurroundingBody::Anonymous) => DefKind::Method,
            _ => DefKind::Function,
        };
        let extends = node.start_byte() < self.extends_to && around != Some(SurroundingBody::Code);
        let flags = self
            .visibility(node, cx)
            .with_if(body.is_none(), DefFlags::DECLARATION)
            .with_if(self.is_test(node, cx), DefFlags::TEST)
            .with_if(extends, DefFlags::EXTENSION);
        let item = ScalaItem { node, name: (name, without_quotes(cx.text(name))), kind, flags, end };
        self.define_item(item, Some(true), cx);
        self.members.enter_body(node, SurroundingBody::Code);
        WalkStep::Into
    }

    fn is_test(&self, node: Node<'_>, cx: &Cx<'_>) -> bool {
        let marks = |annotation: Node<'_>| {
            let name = annotation.child_by_field_id(self.g.f.name).map_or("", |name| cx.text(name));
            matches!(name.rsplit('.').next(), Some("Test" | "ParameterizedTest" | "RepeatedTest"))
        };
        child_where(node, |c| self.g.kind(c) == ScalaKind::Annotation && marks(c)).is_some()
    }

    pub(super) fn visit_value(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let around = self.members.innermost_body(node);
        if matches!(around, Some(SurroundingBody::Code | SurroundingBody::Anonymous)) {
            return self.visit_local(node, cx);
        }
        let kind = if around.is_none() { DefKind::Variable } else { DefKind::Field };
        let flags = self
            .visibility(node, cx)
            .with_if(matches!(node.kind(), "val_declaration" | "var_declaration"), DefFlags::DECLARATION);
        let names = self.declared_names(node, cx);
        let several = names.len() > 1;
        for name in names {
            let ty = node.child_by_field_id(self.g.f.ty);
            let end = ty.map_or(name.end_byte(), |ty| ty.end_byte());
            let item = ScalaItem { node, name: (name, without_quotes(cx.text(name))), kind, flags, end };
            self.define_item(item, if several { None } else { Some(true) }, cx);
        }
        self.members.enter_body(node, SurroundingBody::Code);
        WalkStep::Into
    }

    /// Returns the names that a value definition declares. A single one may begin with a capital.
    fn declared_names<'t>(&self, node: Node<'t>, cx: &Cx<'_>) -> Vec<Node<'t>> {
        match node.child_by_field_id(self.g.f.pattern) {
            Some(pattern) if self.g.kind(pattern) == ScalaKind::Ident => vec![pattern],
            Some(pattern) if pattern.kind() == "identifiers" => {
                let mut names = Vec::new();
                each_child(pattern, |c, _| names.extend((self.g.kind(c) == ScalaKind::Ident).then_some(c)));
                names
            }
            Some(pattern) => self.pattern_names(pattern, cx).into_iter().map(|(name, _)| name).collect(),
            None => {
                let mut names = Vec::new();
                each_child(node, |child, field| names.extend((field == self.g.f.name).then_some(child)));
                names
            }
        }
    }

    pub(super) fn visit_alias(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        let flags = self.visibility(node, cx);
        let (kind, end) = (DefKind::TypeAlias, node.end_byte());
        let item = ScalaItem { node, name: (name, cx.text(name)), kind, flags, end };
        self.define_item(item, Some(true), cx);
        self.members.enter_body(node, SurroundingBody::Code);
        WalkStep::Into
    }

    /// Visits a class's parameter. Those of a case class, and those with `val` or `var`, are values of it; the class's
    /// code alone sees others.
    pub(super) fn visit_class_parameter(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        let says_value = child_where(node, |c| matches!(c.kind(), "val" | "var")).is_some();
        if !says_value && !self.of_case {
            return self.visit_parameter(node, cx);
        }
        let flags = self.visibility(node, cx);
        let end = node.child_by_field_id(self.g.f.ty).map_or(name.end_byte(), |ty| ty.end_byte());
        let item =
            ScalaItem { node, name: (name, without_quotes(cx.text(name))), kind: DefKind::Field, flags, end };
        self.define_item(item, None, cx);
        WalkStep::Into
    }
}

/// Returns a dotted module; [`UNTOLD`] for one that starts at a local value.
fn module_of(path: &[&str], cx: &mut Cx<'_>) -> String {
    let local = path.first().is_some_and(|first| !is_capital(first) && cx.local_binding(first).is_some());
    if local { UNTOLD.to_owned() } else { path.join(".") }
}

/// Returns a name without the quotes that it may be written in.
fn without_quotes(name: &str) -> &str {
    name.strip_prefix('`').and_then(|name| name.strip_suffix('`')).unwrap_or(name)
}
