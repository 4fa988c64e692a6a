//! Decides whether the arguments of a call fit the parameters of a signature, by their number.
//!
//! It compares characters and brackets, in every language alike; it makes no claim about a signature or a
//! call that it cannot read.

use crate::scanner::quoted_length;

/// The words for the object itself among the parameters of a method.
const RECEIVERS: [&str; 7] = ["self", "&self", "&mut self", "mut self", "cls", "this", "&'a self"];

/// Endings of files in whose language any call may pass more or fewer arguments than the signature has
/// parameters.
const LENIENT: [&str; 7] = ["js", "jsx", "mjs", "cjs", "lua", "vue", "svelte"];

/// Returns true if calls of a function in the file at `path` must pass the arguments of its signature.
#[must_use]
pub fn counts_arguments(path: &str) -> bool {
    path.rsplit('.').next().is_none_or(|ending| !LENIENT.contains(&ending))
}

/// The number of arguments that a callable takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arity {
    /// The number of arguments that every call passes.
    pub least: usize,
    /// The highest number of arguments that a call may pass; `None` if there is no limit.
    pub most: Option<usize>,
}

impl Arity {
    /// Reads the parameters behind `name` in a signature; `None` if it has no parameter list.
    #[must_use]
    pub fn of_signature(signature: &str, name: &str) -> Option<Self> {
        let open = parameters_at(signature, name)?;
        let parameters = split_list(&signature[open..])?;
        let (mut least, mut most) = (0, Some(0));
        for parameter in parameters.iter().filter(|text| !is_no_parameter(text)) {
            if is_rest(parameter) {
                most = None;
            } else {
                most = most.map(|most| most + 1);
                least += usize::from(!is_optional(parameter));
            }
        }
        Some(Self { least, most })
    }

    /// Returns true if a call may pass `count` arguments.
    #[must_use]
    pub fn takes(&self, count: usize) -> bool {
        count >= self.least && self.most.is_none_or(|most| count <= most)
    }
}

/// Returns the start of the parameter list: behind the name and its type parameters, or behind the value
/// assigned to the name.
fn parameters_at(signature: &str, name: &str) -> Option<usize> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let ends = signature.match_indices(name).filter_map(|(at, _)| {
        let end = at + name.len();
        let is_whole = !signature[..at].ends_with(is_word) && !signature[end..].starts_with(is_word);
        is_whole.then_some(end)
    });
    ends.into_iter().find_map(|end| {
        let rest = &signature[end..];
        let open = match rest.trim_start().chars().next()? {
            '(' => rest.find('(')?,
            '<' => type_parameters_end(rest)?,
            '=' | ':' => rest.find('(')?,
            _ => return None,
        };
        rest[open..].starts_with('(').then_some(end + open)
    })
}

/// Returns the end of the type parameters at the beginning of a text.
fn type_parameters_end(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' if !text[..at].ends_with(['-', '=']) => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 && c == '>' {
            return Some(at + 1);
        }
    }
    None
}

/// Returns true if a part of the list is the object itself, or only a separator between parameters.
fn is_no_parameter(text: &str) -> bool {
    let word = text.split([':', ' ']).next().unwrap_or_default();
    RECEIVERS.contains(&text) || ["self", "cls", "this"].contains(&word) || ["*", "/", "void"].contains(&text)
}

fn is_rest(text: &str) -> bool {
    text.starts_with('*') && !text.starts_with("*const") && !text.starts_with("*mut")
        || text.contains("...")
        || text.starts_with("vararg ")
        || text.starts_with("params ")
        || text.starts_with('&') && text[1..].starts_with(|c: char| c.is_lowercase()) && !text.contains(':')
}

fn is_optional(text: &str) -> bool {
    let plain = text.replace("=>", "").replace("==", "");
    plain.contains('=') || text.split(':').next().is_some_and(|name| name.trim_end().ends_with('?'))
}

/// Counts the arguments of each call of `name` that begins on the first line of `text`; `None` for a call
/// whose arguments cannot be counted: a spread list, a block behind the call, an unclosed list.
#[must_use]
pub fn count_arguments(text: &str, name: &str) -> Vec<Option<usize>> {
    let first_line = text.find('\n').unwrap_or(text.len());
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let places = text.match_indices(name).map(|(at, _)| at).take_while(|at| *at < first_line);
    let calls = places.filter(|at| {
        !text[..*at].ends_with(is_word)
            && text[at + name.len()..].starts_with('(')
            && !is_definition(&text[..*at])
    });
    calls.map(|at| arguments_at(&text[at + name.len()..])).collect()
}

/// Returns true if the words before a name make it a definition.
fn is_definition(before: &str) -> bool {
    let word = before.trim_end().rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    ["def", "fn", "func", "function", "fun", "sub"].contains(&word)
}

fn arguments_at(text: &str) -> Option<usize> {
    let parts = split_list(text)?;
    let (length, _) = walk_list(text)?;
    let behind = text[length..].trim_start_matches([' ', '\t']);
    let has_block = behind.starts_with('{') || behind.starts_with("do ") || behind.starts_with("do\n");
    (!has_block && !parts.iter().any(|part| is_spread(part))).then_some(parts.len())
}

fn is_spread(part: &str) -> bool {
    part.starts_with('*') || part.contains("...") || part.starts_with("&:")
}

/// Splits the bracketed list at the beginning of a text into its parts, trimmed; `None` if there is no list
/// or it is not closed.
fn split_list(text: &str) -> Option<Vec<&str>> {
    let (length, commas) = walk_list(text)?;
    let mut parts = Vec::new();
    let mut from = 1;
    for at in commas.into_iter().chain([length - 1]) {
        parts.push(text[from..at].trim());
        from = at + 1;
    }
    parts.retain(|part| !part.is_empty());
    Some(parts)
}

/// Returns the length of the list and the places of its commas.
fn walk_list(text: &str) -> Option<(usize, Vec<usize>)> {
    if !text.starts_with('(') {
        return None;
    }
    let (mut open, mut commas, mut at) = (Vec::new(), Vec::new(), 0);
    while let Some(first) = text[at..].chars().next() {
        match first {
            '(' | '[' | '{' => open.push(first),
            '<' if is_type_bracket(&text[at..]) => open.push(first),
            '>' if open.last() == Some(&'<') && !text[..at].ends_with(['-', '=']) => drop(open.pop()),
            ')' | ']' | '}' => drop(open.pop()),
            ',' if open.len() == 1 => commas.push(at),
            _ => {}
        }
        at += quoted_length(&text[at..], first).unwrap_or(first.len_utf8());
        if open.is_empty() {
            return Some((at, commas));
        }
    }
    None
}

/// Returns true if `<` begins type arguments: up to the next `>` there are only names, separators and nested
/// type arguments.
fn is_type_bracket(text: &str) -> bool {
    let inner = text[1..].split('>').next().unwrap_or_default();
    text.contains('>')
        && inner.chars().all(|c| c.is_alphanumeric() || "_, .:&'?[]<*|".contains(c))
        && !inner.starts_with(' ')
}
