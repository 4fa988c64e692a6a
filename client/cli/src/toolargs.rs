//! Makes the command-line arguments of a tool from its row in the table.
//!
//! `hob call TOOL` and the short verbs differ only in which arguments are positional. Help, completion, spelling
//! aliases and value checks all come from the [`ToolDef`]; nothing here names a tool. Values that only the daemon can
//! check (a path, a pattern) are passed on.

use clap::builder::PossibleValuesParser;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use hob_proto::tools::{ArgDef, ArgType, COMMON, Default, ToolDef, UNLISTED, same_name, scope};
use serde_json::{Map, Value};

/// The id of the positional argument that takes a JSON object.
const JSON: &str = "arguments";

/// Makes a command `name` for `def`, with the arguments in `positionals` as positionals, in this order.
pub(crate) fn tool_command(def: &'static ToolDef, name: &'static str, positionals: &[&str]) -> Command {
    let place = |arg: &ArgDef| positionals.iter().position(|name| *name == arg.name);
    let args = tool_args(def).map(|arg| match place(arg) {
        Some(at) => positional_arg(arg, at + 1),
        None => option_arg(def, arg),
    });
    Command::new(name).about(def.description).args(args).disable_help_subcommand(true)
}

/// Makes a command as [`tool_command`] does, with all arguments as options and a JSON object as the only positional.
pub(crate) fn call_command(def: &'static ToolDef) -> Command {
    let alone =
        needed_text(def).map(|arg| format!("; any other text is --{}", kebab_case(arg))).unwrap_or_default();
    let json = Arg::new(JSON).value_name("JSON").help(format!(
        "The arguments as a JSON object, or - to read it from standard input{alone}; options win over it"
    ));
    tool_command(def, def.name, &[]).arg(json).hide(def.set == hob_proto::tools::ToolSet::Hidden)
}

/// Returns the arguments that were given on the command line.
///
/// # Errors
/// A message for people when the JSON cannot be read.
pub(crate) fn given_args(def: &'static ToolDef, matches: &ArgMatches) -> Result<Map<String, Value>, String> {
    let mut given = match matches.try_get_one::<String>(JSON) {
        Ok(Some(text)) => positional_arguments(def, text)?,
        _ => Map::new(),
    };
    for arg in tool_args(def) {
        if matches.value_source(arg.name) == Some(ValueSource::CommandLine) {
            given.retain(|name, _| !same_name(name, arg.name));
            given.insert(arg.name.to_owned(), value(arg, matches));
        }
    }
    Ok(given)
}

/// Returns the tool's own arguments and the common ones, with older names; `root` is an option of every command.
fn tool_args(def: &'static ToolDef) -> impl Iterator<Item = &'static ArgDef> {
    def.accepted_args().filter(|arg| arg.name != "root")
}

fn positional_arg(arg: &'static ArgDef, index: usize) -> Arg {
    let required = arg.default == Default::Required;
    let place = Arg::new(arg.name).index(index).required(required).help(arg.description);
    let place = with_type(place, arg).value_name(upper_case(arg.name));
    if arg.ty == ArgType::StrList { place.num_args(1..) } else { place }
}

fn option_arg(def: &ToolDef, arg: &'static ArgDef) -> Arg {
    let kebab = leak_name(kebab_case(arg));
    let spellings = [leak_name(name_words(arg.name).join("_")), leak_name(camel_case(arg.name))];
    // What no list has is an older name, but for `in`, which agents learn elsewhere.
    let is_older = arg.name != scope::IN.name && def.unlisted.iter().any(|old| old.name == arg.name);
    let common = COMMON.iter().chain(UNLISTED).any(|common| same_name(common.name, arg.name));
    let option = Arg::new(arg.name)
        .long(kebab)
        .aliases(spellings.into_iter().filter(|alias| *alias != kebab).collect::<Vec<_>>())
        .help(help(def, arg))
        .hide(is_older)
        .help_heading(if common { "Every tool" } else { "This tool" });
    with_type(option, arg)
}

fn with_type(option: Arg, arg: &ArgDef) -> Arg {
    match arg.ty {
        ArgType::Str { .. } => option.value_name("TEXT"),
        ArgType::Object => option.value_name("JSON"),
        ArgType::Int { .. } => {
            option.value_name("N").value_parser(value_parser!(i64)).allow_negative_numbers(true)
        }
        ArgType::IntOrAll { .. } => option.value_name("N|all").allow_negative_numbers(true),
        ArgType::Bool => option
            .value_name("true|false")
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true")
            .value_parser(value_parser!(bool)),
        ArgType::Enum(words) => {
            option.value_name("WORD").value_parser(PossibleValuesParser::new(words)).ignore_case(true)
        }
        ArgType::StrList => option.value_name("TEXT").action(ArgAction::Append),
        ArgType::EnumList(words) => option
            .value_name("WORD")
            .action(ArgAction::Append)
            .value_delimiter(',')
            .value_parser(PossibleValuesParser::new(words))
            .ignore_case(true),
    }
}

fn help(def: &ToolDef, arg: &ArgDef) -> String {
    let mut notes = Vec::new();
    match arg.ty {
        ArgType::Int { min, max } | ArgType::IntOrAll { min, max } if max != i64::MAX => {
            notes.push(format!("{min} to {max}"));
        }
        ArgType::StrList | ArgType::EnumList(_) => notes.push("may be repeated".to_owned()),
        _ => {}
    }
    match arg.default {
        Default::Required => notes.push("required".to_owned()),
        Default::Int(n) => notes.push(format!("default {n}")),
        Default::Str(s) => notes.push(format!("default {s}")),
        Default::Bool(b) => notes.push(format!("default {b}")),
        Default::None if same_name(arg.name, "tokenBudget") => {
            notes.push(format!("in tokens, 100 to {}, default {}", def.max_budget, def.default_budget));
        }
        Default::None | Default::Expected => {}
    }
    if notes.is_empty() {
        arg.description.to_owned()
    } else {
        format!("{} ({})", arg.description, notes.join("; "))
    }
}

fn value(arg: &ArgDef, matches: &ArgMatches) -> Value {
    let strings = || matches.get_many::<String>(arg.name).into_iter().flatten().cloned();
    match arg.ty {
        ArgType::Str { .. } | ArgType::Enum(_) => strings().next().into(),
        ArgType::Int { .. } => matches.get_one::<i64>(arg.name).copied().into(),
        // The daemon refuses any other word.
        ArgType::IntOrAll { .. } => {
            let number = |text: String| text.parse::<i64>().map_or_else(|_| Value::from(text), Value::from);
            strings().next().map(number).into()
        }
        ArgType::Bool => matches.get_one::<bool>(arg.name).copied().into(),
        // The daemon refuses text that is no JSON.
        ArgType::Object => strings()
            .next()
            .map(|text| serde_json::from_str::<Value>(&text).unwrap_or_else(|_| text.into()))
            .into(),
        ArgType::StrList | ArgType::EnumList(_) => strings().collect::<Vec<_>>().into(),
    }
}

/// Reads the argument without a name: an object, or the text that the tool needs.
fn positional_arguments(def: &ToolDef, text: &str) -> Result<Map<String, Value>, String> {
    let is_json = text == "-" || text.trim_start().starts_with(['{', '[']);
    if is_json || text.trim().is_empty() {
        return read_object(text);
    }
    let Some(arg) = needed_text(def) else {
        let texts = def.args.iter().filter(|arg| matches!(arg.ty, ArgType::Str { .. } | ArgType::StrList));
        let names: Vec<String> = texts.map(|arg| format!("--{}", kebab_case(arg))).collect();
        let which = if names.is_empty() {
            "it takes no text".to_owned()
        } else {
            format!("pass {}", names.join(" or "))
        };
        return Err(format!(
            "`{text}` is no JSON object, and {} needs no text that it could be: {which} (hob call {} --help)",
            def.name, def.name
        ));
    };
    let value = if arg.ty == ArgType::StrList { vec![text].into() } else { text.into() };
    Ok(Map::from_iter([(arg.name.to_owned(), value)]))
}

/// Returns the first text that a tool requires, else its query, target or subject.
fn needed_text(def: &ToolDef) -> Option<&ArgDef> {
    let texts = || def.args.iter().filter(|arg| matches!(arg.ty, ArgType::Str { .. } | ArgType::StrList));
    let required = texts().find(|arg| arg.default == Default::Required);
    required.or_else(|| texts().find(|arg| ["query", "target", "subject"].contains(&arg.name)))
}

/// Writes `pathPrefix` or `path_prefix` as an option.
fn kebab_case(arg: &ArgDef) -> String {
    name_words(arg.name).join("-")
}

fn read_object(text: &str) -> Result<Map<String, Value>, String> {
    let text = if text == "-" {
        std::io::read_to_string(std::io::stdin()).map_err(|error| format!("standard input: {error}"))?
    } else {
        text.to_owned()
    };
    match serde_json::from_str(&text) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) => Err("the arguments must be one JSON object, such as '{\"query\": \"x\"}'".to_owned()),
        Err(error) => Err(format!("the arguments are not JSON: {error}")),
    }
}

/// Splits `pathPrefix` or `path_prefix` into `path` and `prefix`.
fn name_words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in name.chars() {
        if c == '_' || c.is_uppercase() {
            words.push(String::new());
        }
        if c != '_'
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
    }
    words
}

fn camel_case(name: &str) -> String {
    let capital = |word: &String| word[..1].to_uppercase() + &word[1..];
    let words = name_words(name);
    words.iter().take(1).cloned().chain(words.iter().skip(1).map(capital)).collect()
}

fn upper_case(name: &str) -> &'static str {
    leak_name(name_words(name).join("_").to_uppercase())
}

/// Leaks a name, because clap wants names that live as long as the program. There are a few dozen, made once.
fn leak_name(name: String) -> &'static str {
    name.leak()
}

#[cfg(test)]
mod tests {
    use hob_proto::tools::{TOOLS, find};
    use serde_json::json;

    use super::*;

    fn parse(tool: &str, args: &[&str]) -> Value {
        let def = find(tool).expect("known");
        let words = [tool].into_iter().chain(args.iter().copied());
        let matches = call_command(def).try_get_matches_from(words).expect("parses");
        given_args(def, &matches).expect("read").into()
    }

    #[test]
    fn every_tool_has_a_consistent_command() {
        for def in TOOLS {
            call_command(def).debug_assert();
        }
    }

    #[test]
    fn three_spellings_are_one_argument() {
        for spelling in ["--path-prefix", "--pathPrefix", "--path_prefix"] {
            assert_eq!(parse("map_search", &["--query", "ab", spelling, "src"])["pathPrefix"], "src");
            assert_eq!(parse("regex_search", &["--pattern", "ab", spelling, "src"])["path_prefix"], "src");
        }
    }

    #[test]
    fn older_names_are_in_no_help_and_in_is() {
        let help = call_command(find("map_search").expect("known")).render_help().to_string();
        assert!(help.contains("--in <TEXT>") && !help.contains("--path-prefix"), "{help}");
    }

    #[test]
    fn types_come_from_the_table() {
        let args =
            ["--node-id", "x", "--edge-kinds", "calls", "--edge-kinds", "Imports,extends", "--depth", "-1"];
        let expected = json!({"nodeId": "x", "edgeKinds": ["calls", "Imports", "extends"], "depth": -1});
        assert_eq!(parse("map_neighbors", &args), expected);
        assert_eq!(parse("map_path", &["--include-references"]), json!({"includeReferences": true}));
        assert_eq!(parse("map_path", &["--include-references=false"]), json!({"includeReferences": false}));
        assert_eq!(parse("map_path", &["--fresh=false"]), json!({"fresh": false}));
    }

    #[test]
    fn options_win_over_json() {
        let given = parse(
            "map_search",
            &[r#"{"query": "ab", "path_prefix": "x", "limit": 3}"#, "--path-prefix", "y"],
        );
        assert_eq!(given, json!({"query": "ab", "limit": 3, "pathPrefix": "y"}));
    }

    #[test]
    fn a_text_alone_is_what_the_tool_needs() {
        assert_eq!(parse("investigate", &["how is it signed"]), json!({"query": "how is it signed"}));
        assert_eq!(parse("map_search", &["404", "--limit", "3"]), json!({"query": ["404"], "limit": 3}));
        assert_eq!(parse("read_symbols", &["A.b"]), json!({"targets": ["A.b"]}));
        let told =
            |tool: &str| positional_arguments(find(tool).expect("known"), "a text").expect_err("refused");
        assert_eq!(parse("resolve", &["the session cookie"]), json!({"subject": "the session cookie"}));
        assert!(told("map_status").contains("takes no text"), "{}", told("map_status"));
    }

    #[test]
    fn json_that_is_no_object_is_explained() {
        for (text, expected) in [("[1]", "one JSON object"), ("{", "not JSON")] {
            let error = read_object(text).expect_err("refused");
            assert!(error.contains(expected), "{error}");
        }
    }
}
