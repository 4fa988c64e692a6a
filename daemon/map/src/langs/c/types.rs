//! Defines structs, unions, classes, enumerations and type names.

use memchr::memchr_iter;
use rustc_hash::FxHashSet;

use super::declarator::{CDeclarationParts, Declared, follow_declarator, split_declaration};
use super::grammar::{CKind, is_keyword};
use super::rules::{AliasOf, Family};
use crate::facts::{DefFlags, DefIdx, DefKind, Receiver, RefKind, TypePart};
use crate::langs::support::{DefinitionLead, NewDef, child_where, each_child, refer_unbound};
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

/// The head of a type's definition, with its name and the name's place.
struct TypeHead<'t> {
    node: Node<'t>,
    name: (usize, usize),
    name_at: (u32, u32),
    /// The dotted path before the name (C++).
    path: String,
    head_end: usize,
}

impl Family {
    pub(crate) fn visit_record(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if self.handled.take_mark(node) {
            return WalkStep::Skip;
        }
        let Some(body) = node.child_by_field_id(self.g.f.body) else {
            return self.visit_type_mention(node, cx);
        };
        let kind = match node.kind_id() {
            id if id == self.g.class_kind => DefKind::Class,
            _ => DefKind::Struct,
        };
        if let Some(head) = self.type_head(node, body, cx) {
            self.define_type(&head, kind, DefFlags::default(), cx);
        }
        self.access.retain(|&(end, _)| end > node.start_byte());
        self.access.push((node.end_byte(), kind != DefKind::Class));
        WalkStep::Into
    }

    /// Returns the head of a type; `None` for an anonymous one without an alias.
    fn type_head<'t>(&mut self, node: Node<'t>, body: Node<'t>, cx: &mut Cx<'_>) -> Option<TypeHead<'t>> {
        let head_end = body.start_byte();
        if let Some(name) = node.child_by_field_id(self.g.f.name) {
            self.handled.mark(name);
            self.mark_parts(name);
            let (leaf, path) = self.type_leaf(name, cx)?;
            let name = (leaf.start_byte(), leaf.end_byte());
            return Some(TypeHead { node, name, name_at: cx.position(leaf), path, head_end });
        }
        let alias = self.alias_of.take().filter(|alias| alias.start == node.start_byte())?;
        Some(TypeHead { node, name: alias.name, name_at: alias.at, path: String::new(), head_end })
    }

    fn define_type(
        &mut self,
        head: &TypeHead<'_>,
        kind: DefKind,
        flags: DefFlags,
        cx: &mut Cx<'_>,
    ) -> Option<DefIdx> {
        let outer = self.take_outer(head.node, cx);
        let owner = cx.owner();
        let qualifier = match (self.g.cpp, self.owner_type(cx)) {
            (false, Some(_)) => Some(String::new()),
            (true, _) if !head.path.is_empty() => Some(self.in_namespace(&head.path, cx)),
            _ => None,
        };
        let flags = match self.access.last() {
            Some(&(end, public)) if end > head.node.start_byte() => {
                flags.with(self.export_flags(head.node, !public))
            }
            _ => flags.with(self.export_flags(head.node, false)),
        };
        let head_start = outer.start.unwrap_or(head.node.start_byte()).min(head.node.start_byte());
        let def = NewDef {
            node: head.node,
            name_at: head.name_at,
            name: cx.slice(head.name.0, head.name.1),
            kind,
            flags,
            parent: owner,
            qualifier: qualifier.as_deref(),
            head: (head_start, head.head_end),
        };
        let idx = def.make_def(cx, &outer, Some(false))?;
        let qualified = cx.facts.defs()[idx.index()].qualified;
        self.types.entry(qualified).or_insert(idx);
        Some(idx)
    }

    /// Visits `struct s` without a body, which is a forward declaration if it stands alone, else a use.
    fn visit_type_mention(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        if self.g.kind(name) != CKind::TypeIdent {
            return WalkStep::Into;
        }
        self.handled.mark(name);
        let rest = cx.source.get(node.end_byte()..).unwrap_or(&[]);
        let alone = rest.iter().find(|b| !b.is_ascii_whitespace()) == Some(&b';');
        let announced =
            alone || (self.announced == node.start_byte() && self.is_announced(cx.text(name), cx.source));
        if announced && !self.is_local(node) && self.owner_type(cx).is_none() {
            let head = TypeHead {
                node,
                name: (name.start_byte(), name.end_byte()),
                name_at: cx.position(name),
                path: String::new(),
                head_end: node.end_byte(),
            };
            let kind = match self.g.kind(node) {
                CKind::Enum => DefKind::Enum,
                _ if node.kind_id() == self.g.class_kind => DefKind::Class,
                _ => DefKind::Struct,
            };
            self.define_forward(&head, kind, cx);
        } else {
            refer_unbound(cx, cx.text(name), name, RefKind::Type, Receiver::None);
        }
        WalkStep::Skip
    }

    /// Returns true if `typedef struct name alias;` is the first mention of a type whose body is in another file.
    fn is_announced(&mut self, name: &str, source: &[u8]) -> bool {
        if self.g.cpp || name.is_empty() {
            return false;
        }
        self.tags.get_or_insert_with(|| tags_with_bodies(source)).insert(name.as_bytes().to_vec())
    }

    fn define_forward(&mut self, head: &TypeHead<'_>, kind: DefKind, cx: &mut Cx<'_>) {
        let outer = self.take_outer(head.node, cx);
        NewDef {
            node: head.node,
            name_at: head.name_at,
            name: cx.slice(head.name.0, head.name.1),
            kind,
            flags: self.export_flags(head.node, false).with(DefFlags::DECLARATION),
            parent: cx.owner(),
            qualifier: None,
            head: (head.node.start_byte(), head.head_end),
        }
        .make_def(cx, &outer, None);
    }

    pub(crate) fn visit_enumeration(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(body) = node.child_by_field_id(self.g.f.body) else {
            return self.visit_type_mention(node, cx);
        };
        if let Some(head) = self.type_head(node, body, cx) {
            let def = self.define_type(&head, DefKind::Enum, DefFlags::default(), cx);
            let scoped = child_where(node, |c| matches!(c.kind(), "class" | "struct")).is_some();
            self.open_enum = def.filter(|_| !scoped);
        }
        WalkStep::Into
    }

    pub(crate) fn visit_enumerator(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        self.handled.mark(name);
        let outer = self.lead.take_outer(node, cx);
        let parent = cx.owner();
        let qualifier = self.enumerator_scope(parent, cx);
        NewDef {
            node,
            name_at: cx.position(name),
            name: cx.text(name),
            kind: DefKind::Constant,
            flags: self.export_flags(node, false),
            parent,
            qualifier: qualifier.as_deref(),
            head: (node.start_byte(), node.end_byte()),
        }
        .make_def(cx, &outer, None);
        WalkStep::Into
    }

    /// Returns the scope that unscoped enumerators belong to, which is the one around their enumeration.
    fn enumerator_scope(&self, parent: Option<DefIdx>, cx: &Cx<'_>) -> Option<String> {
        if !self.g.cpp {
            return Some(String::new());
        }
        let parent = parent.filter(|_| self.open_enum == parent)?;
        let qualified = cx.facts.provisional_name(cx.facts.defs()[parent.index()].qualified);
        Some(qualified.rsplit_once('.').map_or(String::new(), |(scope, _)| scope.to_owned()))
    }

    /// Visits a `typedef`: defines its names, and the anonymous struct in it by the first of them.
    pub(crate) fn visit_typedef(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let parts = split_declaration(self.g, node, cx.source);
        let anonymous = parts.ty.filter(|ty| self.is_anonymous(*ty));
        let tag = parts.ty.and_then(|ty| self.defined_tag(ty, cx));
        self.announced = parts.ty.map_or(usize::MAX, |ty| ty.start_byte());
        let mut outer = self.lead.take_outer(node, cx);
        (outer.start, outer.line) = (Some(node.start_byte()), Some(Cx::lines(node).0));
        (outer.end, outer.end_line) = (node.end_byte(), Cx::lines(node).1);
        for (at, declarator) in parts.declarators.iter().enumerate() {
            let Some(declared) = follow_declarator(self.g, *declarator) else { continue };
            self.handled.mark(declared.name);
            let name = (declared.name.start_byte(), declared.name.end_byte());
            match anonymous {
                Some(ty) if at == 0 => {
                    self.alias_of =
                        Some(AliasOf { start: ty.start_byte(), name, at: cx.position(declared.name) });
                }
                _ if tag == Some(cx.text(declared.name)) => {}
                _ => {
                    let doc = if tag.is_some() { "" } else { &outer.doc };
                    let alias = self.define_alias(node, &declared, cx, doc);
                    self.lead_alias_on(alias, declared.name, parts.ty, cx);
                }
            }
        }
        if anonymous.is_some() || tag.is_some() {
            self.wrapper = Some((node.start_byte(), node.end_byte(), outer));
        }
        WalkStep::Into
    }

    fn is_anonymous(&self, ty: Node<'_>) -> bool {
        matches!(self.g.kind(ty), CKind::Record | CKind::Enum)
            && ty.child_by_field_id(self.g.f.name).is_none()
            && ty.child_by_field_id(self.g.f.body).is_some()
    }

    /// Returns the tag of the type in a `typedef`, if it is defined there.
    fn defined_tag<'t>(&self, ty: Node<'t>, cx: &Cx<'t>) -> Option<&'t str> {
        ty.child_by_field_id(self.g.f.body)?;
        Some(cx.text(ty.child_by_field_id(self.g.f.name)?))
    }

    fn define_alias(
        &mut self,
        node: Node<'_>,
        declared: &Declared<'_>,
        cx: &mut Cx<'_>,
        doc: &str,
    ) -> Option<DefIdx> {
        let outer = DefinitionLead { doc: doc.to_owned(), ..DefinitionLead::default() };
        NewDef {
            node,
            name_at: cx.position(declared.name),
            name: cx.text(declared.name),
            kind: DefKind::TypeAlias,
            flags: self.export_flags(node, false),
            parent: cx.owner(),
            qualifier: None,
            head: (node.start_byte(), node.end_byte()),
        }
        .make_def(cx, &outer, None)
    }

    /// Records the type that an alias stands for, so that the type's members are found through the alias.
    pub(crate) fn lead_alias_on(
        &mut self,
        alias: Option<DefIdx>,
        name: Node<'_>,
        ty: Option<Node<'_>>,
        cx: &mut Cx<'_>,
    ) {
        let name = cx.text(name);
        if name.ends_with("_t") {
            self.plain_names.insert(name.to_owned());
        }
        let (Some(alias), Some(ty)) = (alias, self.type_name(ty, cx)) else { return };
        let ty = cx.facts.provisional_name(ty).to_owned();
        if ty != name {
            cx.facts.type_hint(alias, TypePart::VALUE, &ty);
        }
    }

    /// Visits `size_t` and the like, which are words of the grammar, but a file may define them itself.
    pub(crate) fn visit_plain_type(&self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if !self.plain_names.is_empty() && self.plain_names.contains(cx.text(node)) {
            cx.record_use(cx.text(node), node, RefKind::Type, Receiver::None);
        }
        WalkStep::Skip
    }

    /// Defines the struct of `struct __packed s { ... }`, which the grammar takes for a function `s` that returns
    /// `struct __packed`.
    pub(crate) fn attributed_record(
        &mut self,
        node: Node<'_>,
        parts: &CDeclarationParts<'_>,
        declared: &Declared<'_>,
        cx: &mut Cx<'_>,
    ) {
        let Some(ty) = parts.ty.filter(|ty| self.g.kind(*ty) == CKind::Record && declared.plain) else {
            cx.open_scope(true);
            return;
        };
        if let Some(attribute) = child_where(ty, |c| self.g.kind(c) == CKind::TypeIdent) {
            self.handled.mark(attribute);
        }
        self.handled.mark(ty);
        self.handled.mark(declared.name);
        let body = node.child_by_field_id(self.g.f.body);
        let head = TypeHead {
            node,
            name: (declared.name.start_byte(), declared.name.end_byte()),
            name_at: cx.position(declared.name),
            path: String::new(),
            head_end: body.map_or(node.end_byte(), |b| b.start_byte()),
        };
        let kind = if ty.kind_id() == self.g.class_kind { DefKind::Class } else { DefKind::Struct };
        self.define_type(&head, kind, DefFlags::default(), cx);
        // Its `public:` is lost in the misreading.
        self.access.push((node.end_byte(), true));
        self.misread_bases(node, cx);
    }

    /// Records the bases of such a class, whose `: public Base` the parser could not place.
    fn misread_bases(&mut self, node: Node<'_>, cx: &mut Cx<'_>) {
        let Some(error) = child_where(node, |c| c.is_error()) else { return };
        let mut bases = Vec::new();
        each_child(error, |child, _| {
            bases.extend(matches!(self.g.kind(child), CKind::Ident | CKind::TypeIdent).then_some(child));
        });
        bases.retain(|base| !is_keyword(cx.text(*base)));
        for base in bases {
            cx.record_use(cx.text(base), base, RefKind::Extends, Receiver::None);
        }
    }
}

/// Returns the words before braces in a file, the tags with a body among them.
fn tags_with_bodies(source: &[u8]) -> FxHashSet<Vec<u8>> {
    let mut found = FxHashSet::default();
    for brace in memchr_iter(b'{', source) {
        let before = source[..brace].trim_ascii_end();
        let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
        let length = before.iter().rev().take_while(is_word).count();
        let name = &before[before.len() - length..];
        if !name.is_empty() {
            found.insert(name.to_vec());
        }
    }
    found
}
