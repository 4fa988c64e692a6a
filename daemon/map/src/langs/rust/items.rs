//! Defines items: functions, types, constants, modules; and reads their attributes.

use super::grammar::RustKind;
use super::rules::{RustImplBody, RustWalk};
use crate::facts::{DefFlags, DefIdx, DefKind, ImportInput, ImportKind, Receiver, RefKind, TypePart};
use crate::langs::support::{DefinitionLead, ItemDef, NewDef, child_where, each_child};
use crate::syntax::Node;
use crate::walk::{Binding, Cx, WalkStep};

impl RustWalk {
    pub(super) fn visit_attribute(&mut self, node: Node<'_>, cx: &Cx<'_>) -> WalkStep {
        self.lead.add_attribute(node, cx.source, is_of_tests(cx.text(node)));
        WalkStep::Skip
    }

    pub(super) fn visit_function(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        self.handled.mark(name);
        let outer = self.lead.take_outer(node, cx);
        let declared = self.g.kind(node) == RustKind::FnSig;
        let flags = self.visibility(node).with_if(declared, DefFlags::DECLARATION);
        let member = self.is_member(node, cx);
        let kind = if member { DefKind::Method } else { DefKind::Function };
        let head_end = node.child_by_field_id(self.g.f.body).map_or(node.end_byte(), |b| b.start_byte());
        if let Some(def) =
            self.define_node(&ItemDef { node, name, kind, flags, head_end, scope: Some(true) }, &outer, cx)
        {
            self.bind_parameters(node, cx);
            self.say_result(node, def, cx);
            self.say_callbacks(node, def, cx);
            let attributes = outer.start.map_or("", |start| cx.slice(start, node.start_byte()));
            self.note_attributes(node, name, attributes, cx);
        }
        WalkStep::Into
    }

    /// Records the declared result of a function.
    fn say_result(&mut self, node: Node<'_>, def: DefIdx, cx: &mut Cx<'_>) {
        let Some(result) = node.child_by_field_id(self.g.f.result) else { return };
        let items: Vec<Node<'_>> = std::iter::once(node).chain(item_around(node)).collect();
        if let Some(says) = self.hint_text(result, &items, cx) {
            cx.facts.type_hint(def, TypePart::RESULT, &says);
        }
    }

    /// Makes a definition with the owner that its place gives it: a module, a function, or an `impl`.
    fn define_node(&mut self, item: &ItemDef<'_>, outer: &DefinitionLead, cx: &mut Cx<'_>) -> Option<DefIdx> {
        let ItemDef { node, name, kind, flags, head_end, scope } = *item;
        let text = cx.text(name);
        let for_tests = outer.marked || self.body_around(node).is_some_and(|body| body.for_tests);
        let flags = flags.with_if(for_tests, DefFlags::TEST);
        let qualifier = if self.is_member(node, cx) { self.qualifier() } else { None };
        let def = NewDef {
            node,
            name_at: cx.position(name),
            name: text.strip_prefix("r#").unwrap_or(text),
            kind,
            flags,
            parent: cx.owner(),
            qualifier: qualifier.as_deref(),
            head: (node.start_byte(), head_end),
        };
        def.make_def(cx, outer, scope)
    }

    /// Returns true if an item here is a direct member of an `impl` or `trait`.
    fn is_member(&mut self, node: Node<'_>, cx: &Cx<'_>) -> bool {
        let owner = cx.owner();
        let in_type = owner.is_some_and(|o| cx.facts.defs()[o.index()].kind.is_type());
        self.body_around(node).is_some_and(|body| match body.def {
            Some(def) => owner == Some(def),
            None => in_type || owner.is_none_or(|o| cx.facts.defs()[o.index()].kind == DefKind::Module),
        })
    }

    fn qualifier(&self) -> Option<String> {
        self.bodies.last().and_then(|body| body.qualifier.clone())
    }

    pub(super) fn visibility(&mut self, node: Node<'_>) -> DefFlags {
        let of_trait = self.body_around(node).is_some_and(|body| body.of_trait);
        let public = child_where(node, |child| child.kind() == "visibility_modifier").is_some();
        DefFlags::default().with_if(public || of_trait, DefFlags::EXPORTED)
    }

    pub(super) fn visit_type_definition(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        self.handled.mark(name);
        let outer = self.lead.take_outer(node, cx);
        let kind = match self.g.kind(node) {
            RustKind::Struct => DefKind::Struct,
            RustKind::Enum => DefKind::Enum,
            _ => DefKind::Trait,
        };
        let flags = self.visibility(node);
        let body = node.child_by_field_id(self.g.f.body);
        let head_end = body.filter(|b| b.kind() != "ordered_field_declaration_list");
        let head_end = head_end.map_or(node.end_byte(), |b| b.start_byte());
        let Some(def) =
            self.define_node(&ItemDef { node, name, kind, flags, head_end, scope: Some(true) }, &outer, cx)
        else {
            return WalkStep::Into;
        };
        let qualified = cx.facts.defs()[def.index()].qualified;
        self.types.entry(qualified).or_insert(def);
        self.bind_parameters(node, cx);
        self.say_fields(node, def, cx);
        if kind == DefKind::Trait {
            self.open_trait(node, def, cx);
        }
        WalkStep::Into
    }

    fn open_trait(&mut self, node: Node<'_>, def: DefIdx, cx: &mut Cx<'_>) {
        let made = cx.facts.defs()[def.index()];
        self.bodies.push(RustImplBody {
            end: node.end_byte(),
            self_type: Some(made.name),
            qualifier: None,
            def: Some(def),
            of_trait: made.flags.has(DefFlags::EXPORTED),
            for_tests: made.flags.has(DefFlags::TEST),
        });
        if let Some(bounds) = node.child_by_field_id(self.g.f.bounds) {
            let mut supers = Vec::new();
            each_child(bounds, |bound, _| supers.push(bound));
            supers.into_iter().for_each(|bound| self.refer_type(bound, RefKind::Extends, cx));
        }
    }

    /// Visits items whose inside needs no scope, and variants, which own their fields.
    pub(super) fn visit_simple_item(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        self.handled.mark(name);
        let outer = self.lead.take_outer(node, cx);
        let flags = self.visibility(node);
        let item = self.g.kind(node);
        let (kind, flags) = match item {
            RustKind::Variant => (DefKind::Constant, owner_flags(cx)),
            RustKind::Field => (DefKind::Field, flags),
            RustKind::TypeItem => (
                DefKind::TypeAlias,
                flags.with_if(node.child_by_field_id(self.g.f.ty).is_none(), DefFlags::DECLARATION),
            ),
            _ if node.kind() == "static_item" => (DefKind::Variable, flags),
            _ => (DefKind::Constant, flags),
        };
        let head_end = match (item, node.child_by_field_id(self.g.f.value)) {
            (RustKind::Const, Some(value)) => value.start_byte(),
            _ => node.end_byte(),
        };
        let scope = matches!(item, RustKind::Variant | RustKind::TypeItem | RustKind::Const)
            .then_some(item != RustKind::Variant);
        let def = self.define_node(&ItemDef { node, name, kind, flags, head_end, scope }, &outer, cx);
        if item == RustKind::Field {
            self.remember_field(node, name, cx);
        }
        let Some(def) = def else { return WalkStep::Into };
        if item == RustKind::TypeItem {
            self.bind_parameters(node, cx);
        }
        self.say_fields(node, def, cx);
        let items: Vec<Node<'_>> = item_around(node).into_iter().collect();
        let says = node.child_by_field_id(self.g.f.ty).and_then(|ty| self.hint_text(ty, &items, cx));
        if let Some(says) = says {
            cx.facts.type_hint(def, TypePart::VALUE, &says);
        }
        WalkStep::Into
    }

    fn remember_field(&mut self, node: Node<'_>, name: Node<'_>, cx: &mut Cx<'_>) {
        let Some(owner) = cx.owner().map(|owner| cx.facts.defs()[owner.index()].name) else { return };
        if let Some(ty) = node.child_by_field_id(self.g.f.ty).and_then(|ty| self.type_name(ty, cx)) {
            let field = cx.facts.intern(cx.text(name));
            self.field_types.insert((owner, field), ty);
        }
    }

    /// Visits `mod x { }`, which is a definition, and `mod x;`, which is an import of the module `self::x`.
    pub(super) fn visit_module(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        self.handled.mark(name);
        let outer = self.lead.take_outer(node, cx);
        let flags = self.visibility(node);
        if let Some(body) = node.child_by_field_id(self.g.f.body) {
            self.define_node(
                &ItemDef {
                    node,
                    name,
                    kind: DefKind::Module,
                    flags,
                    head_end: body.start_byte(),
                    scope: Some(false),
                },
                &outer,
                cx,
            );
            self.path_from_file(node, &[]);
            self.modules.push((node.end_byte(), cx.text(name).to_owned()));
            return WalkStep::Into;
        }
        let local = cx.text(name);
        let attributes = outer.start.map_or("", |start| cx.slice(start, node.start_byte()));
        if self.modules.is_empty() {
            told_paths(attributes)
                .for_each(|path| cx.facts.add_manifest_pair(&format!("path:{local}"), path));
        }
        let path = ["self", local.strip_prefix("r#").unwrap_or(local)];
        let module = self.path_from_file(node, &path).join("::");
        let owner = cx.owner();
        cx.facts.add_import(&ImportInput {
            kind: ImportKind::Module,
            module: &module,
            name: None,
            local: Some(local),
            reexported: flags.has(DefFlags::EXPORTED),
            owner,
            line: Cx::lines(name).0,
        });
        WalkStep::Skip
    }

    pub(super) fn visit_macro_definition(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Skip };
        let outer = self.lead.take_outer(node, cx);
        let attributes = outer.start.map_or("", |start| cx.slice(start, node.start_byte()));
        let exported = attributes.contains("macro_export") || self.visibility(node).has(DefFlags::EXPORTED);
        let flags = DefFlags::default().with_if(exported, DefFlags::EXPORTED);
        self.define_node(
            &ItemDef { node, name, kind: DefKind::Macro, flags, head_end: name.end_byte(), scope: None },
            &outer,
            cx,
        );
        WalkStep::Skip
    }

    pub(super) fn visit_type_parameter(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if let Some(name) = node.child_by_field_id(self.g.f.name) {
            self.handled.mark(name);
            // The type parameters of items are bound before the walk reaches their bounds.
            if cx.local_binding(cx.text(name)).is_none() {
                cx.bind(cx.text(name), Binding::Opaque);
            }
        }
        WalkStep::Into
    }

    /// Records the name of a type (through generics and paths) as a use of this kind; arguments are left to the walk.
    pub(super) fn refer_type(&mut self, ty: Node<'_>, kind: RefKind, cx: &mut Cx<'_>) {
        let ty = match ty.kind() {
            "higher_ranked_trait_bound" => ty.child_by_field_id(self.g.f.ty).unwrap_or(ty),
            _ => ty,
        };
        let name = match self.g.kind(ty) {
            RustKind::Generic => ty.child_by_field_id(self.g.f.ty).unwrap_or(ty),
            _ if ty.kind() == "function_type" => ty.child_by_field_id(self.g.f.trait_).unwrap_or(ty),
            _ => ty,
        };
        match self.g.kind(name) {
            RustKind::TypeIdent => {
                self.handled.mark(name);
                if cx.text(name) != "Self" {
                    cx.record_use(cx.text(name), name, kind, Receiver::None);
                }
            }
            RustKind::ScopedType | RustKind::Scoped => {
                self.handled.mark(name);
                self.refer_scoped(name, kind, cx);
            }
            _ => {}
        }
    }
}

/// Returns the `impl`, trait or struct that a member stands in.
fn item_around(member: Node<'_>) -> Option<Node<'_>> {
    member.parent()?.parent()
}

/// Returns the flags of a variant, which is as visible as its enumeration.
fn owner_flags(cx: &Cx<'_>) -> DefFlags {
    let exported = cx.owner().is_some_and(|o| cx.facts.defs()[o.index()].flags.has(DefFlags::EXPORTED));
    DefFlags::default().with_if(exported, DefFlags::EXPORTED)
}

/// Yields the files in `#[path = "x.rs"]` and `#[cfg_attr(unix, path = "x.rs")]`.
fn told_paths(attributes: &str) -> impl Iterator<Item = &str> {
    let after = attributes.match_indices("path").map(|(at, word)| attributes[at + word.len()..].trim_start());
    let values = after.filter_map(|rest| rest.strip_prefix('=')?.trim_start().strip_prefix('"'));
    values.filter_map(|value| Some(value.split_once('"')?.0))
}

/// Returns true if an attribute marks its item as a test, or compiles it for tests alone.
fn is_of_tests(attribute: &str) -> bool {
    is_test(attribute) || is_for_tests(attribute)
}

/// Returns true if an attribute compiles its item for tests alone: `#[cfg(test)]`, `#[cfg(all(test, ..))]`.
fn is_for_tests(attribute: &str) -> bool {
    let bare: String = attribute.split_whitespace().collect();
    let Some(inside) = bare.strip_prefix("#[cfg(").and_then(|rest| rest.strip_suffix(")]")) else {
        return false;
    };
    let all = inside.strip_prefix("all(").and_then(|rest| rest.strip_suffix(')')).unwrap_or(inside);
    let mut depth = 0;
    let is_border = |c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ',' && depth == 0
    };
    all.split(is_border).any(|one| one == "test")
}

/// Returns true if an attribute marks a test: `#[test]`, `#[tokio::test]`, `#[rstest]`, `#[test_case(..)]`, `#[bench]`.
fn is_test(attribute: &str) -> bool {
    let path = attribute.trim_start_matches("#[").trim_start();
    let path = path.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | ':'))).next().unwrap_or("");
    let name = path.rsplit("::").next().unwrap_or(path);
    matches!(name, "test" | "rstest" | "test_case" | "bench" | "quickcheck" | "wasm_bindgen_test")
}
