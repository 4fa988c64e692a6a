//! Tells the type of a value from an expression or annotation, as far as one file can tell: `new Foo()`, literals, and
//! annotations of a single class. Of a call or a member it keeps the path, behind a `=`, because the result depends on
//! other files. Unions of several classes, and intersections, give no type.

use std::borrow::Cow;

use super::grammar::Fields;
use crate::langs::support::split_outside_brackets;
use crate::syntax::{Node, named_children};

/// Most levels of parentheses and wrappers that are unwrapped.
const DEPTH: usize = 8;

/// Most elements of a list that are read for its type.
const ELEMENTS: usize = 8;

/// Most nested types that are read.
const LEVELS: usize = 5;

/// Most nested list literals whose type is inferred.
const LISTS: usize = 3;

/// Longest path of an expression that is kept, in bytes.
pub(super) const LONGEST: usize = 200;

/// Most calls and members of an expression that are followed.
pub(super) const PATH: usize = 4 * DEPTH;

/// The name that stands for the enclosing class.
pub(super) const THIS: &str = "this";

/// A dotted type name; `None` if the type is unknown.
pub(super) type TypeName<'t> = Option<Cow<'t, str>>;

/// Returns a node's text; empty if it is not UTF-8.
pub(super) fn text<'t>(source: &'t [u8], node: Node<'_>) -> &'t str {
    source.get(node.byte_range()).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or("")
}

/// Returns the first segment of a dotted name, or of the path of an expression.
pub(super) fn head(path: &str) -> &str {
    let path = path.strip_prefix('=').unwrap_or(path);
    path.split(['.', '(', '@', '~', '<']).next().unwrap_or(path)
}

/// Returns the type of a member of a value of this type: `rest` starts with a dot.
pub(super) fn member_type(ty: &str, rest: &str) -> Option<String> {
    // The end of a type is marked with `~`, because a type may have dots of its own.
    let path = if ty.starts_with('=') { format!("{ty}{rest}") } else { format!("={ty}~{rest}") };
    (path.len() <= LONGEST).then_some(path)
}

/// Splits `[]Foo` (a list of `Foo`) and `{}Foo` (a map to `Foo`) into the sign and the held type.
pub(super) fn split_holder(ty: &str) -> Option<(&str, &str)> {
    ["[]", "{}"].iter().find_map(|sign| ty.starts_with(sign).then(|| ty.split_at(sign.len())))
}

/// Returns the type of the elements of a list of this type; `None` if it is no list.
pub(super) fn element_type(ty: &str) -> Option<String> {
    match split_holder(ty) {
        Some(("[]", held)) => Some(held.to_owned()),
        Some(_) => None,
        // A named type may stand for a list.
        None => member_type(ty, ".[]"),
    }
}

/// Returns the type of an element of a list or tuple of this type, by its number; `None` if the type is neither, or
/// unknown.
pub(super) fn element_at(ty: &str, place: usize) -> Option<String> {
    if let Some(elements) = ty.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        let element = split_outside_brackets(elements, ',').nth(place).filter(|element| *element != "_");
        return element.map(str::to_owned);
    }
    match split_holder(ty) {
        Some(_) => element_type(ty),
        None => member_type(ty, &format!(".[{place}]")),
    }
}

/// A file's text and its grammar's fields, for reading expressions.
#[derive(Clone, Copy)]
pub(super) struct EcmaTypeReader<'t> {
    pub(super) source: &'t [u8],
    pub(super) fields: &'static Fields,
    /// The number of levels of nested types that are still read.
    levels: usize,
}

impl<'t> EcmaTypeReader<'t> {
    pub(super) fn new(source: &'t [u8], fields: &'static Fields) -> Self {
        Self { source, fields, levels: LEVELS }
    }

    /// Returns a reader for the types within a type; `None` at the last level.
    fn inner(self) -> Option<Self> {
        Some(Self { levels: self.levels.checked_sub(1)?, ..self })
    }

    /// Returns the path `a.b.c` of a name or of a chain of properties of names; `this` counts as a name.
    pub(super) fn dotted_path(self, node: Node<'_>) -> TypeName<'t> {
        let mut segments: Vec<&'t str> = Vec::new();
        let mut at = node;
        for _ in 0..4 * DEPTH {
            let (rest, name) = match at.kind() {
                "identifier" | "type_identifier" | "this" if segments.is_empty() => {
                    return Some(text(self.source, at).into());
                }
                "identifier" | "type_identifier" | "this" => {
                    segments.push(text(self.source, at));
                    segments.reverse();
                    return Some(segments.join(".").into());
                }
                "member_expression" | "nested_identifier" => {
                    (at.child_by_field_id(self.fields.object), at.child_by_field_id(self.fields.property))
                }
                "nested_type_identifier" => {
                    (at.child_by_field_id(self.fields.module), at.child_by_field_id(self.fields.name))
                }
                "non_null_expression" => {
                    at = at.named_child(0)?;
                    continue;
                }
                _ => return None,
            };
            segments.push(text(self.source, name?));
            at = rest?;
        }
        None
    }

    /// Returns the type of an expression's value.
    pub(super) fn value(self, node: Node<'_>) -> TypeName<'t> {
        let mut at = node;
        for _ in 0..DEPTH {
            match at.kind() {
                "parenthesized_expression" | "non_null_expression" | "satisfies_expression" => {
                    at = at.named_child(0)?;
                }
                "as_expression" => match at.named_child(1) {
                    Some(ty) => return self.annotation_type(ty),
                    None => at = at.named_child(0)?,
                },
                "type_assertion" => return self.annotation_type(at.named_child(0)?.named_child(0)?),
                "new_expression" => return self.made_type(at),
                "array" => return Some(self.array_type(at, LISTS).map_or(Cow::from("Array"), Cow::from)),
                "this" => return Some(THIS.into()),
                "call_expression"
                | "member_expression"
                | "subscript_expression"
                | "identifier"
                | "await_expression" => {
                    let path = self.path(at, PATH).filter(|path| path.len() < LONGEST)?;
                    return Some(format!("={path}").into());
                }
                kind => return literal_type(kind).map(Cow::from),
            }
        }
        None
    }

    /// Returns the type of the object that `new` makes: a class, or a list or map where the library's class is given
    /// types.
    fn made_type(self, node: Node<'_>) -> TypeName<'t> {
        let name = self.dotted_path(node.child_by_field_id(self.fields.constructor)?)?;
        let Some(arguments) = node.child_by_field_id(self.fields.type_arguments) else { return Some(name) };
        match generic_kind(&name) {
            GenericKind::List => self.holder("[]", arguments.named_child(0)),
            GenericKind::Map => self.holder("{}", arguments.named_child(1)),
            _ => Some(self.with_arguments(name, Some(arguments))),
        }
    }

    /// Returns the base that a class names, with its type arguments: `extends Base<Foo>`.
    pub(super) fn extended(self, clause: Node<'_>) -> TypeName<'t> {
        let name = self.dotted_path(clause.child_by_field_id(self.fields.value)?)?;
        Some(self.with_arguments(name, clause.child_by_field_id(self.fields.type_arguments)))
    }

    /// Returns a type with its arguments, if any of them is known: `Box<Foo,_>`.
    fn with_arguments(self, name: Cow<'t, str>, arguments: Option<Node<'_>>) -> Cow<'t, str> {
        let Some(list) = arguments else { return name };
        let texts = self.each_type(list, None);
        match texts.iter().any(|text| text != "_") {
            true => Some(format!("{name}<{}>", texts.join(",")))
                .filter(|ty| ty.len() < LONGEST)
                .map_or(name, Into::into),
            false => name,
        }
    }

    /// Returns the types in a list of them, `_` for an unknown one.
    fn each_type(self, list: Node<'_>, of: Option<u16>) -> Vec<String> {
        let Some(reader) = self.inner() else { return Vec::new() };
        let types = named_children(list).filter(|n| n.kind() != "comment").take(ELEMENTS);
        let text = |ty: Node<'_>| {
            let inner = of.and_then(|field| ty.child_by_field_id(field)).unwrap_or(ty);
            let known = reader.annotation_type(inner).filter(|ty| ty != THIS);
            known.map_or_else(|| "_".to_owned(), Cow::into_owned)
        };
        types.map(text).collect()
    }

    /// Returns the type `(A,B)` of a tuple `[A, label: B]`; `Array` if no element is known.
    fn tuple(self, node: Node<'_>) -> Cow<'t, str> {
        let texts = self.each_type(node, Some(self.fields.ty));
        let tuple = format!("({})", texts.join(","));
        let is_known = texts.iter().any(|text| text != "_") && tuple.len() < LONGEST;
        if is_known { tuple.into() } else { "Array".into() }
    }

    /// Returns the type of a map: `{}A` for `{ [key: string]: A }`.
    fn indexed(self, object: Node<'_>) -> TypeName<'t> {
        let index = object.named_child(0).filter(|index| index.kind() == "index_signature")?;
        let held = index.child_by_field_id(self.fields.ty).filter(|_| object.named_child_count() == 1)?;
        Some(format!("{{}}{}", self.inner()?.annotation_type(held).filter(|held| held != THIS)?).into())
    }

    /// Returns the path of `typeof a.b`, or of the result of a call of it where `then` is `()`.
    fn queried(self, node: Node<'_>, then: &str) -> TypeName<'t> {
        let query = Some(node).filter(|node| node.kind() == "type_query")?;
        Some(format!("={}{then}", self.dotted_path(query.named_child(0)?)?).into())
    }

    /// Returns the type of `T["key"]` and `T[number]`.
    fn looked_up(self, node: Node<'_>) -> TypeName<'t> {
        let (of, index) = (self.inner()?.annotation_type(node.named_child(0)?)?, node.named_child(1)?);
        let found = match index.named_child(0).and_then(|text| self.string_text(text)) {
            Some(key) if is_plain_name(key) => member_type(&of, &format!(".{key}")),
            Some(_) => None,
            None => element_type(&of).filter(|_| index.kind() == "predefined_type"),
        };
        found.filter(|_| of != THIS).map(Cow::from)
    }

    /// Returns the type arguments of a call, if a path can hold them.
    fn plain_arguments(self, list: Node<'_>) -> Option<String> {
        let texts = self.each_type(list, None);
        let is_plain = |text: &String| !text.contains(['.', '(', '@', '~', '=', '<']);
        let is_known = texts.iter().all(is_plain) && texts.iter().any(|text| text != "_");
        is_known.then(|| format!("<{}>", texts.join(",")))
    }

    /// Returns the type of a list by its elements, if they agree.
    fn array_type(self, node: Node<'_>, depth: usize) -> Option<String> {
        let below = depth.checked_sub(1)?;
        let mut agreed: Option<Cow<'t, str>> = None;
        for element in named_children(node).filter(|n| n.kind() != "comment").take(ELEMENTS) {
            let ty = match element.kind() {
                "array" => Cow::from(self.array_type(element, below)?),
                "identifier" | "member_expression" => Cow::from(format!("={}", self.dotted_path(element)?)),
                "new_expression" => self.made_type(element)?,
                "as_expression" => self.annotation_type(element.named_child(1)?)?,
                kind => Cow::from(literal_type(kind)?),
            };
            if ty == THIS || agreed.as_ref().is_some_and(|known| *known != ty) {
                return None;
            }
            agreed = Some(ty);
        }
        agreed.map(|ty| format!("[]{ty}")).filter(|ty| ty.len() <= LONGEST)
    }

    /// Returns the path of an expression: names, members and calls.
    pub(super) fn path(self, node: Node<'_>, depth: usize) -> Option<String> {
        let below = depth.checked_sub(1)?;
        let inner = |child: Option<Node<'_>>| child.and_then(|child| self.path(child, below));
        match node.kind() {
            "identifier" | "this" => Some(text(self.source, node).to_owned()),
            "call_expression" => {
                let function = node.child_by_field_id(self.fields.function)?;
                if function.kind() == "import" {
                    return super::Ecma::loaded_module(node, self.source).map(|module| format!("!{module}!"));
                }
                if function.kind() == "parenthesized_expression"
                    && let Some(called) = function.named_child(0).filter(|called| is_function(*called))
                {
                    // A function that is called where it is written returns the declared type.
                    let result = self.annotation_type(called.child_by_field_id(self.fields.return_type)?)?;
                    return Some(format!("{result}~")).filter(|_| result != THIS && !result.starts_with('='));
                }
                let function = inner(Some(function))?;
                let given = node.child_by_field_id(self.fields.type_arguments);
                let given = given.and_then(|given| self.plain_arguments(given)).unwrap_or_default();
                Some(format!("{function}{given}()"))
            }
            "member_expression" => {
                let name = node.child_by_field_id(self.fields.property)?;
                let object = inner(node.child_by_field_id(self.fields.object))?;
                Some(format!("{object}.{}", text(self.source, name)))
            }
            "subscript_expression" => {
                let object = inner(node.child_by_field_id(self.fields.object))?;
                let index = node.child_by_field_id(self.fields.index)?;
                match self.string_text(index) {
                    Some(name) if is_plain_name(name) => Some(format!("{object}.{name}")),
                    Some(_) => None,
                    None if index.kind() == "number" => {
                        Some(format!("{object}.[{}]", text(self.source, index)))
                    }
                    None => Some(format!("{object}.[]")),
                }
            }
            "array" => self.array_type(node, LISTS).map(|list| format!("{list}~")),
            "await_expression" | "non_null_expression" | "satisfies_expression" => inner(node.named_child(0)),
            "parenthesized_expression" => inner(node.named_child(0)),
            "new_expression" => {
                let constructor = self.dotted_path(node.child_by_field_id(self.fields.constructor)?)?;
                Some(format!("{constructor}()"))
            }
            "as_expression" => {
                let ty = self.annotation_type(node.named_child(1)?)?;
                (ty != THIS).then(|| format!("{ty}()"))
            }
            _ => None,
        }
    }

    /// Returns the type that an annotation names: `Foo`, `Foo | null` and `Readonly<Foo>` all give `Foo`.
    pub(super) fn annotation_type(self, node: Node<'_>) -> TypeName<'t> {
        let mut at = node;
        for _ in 0..DEPTH {
            match at.kind() {
                "type_annotation" | "parenthesized_type" | "readonly_type" | "optional_type" => {
                    at = at.named_child(0)?;
                }
                "type_identifier" | "nested_type_identifier" | "identifier" => return self.dotted_path(at),
                "generic_type" => {
                    let name = self.dotted_path(at.child_by_field_id(self.fields.name)?)?;
                    let arguments = at.child_by_field_id(self.fields.type_arguments);
                    match generic_kind(&name) {
                        GenericKind::Itself => at = arguments?.named_child(0)?,
                        GenericKind::List => return self.holder("[]", arguments?.named_child(0)),
                        GenericKind::Map => return self.holder("{}", arguments?.named_child(1)),
                        GenericKind::Result => return self.queried(arguments?.named_child(0)?, "()"),
                        GenericKind::Other => return Some(self.with_arguments(name, arguments)),
                    }
                }
                "type_query" => return self.queried(at, ""),
                "lookup_type" => return self.looked_up(at),
                "union_type" => {
                    let (a, b) = (at.named_child(0)?, at.named_child(1)?);
                    at = match (self.is_nothing(a), self.is_nothing(b)) {
                        (false, true) => a,
                        (true, false) => b,
                        _ => return None,
                    };
                }
                "array_type" => return self.holder("[]", at.named_child(0)),
                "tuple_type" => return Some(self.tuple(at)),
                "predefined_type" => return predefined_type(text(self.source, at)).map(Cow::from),
                "object_type" => return self.indexed(at),
                "this_type" => return Some(THIS.into()),
                "function_type" => return Some("Function".into()),
                _ => return None,
            }
        }
        None
    }

    /// Returns the type of a list of values of a type, or of a map to them; `Array` if that type is unknown.
    fn holder(self, sign: &str, held: Option<Node<'_>>) -> TypeName<'t> {
        let inner = self.inner()?;
        let held = held.and_then(|held| inner.annotation_type(held)).filter(|held| held != THIS);
        Some(held.map_or(Cow::from("Array"), |held| format!("{sign}{held}").into()))
    }

    fn is_nothing(self, ty: Node<'_>) -> bool {
        ty.kind() == "literal_type" && matches!(text(self.source, ty), "null" | "undefined")
    }

    /// Returns the text between the quotes of a string; `None` for other nodes.
    pub(super) fn string_text(self, node: Node<'_>) -> Option<&'t str> {
        let text = text(self.source, node);
        let is_string = matches!(node.kind(), "string" | "template_string");
        (is_string && text.len() >= 2).then(|| text.get(1..text.len() - 1)).flatten()
    }
}

/// The meaning of one of the library's generic types.
pub(super) enum GenericKind {
    /// Its first argument, or the result of awaiting it: types are read as if everything had been awaited.
    Itself,
    List,
    Map,
    /// The result of a call of the queried function, or the object that the queried class makes.
    Result,
    Other,
}

pub(super) fn generic_kind(name: &str) -> GenericKind {
    match name {
        "Readonly" | "Partial" | "Required" | "NonNullable" | "Promise" | "PromiseLike" | "Awaited"
        | "Pick" | "Omit" => GenericKind::Itself,
        "ReturnType" | "InstanceType" => GenericKind::Result,
        "Array"
        | "ReadonlyArray"
        | "Set"
        | "ReadonlySet"
        | "Iterable"
        | "AsyncIterable"
        | "Iterator"
        | "IterableIterator"
        | "AsyncIterableIterator"
        | "Generator"
        | "AsyncGenerator" => GenericKind::List,
        "Map" | "ReadonlyMap" | "WeakMap" | "Record" => GenericKind::Map,
        _ => GenericKind::Other,
    }
}

fn is_function(node: Node<'_>) -> bool {
    matches!(node.kind(), "arrow_function" | "function_expression")
}

fn is_plain_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$')
}

fn literal_type(kind: &str) -> Option<&'static str> {
    match kind {
        "string" | "template_string" => Some("String"),
        "number" => Some("Number"),
        "array" => Some("Array"),
        "regex" => Some("RegExp"),
        "true" | "false" => Some("Boolean"),
        "arrow_function" | "function_expression" | "generator_function" => Some("Function"),
        _ => None,
    }
}

pub(super) fn predefined_type(name: &str) -> Option<&'static str> {
    match name {
        "string" => Some("String"),
        "number" => Some("Number"),
        "boolean" => Some("Boolean"),
        "symbol" => Some("Symbol"),
        _ => None,
    }
}
