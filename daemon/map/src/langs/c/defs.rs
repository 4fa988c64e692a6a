//! Defines functions, and repairs heads that macros disturb.

use super::declarator::{CDeclarationParts, Declared, follow_declarator, single_word, split_declaration};
use super::grammar::CKind;
use super::names::{CDeclaredName, is_macro_name, macro_defined_name};
use super::rules::{Family, MacroHead};
use crate::facts::{DefFlags, DefKind, Receiver, RefKind};
use crate::langs::support::{DefinitionLead, NewDef, each_child, refer_unbound};
use crate::syntax::Node;
use crate::walk::{Binding, Cx, WalkStep};

impl Family {
    pub(crate) fn visit_function(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let parts = split_declaration(self.g, node, cx.source);
        let Some(declared) = parts.declarators.first().and_then(|d| follow_declarator(self.g, *d)) else {
            cx.open_scope(true);
            return WalkStep::Into;
        };
        match declared.function {
            Some(_) if self.is_test_macro(&parts, &declared, cx) => self.test_function(node, &declared, cx),
            Some(_) => self.plain_function(node, &parts, &declared, cx),
            None if declared.kind == CKind::Qualified => self.plain_function(node, &parts, &declared, cx),
            None if declared.kind == CKind::Operator => self.plain_function(node, &parts, &declared, cx),
            None if declared.parenthesised => self.macro_function(node, &parts, &declared, cx),
            None => self.attributed_record(node, &parts, &declared, cx),
        }
        WalkStep::Into
    }

    fn plain_function(
        &mut self,
        node: Node<'_>,
        parts: &CDeclarationParts<'_>,
        declared: &Declared<'_>,
        cx: &mut Cx<'_>,
    ) {
        self.attribute_as_type(parts, cx);
        let named = self.declared_name(declared, cx);
        self.handled.mark(declared.name);
        self.mark_parts(declared.name);
        self.refer_scopes(declared.name, cx);
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

    fn function_flags(&self, node: Node<'_>, parts: &CDeclarationParts<'_>, cx: &Cx<'_>) -> DefFlags {
        match self.owner_type(cx) {
            Some(_) => self.member_flags(node),
            None => self.export_flags(node, parts.is_static),
        }
    }

    /// Defines a function, and opens its scope.
    pub(crate) fn define_function(
        &mut self,
        node: Node<'_>,
        named: &CDeclaredName<'_>,
        flags: DefFlags,
        head_end: usize,
        cx: &mut Cx<'_>,
    ) {
        let outer = self.take_outer(node, cx);
        let place = self.place_of_name(named, cx);
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
        def.make_def(cx, &outer, Some(true));
        self.handled.mark(named.node);
        self.block_end = self.block_end.max(node.end_byte());
    }

    /// Binds the words in the list of `int f(a, b) int a; char *b; { }`, which are parameters.
    fn old_style_parameters(&mut self, function: Node<'_>, cx: &mut Cx<'_>) {
        let Some(list) = function.child_by_field_id(self.g.f.parameters) else { return };
        if list.named_child(0).is_none_or(|first| self.g.kind(first) != CKind::Ident) {
            return;
        }
        each_child(list, |child, _| {
            if self.g.kind(child) == CKind::Ident {
                cx.bind(cx.text(child), Binding::Opaque);
            }
        });
    }

    /// Defines a function that a macro declares: `TEST(name) { }`, `DEFINE_FOO(name) { }`.
    fn macro_function(
        &mut self,
        node: Node<'_>,
        parts: &CDeclarationParts<'_>,
        declared: &Declared<'_>,
        cx: &mut Cx<'_>,
    ) {
        let makro = parts.ty.map_or("", |ty| cx.text(ty));
        let test = DefFlags::default().with_if(makro.starts_with("TEST"), DefFlags::TEST);
        let named = self.declared_name(declared, cx);
        let end = declared.name.end_byte() + 1;
        self.define_function(node, &named, self.export_flags(node, parts.is_static).with(test), end, cx);
        if let Some(ty) = parts.ty.filter(|ty| self.g.kind(*ty) == CKind::TypeIdent) {
            self.handled.mark(ty);
            cx.record_use(makro, ty, RefKind::Call, Receiver::None);
        }
    }

    /// Visits a statement. At file level, a call without its semicolon and a block after it are a function that a macro
    /// declares. Its name is the first argument; the kernel's system calls get the prefix that their macro gives them.
    pub(crate) fn visit_statement(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if self.is_local(node) {
            return WalkStep::Into;
        }
        let call = node.child(0).filter(|c| self.g.kind(*c) == CKind::Call);
        if let Some(call) = call
            && heads_a_block(node, cx.source)
        {
            self.macro_head(node, call, cx);
        }
        WalkStep::Into
    }

    fn macro_head(&mut self, node: Node<'_>, call: Node<'_>, cx: &mut Cx<'_>) {
        let makro = call.child_by_field_id(self.g.f.function).map_or("", |f| cx.text(f));
        let Some(arguments) = call.child_by_field_id(self.g.f.arguments) else { return };
        let mut words = Vec::new();
        each_child(arguments, |child, _| {
            let word = if child.is_error() { single_word(self.g, child) } else { Some(child) };
            words.extend(word.filter(|w| self.g.kind(*w) == CKind::Ident));
        });
        let Some((&first, rest)) = words.split_first() else { return };
        words.iter().for_each(|word| self.handled.mark(*word));
        let name = macro_defined_name(makro, cx.text(first));
        let flags = self.export_flags(node, false).with_if(makro.starts_with("TEST"), DefFlags::TEST);
        let outer = self.take_outer(node, cx);
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
        let Some(def) = def.make_def(cx, &outer, None) else { return };
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
        cx.reopen_scope(head.def, true);
        for (from, to) in head.words {
            cx.bind(cx.slice(from, to), Binding::Opaque);
        }
        true
    }

    /// Visits text that could not be parsed: its words are no uses, but a function's head may be among it.
    pub(crate) fn visit_error(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let mut head: Option<Node<'_>> = None;
        let mut heads = Vec::new();
        each_child(node, |child, _| {
            match self.g.kind(child) {
                CKind::Ident | CKind::TypeIdent => self.handled.mark(child),
                CKind::Other if child.kind() == "{" => heads.extend(head),
                CKind::Other => {
                    child.child_by_field_id(self.g.f.ty).iter().for_each(|ty| self.handled.mark(*ty));
                }
                _ => {}
            }
            head = Some(child);
        });
        if !self.is_local(node) {
            heads.into_iter().for_each(|head| self.broken_function(head, cx));
        }
        WalkStep::Into
    }

    /// Defines the function of `int f(void) {` whose end was not found, as when the preprocessor splits a body.
    fn broken_function(&mut self, head: Node<'_>, cx: &mut Cx<'_>) {
        let Some(declared) = follow_declarator(self.g, head).filter(|d| d.function.is_some()) else { return };
        let named = self.declared_name(&declared, cx);
        if named.name.is_empty() || is_macro_name(named.name) {
            return;
        }
        self.handled.mark(declared.name);
        let place = self.place_of_name(&named, cx);
        NewDef {
            node: head,
            name_at: cx.position(declared.name),
            name: named.name,
            kind: if place.member { DefKind::Method } else { DefKind::Function },
            flags: self.export_flags(head, false),
            parent: place.parent,
            qualifier: place.qualifier.as_deref(),
            head: (head.start_byte(), head.end_byte()),
        }
        .make_def(cx, &DefinitionLead::default(), None);
    }

    /// Visits `initcall(setup)` before a function, which the grammar takes for its type, and records it as a call.
    pub(crate) fn visit_macro_type(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if let Some(name) = node.child_by_field_id(self.g.f.name) {
            self.handled.mark(name);
            refer_unbound(cx, cx.text(name), name, RefKind::Call, Receiver::None);
        }
        let argument = node.child_by_field_id(self.g.f.ty).and_then(|ty| ty.child_by_field_id(self.g.f.ty));
        if let Some(argument) = argument.filter(|ty| self.g.kind(*ty) == CKind::TypeIdent) {
            self.handled.mark(argument);
            cx.record_use(cx.text(argument), argument, RefKind::Use, Receiver::None);
        }
        WalkStep::Into
    }
}

fn heads_a_block(statement: Node<'_>, source: &[u8]) -> bool {
    let missing = statement.child(1).is_some_and(|semicolon| semicolon.is_missing());
    let rest = source.get(statement.end_byte()..).unwrap_or(&[]);
    missing && rest.iter().find(|b| !b.is_ascii_whitespace()) == Some(&b'{')
}
