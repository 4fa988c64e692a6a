//! Checks the arguments of a call against its tool.
//!
//! The result has canonical names, defaults filled in and numbers within their ranges; handlers see nothing
//! else. A number out of range is clamped with a warning; an invalid value is refused with the argument, the
//! expected value and the nearest known name. Texts, lists and objects have a maximum length, so that no
//! handler has to consider a path of a megabyte.

use serde_json::{Map, Value};

use super::{ArgDef, ArgType, Default, ToolDef, same_name};
use crate::error::ToolError;

/// The arguments of a call that passed the check.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// The arguments, with canonical names and defaults filled in.
    pub args: Map<String, Value>,
    /// One warning for each argument that was adjusted.
    pub warnings: Vec<String>,
}

/// Length of the longest path, in bytes, as the system accepts it.
const PATH: usize = if cfg!(windows) { 32_767 } else { 4_096 };
/// Longest text that is neither a path nor source, in bytes.
const TEXT: usize = 64 << 10;
/// Length of the longest pattern, in bytes: the engines accept less, and report that.
const PATTERN: usize = 1 << 20;
/// Length of the longest question in words, in bytes: a whole issue with its traceback may be one.
const QUESTION: usize = 1 << 20;
/// Longest source, in bytes.
const SOURCE: usize = 8 << 20;
/// Most items of a list, and most bytes of all of them.
const LIST: (usize, usize) = (100_000, 4 << 20);

/// Returns the length of the longest text that an argument accepts, in bytes.
fn longest_text(arg: &ArgDef) -> usize {
    match arg.name {
        "root" | "file" | "folder" | "path_prefix" | "pathPrefix" | "place" | "globs_from" | "after_path"
        | "fileFilter" | "glob" | "globs" | "paths" => PATH,
        "pattern" | "patterns" => PATTERN,
        "query" | "subject" => QUESTION,
        // A change may be a whole diff.
        "source" | "old" | "new" | "replacement" | "rewrite" | "change" => SOURCE,
        _ => TEXT,
    }
}

fn too_long(arg: &ArgDef, limit: usize, what: &str, given: usize) -> ToolError {
    let message = format!("`{}` takes at most {limit} {what}; it was given {given}", arg.name);
    ToolError::bad_args(message).hint(arg.description)
}

/// Checks `given` against `tool`.
///
/// # Errors
/// `BAD_ARGS`, with the argument.
pub fn check_args(tool: &ToolDef, given: &Map<String, Value>) -> Result<Checked, ToolError> {
    let mut checked = Checked { args: Map::new(), warnings: Vec::new() };
    for (name, value) in given {
        let arg = tool
            .accepted_args()
            .find(|arg| same_name(arg.name, name))
            .ok_or_else(|| unknown_arg_error(tool, name))?;
        if checked.args.contains_key(arg.name) {
            return Err(ToolError::bad_args(format!("`{}` is given twice", arg.name)).hint("Give it once."));
        }
        if !value.is_null() {
            let value = check_value(arg, value, &mut checked.warnings)?;
            checked.args.insert(arg.name.to_owned(), value);
        }
    }
    for arg in tool.accepted_args() {
        if checked.args.contains_key(arg.name) {
            continue;
        }
        match default(arg) {
            Ok(Some(value)) => drop(checked.args.insert(arg.name.to_owned(), value)),
            Ok(None) => {}
            Err(()) => return Err(missing_arg_error(tool, arg)),
        }
    }
    Ok(checked)
}

fn default(arg: &ArgDef) -> Result<Option<Value>, ()> {
    match arg.default {
        Default::Required => Err(()),
        Default::None | Default::Expected => Ok(None),
        Default::Int(n) => Ok(Some(n.into())),
        Default::Str(s) => Ok(Some(s.into())),
        Default::Bool(b) => Ok(Some(b.into())),
    }
}

fn check_value(arg: &ArgDef, value: &Value, warnings: &mut Vec<String>) -> Result<Value, ToolError> {
    match arg.ty {
        ArgType::Str { min } => check_string(arg, value, min),
        ArgType::Int { min, max } => check_integer(arg, value, (min, max), warnings),
        ArgType::IntOrAll { max, .. }
            if value.as_str().is_some_and(|word| word.eq_ignore_ascii_case("all")) =>
        {
            Ok(max.into())
        }
        ArgType::IntOrAll { min, max } => check_integer(arg, value, (min, max), warnings),
        ArgType::Bool => value.as_bool().map(Value::Bool).ok_or_else(|| wrong_type_error(arg, value)),
        ArgType::Object if value.is_object() => match size(value) {
            bytes if bytes > TEXT => Err(too_long(arg, TEXT, "bytes", bytes)),
            _ => Ok(value.clone()),
        },
        ArgType::Object => Err(wrong_type_error(arg, value)),
        ArgType::Enum(words) => check_word(arg, value, words),
        ArgType::StrList => list(arg, value, |item| check_string(arg, item, 1)),
        ArgType::EnumList(words) => list(arg, value, |item| check_word(arg, item, words)),
    }
}

fn check_string(arg: &ArgDef, value: &Value, min: usize) -> Result<Value, ToolError> {
    let text = value.as_str().ok_or_else(|| wrong_type_error(arg, value))?;
    if text.len() > longest_text(arg) {
        return Err(too_long(arg, longest_text(arg), "bytes", text.len()));
    }
    if text.chars().take(min).count() < min {
        let plural = if min == 1 { "" } else { "s" };
        let message = format!("`{}` needs at least {min} character{plural}", arg.name);
        return Err(ToolError::bad_args(message).hint(arg.description));
    }
    Ok(text.into())
}

fn check_integer(
    arg: &ArgDef,
    value: &Value,
    range: (i64, i64),
    warnings: &mut Vec<String>,
) -> Result<Value, ToolError> {
    let n = match value {
        Value::Number(n) => n.as_i64().or_else(|| to_whole_number(n.as_f64()?)),
        _ => None,
    };
    let n = n.ok_or_else(|| wrong_type_error(arg, value))?;
    let clamped = n.clamp(range.0, range.1);
    if clamped != n {
        warnings.push(format!(
            "{} was {n}; the range is {} to {}, so {clamped} was used.",
            arg.name, range.0, range.1
        ));
    }
    Ok(clamped.into())
}

/// Converts a float to an integer: some clients write every number as a float, and some write numbers beyond
/// every integer.
fn to_whole_number(n: f64) -> Option<i64> {
    #[allow(
        clippy::cast_possible_truncation,
        reason = "`as` saturates, and saturated values are clamped with a warning"
    )]
    (n.fract() == 0.0).then_some(n as i64)
}

fn check_word(arg: &ArgDef, value: &Value, words: &'static [&'static str]) -> Result<Value, ToolError> {
    let text = value.as_str().ok_or_else(|| wrong_type_error(arg, value))?;
    if let Some(word) = words.iter().find(|word| word.eq_ignore_ascii_case(text)) {
        return Ok((*word).into());
    }
    let error = ToolError::bad_args(format!(
        "`{}` cannot be `{}`; expected {}",
        arg.name,
        shorten_text(text),
        expected_value(arg)
    ));
    Err(match nearest_name(text, words.iter().copied()) {
        Some(near) => error.hint(format!("Did you mean `{near}`?")),
        None => error,
    })
}

fn list(
    arg: &ArgDef,
    value: &Value,
    mut item: impl FnMut(&Value) -> Result<Value, ToolError>,
) -> Result<Value, ToolError> {
    match value {
        Value::Array(items) if items.len() > LIST.0 => Err(too_long(arg, LIST.0, "items", items.len())),
        Value::Array(_) if size(value) > LIST.1 => Err(too_long(arg, LIST.1, "bytes", size(value))),
        Value::Array(items) => items.iter().map(&mut item).collect::<Result<Vec<_>, _>>().map(Value::Array),
        Value::String(_) => Ok(Value::Array(vec![item(value)?])),
        _ => Err(wrong_type_error(arg, value)),
    }
}

/// Returns the approximate size of a value's text, in bytes.
fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + 3,
        Value::Array(items) => items.iter().map(|item| size(item) + 1).sum(),
        Value::Object(parts) => parts.iter().map(|(name, part)| name.len() + size(part) + 4).sum(),
        _ => 4,
    }
}

fn expected_value(arg: &ArgDef) -> String {
    match arg.ty {
        ArgType::Str { .. } => "a string".into(),
        ArgType::Int { min, max: i64::MAX } => format!("an integer from {min}"),
        ArgType::Int { min, max } => format!("an integer from {min} to {max}"),
        ArgType::IntOrAll { min, max } => format!("an integer from {min} to {max}, or \"all\""),
        ArgType::Bool => "true or false".into(),
        ArgType::Object => "an object".into(),
        ArgType::Enum(words) => format!("one of {}", words.join(", ")),
        ArgType::StrList => "a string or a list of strings".into(),
        ArgType::EnumList(words) => format!("a list of {}", words.join(", ")),
    }
}

fn wrong_type_error(arg: &ArgDef, value: &Value) -> ToolError {
    let got = match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    ToolError::bad_args(format!("`{}` must be {}, not {got}", arg.name, expected_value(arg)))
        .hint(arg.description)
}

fn missing_arg_error(tool: &ToolDef, arg: &ArgDef) -> ToolError {
    ToolError::bad_args(format!("`{}` needs `{}`: {}", tool.name, arg.name, expected_value(arg)))
        .hint(arg.description)
}

fn unknown_arg_error(tool: &ToolDef, name: &str) -> ToolError {
    let names: Vec<_> = tool.all_args().map(|arg| arg.name).collect();
    let error = ToolError::bad_args(format!("`{}` has no argument `{}`", tool.name, shorten_text(name)));
    if let Some((_, told)) = tool.elsewhere.iter().find(|(other, _)| same_name(other, name)) {
        return ToolError::bad_args(format!("{}. {told}", error.message)).hint(*told);
    }
    match nearest_name(name, tool.accepted_args().map(|arg| arg.name)) {
        Some(near) => error.hint(format!("Did you mean `{near}`? It takes {}.", names.join(", "))),
        None => error.hint(format!("It takes {}.", names.join(", "))),
    }
}

fn shorten_text(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text.to_owned(),
    }
}

/// Returns the known name closest to `name`: fewest single-character edits (Levenshtein), at most a third of
/// its length.
pub fn nearest_name<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name: Vec<char> = name.chars().take(64).flat_map(char::to_lowercase).collect();
    known
        .map(|candidate| {
            (edit_distance(&name, &candidate.to_lowercase().chars().collect::<Vec<_>>()), candidate)
        })
        .filter(|(distance, candidate)| *distance <= candidate.chars().count().max(3) / 3 + 1)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

fn edit_distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substitute = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substitute.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::error::ErrorCode;
    use crate::tools::map::SEARCH;

    #[test]
    fn everything_has_a_longest() {
        use crate::tools::TOOLS;
        let long = "a/".repeat(SOURCE);
        for tool in TOOLS {
            for arg in tool.accepted_args() {
                let value = match arg.ty {
                    ArgType::Str { .. } => json!(long),
                    ArgType::StrList => json!([long]),
                    ArgType::Object => json!({"x": [long]}),
                    _ => continue,
                };
                let args = Map::from_iter([(arg.name.to_owned(), value)]);
                let error = check_args(tool, &args).expect_err("too long");
                let said = error.message.contains(&format!("`{}` takes at most", arg.name));
                assert!(
                    said && error.code == ErrorCode::BadArgs,
                    "{}.{}: {}",
                    tool.name,
                    arg.name,
                    error.message
                );
            }
        }
        let error = check(json!({"query": "ab", "path_prefix": "a/".repeat(PATH)})).expect_err("too long");
        assert!(error.message.contains(&format!("at most {PATH} bytes")), "{}", error.message);
    }

    fn check(args: Value) -> Result<Checked, ToolError> {
        check_args(&SEARCH, args.as_object().expect("an object"))
    }

    #[test]
    fn an_argument_of_another_tool_names_that_tool() {
        let args = json!({"action": "apply"});
        let error = check_args(&crate::tools::resolve::RESOLVE, args.as_object().expect("an object"))
            .expect_err("it is no argument of resolve");
        assert_eq!(error.code, ErrorCode::BadArgs);
        assert!(error.message.contains("`resolve_action`"), "{}", error.message);
    }

    #[test]
    fn either_case_is_taken_and_defaults_filled_in() {
        let checked = check(json!({"query": "ab", "path_prefix": "src", "token_budget": 500})).expect("good");
        assert_eq!((&checked.args["pathPrefix"], &checked.args["query"]), (&json!("src"), &json!(["ab"])));
        assert_eq!(checked.args["tokenBudget"], 500);
        assert_eq!(checked.args["limit"], 20);
        assert_eq!(checked.args["fresh"], true);
        assert!(checked.warnings.is_empty());
    }

    #[test]
    fn out_of_range_is_clamped_with_a_warning() {
        let checked = check(json!({"query": "ab", "limit": 5000.0})).expect("good");
        assert_eq!(checked.args["limit"], 100);
        assert!(checked.warnings[0].contains("limit was 5000"), "{:?}", checked.warnings);
        assert!(check(json!({"query": "ab", "limit": 1e300})).expect("good").args["limit"] == 100);
    }

    #[test]
    fn mistakes_are_named() {
        let bad = [
            (json!({"query": [""]}), "at least 1 character"),
            (json!({"query": 7}), "must be a string or a list of strings, not a number"),
            (json!({"query": "ab", "limit": "x"}), "must be an integer from 1 to 100"),
            (json!({"query": "ab", "limit": 1.5}), "must be an integer"),
            (json!({"query": "ab", "kind": "klass"}), "cannot be `klass`"),
            (json!({"query": "ab", "pathprefix_": "a", "pathPrefix": "b"}), "given twice"),
        ];
        for (args, expected) in bad {
            let error = check(args).expect_err(expected);
            assert_eq!(error.code, ErrorCode::BadArgs);
            assert!(error.message.contains(expected), "{}", error.message);
        }
        let error = check_args(&crate::tools::map::NEIGHBORS, &Map::new()).expect_err("nothing given");
        assert!(error.message.contains("needs `nodeId`"), "{}", error.message);
        let error = check(json!({"query": "ab", "limt": 3})).expect_err("misspelt");
        assert!(error.hint.contains("Did you mean `limit`"), "{}", error.hint);
    }
}
