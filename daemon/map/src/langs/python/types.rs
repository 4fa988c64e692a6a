//! Tells the type of a value from a Python expression or annotation, as far as one file can tell.
//!
//! It gives only types that are certain: of a constructor call, a literal, an annotation. For any other call or
//! attribute, it keeps the path behind a `=`, because its type depends on other files. Literals matter although their
//! classes are not of the project: without their types, `x = []; x.append()` could be taken for a project's own
//! `append`.
//!
//! Depths are bounded everywhere; deeper expressions are unknown, not wrong.

use std::borrow::Cow;

use super::grammar::FIELDS;
use crate::syntax::Node;

/// Most levels of parentheses, `or` and unions that are looked into.
const DEPTH: usize = 8;

/// Longest path of an expression that is kept, in bytes.
const LONGEST: usize = 200;

/// Looks up the type of a name that is bound in the enclosing functions.
type Local<'l, 't> = &'l dyn Fn(&str) -> Option<Ty<'t>>;

/// The type of a value, as seen from one file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Ty<'t> {
    /// No type is known yet (only `None` was assigned).
    Nothing,
    /// The type is unknown.
    Unknown,
    /// The enclosing class: the type of `self` and `cls`.
    SelfType,
    /// Inferred from a constructor or literal: the dotted name as written.
    Is(Cow<'t, str>),
    /// Declared by an annotation, which later assignments do not change.
    Declared(Cow<'t, str>),
}

impl<'t> Ty<'t> {
    /// Returns the type that is known after a further assignment of `other`.
    pub(super) fn merge(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, other) => other,
            (known, Self::Nothing) => known,
            (Self::Declared(name), _) | (_, Self::Declared(name)) => Self::Declared(name),
            (a, b) if a == b => a,
            (Self::Is(a), Self::Is(b)) => either_type(&a, &b),
            _ => Self::Unknown,
        }
    }

    /// Returns the dotted name or the path; `None` if there is neither.
    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Self::Is(name) | Self::Declared(name) => Some(name),
            _ => None,
        }
    }

    fn into_declared(self) -> Self {
        match self {
            Self::Is(name) => Self::Declared(name),
            other => other,
        }
    }
}

/// Joins the paths of two members of `self`, or of their results, between which a value varies. If both turn out to
/// have the same type, which other files decide, the value has it. Other types are not joined.
fn either_type<'t>(a: &str, b: &str) -> Ty<'t> {
    let fits = is_own(a) && is_own(b) && a.len() + b.len() <= LONGEST;
    match b.strip_prefix('=').filter(|_| fits) {
        Some(path) if a.split(['=', '|']).any(|known| known == path) => Ty::Is(a.to_owned().into()),
        Some(path) => Ty::Is(format!("{a}|{path}").into()),
        None => Ty::Unknown,
    }
}

/// Returns the first segment of a dotted name, or of the path of an expression.
pub(super) fn head(path: &str) -> &str {
    let path = path.strip_prefix('=').unwrap_or(path);
    path.split(['.', '(']).next().unwrap_or(path)
}

/// Returns true if a type is the path of a member of `self`.
pub(super) fn is_own(path: &str) -> bool {
    path.starts_with("=self.")
}

/// Returns the type of a member of a value of this type, as the path of an expression.
pub(super) fn member_of_type<'t>(ty: &Ty<'t>, rest: &str) -> Ty<'t> {
    let path = match ty {
        Ty::Is(name) if name.contains('|') => return Ty::Unknown,
        Ty::SelfType => format!("=self.{rest}"),
        Ty::Is(name) | Ty::Declared(name) if name.starts_with('=') => format!("{name}.{rest}"),
        Ty::Is(name) | Ty::Declared(name) => format!("={name}().{rest}"),
        Ty::Nothing | Ty::Unknown => return Ty::Unknown,
    };
    if path.len() > LONGEST { Ty::Unknown } else { Ty::Is(path.into()) }
}

/// Returns the last segment of a dotted name.
pub(super) fn last(path: &str) -> &str {
    path.rsplit_once('.').map_or(path, |(_, last)| last)
}

/// Returns a node's text; empty if it is not UTF-8.
pub(super) fn text<'t>(source: &'t [u8], node: Node<'_>) -> &'t str {
    source.get(node.byte_range()).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or("")
}

/// Returns the path `a.b.c` of a name or of a chain of attributes of names, without white space.
pub(super) fn dotted_path<'t>(source: &'t [u8], node: Node<'_>) -> Option<Cow<'t, str>> {
    let mut at = node;
    for _ in 0..4 * DEPTH {
        match at.kind() {
            "identifier" | "dotted_name" => return Some(without_whitespace(text(source, node))),
            "attribute" => at = at.child_by_field_id(FIELDS.object)?,
            "member_type" => at = at.named_child(0)?,
            "type" => at = at.named_child(0)?,
            _ => return None,
        }
    }
    None
}

fn without_whitespace(text: &str) -> Cow<'_, str> {
    let odd = |c: char| c.is_whitespace() || c == '\\';
    if text.contains(odd) { text.chars().filter(|&c| !odd(c)).collect() } else { text.into() }
}

/// Returns the type of an expression's value. `local` knows the names that are bound in the enclosing functions.
pub(super) fn of_value<'t>(
    source: &'t [u8],
    node: Node<'_>,
    local: &dyn Fn(&str) -> Option<Ty<'t>>,
) -> Ty<'t> {
    value(source, node, local, DEPTH)
}

fn value<'t>(
    source: &'t [u8],
    node: Node<'_>,
    local: &dyn Fn(&str) -> Option<Ty<'t>>,
    depth: usize,
) -> Ty<'t> {
    if depth == 0 {
        return Ty::Unknown;
    }
    let inner =
        |child: Option<Node<'_>>| child.map_or(Ty::Unknown, |child| value(source, child, local, depth - 1));
    match node.kind() {
        "none" => Ty::Nothing,
        "identifier" => local(text(source, node)).unwrap_or_else(|| path_of(text(source, node).into())),
        "call" => of_call(source, node, local, depth),
        "attribute" => of_attribute(source, node, local, depth),
        "await" => inner(node.named_child(0)),
        "parenthesized_expression" => inner(node.named_child(0)),
        "boolean_operator" if is_or(node) => {
            inner(node.child_by_field_id(FIELDS.left)).merge(inner(node.child_by_field_id(FIELDS.right)))
        }
        "conditional_expression" => inner(node.named_child(0)).merge(inner(node.named_child(2))),
        kind => literal_type(kind, text(source, node)),
    }
}

fn is_or(node: Node<'_>) -> bool {
    node.child_by_field_id(FIELDS.operator).is_some_and(|operator| operator.kind() == "or")
}

fn literal_type<'t>(kind: &str, text: &str) -> Ty<'t> {
    let name = match kind {
        "string" if is_bytes(text) => "bytes",
        "string" | "concatenated_string" => "str",
        "list" | "list_comprehension" => "list",
        "dictionary" | "dictionary_comprehension" => "dict",
        "set" | "set_comprehension" => "set",
        "tuple" => "tuple",
        "integer" => "int",
        "float" => "float",
        "true" | "false" | "not_operator" => "bool",
        "generator_expression" => "Generator",
        _ => return Ty::Unknown,
    };
    Ty::Is(name.into())
}

fn is_bytes(text: &str) -> bool {
    text.bytes().take(2).take_while(u8::is_ascii_alphabetic).any(|b| b.eq_ignore_ascii_case(&b'b'))
}

/// Built-in classes that are called by a lower-case name.
const BUILTIN_CLASSES: [&str; 14] = [
    "str",
    "list",
    "dict",
    "set",
    "tuple",
    "int",
    "float",
    "bool",
    "bytes",
    "bytearray",
    "frozenset",
    "object",
    "deque",
    "defaultdict",
];

/// Returns the type of the value of a name or path, as a path; unknown on `self`, and where the path is too long.
fn path_of<'t>(path: Cow<'t, str>) -> Ty<'t> {
    let is_named = path.starts_with(|c: char| c.is_alphabetic() || c == '_') && path.len() <= LONGEST;
    if is_named && head(&path) != "self" { Ty::Is(format!("={path}").into()) } else { Ty::Unknown }
}

fn of_attribute<'t>(source: &'t [u8], node: Node<'_>, local: Local<'_, 't>, depth: usize) -> Ty<'t> {
    if let Some(path) = dotted_path(source, node) {
        let (first, rest) = path.split_once('.').unwrap_or((&path, ""));
        return match local(first) {
            Some(ty) => member_of_type(&ty, rest),
            None => path_of(path),
        };
    }
    let parts = (node.child_by_field_id(FIELDS.object), node.child_by_field_id(FIELDS.attribute));
    let (Some(object), Some(name)) = parts else { return Ty::Unknown };
    member_of_type(&value(source, object, local, depth - 1), text(source, name))
}

fn of_call<'t>(source: &'t [u8], call: Node<'_>, local: Local<'_, 't>, depth: usize) -> Ty<'t> {
    let Some(function) = call.child_by_field_id(FIELDS.function) else { return Ty::Unknown };
    let Some(path) = dotted_path(source, function) else {
        return if function.kind() == "attribute" {
            call_result(of_attribute(source, function, local, depth))
        } else {
            Ty::Unknown
        };
    };
    if let Some(bound) = local(head(&path)) {
        return match path.split_once('.') {
            None if bound == Ty::SelfType => Ty::SelfType,
            None => Ty::Unknown,
            Some((_, rest)) => call_result(member_of_type(&bound, rest)),
        };
    }
    if last(&path) == "cast" {
        let first = call.child_by_field_id(FIELDS.arguments).and_then(|args| args.named_child(0));
        return first.map_or(Ty::Unknown, |ty| of_annotation(source, ty));
    }
    if is_class_name(last(&path)) || BUILTIN_CLASSES.contains(&&*path) {
        return Ty::Is(path);
    }
    if matches!(&*path, "super" | "type" | "getattr") { Ty::Unknown } else { call_result(path_of(path)) }
}

/// Returns the type of the result of a call of a value of this type.
pub(super) fn call_result(ty: Ty<'_>) -> Ty<'_> {
    match ty {
        Ty::Is(path) if path.starts_with('=') && !path.contains('|') => Ty::Is(format!("{path}()").into()),
        _ => Ty::Unknown,
    }
}

/// Returns true if a name is written as classes are: `Foo`, `_Foo`, `FOO`; not `FOO_BAR`, which is a constant.
pub(super) fn is_class_name(name: &str) -> bool {
    let name = name.trim_start_matches('_');
    let upper = name.starts_with(char::is_uppercase);
    upper && (name.chars().count() == 1 || name.contains(char::is_lowercase) || !name.contains('_'))
}

/// Returns the type that an annotation declares: `Foo`, `"Foo"`, `Optional[Foo]`, `Foo | None`, `type[Foo]` all give
/// `Foo`, `List[Foo]` gives `List`.
pub(super) fn of_annotation<'t>(source: &'t [u8], node: Node<'_>) -> Ty<'t> {
    annotation_type(source, node, DEPTH).into_declared()
}

/// Returns the type of the elements of an annotated iterator: `T` of `Iterator[T]`, which a context manager made of a
/// generator gives.
pub(super) fn of_iterated<'t>(source: &'t [u8], node: Node<'_>) -> Ty<'t> {
    let whole = if node.kind() == "type" { node.named_child(0) } else { Some(node) };
    let inner = match whole.map(|node| (node, node.kind())) {
        Some((node, "generic_type")) => node.named_child(1).and_then(|arguments| arguments.named_child(0)),
        Some((node, "subscript")) => node.named_child(1),
        _ => None,
    };
    inner.map_or(Ty::Unknown, |inner| of_annotation(source, inner))
}

/// Returns true if an annotation is that of an iterator: `Iterator[T]`, `Generator[T, None, None]`.
pub(super) fn is_iterator(source: &[u8], node: Node<'_>) -> bool {
    let base = text(source, node).split('[').next().unwrap_or_default().trim();
    matches!(
        last(base),
        "Iterator" | "Iterable" | "Generator" | "AsyncIterator" | "AsyncIterable" | "AsyncGenerator"
    )
}

fn annotation_type<'t>(source: &'t [u8], node: Node<'_>, depth: usize) -> Ty<'t> {
    if depth == 0 {
        return Ty::Unknown;
    }
    let inner = |child: Option<Node<'_>>| {
        child.map_or(Ty::Unknown, |child| annotation_type(source, child, depth - 1))
    };
    match node.kind() {
        "none" => Ty::Nothing,
        "type" | "parenthesized_expression" => inner(node.named_child(0)),
        "identifier" if text(source, node) == "Self" => Ty::SelfType,
        "identifier" | "attribute" | "member_type" => dotted_path(source, node).map_or(Ty::Unknown, Ty::Is),
        "string" => quoted_annotation_type(text(source, node)),
        "binary_operator" | "union_type" => inner(node.named_child(0)).merge(inner(node.named_child(1))),
        "subscript" => {
            let base = node.child_by_field_id(FIELDS.value).and_then(|value| dotted_path(source, value));
            generic_type(base, node.named_child(1), node.named_child(2), &inner)
        }
        "generic_type" => {
            let base = node.named_child(0).and_then(|value| dotted_path(source, value));
            let args = node.named_child(1);
            let arg = |i| args.and_then(|args| args.named_child(i));
            generic_type(base, arg(0), arg(1), &inner)
        }
        _ => Ty::Unknown,
    }
}

fn generic_type<'t>(
    base: Option<Cow<'t, str>>,
    first: Option<Node<'_>>,
    second: Option<Node<'_>>,
    inner: &dyn Fn(Option<Node<'_>>) -> Ty<'t>,
) -> Ty<'t> {
    let Some(base) = base else { return Ty::Unknown };
    match last(&base) {
        "Optional" | "Annotated" | "Final" | "ClassVar" | "Type" | "type" | "Required" | "NotRequired" => {
            inner(first)
        }
        "Union" => match second {
            Some(_) => inner(first).merge(inner(second)),
            None => inner(first),
        },
        _ => Ty::Is(base),
    }
}

/// Returns the type of an annotation in quotes; only plain names are understood.
fn quoted_annotation_type<'t>(text: &'t str) -> Ty<'t> {
    let name = string_content(text).trim();
    let name = name.strip_suffix("| None").map_or(name, str::trim_end);
    let optional = name.strip_prefix("Optional[").or_else(|| name.strip_prefix("Type["));
    let name = optional.and_then(|inner| inner.strip_suffix(']')).unwrap_or(name);
    let plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    if plain { Ty::Is(name.into()) } else { Ty::Unknown }
}

/// Returns the text between the quotes of a string literal.
pub(super) fn string_content(text: &str) -> &str {
    let body = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    for quote in ["\"\"\"", "'''", "\"", "'"] {
        if let Some(rest) = body.strip_prefix(quote) {
            return rest.strip_suffix(quote).unwrap_or(rest);
        }
    }
    body
}
