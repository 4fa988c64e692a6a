//! Defines types and extensions, and records imports and bases.

use super::grammar::SwiftKind;
use super::rules::{SwiftRules, SwiftTypeBody};
use crate::facts::{DefFlags, DefIdx, DefKind, ImportInput, ImportKind, Receiver, RefKind};
use crate::langs::support::{ItemDef, NewDef, child_where, each_child};
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

/// Attributes of the compiler: they name no type, and their arguments hold no value.
const PLAIN_ATTRIBUTES: &[&str] = &[
    "available",
    "backDeployed",
    "discardableResult",
    "dynamicCallable",
    "dynamicMemberLookup",
    "escaping",
    "autoclosure",
    "frozen",
    "inlinable",
    "main",
    "nonobjc",
    "objc",
    "objcMembers",
    "preconcurrency",
    "Sendable",
    "testable",
    "unchecked",
    "unknown",
    "usableFromInline",
    "convention",
    "differentiable",
    "inline",
    "freestanding",
    "attached",
    "propertyWrapper",
    "resultBuilder",
    "globalActor",
    "NSManaged",
    "IBOutlet",
    "IBAction",
    "IBInspectable",
    "IBDesignable",
];

impl SwiftRules {
    /// Records `import M`, `import struct M.Name` and `@_exported import M`.
    pub(super) fn visit_import(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let path = child_where(node, |c| c.kind() == "identifier").map_or("", |path| cx.text(path));
        let path: String = path.split_whitespace().collect();
        let kinds = ["typealias", "struct", "class", "enum", "protocol", "let", "var", "func"];
        let names_one = child_where(node, |c| kinds.contains(&c.kind())).is_some();
        let module = path.split('.').next().unwrap_or("");
        let name = path.rsplit_once('.').map(|(_, name)| name).filter(|_| names_one);
        let exported =
            self.modifiers(node).is_some_and(|m| cx.text(m).split_whitespace().any(|w| w == "@_exported"));
        if !module.is_empty() {
            let id = cx.facts.intern(module);
            self.imported.insert(id);
            cx.facts.add_import(&ImportInput {
                kind: if name.is_some() { ImportKind::Named } else { ImportKind::Star },
                module,
                name,
                local: name,
                reexported: exported,
                owner: None,
                line: Cx::lines(node).0,
            });
        }
        WalkStep::Skip
    }

    pub(super) fn visit_type_definition(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let word = node.child_by_field_id(self.g.f.kind).map_or("", |word| word.kind());
        let kind = match word {
            "extension" => return self.visit_extension(node, cx),
            "struct" => DefKind::Struct,
            "enum" => DefKind::Enum,
            _ => DefKind::Class,
        };
        self.define_type(node, kind, cx);
        WalkStep::Into
    }

    pub(super) fn visit_protocol(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        self.define_type(node, DefKind::Interface, cx);
        WalkStep::Into
    }

    fn define_type(&mut self, node: Node<'_>, kind: DefKind, cx: &mut Cx<'_>) {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return };
        self.handled.mark(name);
        let body = node.child_by_field_id(self.g.f.body);
        let end = body.map_or(node.end_byte(), |body| body.start_byte());
        let flags = self.visibility(node, cx);
        let Some(idx) =
            self.define_node(&ItemDef { node, name, kind, flags, head_end: end, scope: Some(true) }, cx)
        else {
            return;
        };
        let qualified = cx.facts.defs()[idx.index()].qualified;
        self.types.entry(qualified).or_insert(idx);
        self.mark_extended(node, kind);
        let tests = kind == DefKind::Class && self.is_test_case(node, cx);
        self.body_around(node);
        self.bodies.push(SwiftTypeBody {
            end: node.end_byte(),
            name: qualified,
            qualifier: None,
            tests,
            protocol: kind == DefKind::Interface,
        });
        self.mark_members(body);
    }

    /// Marks the types after the colon that are extended rather than implemented: of a class, the first may be its
    /// base.
    fn mark_extended(&mut self, node: Node<'_>, kind: DefKind) {
        let most = match kind {
            DefKind::Interface => usize::MAX,
            DefKind::Class => 1,
            _ => 0,
        };
        let mut found = Vec::new();
        each_child(node, |c, _| found.extend((self.g.kind(c) == SwiftKind::Inherits).then_some(c)));
        found.into_iter().take(most).for_each(|inherits| self.handled.mark(inherits));
    }

    /// Visits an extension: reopens the type, if it is defined further up; else the members' names say what they belong
    /// to.
    fn visit_extension(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        self.lead.take_outer(node, cx);
        let path = self.extended_type(name, cx);
        let id = cx.facts.intern(&path);
        let known = self.types.get(&id).copied();
        self.refer_type(name, RefKind::Type, cx);
        match known {
            Some(def) => cx.reopen_scope(def, true),
            None => cx.open_scope(true),
        }
        let tests = self.is_test_case(node, cx);
        let qualifier = if known.is_none() { Some(path) } else { None };
        self.body_around(node);
        self.bodies.push(SwiftTypeBody { end: node.end_byte(), name: id, qualifier, tests, protocol: false });
        self.mark_members(node.child_by_field_id(self.g.f.body));
        WalkStep::Into
    }

    /// Returns the dotted name of the type that an extension extends, without its module.
    pub(super) fn extended_type(&self, name: Node<'_>, cx: &mut Cx<'_>) -> String {
        let mut names = Vec::new();
        match self.g.kind(name) {
            SwiftKind::UserType => each_child(name, |c, _| {
                names.extend((self.g.kind(c) == SwiftKind::TypeIdent).then(|| cx.text(c)));
            }),
            _ => names.push(cx.text(name)),
        }
        let module = names.first().map(|first| cx.facts.intern(first));
        let skip = usize::from(names.len() > 1 && module.is_some_and(|m| self.imported.contains(&m)));
        names[skip.min(names.len())..].join(".")
    }

    /// Returns true if functions in the type can be tests of XCTest: by its own name, or the names of its bases.
    fn is_test_case(&self, node: Node<'_>, cx: &Cx<'_>) -> bool {
        let tells =
            |text: &str| text.ends_with("TestCase") || text.ends_with("Tests") || text.ends_with("Test");
        child_where(node, |c| {
            let named = self.g.kind(c) == SwiftKind::Inherits || self.g.kind(c) == SwiftKind::UserType;
            named && tells(cx.text(c))
        })
        .is_some()
    }

    fn mark_members(&mut self, body: Option<Node<'_>>) {
        if let Some(body) = body {
            each_child(body, |member, _| self.members.mark(member));
        }
    }

    /// Records a base of `: Base, P`: of a class the first may be the class that it extends; all others are protocols.
    pub(super) fn visit_inheritance(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(ty) = node.child_by_field_id(self.g.f.inherits_from) else { return WalkStep::Into };
        let extends = self.handled.take_mark(node);
        self.refer_type(ty, if extends { RefKind::Extends } else { RefKind::Implements }, cx);
        WalkStep::Into
    }

    /// Records an attribute as a use of a property wrapper, a result builder, a macro or a global actor.
    pub(super) fn visit_attribute(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(ty) = child_where(node, |c| self.g.kind(c) == SwiftKind::UserType) else {
            return WalkStep::Skip;
        };
        let name = cx.text(ty);
        if name.starts_with('_') || PLAIN_ATTRIBUTES.contains(&name) {
            return WalkStep::Skip;
        }
        self.refer_type(ty, RefKind::Call, cx);
        WalkStep::Into
    }

    /// Records a type's last name as a use of this kind, on the path before it, and the names before as types.
    pub(super) fn refer_type(&mut self, ty: Node<'_>, kind: RefKind, cx: &mut Cx<'_>) {
        if self.g.kind(ty) != SwiftKind::UserType {
            return;
        }
        self.handled.mark(ty);
        let mut parts = Vec::new();
        each_child(ty, |c, _| parts.extend((self.g.kind(c) == SwiftKind::TypeIdent).then_some(c)));
        parts.iter().for_each(|part| self.handled.mark(*part));
        if parts.len() > 1 && parts.last().is_some_and(|last| matches!(cx.text(*last), "Type" | "Protocol")) {
            parts.pop();
        }
        let mut path = String::new();
        for (at, part) in parts.iter().enumerate() {
            let name = cx.text(*part);
            let receiver = match path.as_str() {
                "" => Receiver::None,
                "Self" => Receiver::SelfType,
                path => Receiver::Path(cx.facts.intern(path)),
            };
            let kind = if at + 1 == parts.len() { kind } else { RefKind::Type };
            if name != "Self" {
                cx.record_use(name, *part, kind, receiver);
            }
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(name);
        }
    }

    /// Records a definition under the current type or function.
    pub(super) fn define_node(&mut self, item: &ItemDef<'_>, cx: &mut Cx<'_>) -> Option<DefIdx> {
        let ItemDef { node, name, kind, flags, head_end, scope } = *item;
        let outer = self.lead.take_outer(node, cx);
        let parent = cx.owner();
        let head = (self.head_start(node), head_end);
        let qualifier = match parent {
            None => self.body_around(node).and_then(|body| body.qualifier.clone()),
            Some(_) => None,
        };
        let text = cx.text(name);
        let def = NewDef {
            node,
            name_at: cx.position(name),
            name: text.strip_prefix('`').and_then(|t| t.strip_suffix('`')).unwrap_or(text),
            kind,
            flags,
            parent,
            qualifier: qualifier.as_deref(),
            head,
        };
        def.make_def(cx, &outer, scope)
    }

    /// Returns the byte at which a header starts, without the attributes before it.
    fn head_start(&self, node: Node<'_>) -> usize {
        let mut start = None;
        each_child(node, |child, _| {
            if start.is_some() || self.g.kind(child) == SwiftKind::Attribute {
                return;
            }
            start = match self.g.kind(child) {
                SwiftKind::Modifiers => {
                    child_where(child, |c| self.g.kind(c) != SwiftKind::Attribute).map(|c| c.start_byte())
                }
                _ => Some(child.start_byte()),
            };
        });
        start.unwrap_or(node.start_byte())
    }

    pub(super) fn modifiers<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        child_where(node, |c| self.g.kind(c) == SwiftKind::Modifiers)
    }

    /// Returns the visibility of a definition: everything that is not private to its type or file is visible to some
    /// other file.
    pub(super) fn visibility(&self, node: Node<'_>, cx: &Cx<'_>) -> DefFlags {
        let private = |c: Node<'_>| matches!(cx.text(c), "private" | "fileprivate");
        let hidden = self.modifiers(node).is_some_and(|m| child_where(m, private).is_some());
        DefFlags::default().with_if(!hidden, DefFlags::EXPORTED)
    }
}
