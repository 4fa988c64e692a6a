//! Defines namespaces, imports, types and their members.

use super::docs;
use super::grammar::CSharpKind;
use super::infer::{CSharpSyntax, element_type, elements_of, name_identifier};
use super::rules::CSharpRules;
use crate::facts::{DefFlags, DefIdx, DefKind, ImportInput, ImportKind, RefKind, StrId};
use crate::langs::support::{
    DefinitionLead, NewDef, SurroundingBody, Syntax, child_where, each_child, has_word, header_start,
    is_capital,
};
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

/// A definition about to be made.
pub(super) struct CSharpItem<'t, 'a> {
    node: Node<'t>,
    /// The node of its name, and the name.
    name: (Node<'t>, &'a str),
    kind: DefKind,
    flags: DefFlags,
    /// The byte at which its header ends.
    end: usize,
}

impl CSharpRules {
    /// Enters the file. Its own namespace is the first, down to where that holds more than one other; a file without
    /// any is in the nameless one.
    pub(super) fn visit_root(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        self.members.enter_body(node, SurroundingBody::Code);
        cx.open_scope(true);
        let mut package = String::new();
        let mut next = child_where(node, |c| self.g.kind(c) == CSharpKind::Namespace);
        while let Some(space) = next.filter(|_| package.len() < 1000) {
            self.handled.mark(space);
            if !package.is_empty() {
                package.push('.');
            }
            package.push_str(&dotted_name(space.child_by_field_id(self.g.f.name), cx));
            next = space.child_by_field_id(self.g.f.body).and_then(|body| self.only_namespace(body));
        }
        cx.facts.set_package(&package);
        WalkStep::Into
    }

    fn only_namespace<'t>(&self, body: Node<'t>) -> Option<Node<'t>> {
        let counts =
            |n: Node<'_>| n.is_named() && !matches!(self.g.kind(n), CSharpKind::Comment | CSharpKind::Using);
        let first = child_where(body, counts)?;
        (self.g.kind(first) == CSharpKind::Namespace).then_some(first)
    }

    pub(super) fn visit_namespace(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        let text = dotted_name(Some(name), cx);
        self.mark_names(name);
        let package = cx.facts.package_name();
        if self.handled.take_mark(node) || (cx.owner().is_none() && package == text) {
            return WalkStep::Into;
        }
        let end = node.child_by_field_id(self.g.f.body).map_or(name.end_byte(), |body| body.start_byte());
        let flags = DefFlags::EXPORTED;
        let item = CSharpItem { node, name: (name, &text), kind: DefKind::Module, flags, end };
        self.define_item(item, Some(false), cx);
        WalkStep::Into
    }

    fn mark_names(&mut self, name: Node<'_>) {
        let mut next = vec![name];
        while let Some(node) = next.pop().filter(|_| next.len() < 100) {
            self.handled.mark(node);
            each_child(node, |child, _| next.push(child));
        }
    }

    pub(super) fn visit_using(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let alias = node.child_by_field_id(self.g.f.name);
        let target =
            child_where(node, |c| c.is_named() && Some(c) != alias && self.g.kind(c) != CSharpKind::Comment);
        let segments = target.and_then(|target| CSharpSyntax.type_segments(target)).unwrap_or_default();
        let path = segments.iter().map(|part| cx.text(*part)).collect::<Vec<_>>().join(".");
        let alias = alias.map(|alias| cx.text(alias));
        let (kind, module, name) = match (alias, path.rsplit_once('.')) {
            (None, _) => (ImportKind::Star, path.as_str(), None),
            (Some(_), Some((module, name))) => (ImportKind::Named, module, Some(name)),
            (Some(_), None) => (ImportKind::Module, path.as_str(), None),
        };
        if !path.is_empty() {
            cx.facts.add_import(&ImportInput {
                kind,
                module,
                name,
                local: alias,
                reexported: has_word(node, cx, &["global"]),
                owner: cx.owner(),
                line: Cx::lines(node).0,
            });
        }
        WalkStep::Skip
    }

    pub(super) fn visit_type_definition(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        let kind = match self.g.kind(node) {
            CSharpKind::Class => DefKind::Class,
            CSharpKind::Interface => DefKind::Interface,
            CSharpKind::Enum => DefKind::Enum,
            _ => DefKind::Struct,
        };
        let flags = self.visibility(node, cx).with_if(has_word(node, cx, &["partial"]), DefFlags::PARTIAL);
        let body = node.child_by_field_id(self.g.f.body);
        let end = body.map_or(node.end_byte(), |body| body.start_byte());
        let item = CSharpItem { node, name: (name, cx.text(name)), kind, flags, end };
        let Some(idx) = self.define_item(item, Some(true), cx) else { return WalkStep::Into };
        let qualified = cx.facts.defs()[idx.index()].qualified;
        let open = matches!(kind, DefKind::Interface | DefKind::Enum);
        self.members.enter_body(node, SurroundingBody::Type { name: qualified, open });
        if let Some(body) = body {
            self.record_member_types(body, qualified, cx);
        }
        if self.g.kind(node) == CSharpKind::Record {
            self.define_components(node, qualified, cx);
        }
        WalkStep::Into
    }

    /// Notes the types of a class's fields and the results of its methods, before they are walked.
    fn record_member_types(&mut self, body: Node<'_>, class: StrId, cx: &mut Cx<'_>) {
        let mut members = Vec::new();
        each_child(body, |member, _| members.push(member));
        for member in members {
            let name = member.child_by_field_id(self.g.f.name).map_or("", |name| cx.text(name));
            let ty = member.child_by_field_id(self.g.f.ty);
            match self.g.kind(member) {
                CSharpKind::Property | CSharpKind::Event => {
                    self.record_element_type(class, name, ty, cx);
                    let ty = ty.and_then(|ty| CSharpSyntax.type_path(ty, cx));
                    self.members.record_field_type(class, name, ty, cx);
                }
                CSharpKind::Fields => self.record_field_types(member, class, cx),
                CSharpKind::Method => {
                    let generic = child_where(member, |c| c.kind() == "type_parameter_list").is_some();
                    let ty = member.child_by_field_id(self.g.f.returns).filter(|_| !generic);
                    let ty = ty.and_then(|ty| CSharpSyntax.type_path(self.awaited_type(ty, cx), cx));
                    self.members.record_result_type(class, name, ty, cx);
                }
                _ => {}
            }
        }
    }

    /// Returns the type inside a task's type, because callers await the task; returns any other type unchanged.
    fn awaited_type<'t>(&self, ty: Node<'t>, cx: &Cx<'_>) -> Node<'t> {
        let is_task = name_identifier(ty).is_some_and(|name| matches!(cx.text(name), "Task" | "ValueTask"));
        let arguments = child_where(ty, |c| self.g.kind(c) == CSharpKind::TypeArgs);
        arguments.filter(|_| is_task).and_then(|list| list.named_child(0)).unwrap_or(ty)
    }

    fn record_field_types(&mut self, node: Node<'_>, class: StrId, cx: &mut Cx<'_>) {
        let (ty, names) = self.declared_fields(node);
        names.iter().for_each(|name| self.record_element_type(class, cx.text(*name), ty, cx));
        let ty = ty.and_then(|ty| CSharpSyntax.type_path(ty, cx));
        for name in names {
            self.members.record_field_type(class, cx.text(name), ty, cx);
        }
    }

    /// Notes the type of the elements of a member that is a sequence.
    fn record_element_type(&mut self, class: StrId, name: &str, ty: Option<Node<'_>>, cx: &mut Cx<'_>) {
        let element = ty.and_then(|ty| element_type(ty, cx)).and_then(|ty| CSharpSyntax.type_path(ty, cx));
        self.members.record_field_type(class, &elements_of(name), element, cx);
    }

    /// Returns the type and the names of a declaration of fields.
    fn declared_fields<'t>(&self, node: Node<'t>) -> (Option<Node<'t>>, Vec<Node<'t>>) {
        let Some(declaration) = child_where(node, |c| self.g.kind(c) == CSharpKind::Declaration) else {
            return (None, Vec::new());
        };
        let mut names = Vec::new();
        each_child(declaration, |child, _| {
            if child.kind() == "variable_declarator" {
                names.extend(child.child_by_field_id(self.g.f.name));
            }
        });
        (declaration.child_by_field_id(self.g.f.ty), names)
    }

    /// Defines a record's parameters, which are properties.
    fn define_components(&mut self, node: Node<'_>, class: StrId, cx: &mut Cx<'_>) {
        let Some(list) = child_where(node, |c| self.g.kind(c) == CSharpKind::Parameters) else { return };
        let mut parameters = Vec::new();
        each_child(list, |p, _| parameters.extend((self.g.kind(p) == CSharpKind::Parameter).then_some(p)));
        for parameter in parameters {
            let Some(name) = parameter.child_by_field_id(self.g.f.name) else { continue };
            let ty = parameter.child_by_field_id(self.g.f.ty).and_then(|ty| CSharpSyntax.type_path(ty, cx));
            let (kind, flags) = (DefKind::Field, DefFlags::EXPORTED);
            let end = parameter.end_byte();
            self.define_item(
                CSharpItem { node: parameter, name: (name, cx.text(name)), kind, flags, end },
                None,
                cx,
            );
            self.members.record_field_type(class, cx.text(name), ty, cx);
        }
    }

    pub(super) fn define_item(
        &mut self,
        item: CSharpItem<'_, '_>,
        scope: Option<bool>,
        cx: &mut Cx<'_>,
    ) -> Option<DefIdx> {
        let outer = self.lead.take_outer(item.node, cx);
        let outer = DefinitionLead { doc: docs::summary_text(&outer.doc), ..outer };
        self.handled.mark(item.name.0);
        let def = NewDef {
            node: item.node,
            name_at: cx.position(item.name.0),
            name: item.name.1,
            kind: item.kind,
            flags: item.flags,
            parent: cx.owner(),
            qualifier: None,
            head: (header_start(item.node, cx, |n| self.g.kind(n) == CSharpKind::AttributeList), item.end),
        };
        def.make_def(cx, &outer, scope)
    }

    /// Returns the visibility of a definition: everything but private is visible to some other file; members of classes
    /// are private by default.
    fn visibility(&mut self, node: Node<'_>, cx: &Cx<'_>) -> DefFlags {
        let said = has_word(node, cx, &["public", "internal", "protected"]);
        let hidden = !said && has_word(node, cx, &["private", "file"]);
        let explicit = child_where(node, |c| c.kind() == "explicit_interface_specifier").is_some();
        let by_default = match self.members.innermost_body(node) {
            Some(SurroundingBody::Type { open, .. }) => open || explicit,
            _ => true,
        };
        DefFlags::default().with_if(said || (by_default && !hidden), DefFlags::EXPORTED)
    }

    pub(super) fn visit_method(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let body = node.child_by_field_id(self.g.f.body);
        let Some((at, name)) = self.method_name(node, cx) else { return WalkStep::Into };
        let flags = self
            .visibility(node, cx)
            .with_if(body.is_none(), DefFlags::DECLARATION)
            .with_if(self.is_test(node, cx), DefFlags::TEST)
            .with_if(self.is_extension(node, cx), DefFlags::EXTENSION);
        let end = body.map_or(node.end_byte(), |body| body.start_byte());
        self.mark_types(node);
        self.define_item(
            CSharpItem { node, name: (at, &name), kind: DefKind::Method, flags, end },
            Some(true),
            cx,
        );
        self.note_attributes(node, at, cx);
        self.members.enter_body(node, SurroundingBody::Code);
        WalkStep::Into
    }

    fn method_name<'t>(&self, node: Node<'t>, cx: &Cx<'_>) -> Option<(Node<'t>, String)> {
        let f = &self.g.f;
        let text = |node: Node<'_>| cx.text(node).split_whitespace().collect::<String>();
        // The name of an operator begins with this word.
        let word = || child_where(node, |child| child.kind() == "operator");
        match self.g.kind(node) {
            CSharpKind::Operator => {
                let sign = node.child_by_field_id(f.operator)?;
                Some((word().unwrap_or(sign), format!("operator{}", text(sign))))
            }
            CSharpKind::Conversion => {
                let ty = node.child_by_field_id(f.ty)?;
                Some((word().unwrap_or(ty), format!("operator {}", text(ty))))
            }
            CSharpKind::Destructor => {
                let name = node.child_by_field_id(f.name)?;
                Some((name, format!("~{}", cx.text(name))))
            }
            _ => node.child_by_field_id(f.name).map(|name| (name, cx.text(name).to_owned())),
        }
    }

    /// Returns true if an attribute of xUnit, NUnit or MSTest marks a method as a test.
    fn is_test(&self, node: Node<'_>, cx: &Cx<'_>) -> bool {
        let marks = |attribute: Node<'_>| {
            let name = attribute.child_by_field_id(self.g.f.name).map_or("", |name| cx.text(name));
            let name = name.rsplit('.').next().unwrap_or(name);
            let name = name.strip_suffix("Attribute").unwrap_or(name);
            ["Fact", "Theory", "Test", "TestCase", "TestCaseSource", "TestMethod"].contains(&name)
                || name.ends_with("Fact")
                || name.ends_with("Theory")
                || name.ends_with("TestMethod")
        };
        let list_marks = |list: Node<'_>| {
            self.g.kind(list) == CSharpKind::AttributeList && child_where(list, marks).is_some()
        };
        child_where(node, list_marks).is_some()
    }

    /// Returns true if a method is an extension: its first parameter has `this`.
    fn is_extension(&self, node: Node<'_>, cx: &Cx<'_>) -> bool {
        let list = node.child_by_field_id(self.g.f.parameters);
        let first = list.and_then(|list| child_where(list, |c| self.g.kind(c) == CSharpKind::Parameter));
        first.is_some_and(|first| has_word(first, cx, &["this"]))
    }

    pub(super) fn visit_property(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let named = node.child_by_field_id(self.g.f.name).map(|name| (name, cx.text(name)));
        let this = || child_where(node, |c| c.kind() == "this").map(|this| (this, "this[]"));
        let Some(name) = named.or_else(this) else { return WalkStep::Into };
        let body = node.child_by_field_id(self.g.f.accessors).or(node.child_by_field_id(self.g.f.value));
        let end = body.map_or(node.end_byte(), |body| body.start_byte());
        let flags = self.visibility(node, cx);
        self.mark_types(node);
        self.define_item(CSharpItem { node, name, kind: DefKind::Field, flags, end }, Some(true), cx);
        self.members.enter_body(node, SurroundingBody::Code);
        WalkStep::Into
    }

    pub(super) fn visit_fields(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let (_, names) = self.declared_fields(node);
        let fixed = has_word(node, cx, &["const"])
            || (has_word(node, cx, &["static"]) && has_word(node, cx, &["readonly"]));
        let kind = if fixed { DefKind::Constant } else { DefKind::Field };
        let flags = self.visibility(node, cx);
        for name in names {
            let end = name.end_byte();
            self.define_item(CSharpItem { node, name: (name, cx.text(name)), kind, flags, end }, None, cx);
        }
        if let Some(declaration) = child_where(node, |c| self.g.kind(c) == CSharpKind::Declaration) {
            self.handled.mark(declaration);
        }
        WalkStep::Into
    }

    pub(super) fn visit_enum_member(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        let (kind, flags) = (DefKind::Constant, DefFlags::EXPORTED);
        let end = node.end_byte();
        self.define_item(CSharpItem { node, name: (name, cx.text(name)), kind, flags, end }, Some(false), cx);
        WalkStep::Into
    }

    /// Defines a delegate, a type without members.
    pub(super) fn visit_delegate(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        let flags = self.visibility(node, cx);
        self.mark_types(node);
        let (kind, end) = (DefKind::TypeAlias, node.end_byte());
        self.define_item(CSharpItem { node, name: (name, cx.text(name)), kind, flags, end }, Some(true), cx);
        self.members.enter_body(node, SurroundingBody::Code);
        WalkStep::Into
    }

    pub(super) fn visit_local_function(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        let body = node.child_by_field_id(self.g.f.body);
        let end = body.map_or(node.end_byte(), |body| body.start_byte());
        self.mark_types(node);
        let (kind, flags) = (DefKind::Function, DefFlags::default());
        self.define_item(CSharpItem { node, name: (name, cx.text(name)), kind, flags, end }, Some(true), cx);
        self.members.enter_body(node, SurroundingBody::Code);
        WalkStep::Into
    }

    pub(super) fn visit_bases(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let owner = cx.owner().map(|owner| cx.facts.defs()[owner.index()].kind);
        let mut types = Vec::new();
        each_child(node, |child, _| match child.kind() {
            "primary_constructor_base_type" => types.extend(child.child_by_field_id(self.g.f.ty)),
            _ => types.push(child),
        });
        for ty in types {
            let last = CSharpSyntax.type_segments(ty).and_then(|segments| segments.last().copied());
            let Some(last) = last else { continue };
            let kind = match owner {
                Some(DefKind::Interface) => RefKind::Extends,
                Some(DefKind::Class) if !is_interface(cx.text(last)) => RefKind::Extends,
                Some(DefKind::Struct) if !is_interface(cx.text(last)) => RefKind::Extends,
                _ => RefKind::Implements,
            };
            self.refer_type(ty, kind, cx);
        }
        WalkStep::Into
    }
}

/// Returns true if a name is written as those of interfaces are: `I` before a capital.
fn is_interface(name: &str) -> bool {
    name.strip_prefix('I').is_some_and(is_capital)
}

/// Returns a dotted name without white space.
fn dotted_name(name: Option<Node<'_>>, cx: &Cx<'_>) -> String {
    name.map_or("", |name| cx.text(name)).split_whitespace().collect()
}
