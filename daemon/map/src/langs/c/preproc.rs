//! Records what the preprocessor does: includes, macros and the calls in their bodies.
//!
//! A macro's body is text to the grammar. It is scanned for `name(`, which is how macros lead from one function to
//! another; a finer reading would need the expansion.

use super::grammar::{CKind, is_keyword};
use super::names::is_macro_name;
use super::rules::Family;
use crate::facts::{DefFlags, DefIdx, DefKind, ImportInput, ImportKind, Receiver, RefInput, RefKind};
use crate::langs::support::{NewDef, each_child};
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

/// Longest macro body that is scanned, in bytes.
const BODY_LIMIT: usize = 16 << 10;

impl Family {
    pub(crate) fn visit_preprocessor(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        match self.g.kind(node) {
            CKind::Include => self.record_include(node, cx),
            CKind::Define => self.define_macro(node, cx),
            CKind::Directive => refer_undefined(node, cx),
            _ => {
                if let Some(name) = node.child_by_field_id(self.g.f.name).filter(|name| is_guard(*name, cx)) {
                    self.handled.mark(name);
                    self.guard = (name.start_byte(), name.end_byte());
                }
                return WalkStep::Into;
            }
        }
        WalkStep::Skip
    }

    fn record_include(&mut self, node: Node<'_>, cx: &mut Cx<'_>) {
        let Some(path) = node.child_by_field_id(self.g.f.path) else { return };
        let module = cx.text(path);
        if self.g.kind(path) != CKind::Nothing || module.len() < 3 {
            return;
        }
        let owner = cx.owner();
        cx.facts.add_import(&ImportInput {
            kind: ImportKind::Star,
            module,
            name: None,
            local: None,
            reexported: true,
            owner,
            line: Cx::lines(path).0,
        });
    }

    fn define_macro(&mut self, node: Node<'_>, cx: &mut Cx<'_>) {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return };
        let value = node.child_by_field_id(self.g.f.value);
        if value.is_none() && cx.slice(self.guard.0, self.guard.1) == cx.text(name) {
            return;
        }
        let end =
            value.or(node.child_by_field_id(self.g.f.parameters)).map_or(name.end_byte(), |n| n.end_byte());
        let outer = self.lead.take_outer(node, cx);
        let def = NewDef {
            node,
            name_at: cx.position(name),
            name: cx.text(name),
            kind: DefKind::Macro,
            flags: DefFlags::EXPORTED,
            parent: None,
            qualifier: None,
            head: (node.start_byte(), end.min(node.start_byte() + 200)),
        };
        let idx = def.make_def(cx, &outer, None);
        if let (Some(value), Some(idx)) = (value, idx) {
            let mut parameters = Vec::new();
            if let Some(list) = node.child_by_field_id(self.g.f.parameters) {
                each_child(list, |child, _| parameters.extend(child.is_named().then(|| cx.text(child))));
            }
            scan_body(value, idx, &parameters, cx);
        }
    }
}

/// Records the name in `#undef NAME` as a use of the macro.
fn refer_undefined(node: Node<'_>, cx: &mut Cx<'_>) {
    let Some(argument) = node.child_by_field_name("argument") else { return };
    let is_undef = node.child_by_field_name("directive").is_some_and(|word| cx.text(word).ends_with("undef"));
    let name = cx.text(argument).trim();
    if is_undef && is_name(name) {
        cx.record_use(name, argument, RefKind::Use, Receiver::None);
    }
}

/// Returns true if the `#ifndef NAME` at `name` is an include guard: the name looks like a header's, and the next line
/// defines it.
fn is_guard(name: Node<'_>, cx: &Cx<'_>) -> bool {
    let stem = cx.text(name).trim_end_matches('_');
    let header = ["H", "HH", "HPP", "HXX", "INCLUDED"].iter().any(|end| stem.ends_with(end));
    let next = cx.slice(name.end_byte(), cx.source.len().min(name.end_byte() + 200)).trim_start();
    let next = next.strip_prefix("#").map(str::trim_start).and_then(|n| n.strip_prefix("define"));
    header && next.and_then(|n| n.split_whitespace().next()) == Some(cx.text(name))
}

/// Records each `name(` in a macro's body as a call by the macro. A body that is one name, and any name of a macro in
/// it, is a use.
fn scan_body(value: Node<'_>, owner: DefIdx, parameters: &[&str], cx: &mut Cx<'_>) {
    let start = value.start_byte();
    let text = cx.slice(start, value.end_byte().min(start + BODY_LIMIT));
    let alone = is_name(text.trim());
    if !text.bytes().any(|byte| byte.is_ascii_alphabetic() || byte == b'_') {
        return;
    }
    let (mut line, mut col) = cx.position(value);
    let mut rest = text;
    let mut before = ' ';
    while let Some(c) = rest.chars().next() {
        let word = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        let taken = match c {
            '"' | '\'' => literal_length(rest, c),
            _ if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |at| at + 2),
            _ if word > 0 => word,
            _ => c.len_utf8(),
        };
        let (piece, after) = rest.split_at(taken);
        let call = after.starts_with('(');
        if (call || alone || is_macro_name(piece))
            && is_name(piece)
            && !matches!(before, '.' | '>')
            && !parameters.contains(&piece)
            && !is_keyword(piece)
        {
            let kind = if call { RefKind::Call } else { RefKind::Use };
            cx.facts.add_reference(&RefInput {
                name: piece,
                kind,
                receiver: Receiver::None,
                owner: Some(owner),
                line,
                col,
            });
        }
        for c in piece.chars() {
            (line, col) = if c == '\n' { (line + 1, 1) } else { (line, col + c.len_utf16() as u32) };
        }
        before = if c.is_whitespace() { before } else { piece.chars().next_back().unwrap_or(' ') };
        rest = after;
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && text.chars().all(is_word)
}

/// Returns the length of a string or character literal.
fn literal_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}
