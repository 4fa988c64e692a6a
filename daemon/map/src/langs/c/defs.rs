//! Functions, variables, fields and parameters.

use tree_sitter::Node;

use super::declarator::{Declared, Parts, declared, parts, single_word};
use super::grammar::{K, is_keyword};
use super::names::{Named, attribute_like, is_macro_name, macro_defined_name, swapped};
use super::rules::{Family, MacroHead, variable_kind};
use crate::facts::{DefFlags, DefKind, Receiver, RefKind, StrId};
use crate::langs::support::{NewDef, Outer, each_child, refer_unbound};
use crate::walk::{Binding, Cx, Step};

impl Family {
    pub(crate) fn function(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let parts = parts(self.g, node, cx.source);
        let Some(declared) = parts.declarators.first().and_then(|d| declared(self.g, *d)) else {
            cx.open_scope(true);
            return Step::Into;
        };
        match declared.function {
            Some(_) if self.is_test_macro(&parts, &declared, cx) => self.test_function(node, &declared, cx),
            Some(_) => self.plain_function(node, &parts, &declared, cx),
            None if declared.kind == K::Qualified => self.plain_function(node, &parts, &declared, cx),
            None if declared.kind == K::Operator => self.plain_function(node, &parts, &declared, cx),
            None if declared.parenthesised => self.macro_function(node, &parts, &declared, cx),
            None => self.attributed_record(node, &parts, &declared, cx),
        }
        Step::Into
    }

    fn plain_function(
        &mut self,
        node: Node<'_>,
        parts: &Parts<'_>,
        declared: &Declared<'_>,
        cx: &mut Cx<'_>,
    ) {
        self.attribute_as_type(parts, cx);
        let named = self.named(declared, cx);
        self.handled.mark(declared.name);
        self.mark_parts(declared.name);
        let body = node.child_by_field_id(self.g.f.body);
        let flags = self.function_flags(node, parts, cx);
        let end = match parts.declarators.first() {
            Some(declarator) if declared.function.is_some() => declarator.end_byte(),
            _ => body.map_or(node.end_byte(), |body| body.start_byte()),
        };
        self.define_function(node, &named, flags, end, cx);
        if let Some(function) = declared.function {
            self.old_style_parameters(function, cx);
        }
    }

    fn function_flags(&self, node: Node<'_>, parts: &Parts<'_>, cx: &Cx<'_>) -> DefFlags {
        match self.owner_type(cx) {
            Some(_) => self.member_flags(node),
            None => self.exported(node, parts.is_static),
        }
    }

    /// Opens a function's scope.
    pub(crate) fn define_function(
        &mut self,
        node: Node<'_>,
        named: &Named<'_>,
        flags: DefFlags,
        head_end: usize,
        cx: &mut Cx<'_>,
    ) {
        let outer = self.outer(node, cx);
        let place = self.place(named, cx);
        let def = NewDef {
            node,
            name_at: cx.position(named.node),
            name: named.name,
            kind: if place.member { DefKind::Method } else { DefKind::Function },
            flags,
            parent: place.parent,
            qualifier: place.qualifier.as_deref(),
            head: (node.start_byte(), head_end),
        };
        def.make(cx, &outer, Some(true));
        self.handled.mark(named.node);
        self.block_end = self.block_end.max(node.end_byte());
    }

    /// `int f(a, b) int a; char *b; { }`: the words in the list are parameters.
    fn old_style_parameters(&mut self, function: Node<'_>, cx: &mut Cx<'_>) {
        let Some(list) = function.child_by_field_id(self.g.f.parameters) else { return };
        if list.named_child(0).is_none_or(|first| self.g.kind(first) != K::Ident) {
            return;
        }
        each_child(list, |child, _| {
            if self.g.kind(child) == K::Ident {
                cx.bind(cx.text(child), Binding::Opaque);
            }
        });
    }

    /// `TEST(name) { }`, `DEFINE_FOO(name) { }`: a function that a macro declares.
    fn macro_function(
        &mut self,
        node: Node<'_>,
        parts: &Parts<'_>,
        declared: &Declared<'_>,
        cx: &mut Cx<'_>,
    ) {
        let makro = parts.ty.map_or("", |ty| cx.text(ty));
        let test = DefFlags::default().with_if(makro.starts_with("TEST"), DefFlags::TEST);
        let named = self.named(declared, cx);
        let end = declared.name.end_byte() + 1;
        self.define_function(node, &named, self.exported(node, parts.is_static).with(test), end, cx);
        if let Some(ty) = parts.ty.filter(|ty| self.g.kind(*ty) == K::TypeIdent) {
            self.handled.mark(ty);
            cx.refer(makro, ty, RefKind::Call, Receiver::None);
        }
    }

    /// At file level, a call without its semicolon and a block after it: a function that a macro declares. Its name is
    /// the first argument; the kernel's system calls get the prefix that their macro gives them.
    pub(crate) fn statement(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        if self.is_local(node) {
            return Step::Into;
        }
        let call = node.child(0).filter(|c| self.g.kind(*c) == K::Call);
        if let Some(call) = call
            && heads_a_block(node, cx.source)
        {
            self.macro_head(node, call, cx);
        }
        Step::Into
    }

    fn macro_head(&mut self, node: Node<'_>, call: Node<'_>, cx: &mut Cx<'_>) {
        let makro = call.child_by_field_id(self.g.f.function).map_or("", |f| cx.text(f));
        let Some(arguments) = call.child_by_field_id(self.g.f.arguments) else { return };
        let mut words = Vec::new();
        each_child(arguments, |child, _| {
            let word = if child.is_error() { single_word(self.g, child) } else { Some(child) };
            words.extend(word.filter(|w| self.g.kind(*w) == K::Ident));
        });
        let Some((&first, rest)) = words.split_first() else { return };
        words.iter().for_each(|word| self.handled.mark(*word));
        let name = macro_defined_name(makro, cx.text(first));
        let flags = self.exported(node, false).with_if(makro.starts_with("TEST"), DefFlags::TEST);
        let outer = self.outer(node, cx);
        let def = NewDef {
            node,
            name_at: cx.position(first),
            name: &name,
            kind: DefKind::Function,
            flags,
            parent: cx.owner(),
            qualifier: None,
            head: (node.start_byte(), node.end_byte()),
        };
        let Some(def) = def.make(cx, &outer, None) else { return };
        let words = rest.iter().map(|w| (w.start_byte(), w.end_byte())).collect();
        self.head = Some(MacroHead { def, end: node.end_byte(), words });
    }

    /// Enters the block of a function whose head was a macro call.
    pub(crate) fn open_headed_block(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> bool {
        let Some(head) = self.head.take() else { return false };
        if !cx.slice(head.end, node.start_byte()).trim().is_empty() || head.end > node.start_byte() {
            return false;
        }
        let def = cx.facts.def_mut(head.def);
        def.bytes.1 = node.end_byte() as u32;
        def.lines.1 = Cx::lines(node).1;
        cx.reopen(head.def, true);
        for (from, to) in head.words {
            cx.bind(cx.slice(from, to), Binding::Opaque);
        }
        true
    }

    pub(crate) fn declaration(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let parts = parts(self.g, node, cx.source);
        if self.owner_type(cx).is_some() {
            return self.members(node, &parts, cx);
        }
        if self.is_local(node) || node.start_byte() < self.friend_until {
            self.locals(&parts, cx);
            return Step::Into;
        }
        self.keep_wrapper(node, &parts, cx);
        self.attribute_as_type(&parts, cx);
        for declarator in &parts.declarators {
            if let Some(declared) = declared(self.g, *declarator) {
                self.file_level((node, *declarator), &parts, &declared, cx);
            }
        }
        Step::Into
    }

    /// `noinline void f(void)`: the parser takes the first word for the type and cannot place the second.
    fn attribute_as_type(&mut self, parts: &Parts<'_>, cx: &mut Cx<'_>) {
        let misread = parts.unfinished || parts.stray.is_some_and(|stray| is_keyword(cx.text(stray)));
        if let Some(ty) = parts.ty.filter(|ty| misread && self.g.kind(*ty) == K::TypeIdent) {
            self.handled.mark(ty);
            cx.refer(cx.text(ty), ty, RefKind::Use, Receiver::None);
        }
    }

    /// The comment before `struct s { } x;` is about the struct.
    pub(crate) fn keep_wrapper(&mut self, node: Node<'_>, parts: &Parts<'_>, cx: &mut Cx<'_>) {
        if self.has_body(parts.ty) && !self.is_wrapped(node) {
            let mut outer = self.lead.take(node, cx);
            (outer.start, outer.line) = (None, None);
            self.wrapper = Some((node.start_byte(), node.end_byte(), outer));
        }
    }

    fn file_level(
        &mut self,
        (node, declarator): (Node<'_>, Node<'_>),
        parts: &Parts<'_>,
        declared: &Declared<'_>,
        cx: &mut Cx<'_>,
    ) {
        let mut declared = *declared;
        if let Some(stray) =
            parts.stray.or(declared.stray).filter(|stray| swapped(cx.text(*stray), cx.text(declared.name)))
        {
            self.handled.mark(declared.name);
            declared.name = stray;
        }
        let named = self.named(&declared, cx);
        self.handled.mark(declared.name);
        self.mark_parts(declared.name);
        if named.name.is_empty() || parts.unfinished || attribute_like(named.name) {
            return;
        }
        if declared.parenthesised && parts.ty.is_some_and(|ty| is_macro_name(cx.text(ty))) {
            self.call_instead_of_type(parts.ty, cx);
        }
        let function = declared.function.is_some();
        let place = self.place(&named, cx);
        let kind = match (function, place.member) {
            (true, true) => DefKind::Method,
            (true, false) => DefKind::Function,
            (false, true) => DefKind::Field,
            (false, false) => variable_kind(parts.is_const && !declared_pointer(&declared), self.g.cpp),
        };
        let flags = self.exported(node, parts.is_static);
        let flags = flags.with_if(function || parts.is_extern, DefFlags::DECLARATION);
        let outer = if self.has_body(parts.ty) { Outer::default() } else { self.outer(node, cx) };
        NewDef {
            node,
            name_at: cx.position(declared.name),
            name: named.name,
            kind,
            flags,
            parent: place.parent,
            qualifier: place.qualifier.as_deref(),
            head: (node.start_byte(), self.head_end(node, declarator)),
        }
        .make(cx, &outer, None);
        if !function && let Some(ty) = self.type_name(parts.ty, cx) {
            let name = cx.facts.intern(named.name);
            self.globals.insert(name, ty);
        }
    }

    /// Where a declaration's signature ends: before the initialiser.
    fn head_end(&self, node: Node<'_>, declarator: Node<'_>) -> usize {
        match self.g.kind(declarator) {
            K::InitDeclr => {
                declarator.child_by_field_id(self.g.f.declarator).map_or(node.end_byte(), |d| d.end_byte())
            }
            _ => declarator.end_byte(),
        }
    }

    pub(crate) fn call_instead_of_type(&mut self, ty: Option<Node<'_>>, cx: &mut Cx<'_>) {
        if let Some(ty) = ty.filter(|ty| self.g.kind(*ty) == K::TypeIdent) {
            self.handled.mark(ty);
            cx.refer(cx.text(ty), ty, RefKind::Call, Receiver::None);
        }
    }

    fn locals(&mut self, parts: &Parts<'_>, cx: &mut Cx<'_>) {
        let ty = self.type_name(parts.ty, cx);
        for declarator in &parts.declarators {
            let Some(declared) = declared(self.g, *declarator) else { continue };
            if declared.function.is_some() {
                self.handled.mark(declared.name);
                continue;
            }
            let ty = ty.or_else(|| self.inferred(parts.ty, *declarator, cx));
            self.bind_declared(&declared, ty.map_or(Binding::Opaque, Binding::Typed), cx);
        }
        if let Some(stray) = parts.stray {
            cx.bind(cx.text(stray), ty.map_or(Binding::Opaque, Binding::Typed));
        }
    }

    pub(crate) fn parameter(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let declarator = node.child_by_field_id(self.g.f.declarator);
        if let Some(declared) = declarator.and_then(|d| declared(self.g, d)) {
            let ty = self.type_name(node.child_by_field_id(self.g.f.ty), cx);
            self.handled.mark(declared.name);
            cx.bind(cx.text(declared.name), ty.map_or(Binding::Opaque, Binding::Typed));
        }
        Step::Into
    }

    pub(crate) fn field_declaration(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let parts = parts(self.g, node, cx.source);
        self.members(node, &parts, cx)
    }

    /// Fields, and in C++ member functions.
    fn members(&mut self, node: Node<'_>, parts: &Parts<'_>, cx: &mut Cx<'_>) -> Step {
        let owner = self.owner_type(cx);
        if parts.declarators.is_empty() && parts.has_error {
            self.call_instead_of_type(parts.ty, cx);
        }
        self.keep_wrapper(node, parts, cx);
        for declarator in &parts.declarators {
            let Some(mut declared) = declared(self.g, *declarator) else { continue };
            if let Some(stray) = parts
                .stray
                .or(declared.stray)
                .filter(|stray| swapped(cx.text(*stray), cx.text(declared.name)))
            {
                self.handled.mark(declared.name);
                declared.name = stray;
            }
            self.handled.mark(declared.name);
            if owner.is_some() && node.start_byte() >= self.friend_until {
                self.one_member(node, parts, &declared, cx);
            }
        }
        Step::Into
    }

    fn one_member(&mut self, node: Node<'_>, parts: &Parts<'_>, declared: &Declared<'_>, cx: &mut Cx<'_>) {
        let named = self.named(declared, cx);
        if named.name.is_empty() {
            return;
        }
        let function = self.g.cpp && (declared.function.is_some() || declared.kind == K::Operator);
        let kind = if function { DefKind::Method } else { DefKind::Field };
        let outer = if self.has_body(parts.ty) { Outer::default() } else { self.outer(node, cx) };
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
        .make(cx, &outer, None);
        if kind == DefKind::Field
            && let (Some(ty), Some(owner)) = (self.type_name(parts.ty, cx), parent)
        {
            let owner = cx.facts.defs()[owner.index()].qualified;
            let name = cx.facts.intern(named.name);
            self.field_types.insert((owner, name), ty);
        }
    }

    fn member_flags(&self, node: Node<'_>) -> DefFlags {
        let public = self.access.last().is_none_or(|&(_, public)| public);
        self.exported(node, !public)
    }

    /// The dotted name of a declared type, if it is a named type; in C++ not a template's parameter.
    pub(crate) fn type_name(&self, ty: Option<Node<'_>>, cx: &mut Cx<'_>) -> Option<StrId> {
        let ty = ty?;
        let name = match self.g.kind(ty) {
            K::TypeIdent if self.g.cpp && cx.binding(cx.text(ty)).is_some() => return None,
            K::TypeIdent => cx.text(ty),
            K::Record | K::Enum | K::TemplateType => cx.text(ty.child_by_field_id(self.g.f.name)?),
            K::Qualified => {
                let path = self.qualified_name(ty, cx).filter(|path| !path.is_empty())?;
                return Some(cx.facts.intern(&path));
            }
            _ => return None,
        };
        (!name.is_empty() && !name.contains(['<', ':'])).then(|| cx.facts.intern(name))
    }

    /// Text that could not be parsed: its words are no uses, but a function's head may be among it.
    pub(crate) fn error(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let mut head: Option<Node<'_>> = None;
        let mut heads = Vec::new();
        each_child(node, |child, _| {
            match self.g.kind(child) {
                K::Ident | K::TypeIdent => self.handled.mark(child),
                K::Other if child.kind() == "{" => heads.extend(head),
                K::Other => child.child_by_field_id(self.g.f.ty).iter().for_each(|ty| self.handled.mark(*ty)),
                _ => {}
            }
            head = Some(child);
        });
        if !self.is_local(node) {
            heads.into_iter().for_each(|head| self.broken_function(head, cx));
        }
        Step::Into
    }

    /// `int f(void) {` whose end was not found, as when the preprocessor splits a body.
    fn broken_function(&mut self, head: Node<'_>, cx: &mut Cx<'_>) {
        let Some(declared) = declared(self.g, head).filter(|d| d.function.is_some()) else { return };
        let named = self.named(&declared, cx);
        if named.name.is_empty() || is_macro_name(named.name) {
            return;
        }
        self.handled.mark(declared.name);
        let place = self.place(&named, cx);
        NewDef {
            node: head,
            name_at: cx.position(declared.name),
            name: named.name,
            kind: if place.member { DefKind::Method } else { DefKind::Function },
            flags: self.exported(head, false),
            parent: place.parent,
            qualifier: place.qualifier.as_deref(),
            head: (head.start_byte(), head.end_byte()),
        }
        .make(cx, &Outer::default(), None);
    }

    /// `initcall(setup)` before a function, whose type it is taken for.
    pub(crate) fn macro_type(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        if let Some(name) = node.child_by_field_id(self.g.f.name) {
            self.handled.mark(name);
            refer_unbound(cx, cx.text(name), name, RefKind::Call, Receiver::None);
        }
        let argument = node.child_by_field_id(self.g.f.ty).and_then(|ty| ty.child_by_field_id(self.g.f.ty));
        if let Some(argument) = argument.filter(|ty| self.g.kind(*ty) == K::TypeIdent) {
            self.handled.mark(argument);
            cx.refer(cx.text(argument), argument, RefKind::Use, Receiver::None);
        }
        Step::Into
    }
}

fn declared_pointer(declared: &Declared<'_>) -> bool {
    !declared.plain && !declared.parenthesised
}

fn heads_a_block(statement: Node<'_>, source: &[u8]) -> bool {
    let missing = statement.child(1).is_some_and(|semicolon| semicolon.is_missing());
    let rest = source.get(statement.end_byte()..).unwrap_or(&[]);
    missing && rest.iter().find(|b| !b.is_ascii_whitespace()) == Some(&b'{')
}
