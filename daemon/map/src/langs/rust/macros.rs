//! Records references in macro invocations, whose arguments are only tokens.
//!
//! `name (` is a call, `.name (` a call on the value before it (a chain from a variable or a call), `a::b` a path. Bare
//! names are recorded if they start in upper case; not behind `struct` and the like, where the macro defines them.

use super::grammar::RustKind;
use super::infer::{PATH_LIMIT, binding_type};
use super::refs::without_raw_prefix;
use super::rules::RustWalk;
use super::values::{method_path, opened_path};
use crate::facts::{Receiver, RefKind};
use crate::langs::support::each_child;
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

/// A path that is being read from tokens.
#[derive(Default)]
struct Path<'s, 't> {
    segments: Vec<(&'s str, Node<'t>)>,
    /// True after a `.`: the path is a member of some value.
    member: bool,
    /// True if `::` was the last token.
    open: bool,
    /// True if `!` was the last token.
    makro: bool,
    /// True after a keyword that defines.
    defined: bool,
    /// True if the value before the `.` is `self`.
    of_self: bool,
    /// The path by which a binding would describe the value before the `.`.
    value: Option<String>,
}

impl RustWalk {
    pub(super) fn visit_macro_call(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.g.f.makro) else { return WalkStep::Into };
        self.handled.mark(name);
        match self.g.kind(name) {
            RustKind::Scoped => self.refer_scoped(name, RefKind::Call, cx),
            _ => cx.record_use(without_raw_prefix(cx.text(name)), name, RefKind::Call, Receiver::None),
        }
        let text = cx.text(name);
        if takes_expressions(text.rsplit("::").next().unwrap_or(text)) {
            self.expressions_until = self.expressions_until.max(node.end_byte());
        }
        WalkStep::Into
    }

    pub(super) fn visit_token_tree(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let mut tokens = Vec::new();
        each_child(node, |child, _| tokens.push(child));
        let mut path = Path::default();
        let mut dot = false;
        let (mut after_self, mut defining) = (false, false);
        let mut value = None;
        for token in tokens {
            match self.g.kind(token) {
                RustKind::Ident | RustKind::Crate | RustKind::Super | RustKind::SelfValue => {
                    self.handled.mark(token);
                    if !path.open {
                        self.end_path(&mut path, false, cx);
                        path.value = value.take().filter(|_| dot);
                        path.member = dot;
                        path.of_self = after_self;
                        path.defined = defining;
                    }
                    defining = is_defining_keyword(cx.text(token));
                    path.segments.push((without_raw_prefix(cx.text(token)), token));
                    (path.open, dot) = (false, false);
                    after_self = self.g.kind(token) == RustKind::SelfValue;
                    continue;
                }
                RustKind::TokenTree if cx.source.get(token.start_byte()) == Some(&b'(') || path.makro => {
                    value = self.end_path(&mut path, true, cx);
                }
                RustKind::TokenTree if cx.source.get(token.start_byte()) == Some(&b'[') => {
                    value = self.end_path(&mut path, false, cx).or(value);
                    value = value.map(|value| format!("={}.[]", value.trim_start_matches('=')));
                }
                RustKind::Nothing | RustKind::TokenTree => {
                    self.end_path(&mut path, false, cx);
                    value = None;
                }
                _ => match cx.text(token) {
                    "::" => path.open = true,
                    "!" if path.segments.len() == 1 => path.makro = true,
                    "." => {
                        value = self.end_path(&mut path, false, cx).or(value);
                        dot = true;
                        continue;
                    }
                    "?" => {
                        self.end_path(&mut path, false, cx);
                        value = value.and_then(|value| opened_path(value.trim_start_matches('=').to_owned()));
                        value = value.map(|path| format!("={path}"));
                    }
                    _ => {
                        self.end_path(&mut path, false, cx);
                        value = None;
                    }
                },
            }
            (dot, after_self) = (false, false);
        }
        self.end_path(&mut path, false, cx);
        WalkStep::Into
    }

    /// Records the references of a path of tokens. Returns the path of its value, as a binding would have it.
    fn end_path(&mut self, path: &mut Path<'_, '_>, call: bool, cx: &mut Cx<'_>) -> Option<String> {
        let path = std::mem::take(path);
        self.refer_tokens(&path, call, cx);
        let ((name, at), before) = path.segments.split_last()?;
        let step = if call { "()" } else { "" };
        match (path.member, name) {
            (true, _) => {
                let value = path.value?;
                let before = value.trim_start_matches('=').to_owned();
                let path = if call { method_path(before, name)? } else { format!("{before}.{name}") };
                (path.len() < PATH_LIMIT).then(|| format!("={path}"))
            }
            (false, &"self") => {
                self.body_around(*at)?.self_type.map(|own| cx.facts.provisional_name(own).to_owned())
            }
            _ if path.makro => None,
            _ if !before.is_empty() => {
                self.written_path(&path.segments, step, cx).map(|path| format!("={path}"))
            }
            _ if call => (cx.local_binding(name).is_none() && !name.starts_with(char::is_uppercase))
                .then(|| format!("={name}()")),
            _ => binding_type(cx.local_binding(name)).map(|ty| cx.facts.provisional_name(ty).to_owned()),
        }
    }

    /// Returns the path of `Foo::new` for the resolution, with `()` if it is called.
    fn written_path(&mut self, segments: &[(&str, Node<'_>)], call: &str, cx: &Cx<'_>) -> Option<String> {
        let names: Vec<&str> = segments.iter().map(|(name, _)| *name).collect();
        let names = match names[..] {
            ["Self", ..] => {
                let own = self.body_around(segments[0].1)?.self_type?;
                let rest = names[1..].iter().copied();
                std::iter::once(cx.facts.provisional_name(own)).chain(rest).collect()
            }
            _ => self.path_from_file(segments[0].1, &names),
        };
        (names.first() != Some(&"self")).then(|| format!("{}{call}", names.join(".")))
    }

    fn refer_tokens(&mut self, path: &Path<'_, '_>, call: bool, cx: &mut Cx<'_>) {
        let Some(((name, at), before)) = path.segments.split_last() else { return };
        let expression = at.start_byte() < self.expressions_until;
        let kind = if call { RefKind::Call } else { RefKind::Use };
        if matches!(*name, "self" | "super" | "crate" | "Self") || is_keyword(name) {
            return;
        }
        if path.member {
            let receiver = match &path.value {
                _ if path.of_self => Receiver::SelfType,
                Some(value) => Receiver::Typed(cx.facts.intern(value)),
                None => Receiver::Unknown,
            };
            if call || (path.of_self && expression) {
                cx.record_use(name, *at, kind, receiver);
            }
        } else if before.is_empty() {
            // A macro may define what it names; names behind a defining keyword are passed over.
            let constant = name.starts_with(|c: char| c.is_ascii_uppercase());
            if call || (constant && (expression || (name.len() > 1 && !path.defined))) {
                cx.record_use(name, *at, kind, Receiver::None);
            }
        } else {
            self.refer_segments(&path.segments, kind, cx);
        }
    }
}

/// Returns true for macros whose arguments are expressions (and format strings).
fn takes_expressions(name: &str) -> bool {
    matches!(
        name,
        "println"
            | "print"
            | "eprintln"
            | "eprint"
            | "format"
            | "write"
            | "writeln"
            | "panic"
            | "assert"
            | "assert_eq"
            | "assert_ne"
            | "debug_assert"
            | "debug_assert_eq"
            | "debug_assert_ne"
            | "vec"
            | "matches"
            | "dbg"
            | "todo"
            | "unimplemented"
            | "unreachable"
            | "trace"
            | "debug"
            | "info"
            | "warn"
            | "error"
            | "format_args"
            | "assert_matches"
            | "bail"
            | "ensure"
            | "anyhow"
    )
}

fn is_defining_keyword(keyword: &str) -> bool {
    matches!(keyword, "struct" | "enum" | "trait" | "type" | "union" | "const" | "static" | "mod" | "fn")
}

fn is_keyword(name: &str) -> bool {
    matches!(
        name,
        "if" | "else"
            | "match"
            | "for"
            | "while"
            | "loop"
            | "return"
            | "break"
            | "continue"
            | "let"
            | "mut"
            | "ref"
            | "move"
            | "in"
            | "as"
            | "fn"
            | "pub"
            | "struct"
            | "enum"
            | "impl"
            | "trait"
            | "where"
            | "use"
            | "mod"
            | "const"
            | "static"
            | "type"
            | "unsafe"
            | "async"
            | "await"
            | "dyn"
            | "true"
            | "false"
    )
}
