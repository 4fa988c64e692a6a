//! Reads the arguments of a call from its tree, for languages with overloads: their number, and the kind of each.
//!
//! Grammars of the C family name literals alike, so one reader serves them all. An argument that is no literal,
//! creation, cast or local of a known type is unknown: resolution then leaves open which overload is meant, which is
//! better than a guess.

use super::each_child;
use crate::facts::{ArgumentKind, Arguments, CallArguments};
use crate::langs::lang::Lang;
use crate::syntax::Node;
use crate::walk::{Binding, Cx};

/// The classes of numbers, characters and truth values of Java, and its plain types that are converted to `int`.
const BOXED: [&str; 10] =
    ["Boolean", "Integer", "Long", "Float", "Double", "Character", "Short", "Byte", "short", "byte"];

/// Most brackets and casts around an argument that are looked through.
const DEEP: usize = 8;

/// Records the arguments in `list` for the call whose name is `name`; `more` are those that stand outside the list, as a block
/// after it does.
pub(crate) fn record_arguments(name: Node<'_>, list: Option<Node<'_>>, more: usize, cx: &mut Cx<'_>) {
    let mut kinds = Vec::new();
    let mut told = true;
    if let Some(list) = list {
        each_child(list, |child, _| match child.kind() {
            _ if !child.is_named() || child.is_extra() => {}
            "spread_argument" | "spread_element" | "spread_expression" | "parameter_pack_expansion" => {
                told = false;
            }
            _ => kinds.push(argument_kind(child, DEEP, cx)),
        });
    }
    kinds.extend((0..more).map(|_| ArgumentKind::Function));
    let Some(arguments) = Arguments::from_kinds(&kinds).filter(|_| told) else { return };
    let (line, col) = cx.position(name);
    cx.facts.add_call_arguments(CallArguments { line, col, arguments });
}

fn argument_kind(node: Node<'_>, deep: usize, cx: &mut Cx<'_>) -> ArgumentKind {
    use ArgumentKind::{Bool, Unknown};
    if deep == 0 {
        return Unknown;
    }
    if let Some(kind) = literal_kind(node, cx) {
        return kind;
    }
    match node.kind() {
        "argument" | "value_argument" | "parenthesized_expression" => {
            // With a name before it, an argument may stand anywhere.
            match node.named_child_count() {
                1 => node.named_child(0).map_or(Unknown, |inner| argument_kind(inner, deep - 1, cx)),
                _ => Unknown,
            }
        }
        "cast_expression" => node
            .child_by_field_name("type")
            .map_or(Unknown, |ty| kind_of_name(cx.text(ty), cx).unwrap_or(Unknown)),
        "object_creation_expression" => node
            .child_by_field_name("type")
            .map_or(Unknown, |ty| kind_of_name(cx.text(ty), cx).unwrap_or(Unknown)),
        "identifier" | "simple_identifier" => local_kind(node, cx),
        "unary_expression" | "prefix_unary_expression" | "prefix_expression" => {
            let inner = node.named_child(node.named_child_count().saturating_sub(1) as u32);
            match cx.text(node).as_bytes().first() {
                Some(b'!') => Bool,
                Some(b'-' | b'+') => {
                    promoted_kind(inner.map_or(Unknown, |inner| argument_kind(inner, deep - 1, cx)))
                }
                _ => Unknown,
            }
        }
        "equality_expression"
        | "comparison_expression"
        | "conjunction_expression"
        | "disjunction_expression" => Bool,
        "binary_expression" | "additive_expression" => binary_kind(node, deep, cx),
        "ternary_expression" | "conditional_expression" => branches_kind(node, deep, cx),
        "method_invocation" => {
            node.child_by_field_name("name").map_or(Unknown, |name| kind_of_result(cx.text(name)))
        }
        _ => Unknown,
    }
}

/// Returns the kind of an argument whose node kind alone tells it.
fn literal_kind(node: Node<'_>, cx: &Cx<'_>) -> Option<ArgumentKind> {
    Some(match node.kind() {
        "decimal_integer_literal"
        | "hex_integer_literal"
        | "octal_integer_literal"
        | "binary_integer_literal"
        | "integer_literal"
        | "hex_literal"
        | "bin_literal"
        | "long_literal"
        | "number_literal"
        | "decimal_floating_point_literal"
        | "hex_floating_point_literal"
        | "real_literal" => number_kind(cx.text(node)),
        "string_literal"
        | "text_block"
        | "raw_string_literal"
        | "concatenated_string"
        | "verbatim_string_literal"
        | "interpolated_string_expression"
        | "line_string_literal"
        | "multi_line_string_literal" => ArgumentKind::Text,
        "character_literal" | "char_literal" => ArgumentKind::Char,
        "true" | "false" | "boolean_literal" | "instanceof_expression" => ArgumentKind::Bool,
        "null_literal" | "null" | "nullptr" => ArgumentKind::Null,
        "lambda_expression"
        | "method_reference"
        | "lambda_literal"
        | "anonymous_function"
        | "anonymous_method_expression"
        | "callable_reference" => ArgumentKind::Function,
        "array_creation_expression" | "array_initializer" | "implicit_array_creation_expression" => {
            ArgumentKind::Array
        }
        "this" | "class_literal" | "new_expression" => ArgumentKind::Object,
        _ => return None,
    })
}

/// Returns the kind of a local by the type that it was declared with.
fn local_kind(name: Node<'_>, cx: &mut Cx<'_>) -> ArgumentKind {
    let Some(Binding::Typed(ty)) = cx.local_binding(cx.text(name)) else { return ArgumentKind::Unknown };
    kind_of_name(cx.facts.provisional_name(ty), cx).unwrap_or(ArgumentKind::Unknown)
}

/// Returns the kind of the values of a type; none for Java's boxed ones, which stand for what is in them and for
/// objects.
fn kind_of_name(ty: &str, cx: &Cx<'_>) -> Option<ArgumentKind> {
    let is_boxed = BOXED.contains(&ty) && cx.facts.lang() == Lang::Java;
    kind_of_type(ty).filter(|_| !is_boxed)
}

/// Returns the kind of both branches of a condition; null is of any kind.
fn branches_kind(node: Node<'_>, deep: usize, cx: &mut Cx<'_>) -> ArgumentKind {
    let count = node.named_child_count();
    let mut branch = |back: usize| {
        let branch = node.named_child(count.saturating_sub(back) as u32);
        branch.map_or(ArgumentKind::Unknown, |branch| argument_kind(branch, deep - 1, cx))
    };
    match (branch(2), branch(1)) {
        (ArgumentKind::Null, kind) | (kind, ArgumentKind::Null) if !is_plain(kind) => kind,
        (yes, no) if yes == no => yes,
        _ => ArgumentKind::Unknown,
    }
}

/// Returns the kind of an operation's result, where the operator or its sides show it.
fn binary_kind(node: Node<'_>, deep: usize, cx: &mut Cx<'_>) -> ArgumentKind {
    use ArgumentKind::{Bool, Text, Unknown};
    let count = node.child_count();
    let operator = node.child_by_field_name("operator").or_else(|| node.child(1));
    match operator.map_or("", |operator| cx.text(operator)) {
        "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||" => Bool,
        "+" => {
            let mut side = |at: u32| node.child(at).map_or(Unknown, |side| argument_kind(side, deep - 1, cx));
            match (side(0), side(count.saturating_sub(1))) {
                (Text, _) | (_, Text) => Text,
                (one, other) if one == other => promoted_kind(one),
                _ => Unknown,
            }
        }
        _ => Unknown,
    }
}

/// Returns true for numbers, characters and truth values.
fn is_plain(kind: ArgumentKind) -> bool {
    use ArgumentKind::{Bool, Char, Double, Float, Int, Long};
    matches!(kind, Int | Long | Float | Double | Char | Bool)
}

/// Returns the kind of the results of arithmetic on values of a kind: characters become numbers.
fn promoted_kind(kind: ArgumentKind) -> ArgumentKind {
    if kind == ArgumentKind::Char { ArgumentKind::Int } else { kind }
}

/// Returns the kind of the results of methods with this name in Java's library; no class gives them another meaning.
fn kind_of_result(name: &str) -> ArgumentKind {
    match name {
        "intValue" => ArgumentKind::Int,
        "longValue" => ArgumentKind::Long,
        "floatValue" => ArgumentKind::Float,
        "doubleValue" => ArgumentKind::Double,
        "booleanValue" => ArgumentKind::Bool,
        "charValue" => ArgumentKind::Char,
        "toString" => ArgumentKind::Text,
        _ => ArgumentKind::Unknown,
    }
}

/// Returns the kind of a number by its suffix and its point.
fn number_kind(text: &str) -> ArgumentKind {
    let is_hex = text.starts_with("0x") || text.starts_with("0X");
    let point = !is_hex && text.contains(['.', 'e', 'E']);
    match text.as_bytes().last() {
        Some(b'l' | b'L') if !point => ArgumentKind::Long,
        Some(b'f' | b'F') if !is_hex => ArgumentKind::Float,
        Some(b'd' | b'D') if !is_hex => ArgumentKind::Double,
        // C#'s `decimal` is an object of its own.
        Some(b'm' | b'M') => ArgumentKind::Object,
        _ if point => ArgumentKind::Double,
        _ => ArgumentKind::Int,
    }
}

/// Returns the kind of the values of a type, as its name is written; `None` for types whose name says nothing about it,
/// as a type parameter's does not.
pub(crate) fn kind_of_type(name: &str) -> Option<ArgumentKind> {
    use ArgumentKind::{Array, Bool, Char, Double, Float, Int, Long, Object, Text};
    let name = name.trim().trim_end_matches('?').trim_end_matches('&').trim();
    let name = name.strip_prefix("const ").unwrap_or(name).trim();
    if name.ends_with(']') {
        return Some(Array);
    }
    let last = name.split(['<', '(']).next().unwrap_or(name).trim();
    let last = last.rsplit(['.', ':', ' ']).next().unwrap_or(last);
    Some(match last {
        "int" | "Int" | "Integer" | "short" | "Short" | "byte" | "Byte" | "sbyte" | "unsigned" | "uint"
        | "ushort" | "Int32" | "int32_t" | "uint32_t" | "int16_t" | "uint16_t" | "int8_t" | "uint8_t" => Int,
        "long" | "Long" | "ulong" | "Int64" | "int64_t" | "uint64_t" | "size_t" => Long,
        "float" | "Float" => Float,
        "double" | "Double" => Double,
        "char" | "Char" | "Character" if !name.ends_with('*') => Char,
        "bool" | "boolean" | "Bool" | "Boolean" => Bool,
        "string" | "String" | "string_view" => Text,
        // `const char *`
        _ if name.ends_with('*') && name.contains("char") => Text,
        _ if last.len() <= 2 || last == "var" || last == "auto" || last == "val" => return None,
        _ => Object,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_types_have_kinds() {
        use ArgumentKind::{Array, Char, Double, Float, Int, Long, Object, Text};
        for (text, kind) in [
            ("1", Int),
            ("0xFF", Int),
            ("1L", Long),
            ("1.5", Double),
            ("1e3", Double),
            ("2f", Float),
            ("3d", Double),
        ] {
            assert_eq!(number_kind(text), kind, "{text}");
        }
        for (text, kind) in [
            ("int", Int),
            ("const char *", Text),
            ("std::string", Text),
            ("const std::string &", Text),
            ("String", Text),
            ("int[]", Array),
            ("Character", Char),
            ("java.util.List<String>", Object),
            ("Int?", Int),
        ] {
            assert_eq!(kind_of_type(text), Some(kind), "{text}");
        }
        assert_eq!(kind_of_type("T"), None, "a type parameter may be anything");
    }
}
