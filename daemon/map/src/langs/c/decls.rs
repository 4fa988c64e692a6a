//! Handles declarations: prototypes, variables, locals, parameters, and the members of types.

use super::declarator::{CDeclarationParts, Declared, follow_declarator, local_parts, split_declaration};
use super::grammar::{CKind, is_keyword};
use super::names::{attribute_like, is_macro_name, is_swapped};
use super::rules::{Family, variable_kind};
use crate::facts::{DefFlags, DefKind, Receiver, RefKind, StrId};
use crate::langs::support::{DefinitionLead, NewDef};
use crate::syntax::Node;
use crate::walk::{Binding, Cx, WalkStep};

impl Family {
    pub(crate) fn visit_declaration(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if self.owner_type(cx).is_some() {
            return self.visit_field_declaration(node, cx);
        }
        if self.is_local(node) || node.start_byte() < self.friend_until {
            let parts = local_parts(self.g, node, cx.source);
            if is_extern(node, cx) {
                self.refer_elsewhere(&parts, cx);
            } else {
                self.bind_locals(&parts, cx);
            }
            return WalkStep::Into;
        }
        let parts = split_declaration(self.g, node, cx.source);
        self.keep_wrapper(node, &parts, cx);
        self.attribute_as_type(&parts, cx);
        for declarator in &parts.declarators {
            if let Some(declared) = follow_declarator(self.g, *declarator) {
                self.file_level(node, *declarator, &parts, &declared, cx);
            }
        }
        WalkStep::Into
    }

    /// Repairs `noinline void f(void)`, where the parser takes the first word for the type and cannot place the second.
    pub(super) fn attribute_as_type(&mut self, parts: &CDeclarationParts<'_>, cx: &mut Cx<'_>) {
        let misread = parts.unfinished || parts.stray.is_some_and(|stray| is_keyword(cx.text(stray)));
        if let Some(ty) = parts.ty.filter(|ty| misread && self.g.kind(*ty) == CKind::TypeIdent) {
            self.handled.mark(ty);
            cx.record_use(cx.text(ty), ty, RefKind::Use, Receiver::None);
        }
        self.type_behind_macro(parts, cx);
    }

    /// Records the type of `local block_state deflate(int flush)`, where the parser takes the macro for the type and
    /// cannot place the type.
    fn type_behind_macro(&mut self, parts: &CDeclarationParts<'_>, cx: &mut Cx<'_>) {
        let declared =
            parts.declarators.first().and_then(|declarator| follow_declarator(self.g, *declarator));
        let Some(stray) = parts.stray.or(declared.and_then(|declared| declared.stray)) else { return };
        let text = cx.text(stray);
        let is_name = declared.is_none_or(|declared| is_swapped(text, cx.text(declared.name)));
        if !is_name && !is_keyword(text) && !attribute_like(text) {
            self.handled.mark(stray);
            cx.record_use(text, stray, RefKind::Type, Receiver::None);
        }
    }

    /// Keeps the comment before `struct s { } x;` for the struct.
    pub(crate) fn keep_wrapper(&mut self, node: Node<'_>, parts: &CDeclarationParts<'_>, cx: &mut Cx<'_>) {
        if self.has_body(parts.ty) && !self.is_wrapped(node) {
            let mut outer = self.lead.take_outer(node, cx);
            (outer.start, outer.line) = (None, None);
            self.wrapper = Some((node.start_byte(), node.end_byte(), outer));
        }
    }

    fn file_level(
        &mut self,
        node: Node<'_>,
        declarator: Node<'_>,
        parts: &CDeclarationParts<'_>,
        declared: &Declared<'_>,
        cx: &mut Cx<'_>,
    ) {
        let mut declared = *declared;
        if let Some(stray) =
            parts.stray.or(declared.stray).filter(|stray| is_swapped(cx.text(*stray), cx.text(declared.name)))
        {
            self.handled.mark(declared.name);
            declared.name = stray;
        }
        let named = self.declared_name(&declared, cx);
        self.handled.mark(declared.name);
        self.mark_parts(declared.name);
        self.refer_scopes(declared.name, cx);
        if named.name.is_empty() || parts.unfinished || attribute_like(named.name) {
            return;
        }
        if declared.parenthesised && parts.ty.is_some_and(|ty| is_macro_name(cx.text(ty))) {
            self.call_instead_of_type(parts.ty, cx);
        }
        let function = declared.function.is_some();
        let place = self.place_of_name(&named, cx);
        let kind = match (function, place.member) {
            (true, true) => DefKind::Method,
            (true, false) => DefKind::Function,
            (false, true) => DefKind::Field,
            (false, false) => variable_kind(parts.is_const && !declared_pointer(&declared), self.g.cpp),
        };
        let flags = self.export_flags(node, parts.is_static);
        let flags = flags.with_if(function || parts.is_extern, DefFlags::DECLARATION);
        let outer =
            if self.has_body(parts.ty) { DefinitionLead::default() } else { self.take_outer(node, cx) };
        NewDef {
            node,
            name_at: cx.position(named.node),
            name: named.name,
            kind,
            flags,
            parent: place.parent,
            qualifier: place.qualifier.as_deref(),
            head: (node.start_byte(), self.head_end(node, declarator)),
        }
        .make_def(cx, &outer, None);
        if !function && let Some(ty) = self.type_name(parts.ty, cx) {
            let name = cx.facts.intern(named.name);
            self.globals.insert(name, ty);
        }
    }

    /// Returns the byte at which a declaration's signature ends: before the initialiser.
    fn head_end(&self, node: Node<'_>, declarator: Node<'_>) -> usize {
        match self.g.kind(declarator) {
            CKind::InitDeclr => {
                declarator.child_by_field_id(self.g.f.declarator).map_or(node.end_byte(), |d| d.end_byte())
            }
            _ => declarator.end_byte(),
        }
    }

    pub(crate) fn call_instead_of_type(&mut self, ty: Option<Node<'_>>, cx: &mut Cx<'_>) {
        if let Some(ty) = ty.filter(|ty| self.g.kind(*ty) == CKind::TypeIdent) {
            self.handled.mark(ty);
            cx.record_use(cx.text(ty), ty, RefKind::Call, Receiver::None);
        }
    }

    /// Records the use of a file's variable that `extern int x;` in a function means.
    fn refer_elsewhere(&mut self, parts: &CDeclarationParts<'_>, cx: &mut Cx<'_>) {
        for declarator in &parts.declarators {
            let Some(declared) = follow_declarator(self.g, *declarator) else { continue };
            self.handled.mark(declared.name);
            if declared.function.is_none() && declared.kind == CKind::Ident {
                cx.record_use(cx.text(declared.name), declared.name, RefKind::Use, Receiver::None);
            }
        }
    }

    fn bind_locals(&mut self, parts: &CDeclarationParts<'_>, cx: &mut Cx<'_>) {
        let ty = self.type_name(parts.ty, cx);
        for declarator in &parts.declarators {
            let Some(declared) = follow_declarator(self.g, *declarator) else { continue };
            if declared.function.is_some() {
                self.handled.mark(declared.name);
                continue;
            }
            let ty = ty.or_else(|| self.inferred_type(parts.ty, *declarator, cx));
            self.bind_declared(&declared, ty.map_or(Binding::Opaque, Binding::Typed), cx);
        }
        if let Some(stray) = parts.stray {
            cx.bind(cx.text(stray), ty.map_or(Binding::Opaque, Binding::Typed));
        }
    }

    pub(crate) fn visit_parameter(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let declarator = node.child_by_field_id(self.g.f.declarator);
        if let Some(declared) = declarator.and_then(|d| follow_declarator(self.g, d)) {
            let ty = self.type_name(node.child_by_field_id(self.g.f.ty), cx);
            self.handled.mark(declared.name);
            cx.bind(cx.text(declared.name), ty.map_or(Binding::Opaque, Binding::Typed));
        }
        WalkStep::Into
    }

    pub(crate) fn visit_field_declaration(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let parts = local_parts(self.g, node, cx.source);
        self.define_members(node, &parts, cx)
    }

    /// Defines fields, and in C++ member functions.
    fn define_members(&mut self, node: Node<'_>, parts: &CDeclarationParts<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let owner = self.owner_type(cx);
        if parts.declarators.is_empty() && parts.has_error {
            self.call_instead_of_type(parts.ty, cx);
        }
        self.keep_wrapper(node, parts, cx);
        for declarator in &parts.declarators {
            let Some(mut declared) = follow_declarator(self.g, *declarator) else { continue };
            if let Some(stray) = parts
                .stray
                .or(declared.stray)
                .filter(|stray| is_swapped(cx.text(*stray), cx.text(declared.name)))
            {
                self.handled.mark(declared.name);
                declared.name = stray;
            }
            self.handled.mark(declared.name);
            if owner.is_some() && node.start_byte() >= self.friend_until {
                self.one_member(node, parts, &declared, cx);
            }
        }
        WalkStep::Into
    }

    fn one_member(
        &mut self,
        node: Node<'_>,
        parts: &CDeclarationParts<'_>,
        declared: &Declared<'_>,
        cx: &mut Cx<'_>,
    ) {
        let named = self.declared_name(declared, cx);
        if named.name.is_empty() || attribute_like(named.name) {
            return;
        }
        // A C++ header that shows its language nowhere else is read as C, and may have methods.
        let is_typed = parts.ty.is_some_and(|ty| !is_macro_name(cx.text(ty)));
        let function =
            (self.g.cpp || is_typed) && (declared.function.is_some() || declared.kind == CKind::Operator);
        let kind = if function { DefKind::Method } else { DefKind::Field };
        let outer =
            if self.has_body(parts.ty) { DefinitionLead::default() } else { self.take_outer(node, cx) };
        let parent = cx.owner();
        NewDef {
            node,
            name_at: cx.position(declared.name),
            name: named.name,
            kind,
            flags: self.member_flags(node).with_if(function, DefFlags::DECLARATION),
            parent,
            qualifier: None,
            head: (node.start_byte(), node.end_byte()),
        }
        .make_def(cx, &outer, None);
        if kind == DefKind::Field
            && let (Some(ty), Some(owner)) = (self.type_name(parts.ty, cx), parent)
        {
            let owner = cx.facts.defs()[owner.index()].qualified;
            let name = cx.facts.intern(named.name);
            self.field_types.insert((owner, name), ty);
        }
    }

    pub(super) fn member_flags(&self, node: Node<'_>) -> DefFlags {
        let public = self.access.last().is_none_or(|&(_, public)| public);
        self.export_flags(node, !public)
    }

    /// Returns the dotted name of a declared type, if it is a named type; in C++ not a template's parameter.
    pub(crate) fn type_name(&self, ty: Option<Node<'_>>, cx: &mut Cx<'_>) -> Option<StrId> {
        let ty = ty?;
        let name = match self.g.kind(ty) {
            CKind::TypeIdent if self.g.cpp && cx.local_binding(cx.text(ty)).is_some() => return None,
            CKind::TypeIdent => cx.text(ty),
            CKind::Record | CKind::Enum | CKind::TemplateType => {
                cx.text(ty.child_by_field_id(self.g.f.name)?)
            }
            CKind::Qualified => {
                let path = self.qualified_name(ty, cx).filter(|path| !path.is_empty())?;
                return Some(cx.facts.intern(&path));
            }
            _ => return None,
        };
        (!name.is_empty() && !name.contains(['<', ':'])).then(|| cx.facts.intern(name))
    }
}

fn is_extern(declaration: Node<'_>, cx: &Cx<'_>) -> bool {
    declaration.child(0).is_some_and(|first| cx.text(first) == "extern")
}

fn declared_pointer(declared: &Declared<'_>) -> bool {
    !declared.plain && !declared.parenthesised
}
